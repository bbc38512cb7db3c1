/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jansson writes all doubles with the same number of digits: 15 change some of
 * them, and 17 make 0.1 into 0.10000000000000001. So they are written with 17,
 * and each of them again, with as few as give the same double.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "data/json.h"

#define EXACT_DIGITS 17
#define REAL_SIZE 40

/* As jansson: with a point or an exponent, which is as short as possible. */
static void put_real(struct wf_buffer *out, double real)
{
	char text[REAL_SIZE];
	size_t mantissa;

	for (int digits = 15; digits <= EXACT_DIGITS; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, real);
		if (strtod(text, NULL) == real)
			break;
	}
	mantissa = strcspn(text, "e");
	wf_buffer_append(out, text, mantissa);
	if (text[mantissa] == 'e')
		wf_buffer_printf(out, "e%d", atoi(text + mantissa + 1));
	else if (strchr(text, '.') == NULL)
		wf_buffer_puts(out, ".0");
}

/* The length of the string that text begins with, with its quotes. */
static size_t string_length(const char *text)
{
	size_t length = 1;

	while (text[length] != '"')
		length += text[length] == '\\' ? 2 : 1;
	return length + 1;
}

char *wf_json_dump(const json_t *json, size_t flags)
{
	char *text =
	    json_dumps(json, flags | JSON_REAL_PRECISION(EXACT_DIGITS));
	struct wf_buffer out;
	size_t length;

	if (text == NULL)
		return NULL;
	wf_buffer_init(&out, SIZE_MAX / 2);
	for (const char *next = text; *next != '\0'; next += length) {
		length = strspn(next, "-+.0123456789eE");
		if (*next == '"')
			length = string_length(next);
		else if (length == 0 || *next == 'e')
			length = 1;
		else if (strcspn(next, ".eE") < length) {
			put_real(&out, strtod(next, NULL));
			continue;
		}
		wf_buffer_append(&out, next, length);
	}
	free(text);
	return wf_buffer_take(&out);
}
