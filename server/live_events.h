/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live streams of steps, as server-sent events.
 *
 * One thread reads the history behind the last step it knows and puts what
 * anybody wants into a ring; each reader has only a place in it:
 *
 *   history ──► ring ──► readers that are up to date
 *      └──► a page at a time, in the pool ──► readers that are behind
 *
 * A reader that is behind first has its place in the ring kept, and then
 * reads up to where that begins; so nothing is left out between the two, and
 * what is in both is known by its place in the history.  A reader whose place
 * has left the ring is too slow, and cut off: it may come again with the last
 * id it got.
 */
#ifndef WF_SERVER_LIVE_EVENTS_H
#define WF_SERVER_LIVE_EVENTS_H

#include "http/http_server.h"
#include "http/thread_pool.h"
#include "runtime/engine.h"
#include "server/account.h"

struct wf_streams; /* opaque; safe for all threads */

struct wf_streams_settings {
	size_t bytes;	  /* of the ring, at most */
	unsigned maximum; /* readers at a time */
	/* Seconds after which a reader that got nothing is sent a sign. */
	unsigned keep_alive;
};

/* It is told of commits from now on, and begins with the engine. */
struct wf_streams *wf_streams_new(const struct wf_streams_settings *settings);
enum wf_rc wf_streams_start(struct wf_streams *streams,
    struct wf_engine *engine, struct wf_pool *pool,
    struct wf_error *err) WF_MUSTCHECK;
/* Ends all streams; there will be no more. */
void wf_streams_end(struct wf_streams *streams);
/* No exchange is left. */
void wf_streams_free(struct wf_streams **streams);

/* Ends the streams of accounts that are not there any more, or were reset. */
void wf_streams_check(struct wf_streams *streams, struct wf_accounts *accounts);

/* There may be new steps. */
void wf_streams_wake(struct wf_streams *streams);

/* Zeros select everything. */
struct wf_stream_filter {
	struct wf_account account; /* who reads */
	uint32_t namespace_id;
	uint64_t number; /* of a case */
	uint64_t specification;
};

/*
 * Answers with a stream of the steps behind that place.  now: it is the end
 * of the history.  WF_UNAVAILABLE: there are too many; then it is not answered.
 */
enum wf_rc wf_streams_begin(struct wf_streams *streams,
    struct wf_exchange *exchange, const struct wf_stream_filter *filter,
    const struct wf_cursor *after, bool now, struct wf_error *err) WF_MUSTCHECK;

struct wf_streams_counts {
	unsigned readers; /* now */
	size_t bytes;	  /* in the ring, now */
	uint64_t steps;	  /* put into it */
	uint64_t cut_off; /* readers */
};
void wf_streams_counts(
    struct wf_streams *streams, struct wf_streams_counts *counts_out);

#endif
