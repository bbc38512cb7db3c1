/* SPDX-License-Identifier: Apache-2.0 */
/* Merge sort: qsort() is not stable and cannot stop half-way. */
#include "xquery/eval/sort.h"

#include <string.h>

#include "xquery/item/evaluation.h"

struct sorter {
	struct wf_dynamic *dynamic;
	size_t size;
	wf_order_f order;
	void *context;
};

/* Merges two adjacent sorted runs into room. */
static enum wf_rc merge(const struct sorter *sorter, const char *left,
    size_t left_count, const char *right, size_t right_count, char *room)
{
	size_t size = sorter->size;

	while (left_count > 0 && right_count > 0) {
		int order = 0;
		enum wf_rc rc = wf_spend(sorter->dynamic, 1);

		if (rc == WF_OK)
			rc =
			    sorter->order(sorter->context, left, right, &order);
		if (rc != WF_OK)
			return rc;
		if (order <= 0) {
			memcpy(room, left, size);
			left += size;
			left_count--;
		} else {
			memcpy(room, right, size);
			right += size;
			right_count--;
		}
		room += size;
	}
	memcpy(room, left, left_count * size);
	memcpy(room + left_count * size, right, right_count * size);
	return WF_OK;
}

enum wf_rc wf_sort(struct wf_dynamic *dynamic, void *elements, size_t count,
    size_t size, wf_order_f order, void *context)
{
	struct sorter sorter = { dynamic, size, order, context };
	char *from = elements;
	char *to = wf_arena_array(dynamic->arena, count + 1, size);

	for (size_t run = 1; run < count; run *= 2) {
		char *swap = from;

		for (size_t at = 0; at < count; at += 2 * run) {
			size_t left = count - at < run ? count - at : run;
			size_t rest = count - at - left;
			enum wf_rc rc = merge(&sorter, from + at * size, left,
			    from + (at + left) * size, rest < run ? rest : run,
			    to + at * size);

			if (rc != WF_OK)
				return rc;
		}
		from = to;
		to = swap;
	}
	if (from != elements)
		memcpy(elements, from, count * size);
	return WF_OK;
}
