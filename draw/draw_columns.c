/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout in plain columns, for nets that are too large for Graphviz: a
 * figure's column is its distance from the input condition.
 */
#include "draw/draw_picture.h"

#include <math.h>

#define GAP_X 70.0
#define GAP_Y 34.0

/*
 * Outgoing lines, grouped by figure: lines[start[i]] up to lines[start[i+1]].
 */
struct outgoing {
	uint32_t *start;
	uint32_t *lines;
};

static struct outgoing group_lines(const struct wf_picture *picture)
{
	struct outgoing out;
	uint32_t *at;

	out.start = wf_arena_array(picture->arena,
	    (size_t)picture->figure_count + 2, sizeof(*out.start));
	out.lines = wf_arena_array(
	    picture->arena, picture->line_count, sizeof(*out.lines));
	for (uint32_t i = 0; i < picture->line_count; i++)
		out.start[picture->lines[i].from + 2]++;
	for (uint32_t i = 2; i < picture->figure_count + 2; i++)
		out.start[i] += out.start[i - 1];
	at = out.start + 1;
	for (uint32_t i = 0; i < picture->line_count; i++)
		out.lines[at[picture->lines[i].from]++] = i;
	return out;
}

uint32_t wf_first_figure(const struct wf_picture *picture)
{
	for (uint32_t i = 0; i < picture->figure_count; i++) {
		const struct wf_condition *condition =
		    picture->figures[i].condition;

		if (condition != NULL && condition->kind == WF_INPUT_CONDITION)
			return i;
	}
	return 0;
}

/*
 * Orders the figures breadth first, and sets their columns; figures that are
 * not reachable get a column at the end.
 */
static void find_columns(
    const struct wf_picture *picture, uint32_t *columns, uint32_t *order)
{
	struct outgoing out = group_lines(picture);
	bool *seen = wf_arena_array(
	    picture->arena, picture->figure_count, sizeof(*seen));
	uint32_t tail = 1;
	uint32_t last;

	order[0] = wf_first_figure(picture);
	seen[order[0]] = true;
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t i = order[head];

		for (uint32_t j = out.start[i]; j < out.start[i + 1]; j++) {
			uint32_t to = picture->lines[out.lines[j]].to;

			if (seen[to])
				continue;
			seen[to] = true;
			columns[to] = columns[i] + 1;
			order[tail++] = to;
		}
	}
	last = columns[order[tail - 1]] + 1;
	for (uint32_t i = 0; i < picture->figure_count; i++) {
		if (seen[i])
			continue;
		columns[i] = last;
		order[tail++] = i;
	}
}

/*
 * Sets figures order[from] to order[end - 1] below each other; returns the
 * width.
 */
static double place_column(struct wf_picture *picture, const uint32_t *order,
    uint32_t from, uint32_t end, double x)
{
	double y = 0;
	double width = 0;

	for (uint32_t i = from; i < end; i++)
		width = fmax(width, picture->figures[order[i]].width);
	for (uint32_t i = from; i < end; i++) {
		struct wf_figure *figure = &picture->figures[order[i]];

		figure->core.x = x + (width - figure->core.w) / 2;
		figure->core.y = y + (figure->height - figure->core.h) / 2;
		figure->label_at.x = x + width / 2;
		figure->label_at.y =
		    figure->core.y + figure->core.h + WF_NAME_GAP;
		y += figure->height + GAP_Y;
	}
	return width;
}

static void place_figures(struct wf_picture *picture)
{
	uint32_t count = picture->figure_count;
	uint32_t *columns =
	    wf_arena_array(picture->arena, count, sizeof(*columns));
	uint32_t *order = wf_arena_array(picture->arena, count, sizeof(*order));
	uint32_t end;
	double x = 0;

	find_columns(picture, columns, order);
	for (uint32_t from = 0; from < count; from = end) {
		for (end = from + 1;
		     end < count && columns[order[end]] == columns[order[from]];
		     end++)
			;
		x += place_column(picture, order, from, end, x) + GAP_X;
	}
}

void wf_layout_by_columns(struct wf_picture *picture)
{
	if (picture->figure_count == 0)
		return;
	place_figures(picture);
	for (uint32_t i = 0; i < picture->line_count; i++) {
		struct wf_line *line = &picture->lines[i];
		struct wf_point ends[2] = { wf_figure_port(
						&picture->figures[line->from],
						WF_SIDE_EAST),
			wf_figure_port(
			    &picture->figures[line->to], WF_SIDE_WEST) };

		line->has_label_at = false;
		if (line->from == line->to)
			wf_line_loop(picture, line);
		else
			wf_line_straight(picture, line, ends, 2);
	}
}
