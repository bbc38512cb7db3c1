/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: copies, ids, bytes. */
#include "runtime/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "runtime/seal.h"

#define REQUEST_FORMAT 1
/* Of an id of a command, with its NUL: what a store takes. */
#define ID_SIZE 257
#define REQUEST_MAXIMUM ((size_t)256 << 20)

static const char *text_of(const char *text)
{
	return text == NULL ? "" : text;
}

/* Everything that makes two requests the same, in one order. */
static void put_content(
    struct wf_buffer *buffer, const struct wf_request *request)
{
	wf_put_number(buffer, request->kind);
	wf_put_number(buffer, request->namespace_id);
	wf_put_number(buffer, request->number);
	wf_put_number(buffer, request->command);
	wf_put_number(buffer, request->specification);
	wf_put_signed(buffer, request->at);
	wf_put_number(buffer, request->incident);
	wf_put_number(buffer, request->data != NULL);
	wf_put_bytes(buffer, text_of(request->data),
	    request->data == NULL ? 0 : request->length);
	wf_put_number(buffer, request->extra.data != NULL);
	wf_put_bytes(buffer, request->extra.data,
	    request->extra.data == NULL ? 0 : request->extra.size);
	wf_put_string(buffer, text_of(request->item));
	wf_put_string(buffer, text_of(request->name));
	wf_put_string(buffer, text_of(request->title));
	wf_put_string(buffer, text_of(request->due));
	wf_put_string(buffer, text_of(request->actor));
}

void wf_request_encode(
    struct wf_buffer *buffer, const struct wf_request *request)
{
	wf_put_number(buffer, REQUEST_FORMAT);
	put_content(buffer, request);
	wf_put_string(buffer, text_of(request->origin));
	wf_put_string(buffer, text_of(request->key));
	wf_seal(buffer);
}

const char *wf_get_text(struct wf_reader *reader, struct wf_arena *arena)
{
	size_t size;
	const char *text = wf_get_bytes(reader, &size);

	return text == NULL ? "" : wf_arena_strndup(arena, text, size);
}

static const char *get_data(
    struct wf_reader *reader, struct wf_arena *arena, size_t *size_out)
{
	bool there = wf_get_number(reader) != 0;
	const char *data = wf_get_bytes(reader, size_out);

	if (!there || data == NULL)
		return NULL;
	return wf_arena_strndup(arena, data, *size_out);
}

enum wf_rc wf_request_decode(struct wf_request *request, struct wf_bytes bytes,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_reader reader;

	memset(request, 0, sizeof(*request));
	if (!wf_unseal(&bytes))
		return wf_fail(
		    err, WF_CORRUPT, "a stored request has a wrong checksum");
	wf_reader_init(&reader, bytes.data, bytes.size);
	if (wf_get_number(&reader) != REQUEST_FORMAT)
		return wf_fail(
		    err, WF_CORRUPT, "a stored request has an unknown format");
	request->kind =
	    (enum wf_request_kind)wf_get_bounded(&reader, WF_REQUEST_DROP);
	request->namespace_id = wf_get_bounded(&reader, UINT32_MAX);
	request->number = wf_get_number(&reader);
	request->command = (enum wf_command_kind)wf_get_bounded(
	    &reader, WF_COMMAND_UPDATE_CASE);
	request->specification = wf_get_number(&reader);
	request->at = wf_get_signed(&reader);
	request->incident = wf_get_number(&reader);
	request->data = get_data(&reader, arena, &request->length);
	request->extra.data = get_data(&reader, arena, &request->extra.size);
	request->item = wf_get_text(&reader, arena);
	request->name = wf_get_text(&reader, arena);
	request->title = wf_get_text(&reader, arena);
	request->due = wf_get_text(&reader, arena);
	request->actor = wf_get_text(&reader, arena);
	request->origin = wf_get_text(&reader, arena);
	request->key = wf_get_text(&reader, arena);
	if (reader.bad || reader.next != reader.end)
		return wf_fail(err, WF_CORRUPT, "a stored request is damaged");
	return WF_OK;
}

uint64_t wf_request_hash(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static uint64_t content_of(const struct wf_request *request)
{
	struct wf_buffer buffer;
	uint64_t sum;

	wf_buffer_init(&buffer, REQUEST_MAXIMUM);
	put_content(&buffer, request);
	sum = wf_request_hash(buffer.data, buffer.length);
	wf_buffer_free(&buffer);
	return sum;
}

static size_t copied(const char *text)
{
	return strlen(text_of(text)) + 1;
}

static const char *copy(char **at, const void *bytes, size_t size)
{
	char *to = *at;

	if (size > 0)
		memcpy(to, bytes, size);
	to[size] = '\0';
	*at += size + 1;
	return to;
}

static const char *copy_text(char **at, const char *text)
{
	text = text_of(text);
	return copy(at, text, strlen(text));
}

static size_t size_of(const struct wf_request *r, const struct wf_due_row *due)
{
	size_t size = sizeof(struct pending);

	size += copied(r->item) + copied(r->name) + copied(r->title);
	size += copied(r->due) + copied(r->actor) + copied(r->origin);
	size += copied(r->key) + r->length + 1 + r->extra.size + 1;
	size += due == NULL ? 0 : copied(due->name);
	return size + ID_SIZE;
}

static void copy_request(
    struct wf_request *to, const struct wf_request *from, char **at)
{
	*to = *from;
	if (to->namespace_id == 0)
		to->namespace_id = WF_NAMESPACE_DEFAULT;
	to->item = copy_text(at, from->item);
	to->name = copy_text(at, from->name);
	to->title = copy_text(at, from->title);
	to->due = copy_text(at, from->due);
	to->actor = copy_text(at, from->actor);
	to->origin = copy_text(at, from->origin);
	to->key = copy_text(at, from->key);
	if (from->data != NULL)
		to->data = copy(at, from->data, from->length);
	if (from->extra.data != NULL)
		to->extra.data = copy(at, from->extra.data, from->extra.size);
}

/*
 * A caller's key, or a due row, gives the same id each time; else it is new.
 * An account is never called "", so the three kinds never meet.
 */
static void make_id(const struct pending *pending, const struct wf_due_row *due,
    const char *node, uint64_t serial, char id[ID_SIZE])
{
	const struct wf_request *request = &pending->request;

	if (due != NULL)
		snprintf(id, ID_SIZE, "/due/%llu/%llx/%lld/%llx",
		    (unsigned long long)due->number,
		    (unsigned long long)wf_request_hash(
			due->name, strlen(due->name)),
		    (long long)due->at, (unsigned long long)pending->content);
	else if (request->key[0] != '\0')
		snprintf(id, ID_SIZE, "%s/%s", request->actor, request->key);
	else
		snprintf(
		    id, ID_SIZE, "/%s/%llu", node, (unsigned long long)serial);
}

struct pending *wf_pending_new(const struct wf_request *request,
    const char *node, uint64_t serial, const struct wf_due_row *due)
{
	size_t size = size_of(request, due);
	struct pending *pending = wf_calloc(1, size);
	char *at = (char *)(pending + 1);
	char id[ID_SIZE];

	copy_request(&pending->request, request, &at);
	request = &pending->request;
	pending->size = size;
	pending->content = content_of(request);
	pending->number = request->number;
	if (due != NULL) {
		pending->due = copy_text(&at, due->name);
		pending->due_number = due->number;
	}
	make_id(pending, due, node, serial, id);
	pending->new_id = due == NULL && request->key[0] == '\0';
	pending->id = copy_text(&at, id);
	return pending;
}

void wf_pending_free(struct pending **pending)
{
	if (*pending == NULL)
		return;
	wf_free((void *)(uintptr_t)(*pending)->name);
	wf_free(*pending);
	*pending = NULL;
}

void wf_pending_answer(struct pending **pending)
{
	struct pending *p = *pending;

	if (p->answer.name == NULL)
		p->answer.name = "";
	if (p->answer.item == NULL)
		p->answer.item = "";
	if (p->reply != NULL)
		p->reply(p->context, &p->answer);
	wf_pending_free(pending);
}

enum wf_rc wf_pending_fail(
    struct pending *pending, enum wf_rc rc, const char *format, ...)
{
	char text[sizeof(pending->answer.error.message)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	memset(&pending->answer, 0, sizeof(pending->answer));
	pending->answer.number = pending->number;
	pending->answer.rc = wf_fail(&pending->answer.error, rc, "%s", text);
	pending->fate = FATE_ANSWER;
	return rc;
}
