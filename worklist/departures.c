/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/departures.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "kernel/assignment/assignment.h"

/* Sweeps until a queue in which nothing could be done is tried again. */
#define PAUSE 60U
#define MAGIC 0x64657061U

/* A participant whose record is read. */
struct departure {
	struct departure *next;
	char *participant;
	uint64_t change;
	unsigned rest; /* sweeps that pass it over */
	/* Commands that were done before the last sweep; SIZE_MAX: none was. */
	size_t done;
};

struct wf_departures {
	uint32_t magic;
	uint64_t change; /* that was read last */
	struct departure *first;
	atomic_uint open;   /* commands without an answer */
	atomic_size_t done; /* commands that were not refused */
};

struct wf_departures *wf_departures_new(void)
{
	struct wf_departures *d = wf_calloc(1, sizeof(*d));

	d->magic = MAGIC;
	return d;
}

static void forget(struct departure **at)
{
	struct departure *departure = *at;

	*at = departure->next;
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
		(*at)->done = SIZE_MAX;
	}
	(*at)->change = row->change;
	(*at)->rest = 0;
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
static enum wf_rc finish(
    struct departure **at, struct wf_store *store, struct wf_error *err)
{
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
	/* What is refused is seen again, or not there any more. */
	if (reply->rc == WF_OK)
		atomic_fetch_add(&d->done, 1);
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
	struct wf_audiences *audiences;
	struct wf_arena *arena;
	bool has_seen; /* an item that nobody sees */
};

/* The items of one queue, as far as there is room for commands. */
static enum wf_rc sweep_queue(
    struct sweep *sweep, const char *queue, struct wf_error *err)
{
	struct wf_queue_filter filter = { .queues = &queue,
		.queue_count = 1,
		.order = WF_QUEUE_BY_AGE,
		.limit = WF_QUEUED_ROWS };
	struct wf_queue_key after;
	struct wf_texts left = { NULL, 0 };
	struct wf_item_list items = { .count = WF_QUEUED_ROWS };
	enum wf_rc rc = WF_OK;

	if (!wf_audiences_are_left(sweep->audiences, sweep->organisation, queue,
		sweep->arena, &left))
		return WF_OK;
	while (rc == WF_OK && items.count == WF_QUEUED_ROWS &&
	       atomic_load(&sweep->departures->open) < WF_DEPARTURE_COMMANDS) {
		rc = wf_store_queued_items(
		    sweep->store, &filter, sweep->arena, &items, err);
		for (size_t i = 0; rc == WF_OK && i < items.count; i++) {
			if (!is_deserted(&items.rows[i], &left))
				continue;
			sweep->has_seen = true;
			if (!submit(sweep->departures, sweep->engine,
				&items.rows[i]))
				return WF_OK;
		}
		if (rc == WF_OK && items.count > 0) {
			after = wf_queue_key_of(
			    filter.order, &items.rows[items.count - 1]);
			filter.after = &after;
		}
	}
	return rc;
}

/* *is_done: the record is removed. */
static enum wf_rc sweep_one(struct sweep *sweep, struct departure **at,
    bool *is_done, struct wf_error *err)
{
	const char *participant = (*at)->participant;
	/* All that the last sweep gave has been answered. */
	size_t done = atomic_load(&sweep->departures->done);
	struct wf_texts queues;
	enum wf_rc rc = WF_OK;

	*is_done = false;
	sweep->has_seen = false;
	/* This snapshot is older than the removal; a later one is not. */
	if (wf_organisation_version(sweep->organisation) < (*at)->change)
		return WF_OK;
	/* Or there is one with that id again. */
	if (wf_org_find(sweep->organisation, WF_ORG_PARTICIPANT, participant) ==
	    WF_ORG_NOBODY) {
		queues = wf_audiences_queues(sweep->audiences,
		    sweep->organisation, participant, sweep->arena);
		for (size_t i = 0; rc == WF_OK && i < queues.count; i++)
			rc = sweep_queue(sweep, queues.rows[i], err);
	}
	if (rc != WF_OK || sweep->has_seen) {
		/* What cannot be done now is tried again later. */
		(*at)->rest = done == (*at)->done ? PAUSE : 1;
		(*at)->done = done;
		return rc;
	}
	*is_done = true;
	return finish(at, sweep->store, err);
}

enum wf_rc wf_departures_sweep(struct wf_departures *d,
    struct wf_engine *engine, struct wf_store *store,
    const struct wf_organisation *organisation, struct wf_audiences *audiences,
    struct wf_error *err)
{
	struct sweep sweep = { .departures = d,
		.engine = engine,
		.store = store,
		.organisation = organisation,
		.audiences = audiences,
		.arena = wf_arena_new() };
	struct departure **at = &d->first;
	enum wf_rc rc = read_records(d, store, sweep.arena, err);

	wf_assert(d->magic == MAGIC);
	while (rc == WF_OK && *at != NULL && atomic_load(&d->open) == 0) {
		bool is_done = false;

		if ((*at)->rest > 0)
			(*at)->rest--;
		else
			rc = sweep_one(&sweep, at, &is_done, err);
		if (!is_done && *at != NULL)
			at = &(*at)->next;
	}
	wf_arena_free(&sweep.arena);
	return rc;
}
