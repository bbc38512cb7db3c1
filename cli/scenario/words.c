/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of words.  Each skip_ function moves lines->at behind one thing and
 * returns false when the text ends before that thing does.
 */
#include "cli/scenario/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wf_lines_init(struct wf_lines *lines, struct wf_arena *arena,
    const char *file, const char *text, size_t length)
{
	lines->arena = arena;
	lines->file = file;
	lines->at = text;
	lines->end = text + length;
	lines->line = 1;
}

enum wf_rc wf_lines_fail(const struct wf_lines *lines, int line,
    struct wf_error *err, const char *format, ...)
{
	char message[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	if (err != NULL && err->rc == WF_OK) {
		snprintf(err->place.file, sizeof(err->place.file), "%s",
		    lines->file);
		err->place.line = line;
	}
	return wf_fail(err, WF_INVALID, "%s", message);
}

static bool at_end(const struct wf_lines *lines)
{
	return lines->at == lines->end;
}

static void advance(struct wf_lines *lines, size_t count)
{
	for (; count > 0 && !at_end(lines); count--)
		if (*lines->at++ == '\n')
			lines->line++;
}

static bool starts_with(const struct wf_lines *lines, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(lines->end - lines->at) >= length &&
	       memcmp(lines->at, text, length) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Behind the next occurrence of text. */
static bool skip_past(struct wf_lines *lines, const char *text)
{
	while (!at_end(lines)) {
		if (starts_with(lines, text)) {
			advance(lines, strlen(text));
			return true;
		}
		advance(lines, 1);
	}
	return false;
}

/* Behind "...", where "" does not end it. */
static bool skip_quoted(struct wf_lines *lines)
{
	for (;;) {
		advance(lines, 1);
		if (!skip_past(lines, "\""))
			return false;
		if (!starts_with(lines, "\""))
			return true;
	}
}

/* Behind the > of a tag; *empty_out: it ends in />. */
static bool skip_tag(struct wf_lines *lines, bool *empty_out)
{
	char before = '\0';

	while (!at_end(lines)) {
		char c = *lines->at;

		if (c == '>') {
			*empty_out = before == '/';
			advance(lines, 1);
			return true;
		}
		if (c == '"' || c == '\'') {
			char quote[2] = { c, '\0' };

			advance(lines, 1);
			if (!skip_past(lines, quote))
				return false;
		} else {
			advance(lines, 1);
		}
		before = c;
	}
	return false;
}

/* One piece of markup; *depth counts the elements that are open. */
static bool skip_markup(struct wf_lines *lines, size_t *depth)
{
	bool closing = starts_with(lines, "</");
	bool empty;

	if (starts_with(lines, "<!--"))
		return skip_past(lines, "-->");
	if (starts_with(lines, "<![CDATA["))
		return skip_past(lines, "]]>");
	if (starts_with(lines, "<?"))
		return skip_past(lines, "?>");
	if (!skip_tag(lines, &empty))
		return false;
	if (closing)
		--*depth;
	else if (!empty)
		++*depth;
	return true;
}

/* Behind one element. */
static bool skip_element(struct wf_lines *lines)
{
	size_t depth = 0;

	do {
		if (*lines->at != '<')
			advance(lines, 1);
		else if (starts_with(lines, "</") && depth == 0)
			return false;
		else if (!skip_markup(lines, &depth))
			return false;
		if (depth == 0)
			return true;
	} while (!at_end(lines));
	return false;
}

/* Behind [...], with brackets and strings of an XQuery in it. */
static bool skip_brackets(struct wf_lines *lines)
{
	size_t depth = 0;

	while (!at_end(lines)) {
		char c = *lines->at;

		if (c == '"' || c == '\'') {
			char quote[2] = { c, '\0' };

			advance(lines, 1);
			if (!skip_past(lines, quote))
				return false;
			continue;
		}
		advance(lines, 1);
		if (c == '[')
			depth++;
		else if (c == ']' && --depth == 0)
			return true;
	}
	return false;
}

/* Whether an element begins here: behind a blank, = or /, or another. */
static bool is_element(const struct wf_lines *lines, const char *start)
{
	char before = lines->at == start ? ' ' : lines->at[-1];

	return starts_with(lines, "<") && strchr(" \t\n=/>", before) != NULL;
}

static enum wf_rc skip_word(struct wf_lines *lines, struct wf_error *err)
{
	const char *start = lines->at;
	int line = lines->line;

	while (!at_end(lines) && !is_blank(*lines->at) && *lines->at != '\n') {
		if (is_element(lines, start)) {
			if (!skip_element(lines))
				return wf_lines_fail(lines, line, err,
				    "the element that begins here has no end");
		} else if (*lines->at == '"') {
			if (!skip_quoted(lines))
				return wf_lines_fail(lines, line, err,
				    "the quote that begins here has no end");
		} else if (*lines->at == '[') {
			if (!skip_brackets(lines))
				return wf_lines_fail(lines, line, err,
				    "the [ that begins here has no ]");
		} else {
			advance(lines, 1);
		}
	}
	return WF_OK;
}

/* To the next word of this line; false when there is none. */
static bool find_word(struct wf_lines *lines)
{
	while (!at_end(lines) && is_blank(*lines->at))
		advance(lines, 1);
	if (starts_with(lines, "#"))
		while (!at_end(lines) && *lines->at != '\n')
			advance(lines, 1);
	return !at_end(lines) && *lines->at != '\n';
}

static void to_first_word(struct wf_lines *lines)
{
	while (!find_word(lines) && !at_end(lines))
		advance(lines, 1);
}

enum wf_rc wf_lines_next(
    struct wf_lines *lines, struct wf_words *words_out, struct wf_error *err)
{
	size_t capacity = 0;

	memset(words_out, 0, sizeof(*words_out));
	to_first_word(lines);
	words_out->line = lines->line;
	while (find_word(lines)) {
		const char *start = lines->at;
		enum wf_rc rc = skip_word(lines, err);
		size_t length = (size_t)(lines->at - start);

		if (rc != WF_OK)
			return rc;
		if (memchr(start, '\0', length) != NULL)
			return wf_lines_fail(lines, words_out->line, err,
			    "the line holds a byte that is no text");
		words_out->words = wf_arena_grow(lines->arena, words_out->words,
		    words_out->count, &capacity, sizeof(char *));
		words_out->words[words_out->count++] =
		    wf_arena_strndup(lines->arena, start, length);
	}
	return WF_OK;
}

char *wf_word_unquote(struct wf_arena *arena, const char *word)
{
	size_t length = strlen(word);
	char *text;
	size_t used = 0;

	if (length < 2 || word[0] != '"' || word[length - 1] != '"')
		return wf_arena_strdup(arena, word);
	text = wf_arena_alloc(arena, length);
	for (size_t i = 1; i + 1 < length; i++) {
		text[used++] = word[i];
		if (word[i] == '"')
			i++;
	}
	return text;
}
