/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histograms of times: numbers of values in buckets whose width grows with the
 * value, so that few numbers say much about milliseconds and about years.
 *
 * Values below 8 have a bucket each.  From there on each doubling is divided
 * into eight buckets of one width: a value that is read from a bucket is wrong
 * by an eighth at most.  Two histograms are merged by addition.
 *
 *   bucket   0 1 .. 7   8 9 .. 15   16   17   ..    24   25  ..
 *   from     0 1 .. 7   8 9 .. 15   16   18   ..    32   36  ..
 *
 * Encoded: the format 1, the sum of the values, the number of buckets that are
 * not empty, and of each the distance from the one before and its count; all as
 * numbers of base/codec.h.  Equal histograms have equal bytes.
 */
#ifndef WF_HISTORY_STATISTICS_HISTOGRAM_H
#define WF_HISTORY_STATISTICS_HISTOGRAM_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "persistence/rows.h"

#define WF_HISTOGRAM_BUCKETS 360U
/* Longer times count as this one: more than four thousand years. */
#define WF_HISTOGRAM_LONGEST_MS ((INT64_C(1) << 47) - 1)
/* Of an encoded one, at most. */
#define WF_HISTOGRAM_BYTES 8192U

struct wf_histogram_bucket {
	uint32_t index;
	uint64_t count; /* not 0 */
};

/* All zero: empty.  The buckets are in an arena. */
struct wf_histogram {
	struct wf_histogram_bucket *buckets; /* by index */
	size_t bucket_count;
	size_t capacity;
	uint64_t count; /* of all buckets */
	uint64_t sum;	/* of the values; ends at UINT64_MAX */
};

/* Where a bucket begins; the next one begins where it ends. */
int64_t wf_histogram_from(uint32_t index);

/* Negative times, of clocks that were set back, count as 0. */
void wf_histogram_add(
    struct wf_histogram *histogram, struct wf_arena *arena, int64_t ms);
void wf_histogram_merge(struct wf_histogram *histogram, struct wf_arena *arena,
    const struct wf_histogram *other);

/* The mean; 0 without values. */
double wf_histogram_mean(const struct wf_histogram *histogram);
/*
 * The value that the given part (0 to 1) of the values does not exceed, as
 * exactly as the buckets say; 0 without values.
 */
double wf_histogram_quantile(const struct wf_histogram *histogram, double part);

void wf_histogram_encode(
    const struct wf_histogram *histogram, struct wf_buffer *buffer);
/* No bytes: an empty one.  WF_CORRUPT. */
enum wf_rc wf_histogram_decode(struct wf_histogram *histogram_out,
    const struct wf_bytes *bytes, struct wf_arena *arena,
    struct wf_error *err) WF_MUSTCHECK;

#endif
