/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures as data: the figures and lines of each net with their places, for
 * programs that draw them.  They are those of the SVG pictures.
 *
 * Each object is written as soon as it is whole, so that a large picture takes
 * the memory of its text only.
 */
#include "draw/draw.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "data/json_fields.h"
#include "draw/draw_picture.h"

/* A curve becomes straight pieces of about this length. */
#define PIECE 10.0
#define PIECES_MAXIMUM 24
/* Points this close to the line between their neighbours are left out. */
#define NEARLY_STRAIGHT 0.3

#define DUMP_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(8))

static const char *const CONTROLS[] = {
	[WF_AND] = "and", [WF_XOR] = "xor", [WF_OR] = "or"
};
static const char *const LAYOUTS[] = { [WF_LAYOUT_FILE] = "file",
	[WF_LAYOUT_COMPUTED] = "computed",
	[WF_LAYOUT_COLUMNS] = "columns" };

static int append(const char *bytes, size_t size, void *text)
{
	struct wf_buffer *buffer = text;

	wf_buffer_append(buffer, bytes, size);
	return buffer->full ? -1 : 0;
}

/* Takes the reference. */
static void put_json(struct wf_buffer *text, json_t *json, size_t flags)
{
	if (json_dump_callback(json, append, text, DUMP_FLAGS | flags) != 0)
		text->full = true;
	json_decref(json);
}

static void put_flag(json_t *object, const char *name, bool on)
{
	if (on)
		json_object_set_new(object, name, json_true());
}

/* --- lengths, in tenths of a pixel ---------------------------------------- */

static json_t *length_json(double length)
{
	double rounded = round(length * 10) / 10;

	if (rounded == trunc(rounded))
		return json_integer((json_int_t)rounded);
	return json_real(rounded);
}

static void put_length(json_t *object, const char *name, double length)
{
	json_object_set_new(object, name, length_json(length));
}

static json_t *point_json(struct wf_point at)
{
	json_t *pair = json_array();

	json_array_append_new(pair, length_json(at.x));
	json_array_append_new(pair, length_json(at.y));
	return pair;
}

/* --- elements ------------------------------------------------------------- */

/* The first line of a text that has a word. */
static void put_first_line(json_t *object, const char *name, const char *text)
{
	size_t length;

	if (text == NULL)
		return;
	text += strspn(text, " \t\r\n");
	length = strcspn(text, "\r\n");
	if (length > 0)
		json_object_set_new(object, name, json_stringn(text, length));
}

/* A number, the text of a query, or nothing if there is no limit. */
static void put_bound(
    json_t *object, const char *name, const struct wf_bound *bound)
{
	if (bound->query.text != NULL)
		json_object_set_new(
		    object, name, json_string(bound->query.text));
	else if (bound->number < INT32_MAX)
		json_object_set_new(object, name, json_integer(bound->number));
}

static json_t *instances_json(const struct wf_multi_instance *multi)
{
	json_t *object = json_object();

	put_bound(object, "minimum", &multi->minimum);
	put_bound(object, "maximum", &multi->maximum);
	put_bound(object, "threshold", &multi->threshold);
	put_flag(object, "dynamic", multi->is_dynamic);
	return object;
}

static void put_cancelled(json_t *object, const struct wf_task *task)
{
	const struct wf_net *net = task->net;
	json_t *ids;

	if (task->cancelled_task_count + task->cancelled_condition_count == 0)
		return;
	ids = json_array();
	for (uint32_t i = 0; i < task->cancelled_task_count; i++)
		json_array_append_new(
		    ids, json_string(net->tasks[task->cancelled_tasks[i]].id));
	for (uint32_t i = 0; i < task->cancelled_condition_count; i++)
		json_array_append_new(ids,
		    json_string(
			net->conditions[task->cancelled_conditions[i]].id));
	json_object_set_new(object, "cancels", ids);
}

/* Who does it; an empty task is done by nobody. */
static const char *doer_of(const struct wf_task *task)
{
	if (task->kind == WF_COMPOSITE_TASK)
		return "net";
	if (task->kind == WF_EMPTY_TASK)
		return NULL;
	if (task->is_for_people)
		return "person";
	return task->decomposition->service_uri != NULL ? "service"
							: "automatic";
}

static void put_decorator(json_t *object, const char *name,
    enum wf_control control, const char *side_name, enum wf_side side)
{
	static const char *const sides[] = { [WF_SIDE_NORTH] = "north",
		[WF_SIDE_SOUTH] = "south",
		[WF_SIDE_WEST] = "west",
		[WF_SIDE_EAST] = "east" };

	json_object_set_new(object, name, json_string(CONTROLS[control]));
	wf_json_put_text(object, side_name, sides[side]);
}

static void put_task(json_t *object, const struct wf_figure *figure)
{
	const struct wf_task *task = figure->task;

	if (figure->has_join)
		put_decorator(
		    object, "join", task->join, "join_side", figure->join_side);
	if (figure->has_split)
		put_decorator(object, "split", task->split, "split_side",
		    figure->split_side);
	wf_json_put_text(object, "does", doer_of(task));
	if (task->kind == WF_COMPOSITE_TASK)
		json_object_set_new(
		    object, "net", json_string(task->decomposition->id));
	else if (task->decomposition != NULL)
		wf_json_put_text(
		    object, "service", task->decomposition->service_uri);
	put_flag(object, "timer", task->timer != NULL);
	if (task->multi != NULL)
		json_object_set_new(
		    object, "instances", instances_json(task->multi));
	put_cancelled(object, task);
}

/* The name in the lines that there is room for. */
static void put_lines(json_t *object, const struct wf_figure *figure)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < figure->name.count; i++)
		json_array_append_new(lines, json_string(figure->name.text[i]));
	json_object_set_new(object, "lines", lines);
	if (figure->name.count > 0 && !figure->name_inside)
		json_object_set_new(
		    object, "name_at", point_json(figure->label_at));
}

static json_t *element_json(const struct wf_figure *figure)
{
	static const char *const kinds[] = { [WF_PLACE] = "condition",
		[WF_INPUT_CONDITION] = "input",
		[WF_OUTPUT_CONDITION] = "output" };
	const struct wf_condition *condition = figure->condition;
	const struct wf_task *task = figure->task;
	json_t *object = json_object();

	json_object_set_new(object, "id",
	    json_string(condition != NULL ? condition->id : task->id));
	json_object_set_new(object, "kind",
	    json_string(condition != NULL ? kinds[condition->kind] : "task"));
	wf_json_put_text(
	    object, "name", condition != NULL ? condition->name : task->name);
	put_first_line(object, "documentation",
	    condition != NULL ? condition->documentation : task->documentation);
	json_object_set_new(object, "line",
	    json_integer(condition != NULL ? condition->line : task->line));
	put_length(object, "x", figure->core.x);
	put_length(object, "y", figure->core.y);
	put_length(object, "width", figure->core.w);
	put_length(object, "height", figure->core.h);
	put_lines(object, figure);
	if (task != NULL)
		put_task(object, figure);
	return object;
}

/* --- flows ---------------------------------------------------------------- */

struct polyline {
	json_t *points;
	struct wf_point last[2]; /* the last one is last[1] */
};

/* Whether b is on the way from a to c. */
static bool is_between(struct wf_point a, struct wf_point b, struct wf_point c)
{
	double length = hypot(c.x - a.x, c.y - a.y);
	double across = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
	double along = (b.x - a.x) * (c.x - a.x) + (b.y - a.y) * (c.y - a.y);

	return fabs(across) <= NEARLY_STRAIGHT * length && along >= 0 &&
	       along <= length * length;
}

static void add_point(struct polyline *line, struct wf_point at)
{
	size_t count = json_array_size(line->points);

	if (count >= 2 && is_between(line->last[0], line->last[1], at)) {
		json_array_set_new(line->points, count - 1, point_json(at));
	} else {
		json_array_append_new(line->points, point_json(at));
		line->last[0] = line->last[1];
	}
	line->last[1] = at;
}

static json_t *points_json(const struct wf_line *line)
{
	struct polyline polyline = { .points = json_array() };

	add_point(&polyline, line->points[0]);
	for (size_t i = 0; i + 3 < line->point_count; i += 3) {
		const struct wf_point *p = &line->points[i];
		double length = hypot(p[3].x - p[0].x, p[3].y - p[0].y);
		int pieces = (int)fmin(PIECES_MAXIMUM, 2 + length / PIECE);

		for (int k = 1; k <= pieces; k++)
			add_point(
			    &polyline, wf_curve_at(p, (double)k / pieces));
	}
	add_point(&polyline, line->tip);
	return polyline.points;
}

static const char *id_of(const struct wf_figure *figure)
{
	return figure->condition != NULL ? figure->condition->id
					 : figure->task->id;
}

/* How a split chooses the flow. */
static void put_choice(
    json_t *object, const struct wf_line *line, const struct wf_task *task)
{
	const struct wf_flow *flow = line->flow;

	if (line->label != NULL) {
		json_object_set_new(object, "label", json_string(line->label));
		json_object_set_new(
		    object, "label_at", point_json(line->label_at));
	}
	if (flow->predicate != NULL)
		json_object_set_new(
		    object, "predicate", json_string(flow->predicate->text));
	put_flag(object, "default", line->is_default);
	if (task->split == WF_XOR && task->flow_count > 1)
		json_object_set_new(
		    object, "order", json_integer(flow - task->flows + 1));
}

static json_t *flow_json(
    const struct wf_picture *picture, const struct wf_line *line)
{
	const struct wf_figure *from = &picture->figures[line->from];
	json_t *object = json_object();

	json_object_set_new(object, "from", json_string(id_of(from)));
	json_object_set_new(
	    object, "to", json_string(id_of(&picture->figures[line->to])));
	if (line->implicit != NULL)
		json_object_set_new(
		    object, "condition", json_string(line->implicit->id));
	json_object_set_new(object, "points", points_json(line));
	if (line->flow != NULL)
		put_choice(object, line, from->task);
	return object;
}

/* --- nets ----------------------------------------------------------------- */

/* Opens the object, which its lists and a brace end. */
static void put_head(struct wf_buffer *text, const struct wf_net *net,
    const struct wf_picture *picture)
{
	const struct wf_decomposition *decomposition = net->decomposition;
	json_t *object = json_object();

	json_object_set_new(object, "id", json_string(decomposition->id));
	wf_json_put_text(object, "name", decomposition->name);
	put_first_line(object, "documentation", decomposition->documentation);
	json_object_set_new(
	    object, "root", json_boolean(net == net->spec->root));
	wf_json_put_text(object, "layout",
	    picture == NULL ? NULL : LAYOUTS[picture->layout]);
	put_length(object, "width", picture == NULL ? 0 : picture->width);
	put_length(object, "height", picture == NULL ? 0 : picture->height);
	wf_buffer_putc(text, '{');
	put_json(text, object, JSON_EMBED);
}

static void put_net(
    struct wf_buffer *text, const struct wf_net *net, uint32_t *flows)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_picture *picture = wf_picture_lay_out(arena, net, flows);
	uint32_t figures = picture == NULL ? 0 : picture->figure_count;
	uint32_t lines = picture == NULL ? 0 : picture->line_count;

	put_head(text, net, picture);
	wf_buffer_puts(text, ",\"elements\":[");
	for (uint32_t i = 0; i < figures && !text->full; i++) {
		wf_buffer_puts(text, i == 0 ? "" : ",");
		put_json(text, element_json(&picture->figures[i]), 0);
	}
	wf_buffer_puts(text, "],\"flows\":[");
	for (uint32_t i = 0; i < lines && !text->full; i++) {
		wf_buffer_puts(text, i == 0 ? "" : ",");
		put_json(text, flow_json(picture, &picture->lines[i]), 0);
	}
	wf_buffer_puts(text, "]}");
	wf_arena_free(&arena);
}

enum wf_rc wf_draw_nets(const struct wf_spec *spec, uint32_t *flows,
    struct wf_buffer *text, struct wf_error *err)
{
	wf_buffer_putc(text, '[');
	put_net(text, spec->root, flows);
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		if (net == NULL || net == spec->root || text->full)
			continue;
		wf_buffer_putc(text, ',');
		put_net(text, net, flows);
	}
	wf_buffer_putc(text, ']');
	return text->full ? wf_fail(err, WF_LIMIT, "the picture is too large")
			  : WF_OK;
}
