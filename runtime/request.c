/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: copies, ids, bytes. */
#include "runtime/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"

#define REQUEST_FORMAT 1
#define REQUEST_MAXIMUM ((size_t)128 << 20)

static const char *text_of(const char *text)
{
	return text == NULL ? "" : text;
}

/* --- as bytes ------------------------------------------------------------- */

static void put_optional(
    struct wf_buffer *buffer, const void *bytes, size_t size)
{
	wf_put_number(buffer, bytes != NULL);
	wf_put_bytes(buffer, bytes, bytes == NULL ? 0 : size);
}

struct wf_bytes wf_request_encode(
    const struct wf_request *request, struct wf_arena *arena)
{
	struct wf_buffer buffer;
	struct wf_bytes bytes;

	wf_buffer_init(&buffer, REQUEST_MAXIMUM);
	wf_put_number(&buffer, REQUEST_FORMAT);
	wf_put_number(&buffer, request->kind);
	wf_put_number(&buffer, request->namespace_id);
	wf_put_number(&buffer, request->number);
	wf_put_number(&buffer, request->command);
	wf_put_number(&buffer, request->specification);
	put_optional(&buffer, request->data, request->length);
	put_optional(&buffer, request->extra.data, request->extra.size);
	wf_put_string(&buffer, text_of(request->item));
	wf_put_string(&buffer, text_of(request->name));
	wf_put_string(&buffer, text_of(request->title));
	wf_put_string(&buffer, text_of(request->actor));
	wf_put_string(&buffer, text_of(request->origin));
	bytes.data = wf_arena_strndup(arena, buffer.data, buffer.length);
	bytes.size = buffer.length;
	wf_buffer_free(&buffer);
	return bytes;
}

const char *wf_get_text(struct wf_reader *reader, struct wf_arena *arena)
{
	size_t size;
	const char *text = wf_get_bytes(reader, &size);

	return text == NULL ? "" : wf_arena_strndup(arena, text, size);
}

static const char *get_optional(
    struct wf_reader *reader, struct wf_arena *arena, size_t *size_out)
{
	bool there = wf_get_number(reader) != 0;
	const char *bytes = wf_get_bytes(reader, size_out);

	if (!there || bytes == NULL)
		return NULL;
	return wf_arena_strndup(arena, bytes, *size_out);
}

enum wf_rc wf_request_decode(struct wf_request *request, struct wf_bytes bytes,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_reader reader;

	memset(request, 0, sizeof(*request));
	wf_reader_init(&reader, bytes.data, bytes.size);
	if (wf_get_number(&reader) != REQUEST_FORMAT)
		return wf_fail(
		    err, WF_CORRUPT, "a stored request has an unknown format");
	request->kind =
	    (enum wf_request_kind)wf_get_bounded(&reader, WF_REQUEST_COUNT - 1);
	request->namespace_id = wf_get_bounded(&reader, UINT32_MAX);
	request->number = wf_get_number(&reader);
	request->command =
	    (enum wf_command_kind)wf_get_bounded(&reader, WF_COMMAND_LAST);
	request->specification = wf_get_number(&reader);
	request->data = get_optional(&reader, arena, &request->length);
	request->extra.data =
	    get_optional(&reader, arena, &request->extra.size);
	request->item = wf_get_text(&reader, arena);
	request->name = wf_get_text(&reader, arena);
	request->title = wf_get_text(&reader, arena);
	request->actor = wf_get_text(&reader, arena);
	request->origin = wf_get_text(&reader, arena);
	if (reader.bad || reader.next != reader.end)
		return wf_fail(err, WF_CORRUPT, "a stored request is damaged");
	return WF_OK;
}

/* --- what makes two requests the same ------------------------------------- */

static uint64_t add_number(uint64_t hash, uint64_t number)
{
	return wf_hash(hash, &number, sizeof(number));
}

/* With its length, lest it be mistaken for a part of the next. */
static uint64_t add_field(uint64_t hash, const void *bytes, size_t size)
{
	return wf_hash(add_number(hash, size), bytes, size);
}

static uint64_t add_text(uint64_t hash, const char *text)
{
	return add_field(hash, text, strlen(text));
}

/* Not how it came; and all texts are there. */
static uint64_t content_of(const struct wf_request *request)
{
	uint64_t hash = add_number(0, request->kind);

	hash = add_number(hash, request->namespace_id);
	hash = add_number(hash, request->number);
	hash = add_number(hash, request->command);
	hash = add_number(hash, request->specification);
	/* The same delay is another instant each time. */
	if (request->delay[0] != '\0')
		hash = add_text(hash, request->delay);
	else
		hash = add_number(hash, (uint64_t)request->at);
	hash = add_number(hash, request->incident);
	hash = add_number(hash, request->data != NULL);
	if (request->data != NULL)
		hash = add_field(hash, request->data, request->length);
	hash = add_number(hash, request->extra.data != NULL);
	if (request->extra.data != NULL)
		hash =
		    add_field(hash, request->extra.data, request->extra.size);
	if (request->described)
		hash = add_number(hash, 1);
	hash = add_text(hash, request->item);
	hash = add_text(hash, request->name);
	hash = add_text(hash, request->title);
	return add_text(hash, request->actor);
}

/* --- in memory ------------------------------------------------------------ */

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

static size_t size_of(const struct wf_request *r)
{
	size_t size = copied(r->item) + copied(r->name) + copied(r->title);

	size += copied(r->actor) + copied(r->origin) + copied(r->key);
	size += copied(r->lease.owner) + copied(r->delay);
	return size + r->length + 1 + r->extra.size + 1;
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
	to->actor = copy_text(at, from->actor);
	to->origin = copy_text(at, from->origin);
	to->key = copy_text(at, from->key);
	to->lease.owner = copy_text(at, from->lease.owner);
	to->delay = copy_text(at, from->delay);
	if (from->data != NULL)
		to->data = copy(at, from->data, from->length);
	if (from->extra.data != NULL)
		to->extra.data = copy(at, from->extra.data, from->extra.size);
}

/*
 * A due row and a caller's key give the same id each time.  An account is
 * never called "", and other ids have a number behind the first slash, so the
 * three kinds never meet.
 */
#define ID_SIZE (WF_COMMAND_ID_MAXIMUM + 1U)

static void make_due_command_id(
    uint64_t number, const char *name, char id[ID_SIZE])
{
	unsigned long long of = number;
	int length = snprintf(id, ID_SIZE, "/due/%llu/%s", of, name);

	if (length >= (int)ID_SIZE) /* an item can have a long name */
		snprintf(id, ID_SIZE, "/due/%llu/%016llx%016llx", of,
		    (unsigned long long)add_text(1, name),
		    (unsigned long long)add_text(2, name));
}

/* As the due has it that the start is to become. */
static void make_start_id(uint64_t number, char id[ID_SIZE])
{
	char name[WF_START_NAME_SIZE];

	wf_start_name(number, name);
	make_due_command_id(0, name, id);
}

static void make_id(const struct wf_request *request, uint64_t opening,
    uint64_t serial, const struct due_command *due, char id[ID_SIZE])
{
	if (due != NULL)
		make_due_command_id(due->row.number, due->row.name, id);
	else if (request->kind == WF_REQUEST_WITHDRAW)
		make_start_id(request->number, id);
	else if (text_of(request->key)[0] != '\0')
		snprintf(id, ID_SIZE, "%s/%s", request->actor, request->key);
	else
		snprintf(id, ID_SIZE, "/%llu/%llu", (unsigned long long)opening,
		    (unsigned long long)serial);
}

struct pending *wf_pending_new(const struct wf_request *request,
    uint64_t opening, uint64_t serial, struct due_command *due)
{
	char id[ID_SIZE];
	struct pending *pending;
	size_t size;
	char *at;

	make_id(request, opening, serial, due, id);
	size = sizeof(*pending) + size_of(request) + copied(id);
	pending = wf_calloc(1, size);
	at = (char *)(pending + 1);
	copy_request(&pending->request, request, &at);
	pending->id = copy_text(&at, id);
	pending->size = size;
	pending->content = content_of(&pending->request);
	pending->number = request->number;
	pending->new_id = due == NULL && pending->request.key[0] == '\0' &&
			  request->kind != WF_REQUEST_WITHDRAW;
	pending->serial = serial;
	pending->due = due;
	return pending;
}

void wf_pending_free(struct pending **pending)
{
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
