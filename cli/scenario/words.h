/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts and scenario files as lines of words.
 *
 * Words are separated by white space.  "..." (with "" for a quote in it),
 * [...] and one XML element count as one word or a part of it, and may go
 * over several lines.  # at the start of a word begins a comment.
 */
#ifndef WF_CLI_SCENARIO_WORDS_H
#define WF_CLI_SCENARIO_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

struct wf_lines {
	struct wf_arena *arena; /* where the words are made */
	const char *file;
	const char *at;
	const char *end;
	int line; /* of at */
};

struct wf_words {
	int line;     /* where it began */
	size_t count; /* 0: at the end of the text */
	char **words;
};

/* arena and file must outlive lines; the words outlive both lines and text. */
void wf_lines_init(struct wf_lines *lines, struct wf_arena *arena,
    const char *file, const char *text, size_t length);
/* The next line that is not empty. */
enum wf_rc wf_lines_next(struct wf_lines *lines, struct wf_words *words_out,
    struct wf_error *err) WF_MUSTCHECK;

/* Fails with WF_INVALID at a line of lines' file. */
enum wf_rc wf_lines_fail(const struct wf_lines *lines, int line,
    struct wf_error *err, const char *format, ...) WF_PRINTF(4, 5);

/* "..." without its quotes; any other word as it is. */
char *wf_word_unquote(struct wf_arena *arena, const char *word);

#endif
