/* SPDX-License-Identifier: Apache-2.0 */
/* Places the labels of flows when the layout does not. */
#include "draw/draw_picture.h"

#include <math.h>

#define HEIGHT 16.0
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

/*
 * The area of figures, names and labels that a label at this place would cover.
 */
static double cover(const struct wf_picture *picture,
    const struct wf_line *line, struct wf_point at)
{
	struct wf_box box = label_box(line, at);
	double sum = 0;

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

static void place_label(const struct wf_picture *picture, struct wf_line *line)
{
	static const double parts[] = { 0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.74,
		0.82 };
	double least = INFINITY;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct wf_point at = wf_line_at(line, parts[i]);
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
