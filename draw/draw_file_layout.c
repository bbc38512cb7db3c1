/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uses the layout in the file, made by its author in YAWL's editor.  The editor
 * draws icons of 32 pixels with the name below; this layout does too, larger.
 * The end points of flows are ignored, because they often are next to the
 * figures: a line begins and ends at our figures, at the side or port that the
 * file names.
 */
#include "draw/draw_picture.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "spec/markup.h"

#define SCALE 1.5
#define FARTHEST 100000.0
/* Points this close to the row or column of an end are moved onto it. */
#define SNAP (7 * SCALE)
#define POINTS_MAXIMUM 200U
#define NO_PORT (-1)

struct layout {
	struct wf_picture *picture;
	struct wf_map *figures; /* id -> number + 1 */
	size_t placed;
};

/*
 * Numbers are in the locale of the author: 1247.5, 1,247.5 or 1247,5.  A comma
 * before three digits is not a decimal point.
 */
static bool read_number(const char *text, double *number_out)
{
	char plain[32];
	size_t n = 0;
	char *end;

	if (text == NULL)
		return false;
	for (; *text != '\0' && n < sizeof(plain) - 1; text++) {
		if (*text != ',')
			plain[n++] = *text;
		else if (strspn(text + 1, "0123456789") != 3)
			plain[n++] = '.';
	}
	plain[n] = '\0';
	*number_out = strtod(plain, &end);
	return end != plain && *end == '\0' && fabs(*number_out) < FARTHEST;
}

static bool read_pair(const struct wf_markup *node, const char *first,
    const char *second, double *first_out, double *second_out)
{
	if (node == NULL ||
	    !read_number(wf_markup_attribute(node, first), first_out) ||
	    !read_number(wf_markup_attribute(node, second), second_out))
		return false;
	*first_out *= SCALE;
	*second_out *= SCALE;
	return true;
}

/* The bounds of a vertex, a label or a decorator. */
static bool read_bounds(const struct wf_markup *node, struct wf_box *box_out)
{
	const struct wf_markup *bounds =
	    wf_markup_child(wf_markup_child(node, "attributes"), "bounds");

	return read_pair(bounds, "x", "y", &box_out->x, &box_out->y) &&
	       read_pair(bounds, "w", "h", &box_out->w, &box_out->h) &&
	       box_out->w > 0 && box_out->h > 0;
}

static void read_decorator(const struct wf_picture *picture,
    struct wf_figure *figure, const struct wf_markup *decorator)
{
	const char *type = wf_markup_attribute(decorator, "type");
	const char *position = wf_markup_text(
	    picture->arena, wf_markup_child(decorator, "position"));
	long side = strtol(position, NULL, 10);

	if (type == NULL || side < WF_SIDE_NORTH || side > WF_SIDE_EAST)
		return;
	if (strstr(type, "_join") != NULL)
		figure->join_side = (enum wf_side)side;
	else
		figure->split_side = (enum wf_side)side;
}

/* Decorations on the same side would overlap. */
static void part_decorators(struct wf_figure *figure)
{
	if (!figure->has_join || !figure->has_split ||
	    figure->join_side != figure->split_side)
		return;
	figure->split_side = figure->join_side == WF_SIDE_NORTH ? WF_SIDE_SOUTH
			     : figure->join_side == WF_SIDE_SOUTH
				 ? WF_SIDE_NORTH
			     : figure->join_side == WF_SIDE_WEST ? WF_SIDE_EAST
								 : WF_SIDE_WEST;
}

static void place_name(struct wf_picture *picture, struct wf_figure *figure,
    const struct wf_markup *label)
{
	struct wf_box outline = wf_figure_outline(figure);
	struct wf_box box = { 0, 0, 0, 0 };
	double width = 96 * SCALE;

	figure->label_at.x = wf_box_centre(figure->core).x;
	figure->label_at.y = outline.y + outline.h + 3;
	if (read_bounds(label, &box)) {
		figure->label_at.x = box.x + box.w / 2;
		figure->label_at.y = fmax(box.y, figure->label_at.y);
		width = fmax(box.w, 60 * SCALE);
	}
	figure->name_inside = false;
	figure->name =
	    wf_text_wrap(picture->arena, figure->label, width, WF_NAME_SIZE);
}

/* <vertex id><attributes/></vertex>, or in a container with a label. */
static bool place_element(struct layout *layout, const struct wf_markup *node)
{
	struct wf_picture *picture = layout->picture;
	const struct wf_markup *vertex = wf_markup_child(node, "vertex");
	const char *id = wf_markup_attribute(node, "id");
	struct wf_figure *figure;
	struct wf_box box;
	size_t number;

	if (vertex == NULL)
		vertex = node;
	if (id == NULL)
		id = wf_markup_attribute(vertex, "id");
	number = id == NULL ? 0 : (size_t)wf_map_get(layout->figures, id);
	if (number == 0)
		return true; /* of something that is not in the net */
	figure = &picture->figures[number - 1];
	if (!read_bounds(vertex, &box))
		return false;
	layout->placed += figure->core.x == HUGE_VAL;
	figure->core = box;
	for (const struct wf_markup *at = wf_markup_child(node, "decorator");
	     at != NULL; at = wf_markup_next(at, "decorator"))
		read_decorator(picture, figure, at);
	part_decorators(figure);
	if (figure->condition != NULL && figure->label_is_id)
		figure->label = "";
	place_name(picture, figure, wf_markup_child(node, "label"));
	return true;
}

/* --- flows --------------------------------------------------------------- */

/*
 * The point where the straight line from the centre of the figure leaves its
 * outline.
 */
static struct wf_point clip(
    const struct wf_figure *figure, struct wf_point towards)
{
	struct wf_box box = wf_figure_outline(figure);
	struct wf_point c = wf_box_centre(box);
	double dx = towards.x - c.x;
	double dy = towards.y - c.y;
	double t;

	if (figure->condition != NULL)
		t = fmin(box.w, box.h) / 2 / fmax(hypot(dx, dy), 0.1);
	else
		t = fmin(box.w / 2 / fmax(fabs(dx), 0.1),
		    box.h / 2 / fmax(fabs(dy), 0.1));
	return (struct wf_point){ c.x + dx * t, c.y + dy * t };
}

/*
 * Ports 0 to 4 lie along a decoration, 2 in the middle.  The side decides which
 * end is 0; the line goes to the end that is nearer to its other figure.
 */
static struct wf_point along_decorator(const struct wf_figure *figure,
    enum wf_side side, int port, struct wf_point towards)
{
	static const double offset[] = { 0.42, 0.22, 0, 0.22, 0.42 };
	struct wf_point at = wf_figure_port(figure, side);

	if (port < 0 || port > 4)
		return at;
	if (side == WF_SIDE_WEST || side == WF_SIDE_EAST)
		at.y +=
		    copysign(figure->core.h * offset[port], towards.y - at.y);
	else
		at.x +=
		    copysign(figure->core.w * offset[port], towards.x - at.x);
	return at;
}

static struct wf_point line_end(const struct wf_figure *figure, bool is_source,
    int port, struct wf_point towards)
{
	bool decorated = is_source ? figure->has_split : figure->has_join;
	enum wf_side side = is_source ? figure->split_side : figure->join_side;

	if (decorated)
		return along_decorator(figure, side, port, towards);
	if (port >= WF_SIDE_NORTH && port <= WF_SIDE_EAST)
		return wf_figure_port(figure, (enum wf_side)port);
	if (port >= 0 && figure->task != NULL)
		return wf_figure_port(figure, side);
	return clip(figure, towards);
}

static int read_port(const struct wf_markup *flow, const char *name)
{
	double port;

	if (flow == NULL ||
	    !read_number(
		wf_markup_attribute(wf_markup_child(flow, "ports"), name),
		&port))
		return NO_PORT;
	return (int)port;
}

/* The points between the ends; returns their number. */
static size_t read_points(
    const struct wf_markup *flow, struct wf_point points[POINTS_MAXIMUM])
{
	const struct wf_markup *list =
	    wf_markup_child(wf_markup_child(flow, "attributes"), "points");
	size_t count = 0;

	for (const struct wf_markup *at = wf_markup_child(list, "value");
	     at != NULL && count < POINTS_MAXIMUM;
	     at = wf_markup_next(at, "value")) {
		if (read_pair(at, "x", "y", &points[count].x, &points[count].y))
			count++;
	}
	if (count <= 2)
		return 0;
	memmove(points, points + 1, (count - 2) * sizeof(points[0]));
	return count - 2;
}

static void snap(struct wf_point *point, struct wf_point end)
{
	if (fabs(point->x - end.x) < SNAP)
		point->x = end.x;
	if (fabs(point->y - end.y) < SNAP)
		point->y = end.y;
}

/* flow: NULL when the file does not describe the flow. */
static void place_line(struct wf_picture *picture, struct wf_line *line,
    const struct wf_markup *flow)
{
	const struct wf_figure *from = &picture->figures[line->from];
	const struct wf_figure *to = &picture->figures[line->to];
	struct wf_point points[POINTS_MAXIMUM + 2];
	size_t inner = flow == NULL ? 0 : read_points(flow, points + 1);
	struct wf_point first = inner > 0 ? points[1] : wf_box_centre(to->core);
	struct wf_point last =
	    inner > 0 ? points[inner] : wf_box_centre(from->core);
	const char *style = wf_markup_text(picture->arena,
	    wf_markup_child(wf_markup_child(flow, "attributes"), "lineStyle"));

	if (from == to && inner == 0) {
		wf_line_loop(picture, line);
		return;
	}
	points[0] = line_end(from, true, read_port(flow, "in"), first);
	points[inner + 1] = line_end(to, false, read_port(flow, "out"), last);
	if (strcmp(style, "11") != 0 && inner > 0) {
		wf_line_smooth(picture, line, points, inner + 2);
		return;
	}
	for (size_t i = 1; i <= inner; i++) {
		snap(&points[i], points[0]);
		snap(&points[i], points[inner + 1]);
	}
	wf_line_straight(picture, line, points, inner + 2);
}

static void place_lines(struct layout *layout, const struct wf_markup *net)
{
	struct wf_picture *picture = layout->picture;
	struct wf_map *flows = wf_map_new();
	char key[64];

	for (struct wf_markup *at = wf_markup_child(net, "flow"); at != NULL;
	     at = wf_markup_next(at, "flow")) {
		const char *source = wf_markup_attribute(at, "source");
		const char *target = wf_markup_attribute(at, "target");

		if (source == NULL || target == NULL)
			continue;
		snprintf(key, sizeof(key), "%zu-%zu",
		    (size_t)wf_map_get(layout->figures, source),
		    (size_t)wf_map_get(layout->figures, target));
		wf_map_add(flows, key, at);
	}
	for (uint32_t i = 0; i < picture->line_count; i++) {
		struct wf_line *line = &picture->lines[i];

		snprintf(
		    key, sizeof(key), "%u-%u", line->from + 1, line->to + 1);
		place_line(picture, line, wf_map_get(flows, key));
	}
	wf_map_free(&flows);
}

/* --- the net ------------------------------------------------------------- */

static bool place_elements(struct layout *layout, const struct wf_markup *net)
{
	for (const struct wf_markup *at = wf_markup_child(net, NULL);
	     at != NULL; at = wf_markup_next(at, NULL)) {
		if ((strcmp(at->name, "vertex") == 0 ||
			strcmp(at->name, "container") == 0) &&
		    !place_element(layout, at))
			return false;
	}
	return layout->placed == layout->picture->figure_count;
}

bool wf_layout_from_file(struct wf_picture *picture)
{
	struct layout layout = { .picture = picture };
	struct wf_figure *kept;
	size_t size = picture->figure_count * sizeof(*kept);
	bool done;

	if (picture->net->layout == NULL || picture->figure_count == 0)
		return false;
	kept = wf_arena_alloc(picture->arena, size);
	memcpy(kept, picture->figures, size);
	layout.figures = wf_map_new();
	for (uint32_t i = 0; i < picture->figure_count; i++) {
		struct wf_figure *figure = &picture->figures[i];

		figure->core.x = HUGE_VAL; /* not placed yet */
		wf_map_add(layout.figures,
		    figure->task != NULL ? figure->task->id
					 : figure->condition->id,
		    (void *)(uintptr_t)(i + 1));
	}
	done = place_elements(&layout, picture->net->layout);
	if (done)
		place_lines(&layout, picture->net->layout);
	else
		memcpy(picture->figures, kept, size);
	wf_map_free(&layout.figures);
	return done;
}
