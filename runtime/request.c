/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests: the stored form, the hash that makes two requests the same, copies,
 * ids.  to_stored(), from_stored() and copy_request() are the only functions
 * that know the members of all kinds.
 */
#include "runtime/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"

#define REQUEST_FORMAT 1
#define REQUEST_MAXIMUM_BYTES ((size_t)128 << 20)

static const char *text_of(const char *text)
{
	return text == NULL ? "" : text;
}

const char *wf_request_item(const struct wf_request *request)
{
	switch (request->kind) {
	case WF_REQUEST_COMMAND:
	case WF_REQUEST_SCHEDULE:
		return text_of(request->command.item);
	case WF_REQUEST_ANNOUNCE:
		return text_of(request->announce.item);
	case WF_REQUEST_REPORT:
		return text_of(request->report.item);
	default:
		return "";
	}
}

uint64_t wf_request_incident(const struct wf_request *request)
{
	bool has = request->kind == WF_REQUEST_RETRY ||
		   request->kind == WF_REQUEST_DROP;

	return has ? request->incident.id : 0;
}

/* --- as bytes ------------------------------------------------------------- */

/*
 * The stored form has the same fields for every kind; those that a kind does
 * not have are empty.
 */
struct stored_request {
	uint64_t command; /* enum wf_command_kind */
	uint64_t specification;
	const char *data; /* NULL: none */
	size_t length;
	struct wf_bytes extra;
	const char *item;
	const char *name;
	const char *title;
};

static void fill_command(
    struct stored_request *to, const struct wf_request *request)
{
	to->command = request->command.kind;
	to->item = text_of(request->command.item);
	to->data = request->command.data;
	to->length = request->command.length;
	if (request->command.kind != WF_COMMAND_LAUNCH) {
		to->title = text_of(request->command.reason);
		return;
	}
	to->specification = request->launch.specification;
	to->name = text_of(request->launch.name);
	to->title = text_of(request->launch.title);
	to->extra = request->launch.extra;
}

static struct stored_request to_stored(const struct wf_request *request)
{
	struct stored_request to = { .item = "", .name = "", .title = "" };

	switch (request->kind) {
	case WF_REQUEST_COMMAND:
	case WF_REQUEST_SCHEDULE:
		fill_command(&to, request);
		break;
	case WF_REQUEST_RETRY:
	case WF_REQUEST_DROP:
		to.title = text_of(request->incident.reason);
		break;
	case WF_REQUEST_ANNOUNCE:
		to.item = text_of(request->announce.item);
		to.title = text_of(request->announce.reason);
		break;
	case WF_REQUEST_REPORT:
		to.item = text_of(request->report.item);
		to.name = text_of(request->report.code);
		to.title = text_of(request->report.text);
		break;
	case WF_REQUEST_WITHDRAW:
	case WF_REQUEST_COUNT:
		break;
	}
	return to;
}

static void read_command(
    struct wf_request *request, const struct stored_request *from)
{
	request->command.kind = (enum wf_command_kind)from->command;
	request->command.item = from->item;
	request->command.data = from->data;
	request->command.length = from->length;
	if (request->command.kind != WF_COMMAND_LAUNCH) {
		request->command.reason = from->title;
		return;
	}
	request->launch.specification = from->specification;
	request->launch.name = from->name;
	request->launch.title = from->title;
	request->launch.extra = from->extra;
}

static void from_stored(
    struct wf_request *request, const struct stored_request *from)
{
	switch (request->kind) {
	case WF_REQUEST_COMMAND:
	case WF_REQUEST_SCHEDULE:
		read_command(request, from);
		break;
	case WF_REQUEST_RETRY:
	case WF_REQUEST_DROP:
		request->incident.reason = from->title;
		break;
	case WF_REQUEST_ANNOUNCE:
		request->announce.item = from->item;
		request->announce.reason = from->title;
		break;
	case WF_REQUEST_REPORT:
		request->report.item = from->item;
		request->report.code = from->name;
		request->report.text = from->title;
		break;
	case WF_REQUEST_WITHDRAW:
	case WF_REQUEST_COUNT:
		break;
	}
}

static void put_optional(
    struct wf_buffer *buffer, const void *bytes, size_t size)
{
	wf_put_number(buffer, bytes != NULL);
	wf_put_bytes(buffer, bytes, bytes == NULL ? 0 : size);
}

struct wf_bytes wf_request_encode(
    const struct wf_request *request, struct wf_arena *arena)
{
	struct stored_request stored = to_stored(request);
	struct wf_buffer buffer;
	struct wf_bytes bytes;

	wf_buffer_init(&buffer, REQUEST_MAXIMUM_BYTES);
	wf_put_number(&buffer, REQUEST_FORMAT);
	wf_put_number(&buffer, request->kind);
	wf_put_number(&buffer, request->namespace_id);
	wf_put_number(&buffer, request->number);
	wf_put_number(&buffer, stored.command);
	wf_put_number(&buffer, stored.specification);
	put_optional(&buffer, stored.data, stored.length);
	put_optional(&buffer, stored.extra.data, stored.extra.size);
	wf_put_string(&buffer, stored.item);
	wf_put_string(&buffer, stored.name);
	wf_put_string(&buffer, stored.title);
	wf_put_string(&buffer, text_of(request->actor));
	wf_put_string(&buffer, text_of(request->origin));
	bytes.data = wf_arena_strndup(arena, buffer.data, buffer.length);
	bytes.size = buffer.length;
	wf_buffer_free(&buffer);
	return bytes;
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
	struct stored_request stored = { 0 };
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
	stored.command = wf_get_bounded(&reader, WF_COMMAND_LAST);
	stored.specification = wf_get_number(&reader);
	stored.data = get_optional(&reader, arena, &stored.length);
	stored.extra.data = get_optional(&reader, arena, &stored.extra.size);
	stored.item = wf_get_string(&reader, arena);
	stored.name = wf_get_string(&reader, arena);
	stored.title = wf_get_string(&reader, arena);
	request->actor = wf_get_string(&reader, arena);
	request->origin = wf_get_string(&reader, arena);
	if (reader.bad || reader.next != reader.end || request->kind == 0)
		return wf_fail(err, WF_CORRUPT, "a stored request is damaged");
	from_stored(request, &stored);
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

/*
 * Hash of what is asked, stored with the answer: the order of the fields never
 * changes.  How the request came is not part of it.  All texts are there.
 */
static uint64_t content_of(const struct wf_request *request)
{
	struct stored_request stored = to_stored(request);
	uint64_t hash = add_number(0, request->kind);

	hash = add_number(hash, request->namespace_id);
	hash = add_number(hash, request->number);
	hash = add_number(hash, stored.command);
	hash = add_number(hash, stored.specification);
	/* The same delay is another instant each time. */
	if (text_of(request->delay)[0] != '\0')
		hash = add_text(hash, request->delay);
	else
		hash = add_number(hash, (uint64_t)request->at);
	hash = add_number(hash, wf_request_incident(request));
	hash = add_number(hash, stored.data != NULL);
	if (stored.data != NULL)
		hash = add_field(hash, stored.data, stored.length);
	hash = add_number(hash, stored.extra.data != NULL);
	if (stored.extra.data != NULL)
		hash = add_field(hash, stored.extra.data, stored.extra.size);
	if (wf_request_is(request, WF_COMMAND_LAUNCH) &&
	    request->command.described)
		hash = add_number(hash, 1);
	hash = add_text(hash, stored.item);
	hash = add_text(hash, stored.name);
	hash = add_text(hash, stored.title);
	return add_text(hash, request->actor);
}

/* --- in memory ------------------------------------------------------------ */

/*
 * A copy of a request is made in two passes of the same function: the first
 * only measures (next is NULL), the second writes.
 */
struct copying {
	char *next;
	size_t size; /* bytes so far */
};

/* NULL stays NULL. */
static const void *copy_bytes(
    struct copying *copying, const void *bytes, size_t size)
{
	char *to = copying->next;

	if (bytes == NULL)
		return NULL;
	copying->size += size + 1;
	if (to == NULL)
		return bytes;
	memcpy(to, bytes, size);
	to[size] = '\0';
	copying->next += size + 1;
	return to;
}

static const char *copy_text(struct copying *copying, const char *text)
{
	text = text_of(text);
	return copy_bytes(copying, text, strlen(text));
}

static void copy_command(struct copying *copying, struct wf_request *to,
    const struct wf_request *from)
{
	to->command.kind = from->command.kind;
	to->command.item = copy_text(copying, from->command.item);
	to->command.data =
	    copy_bytes(copying, from->command.data, from->command.length);
	to->command.length = from->command.length;
	to->command.described = from->command.described;
	to->command.reason = copy_text(copying, from->command.reason);
	to->launch = from->launch;
	to->launch.name = copy_text(copying, from->launch.name);
	to->launch.title = copy_text(copying, from->launch.title);
	to->launch.extra.data = copy_bytes(
	    copying, from->launch.extra.data, from->launch.extra.size);
	to->lease = from->lease;
	to->lease.owner = copy_text(copying, from->lease.owner);
	to->at = from->at;
	to->delay = copy_text(copying, from->delay);
}

/* Copies the members of the kind; no text is NULL in a copy. */
static void copy_request(struct copying *copying, struct wf_request *to,
    const struct wf_request *from)
{
	memset(to, 0, sizeof(*to));
	to->kind = from->kind;
	to->namespace_id =
	    from->namespace_id == 0 ? WF_NAMESPACE_DEFAULT : from->namespace_id;
	to->number = from->number;
	to->actor = copy_text(copying, from->actor);
	to->origin = copy_text(copying, from->origin);
	to->key = copy_text(copying, from->key);
	switch (from->kind) {
	case WF_REQUEST_COMMAND:
	case WF_REQUEST_SCHEDULE:
		copy_command(copying, to, from);
		break;
	case WF_REQUEST_RETRY:
	case WF_REQUEST_DROP:
		to->incident.id = from->incident.id;
		to->incident.reason = copy_text(copying, from->incident.reason);
		break;
	case WF_REQUEST_ANNOUNCE:
		to->announce.item = copy_text(copying, from->announce.item);
		to->announce.reason = copy_text(copying, from->announce.reason);
		break;
	case WF_REQUEST_REPORT:
		to->report.item = copy_text(copying, from->report.item);
		to->report.code = copy_text(copying, from->report.code);
		to->report.text = copy_text(copying, from->report.text);
		to->report.attempts = from->report.attempts;
		break;
	case WF_REQUEST_WITHDRAW:
		break;
	case WF_REQUEST_COUNT:
		wf_assert(false);
	}
}

/* --- ids ------------------------------------------------------------------ */

/*
 * A due row and a caller's key give the same id each time.  An account is
 * never called "", and other ids have a number behind the first slash, so the
 * three kinds never meet.
 */
#define ID_SIZE (WF_COMMAND_ID_BYTES + 1U)

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
	char name[WF_START_NAME_BYTES];

	wf_start_name(number, name);
	make_due_command_id(0, name, id);
}

static void make_id(const struct wf_request *request, uint64_t opening,
    uint64_t serial, const struct due_command *due, char id[ID_SIZE])
{
	int length = 0;

	if (due != NULL)
		make_due_command_id(due->row.number, due->row.name, id);
	else if (request->kind == WF_REQUEST_WITHDRAW)
		make_start_id(request->number, id);
	else if (text_of(request->key)[0] != '\0')
		length = snprintf(
		    id, ID_SIZE, "%s/%s", request->actor, request->key);
	else
		length = snprintf(id, ID_SIZE, "/%llu/%llu",
		    (unsigned long long)opening, (unsigned long long)serial);
	/* Cut off, the ids of two requests could be the same. */
	wf_assert(length < (int)ID_SIZE);
}

struct pending *wf_pending_new(const struct wf_request *request,
    uint64_t opening, uint64_t serial, struct due_command *due)
{
	struct copying copying = { .size = sizeof(struct pending) };
	struct wf_request measured;
	struct pending *pending;
	char id[ID_SIZE];
	size_t size;

	wf_assert(request->kind != 0 && request->kind < WF_REQUEST_COUNT);
	make_id(request, opening, serial, due, id);
	copy_request(&copying, &measured, request);
	copy_text(&copying, id);
	size = copying.size;
	pending = wf_calloc(1, size);
	copying.next = (char *)(pending + 1);
	copy_request(&copying, &pending->request, request);
	pending->id = copy_text(&copying, id);
	wf_assert(copying.next == (char *)pending + size);
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

	wf_assert(p->due == NULL || p->reply == NULL);
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

	wf_assert(rc != WF_OK);
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	memset(&pending->answer, 0, sizeof(pending->answer));
	pending->answer.number = pending->number;
	pending->answer.rc = wf_fail(&pending->answer.error, rc, "%s", text);
	pending->fate = FATE_ANSWER;
	return rc;
}
