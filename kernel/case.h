/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A running case as seen from outside: its status, its work items, its data.
 *
 * kernel/step.h has the functions that change a case, kernel/view.h its nets.
 *
 * A case belongs to one thread at a time.  Net instances have YAWL's
 * identifiers ("7", "7.1", "7.1.2"), work items "7.1:Task".
 */
#ifndef WF_KERNEL_CASE_H
#define WF_KERNEL_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"

#ifdef __cplusplus
extern "C" {
#endif

struct wf_case; /* opaque; the struct is in kernel/state.h */
struct wf_net;	/* opaque here; they are in spec/spec.h */
struct wf_task;
struct wf_assignment; /* in kernel/assignment/assignment.h */

struct wf_limits {
#define WF_LIMIT_ROW(name, number, greatest, meaning) uint32_t name;
#include "kernel/limits.def"
#undef WF_LIMIT_ROW
	/*
	 * A task cancelled by a cancellation set counts as busy for ever, as in
	 * the engine that recorded the golden traces.  For comparing traces
	 * only.
	 */
	bool cancelled_stays_busy;
};

extern const struct wf_limits wf_limits_default;

enum wf_command_kind {
#define WF_COMMAND(name, word, item, since, meaning) WF_COMMAND_##name,
#include "kernel/commands.def"
#undef WF_COMMAND
};

#define WF_COMMAND_LAST WF_COMMAND_MIGRATE
#define WF_COMMAND_COUNT (WF_COMMAND_LAST + 1)

enum wf_case_status {
	WF_CASE_RUNNING,
	WF_CASE_SUSPENDED,
	WF_CASE_COMPLETED,
	WF_CASE_DEADLOCKED,
	WF_CASE_CANCELLED
};

enum wf_case_status wf_case_status(const struct wf_case *instance);
const char *wf_case_id(const struct wf_case *instance);
/*
 * Whether the case is running without a live item: a sub-net is empty or
 * deadlocked.  FORCE, FAIL or CANCEL_ITEM on the instance of the composite task
 * ("7.1:Task") ends the sub-net; CANCEL_CASE ends the case.
 */
bool wf_case_is_stuck(const struct wf_case *instance);

enum wf_item_status {
#define WF_STATUS(name, word, live) WF_ITEM_##name,
#include "kernel/statuses.def"
#undef WF_STATUS
};

const char *wf_item_status_name(enum wf_item_status status);

/* A live work item.  Times are in ms since 1970, UTC; 0: not yet. */
struct wf_item {
	const struct wf_net *net;
	const struct wf_task *task;
	char case_id[WF_CASE_ID_SIZE]; /* of the net, or of the instance */
	enum wf_item_status status;
	enum wf_item_status suspended_from; /* when status is SUSPENDED */
	uint32_t choice; /* items of one deferred choice share it; 0: none */
	int64_t enabled_at;
	int64_t fired_at;
	int64_t started_at;
	int64_t timer_at;  /* expiry of its timer; 0: no timer runs */
	bool timer_is_own; /* it started with the item, not with its task */
	/* NULL: it is not for people; else valid until the next step. */
	const struct wf_assignment *assignment;
	/*
	 * The URI of the service that does it, valid until the next step; "":
	 * the default worklist, or people.
	 */
	const char *service;
};

/*
 * The live items, sorted by task id (bytewise), then by case id (number by
 * number).  *items_out is freed with wf_free(); returns their number.
 */
size_t wf_case_items(
    const struct wf_case *instance, struct wf_item **items_out);
/* "7.1:Task" for an item. */
void wf_item_id(const struct wf_item *item, char id_out[WF_ITEM_ID_SIZE]);
/* Finds the item with the id; WF_NOT_FOUND. */
enum wf_rc wf_case_item(const struct wf_case *instance, const char *id,
    struct wf_item *item_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * Appends the item's data as XML: its input while it is Fired or Executing
 * ("<Task><x>..</x></Task>", the root being the decomposition's); while it is
 * Enabled its enablement parameters, when it has any.
 */
enum wf_rc wf_case_item_input(const struct wf_case *instance, const char *id,
    struct wf_buffer *xml, struct wf_error *err) WF_MUSTCHECK;
/*
 * Appends the documentation of the item's task, with its placeholders
 * ("${/order/customer}") replaced by the results of queries over the data of
 * its net, or by "n/a" if a query fails.  now, timezone: as in a command, for
 * the queries, whose steps are taken from *work.
 */
enum wf_rc wf_case_item_documentation(const struct wf_case *instance,
    const char *id, int64_t now, int32_t timezone, uint64_t *work,
    struct wf_buffer *text, struct wf_error *err) WF_MUSTCHECK;
/*
 * Appends the default output of the item: for each output parameter the input
 * of the same name, else its default value, else false (boolean), an empty
 * element (string, user types) or 0 (other built-in types).
 */
enum wf_rc wf_case_item_default_output(const struct wf_case *instance,
    const char *id, struct wf_buffer *xml, struct wf_error *err) WF_MUSTCHECK;

/* Properties of a task in its specification; "" if it has none. */
const char *wf_task_id(const struct wf_task *task);
const char *wf_task_name(const struct wf_task *task);
const char *wf_task_documentation(const struct wf_task *task);
/* The URI of the service for its items; "": the default worklist. */
const char *wf_task_service(const struct wf_task *task);
/* Whether people do it: by hand, and of no service. */
bool wf_task_is_for_people(const struct wf_task *task);

/* Appends the net data of the root net as XML. */
void wf_case_data(const struct wf_case *instance, struct wf_buffer *xml);
/* Appends the output parameters of the root net as XML. */
void wf_case_output(const struct wf_case *instance, struct wf_buffer *xml);

#ifdef __cplusplus
}
#endif

#endif
