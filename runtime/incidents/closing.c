/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Incidents that are closed with what they are about, in the transaction that
 * ends it.
 *
 *   the case ends              ─► all incidents of the case
 *   the row of an item goes    ─► those of the item
 *
 * The store says which of the cases that a batch takes have open incidents, so
 * that nothing is read for the others.
 */
#include "base/panic.h"
#include "runtime/batch.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/view.h"

#define PAGE 100U

/* What a case has lost. */
struct closing {
	struct batch *batch;
	const struct work *work;
	bool ended;	    /* the case, so all of it */
	const char **items; /* whose rows go, by id */
	size_t count;
};

static int compare_ids(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_items(struct closing *closing)
{
	const struct batch *batch = closing->batch;

	closing->items = wf_arena_array(
	    batch->arena, batch->items_count, sizeof(closing->items[0]));
	for (size_t i = 0; i < batch->items_count; i++)
		if (batch->items[i].row.number == closing->work->number &&
		    batch->items[i].groups == 0)
			closing->items[closing->count++] =
			    batch->items[i].row.id;
	if (closing->count > 1)
		qsort(closing->items, closing->count, sizeof(closing->items[0]),
		    compare_ids);
}

static bool is_over(
    const struct closing *closing, const struct wf_incident_row *row)
{
	if (row->number != closing->work->number || row->dropped_at != 0)
		return false;
	return closing->ended ||
	       (closing->count > 0 && row->item != NULL &&
		   bsearch(&row->item, closing->items, closing->count,
		       sizeof(closing->items[0]), compare_ids) != NULL);
}

/* The last step of the case, or the last one that names the item. */
static const struct pending *ended_by(
    const struct closing *closing, const char *item)
{
	const struct batch *batch = closing->batch;
	const struct pending *last = NULL;

	for (size_t i = batch->count; i-- > 0;) {
		const struct pending *pending = batch->pendings[i];
		const char *of = pending->request.command.item;

		if (pending->work != closing->work ||
		    pending->request.kind != WF_REQUEST_COMMAND ||
		    pending->fate != FATE_ANSWER || pending->answer.rc != WF_OK)
			continue;
		if (closing->ended || item == NULL || of == NULL ||
		    strcmp(of, item) == 0)
			return pending;
		if (last == NULL)
			last = pending;
	}
	return last;
}

static const char *describe(const struct closing *closing)
{
	if (closing->work->migrated)
		return "the case was migrated";
	if (!closing->ended)
		return "its item ended";
	return wf_case_status(closing->work->cached->instance) ==
		       WF_CASE_CANCELLED
		   ? "the case was cancelled"
		   : "the case ended";
}

void wf_incident_drop(struct batch *batch, struct wf_incident_row *row,
    const struct pending *by, const char *what)
{
	const char *reason = by == NULL ? NULL : by->request.command.reason;

	wf_assert(row->id != 0 && row->dropped_at == 0 && what != NULL);
	row->dropped_at = batch->now;
	row->dropped_by = by == NULL ? "" : by->request.actor;
	row->reason =
	    reason == NULL || reason[0] == '\0'
		? what
		: wf_arena_printf(batch->arena, "%s: %s", what, reason);
}

static void close_one(
    const struct closing *closing, struct wf_incident_row *row)
{
	wf_assert(row->number == closing->work->number);
	wf_incident_drop(closing->batch, row, ended_by(closing, row->item),
	    describe(closing));
}

static void close_new(const struct closing *closing)
{
	struct batch *batch = closing->batch;

	for (size_t i = 0; i < batch->incidents_count; i++)
		if (!batch->incidents[i].remove &&
		    is_over(closing, &batch->incidents[i].row))
			close_one(closing, &batch->incidents[i].row);
}

static enum wf_rc close_stored(
    const struct closing *closing, struct wf_error *err)
{
	struct batch *batch = closing->batch;
	struct wf_incident_filter filter = {
		.namespace_id = closing->work->cached->namespace_id,
		.number = closing->work->number,
		.which = WF_INCIDENTS_OPEN,
		.limit = PAGE,
	};
	struct wf_incident_list list;
	struct wf_store *reader;
	enum wf_rc rc = wf_batch_reader(batch, &reader, err);

	do {
		list.count = 0;
		if (rc == WF_OK)
			rc = wf_store_incidents(
			    reader, &filter, batch->arena, &list, err);
		for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
			struct wf_incident_row *row = &list.rows[i];

			filter.after = row->id;
			if (!is_over(closing, row) ||
			    wf_batch_has_incident(batch, row->id))
				continue;
			close_one(closing, row);
			WF_ROW_ADD(batch, incidents)->row = *row;
		}
	} while (rc == WF_OK && list.count == PAGE);
	return rc;
}

enum wf_rc wf_incidents_close(struct batch *batch, const struct work *work,
    bool ended, struct wf_error *err)
{
	struct closing closing = { batch, work, ended, NULL, 0 };
	bool has_stored = work->take != NULL && work->take->has_incidents;

	wf_assert(work->cached != NULL && work->cached->number == work->number);
	if (!has_stored && batch->incidents_count == 0)
		return WF_OK;
	if (!ended)
		find_items(&closing);
	if (!ended && closing.count == 0)
		return WF_OK;
	close_new(&closing);
	return has_stored ? close_stored(&closing, err) : WF_OK;
}
