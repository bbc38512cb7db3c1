/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancellation sets in pictures: one colour for each task that cancels.
 *
 * The task carries a mark in its colour, what it removes is outlined in it,
 * flows whose tokens it removes are drawn over in it, and a line of text
 * below the net says the same in words.
 */
#include "draw/draw.h"
#include "draw/draw_picture.h"

#include <math.h>
#include <string.h>

static const char *const COLOURS[] = { "#c2185b", "#00796b", "#e65100",
	"#5e35b1", "#0277bd", "#6d4c41" };
#define COLOUR_COUNT (sizeof(COLOURS) / sizeof(COLOURS[0]))

#define TEXT_WIDTH 900.0
#define TEXT_HEIGHT 20.0
#define ABOVE_TEXTS 6.0

static bool cancels(const struct wf_task *task)
{
	return task->cancelled_task_count > 0 ||
	       task->cancelled_condition_count > 0;
}

const char *wf_cancel_colour(
    const struct wf_picture *picture, const struct wf_task *task)
{
	size_t before = 0;

	if (!cancels(task))
		return NULL;
	for (uint32_t i = 0; i < task->number; i++)
		before += cancels(&picture->net->tasks[i]);
	return COLOURS[before % COLOUR_COUNT];
}

static void outline(struct wf_buffer *svg, const struct wf_figure *figure,
    const char *colour, unsigned place)
{
	struct wf_box box = wf_figure_outline(figure);
	double gap = 5 + 3.5 * (double)place;
	struct wf_box note = wf_note_box(figure);
	double radius = figure->condition != NULL ? box.w / 2 + gap : 7 + gap;

	if (note.h > 0 && figure->name_inside) {
		double right = fmax(box.x + box.w, note.x + note.w);

		box.x = fmin(box.x, note.x);
		box.w = right - box.x;
		box.h = note.y + note.h - box.y;
	}
	wf_buffer_printf(svg,
	    "<rect class=\"wf-set\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	    "height=\"%.1f\" rx=\"%.1f\" stroke=\"%s\"/>\n",
	    box.x - gap, box.y - gap, box.w + 2 * gap, box.h + 2 * gap, radius,
	    colour);
}

static void outline_flow(
    struct wf_buffer *svg, const struct wf_line *line, const char *colour)
{
	struct wf_point at = wf_line_at(line, line->label == NULL ? 0.5 : 0.8);

	wf_buffer_printf(svg,
	    "<path class=\"wf-set\" stroke=\"%s\" d=\"M%.1f "
	    "%.1fC",
	    colour, line->points[0].x, line->points[0].y);
	for (size_t i = 1; i < line->point_count; i++)
		wf_buffer_printf(
		    svg, " %.1f %.1f", line->points[i].x, line->points[i].y);
	wf_buffer_puts(svg, "\"/>\n");
	wf_draw_cancel_mark(svg, at.x, at.y, colour);
}

static void outline_set(const struct wf_picture *picture,
    const struct wf_task *task, unsigned char *places, struct wf_buffer *svg)
{
	const char *colour = wf_cancel_colour(picture, task);

	for (uint32_t i = 0; i < task->cancelled_task_count; i++) {
		uint32_t at = picture->of_task[task->cancelled_tasks[i]];

		outline(svg, &picture->figures[at], colour, places[at]++ % 3);
	}
	for (uint32_t i = 0; i < task->cancelled_condition_count; i++) {
		uint32_t number = task->cancelled_conditions[i];
		uint32_t at = picture->of_condition[number];

		if (picture->net->conditions[number].kind == WF_IMPLICIT)
			outline_flow(svg, &picture->lines[at], colour);
		else
			outline(svg, &picture->figures[at], colour,
			    places[at]++ % 3);
	}
}

void wf_cancel_outlines(const struct wf_picture *picture, struct wf_buffer *svg)
{
	/* Per figure, the number of outlines so far. */
	unsigned char *places =
	    wf_arena_alloc(picture->arena, picture->figure_count + 1U);

	for (uint32_t i = 0; i < picture->net->task_count; i++) {
		if (cancels(&picture->net->tasks[i]))
			outline_set(
			    picture, &picture->net->tasks[i], places, svg);
	}
}

static const char *name_of(const char *name, const char *id)
{
	return name != NULL && *name != '\0' ? name : id;
}

static void condition_words(
    const struct wf_net *net, uint32_t number, struct wf_buffer *text)
{
	const struct wf_condition *condition = &net->conditions[number];
	const struct wf_task *from;
	const struct wf_task *to;

	if (condition->kind != WF_IMPLICIT) {
		wf_buffer_puts(text, name_of(condition->name, condition->id));
		return;
	}
	from = &net->tasks[condition->preset[0]];
	to = &net->tasks[condition->postset[0]];
	wf_buffer_printf(text, "%s \u2192 %s", name_of(from->name, from->id),
	    name_of(to->name, to->id));
}

/* "Cancel order removes: Pay, Ship, Pay -> Ship" */
static const char *set_words(
    const struct wf_picture *picture, const struct wf_task *task)
{
	const struct wf_net *net = picture->net;
	struct wf_buffer text;
	const char *words;
	const char *comma = "";

	wf_buffer_init(&text, WF_DRAW_BYTES);
	wf_buffer_printf(&text, "%s removes: ", name_of(task->name, task->id));
	for (uint32_t i = 0; i < task->cancelled_task_count; i++) {
		const struct wf_task *other =
		    &net->tasks[task->cancelled_tasks[i]];

		wf_buffer_printf(
		    &text, "%s%s", comma, name_of(other->name, other->id));
		comma = ", ";
	}
	for (uint32_t i = 0; i < task->cancelled_condition_count; i++) {
		wf_buffer_puts(&text, comma);
		condition_words(net, task->cancelled_conditions[i], &text);
		comma = ", ";
	}
	words = wf_arena_strdup(picture->arena, wf_buffer_text(&text));
	wf_buffer_free(&text);
	return words;
}

/* Lines of text; returns their number. */
static size_t put_lines(struct wf_buffer *svg, const char *words, double y,
    double room, double *width)
{
	size_t count = 0;

	wf_buffer_puts(svg, "<text class=\"wf-words\">");
	while (*words != '\0') {
		size_t length = wf_text_line(words, room, WF_NAME_SIZE);

		*width = fmax(
		    *width, 24 + wf_text_width(words, length, WF_NAME_SIZE));
		wf_buffer_printf(svg, "<tspan x=\"24\" y=\"%.1f\">",
		    y + TEXT_HEIGHT / 2 + 4.5 + TEXT_HEIGHT * (double)count);
		wf_buffer_escape(svg, words, length, true);
		wf_buffer_puts(svg, "</tspan>");
		words += length;
		count++;
	}
	wf_buffer_puts(svg, "</text>");
	return count;
}

double wf_cancel_texts(const struct wf_picture *picture, double y,
    double *width, struct wf_buffer *svg)
{
	double from = y;
	double room = fmax(*width, TEXT_WIDTH) - 24;

	for (uint32_t i = 0; i < picture->net->task_count; i++) {
		const struct wf_task *task = &picture->net->tasks[i];

		if (!cancels(task))
			continue;
		if (y <= from)
			y += ABOVE_TEXTS;
		wf_buffer_puts(svg, "<g>");
		wf_draw_cancel_mark(svg, 8, y + TEXT_HEIGHT / 2,
		    wf_cancel_colour(picture, task));
		y +=
		    TEXT_HEIGHT * (double)put_lines(svg,
				      set_words(picture, task), y, room, width);
		wf_buffer_puts(svg, "</g>\n");
	}
	return y - from;
}
