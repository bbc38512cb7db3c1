/* SPDX-License-Identifier: Apache-2.0 */
#include "tracing/trace_context.h"

#include <stdio.h>
#include <string.h>

#include "base/panic.h"

#define FLAG_SAMPLED 1U
/* Of version 00, which others may be longer than. */
#define TRACEPARENT_BYTES (WF_TRACEPARENT_SIZE - 1U)
/* Of tracestate: members, and characters of a key and a value. */
#define MEMBERS_MAXIMUM 32U
#define KEY_BYTES 256U
#define VALUE_BYTES 256U

/* --- traceparent ---------------------------------------------------------- */

/* Only digits in lower case are valid; -1: it is none. */
static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(const char *text, unsigned char *bytes_out, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		int high = digit_of(text[2 * i]);
		int low = high < 0 ? -1 : digit_of(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes_out[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

void wf_trace_hex(const unsigned char *bytes, size_t size, char *text_out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		text_out[2 * i] = digits[bytes[i] >> 4];
		text_out[2 * i + 1] = digits[bytes[i] & 15];
	}
	text_out[2 * size] = '\0';
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
	while (size > 0 && bytes[size - 1] == 0)
		size--;
	return size == 0;
}

bool wf_traceparent_read(struct wf_trace_context *context_out, const char *text)
{
	struct wf_trace_context context = { .state = "" };
	size_t length = strlen(text);
	unsigned char version;
	unsigned char flags;

	if (length < TRACEPARENT_BYTES || !read_hex(text, &version, 1) ||
	    text[2] != '-' ||
	    !read_hex(text + 3, context.trace, sizeof(context.trace)) ||
	    text[35] != '-' ||
	    !read_hex(text + 36, context.span, sizeof(context.span)) ||
	    text[52] != '-' || !read_hex(text + 53, &flags, 1))
		return false;
	if (version == 0xff || is_zero(context.trace, sizeof(context.trace)) ||
	    is_zero(context.span, sizeof(context.span)))
		return false;
	if (length > TRACEPARENT_BYTES &&
	    (version == 0 || text[TRACEPARENT_BYTES] != '-'))
		return false;
	context.is_sampled = (flags & FLAG_SAMPLED) != 0;
	*context_out = context;
	return true;
}

void wf_traceparent_write(
    const struct wf_trace_context *context, char text_out[WF_TRACEPARENT_SIZE])
{
	char trace[2 * WF_TRACE_ID_BYTES + 1];
	char span[2 * WF_SPAN_ID_BYTES + 1];

	wf_assert(!is_zero(context->trace, sizeof(context->trace)));
	wf_assert(!is_zero(context->span, sizeof(context->span)));
	wf_trace_hex(context->trace, sizeof(context->trace), trace);
	wf_trace_hex(context->span, sizeof(context->span), span);
	snprintf(text_out, WF_TRACEPARENT_SIZE, "00-%s-%s-%02x", trace, span,
	    context->is_sampled ? FLAG_SAMPLED : 0U);
}

/* --- tracestate ----------------------------------------------------------- */

static bool is_key_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '-' || c == '*' || c == '/' || c == '@';
}

/* The key of one member, up to "=". */
static bool is_key(const char *text, size_t length)
{
	const char *at = memchr(text, '@', length);

	if (length == 0 || length > KEY_BYTES)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!is_key_character(text[i]))
			return false;
	if (at != NULL)
		return at != text && at + 1 != text + length &&
		       memchr(at + 1, '@', length - (size_t)(at + 1 - text)) ==
			   NULL;
	return text[0] >= 'a' && text[0] <= 'z';
}

/* A blank at its end was cut off before. */
static bool is_value(const char *text, size_t length)
{
	if (length > VALUE_BYTES)
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '=')
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* An empty member is allowed. */
static bool is_member(const char *text, size_t length)
{
	const char *value;
	size_t key;

	while (length > 0 && is_blank(text[0])) {
		text++;
		length--;
	}
	while (length > 0 && is_blank(text[length - 1]))
		length--;
	if (length == 0)
		return true;
	value = memchr(text, '=', length);
	if (value == NULL)
		return false;
	key = (size_t)(value - text);
	return is_key(text, key) && is_value(value + 1, length - key - 1);
}

bool wf_tracestate_is_valid(const char *text)
{
	size_t count = 0;

	if (strnlen(text, WF_TRACESTATE_BYTES + 1) > WF_TRACESTATE_BYTES)
		return false;
	while (count < MEMBERS_MAXIMUM) {
		size_t length = strcspn(text, ",");

		if (!is_member(text, length))
			return false;
		if (text[length] == '\0')
			return true;
		text += length + 1;
		count++;
	}
	return false;
}

/* --- the one text --------------------------------------------------------- */

bool wf_trace_read(struct wf_trace_context *context_out, const char *text)
{
	char parent[WF_TRACEPARENT_SIZE];

	if (strnlen(text, TRACEPARENT_BYTES) < TRACEPARENT_BYTES)
		return false;
	memcpy(parent, text, TRACEPARENT_BYTES);
	parent[TRACEPARENT_BYTES] = '\0';
	text += TRACEPARENT_BYTES;
	if (!wf_traceparent_read(context_out, parent) ||
	    (text[0] != '\0' && text[0] != ' '))
		return false;
	if (text[0] == ' ' && wf_tracestate_is_valid(text + 1))
		context_out->state = text + 1;
	return true;
}

void wf_trace_write(
    const struct wf_trace_context *context, char text_out[WF_TRACE_SIZE])
{
	wf_assert(strlen(context->state) <= WF_TRACESTATE_BYTES);
	wf_traceparent_write(context, text_out);
	if (context->state[0] != '\0')
		snprintf(text_out + TRACEPARENT_BYTES,
		    WF_TRACE_SIZE - TRACEPARENT_BYTES, " %s", context->state);
}
