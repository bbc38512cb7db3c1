/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All work items that a case has had: their last status, who started them and
 * when, made from the history of the case.
 */
#ifndef WF_HISTORY_ITEM_HISTORY_H
#define WF_HISTORY_ITEM_HISTORY_H

#include "kernel/case.h"
#include "persistence/store.h"
#include "spec/spec.h"

struct wf_engine; /* in runtime/engine.h */

/* Times are milliseconds since 1970, UTC; 0: it has not happened. */
struct wf_history_item {
	const char *case_id; /* the net's, or of an instance its own */
	const struct wf_task *task;
	uint32_t net;	   /* the serial number of its net instance */
	uint32_t instance; /* 0: the enabled item, later the parent */
	/* An enabled item whose task was fired stays, as its items' parent. */
	bool is_parent;
	enum wf_item_status status; /* of a parent: Enabled */
	enum wf_item_status suspended_from;
	const char *resource; /* the account that started it, or "" */
	int64_t enabled_at;
	int64_t started_at;
	int64_t ended_at;
	int64_t timer_at; /* when its timer runs out, or ran out */
	enum wf_timer_state timer;
};

struct wf_item_history {
	struct wf_history_item *items; /* in the order in which they appeared */
	size_t count;
	/* The input variables of the root net at launch, as XML. */
	const char *launched_with;
};

/*
 * Reads the history of a case up to the step with that number.  The result is
 * allocated in arena and points into spec; large values are left out.
 * WF_GONE, WF_CORRUPT.
 */
enum wf_rc wf_item_history_read(struct wf_engine *engine,
    struct wf_store *store, const struct wf_spec *spec, uint64_t number,
    const char *name, uint64_t steps, struct wf_arena *arena,
    struct wf_item_history *history_out, struct wf_error *err) WF_MUSTCHECK;

#endif
