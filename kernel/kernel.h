/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step that is running, and the functions that it consists of; private to
 * kernel/.
 *
 *   kernel.c ----> item.c <----> flow.c <----> timer.c     (one circle)
 *    |     |          |             |
 *    |     |          +--> mapping.c, output.c  (data in and out)
 *    |     +--> import.c            |
 *    +-------------> emit.c <-------+
 *                      +--> log.c, apply.c
 */
#ifndef WF_KERNEL_KERNEL_H
#define WF_KERNEL_KERNEL_H

#include "kernel/assignment/assignment.h"
#include "kernel/state.h"

/* The set begins as what the specification asks for. */
enum {
	STEP_LOGS = WF_ASKS_LOGS,
	STEP_COUNTS_WORK = WF_ASKS_COSTS,
	STEP_RELEASES = 4 /* something is busy with an item */
};

struct step {
	struct wf_case *c;
	const struct wf_command *command;
	struct wf_step *out;
	struct wf_error *err;
	struct wf_evaluation how;
	uint64_t query_steps; /* remaining for the queries of this step */
	uint32_t firings_left;
	uint32_t logs; /* set of STEP_..: what events may make known */
};

/* Values in or out of an item or net: borrowed references. */
struct values {
	struct wf_value **values; /* NULL: no value */
	size_t count;
};

/* step_memory.c */
/* Zeroed memory that lives until the next step. */
void *wf_step_alloc(struct step *s, size_t size);
/* Passes the reference to the step, which drops it at its end. */
struct wf_value *wf_step_own(struct step *s, struct wf_value *value);

/* emit.c */
/*
 * Encodes and applies the event.  Large values in it get their numbers, so
 * event->values may change.
 */
void wf_emit(struct step *s, struct wf_event *event);
/* An event of a net and a task (or condition). */
void wf_emit_task(struct step *s, enum wf_event_kind kind,
    const struct net_instance *n, uint32_t task);
void wf_emit_instance(struct step *s, enum wf_event_kind kind,
    const struct net_instance *n, uint32_t task, uint32_t instance);

/* flow.c: firing, exit, and the step of a net. */
/*
 * Adds the values that are not NULL to the event, with their index as number.
 */
void wf_bind(
    struct step *s, const struct values *values, struct wf_event *event);
enum wf_rc wf_fire(
    struct step *s, struct net_instance *n, uint32_t task) WF_MUSTCHECK;
/*
 * Ends one instance with its output.  If that ends the task, executes the
 * cancellation set and the split.
 */
enum wf_rc wf_complete(struct step *s, struct net_instance *n,
    struct activity *activity, struct instance *instance,
    const struct values *output, enum wf_item_status status) WF_MUSTCHECK;
/* Exits the task when enough of its instances have completed. */
enum wf_rc wf_exit_when_done(struct step *s, struct net_instance *n,
    struct activity *activity) WF_MUSTCHECK;
/* Ends the sub-net of an instance, with everything in it. */
void wf_cancel_subnet(
    struct step *s, struct net_instance *subnet, enum wf_item_status status);
/* Ends the items, sub-nets and instances of a busy task, and the task. */
void wf_cancel_task(struct step *s, struct net_instance *n,
    struct activity *activity, enum wf_item_status status);
/* Ends an enabled item. */
void wf_withdraw(struct step *s, struct net_instance *n, uint32_t task,
    enum wf_item_status status);
/*
 * Ends the enabled items whose tasks are no longer enabled: in a suspended
 * case, which does not go on.
 */
void wf_withdraw_disabled(struct step *s);
/* Ends all items and sub-nets of a net, but not the net itself. */
void wf_cancel_items(
    struct step *s, struct net_instance *n, enum wf_item_status status);
/* Whether wf_advance() would do nothing in the net. */
static inline bool wf_is_settled(const struct net_instance *n)
{
	return n->dirty_end == 0 && n->busy_count > 0 &&
	       n->tokens[n->net->output_condition] == 0;
}
/* Continues a net until it is settled, and outer nets when the net ends. */
enum wf_rc wf_advance(struct step *s, struct net_instance *n) WF_MUSTCHECK;

/* Continues all nets, the inner ones first. */
enum wf_rc wf_advance_all(struct step *s) WF_MUSTCHECK;

/* import.c: the launch of a case that was begun elsewhere. */
enum wf_rc wf_import(struct step *s) WF_MUSTCHECK;

/* change/repair.c: the command REPAIR. */
enum wf_rc wf_repair(struct step *s) WF_MUSTCHECK;
/* WF_CONFLICT: the net has neither a token nor a busy task. */
enum wf_rc wf_check_is_marked(
    const struct step *s, const struct net_instance *n) WF_MUSTCHECK;

/* change/migrate_case.c: the command MIGRATE, for the case that is left. */
enum wf_rc wf_migrate(struct step *s) WF_MUSTCHECK;
/* kernel.c: the first step of the case that was made, with its state. */
enum wf_rc wf_case_arrive(struct wf_case *made,
    const struct wf_command *command, const struct wf_buffer *state,
    struct wf_step *step, struct wf_error *err) WF_MUSTCHECK;

/* mapping.c: data in and out. */
/* Prefixes the message of a failed query with its error code, if any. */
void wf_explain_code(struct step *s);
/* The document for queries over the data of a net. */
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
/* The enablement parameters of an item that was enabled. */
enum wf_rc wf_evaluate_shown(struct step *s, const struct net_instance *n,
    const struct wf_task *task, struct wf_binding **shown_out,
    uint32_t *count_out) WF_MUSTCHECK;
/*
 * The assignments by the output of an instance, and the collected element (for
 * the joiner) last.
 */
enum wf_rc wf_evaluate_outputs(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct values *output,
    struct wf_binding **results_out, uint32_t *count_out) WF_MUSTCHECK;
/* The element that the joiner makes of the collected elements. */
enum wf_rc wf_evaluate_join(struct step *s, const struct wf_task *task,
    const struct activity *activity, struct wf_value *last,
    struct wf_value **value_out) WF_MUSTCHECK;

/* output.c: data from outside. */
/* strict: the output must be complete and valid; else defaults are used. */
enum wf_rc wf_read_output(struct step *s, const struct target *target,
    bool strict, struct values *output_out) WF_MUSTCHECK;
/* The default value of output parameter number output; a new reference. */
struct wf_value *wf_default_output(
    const struct wf_task *task, const struct instance *instance, size_t output);
enum wf_rc wf_check_value(struct step *s, const struct wf_spec *spec,
    const struct wf_type *type, const struct wf_value *value,
    const char *name) WF_MUSTCHECK;
/* The same for a variable, with the document that it refers to. */
enum wf_rc wf_check_variable(struct step *s, const struct wf_spec *spec,
    const struct wf_variable *variable,
    const struct wf_value *value) WF_MUSTCHECK;
/* Refuses the last binding if an earlier binding has the same variable. */
enum wf_rc wf_check_once(struct step *s, const struct wf_binding *bindings,
    size_t count) WF_MUSTCHECK;
/*
 * Reads case data or an update: children named after variables of the net;
 * inputs_only: after its input parameters.
 */
enum wf_rc wf_read_variables(struct step *s, const struct wf_net *net,
    bool inputs_only, struct wf_binding **bindings_out,
    uint32_t *count_out) WF_MUSTCHECK;

/* log.c: emits the log texts of an event that is about to be emitted. */
void wf_log(struct step *s, const struct wf_event *event);

/* or_join/or_join_command.c: the command DECIDE. */
enum wf_rc wf_or_decide(struct step *s) WF_MUSTCHECK;

/* item.c: commands that name an item. */
enum wf_rc wf_item_command(struct step *s) WF_MUSTCHECK;
/* Skips all instances of the task, or the instance that target names. */
enum wf_rc wf_skip_item(struct step *s, struct target *target) WF_MUSTCHECK;

/* assignment/assignment_step.c: items that are for people. */
/* Decides about an item that was enabled; NULL: it is not to be started now. */
struct wf_people_answer *wf_people_enabled(
    struct step *s, struct net_instance *n, uint32_t task);
/* Whether an executing item can be started again, for its new holder. */
bool wf_people_may_take(const struct step *s, const struct target *target);
/* Starts it, as the decision says. */
enum wf_rc wf_people_start(struct step *s, struct net_instance *n,
    uint32_t task, const struct wf_people_answer *answer) WF_MUSTCHECK;
/* Decides about an instance that is Fired. */
enum wf_rc wf_people_created(struct step *s, struct net_instance *n,
    uint32_t task, uint32_t number) WF_MUSTCHECK;
/*
 * Whether the command may be given, as far as it concerns people; emits who
 * starts, completes or skips the item, before that happens.
 */
enum wf_rc wf_people_before(
    struct step *s, const struct target *target) WF_MUSTCHECK;
/*
 * Before an event that ends the work of somebody on an item: says that what was
 * busy with it is free.
 */
void wf_people_release(struct step *s, const struct wf_event *event);
/* A command that is only about people. */
enum wf_rc wf_people_command(
    struct step *s, struct target *target) WF_MUSTCHECK;
/* What a question says of the item. */
struct wf_people_question wf_people_ask(const struct step *s,
    const struct target *target, enum wf_people_subject subject,
    struct wf_item *item);
/* Emits what was decided, but for the start of the item. */
void wf_people_emit_answer(struct step *s, const struct target *target,
    const struct wf_people_answer *answer);
/* The command UNCHAIN. */
enum wf_rc wf_people_unchain(struct step *s) WF_MUSTCHECK;

/* assignment/cost_step.c: what work costs. */
/*
 * What a predicate of a task that exits asks for, as a text; "0" when nobody
 * knows rates.  WF_LIMIT.
 */
enum wf_rc wf_price_cost(struct step *s, const struct net_instance *n,
    const struct wf_task *task, const struct wf_cost *cost,
    const char **amount_out, bool *is_known_out) WF_MUSTCHECK;

/* assignment/urgency_step.c: priority, due time, alarms. */
/* Decides about a new item; sets its alarm. */
void wf_urgency_begin(struct step *s, const struct target *target);
/* Sets or stops the alarm of an item, as it is now. */
void wf_alarm_set(struct step *s, const struct target *target);
/* Sets the alarms of items that are no longer suspended. */
void wf_alarms_resume(struct step *s);
/* The command ALARM. */
enum wf_rc wf_alarm_ring(struct step *s) WF_MUSTCHECK;
/* The command RESCHEDULE. */
enum wf_rc wf_urgency_change(
    struct step *s, const struct target *target) WF_MUSTCHECK;

/* timer.c */
/*
 * Starts the timer if its trigger is the start of the instance (0: enabling).
 */
enum wf_rc wf_timer_start(struct step *s, const struct net_instance *n,
    uint32_t task, uint32_t instance) WF_MUSTCHECK;
/* Stops the timer of an item, or (instance NULL) the task's, if one runs. */
void wf_timer_stop(struct step *s, const struct net_instance *n,
    const struct activity *activity, const struct instance *instance);
/* The command EXPIRE. */
enum wf_rc wf_timer_expire(struct step *s) WF_MUSTCHECK;
/* Timers that expired during a suspension act now, in order of their times. */
enum wf_rc wf_timers_resume(struct step *s) WF_MUSTCHECK;

#endif
