/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps are in the order of their times.  So the steps of the time when an
 * item started are found by bisection, after the last steps of the case were
 * tried, which mostly have it.
 */
#include "history/item_starter.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"
#include "history/case_reader.h"

/* Steps that are inspected from a place on. */
#define STEPS 64U
/* Steps at the end of the history that are inspected first. */
#define RECENT 4U
/* Answers that are remembered; when they are so many, all are forgotten. */
#define REMEMBERED 100000U

struct wf_item_starters {
	pthread_mutex_t lock;
	struct wf_map *names; /* "number/item/time" -> account */
	struct wf_arena *arena;
};

struct wf_item_starters *wf_item_starters_new(void)
{
	struct wf_item_starters *starters = wf_calloc(1, sizeof(*starters));

	pthread_mutex_init(&starters->lock, NULL);
	starters->names = wf_map_new();
	starters->arena = wf_arena_new();
	return starters;
}

void wf_item_starters_free(struct wf_item_starters **starters)
{
	if (*starters == NULL)
		return;
	wf_map_free(&(*starters)->names);
	wf_arena_free(&(*starters)->arena);
	pthread_mutex_destroy(&(*starters)->lock);
	wf_free(*starters);
	*starters = NULL;
}

static const char *recall(
    struct wf_item_starters *starters, const char *key, struct wf_arena *arena)
{
	const char *name;

	if (starters == NULL)
		return NULL;
	pthread_mutex_lock(&starters->lock);
	name = wf_map_get(starters->names, key);
	if (name != NULL)
		name = wf_arena_strdup(arena, name);
	pthread_mutex_unlock(&starters->lock);
	return name;
}

static void remember(
    struct wf_item_starters *starters, const char *key, const char *name)
{
	if (starters == NULL)
		return;
	pthread_mutex_lock(&starters->lock);
	if (wf_map_count(starters->names) >= REMEMBERED) {
		wf_map_free(&starters->names);
		starters->names = wf_map_new();
		wf_arena_reset(starters->arena);
	}
	wf_map_add(
	    starters->names, key, wf_arena_strdup(starters->arena, name));
	pthread_mutex_unlock(&starters->lock);
}

/* --- the history ---------------------------------------------------------- */

struct search {
	uint32_t task;
	uint32_t instance;
	bool found;
};

static void match(void *context, const struct wf_event *event)
{
	struct search *search = context;

	if ((event->kind == WF_EVENT_TASK_FIRED ||
		event->kind == WF_EVENT_INSTANCE_CREATED ||
		event->kind == WF_EVENT_INSTANCE_STARTED) &&
	    event->task == search->task && event->instance == search->instance)
		search->found = true;
}

static bool has_start(
    const struct wf_history_row *step, const struct wf_started_item *item)
{
	const char *last = strrchr(item->case_id, '.');
	struct search search = { .task = item->task->number };

	wf_assert(last != NULL);
	search.instance = (uint32_t)strtoul(last + 1, NULL, 10);
	return wf_history_decode(step, NULL, match, &search, NULL) == WF_OK &&
	       search.found;
}

/*
 * The number of the last step before that time, 0 when there is none; version
 * when the history cannot be read.
 */
static uint64_t step_before(struct wf_store *store, uint64_t number,
    uint64_t version, int64_t at, struct wf_arena *arena)
{
	uint64_t low = 0;
	uint64_t high = version;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		struct wf_history_list list;
		struct wf_error err = { .rc = WF_OK };

		if (wf_store_case_history(store, number, middle, 1, arena,
			&list, &err) != WF_OK ||
		    list.count == 0)
			return version;
		if (list.rows[0].at < at)
			low = list.rows[0].sequence;
		else
			high = middle;
	}
	return low;
}

/* The actor of the step that started the item, among the steps after one. */
static const char *search_after(struct wf_store *store,
    const struct wf_started_item *item, uint64_t before, struct wf_arena *arena)
{
	struct wf_history_list list;

	if (wf_store_case_history(store, item->number, before, STEPS, arena,
		&list, NULL) != WF_OK)
		return NULL;
	for (size_t i = 0; i < list.count; i++)
		if (list.rows[i].at == item->started_at &&
		    has_start(&list.rows[i], item))
			return list.rows[i].actor;
	return NULL;
}

static const char *search(struct wf_store *store,
    const struct wf_started_item *item, struct wf_arena *arena)
{
	uint64_t version = item->version;
	const char *name = search_after(
	    store, item, version > RECENT ? version - RECENT : 0, arena);

	if (name != NULL || version <= RECENT)
		return name;
	return search_after(store, item,
	    step_before(store, item->number, version, item->started_at, arena),
	    arena);
}

const char *wf_item_starter(struct wf_item_starters *starters,
    struct wf_engine *engine, const struct wf_started_item *item,
    struct wf_arena *arena)
{
	char key[WF_ITEM_ID_SIZE + 64];
	struct wf_store *store;
	const char *name;

	snprintf(key, sizeof(key), "%llu/%s:%s/%lld",
	    (unsigned long long)item->number, item->case_id, item->task->id,
	    (long long)item->started_at);
	name = recall(starters, key, arena);
	if (name != NULL || wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return name;
	name = search(store, item, arena);
	wf_engine_give_back(engine, store);
	if (name != NULL)
		remember(starters, key, name);
	return name;
}
