/* SPDX-License-Identifier: Apache-2.0 */
/* Parcels: what all kinds of services need. */
#include "work/message.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "xquery/text/unicode.h"

#define CLIP 400U

void wf_parcel_add_header(
    struct wf_parcel *parcel, const char *name, const char *value)
{
	parcel->headers =
	    wf_arena_grow(parcel->arena, parcel->headers, parcel->header_count,
		&parcel->header_capacity, sizeof(*parcel->headers));
	parcel->headers[parcel->header_count++] =
	    wf_arena_printf(parcel->arena, "%s: %s", name, value);
}

const char *wf_parcel_clip(struct wf_parcel *parcel, const char *text)
{
	size_t length = strnlen(text, CLIP + 1);

	if (length > CLIP) {
		length = CLIP;
		while (
		    length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
			length--;
	}
	return wf_is_utf8(text, length)
		   ? wf_arena_strndup(parcel->arena, text, length)
		   : "no UTF-8";
}

enum wf_verdict wf_parcel_fail(
    struct wf_parcel *parcel, enum wf_verdict verdict, const char *format, ...)
{
	char text[1000];
	va_list arguments;

	va_start(arguments, format);
	wf_write_sentence(text, sizeof(text), format, arguments);
	va_end(arguments);
	parcel->reason = wf_arena_strdup(parcel->arena, text);
	return verdict;
}

/* A member that says why. */
static const char *read_reason(const json_t *json)
{
	static const char *const names[] = { "reason", "detail", "message",
		"error", "title" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *text =
		    json_string_value(json_object_get(json, names[i]));

		if (text != NULL && text[0] != '\0')
			return text;
	}
	return NULL;
}

enum wf_verdict wf_parcel_fail_with_answer(struct wf_parcel *parcel)
{
	unsigned status = parcel->status;
	json_t *json = json_loadb(wf_buffer_text(&parcel->answer),
	    parcel->answer.length, JSON_DISABLE_EOF_CHECK, NULL);
	const char *text = read_reason(json);
	bool passes =
	    status >= 500 || status == 408 || status == 425 || status == 429;

	if (text == NULL)
		text = wf_buffer_text(&parcel->answer);
	wf_parcel_fail(parcel, WF_PARCEL_REFUSED, "HTTP %u%s%s", status,
	    text[0] == '\0' ? "" : ": ", wf_parcel_clip(parcel, text));
	json_decref(json);
	return passes ? WF_PARCEL_AGAIN : WF_PARCEL_REFUSED;
}
