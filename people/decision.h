/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions for the steps of cases: the calls of kernel/assignment/ answered
 * from an organisation and the rules of tasks.
 */
#ifndef WF_PEOPLE_DECISION_H
#define WF_PEOPLE_DECISION_H

#include "kernel/assignment/assignment.h"
#include "people/audience.h"
#include "people/distribution.h"

/* What decisions are made from; the pointers must outlive the calls. */
struct wf_deciding {
	const struct wf_organisation *organisation;
	const uint64_t *absent; /* participants; NULL: none */
	/*
	 * Takes those out of the absent whose work at the task a deputy does;
	 * NULL: nobody has one.
	 */
	void (*stand_in)(
	    void *context, const struct wf_task *task, uint64_t *absent);
	/* The participant to whom a task is piled; NULL: none. */
	const char *(*piled)(void *context, const struct wf_task *task);
	/*
	 * What is known of the participants and the items of a task, as far as
	 * the allocator asks for it; costs are known already.
	 */
	void (*facts)(void *context, const struct wf_task *task,
	    enum wf_allocator allocator, const char *participant,
	    struct wf_work_facts *facts_out);
	/*
	 * Called before facts(), with all participants that it may be asked
	 * for: false if what the allocator asks for cannot be read now; NULL:
	 * it can.
	 */
	bool (*gather)(void *context, enum wf_allocator allocator,
	    const uint64_t *participants);
	/*
	 * The allocator has chosen the participant.  What the choice was made
	 * from, in the arena: a text for the history, or NULL.
	 */
	const char *(*chosen)(void *context,
	    const struct wf_people_question *question,
	    enum wf_allocator allocator, const char *participant,
	    struct wf_arena *arena);
	/*
	 * The name of a set, as wf_people_set_name(), in the arena; NULL: it is
	 * computed each time.
	 */
	const char *(*name_set)(
	    void *context, const uint64_t *set, struct wf_arena *arena);
	/* An item is offered to the audience; NULL: nobody wants to know. */
	void (*offered)(void *context, const struct wf_audience *audience);
	/*
	 * Whether somebody or something that an item of the case with that key
	 * needs is free, and is the item's from now on; NULL: whatever is not
	 * busy in the case.
	 */
	bool (*take)(
	    void *context, uint64_t key, enum wf_org_kind kind, const char *id);
	bool blocks; /* an item waits until all that it needs is free */
	/* Who knows sets that were named before; NULL: nobody. */
	const struct wf_set_keeper *keeper;
	void *context;
};

/* The calls for a command; deciding must outlive them. */
struct wf_people_calls wf_deciding_calls(struct wf_deciding *deciding);

/* What is to be known of an item to say who may do what with it. */
struct wf_action_facts {
	const struct wf_organisation *organisation;
	const struct wf_task *task;
	enum wf_resource_status status;
	const char *holder;	 /* the participant who has it; "": nobody */
	const char *participant; /* who wants to do it; "": none */
	bool is_offered;	 /* to that participant; if it is offered */
	bool is_administrator;
	bool is_forced;	 /* whoever has it */
	bool drops_data; /* REALLOCATE */
};
/* The code of refusals that no other state of the item would change. */
#define WF_LACKS_PRIVILEGE "privilege"
/*
 * Whether the command may be given, as far as it depends on who gives it, not
 * on the state of the item.  WF_DENIED says why not.
 */
enum wf_rc wf_may_act(const struct wf_action_facts *facts,
    enum wf_command_kind command, struct wf_error *err) WF_MUSTCHECK;

/*
 * Whether it depends on the case, too, who may do what with an item of the
 * task: wf_people_calls.check knows.
 */
bool wf_people_asks_case(const struct wf_task *task);

/*
 * As wf_may_act(), for getting further items of the task started
 * (worklist/piles.h): by whoever has an allocated item of it, with the
 * privilege canPile.
 */
enum wf_rc wf_may_pile(
    const struct wf_action_facts *facts, struct wf_error *err) WF_MUSTCHECK;

/* What a participant has on the own list, of which user privileges depend. */
struct wf_workload {
	const char *started;   /* an item that is started; NULL: none is */
	const char *allocated; /* the oldest that is allocated; NULL: none is */
};
/* Whether wf_may_begin() depends on what else the participant has. */
bool wf_needs_workload(
    const struct wf_organisation *organisation, uint32_t participant);
/*
 * Whether user privileges let the participant start the item now: another one
 * beside a started one with canStartConcurrent; an allocated one that is not
 * the oldest with canChooseItemToStart or canReorder.  WF_DENIED says why not.
 */
enum wf_rc wf_may_begin(const struct wf_organisation *organisation,
    uint32_t participant, const struct wf_workload *workload, const char *item,
    bool is_allocated, struct wf_error *err) WF_MUSTCHECK;
/* Whether they let the participant chain a case. */
enum wf_rc wf_may_chain(const struct wf_organisation *organisation,
    uint32_t participant, struct wf_error *err) WF_MUSTCHECK;

/* Whether the participant has the privilege for items of the task. */
bool wf_has_task_privilege(const struct wf_organisation *organisation,
    const struct wf_task *task, enum wf_task_privilege privilege,
    uint32_t participant);

#endif
