/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log of one case, read as a whole, and the keys by which Interface
 * E refers to its parts.
 *
 * Keys are numbers that clients send back.  They are computed, not stored: the
 * key of an instance, event or value is the number of the case and the number
 * that the case's log gives it (history/case_log.h); the key of something in a
 * specification is a part of the specification's key and a number in it; the
 * key of a service is the hash of its name.
 */
#ifndef WF_YAWL_LOG_KEYS_H
#define WF_YAWL_LOG_KEYS_H

#include "history/case_log.h"
#include "work/service.h"
#include "yawl/yawl.h"

struct wf_keyed_event {
	struct wf_case_log_event event; /* its instance is NULL */
	size_t instance;		/* index in the log's instances */
	size_t next; /* event of the same instance, from 1; 0: none */
};

/*
 * What belongs to an instance; 0 for none.  Events are counted from 1,
 * instances by index: index 0 is the root net, which is inside no other.
 */
struct wf_keyed_links {
	size_t first_event;
	size_t last_event;
	size_t first_inner; /* tasks of a net, sub-nets of a task */
	size_t last_inner;
	size_t next_inner; /* the next one inside the same instance */
	/*
	 * Keys in the specification that the case was of when the instance had
	 * its last event.
	 */
	uint64_t net;	/* of the net, or of that of the task */
	uint64_t task;	/* 0: it is a net */
	uint64_t inner; /* of the net of the task; 0: none */
};

struct wf_keyed_log {
	struct wf_yawl_call *call;
	uint64_t number; /* of the case */
	const char *name;
	uint64_t specification;
	const struct wf_case_log_instance *instances; /* by number */
	struct wf_keyed_links *links;		      /* one per instance */
	size_t instance_count, instance_capacity, link_capacity;
	const struct wf_keyed_event *events;
	size_t event_count, event_capacity;
	struct wf_arena *arena;
};

/*
 * Reads the log of a case and calls show with it; not when it is empty.
 * first: only its first page, which has the start of the case.  WF_GONE and
 * WF_CORRUPT: the history cannot be read.
 */
typedef void (*wf_keyed_log_f)(void *context, const struct wf_keyed_log *log);
enum wf_rc wf_keyed_log_show(struct wf_yawl_call *call,
    const struct wf_case_row *row, bool first, wf_keyed_log_f show,
    void *context, struct wf_error *err) WF_MUSTCHECK;

/* --- keys ----------------------------------------------------------------- */

uint64_t wf_log_key(const struct wf_keyed_log *log, uint64_t number);
/* The case of such a key, and the number in its log. */
uint64_t wf_log_key_case(uint64_t key, uint64_t *number_out);

uint64_t wf_log_key_of_spec(uint64_t specification);
uint64_t wf_log_key_of_net(uint64_t specification, uint32_t decomposition);
uint64_t wf_log_key_of_type(uint64_t specification, const char *type);
uint64_t wf_log_key_of_service(const char *name);
/* Whether the key belongs to something in that specification. */
bool wf_log_key_is_of(uint64_t key, uint64_t specification);

/* --- elements ------------------------------------------------------------- */

/* Short elements, which refer to other elements by key. */
void wf_keyed_log_put_event(
    const struct wf_keyed_log *log, const struct wf_keyed_event *event);
void wf_keyed_log_put_net(const struct wf_keyed_log *log,
    const struct wf_case_log_instance *instance);
void wf_keyed_log_put_task(const struct wf_keyed_log *log,
    const struct wf_case_log_instance *instance);
void wf_keyed_log_put_data(const struct wf_keyed_log *log,
    const struct wf_keyed_event *event, const struct wf_case_log_data *data);
/* <datatype>; needs no log. */
void wf_keyed_log_put_type(
    struct wf_buffer *xml, uint64_t specification, const char *type);
/* Whole elements, with everything inside the instance. */
void wf_keyed_log_put_whole_task(const struct wf_keyed_log *log,
    const struct wf_case_log_instance *instance);
void wf_keyed_log_put_whole_net(const struct wf_keyed_log *log,
    const struct wf_case_log_instance *instance);

#endif
