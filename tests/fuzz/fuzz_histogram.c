/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a stored histogram: one that is accepted says times within its
 * buckets, and encodes as bytes that say the same.
 */
#include <stdint.h>
#include <string.h>

#include "base/panic.h"
#include "history/statistics/histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct wf_histogram *histogram, struct wf_arena *arena)
{
	struct wf_histogram again;
	struct wf_bytes bytes;
	struct wf_buffer first;
	struct wf_buffer second;
	double least = 0;

	for (unsigned i = 0; i <= 20; i++) {
		double time = wf_histogram_quantile(histogram, i / 20.0);

		wf_assert(time >= least - 1);
		wf_assert(time <= (double)WF_HISTOGRAM_LONGEST_MS);
		least = time;
	}
	wf_assert(wf_histogram_mean(histogram) >= 0);
	wf_buffer_init(&first, WF_HISTOGRAM_BYTES);
	wf_histogram_encode(histogram, &first);
	wf_assert(!first.full);
	bytes = (struct wf_bytes){ first.data, first.length };
	wf_assert(wf_histogram_decode(&again, &bytes, arena, NULL) == WF_OK);
	wf_histogram_merge(&again, arena, histogram);
	wf_assert(again.bucket_count == histogram->bucket_count);
	wf_assert(wf_histogram_decode(&again, &bytes, arena, NULL) == WF_OK);
	wf_buffer_init(&second, WF_HISTOGRAM_BYTES);
	wf_histogram_encode(&again, &second);
	wf_assert(first.length == second.length &&
		  memcmp(first.data, second.data, first.length) == 0);
	wf_buffer_free(&first);
	wf_buffer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();
	const struct wf_bytes bytes = { size == 0 ? "" : (const char *)data,
		size };
	struct wf_error err = { .rc = WF_OK };
	struct wf_histogram histogram;

	if (wf_histogram_decode(&histogram, &bytes, arena, &err) == WF_OK)
		check(&histogram, arena);
	else
		wf_assert(err.rc == WF_CORRUPT && histogram.count == 0);
	wf_arena_free(&arena);
	return 0;
}
