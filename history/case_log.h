/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of a case in YAWL's words: instances of nets and tasks, and what
 * happened to them, as the event log of Interface E and XES have it.
 *
 * A task has an instance when it is enabled ("7:Pay", case id 7), and each of
 * its work items has one ("7.1"); a composite task has one for each sub-net,
 * and that is one of its own, with the same case id.  Everything gets
 * a number in the order in which it is met, which never changes because history
 * is only added to.
 */
#ifndef WF_HISTORY_CASE_LOG_H
#define WF_HISTORY_CASE_LOG_H

#include "runtime/engine.h"
#include "spec/spec.h"

struct wf_case_log; /* opaque; where a reader of one case is */

struct wf_told_instance {
	uint64_t number;
	bool is_net;
	char *case_id;
	/* Number of the decomposition: the net, or that the task is in. */
	uint32_t net;
	uint32_t task; /* of a task; of a sub-net, the task it is behind */
	/* Of a net, the task's instance, 0: the root; of a task, the net's. */
	uint64_t outer;
	uint64_t parent; /* of an item: the instance of its task; else 0 */
};

/* A value that the event says. */
struct wf_told_data {
	uint64_t number;
	const char *name;
	const char *value; /* text; or XML, when there are elements in it */
	const char *descriptor;
	const char *type;
};

struct wf_told_event {
	uint64_t number;
	const struct wf_told_instance *instance;
	const char *descriptor; /* "Enabled", "CaseStart", .. */
	int64_t time;
	const char *actor; /* NULL: nobody, it came of itself */
	const struct wf_told_data *data;
	size_t data_count;
};

/* event, and all that it points to, is valid during the call. */
typedef void (*wf_told_f)(void *context, const struct wf_told_event *event);

/* log: what its first event says beside, as <logdataitemlist>; or "". */
struct wf_case_log *wf_case_log_new(
    uint64_t number, const char *name, const char *log);
void wf_case_log_free(struct wf_case_log **log);

/*
 * Reads the next steps and tells of them; *more_out is false at the end.
 * spec: the case's.  WF_GONE when its history is not kept any more.
 */
enum wf_rc wf_case_log_read(struct wf_case_log *log, struct wf_store *store,
    const struct wf_spec *spec, wf_told_f tell, void *context, bool *more_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
