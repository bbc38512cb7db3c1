/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the events of a step that the reference engine calls a deadlock. */
#include "cli/run/reference.h"

bool wf_reference_deadlock(const struct wf_step *step)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	bool left_over = false;
	bool found = false;

	wf_event_reader_init(
	    &reader, step->events.data, step->events.length, NULL);
	while ((event = wf_event_next(&reader, NULL)) != NULL) {
		/* The event after the end of a sub-net ends its instance. */
		if (left_over && event->kind == WF_EVENT_INSTANCE_ENDED &&
		    event->status == WF_ITEM_COMPLETE)
			found = true;
		left_over = event->kind == WF_EVENT_NET_ENDED &&
			    event->status == WF_ITEM_COMPLETE &&
			    event->number != 0;
		if (event->kind == WF_EVENT_NET_STUCK && event->number != 0)
			found = true;
	}
	wf_event_reader_free(&reader);
	return found;
}
