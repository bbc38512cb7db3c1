/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects the elements of a picture of a net: figures for conditions and tasks,
 * lines for flows.  An implicit condition is no figure: the flow between its
 * two tasks is one line.
 */
#include "draw/draw_picture.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "draw/draw.h"

#define NAME_WIDTH 132.0
#define PREDICATE_WIDTH 180.0

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_blank(const char *text)
{
	return text == NULL || text[strspn(text, " \t\r\n")] == '\0';
}

/* The length of "/root/" if a path from the root begins here, else 0. */
static size_t root_path(const char *text, const char *at, const char *root)
{
	size_t length = strlen(root);

	if (at[0] != '/' || !starts_with(at + 1, root) || at[1 + length] != '/')
		return 0;
	if (at > text && (isalnum((unsigned char)at[-1]) ||
			     strchr("/_.-)]*", at[-1]) != NULL))
		return 0;
	return length + 2;
}

/*
 * A predicate for readers: without the path from the root of the net data to
 * the variable, and without text().
 */
static const char *plain_predicate(
    struct wf_arena *arena, const struct wf_net *net, const char *text)
{
	char *out = wf_arena_strdup(arena, text);
	size_t n = 0;

	for (const char *at = text; *at != '\0';) {
		size_t skip = root_path(text, at, net->root_name);

		if (skip == 0 && starts_with(at, "/text()"))
			skip = strlen("/text()");
		if (skip > 0) {
			at += skip;
			continue;
		}
		if (!isspace((unsigned char)*at))
			out[n++] = *at;
		else if (n > 0 && out[n - 1] != ' ')
			out[n++] = ' ';
		at++;
	}
	out[n] = '\0';
	return out;
}

static const char *bound_text(
    struct wf_arena *arena, const struct wf_bound *bound)
{
	if (bound->query.text != NULL)
		return "query";
	if (bound->number >= INT32_MAX)
		return "\u221e";
	return wf_arena_printf(arena, "%u", bound->number);
}

/* "2..5 instances, 3 suffice" */
static const char *instances_note(
    struct wf_arena *arena, const struct wf_multi_instance *multi)
{
	const char *threshold = bound_text(arena, &multi->threshold);
	const char *maximum = bound_text(arena, &multi->maximum);
	const char *enough = "";

	if (strcmp(threshold, maximum) != 0 && strcmp(threshold, "\u221e") != 0)
		enough = wf_arena_printf(arena, ", %s suffice", threshold);
	return wf_arena_printf(arena, "%s..%s%s%s",
	    bound_text(arena, &multi->minimum), maximum, enough,
	    multi->is_dynamic ? ", growing" : "");
}

/* "timer P3D"; the expiry is shown only if it is a duration. */
static const char *timer_note(
    struct wf_arena *arena, const struct wf_timer *timer)
{
	if (timer->duration != NULL)
		return wf_arena_printf(arena, "timer %s", timer->duration);
	if (timer->ticks != NULL && timer->interval != NULL)
		return wf_arena_printf(
		    arena, "timer %s %s", timer->ticks, timer->interval);
	if (timer->net_variable != NULL)
		return wf_arena_printf(arena, "timer %s", timer->net_variable);
	return NULL;
}

/* The note in small letters below a task. */
static const char *task_note(struct wf_arena *arena, const struct wf_task *task)
{
	const char *instances =
	    task->multi == NULL ? NULL : instances_note(arena, task->multi);
	const char *timer =
	    task->timer == NULL ? NULL : timer_note(arena, task->timer);
	const char *note = instances != NULL ? instances : timer;

	if (instances != NULL && timer != NULL)
		note = wf_arena_printf(arena, "%s; %s", instances, timer);
	if (note == NULL)
		return NULL;
	return wf_text_shorten(arena, note, NAME_WIDTH * 1.5, WF_NOTE_SIZE);
}

static void condition_figure(struct wf_picture *picture,
    struct wf_figure *figure, const struct wf_condition *condition)
{
	bool named = !is_blank(condition->name);

	figure->condition = condition;
	figure->core.w = figure->core.h = WF_CIRCLE;
	figure->label = "";
	if (named)
		figure->label = condition->name;
	else if (condition->kind == WF_PLACE)
		figure->label = condition->id;
	figure->label_is_id = !named;
	figure->name = wf_text_wrap(
	    picture->arena, figure->label, NAME_WIDTH * 0.75, WF_NOTE_SIZE);
	figure->width = figure->height = WF_CIRCLE;
}

static void task_figure(struct wf_picture *picture, struct wf_figure *figure,
    const struct wf_task *task)
{
	double stack = task->multi != NULL ? 2 * WF_STACK : 0;
	double note;

	figure->task = task;
	figure->label_is_id = is_blank(task->name);
	figure->label = figure->label_is_id ? task->id : task->name;
	figure->name = wf_text_wrap(
	    picture->arena, figure->label, NAME_WIDTH, WF_NAME_SIZE);
	figure->name_inside = true;
	figure->has_join = task->preset_count > 1;
	figure->has_split = task->flow_count > 1;
	figure->join_side = WF_SIDE_WEST;
	figure->split_side = WF_SIDE_EAST;
	figure->note = task_note(picture->arena, task);
	note = figure->note == NULL ? 0 : 2 * (WF_NOTE_SIZE + 6);
	figure->core.w = fmax(72, figure->name.width + 26);
	figure->core.h =
	    fmax(48, (double)figure->name.count * (WF_NAME_SIZE + 4) + 22);
	figure->width = figure->core.w + 2 * stack +
			(figure->has_join ? WF_DECORATOR : 0) +
			(figure->has_split ? WF_DECORATOR : 0);
	figure->height = figure->core.h + fmax(2 * stack, note);
	if (figure->note != NULL)
		figure->width = fmax(
		    figure->width, wf_text_width(figure->note,
				       strlen(figure->note), WF_NOTE_SIZE));
}

struct wf_box wf_figure_outline(const struct wf_figure *figure)
{
	struct wf_box box = figure->core;

	if (figure->task != NULL && figure->task->multi != NULL) {
		box.y -= 2 * WF_STACK;
		box.h += 2 * WF_STACK;
		box.w += 2 * WF_STACK;
	}
	for (int i = 0; i < 2; i++) {
		bool has = i == 0 ? figure->has_join : figure->has_split;
		enum wf_side side =
		    i == 0 ? figure->join_side : figure->split_side;

		if (!has)
			continue;
		if (side == WF_SIDE_WEST || side == WF_SIDE_EAST)
			box.w += WF_DECORATOR;
		else
			box.h += WF_DECORATOR;
		if (side == WF_SIDE_WEST)
			box.x -= WF_DECORATOR;
		if (side == WF_SIDE_NORTH)
			box.y -= WF_DECORATOR;
	}
	return box;
}

struct wf_point wf_box_centre(struct wf_box box)
{
	return (struct wf_point){ box.x + box.w / 2, box.y + box.h / 2 };
}

struct wf_point wf_figure_port(
    const struct wf_figure *figure, enum wf_side side)
{
	struct wf_box box = wf_figure_outline(figure);
	struct wf_point at = wf_box_centre(figure->core);

	if (side == WF_SIDE_NORTH)
		at.y = box.y;
	else if (side == WF_SIDE_SOUTH)
		at.y = box.y + box.h;
	else if (side == WF_SIDE_WEST)
		at.x = box.x;
	else if (side == WF_SIDE_EAST)
		at.x = box.x + box.w;
	return at;
}

/* --- figures and lines of a net ------------------------------------------ */

static void add_figures(struct wf_picture *picture)
{
	const struct wf_net *net = picture->net;

	for (uint32_t i = 0; i < net->condition_count; i++) {
		if (net->conditions[i].kind == WF_IMPLICIT)
			continue;
		picture->of_condition[i] = picture->figure_count;
		condition_figure(picture,
		    &picture->figures[picture->figure_count++],
		    &net->conditions[i]);
	}
	for (uint32_t i = 0; i < net->task_count; i++) {
		picture->of_task[i] = picture->figure_count;
		task_figure(picture, &picture->figures[picture->figure_count++],
		    &net->tasks[i]);
	}
}

static void label_flow(struct wf_picture *picture, struct wf_line *line,
    const struct wf_task *task, const struct wf_flow *flow)
{
	const char *text = NULL;

	if (task->split == WF_AND || task->flow_count < 2)
		return;
	line->is_default = flow->is_default;
	if (flow->predicate != NULL &&
	    !(flow->is_default && task->split == WF_XOR))
		text = plain_predicate(
		    picture->arena, picture->net, flow->predicate->text);
	if (text == NULL && flow->is_default)
		text = "otherwise";
	if (is_blank(text))
		return;
	line->label = wf_text_shorten(
	    picture->arena, text, PREDICATE_WIDTH, WF_NOTE_SIZE);
	line->label_width =
	    wf_text_width(line->label, strlen(line->label), WF_NOTE_SIZE);
}

static void add_flow(struct wf_picture *picture, const struct wf_task *task,
    const struct wf_flow *flow)
{
	const struct wf_condition *target =
	    &picture->net->conditions[flow->condition];
	struct wf_line *line = &picture->lines[picture->line_count++];

	line->from = picture->of_task[task->number];
	line->flow = flow;
	line->to = picture->of_condition[flow->condition];
	if (target->kind == WF_IMPLICIT) {
		line->implicit = target;
		picture->of_condition[flow->condition] =
		    picture->line_count - 1;
		line->to = picture->of_task[target->postset[0]];
	}
	label_flow(picture, line, task, flow);
}

static void add_lines(struct wf_picture *picture)
{
	const struct wf_net *net = picture->net;

	for (uint32_t i = 0; i < net->condition_count; i++) {
		const struct wf_condition *condition = &net->conditions[i];

		if (condition->kind == WF_IMPLICIT)
			continue;
		for (uint32_t j = 0; j < condition->postset_count; j++) {
			struct wf_line *line =
			    &picture->lines[picture->line_count++];

			line->from = picture->of_condition[i];
			line->to = picture->of_task[condition->postset[j]];
		}
	}
	for (uint32_t i = 0; i < net->task_count; i++) {
		for (uint32_t j = 0; j < net->tasks[i].flow_count; j++)
			add_flow(
			    picture, &net->tasks[i], &net->tasks[i].flows[j]);
	}
}

static size_t count_lines(const struct wf_net *net)
{
	size_t count = 0;

	for (uint32_t i = 0; i < net->condition_count; i++)
		count += net->conditions[i].postset_count;
	for (uint32_t i = 0; i < net->task_count; i++)
		count += net->tasks[i].flow_count;
	return count;
}

struct wf_picture *wf_picture_new(
    struct wf_arena *arena, const struct wf_net *net)
{
	struct wf_picture *picture;
	size_t figures = (size_t)net->condition_count + net->task_count;
	size_t lines = count_lines(net);

	if (figures > WF_DRAW_MAXIMUM || lines > WF_DRAW_MAXIMUM)
		return NULL;
	picture = wf_arena_alloc(arena, sizeof(*picture));
	picture->arena = arena;
	picture->net = net;
	picture->figures =
	    wf_arena_array(arena, figures, sizeof(*picture->figures));
	picture->lines = wf_arena_array(arena, lines, sizeof(*picture->lines));
	picture->of_condition = wf_arena_array(
	    arena, net->condition_count, sizeof(*picture->of_condition));
	picture->of_task =
	    wf_arena_array(arena, net->task_count, sizeof(*picture->of_task));
	add_figures(picture);
	add_lines(picture);
	return picture;
}

/* --- curves -------------------------------------------------------------- */

/*
 * Makes room for the curve through the points, and sets the tip of the arrow to
 * the last point; returns the end of the curve, which is inside the arrow head.
 */
static struct wf_point begin_curve(struct wf_picture *picture,
    struct wf_line *line, const struct wf_point *through, size_t count)
{
	struct wf_point before = through[count - 2];
	struct wf_point end = through[count - 1];
	double dx = before.x - end.x;
	double dy = before.y - end.y;
	double length = fmax(hypot(dx, dy), 0.1);
	double head = fmin(9, length * 0.9);

	line->point_count = 3 * (count - 1) + 1;
	line->points = wf_arena_array(
	    picture->arena, line->point_count, sizeof(*line->points));
	line->points[0] = through[0];
	line->tip = end;
	return (struct wf_point){ end.x + dx / length * head,
		end.y + dy / length * head };
}

void wf_line_straight(struct wf_picture *picture, struct wf_line *line,
    const struct wf_point *through, size_t count)
{
	struct wf_point end = begin_curve(picture, line, through, count);

	for (size_t i = 1; i < count; i++) {
		struct wf_point a = through[i - 1];
		struct wf_point b = i == count - 1 ? end : through[i];
		struct wf_point *to = line->points + 3 * i - 2;

		to[0] = (struct wf_point){ a.x + (b.x - a.x) / 3,
			a.y + (b.y - a.y) / 3 };
		to[1] = (struct wf_point){ a.x + (b.x - a.x) * 2 / 3,
			a.y + (b.y - a.y) * 2 / 3 };
		to[2] = b;
	}
}

/* The point step after point i; beyond the ends, the first or last point. */
static struct wf_point point_at(const struct wf_point *through, size_t count,
    struct wf_point end, size_t i, int step)
{
	if (step < 0 && i == 0)
		return through[0];
	i = step < 0 ? i - 1 : i + (size_t)step;
	return i >= count - 1 ? end : through[i];
}

void wf_line_smooth(struct wf_picture *picture, struct wf_line *line,
    const struct wf_point *through, size_t count)
{
	struct wf_point end = begin_curve(picture, line, through, count);

	/*
	 * Catmull-Rom: the tangent at a point is parallel to the line through
	 * its neighbours.
	 */
	for (size_t i = 0; i + 1 < count; i++) {
		struct wf_point before = point_at(through, count, end, i, -1);
		struct wf_point a = through[i];
		struct wf_point b = point_at(through, count, end, i, 1);
		struct wf_point after = point_at(through, count, end, i, 2);
		struct wf_point *to = line->points + 3 * i + 1;

		to[0] = (struct wf_point){ a.x + (b.x - before.x) / 6,
			a.y + (b.y - before.y) / 6 };
		to[1] = (struct wf_point){ b.x - (after.x - a.x) / 6,
			b.y - (after.y - a.y) / 6 };
		to[2] = b;
	}
}

void wf_line_loop(struct wf_picture *picture, struct wf_line *line)
{
	const struct wf_figure *figure = &picture->figures[line->from];
	struct wf_point out = wf_figure_port(figure, WF_SIDE_EAST);
	struct wf_point in = wf_figure_port(figure, WF_SIDE_WEST);
	double top = wf_figure_outline(figure).y - 20;
	struct wf_point through[] = { out, { out.x + 22, (out.y + top) / 2 },
		{ (in.x + out.x) / 2, top }, { in.x - 22, (in.y + top) / 2 },
		in };

	wf_line_smooth(picture, line, through, 5);
}

struct wf_point wf_curve_at(const struct wf_point *p, double t)
{
	double s = 1 - t;
	double c[4] = { s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t };
	struct wf_point at = { 0, 0 };

	for (int i = 0; i < 4; i++) {
		at.x += c[i] * p[i].x;
		at.y += c[i] * p[i].y;
	}
	return at;
}

static double piece_length(const struct wf_point *p)
{
	return hypot(p[3].x - p[0].x, p[3].y - p[0].y);
}

struct wf_point wf_line_at(const struct wf_line *line, double part)
{
	double length = 0;
	size_t i;

	for (i = 0; i + 3 < line->point_count; i += 3)
		length += piece_length(line->points + i);
	length *= part;
	for (i = 0; i + 6 < line->point_count; i += 3) {
		double piece = piece_length(line->points + i);

		if (length <= piece)
			break;
		length -= piece;
	}
	return wf_curve_at(line->points + i,
	    fmin(1, length / fmax(0.1, piece_length(line->points + i))));
}

/* --- the whole picture --------------------------------------------------- */

struct extent {
	double left, top, right, bottom;
};

static void include(struct extent *e, struct wf_box box)
{
	e->left = fmin(e->left, box.x);
	e->top = fmin(e->top, box.y);
	e->right = fmax(e->right, box.x + box.w);
	e->bottom = fmax(e->bottom, box.y + box.h);
}

static void include_figure(struct extent *e, const struct wf_figure *figure)
{
	struct wf_box outline = wf_figure_outline(figure);
	double below = figure->note != NULL ? WF_NOTE_SIZE + 6 : 0;

	/* Margin for the marks and outlines of cancellation sets. */
	include(e, (struct wf_box){ outline.x - 14, outline.y - 14,
		       outline.w + 28, outline.h + 28 + below });
	if (figure->name.count > 0 && !figure->name_inside) {
		double w = figure->name.width;
		double h = (double)figure->name.count * (WF_NAME_SIZE + 4);

		include(e, (struct wf_box){ figure->label_at.x - w / 2,
			       figure->label_at.y, w, h + below + 8 });
	}
}

static void include_line(struct extent *e, const struct wf_line *line)
{
	for (size_t i = 0; i + 3 < line->point_count; i += 3) {
		for (int j = 0; j <= 4; j++) {
			struct wf_point at =
			    wf_curve_at(line->points + i, j / 4.0);

			include(e, (struct wf_box){ at.x, at.y, 0, 0 });
		}
	}
	if (line->label != NULL && line->has_label_at)
		include(e,
		    (struct wf_box){ line->label_at.x - line->label_width / 2,
			line->label_at.y - 10, line->label_width, 20 });
}

static void move(struct wf_point *point, double dx, double dy)
{
	point->x += dx;
	point->y += dy;
}

static void move_all(struct wf_picture *picture, double dx, double dy)
{
	for (uint32_t i = 0; i < picture->figure_count; i++) {
		struct wf_figure *figure = &picture->figures[i];

		figure->core.x += dx;
		figure->core.y += dy;
		move(&figure->label_at, dx, dy);
	}
	for (uint32_t i = 0; i < picture->line_count; i++) {
		struct wf_line *line = &picture->lines[i];

		for (size_t j = 0; j < line->point_count; j++)
			move(&line->points[j], dx, dy);
		move(&line->tip, dx, dy);
		move(&line->label_at, dx, dy);
	}
}

void wf_picture_fit(struct wf_picture *picture)
{
	struct extent e = { INFINITY, INFINITY, -INFINITY, -INFINITY };

	wf_place_labels(picture);
	for (uint32_t i = 0; i < picture->line_count; i++)
		include_line(&e, &picture->lines[i]);
	for (uint32_t i = 0; i < picture->figure_count; i++)
		include_figure(&e, &picture->figures[i]);
	if (!(e.left <= e.right))
		return;
	move_all(picture, -e.left, -e.top);
	picture->width = e.right - e.left;
	picture->height = e.bottom - e.top;
}
