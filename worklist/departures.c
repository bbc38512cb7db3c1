/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/departures.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "kernel/assignment/assignment.h"

/* Sweeps between two rounds over the queues of a participant. */
#define PAUSE 60U
/*
 * Rounds that find nothing, until the record is removed: a step that was
 * decided with an older organisation may be stored for some minutes after the
 * first one.
 */
#define QUIET_ROUNDS 10U
/* Pages of queues that a sweep reads at most. */
#define PAGES 200U
#define MAGIC 0x64657061U

/* A participant whose record is read. */
struct departure {
	struct departure *next;
	char *participant;
	uint64_t change;
	unsigned rest;	/* sweeps that pass it over */
	unsigned quiet; /* rounds in which nothing was found, up to now */
	bool has_seen;	/* an item that nobody sees, in this round */
	/* Where the next sweep goes on; NULL: with a new round. */
	char *queue;
	struct wf_queue_key after; /* id NULL: from the beginning */
	char *id;		   /* of it */
};

struct wf_departures {
	uint32_t magic;
	uint64_t change; /* that was read last */
	struct departure *first;
	atomic_uint open; /* commands without an answer */
};

struct wf_departures *wf_departures_new(void)
{
	struct wf_departures *d = wf_calloc(1, sizeof(*d));

	d->magic = MAGIC;
	return d;
}

/* The next sweep goes on with the queue; NULL: with a new round. */
static void place(struct departure *departure, const char *queue,
    const struct wf_queue_key *after)
{
	char *old_queue = departure->queue;
	char *old_id = departure->id;

	departure->queue = queue == NULL ? NULL : wf_strdup(queue);
	departure->after = *after;
	departure->id = after->id == NULL ? NULL : wf_strdup(after->id);
	departure->after.id = departure->id;
	wf_free(old_queue);
	wf_free(old_id);
}

static const struct wf_queue_key beginning = { .id = NULL };

static void forget(struct departure **at)
{
	struct departure *departure = *at;

	*at = departure->next;
	place(departure, NULL, &beginning);
	wf_free(departure->participant);
	wf_free(departure);
}

void wf_departures_free(struct wf_departures **departures)
{
	struct wf_departures *d = *departures;

	*departures = NULL;
	if (d == NULL)
		return;
	wf_assert(d->magic == MAGIC && atomic_load(&d->open) == 0);
	while (d->first != NULL)
		forget(&d->first);
	wf_free(d);
}

/* --- records -------------------------------------------------------------- */

static struct departure **find(struct wf_departures *d, const char *participant)
{
	struct departure **at = &d->first;

	while (*at != NULL && strcmp((*at)->participant, participant) != 0)
		at = &(*at)->next;
	return at;
}

static void take(struct wf_departures *d, const struct wf_record_row *row)
{
	struct departure **at = find(d, row->name);

	if (row->value.data == NULL) {
		if (*at != NULL)
			forget(at);
		return;
	}
	if (*at == NULL) {
		*at = wf_calloc(1, sizeof(**at));
		(*at)->participant = wf_strdup(row->name);
	}
	(*at)->change = row->change;
	(*at)->rest = 0;
	(*at)->quiet = 0;
	(*at)->has_seen = false;
	place(*at, NULL, &beginning);
}

static enum wf_rc read_records(struct wf_departures *d, struct wf_store *store,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_record_list list;
	enum wf_rc rc = wf_store_records(
	    store, WF_DEPARTURE_KIND, d->change, arena, &list, err);

	if (rc != WF_OK)
		return rc;
	while (list.whole && d->first != NULL)
		forget(&d->first);
	for (size_t i = 0; i < list.count; i++)
		take(d, &list.rows[i]);
	d->change = list.change;
	return WF_OK;
}

/* Nothing is left to do; another node may have found that, too. */
static enum wf_rc finish(struct wf_departures *d, struct departure *departure,
    struct wf_store *store, struct wf_error *err)
{
	struct departure **at = find(d, departure->participant);
	struct wf_record_row row = { .kind = WF_DEPARTURE_KIND,
		.name = (*at)->participant,
		.change = (*at)->change };
	enum wf_rc rc = wf_store_put_record(store, &row, err);

	if (rc == WF_CONFLICT) {
		wf_error_clear(err);
		rc = WF_OK;
	}
	if (rc == WF_OK)
		forget(at);
	return rc;
}

/* --- items ---------------------------------------------------------------- */

static void answered(void *context, const struct wf_reply *reply)
{
	struct wf_departures *d = context;

	wf_assert(d->magic == MAGIC && atomic_load(&d->open) > 0);
	(void)reply; /* what is refused is seen again, or not there any more */
	atomic_fetch_sub(&d->open, 1);
}

static bool submit(struct wf_departures *d, struct wf_engine *engine,
    const struct wf_item_row *row)
{
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.number = row->number,
		.origin = "people",
		.command = { .kind = WF_COMMAND_UNOFFER,
		    .item = row->id,
		    .is_administrator = true } };
	bool given;

	atomic_fetch_add(&d->open, 1);
	given = wf_engine_submit(engine, &request, answered, d, NULL) == WF_OK;
	if (!given)
		atomic_fetch_sub(&d->open, 1);
	return given;
}

/* Whether nobody who is left sees the item; left: those of its audience. */
static bool is_deserted(
    const struct wf_item_row *row, const struct wf_texts *left)
{
	if (row->assignment < WF_RESOURCE_OFFERED)
		return false;
	for (size_t i = 0; i < left->count; i++) {
		struct wf_arena *arena = wf_arena_new();
		bool sees = strstr(row->left_out, wf_arena_printf(arena, ",%s,",
						      left->rows[i])) == NULL;

		wf_arena_free(&arena);
		if (sees)
			return false;
	}
	return true;
}

struct sweep {
	struct wf_departures *departures;
	struct wf_engine *engine;
	struct wf_store *store;
	const struct wf_organisation *organisation;
	const struct wf_departure_places *places;
	struct wf_arena *arena;
	unsigned pages;
	bool is_full; /* the next sweep goes on */
};

static void sweep_page(struct sweep *sweep, struct departure *departure,
    const struct wf_item_list *items, const struct wf_texts *left,
    struct wf_queue_key *after)
{
	for (size_t i = 0; i < items->count; i++) {
		const struct wf_item_row *row = &items->rows[i];

		if (is_deserted(row, left)) {
			departure->has_seen = true;
			sweep->is_full =
			    !submit(sweep->departures, sweep->engine, row);
		}
		if (sweep->is_full)
			return;
		*after = wf_queue_key_of(WF_QUEUE_BY_AGE, row);
	}
}

/* The items of one queue, as far as there is room for commands. */
static enum wf_rc sweep_queue(struct sweep *sweep, struct departure *departure,
    const char *queue, struct wf_error *err)
{
	bool goes_on =
	    departure->queue != NULL && strcmp(departure->queue, queue) == 0;
	struct wf_queue_key after = goes_on ? departure->after : beginning;
	struct wf_queue_filter filter = { .queues = &queue,
		.queue_count = 1,
		.order = WF_QUEUE_BY_AGE,
		.limit = WF_QUEUED_ROWS };
	struct wf_texts left = { NULL, 0 };
	struct wf_item_list items = { .count = WF_QUEUED_ROWS };
	enum wf_rc rc = WF_OK;

	if (!wf_audiences_are_left(sweep->places->audiences,
		sweep->organisation, queue, sweep->arena, &left))
		return WF_OK;
	while (rc == WF_OK && items.count == WF_QUEUED_ROWS) {
		sweep->is_full = sweep->pages++ >= PAGES ||
				 atomic_load(&sweep->departures->open) >=
				     WF_DEPARTURE_COMMANDS;
		if (sweep->is_full)
			break;
		filter.after = after.id == NULL ? NULL : &after;
		rc = wf_store_queued_items(
		    sweep->store, &filter, sweep->arena, &items, err);
		if (rc == WF_OK)
			sweep_page(sweep, departure, &items, &left, &after);
		if (sweep->is_full)
			break;
	}
	if (sweep->is_full)
		place(departure, queue, &after);
	return rc;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The queues of the participant in the order of their names, from its place. */
static enum wf_rc sweep_queues(
    struct sweep *sweep, struct departure *departure, struct wf_error *err)
{
	struct wf_texts queues = wf_audiences_queues(sweep->places->audiences,
	    sweep->organisation, departure->participant, sweep->arena);
	enum wf_rc rc = WF_OK;

	qsort(queues.rows, queues.count, sizeof(*queues.rows), compare);
	for (size_t i = 0; rc == WF_OK && !sweep->is_full && i < queues.count;
	     i++)
		if (departure->queue == NULL ||
		    strcmp(queues.rows[i], departure->queue) >= 0)
			rc = sweep_queue(sweep, departure, queues.rows[i], err);
	return rc;
}

/* --- what names the participant ------------------------------------------- */

/* Another node may have removed it. */
static enum wf_rc is_gone(enum wf_rc rc, struct wf_error *err)
{
	if (rc != WF_NOT_FOUND && rc != WF_CONFLICT)
		return rc;
	wf_error_clear(err);
	return WF_OK;
}

static enum wf_rc end_piles(
    struct sweep *sweep, const char *participant, struct wf_error *err)
{
	struct wf_piles *piles = sweep->places->piles;
	struct wf_pile_list list =
	    wf_piles_of(piles, participant, sweep->arena);
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		rc = is_gone(
		    wf_pile_remove(piles, sweep->store, &list.rows[i], err),
		    err);
	return rc;
}

static enum wf_rc end_absences(
    struct sweep *sweep, const char *participant, struct wf_error *err)
{
	struct wf_absences *absences = sweep->places->absences;
	struct wf_absence_list list =
	    wf_absences_of(absences, participant, 0, INT64_MAX, sweep->arena);
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		rc = is_gone(wf_absence_remove(absences, sweep->store,
				 list.rows[i].id, "people", err),
		    err);
	return rc;
}

static enum wf_rc end_deputies(struct sweep *sweep,
    const struct wf_deputy_list *list, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < list->count; i++)
		rc = is_gone(wf_deputy_remove(sweep->places->deputies,
				 sweep->store, list->rows[i].id, err),
		    err);
	return rc;
}

/* A new participant with the id is somebody else. */
static enum wf_rc end_entries(
    struct sweep *sweep, const char *participant, struct wf_error *err)
{
	struct wf_deputies *deputies = sweep->places->deputies;
	int64_t now = wf_engine_now(sweep->engine);
	struct wf_deputy_list of =
	    wf_deputies_of(deputies, participant, now, sweep->arena);
	struct wf_deputy_list by =
	    wf_deputies_by(deputies, participant, now, true, sweep->arena);
	enum wf_rc rc = end_piles(sweep, participant, err);

	if (rc == WF_OK)
		rc = end_absences(sweep, participant, err);
	if (rc == WF_OK)
		rc = end_deputies(sweep, &of, err);
	return rc == WF_OK ? end_deputies(sweep, &by, err) : rc;
}

static enum wf_rc sweep_one(
    struct sweep *sweep, struct departure *departure, struct wf_error *err)
{
	enum wf_rc rc;

	/* This snapshot is older than the removal; a later one is not. */
	if (wf_organisation_version(sweep->organisation) < departure->change)
		return WF_OK;
	/* Or there is one with that id again. */
	if (wf_org_find(sweep->organisation, WF_ORG_PARTICIPANT,
		departure->participant) != WF_ORG_NOBODY)
		return finish(sweep->departures, departure, sweep->store, err);
	rc = end_entries(sweep, departure->participant, err);
	if (rc == WF_OK)
		rc = sweep_queues(sweep, departure, err);
	if (rc != WF_OK || sweep->is_full)
		return rc;
	/* What was refused in this round is tried again in the next one. */
	place(departure, NULL, &beginning);
	departure->quiet = departure->has_seen ? 0 : departure->quiet + 1;
	departure->has_seen = false;
	departure->rest = PAUSE;
	return departure->quiet < QUIET_ROUNDS
		   ? WF_OK
		   : finish(sweep->departures, departure, sweep->store, err);
}

/* The first one becomes the last one, so each has its turn. */
static struct departure *turn(struct wf_departures *d)
{
	struct departure *departure = d->first;
	struct departure **at = &departure->next;

	while (*at != NULL)
		at = &(*at)->next;
	*at = departure;
	d->first = departure->next;
	departure->next = NULL;
	return departure;
}

enum wf_rc wf_departures_sweep(struct wf_departures *d,
    struct wf_engine *engine, struct wf_store *store,
    const struct wf_organisation *organisation,
    const struct wf_departure_places *places, struct wf_error *err)
{
	struct sweep sweep = { .departures = d,
		.engine = engine,
		.store = store,
		.organisation = organisation,
		.places = places,
		.arena = wf_arena_new() };
	enum wf_rc rc = read_records(d, store, sweep.arena, err);
	size_t count = 0;

	wf_assert(d->magic == MAGIC);
	if (atomic_load(&d->open) == 0)
		for (struct departure *i = d->first; i != NULL; i = i->next) {
			i->rest -= i->rest > 0;
			count++;
		}
	while (rc == WF_OK && !sweep.is_full && count-- > 0) {
		struct departure *departure = turn(d);

		if (departure->rest == 0)
			rc = sweep_one(&sweep, departure, err);
	}
	wf_arena_free(&sweep.arena);
	return rc;
}
