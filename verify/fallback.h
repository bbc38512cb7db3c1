/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the graph of markings is too large: single questions, as coverability
 * in a net with reset arcs (petri/).
 *
 * That net can do at least what the real one does.  OR-joins fire like
 * XOR-joins, OR-splits put to all outputs, and a task that is busy may start
 * again.  One more place is marked until the first token is in the output
 * condition, and needed for every move.  So what cannot be covered cannot
 * happen; what can be covered can happen if the way to it, which is tried,
 * is one of the real net too.
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
