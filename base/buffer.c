/* SPDX-License-Identifier: Apache-2.0 */
/* Growing byte buffers with a maximum. */
#include "base/buffer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void wf_buffer_init(struct wf_buffer *buffer, size_t maximum)
{
	memset(buffer, 0, sizeof(*buffer));
	buffer->maximum = maximum;
}

void wf_buffer_cleanup(void *buffer)
{
	wf_buffer_free(buffer);
}

void wf_buffer_free(struct wf_buffer *buffer)
{
	wf_free(buffer->data);
	wf_buffer_init(buffer, buffer->maximum);
}

bool wf_buffer_reserve(struct wf_buffer *buffer, size_t size)
{
	size_t wanted;

	if (buffer->capacity > buffer->length &&
	    size < buffer->capacity - buffer->length)
		return true;
	/* The maximum may have been made less than what is there. */
	if (buffer->full || buffer->length > buffer->maximum ||
	    size > buffer->maximum - buffer->length) {
		buffer->full = true;
		return false;
	}
	wanted = buffer->capacity < 64 ? 64 : buffer->capacity * 2;
	if (wanted < buffer->length + size + 1)
		wanted = buffer->length + size + 1;
	if (wanted > buffer->maximum + 1)
		wanted = buffer->maximum + 1;
	buffer->data = wf_realloc(buffer->data, wanted);
	buffer->capacity = wanted;
	return true;
}

void wf_buffer_append(struct wf_buffer *buffer, const void *bytes, size_t size)
{
	if (size == 0 || !wf_buffer_reserve(buffer, size))
		return;
	memcpy(buffer->data + buffer->length, bytes, size);
	buffer->length += size;
	buffer->data[buffer->length] = '\0';
}

void wf_buffer_puts(struct wf_buffer *buffer, const char *text)
{
	wf_buffer_append(buffer, text, strlen(text));
}

void wf_buffer_putc(struct wf_buffer *buffer, char c)
{
	wf_buffer_append(buffer, &c, 1);
}

void wf_buffer_printf(struct wf_buffer *buffer, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0 || !wf_buffer_reserve(buffer, (size_t)length))
		return;
	va_start(arguments, format);
	vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format,
	    arguments);
	va_end(arguments);
	buffer->length += (size_t)length;
}

static const char *escape_of(char c, bool attribute)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '\r':
		return "&#13;";
	case '"':
		return attribute ? "&quot;" : NULL;
	case '\n':
		return attribute ? "&#10;" : NULL;
	case '\t':
		return attribute ? "&#9;" : NULL;
	default:
		return NULL;
	}
}

void wf_buffer_escape(
    struct wf_buffer *buffer, const char *text, size_t length, bool attribute)
{
	size_t start = 0;

	for (size_t i = 0; i < length; i++) {
		const char *escape = escape_of(text[i], attribute);

		if (escape == NULL)
			continue;
		wf_buffer_append(buffer, text + start, i - start);
		wf_buffer_puts(buffer, escape);
		start = i + 1;
	}
	wf_buffer_append(buffer, text + start, length - start);
}

const char *wf_buffer_text(const struct wf_buffer *buffer)
{
	return buffer->data == NULL ? "" : buffer->data;
}

char *wf_buffer_take(struct wf_buffer *buffer)
{
	char *data = buffer->data;

	if (data == NULL)
		data = wf_strdup("");
	wf_buffer_init(buffer, buffer->maximum);
	return data;
}

enum wf_rc wf_buffer_read_file(
    struct wf_buffer *buffer, const char *path, struct wf_error *err)
{
	char chunk[16384];
	enum wf_rc rc = WF_OK;
	FILE *file = fopen(path, "rb");
	size_t size;

	if (file == NULL)
		return wf_fail(err, WF_IO, "%s: %s", path, strerror(errno));
	while (
	    !buffer->full && (size = fread(chunk, 1, sizeof(chunk), file)) > 0)
		wf_buffer_append(buffer, chunk, size);
	if (ferror(file))
		rc = wf_fail(err, WF_IO, "%s: %s", path, strerror(errno));
	else if (buffer->full)
		rc = wf_fail(err, WF_LIMIT,
		    "%s: is larger than the limit of %zu bytes", path,
		    buffer->maximum);
	fclose(file);
	return rc;
}

enum wf_rc wf_buffer_read_line(
    struct wf_buffer *buffer, const char *path, struct wf_error *err)
{
	enum wf_rc rc = wf_buffer_read_file(buffer, path, err);

	if (rc == WF_OK && buffer->data != NULL) {
		buffer->length = strcspn(buffer->data, "\r\n");
		buffer->data[buffer->length] = '\0';
	}
	return rc;
}
