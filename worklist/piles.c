/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/piles.h"

#include <jansson.h>
#include <pthread.h>
#include <string.h>

#include "base/map.h"
#include "spec/spec.h"
#include "worklist/entry_priv.h"

#define RECORD_KIND "pile"

/* What is read is never changed; a change replaces all. */
struct wf_piles {
	pthread_mutex_t reading; /* one thread reads at a time */
	uint64_t change;	 /* of who reads */
	pthread_mutex_t lock;	 /* of what follows */
	struct wf_arena *arena;
	struct wf_map *by_name;
	struct wf_pile_list list;
};

struct wf_piles *wf_piles_new(void)
{
	struct wf_piles *piles = wf_calloc(1, sizeof(*piles));

	pthread_mutex_init(&piles->reading, NULL);
	pthread_mutex_init(&piles->lock, NULL);
	piles->arena = wf_arena_new();
	piles->by_name = wf_map_new();
	return piles;
}

void wf_piles_free(struct wf_piles **piles)
{
	struct wf_piles *old = *piles;

	*piles = NULL;
	if (old == NULL)
		return;
	wf_map_free(&old->by_name);
	wf_arena_free(&old->arena);
	pthread_mutex_destroy(&old->lock);
	pthread_mutex_destroy(&old->reading);
	wf_free(old);
}

/* The lengths make the parts unambiguous. */
static const char *name_of(const char *specification, const char *version,
    const char *task, struct wf_arena *arena)
{
	return wf_arena_printf(arena, "%zu,%zu:%s,%s,%s", strlen(specification),
	    strlen(version), specification, version, task);
}

static const char *name_of_task(
    const struct wf_task *task, struct wf_arena *arena)
{
	const struct wf_spec *spec = task->net->spec;
	const char *identifier = spec->metadata.identifier;

	return name_of(identifier == NULL ? spec->uri : identifier,
	    spec->metadata.version, task->id, arena);
}

/* --- records -------------------------------------------------------------- */

static struct wf_bytes write_record(
    const struct wf_pile *pile, struct wf_arena *arena)
{
	json_t *object = json_pack("{s:s,s:s,s:s,s:s}", "specification",
	    pile->specification, "version", pile->version, "task", pile->task,
	    "participant", pile->participant);

	return wf_entry_value(object, arena);
}

static bool read_record(const struct wf_record_row *row, struct wf_pile *pile,
    struct wf_arena *arena)
{
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);
	const struct {
		const char *member;
		const char **text;
	} members[] = {
		{ "specification", &pile->specification },
		{ "version", &pile->version },
		{ "task", &pile->task },
		{ "participant", &pile->participant },
	};
	bool is = json_is_object(object);

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const char *text = json_string_value(
		    json_object_get(object, members[i].member));

		is = is && text != NULL;
		*members[i].text = wf_arena_strdup(arena, is ? text : "");
	}
	json_decref(object);
	return is;
}

static void replace(struct wf_piles *piles, const struct wf_record_list *list)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_map *by_name = wf_map_new();
	struct wf_pile_list read = { .rows = wf_arena_array(arena, list->count,
					 sizeof(struct wf_pile)) };

	for (size_t i = 0; i < list->count; i++) {
		struct wf_pile *pile = &read.rows[read.count];

		if (!read_record(&list->rows[i], pile, arena))
			continue;
		read.count++;
		wf_map_add(by_name,
		    name_of(
			pile->specification, pile->version, pile->task, arena),
		    pile);
	}
	pthread_mutex_lock(&piles->lock);
	wf_map_free(&piles->by_name);
	wf_arena_free(&piles->arena);
	piles->by_name = by_name;
	piles->arena = arena;
	piles->list = read;
	pthread_mutex_unlock(&piles->lock);
}

/* Piles are few, so a change of one reads all. */
enum wf_rc wf_piles_refresh(
    struct wf_piles *piles, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list = { .count = 0 };
	enum wf_rc rc;

	pthread_mutex_lock(&piles->reading);
	rc = wf_store_all_records(
	    store, RECORD_KIND, piles->change, arena, &list, err);
	if (rc == WF_OK && list.whole)
		replace(piles, &list);
	if (rc == WF_OK)
		piles->change = list.change;
	pthread_mutex_unlock(&piles->reading);
	wf_arena_free(&arena);
	return rc;
}

/* --- reading -------------------------------------------------------------- */

const char *wf_piles_find(
    struct wf_piles *piles, const struct wf_task *task, struct wf_arena *arena)
{
	const char *name = name_of_task(task, arena);
	const struct wf_pile *pile;
	const char *found = NULL;

	pthread_mutex_lock(&piles->lock);
	pile = wf_map_get(piles->by_name, name);
	if (pile != NULL)
		found = wf_arena_strdup(arena, pile->participant);
	pthread_mutex_unlock(&piles->lock);
	return found;
}

struct wf_pile_list wf_piles_of(
    struct wf_piles *piles, const char *participant, struct wf_arena *arena)
{
	struct wf_pile_list found = { .count = 0 };

	pthread_mutex_lock(&piles->lock);
	found.rows =
	    wf_arena_array(arena, piles->list.count, sizeof(*found.rows));
	for (size_t i = 0; i < piles->list.count; i++) {
		const struct wf_pile *pile = &piles->list.rows[i];

		if (participant != NULL &&
		    strcmp(pile->participant, participant) != 0)
			continue;
		found.rows[found.count++] = (struct wf_pile){
			wf_arena_strdup(arena, pile->specification),
			wf_arena_strdup(arena, pile->version),
			wf_arena_strdup(arena, pile->task),
			wf_arena_strdup(arena, pile->participant)
		};
	}
	pthread_mutex_unlock(&piles->lock);
	return found;
}

/* --- writing -------------------------------------------------------------- */

/* The pile as it is in the store; WF_NOT_FOUND. */
static enum wf_rc read_pile(struct wf_store *store, struct wf_record_row *row,
    struct wf_pile *pile_out, struct wf_arena *arena, struct wf_error *err)
{
	enum wf_rc rc =
	    wf_store_record(store, 0, RECORD_KIND, row->name, arena, row, err);

	if (rc == WF_OK && !read_record(row, pile_out, arena))
		rc = wf_fail(err, WF_CORRUPT, "a stored pile is damaged");
	return rc;
}

enum wf_rc wf_pile_put(struct wf_piles *piles, struct wf_store *store,
    const struct wf_pile *pile, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_row row = { .kind = RECORD_KIND,
		.name = name_of(
		    pile->specification, pile->version, pile->task, arena) };
	struct wf_error missing = { .rc = WF_OK };
	struct wf_pile before;
	enum wf_rc rc = read_pile(store, &row, &before, arena, &missing);

	if (rc == WF_OK && strcmp(before.participant, pile->participant) != 0)
		rc = wf_fail(err, WF_CONFLICT,
		    "task %.100s is piled to '%.60s' already", pile->task,
		    before.participant);
	else if (rc == WF_NOT_FOUND) {
		row.value = write_record(pile, arena);
		row.change = WF_RECORD_NEW;
		rc = wf_store_put_record(store, &row, err);
	} else if (rc != WF_OK)
		rc = wf_fail(err, rc, "%s", missing.message);
	if (rc == WF_OK)
		rc = wf_piles_refresh(piles, store, err);
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_pile_remove(struct wf_piles *piles, struct wf_store *store,
    const struct wf_pile *pile, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_row row = { .kind = RECORD_KIND,
		.name = name_of(
		    pile->specification, pile->version, pile->task, arena) };
	struct wf_pile before;
	enum wf_rc rc = read_pile(store, &row, &before, arena, err);

	if (rc == WF_OK && pile->participant != NULL &&
	    strcmp(before.participant, pile->participant) != 0)
		rc = wf_fail(err, WF_CONFLICT,
		    "task %.100s is piled to another participant, '%.60s'",
		    pile->task, before.participant);
	if (rc == WF_OK) {
		row.value = (struct wf_bytes){ NULL, 0 };
		rc = wf_store_put_record(store, &row, err);
	}
	if (rc == WF_OK)
		rc = wf_piles_refresh(piles, store, err);
	wf_arena_free(&arena);
	return rc;
}
