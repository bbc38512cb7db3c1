/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases and steps.  A worker gets an item by starting it.  From then on only
 * the worker that has the lease changes the item, until it is given back or
 * taken away; a worker whose lease has ended can change nothing.
 *
 *   claimed in the store ─► START ─► leased ─► COMPLETE, FAIL, .. ─► gone
 *   (a fence that grows)     ▲         │
 *                            └─────────┴── ROLLBACK, or the lease's end;
 *                                          OFFER, ALLOCATE: people have it
 *
 * While an item executes, its lease changes only together with a step of its
 * case.  So what a batch that has the case reads of the lease holds until the
 * commit, and a case in memory knows whether it has any leases: most cases
 * have none, and their commands read nothing.
 *
 * A claim without a START has given the item to nobody.  It is not protected:
 * whoever starts the item first has it, and the claim ends.  The store ends it
 * when it writes the start, so that a claim that commits meanwhile ends, too.
 */
#include "runtime/batch.h"

#include <string.h>

#include "base/panic.h"
#include "base/time_text.h"

/*
 * Whether the command needs the lease of a leased item: it changes the item,
 * and a client gave it.  ADD makes another item; START has nobody to protect.
 */
static bool is_guarded(enum wf_command_kind command)
{
	static const bool guarded[WF_COMMAND_COUNT] = {
		[WF_COMMAND_COMPLETE] = true,
		[WF_COMMAND_FINISH] = true,
		[WF_COMMAND_SKIP] = true,
		[WF_COMMAND_FORCE] = true,
		[WF_COMMAND_FAIL] = true,
		[WF_COMMAND_ROLLBACK] = true,
		[WF_COMMAND_SUSPEND_ITEM] = true,
		[WF_COMMAND_RESUME_ITEM] = true,
		[WF_COMMAND_CANCEL_ITEM] = true,
		[WF_COMMAND_UPDATE_ITEM] = true,
		/* They bring it back to people. */
		[WF_COMMAND_OFFER] = true,
		[WF_COMMAND_ALLOCATE] = true,
	};

	return guarded[command];
}

static bool is_same(const struct wf_item_row *row, const struct wf_lease *lease)
{
	return row->lease_until != 0 && row->fence == lease->fence &&
	       strcmp(row->lease_owner, lease->owner) == 0;
}

/* Asks the store once whether executing items of a loaded case are leased. */
static enum wf_rc find_leases(
    struct batch *batch, const struct work *work, struct wf_error *err)
{
	const struct wf_item_filter filter = {
		.number = work->number, .leased = true, .limit = 1
	};
	struct wf_item_list list = { .count = 0 };
	struct wf_store *reader;
	enum wf_rc rc;

	if (work->cached->leased != LEASED_UNKNOWN)
		return WF_OK;
	rc = wf_batch_reader(batch, &reader, err);
	if (rc == WF_OK)
		rc = wf_store_items(reader, &filter, batch->arena, &list, err);
	if (rc == WF_OK)
		work->cached->leased =
		    list.count > 0 ? LEASED_SOME : LEASED_NONE;
	return rc;
}

/* Reads the row of the request's item.  False: the request has its fate. */
static bool read_row(
    struct batch *batch, struct pending *pending, struct wf_item_row *row)
{
	struct wf_error *err = &pending->answer.error;
	struct wf_store *reader;
	enum wf_rc rc;

	/* The rows of this batch cannot be read before its commit. */
	if (pending->work->cached->version != pending->work->expected) {
		pending->fate = FATE_AGAIN;
		return false;
	}
	rc = wf_batch_reader(batch, &reader, err);
	if (rc == WF_OK)
		rc = wf_store_item(reader, pending->number,
		    wf_request_item(&pending->request), batch->arena, row, err);
	if (rc == WF_NOT_FOUND) { /* the step knows why */
		wf_error_clear(err);
		rc = WF_OK;
	}
	pending->answer.rc = rc;
	return rc == WF_OK;
}

static void refuse(struct pending *pending, const struct wf_item_row *row)
{
	struct wf_reply *answer = &pending->answer;
	const char *item = wf_request_item(&pending->request);
	char until[WF_TIME_TEXT_BYTES];

	if (pending->request.lease.owner[0] != '\0' || row->lease_until == 0) {
		answer->rc = wf_fail_code(&answer->error, WF_CONFLICT, "lease",
		    "the lease on %.200s is over, or another's", item);
		return;
	}
	wf_time_text(row->lease_until, until);
	answer->rc = wf_fail_code(&answer->error, WF_CONFLICT, "lease",
	    "%.200s is leased to '%.64s' until %s: only the holder may change "
	    "it, with the fence of the lease, or an operator who overrides it",
	    item, row->lease_owner, until);
}

/* Of a lease that the command ends: an attempt counts unless it is forgotten.
 */
static uint32_t attempts_left(const struct wf_item_row *row, bool is_forgotten)
{
	return row->attempt - (is_forgotten && row->attempt > 0);
}

/* Whether the lease of the row, if any, allows the command. */
static bool judge(struct pending *pending, const struct wf_item_row *row)
{
	const struct wf_lease *asked = &pending->request.lease;
	struct wf_lease *lease = &pending->lease;

	if (asked->owner[0] != '\0' && is_same(row, asked)) {
		lease->attempt = attempts_left(row, asked->is_forgotten);
		if (asked->answer[0] == '\0')
			lease->answer = row->last_answer;
		return true;
	}
	if (asked->owner[0] != '\0' && !asked->is_overridden)
		return false;
	*lease = (struct wf_lease){ .owner = "" };
	if (row->lease_until == 0 || row->started_at == 0)
		return true;
	/* Rolled back, the item belongs to nobody. */
	*lease = (struct wf_lease){ .owner = row->lease_owner,
		.fence = row->fence,
		.attempt = attempts_left(row, true),
		.answer = row->last_answer };
	pending->overrides = asked->is_overridden;
	return asked->is_overridden;
}

/* What a step of this batch did to the lease of an item; NULL: nothing. */
static const struct wf_item_row *find_noted(
    const struct work *work, const char *id)
{
	for (size_t i = work->leased_count; i-- > 0;)
		if (strcmp(work->leased[i].id, id) == 0)
			return &work->leased[i];
	return NULL;
}

bool wf_lease_check(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;
	struct wf_item_row row = { .number = 0 };
	struct work *work = pending->work;

	wf_assert(request->kind == WF_REQUEST_COMMAND);
	pending->lease = request->lease;
	if (request->lease.owner[0] == '\0')
		pending->lease.fence = 0; /* there is none */
	pending->overrides = false;
	if (!is_guarded(request->command.kind))
		return true;
	pending->answer.number = pending->number;
	pending->answer.rc = find_leases(batch, work, &pending->answer.error);
	if (pending->answer.rc != WF_OK)
		return false;
	if (work->cached->leased == LEASED_NONE &&
	    request->lease.owner[0] == '\0')
		return true;
	if (!read_row(batch, pending, &row))
		return false;
	if (row.number == 0 || judge(pending, &row))
		return true;
	refuse(pending, &row);
	return false;
}

enum wf_rc wf_lease_try(struct pending *pending, const struct wf_item_row *row,
    struct wf_error *err)
{
	pending->lease = pending->request.lease;
	if (!is_guarded(pending->request.command.kind) || judge(pending, row))
		return WF_OK;
	refuse(pending, row);
	*err = pending->answer.error;
	return pending->answer.rc;
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
	const struct wf_lease *lease = &pending->lease;
	enum wf_command_kind command = pending->request.command.kind;
	struct wf_item_row *leased;

	wf_assert(pending->work->cached->version > pending->work->expected);
	if (lease->fence == 0 ||
	    (command != WF_COMMAND_START && command != WF_COMMAND_ROLLBACK &&
		command != WF_COMMAND_OFFER && command != WF_COMMAND_ALLOCATE))
		return;
	leased = add(batch, pending->work);
	leased->fence = lease->fence;
	leased->attempt = lease->attempt;
	leased->last_answer = lease->answer;
	if (command == WF_COMMAND_START) {
		if (lease->owner[0] != '\0')
			pending->work->cached->leased = LEASED_SOME;
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
	const struct wf_item_row *row = find_noted(work, write->row.id);

	wf_assert(write->row.number == work->number);
	if (row == NULL)
		return;
	write->row.lease_owner = row->lease_owner;
	write->row.lease_until = row->lease_until;
	write->row.fence = row->fence;
	write->row.attempt = row->attempt;
	write->row.not_before = row->not_before;
	write->row.last_answer = row->last_answer;
	write->groups |= WF_ITEM_LEASE;
}

/*
 * The fence grows, so that a worker that has claimed the item and not started
 * it yet has an old one.
 */
bool wf_lease_reset(struct batch *batch, struct pending *pending)
{
	struct wf_item_row row = { .number = 0 };
	struct wf_item_write *write;

	if (!read_row(batch, pending, &row))
		return false;
	if (row.number == 0)
		return true;
	write = WF_ROW_ADD(batch, items);
	write->row.number = pending->number;
	write->row.id = wf_request_item(&pending->request);
	write->row.fence = row.fence + 1;
	write->groups = WF_ITEM_LEASE;
	return true;
}
