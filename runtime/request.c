/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests: the stored form, the hash that makes two requests the same, copies,
 * ids.  find_fields() and copy_request() are the only functions that know the
 * members of all kinds.
 */
#include "runtime/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"

#define REQUEST_FORMAT 1
/* The same, with what commands about people have behind it. */
#define REQUEST_FORMAT_PEOPLE 2
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
 * Where the fields of the stored form are.  It has the same fields for every
 * kind; those that a kind does not have are in none, which is empty.
 */
struct fields {
	struct wf_request none;
	uint64_t *number;	      /* of the case; WITHDRAW: the start */
	struct wf_request *commanded; /* COMMAND and SCHEDULE; else none */
	struct wf_request *launched;  /* LAUNCH; else none */
	const char **item;
	const char **code; /* name of a launched case, code of an incident */
	const char **text; /* for people: a title or a reason */
};

static void find_command_fields(
    struct fields *fields, struct wf_request *request)
{
	fields->commanded = request;
	fields->item = &request->command.item;
	if (request->command.kind != WF_COMMAND_LAUNCH) {
		fields->text = &request->command.reason;
		return;
	}
	fields->launched = request;
	fields->code = &request->launch.name;
	fields->text = &request->launch.title;
}

/* The kind of the request, and of its command, is set. */
static void find_fields(struct fields *fields, struct wf_request *request)
{
	memset(fields, 0, sizeof(*fields));
	fields->number = &request->number;
	fields->commanded = &fields->none;
	fields->launched = &fields->none;
	fields->item = &fields->none.command.item;
	fields->code = &fields->none.launch.name;
	fields->text = &fields->none.launch.title;
	switch (request->kind) {
	case WF_REQUEST_COMMAND:
	case WF_REQUEST_SCHEDULE:
		find_command_fields(fields, request);
		break;
	case WF_REQUEST_RETRY:
	case WF_REQUEST_DROP:
		fields->text = &request->incident.reason;
		break;
	case WF_REQUEST_ANNOUNCE:
		fields->item = &request->announce.item;
		fields->text = &request->announce.reason;
		break;
	case WF_REQUEST_REPORT:
		fields->item = &request->report.item;
		fields->code = &request->report.code;
		fields->text = &request->report.text;
		break;
	case WF_REQUEST_WITHDRAW:
		fields->number = &request->start;
		break;
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

enum people_flag {
	FLAG_FORCED = 1,
	FLAG_DROPS_DATA = 2,
	FLAG_ADMINISTRATOR = 4,
	FLAG_MAY_SERVE = 8,
	FLAG_DEPUTY = 16, /* the deputy follows */
	FLAG_PILE = 32,
	ALL_FLAGS = 63
};

static unsigned flags_of(const struct wf_command *command)
{
	return (command->is_forced ? FLAG_FORCED : 0U) |
	       (command->drops_data ? FLAG_DROPS_DATA : 0U) |
	       (command->is_administrator ? FLAG_ADMINISTRATOR : 0U) |
	       (command->may_serve ? FLAG_MAY_SERVE : 0U) |
	       (command->is_pile ? FLAG_PILE : 0U) |
	       (text_of(command->deputy)[0] != '\0' ? FLAG_DEPUTY : 0U);
}

static void set_flags(struct wf_command *command, uint32_t flags)
{
	command->is_forced = (flags & FLAG_FORCED) != 0;
	command->drops_data = (flags & FLAG_DROPS_DATA) != 0;
	command->is_administrator = (flags & FLAG_ADMINISTRATOR) != 0;
	command->may_serve = (flags & FLAG_MAY_SERVE) != 0;
	command->is_pile = (flags & FLAG_PILE) != 0;
}

/* Whether the command says anything about people. */
static bool concerns_people(const struct wf_command *command)
{
	return text_of(command->participant)[0] != '\0' ||
	       text_of(command->targets)[0] != '\0' || flags_of(command) != 0;
}

struct wf_bytes wf_request_encode(
    const struct wf_request *request, struct wf_arena *arena)
{
	struct wf_request own = *request;
	struct fields fields;
	struct wf_buffer buffer;
	struct wf_bytes bytes;
	bool people;

	find_fields(&fields, &own);
	people = concerns_people(&fields.commanded->command);
	wf_buffer_init(&buffer, REQUEST_MAXIMUM_BYTES);
	wf_put_number(&buffer, people ? REQUEST_FORMAT_PEOPLE : REQUEST_FORMAT);
	wf_put_number(&buffer, request->kind);
	wf_put_number(&buffer, request->namespace_id);
	wf_put_number(&buffer, *fields.number);
	wf_put_number(&buffer, fields.commanded->command.kind);
	wf_put_number(&buffer, fields.launched->launch.specification);
	put_optional(&buffer, fields.commanded->command.data,
	    fields.commanded->command.length);
	put_optional(&buffer, fields.launched->launch.extra.data,
	    fields.launched->launch.extra.size);
	wf_put_string(&buffer, text_of(*fields.item));
	wf_put_string(&buffer, text_of(*fields.code));
	wf_put_string(&buffer, text_of(*fields.text));
	wf_put_string(&buffer, text_of(request->actor));
	wf_put_string(&buffer, text_of(request->origin));
	if (people) {
		const struct wf_command *command = &fields.commanded->command;

		wf_put_string(&buffer, text_of(command->participant));
		wf_put_string(&buffer, text_of(command->targets));
		wf_put_number(&buffer, flags_of(command));
		if (text_of(command->deputy)[0] != '\0')
			wf_put_string(&buffer, command->deputy);
	}
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
	struct wf_reader reader;
	struct fields fields;
	uint64_t format;
	uint64_t number;
	uint64_t command;

	memset(request, 0, sizeof(*request));
	wf_reader_init(&reader, bytes.data, bytes.size);
	format = wf_get_number(&reader);
	if (format != REQUEST_FORMAT && format != REQUEST_FORMAT_PEOPLE)
		return wf_fail(
		    err, WF_CORRUPT, "a stored request has an unknown format");
	request->kind =
	    (enum wf_request_kind)wf_get_bounded(&reader, WF_REQUEST_COUNT - 1);
	request->namespace_id = wf_get_bounded(&reader, UINT32_MAX);
	number = wf_get_number(&reader);
	command = wf_get_bounded(&reader, WF_COMMAND_LAST);
	if (wf_request_commands(request))
		request->command.kind = (enum wf_command_kind)command;
	find_fields(&fields, request);
	*fields.number = number;
	fields.launched->launch.specification = wf_get_number(&reader);
	fields.commanded->command.data =
	    get_optional(&reader, arena, &fields.commanded->command.length);
	fields.launched->launch.extra.data =
	    get_optional(&reader, arena, &fields.launched->launch.extra.size);
	*fields.item = wf_get_string(&reader, arena);
	*fields.code = wf_get_string(&reader, arena);
	*fields.text = wf_get_string(&reader, arena);
	request->actor = wf_get_string(&reader, arena);
	request->origin = wf_get_string(&reader, arena);
	if (format == REQUEST_FORMAT_PEOPLE) {
		struct wf_command *about = &fields.commanded->command;
		uint32_t flags;

		about->participant = wf_get_string(&reader, arena);
		about->targets = wf_get_string(&reader, arena);
		flags = (uint32_t)wf_get_bounded(&reader, ALL_FLAGS);
		set_flags(about, flags);
		if ((flags & FLAG_DEPUTY) != 0)
			about->deputy = wf_get_string(&reader, arena);
	}
	if (reader.bad || reader.next != reader.end || request->kind == 0)
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

/*
 * Hash of what is asked, stored with the answer: the order of the fields never
 * changes.  How the request came is not part of it.
 */
static uint64_t content_of(struct wf_request *request)
{
	uint64_t hash = add_number(0, request->kind);
	const struct wf_command *command;
	const struct wf_launch *launch;
	struct fields fields;

	find_fields(&fields, request);
	command = &fields.commanded->command;
	launch = &fields.launched->launch;
	hash = add_number(hash, request->namespace_id);
	hash = add_number(hash, *fields.number);
	hash = add_number(hash, command->kind);
	hash = add_number(hash, launch->specification);
	/* The same delay is another instant each time. */
	if (text_of(fields.commanded->delay)[0] != '\0')
		hash = add_text(hash, fields.commanded->delay);
	else
		hash = add_number(hash, (uint64_t)fields.commanded->at);
	hash = add_number(hash, wf_request_incident(request));
	hash = add_number(hash, command->data != NULL);
	if (command->data != NULL)
		hash = add_field(hash, command->data, command->length);
	hash = add_number(hash, launch->extra.data != NULL);
	if (launch->extra.data != NULL)
		hash = add_field(hash, launch->extra.data, launch->extra.size);
	if (fields.launched->command.described)
		hash = add_number(hash, 1);
	hash = add_text(hash, text_of(*fields.item));
	hash = add_text(hash, text_of(*fields.code));
	hash = add_text(hash, text_of(*fields.text));
	if (concerns_people(command)) {
		hash = add_text(hash, text_of(command->participant));
		hash = add_text(hash, text_of(command->targets));
		hash = add_number(hash, flags_of(command));
		if (text_of(command->deputy)[0] != '\0')
			hash = add_text(hash, command->deputy);
	}
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
	to->command.participant = copy_text(copying, from->command.participant);
	to->command.deputy = copy_text(copying, from->command.deputy);
	to->command.targets = copy_text(copying, from->command.targets);
	set_flags(&to->command, flags_of(&from->command));
	to->launch = from->launch;
	to->launch.name = copy_text(copying, from->launch.name);
	to->launch.title = copy_text(copying, from->launch.title);
	to->launch.extra.data = copy_bytes(
	    copying, from->launch.extra.data, from->launch.extra.size);
	to->lease = from->lease;
	to->lease.owner = copy_text(copying, from->lease.owner);
	to->lease.answer = copy_text(copying, from->lease.answer);
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
	to->version = from->version;
	to->specification = from->specification;
	to->judge = from->judge;
	to->actor = copy_text(copying, from->actor);
	to->origin = copy_text(copying, from->origin);
	to->key = copy_text(copying, from->key);
	to->trace = copy_text(copying, from->trace);
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
		to->report.detail = copy_text(copying, from->report.detail);
		break;
	case WF_REQUEST_WITHDRAW:
		to->start = from->start;
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

/* The id of the due command that a scheduled launch becomes. */
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
		make_start_id(request->start, id);
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
	pending->number = request->kind == WF_REQUEST_WITHDRAW
			      ? request->start
			      : request->number;
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
