/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of integers: "#,##0", "i", "A", "Ww" and others, as format-integer()
 * and the components of dates and times use them.
 *
 * Pictures are read as code points; their parts live in the arena of the
 * evaluation.
 */
#ifndef WF_XQUERY_PATTERN_PICTURE_H
#define WF_XQUERY_PATTERN_PICTURE_H

#include "xquery/item/item.h"

struct wf_characters {
	uint32_t *list;
	size_t count;
};

/* The code points of text; memory beyond the limit is a failure. */
enum wf_rc wf_characters_read(struct wf_dynamic *dynamic, struct wf_string text,
    struct wf_characters *characters_out) WF_MUSTCHECK;

/*
 * The value of the digit, 0 to 9, and the zero of its family; false: no digit.
 */
bool wf_digit_value(
    uint32_t character, unsigned *digit_out, uint32_t *zero_out);

enum wf_numbering {
	WF_NUMBERING_DIGITS,
	WF_NUMBERING_LETTERS,
	WF_NUMBERING_ROMAN,
	WF_NUMBERING_WORDS
};

enum wf_letter_case { WF_CASE_LOWER, WF_CASE_UPPER, WF_CASE_TITLE };

struct wf_group {
	size_t place; /* number of digits after the separator */
	uint32_t separator;
};

struct wf_picture {
	enum wf_numbering numbering;
	enum wf_letter_case letter_case;
	bool ordinal;
	/* Digits: */
	uint32_t zero;
	size_t mandatory;
	size_t optional;
	struct wf_group *groups; /* the last group has the smallest place */
	size_t group_count;
	size_t interval; /* between groups that repeat without end; 0: none */
};

/*
 * Reads a picture without its modifiers.  *good_out: it is well formed; an
 * unknown picture counts as "1".
 */
enum wf_rc wf_picture_read(struct wf_dynamic *dynamic, const uint32_t *text,
    size_t length, struct wf_picture *picture_out, bool *good_out) WF_MUSTCHECK;

/* Formats digits, most significant first, by a picture of digits. */
void wf_picture_put_digits(struct wf_buffer *out,
    const struct wf_picture *picture, const char *digits, size_t count);
void wf_picture_put(
    struct wf_buffer *out, const struct wf_picture *picture, wf_int128 number);
/* Appends a name, such as that of a month, in the requested case. */
void wf_put_name(struct wf_buffer *out, enum wf_letter_case letter_case,
    const char *name, size_t length);

#endif
