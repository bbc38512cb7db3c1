/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What moves a case: commands, events, bytes.
 *
 * wf_case_step() reads no clock, no file and no random source: it turns a
 * command into events, or refuses; a refused command changes nothing.
 * wf_case_replay() is the only way events change a case, in a step and when a
 * case is rebuilt from its history.
 */
#ifndef WF_KERNEL_STEP_H
#define WF_KERNEL_STEP_H

#include "kernel/case.h"
#include "kernel/command.h"
#include "kernel/event.h"
#include "spec/spec.h"

/* What a command did.  Made by wf_step_init(), used for many commands. */
struct wf_step {
	struct wf_buffer events; /* encoded */
	uint32_t event_count;
	struct wf_arena *arena; /* working memory, emptied when it was used */
	bool has_worked;	/* it was */
	struct wf_or_memory *or_memory;
	struct wf_undo *undo; /* what takes a refused command back */
	/* Large values that got their number in this step, ascending. */
	struct wf_value **large;
	size_t large_count;
	size_t large_capacity;
	/* START, SKIP, ADD: the instance's item; else "". */
	char item[WF_ITEM_ID_SIZE];
};

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
 * Does what command says, or refuses: WF_NOT_FOUND (no such item),
 * WF_CONFLICT (not in this state), WF_INVALID (malformed), WF_DATA (does not
 * fit its type, a query failed), WF_LIMIT, WF_BUG (an assertion failed).
 */
enum wf_rc wf_case_step(struct wf_case *instance,
    const struct wf_command *command, struct wf_step *step,
    struct wf_error *err) WF_MUSTCHECK;

void wf_case_free(struct wf_case **instance);

/* The time of its last step, which never goes backwards. */
int64_t wf_case_time(const struct wf_case *instance);
const struct wf_spec *wf_case_spec(const struct wf_case *instance);
/* Bytes of memory that the case holds. */
size_t wf_case_memory(const struct wf_case *instance);

/*
 * The case as bytes: versioned, checksummed, the same for equal cases.
 * WF_LIMIT when it is too large.
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
 * Searches longer for the verdict on such an OR-join, outside any step, for
 * some seconds at most, and appends what the command DECIDE takes as its
 * data.  WF_LIMIT when even that does not decide it.
 */
enum wf_rc wf_case_search(const struct wf_case *instance, const char *item,
    struct wf_buffer *answer, struct wf_error *err) WF_MUSTCHECK;

/*
 * Calls visit for each timer that runs: the item that EXPIRE names, the number
 * that may be its data, and the time from which it may be given.  A timer that
 * runs from the enabling on is the task's: "7.1:Task", also when its instances
 * have ids of their own.
 */
void wf_case_timers(const struct wf_case *instance,
    void (*visit)(
	void *argument, const char *item, uint32_t number, int64_t at),
    void *argument);
/*
 * Checks what must hold always: derived counts equal recounted ones, an item
 * is enabled exactly when a full scan of its net says so.  WF_BUG.  For tests.
 */
enum wf_rc wf_case_check(
    const struct wf_case *instance, struct wf_error *err) WF_MUSTCHECK;

#endif
