/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Migration: a running case goes on as a case of another specification.
 *
 * A migration says where everything in a net goes: its tokens, busy tasks,
 * sub-nets, timers and variables.  Elements go to those with the same id,
 * implicit conditions to the one between the same tasks; rows of a plan say
 * otherwise.  What has nowhere to go is a problem, and a case with a problem
 * stays as it is.
 *
 *   wf_case_step(MIGRATE)   what the plan leaves behind, and enabled items that
 *                           the new task would offer otherwise, are ended
 *   wf_case_migrate()       makes the case of the other specification, whose
 *                           first event, CASE_MIGRATED, has its whole state;
 *                           it goes on as after any step
 *
 * An item that is not started is kept if its task is as before for whoever
 * does it: the same service, or people, the same enablement parameters, with
 * or without a timer.  Started items, and their timers, always are.
 */
#ifndef WF_KERNEL_CHANGE_MIGRATE_H
#define WF_KERNEL_CHANGE_MIGRATE_H

#include "kernel/step.h"

enum wf_migration_kind {
	WF_MIGRATION_NET = 1, /* from and to are ids of nets */
	WF_MIGRATION_TASK,
	WF_MIGRATION_CONDITION,
	WF_MIGRATION_VARIABLE
};

#define WF_MIGRATION_LAST WF_MIGRATION_VARIABLE

struct wf_migration_row {
	enum wf_migration_kind kind;
	const char *net; /* the id of the net that has it; NET: not read */
	const char *from;
	const char *to; /* NULL: it is left behind */
};

/*
 * Begins the data of a plan.  target: the key of the other specification;
 * reoffers: no item of people is kept unstarted.
 */
void wf_migration_begin(struct wf_buffer *data, uint64_t target, bool reoffers);
/* The key in the data of a plan; 0: it is no plan. */
uint64_t wf_migration_target_key(const char *data, size_t length);
void wf_migration_put(
    struct wf_buffer *data, const struct wf_migration_row *row);

struct wf_migration; /* from one specification to another; never changes */

/*
 * data: of a plan; both specifications must outlive the result.  WF_INVALID
 * when a row names what there is not, or two rows the same thing.
 */
enum wf_rc wf_migration_new(struct wf_migration **migration_out,
    const struct wf_spec *from, const struct wf_spec *to, const char *data,
    size_t length, struct wf_error *err) WF_MUSTCHECK;
void wf_migration_free(struct wf_migration **migration);

/* What a task of the old specification is in the other one; NULL: nothing. */
const struct wf_task *wf_migration_task(const struct wf_migration *migration,
    const struct wf_net *net, const struct wf_task *task);

/* Why a case cannot go on; valid during the visit. */
struct wf_migration_problem {
	const char *net;  /* the id of the net instance: "7.1" */
	const char *kind; /* "condition", "task", "net", "timer", "variable" */
	const char *element; /* its id or name */
	const char *text;    /* one sentence, without a full stop */
};

typedef void (*wf_migration_problem_f)(
    void *context, const struct wf_migration_problem *problem);

/* All problems of the case; returns how many.  visit may be NULL. */
size_t wf_migration_check(const struct wf_migration *migration,
    const struct wf_case *instance, wf_migration_problem_f visit,
    void *context);

/*
 * Makes the case of the other specification from one that made the step
 * MIGRATE with the same migration.  The step's events are those of the new
 * case.  Errors as those of wf_case_step().  The case that was left does not
 * change; *case_out is freed with wf_case_free().
 */
enum wf_rc wf_case_migrate(const struct wf_case *left,
    const struct wf_migration *migration, const struct wf_command *command,
    struct wf_step *step, struct wf_case **case_out,
    struct wf_error *err) WF_MUSTCHECK;

#endif
