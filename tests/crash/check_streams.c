/* SPDX-License-Identifier: Apache-2.0 */
/* What observers have seen: history, announcements, numbers. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/crash/check.h"
#include "tests/message_queues.h"

#define PAGE 500U
#define HOUR INT64_C(3600000)

/* --- history -------------------------------------------------------------- */

struct rows {
	struct wf_cursor *list;
	size_t count;
	size_t capacity;
};

static int compare(const struct wf_cursor *a, const struct wf_cursor *b)
{
	if (a->position != b->position)
		return a->position < b->position ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static void add_page(
    struct check *check, struct rows *rows, const struct wf_history_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct wf_cursor at = { .position = list->rows[i].position,
			.number = list->rows[i].number,
			.sequence = list->rows[i].sequence };

		if (rows->count > 0 &&
		    compare(&rows->list[rows->count - 1], &at) >= 0)
			check_complain(check,
			    "the stream of history is out of order at case "
			    "%" PRIu64 ", step %" PRIu64,
			    at.number, at.sequence);
		if (rows->count == rows->capacity) {
			rows->capacity = rows->capacity * 2 + PAGE;
			rows->list = wf_realloc(
			    rows->list, rows->capacity * sizeof(rows->list[0]));
		}
		rows->list[rows->count++] = at;
	}
}

static void read_all(struct check *check, struct rows *rows)
{
	struct wf_history_filter filter = { .limit = PAGE };
	struct wf_history_list list;
	struct wf_error err = { 0 };

	do {
		wf_arena_reset(check->arena);
		check_need(wf_store_history(check->store, &filter, check->arena,
			       &list, &err),
		    &err);
		add_page(check, rows, &list);
		filter.after = list.next;
	} while (list.count > 0);
}

/* Each observer has seen the first rows of all, without a gap. */
static void compare_seen(struct check *check, const struct rows *rows)
{
	size_t at = 0;

	for (size_t i = 0; i < check->facts.row_count; i++) {
		const struct wf_cursor *seen = &check->facts.rows[i];

		if (seen->position == 0) {
			at = 0;
			continue;
		}
		if (at >= rows->count || compare(seen, &rows->list[at]) != 0) {
			check_complain(check,
			    "the history that was seen has case %" PRIu64
			    ", step %" PRIu64 " where there is another row now",
			    seen->number, seen->sequence);
			return;
		}
		at++;
	}
}

void check_history(struct check *check)
{
	struct rows rows = { NULL, 0, 0 };

	read_all(check, &rows);
	if (rows.count != check->steps)
		check_complain(check,
		    "the stream of history has %zu rows, the cases have %u",
		    rows.count, check->steps);
	compare_seen(check, &rows);
	wf_free(rows.list);
}

/* --- announcements -------------------------------------------------------- */

static void fetch_messages(struct check *check)
{
	struct wf_message_key keys[PAGE];
	struct wf_message_list list;
	struct wf_error err = { 0 };

	do {
		wf_arena_reset(check->arena);
		check_need(
		    claim_messages(check->store, NULL, check->now,
			check->now + HOUR, PAGE, check->arena, &list, &err),
		    &err);
		for (size_t i = 0; i < list.count; i++) {
			keys[i].number = list.rows[i].number;
			keys[i].message = list.rows[i].message;
			facts_add_message(
			    &check->facts, keys[i].number, keys[i].message);
		}
		check_need(
		    wf_store_acknowledge(check->store, keys, list.count, &err),
		    &err);
	} while (list.count > 0);
}

void check_messages(struct check *check)
{
	struct wf_case_filter filter = { .limit = PAGE };
	struct wf_case_list list;
	struct wf_error err = { 0 };

	fetch_messages(check);
	do {
		wf_arena_reset(check->arena);
		check_need(wf_store_cases(check->store, &filter, check->arena,
			       &list, &err),
		    &err);
		for (size_t i = 0; i < list.count; i++) {
			const struct wf_case_row *row = &list.rows[i].row;

			filter.after = row->number;
			for (uint64_t m = 1; m <= row->messages; m++)
				if (!facts_has_message(
					&check->facts, row->number, m))
					check_complain(check,
					    "announcement %" PRIu64
					    " of case %" PRIu64
					    " has never arrived",
					    m, row->number);
		}
	} while (list.count == PAGE);
}

/* --- numbers -------------------------------------------------------------- */

static int compare_ranges(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void check_numbers(struct check *check)
{
	uint64_t *n = check->facts.numbers;
	size_t count = check->facts.number_count;

	if (count > 0)
		qsort(n, count / 2, 2 * sizeof(n[0]), compare_ranges);
	for (size_t i = 2; i < count; i += 2)
		if (n[i - 2] + n[i - 1] > n[i])
			check_complain(check,
			    "the number %" PRIu64 " was given out twice", n[i]);
}
