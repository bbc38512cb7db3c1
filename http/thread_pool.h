/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads for what may take a while (reading the store, drawing, passwords),
 * so that nobody else's command waits for it.
 */
#ifndef WF_HTTP_THREAD_POOL_H
#define WF_HTTP_THREAD_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct wf_pool; /* opaque */

/* waiting: jobs that may wait, at most. */
enum wf_rc wf_pool_open(struct wf_pool **pool_out, unsigned threads,
    size_t waiting, struct wf_error *err) WF_MUSTCHECK;
/* Does what waits, and ends. */
void wf_pool_close(struct wf_pool **pool);
/* False when too many jobs wait. */
bool wf_pool_do(
    struct wf_pool *pool, void (*work)(void *argument), void *argument);
/* How many wait now. */
size_t wf_pool_waiting(struct wf_pool *pool);

#endif
