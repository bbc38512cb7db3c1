/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands, events and stored bytes: everything that changes a case.
 *
 * wf_case_step() turns a command into events, or refuses it; a refused
 * command changes nothing.  It reads no clock, no file and no random source.
 * Events change a case in one way only (kernel/apply.c), in a step as well as
 * in wf_case_replay(), which rebuilds a case from its history.
 */
#ifndef WF_KERNEL_STEP_H
#define WF_KERNEL_STEP_H

#include <stdatomic.h>

#include "data/type.h"
#include "kernel/case.h"
#include "kernel/command.h"
#include "kernel/event.h"
#include "spec/spec.h"

/* The result of a command.  Made by wf_step_init(), used for many commands. */
struct wf_step {
	uint32_t magic;
	struct wf_buffer events; /* encoded */
	uint32_t event_count;
	struct wf_arena *arena; /* working memory of the step */
	bool has_worked;	/* the arena was used, so it must be reset */
	struct wf_or_memory *or_memory;
	struct wf_undo *undo; /* undoes a refused command */
	/*
	 * Set by the caller, for the steps that follow; 0: none of the three.
	 * The work that a step may do below the limits of the case, in query
	 * steps, into which tasks fired, events and searches are converted.
	 */
	uint64_t work_maximum;
	/* When it becomes true, the step soon ends with WF_LIMIT; or NULL. */
	const atomic_bool *cancelled;
	/*
	 * Where all mistakes in the data of a command go; or NULL.  With any,
	 * the step is refused with WF_DATA and the first of them.
	 */
	struct wf_mistakes *mistakes;
	/* The work of the last step, about. */
	uint64_t work;
	/*
	 * The last step was refused, perhaps only because of work_maximum: with
	 * more it might be possible.
	 */
	bool exceeded;
	/* Large values that were numbered in this step, ascending. */
	struct wf_value **large;
	size_t large_count;
	size_t large_capacity;
	/* START, SKIP, ADD: the id of the instance's item; else "". */
	char item[WF_ITEM_ID_SIZE];
};

#define WF_STEP_MAGIC 0x57665365U

void wf_step_init(struct wf_step *step);
void wf_step_free(struct wf_step *step);

/*
 * Launches a case of spec's root net.  id: 1 to 64 of [A-Za-z0-9_-].
 * command->data: the case data, its root named after the net or the
 * specification.  spec and limits (NULL: the defaults) must outlive the
 * case.  WF_DATA when the data does not fit; WF_LIMIT.  *case_out is freed
 * with wf_case_free(), also when it completed at once.
 */
enum wf_rc wf_case_launch(struct wf_case **case_out, const struct wf_spec *spec,
    const char *id, const struct wf_limits *limits,
    const struct wf_command *command, struct wf_step *step,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Performs the command, or refuses it and changes nothing: WF_NOT_FOUND (no
 * such item), WF_CONFLICT (not in this state), WF_INVALID (malformed), WF_DATA
 * (data does not fit its type, a query failed), WF_LIMIT, WF_BUG (an assertion
 * failed).
 */
enum wf_rc wf_case_step(struct wf_case *instance,
    const struct wf_command *command, struct wf_step *step,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Whether the status of an item allows the command: kernel/item_moves.def.
 * was_executing: a suspended one was suspended while it was executing.
 */
bool wf_item_allows(enum wf_item_status status, bool was_executing,
    enum wf_command_kind command);

void wf_case_free(struct wf_case **instance);
/* Replaces its limits (NULL: the defaults), which must outlive it. */
void wf_case_limit(struct wf_case *instance, const struct wf_limits *limits);

/* The time of its last step, in ms since 1970; it never decreases. */
int64_t wf_case_time(const struct wf_case *instance);
const struct wf_spec *wf_case_spec(const struct wf_case *instance);
/* Bytes of memory that the case holds. */
size_t wf_case_memory(const struct wf_case *instance);

/*
 * Appends the case as bytes: versioned, with a checksum, and the same bytes
 * for equal cases.  WF_LIMIT when it is too large.
 */
enum wf_rc wf_case_encode(const struct wf_case *instance,
    struct wf_buffer *bytes, struct wf_error *err) WF_MUSTCHECK;
/* WF_CORRUPT when the bytes are damaged or not of this specification. */
enum wf_rc wf_case_decode(struct wf_case **case_out, const struct wf_spec *spec,
    const struct wf_limits *limits, const void *bytes, size_t size,
    const struct wf_value_source *source, struct wf_error *err) WF_MUSTCHECK;

/*
 * Applies the events of one step to a case; *instance is NULL before the
 * first (which launches it).  now: the command's time.  On WF_CORRUPT the
 * case may be changed in part and is only good for wf_case_free().
 */
enum wf_rc wf_case_replay(struct wf_case **instance, const struct wf_spec *spec,
    const struct wf_limits *limits, int64_t now, const void *events,
    size_t size, const struct wf_value_source *source,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Calls visit with the id ("7.1:Task") of each OR-join that waits because it
 * could not be decided within a step.
 */
void wf_case_undecided(const struct wf_case *instance,
    void (*visit)(void *argument, const char *item), void *argument);
/*
 * Searches for the verdict on such an OR-join with a larger budget, for some
 * seconds at most, and appends the data for the command DECIDE.  Must not be
 * called within a step.  WF_LIMIT when the budget does not suffice.
 */
enum wf_rc wf_case_search(const struct wf_case *instance, const char *item,
    struct wf_buffer *answer, struct wf_error *err) WF_MUSTCHECK;

/*
 * Calls visit for each timer that runs, with the arguments of the command
 * EXPIRE: the item, the number (its data), and the time in ms since 1970 from
 * which the command is accepted.  A timer that runs from the enabling belongs
 * to the task: "7.1:Task", even when its instances have ids of their own.
 */
void wf_case_timers(const struct wf_case *instance,
    void (*visit)(
	void *argument, const char *item, uint32_t number, int64_t at),
    void *argument);
/* The alarms that ended in the last step, by their numbers; may be NULL. */
const uint32_t *wf_step_ended_alarms(
    const struct wf_step *step, size_t *count_out);
/*
 * Checks the invariants with full scans: derived counts equal recounted ones,
 * a task is offered exactly if it is enabled.  WF_BUG.  For tests.
 */
enum wf_rc wf_case_check(
    const struct wf_case *instance, struct wf_error *err) WF_MUSTCHECK;

#endif
