/* SPDX-License-Identifier: Apache-2.0 */
/* OR-joins on a common cycle of a net, which may wait for each other. */
#ifndef WF_VERIFY_CIRCLES_H
#define WF_VERIFY_CIRCLES_H

#include "spec/spec.h"

/*
 * Per task a number: OR-joins on a common cycle have the same number, all other
 * tasks UINT32_MAX.  In the arena; the number of circles in count_out.
 */
uint32_t *wf_circles_find(
    struct wf_arena *arena, const struct wf_net *net, uint32_t *count_out);

#endif
