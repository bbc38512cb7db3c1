/* SPDX-License-Identifier: Apache-2.0 */
/* One small scanner per form of text. */
#include "spec/content_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r\n";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *at)
{
	while (is_digit(*at))
		at++;
	return at;
}

/* Whether only blanks follow. */
static bool ends(const char *at)
{
	return at[strspn(at, blanks)] == '\0';
}

/* Letters outside ASCII are accepted without a check. */
static bool is_name_character(char c)
{
	return (unsigned char)c >= 0x80 || isalnum((unsigned char)c) ||
	       c == '_' || c == '-' || c == '.';
}

static bool is_ncname(const char *at)
{
	if (is_digit(*at) || *at == '-' || *at == '.' ||
	    !is_name_character(*at))
		return false;
	while (is_name_character(*at))
		at++;
	return ends(at);
}

static bool is_nmtoken(const char *at)
{
	if (!is_name_character(*at) && *at != ':')
		return false;
	while (is_name_character(*at) || *at == ':')
		at++;
	return ends(at);
}

static bool is_integer(const char *at)
{
	if (*at == '-' || *at == '+')
		at++;
	return is_digit(*at) && ends(skip_digits(at));
}

static bool is_positive(const char *at)
{
	if (*at == '+')
		at++;
	return is_digit(*at) && ends(skip_digits(at)) &&
	       at[strspn(at, "0")] >= '1' && at[strspn(at, "0")] <= '9';
}

static bool is_decimal(const char *at)
{
	const char *start;

	if (*at == '-' || *at == '+')
		at++;
	start = at;
	at = skip_digits(at);
	if (*at == '.')
		at = skip_digits(at + 1);
	return at > start && (is_digit(start[0]) || is_digit(start[1])) &&
	       ends(at);
}

/* Parses two digits with a value up to the maximum. */
static bool two_digits(const char **at, int minimum, int maximum)
{
	int number;

	if (!is_digit((*at)[0]) || !is_digit((*at)[1]))
		return false;
	number = ((*at)[0] - '0') * 10 + (*at)[1] - '0';
	*at += 2;
	return number >= minimum && number <= maximum;
}

static bool is_date(const char *at)
{
	const char *year;

	if (*at == '-')
		at++;
	year = at;
	at = skip_digits(at);
	if (at - year < 4 || *at++ != '-' || !two_digits(&at, 1, 12) ||
	    *at++ != '-' || !two_digits(&at, 1, 31))
		return false;
	if (*at == 'Z')
		return ends(at + 1);
	if (*at == '+' || *at == '-') {
		at++;
		return two_digits(&at, 0, 14) && *at++ == ':' &&
		       two_digits(&at, 0, 59) && ends(at);
	}
	return ends(at);
}

/* The parts of one half of a duration, in the order of letters. */
static bool duration_parts(const char **at, const char *letters, bool *any)
{
	while (is_digit(**at)) {
		const char *end = skip_digits(*at);
		const char *letter;

		if (*end == '.' && is_digit(end[1])) {
			end = skip_digits(end + 1);
			if (*end != 'S')
				return false;
		}
		letter = *end == '\0' ? NULL : strchr(letters, *end);
		if (letter == NULL)
			return false;
		letters = letter + 1;
		*any = true;
		*at = end + 1;
	}
	return true;
}

static bool is_duration(const char *at)
{
	bool any = false;

	if (*at == '-')
		at++;
	if (*at++ != 'P' || !duration_parts(&at, "YMD", &any))
		return false;
	if (*at == 'T') {
		bool time = false;

		at++;
		if (!duration_parts(&at, "HMS", &time) || !time)
			return false;
		any = true;
	}
	return any && ends(at);
}

static bool is_one_of(const char *values, const char *text)
{
	size_t length = strcspn(text, blanks);

	if (length == 0 || !ends(text + length))
		return false;
	for (const char *at = values; *at != '\0';) {
		size_t size = strcspn(at, " ");

		if (size == length && strncmp(at, text, size) == 0)
			return true;
		at += size + (at[size] == ' ');
	}
	return false;
}

static bool is_version(const char *text)
{
	return is_decimal(text) && strtod(text, NULL) >= 0.1;
}

static bool is_nonempty(const char *text)
{
	return text[0] != '\0';
}

static bool is_any(const char *text)
{
	(void)text;
	return true;
}

static const struct {
	bool (*holds)(const char *text);
	const char *expected;
} forms[] = {
	[WF_TEXT_STRING] = { is_any, "" },
	[WF_TEXT_NONEMPTY] = { is_nonempty, "a text that is not empty" },
	[WF_TEXT_EMPTY] = { ends, "nothing" },
	[WF_TEXT_NCNAME] = { is_ncname,
	    "a name (letters, digits, '_', '-', '.'; not a digit first)" },
	[WF_TEXT_NMTOKEN] = { is_nmtoken,
	    "a name (letters, digits, '_', '-', '.', ':')" },
	[WF_TEXT_INTEGER] = { is_integer, "an integer" },
	[WF_TEXT_POSITIVE] = { is_positive, "a positive integer" },
	[WF_TEXT_DECIMAL] = { is_decimal, "a decimal number" },
	[WF_TEXT_VERSION] = { is_version, "a version number of at least 0.1" },
	[WF_TEXT_DATE] = { is_date, "a date such as 2026-01-31" },
	[WF_TEXT_DURATION] = { is_duration, "a duration such as P1DT12H" },
};

const char *wf_text_expected(
    enum wf_text_form form, const char *values, const char *text)
{
	/* White space around a token is ignored; in a string it counts. */
	if (form != WF_TEXT_STRING && form != WF_TEXT_NONEMPTY)
		text += strspn(text, blanks);
	if (values[0] != '\0')
		return is_one_of(values, text + strspn(text, blanks)) ? NULL
								      : values;
	return forms[form].holds(text) ? NULL : forms[form].expected;
}
