/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a case keeps about people; private to kernel/.  A block never changes: a
 * change replaces it.
 */
#ifndef WF_KERNEL_ASSIGNMENT_ASSIGNMENT_STATE_H
#define WF_KERNEL_ASSIGNMENT_ASSIGNMENT_STATE_H

#include "kernel/assignment/assignment.h"
#include "kernel/state.h"
#include "spec/timing.h"

struct assignment {
	struct wf_assignment seen; /* its texts are behind it */
	uint32_t size;		   /* of the block, in bytes */
	uint32_t returned_length;  /* with the NULs, without the last one */
	char text[];
};

/* Of the whole case. */
struct case_people {
	const char *chained;
	/* Pairs of task and participant, each text with its NUL. */
	const char *completers;
	uint32_t completers_length;
	uint32_t size;
	char text[];
};

/* What is done of a task by one participant. */
struct work_row {
	const struct wf_task *task;
	uint64_t items;	    /* that have ended */
	int64_t ms;	    /* from their starts to their ends */
	size_t size;	    /* of the row, in bytes */
	char participant[]; /* "": nobody who is known */
};

/* The work of the case that is done; its rows in order. */
struct case_work {
	uint32_t count;
	uint32_t capacity;
	struct work_row *rows[];
};

/* Of the item, or NULL. */
static inline struct assignment *wf_assignment_of(const struct target *target)
{
	const struct instance *instance = target->instance;

	return (instance == NULL ? &target->activity->first : instance)
	    ->assignment;
}

/* Whether a service has the item. */
static inline bool wf_assignment_is_served(const struct assignment *assignment)
{
	return assignment != NULL && assignment->seen.service[0] != '\0';
}

/* Replaces the urgency of an item. */
void wf_urgency_put(struct wf_case *c, struct assignment **slot,
    const struct wf_urgency *urgency);
/* That of an item whose assignment changes now to that status. */
struct wf_urgency wf_urgency_of(const struct wf_case *c,
    const struct assignment *before, enum wf_resource_status status);
/* Applies an event about the urgency of an item. */
bool wf_urgency_apply(struct wf_case *c, const struct wf_event *event,
    struct assignment **slot) WF_MUSTCHECK;
/* Behind the part about people; nothing where nothing is urgent. */
void wf_urgencies_encode(struct wf_buffer *bytes, const struct wf_case *c);
/* False: it is damaged. */
bool wf_urgencies_decode(
    struct wf_reader *reader, struct wf_case *c) WF_MUSTCHECK;
/* Calls visit for each live item that is for people. */
void wf_assignments_visit(const struct wf_case *c,
    void (*visit)(void *argument, struct net_instance *n,
	struct activity *activity, struct instance *instance,
	struct assignment **slot),
    void *argument);
/* The slot of an item; NULL: there is no such live item. */
struct assignment **wf_assignment_slot(
    struct wf_case *c, uint32_t serial, uint32_t task, uint32_t instance);

/* Puts a copy of an assignment of another case into the empty slot. */
void wf_assignment_copy(
    struct wf_case *c, struct assignment **slot, const struct assignment *from);
void wf_assignment_drop(struct wf_case *c, struct assignment **slot);
/* NULL: nothing any more. */
void wf_case_people_put(struct wf_case *c, const char *chained,
    const char *completers, size_t length);
void wf_case_people_drop(struct wf_case *c);

/* Applies an event; activity, instance (NULL: the enabled item): as named. */
bool wf_assignment_apply(struct wf_case *c, const struct wf_event *event,
    struct net_instance *n, struct activity *activity,
    struct instance *instance) WF_MUSTCHECK;

/* The part of an encoded case; nothing for a case without people. */
void wf_assignments_encode(struct wf_buffer *bytes, const struct wf_case *c);
/* False: it is damaged. */
bool wf_assignments_decode(
    struct wf_reader *reader, struct wf_case *c) WF_MUSTCHECK;

/* work_state.c: adds to what is done. */
void wf_work_add(struct wf_case *c, const struct wf_task *task,
    const char *participant, uint64_t items, int64_t ms);
/* Frees all of it, with its case. */
void wf_work_drop(struct wf_case *c);
/* Whether the instance of the task is an item that was started. */
bool wf_work_is_of(const struct wf_task *task, const struct instance *instance);
/* From its start to now; at least 0. */
int64_t wf_work_ms(const struct wf_case *c, const struct instance *instance);
/* Who does it; "": nobody who is known. */
const char *wf_work_participant(const struct instance *instance);
/* In front of the part about people; nothing where no work is counted. */
void wf_work_encode(struct wf_buffer *bytes, const struct wf_case *c);
/* False: it is damaged. */
bool wf_work_decode(struct wf_reader *reader, struct wf_case *c) WF_MUSTCHECK;

#endif
