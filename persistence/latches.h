/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latches: which handle of this process has which case, name and command in
 * its batch.
 *
 * A store of one node needs nothing more to keep batches apart.  A handle holds
 * a latch until its batch ends; taking a latch never waits.  The functions are
 * not thread-safe: the caller holds a mutex.
 */
#ifndef WF_PERSISTENCE_LATCHES_H
#define WF_PERSISTENCE_LATCHES_H

#include <stdbool.h>
#include <stdint.h>

struct wf_latches; /* opaque */

struct wf_latches *wf_latches_new(void);
void wf_latches_free(struct wf_latches **latches);

/* Takes a latch.  True: the owner has it now; false: another owner has it. */
bool wf_latch_case(
    struct wf_latches *latches, const void *owner, uint64_t number);
bool wf_latch_name(struct wf_latches *latches, const void *owner,
    uint32_t namespace_id, const char *name);
bool wf_latch_command(
    struct wf_latches *latches, const void *owner, const char *id);

/* Whether the owner has that latch. */
bool wf_latches_has_case(
    const struct wf_latches *latches, const void *owner, uint64_t number);
bool wf_latches_has_name(const struct wf_latches *latches, const void *owner,
    uint32_t namespace_id, const char *name);

/* Releases all latches of an owner; NULL: of all owners. */
void wf_latches_release(struct wf_latches *latches, const void *owner);

#endif
