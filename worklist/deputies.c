/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/deputies.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "persistence/record_cache.h"
#include "worklist/entry_priv.h"

#define RECORD_KIND "deputy"

/* The keys of the entries: each request of a participant asks by deputy. */
enum { BY_DEPUTY, BY_PERSON };

struct wf_deputies {
	struct wf_record_cache *cache;
};

/* --- records -------------------------------------------------------------- */

static struct wf_bytes write_record(
    const struct wf_deputy *deputy, struct wf_arena *arena)
{
	json_t *processes = json_array();
	json_t *object = json_pack("{s:s,s:s,s:I,s:I,s:o,s:s,s:s}", "person",
	    deputy->person, "deputy", deputy->deputy, "from",
	    (json_int_t)deputy->from, "to", (json_int_t)deputy->to, "processes",
	    processes, "agent", deputy->agent, "comment", deputy->comment);

	for (size_t i = 0; object != NULL && i < deputy->processes.count; i++)
		json_array_append_new(
		    processes, json_string(deputy->processes.rows[i]));
	return wf_entry_value(object, arena);
}

/*
 * False: the record is damaged.  Of a process that is no text, the entry would
 * be for all: so it is damaged, too.
 */
static bool read_record(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct wf_deputy *deputy = entry;
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);
	const json_t *processes = json_object_get(object, "processes");
	bool good = json_is_array(processes);

	*deputy = (struct wf_deputy){ .id = strtoull(row->name, NULL, 10),
		.change = row->change,
		.person = wf_entry_text(object, "person", arena),
		.deputy = wf_entry_text(object, "deputy", arena),
		.from = json_integer_value(json_object_get(object, "from")),
		.to = json_integer_value(json_object_get(object, "to")),
		.agent = wf_entry_text(object, "agent", arena),
		.comment = wf_entry_text(object, "comment", arena) };
	for (size_t i = 0; good && i < json_array_size(processes); i++) {
		const char *process =
		    json_string_value(json_array_get(processes, i));

		good = process != NULL;
		if (good)
			wf_org_texts_add(arena, &deputy->processes,
			    wf_arena_strdup(arena, process));
	}
	json_decref(object);
	return good && deputy->id != 0 && deputy->person[0] != '\0' &&
	       deputy->deputy[0] != '\0';
}

static void copy(const void *from, void *to, struct wf_arena *arena)
{
	const struct wf_deputy *deputy = from;
	struct wf_deputy *copy = to;

	*copy = *deputy;
	copy->person = wf_arena_strdup(arena, deputy->person);
	copy->deputy = wf_arena_strdup(arena, deputy->deputy);
	copy->agent = wf_arena_strdup(arena, deputy->agent);
	copy->comment = wf_arena_strdup(arena, deputy->comment);
	copy->processes = (struct wf_texts){ .count = 0 };
	for (size_t i = 0; i < deputy->processes.count; i++)
		wf_org_texts_add(arena, &copy->processes,
		    wf_arena_strdup(arena, deputy->processes.rows[i]));
}

static const struct wf_record_kind deputy_kind = { .kind = RECORD_KIND,
	.size = sizeof(struct wf_deputy),
	.read = read_record,
	.copy = copy,
	.keys = { [BY_DEPUTY] = offsetof(struct wf_deputy, deputy),
	    [BY_PERSON] = offsetof(struct wf_deputy, person) },
	.key_count = 2 };

struct wf_deputies *wf_deputies_new(void)
{
	struct wf_deputies *deputies = wf_calloc(1, sizeof(*deputies));

	deputies->cache = wf_record_cache_new(&deputy_kind);
	return deputies;
}

void wf_deputies_free(struct wf_deputies **deputies)
{
	struct wf_deputies *old = *deputies;

	*deputies = NULL;
	if (old == NULL)
		return;
	wf_record_cache_free(&old->cache);
	wf_free(old);
}

enum wf_rc wf_deputies_refresh(
    struct wf_deputies *deputies, struct wf_store *store, struct wf_error *err)
{
	return wf_record_cache_refresh(deputies->cache, store, err);
}

uint64_t wf_deputies_reads(struct wf_deputies *deputies)
{
	return wf_record_cache_reads(deputies->cache);
}

/* --- asking --------------------------------------------------------------- */

/* When an entry begins at the latest, and behind what it ends. */
struct period {
	int64_t begin;
	int64_t end;
};

static bool is_in(void *context, const void *entry)
{
	const struct period *period = context;
	const struct wf_deputy *row = entry;

	return row->from <= period->begin && period->end < row->to;
}

/* Those with the key (NULL: all) that begin by then and end after now. */
static struct wf_deputy_list find(struct wf_deputies *deputies, unsigned key,
    const char *text, int64_t begin, int64_t now, struct wf_arena *arena)
{
	struct period period = { begin, now };
	const struct wf_record_choice choice = { key, text, is_in, &period };
	struct wf_deputy_list found;

	found.rows = wf_record_cache_choose(
	    deputies->cache, &choice, arena, &found.count);
	return found;
}

struct wf_deputy_list wf_deputies_of(struct wf_deputies *deputies,
    const char *person, int64_t now, struct wf_arena *arena)
{
	return find(deputies, BY_PERSON, person, INT64_MAX, now, arena);
}

struct wf_deputy_list wf_deputies_at(
    struct wf_deputies *deputies, int64_t now, struct wf_arena *arena)
{
	return find(deputies, BY_DEPUTY, NULL, now, now, arena);
}

struct wf_deputy_list wf_deputies_by(struct wf_deputies *deputies,
    const char *deputy, int64_t now, bool later, struct wf_arena *arena)
{
	return find(
	    deputies, BY_DEPUTY, deputy, later ? INT64_MAX : now, now, arena);
}

bool wf_deputy_find(struct wf_deputies *deputies, uint64_t id,
    struct wf_arena *arena, struct wf_deputy *deputy_out)
{
	return wf_record_cache_find(
	    deputies->cache, 0, wf_entry_name(id, arena), arena, deputy_out);
}

bool wf_deputy_is_for(
    const struct wf_deputy *deputy, const char *identifier, const char *uri)
{
	return deputy->processes.count == 0 ||
	       (identifier != NULL &&
		   wf_org_texts_have(&deputy->processes, identifier)) ||
	       (uri != NULL && wf_org_texts_have(&deputy->processes, uri));
}

/* --- changing ------------------------------------------------------------- */

static enum wf_rc check_texts(
    const struct wf_deputy *deputy, struct wf_error *err)
{
	bool good = strlen(deputy->person) <= WF_ORG_TEXT_BYTES &&
		    strlen(deputy->deputy) <= WF_ORG_TEXT_BYTES &&
		    strlen(deputy->agent) <= WF_DEPUTY_TEXT_BYTES &&
		    strlen(deputy->comment) <= WF_DEPUTY_TEXT_BYTES;

	for (size_t i = 0; i < deputy->processes.count; i++)
		good =
		    good && deputy->processes.rows[i][0] != '\0' &&
		    strlen(deputy->processes.rows[i]) <= WF_DEPUTY_TEXT_BYTES;
	return good ? WF_OK
		    : wf_fail(err, WF_INVALID,
			  "a text of a deputy has at most %u bytes",
			  WF_DEPUTY_TEXT_BYTES);
}

static enum wf_rc check(
    const struct wf_deputy *deputy, int64_t now, struct wf_error *err)
{
	if (deputy->from >= deputy->to)
		return wf_fail(
		    err, WF_INVALID, "to: the end must be after the beginning");
	if (deputy->to <= now)
		return wf_fail(err, WF_INVALID, "to: this time is over");
	if (strcmp(deputy->person, deputy->deputy) == 0)
		return wf_fail(
		    err, WF_INVALID, "deputy: nobody is the deputy of oneself");
	if (deputy->processes.count > WF_DEPUTY_PROCESSES)
		return wf_fail(err, WF_INVALID,
		    "processes: expected at most %u", WF_DEPUTY_PROCESSES);
	return check_texts(deputy, err);
}

/* An entry that is put, or removed by its id. */
struct changing {
	struct wf_deputies *deputies;
	struct wf_deputy *deputy;
	int64_t now;
};

/* Entries of the person that have ended go, so that they do not pile up. */
static void remove_ended(const struct changing *changing,
    const struct wf_deputy_list *all, struct wf_arena *arena,
    struct wf_record_edit *edit)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct wf_deputy *row = &all->rows[i];

		if (row->to > changing->now || row->id == changing->deputy->id)
			continue;
		edit->rows[edit->count++] =
		    (struct wf_record_row){ .kind = RECORD_KIND,
			    .name = wf_entry_name(row->id, arena),
			    .change = row->change };
	}
}

static size_t count_others(const struct wf_deputy_list *list, uint64_t id)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += list->rows[i].id != id;
	return count;
}

static enum wf_rc check_limits(const struct changing *changing,
    struct wf_arena *arena, struct wf_error *err)
{
	const struct wf_deputy *deputy = changing->deputy;
	const struct wf_deputy_list of = wf_deputies_of(
	    changing->deputies, deputy->person, changing->now, arena);
	const struct wf_deputy_list by = wf_deputies_by(
	    changing->deputies, deputy->deputy, changing->now, true, arena);

	if (count_others(&of, deputy->id) >= WF_DEPUTIES)
		return wf_fail(err, WF_LIMIT,
		    "a person has at most %u deputies that have not ended",
		    WF_DEPUTIES);
	if (count_others(&by, deputy->id) >= WF_DEPUTIES)
		return wf_fail(err, WF_LIMIT,
		    "a deputy acts by at most %u entries that have not ended",
		    WF_DEPUTIES);
	return WF_OK;
}

static enum wf_rc decide_put(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	struct wf_deputy *deputy = changing->deputy;
	const struct wf_deputy_list all = wf_deputies_of(
	    changing->deputies, deputy->person, INT64_MIN, arena);
	enum wf_rc rc = check_limits(changing, arena, err);

	if (deputy->id == 0)
		deputy->id = wf_entry_new_id();
	edit->alone = true; /* for the limits */
	edit->rows = wf_arena_array(arena, all.count + 1, sizeof(*edit->rows));
	edit->rows[0] = (struct wf_record_row){ .kind = RECORD_KIND,
		.name = wf_entry_name(deputy->id, arena),
		.value = write_record(deputy, arena) };
	edit->rows[0].change = wf_record_cache_change(
	    changing->deputies->cache, 0, edit->rows[0].name);
	edit->count = 1;
	if (rc == WF_OK)
		rc = wf_entry_expect(
		    &edit->rows[0], "deputy", deputy->change, err);
	remove_ended(changing, &all, arena, edit);
	return rc;
}

enum wf_rc wf_deputy_put(struct wf_deputies *deputies, struct wf_store *store,
    struct wf_deputy *deputy, int64_t now, struct wf_error *err)
{
	struct changing changing = { deputies, deputy, now };
	enum wf_rc rc = check(deputy, now, err);

	return rc == WF_OK ? wf_record_cache_edit(deputies->cache, store,
				 decide_put, &changing, err)
			   : rc;
}

static enum wf_rc decide_remove(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct changing *changing = context;
	uint64_t id = changing->deputy->id;
	struct wf_record_row *row = wf_arena_alloc(arena, sizeof(*row));

	if (!wf_deputy_find(changing->deputies, id, arena, changing->deputy))
		return wf_fail(
		    err, WF_NOT_FOUND, "there is no deputy %" PRIu64, id);
	*row = (struct wf_record_row){ .kind = RECORD_KIND,
		.name = wf_entry_name(id, arena),
		.change = changing->deputy->change };
	*edit = (struct wf_record_edit){ .rows = row, .count = 1 };
	return WF_OK;
}

enum wf_rc wf_deputy_remove(struct wf_deputies *deputies,
    struct wf_store *store, uint64_t id, struct wf_error *err)
{
	struct wf_deputy deputy = { .id = id };
	struct changing changing = { .deputies = deputies, .deputy = &deputy };

	return wf_record_cache_edit(
	    deputies->cache, store, decide_remove, &changing, err);
}
