/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the items of a decomposition are due, and what is done about those that
 * are late: its attributes in the namespace urn:weft:people.
 *
 * priority, due    a number or a time, or "{query}"
 * calendar         the name of the one that counts
 * remind           points at which whoever has the item is reminded
 * escalate         "POINT ACTION; .."
 *
 * A net has withdraw, "starter" or "nobody": who may cancel its cases beside
 * those who have the right; and show, the names of variables whose values
 * worklists show with the items of its cases.
 *
 * A point is enabled, offered, allocated, started or due, with "+" and a
 * duration, and for due also "-".
 */
#ifndef WF_SPEC_TIMING_H
#define WF_SPEC_TIMING_H

#include "data/calendar/when.h"

#define WF_PEOPLE_SPACE "urn:weft:people"

#define WF_PRIORITY_MOST 100U
#define WF_PRIORITY_USUAL 50U

enum wf_time_point {
	WF_POINT_ENABLED,   /* at any time after the item was made */
	WF_POINT_OFFERED,   /* while it is offered */
	WF_POINT_ALLOCATED, /* while somebody has it who has not started it */
	WF_POINT_STARTED,   /* while it is started */
	WF_POINT_DUE,	    /* before or after its due time */
	WF_POINTS
};

enum wf_time_action {
	WF_TIME_REMIND,	 /* who has it, or to whom it is offered */
	WF_TIME_NOTIFY,	 /* the members of a role; without: supervisors */
	WF_TIME_REOFFER, /* to a role */
	WF_TIME_INCIDENT,
	WF_TIME_ACTIONS
};

struct wf_time_step {
	enum wf_time_point point;
	struct wf_when after; /* a duration; negative: before */
	enum wf_time_action action;
	const char *text; /* the role, or the reason of an incident; "" */
};

struct wf_query;

/* As many variables worklists show. */
#define WF_SHOWN_VALUES 3U

struct wf_timing {
	bool starter_withdraws; /* of a net: who started a case cancels it */
	const char *shown[WF_SHOWN_VALUES]; /* of a net: its variables; NULL */
	uint32_t priority;		    /* unless there is a query */
	const struct wf_query *priority_query; /* NULL: none */
	bool has_due;
	struct wf_when due;		  /* unless there is a query */
	const struct wf_query *due_query; /* NULL: none */
	const char *calendar; /* NULL: that of the person or the default */
	const struct wf_time_step *steps;
	uint32_t step_count;
};

#endif
