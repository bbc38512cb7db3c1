/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Earlier states of cases, encoded, that were made from their histories; kept
 * in memory to make later ones from.  Private to runtime/.
 *
 * A case has two kinds of them: bases, at some distance from each other, and
 * the state that was asked for last, from which the next step is one step
 * away.  Beyond the bound in bytes the least recently used ones are forgotten.
 */
#ifndef WF_RUNTIME_MOMENTS_MOMENTS_H
#define WF_RUNTIME_MOMENTS_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Those of one engine together. */
#define WF_MOMENTS_BYTES ((size_t)32 << 20)

struct moments; /* opaque; for any thread */

struct moment_state {
	uint64_t number; /* of the case */
	uint64_t sequence;
	uint64_t specification; /* its key, then */
	int64_t at;		/* the time of that step */
	size_t size;
	const void *bytes; /* the case, encoded, without its large values */
};

struct moments *wf_moments_new(size_t maximum);
/* None is held. */
void wf_moments_free(struct moments **states);

/*
 * The latest one of the case that is not after that step; NULL: none.  Held
 * until wf_moments_let_go().
 */
const struct moment_state *wf_moments_find(
    struct moments *states, uint64_t number, uint64_t sequence);
void wf_moments_let_go(
    struct moments *states, const struct moment_state **state);

/*
 * Keeps a copy, unless it is too large.  One that is no base takes the place of
 * the last one of the case that is no base.
 */
void wf_moments_keep(
    struct moments *states, const struct moment_state *state, bool is_base);
/* The case has no history any more. */
void wf_moments_forget(struct moments *states, uint64_t number);

#endif
