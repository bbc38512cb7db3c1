/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients of a running engine: each has a case and does its work items, one
 * after the other, the next one when the last is acknowledged.
 */
#ifndef WF_BENCH_BENCH_CLIENTS_H
#define WF_BENCH_BENCH_CLIENTS_H

#include "bench/bench_latency.h"
#include "bench/bench_net.h"
#include "runtime/engine.h"

/* A case that is there already. */
struct wf_bench_open {
	uint64_t number;
	uint64_t done; /* of its items */
};

/* What the clients are to do. */
struct wf_bench_load {
	struct wf_engine *engine;
	uint64_t specification; /* its key */
	const struct wf_bench_work *work;
	const char *data; /* of a case; NULL: none */
	bool launch_only;
	const struct wf_bench_open *open; /* NULL: cases are launched */
	uint32_t clients;
	/* Whatever comes first ends it. */
	uint64_t cases;
	uint64_t items;
	double seconds;
	/*
	 * Items per second; a client that is late counts from when it should
	 * have been served.  0: as many as can be done.
	 */
	double rate;
};

struct wf_bench_outcome {
	uint64_t items;
	uint64_t launches;
	double first_answer; /* when it came, as of wf_bench_now() */
	double seconds;
	struct wf_latency latency; /* of items */
};

/* Ends when all have been answered; the first request refused is a failure. */
enum wf_rc wf_bench_clients(const struct wf_bench_load *load,
    struct wf_bench_outcome *outcome, struct wf_error *err) WF_MUSTCHECK;

#endif
