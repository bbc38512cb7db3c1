/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: the facts that a case consists of.
 *
 * An event has the fields that its row in kernel/events.def names; the same
 * mask drives encoding and decoding.
 */
#ifndef WF_KERNEL_EVENT_H
#define WF_KERNEL_EVENT_H

#include <stdint.h>

#include "base/codec.h"
#include "base/limits.h"
#include "data/value.h"

enum {
	WF_HAS_NET = 1,
	WF_HAS_TASK = 2,
	WF_HAS_INSTANCE = 4,
	WF_HAS_STATUS = 8,
	WF_HAS_NUMBER = 16,
	WF_HAS_CONDITIONS = 32,
	WF_HAS_VALUES = 64,
	WF_HAS_TEXT = 128,
	WF_HAS_TIME = 256
};

enum wf_event_kind {
#define WF_EVENT(code, name, fields, meaning) WF_EVENT_##name = code,
#include "kernel/events.def"
#undef WF_EVENT
};

/* A value for the variable or parameter with that number. */
struct wf_binding {
	uint32_t variable;
	struct wf_value *value; /* NULL: unset */
};

#define WF_EVENT_CODES 128 /* all codes are smaller */

struct wf_event {
	enum wf_event_kind kind;
	uint32_t net;  /* serial number of a net instance; the root net has 1 */
	uint32_t task; /* number of a task, or of a condition */
	uint32_t instance; /* number of an instance: last part of its case id */
	uint32_t status;   /* enum wf_item_status */
	uint32_t number;
	uint32_t condition_count;
	uint32_t value_count;
	const uint32_t *conditions;
	struct wf_binding *values;
	const char *text;
	union {
		size_t text_length; /* not 0 */
		int64_t time;	    /* milliseconds since 1970, UTC; not 0 */
	};
};

/*
 * Fetches the large value with the number, of the case that is read.  The
 * caller gets a reference.
 */
struct wf_value_source {
	void *context;
	enum wf_rc (*fetch)(void *context, uint32_t number,
	    struct wf_value **value_out, struct wf_error *err);
};

/* One value: none, its text, or the number of a large value. */
void wf_value_put(struct wf_buffer *buffer, const struct wf_value *value);
enum wf_rc wf_value_get(struct wf_reader *reader,
    const struct wf_value_source *source, struct wf_value **value_out,
    struct wf_error *err) WF_MUSTCHECK;

void wf_event_encode(struct wf_buffer *buffer, const struct wf_event *event);

/* Reads events one after the other; see wf_event_next(). */
struct wf_event_reader {
	struct wf_reader reader;
	const struct wf_value_source *source;
	struct wf_event event;
	uint32_t *conditions;
	size_t condition_capacity;
	struct wf_binding *values;
	size_t value_capacity;
	uint32_t value_count;
};

/* source may be NULL: large values are then read as NULL. */
void wf_event_reader_init(struct wf_event_reader *reader, const void *bytes,
    size_t size, const struct wf_value_source *source);
void wf_event_reader_free(struct wf_event_reader *reader);
/*
 * The next event, valid until the next call; NULL at the end and on damage
 * (then err is filled: WF_CORRUPT).
 */
const struct wf_event *wf_event_next(
    struct wf_event_reader *reader, struct wf_error *err);

/* WF_HAS_NET | .., the fields of that kind; 0 for an unknown code. */
unsigned wf_event_fields(enum wf_event_kind kind);
/* "TASK_ENABLED"; NULL for an unknown code. */
const char *wf_event_name(enum wf_event_kind kind);

#endif
