/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds of services need of messages. */
#include "work/message.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clip.h"
#include "base/panic.h"
#include "xquery/text/unicode.h"

#define CLIP_BYTES 400U

void wf_message_add_header(
    struct wf_message *message, const char *name, const char *value)
{
	message->headers = wf_arena_grow(message->arena, message->headers,
	    message->header_count, &message->header_capacity,
	    sizeof(*message->headers));
	message->headers[message->header_count++] =
	    wf_arena_printf(message->arena, "%s: %s", name, value);
}

const char *wf_message_clip(struct wf_message *message, const char *text)
{
	size_t length = wf_clipped_length(text, CLIP_BYTES);

	return wf_is_utf8(text, length)
		   ? wf_arena_strndup(message->arena, text, length)
		   : "no UTF-8";
}

enum wf_verdict wf_message_fail(struct wf_message *message,
    enum wf_verdict verdict, const char *format, ...)
{
	char text[1000];
	va_list arguments;

	wf_assert(verdict == WF_VERDICT_AGAIN || verdict == WF_VERDICT_REFUSED);
	va_start(arguments, format);
	wf_write_sentence(text, sizeof(text), format, arguments);
	va_end(arguments);
	message->reason = wf_arena_strdup(message->arena, text);
	return verdict;
}

/* The first member that gives a reason; NULL: none. */
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

enum wf_verdict wf_message_fail_with_answer(struct wf_message *message)
{
	unsigned status = message->status;
	json_t *json = json_loadb(wf_buffer_text(&message->answer),
	    message->answer.length, JSON_DISABLE_EOF_CHECK, NULL);
	const char *text = read_reason(json);
	bool passes =
	    status >= 500 || status == 408 || status == 425 || status == 429;

	if (text == NULL)
		text = wf_buffer_text(&message->answer);
	wf_message_fail(message, WF_VERDICT_REFUSED, "HTTP %u%s%s", status,
	    text[0] == '\0' ? "" : ": ", wf_message_clip(message, text));
	json_decref(json);
	return passes ? WF_VERDICT_AGAIN : WF_VERDICT_REFUSED;
}
