/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of a sequence: "for tumbling window", "for sliding window".
 *
 * Windows are found from left to right. A tumbling window begins behind the one
 * before it, a sliding window wherever the start condition is true.
 */
#include "xquery/eval/eval.h"

struct windows {
	struct wf_dynamic *dynamic;
	const struct wf_expr *expr;
	const struct wf_window *window;
	const struct wf_sequence *input;
};

/* Lends one item of input, or none. */
static void bind_item(
    const struct windows *w, unsigned slot, size_t at, bool there)
{
	struct wf_sequence *variable = &w->dynamic->state->slots[slot];

	variable->items = there ? &w->input->items[at] : NULL;
	variable->count = there ? 1 : 0;
	variable->capacity = variable->count;
}

/* at: the item at the start or the end, from 0. */
static enum wf_rc bind_edge(
    const struct windows *w, const struct wf_window_edge *edge, size_t at)
{
	const struct wf_qname *names = edge->names;
	struct wf_sequence *position;

	if (names[WF_EDGE_CURRENT].local != NULL)
		bind_item(w, edge->slots[WF_EDGE_CURRENT], at, true);
	if (names[WF_EDGE_PREVIOUS].local != NULL)
		bind_item(w, edge->slots[WF_EDGE_PREVIOUS], at - 1, at > 0);
	if (names[WF_EDGE_NEXT].local != NULL)
		bind_item(w, edge->slots[WF_EDGE_NEXT], at + 1,
		    at + 1 < w->input->count);
	if (names[WF_EDGE_POSITION].local == NULL)
		return WF_OK;
	position = &w->dynamic->state->slots[edge->slots[WF_EDGE_POSITION]];
	position->count = 0;
	return wf_sequence_add_atomic(
	    w->dynamic, position, wf_atomic_integer((int64_t)at + 1));
}

static enum wf_rc holds(const struct windows *w,
    const struct wf_window_edge *edge, size_t at, bool *holds_out)
{
	WF_TRY(bind_edge(w, edge, at));
	return wf_eval_boolean(w->dynamic, w->expr->kids[edge->kid], holds_out);
}

/*
 * The last item of the window that begins at start; the number of items when
 * it has no end.
 */
static enum wf_rc find_end(
    const struct windows *w, size_t start, size_t *end_out)
{
	bool found = false;
	size_t at = start;

	if (w->window->has_end) {
		for (; at < w->input->count; at++) {
			WF_TRY(holds(w, &w->window->end, at, &found));
			if (found)
				break;
		}
		*end_out = at;
		return WF_OK;
	}
	/* Up to the item before the next start. */
	for (at = start + 1; at < w->input->count && !found; at++)
		WF_TRY(holds(w, &w->window->start, at, &found));
	*end_out = found ? at - 2 : at - 1;
	return WF_OK;
}

enum wf_rc wf_windows(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    const struct wf_window *window, const struct wf_sequence *input,
    enum wf_rc (*found)(void *context, const struct wf_sequence *items),
    void *context)
{
	struct windows w = { dynamic, expr, window, input };
	size_t start = 0;

	while (start < input->count) {
		struct wf_sequence items;
		size_t last;
		bool starts;

		WF_TRY(holds(&w, &window->start, start, &starts));
		if (!starts) {
			start++;
			continue;
		}
		WF_TRY(find_end(&w, start, &last));
		if (last < input->count || !window->only) {
			if (last == input->count)
				last--;
			items.items = input->items + start;
			items.count = last - start + 1;
			items.capacity = items.count;
			WF_TRY(bind_edge(&w, &window->start, start));
			if (window->has_end)
				WF_TRY(bind_edge(&w, &window->end, last));
			WF_TRY(found(context, &items));
		}
		start = window->sliding ? start + 1 : last + 1;
	}
	return WF_OK;
}
