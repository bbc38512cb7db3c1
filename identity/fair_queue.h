/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread that does slow jobs for many clients, in fair turns: next comes a
 * job of the client that was served least recently, of its names that of the
 * one served least recently, and of that name the oldest.
 *
 * The places are few.  When all are taken, the newest job of the busiest name
 * of the busiest client loses its place; that may be the one that comes.
 */
#ifndef WF_IDENTITY_FAIR_QUEUE_H
#define WF_IDENTITY_FAIR_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct wf_fair_queue; /* opaque; safe for all threads */

struct wf_fair_job {
	uint64_t client; /* hashes: of an address, or of an account */
	uint64_t name;	 /* of the name and the client */
	void *argument;
};

/* work and refuse are called once in total for each job. */
enum wf_rc wf_fair_queue_open(struct wf_fair_queue **queue_out, size_t places,
    void (*work)(void *argument), void (*refuse)(void *argument),
    struct wf_error *err) WF_MUSTCHECK;
/* Does the jobs that wait, and ends.  Not from a job. */
void wf_fair_queue_close(struct wf_fair_queue **queue);
void wf_fair_queue_add(
    struct wf_fair_queue *queue, const struct wf_fair_job *job);
size_t wf_fair_queue_waiting(struct wf_fair_queue *queue);

#endif
