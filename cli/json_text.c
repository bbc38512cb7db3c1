/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jansson takes UTF-8 only, but names of files, and messages that were cut off
 * in the middle of a character, may hold anything.
 */
#include "cli/json_text.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "xquery/text/unicode.h"

json_t *wf_json_text_n(const char *text, size_t length)
{
	const char *end = text + length;
	/* U+FFFD has three bytes. */
	char *copy = wf_calloc(length + 1, 3);
	char *to = copy;
	json_t *json;

	while (text < end) {
		char bytes[4];
		size_t size = wf_utf8_put(wf_utf8_next(&text, end), bytes);

		memcpy(to, bytes, size);
		to += size;
	}
	json = json_stringn(copy, (size_t)(to - copy));
	wf_assert(json != NULL);
	wf_free(copy);
	return json;
}

json_t *wf_json_text(const char *text)
{
	return wf_json_text_n(text, strlen(text));
}

void wf_json_print(json_t *json, size_t flags)
{
	json_dumpf(json, stdout, flags | JSON_ENCODE_ANY);
	json_decref(json);
}
