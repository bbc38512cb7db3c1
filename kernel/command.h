/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command to a case: data only; kernel/step.h has the functions that carry
 * it out.  kernel/commands.def says what each kind does.
 */
#ifndef WF_KERNEL_COMMAND_H
#define WF_KERNEL_COMMAND_H

#include "kernel/case.h"

struct wf_calendar; /* in data/calendar.h */

/*
 * Where a split goes, whatever its predicates say: for exploring a process
 * (a script, the witness of an analysis), not for real work.
 */
struct wf_choice {
	const char *task;
	/* Ids of elements behind it: one for an XOR-split, any for an OR. */
	const char *const *targets;
	size_t target_count;
};

struct wf_command {
	enum wf_command_kind kind;
	const char *item; /* "7.1:Task" where the command names an item */
	const char *data; /* XML, or NULL */
	size_t length;	  /* of data */
	/* Of LAUNCH: data describes a case that was begun elsewhere, as
	 * kernel/import.h has it. */
	bool described;
	/*
	 * Of FAIL and CANCEL_ITEM, why, in words; of START, COMPLETE, FINISH
	 * and FORCE a text for the log; or NULL.
	 */
	const char *reason;
	int64_t now;	  /* milliseconds since 1970, UTC */
	int32_t timezone; /* the implicit time zone, minutes east */
	/* Days off, for timers that count working days; NULL: weekends only. */
	const struct wf_calendar *calendar;
	const struct wf_choice *choices; /* NULL: predicates decide */
	size_t choice_count;
};

#endif
