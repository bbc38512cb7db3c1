/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log of a case in YAWL's terms: instances of nets and tasks, and
 * what happened to them, as Interface E and XES report it.
 *
 * A task has an instance when it is enabled ("7:Pay", case id 7), and each of
 * its work items has one ("7.1"); a composite task has one for each sub-net,
 * and the sub-net has one of its own, with the same case id.  Instances,
 * events and values are numbered from 1 in the order in which the history
 * yields them.  History is append only, so a number never changes.  What runs
 * while the case is migrated keeps its number, and has the names and numbers of
 * the other specification from then on.
 */
#ifndef WF_HISTORY_CASE_LOG_H
#define WF_HISTORY_CASE_LOG_H

#include "persistence/store.h"
#include "spec/spec.h"

/* How the text of a predicate begins that is a list of entries. */
#define WF_CASE_LOG_LIST "<logdataitemlist>"

struct wf_engine;   /* in runtime/engine.h */
struct wf_case_log; /* opaque; for one thread at a time */

struct wf_case_log_instance {
	uint64_t number;
	bool is_net;
	const char *case_id;
	const char *name; /* the id of the task, or of the net */
	/* Number of the decomposition: the net, or the net of the task. */
	uint32_t net;
	/* Of a task instance, its task; of a sub-net, its composite task. */
	uint32_t task;
	/* Of a net, the task's instance, 0: the root; of a task, the net's. */
	uint64_t outer;
	uint64_t parent; /* of an item: the instance of its task; else 0 */
};

/* The task of an instance that is no net; spec: of its event. */
const struct wf_task *wf_case_log_task(
    const struct wf_spec *spec, const struct wf_case_log_instance *instance);

/* A value that belongs to an event. */
struct wf_case_log_data {
	uint64_t number;
	const char *name;
	const char *value; /* text; or the element, if it has elements in it */
	const char *descriptor;
	const char *type;
};

struct wf_case_log_event {
	uint64_t number; /* 0: of people only */
	const struct wf_case_log_instance *instance;
	/*
	 * Whose numbers the instance has; NULL: that of before a migration,
	 * which ended it.  Valid during the call.
	 */
	const struct wf_spec *spec;
	const char *descriptor;	 /* "Enabled", "CaseStart", .. */
	int64_t time;		 /* milliseconds since 1970, UTC */
	const char *actor;	 /* NULL: no account caused it */
	const char *participant; /* who did it, or NULL */
	const char *deputy;	 /* who did it in that one's place, or NULL */
	const struct wf_case_log_data *data;
	size_t data_count;
};

/* event, and all that it points to, is valid during the call. */
typedef void (*wf_case_log_f)(
    void *context, const struct wf_case_log_event *event);

/*
 * A log before its first event.  engine: of the case.  name: its id.  log: the
 * entries that the launch added to the first event, as a <logdataitemlist>
 * element, or
 * "".  Both are copied.
 */
struct wf_case_log *wf_case_log_new(struct wf_engine *engine, uint64_t number,
    const char *name, const char *log);
/*
 * What people do is reported, too: "Allocated", "Deallocated", "Reassigned" and
 * "Skipped", and what is "Busy" with an item and "Released", with the number 0.
 * To be called before the first page is read.
 */
void wf_case_log_with_people(struct wf_case_log *log);
void wf_case_log_free(struct wf_case_log **log);

/*
 * Reads the next page of the history and calls visit for its events; *more_out
 * is false at the end.  spec: the specification of the case, which may be
 * compiled anew between two calls.  WF_GONE when the history was retired,
 * WF_CORRUPT: then the log can only be freed.
 */
enum wf_rc wf_case_log_read(struct wf_case_log *log, struct wf_store *store,
    const struct wf_spec *spec, wf_case_log_f visit, void *context,
    bool *more_out, struct wf_error *err) WF_MUSTCHECK;
/* The last step that was read; 0: none. */
uint64_t wf_case_log_sequence(const struct wf_case_log *log);

#endif
