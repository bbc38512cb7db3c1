/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"

#include <string.h>

#include "base/panic.h"

/* Writes the character of the reference at text; the end of the reference. */
static const char *unescape_one(const char *text, const char *end, char *to)
{
	const char *semicolon = memchr(text, ';', (size_t)(end - text));

	wf_assert(semicolon != NULL && semicolon - text >= 2);
	switch (text[1]) {
	case 'a':
		*to = text[2] == 'p' ? '\'' : '&';
		break;
	case 'l':
		*to = '<';
		break;
	case 'g':
		*to = '>';
		break;
	case 'q':
		*to = '"';
		break;
	default: /* &#13; &#10; &#9; */
		*to = text[2] == '9' ? '\t' : text[3] == '0' ? '\n' : '\r';
	}
	return semicolon + 1;
}

void wf_unescape(char *to, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *escape = memchr(text, '&', (size_t)(end - text));
		size_t plain = (size_t)((escape == NULL ? end : escape) - text);

		memcpy(to, text, plain);
		to += plain;
		text += plain;
		if (escape != NULL)
			text = unescape_one(text, end, to++);
	}
	*to = '\0';
}
