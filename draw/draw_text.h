/* SPDX-License-Identifier: Apache-2.0 */
/* Text in pictures: its width, its wrapping and its shortening. */
#ifndef WF_DRAW_DRAW_TEXT_H
#define WF_DRAW_DRAW_TEXT_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/memory.h"

#define WF_WRAPPED_LINES 3

struct wf_wrapped {
	const char *text[WF_WRAPPED_LINES];
	size_t count;
	double width; /* of the widest line */
};

/* An estimate for Helvetica and similar fonts; size is the font size. */
double wf_text_width(const char *text, size_t length, double size);
/* Wraps at spaces and joints of words; the rest becomes "...". */
struct wf_wrapped wf_text_wrap(
    struct wf_arena *arena, const char *text, double width, double size);
/* text, or its beginning with an ellipsis, not wider than width. */
const char *wf_text_shorten(
    struct wf_arena *arena, const char *text, double width, double size);
/* text as SVG character data. */
void wf_text_put(struct wf_buffer *svg, const char *text);

/*
 * The length of the part of a text that fits into one line, broken between
 * words where possible; text is not empty.
 */
size_t wf_text_line(const char *text, double width, double size);

#endif
