/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a net can complete from a given marking: asked of a running case
 * before it is repaired or migrated.
 *
 * A net completes when a token gets to its output condition, whatever is left
 * besides; as in verify.h only control flow counts, not data.  The graph of
 * markings answers, where it is small; else coverability of the output
 * condition (verify/fallback.h).
 */
#ifndef WF_VERIFY_COMPLETION_H
#define WF_VERIFY_COMPLETION_H

#include "verify/verify.h"

struct wf_completion_question {
	const struct wf_net *net;
	const uint32_t *tokens; /* per condition */
	const uint64_t *busy;	/* set of tasks */
};

struct wf_completion {
	struct wf_arena *arena;
	const struct wf_net *net;
	enum wf_soundness possible; /* a token can get to the end */
	/*
	 * A marking can be reached from which none can: nothing can happen, or
	 * what happens repeats for ever.
	 */
	enum wf_soundness endangered;
	uint32_t state_count;	    /* explored */
	struct wf_witness *ending;  /* a shortest way to the end; or NULL */
	struct wf_witness *failing; /* .. to such a marking; or NULL */
};

/* Freed with wf_completion_free(). */
struct wf_completion *wf_completion_new(
    const struct wf_completion_question *question);
void wf_completion_free(struct wf_completion **completion);

/*
 * Appends the steps of a witness and the marking it leads to: "A, B to q; then
 * condition p has 1 token".
 */
void wf_witness_sentence(const struct wf_net *net,
    const struct wf_witness *witness, struct wf_buffer *text);

#endif
