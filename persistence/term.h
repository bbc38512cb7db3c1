/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cases are found by (table "term"): values of variables, as texts that
 * are in the order of the values when they are compared bytewise, and words.
 */
#ifndef WF_PERSISTENCE_TERM_H
#define WF_PERSISTENCE_TERM_H

#include "persistence/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the values of a variable are compared. */
enum wf_term_type {
	WF_TERM_TEXT,	/* bytewise, by the first WF_TERM_TEXT_BYTES */
	WF_TERM_NUMBER, /* by the first WF_TERM_DIGITS digits */
	WF_TERM_DATE,	/* dates and times, as instants; no zone: UTC */
	WF_TERM_BOOLEAN,
	WF_TERM_TYPES
};

#define WF_TERM_TEXT_BYTES 128U
#define WF_TERM_DIGITS 40U
#define WF_TERM_SIZE (WF_TERM_TEXT_BYTES + 2U)
/* The path of a variable, "order/customer". */
#define WF_TERM_FIELD_BYTES 200U

/* "number" */
const char *wf_term_type_name(enum wf_term_type type);
/* False: there is none of that name. */
bool wf_term_type_find(const char *name, enum wf_term_type *type_out);
/* The first byte of the texts of a type. */
char wf_term_mark(enum wf_term_type type);

/*
 * Writes a value as it is kept and compared.  False: the text is no value of
 * the type, so the case is not found by it.
 */
bool wf_term_write(enum wf_term_type type, const char *text, size_t length,
    char out[WF_TERM_SIZE]);

/* Words of a case, and bytes of each; what is beyond is not found. */
#define WF_WORDS 16U
#define WF_WORD_BYTES 32U
/* The first byte of the field of a word. */
#define WF_WORD_MARK ':'

/* Words in lower case, each once. */
struct wf_word_set {
	size_t count;
	char rows[WF_WORDS][WF_WORD_BYTES + 1];
};

/* Adds the words of a text (or NULL): runs of letters and digits. */
void wf_words_add(struct wf_word_set *words, const char *text);
/*
 * Which of the words begin one of the first WF_WORDS words of a text (or NULL):
 * a bit for each; and the bits of them all.
 */
uint32_t wf_words_found(const struct wf_word_set *words, const char *text);
uint32_t wf_words_all(const struct wf_word_set *words);
/*
 * The words of the title and the name of a case.  A name that is a number gives
 * none: such a case is found by the whole of it.
 */
void wf_words_of_case(struct wf_word_set *words, const struct wf_case_row *row);
bool wf_is_number(const char *name);

#ifdef __cplusplus
}
#endif

#endif
