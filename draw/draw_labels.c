/* SPDX-License-Identifier: Apache-2.0 */
/* Places the names of conditions and the labels of flows beside the flows. */
#include "draw/draw_picture.h"

#include <math.h>

#define HEIGHT 16.0
#define BESIDE 3.0 /* between a label and its flow */
/* With more figures than this, a label is placed in the middle of its line. */
#define CAREFUL_UP_TO 1000U

static double shared(double a, double a_size, double b, double b_size)
{
	return fmax(0, fmin(a + a_size, b + b_size) - fmax(a, b));
}

static double overlap(struct wf_box a, struct wf_box b)
{
	return shared(a.x, a.w, b.x, b.w) * shared(a.y, a.h, b.y, b.h);
}

static struct wf_box label_box(const struct wf_line *line, struct wf_point at)
{
	return (struct wf_box){ at.x - line->label_width / 2 - 4,
		at.y - HEIGHT / 2, line->label_width + 8, HEIGHT };
}

struct wf_box wf_label_box(const struct wf_line *line)
{
	return label_box(line, line->label_at);
}

struct wf_box wf_name_box(const struct wf_figure *figure)
{
	double size = figure->task != NULL ? WF_NAME_SIZE : WF_NOTE_SIZE;

	return (struct wf_box){ figure->label_at.x - figure->name.width / 2,
		figure->label_at.y, figure->name.width,
		(double)figure->name.count * (size + 4) };
}

static size_t crossings(const struct wf_picture *picture, struct wf_box box)
{
	size_t count = 0;

	for (uint32_t i = 0; i < picture->line_count; i++)
		count += wf_line_crosses(&picture->lines[i], box);
	return count;
}

void wf_place_names(struct wf_picture *picture)
{
	for (uint32_t i = 0; i < picture->figure_count; i++) {
		struct wf_figure *figure = &picture->figures[i];
		double below = figure->label_at.y;
		struct wf_box box = wf_name_box(figure);
		size_t count;

		if (figure->condition == NULL || figure->name.count == 0)
			continue;
		count = crossings(picture, box);
		if (count == 0)
			continue;
		figure->label_at.y = figure->core.y - WF_NAME_GAP - box.h;
		if (crossings(picture, wf_name_box(figure)) >= count)
			figure->label_at.y = below;
	}
}

/*
 * The area of figures, names and labels that a label at this place would cover,
 * with a label's area for each flow that runs through it.
 */
static double cover(const struct wf_picture *picture,
    const struct wf_line *line, struct wf_point at)
{
	struct wf_box box = label_box(line, at);
	double sum = (double)crossings(picture, box) * box.w * box.h;

	for (uint32_t i = 0; i < picture->figure_count; i++) {
		const struct wf_figure *figure = &picture->figures[i];

		sum += overlap(box, wf_figure_outline(figure));
		if (!figure->name_inside && figure->name.count > 0)
			sum += overlap(box, wf_name_box(figure));
	}
	for (uint32_t i = 0; i < picture->line_count; i++) {
		const struct wf_line *other = &picture->lines[i];

		if (other->label != NULL && other->has_label_at)
			sum += overlap(box, label_box(other, other->label_at));
	}
	return sum;
}

/* The place at part (0 to 1) of the line, on its one or its other side. */
static struct wf_point beside(
    const struct wf_line *line, double part, bool is_other)
{
	struct wf_point a = wf_line_at(line, part - 0.05);
	struct wf_point at = wf_line_at(line, part);
	struct wf_point b = wf_line_at(line, part + 0.05);
	double length = fmax(hypot(b.x - a.x, b.y - a.y), 0.1);
	/* The unit vector across the line. */
	double x = (b.y - a.y) / length * (is_other ? -1 : 1);
	double y = (a.x - b.x) / length * (is_other ? -1 : 1);
	struct wf_box box = label_box(line, at);
	double away = fabs(x) * box.w / 2 + fabs(y) * box.h / 2 + BESIDE;

	return (struct wf_point){ at.x + x * away, at.y + y * away };
}

static void place_label(const struct wf_picture *picture, struct wf_line *line)
{
	static const double parts[] = { 0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.74,
		0.82 };
	double least = INFINITY;

	for (size_t i = 0; i < 2 * sizeof(parts) / sizeof(parts[0]); i++) {
		struct wf_point at = beside(line, parts[i / 2], i % 2 == 1);
		double covered = cover(picture, line, at);

		if (covered >= least)
			continue;
		least = covered;
		line->label_at = at;
		if (covered <= 0)
			break;
	}
	line->has_label_at = true;
}

void wf_place_labels(struct wf_picture *picture)
{
	bool careful = picture->figure_count <= CAREFUL_UP_TO &&
		       picture->line_count <= 2 * CAREFUL_UP_TO;

	for (uint32_t i = 0; i < picture->line_count; i++) {
		struct wf_line *line = &picture->lines[i];

		if (line->has_label_at || line->label == NULL)
			continue;
		if (careful) {
			place_label(picture, line);
			continue;
		}
		line->label_at = wf_line_at(line, 0.5);
		line->has_label_at = true;
	}
}
