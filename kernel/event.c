/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding of events: the code, then the fields of its mask in a fixed order.
 * The numbers of an event are written into memory that is reserved once,
 * because an event is written for every token that moves; texts and values
 * follow.
 */
#include "kernel/event.h"

#include <string.h>

#include "base/memory.h"
#include "base/panic.h"

struct event_row {
	const char *name;
	unsigned fields;
};

static const struct event_row rows[WF_EVENT_CODES] = {
#define WF_EVENT(code, name, fields, meaning) [code] = { #name, fields },
#include "kernel/events.def"
#undef WF_EVENT
};

/* Called for each number of each event: a call would cost more than it does. */
static inline __attribute__((always_inline)) unsigned char *put(
    unsigned char *at, uint32_t number)
{
	if (number >= 0x80) {
		*at++ = (unsigned char)(number | 0x80);
		number >>= 7;
		for (; number >= 0x80; number >>= 7)
			*at++ = (unsigned char)(number | 0x80);
	}
	*at++ = (unsigned char)number;
	return at;
}

/* A number takes at most five bytes. */
#define NUMBER_SIZE 5U

/* Inlined per kind of event, so that fields is a constant. */
static inline __attribute__((always_inline)) unsigned char *put_numbers(
    unsigned char *at, const struct wf_event *event, unsigned fields)
{
	*at++ = (unsigned char)event->kind;
	if (fields & WF_HAS_NET)
		at = put(at, event->net);
	if (fields & WF_HAS_TASK)
		at = put(at, event->task);
	if (fields & WF_HAS_INSTANCE)
		at = put(at, event->instance);
	if (fields & WF_HAS_STATUS)
		at = put(at, event->status);
	if (fields & WF_HAS_NUMBER)
		at = put(at, event->number);
	if (fields & WF_HAS_CONDITIONS) {
		at = put(at, event->condition_count);
		for (uint32_t i = 0; i < event->condition_count; i++)
			at = put(at, event->conditions[i]);
	}
	if (fields & WF_HAS_VALUES)
		at = put(at, event->value_count);
	return at;
}

/* Fields of any length.  Not inline, so most events need no stack frame. */
static __attribute__((noinline)) void put_contents(
    struct wf_buffer *buffer, const struct wf_event *event)
{
	unsigned fields = rows[event->kind].fields;

	/* The count of these fields was written with the numbers. */
	wf_assert(event->value_count == 0 || (fields & WF_HAS_VALUES) != 0);
	for (uint32_t i = 0; i < event->value_count; i++) {
		const struct wf_binding *binding = &event->values[i];

		wf_put_number(buffer, binding->variable);
		wf_value_put(buffer, binding->value);
	}
	if (fields & WF_HAS_TEXT)
		wf_put_bytes(buffer, event->text, event->text_length);
	if (fields & WF_HAS_TIME)
		wf_put_signed(buffer, event->time);
}

static __attribute__((noinline)) void reserve_and_encode(
    struct wf_buffer *buffer, const struct wf_event *event, size_t size)
{
	if (wf_buffer_reserve(buffer, size))
		wf_event_encode(buffer, event);
}

void wf_event_encode(struct wf_buffer *buffer, const struct wf_event *event)
{
	size_t size = NUMBER_SIZE * (8 + (size_t)event->condition_count);
	unsigned char *at;

	if (buffer->capacity - buffer->length <= size) {
		reserve_and_encode(buffer, event, size);
		return;
	}
	at = (unsigned char *)buffer->data + buffer->length;
	switch (event->kind) {
#define WF_EVENT(code, name, fields, meaning)                                  \
	case WF_EVENT_##name:                                                  \
		at = put_numbers(at, event, fields);                           \
		break;
#include "kernel/events.def"
#undef WF_EVENT
	}
	*at = '\0';
	buffer->length = (size_t)(at - (unsigned char *)buffer->data);
	/* Most events have neither: one branch for both. */
	if ((event->value_count | event->text_length) != 0)
		put_contents(buffer, event);
}

/* 0: no value; 1: the text follows; 2: a large value's number follows. */
void wf_value_put(struct wf_buffer *buffer, const struct wf_value *value)
{
	if (value == NULL) {
		wf_put_number(buffer, 0);
	} else if (value->number != 0) {
		wf_put_number(buffer, 2);
		wf_put_number(buffer, value->number);
	} else {
		wf_put_number(buffer, 1);
		wf_put_bytes(buffer, wf_value_text(value), value->length);
	}
}

enum wf_rc wf_value_get(struct wf_reader *reader,
    const struct wf_value_source *source, struct wf_value **value_out,
    struct wf_error *err)
{
	uint32_t form = wf_get_bounded(reader, 2);
	const char *text;
	uint32_t number;
	size_t length;
	enum wf_rc rc;

	*value_out = NULL;
	if (form == 0)
		return WF_OK;
	if (form == 1) {
		text = wf_get_bytes(reader, &length);
		if (reader->bad)
			return wf_fail(err, WF_CORRUPT, "a value is cut off");
		return wf_value_from_canonical(value_out, text, length, err);
	}
	number = wf_get_bounded(reader, UINT32_MAX);
	if (reader->bad || number == 0)
		return wf_fail(err, WF_CORRUPT, "a value has no number");
	if (source == NULL)
		return WF_OK;
	rc = source->fetch(source->context, number, value_out, err);
	if (rc == WF_OK && *value_out != NULL)
		(*value_out)->number = number;
	return rc;
}

void wf_event_reader_init(struct wf_event_reader *reader, const void *bytes,
    size_t size, const struct wf_value_source *source)
{
	memset(reader, 0, sizeof(*reader));
	wf_reader_init(&reader->reader, bytes, size);
	reader->source = source;
}

static void drop_values(struct wf_event_reader *reader)
{
	for (uint32_t i = 0; i < reader->value_count; i++)
		wf_value_unref(&reader->values[i].value);
	reader->value_count = 0;
}

void wf_event_reader_free(struct wf_event_reader *reader)
{
	drop_values(reader);
	wf_free(reader->values);
	wf_free(reader->conditions);
	reader->values = NULL;
	reader->conditions = NULL;
}

static void get_conditions(struct wf_event_reader *reader)
{
	struct wf_reader *bytes = &reader->reader;
	uint32_t count = wf_get_bounded(bytes, UINT32_MAX);

	/*
	 * Each field takes at least a byte, so damage cannot cause a large
	 * allocation.
	 */
	if (count > (size_t)(bytes->end - bytes->next)) {
		bytes->bad = true;
		return;
	}
	if (count > reader->condition_capacity) {
		reader->conditions = wf_realloc(
		    reader->conditions, count * sizeof(*reader->conditions));
		reader->condition_capacity = count;
	}
	for (uint32_t i = 0; i < count; i++)
		reader->conditions[i] = wf_get_bounded(bytes, UINT32_MAX);
	reader->event.conditions = reader->conditions;
	reader->event.condition_count = count;
}

static enum wf_rc get_values(
    struct wf_event_reader *reader, struct wf_error *err)
{
	struct wf_reader *bytes = &reader->reader;
	uint32_t count = wf_get_bounded(bytes, UINT32_MAX);

	if (bytes->bad || count > (size_t)(bytes->end - bytes->next))
		return wf_fail(err, WF_CORRUPT, "an event is cut off");
	if (count > reader->value_capacity) {
		reader->values =
		    wf_realloc(reader->values, count * sizeof(*reader->values));
		reader->value_capacity = count;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct wf_binding *binding = &reader->values[i];
		enum wf_rc rc;

		binding->variable = wf_get_bounded(bytes, UINT32_MAX);
		rc = wf_value_get(bytes, reader->source, &binding->value, err);
		if (rc != WF_OK)
			return rc;
		reader->value_count++;
	}
	reader->event.values = reader->values;
	reader->event.value_count = count;
	return WF_OK;
}

const struct wf_event *wf_event_next(
    struct wf_event_reader *reader, struct wf_error *err)
{
	struct wf_reader *bytes = &reader->reader;
	struct wf_event *event = &reader->event;
	unsigned fields;
	uint32_t code;

	drop_values(reader);
	if (bytes->next == bytes->end)
		return NULL;
	memset(event, 0, sizeof(*event));
	code = wf_get_bounded(bytes, WF_EVENT_CODES - 1);
	if (bytes->bad || rows[code].name == NULL) {
		wf_fail(err, WF_CORRUPT, "an event has the unknown code %u",
		    (unsigned)code);
		return NULL;
	}
	event->kind = (enum wf_event_kind)code;
	fields = rows[code].fields;
	if (fields & WF_HAS_NET)
		event->net = wf_get_bounded(bytes, UINT32_MAX);
	if (fields & WF_HAS_TASK)
		event->task = wf_get_bounded(bytes, UINT32_MAX);
	if (fields & WF_HAS_INSTANCE)
		event->instance = wf_get_bounded(bytes, UINT32_MAX);
	if (fields & WF_HAS_STATUS)
		event->status = wf_get_bounded(bytes, UINT32_MAX);
	if (fields & WF_HAS_NUMBER)
		event->number = wf_get_bounded(bytes, UINT32_MAX);
	if (fields & WF_HAS_CONDITIONS)
		get_conditions(reader);
	if ((fields & WF_HAS_VALUES) && get_values(reader, err) != WF_OK)
		return NULL;
	if (fields & WF_HAS_TEXT)
		event->text = wf_get_bytes(bytes, &event->text_length);
	if (fields & WF_HAS_TIME)
		event->time = wf_get_signed(bytes);
	if (bytes->bad) {
		wf_fail(err, WF_CORRUPT, "an event is cut off");
		return NULL;
	}
	return event;
}

unsigned wf_event_fields(enum wf_event_kind kind)
{
	return (unsigned)kind < WF_EVENT_CODES ? rows[kind].fields : 0;
}

const char *wf_event_name(enum wf_event_kind kind)
{
	return (unsigned)kind < WF_EVENT_CODES ? rows[kind].name : NULL;
}
