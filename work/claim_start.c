/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claimed rows become started items.
 *
 * Whether an item must wait for its start delay or precondition depends on its
 * input, so it is started in a copy of its case first.  An item that cannot be
 * started is offered again later; one whose data makes it impossible gets an
 * incident and is held until that is closed.
 */
#include <stdio.h>

#include "work/claims_priv.h"
#include "work/state/service_state.h"
#include "work/task_policy.h"

/* An item that could not be started is offered again after this time. */
#define START_INTERVAL_MS 5000
#define INPUT_MAXIMUM_BYTES ((size_t)256 << 20)

/* --- starting ------------------------------------------------------------- */

/* Called by a thread of the engine, or where the start was refused at once. */
static void take_start(void *context, const struct wf_reply *reply)
{
	struct claim_start *start = context;
	struct claim *claim = start->claim;
	struct wf_claims *claims = claim->claims;

	start->err = reply->error;
	start->err.rc = reply->rc;
	snprintf(start->item, sizeof(start->item), "%s", reply->item);
	pthread_mutex_lock(&claims->lock);
	wf_assert(claim->magic == WF_CLAIM_MAGIC);
	wf_assert(claim->state == CLAIM_STARTING && claim->unanswered > 0);
	if (--claim->unanswered == 0) {
		claim->state = CLAIM_STARTED;
		claim->next = claims->started;
		claims->started = claim;
		pthread_cond_signal(&claims->wake);
	}
	pthread_mutex_unlock(&claims->lock);
}

struct start_check {
	struct claim_start *start;
	int64_t delay; /* before the precondition is evaluated again */
	int64_t now;
};

/* The item has been started in a copy of its case. */
static void check_start(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct start_check *check = context;
	struct claim_start *start = check->start;
	const struct wf_item_row *row = &start->row;
	struct wf_buffer xml;
	struct wf_item item;
	int64_t at = 0;
	bool may;

	(void)stored;
	wf_buffer_init(&xml, INPUT_MAXIMUM_BYTES);
	if (wf_case_item(instance, start->item, &item, NULL) == WF_OK &&
	    wf_case_item_input(instance, start->item, &xml, NULL) == WF_OK &&
	    wf_hand_over_check(item.task->decomposition->hand_over,
		wf_buffer_text(&xml), xml.length,
		row->status == WF_ITEM_FIRED ? row->fired_at : row->enabled_at,
		check->now, check->now + check->delay, WF_INSPECTION_WORK, &at,
		&may, &start->err) == WF_OK &&
	    !may)
		start->at = at;
	wf_buffer_free(&xml);
}

/* False: start->err or start->at says why not. */
static bool may_start(struct wf_claims *claims, struct claim_start *start)
{
	const struct wf_item_row *row = &start->row;
	struct wf_request request = { .number = row->number,
		.command = { .kind = WF_COMMAND_START, .item = row->id } };
	struct wf_item_policy policy =
	    wf_item_policy_of(claims->engine, claims->services, row);
	struct start_check check = { .start = start,
		.delay = policy.service.delay_ms,
		.now = wf_engine_now(claims->engine) };
	struct wf_error err = { .rc = WF_OK };

	wf_assert(start->at == 0 && start->err.rc == WF_OK);
	if (!policy.may_wait)
		return true;
	/*
	 * If the copy cannot be started, the engine will say why; if it would
	 * take too long, nobody knows whether the item must wait.
	 */
	if (wf_engine_inspect_after(claims->engine, &request, NULL, start->item,
		check_start, &check, &err) == WF_LIMIT)
		start->err = err;
	return start->at == 0 && start->err.rc == WF_OK;
}

static void start_row(struct wf_claims *claims, struct claim_start *start)
{
	const struct wf_item_row *row = &start->row;
	const struct wf_claim_request *claim = &start->claim->request;
	struct wf_request request = { .command = { .kind = WF_COMMAND_START,
					  .item = row->id },
		.namespace_id = row->namespace_id,
		.number = row->number,
		.actor = claim->owner,
		.origin = claim->origin,
		.lease = { row->lease_owner, row->fence, row->attempt,
		    row->lease_until, .answer = row->last_answer },
		.trace = row->trace };
	struct wf_error err = { .rc = WF_OK };
	struct wf_reply reply = { .item = "" };

	if (!may_start(claims, start)) {
		err = start->err;
		reply.rc = start->at != 0 ? WF_CONFLICT : err.rc;
	} else {
		reply.rc = wf_engine_submit(
		    claims->engine, &request, take_start, start, &err);
	}
	reply.error = err;
	if (reply.rc != WF_OK)
		take_start(start, &reply);
}

void wf_claim_start_all(struct claim *claim)
{
	/* After the last start the claim may be finished, and gone. */
	struct wf_claims *claims = claim->claims;
	struct claim_start *starts = claim->starts;
	size_t count = claim->count;

	wf_assert(claim->state == CLAIM_STARTING);
	wf_assert(count > 0 && claim->unanswered == count);
	for (size_t i = 0; i < count; i++)
		start_row(claims, &starts[i]);
}

/* --- rows that could not be started --------------------------------------- */

/* What the data makes impossible waits for a person, behind an incident. */
static bool is_impossible(const struct claim_start *start)
{
	return start->err.rc == WF_DATA || start->err.rc == WF_LIMIT;
}

static void release(struct wf_claims *claims, struct wf_store *store,
    const struct claim_start *start)
{
	const struct wf_item_row *row = &start->row;
	int64_t at = wf_engine_now(claims->engine) + START_INTERVAL_MS;

	if (start->at != 0)
		at = start->at;
	if (is_impossible(start)) {
		at = WF_LEASE_HELD;
		if (wf_lease_report(claims->engine, row,
			wf_rc_name(start->err.rc), start->err.message,
			NULL) != WF_OK)
			return;
	}
	(void)(wf_store_release(store, row->number, row->id, row->lease_owner,
		   row->fence, at, NULL) == WF_OK);
}

void wf_claim_release_failed(struct claim *claim)
{
	struct wf_claims *claims = claim->claims;
	struct wf_store *store;

	wf_assert(claim->state == CLAIM_STARTED && claim->unanswered == 0);
	/* Without a store they are offered again when the lease expires. */
	if (wf_engine_borrow(claims->engine, &store, NULL) != WF_OK)
		return;
	for (size_t i = 0; i < claim->count; i++) {
		const struct claim_start *start = &claim->starts[i];

		if (start->err.rc != WF_OK && start->err.rc != WF_NOT_FOUND)
			release(claims, store, start);
	}
	wf_engine_give_back(claims->engine, store);
}

/* --- rows that were started ----------------------------------------------- */

static void take(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	const struct claim_start *start = context;
	const struct wf_claim_request *request = &start->claim->request;
	struct wf_claimed_item claimed = {
		.row = &start->row, .id = start->item, .instance = instance
	};
	struct wf_buffer xml;
	struct wf_item item;

	(void)stored;
	wf_buffer_init(&xml, INPUT_MAXIMUM_BYTES);
	if (wf_case_item(instance, start->item, &item, NULL) == WF_OK &&
	    wf_case_item_input(instance, start->item, &xml, NULL) == WF_OK) {
		claimed.task = item.task;
		claimed.input = wf_buffer_text(&xml);
		claimed.input_length = xml.length;
		request->take(request->context, &claimed);
	}
	wf_buffer_free(&xml);
}

/* That it asked, also when there was nothing for it. */
static void note_worker(const struct claim *claim)
{
	const struct wf_claim_request *request = &claim->request;
	struct wf_claims *claims = claim->claims;
	size_t items = 0;

	for (size_t i = 0; i < claim->count; i++)
		items += claim->starts[i].err.rc == WF_OK;
	wf_service_state_claimed(wf_services_states(claims->services),
	    request->filter.namespace_id, request->filter.service,
	    wf_engine_now(claims->engine), request->owner, items);
}

void wf_claim_hand_over(struct claim *claim)
{
	struct wf_engine *engine = claim->claims->engine;

	wf_assert(claim->unanswered == 0);
	note_worker(claim);
	/* An item that cannot be shown comes again when its lease expires. */
	for (size_t i = 0; i < claim->count; i++)
		if (claim->starts[i].err.rc == WF_OK)
			(void)(wf_engine_inspect(engine,
				   claim->starts[i].row.number, take,
				   &claim->starts[i], NULL) == WF_OK);
}
