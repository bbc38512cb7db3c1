/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account that started a work item.  The state of a case does not hold
 * it; the history does: it is the actor of the step, at the time when the
 * item started, in which its instance started.
 */
#ifndef WF_HISTORY_ITEM_STARTER_H
#define WF_HISTORY_ITEM_STARTER_H

#include "runtime/engine.h"

/* Answers found before, at most 100,000; opaque, safe for all threads. */
struct wf_item_starters;

struct wf_item_starters *wf_item_starters_new(void);
void wf_item_starters_free(struct wf_item_starters **starters);

/* A work item that was started. */
struct wf_started_item {
	uint64_t number;     /* of the case */
	uint64_t version;    /* of the case: how many steps it has */
	const char *case_id; /* of the item: "7.2.1" */
	const struct wf_task *task;
	int64_t started_at; /* milliseconds since 1970, UTC */
};

/*
 * The account that started the item, in arena; NULL: none is known, or the
 * history is not kept any more.  starters may be NULL: then no answer is
 * remembered.
 */
const char *wf_item_starter(struct wf_item_starters *starters,
    struct wf_engine *engine, const struct wf_started_item *item,
    struct wf_arena *arena);

#endif
