/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One net while its picture is made.  wf_picture_new() selects figures and
 * lines, with their texts and sizes, one of the layouts places them, and
 * wf_picture_svg() draws them. Lengths are pixels, y grows downwards.
 */
#ifndef WF_DRAW_DRAW_PICTURE_H
#define WF_DRAW_DRAW_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "draw/draw.h"
#include "draw/draw_text.h"
#include "kernel/view.h"
#include "spec/spec.h"

/* The thickness of a join or split decoration. */
#define WF_DECORATOR ((double)WF_DRAW_DECORATOR)
/* The offset from one box of a stack to the next. */
#define WF_STACK ((double)WF_DRAW_STACK)
#define WF_CIRCLE 36.0	/* diameter of a condition */
#define WF_NAME_GAP 8.0 /* between a circle and its name */
#define WF_NAME_SIZE 13.0
#define WF_NOTE_SIZE 11.0
/* The flows of the largest net that Graphviz lays out in seconds. */
#define WF_GRAPHVIZ_LARGEST 600U

struct wf_point {
	double x;
	double y;
};

struct wf_box {
	double x;
	double y;
	double w;
	double h;
};

/* The numbers are those of the layout part of YAWL's files. */
enum wf_side {
	WF_SIDE_NONE = 0,
	WF_SIDE_NORTH = 10,
	WF_SIDE_SOUTH = 11,
	WF_SIDE_WEST = 12,
	WF_SIDE_EAST = 13
};

/* A condition or a task; exactly one of the two pointers is set. */
struct wf_figure {
	const struct wf_condition *condition;
	const struct wf_task *task;
	const char *label; /* the name, else the id; "" draws none */
	bool label_is_id;
	struct wf_wrapped name; /* label, wrapped */
	const char *note;	/* instances of the task; NULL: none */
	bool name_inside;	/* inside the box; else at label_at */
	bool has_join;		/* more than one way in */
	bool has_split;		/* more than one way out */
	bool is_enabled;	/* in the case that is drawn */
	bool is_busy;
	enum wf_side join_side;
	enum wf_side split_side;
	struct wf_box core;	  /* the box or circle without decorations */
	struct wf_point label_at; /* top centre of a name outside the figure */
	double width;		  /* requested, decorations included */
	double height;
};

/* A flow, drawn as Bezier curves: points holds 1 + 3n of them. */
struct wf_line {
	uint32_t from; /* figures */
	uint32_t to;
	const struct wf_flow *flow;	     /* NULL: leaves a condition */
	const struct wf_condition *implicit; /* NULL: none in between */
	const char *label;		     /* NULL: none */
	double label_width;
	bool is_default;
	bool is_back; /* closes a circle of flows; set by the layout */
	struct wf_point *points;
	size_t point_count;
	struct wf_point tip; /* the tip of the arrow head */
	struct wf_point label_at;
	bool has_label_at;
};

/* Where the places come from. */
enum wf_layout { WF_LAYOUT_FILE, WF_LAYOUT_COMPUTED, WF_LAYOUT_COLUMNS };

struct wf_picture {
	struct wf_arena *arena;
	const struct wf_net *net;
	enum wf_layout layout;
	struct wf_figure *figures;
	uint32_t figure_count;
	struct wf_line *lines;
	uint32_t line_count;
	/* By number in the net: figures; for implicit conditions, lines. */
	uint32_t *of_condition;
	uint32_t *of_task;
	/* Flows end at the sides of circles with names, away from the names. */
	bool circles_have_sides;
	double width; /* set by wf_picture_fit() */
	double height;
};

/* NULL when the net is too large to draw. */
struct wf_picture *wf_picture_new(
    struct wf_arena *arena, const struct wf_net *net);

/* The box with its decorations and the boxes stacked behind it. */
struct wf_box wf_figure_outline(const struct wf_figure *figure);
struct wf_point wf_box_centre(struct wf_box box);
/* The centre of a side of the outline. */
struct wf_point wf_figure_port(
    const struct wf_figure *figure, enum wf_side side);

/* The figure of the input condition. */
uint32_t wf_first_figure(const struct wf_picture *picture);

/* A curve of straight pieces through count points. */
void wf_line_straight(struct wf_picture *picture, struct wf_line *line,
    const struct wf_point *through, size_t count);
/* A smooth curve through count points. */
void wf_line_smooth(struct wf_picture *picture, struct wf_line *line,
    const struct wf_point *through, size_t count);
/* A loop from a figure to itself. */
void wf_line_loop(struct wf_picture *picture, struct wf_line *line);
/* The point of the curve at part (0 to 1) of its length. */
struct wf_point wf_line_at(const struct wf_line *line, double part);

/*
 * The layouts.  False: the layout failed, and the picture may be partly laid
 * out.
 */
bool wf_layout_from_file(struct wf_picture *picture);
/* Of at most WF_GRAPHVIZ_LARGEST flows. */
bool wf_layout_by_graphviz(struct wf_picture *picture);
/* Plain columns, one per distance from the input condition; always works. */
void wf_layout_by_columns(struct wf_picture *picture);

/*
 * The picture of a net, laid out and fitted: the first layout that is clear,
 * else the clearer one: that of the file, one without needless curves, one that
 * leaves more room (draw/draw_layout.c).  NULL when the net is too large.
 * flows: so many may still be laid out by Graphviz, of all nets of an answer.
 */
struct wf_picture *wf_picture_lay_out(
    struct wf_arena *arena, const struct wf_net *net, uint32_t *flows);

/*
 * Places each label that has no place at its line, where it covers nothing and
 * no flow runs if possible (draw/draw_labels.c).
 */
void wf_place_labels(struct wf_picture *picture);
/* Moves names from below circles to above them, where fewer flows run there. */
void wf_place_names(struct wf_picture *picture);
/* The box of a label that is placed, and of a name outside its figure. */
struct wf_box wf_label_box(const struct wf_line *line);
struct wf_box wf_name_box(const struct wf_figure *figure);

/*
 * How often a flow touches a figure other than at its ends, or a name, a mark
 * or a label is run through or covered (draw/draw_faults.c).  Stops counting
 * at most.
 */
size_t wf_picture_faults(const struct wf_picture *picture, size_t most);
/* Whether a flow runs through the box. */
bool wf_line_crosses(const struct wf_line *line, struct wf_box box);

/*
 * Places the labels, moves everything so that the picture begins at 0,0, and
 * sets its size.
 */
void wf_picture_fit(struct wf_picture *picture);

/* The signs that the legend must explain. */
enum wf_legend {
	WF_LEGEND_AND,
	WF_LEGEND_XOR,
	WF_LEGEND_OR,
	WF_LEGEND_EMPTY,
	WF_LEGEND_COMPOSITE,
	WF_LEGEND_MULTI,
	WF_LEGEND_TIMER,
	WF_LEGEND_CANCEL,
	WF_LEGEND_DEFAULT,
	WF_LEGEND_TOKEN,
	WF_LEGEND_ENABLED,
	WF_LEGEND_BUSY,
	WF_LEGEND_COUNT
};

/* Draws the picture at 0,0; adds its signs to seen. */
void wf_picture_svg(const struct wf_picture *picture, struct wf_buffer *svg,
    bool seen[WF_LEGEND_COUNT]);

/*
 * Cancellation sets (draw/draw_cancel.c): outlines around the removed elements,
 * and a text for each set below the net.
 */
const char *wf_cancel_colour(
    const struct wf_picture *picture, const struct wf_task *task);
void wf_cancel_outlines(
    const struct wf_picture *picture, struct wf_buffer *svg);
/* Draws the lines of text below y; returns their height. */
double wf_cancel_texts(const struct wf_picture *picture, double y,
    double *width, struct wf_buffer *svg);

/* Marks the tasks of a net of a case that are enabled or busy. */
void wf_picture_state(struct wf_picture *picture,
    const struct wf_net_view *view, const struct wf_case *instance);
/* Draws the tokens over the picture; adds to seen. */
void wf_draw_tokens(const struct wf_picture *picture,
    const struct wf_net_view *view, struct wf_buffer *svg,
    bool seen[WF_LEGEND_COUNT]);

/* The decoration of a join or split on that side of a task. */
struct wf_box wf_decorator_box(
    const struct wf_figure *figure, enum wf_side side);
/* The note below a task; its height is 0 when there is none. */
struct wf_box wf_note_box(const struct wf_figure *figure);
/* The point at t, from 0 to 1, of the piece of a curve that begins at p. */
struct wf_point wf_curve_at(const struct wf_point *p, double t);

/* The signs that are drawn both in nets and in the legend. */
void wf_draw_decorator(struct wf_buffer *svg, struct wf_box box,
    enum wf_side side, enum wf_control control, bool is_join);
void wf_draw_clock(struct wf_buffer *svg, double x, double y);
void wf_draw_cancel_mark(
    struct wf_buffer *svg, double x, double y, const char *colour);
void wf_draw_default_mark(
    struct wf_buffer *svg, struct wf_point from, struct wf_point towards);

/* Draws the legend in one or more rows; returns its height. */
double wf_draw_legend(struct wf_buffer *svg, double y, double width,
    const bool seen[WF_LEGEND_COUNT]);

#endif
