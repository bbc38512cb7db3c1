/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/piles.h"

#include <jansson.h>
#include <string.h>

#include "persistence/record_cache.h"
#include "spec/spec.h"
#include "worklist/entry_priv.h"

#define RECORD_KIND "pile"

struct wf_piles {
	struct wf_record_cache *cache;
};

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

static bool read_record(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct wf_pile *pile = entry;
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

static void copy(const void *from, void *to, struct wf_arena *arena)
{
	const struct wf_pile *pile = from;

	*(struct wf_pile *)to = (struct wf_pile){
		.specification = wf_arena_strdup(arena, pile->specification),
		.version = wf_arena_strdup(arena, pile->version),
		.task = wf_arena_strdup(arena, pile->task),
		.participant = wf_arena_strdup(arena, pile->participant),
	};
}

static const struct wf_record_kind pile_kind = { .kind = RECORD_KIND,
	.size = sizeof(struct wf_pile),
	.read = read_record,
	.copy = copy,
	.keys = { offsetof(struct wf_pile, participant) },
	.key_count = 1 };

struct wf_piles *wf_piles_new(void)
{
	struct wf_piles *piles = wf_calloc(1, sizeof(*piles));

	piles->cache = wf_record_cache_new(&pile_kind);
	return piles;
}

void wf_piles_free(struct wf_piles **piles)
{
	struct wf_piles *old = *piles;

	*piles = NULL;
	if (old == NULL)
		return;
	wf_record_cache_free(&old->cache);
	wf_free(old);
}

enum wf_rc wf_piles_refresh(
    struct wf_piles *piles, struct wf_store *store, struct wf_error *err)
{
	return wf_record_cache_refresh(piles->cache, store, err);
}

uint64_t wf_piles_reads(struct wf_piles *piles)
{
	return wf_record_cache_reads(piles->cache);
}

/* --- reading -------------------------------------------------------------- */

const char *wf_piles_find(
    struct wf_piles *piles, const struct wf_task *task, struct wf_arena *arena)
{
	struct wf_pile pile;

	return wf_record_cache_find(
		   piles->cache, 0, name_of_task(task, arena), arena, &pile)
		   ? pile.participant
		   : NULL;
}

struct wf_pile_list wf_piles_of(
    struct wf_piles *piles, const char *participant, struct wf_arena *arena)
{
	const struct wf_record_choice choice = { .text = participant };
	struct wf_pile_list found;

	found.rows =
	    wf_record_cache_choose(piles->cache, &choice, arena, &found.count);
	return found;
}

/* --- writing -------------------------------------------------------------- */

struct changing {
	struct wf_piles *piles;
	const struct wf_pile *pile;
	bool was_piled; /* before */
	uint64_t change;
};

/* Prepares the row of the pile.  False: the task is not piled. */
static bool find(struct changing *changing, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_pile *found)
{
	const struct wf_pile *pile = changing->pile;
	struct wf_record_cache *cache = changing->piles->cache;
	struct wf_record_row *row = wf_arena_alloc(arena, sizeof(*row));

	*row = (struct wf_record_row){ .kind = RECORD_KIND,
		.name = name_of(
		    pile->specification, pile->version, pile->task, arena) };
	row->change = wf_record_cache_change(cache, 0, row->name);
	edit->rows = row;
	return wf_record_cache_find(cache, 0, row->name, arena, found);
}

static enum wf_rc decide_put(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	const struct wf_pile *pile = changing->pile;
	struct wf_pile before;

	changing->was_piled = find(changing, arena, edit, &before);
	if (changing->was_piled &&
	    strcmp(before.participant, pile->participant) != 0)
		return wf_fail(err, WF_CONFLICT,
		    "task %.100s is piled to '%.60s' already", pile->task,
		    before.participant);
	edit->rows[0].value = write_record(pile, arena);
	edit->count = 1;
	edit->change_out = &changing->change;
	return WF_OK;
}

enum wf_rc wf_pile_put(struct wf_piles *piles, struct wf_store *store,
    const struct wf_pile *pile, uint64_t *added_out, struct wf_error *err)
{
	struct changing changing = { .piles = piles, .pile = pile };
	enum wf_rc rc = wf_record_cache_edit(
	    piles->cache, store, decide_put, &changing, err);

	*added_out = rc == WF_OK && !changing.was_piled ? changing.change : 0;
	return rc;
}

static enum wf_rc decide_take_back(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	struct wf_pile before;

	(void)err;
	(void)find(changing, arena, edit, &before);
	edit->count = edit->rows[0].change == changing->change;
	return WF_OK;
}

enum wf_rc wf_pile_take_back(struct wf_piles *piles, struct wf_store *store,
    const struct wf_pile *pile, uint64_t added, struct wf_error *err)
{
	struct changing changing = {
		.piles = piles, .pile = pile, .change = added
	};

	return wf_record_cache_edit(
	    piles->cache, store, decide_take_back, &changing, err);
}

static enum wf_rc decide_remove(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	const struct wf_pile *pile = changing->pile;
	struct wf_pile before;

	if (!find(changing, arena, edit, &before))
		return wf_fail(err, WF_NOT_FOUND,
		    "task %.100s is piled to nobody", pile->task);
	if (pile->participant != NULL &&
	    strcmp(before.participant, pile->participant) != 0)
		return wf_fail(err, WF_CONFLICT,
		    "task %.100s is piled to another participant, '%.60s'",
		    pile->task, before.participant);
	edit->count = 1;
	return WF_OK;
}

enum wf_rc wf_pile_remove(struct wf_piles *piles, struct wf_store *store,
    const struct wf_pile *pile, struct wf_error *err)
{
	struct changing changing = { .piles = piles, .pile = pile };

	return wf_record_cache_edit(
	    piles->cache, store, decide_remove, &changing, err);
}
