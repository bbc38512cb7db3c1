/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the graph of markings is too large: single questions, as coverability
 * in a net with reset arcs (petri/).
 *
 * A place that is marked until the first token is in the output condition is
 * needed for every move, and one that is marked while a task is not busy for
 * its start; whoever cancels the task empties that place and fills it again.
 * An OR-split puts to all outputs, which covers whatever fewer would.
 *
 * Without OR-joins this is exact.  OR-joins fire like XOR-joins, so then what
 * cannot be covered cannot happen, and what can be covered is open.
 */
#ifndef WF_VERIFY_FALLBACK_H
#define WF_VERIFY_FALLBACK_H

#include "verify/verify.h"

struct wf_fallback;

/* work: for all questions together. */
struct wf_fallback *wf_fallback_new(
    const struct wf_model *model, uint64_t work);
void wf_fallback_free(struct wf_fallback **fallback);

/* Whether the task can start in some case. */
enum wf_answer wf_fallback_task(struct wf_fallback *fallback, uint32_t task);
/* Whether a token can be beside the one in the output condition. */
enum wf_answer wf_fallback_leftover(struct wf_fallback *fallback);
/* Whether a token can get to the output condition. */
enum wf_answer wf_fallback_end(struct wf_fallback *fallback);

#endif
