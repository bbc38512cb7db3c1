/* SPDX-License-Identifier: Apache-2.0 */
#include "history/statistics/case_times.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/map.h"
#include "base/panic.h"

#define NUMBER_SIZE 24U

struct wf_known_times {
	struct wf_map *numbers;
	struct wf_case_times *first;
	size_t items; /* of all cases */
	size_t most_cases;
	size_t most_items;
};

struct wf_known_times *wf_known_times_new(size_t cases, size_t items)
{
	struct wf_known_times *known = wf_calloc(1, sizeof(*known));

	wf_assert(cases > 0 && items > 0);
	known->numbers = wf_map_new();
	known->most_cases = cases;
	known->most_items = items;
	return known;
}

static void free_times(
    struct wf_known_times *known, struct wf_case_times *times)
{
	wf_assert(known->items >= times->count);
	known->items -= times->count;
	*times->self = times->next;
	if (times->next != NULL)
		times->next->self = times->self;
	wf_case_reader_free(&times->reader);
	wf_free(times->items);
	wf_free(times);
}

void wf_known_times_forget(struct wf_known_times *known)
{
	while (known->first != NULL)
		free_times(known, known->first);
	wf_assert(known->items == 0);
	wf_map_free(&known->numbers);
	known->numbers = wf_map_new();
}

void wf_known_times_free(struct wf_known_times **known)
{
	if (*known == NULL)
		return;
	wf_known_times_forget(*known);
	wf_map_free(&(*known)->numbers);
	wf_free(*known);
	*known = NULL;
}

static void put_number(char text[NUMBER_SIZE], uint64_t number)
{
	snprintf(text, NUMBER_SIZE, "%" PRIu64, number);
}

struct wf_case_times *wf_known_times_of(
    struct wf_known_times *known, uint64_t number)
{
	struct wf_case_times *times;
	char text[NUMBER_SIZE];

	put_number(text, number);
	times = wf_map_get(known->numbers, text);
	if (times != NULL)
		return times;
	if (wf_map_count(known->numbers) >= known->most_cases ||
	    known->items >= known->most_items)
		wf_known_times_forget(known);
	times = wf_calloc(1, sizeof(*times));
	/* Its id is not needed for anything. */
	times->reader = wf_case_reader_new(number, text);
	times->self = &known->first;
	times->next = known->first;
	if (times->next != NULL)
		times->next->self = &times->next;
	known->first = times;
	wf_map_add(known->numbers, text, times);
	return times;
}

void wf_known_times_drop(
    struct wf_known_times *known, struct wf_case_times *times)
{
	char text[NUMBER_SIZE];

	put_number(text, wf_case_reader_number(times->reader));
	(void)wf_map_remove(known->numbers, text);
	free_times(known, times);
}

/* --- items ---------------------------------------------------------------- */

static uint64_t hash_of(const struct wf_case_event *event)
{
	return wf_hash(0, event->task->id, strlen(event->task->id));
}

/* Most events are of young items. */
struct wf_item_times *wf_case_times_find(struct wf_case_times *times,
    const struct wf_case_event *event, uint32_t instance)
{
	uint64_t task = hash_of(event);

	for (size_t i = times->count; i-- > 0;) {
		struct wf_item_times *item = &times->items[i];

		if (item->net == event->event->net &&
		    item->instance == instance &&
		    (instance != 0 || item->task == task))
			return item;
	}
	return NULL;
}

void wf_case_times_add(struct wf_known_times *known,
    struct wf_case_times *times, const struct wf_case_event *event,
    uint32_t instance, int64_t enabled_at, int64_t started_at)
{
	if (times->count == WF_CASE_TIMES_ITEMS)
		return;
	if (times->count == times->capacity) {
		times->capacity = times->capacity * 2 + 4;
		times->items = wf_realloc(
		    times->items, times->capacity * sizeof(*times->items));
	}
	times->items[times->count++] =
	    (struct wf_item_times){ .net = event->event->net,
		    .instance = instance,
		    .task = hash_of(event),
		    .enabled_at = enabled_at,
		    .started_at = started_at };
	known->items++;
}

void wf_case_times_remove(struct wf_known_times *known,
    struct wf_case_times *times, struct wf_item_times *item)
{
	if (item == NULL)
		return;
	wf_assert(item >= times->items && item < times->items + times->count);
	*item = times->items[--times->count];
	known->items--;
}

void wf_case_times_end_net(
    struct wf_known_times *known, struct wf_case_times *times, uint32_t net)
{
	for (size_t i = times->count; i-- > 0;)
		if (times->items[i].net == net)
			wf_case_times_remove(known, times, &times->items[i]);
}
