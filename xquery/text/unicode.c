/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8, the characters of XML names, upper and lower case.  The properties of
 * characters are those of utf8proc.
 */
#include "xquery/text/unicode.h"

#include <utf8proc.h>

#include "base/panic.h"

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

/* A malformed byte also gives U+FFFD, but has a length of one byte. */
bool wf_is_utf8(const char *text, size_t length)
{
	/* An empty text may be NULL, from which C does not compute. */
	const char *end = length == 0 ? text : text + length;

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

/* ---- upper and lower case ---- */

/* The maximum number of characters in the folding of one character. */
#define FOLDED 4

static void put(struct wf_buffer *out, uint32_t character)
{
	char bytes[4];

	wf_buffer_append(out, bytes, wf_utf8_put(character, bytes));
}

static uint32_t upper(uint32_t character)
{
	return (uint32_t)utf8proc_toupper((utf8proc_int32_t)character);
}

static uint32_t lower(uint32_t character)
{
	return (uint32_t)utf8proc_tolower((utf8proc_int32_t)character);
}

/*
 * The full case folding when it is several characters; 0: it is one.  The
 * full mappings of Unicode's SpecialCasing.txt follow from it: the upper case
 * of a character that folds to several is the upper case of each of them,
 * unless the character is a capital letter.
 */
static size_t fold(uint32_t character, utf8proc_int32_t out[static FOLDED])
{
	int boundary = 0;
	utf8proc_ssize_t count =
	    utf8proc_decompose_char((utf8proc_int32_t)character, out, FOLDED,
		UTF8PROC_CASEFOLD, &boundary);

	wf_assert(count <= FOLDED);
	return count > 1 ? (size_t)count : 0;
}

static bool is_capital(uint32_t character)
{
	return utf8proc_category((utf8proc_int32_t)character) ==
	       UTF8PROC_CATEGORY_LU;
}

static void put_upper(struct wf_buffer *out, uint32_t character)
{
	utf8proc_int32_t folded[FOLDED];
	size_t count = is_capital(character) ? 0 : fold(character, folded);

	for (size_t i = 0; i < count; i++)
		put(out, upper((uint32_t)folded[i]));
	if (count == 0)
		put(out, upper(character));
}

static void put_lower(struct wf_buffer *out, uint32_t character)
{
	if (character == 0x130) {
		put(out, 'i');
		put(out, 0x307);
	} else {
		put(out, lower(character));
	}
}

/* A letter with an upper or lower case other than itself. */
static bool is_cased(uint32_t character)
{
	utf8proc_int32_t folded[FOLDED];

	return upper(character) != character || lower(character) != character ||
	       fold(character, folded) != 0;
}

/* Characters that do not end a word: marks, apostrophes and the like. */
static bool is_ignored(uint32_t character)
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

		if (!is_ignored(character))
			return is_cased(character);
	}
	return false;
}

void wf_unicode_upper(struct wf_buffer *out, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		uint32_t character = wf_utf8_next(&text, end);

		if (character >= 0x80)
			put_upper(out, character);
		else if (character >= 'a' && character <= 'z')
			put(out, character - 'a' + 'A');
		else
			put(out, character);
	}
}

/* A capital sigma at the end of a word becomes the small final sigma. */
void wf_unicode_lower(struct wf_buffer *out, const char *text, size_t length)
{
	const char *end = text + length;
	uint32_t before = '.';

	while (text < end) {
		uint32_t character = wf_utf8_next(&text, end);

		if (character >= 'A' && character <= 'Z')
			put(out, character - 'A' + 'a');
		else if (character < 0x80)
			put(out, character);
		else if (character == 0x3A3 && is_cased(before) &&
			 !is_in_word(text, end))
			put(out, 0x3C2);
		else
			put_lower(out, character);
		if (!is_ignored(character))
			before = character;
	}
}
