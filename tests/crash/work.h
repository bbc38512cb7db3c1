/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients at work on an engine: each sends a request, waits for its answer, and
 * sends the next; a request without an answer, or with an answer that leaves
 * the outcome unknown, is sent again with the same key. One thread chooses for
 * all of them; the engine answers from its own threads, or (turns) from that
 * one as well, and then a seed gives the same run each time.
 *
 * Observers read the history as it grows, and take the
 * announcements.
 */
#ifndef WF_TESTS_CRASH_WORK_H
#define WF_TESTS_CRASH_WORK_H

#include "tests/crash/mix.h"

struct crash_work {
	const char *url;
	const char *folder; /* of the records */
	const char *mix;    /* path of mix.wfs */
	uint64_t seed;
	unsigned first;	  /* number of the first client */
	unsigned clients; /* at most 256, with the first */
	unsigned engines; /* each request goes to one of them, or to two */
	unsigned shards;
	size_t cache; /* bytes; 0: many or none, by chance */
	bool turns;
	unsigned round;	   /* with turns: number of the virtual clock's round */
	bool for_people;   /* only cases of people */
	bool forgets;	   /* crash_people_new() */
	uint64_t requests; /* ends after this many requests; 0: no end */
	/* Called when the engines are open, before the first request. */
	void (*opened)(void *context, struct wf_engine *engine);
	/* Called in the middle of a batch, before each step. */
	void (*step)(void *context);
	void *context;
};

/* Sets defaults: 32 clients, 1 engine, 1 shard. */
void crash_work_init(struct crash_work *work);
void crash_work(const struct crash_work *work);

#endif
