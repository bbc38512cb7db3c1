/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries are few, so a change of one reads all.  Batches ask who is absent, so
 * the entries of this moment are kept until one of them begins or ends.
 */
#include "worklist/absences.h"

#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "worklist/entry_priv.h"
#include "worklist/listeners.h"

#define RECORD_KIND "absence"
#define WHOLE 100U /* percent */

struct wf_absences {
	pthread_mutex_t reading; /* one thread reads at a time */
	uint64_t change;	 /* of who reads */
	pthread_mutex_t lock;	 /* of what follows */
	struct wf_arena *arena;
	struct wf_absence_list list;
	/* The entries that hold from since to until, by number. */
	size_t *current;
	size_t current_count;
	int64_t since;
	int64_t until;
};

struct wf_absences *wf_absences_new(void)
{
	struct wf_absences *absences = wf_calloc(1, sizeof(*absences));

	pthread_mutex_init(&absences->reading, NULL);
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
	wf_arena_free(&old->arena);
	pthread_mutex_destroy(&old->lock);
	pthread_mutex_destroy(&old->reading);
	wf_free(old);
}

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

static bool read_record(const struct wf_record_row *row,
    struct wf_absence *absence, struct wf_arena *arena)
{
	json_t *object = json_loadb(row->value.data, row->value.size, 0, NULL);
	json_int_t workload =
	    json_integer_value(json_object_get(object, "workload"));

	*absence = (struct wf_absence){ .id = strtoull(row->name, NULL, 10),
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

/* --- reading -------------------------------------------------------------- */

static void replace(
    struct wf_absences *absences, const struct wf_record_list *list)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_absence_list read = { .rows =
					    wf_arena_array(arena, list->count,
						sizeof(struct wf_absence)) };

	for (size_t i = 0; i < list->count; i++)
		read.count +=
		    read_record(&list->rows[i], &read.rows[read.count], arena);
	pthread_mutex_lock(&absences->lock);
	wf_arena_free(&absences->arena);
	absences->arena = arena;
	absences->list = read;
	absences->current =
	    wf_arena_array(arena, read.count, sizeof(*absences->current));
	absences->since = 1;
	absences->until = 0;
	pthread_mutex_unlock(&absences->lock);
}

enum wf_rc wf_absences_refresh(
    struct wf_absences *absences, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list = { .count = 0 };
	enum wf_rc rc;

	pthread_mutex_lock(&absences->reading);
	rc = wf_store_all_records(
	    store, RECORD_KIND, absences->change, arena, &list, err);
	if (rc == WF_OK && list.whole)
		replace(absences, &list);
	if (rc == WF_OK)
		absences->change = list.change;
	pthread_mutex_unlock(&absences->reading);
	wf_arena_free(&arena);
	return rc;
}

/* --- asking --------------------------------------------------------------- */

static struct wf_absence copy_of(
    const struct wf_absence *absence, struct wf_arena *arena)
{
	struct wf_absence copy = *absence;

	copy.resource = wf_arena_strdup(arena, absence->resource);
	copy.agent = wf_arena_strdup(arena, absence->agent);
	copy.comment = wf_arena_strdup(arena, absence->comment);
	copy.status = wf_arena_strdup(arena, absence->status);
	copy.case_id = wf_arena_strdup(arena, absence->case_id);
	copy.activity = wf_arena_strdup(arena, absence->activity);
	copy.phase = wf_arena_strdup(arena, absence->phase);
	return copy;
}

/* The times are compared first: few entries have the same. */
static bool is_of(const struct wf_absence *absence, const char *resource,
    int64_t from, int64_t to)
{
	return absence->from < to && from < absence->to &&
	       strcmp(absence->resource, resource) == 0;
}

struct wf_absence_list wf_absences_of(struct wf_absences *absences,
    const char *resource, int64_t from, int64_t to, struct wf_arena *arena)
{
	struct wf_absence_list found = { NULL, 0 };
	size_t room = 0;

	pthread_mutex_lock(&absences->lock);
	for (size_t i = 0; i < absences->list.count; i++)
		room += is_of(&absences->list.rows[i], resource, from, to);
	/* A plan asks for many resources: each takes what it has. */
	found.rows = wf_arena_array(arena, room, sizeof(*found.rows));
	for (size_t i = 0; found.count < room; i++)
		if (is_of(&absences->list.rows[i], resource, from, to))
			found.rows[found.count++] =
			    copy_of(&absences->list.rows[i], arena);
	pthread_mutex_unlock(&absences->lock);
	return found;
}

struct wf_absence_list wf_absences_reserved(struct wf_absences *absences,
    const char *case_id, const char *activity, struct wf_arena *arena)
{
	struct wf_absence_list found = { NULL, 0 };

	pthread_mutex_lock(&absences->lock);
	found.rows =
	    wf_arena_array(arena, absences->list.count, sizeof(*found.rows));
	for (size_t i = 0; i < absences->list.count; i++) {
		const struct wf_absence *absence = &absences->list.rows[i];

		if (wf_absence_is_reserved(absence) &&
		    strcmp(absence->case_id, case_id) == 0 &&
		    strcmp(absence->activity, activity) == 0)
			found.rows[found.count++] = copy_of(absence, arena);
	}
	pthread_mutex_unlock(&absences->lock);
	return found;
}

bool wf_absence_find(struct wf_absences *absences, uint64_t id,
    struct wf_arena *arena, struct wf_absence *absence_out)
{
	bool found = false;

	pthread_mutex_lock(&absences->lock);
	for (size_t i = 0; i < absences->list.count && !found; i++) {
		found = absences->list.rows[i].id == id;
		if (found)
			*absence_out = copy_of(&absences->list.rows[i], arena);
	}
	pthread_mutex_unlock(&absences->lock);
	return found;
}

/* Under the lock: finds the entries of that moment, if it is another one. */
static void find_current(struct wf_absences *absences, int64_t now)
{
	if (absences->since <= now && now < absences->until)
		return;
	absences->current_count = 0;
	absences->since = INT64_MIN;
	absences->until = INT64_MAX;
	for (size_t i = 0; i < absences->list.count; i++) {
		const struct wf_absence *absence = &absences->list.rows[i];
		const int64_t ends[] = { absence->from, absence->to };

		for (unsigned k = 0; k < 2; k++) {
			if (ends[k] <= now && ends[k] > absences->since)
				absences->since = ends[k];
			if (ends[k] > now && ends[k] < absences->until)
				absences->until = ends[k];
		}
		if (absence->from <= now && now < absence->to)
			absences->current[absences->current_count++] = i;
	}
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
		take(&absences->list.rows[absences->current[i]], organisation,
		    taken);
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
		const struct wf_absence *absence =
		    &absences->list.rows[absences->current[i]];

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
 * one.  Two nodes may still add one each at the same time: then more than all
 * of the time is taken, and the resource is absent.
 */
static bool fits(struct wf_absences *absences, const struct changing *changing,
    struct wf_arena *arena)
{
	const struct wf_absence *absence =
	    &changing->changes[changing->count].entry;
	const struct wf_absence_list others = wf_absences_of(
	    absences, absence->resource, absence->from, absence->to, arena);
	unsigned taken = absence->workload;

	for (size_t i = 0; i < others.count; i++)
		if (!is_changed(changing, others.rows[i].id))
			taken += others.rows[i].workload;
	for (size_t i = 0; i < changing->count; i++) {
		const struct wf_absence_change *before = &changing->changes[i];

		if (!before->is_removed &&
		    is_of(&before->entry, absence->resource, absence->from,
			absence->to))
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

/* The record of a change, and what listeners are to hear of it. */
static enum wf_rc prepare(struct wf_absences *absences, struct wf_store *store,
    struct wf_absence_change *change, const char *actor,
    struct wf_status_news_list *news, struct wf_record_row *row,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_absence before = { .status = "nil" };
	struct wf_status_change status = { .entry = &change->entry };

	if (change->entry.id != 0)
		(void)wf_absence_find(
		    absences, change->entry.id, arena, &before);
	else
		change->entry.id = wf_entry_new_id();
	if (change->entry.status == NULL)
		change->entry.status = WF_ABSENCE_STATUS;
	*row = (struct wf_record_row){ .kind = RECORD_KIND,
		.name = wf_entry_name(change->entry.id, arena) };
	if (!change->is_removed)
		row->value = write_record(&change->entry, arena);
	status.before = before.status;
	status.after = change->is_removed ? "nil" : change->entry.status;
	return strcmp(status.before, status.after) == 0
		   ? WF_OK
		   : wf_status_news_make(
			 store, &status, actor, news, arena, err);
}

enum wf_rc wf_absences_change(struct wf_absences *absences,
    struct wf_store *store, struct wf_absence_change *changes, size_t count,
    const char *actor, struct wf_error *err)
{
	struct wf_status_news_list news = { .count = 0 };
	struct wf_arena *arena;
	struct wf_record_row *rows;
	enum wf_rc rc = WF_OK;

	for (size_t i = 1; rc == WF_OK && i <= count; i++)
		rc = wf_absences_check(absences, changes, i, err);
	if (rc != WF_OK || count == 0)
		return rc;
	arena = wf_arena_new();
	rows = wf_arena_array(
	    arena, count + count * (size_t)WF_LISTENERS, sizeof(*rows));
	news.rows = rows + count;
	for (size_t i = 0; rc == WF_OK && i < count; i++)
		rc = prepare(absences, store, &changes[i], actor, &news,
		    &rows[i], arena, err);
	if (rc == WF_OK)
		rc = wf_store_put_records(
		    store, rows, count + news.count, 0, NULL, err);
	wf_arena_free(&arena);
	return rc == WF_OK ? wf_absences_refresh(absences, store, err) : rc;
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

enum wf_rc wf_absence_remove(struct wf_absences *absences,
    struct wf_store *store, uint64_t id, const char *actor,
    struct wf_error *err)
{
	struct wf_absence_change change = { .is_removed = true };
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc =
	    wf_absence_find(absences, id, arena, &change.entry)
		? wf_absences_change(absences, store, &change, 1, actor, err)
		: wf_fail(
		      err, WF_NOT_FOUND, "there is no absence %" PRIu64, id);

	wf_arena_free(&arena);
	return rc;
}
