/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that all other code needs: memory, buffers, bytes, failures. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/buffer.h"
#include "base/codec.h"
#include "base/diagnostics.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/panic.h"
#include "base/random.h"
#include "base/time_text.h"

static void first_failure_wins(void)
{
	struct wf_error err = { .rc = WF_OK };

	CU_ASSERT_EQUAL(
	    wf_fail(&err, WF_INVALID, "%s is missing", "x"), WF_INVALID);
	CU_ASSERT_EQUAL(
	    wf_fail_code(&err, WF_DATA, "XPST0003", "consequence"), WF_INVALID);
	CU_ASSERT_STRING_EQUAL(err.message, "x is missing");
	CU_ASSERT_STRING_EQUAL(err.code, "");
	wf_error_prefix(&err, "task %s", "Pay");
	CU_ASSERT_STRING_EQUAL(err.message, "task Pay: x is missing");
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(
	    wf_fail_code(&err, WF_DATA, "XPST0003", "cause"), WF_DATA);
	CU_ASSERT_STRING_EQUAL(err.code, "XPST0003");
	CU_ASSERT_EQUAL(wf_fail(NULL, WF_LIMIT, "nobody listens"), WF_LIMIT);
}

static void long_failures_are_cut(void)
{
	struct wf_error err = { .rc = WF_OK };
	char text[1000];

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	wf_fail(&err, WF_INVALID, "%s", text);
	CU_ASSERT_EQUAL(strlen(err.message), sizeof(err.message) - 1);
	wf_error_prefix(&err, "here");
	CU_ASSERT_EQUAL(strlen(err.message), sizeof(err.message) - 1);
	CU_ASSERT_EQUAL(strncmp(err.message, "here: aaa", 9), 0);
	wf_error_prefix(&err, "%s", text);
	CU_ASSERT_EQUAL(strlen(err.message), sizeof(err.message) - 1);
}

static void cut_characters_are_no_bytes(void)
{
	struct wf_error err = { .rc = WF_OK };
	char text[600];

	wf_fail(&err, WF_INVALID, "\"%.4s\" is no number", "a\xC3\xA9\xC3\xA9");
	CU_ASSERT_STRING_EQUAL(err.message, "\"a\xC3\xA9?\" is no number");
	wf_error_prefix(&err, "query '%.3s'", "\xF0\x9F\x98\x80");
	CU_ASSERT_STRING_EQUAL(
	    err.message, "query '??\?': \"a\xC3\xA9?\" is no number");
	wf_error_clear(&err);
	for (size_t i = 0; i + 1 < sizeof(text); i += 2)
		memcpy(text + i, "\xC3\xA9", 2);
	text[sizeof(text) - 2] = '\0';
	wf_fail(&err, WF_INVALID, "%s", text);
	CU_ASSERT_STRING_EQUAL(
	    err.message + sizeof(err.message) - 4, "\xC3\xA9?");
}

static void codes_have_names(void)
{
	CU_ASSERT_STRING_EQUAL(wf_rc_name(WF_CONFLICT), "CONFLICT");
	CU_ASSERT_EQUAL(wf_rc_by_name("CONFLICT"), WF_CONFLICT);
	CU_ASSERT_EQUAL(wf_rc_by_name("conflict"), WF_BUG);
	CU_ASSERT_STRING_EQUAL(wf_rc_name((enum wf_rc)1000), "UNKNOWN");
	CU_ASSERT_EQUAL(wf_rc_exit(WF_OK), 0);
	CU_ASSERT_EQUAL(wf_rc_http(WF_NOT_FOUND), 404);
}

static void clean(void *argument)
{
	++*(int *)argument;
}

static void fall_with_cleanups(void *argument)
{
	struct wf_cleanup outer;
	struct wf_cleanup inner;
	struct wf_cleanup popped;

	wf_cleanup_push(&outer, clean, argument);
	wf_cleanup_push(&inner, clean, argument);
	wf_cleanup_push(&popped, clean, argument);
	wf_cleanup_pop(&popped);
	wf_panic(__FILE__, __LINE__, "fall");
}

static void cleans_up_behind_a_panic(void)
{
	struct wf_cleanup around;
	int cleaned = 0;
	struct wf_guard guard;

	/* Clean-ups outside the guarded call are not run. */
	wf_cleanup_push(&around, clean, &cleaned);
	CU_ASSERT_FALSE(wf_guard_run(&guard, fall_with_cleanups, &cleaned));
	CU_ASSERT_EQUAL(cleaned, 2);
	wf_cleanup_pop(&around);
}

static void fall(void *argument)
{
	int *steps = argument;

	++*steps;
	wf_assert(*steps == 0);
	++*steps;
}

static void fall_guarded(void *argument)
{
	struct wf_guard guard;

	CU_ASSERT_FALSE(wf_guard_run(&guard, fall, argument));
	CU_ASSERT_PTR_NOT_NULL(strstr(guard.reason, "*steps == 0"));
	CU_ASSERT_PTR_NOT_NULL(strstr(guard.reason, "test_base.c:"));
}

static void panics_leave_the_innermost_guard(void)
{
	struct wf_guard guard;
	int steps = 0;

	CU_ASSERT_TRUE(wf_guard_run(&guard, fall_guarded, &steps));
	CU_ASSERT_EQUAL(steps, 1);
	CU_ASSERT_FALSE(wf_guard_run(&guard, fall, &steps));
	CU_ASSERT_EQUAL(steps, 2);
}

static void allocate(void *argument)
{
	void **memory = argument;

	memory[0] = wf_malloc(8);
	memory[1] = wf_strdup("second");
	memory[2] = wf_calloc(3, 3);
}

static void the_nth_allocation_fails(void)
{
	struct wf_guard guard;

	for (uint64_t n = 1; n <= 4; n++) {
		void *memory[3] = { NULL, NULL, NULL };
		uint64_t made = 0;
		bool done;

		wf_memory_fail_after(n);
		done = wf_guard_run(&guard, allocate, memory);
		wf_memory_fail_after(0);
		for (size_t i = 0; i < 3; i++) {
			made += memory[i] != NULL;
			wf_free(memory[i]);
		}
		CU_ASSERT_EQUAL(made, n - 1);
		CU_ASSERT_EQUAL(done, n == 4);
	}
}

static void arenas_give_zeroed_aligned_memory(void)
{
	static const size_t sizes[] = { 1, 7, 16, 100, 4096, 100000, 3 };
	struct wf_arena *arena = wf_arena_new();

	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
			unsigned char *memory = wf_arena_alloc(arena, sizes[i]);

			CU_ASSERT_EQUAL((uintptr_t)memory % 16, 0);
			for (size_t j = 0; j < sizes[i]; j++)
				CU_ASSERT_FATAL(memory[j] == 0);
			memset(memory, 0xff, sizes[i]);
		}
		CU_ASSERT(wf_arena_size(arena) >= 104223);
		wf_arena_reset(arena);
		CU_ASSERT(wf_arena_size(arena) <= 4096);
	}
	CU_ASSERT_STRING_EQUAL(
	    wf_arena_printf(arena, "%d-%s", 7, "seven"), "7-seven");
	CU_ASSERT_STRING_EQUAL(wf_arena_strndup(arena, "seven", 2), "se");
	wf_arena_free(&arena);
	CU_ASSERT_PTR_NULL(arena);
	wf_arena_free(&arena);
}

static void arrays_grow_in_an_arena(void)
{
	struct wf_arena *arena = wf_arena_new();
	size_t capacity = 0;
	int *numbers = NULL;

	for (int i = 0; i < 1000; i++) {
		numbers = wf_arena_grow(
		    arena, numbers, (size_t)i, &capacity, sizeof(*numbers));
		numbers[i] = i;
	}
	for (int i = 0; i < 1000; i++)
		CU_ASSERT_FATAL(numbers[i] == i);
	CU_ASSERT(capacity >= 1000 && capacity <= 2000);
	wf_arena_free(&arena);
}

static void buffers_stop_at_their_maximum(void)
{
	struct wf_buffer buffer;

	wf_buffer_init(&buffer, 10);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&buffer), "");
	wf_buffer_puts(&buffer, "12345");
	wf_buffer_printf(&buffer, "%d", 678);
	wf_buffer_append(&buffer, "90", 2);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&buffer), "1234567890");
	CU_ASSERT_FALSE(buffer.full);
	wf_buffer_putc(&buffer, '1');
	CU_ASSERT_TRUE(buffer.full);
	CU_ASSERT_EQUAL(buffer.length, 10);
	wf_buffer_reset(&buffer);
	CU_ASSERT_FALSE(buffer.full);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&buffer), "");
	wf_buffer_puts(&buffer, "12345678901");
	wf_buffer_reset(&buffer);
	wf_buffer_puts(&buffer, "1234567890");
	buffer.maximum = 5; /* less than what is there */
	wf_buffer_append(&buffer, "12345678901234567890", 20);
	CU_ASSERT_TRUE(buffer.full);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&buffer), "1234567890");
	buffer.maximum = 10;
	wf_buffer_reset(&buffer);
	wf_buffer_puts(&buffer, "12345678901");
	CU_ASSERT_TRUE(buffer.full);
	CU_ASSERT_EQUAL(buffer.length, 0);
	wf_buffer_free(&buffer);
}

static void printing_fills_a_buffer_to_the_brim(void)
{
	struct wf_buffer buffer;

	wf_buffer_init(&buffer, 5);
	wf_buffer_printf(&buffer, "%d", 12345);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&buffer), "12345");
	CU_ASSERT_FALSE(buffer.full);
	wf_buffer_free(&buffer);
}

static void buffers_grow_and_are_taken(void)
{
	struct wf_buffer buffer;
	char *text;

	wf_buffer_init(&buffer, 1 << 20);
	for (int i = 0; i < 1000; i++)
		wf_buffer_printf(&buffer, "%d,", i % 10);
	CU_ASSERT_EQUAL(buffer.length, 2000);
	text = wf_buffer_take(&buffer);
	CU_ASSERT_EQUAL(strlen(text), 2000);
	CU_ASSERT_EQUAL(strncmp(text + 1990, "5,6,7,8,9,", 10), 0);
	wf_free(text);
	text = wf_buffer_take(&buffer);
	CU_ASSERT_STRING_EQUAL(text, "");
	wf_free(text);
}

static void markup_is_escaped(void)
{
	static const char text[] = "a<b>&\"'\r\n\t";
	struct wf_buffer buffer;

	wf_buffer_init(&buffer, 1000);
	wf_buffer_escape(&buffer, text, strlen(text), false);
	CU_ASSERT_STRING_EQUAL(
	    wf_buffer_text(&buffer), "a&lt;b&gt;&amp;\"'&#13;\n\t");
	wf_buffer_reset(&buffer);
	wf_buffer_escape(&buffer, text, strlen(text), true);
	CU_ASSERT_STRING_EQUAL(
	    wf_buffer_text(&buffer), "a&lt;b&gt;&amp;&quot;'&#13;&#10;&#9;");
	wf_buffer_free(&buffer);
}

static enum wf_rc read_limited(
    const char *path, size_t maximum, struct wf_error *err)
{
	struct wf_buffer buffer;
	enum wf_rc rc;

	memset(err, 0, sizeof(*err));
	wf_buffer_init(&buffer, maximum);
	rc = wf_buffer_read_file(&buffer, path, err);
	wf_buffer_free(&buffer);
	return rc;
}

static void files_are_read_up_to_a_limit(void)
{
	struct wf_error err;

	CU_ASSERT_EQUAL(read_limited("/nowhere/file", 10, &err), WF_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "/nowhere/file"));
	CU_ASSERT_EQUAL(read_limited("/", 10, &err), WF_IO);
	CU_ASSERT_EQUAL(read_limited("/dev/null", 10, &err), WF_OK);
	/* A file without an end is treated as a large file. */
	CU_ASSERT_EQUAL(read_limited("/dev/zero", 1 << 20, &err), WF_LIMIT);
}

static void sets_hold_numbers(void)
{
	static const size_t members[] = { 0, 1, 63, 64, 127, 128, 199 };
	enum { WORDS = 4, COUNT = sizeof members / sizeof members[0] };
	uint64_t set[WORDS] = { 0 };
	size_t at = 0;

	CU_ASSERT_EQUAL(wf_bitset_words(200), WORDS);
	CU_ASSERT_EQUAL(wf_bitset_words(0), 0);
	CU_ASSERT_TRUE(wf_bitset_empty(set, WORDS));
	for (size_t i = 0; i < COUNT; i++)
		wf_bitset_add(set, members[i]);
	CU_ASSERT_EQUAL(wf_bitset_count(set, WORDS), COUNT);
	WF_BITSET_EACH (i, set, WORDS) {
		CU_ASSERT_EQUAL_FATAL(i, members[at]);
		at++;
	}
	CU_ASSERT_EQUAL(at, COUNT);
	CU_ASSERT_TRUE(wf_bitset_has(set, 127));
	wf_bitset_remove(set, 127);
	CU_ASSERT_FALSE(wf_bitset_has(set, 127));
	wf_bitset_put(set, 126, true);
	wf_bitset_put(set, 128, false);
	CU_ASSERT_EQUAL(wf_bitset_next(set, WORDS, 65), 126);
	CU_ASSERT_EQUAL(wf_bitset_next(set, WORDS, 127), 199);
	CU_ASSERT_EQUAL(wf_bitset_next(set, WORDS, 200), SIZE_MAX);
	CU_ASSERT_EQUAL(wf_bitset_next(set, WORDS, 256), SIZE_MAX);
}

static const uint64_t numbers[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX,
	(uint64_t)UINT32_MAX + 1, INT64_MAX, UINT64_MAX };

static void numbers_come_back(void)
{
	struct wf_buffer buffer;
	struct wf_reader reader;
	enum { COUNT = sizeof numbers / sizeof numbers[0] };

	wf_buffer_init(&buffer, 1000);
	for (size_t i = 0; i < COUNT; i++) {
		wf_put_number(&buffer, numbers[i]);
		wf_put_signed(&buffer, (int64_t)numbers[i]);
		wf_put_signed(&buffer, (int64_t)(UINT64_C(0) - numbers[i]));
	}
	wf_put_string(&buffer, "text");
	wf_reader_init(&reader, buffer.data, buffer.length);
	for (size_t i = 0; i < COUNT; i++) {
		CU_ASSERT_EQUAL(wf_get_number(&reader), numbers[i]);
		CU_ASSERT_EQUAL(wf_get_signed(&reader), (int64_t)numbers[i]);
		CU_ASSERT_EQUAL(wf_get_signed(&reader),
		    (int64_t)(UINT64_C(0) - numbers[i]));
	}
	size_t size;
	const char *text = wf_get_bytes(&reader, &size);

	CU_ASSERT(size == 4 && memcmp(text, "text", 4) == 0);
	CU_ASSERT(!reader.bad && reader.next == reader.end);
	CU_ASSERT_EQUAL(wf_get_number(&reader), 0);
	CU_ASSERT_TRUE(reader.bad);
	wf_buffer_free(&buffer);
}

struct bad_bytes {
	const char *what;
	const char *bytes;
	size_t size;
};

static void damaged_numbers_are_noticed(void)
{
	static const struct bad_bytes rows[] = {
		{ "nothing", "", 0 },
		{ "an unfinished number", "\x80\x80", 2 },
		{ "a number in a longer form than it needs", "\x81\x00", 2 },
		{ "65 bits", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10 },
		{ "eleven bytes",
		    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct wf_reader reader;

		wf_reader_init(&reader, rows[i].bytes, rows[i].size);
		CU_ASSERT_EQUAL(wf_get_number(&reader), 0);
		CU_ASSERT_TRUE(reader.bad);
	}
}

static void damaged_strings_are_noticed(void)
{
	struct wf_reader reader;
	size_t size = 1;

	wf_reader_init(&reader,
	    "\x05"
	    "four",
	    5);
	CU_ASSERT_PTR_NOT_NULL(wf_get_bytes(&reader, &size));
	CU_ASSERT(reader.bad && size == 0);
	wf_reader_init(&reader, "\x05", 1);
	CU_ASSERT_EQUAL(wf_get_bounded(&reader, 5), 5);
	CU_ASSERT_FALSE(reader.bad);
	wf_reader_init(&reader, "\x06", 1);
	CU_ASSERT_EQUAL(wf_get_bounded(&reader, 5), 0);
	CU_ASSERT_TRUE(reader.bad);
}

static void checksums_are_castagnoli_s(void)
{
	unsigned char bytes[32];

	/* The examples of RFC 3720, appendix B.4. */
	memset(bytes, 0, sizeof(bytes));
	CU_ASSERT_EQUAL(wf_crc32c(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	CU_ASSERT_EQUAL(wf_crc32c(0, bytes, 32), 0x62a8ab43);
	for (unsigned char i = 0; i < 32; i++)
		bytes[i] = i;
	CU_ASSERT_EQUAL(wf_crc32c(0, bytes, 32), 0x46dd794e);
	CU_ASSERT_EQUAL(
	    wf_crc32c(wf_crc32c(0, bytes, 11), bytes + 11, 21), 0x46dd794e);
}

static void maps_find_by_whole_keys(void)
{
	struct wf_map *map = wf_map_new();
	int values[100];
	char key[20];

	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "key%d", i);
		CU_ASSERT_TRUE(wf_map_add(map, key, &values[i]));
		CU_ASSERT_FALSE(wf_map_add(map, key, NULL));
	}
	CU_ASSERT_EQUAL(wf_map_count(map), 100);
	CU_ASSERT_PTR_EQUAL(wf_map_get(map, "key7"), &values[7]);
	CU_ASSERT_PTR_EQUAL(wf_map_get_n(map, "key77", 4), &values[7]);
	CU_ASSERT_PTR_NULL(wf_map_get(map, "key"));
	CU_ASSERT_PTR_NULL(wf_map_get(map, ""));
	CU_ASSERT_PTR_EQUAL(wf_map_remove(map, "key7"), &values[7]);
	CU_ASSERT_PTR_NULL(wf_map_remove(map, "key7"));
	CU_ASSERT_PTR_NULL(wf_map_get(map, "key7"));
	CU_ASSERT_PTR_EQUAL(wf_map_get(map, "key77"), &values[77]);
	CU_ASSERT_EQUAL(wf_map_count(map), 99);
	CU_ASSERT_TRUE(wf_map_add(map, "key7", &values[7]));
	wf_map_free(&map);
	CU_ASSERT_PTR_NULL(map);
}

static void random_numbers_follow_the_seed(void)
{
	/* s * 6364136223846793005 + 1442695040888963407, bits 33 and up. */
	struct wf_random random = { .state = 1 };
	uint64_t state =
	    UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);

	CU_ASSERT_EQUAL(
	    wf_random_below(&random, 1000), (uint32_t)((state >> 33) % 1000));
	CU_ASSERT_EQUAL(random.state, state);
	for (int i = 0; i < 1000; i++)
		CU_ASSERT_FATAL(wf_random_below(&random, 7) < 7);
	CU_ASSERT_EQUAL(wf_random_below(&random, 1), 0);
}

static void diagnostics_are_kept_in_order(void)
{
	struct wf_diagnostics *list = wf_diagnostics_new("order.yawl");
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	wf_diagnostics_add(list, WF_ERROR, 7, "task Pay", "has no %s", "join");
	wf_diagnostics_add(list, WF_WARNING, 0, NULL, "is old");
	for (int i = 0; i < 2000; i++)
		wf_diagnostics_add(list, WF_ERROR, i, "", "again");
	CU_ASSERT_EQUAL(wf_diagnostics_count(list), 1000);
	CU_ASSERT_EQUAL(wf_diagnostics_errors(list), 2001);
	CU_ASSERT_STRING_EQUAL(
	    wf_diagnostics_at(list, 0)->message, "has no join");
	CU_ASSERT_STRING_EQUAL(wf_diagnostics_at(list, 1)->element, "");
	out = open_memstream(&text, &size);
	wf_diagnostics_print(list, out);
	fclose(out);
	CU_ASSERT_EQUAL(strncmp(text,
			    "weft: order.yawl:7: task Pay: has no join\n"
			    "weft: order.yawl: warning: is old\n",
			    76),
	    0);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "order.yawl: and 1002 more\n"));
	free(text);
	wf_diagnostics_free(&list);
	CU_ASSERT_PTR_NULL(list);
}

static void time_texts(void)
{
	static const struct {
		int64_t time;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00.000Z" },
		{ 1769851800007, "2026-01-31T09:30:00.007Z" },
		{ -1, "1969-12-31T23:59:59.999Z" },
		{ -62167219200000, "0000-01-01T00:00:00.000Z" },
		{ 253402300799999, "9999-12-31T23:59:59.999Z" },
		{ INT64_MAX, "292278994-08-17T07:12:55.807Z" },
		{ INT64_MIN, "-292275055-05-16T16:47:04.192Z" },
	};
	char text[WF_TIME_TEXT_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wf_time_text(rows[i].time, text);
		CU_ASSERT_STRING_EQUAL(text, rows[i].text);
	}
	wf_time_text_seconds(1769851800999, text);
	CU_ASSERT_STRING_EQUAL(text, "2026-01-31T09:30:00Z");
}

CU_TestInfo wf_tests_base[] = {
	{ "times as text", time_texts },
	{ "the first failure wins", first_failure_wins },
	{ "long failures are cut", long_failures_are_cut },
	{ "characters that are cut in two", cut_characters_are_no_bytes },
	{ "result codes have names", codes_have_names },
	{ "a panic leaves the innermost guard",
	    panics_leave_the_innermost_guard },
	{ "a panic is followed by cleaning up", cleans_up_behind_a_panic },
	{ "the n-th allocation fails", the_nth_allocation_fails },
	{ "arenas give zeroed, aligned memory",
	    arenas_give_zeroed_aligned_memory },
	{ "arrays grow in an arena", arrays_grow_in_an_arena },
	{ "buffers stop at their maximum", buffers_stop_at_their_maximum },
	{ "printing fills a buffer to the brim",
	    printing_fills_a_buffer_to_the_brim },
	{ "buffers grow, and are taken", buffers_grow_and_are_taken },
	{ "markup is escaped", markup_is_escaped },
	{ "files are read up to a limit", files_are_read_up_to_a_limit },
	{ "sets hold numbers", sets_hold_numbers },
	{ "numbers come back from bytes", numbers_come_back },
	{ "damaged numbers are noticed", damaged_numbers_are_noticed },
	{ "damaged strings are noticed", damaged_strings_are_noticed },
	{ "checksums are those of RFC 3720", checksums_are_castagnoli_s },
	{ "maps find by whole keys", maps_find_by_whole_keys },
	{ "random numbers follow the seed", random_numbers_follow_the_seed },
	{ "diagnostics are kept in order", diagnostics_are_kept_in_order },
	CU_TEST_INFO_NULL,
};
