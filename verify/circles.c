/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/circles.h"

#include <string.h>

#include "base/bitset.h"

/* The set of tasks that are reachable from the task. */
static void find_reach(
    const struct wf_net *net, uint32_t from, uint64_t *reach, uint32_t *stack)
{
	uint32_t depth = 0;

	stack[depth++] = from;
	while (depth > 0) {
		const struct wf_task *task = &net->tasks[stack[--depth]];

		for (uint32_t i = 0; i < task->postset_count; i++) {
			const struct wf_condition *c =
			    &net->conditions[task->postset[i]];

			for (uint32_t j = 0; j < c->postset_count; j++) {
				uint32_t next = c->postset[j];

				if (wf_bitset_has(reach, next))
					continue;
				wf_bitset_add(reach, next);
				stack[depth++] = next;
			}
		}
	}
}

static bool is_join(const struct wf_task *task)
{
	return task->join == WF_OR && task->preset_count > 1;
}

uint32_t *wf_circles_find(
    struct wf_arena *arena, const struct wf_net *net, uint32_t *count_out)
{
	size_t words = wf_bitset_words(net->task_count) + 1;
	uint64_t **reach = wf_calloc(net->task_count + 1, sizeof(*reach));
	uint32_t *stack = wf_malloc((net->task_count + 2) * sizeof(*stack));
	uint32_t *circles =
	    wf_arena_array(arena, net->task_count + 1, sizeof(*circles));

	*count_out = 0;
	memset(circles, 0xff, net->task_count * sizeof(*circles));
	for (uint32_t i = 0; i < net->task_count; i++) {
		if (!is_join(&net->tasks[i]))
			continue;
		reach[i] = wf_calloc(words, sizeof(uint64_t));
		find_reach(net, i, reach[i], stack);
		for (uint32_t j = 0; j < i; j++) {
			if (reach[j] == NULL || !wf_bitset_has(reach[j], i) ||
			    !wf_bitset_has(reach[i], j))
				continue;
			if (circles[j] == UINT32_MAX)
				circles[j] = (*count_out)++;
			circles[i] = circles[j];
			break;
		}
	}
	for (uint32_t i = 0; i < net->task_count; i++)
		wf_free(reach[i]);
	wf_free(reach);
	wf_free(stack);
	return circles;
}
