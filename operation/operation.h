/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on many cases: a record of the store, done piece by piece by a
 * thread of one server of those on the store (work/follower.h).
 *
 *            wf_operation_set()
 *   RUNNING ◄──────────────► PAUSED
 *    │  │ no case is left       │
 *    │  ├──────────► DONE       │ "cancel"
 *    │  └──────────► FAILED     ▼
 *    └──────────────────────► CANCELLED       (a case that is done stays so)
 *
 * The members of an operation, in requests, in the record and in answers:
 *
 *   kind      operations.def          reason    of each command, in the history
 *   filter    server/case_filter.h    rate      cases in a second, at most
 *   cases     or a list of names      force     also what cannot complete then
 *   incidents or, of them, a choice (operation/incidents.h)
 *   task      of items                changes   REPAIR: operation/change.h
 *   specification, version, plan      MIGRATE: operation/plan.h
 *   state, by, created, changed, examined, done, refused, error, undoes
 *
 * Each command has a key made of the operation and the case, so one that is
 * done again after a crash is done once.
 */
#ifndef WF_OPERATION_OPERATION_H
#define WF_OPERATION_OPERATION_H

#include <jansson.h>

#include "runtime/engine.h"

struct wf_operations; /* the thread; opaque */
struct wf_log;

enum wf_rc wf_operations_open(struct wf_operations **operations_out,
    struct wf_engine *engine, struct wf_log *log,
    struct wf_error *err) WF_MUSTCHECK;
/* There may be a new operation, or one that goes on. */
void wf_operations_wake(struct wf_operations *operations);
/* Ends the thread, before the engine is closed.  operations may be NULL. */
void wf_operations_stop(struct wf_operations *operations);
void wf_operations_close(struct wf_operations **operations);

/* --- for interfaces; these may wait for the store ------------------------- */

/* At most so many are kept, in all states. */
#define WF_OPERATIONS_MOST 1000U

/*
 * Starts an operation.  key: the caller's idempotency key, or NULL: an
 * operation that was started with it is shown, with "repeated".  body: the
 * members above that a request may have. *operation_out: as it is shown, a new
 * reference.  WF_INVALID with the member that is wrong; WF_NOT_FOUND: a
 * specification or a case; WF_CONFLICT; WF_LIMIT: there are too many.
 */
enum wf_rc wf_operation_start(struct wf_engine *engine, uint32_t namespace_id,
    const char *account, const char *key, json_t *body, json_t **operation_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * What it would be done to: "count", "more" (there are more than were counted),
 * "sample" (ten, each with "allowed" and why not), and of a migration "groups":
 * cases that stand alike, with what has nowhere to go and whether they can
 * complete afterwards.
 */
enum wf_rc wf_operation_try(struct wf_engine *engine, uint32_t namespace_id,
    const char *account, json_t *body, json_t **preview_out,
    struct wf_error *err) WF_MUSTCHECK;
/* Undoes what is done, where the case has not gone on. */
enum wf_rc wf_operation_undo(struct wf_engine *engine, uint32_t namespace_id,
    const char *account, const char *key, uint64_t id, const char *reason,
    json_t **operation_out, struct wf_error *err) WF_MUSTCHECK;
/* action: "pause", "resume" or "cancel". */
enum wf_rc wf_operation_set(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t id, const char *action, json_t **operation_out,
    struct wf_error *err) WF_MUSTCHECK;
/* WF_NOT_FOUND. */
enum wf_rc wf_operation_show(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t id, json_t **operation_out, struct wf_error *err) WF_MUSTCHECK;
/* The latest first; *list_out: a new reference to an array. */
enum wf_rc wf_operation_list(struct wf_engine *engine, uint32_t namespace_id,
    json_t **list_out, struct wf_error *err) WF_MUSTCHECK;
/* Removes one that is over, with its report. */
enum wf_rc wf_operation_remove(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t id, struct wf_error *err) WF_MUSTCHECK;

#endif
