/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Byte buffers that grow up to a maximum, in bytes, given at initialisation.
 *
 * Appending beyond the maximum sets "full" and drops the bytes, so a caller
 * checks once, at the end.  data is always followed by a NUL that length does
 * not count.
 */
#ifndef WF_BASE_BUFFER_H
#define WF_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wf_buffer {
	char *data;
	size_t length;
	size_t capacity;
	size_t maximum;
	bool full;
};

/* No memory is taken before the first byte comes. */
void wf_buffer_init(struct wf_buffer *buffer, size_t maximum);
/* Frees the bytes; the buffer can be used again. */
void wf_buffer_free(struct wf_buffer *buffer);
/* The same, for wf_cleanup_push(). */
void wf_buffer_cleanup(void *buffer);
/* Empties the buffer but keeps its memory. */
static inline void wf_buffer_reset(struct wf_buffer *buffer)
{
	buffer->length = 0;
	buffer->full = false;
	if (buffer->data != NULL)
		buffer->data[0] = '\0';
}
/* Ensures room for size more bytes; false, and full, past the maximum. */
bool wf_buffer_reserve(struct wf_buffer *buffer, size_t size);
void wf_buffer_append(struct wf_buffer *buffer, const void *bytes, size_t size);
void wf_buffer_puts(struct wf_buffer *buffer, const char *text);
void wf_buffer_putc(struct wf_buffer *buffer, char c);
void wf_buffer_printf(struct wf_buffer *buffer, const char *format, ...)
    WF_PRINTF(2, 3);
/* text as XML character data: & < > and, in attributes, quotes escaped. */
void wf_buffer_escape(
    struct wf_buffer *buffer, const char *text, size_t length, bool attribute);
/* The content, never NULL. */
const char *wf_buffer_text(const struct wf_buffer *buffer);
/* Gives the bytes (NUL-terminated) to the caller, who frees them. */
char *wf_buffer_take(struct wf_buffer *buffer);
/* Appends all that can be read from a file. */
enum wf_rc wf_buffer_read_file(struct wf_buffer *buffer, const char *path,
    struct wf_error *err) WF_MUSTCHECK;
/* Reads the first line into an empty buffer, without its end. */
enum wf_rc wf_buffer_read_line(struct wf_buffer *buffer, const char *path,
    struct wf_error *err) WF_MUSTCHECK;

#ifdef __cplusplus
}
#endif

#endif
