/* SPDX-License-Identifier: Apache-2.0 */
/* Streams from inside; private to server/live_events*.c. */
#ifndef WF_SERVER_LIVE_EVENTS_PRIV_H
#define WF_SERVER_LIVE_EVENTS_PRIV_H

#include <pthread.h>

#include "history/steps.h"
#include "server/live_events.h"

#define WF_FRAMES 65536U /* in the ring; a power of two */
#define WF_READER_LISTS 4096U

/* A step as readers get it, and the members that filters compare. */
struct frame {
	uint32_t namespace_id;
	uint64_t number;
	uint64_t specification;
	struct wf_cursor cursor; /* of this step */
	/* For lists: the items of the case; NULL: no list is to see them. */
	struct wf_live_rows *rows;
	size_t length; /* 0: no reader of steps selects it */
	char text[];
};

struct reader {
	struct reader *next;  /* in its list */
	struct reader **self; /* the pointer to this reader */
	struct wf_streams *streams;
	struct wf_exchange *exchange;
	struct wf_stream_filter filter;
	uint64_t *keys; /* of the filter */
	/* The reader has got all steps that it selects up to this one. */
	struct wf_cursor cursor;

	/*
	 * Text that is not from the ring: a page of the history, a comment.
	 * While a page is read, nothing else is sent.
	 */
	struct wf_buffer text;
	size_t sent; /* of text */
	size_t held; /* bytes of a page that count as the exchange's */

	/* Its position in the ring. */
	bool has_place;
	bool live;		/* it reads the ring; else pages */
	struct wf_cursor until; /* the position is just behind this step */
	uint64_t frame;		/* the next one to read */
	size_t offset;		/* in that frame */
	bool awake;		/* the ring may have a frame for it */

	struct wf_live_list *list; /* that it watches; NULL: steps */
	bool wants_list;	   /* it is to be read, as soon as may be */

	struct wf_steps *steps; /* while it is behind */
	bool reading;		/* a page is being read for it */
	bool wants_page; /* there was no room; the next tick tries again */
	bool over;	 /* the connection has ended */
	bool cut;	 /* the stream is to end */
	bool ends;	 /* the same, once it has got what is in the ring */
	int64_t sent_at; /* milliseconds */
};

struct wf_streams {
	struct wf_streams_settings settings;
	struct wf_engine *engine;
	struct wf_pool *pool;

	pthread_mutex_t lock; /* of what follows, and of all readers */
	pthread_cond_t wake;
	pthread_t thread;
	bool has_thread;
	bool woken;
	bool following; /* a page is being read for the ring */
	bool ending;

	struct wf_cursor end; /* the ring has all selected steps up to this */
	unsigned lists;	      /* readers of lists */
	struct wf_live_list_parts parts; /* of lists, once there was one */
	unsigned places; /* readers with a position; 0: nothing is read */
	struct frame *ring[WF_FRAMES]; /* by number; NULL: dropped */
	uint64_t first;		       /* number of the oldest frame */
	uint64_t last;		       /* number of the next frame */
	struct wf_streams_counts counts;

	/* By the case that they select; the last list: all other readers. */
	struct reader *readers[WF_READER_LISTS + 1];
};

bool wf_reader_wants(const struct reader *reader, uint32_t namespace_id,
    uint64_t number, uint64_t specification);

/* The list of readers that select this case; 0: that select any. */
struct reader **wf_streams_list(struct wf_streams *streams, uint64_t number);

/* --- live_events_reader.c: the caller holds the lock --- */

/* Ends its stream. */
void wf_reader_cut(struct reader *reader);
/* The same; a reader that is live gets what is in the ring first. */
void wf_reader_end(struct reader *reader);
/* The ring has a frame for it: this one, if it has read all before. */
void wf_reader_inspect(struct reader *reader, uint64_t frame);
/* Has the page read for which there was no room. */
void wf_reader_retry(struct reader *reader);
/* Has its list read anew if people have changed. */
void wf_reader_check_list(struct reader *reader);
/* Sends a comment if the reader got nothing for keep_alive seconds. */
void wf_reader_sign(struct reader *reader, int64_t now);
/* Appends a step as a server-sent event. */
void wf_frame_put(struct wf_buffer *text, json_t *step, const char *id);

#endif
