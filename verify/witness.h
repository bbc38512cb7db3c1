/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways through a graph of markings, told in tasks.
 *
 * The engine does empty tasks, and starts composite ones, by itself before
 * anything else.  A way that respects this is preferred, so that it can be
 * followed in a real case.
 */
#ifndef WF_VERIFY_WITNESS_H
#define WF_VERIFY_WITNESS_H

#include "verify/facts.h"
#include "verify/verify.h"

/*
 * A shortest way from a state to one that has a flag of wanted and none of
 * unwanted; NULL when there is none.  wanted 0: whatever its flags.
 */
struct wf_witness *wf_witness_find(struct wf_arena *arena,
    const struct wf_facts *facts, uint32_t from, uint8_t wanted,
    uint8_t unwanted);
/* As the states were found, from one to another that was found from it. */
struct wf_witness *wf_witness_found(struct wf_arena *arena,
    const struct wf_space *space, uint32_t from, uint32_t to);

#endif
