/* SPDX-License-Identifier: Apache-2.0 */
#include "history/statistics/case_times.h"

#include <string.h>

#include "base/codec.h"
#include "base/panic.h"

#define LISTS 8192U

struct wf_known_times {
	struct wf_case_times *lists[LISTS]; /* by number */
	struct wf_case_times *first;
	size_t cases;
	size_t items; /* of all cases */
	size_t most_cases;
	size_t most_items;
};

struct wf_known_times *wf_known_times_new(size_t cases, size_t items)
{
	struct wf_known_times *known = wf_calloc(1, sizeof(*known));

	wf_assert(cases > 0 && items > 0);
	known->most_cases = cases;
	known->most_items = items;
	return known;
}

static struct wf_case_times **list_of(
    struct wf_known_times *known, uint64_t number)
{
	return &known->lists[number % LISTS];
}

void wf_known_times_drop(
    struct wf_known_times *known, struct wf_case_times *times)
{
	struct wf_case_times **at =
	    list_of(known, wf_case_reader_number(times->reader));

	wf_assert(known->cases > 0 && known->items >= times->count);
	while (*at != times)
		at = &(*at)->same;
	*at = times->same;
	*times->self = times->next;
	if (times->next != NULL)
		times->next->self = times->self;
	known->cases--;
	known->items -= times->count;
	wf_case_reader_free(&times->reader);
	wf_free(times->items);
	wf_free(times);
}

void wf_known_times_forget(struct wf_known_times *known)
{
	while (known->first != NULL)
		wf_known_times_drop(known, known->first);
	wf_assert(known->items == 0 && known->cases == 0);
}

void wf_known_times_free(struct wf_known_times **known)
{
	if (*known == NULL)
		return;
	wf_known_times_forget(*known);
	wf_free(*known);
	*known = NULL;
}

struct wf_case_times *wf_known_times_of(
    struct wf_known_times *known, uint64_t number)
{
	struct wf_case_times **list = list_of(known, number);
	struct wf_case_times *times = *list;

	while (times != NULL && wf_case_reader_number(times->reader) != number)
		times = times->same;
	if (times != NULL)
		return times;
	if (known->cases >= known->most_cases ||
	    known->items >= known->most_items)
		wf_known_times_forget(known);
	times = wf_calloc(1, sizeof(*times));
	/* Its id is not needed for anything. */
	times->reader = wf_case_reader_new(number, "");
	times->same = *list;
	*list = times;
	times->self = &known->first;
	times->next = known->first;
	if (times->next != NULL)
		times->next->self = &times->next;
	known->first = times;
	known->cases++;
	return times;
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
