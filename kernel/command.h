/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command to a case: data only; kernel/step.h has the functions that carry
 * it out.  kernel/commands.def says what each kind does.
 */
#ifndef WF_KERNEL_COMMAND_H
#define WF_KERNEL_COMMAND_H

#include "kernel/case.h"

struct wf_calendar;	   /* in data/calendar/calendar.h */
struct wf_people_calls;	   /* in kernel/assignment/assignment.h */
struct wf_migration;	   /* in kernel/change/migrate.h */
struct wf_document_limits; /* in spec/document_limits.h */

/* Who knows the documents that data of a command refers to. */
struct wf_document_calls {
	void *context;
	/* Whether the document can be there.  WF_DATA: why not. */
	enum wf_rc (*check)(void *context,
	    const struct wf_document_limits *limits, uint64_t document,
	    struct wf_error *err);
};

/*
 * The outcome of a split, instead of its predicates: for exploring a process
 * (a script, the witness of an analysis), not for production.
 */
struct wf_choice {
	const char *task;
	/* Ids of the elements after the split; for an XOR-split one. */
	const char *const *targets;
	size_t target_count;
};

struct wf_command {
	enum wf_command_kind kind;
	const char *item; /* "7.1:Task" when the command names an item */
	const char *data; /* XML, or NULL */
	size_t length;	  /* of data */
	/*
	 * LAUNCH: data describes a case begun elsewhere (kernel/import.h).
	 * MIGRATE: data is the state of a case that was migrated.
	 */
	bool described;
	/* MIGRATE: where what the case has goes (kernel/change/migrate.h). */
	const struct wf_migration *migration;
	/*
	 * START, COMPLETE, FINISH, FORCE: a text for the log; others: the
	 * reason, in words, which the history keeps; or NULL.
	 */
	const char *reason;
	int64_t now;	  /* milliseconds since 1970, UTC */
	int32_t timezone; /* the implicit time zone, minutes east */
	/* Days off, for timers in working days; NULL: weekends only. */
	const struct wf_calendar *calendar;
	/* Of the case, for those who decide about people; 0: they need none. */
	uint64_t key;
	/* Who decides about people; NULL: no item is for people. */
	const struct wf_people_calls *people;
	/* NULL: documents are not checked. */
	const struct wf_document_calls *documents;
	const char *participant; /* who gives the command; NULL: none */
	/* Who acts in the place of the participant; NULL: nobody else. */
	const char *deputy;
	/*
	 * Participants: ids with commas between; or NULL.  SET_NEEDS: what the
	 * item needs.  REDIRECT: the URI of the service that gets it.
	 */
	const char *targets;
	/* OFFER, ALLOCATE, START: whatever became of the item before. */
	bool is_forced;
	bool is_pile;	 /* START: the task is piled to the participant */
	bool drops_data; /* REALLOCATE: said in the history */
	/* Whoever gives it may do everything with items of people. */
	bool is_administrator;
	/* The participant counts only if the item is for people; else the item
	 * must be. */
	bool may_serve;
	const struct wf_choice *choices; /* NULL: predicates decide */
	size_t choice_count;
};

#endif
