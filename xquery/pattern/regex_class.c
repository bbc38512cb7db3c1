/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of characters in patterns: [a-z-[aeiou]], \p{Lu}, \i and the like.
 *
 * PCRE2 has no subtraction, so [A-[B]] becomes (?:(?![B])[A]).  Escapes whose
 * meaning differs become ranges.
 */
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "xquery/pattern/regex_priv.h"
#include "xquery/text/unicode.h"

#define DEPTH 50

static const struct block {
	const char *name;
	struct wf_character_range range;
} blocks[] = {
#define WF_BLOCK(name, first, last) { name, { first, last } },
#include "xquery/pattern/regex_blocks.def"
#undef WF_BLOCK
};

static const char *const categories[] = { "L", "Lu", "Ll", "Lt", "Lm", "Lo",
	"M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps",
	"Pe", "Pi", "Pf", "Po", "Z", "Zs", "Zl", "Zp", "S", "Sm", "Sc", "Sk",
	"So", "C", "Cc", "Cf", "Co", "Cn" };

bool wf_regex_problem(struct wf_regex_scan *scan, const char *problem)
{
	if (!scan->problem)
		scan->problem = problem;
	return false;
}

void wf_regex_put(struct wf_regex_scan *scan, uint32_t character)
{
	wf_buffer_printf(scan->out, "\\x{%x}", character);
}

static void put_range(struct wf_regex_scan *scan, uint32_t first, uint32_t last)
{
	/* PCRE2 refuses a surrogate as the end of a range. */
	if (first >= 0xD800 && first < 0xE000)
		first = 0xE000;
	if (last >= 0xD800 && last < 0xE000)
		last = 0xD7FF;
	if (first <= last)
		wf_buffer_printf(scan->out, "\\x{%x}-\\x{%x}", first, last);
}

/* Ranges in ascending order, or their complement. */
static void put_ranges(struct wf_regex_scan *scan,
    const struct wf_character_range *ranges, size_t count, bool negative)
{
	uint32_t behind = 0;

	for (size_t i = 0; i < count; i++) {
		if (!negative)
			put_range(scan, ranges[i].first, ranges[i].last);
		else if (ranges[i].first > behind)
			put_range(scan, behind, ranges[i].first - 1);
		behind = ranges[i].last + 1;
	}
	if (negative && behind < WF_UNICODE_END)
		put_range(scan, behind, WF_UNICODE_END - 1);
}

/* The meaning of \c or \i: two lists of ranges, merged in ascending order. */
static void put_name_ranges(
    struct wf_regex_scan *scan, bool more, bool negative)
{
	struct wf_character_range all[32];
	size_t count = 0;
	size_t a = 0;
	size_t b = 0;
	size_t b_count = more ? wf_name_more_count : 0;

	while (a < wf_name_start_count || b < b_count) {
		if (b == b_count || (a < wf_name_start_count &&
					wf_name_start_ranges[a].first <
					    wf_name_more_ranges[b].first))
			all[count++] = wf_name_start_ranges[a++];
		else
			all[count++] = wf_name_more_ranges[b++];
	}
	put_ranges(scan, all, count, negative);
}

static bool put_block(
    struct wf_regex_scan *scan, const char *name, size_t length, bool negative)
{
	struct wf_character_range found[4];
	size_t count = 0;

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (strlen(blocks[i].name) == length &&
		    memcmp(blocks[i].name, name, length) == 0)
			found[count++] = blocks[i].range;
	if (count == 0)
		return wf_regex_problem(scan, "there is no such block");
	put_ranges(scan, found, count, negative);
	return true;
}

/* {Lu} or {IsGreek}, after \p or \P. */
static bool put_property(struct wf_regex_scan *scan, bool negative)
{
	const char *name = scan->next + 1;
	const char *close;
	size_t length;

	if (scan->next == scan->end || *scan->next != '{')
		return wf_regex_problem(scan, "\\p needs a name in braces");
	close = memchr(name, '}', (size_t)(scan->end - name));
	if (!close)
		return wf_regex_problem(scan, "the brace is not closed");
	length = (size_t)(close - name);
	scan->next = close + 1;
	if (length > 2 && name[0] == 'I' && name[1] == 's')
		return put_block(scan, name + 2, length - 2, negative);
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
		if (strlen(categories[i]) == length &&
		    memcmp(categories[i], name, length) == 0) {
			wf_buffer_printf(scan->out, "\\%c{%s}",
			    negative ? 'P' : 'p', categories[i]);
			return true;
		}
	return wf_regex_problem(scan, "there is no such category");
}

bool wf_regex_class_escape(struct wf_regex_scan *scan, bool *known_out)
{
	static const struct wf_character_range space[] = { { '\t', '\n' },
		{ '\r', '\r' }, { ' ', ' ' } };
	char c = scan->next == scan->end ? '\0' : *scan->next;

	*known_out = c != '\0' && strchr("sSiIcCdDwWpP", c) != NULL;
	if (!*known_out)
		return true;
	scan->next++;
	switch (c) {
	case 's':
	case 'S':
		put_ranges(scan, space, 3, c == 'S');
		return true;
	case 'i':
	case 'I':
		put_name_ranges(scan, false, c == 'I');
		return true;
	case 'c':
	case 'C':
		put_name_ranges(scan, true, c == 'C');
		return true;
	case 'd':
	case 'D':
		wf_buffer_puts(scan->out, c == 'd' ? "\\p{Nd}" : "\\P{Nd}");
		return true;
	case 'w':
		wf_buffer_puts(scan->out, "\\p{L}\\p{M}\\p{N}\\p{S}");
		return true;
	case 'W':
		wf_buffer_puts(scan->out, "\\p{P}\\p{Z}\\p{C}");
		return true;
	default:
		return put_property(scan, c == 'P');
	}
}

char wf_regex_single_escape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	case 't':
		return '\t';
	case '\0':
		return '\0';
	default:
		return strchr("\\|.-^?*+{}()[]$", c) ? c : '\0';
	}
}

static char peek(const struct wf_regex_scan *scan, size_t ahead)
{
	return (size_t)(scan->end - scan->next) > ahead ? scan->next[ahead]
							: '\0';
}

/* One character of a class, escaped or not; not a bracket. */
static bool scan_character(struct wf_regex_scan *scan, uint32_t *character_out)
{
	char c = peek(scan, 0);

	if (scan->next == scan->end || c == '[' || c == ']')
		return wf_regex_problem(scan, "a class is not complete");
	if (c != '\\') {
		*character_out = wf_utf8_next(&scan->next, scan->end);
		return true;
	}
	c = wf_regex_single_escape(peek(scan, 1));
	if (c == '\0')
		return wf_regex_problem(scan, "there is no such escape");
	scan->next += 2;
	*character_out = (unsigned char)c;
	return true;
}

/* Whether a minus that makes a range comes next. */
static bool range_follows(const struct wf_regex_scan *scan)
{
	return peek(scan, 0) == '-' && peek(scan, 1) != ']' &&
	       peek(scan, 1) != '[' && peek(scan, 1) != '\0';
}

/* A character, a range, or an escape for several characters. */
static bool scan_member(struct wf_regex_scan *scan, bool first)
{
	uint32_t from;
	uint32_t to;
	bool known = false;
	bool dash = peek(scan, 0) == '-';

	if (peek(scan, 0) == '\\') {
		scan->next++;
		if (!wf_regex_class_escape(scan, &known))
			return false;
		if (known)
			return !range_follows(scan) ||
			       wf_regex_problem(
				   scan, "a range begins with a class");
		scan->next--;
	}
	if (dash && !first && peek(scan, 1) != ']')
		return wf_regex_problem(scan, "a minus within a class");
	if (!scan_character(scan, &from))
		return false;
	wf_regex_put(scan, from);
	if (dash || !range_follows(scan))
		return true;
	scan->next++;
	if (peek(scan, 0) == '-')
		return wf_regex_problem(scan, "a range ends in a minus");
	if (!scan_character(scan, &to))
		return false;
	if (from > to)
		return wf_regex_problem(scan, "a range is the wrong way round");
	wf_buffer_putc(scan->out, '-');
	wf_regex_put(scan, to);
	return true;
}

/* After the last member: the subtracted class and the bracket. */
static bool scan_subtraction(
    struct wf_regex_scan *scan, struct wf_buffer *subtracted)
{
	struct wf_buffer *out = scan->out;
	bool good;

	scan->next += 2;
	scan->out = subtracted;
	good = wf_regex_class(scan);
	scan->out = out;
	if (good && peek(scan, 0) != ']')
		good = wf_regex_problem(
		    scan, "something follows a subtracted class");
	return good;
}

static bool scan_members(
    struct wf_regex_scan *scan, struct wf_buffer *subtracted)
{
	bool first = true;

	while (scan->next < scan->end) {
		if (peek(scan, 0) == ']' && !first) {
			scan->next++;
			return true;
		}
		if (!first && peek(scan, 0) == '-' && peek(scan, 1) == '[') {
			if (!scan_subtraction(scan, subtracted))
				return false;
			continue;
		}
		if (!scan_member(scan, first))
			return false;
		first = false;
	}
	return wf_regex_problem(scan, "a class is not closed");
}

bool wf_regex_class(struct wf_regex_scan *scan)
{
	struct wf_buffer members;
	struct wf_buffer subtracted;
	struct wf_cleanup cleanups[2];
	struct wf_buffer *out = scan->out;
	bool good;

	if (++scan->depth > DEPTH)
		return wf_regex_problem(scan, "it is nested too deeply");
	wf_buffer_init(&members, out->maximum);
	wf_buffer_init(&subtracted, out->maximum);
	wf_cleanup_push(&cleanups[0], wf_buffer_cleanup, &members);
	wf_cleanup_push(&cleanups[1], wf_buffer_cleanup, &subtracted);
	scan->out = &members;
	wf_buffer_putc(&members, '[');
	if (peek(scan, 0) == '^') {
		scan->next++;
		wf_buffer_putc(&members, '^');
	}
	good = scan_members(scan, &subtracted);
	scan->out = out;
	scan->depth--;
	if (subtracted.length > 0)
		wf_buffer_printf(out, "(?:(?!%s)%s])",
		    wf_buffer_text(&subtracted), wf_buffer_text(&members));
	else
		wf_buffer_printf(out, "%s]", wf_buffer_text(&members));
	out->full = out->full || members.full || subtracted.full;
	wf_cleanup_pop(&cleanups[1]);
	wf_cleanup_pop(&cleanups[0]);
	wf_buffer_free(&members);
	wf_buffer_free(&subtracted);
	return good;
}
