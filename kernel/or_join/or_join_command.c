/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches outside a step, for OR-joins that exceed the budget of a step.
 *
 * wf_case_undecided() lists the joins, wf_case_search() searches without
 * changing the case, and the command DECIDE brings the verdict together with
 * the marking it holds for.  DECIDE is refused if the marking has changed.
 */
#include "kernel/kernel.h"
#include "kernel/or_join/or_join_state.h"

#include <stdlib.h>

#define MARKING_BYTES ((size_t)16 << 20)

void wf_case_undecided(const struct wf_case *instance,
    void (*visit)(void *argument, const char *item), void *argument)
{
	char item[WF_ITEM_ID_SIZE];

	for (uint32_t i = 0; i < instance->net_count; i++) {
		const struct net_instance *n = instance->nets[i];

		for (uint32_t t = 0;
		     n->or_state != NULL && t < n->net->task_count; t++) {
			struct wf_item name = { .task = &n->net->tasks[t] };

			if (n->or_state->searches[t] != OR_SEARCH_WANTED)
				continue;
			wf_assert(n->or_state->joins->joins[t] != NULL);
			wf_net_case_id(instance, n, 0, name.case_id);
			wf_item_id(&name, item);
			visit(argument, item);
		}
	}
}

/* The net instance and task that the id of an undecided OR-join names. */
static enum wf_rc find(const struct wf_case *c, const char *item,
    struct net_instance **net_out, uint32_t *task_out, struct wf_error *err)
{
	for (uint32_t i = 0; item != NULL && i < c->net_count; i++) {
		struct net_instance *n = c->nets[i];
		char id[WF_CASE_ID_SIZE];
		size_t length;
		uint32_t task;

		wf_net_case_id(c, n, 0, id);
		length = strlen(id);
		if (n->or_state == NULL || strncmp(item, id, length) != 0 ||
		    item[length] != ':')
			continue;
		task = wf_net_task_number(
		    n->net, item + length + 1, strlen(item + length + 1));
		if (task == UINT32_MAX ||
		    n->or_state->searches[task] != OR_SEARCH_WANTED)
			continue;
		*net_out = n;
		*task_out = task;
		return WF_OK;
	}
	return wf_fail(err, WF_NOT_FOUND, "there is no undecided OR-join '%s'",
	    item == NULL ? "" : item);
}

enum wf_rc wf_case_search(const struct wf_case *instance, const char *item,
    struct wf_buffer *answer, struct wf_error *err)
{
	struct wf_or_budget budget = wf_or_budget_long;
	enum wf_or_verdict verdict;
	struct net_instance *n;
	uint32_t task;
	enum wf_rc rc = find(instance, item, &n, &task, err);

	if (rc != WF_OK)
		return rc;
	budget.work = instance->limits->search;
	verdict = wf_or_join_decide(n->or_state->joins->joins[task], n->tokens,
	    n->or_state->busy, NULL, &budget, NULL);
	if (verdict == WF_OR_UNDECIDED)
		return wf_fail(err, WF_LIMIT,
		    "the OR-join %s could not be decided by a long search "
		    "either",
		    item);
	wf_buffer_puts(
	    answer, verdict == WF_OR_ENABLED ? "enabled " : "waits ");
	wf_or_marking(n, task, answer);
	return WF_OK;
}

enum wf_rc wf_or_decide(struct step *s)
{
	struct wf_event event = { .kind = WF_EVENT_OR_JOIN_DECIDED };
	const char *data = s->command->data;
	struct wf_buffer now;
	struct net_instance *n;
	bool enabled;
	bool same;
	enum wf_rc rc;

	rc = find(s->c, s->command->item, &n, &event.task, s->err);
	if (rc != WF_OK)
		return rc;
	enabled = s->command->length > 8 && memcmp(data, "enabled ", 8) == 0;
	wf_buffer_init(&now, MARKING_BYTES);
	wf_buffer_puts(&now, enabled ? "enabled " : "waits ");
	wf_or_marking(n, event.task, &now);
	same = data != NULL && now.length == s->command->length &&
	       memcmp(data, now.data, now.length) == 0;
	wf_buffer_free(&now);
	if (!same)
		return wf_fail(s->err, WF_CONFLICT,
		    "the marking has changed since %s was searched for",
		    s->command->item);
	event.net = n->serial;
	event.number = enabled;
	wf_emit(s, &event);
	wf_assert(n->or_state->searches[event.task] != OR_SEARCH_WANTED);
	return wf_advance(s, n);
}
