/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches ask who is absent, so the entries of this moment are kept until one
 * of them begins or ends, or any is changed.
 */
#include "worklist/absences.h"

#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "persistence/record_cache.h"
#include "worklist/entry_priv.h"
#include "worklist/listeners.h"

#define WHOLE 100U /* percent */

/* The keys of the entries. */
enum { BY_RESOURCE, BY_CASE };

struct wf_absences {
	struct wf_record_cache *cache;
	struct wf_listeners *listeners; /* who hear of changes */
	pthread_mutex_t lock;		/* of what follows */
	struct wf_arena *arena;
	/* The entries that hold from since to until. */
	const struct wf_absence *current;
	size_t current_count;
	uint64_t version; /* of the cache; 0: none are known */
	int64_t since;
	int64_t until;
};

/* --- records -------------------------------------------------------------- */

static struct wf_bytes write_record(
    const struct wf_absence *absence, struct wf_arena *arena)
{
	json_t *object = json_pack("{s:s,s:I,s:I,s:i,s:s,s:s}", "resource",
	    absence->resource, "from", (json_int_t)absence->from, "to",
	    (json_int_t)absence->to, "workload", (int)absence->workload,
	    "agent", absence->agent, "comment", absence->comment);

	if (wf_absence_is_reserved(absence)) {
		json_object_set_new(
		    object, "status", json_string(absence->status));
		json_object_set_new(
		    object, "case", json_string(absence->case_id));
		json_object_set_new(
		    object, "activity", json_string(absence->activity));
		json_object_set_new(
		    object, "phase", json_string(absence->phase));
	}
	return wf_entry_value(object, arena);
}

static bool read_record(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct wf_absence *absence = entry;
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);
	json_int_t workload =
	    json_integer_value(json_object_get(object, "workload"));

	*absence = (struct wf_absence){ .id = strtoull(row->name, NULL, 10),
		.change = row->change,
		.resource = wf_entry_text(object, "resource", arena),
		.from = json_integer_value(json_object_get(object, "from")),
		.to = json_integer_value(json_object_get(object, "to")),
		.workload = workload < 1 || workload > WHOLE
				? WHOLE
				: (unsigned)workload,
		.agent = wf_entry_text(object, "agent", arena),
		.comment = wf_entry_text(object, "comment", arena),
		.status = wf_entry_text(object, "status", arena),
		.case_id = wf_entry_text(object, "case", arena),
		.activity = wf_entry_text(object, "activity", arena),
		.phase = wf_entry_text(object, "phase", arena) };
	if (absence->status[0] == '\0')
		absence->status = WF_ABSENCE_STATUS;
	json_decref(object);
	return absence->id != 0 && absence->resource[0] != '\0';
}

static void copy(const void *from, void *to, struct wf_arena *arena)
{
	const struct wf_absence *absence = from;
	struct wf_absence *copy = to;

	*copy = *absence;
	copy->resource = wf_arena_strdup(arena, absence->resource);
	copy->agent = wf_arena_strdup(arena, absence->agent);
	copy->comment = wf_arena_strdup(arena, absence->comment);
	copy->status = wf_arena_strdup(arena, absence->status);
	copy->case_id = wf_arena_strdup(arena, absence->case_id);
	copy->activity = wf_arena_strdup(arena, absence->activity);
	copy->phase = wf_arena_strdup(arena, absence->phase);
}

static const struct wf_record_kind absence_kind = { .kind = WF_ABSENCE_KIND,
	.size = sizeof(struct wf_absence),
	.read = read_record,
	.copy = copy,
	.keys = { [BY_RESOURCE] = offsetof(struct wf_absence, resource),
	    [BY_CASE] = offsetof(struct wf_absence, case_id) },
	.key_count = 2 };

struct wf_absences *wf_absences_new(void)
{
	struct wf_absences *absences = wf_calloc(1, sizeof(*absences));

	absences->cache = wf_record_cache_new(&absence_kind);
	absences->listeners = wf_listeners_new();
	pthread_mutex_init(&absences->lock, NULL);
	absences->arena = wf_arena_new();
	return absences;
}

void wf_absences_free(struct wf_absences **absences)
{
	struct wf_absences *old = *absences;

	*absences = NULL;
	if (old == NULL)
		return;
	wf_record_cache_free(&old->cache);
	wf_listeners_free(&old->listeners);
	wf_arena_free(&old->arena);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

enum wf_rc wf_absences_refresh(
    struct wf_absences *absences, struct wf_store *store, struct wf_error *err)
{
	return wf_record_cache_refresh(absences->cache, store, err);
}

uint64_t wf_absences_reads(struct wf_absences *absences)
{
	return wf_record_cache_reads(absences->cache);
}

/* --- asking --------------------------------------------------------------- */

struct period {
	int64_t from;
	int64_t to;
};

static bool overlaps(void *context, const void *entry)
{
	const struct period *period = context;
	const struct wf_absence *absence = entry;

	return absence->from < period->to && period->from < absence->to;
}

struct wf_absence_list wf_absences_of(struct wf_absences *absences,
    const char *resource, int64_t from, int64_t to, struct wf_arena *arena)
{
	struct period period = { from, to };
	const struct wf_record_choice choice = { BY_RESOURCE, resource,
		overlaps, &period };
	struct wf_absence_list found;

	found.rows = wf_record_cache_choose(
	    absences->cache, &choice, arena, &found.count);
	return found;
}

static bool is_for_activity(void *context, const void *entry)
{
	const struct wf_absence *absence = entry;

	return strcmp(absence->activity, context) == 0;
}

struct wf_absence_list wf_absences_reserved(struct wf_absences *absences,
    const char *case_id, const char *activity, struct wf_arena *arena)
{
	const struct wf_record_choice choice = { BY_CASE, case_id,
		is_for_activity, wf_arena_strdup(arena, activity) };
	struct wf_absence_list found;

	found.rows = wf_record_cache_choose(
	    absences->cache, &choice, arena, &found.count);
	return found;
}

bool wf_absence_find(struct wf_absences *absences, uint64_t id,
    struct wf_arena *arena, struct wf_absence *absence_out)
{
	return wf_record_cache_find(
	    absences->cache, 0, wf_entry_name(id, arena), arena, absence_out);
}

/* Whose current entries are chosen, and since when until when they are. */
struct moment {
	int64_t now;
	int64_t since;
	int64_t until;
};

static bool is_current(void *context, const void *entry)
{
	struct moment *moment = context;
	const struct wf_absence *absence = entry;
	const int64_t ends[] = { absence->from, absence->to };

	for (unsigned k = 0; k < 2; k++) {
		if (ends[k] <= moment->now && ends[k] > moment->since)
			moment->since = ends[k];
		if (ends[k] > moment->now && ends[k] < moment->until)
			moment->until = ends[k];
	}
	return absence->from <= moment->now && moment->now < absence->to;
}

/* Under the lock: finds the entries of that moment, if they are not known. */
static void find_current(struct wf_absences *absences, int64_t now)
{
	uint64_t version = wf_record_cache_version(absences->cache);
	struct moment moment = { now, INT64_MIN, INT64_MAX };
	const struct wf_record_choice choice = { .fits = is_current,
		.context = &moment };

	if (version == absences->version &&
	    (version == 0 || (absences->since <= now && now < absences->until)))
		return;
	wf_arena_reset(absences->arena);
	absences->current = wf_record_cache_choose(absences->cache, &choice,
	    absences->arena, &absences->current_count);
	absences->version = version;
	absences->since = moment.since;
	absences->until = moment.until;
}

/* Adds what an entry takes to those whom it is about. */
static void take(const struct wf_absence *absence,
    const struct wf_organisation *organisation, unsigned *taken)
{
	size_t count = wf_org_count(organisation, WF_ORG_PARTICIPANT);
	uint32_t number;

	if (strcmp(absence->resource, WF_ABSENCE_ALL) == 0 ||
	    strcmp(absence->resource, WF_ABSENCE_PEOPLE) == 0) {
		for (size_t i = 0; i < count; i++)
			taken[i] += absence->workload;
		return;
	}
	number =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, absence->resource);
	if (number != WF_ORG_NOBODY)
		taken[number] += absence->workload;
}

const uint64_t *wf_absences_at(struct wf_absences *absences,
    const struct wf_organisation *organisation, int64_t now,
    struct wf_arena *arena)
{
	size_t count = wf_org_count(organisation, WF_ORG_PARTICIPANT);
	uint64_t *set = NULL;
	unsigned *taken = NULL;

	pthread_mutex_lock(&absences->lock);
	find_current(absences, now);
	if (absences->current_count > 0) {
		set = wf_people_new(organisation, arena);
		taken = wf_arena_array(arena, count, sizeof(*taken));
	}
	for (size_t i = 0; i < absences->current_count; i++)
		take(&absences->current[i], organisation, taken);
	pthread_mutex_unlock(&absences->lock);
	for (size_t i = 0; taken != NULL && i < count; i++)
		if (taken[i] >= WHOLE)
			wf_bitset_add(set, i);
	return set;
}

bool wf_absences_thing(
    struct wf_absences *absences, const char *thing, int64_t now)
{
	unsigned taken = 0;

	pthread_mutex_lock(&absences->lock);
	find_current(absences, now);
	for (size_t i = 0; i < absences->current_count; i++) {
		const struct wf_absence *absence = &absences->current[i];

		if (strcmp(absence->resource, WF_ABSENCE_ALL) == 0 ||
		    strcmp(absence->resource, WF_ABSENCE_THINGS) == 0 ||
		    strcmp(absence->resource, thing) == 0)
			taken += absence->workload;
	}
	pthread_mutex_unlock(&absences->lock);
	return taken >= WHOLE;
}

/* --- changing ------------------------------------------------------------- */

static enum wf_rc check(const struct wf_absence *absence, struct wf_error *err)
{
	if (absence->from >= absence->to)
		return wf_fail(err, WF_INVALID,
		    "the end of an absence must be after its beginning");
	if (absence->workload < 1 || absence->workload > WHOLE)
		return wf_fail(err, WF_INVALID,
		    "an absence takes 1 to 100 percent of the time");
	if (strlen(absence->resource) > WF_ORG_TEXT_BYTES ||
	    strlen(absence->agent) > WF_ABSENCE_TEXT_BYTES ||
	    strlen(absence->comment) > WF_ABSENCE_TEXT_BYTES ||
	    (wf_absence_is_reserved(absence) &&
		strlen(absence->activity) > WF_ABSENCE_TEXT_BYTES))
		return wf_fail(err, WF_INVALID,
		    "a text of an absence has at most %u bytes",
		    WF_ABSENCE_TEXT_BYTES);
	return WF_OK;
}

/* Of one change and those before it. */
struct changing {
	const struct wf_absence_change *changes;
	size_t count;
};

/* Whether that entry of the store is no more by then, or is otherwise. */
static bool is_changed(const struct changing *changing, uint64_t id)
{
	for (size_t i = 0; i <= changing->count; i++)
		if (changing->changes[i].entry.id == id)
			return true;
	return false;
}

/*
 * Whether all overlapping entries together fit, after the changes before this
 * one.
 */
static bool fits(struct wf_absences *absences, const struct changing *changing,
    struct wf_arena *arena)
{
	const struct wf_absence *absence =
	    &changing->changes[changing->count].entry;
	const struct wf_absence_list others = wf_absences_of(
	    absences, absence->resource, absence->from, absence->to, arena);
	struct period period = { absence->from, absence->to };
	unsigned taken = absence->workload;

	for (size_t i = 0; i < others.count; i++)
		if (!is_changed(changing, others.rows[i].id))
			taken += others.rows[i].workload;
	for (size_t i = 0; i < changing->count; i++) {
		const struct wf_absence_change *before = &changing->changes[i];

		if (!before->is_removed && overlaps(&period, &before->entry) &&
		    strcmp(before->entry.resource, absence->resource) == 0)
			taken += before->entry.workload;
	}
	return taken <= WHOLE;
}

enum wf_rc wf_absences_check(struct wf_absences *absences,
    const struct wf_absence_change *changes, size_t count, struct wf_error *err)
{
	const struct changing changing = { changes, count - 1 };
	const struct wf_absence_change *last = &changes[count - 1];
	struct wf_arena *arena;
	enum wf_rc rc;

	if (last->is_removed)
		return WF_OK;
	rc = check(&last->entry, err);
	if (rc != WF_OK)
		return rc;
	arena = wf_arena_new();
	if (!fits(absences, &changing, arena))
		rc = wf_fail(err, WF_CONFLICT,
		    "the entries of '%.60s' would take more than its time",
		    last->entry.resource);
	wf_arena_free(&arena);
	return rc;
}

/* Changes that are to be made together. */
struct request {
	struct wf_absences *absences;
	struct wf_store *store;
	struct wf_absence_change *changes;
	size_t count;
	const char *actor;
	bool is_edit; /* of entries as they were found just now */
};

/* The record of a change, and what listeners are to hear of it. */
static enum wf_rc prepare(const struct request *request,
    struct wf_absence_change *change, struct wf_status_news_list *news,
    struct wf_record_row *row, struct wf_arena *arena, struct wf_error *err)
{
	struct wf_absences *absences = request->absences;
	struct wf_absence before = { .status = "nil" };
	struct wf_status_change status = { .entry = &change->entry };
	bool is_new = change->entry.id == 0;
	enum wf_rc rc;

	if (is_new)
		change->entry.id = wf_entry_new_id();
	*row = (struct wf_record_row){ .kind = WF_ABSENCE_KIND,
		.name = wf_entry_name(change->entry.id, arena),
		.change = change->entry.change };
	/* Asked before the entry is examined: others may change it. */
	if (!request->is_edit)
		row->change =
		    wf_record_cache_change(absences->cache, 0, row->name);
	if (!is_new &&
	    !wf_absence_find(absences, change->entry.id, arena, &before) &&
	    change->is_removed)
		return wf_fail(err, WF_NOT_FOUND,
		    "there is no absence %" PRIu64, change->entry.id);
	rc = wf_entry_expect(row, "absence", change->entry.change, err);
	if (change->entry.status == NULL)
		change->entry.status = WF_ABSENCE_STATUS;
	if (!change->is_removed)
		row->value = write_record(&change->entry, arena);
	status.before = before.status;
	status.after = change->is_removed ? "nil" : change->entry.status;
	if (rc != WF_OK || strcmp(status.before, status.after) == 0)
		return rc;
	return wf_status_news_make(absences->listeners, request->store, &status,
	    request->actor, news, arena, err);
}

static enum wf_rc decide(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	const struct request *request = context;
	size_t count = request->count;
	struct wf_status_news_list news = { .count = 0 };
	enum wf_rc rc = WF_OK;

	for (size_t i = 1; rc == WF_OK && i <= count; i++)
		rc = wf_absences_check(
		    request->absences, request->changes, i, err);
	edit->rows = wf_arena_array(
	    arena, count + count * (size_t)WF_LISTENERS, sizeof(*edit->rows));
	news.rows = edit->rows + count;
	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		rc = prepare(request, &request->changes[i], &news,
		    &edit->rows[i], arena, err);
		/* No entry may come into the time that is free now. */
		edit->alone = edit->alone || !request->changes[i].is_removed;
	}
	edit->count = count + news.count;
	return rc;
}

enum wf_rc wf_absences_change(struct wf_absences *absences,
    struct wf_store *store, struct wf_absence_change *changes, size_t count,
    const char *actor, struct wf_error *err)
{
	struct request request = { .absences = absences,
		.store = store,
		.changes = changes,
		.count = count,
		.actor = actor };

	if (count == 0)
		return WF_OK;
	return wf_record_cache_edit(
	    absences->cache, store, decide, &request, err);
}

enum wf_rc wf_absence_put(struct wf_absences *absences, struct wf_store *store,
    struct wf_absence *absence, const char *actor, struct wf_error *err)
{
	struct wf_absence_change change = { .entry = *absence };
	enum wf_rc rc =
	    wf_absences_change(absences, store, &change, 1, actor, err);

	if (rc == WF_OK)
		absence->id = change.entry.id;
	return rc;
}

/* One that is changed by whoever asks. */
struct editing {
	struct request request;
	uint64_t id;
	wf_absence_edit_f edit;
	void *context;
};

static enum wf_rc decide_edit(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct editing *editing = context;
	struct wf_absence_change change = { .is_removed = false };

	if (!wf_absence_find(
		editing->request.absences, editing->id, arena, &change.entry))
		return wf_fail(err, WF_NOT_FOUND,
		    "there is no absence %" PRIu64, editing->id);
	if (editing->edit == NULL)
		change.is_removed = true;
	else
		editing->edit(editing->context, &change.entry);
	editing->request.changes = &change;
	editing->request.count = 1;
	return decide(&editing->request, arena, edit, err);
}

enum wf_rc wf_absence_edit(struct wf_absences *absences, struct wf_store *store,
    uint64_t id, wf_absence_edit_f edit, void *context, const char *actor,
    struct wf_error *err)
{
	struct editing editing = { .request = { .absences = absences,
				       .store = store,
				       .actor = actor,
				       .is_edit = true },
		.id = id,
		.edit = edit,
		.context = context };

	return wf_record_cache_edit(
	    absences->cache, store, decide_edit, &editing, err);
}

enum wf_rc wf_absence_remove(struct wf_absences *absences,
    struct wf_store *store, uint64_t id, const char *actor,
    struct wf_error *err)
{
	return wf_absence_edit(absences, store, id, NULL, NULL, actor, err);
}
