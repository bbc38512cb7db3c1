/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8, the characters of XML names, and case mapping from a table of ranges
 * (xquery/text/unicode_case.def).
 */
#include "xquery/text/unicode.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct wf_character_range wf_name_start_ranges[] = {
	{ ':', ':' },
	{ 'A', 'Z' },
	{ '_', '_' },
	{ 'a', 'z' },
	{ 0xC0, 0xD6 },
	{ 0xD8, 0xF6 },
	{ 0xF8, 0x2FF },
	{ 0x370, 0x37D },
	{ 0x37F, 0x1FFF },
	{ 0x200C, 0x200D },
	{ 0x2070, 0x218F },
	{ 0x2C00, 0x2FEF },
	{ 0x3001, 0xD7FF },
	{ 0xF900, 0xFDCF },
	{ 0xFDF0, 0xFFFD },
	{ 0x10000, 0xEFFFF },
};
const size_t wf_name_start_count = COUNT(wf_name_start_ranges);

const struct wf_character_range wf_name_more_ranges[] = {
	{ '-', '.' },
	{ '0', '9' },
	{ 0xB7, 0xB7 },
	{ 0x300, 0x36F },
	{ 0x203F, 0x2040 },
};
const size_t wf_name_more_count = COUNT(wf_name_more_ranges);

uint32_t wf_utf8_next(const char **next, const char *end)
{
	static const uint32_t smallest[4] = { 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)*(*next)++;
	const char *at = *next;
	uint32_t character;
	int more;

	if (lead < 0x80)
		return lead;
	if (lead < 0xC2 || lead > 0xF4)
		return 0xFFFD;
	more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
	character = lead & (0x3FU >> more);
	for (int i = 0; i < more; i++) {
		if (at == end || ((unsigned char)*at & 0xC0) != 0x80)
			return 0xFFFD;
		character = character << 6 | ((unsigned char)*at++ & 0x3F);
	}
	if (character < smallest[more] || character >= WF_UNICODE_END ||
	    (character >= 0xD800 && character < 0xE000))
		return 0xFFFD;
	*next = at;
	return character;
}

/* What is malformed counts as U+FFFD, but has only one byte. */
bool wf_is_utf8(const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *start = text;

		if (wf_utf8_next(&text, end) == 0xFFFD && text == start + 1)
			return false;
	}
	return true;
}

size_t wf_utf8_put(uint32_t character, char out[static 4])
{
	if (character < 0x80) {
		out[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		out[0] = (char)(0xC0 | character >> 6);
		out[1] = (char)(0x80 | (character & 0x3F));
		return 2;
	}
	if (character < 0x10000) {
		out[0] = (char)(0xE0 | character >> 12);
		out[1] = (char)(0x80 | (character >> 6 & 0x3F));
		out[2] = (char)(0x80 | (character & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | character >> 18);
	out[1] = (char)(0x80 | (character >> 12 & 0x3F));
	out[2] = (char)(0x80 | (character >> 6 & 0x3F));
	out[3] = (char)(0x80 | (character & 0x3F));
	return 4;
}

size_t wf_utf8_count(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += ((unsigned char)text[i] & 0xC0) != 0x80;
	return count;
}

size_t wf_utf8_offset(const char *text, size_t length, size_t count)
{
	size_t i = 0;

	for (; i < length; i++)
		if (((unsigned char)text[i] & 0xC0) != 0x80 && count-- == 0)
			break;
	return i;
}

static bool in_ranges(
    const struct wf_character_range *ranges, size_t count, uint32_t character)
{
	for (size_t i = 0; i < count && ranges[i].first <= character; i++)
		if (character <= ranges[i].last)
			return true;
	return false;
}

bool wf_is_xml_char(uint32_t character)
{
	return (character >= 0x20 && character < 0xD800) || character == '\t' ||
	       character == '\n' || character == '\r' ||
	       (character >= 0xE000 && character < 0xFFFE) ||
	       (character >= 0x10000 && character < WF_UNICODE_END);
}

bool wf_is_name_start(uint32_t character)
{
	return in_ranges(wf_name_start_ranges, wf_name_start_count, character);
}

bool wf_is_name_char(uint32_t character)
{
	return wf_is_name_start(character) ||
	       in_ranges(wf_name_more_ranges, wf_name_more_count, character);
}

bool wf_is_xml_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool wf_is_ncname(const char *text, size_t length)
{
	const char *end = text + length;
	uint32_t character;

	if (length == 0)
		return false;
	character = wf_utf8_next(&text, end);
	if (!wf_is_name_start(character) || character == ':')
		return false;
	while (text < end) {
		character = wf_utf8_next(&text, end);
		if (!wf_is_name_char(character) || character == ':')
			return false;
	}
	return true;
}

struct case_range {
	uint32_t first;
	uint32_t last;
	uint32_t step;
	int32_t delta;
};

struct case_many {
	uint32_t from;
	uint32_t to[3];
};

struct case_table {
	const struct case_range *ranges;
	size_t range_count;
	const struct case_many *many;
	size_t many_count;
};

#define WF_UPPER(first, last, step, delta)
#define WF_LOWER(first, last, step, delta)
#define WF_UPPER_MANY(from, a, b, c)
#define WF_LOWER_MANY(from, a, b, c)

static const struct case_range upper_ranges[] = {
#undef WF_UPPER
#define WF_UPPER(first, last, step, delta) { first, last, step, delta },
#include "xquery/text/unicode_case.def"
#undef WF_UPPER
#define WF_UPPER(first, last, step, delta)
};

static const struct case_range lower_ranges[] = {
#undef WF_LOWER
#define WF_LOWER(first, last, step, delta) { first, last, step, delta },
#include "xquery/text/unicode_case.def"
#undef WF_LOWER
#define WF_LOWER(first, last, step, delta)
};

static const struct case_many upper_many[] = {
#undef WF_UPPER_MANY
#define WF_UPPER_MANY(from, a, b, c) { from, { a, b, c } },
#include "xquery/text/unicode_case.def"
#undef WF_UPPER_MANY
#define WF_UPPER_MANY(from, a, b, c)
};

static const struct case_many lower_many[] = {
#undef WF_LOWER_MANY
#define WF_LOWER_MANY(from, a, b, c) { from, { a, b, c } },
#include "xquery/text/unicode_case.def"
#undef WF_LOWER_MANY
#define WF_LOWER_MANY(from, a, b, c)
};

static const struct case_table upper_table = { upper_ranges,
	COUNT(upper_ranges), upper_many, COUNT(upper_many) };
static const struct case_table lower_table = { lower_ranges,
	COUNT(lower_ranges), lower_many, COUNT(lower_many) };

/* The last range that begins at or before character is the only candidate. */
static uint32_t map_one(const struct case_table *table, uint32_t character)
{
	size_t low = 0;
	size_t high = table->range_count;
	const struct case_range *range;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table->ranges[middle].first <= character)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return character;
	range = &table->ranges[low - 1];
	if (character > range->last ||
	    (character - range->first) % range->step != 0)
		return character;
	return (uint32_t)((int32_t)character + range->delta);
}

static void put(struct wf_buffer *out, uint32_t character)
{
	char bytes[4];

	wf_buffer_append(out, bytes, wf_utf8_put(character, bytes));
}

static void map_character(
    struct wf_buffer *out, const struct case_table *table, uint32_t character)
{
	for (size_t i = 0; i < table->many_count; i++) {
		const struct case_many *many = &table->many[i];

		if (many->from != character)
			continue;
		for (int j = 0; j < 3 && many->to[j] != 0; j++)
			put(out, many->to[j]);
		return;
	}
	put(out, map_one(table, character));
}

static bool has_many(const struct case_table *table, uint32_t character)
{
	for (size_t i = 0; i < table->many_count; i++)
		if (table->many[i].from == character)
			return true;
	return false;
}

/* A letter that is of one case or the other. */
static bool is_cased(uint32_t character)
{
	return map_one(&upper_table, character) != character ||
	       map_one(&lower_table, character) != character ||
	       has_many(&upper_table, character);
}

/* What does not end a word: marks, apostrophes and the like. */
static bool is_passed_over(uint32_t character)
{
	return (character >= 0x300 && character <= 0x36F) ||
	       character == '\'' || character == '.' || character == ':' ||
	       character == 0xAD || character == 0xB7 || character == 0x2018 ||
	       character == 0x2019;
}

static bool is_in_word(const char *text, const char *end)
{
	while (text < end) {
		uint32_t character = wf_utf8_next(&text, end);

		if (!is_passed_over(character))
			return is_cased(character);
	}
	return false;
}

/* A capital sigma at the end of a word becomes the small one of that place. */
static void map_text(struct wf_buffer *out, const struct case_table *table,
    const char *text, size_t length)
{
	const char *end = text + length;
	uint32_t before = '.';

	while (text < end) {
		uint32_t character = wf_utf8_next(&text, end);

		if (character < 0x80)
			put(out, map_one(table, character));
		else if (character == 0x3A3 && table == &lower_table &&
			 is_cased(before) && !is_in_word(text, end))
			put(out, 0x3C2);
		else
			map_character(out, table, character);
		if (!is_passed_over(character))
			before = character;
	}
}

void wf_unicode_upper(struct wf_buffer *out, const char *text, size_t length)
{
	map_text(out, &upper_table, text, length);
}

void wf_unicode_lower(struct wf_buffer *out, const char *text, size_t length)
{
	map_text(out, &lower_table, text, length);
}
