/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items and people: who an item is offered to, who has it, who does it.
 *
 * The kernel keeps the state and its events.  It knows participants as opaque
 * ids and asks for every decision: the command brings the functions, like the
 * clock.  A decision is an event, so a replay asks nobody.
 *
 * The state of an item that is for people:
 *
 *              ask(): new, given back, offered by an administrator
 *   (none) ------> UNOFFERED --OFFER--> OFFERED --ACCEPT--> ALLOCATED
 *                     |  ALLOCATE          |                  |  ^ DELEGATE
 *                     +--------------------|----------------->|--+
 *                     +--------START-------+------START-------+
 *                                          v
 *                                       STARTED --+
 *                                          ^      | REALLOCATE
 *                                          +------+
 *
 * START of an executing item, which was given to others, changes its holder
 * only.
 *
 * DEALLOCATE leads from ALLOCATED to a new decision, and a forced OFFER or
 * ALLOCATE or START from any state to theirs.
 *
 * REDIRECT gives an item that is not started to a service: it is as if its task
 * named that service, until DISTRIBUTE or a forced command brings it back.
 */
#ifndef WF_KERNEL_ASSIGNMENT_ASSIGNMENT_H
#define WF_KERNEL_ASSIGNMENT_ASSIGNMENT_H

#include "kernel/case.h"

struct wf_arena;

enum wf_resource_status {
	WF_RESOURCE_NONE, /* the item is not for people */
	WF_RESOURCE_UNOFFERED,
	WF_RESOURCE_OFFERED,
	WF_RESOURCE_ALLOCATED,
	WF_RESOURCE_STARTED
};

/* "Unoffered" and so on; "Unresourced" for WF_RESOURCE_NONE. */
const char *wf_resource_status_name(enum wf_resource_status status);

/*
 * Whether the command can be given for an item in that status: NULL, or in
 * words the states from which it can be given.  by_participant: one gives it;
 * others are held by the status of the item alone, if it is not about people.
 */
const char *wf_assignment_need(enum wf_command_kind command,
    enum wf_resource_status status, bool by_participant);

/* The number of an alarm has in it the step of the rules that it is for. */
#define WF_ALARM_STEPS 32U
#define WF_ALARM_STEP(alarm) ((alarm) % WF_ALARM_STEPS)

/*
 * How urgent an item is, and what is to be done about it next.  Times are
 * milliseconds since 1970, UTC; 0: there is none.
 */
struct wf_urgency {
	bool is_kept;	   /* false: nothing was decided, all else is 0 */
	uint32_t priority; /* 0 to 100 */
	int64_t due_at;
	int64_t begun_at; /* since when the item is for people */
	int64_t since;	  /* since when it has its status */
	uint32_t alarm;	  /* the number of the one that is set; 0: none */
	int64_t alarm_at;
	/* The last step of the rules that was done or is passed over. */
	int64_t done_at;
	uint32_t done_step;
};

/* Of a live item; the texts live until the next step. */
struct wf_assignment {
	enum wf_resource_status status;
	const char *holder;   /* the participant who has it; "": nobody */
	const char *audience; /* who it is offered to, as it was decided; "" */
	const char
	    *returned; /* who gave it back: ids with their NULs, then "" */
	/* What it needs beside its participant, if not what its task says. */
	const char *needs; /* "": as the task says */
	/* What is busy with it: as the call occupy() gave it; "": nothing */
	const char *busy;
	/* The URI of the service that has it; then all else is nothing. */
	const char *service;
	struct wf_urgency urgency;
};

/* Why an item was allocated or started. */
enum wf_assignment_cause {
	WF_CAUSE_SYSTEM,	/* an allocator has chosen */
	WF_CAUSE_ACCEPTED,	/* the participant has */
	WF_CAUSE_ADMINISTRATOR, /* an administrator has given it */
	WF_CAUSE_DELEGATED,
	WF_CAUSE_REALLOCATED,
	WF_CAUSE_CHAINED, /* the case is chained to the participant */
	WF_CAUSE_PILED,	  /* the task is piled to the participant */
	WF_CAUSE_ROLLED_BACK,
	WF_ASSIGNMENT_CAUSES
};

/* The number of ITEM_PASSED_ON. */
enum wf_passed_on {
	WF_PASSED_ON_DELEGATED,
	WF_PASSED_ON_WITHOUT_DATA,
	WF_PASSED_ON_WITH_DATA
};

/* Why an item is unoffered. */
enum wf_unoffered_cause {
	WF_UNOFFERED_BY_RULE, /* an administrator offers it */
	WF_UNOFFERED_ABSENT,  /* all who fit are absent or gave it back */
	WF_UNOFFERED_NOBODY,  /* nobody fits the rule */
	WF_UNOFFERED_ERROR,   /* the rule has an error */
	WF_UNOFFERED_GONE, /* those who had it are no participants any more */
	WF_UNOFFERED_CAUSES
};

/* What is to be decided. */
enum wf_people_subject {
	WF_PEOPLE_NEW,	    /* an item was enabled, or an instance made */
	WF_PEOPLE_RETURNED, /* a participant gave it back */
	WF_PEOPLE_OFFER,    /* an administrator offers it to the targets */
	WF_PEOPLE_ALLOCATE, /* an administrator gives it to one of the targets
			     */
	WF_PEOPLE_ACCEPT    /* the participant accepts it */
};

struct wf_people_question {
	enum wf_people_subject subject;
	const struct wf_case *instance;
	uint64_t key; /* of the case, as the command has it */
	const struct wf_item *item;
	uint32_t net;	     /* serial number of the net that holds the task */
	uint32_t number;     /* of the instance; 0: the enabled item */
	const char *actor;   /* of the command; "": none */
	const char *deputy;  /* who acts in the actor's place; "": nobody */
	const char *targets; /* ids with commas between; "": none */
	bool is_forced;	     /* whatever became of the item before */
	bool drops_data;     /* REALLOCATE: without what was done to its data */
	bool is_administrator; /* whoever gives the command */
	int64_t now;
	/* For working time, unless another one counts; never NULL. */
	const struct wf_calendar *calendar;
};

struct wf_document;   /* in data/query.h */
struct wf_evaluation; /* in data/query.h */

struct wf_people_answer {
	enum wf_resource_status status; /* not WF_RESOURCE_NONE */
	enum wf_assignment_cause cause;
	const char *participant; /* ALLOCATED and STARTED */
	const char *audience;	 /* OFFERED */
	enum wf_unoffered_cause unoffered;
	const char *reason; /* UNOFFERED: why, in words */
	/* What the choice of a participant was made from; NULL: nothing. */
	const char *facts;
};

/* What an alarm makes happen. */
struct wf_people_ring {
	bool reminds;	  /* whoever has the item, or is offered it */
	const char *text; /* else: what is done, as the rule says it */
	bool offers;	  /* .. and the item is offered as in answer */
	struct wf_people_answer answer;
};

/* Items of a task that have ended. */
struct wf_done_work {
	const char *task;	 /* its id */
	const char *participant; /* who did them; "": nobody who is known */
	uint64_t items;
	int64_t busy_ms; /* from their starts to their ends, all together */
};

/* What is to be priced; all pointers live as long as the call. */
struct wf_price_question {
	const struct wf_case *instance;
	const struct wf_done_work *work;
	size_t work_count;
	/* Participants and roles whose work counts; none: everybody's. */
	const char *const *resources;
	size_t resource_count;
};

/* The decisions that a step needs; made by a layer above. */
struct wf_people_calls {
	void *context;
	/* Decides; what the answer refers to is in the arena of the step. */
	void (*decide)(void *context, const struct wf_people_question *question,
	    struct wf_arena *arena, struct wf_people_answer *answer_out);
	/*
	 * Whether the actor may give the command for the item; WF_DENIED says
	 * why not.
	 */
	enum wf_rc (*check)(void *context, enum wf_command_kind command,
	    const struct wf_people_question *question, struct wf_error *err);
	/*
	 * The priority and the due time (0: none) of an item whose task has
	 * rules for them.  document, how: for their queries.  On failure they
	 * are the usual ones.
	 */
	enum wf_rc (*urge)(void *context,
	    const struct wf_people_question *question,
	    const struct wf_document *document, const struct wf_evaluation *how,
	    uint32_t *priority_out, int64_t *due_out, struct wf_error *err);
	/* The next step of the rules, and when; false: there is none. */
	bool (*next)(void *context, const struct wf_people_question *question,
	    uint32_t *step_out, int64_t *at_out);
	/* What a step of the rules does; texts are in the arena. */
	void (*ring)(void *context, const struct wf_people_question *question,
	    uint32_t step, struct wf_arena *arena,
	    struct wf_people_ring *ring_out);
	/*
	 * The item is about to be started: makes the people and things busy
	 * that it needs beside its participant.  *busy_out: they in a text,
	 * in the arena; "": none.  WF_CONFLICT: one is not available, and the
	 * item must wait for it.  NULL: nothing is ever needed.
	 */
	enum wf_rc (*occupy)(void *context,
	    const struct wf_people_question *question, struct wf_arena *arena,
	    const char **busy_out, struct wf_error *err);
	/* What the work costs, in millionths; NULL: it costs nothing. */
	int64_t (*price)(
	    void *context, const struct wf_price_question *question);
};

/* The code of the failure of a start whose item must wait. */
#define WF_WAITS_CODE "waits"

/*
 * Calls visit for each alarm that is set, with the arguments of the command
 * ALARM: the item, the number (its data), and the time in ms since 1970 from
 * which the command is accepted.
 */
void wf_case_alarms(const struct wf_case *instance,
    void (*visit)(
	void *argument, const char *item, uint32_t number, int64_t at),
    void *argument);

/* The participant that the case is chained to; "": none. */
const char *wf_case_chained(const struct wf_case *instance);
/*
 * Calls visit for each participant who has completed an item of the task, in
 * this case; only for tasks that rules of the specification name.
 */
void wf_case_completers(const struct wf_case *instance, const char *task,
    void (*visit)(void *argument, const char *participant), void *argument);
/*
 * Calls visit for each item of the case that was given to a service, with its
 * net, task and instance as in events.
 */
void wf_case_served(const struct wf_case *instance,
    void (*visit)(void *argument, uint32_t net, uint32_t task,
	uint32_t instance, const char *service),
    void *argument);
/* Calls visit with what is busy for each item of the case that has something.
 */
void wf_case_busy(const struct wf_case *instance,
    void (*visit)(void *argument, const char *busy), void *argument);

#endif
