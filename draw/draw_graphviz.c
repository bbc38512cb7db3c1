/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout by Graphviz: only the coordinates are taken from it.
 *
 * The net is handed over as text in which figures and lines are numbers, so
 * nothing of the specification has to be quoted; positions come back as
 * attributes.  Graphviz counts in points of 1/72 inch, with y upwards; one
 * point is one pixel here.
 */
#include "draw/draw_picture.h"

#include <graphviz/gvc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

/*
 * The run time of Graphviz grows steeply with the number of flows.  From
 * FAST_FROM flows on, it searches less and draws straight lines, which takes
 * seconds at most; nets with more than WF_GRAPHVIZ_LARGEST flows are not laid
 * out by Graphviz.
 */
#define FAST_FROM 200U

/* Height around a task that no flow may run through. */
#define CLEARANCE 16.0

#define DOT_BYTES (16U << 20)

/* A context never frees all its memory, so the process keeps one. */
static GVC_t *graphviz;

/*
 * Whether a flow begins or ends in the middle of a side of the figure.  One
 * that leads back takes the near side of a task, unless the task has a mark for
 * it, or a note, which may be there.
 */
static bool has_port(const struct wf_picture *picture,
    const struct wf_line *line, bool is_target)
{
	const struct wf_figure *figure =
	    &picture->figures[is_target ? line->to : line->from];

	if (figure->task == NULL)
		return picture->circles_have_sides && figure->name.count > 0;
	return !line->is_back || figure->note != NULL ||
	       (is_target ? figure->has_join : figure->has_split);
}

/*
 * Marks the lines that close a circle, by a search in depth.  The lines of a
 * figure stand one after the other, in the order of the figures.
 */
static void find_back_lines(struct wf_picture *picture)
{
	enum { UNSEEN, OPEN, DONE };
	uint32_t count = picture->figure_count;
	unsigned char *state = wf_arena_alloc(picture->arena, count + 1U);
	uint32_t *next = wf_arena_array(picture->arena, count, sizeof(*next));
	uint32_t *before =
	    wf_arena_array(picture->arena, count, sizeof(*before));

	for (uint32_t i = picture->line_count; i-- > 0;)
		next[picture->lines[i].from] = i;
	/* From the input condition, then from what it does not lead to. */
	for (uint32_t i = 0; i <= count && count > 0; i++) {
		uint32_t root = i == 0 ? wf_first_figure(picture) : i - 1;
		uint32_t at = root;

		while (state[root] != DONE) {
			struct wf_line *line = &picture->lines[next[at]];

			state[at] = OPEN;
			if (next[at] >= picture->line_count ||
			    line->from != at) {
				state[at] = DONE;
				at = before[at];
				continue;
			}
			next[at]++;
			line->is_back =
			    state[line->to] == OPEN && line->to != at;
			if (state[line->to] != UNSEEN)
				continue;
			before[line->to] = at;
			at = line->to;
		}
	}
}

/*
 * The point of a figure that is next to a point at the box that Graphviz was
 * given, which has room for the name of a circle and around a task as well.
 */
static struct wf_point on_figure(
    const struct wf_figure *figure, struct wf_point from)
{
	struct wf_box box = wf_figure_outline(figure);
	struct wf_point c = wf_box_centre(box);
	double length = fmax(hypot(from.x - c.x, from.y - c.y), 0.1);
	double r = box.w / 2;

	if (figure->task != NULL)
		return (
		    struct wf_point){ fmin(fmax(from.x, box.x), box.x + box.w),
			fmin(fmax(from.y, box.y), box.y + box.h) };

	return (struct wf_point){ c.x + (from.x - c.x) / length * r,
		c.y + (from.y - c.y) / length * r };
}

static void write_figure(
    struct wf_buffer *dot, const struct wf_picture *picture, uint32_t i)
{
	const struct wf_figure *figure = &picture->figures[i];
	bool has_name = figure->condition != NULL && figure->name.count > 0;
	double below =
	    (double)figure->name.count * (WF_NOTE_SIZE + 4) + WF_NAME_GAP;

	/* Room for the name below a circle, and, so that the circle stays in
	 * the middle, above it. */
	if (has_name)
		wf_buffer_printf(dot, "f%u [width=%.4f height=%.4f];\n", i,
		    fmax(figure->width, figure->name.width + 8) / 72,
		    (figure->height + 2 * below) / 72);
	else
		wf_buffer_printf(dot, "f%u [width=%.4f height=%.4f%s];\n", i,
		    figure->width / 72,
		    (figure->height + (figure->task != NULL ? CLEARANCE : 0)) /
			72,
		    figure->condition != NULL ? " shape=circle" : "");
}

/* The end of a line at a figure; at a task, the side of its join or split. */
static void write_end(struct wf_buffer *dot, const struct wf_picture *picture,
    const struct wf_line *line, bool is_target)
{
	const char *port = "";

	if (has_port(picture, line, is_target))
		port = is_target ? ":w" : ":e";
	wf_buffer_printf(dot, "f%u%s", is_target ? line->to : line->from, port);
}

static void write_line(
    struct wf_buffer *dot, const struct wf_picture *picture, uint32_t i)
{
	const struct wf_line *line = &picture->lines[i];

	write_end(dot, picture, line, false);
	wf_buffer_puts(dot, " -> ");
	write_end(dot, picture, line, true);
	/* Else Graphviz may choose others than ours to lead back. */
	wf_buffer_printf(
	    dot, " [wf=%u%s", i, line->is_back ? " constraint=false" : "");
	if (line->label != NULL)
		wf_buffer_printf(dot,
		    " label=<<TABLE BORDER=\"0\" FIXEDSIZE=\"TRUE\" "
		    "WIDTH=\"%d\" HEIGHT=\"18\"><TR><TD></TD></TR></TABLE>>",
		    (int)line->label_width + 12);
	wf_buffer_puts(dot, "];\n");
}

/*
 * The input condition is at the left and the output condition at the right,
 * even with loops.
 */
static void write_rank(
    struct wf_buffer *dot, const struct wf_picture *picture, uint32_t i)
{
	const struct wf_condition *condition = picture->figures[i].condition;

	if (condition == NULL)
		return;
	if (condition->kind == WF_INPUT_CONDITION)
		wf_buffer_printf(dot, "{rank=source; f%u}\n", i);
	if (condition->kind == WF_OUTPUT_CONDITION)
		wf_buffer_printf(dot, "{rank=sink; f%u}\n", i);
}

static void write_dot(struct wf_buffer *dot, const struct wf_picture *picture)
{
	wf_buffer_puts(dot, "digraph {\n"
			    "graph [rankdir=LR nodesep=0.25 ranksep=0.55");
	if (picture->line_count > FAST_FROM)
		wf_buffer_puts(dot, " nslimit=0.1 nslimit1=0.1 mclimit=0.1 "
				    "searchsize=5");
	wf_buffer_puts(dot, "];\n"
			    "node [shape=box fixedsize=true label=\"\"];\n"
			    "edge [wf=\"\" arrowsize=0.9];\n");
	for (uint32_t i = 0; i < picture->figure_count; i++)
		write_figure(dot, picture, i);
	for (uint32_t i = 0; i < picture->figure_count; i++)
		write_rank(dot, picture, i);
	for (uint32_t i = 0; i < picture->line_count; i++)
		write_line(dot, picture, i);
	wf_buffer_puts(dot, "}\n");
}

/* "x,y", with y turned downwards. */
static bool read_point(const char **text, struct wf_point *point_out)
{
	char *end;

	point_out->x = strtod(*text, &end);
	if (end == *text || *end != ',')
		return false;
	*text = end + 1;
	point_out->y = -strtod(*text, &end);
	if (end == *text)
		return false;
	*text = end;
	return isfinite(point_out->x) && isfinite(point_out->y);
}

static bool place_figure(struct wf_figure *figure, const char *position)
{
	struct wf_point at;
	double left;
	double w = figure->core.w;

	if (position == NULL || !read_point(&position, &at))
		return false;
	if (figure->has_join)
		w += WF_DECORATOR;
	if (figure->has_split)
		w += WF_DECORATOR;
	left = at.x - w / 2 + (figure->has_join ? WF_DECORATOR : 0);
	figure->core.x = left;
	figure->core.y = at.y - figure->core.h / 2;
	figure->label_at.x = at.x;
	figure->label_at.y = figure->core.y + figure->core.h + WF_NAME_GAP;
	return true;
}

/* "e,x,y p p p p ..." */
static bool place_line(
    struct wf_picture *picture, struct wf_line *line, const char *text)
{
	size_t spaces = 0;
	bool has_tip;

	if (text == NULL)
		return false;
	has_tip = text[0] == 'e';
	if (has_tip) {
		text += 2;
		if (!read_point(&text, &line->tip))
			return false;
	}
	for (const char *at = text; *at != '\0'; at++)
		spaces += *at == ' ';
	line->points =
	    wf_arena_array(picture->arena, spaces + 1, sizeof(*line->points));
	while (line->point_count < spaces + 1 &&
	       read_point(&text, &line->points[line->point_count]))
		line->point_count++;
	if (!has_tip && line->point_count > 0)
		line->tip = line->points[line->point_count - 1];
	return line->point_count >= 4 && line->point_count % 3 == 1;
}

/*
 * Graphviz ends lines at the box that it was given, which may be larger than
 * the figure; moves the ends to the outline of the figure.
 */
static void mend_ends(struct wf_picture *picture, struct wf_line *line)
{
	const struct wf_figure *from = &picture->figures[line->from];
	const struct wf_figure *to = &picture->figures[line->to];

	line->points[0] = has_port(picture, line, false)
			      ? wf_figure_port(from, WF_SIDE_EAST)
			      : on_figure(from, line->points[0]);
	if (has_port(picture, line, true)) {
		struct wf_point port = wf_figure_port(to, WF_SIDE_WEST);

		line->points[line->point_count - 1].x += port.x - line->tip.x;
		line->tip = port;
	} else {
		struct wf_point tip = on_figure(to, line->tip);
		struct wf_point *end = &line->points[line->point_count - 1];

		end->x += tip.x - line->tip.x;
		end->y += tip.y - line->tip.y;
		line->tip = tip;
	}
}

static bool take_edge(struct wf_picture *picture, Agedge_t *edge)
{
	char key[] = "wf";
	char pos[] = "pos";
	char lp[] = "lp";
	unsigned long i = strtoul(agget(edge, key), NULL, 10);
	const char *label = agget(edge, lp);
	struct wf_line *line;

	if (i >= picture->line_count)
		return false;
	line = &picture->lines[i];
	if (!place_line(picture, line, agget(edge, pos)))
		return false;
	if (label != NULL && *label != '\0')
		line->has_label_at = read_point(&label, &line->label_at);
	return true;
}

static bool take_positions(struct wf_picture *picture, Agraph_t *graph)
{
	char pos[] = "pos";
	size_t edges = 0;

	for (Agnode_t *node = agfstnode(graph); node != NULL;
	     node = agnxtnode(graph, node)) {
		unsigned long i = strtoul(agnameof(node) + 1, NULL, 10);

		if (i >= picture->figure_count ||
		    !place_figure(&picture->figures[i], agget(node, pos)))
			return false;
		for (Agedge_t *edge = agfstout(graph, node); edge != NULL;
		     edge = agnxtout(graph, edge)) {
			if (!take_edge(picture, edge))
				return false;
			edges++;
		}
	}
	if (edges != picture->line_count)
		return false;
	for (uint32_t i = 0; i < picture->line_count; i++)
		mend_ends(picture, &picture->lines[i]);
	return true;
}

static bool lay_out(struct wf_picture *picture, const char *dot)
{
	Agraph_t *graph;
	bool done = false;

	agseterr(AGMAX);
	if (graphviz == NULL)
		graphviz = gvContext();
	graph = agmemread(dot);
	if (graph != NULL && gvLayout(graphviz, graph, "dot") == 0) {
		/* Rendering to no output only sets the attributes. */
		if (gvRender(graphviz, graph, "dot", NULL) == 0)
			done = take_positions(picture, graph);
		gvFreeLayout(graphviz, graph);
	}
	if (graph != NULL)
		agclose(graph);
	return done;
}

bool wf_layout_by_graphviz(struct wf_picture *picture)
{
	struct wf_buffer dot;
	bool done;

	wf_assert(picture->line_count <= WF_GRAPHVIZ_LARGEST);
	find_back_lines(picture);
	wf_buffer_init(&dot, DOT_BYTES);
	write_dot(&dot, picture);
	done = lay_out(picture, wf_buffer_text(&dot));
	wf_buffer_free(&dot);
	return done;
}
