/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which items are for people, and which tasks the rules of others name.  What
 * the rules mean belongs to people/.
 */
#include <string.h>

#include "spec/reader.h"

static bool is_for_people(const struct wf_task *task)
{
	const struct wf_decomposition *work = task->decomposition;

	return task->kind == WF_ATOMIC_TASK && work != NULL &&
	       work->service_uri == NULL && !work->is_automated;
}

/* In all nets: a case knows who completed items of a task by its id alone. */
static void name_task(struct wf_spec *spec, const char *id)
{
	for (uint32_t i = 0; id != NULL && i < spec->decomposition_count; i++) {
		struct wf_net *net = spec->decompositions[i].net;

		uintptr_t number =
		    net == NULL ? 0
				: (uintptr_t)wf_map_get(net->task_numbers, id);

		if (number != 0)
			net->tasks[number - 1].is_named_by_rules = true;
	}
}

/* familiarParticipant/@taskID, and the parameters with the key familiarTask. */
static void name_tasks(
    struct wf_spec_reader *reader, const struct wf_markup *markup)
{
	if (markup == NULL)
		return;
	if (wf_markup_is(markup, "familiarParticipant"))
		name_task(reader->spec, wf_markup_attribute(markup, "taskID"));
	if (wf_markup_is(markup, "param") &&
	    strcmp(
		wf_markup_text(reader->arena, wf_markup_child(markup, "key")),
		"familiarTask") == 0)
		name_task(reader->spec, wf_markup_text(reader->arena,
					    wf_markup_child(markup, "value")));
	for (const struct wf_markup *child = wf_markup_child(markup, NULL);
	     child != NULL; child = wf_markup_next(child, NULL))
		name_tasks(reader, child);
}

void wf_spec_compile_people(struct wf_spec_reader *reader)
{
	for (uint32_t i = 0; i < reader->spec->decomposition_count; i++) {
		struct wf_net *net = reader->spec->decompositions[i].net;

		for (uint32_t k = 0; net != NULL && k < net->task_count; k++) {
			struct wf_task *task = &net->tasks[k];

			task->is_for_people = is_for_people(task);
			name_tasks(reader, task->resourcing);
		}
	}
}
