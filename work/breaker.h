/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The circuit breaker of one destination: how many calls it may have now.
 *
 *             so many calls in a row failed: wf_breaker_failed()
 *    CLOSED ─────────────────────────────────────────────────► OPEN ◄──────┐
 *      ▲  ▲                                                    │  │        │
 *      │  └── a call succeeded that began before: _succeeded() ┘  │        │
 *      │                                                          │        │
 *      │                        its time is over: wf_breaker_is_open()     │
 *      │                                                          ▼        │
 *      └──────── the call succeeded: wf_breaker_succeeded() ── HALF_OPEN ──┘
 *                                           it failed: wf_breaker_failed()
 *
 * Closed, calls pass as usual; open, none does; half-open, one at a time, to
 * see whether the service works again.  Each time it opens for longer, by the
 * retry delays of the service's policy, at most a minute.
 */
#ifndef WF_WORK_BREAKER_H
#define WF_WORK_BREAKER_H

#include "work/service.h"

/* Failures in a row that open a breaker. */
#define WF_BREAKER_FAILURES 5U
/* It stays open for at most so long. */
#define WF_BREAKER_MAXIMUM_MS 60000

enum wf_breaker_state {
	WF_BREAKER_CLOSED,
	WF_BREAKER_OPEN,
	WF_BREAKER_HALF_OPEN
};

/* All zero: closed. */
struct wf_breaker {
	enum wf_breaker_state state;
	unsigned failures;  /* in a row */
	int64_t open_until; /* of OPEN; else 0 */
	unsigned openings;  /* so far: a call remembers those before it */
};

/* A call succeeded: closes the breaker.  Also when the service has moved. */
void wf_breaker_succeeded(struct wf_breaker *breaker);
/*
 * A call failed that began after so many openings.  One that began before the
 * last opening is part of what caused it, and does not count.
 */
void wf_breaker_failed(struct wf_breaker *breaker,
    const struct wf_service_policy *policy, unsigned openings, int64_t now);
/* Whether no call may begin now. */
bool wf_breaker_is_open(struct wf_breaker *breaker, int64_t now);
/* How many calls may be active at once, when it is not open. */
unsigned wf_breaker_room(
    const struct wf_breaker *breaker, unsigned concurrency);

#endif
