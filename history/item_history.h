/* SPDX-License-Identifier: Apache-2.0 */
/* All items that a case has had, from its history. */
#ifndef WF_HISTORY_ITEM_HISTORY_H
#define WF_HISTORY_ITEM_HISTORY_H

#include "persistence/store.h"
#include "spec/spec.h"

struct wf_yawl_past_item {
	const char *case_id;
	const struct wf_task *task;
	uint32_t net;	       /* the serial number of its net instance */
	uint32_t instance;     /* 0: the enabled item, or the parent */
	const char *status;    /* in YAWL's words */
	const char *suspended; /* what it was then; NULL: it was not */
	const char *resource;  /* who started it; "" */
	int64_t enabled_at;
	int64_t started_at;
	int64_t ended_at;
	int64_t timer_at;
	enum wf_timer_state timer;
};

struct wf_item_history {
	struct wf_yawl_past_item *items; /* in the order in which they came */
	size_t count;
	const char *launched_with; /* the variables it began with, as XML */
};

/*
 * Reads the history of a case up to that many steps; what it gives is the
 * arena's, and points into spec.  Large values are left out.
 */
enum wf_rc wf_yawl_past_read(struct wf_store *store, const struct wf_spec *spec,
    uint64_t number, const char *name, uint64_t steps, struct wf_arena *arena,
    struct wf_item_history *past_out, struct wf_error *err) WF_MUSTCHECK;

#endif
