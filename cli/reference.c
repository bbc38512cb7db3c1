/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks that the reference engine wrongly takes for busy. */
#include "cli/reference.h"

#include "base/memory.h"

void wf_reference_free(struct wf_reference *reference)
{
	wf_free(reference->tasks);
	*reference = (struct wf_reference){ 0 };
}

static void forget(struct wf_reference *reference, const struct wf_event *event)
{
	size_t kept = 0;

	for (size_t i = 0; i < reference->count; i++)
		if (reference->tasks[i].net != event->net ||
		    reference->tasks[i].task != event->task)
			reference->tasks[kept++] = reference->tasks[i];
	reference->count = kept;
}

static void remember(
    struct wf_reference *reference, const struct wf_event *event)
{
	forget(reference, event);
	if (reference->count == reference->capacity) {
		reference->capacity = reference->capacity * 2 + 8;
		reference->tasks = wf_realloc(reference->tasks,
		    reference->capacity * sizeof(*reference->tasks));
	}
	reference->tasks[reference->count++] =
	    (struct wf_cancelled_task){ event->net, event->task };
}

static void look_at_net(void *argument, const struct wf_net_view *view)
{
	struct wf_reference *reference = argument;

	if (!view->stuck || wf_reference_misses(reference, view->serial))
		return;
	/* A net without tokens has run empty, which is no deadlock. */
	for (uint32_t i = 0; i < view->net->condition_count; i++)
		reference->saw_deadlock |= view->tokens[i] != 0;
}

void wf_reference_add(struct wf_reference *reference,
    const struct wf_case *instance, const struct wf_step *step)
{
	struct wf_event_reader reader;
	const struct wf_event *event;

	wf_event_reader_init(
	    &reader, step->events.data, step->events.length, NULL);
	while ((event = wf_event_next(&reader, NULL)) != NULL) {
		if (event->kind == WF_EVENT_TASK_CANCELLED)
			remember(reference, event);
		else if (event->kind == WF_EVENT_TASK_EXITED)
			forget(reference, event);
	}
	wf_event_reader_free(&reader);
	wf_case_nets(instance, look_at_net, reference);
}

bool wf_reference_misses(const struct wf_reference *reference, uint32_t net)
{
	for (size_t i = 0; i < reference->count; i++)
		if (reference->tasks[i].net == net)
			return true;
	return false;
}
