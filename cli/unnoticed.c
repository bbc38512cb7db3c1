/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks that the reference engine wrongly takes for busy. */
#include "cli/unnoticed.h"

#include "base/memory.h"

void wf_unnoticed_free(struct wf_unnoticed *unnoticed)
{
	wf_free(unnoticed->tasks);
	*unnoticed = (struct wf_unnoticed){ 0 };
}

static void forget(struct wf_unnoticed *unnoticed, const struct wf_event *event)
{
	size_t kept = 0;

	for (size_t i = 0; i < unnoticed->count; i++)
		if (unnoticed->tasks[i].net != event->net ||
		    unnoticed->tasks[i].task != event->task)
			unnoticed->tasks[kept++] = unnoticed->tasks[i];
	unnoticed->count = kept;
}

static void remember(
    struct wf_unnoticed *unnoticed, const struct wf_event *event)
{
	forget(unnoticed, event);
	if (unnoticed->count == unnoticed->capacity) {
		unnoticed->capacity = unnoticed->capacity * 2 + 8;
		unnoticed->tasks = wf_realloc(unnoticed->tasks,
		    unnoticed->capacity * sizeof(*unnoticed->tasks));
	}
	unnoticed->tasks[unnoticed->count++] =
	    (struct wf_cancelled_task){ event->net, event->task };
}

void wf_unnoticed_add(
    struct wf_unnoticed *unnoticed, const struct wf_step *step)
{
	struct wf_event_reader reader;
	const struct wf_event *event;

	wf_event_reader_init(
	    &reader, step->events.data, step->events.length, NULL);
	while ((event = wf_event_next(&reader, NULL)) != NULL) {
		if (event->kind == WF_EVENT_TASK_CANCELLED)
			remember(unnoticed, event);
		else if (event->kind == WF_EVENT_TASK_EXITED)
			forget(unnoticed, event);
	}
	wf_event_reader_free(&reader);
}

bool wf_unnoticed_has(const struct wf_unnoticed *unnoticed, uint32_t net)
{
	for (size_t i = 0; i < unnoticed->count; i++)
		if (unnoticed->tasks[i].net == net)
			return true;
	return false;
}
