/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live streams of steps, as server-sent events.
 *
 * One thread reads new steps of the history and puts those that a reader
 * selects into a ring.  A reader is a position in the ring:
 *
 *   history ──► ring ──────────────────────► readers that are live
 *      └──────► pages, read by the pool ───► readers that are behind
 *
 * A reader that is behind first gets a position in the ring and then reads
 * pages up to it, so it misses no step between the two; a step that is in both
 * is recognized by its cursor.  A reader whose position has left the ring is
 * too slow and is disconnected; its client may reconnect with the last id it
 * got.
 *
 * A reader may watch the worklist of a participant instead (live_list.h).  Its
 * steps have the rows of their case, and the reader gets what has changed for
 * it.  It begins with all items of the list, so it needs no page of the
 * history.
 */
#ifndef WF_SERVER_LIVE_EVENTS_H
#define WF_SERVER_LIVE_EVENTS_H

#include "http/http_server.h"
#include "http/thread_pool.h"
#include "identity/account.h"
#include "runtime/engine.h"
#include "server/live_list.h"

struct wf_streams; /* opaque; safe for all threads */

struct wf_streams_settings {
	size_t bytes;	  /* the most bytes in the ring */
	unsigned maximum; /* readers at a time */
	/* Seconds without an event after which a comment is sent. */
	unsigned keep_alive;
};

/* May be woken from now on; serves readers after wf_streams_start(). */
struct wf_streams *wf_streams_new(const struct wf_streams_settings *settings);
enum wf_rc wf_streams_start(struct wf_streams *streams,
    struct wf_engine *engine, struct wf_pool *pool,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Ends all streams, with what was committed before this call, and accepts no
 * further ones.
 */
void wf_streams_end(struct wf_streams *streams);
/* All exchanges must have ended. */
void wf_streams_free(struct wf_streams **streams);

/* Ends the streams of accounts that were removed or reset. */
void wf_streams_check(struct wf_streams *streams, struct wf_accounts *accounts);

/* The history may have new steps. */
void wf_streams_wake(struct wf_streams *streams);

/* Which steps a reader gets; 0: all. */
struct wf_stream_filter {
	struct wf_account account; /* of the client */
	uint32_t namespace_id;
	uint64_t number; /* of a case */
	struct wf_specification_keys specifications;
	/* Whose list is watched; NULL: steps are sent, not a list. */
	const char *participant;
	const char *known; /* of a list: wf_live_list_new() */
	const struct wf_live_list_parts *parts; /* of a list */
};

/*
 * Answers with a stream of the steps after a cursor.  now: the cursor is the
 * end of the history.  WF_UNAVAILABLE: too many streams; the exchange is not
 * answered.
 */
enum wf_rc wf_streams_begin(struct wf_streams *streams,
    struct wf_exchange *exchange, const struct wf_stream_filter *filter,
    const struct wf_cursor *after, bool now, struct wf_error *err) WF_MUSTCHECK;

struct wf_streams_counts {
	unsigned readers; /* now */
	size_t bytes;	  /* in the ring, now */
	uint64_t steps;	  /* put into the ring */
	uint64_t cut_off; /* readers disconnected because they were slow */
};
void wf_streams_counts(
    struct wf_streams *streams, struct wf_streams_counts *counts_out);

#endif
