/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a case; private to kernel/.
 *
 * A case is a tree of net instances.  A net instance has a token count per
 * condition and an activity per task that is offered (as an enabled item) or
 * busy.  Two things are derived and not encoded: per task the number of inputs
 * without a token ("missing"), and the set of tasks that the next step must
 * examine ("dirty").
 *
 * A task, in a net instance:
 *
 *            apply_task_enabled()      apply_task_fired()
 *            TASK_ENABLED              TASK_FIRED
 *   (none) -----------------> offered ------------------> busy
 *      ^  |                    |                          ^ |
 *      |  |  TASK_WITHDRAWN    |                          | |
 *      +--|--------------------+      TASK_FIRED          | |
 *      |  +-----------------------------------------------+ |
 *      +----------------------------------------------------+
 *            TASK_EXITED, TASK_CANCELLED
 */
#ifndef WF_KERNEL_STATE_H
#define WF_KERNEL_STATE_H

#include "base/bitset.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/panic.h"
#include "kernel/step.h"
#include "kernel/undo.h"
#include "kernel/view.h"

struct timer {
	int64_t at; /* when it expires, ms since 1970; 0: it does not run */
	uint32_t number; /* unique in the case; 0: acts with the task's */
	bool due;	 /* expired while suspended; acts at resume */
};

/* One instance of a busy task: a work item, or a sub-net. */
struct instance {
	uint32_t number; /* the last part of its case id */
	uint8_t status;	 /* enum wf_item_status; ended instances stay listed */
	uint8_t suspended_from;
	int64_t started_at;
	struct timer timer;	     /* runs while it executes */
	struct net_instance *subnet; /* of a composite task, while it runs */
	struct wf_value **inputs;    /* per input parameter; NULL: no value */
	/*
	 * NULL: it is not for people.  In the first instance of an activity
	 * that is offered: that of the enabled item, which it takes over.
	 */
	struct assignment *assignment;
};

struct activity {
	uint32_t task;
	bool busy;	/* else offered */
	bool suspended; /* whether the enabled item is suspended */
	uint32_t choice;
	int64_t enabled_at;
	int64_t fired_at;
	struct timer timer; /* runs from the enabling */
	/* These two share a word of the undo log. */
	uint32_t instance_count;
	uint32_t active_count;	  /* instances that have not ended */
	uint32_t completed_count; /* instances that completed */
	uint32_t instance_capacity;
	struct instance *instances; /* ascending by number */
	/*
	 * Busy, with several instances: results of ended instances, used at
	 * the exit.  Offered: values of the enablement parameters.
	 */
	uint32_t result_count;
	uint32_t result_capacity;
	struct wf_binding *results;
	struct instance first; /* instances points here while there is one */
};

struct or_state;
struct wf_or_memory;
struct assignment; /* these two are in assignment/assignment_state.h */
struct case_people;
struct case_work; /* in assignment/assignment_state.h, too */

struct net_instance {
	const struct wf_net *net;
	struct net_instance *parent; /* NULL: the root net */
	uint32_t parent_task;
	uint32_t number; /* the last part of its id; not used for the root */
	uint32_t serial; /* unique in the case, ascending */
	uint32_t last_child; /* highest number of an instance of the net */
	/* These two share a word of the undo log, and so do the next two. */
	uint32_t busy_count;
	uint32_t offered_count;
	uint64_t *lost;		   /* see wf_limits.cancelled_stays_busy */
	struct or_state *or_state; /* NULL: the net has no OR-join */
	uint8_t *timers;    /* enum wf_timer_state per task; NULL: no timers */
	uint32_t dirty_low; /* the lowest number of a dirty task */
	uint32_t dirty_end; /* one more than the highest; 0: no task is dirty */
	uint16_t depth;
	bool ended;
	bool stuck;
	/* Arrays after the struct. */
	struct activity **activities; /* per task */
	struct wf_value **variables;  /* per net variable */
	uint64_t *dirty;	      /* set of tasks */
	uint32_t *tokens;	      /* per condition */
	uint32_t *missing; /* per task: conditions of its preset not marked */
};

struct wf_case {
	uint32_t magic;
	uint8_t id_length;
	uint8_t status; /* enum wf_case_status */
	uint32_t last_serial;
	uint32_t last_choice;
	uint32_t last_value;
	uint32_t last_timer;
	uint32_t net_count;
	uint32_t assignment_count; /* of items that are for people */
	uint32_t busy_count;	   /* of them: that keep others busy */
	uint32_t served_count;	   /* of them: that a service has */
	int64_t now;		   /* of the last command */
	size_t memory;
	/* run() copies all members above: changing them needs no undo entry. */
	const struct wf_spec *spec;
	const struct wf_limits *limits;
	uint32_t net_capacity;
	bool own_nets;		    /* the running step has copied the array */
	struct net_instance **nets; /* live nets, ascending by serial */
	struct net_instance *root;  /* kept to the end, for its data */
	struct case_people *people; /* NULL: nothing about people is kept */
	struct case_work *work;	    /* NULL: none is done, or none is counted */
	uint32_t last_alarm;	    /* how many alarms were set in the case */
	struct wf_or_memory *or_memory; /* of the running step, or NULL */
	struct wf_undo *undo;		/* of the running step, or NULL */
	char id[WF_CASE_NAME_BYTES + 1];
};

#define WF_CASE_MAGIC 0x57664361U

/* The number, among results, of the element collected for the joiner. */
#define WF_COLLECTED UINT32_MAX

/* state.c: finding things. */
/* The position of the net with the serial, or its insertion position. */
uint32_t wf_net_position(const struct wf_case *c, uint32_t serial);
struct net_instance *wf_subnet_by_serial(
    const struct wf_case *c, uint32_t serial);
static inline struct net_instance *wf_net_instance(
    const struct wf_case *c, uint32_t serial)
{
	return serial == WF_ROOT_NET ? c->root : wf_subnet_by_serial(c, serial);
}
struct instance *wf_activity_instance(
    const struct activity *activity, uint32_t number);
/*
 * The net at a path, which is its id without that of the case ("1.2", "": the
 * root); around: the net around it.  *last_out: the last number of the path.
 * NULL: there is no such net.
 */
struct net_instance *wf_net_by_path(
    const struct wf_case *c, const char *path, bool around, uint32_t *last_out);
/* The net with that id ("7.1"); NULL: there is none. */
struct net_instance *wf_net_by_id(const struct wf_case *c, const char *id);
/* "7.1.2"; with instance > 0 one more part. */
void wf_net_case_id(const struct wf_case *c, const struct net_instance *n,
    uint32_t instance, char id_out[WF_CASE_ID_SIZE]);
static inline const struct wf_task *wf_task_of(
    const struct net_instance *n, uint32_t task)
{
	return &n->net->tasks[task];
}
/* Necessary for the join: all inputs marked (AND), or one (XOR, OR). */
static inline bool wf_task_has_inputs(
    const struct net_instance *n, uint32_t task)
{
	const struct wf_task *t = wf_task_of(n, task);

	return n->missing[task] < (t->join == WF_AND ? 1 : t->preset_count);
}
/* The additional test in nets with OR-joins, for a task that has its inputs. */
bool wf_task_passes(const struct net_instance *n, uint32_t task);

/* Whether the task may fire. */
static inline bool wf_task_is_enabled(
    const struct net_instance *n, uint32_t task)
{
	const struct activity *activity = n->activities[task];

	return !n->ended && (activity == NULL || !activity->busy) &&
	       wf_task_has_inputs(n, task) &&
	       ((n->or_state == NULL && n->lost == NULL) ||
		   wf_task_passes(n, task));
}

/* The objects that the id of a work item names. */
struct target {
	struct net_instance *net;
	struct activity *activity;
	struct instance *instance; /* NULL: the enabled item */
	const struct wf_task *task;
};

/* any: an id without an instance may name a busy task, too. */
enum wf_rc wf_find_item(const struct wf_case *c, const char *id, bool any,
    struct target *target_out, struct wf_error *err) WF_MUSTCHECK;
/* view.c: the item of an instance; NULL: the enabled one. */
void wf_describe_item(const struct wf_case *c, const struct net_instance *n,
    const struct activity *activity, const struct instance *instance,
    struct wf_item *item);
/* memory.c: the building blocks of apply.c. */
static inline void *wf_state_alloc(struct wf_case *c, size_t size)
{
	size = (size + 7) & ~(size_t)7;
	c->memory += size;
	return wf_undo_alloc(c->undo, size);
}
static inline void wf_state_free(struct wf_case *c, void *memory, size_t size)
{
	if (memory == NULL)
		return;
	size = (size + 7) & ~(size_t)7;
	c->memory -= size;
	wf_undo_release(c->undo, memory, size);
}
/* Makes the slot refer to value (NULL: to none). */
void wf_put_value(
    struct wf_case *c, struct wf_value **slot, struct wf_value *value);
void wf_drop_instance_data(
    struct wf_case *c, const struct wf_task *task, struct instance *instance);
void wf_drop_results(struct wf_case *c, struct activity *activity);
void wf_drop_activity(
    struct wf_case *c, struct net_instance *n, struct activity *activity);
/* Removes all tokens and activities from a net; the variables stay. */
void wf_empty_net(struct wf_case *c, struct net_instance *n);
struct wf_case *wf_case_new(const struct wf_spec *spec, const char *id,
    size_t id_length, const struct wf_limits *limits);
struct net_instance *wf_net_new(struct wf_case *c, const struct wf_net *net,
    struct net_instance *parent, uint32_t parent_task, uint32_t number,
    uint32_t serial);
void wf_net_free(struct wf_case *c, struct net_instance *n);
/*
 * Makes the next step examine the task.  Not saved in the undo log, because
 * examining a task without need does not change it.
 */
static inline void wf_set_dirty(struct net_instance *n, uint32_t task)
{
	wf_bitset_add(n->dirty, task);
	if (task < n->dirty_low || n->dirty_end == 0)
		n->dirty_low = task;
	if (task >= n->dirty_end)
		n->dirty_end = task + 1;
}
void wf_mark(struct wf_case *c, struct net_instance *n, uint32_t condition,
    uint32_t tokens);
/*
 * Takes or puts one token; false: there is no token, or the limit is reached.
 */
bool wf_take_tokens(struct wf_case *c, struct net_instance *n,
    const uint32_t *conditions, uint32_t count) WF_MUSTCHECK;
bool wf_put_tokens(struct wf_case *c, struct net_instance *n,
    const uint32_t *conditions, uint32_t count) WF_MUSTCHECK;

/* apply.c: the only code that changes a case, apart from undo and decoding. */
/* False: the event does not fit the state. */
bool wf_apply(struct wf_case *c, const struct wf_event *event) WF_MUSTCHECK;

#endif
