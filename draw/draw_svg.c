/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws one net whose picture has been laid out.
 *
 * YAWL's signs: conditions are circles, tasks are boxes with decorations for
 * joins and splits, a composite task has a double border, several instances
 * are a stack.  The styles are classes of the sheet in draw/draw.c.
 */
#include "draw/draw_picture.h"

#include <math.h>
#include <string.h>

static const char *const CONTROL_NAMES[] = {
	[WF_AND] = "and", [WF_XOR] = "xor", [WF_OR] = "or"
};

/* --- small pictures ------------------------------------------------------ */

/* u: distance from the task (0) outwards (1), v: across. */
static struct wf_point on_decorator(
    struct wf_box box, enum wf_side side, double u, double v)
{
	if (side == WF_SIDE_EAST)
		return (
		    struct wf_point){ box.x + u * box.w, box.y + v * box.h };
	if (side == WF_SIDE_WEST)
		return (struct wf_point){ box.x + (1 - u) * box.w,
			box.y + v * box.h };
	if (side == WF_SIDE_SOUTH)
		return (
		    struct wf_point){ box.x + v * box.w, box.y + u * box.h };
	return (struct wf_point){ box.x + v * box.w, box.y + (1 - u) * box.h };
}

/*
 * The sign of an AND points at the task, of an XOR away from it; of an OR it is
 * a diamond.  The same for joins and splits.
 */
void wf_draw_decorator(struct wf_buffer *svg, struct wf_box box,
    enum wf_side side, enum wf_control control, bool is_join)
{
	static const double shapes[3][4][2] = {
		[WF_AND] = { { 0, 0.5 }, { 1, 0 }, { 1, 1 }, { 0, 0.5 } },
		[WF_XOR] = { { 0, 0 }, { 1, 0.5 }, { 0, 1 }, { 0, 0 } },
		[WF_OR] = { { 0, 0.5 }, { 0.5, 0 }, { 1, 0.5 }, { 0.5, 1 } },
	};

	wf_buffer_printf(svg,
	    "<g class=\"wf-%s\"><title>%s-%s</title>"
	    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>"
	    "<path d=\"",
	    CONTROL_NAMES[control], CONTROL_NAMES[control],
	    is_join ? "join" : "split", box.x, box.y, box.w, box.h);
	for (int i = 0; i < 4; i++) {
		struct wf_point at = on_decorator(
		    box, side, shapes[control][i][0], shapes[control][i][1]);

		wf_buffer_printf(
		    svg, "%c%.1f %.1f", i == 0 ? 'M' : 'L', at.x, at.y);
	}
	wf_buffer_puts(svg, "Z\"/></g>\n");
}

void wf_draw_clock(struct wf_buffer *svg, double x, double y)
{
	wf_buffer_printf(svg,
	    "<g class=\"wf-clock\" transform=\"translate(%.1f %.1f)\">"
	    "<circle r=\"9\"/><path d=\"M0 -5.5V0L4 2.5\"/></g>\n",
	    x, y);
}

void wf_draw_cancel_mark(
    struct wf_buffer *svg, double x, double y, const char *colour)
{
	wf_buffer_printf(svg,
	    "<g class=\"wf-cancel\" transform=\"translate(%.1f %.1f)\">"
	    "<circle r=\"7.5\" fill=\"%s\"/>"
	    "<path d=\"M-3 -3L3 3M-3 3L3 -3\"/></g>\n",
	    x, y, colour);
}

void wf_draw_default_mark(
    struct wf_buffer *svg, struct wf_point from, struct wf_point towards)
{
	double dx = towards.x - from.x;
	double dy = towards.y - from.y;
	double length = fmax(hypot(dx, dy), 0.1);
	double x = from.x + dx / length * 11;
	double y = from.y + dy / length * 11;

	/* A diagonal stroke across the line. */
	dx = dx / length * 6;
	dy = dy / length * 6;
	wf_buffer_printf(svg,
	    "<path class=\"wf-default\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
	    x - dy - dx / 2, y + dx - dy / 2, x + dy + dx / 2, y - dx + dy / 2);
}

/* --- texts --------------------------------------------------------------- */

static void put_lines(struct wf_buffer *svg, const struct wf_wrapped *lines,
    double x, double y, double height, const char *class)
{
	wf_buffer_printf(svg, "<text class=\"%s\">", class);
	for (size_t i = 0; i < lines->count; i++) {
		wf_buffer_printf(svg, "<tspan x=\"%.1f\" y=\"%.1f\">", x,
		    y + height * (double)i);
		wf_text_put(svg, lines->text[i]);
		wf_buffer_puts(svg, "</tspan>");
	}
	wf_buffer_puts(svg, "</text>\n");
}

static void put_name(struct wf_buffer *svg, const struct wf_figure *figure)
{
	double size = figure->task != NULL ? WF_NAME_SIZE : WF_NOTE_SIZE;
	double height = size + (figure->task != NULL ? 4 : 3);
	const char *class = "wf-name";
	struct wf_point centre = wf_box_centre(figure->core);

	if (figure->condition != NULL)
		class = "wf-label";
	else if (figure->task->kind == WF_EMPTY_TASK)
		class = "wf-empty-name";
	if (figure->name_inside)
		put_lines(svg, &figure->name, centre.x,
		    centre.y - height * ((double)figure->name.count - 1) / 2 +
			size * 0.35,
		    height, class);
	else
		put_lines(svg, &figure->name, figure->label_at.x,
		    figure->label_at.y + size, height, class);
}

struct wf_box wf_note_box(const struct wf_figure *figure)
{
	struct wf_box box = { wf_box_centre(figure->core).x,
		figure->core.y + figure->core.h + 3, 0, 0 };

	if (figure->note == NULL)
		return box;
	if (!figure->name_inside) {
		box.x = figure->label_at.x;
		box.y = figure->label_at.y + 3 +
			(double)figure->name.count * (WF_NAME_SIZE + 4);
	}
	box.w = wf_text_width(figure->note, strlen(figure->note), WF_NOTE_SIZE);
	box.x -= box.w / 2;
	box.h = WF_NOTE_SIZE + 3;
	return box;
}

static void put_note(struct wf_buffer *svg, const struct wf_figure *figure)
{
	struct wf_box box = wf_note_box(figure);

	if (figure->note == NULL)
		return;
	wf_buffer_printf(svg, "<text class=\"wf-note\" x=\"%.1f\" y=\"%.1f\">",
	    box.x + box.w / 2, box.y + WF_NOTE_SIZE);
	wf_text_put(svg, figure->note);
	wf_buffer_puts(svg, "</text>\n");
}

static void title_begin(struct wf_buffer *svg, const char *kind,
    const struct wf_figure *figure, const char *id)
{
	wf_buffer_printf(svg, "<title>%s ", kind);
	wf_text_put(svg, *figure->label != '\0' ? figure->label : id);
	if (strcmp(figure->label, id) != 0 && *figure->label != '\0') {
		wf_buffer_puts(svg, " (");
		wf_text_put(svg, id);
		wf_buffer_puts(svg, ")");
	}
}

/* --- figures ------------------------------------------------------------- */

static void draw_condition(
    struct wf_buffer *svg, const struct wf_figure *figure)
{
	static const char *const kinds[] = { [WF_PLACE] = "Condition",
		[WF_INPUT_CONDITION] = "Input condition",
		[WF_OUTPUT_CONDITION] = "Output condition" };
	static const char *const classes[] = { [WF_PLACE] = "wf-place",
		[WF_INPUT_CONDITION] = "wf-input",
		[WF_OUTPUT_CONDITION] = "wf-output" };
	enum wf_condition_kind kind = figure->condition->kind;
	struct wf_point c = wf_box_centre(figure->core);
	double r = fmin(figure->core.w, figure->core.h) / 2;

	wf_buffer_printf(svg, "<g class=\"%s\">", classes[kind]);
	title_begin(svg, kinds[kind], figure, figure->condition->id);
	wf_buffer_printf(svg,
	    "</title><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", c.x, c.y,
	    r);
	if (kind == WF_INPUT_CONDITION)
		wf_buffer_printf(svg,
		    "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>",
		    c.x - r * 0.3, c.y - r * 0.48, c.x + r * 0.52, c.y,
		    c.x - r * 0.3, c.y + r * 0.48);
	if (kind == WF_OUTPUT_CONDITION)
		wf_buffer_printf(svg,
		    "<path d=\"M%.1f %.1fh%.1fv%.1fh%.1fZ\"/>", c.x - r * 0.38,
		    c.y - r * 0.38, r * 0.76, r * 0.76, -r * 0.76);
	wf_buffer_puts(svg, "</g>\n");
	put_name(svg, figure);
}

static void task_title(struct wf_buffer *svg, const struct wf_figure *figure)
{
	const struct wf_task *task = figure->task;

	title_begin(svg,
	    task->kind == WF_EMPTY_TASK	      ? "Empty task"
	    : task->kind == WF_COMPOSITE_TASK ? "Composite task"
					      : "Task",
	    figure, task->id);
	if (task->decomposition != NULL) {
		wf_buffer_puts(svg,
		    task->kind == WF_COMPOSITE_TASK ? "\nnet: " : "\nwork: ");
		wf_text_put(svg, task->decomposition->id);
	}
	if (task->documentation != NULL) {
		wf_buffer_puts(svg, "\n");
		wf_text_put(svg, task->documentation);
	}
	wf_buffer_puts(svg, "</title>");
}

static void put_box(struct wf_buffer *svg, struct wf_box box, double inset)
{
	wf_buffer_printf(svg,
	    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
	    "rx=\"%.1f\"/>",
	    box.x + inset, box.y + inset, box.w - 2 * inset, box.h - 2 * inset,
	    inset > 0 ? 1.5 : 3);
}

static void draw_boxes(struct wf_buffer *svg, const struct wf_figure *figure)
{
	struct wf_box box = figure->core;

	for (int i = figure->task->multi != NULL ? 2 : 0; i >= 0; i--) {
		struct wf_box behind = box;

		behind.x += WF_STACK * i;
		behind.y -= WF_STACK * i;
		put_box(svg, behind, 0);
		if (figure->task->kind == WF_COMPOSITE_TASK)
			put_box(svg, behind, 4);
	}
}

struct wf_box wf_decorator_box(
    const struct wf_figure *figure, enum wf_side side)
{
	struct wf_box box = figure->core;

	/* Beside the boxes behind the first one, which would cover it. */
	if (figure->task != NULL && figure->task->multi != NULL) {
		if (side == WF_SIDE_EAST)
			box.x += 2 * WF_STACK;
		if (side == WF_SIDE_NORTH)
			box.y -= 2 * WF_STACK;
	}
	if (side == WF_SIDE_WEST || side == WF_SIDE_EAST) {
		box.x =
		    side == WF_SIDE_WEST ? box.x - WF_DECORATOR : box.x + box.w;
		box.w = WF_DECORATOR;
	} else {
		box.y = side == WF_SIDE_NORTH ? box.y - WF_DECORATOR
					      : box.y + box.h;
		box.h = WF_DECORATOR;
	}
	return box;
}

static void draw_marks(const struct wf_picture *picture, struct wf_buffer *svg,
    const struct wf_figure *figure)
{
	const struct wf_task *task = figure->task;
	const char *colour = wf_cancel_colour(picture, task);

	if (figure->has_join)
		wf_draw_decorator(svg,
		    wf_decorator_box(figure, figure->join_side),
		    figure->join_side, task->join, true);
	if (figure->has_split)
		wf_draw_decorator(svg,
		    wf_decorator_box(figure, figure->split_side),
		    figure->split_side, task->split, false);
	if (figure->is_enabled || figure->is_busy)
		wf_buffer_printf(svg,
		    "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
		    "width=\"%.1f\" height=\"%.1f\" rx=\"4\"/>\n",
		    figure->is_enabled ? "wf-enabled" : "wf-busy",
		    figure->core.x, figure->core.y, figure->core.w,
		    figure->core.h);
	if (task->timer != NULL)
		wf_draw_clock(svg, figure->core.x + 4, figure->core.y);
	if (colour != NULL)
		wf_draw_cancel_mark(svg, figure->core.x + figure->core.w - 3,
		    figure->core.y + 1, colour);
}

static void draw_task(const struct wf_picture *picture, struct wf_buffer *svg,
    const struct wf_figure *figure)
{
	static const char *const classes[] = { [WF_EMPTY_TASK] = "wf-empty",
		[WF_ATOMIC_TASK] = "wf-task",
		[WF_COMPOSITE_TASK] = "wf-composite" };

	wf_buffer_printf(svg, "<g class=\"%s\">", classes[figure->task->kind]);
	task_title(svg, figure);
	draw_boxes(svg, figure);
	wf_buffer_puts(svg, "</g>\n");
	draw_marks(picture, svg, figure);
	put_name(svg, figure);
	put_note(svg, figure);
}

/* --- lines --------------------------------------------------------------- */

static void put_arrow(struct wf_buffer *svg, const struct wf_line *line)
{
	struct wf_point from = line->points[line->point_count - 1];
	struct wf_point tip = line->tip;
	double dx = tip.x - from.x;
	double dy = tip.y - from.y;
	double length = hypot(dx, dy);

	if (length < 0.5)
		return;
	dx = dx / length * 3.6;
	dy = dy / length * 3.6;
	wf_buffer_printf(svg,
	    "<path class=\"wf-head\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>",
	    tip.x, tip.y, from.x - dy, from.y + dx, from.x + dy, from.y - dx);
}

static void flow_title(struct wf_buffer *svg, const struct wf_line *line)
{
	const struct wf_flow *flow = line->flow;

	if (flow == NULL || (flow->predicate == NULL && !flow->is_default))
		return;
	wf_buffer_puts(svg, "<title>");
	if (flow->is_default)
		wf_buffer_puts(svg, "default flow");
	if (flow->is_default && flow->predicate != NULL)
		wf_buffer_puts(svg, ": ");
	if (flow->predicate != NULL)
		wf_text_put(svg, flow->predicate->text);
	wf_buffer_puts(svg, "</title>");
}

static void draw_line(struct wf_buffer *svg, const struct wf_line *line)
{
	wf_buffer_puts(svg, "<g>");
	flow_title(svg, line);
	wf_buffer_printf(svg, "<path class=\"wf-flow\" d=\"M%.1f %.1fC",
	    line->points[0].x, line->points[0].y);
	for (size_t i = 1; i < line->point_count; i++)
		wf_buffer_printf(
		    svg, " %.1f %.1f", line->points[i].x, line->points[i].y);
	wf_buffer_puts(svg, "\"/>");
	put_arrow(svg, line);
	wf_buffer_puts(svg, "</g>\n");
	if (line->is_default)
		wf_draw_default_mark(svg, line->points[0], line->points[1]);
}

static void draw_label(struct wf_buffer *svg, const struct wf_line *line)
{
	double w = line->label_width + 8;

	if (line->label == NULL)
		return;
	wf_buffer_printf(svg,
	    "<g><rect class=\"wf-behind\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	    "height=\"16\" rx=\"3\"/><text class=\"wf-predicate\" x=\"%.1f\" "
	    "y=\"%.1f\">",
	    line->label_at.x - w / 2, line->label_at.y - 8, w, line->label_at.x,
	    line->label_at.y + 4);
	wf_text_put(svg, line->label);
	wf_buffer_puts(svg, "</text>");
	flow_title(svg, line);
	wf_buffer_puts(svg, "</g>\n");
}

/* --- the net ------------------------------------------------------------- */

static enum wf_legend control_legend(enum wf_control control)
{
	return control == WF_AND   ? WF_LEGEND_AND
	       : control == WF_XOR ? WF_LEGEND_XOR
				   : WF_LEGEND_OR;
}

static void see_task(const struct wf_picture *picture,
    const struct wf_figure *figure, bool seen[WF_LEGEND_COUNT])
{
	const struct wf_task *task = figure->task;

	if (figure->has_join)
		seen[control_legend(task->join)] = true;
	if (figure->has_split)
		seen[control_legend(task->split)] = true;
	seen[WF_LEGEND_EMPTY] |= task->kind == WF_EMPTY_TASK;
	seen[WF_LEGEND_COMPOSITE] |= task->kind == WF_COMPOSITE_TASK;
	seen[WF_LEGEND_MULTI] |= task->multi != NULL;
	seen[WF_LEGEND_ENABLED] |= figure->is_enabled;
	seen[WF_LEGEND_BUSY] |= figure->is_busy && !figure->is_enabled;
	seen[WF_LEGEND_TIMER] |= task->timer != NULL;
	seen[WF_LEGEND_CANCEL] |= wf_cancel_colour(picture, task) != NULL;
}

void wf_picture_svg(const struct wf_picture *picture, struct wf_buffer *svg,
    bool seen[WF_LEGEND_COUNT])
{
	for (uint32_t i = 0; i < picture->line_count; i++) {
		draw_line(svg, &picture->lines[i]);
		seen[WF_LEGEND_DEFAULT] |= picture->lines[i].is_default;
	}
	for (uint32_t i = 0; i < picture->figure_count; i++) {
		const struct wf_figure *figure = &picture->figures[i];

		if (figure->condition != NULL) {
			draw_condition(svg, figure);
			continue;
		}
		see_task(picture, figure, seen);
		draw_task(picture, svg, figure);
	}
	wf_cancel_outlines(picture, svg);
	for (uint32_t i = 0; i < picture->line_count; i++)
		draw_label(svg, &picture->lines[i]);
}
