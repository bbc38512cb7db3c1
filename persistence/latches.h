/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds which case, name and command, within one process.
 *
 * A store of one node needs nothing more to keep batches apart.  A latch is
 * held by a handle until its batch is over; taking one never waits.  The
 * caller sees to it that one thread at a time is here.
 */
#ifndef WF_PERSISTENCE_LATCHES_H
#define WF_PERSISTENCE_LATCHES_H

#include <stdbool.h>
#include <stdint.h>

struct wf_latches; /* opaque */

struct wf_latches *wf_latches_new(void);
void wf_latches_free(struct wf_latches **latches);

/* False when another owner has it; true again for the same. */
bool wf_latch_case(
    struct wf_latches *latches, const void *owner, uint64_t number);
bool wf_latch_name(struct wf_latches *latches, const void *owner,
    uint32_t namespace_id, const char *name);
bool wf_latch_command(
    struct wf_latches *latches, const void *owner, const char *id);

bool wf_latches_has_case(
    const struct wf_latches *latches, const void *owner, uint64_t number);
bool wf_latches_has_name(const struct wf_latches *latches, const void *owner,
    uint32_t namespace_id, const char *name);

/* Lets go of all that owner has. */
void wf_latches_release(struct wf_latches *latches, const void *owner);

#endif
