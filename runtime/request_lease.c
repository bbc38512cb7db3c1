/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases and steps.  A worker gets an item by starting it; a worker whose
 * lease has ended can change nothing.
 *
 *   claimed in the store ─► START ─► leased ─► COMPLETE, FAIL, .. ─► gone
 *   (a fence that grows)     ▲         │
 *                            └─────────┴── ROLLBACK, or the lease's end
 *
 * While an item executes, its lease changes only together with a step of its
 * case.  So what a batch that has the case reads of the lease holds until the
 * commit.
 */
#include "runtime/batch.h"

#include <string.h>

#include "base/panic.h"

static bool is_same(const struct wf_item_row *row, const struct wf_lease *lease)
{
	return row->lease_until != 0 && row->fence == lease->fence &&
	       strcmp(row->lease_owner, lease->owner) == 0;
}

bool wf_lease_check(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;
	struct wf_error *err = &pending->answer.error;
	struct wf_item_row row = { .number = 0 };
	struct wf_store *reader;
	enum wf_rc rc;

	wf_assert(request->kind == WF_REQUEST_COMMAND);
	if (request->lease.owner[0] == '\0' ||
	    request->command.kind == WF_COMMAND_START)
		return true;
	/* The rows of this batch cannot be read before its commit. */
	if (pending->work->cached->version != pending->work->expected) {
		pending->fate = FATE_AGAIN;
		return false;
	}
	rc = wf_batch_reader(batch, &reader, err);
	if (rc == WF_OK)
		rc = wf_store_item(reader, pending->number,
		    request->command.item, batch->arena, &row, err);
	if (rc == WF_OK && !is_same(&row, &request->lease))
		rc = wf_fail_code(err, WF_CONFLICT, "lease",
		    "the lease on %.200s is over, or another's",
		    request->command.item);
	pending->request.lease.attempt = row.attempt;
	if (request->lease.is_forgotten && row.attempt > 0)
		pending->request.lease.attempt--;
	pending->answer.rc = rc;
	pending->answer.number = pending->number;
	return rc == WF_OK;
}

static struct wf_item_row *add(struct batch *batch, struct work *work)
{
	work->leased =
	    wf_arena_grow(batch->arena, work->leased, work->leased_count,
		&work->leased_capacity, sizeof(work->leased[0]));
	return &work->leased[work->leased_count++];
}

void wf_lease_note(struct batch *batch, struct pending *pending)
{
	const struct wf_lease *lease = &pending->request.lease;
	enum wf_command_kind command = pending->request.command.kind;
	struct wf_item_row *leased;

	wf_assert(pending->work->cached->version > pending->work->expected);
	if (lease->owner[0] == '\0' ||
	    (command != WF_COMMAND_START && command != WF_COMMAND_ROLLBACK))
		return;
	leased = add(batch, pending->work);
	leased->fence = lease->fence;
	leased->attempt = lease->attempt;
	if (command == WF_COMMAND_START) {
		leased->id =
		    wf_arena_strdup(batch->arena, batch->shard->step.item);
		leased->lease_owner = lease->owner;
		leased->lease_until = lease->until;
	} else {
		leased->id = pending->request.command.item;
		leased->not_before = lease->until;
	}
}

void wf_lease_fill(const struct work *work, struct wf_item_write *write)
{
	wf_assert(write->row.number == work->number);
	for (size_t i = work->leased_count; i-- > 0;) {
		const struct wf_item_row *row = &work->leased[i];

		if (strcmp(row->id, write->row.id) != 0)
			continue;
		write->row.lease_owner = row->lease_owner;
		write->row.lease_until = row->lease_until;
		write->row.fence = row->fence;
		write->row.attempt = row->attempt;
		write->row.not_before = row->not_before;
		write->groups |= WF_ITEM_LEASE;
		return;
	}
}

/*
 * Ends a lease by raising the fence above that of every claim so far: claims
 * count the fence up by one, far slower than the milliseconds of the clock.
 */
void wf_lease_reset(struct batch *batch, const struct pending *pending)
{
	struct wf_item_write *write = WF_ROW_ADD(batch, items);

	write->row.number = pending->number;
	write->row.id = wf_request_item(&pending->request);
	write->row.fence = (uint64_t)batch->now;
	write->groups = WF_ITEM_LEASE;
}
