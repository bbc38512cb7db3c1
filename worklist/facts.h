/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What participants did with the items of tasks, in all cases of a version of a
 * specification: the facts that allocators choose by, folded from the history.
 *
 *   history ──wf_facts_read()──► work logs of tasks ──► decisions of batches
 *                                       ▲                      │
 *                     own decisions ────┴── until they are read ┘
 *
 * Only specifications whose source names an allocator that asks for the past
 * are folded, and of them only such tasks; a store without any is not read.
 * Nothing is stored: a node folds the history again when it starts.
 */
#ifndef WF_WORKLIST_FACTS_H
#define WF_WORKLIST_FACTS_H

#include "people/allocation.h"
#include "runtime/engine.h"
#include "spec/spec.h"

struct wf_facts; /* opaque; safe for all threads */

/* Participants, counted for each task, of whom something is remembered. */
#define WF_FACTS_MOST 200000U

struct wf_facts *wf_facts_new(void);
void wf_facts_free(struct wf_facts **facts);

/* A thread that reads what is new, until wf_facts_stop(). */
enum wf_rc wf_facts_start(struct wf_facts *facts, struct wf_engine *engine,
    struct wf_error *err) WF_MUSTCHECK;
/* There may be something new. */
void wf_facts_wake(struct wf_facts *facts);
void wf_facts_stop(struct wf_facts *facts);

/* Reads up to the present end of the history; one thread at a time. */
enum wf_rc wf_facts_read(struct wf_facts *facts, struct wf_engine *engine,
    struct wf_error *err) WF_MUSTCHECK;

/* Whether an allocator asks for the past. */
bool wf_facts_are_needed(enum wf_allocator allocator);

/* Adds what is known of the participant and the items of the task. */
void wf_facts_get(struct wf_facts *facts, const struct wf_task *task,
    const char *participant, struct wf_work_facts *about);
/* Up to which position of the history; and how many own decisions count. */
uint64_t wf_facts_position(struct wf_facts *facts, size_t *own_out);

/* An item that was given to a participant in a batch of this node. */
struct wf_given {
	const struct wf_task *task;
	uint64_t number; /* of the case */
	uint32_t net;	 /* serial number */
	const char *participant;
	int64_t at;
};
/* Counts it from now on, until it is read, or after a minute never was. */
void wf_facts_note(struct wf_facts *facts, const struct wf_given *given);

#endif
