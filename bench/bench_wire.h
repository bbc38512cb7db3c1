/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients of a server, each with a connection of its own that it keeps: a
 * client starts a case and completes its items, one after the other, the next
 * one when it has the answer to the last.
 */
#ifndef WF_BENCH_BENCH_WIRE_H
#define WF_BENCH_BENCH_WIRE_H

#include "bench/bench_latency.h"
#include "bench/bench_net.h"

struct wf_wire_load {
	const char *host;
	const char *port;
	bool secure;	/* by TLS */
	const char *ca; /* file of certificates; NULL: those of the system */
	const char *token;
	const char *specification; /* its key */
	const struct wf_bench_work *work;
	uint32_t clients;
	/* Whatever comes first ends it. */
	uint64_t cases;
	double seconds;
	/*
	 * Items per second; a client that is late counts from when it should
	 * have been served.  0: as many as can be done.
	 */
	double rate;
	bool events; /* a reader receives all live events */
	bool open;   /* cases are started and left as they are */
};

struct wf_wire_outcome {
	uint64_t items;
	uint64_t launches;
	uint64_t events; /* steps that the reader got */
	double seconds;
	struct wf_latency latency; /* of items */
	struct wf_latency lag;	   /* from the time of a step to its reader */
};

/* Ends when all are answered; the first answer that is none is a failure. */
enum wf_rc wf_wire_run(const struct wf_wire_load *load,
    struct wf_wire_outcome *outcome, struct wf_error *err) WF_MUSTCHECK;

#endif
