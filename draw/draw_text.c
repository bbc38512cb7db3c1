/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text in pictures.  No font is measured, because the picture must be the same
 * on every machine.  Widths are those of Helvetica, rounded by kind of letter,
 * plus a tenth because fonts that replace it are often wider.
 */
#include "draw/draw_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xC0U) == 0x80U;
}

/* Widths of letters are in thousandths of the font size. */
#define SCALE (1000 / 1.1)

static double letter_width(const char *at)
{
	unsigned char c = (unsigned char)*at;

	if (c >= 0xE2U)
		return c == 0xE2U ? 700 : 1000;
	if (c >= 0x80U)
		return 600;
	if (strchr("iljI.,:;'|!", c) != NULL)
		return 260;
	if (strchr("ft()[]{}/\\ r-\"", c) != NULL)
		return 330;
	if (strchr("mMW%@", c) != NULL)
		return 860;
	if (strchr("w+<>=~_", c) != NULL)
		return c == '_' ? 556 : 650;
	if (isupper(c))
		return 690;
	return 556;
}

double wf_text_width(const char *text, size_t length, double size)
{
	double sum = 0;

	for (size_t i = 0; i < length; i++) {
		if (!is_continuation(text[i]))
			sum += letter_width(text + i);
	}
	return sum * size / SCALE;
}

/*
 * The longest prefix, in whole characters, that fits; at least one character.
 */
static size_t fitting(
    const char *text, size_t length, double width, double size)
{
	size_t end = 0;
	double sum = 0;

	while (end < length) {
		size_t next = end + 1;

		sum += letter_width(text + end) * size / SCALE;
		if (sum > width && end > 0)
			break;
		while (next < length && is_continuation(text[next]))
			next++;
		end = next;
	}
	return end;
}

const char *wf_text_shorten(
    struct wf_arena *arena, const char *text, double width, double size)
{
	size_t length = strlen(text);
	size_t end;

	if (wf_text_width(text, length, size) <= width)
		return text;
	end = fitting(text, length, width - size, size);
	while (end > 1 && text[end - 1] == ' ')
		end--;
	return wf_arena_printf(arena, "%.*s\u2026", (int)end, text);
}

/* Whether a line may end before text[i]. */
static bool is_joint(const char *text, size_t i)
{
	unsigned char before = (unsigned char)text[i - 1];
	unsigned char here = (unsigned char)text[i];

	if (is_continuation(text[i]))
		return false;
	if (strchr(" _-/.", before) != NULL)
		return here != ' ';
	return islower(before) && isupper(here);
}

static size_t piece_length(const char *text)
{
	size_t i = 1;

	while (text[i] != '\0' && !is_joint(text, i))
		i++;
	return i;
}

static size_t without_spaces(const char *text, size_t length)
{
	while (length > 0 && text[length - 1] == ' ')
		length--;
	return length;
}

size_t wf_text_line(const char *text, double width, double size)
{
	size_t length = 0;

	while (text[length] != '\0') {
		size_t next = length + piece_length(text + length);

		if (wf_text_width(text, without_spaces(text, next), size) >
		    width)
			break;
		length = next;
	}
	return length > 0 ? length : fitting(text, strlen(text), width, size);
}

/* Replaces white space by single blanks, without blanks at the ends. */
static char *tidy(struct wf_arena *arena, const char *text)
{
	char *copy = wf_arena_strdup(arena, text);
	size_t n = 0;

	for (const char *at = text; *at != '\0'; at++) {
		if (!isspace((unsigned char)*at))
			copy[n++] = *at;
		else if (n > 0 && copy[n - 1] != ' ')
			copy[n++] = ' ';
	}
	copy[without_spaces(copy, n)] = '\0';
	return copy;
}

struct wf_wrapped wf_text_wrap(
    struct wf_arena *arena, const char *text, double width, double size)
{
	struct wf_wrapped lines = { .count = 0 };
	const char *rest = tidy(arena, text);

	while (*rest != '\0' && lines.count < WF_WRAPPED_LINES) {
		size_t length = wf_text_line(rest, width, size);
		const char *line;
		double w;

		if (lines.count == WF_WRAPPED_LINES - 1)
			line = wf_text_shorten(arena, rest, width, size);
		else
			line = wf_arena_strndup(
			    arena, rest, without_spaces(rest, length));
		rest += length;
		while (*rest == ' ')
			rest++;
		w = wf_text_width(line, strlen(line), size);
		if (w > lines.width)
			lines.width = w;
		lines.text[lines.count++] = line;
	}
	return lines;
}

void wf_text_put(struct wf_buffer *svg, const char *text)
{
	wf_buffer_escape(svg, text, strlen(text), true);
}
