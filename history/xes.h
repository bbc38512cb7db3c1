/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event logs as XES 1.0 (xes-standard.org), with YAWL's lifecycle transitions.
 *
 * A trace is a case, an event is what happened to a task or to one of its work
 * items.  The log itself has no attributes: schemas of XES disagree about
 * where they stand.
 */
#ifndef WF_HISTORY_XES_H
#define WF_HISTORY_XES_H

#include "history/case_log.h"

struct wf_xes {
	struct wf_buffer *out;
	const struct wf_spec *spec; /* set for each page of a log */
	bool data;		    /* values as attributes of events */
	bool all; /* also events whose transition is unknown */
	/* An event whose values may come behind it is not closed yet. */
	uint64_t held; /* number of its instance; 0: none */
};

void wf_xes_begin(struct wf_xes *xes, const char *uri, const char *version);
void wf_xes_begin_trace(struct wf_xes *xes, const char *case_id);
/* A wf_case_log_f; context: a struct wf_xes. */
void wf_xes_event(void *context, const struct wf_case_log_event *event);
void wf_xes_end_trace(struct wf_xes *xes);
void wf_xes_end(struct wf_xes *xes);

#endif
