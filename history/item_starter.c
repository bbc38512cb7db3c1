/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who started an item.  The history says it: the step of that time in which
 * the instance began.  It is found by halving, and remembered.
 */
#include "history/item_starter.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "kernel/event.h"
#include "runtime/checksum.h"

/* Steps of one millisecond that are looked at. */
#define STEPS 64U
/* Steps that are looked at first. */
#define RECENT 4U
/* Answers that are remembered; then all are forgotten. */
#define REMEMBERED 100000U

struct wf_yawl_starters {
	pthread_mutex_t lock;
	struct wf_map *names; /* "number/item/time" -> who */
	struct wf_arena *arena;
};

struct wf_yawl_starters *wf_yawl_starters_new(void)
{
	struct wf_yawl_starters *starters = wf_calloc(1, sizeof(*starters));

	pthread_mutex_init(&starters->lock, NULL);
	starters->names = wf_map_new();
	starters->arena = wf_arena_new();
	return starters;
}

void wf_yawl_starters_free(struct wf_yawl_starters **starters)
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
    struct wf_yawl_starters *starters, const char *key, struct wf_arena *arena)
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
    struct wf_yawl_starters *starters, const char *key, const char *name)
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

static uint32_t instance_of(const struct wf_yawl_item *item)
{
	return (uint32_t)strtoul(strrchr(item->case_id, '.') + 1, NULL, 10);
}

static bool begins(const struct wf_event *event)
{
	return event->kind == WF_EVENT_TASK_FIRED ||
	       event->kind == WF_EVENT_INSTANCE_CREATED ||
	       event->kind == WF_EVENT_INSTANCE_STARTED;
}

static bool starts(
    const struct wf_history_row *row, const struct wf_yawl_item *item)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	struct wf_bytes bytes;
	bool found = false;

	if (wf_checksum_check_history(row, &bytes, NULL) != WF_OK)
		return false;
	wf_event_reader_init(&reader, bytes.data, bytes.size, NULL);
	while (!found && (event = wf_event_next(&reader, NULL)) != NULL)
		found = begins(event) && event->task == item->task->number &&
			event->instance == instance_of(item);
	wf_event_reader_free(&reader);
	return found;
}

/* The last step before that time; 0: there is none. */
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

/* Among the steps behind that one. */
static const char *search_behind(struct wf_store *store,
    const struct wf_yawl_item *item, uint64_t before, struct wf_arena *arena)
{
	struct wf_history_list list;

	if (wf_store_case_history(store, item->number, before, STEPS, arena,
		&list, NULL) != WF_OK)
		return NULL;
	for (size_t i = 0; i < list.count; i++)
		if (list.rows[i].at == item->started_at &&
		    starts(&list.rows[i], item))
			return list.rows[i].actor;
	return NULL;
}

/* Mostly it was one of the last steps. */
static const char *search(struct wf_store *store,
    const struct wf_yawl_item *item, uint64_t version, struct wf_arena *arena)
{
	const char *name = search_behind(
	    store, item, version > RECENT ? version - RECENT : 0, arena);

	if (name != NULL || version <= RECENT)
		return name;
	return search_behind(store, item,
	    step_before(store, item->number, version, item->started_at, arena),
	    arena);
}

const char *wf_yawl_starter(struct wf_yawl_starters *starters,
    struct wf_engine *engine, const struct wf_yawl_item *item, uint64_t version,
    struct wf_arena *arena)
{
	char id[WF_ITEM_ID_SIZE];
	char key[WF_ITEM_ID_SIZE + 64];
	struct wf_store *store;
	const char *name;

	if (!item->is_child || item->started_at == 0)
		return NULL;
	wf_yawl_item_id(item, id);
	snprintf(key, sizeof(key), "%llu/%s/%lld",
	    (unsigned long long)item->number, id, (long long)item->started_at);
	name = recall(starters, key, arena);
	if (name != NULL || wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return name;
	name = search(store, item, version, arena);
	wf_engine_give_back(engine, store);
	if (name != NULL)
		remember(starters, key, name);
	return name;
}
