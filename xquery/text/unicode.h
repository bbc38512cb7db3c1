/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters: UTF-8, the names of XML, upper and lower case, normalisation.
 *
 * Nothing here depends on the locale of the process.
 */
#ifndef WF_XQUERY_TEXT_UNICODE_H
#define WF_XQUERY_TEXT_UNICODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Greater than every character. */
#define WF_UNICODE_END 0x110000U

/*
 * Returns the character at *next and moves *next after it; *next is before end.
 * A byte that is not UTF-8 counts as U+FFFD.
 */
uint32_t wf_utf8_next(const char **next, const char *end);
/* Whether the whole text is UTF-8. */
bool wf_is_utf8(const char *text, size_t length);
/* Writes the character and returns the number of its bytes. */
size_t wf_utf8_put(uint32_t character, char out[static 4]);
/* The number of characters. */
size_t wf_utf8_count(const char *text, size_t length);
/*
 * The length in bytes of the first count characters, or of the whole text if it
 * is shorter.
 */
size_t wf_utf8_offset(const char *text, size_t length, size_t count);

/* Char, NameStartChar and NameChar of XML 1.0 (fifth edition). */
bool wf_is_xml_char(uint32_t character);
bool wf_is_name_start(uint32_t character);
bool wf_is_name_char(uint32_t character);
bool wf_is_xml_space(char c);
bool wf_is_ncname(const char *text, size_t length);

/* Ranges of characters, first and last; for the escapes of patterns. */
struct wf_character_range {
	uint32_t first;
	uint32_t last;
};
extern const struct wf_character_range wf_name_start_ranges[];
extern const size_t wf_name_start_count;
/* The characters that are allowed after the first one of a name. */
extern const struct wf_character_range wf_name_more_ranges[];
extern const size_t wf_name_more_count;

/* Appends text in upper or lower case (full mapping, of no language). */
void wf_unicode_upper(struct wf_buffer *out, const char *text, size_t length);
void wf_unicode_lower(struct wf_buffer *out, const char *text, size_t length);

/* Appends the normalisation form D of text or, with compose, form C. */
void wf_unicode_normalize(
    struct wf_buffer *out, const char *text, size_t length, bool compose);

#endif
