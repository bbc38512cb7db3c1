/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths through a graph of markings, as sequences of tasks.
 *
 * The engine fires empty and composite tasks before others, without a command.
 * A path that respects this is preferred, so that it can be followed in a
 * running case.
 */
#ifndef WF_VERIFY_WITNESS_H
#define WF_VERIFY_WITNESS_H

#include "verify/facts.h"
#include "verify/verify.h"

/*
 * A shortest path from a state to a state that has a flag of wanted (0: any
 * flags) and no flag of unwanted; NULL: there is none.
 */
struct wf_witness *wf_witness_find(struct wf_arena *arena,
    const struct wf_facts *facts, uint32_t from, uint8_t wanted,
    uint8_t unwanted);
/* The path from state from on which the exploration found state to. */
struct wf_witness *wf_witness_found(struct wf_arena *arena,
    const struct wf_space *space, uint32_t from, uint32_t to);

#endif
