/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles of times, from counts per span. */
#include "bench/bench_latency.h"

/* Spans up to twice that many microseconds are of one microsecond each. */
#define PER_POWER 32U

static unsigned span_of(uint64_t microseconds)
{
	unsigned shift = 0;
	uint64_t span;

	while (microseconds >> shift >= 2 * PER_POWER)
		shift++;
	span = shift * PER_POWER + (microseconds >> shift);
	return span < WF_LATENCY_SPANS ? (unsigned)span : WF_LATENCY_SPANS - 1;
}

static uint64_t end_of(unsigned span)
{
	unsigned shift = span < 2 * PER_POWER ? 0 : span / PER_POWER - 1;

	return ((uint64_t)(span - shift * PER_POWER + 1) << shift) - 1;
}

void wf_latency_add(struct wf_latency *latency, double seconds)
{
	unsigned long long microseconds =
	    seconds > 0 ? (unsigned long long)(seconds * 1e6) : 0;
	unsigned long long maximum =
	    atomic_load_explicit(&latency->maximum, memory_order_relaxed);

	atomic_fetch_add_explicit(
	    &latency->counts[span_of(microseconds)], 1, memory_order_relaxed);
	while (microseconds > maximum &&
	       !atomic_compare_exchange_weak(
		   &latency->maximum, &maximum, microseconds))
		;
}

uint64_t wf_latency_quantile(const struct wf_latency *latency, double part)
{
	uint64_t all = 0;
	uint64_t seen = 0;
	unsigned span = 0;

	for (unsigned i = 0; i < WF_LATENCY_SPANS; i++)
		all += atomic_load(&latency->counts[i]);
	if (all == 0)
		return 0;
	while ((double)(seen += atomic_load(&latency->counts[span])) <
		   part * (double)all &&
	       span < WF_LATENCY_SPANS - 1)
		span++;
	/* Nothing took longer than the longest. */
	all = atomic_load(&latency->maximum);
	return end_of(span) < all ? end_of(span) : all;
}
