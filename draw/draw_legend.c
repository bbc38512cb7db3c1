/* SPDX-License-Identifier: Apache-2.0 */
/* The legend below the nets: the signs that occur, with their meaning. */
#include "draw/draw_picture.h"

#include <string.h>

#define ROW 34.0
#define SIGN 40.0 /* room for the sign before its text */
#define BETWEEN 26.0

static const char *const TEXTS[WF_LEGEND_COUNT] = { [WF_LEGEND_AND] =
							"AND: all of them",
	[WF_LEGEND_XOR] = "XOR: exactly one",
	[WF_LEGEND_OR] = "OR: one or more",
	[WF_LEGEND_DEFAULT] = "taken when no other is",
	[WF_LEGEND_EMPTY] = "no work, only routing",
	[WF_LEGEND_COMPOSITE] = "stands for a net",
	[WF_LEGEND_MULTI] = "several instances",
	[WF_LEGEND_TIMER] = "has a timer",
	[WF_LEGEND_CANCEL] = "removes what is outlined",
	[WF_LEGEND_TOKEN] = "a token",
	[WF_LEGEND_ENABLED] = "can be started",
	[WF_LEGEND_BUSY] = "in progress" };

static void put_rect(struct wf_buffer *svg, const char *class, double x,
    double y, double w, double h)
{
	wf_buffer_printf(svg,
	    "<g class=\"%s\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
	    "height=\"%.1f\" rx=\"2\"/></g>",
	    class, x, y, w, h);
}

static void put_control(
    struct wf_buffer *svg, double x, double y, enum wf_control control)
{
	struct wf_box box = { x + 12, y - 12, 14, 24 };

	wf_draw_decorator(svg, box, WF_SIDE_EAST, control, false);
}

static void put_outline(
    struct wf_buffer *svg, const char *class, double x, double y)
{
	wf_buffer_printf(svg,
	    "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"26\" "
	    "height=\"18\" rx=\"4\"/>",
	    class, x + 4, y - 9);
}

static void put_sign(
    struct wf_buffer *svg, double x, double y, enum wf_legend sign)
{
	switch (sign) {
	case WF_LEGEND_AND:
		put_control(svg, x, y, WF_AND);
		break;
	case WF_LEGEND_XOR:
		put_control(svg, x, y, WF_XOR);
		break;
	case WF_LEGEND_OR:
		put_control(svg, x, y, WF_OR);
		break;
	case WF_LEGEND_DEFAULT:
		wf_buffer_printf(svg,
		    "<path class=\"wf-flow\" d=\"M%.1f %.1fh30\"/>", x + 2, y);
		wf_draw_default_mark(svg, (struct wf_point){ x + 4, y },
		    (struct wf_point){ x + 30, y });
		break;
	case WF_LEGEND_EMPTY:
		put_rect(svg, "wf-empty", x + 2, y - 10, 30, 20);
		break;
	case WF_LEGEND_COMPOSITE:
		put_rect(svg, "wf-composite", x + 2, y - 10, 30, 20);
		put_rect(svg, "wf-composite", x + 5.5, y - 6.5, 23, 13);
		break;
	case WF_LEGEND_MULTI:
		put_rect(svg, "wf-task", x + 8, y - 11, 24, 16);
		put_rect(svg, "wf-task", x + 5, y - 8, 24, 16);
		put_rect(svg, "wf-task", x + 2, y - 5, 24, 16);
		break;
	case WF_LEGEND_TIMER:
		wf_draw_clock(svg, x + 20, y);
		break;
	case WF_LEGEND_CANCEL:
		wf_draw_cancel_mark(svg, x + 20, y, "#c2185b");
		break;
	case WF_LEGEND_TOKEN:
		wf_buffer_printf(svg,
		    "<circle class=\"wf-token\" cx=\"%.1f\" cy=\"%.1f\" "
		    "r=\"9\"/>",
		    x + 20, y);
		break;
	case WF_LEGEND_ENABLED:
		put_outline(svg, "wf-enabled", x, y);
		break;
	case WF_LEGEND_BUSY:
		put_outline(svg, "wf-busy", x, y);
		break;
	case WF_LEGEND_COUNT:
		break;
	}
}

double wf_draw_legend(struct wf_buffer *svg, double y, double width,
    const bool seen[WF_LEGEND_COUNT])
{
	double x = 0;
	double from = y;

	for (int i = 0; i < WF_LEGEND_COUNT; i++) {
		double w = SIGN + wf_text_width(
				      TEXTS[i], strlen(TEXTS[i]), WF_NOTE_SIZE);

		if (!seen[i])
			continue;
		if (x > 0 && x + w > width) {
			x = 0;
			y += ROW;
		}
		put_sign(svg, x, y + ROW / 2, (enum wf_legend)i);
		wf_buffer_printf(svg,
		    "<text class=\"wf-legend\" x=\"%.1f\" y=\"%.1f\">%s"
		    "</text>\n",
		    x + SIGN, y + ROW / 2 + 4, TEXTS[i]);
		x += w + BETWEEN;
	}
	return x > 0 ? y + ROW - from : 0;
}
