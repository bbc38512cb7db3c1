/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a picture can be read: what a flow runs through, and what covers
 * something else.  An author's layout that was made for other sizes of boxes
 * and texts often is not clear; then the net is laid out anew.
 */
#include "draw/draw_picture.h"

#include <math.h>
#include <string.h>

/* Strokes and arrow heads touch what they belong to, in pixels. */
#define SLACK 1.5
#define STEPS 16

/* What nothing may run through or cover; figure: what it belongs to. */
struct obstacle {
	struct wf_box box;
	uint32_t figure;
	bool is_text;
	bool is_round; /* the circle in the box */
};

struct obstacles {
	struct obstacle *rows;
	size_t count;
};

static void add(
    struct obstacles *all, struct wf_box box, uint32_t figure, bool is_text)
{
	if (box.w > 2 * SLACK && box.h > 2 * SLACK)
		all->rows[all->count++] = (struct obstacle){
			{ box.x + SLACK, box.y + SLACK, box.w - 2 * SLACK,
			    box.h - 2 * SLACK },
			figure, is_text, false
		};
}

static void add_figure(
    struct obstacles *all, const struct wf_figure *figure, uint32_t number)
{
	struct wf_box box = figure->core;

	if (figure->task != NULL && figure->task->multi != NULL) {
		box.y -= 2 * WF_STACK;
		box.h += 2 * WF_STACK;
		box.w += 2 * WF_STACK;
	}
	add(all, box, number, false);
	all->rows[all->count - 1].is_round = figure->condition != NULL;
	if (figure->has_join)
		add(all, wf_decorator_box(figure, figure->join_side), number,
		    false);
	if (figure->has_split)
		add(all, wf_decorator_box(figure, figure->split_side), number,
		    false);
	if (!figure->name_inside && figure->name.count > 0)
		add(all, wf_name_box(figure), number, true);
	add(all, wf_note_box(figure), number, true);
}

static struct obstacles find_obstacles(const struct wf_picture *picture)
{
	struct obstacles all = { .count = 0 };

	all.rows = wf_arena_array(picture->arena,
	    (size_t)picture->figure_count * 5 + picture->line_count,
	    sizeof(*all.rows));
	for (uint32_t i = 0; i < picture->figure_count; i++)
		add_figure(&all, &picture->figures[i], i);
	for (uint32_t i = 0; i < picture->line_count; i++)
		if (picture->lines[i].label != NULL)
			add(&all, wf_label_box(&picture->lines[i]), UINT32_MAX,
			    true);
	return all;
}

/* Narrows *low to *high to the part of a segment between two bounds. */
static void clip(double from, double delta, double least, double most,
    double *low, double *high)
{
	double near = (least - from) / delta;
	double far = (most - from) / delta;

	if (fabs(delta) < 1e-9) {
		if (from <= least || from >= most)
			*high = -1;
		return;
	}
	*low = fmax(*low, fmin(near, far));
	*high = fmin(*high, fmax(near, far));
}

static bool is_crossed(struct wf_box box, struct wf_point a, struct wf_point b)
{
	double low = 0;
	double high = 1;

	clip(a.x, b.x - a.x, box.x, box.x + box.w, &low, &high);
	clip(a.y, b.y - a.y, box.y, box.y + box.h, &low, &high);
	return low < high;
}

/* Whether a segment has a point inside the circle. */
static bool is_cut(struct wf_box box, struct wf_point a, struct wf_point b)
{
	struct wf_point c = wf_box_centre(box);
	double dx = b.x - a.x;
	double dy = b.y - a.y;
	double t = ((c.x - a.x) * dx + (c.y - a.y) * dy) /
		   fmax(dx * dx + dy * dy, 1e-9);

	t = fmin(1, fmax(0, t));
	return hypot(a.x + t * dx - c.x, a.y + t * dy - c.y) < box.w / 2;
}

static bool is_near(const struct wf_line *line, struct wf_box box)
{
	struct wf_point least = { INFINITY, INFINITY };
	struct wf_point most = { -INFINITY, -INFINITY };

	for (size_t i = 0; i < line->point_count; i++) {
		least.x = fmin(least.x, line->points[i].x);
		least.y = fmin(least.y, line->points[i].y);
		most.x = fmax(most.x, line->points[i].x);
		most.y = fmax(most.y, line->points[i].y);
	}
	return least.x < box.x + box.w && most.x > box.x &&
	       least.y < box.y + box.h && most.y > box.y;
}

static bool runs_through(
    const struct wf_line *line, const struct obstacle *obstacle)
{
	if (!is_near(line, obstacle->box))
		return false;
	for (size_t i = 0; i + 3 < line->point_count; i += 3)
		for (int step = 0; step < STEPS; step++) {
			struct wf_point a =
			    wf_curve_at(line->points + i, (double)step / STEPS);
			struct wf_point b =
			    wf_curve_at(line->points + i, (step + 1.0) / STEPS);

			if (obstacle->is_round
				? is_cut(obstacle->box, a, b)
				: is_crossed(obstacle->box, a, b))
				return true;
		}
	return false;
}

bool wf_line_crosses(const struct wf_line *line, struct wf_box box)
{
	return runs_through(line, &(struct obstacle){ .box = box });
}

static bool overlap(struct wf_box a, struct wf_box b)
{
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h &&
	       b.y < a.y + a.h;
}

/* A figure, its marks, its name and its note touch each other. */
static bool is_covered(const struct obstacles *all, size_t i)
{
	const struct obstacle *one = &all->rows[i];

	for (size_t j = i + 1; j < all->count; j++)
		if ((one->figure != all->rows[j].figure ||
			one->figure == UINT32_MAX || all->rows[j].is_text) &&
		    overlap(one->box, all->rows[j].box))
			return true;
	return false;
}

size_t wf_picture_faults(const struct wf_picture *picture, size_t most)
{
	struct obstacles all = find_obstacles(picture);
	size_t count = 0;

	for (size_t i = 0; i < all.count && count < most; i++) {
		count += is_covered(&all, i);
		for (uint32_t j = 0; j < picture->line_count; j++)
			count += runs_through(&picture->lines[j], &all.rows[i]);
	}
	return count;
}
