/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long things took: counts per span of time, from which quantiles are
 * read to within 3 %.  Any number of threads can add at once.
 */
#ifndef WF_BENCH_BENCH_LATENCY_H
#define WF_BENCH_BENCH_LATENCY_H

#include <stdatomic.h>
#include <stdint.h>

/* The spans are as wide as 1/32 of their power of two, in microseconds. */
#define WF_LATENCY_SPANS 1024U

struct wf_latency {
	atomic_ullong counts[WF_LATENCY_SPANS];
	atomic_ullong maximum; /* microseconds */
};

void wf_latency_add(struct wf_latency *latency, double seconds);
/*
 * Microseconds in which that part (0 to 1) of all was done; 0 when there was
 * nothing.
 */
uint64_t wf_latency_quantile(const struct wf_latency *latency, double part);

#endif
