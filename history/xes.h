/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event logs as XES 1.0 (xes-standard.org), with YAWL's lifecycle transitions.
 *
 * A trace is a case; an event is what happened to a sub-net, a task or one of
 * its work items.  The log itself has no attributes, because the schemas of
 * XES disagree about where attributes of a log stand.
 */
#ifndef WF_HISTORY_XES_H
#define WF_HISTORY_XES_H

#include "history/case_log.h"

struct wf_xes {
	struct wf_buffer *out;
	bool data;     /* values as attributes of events */
	bool all;      /* also events that have no transition of YAWL's */
	uint64_t open; /* instance number of the open event; 0: none */
};

/* Parts in this order; everything is appended to xes->out. */
void wf_xes_begin(struct wf_xes *xes, const char *uri, const char *version);
void wf_xes_begin_trace(struct wf_xes *xes, const char *case_id);
/* A wf_case_log_f; context: a struct wf_xes. */
void wf_xes_event(void *context, const struct wf_case_log_event *event);
void wf_xes_end_trace(struct wf_xes *xes);
void wf_xes_end(struct wf_xes *xes);

#endif
