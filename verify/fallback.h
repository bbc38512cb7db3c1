/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single questions as coverability problems in a net with reset arcs (petri/),
 * for nets whose graph of markings is too large.
 *
 * A place that is marked until a token is in the output condition is an input
 * and output of every transition.  A place per task that is marked while the
 * task is not busy is an input of its start; a cancellation of the task empties
 * that place and fills it again.  An OR-split puts to all outputs, which covers
 * any choice.
 *
 * Without OR-joins the answers are exact.  OR-joins fire like XOR-joins, so
 * with them "not coverable" means impossible and "coverable" leaves it open.
 */
#ifndef WF_VERIFY_FALLBACK_H
#define WF_VERIFY_FALLBACK_H

#include "verify/verify.h"

struct wf_fallback;

/*
 * work: budget for all questions together, in elementary steps.  initial: per
 * place of the model; NULL: the marking of a launch.
 */
struct wf_fallback *wf_fallback_new(
    const struct wf_model *model, uint64_t work, const uint8_t *initial);
void wf_fallback_free(struct wf_fallback **fallback);

/* Whether the task can start in some case. */
enum wf_soundness wf_fallback_task(struct wf_fallback *fallback, uint32_t task);
/* Whether tokens can remain when a token is in the output condition. */
enum wf_soundness wf_fallback_leftover(struct wf_fallback *fallback);
/* Whether a token can reach the output condition. */
enum wf_soundness wf_fallback_end(struct wf_fallback *fallback);

#endif
