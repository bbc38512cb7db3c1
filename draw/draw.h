/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of specifications: one SVG with all nets, in rows, or data for
 * programs that draw them.
 *
 * A net is laid out by the file's own layout where it has a complete one, by
 * Graphviz otherwise.  The drawing itself is ours (draw/draw_svg.c).
 */
#ifndef WF_DRAW_DRAW_H
#define WF_DRAW_DRAW_H

#include <stddef.h>

#include "base/buffer.h"
#include "kernel/case.h"
#include "spec/spec.h"

/* The maximum number of elements or flows of a net that is drawn. */
#define WF_DRAW_MAXIMUM 20000U
/* The largest picture, in bytes. */
#define WF_DRAW_BYTES (256U << 20)
/* What Graphviz lays out for one picture: it takes 20 seconds at most. */
#define WF_GRAPHVIZ_FLOWS 3000U

/*
 * Any thread may call the functions; Graphviz lays out one net at a time.
 * WF_LIMIT: the picture does not fit into svg or into WF_DRAW_BYTES.
 */
enum wf_rc wf_draw_spec(const struct wf_spec *spec, struct wf_buffer *svg,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * The same as data: appends a JSON array of the nets, the root net first, as
 * schemas/openapi.yaml describes it (PictureOfNet).  Of a net that is too large
 * to be drawn it has no elements.  flows: so many Graphviz may still lay out,
 * at first WF_GRAPHVIZ_FLOWS; further nets are laid out in columns.  WF_LIMIT:
 * it does not fit into text.
 */
enum wf_rc wf_draw_nets(const struct wf_spec *spec, uint32_t *flows,
    struct wf_buffer *text, struct wf_error *err) WF_MUSTCHECK;
/* The thickness of the box of a join or split, beside its task, in pixels. */
#define WF_DRAW_DECORATOR 20
/* How far apart the boxes of a task of several instances are. */
#define WF_DRAW_STACK 5

/*
 * The live nets of a case: tokens, busy tasks outlined in orange, enabled tasks
 * in green.
 */
enum wf_rc wf_draw_case(const struct wf_case *instance, struct wf_buffer *svg,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Several specifications of one file in one picture.  net: the id or the name
 * of the only nets to be drawn; NULL: all.  WF_NOT_FOUND: there is no such net.
 */
enum wf_rc wf_draw_specs(struct wf_spec *const *specs, size_t count,
    const char *net, struct wf_buffer *svg, struct wf_error *err) WF_MUSTCHECK;

#endif
