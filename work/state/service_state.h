/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How services do, as this node has seen it since it started: calls of the last
 * hour, the breaker, the last failure, and the workers that claim.
 *
 * Of at most 1,000 services; of each, counts in steps of ten seconds and the
 * 20 workers seen last.
 */
#ifndef WF_WORK_STATE_SERVICE_STATE_H
#define WF_WORK_STATE_SERVICE_STATE_H

#include "base/memory.h"
#include "work/breaker.h"

#define WF_STATE_WORKERS 20U

/* Calls that ended, or items that were handed out. */
struct wf_state_count {
	uint64_t done;
	uint64_t failed;
	uint64_t took_us; /* of all calls */
};

struct wf_state_worker {
	const char *account;
	int64_t seen_at;
	uint64_t items; /* handed out to it */
};

struct wf_service_state {
	unsigned active; /* calls now */
	struct wf_breaker breaker;
	int64_t done_at;     /* the last one that went well; 0: none */
	int64_t failed_at;   /* the last one that failed; 0: none */
	int64_t fails_since; /* the first failure since; 0: it works */
	const char *failure; /* why the last one failed; "" */
	struct wf_state_count minute;
	struct wf_state_count hour;
	struct wf_state_worker *workers; /* the last seen first */
	size_t worker_count;
};

struct wf_service_states; /* opaque; safe for all threads */

struct wf_service_states *wf_service_states_new(void);
void wf_service_states_free(struct wf_service_states **states);

/* A call ended; failure: why it failed; NULL: it went well. */
void wf_service_state_called(struct wf_service_states *states,
    uint32_t namespace_id, const char *uri, int64_t now, int64_t took_us,
    const char *failure);
/* What the sender has of it now. */
void wf_service_state_set(struct wf_service_states *states,
    uint32_t namespace_id, const char *uri, const struct wf_breaker *breaker,
    unsigned active);
/* A worker has asked for items of the service, and was given so many. */
void wf_service_state_claimed(struct wf_service_states *states,
    uint32_t namespace_id, const char *uri, int64_t now, const char *account,
    size_t items);
/*
 * It is another one under the same name: what was seen of its calls and workers
 * is forgotten.  Not what the sender has of it now.
 */
void wf_service_state_forget(
    struct wf_service_states *states, uint32_t namespace_id, const char *uri);

/* In the arena.  False: nothing is known of it. */
bool wf_service_state_read(struct wf_service_states *states,
    uint32_t namespace_id, const char *uri, int64_t now, struct wf_arena *arena,
    struct wf_service_state *state_out);

#endif
