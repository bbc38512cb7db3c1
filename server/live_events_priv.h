/* SPDX-License-Identifier: Apache-2.0 */
/* Streams from inside; private to services/stream*.c. */
#ifndef WF_SERVER_LIVE_EVENTS_PRIV_H
#define WF_SERVER_LIVE_EVENTS_PRIV_H

#include <pthread.h>

#include "history/steps.h"
#include "server/live_events.h"

#define WF_FRAMES 65536U /* in the ring; a power of two */
#define WF_READER_LISTS 4096U

/* A step as readers get it, and what filters ask of it. */
struct frame {
	uint32_t namespace_id;
	uint64_t number;
	uint64_t specification;
	struct wf_cursor cursor; /* of this step */
	size_t length;
	char text[];
};

struct reader {
	struct reader *next; /* in its list */
	struct reader **self;
	struct wf_streams *streams;
	struct wf_exchange *exchange;
	struct wf_stream_filter filter;
	/* All that was given to it is up to here. */
	struct wf_cursor cursor;

	/*
	 * What is not from the ring: a page of the history, a sign.  While a
	 * page is read, nothing else is given to it.
	 */
	struct wf_buffer text;
	size_t sent; /* of text */

	/* Its place in the ring. */
	bool has_place;
	bool live;		/* it reads there; else it is behind */
	struct wf_cursor until; /* the place is for what comes behind this */
	uint64_t frame;		/* the next to look at */
	size_t offset;		/* in it */
	bool awake;		/* it may find something there */

	struct wf_steps *steps; /* while it is behind */
	bool reading;		/* a page is being read for it */
	bool wants_page;	/* the pool had no room */
	bool over;		/* nobody reads any more */
	bool cut;		/* it ends */
	int64_t sent_at;	/* milliseconds */
};

struct wf_streams {
	struct wf_streams_settings settings;
	struct wf_engine *engine;
	struct wf_pool *pool;

	pthread_mutex_t lock; /* of what follows, and of all readers */
	pthread_cond_t wake;
	pthread_t thread;
	bool has_thread;
	bool told;
	bool following; /* a page is being read for the ring */
	bool ending;

	struct wf_cursor end; /* the ring has all that is wanted up to here */
	unsigned places;      /* readers that have one; 0: nothing is read */
	uint64_t placed;      /* how often one was given */
	struct frame *ring[WF_FRAMES];
	uint64_t first; /* of the frames that there are */
	uint64_t last;	/* the one behind them */
	struct wf_streams_counts counts;

	/* By number of the case that they want; the last: all others. */
	struct reader *readers[WF_READER_LISTS + 1];
};

/* Milliseconds of a clock that only goes forward. */
int64_t wf_streams_clock(void);
bool wf_reader_wants(const struct reader *reader, uint32_t namespace_id,
    uint64_t number, uint64_t specification);

/* Where readers stand that want this case; 0: those that want any. */
struct reader **wf_streams_list(struct wf_streams *streams, uint64_t number);

/* --- stream_reader.c: the lock is held --- */

/* It gets no more. */
void wf_reader_cut(struct reader *reader);
/* There may be something for it in the ring, from that frame on. */
void wf_reader_inspect(struct reader *reader, uint64_t frame);
/* Has a page read for those that could not get one. */
void wf_reader_retry(struct reader *reader);
/* Tells it that the stream is there, if it got nothing for long. */
void wf_reader_sign(struct reader *reader, int64_t now);
/* What a step is to its readers. */
void wf_frame_put(struct wf_buffer *text, json_t *step, const char *id);

#endif
