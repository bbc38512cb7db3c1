/* SPDX-License-Identifier: Apache-2.0 */
#include "history/statistics/histogram.h"

#include <string.h>

#include "base/codec.h"
#include "base/panic.h"

#define FORMAT 1U
/* Counts of one that is stored; more are damage. */
#define COUNT_MAXIMUM (UINT64_C(1) << 62)
/* Buckets of one doubling, and values with a bucket each. */
#define PARTS 8U

static uint32_t index_of(int64_t ms)
{
	uint64_t value = ms < 0 ? 0 : (uint64_t)ms;
	unsigned doubling = 0;

	if (value > (uint64_t)WF_HISTOGRAM_LONGEST_MS)
		value = (uint64_t)WF_HISTOGRAM_LONGEST_MS;
	if (value < PARTS)
		return (uint32_t)value;
	while (value >> doubling >= 2 * (uint64_t)PARTS)
		doubling++;
	return doubling * PARTS + (uint32_t)(value >> doubling);
}

int64_t wf_histogram_from(uint32_t index)
{
	unsigned doubling = index < PARTS ? 0 : index / PARTS - 1;

	wf_assert(index <= WF_HISTOGRAM_BUCKETS);
	return (int64_t)(index - doubling * PARTS) << doubling;
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* Where the bucket is, or would be. */
static size_t place_of(const struct wf_histogram *histogram, uint32_t index)
{
	size_t low = 0;
	size_t high = histogram->bucket_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (histogram->buckets[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_to(struct wf_histogram *histogram, struct wf_arena *arena,
    uint32_t index, uint64_t count)
{
	size_t at = place_of(histogram, index);
	struct wf_histogram_bucket *buckets;

	if (at == histogram->bucket_count ||
	    histogram->buckets[at].index != index) {
		histogram->buckets = wf_arena_grow(arena, histogram->buckets,
		    histogram->bucket_count, &histogram->capacity,
		    sizeof(*histogram->buckets));
		buckets = histogram->buckets;
		memmove(&buckets[at + 1], &buckets[at],
		    (histogram->bucket_count - at) * sizeof(*buckets));
		buckets[at] = (struct wf_histogram_bucket){ index, 0 };
		histogram->bucket_count++;
	}
	histogram->buckets[at].count =
	    add_up(histogram->buckets[at].count, count);
	histogram->count = add_up(histogram->count, count);
}

void wf_histogram_add(
    struct wf_histogram *histogram, struct wf_arena *arena, int64_t ms)
{
	int64_t value = ms < 0 ? 0 : ms;

	if (value > WF_HISTOGRAM_LONGEST_MS)
		value = WF_HISTOGRAM_LONGEST_MS;
	add_to(histogram, arena, index_of(value), 1);
	histogram->sum = add_up(histogram->sum, (uint64_t)value);
}

void wf_histogram_merge(struct wf_histogram *histogram, struct wf_arena *arena,
    const struct wf_histogram *other)
{
	for (size_t i = 0; i < other->bucket_count; i++)
		add_to(histogram, arena, other->buckets[i].index,
		    other->buckets[i].count);
	histogram->sum = add_up(histogram->sum, other->sum);
}

/* --- what it says --------------------------------------------------------- */

double wf_histogram_mean(const struct wf_histogram *histogram)
{
	return histogram->count == 0
		   ? 0
		   : (double)histogram->sum / (double)histogram->count;
}

/* The values of a bucket are taken as spread evenly over it. */
static double value_of(const struct wf_histogram_bucket *bucket, double place)
{
	double from = (double)wf_histogram_from(bucket->index);
	double to = (double)wf_histogram_from(bucket->index + 1);
	double part = (place - 0.5) / (double)bucket->count;

	/* Whole numbers: a narrow bucket has one value. */
	return from + (to - 1 - from) * (part > 1 ? 1 : part);
}

double wf_histogram_quantile(const struct wf_histogram *histogram, double part)
{
	/* The number of that value, from 1 on. */
	double wanted =
	    (double)(uint64_t)(part * (double)histogram->count + 1 - 1e-6);
	double before = 0;

	if (wanted < 1)
		wanted = 1;
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct wf_histogram_bucket *bucket =
		    &histogram->buckets[i];

		if (before + (double)bucket->count >= wanted ||
		    i + 1 == histogram->bucket_count)
			return value_of(bucket, wanted - before);
		before += (double)bucket->count;
	}
	return 0;
}

/* --- as bytes ------------------------------------------------------------- */

void wf_histogram_encode(
    const struct wf_histogram *histogram, struct wf_buffer *buffer)
{
	uint32_t next = 0;

	wf_put_number(buffer, FORMAT);
	wf_put_number(buffer, histogram->sum);
	wf_put_number(buffer, histogram->bucket_count);
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct wf_histogram_bucket *bucket =
		    &histogram->buckets[i];

		wf_assert(bucket->index >= next && bucket->count > 0);
		wf_put_number(buffer, bucket->index - next);
		wf_put_number(buffer, bucket->count);
		next = bucket->index + 1;
	}
}

static bool decode(struct wf_histogram *histogram, const struct wf_bytes *bytes,
    struct wf_arena *arena)
{
	struct wf_reader reader;
	size_t count;
	uint32_t next = 0;

	wf_reader_init(&reader, bytes->data, bytes->size);
	if (wf_get_number(&reader) != FORMAT)
		return false;
	histogram->sum = wf_get_number(&reader);
	count = wf_get_bounded(&reader, WF_HISTOGRAM_BUCKETS);
	for (size_t i = 0; i < count && !reader.bad; i++) {
		uint32_t distance =
		    wf_get_bounded(&reader, WF_HISTOGRAM_BUCKETS);
		uint64_t number = wf_get_number(&reader);

		if (reader.bad || number == 0 ||
		    number > COUNT_MAXIMUM - histogram->count ||
		    next + distance >= WF_HISTOGRAM_BUCKETS)
			return false;
		add_to(histogram, arena, next + distance, number);
		next += distance + 1;
	}
	return !reader.bad && reader.next == reader.end;
}

enum wf_rc wf_histogram_decode(struct wf_histogram *histogram_out,
    const struct wf_bytes *bytes, struct wf_arena *arena, struct wf_error *err)
{
	*histogram_out = (struct wf_histogram){ .count = 0 };
	if (bytes->data == NULL || decode(histogram_out, bytes, arena))
		return WF_OK;
	*histogram_out = (struct wf_histogram){ .count = 0 };
	return wf_fail(err, WF_CORRUPT, "the histogram is damaged");
}
