/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads with one bounded queue, for work that waits or computes for long, so
 * that the threads of connections never do.
 *
 *   wf_pool_do() ──► queue (first in, first out) ──► a thread runs the job
 *        │             └── full, or closing: false      ▲
 *   wf_pool_resume() ──► queue, also when it is full ───┘
 *        └── closing: false
 *
 * Closing runs all jobs that are in the queue first.
 */
#ifndef WF_HTTP_THREAD_POOL_H
#define WF_HTTP_THREAD_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct wf_pool; /* opaque */

/* waiting: the most jobs in the queue; at least 1, as threads.  WF_IO. */
enum wf_rc wf_pool_open(struct wf_pool **pool_out, unsigned threads,
    size_t waiting, struct wf_error *err) WF_MUSTCHECK;
/* Runs the jobs in the queue and ends.  Not from a job. */
void wf_pool_close(struct wf_pool **pool);
/* False: the queue is full, or the pool is closing; the job will not run. */
bool wf_pool_do(
    struct wf_pool *pool, void (*work)(void *argument), void *argument);
/*
 * The same for what was admitted before and has to come to its end: the queue
 * grows if it is full.  The caller bounds how many there are.  False: the pool
 * is closing.
 */
bool wf_pool_resume(
    struct wf_pool *pool, void (*work)(void *argument), void *argument);
/* How many jobs are in the queue now. */
size_t wf_pool_waiting(struct wf_pool *pool);

#endif
