/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of specifications: one SVG with all nets, in rows.
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

/*
 * Any thread may call the functions; they draw one picture at a time. WF_LIMIT:
 * the picture does not fit into svg or into WF_DRAW_BYTES.
 */
enum wf_rc wf_draw_spec(const struct wf_spec *spec, struct wf_buffer *svg,
    struct wf_error *err) WF_MUSTCHECK;

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
