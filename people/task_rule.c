/* SPDX-License-Identifier: Apache-2.0 */
#include "people/task_rule.h"

struct rules {
	struct wf_arena *arena;
	struct wf_task_rule *rows; /* per task */
};

static struct rules *make_rules(const struct wf_net *net)
{
	struct wf_arena *arena = wf_arena_new();
	struct rules *rules = wf_arena_alloc(arena, sizeof(*rules));

	rules->arena = arena;
	rules->rows =
	    wf_arena_array(arena, net->task_count, sizeof(*rules->rows));
	for (uint32_t i = 0; i < net->task_count; i++) {
		struct wf_task_rule *rule = &rules->rows[i];
		struct wf_error err = { .rc = WF_OK };
		struct wf_resourcing *read;

		rule->problem = "";
		if (net->tasks[i].resourcing == NULL)
			continue;
		if (wf_resourcing_read(arena, net->tasks[i].resourcing, &read,
			&err) != WF_OK) {
			rule->problem = wf_arena_strdup(arena, err.message);
			rule->line = err.place.line;
		}
		rule->resourcing = read;
	}
	return rules;
}

static void free_rules(const struct wf_net *net, void *data)
{
	struct rules *rules = data;
	struct wf_arena *arena = rules->arena;

	(void)net;
	wf_arena_free(&arena);
}

const struct wf_task_rule *wf_task_rule(const struct wf_task *task)
{
	struct wf_net_derived *slot = &task->net->derived[WF_DERIVED_RULES];
	struct rules *rules = atomic_load(&slot->data);
	void *expected = NULL;

	if (rules == NULL) {
		/* If two threads read at once, both use what is stored first.
		 */
		rules = make_rules(task->net);
		if (atomic_compare_exchange_strong(
			&slot->data, &expected, rules)) {
			slot->free = free_rules;
		} else {
			free_rules(task->net, rules);
			rules = expected;
		}
	}
	return &rules->rows[task->number];
}
