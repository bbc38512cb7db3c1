/* SPDX-License-Identifier: Apache-2.0 */
#include "persistence/term.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "xquery/atomic/moment.h"
#include "xquery/text/unicode.h"

/* --- types ---------------------------------------------------------------- */

static const struct {
	const char *name;
	char mark;
} types[WF_TERM_TYPES] = {
	[WF_TERM_TEXT] = { "text", 't' },
	[WF_TERM_NUMBER] = { "number", 'n' },
	[WF_TERM_DATE] = { "date", 'd' },
	[WF_TERM_BOOLEAN] = { "boolean", 'b' },
};

const char *wf_term_type_name(enum wf_term_type type)
{
	return types[type].name;
}

bool wf_term_type_find(const char *name, enum wf_term_type *type_out)
{
	for (unsigned i = 0; i < WF_TERM_TYPES; i++)
		if (strcmp(types[i].name, name) == 0) {
			*type_out = i;
			return true;
		}
	return false;
}

char wf_term_mark(enum wf_term_type type)
{
	return types[type].mark;
}

/* --- texts ---------------------------------------------------------------- */

/* The bytes of whole characters, at most that many. */
static size_t cut(const char *text, size_t length, size_t maximum)
{
	if (length <= maximum)
		return length;
	while (maximum > 0 && ((unsigned char)text[maximum] & 0xC0) == 0x80)
		maximum--;
	return maximum;
}

static void write_text(const char *text, size_t length, char *out)
{
	length = cut(text, length, WF_TERM_TEXT_BYTES);
	memcpy(out, text, length);
	out[length] = '\0';
}

/* --- numbers -------------------------------------------------------------- */

/*
 * The sign ("-", "0" or "1"), the exponent as five digits, and the digits
 * behind the point of 0.DIGITS.  Of a negative number, the digits are taken
 * from 9, and "~" is behind them, so that a shorter number is greater.
 */
#define EXPONENT_ZERO 50000
#define EXPONENT_MAXIMUM 9999
#define EXPONENT_INFINITE 49999

struct number {
	bool is_negative;
	int exponent;
	size_t count; /* of digits; 0: the number is zero */
	char digits[WF_TERM_DIGITS];
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Leading zeros only move the point. */
static void add_digit(struct number *number, char digit, bool is_fraction)
{
	if (number->count == 0 && digit == '0') {
		number->exponent -= is_fraction;
		return;
	}
	number->exponent += !is_fraction;
	if (number->count < WF_TERM_DIGITS)
		number->digits[number->count++] = digit;
}

/* "E-3"; false: something else. */
static bool read_exponent(const char *at, const char *end, int *exponent_out)
{
	bool is_negative;

	*exponent_out = 0;
	if (at == end)
		return true;
	if (*at != 'e' && *at != 'E')
		return false;
	at++;
	is_negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (at == end)
		return false;
	for (; at < end && is_digit(*at); at++)
		if (*exponent_out <= EXPONENT_MAXIMUM)
			*exponent_out = *exponent_out * 10 + (*at - '0');
	if (is_negative)
		*exponent_out = -*exponent_out;
	return at == end;
}

static bool read_number(
    const char *at, const char *end, struct number *number_out)
{
	struct number n = { .count = 0 };
	bool is_fraction = false;
	size_t digits = 0;
	int exponent;

	n.is_negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (end - at == 3 && memcmp(at, "INF", 3) == 0) {
		n.count = 1;
		n.digits[0] = '1';
		n.exponent = EXPONENT_INFINITE;
		*number_out = n;
		return true;
	}
	for (; at < end && (is_digit(*at) || (*at == '.' && !is_fraction));
	     at++) {
		if (*at == '.') {
			is_fraction = true;
			continue;
		}
		digits++;
		if (n.exponent < EXPONENT_MAXIMUM &&
		    n.exponent > -EXPONENT_MAXIMUM)
			add_digit(&n, *at, is_fraction);
	}
	if (digits == 0 || !read_exponent(at, end, &exponent))
		return false;
	n.exponent += exponent;
	while (n.count > 0 && n.digits[n.count - 1] == '0')
		n.count--;
	if (n.exponent < -EXPONENT_MAXIMUM)
		n.count = 0;
	if (n.exponent > EXPONENT_MAXIMUM)
		n.exponent = EXPONENT_MAXIMUM;
	*number_out = n;
	return true;
}

static bool write_number(const char *text, size_t length, char *out)
{
	struct number n;
	int exponent;

	if (!read_number(text, text + length, &n))
		return false;
	if (n.count == 0) {
		strcpy(out, "0");
		return true;
	}
	exponent = EXPONENT_ZERO + n.exponent;
	if (n.is_negative)
		exponent = 99999 - exponent;
	out += snprintf(out, 8, "%c%05d", n.is_negative ? '-' : '1', exponent);
	for (size_t i = 0; i < n.count; i++)
		*out++ = n.is_negative ? (char)('9' - (n.digits[i] - '0'))
				       : n.digits[i];
	if (n.is_negative)
		*out++ = '~';
	*out = '\0';
	return true;
}

/* --- dates and booleans --------------------------------------------------- */

/* Added to milliseconds since 1970, so that no number is negative. */
#define DATE_ZERO INT64_C(4000000000000000000)

static bool write_date(const char *text, size_t length, char *out)
{
	enum wf_atomic_type type =
	    memchr(text, 'T', length) != NULL ? WF_XS_DATE_TIME : WF_XS_DATE;
	struct wf_moment moment;
	wf_int128 milliseconds;

	if (wf_moment_parse(type, text, length, &moment) != WF_LEXICAL_OK)
		return false;
	milliseconds = wf_moment_nanoseconds(&moment, 0) / 1000000;
	if (milliseconds >= DATE_ZERO || milliseconds <= -DATE_ZERO)
		return false;
	snprintf(out, 24, "%019lld", (long long)(milliseconds + DATE_ZERO));
	return true;
}

static bool write_boolean(const char *text, size_t length, char *out)
{
	bool is_true = (length == 4 && memcmp(text, "true", 4) == 0) ||
		       (length == 1 && *text == '1');
	bool is_false = (length == 5 && memcmp(text, "false", 5) == 0) ||
			(length == 1 && *text == '0');

	strcpy(out, is_true ? "1" : "0");
	return is_true || is_false;
}

bool wf_term_write(enum wf_term_type type, const char *text, size_t length,
    char out[WF_TERM_SIZE])
{
	*out++ = types[type].mark;
	if (type == WF_TERM_TEXT) {
		write_text(text, length, out);
		return true;
	}
	while (length > 0 && wf_is_xml_space(*text)) {
		text++;
		length--;
	}
	while (length > 0 && wf_is_xml_space(text[length - 1]))
		length--;
	if (type == WF_TERM_NUMBER)
		return write_number(text, length, out);
	return type == WF_TERM_DATE ? write_date(text, length, out)
				    : write_boolean(text, length, out);
}

/* --- words ---------------------------------------------------------------- */

static_assert(WF_WORDS < 32, "a bit for each word");

static bool is_of_word(uint32_t character)
{
	return wf_is_name_char(character) && character != '-' &&
	       character != '.' && character != ':' && character != '_' &&
	       character != 0xB7;
}

static void add_word(struct wf_word_set *words, const char *word, size_t length)
{
	char *to;

	if (length == 0 || words->count == WF_WORDS)
		return;
	to = words->rows[words->count];
	length = cut(word, length, WF_WORD_BYTES);
	memcpy(to, word, length);
	to[length] = '\0';
	for (size_t i = 0; i < words->count; i++)
		if (strcmp(words->rows[i], to) == 0)
			return;
	words->count++;
}

void wf_words_add(struct wf_word_set *words, const char *text)
{
	struct wf_buffer lower;
	const char *end;

	if (text == NULL)
		return;
	wf_buffer_init(&lower, (size_t)1 << 20);
	wf_unicode_lower(&lower, text, strlen(text));
	text = wf_buffer_text(&lower);
	end = text + lower.length;
	while (text < end && words->count < WF_WORDS) {
		const char *word = text;
		const char *next = text;

		while (next < end && is_of_word(wf_utf8_next(&next, end)))
			text = next;
		add_word(words, word, (size_t)(text - word));
		if (text < end)
			text = text == next ? next + 1 : next;
	}
	wf_buffer_free(&lower);
}

uint32_t wf_words_found(const struct wf_word_set *words, const char *text)
{
	struct wf_word_set others = { .count = 0 };
	uint32_t found = 0;

	wf_words_add(&others, text);
	for (size_t i = 0; i < words->count; i++) {
		size_t length = strlen(words->rows[i]);

		for (size_t k = 0; k < others.count; k++)
			if (strncmp(others.rows[k], words->rows[i], length) ==
			    0)
				found |= UINT32_C(1) << i;
	}
	return found;
}

uint32_t wf_words_all(const struct wf_word_set *words)
{
	return (UINT32_C(1) << words->count) - 1;
}

bool wf_is_number(const char *name)
{
	return name[strspn(name, "0123456789")] == '\0';
}

void wf_words_of_case(struct wf_word_set *words, const struct wf_case_row *row)
{
	words->count = 0;
	wf_words_add(words, row->title);
	if (!wf_is_number(row->name))
		wf_words_add(words, row->name);
}
