/* SPDX-License-Identifier: Apache-2.0 */
#include "history/statistics/case_times.h"

#include <string.h>

#include "base/codec.h"
#include "base/map.h"
#include "base/panic.h"
#include "kernel/view.h"

#define LISTS 65536U

struct wf_known_times {
	struct wf_case_times *lists[LISTS]; /* by number */
	struct wf_case_times *latest;	    /* the one that was used last */
	struct wf_case_times *earliest;
	size_t bytes; /* of all cases */
	size_t most;
};

struct wf_known_times *wf_known_times_new(size_t bytes)
{
	struct wf_known_times *known = wf_calloc(1, sizeof(*known));

	known->most = bytes;
	return known;
}

static struct wf_case_times **list_of(
    struct wf_known_times *known, uint64_t number)
{
	return &known->lists[number % LISTS];
}

/* --- the order in which they were used ------------------------------------ */

static void put_latest(
    struct wf_known_times *known, struct wf_case_times *times)
{
	times->later = NULL;
	times->earlier = known->latest;
	if (times->earlier != NULL)
		times->earlier->later = times;
	else
		known->earliest = times;
	known->latest = times;
}

static void take_out(struct wf_known_times *known, struct wf_case_times *times)
{
	if (times->later != NULL)
		times->later->earlier = times->earlier;
	else
		known->latest = times->earlier;
	if (times->earlier != NULL)
		times->earlier->later = times->later;
	else
		known->earliest = times->later;
}

/* --- known cases ---------------------------------------------------------- */

void wf_known_times_drop(
    struct wf_known_times *known, struct wf_case_times *times)
{
	struct wf_case_times **at =
	    list_of(known, wf_case_reader_number(times->reader));

	while (*at != times)
		at = &(*at)->same;
	*at = times->same;
	take_out(known, times);
	wf_assert(known->bytes >= times->bytes);
	known->bytes -= times->bytes;
	wf_case_reader_free(&times->reader);
	wf_free(times->items);
	wf_free(times);
}

void wf_known_times_forget(struct wf_known_times *known)
{
	while (known->latest != NULL)
		wf_known_times_drop(known, known->latest);
	wf_assert(known->bytes == 0 && known->earliest == NULL);
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
	if (times != NULL) {
		take_out(known, times);
	} else {
		times = wf_calloc(1, sizeof(*times));
		/* Its id is not needed for anything. */
		times->reader = wf_case_reader_new(number, "");
		times->same = *list;
		*list = times;
	}
	put_latest(known, times);
	return times;
}

void wf_known_times_keep(
    struct wf_known_times *known, struct wf_case_times *times)
{
	size_t bytes = sizeof(*times) + wf_case_reader_size(times->reader) +
		       times->capacity * sizeof(*times->items);

	wf_assert(times == known->latest);
	known->bytes += bytes - times->bytes;
	times->bytes = bytes;
	while (known->bytes > known->most && known->earliest != times)
		wf_known_times_drop(known, known->earliest);
}

/* --- items ---------------------------------------------------------------- */

static uint64_t hash_of(const struct wf_task *task)
{
	return wf_hash(0, task->id, strlen(task->id));
}

/* Most events are of young items. */
struct wf_item_times *wf_case_times_find(struct wf_case_times *times,
    const struct wf_case_event *event, uint32_t instance)
{
	uint64_t task = hash_of(event->task);

	for (size_t i = times->count; i-- > 0;) {
		struct wf_item_times *item = &times->items[i];

		if (item->net == event->event->net &&
		    item->instance == instance &&
		    (instance != 0 || item->task == task))
			return item;
	}
	return NULL;
}

static void add(struct wf_case_times *times, const struct wf_item_times *item)
{
	if (times->count == WF_CASE_TIMES_ITEMS)
		return;
	if (times->count == times->capacity) {
		times->capacity = times->capacity * 2 + 2;
		times->items = wf_realloc(
		    times->items, times->capacity * sizeof(*times->items));
	}
	times->items[times->count++] = *item;
}

void wf_case_times_add(struct wf_case_times *times,
    const struct wf_case_event *event, uint32_t instance, int64_t enabled_at,
    int64_t started_at)
{
	const struct wf_item_times item = { .net = event->event->net,
		.instance = instance,
		.task = hash_of(event->task),
		.enabled_at = enabled_at,
		.started_at = started_at };

	add(times, &item);
}

void wf_case_times_remove(
    struct wf_case_times *times, struct wf_item_times *item)
{
	if (item == NULL)
		return;
	wf_assert(item >= times->items && item < times->items + times->count);
	*item = times->items[--times->count];
}

void wf_case_times_end_net(struct wf_case_times *times, uint32_t net)
{
	for (size_t i = times->count; i-- > 0;)
		if (times->items[i].net == net)
			wf_case_times_remove(times, &times->items[i]);
}

/* --- a migration ---------------------------------------------------------- */

struct naming {
	struct wf_arena *arena;
	struct wf_map *serials; /* pointers to them, by the ids of nets */
};

static void name_net(void *context, const struct wf_net_view *view)
{
	struct naming *naming = context;
	uint32_t *serial = wf_arena_alloc(naming->arena, sizeof(*serial));

	*serial = view->serial;
	wf_map_add(naming->serials,
	    wf_arena_strdup(naming->arena, view->case_id), serial);
}

/* The case has its enabled tasks, and since when they are. */
void wf_case_times_migrate(
    struct wf_case_times *times, const struct wf_case_event *event)
{
	struct naming naming = { event->arena, wf_map_new() };
	struct wf_item *items;
	size_t count = wf_case_items(event->migrated, &items);

	for (size_t i = times->count; i-- > 0;)
		if (times->items[i].instance == 0)
			wf_case_times_remove(times, &times->items[i]);
	wf_case_nets(event->migrated, name_net, &naming);
	for (size_t i = 0; i < count; i++) {
		/* Started ones have ids of their own. */
		const uint32_t *net =
		    wf_map_get(naming.serials, items[i].case_id);
		struct wf_item_times item = { .task = hash_of(items[i].task),
			.enabled_at = items[i].enabled_at };

		if (net != NULL) {
			item.net = *net;
			add(times, &item);
		}
	}
	wf_free(items);
	wf_map_free(&naming.serials);
}
