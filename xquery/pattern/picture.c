/* SPDX-License-Identifier: Apache-2.0 */
/* Reads pictures of integers, and formats integers with them. */
#include "xquery/pattern/picture.h"

#include <string.h>

#include "xquery/atomic/atomic_priv.h"
#include "xquery/pattern/regex.h"
#include "xquery/text/unicode.h"

/* The digit zero of each family (General_Category Nd). */
static const uint32_t zeros[] = { 0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6,
	0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0,
	0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
	0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0,
	0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136,
	0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0,
	0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE,
	0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950,
	0x1FBF0 };

bool wf_digit_value(uint32_t character, unsigned *digit_out, uint32_t *zero_out)
{
	for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++) {
		if (character < zeros[i] || character > zeros[i] + 9)
			continue;
		*digit_out = character - zeros[i];
		*zero_out = zeros[i];
		return true;
	}
	return false;
}

enum wf_rc wf_characters_read(struct wf_dynamic *dynamic, struct wf_string text,
    struct wf_characters *characters_out)
{
	const char *next = text.text;
	const char *end = next + text.length;

	characters_out->count = 0;
	characters_out->list = (uint32_t *)(void *)wf_atomic_room(
	    dynamic, text.length * sizeof(uint32_t));
	if (characters_out->list == NULL)
		return WF_LIMIT;
	while (next < end)
		characters_out->list[characters_out->count++] =
		    wf_utf8_next(&next, end);
	return WF_OK;
}

/* ---- reading ---- */

/* Whether a character is neither a letter nor a number. */
static enum wf_rc can_separate(
    struct wf_dynamic *dynamic, uint32_t character, bool *can_out)
{
	static const struct wf_string letters = { "[\\p{L}\\p{N}]", 12 };
	struct wf_regex *regex;
	char text[4];
	size_t length = wf_utf8_put(character, text);
	enum wf_rc rc = wf_regex_find(
	    dynamic, letters, (struct wf_string){ "", 0 }, &regex);

	if (rc == WF_OK)
		rc = wf_regex_match(dynamic, regex,
		    (struct wf_string){ text, length }, 0, can_out);
	*can_out = !*can_out;
	return rc;
}

/* Equal separators at equal distances repeat without end. */
static void find_interval(struct wf_picture *picture)
{
	const struct wf_group *groups = picture->groups;
	size_t count = picture->group_count;
	size_t interval = count > 0 ? groups[count - 1].place : 0;

	for (size_t i = 0; i < count; i++) {
		if (groups[i].separator != groups[0].separator ||
		    groups[i].place != interval * (count - i))
			return;
	}
	if (interval * (count + 1) >= picture->mandatory + picture->optional)
		picture->interval = interval;
}

/* Checks one character of a picture of digits. */
static bool take_character(
    struct wf_picture *picture, uint32_t character, bool after_group)
{
	unsigned digit;
	uint32_t zero;

	if (character == '#') {
		picture->optional++;
		return picture->mandatory == 0;
	}
	if (wf_digit_value(character, &digit, &zero)) {
		if (picture->mandatory++ == 0)
			picture->zero = zero;
		return picture->zero == zero;
	}
	picture->groups[picture->group_count].separator = character;
	picture->groups[picture->group_count++].place =
	    picture->mandatory + picture->optional;
	return !after_group && picture->mandatory + picture->optional > 0;
}

/*
 * Whether text is made of digits, "#" and separators, with at least one
 * digit; then *good_out says whether it is well formed.
 */
static enum wf_rc read_digits(struct wf_dynamic *dynamic, const uint32_t *text,
    size_t length, struct wf_picture *picture, bool *is_digits_out,
    bool *good_out)
{
	bool after_group = false;
	bool has_digit = false;
	unsigned digit;
	uint32_t zero;

	*good_out = true;
	*is_digits_out = false;
	picture->groups = (struct wf_group *)(void *)wf_atomic_room(
	    dynamic, length * sizeof(struct wf_group));
	if (picture->groups == NULL)
		return WF_LIMIT;
	for (size_t i = 0; i < length; i++) {
		bool is_digit = wf_digit_value(text[i], &digit, &zero);
		bool is_group = !is_digit && text[i] != '#';
		bool can = true;

		if (is_group &&
		    (text[i] >= 0x80 || (text[i] | 0x20U) - 'a' < 26)) {
			enum wf_rc rc = can_separate(dynamic, text[i], &can);

			if (rc != WF_OK)
				return rc;
		}
		if (!can)
			return WF_OK;
		has_digit = has_digit || is_digit;
		if (!take_character(picture, text[i], after_group))
			*good_out = false;
		after_group = is_group;
	}
	for (size_t i = 0; i < picture->group_count; i++)
		picture->groups[i].place = picture->mandatory +
					   picture->optional -
					   picture->groups[i].place;
	*is_digits_out = has_digit;
	*good_out = *good_out && !after_group;
	find_interval(picture);
	return WF_OK;
}

static bool is_word(const uint32_t *text, size_t length, const char *word)
{
	for (size_t i = 0; i < length; i++) {
		if (word[i] == '\0' || text[i] != (unsigned char)word[i])
			return false;
	}
	return word[length] == '\0';
}

static const struct {
	const char *text;
	enum wf_numbering numbering;
	enum wf_letter_case letter_case;
} numberings[] = {
	{ "a", WF_NUMBERING_LETTERS, WF_CASE_LOWER },
	{ "A", WF_NUMBERING_LETTERS, WF_CASE_UPPER },
	{ "i", WF_NUMBERING_ROMAN, WF_CASE_LOWER },
	{ "I", WF_NUMBERING_ROMAN, WF_CASE_UPPER },
	{ "w", WF_NUMBERING_WORDS, WF_CASE_LOWER },
	{ "W", WF_NUMBERING_WORDS, WF_CASE_UPPER },
	{ "Ww", WF_NUMBERING_WORDS, WF_CASE_TITLE },
};

enum wf_rc wf_picture_read(struct wf_dynamic *dynamic, const uint32_t *text,
    size_t length, struct wf_picture *picture_out, bool *good_out)
{
	static const struct wf_picture plain = {
		.numbering = WF_NUMBERING_DIGITS, .zero = '0', .mandatory = 1
	};
	bool is_digits;
	enum wf_rc rc;

	*good_out = length > 0;
	*picture_out = plain;
	for (size_t i = 0; i < sizeof(numberings) / sizeof(numberings[0]);
	     i++) {
		if (!is_word(text, length, numberings[i].text))
			continue;
		picture_out->numbering = numberings[i].numbering;
		picture_out->letter_case = numberings[i].letter_case;
		return WF_OK;
	}
	picture_out->mandatory = 0;
	if (length == 0)
		return WF_OK;
	rc = read_digits(
	    dynamic, text, length, picture_out, &is_digits, good_out);
	if (rc == WF_OK && !is_digits) {
		*picture_out = plain;
		*good_out = true;
	}
	return rc;
}

/* ---- writing ---- */

static void put_character(struct wf_buffer *out, uint32_t character)
{
	char bytes[4];

	wf_buffer_append(out, bytes, wf_utf8_put(character, bytes));
}

/* The separator before so many digits; 0: none. */
static uint32_t separator_at(const struct wf_picture *picture, size_t place)
{
	if (place == 0)
		return 0;
	if (picture->interval > 0)
		return place % picture->interval == 0
			   ? picture->groups[0].separator
			   : 0;
	for (size_t i = 0; i < picture->group_count; i++) {
		if (picture->groups[i].place == place)
			return picture->groups[i].separator;
	}
	return 0;
}

void wf_picture_put_digits(struct wf_buffer *out,
    const struct wf_picture *picture, const char *digits, size_t count)
{
	size_t total = count > picture->mandatory ? count : picture->mandatory;

	for (size_t place = total; place > 0; place--) {
		uint32_t separator =
		    place < total ? separator_at(picture, place) : 0;

		if (separator != 0)
			put_character(out, separator);
		put_character(
		    out, place > count
			     ? picture->zero
			     : picture->zero +
				   (uint32_t)(digits[count - place] - '0'));
	}
}

static void put_letters(struct wf_buffer *out, char first, wf_int128 number)
{
	char text[32];
	size_t at = sizeof(text);

	while (number > 0) {
		text[--at] = (char)(first + (number - 1) % 26);
		number = (number - 1) / 26;
	}
	wf_buffer_append(out, text + at, sizeof(text) - at);
}

/* Changes the case of the text in out from start on. */
static void set_case(
    struct wf_buffer *out, size_t start, enum wf_letter_case letter_case)
{
	bool starts = true;

	for (size_t i = start; i < out->length; i++) {
		bool upper = letter_case == WF_CASE_UPPER ||
			     (letter_case == WF_CASE_TITLE && starts);
		char c = out->data[i];

		if (upper && c >= 'a' && c <= 'z')
			out->data[i] = (char)(c - 'a' + 'A');
		else if (!upper && c >= 'A' && c <= 'Z')
			out->data[i] = (char)(c - 'A' + 'a');
		starts = c == ' ';
	}
}

void wf_put_name(struct wf_buffer *out, enum wf_letter_case letter_case,
    const char *name, size_t length)
{
	size_t start = out->length;

	wf_buffer_append(out, name, length);
	set_case(out, start, letter_case);
}

static void put_roman(struct wf_buffer *out, bool upper, unsigned number)
{
	static const struct {
		unsigned value;
		const char *text;
	} parts[] = { { 1000, "M" }, { 900, "CM" }, { 500, "D" }, { 400, "CD" },
		{ 100, "C" }, { 90, "XC" }, { 50, "L" }, { 40, "XL" },
		{ 10, "X" }, { 9, "IX" }, { 5, "V" }, { 4, "IV" }, { 1, "I" } };

	for (size_t i = 0; number > 0; i++) {
		for (; number >= parts[i].value; number -= parts[i].value)
			wf_put_name(out, upper ? WF_CASE_UPPER : WF_CASE_LOWER,
			    parts[i].text, strlen(parts[i].text));
	}
}

static const char *const small[] = { "zero", "one", "two", "three", "four",
	"five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
	"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
	"nineteen" };
static const char *const tens[] = { "", "", "twenty", "thirty", "forty",
	"fifty", "sixty", "seventy", "eighty", "ninety" };
static const struct {
	wf_int128 value;
	const char *name;
} large[] = { { 1000000000, "billion" }, { 1000000, "million" },
	{ 1000, "thousand" }, { 100, "hundred" } };

/* The number in words, appended to text. */
static void add_words(struct wf_buffer *text, wf_int128 number)
{
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		wf_int128 rest = number % large[i].value;

		if (number < large[i].value)
			continue;
		add_words(text, number / large[i].value);
		wf_buffer_printf(text, " %s", large[i].name);
		if (rest == 0)
			return;
		wf_buffer_puts(text, rest < 100 ? " and " : " ");
		number = rest;
	}
	if (number < 20) {
		wf_buffer_puts(text, small[number]);
		return;
	}
	wf_buffer_puts(text, tens[number / 10]);
	if (number % 10 > 0)
		wf_buffer_printf(text, " %s", small[number % 10]);
}

/* Makes the last word an ordinal: "one" is "first", "forty" "fortieth". */
static void make_ordinal(struct wf_buffer *text, size_t start)
{
	static const struct {
		const char *word;
		const char *ordinal;
	} irregular[] = { { "one", "first" }, { "two", "second" },
		{ "three", "third" }, { "five", "fifth" },
		{ "eight", "eighth" }, { "nine", "ninth" },
		{ "twelve", "twelfth" } };
	const char *words = wf_buffer_text(text) + start;
	const char *last = strrchr(words, ' ');

	last = last == NULL ? words : last + 1;
	for (size_t i = 0; i < sizeof(irregular) / sizeof(irregular[0]); i++) {
		if (strcmp(last, irregular[i].word) != 0)
			continue;
		text->length -= strlen(last);
		wf_buffer_puts(text, irregular[i].ordinal);
		return;
	}
	if (last[0] != '\0' && last[strlen(last) - 1] == 'y') {
		text->length--;
		wf_buffer_puts(text, "ie");
	}
	wf_buffer_puts(text, "th");
}

static void put_words(
    struct wf_buffer *out, const struct wf_picture *picture, wf_int128 number)
{
	size_t start = out->length;

	add_words(out, number);
	if (picture->ordinal)
		make_ordinal(out, start);
	set_case(out, start, picture->letter_case);
}

static void put_ordinal_end(struct wf_buffer *out, wf_int128 number)
{
	static const char *const ends[] = { "th", "st", "nd", "rd" };
	unsigned last = (unsigned)(number % 10);

	wf_buffer_puts(
	    out, last > 3 || number / 10 % 10 == 1 ? ends[0] : ends[last]);
}

void wf_picture_put(
    struct wf_buffer *out, const struct wf_picture *picture, wf_int128 number)
{
	bool upper = picture->letter_case == WF_CASE_UPPER;
	char digits[40];
	size_t at = sizeof(digits);

	if (number < 0) {
		wf_buffer_putc(out, '-');
		number = -number;
	}
	if (picture->numbering == WF_NUMBERING_WORDS) {
		put_words(out, picture, number);
		return;
	}
	if (picture->numbering == WF_NUMBERING_LETTERS && number > 0) {
		put_letters(out, upper ? 'A' : 'a', number);
		return;
	}
	if (picture->numbering == WF_NUMBERING_ROMAN && number > 0 &&
	    number < 10000) {
		put_roman(out, upper, (unsigned)number);
		return;
	}
	for (wf_int128 rest = number; rest > 0; rest /= 10)
		digits[--at] = (char)('0' + rest % 10);
	wf_picture_put_digits(out, picture, digits + at, sizeof(digits) - at);
	if (picture->ordinal)
		put_ordinal_end(out, number);
}
