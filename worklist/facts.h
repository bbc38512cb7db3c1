/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What participants did with the items of tasks, in all cases of a version of a
 * specification: the facts that allocators choose by, folded from the history.
 *
 *   history ──wf_fact_fold_read()──► work logs of tasks ──► decisions of a
 *                                                           batch
 *   own decisions, until they are read ────────────────────► and the next one
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

struct wf_fact_fold; /* opaque; safe for all threads */

/* Participants, counted for each task, of whom something is remembered. */
#define WF_FACT_FOLD_MOST 200000U

struct wf_fact_fold *wf_fact_fold_new(void);
void wf_fact_fold_free(struct wf_fact_fold **facts);

/* A thread that reads what is new, until wf_fact_fold_stop(). */
enum wf_rc wf_fact_fold_start(struct wf_fact_fold *facts,
    struct wf_engine *engine, struct wf_error *err) WF_MUSTCHECK;
/* There may be something new. */
void wf_fact_fold_wake(struct wf_fact_fold *facts);
void wf_fact_fold_stop(struct wf_fact_fold *facts);

/* Reads up to the present end of the history; one thread at a time. */
enum wf_rc wf_fact_fold_read(struct wf_fact_fold *facts,
    struct wf_engine *engine, struct wf_error *err) WF_MUSTCHECK;

/*
 * Folds a step of a case that is in no store, without a checksum; the steps of
 * a case are folded in their order.
 */
enum wf_rc wf_fact_fold_step(struct wf_fact_fold *facts,
    const struct wf_spec *spec, const struct wf_history_row *step,
    struct wf_error *err) WF_MUSTCHECK;

/* Whether an allocator asks for the past. */
bool wf_fact_fold_are_needed(enum wf_allocator allocator);

/* Adds what is known of the participant and the items of the task. */
void wf_fact_fold_get(struct wf_fact_fold *facts, const struct wf_task *task,
    const char *participant, struct wf_work_facts *about);
/* Up to which position of the history; and how many own decisions count. */
uint64_t wf_fact_fold_position(struct wf_fact_fold *facts, size_t *own_out);

/* An item that was given to a participant in a batch of this node. */
struct wf_given {
	const struct wf_task *task;
	uint64_t number;   /* of the case */
	uint32_t net;	   /* serial number */
	uint32_t instance; /* 0: the enabled item */
	const char *participant;
	int64_t at;
};
/* Counts it from now on, until it is read, or after a minute never was. */
void wf_fact_fold_note(
    struct wf_fact_fold *facts, const struct wf_given *given);
/* Whatever was noted counts no longer. */
void wf_fact_fold_forget_own(struct wf_fact_fold *facts);

#endif
