/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of times, compared with the sorted values themselves. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/statistics/histogram.h"
#include "history/statistics/process_counts.h"
#include "tests/unit/seed.h"

#define VALUES 400U

static struct wf_arena *arena;

/* Of any size. */
static int64_t random_value(struct wf_random *random)
{
	uint64_t value = (uint64_t)wf_random_below(random, 1U << 30) << 31 |
			 wf_random_below(random, 1U << 30);

	return (int64_t)(value >> (14 + wf_random_below(random, 48)));
}

/* The bucket of a value. */
static uint32_t index_of(int64_t value)
{
	struct wf_arena *own = wf_arena_new();
	struct wf_histogram histogram = { .count = 0 };
	uint32_t index;

	wf_histogram_add(&histogram, own, value);
	index = histogram.buckets[0].index;
	wf_arena_free(&own);
	return index;
}

static void test_buckets(void)
{
	struct wf_random random = { test_seed("histogram", 4711) };

	for (uint32_t i = 0; i < WF_HISTOGRAM_BUCKETS; i++) {
		CU_ASSERT_EQUAL(index_of(wf_histogram_from(i)), i);
		CU_ASSERT_EQUAL(index_of(wf_histogram_from(i + 1) - 1), i);
	}
	CU_ASSERT_EQUAL(index_of(-5), 0);
	CU_ASSERT_EQUAL(index_of(INT64_MAX), WF_HISTOGRAM_BUCKETS - 1);
	CU_ASSERT_EQUAL(wf_histogram_from(WF_HISTOGRAM_BUCKETS) - 1,
	    WF_HISTOGRAM_LONGEST_MS);
	for (unsigned i = 0; i < test_rounds(10000); i++) {
		int64_t value = random_value(&random);
		uint32_t index = index_of(value);
		int64_t from = wf_histogram_from(index);
		int64_t to = wf_histogram_from(index + 1);

		CU_ASSERT(from <= value && value < to);
		/* An eighth of the value at most. */
		CU_ASSERT((to - 1 - from) * 8 <= value);
	}
	for (unsigned i = 0; i < WF_PROCESS_BOUNDS; i++) {
		int64_t bound = wf_process_bound_ms(i);

		CU_ASSERT_EQUAL(wf_histogram_from(index_of(bound)), bound);
	}
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The part of the values that a quantile exceeds lies in its bucket. */
static void check_quantile(
    const struct wf_histogram *histogram, const int64_t *sorted, double part)
{
	double wanted = part * (double)histogram->count;
	size_t at = wanted <= 1 ? 0 : (size_t)(wanted - 1e-9);
	double found = wf_histogram_quantile(histogram, part);
	uint32_t index = index_of(sorted[at]);

	CU_ASSERT(found >= (double)wf_histogram_from(index) - 0.001);
	CU_ASSERT(found <= (double)wf_histogram_from(index + 1));
}

static void put(const struct wf_histogram *histogram, struct wf_buffer *buffer)
{
	wf_buffer_init(buffer, WF_HISTOGRAM_BYTES);
	wf_histogram_encode(histogram, buffer);
	CU_ASSERT(!buffer->full);
}

static bool are_equal(
    const struct wf_histogram *a, const struct wf_histogram *b)
{
	struct wf_buffer x;
	struct wf_buffer y;
	bool equal;

	put(a, &x);
	put(b, &y);
	equal = x.length == y.length && memcmp(x.data, y.data, x.length) == 0 &&
		a->count == b->count;
	wf_buffer_free(&x);
	wf_buffer_free(&y);
	return equal;
}

static void check_values(struct wf_random *random)
{
	struct wf_histogram whole = { .count = 0 };
	struct wf_histogram parts[2] = { { .count = 0 }, { .count = 0 } };
	struct wf_histogram decoded;
	size_t count = 1 + wf_random_below(random, VALUES);
	uint32_t kinds = 1 + wf_random_below(random, 200);
	int64_t values[VALUES];
	struct wf_buffer buffer;
	struct wf_bytes bytes;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		values[i] = i < kinds ? random_value(random)
				      : values[wf_random_below(random, kinds)];
		sum += (double)values[i];
		wf_histogram_add(&whole, arena, values[i]);
		wf_histogram_add(&parts[i % 2], arena, values[i]);
	}
	CU_ASSERT_EQUAL(whole.count, count);
	CU_ASSERT_DOUBLE_EQUAL(wf_histogram_mean(&whole), sum / (double)count,
	    sum / (double)count * 1e-9);
	qsort(values, count, sizeof(values[0]), compare);
	for (unsigned i = 1; i <= 20; i++)
		check_quantile(&whole, values, i / 20.0);
	wf_histogram_merge(&parts[0], arena, &parts[1]);
	CU_ASSERT(are_equal(&whole, &parts[0]));
	put(&whole, &buffer);
	bytes = (struct wf_bytes){ buffer.data, buffer.length };
	CU_ASSERT_EQUAL(
	    wf_histogram_decode(&decoded, &bytes, arena, NULL), WF_OK);
	CU_ASSERT(are_equal(&whole, &decoded));
	/* Shorter, or longer, is damaged. */
	for (bytes.size = 0; bytes.size < buffer.length; bytes.size++)
		CU_ASSERT_EQUAL(
		    wf_histogram_decode(&decoded, &bytes, arena, NULL),
		    WF_CORRUPT);
	wf_buffer_putc(&buffer, 1);
	bytes = (struct wf_bytes){ buffer.data, buffer.length };
	CU_ASSERT_EQUAL(
	    wf_histogram_decode(&decoded, &bytes, arena, NULL), WF_CORRUPT);
	CU_ASSERT_EQUAL(decoded.count, 0);
	wf_buffer_free(&buffer);
}

static void test_values(void)
{
	struct wf_random random = { test_seed("histogram", 815) };

	arena = wf_arena_new();
	for (unsigned i = 0; i < test_rounds(100); i++) {
		check_values(&random);
		wf_arena_reset(arena);
	}
	wf_arena_free(&arena);
}

static void test_damage(void)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum wf_rc rc;
	} rows[] = {
		{ "\x01\x00\x00", 3, WF_OK },
		{ "\x02\x00\x00", 3, WF_CORRUPT },	       /* format */
		{ "\x01\x00\x01\x00\x00", 5, WF_CORRUPT },     /* none in it */
		{ "\x01\x00\x01\xe7\x02\x01", 6, WF_OK },      /* the last */
		{ "\x01\x00\x01\xe8\x02\x01", 6, WF_CORRUPT }, /* behind it */
		{ "\x01\x00\xe9\x02", 4, WF_CORRUPT },	       /* too many */
	};
	struct wf_histogram histogram = { .count = 0 };
	const struct wf_bytes none = { NULL, 0 };
	struct wf_error err = { .rc = WF_OK };

	arena = wf_arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wf_bytes bytes = { rows[i].bytes, rows[i].size };

		CU_ASSERT_EQUAL(
		    wf_histogram_decode(&histogram, &bytes, arena, &err),
		    rows[i].rc);
		CU_ASSERT_EQUAL(err.rc, rows[i].rc);
		wf_error_clear(&err);
	}
	CU_ASSERT_EQUAL(
	    wf_histogram_decode(&histogram, &none, arena, NULL), WF_OK);
	CU_ASSERT_EQUAL(histogram.count, 0);
	CU_ASSERT_EQUAL(wf_histogram_mean(&histogram), 0);
	CU_ASSERT_EQUAL(wf_histogram_quantile(&histogram, 0.5), 0);
	wf_arena_free(&arena);
}

CU_TestInfo wf_tests_histogram[] = {
	{ "buckets", test_buckets },
	{ "random values", test_values },
	{ "damaged bytes", test_damage },
	CU_TEST_INFO_NULL,
};
