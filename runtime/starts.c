/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduled launches.  Each is a due row of no case, named after the number of
 * the future case, so that the names are in the order of the numbers.
 *
 * Withdrawing a launch has the command id of the due command itself: the one
 * that comes second, on any engine, finds the command done.
 */
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "runtime/batch.h"

/* Rows read at once: each may have megabytes of data. */
#define PAGE_ROWS 16U

/* --- reading -------------------------------------------------------------- */

/* False: it is damaged; that becomes an incident when it is due. */
static bool read_start(const struct wf_due_row *row, struct wf_arena *own,
    struct wf_start *start_out, struct wf_arena *arena)
{
	struct wf_request request;
	struct wf_bytes body;
	struct wf_due_attempts earlier;

	if (wf_due_command_decode(row->payload, &earlier, &body, NULL) !=
		WF_OK ||
	    wf_request_decode(&request, body, own, NULL) != WF_OK ||
	    !wf_request_launches(&request))
		return false;
	*start_out = (struct wf_start){
		.number = request.number,
		.at = earlier.first_at != 0 ? earlier.first_at : row->at,
		.specification = request.launch.specification,
		.name = wf_arena_strdup(arena, request.launch.name),
		.title = wf_arena_strdup(arena, request.launch.title),
		.owner = wf_arena_strdup(arena, request.actor),
	};
	return true;
}

enum wf_rc wf_starts_read(struct wf_store *store, uint32_t namespace_id,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_starts *starts_out, struct wf_error *err)
{
	struct wf_due_list due = { .count = PAGE_ROWS };
	char last[WF_START_NAME_BYTES];
	enum wf_rc rc = WF_OK;

	starts_out->rows =
	    wf_arena_array(arena, limit, sizeof(*starts_out->rows));
	starts_out->count = 0;
	wf_start_name(after, last);
	while (rc == WF_OK && due.count == PAGE_ROWS &&
	       starts_out->count < limit) {
		struct wf_arena *own = wf_arena_new();

		rc = wf_store_due_of(store, 0, last, PAGE_ROWS, own, &due, err);
		for (size_t i = 0; rc == WF_OK && i < due.count; i++) {
			const struct wf_due_row *row = &due.rows[i];

			/* Names of other due rows come after all launches. */
			if (wf_start_number(row->name) == 0)
				due.count = 0;
			else if (starts_out->count < limit &&
				 row->namespace_id == namespace_id &&
				 read_start(row, own,
				     &starts_out->rows[starts_out->count],
				     arena))
				starts_out->count++;
			snprintf(last, sizeof(last), "%s", row->name);
		}
		wf_assert(starts_out->count <= limit);
		wf_arena_free(&own);
	}
	return rc;
}

/* --- withdrawing ---------------------------------------------------------- */

void wf_batch_withdraw(struct batch *batch, struct pending *pending)
{
	struct wf_error *err = &pending->answer.error;
	struct wf_due_list due = { .count = 0 };
	char before[WF_START_NAME_BYTES];
	struct wf_start start;
	struct wf_store *reader;
	enum wf_rc rc = wf_batch_reader(batch, &reader, err);

	wf_assert(pending->request.kind == WF_REQUEST_WITHDRAW);
	wf_start_name(pending->number - 1, before);
	if (rc == WF_OK)
		rc = wf_store_due_of(
		    reader, 0, before, 1, batch->arena, &due, err);
	pending->answer.rc = rc;
	if (rc != WF_OK)
		return;
	if (due.count == 0 ||
	    wf_start_number(due.rows[0].name) != pending->number ||
	    due.rows[0].namespace_id != pending->request.namespace_id) {
		wf_start_is_gone(pending);
		return;
	}
	wf_batch_remove_due(batch, 0, due.rows[0].name);
	pending->answer.number = pending->number;
	if (read_start(&due.rows[0], batch->arena, &start, batch->arena))
		pending->answer.name = start.name;
	wf_batch_answer(batch, pending);
}

void wf_start_is_gone(struct pending *pending)
{
	wf_pending_fail(pending, WF_NOT_FOUND,
	    "there is no delayed start %llu: its case was started, or it was "
	    "withdrawn",
	    (unsigned long long)pending->number);
}
