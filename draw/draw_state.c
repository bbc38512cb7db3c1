/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a running net in its picture: tokens, enabled and busy tasks. */
#include <string.h>

#include "draw/draw_picture.h"

#define TOKEN 9.0 /* radius */

static void put_token(struct wf_buffer *svg, struct wf_point at, uint32_t count)
{
	wf_buffer_printf(svg,
	    "<circle class=\"wf-token\" cx=\"%.1f\" cy=\"%.1f\" "
	    "r=\"%.1f\"/>\n",
	    at.x, at.y, TOKEN);
	if (count > 1)
		wf_buffer_printf(svg,
		    "<text class=\"wf-tokens\" x=\"%.1f\" y=\"%.1f\">%u"
		    "</text>\n",
		    at.x, at.y + 4, count);
}

void wf_picture_state(struct wf_picture *picture,
    const struct wf_net_view *view, const struct wf_case *instance)
{
	struct wf_item *items;
	size_t count = wf_case_items(instance, &items);

	for (uint32_t i = 0; i < view->net->task_count; i++)
		if (wf_net_view_is_busy(view, i))
			picture->figures[picture->of_task[i]].is_busy = true;
	for (size_t i = 0; i < count; i++)
		if (items[i].net == view->net &&
		    strcmp(items[i].case_id, view->case_id) == 0)
			picture
			    ->figures[picture->of_task[items[i].task->number]]
			    .is_enabled = true;
	wf_free(items);
}

void wf_draw_tokens(const struct wf_picture *picture,
    const struct wf_net_view *view, struct wf_buffer *svg,
    bool seen[WF_LEGEND_COUNT])
{
	for (uint32_t i = 0; i < view->net->condition_count; i++) {
		uint32_t at = picture->of_condition[i];
		bool is_line = view->net->conditions[i].kind == WF_IMPLICIT;

		if (view->tokens[i] == 0 ||
		    at >=
			(is_line ? picture->line_count : picture->figure_count))
			continue;
		seen[WF_LEGEND_TOKEN] = true;
		put_token(svg,
		    is_line ? wf_line_at(&picture->lines[at], 0.5)
			    : wf_box_centre(picture->figures[at].core),
		    view->tokens[i]);
	}
}
