/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One step in the making; private to engine/.
 *
 * A step emits events; each is applied as it is emitted, because later parts
 * of the step look at earlier ones.
 */
#ifndef WF_KERNEL_KERNEL_H
#define WF_KERNEL_KERNEL_H

#include "kernel/state.h"

struct step {
	struct wf_case *c;
	const struct wf_command *command;
	struct wf_step *out;
	struct wf_error *err;
	struct wf_evaluation how;
	uint64_t query_steps; /* left for the queries of this step */
	uint32_t firings;
	uint32_t logs; /* 1: the specification has log predicates */
};

/* Values of an item or a net on their way: borrowed references. */
struct values {
	struct wf_value **values; /* NULL entries: not there */
	size_t count;
};

void *wf_step_alloc(struct step *s, size_t size);
/* Gives the reference to the step: it is dropped when the step is over. */
struct wf_value *wf_step_own(struct step *s, struct wf_value *value);
/* Large values in the event get their numbers. */
void wf_emit(struct step *s, struct wf_event *event);
/* An event of a net and a task (or condition). */
void wf_emit_task(struct step *s, enum wf_event_kind kind,
    const struct net_instance *n, uint32_t task);
void wf_emit_instance(struct step *s, enum wf_event_kind kind,
    const struct net_instance *n, uint32_t task, uint32_t instance);

/* flow.c: firing, exit, and the step of a net. */
/* Gives the event the values that are there, numbered by their place. */
void wf_bind(
    struct step *s, const struct values *values, struct wf_event *event);
enum wf_rc wf_fire(
    struct step *s, struct net_instance *n, uint32_t task) WF_MUSTCHECK;
/*
 * Ends one instance with its output; when that ends the task, runs the
 * cancellation set and the split.
 */
enum wf_rc wf_complete(struct step *s, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    const struct values *output, enum wf_item_status status) WF_MUSTCHECK;
/* Exits the task when enough of its instances have completed. */
enum wf_rc wf_exit_when_done(struct step *s, struct net_instance *n,
    struct activity *activity) WF_MUSTCHECK;
/* Ends the items, sub-nets and instances of a busy task, and the task. */
void wf_cancel_task(struct step *s, struct net_instance *n,
    struct activity *activity, enum wf_item_status status);
/* Ends an instance's sub-net with all in it. */
void wf_cancel_subnet(
    struct step *s, struct net_instance *subnet, enum wf_item_status status);
/* Ends all that is live in a net: items, sub-nets; not the net itself. */
void wf_cancel_items(
    struct step *s, struct net_instance *n, enum wf_item_status status);
/* Whether nothing would happen in a net that goes on. */
static inline bool wf_is_settled(const struct net_instance *n)
{
	return n->dirty_end == 0 && n->busy_count > 0 &&
	       n->tokens[n->net->output_condition] == 0;
}
/* Goes on with a net, and with those around it when it finishes. */
enum wf_rc wf_advance(struct step *s, struct net_instance *n) WF_MUSTCHECK;

/* Goes on with all nets, the inner ones first. */
enum wf_rc wf_advance_all(struct step *s) WF_MUSTCHECK;

/* import.c: the launch of a case that was begun elsewhere. */
enum wf_rc wf_import(struct step *s) WF_MUSTCHECK;

/* mapping.c: data in and out. */
/* Puts the code of a query's error, where it has one, into its sentence. */
void wf_explain_code(struct step *s);
/* What queries see of a net's data. */
struct wf_document wf_net_document(const struct net_instance *n);
/* The conditions that the split of a task marks. */
enum wf_rc wf_evaluate_split(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const uint32_t **conditions_out,
    uint32_t *count_out) WF_MUSTCHECK;
/*
 * The input of one instance.  formal: the element of a multi-instance split,
 * or NULL.  *inputs_out is an array per input parameter.
 */
enum wf_rc wf_evaluate_inputs(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct wf_value *formal,
    struct values *inputs_out) WF_MUSTCHECK;
/* The elements of a multi-instance split, one per instance. */
enum wf_rc wf_evaluate_instances(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct values *formals_out) WF_MUSTCHECK;
enum wf_rc wf_evaluate_bound(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_bound *bound,
    uint32_t *number_out) WF_MUSTCHECK;
/* What an item that is enabled shows: its enablement parameters. */
enum wf_rc wf_evaluate_shown(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct wf_binding **shown_out,
    uint32_t *count_out) WF_MUSTCHECK;
/* The assignments that an instance's output makes, the collected element
 * (for the joiner) last. */
enum wf_rc wf_evaluate_outputs(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct values *output,
    struct wf_binding **results_out, uint32_t *count_out) WF_MUSTCHECK;
/* The joined element of the collected ones. */
enum wf_rc wf_evaluate_join(struct step *s, const struct wf_task *task,
    const struct activity *activity, struct wf_value *last,
    struct wf_value **value_out) WF_MUSTCHECK;

/* output.c: what a worker hands in. */
/* strict: everything must be there and fit; else what lacks is made up. */
enum wf_rc wf_read_output(struct step *s, const struct target *target,
    bool strict, struct values *output_out) WF_MUSTCHECK;
/* Makes the default output of an item. */
struct wf_value *wf_default_output(
    const struct wf_task *task, const struct instance *instance, size_t output);
enum wf_rc wf_check_value(struct step *s, const struct wf_spec *spec,
    const struct wf_type *type, const struct wf_value *value,
    const char *name) WF_MUSTCHECK;
/* Refuses what is given twice: the last binding, when one before it is of the
 * same variable. */
enum wf_rc wf_check_once(struct step *s, const struct wf_binding *bindings,
    size_t count) WF_MUSTCHECK;
/* Reads case data or an update: children that must be among the net's
 * variables; inputs_only: among its input parameters. */
enum wf_rc wf_read_variables(struct step *s, const struct wf_net *net,
    bool inputs_only, struct wf_binding **bindings_out,
    uint32_t *count_out) WF_MUSTCHECK;

/* log.c: the texts that the log gets with an event, which is not emitted yet.
 */
void wf_log(struct step *s, const struct wf_event *event);

/* or_search.c: the verdict of a longer search. */
enum wf_rc wf_or_decide(struct step *s) WF_MUSTCHECK;

/* item.c: the commands that name an item. */
enum wf_rc wf_item_command(struct step *s) WF_MUSTCHECK;
/* Skips all instances of the task, or the one that is named. */
enum wf_rc wf_skip_item(struct step *s, struct target *target) WF_MUSTCHECK;

/* timer.c: when time is up. */
/* Starts the task's timer if it begins there; instance 0: at the enabling. */
enum wf_rc wf_timer_start(struct step *s, const struct net_instance *n,
    uint32_t task, uint32_t instance) WF_MUSTCHECK;
/* Stops the timer of an item, or (instance NULL) the task's, if one runs. */
void wf_timer_stop(struct step *s, const struct net_instance *n,
    const struct activity *activity, const struct instance *instance);
/* The command EXPIRE. */
enum wf_rc wf_timer_expire(struct step *s) WF_MUSTCHECK;
/* Timers that ran out while something was suspended act now, in their order. */
enum wf_rc wf_timers_resume(struct step *s) WF_MUSTCHECK;

#endif
