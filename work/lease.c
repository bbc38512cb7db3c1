/* SPDX-License-Identifier: Apache-2.0 */
#include "work/lease.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "spec/spec.h"
#include "work/task_policy.h"

/* The interval of sweeps, and how many leases one reads. */
#define SWEEP_INTERVAL_MS 1000
#define SWEEP_MINIMUM 256U
#define SWEEP_MAXIMUM 65536U

/* --- policy --------------------------------------------------------------- */

struct task_search {
	const char *task;
	struct wf_item_policy *policy;
};

static void add_tasks(void *context, const struct wf_spec *spec)
{
	struct task_search *search = context;
	const struct wf_task *task;
	uint32_t at = 0;

	while ((task = wf_spec_next_task(spec, search->task, &at)) != NULL) {
		const struct wf_hand_over *hand_over;

		if (task->kind != WF_ATOMIC_TASK)
			continue;
		hand_over = task->decomposition->hand_over;
		wf_hand_over_policy(hand_over, &search->policy->service);
		if (wf_hand_over_may_wait(hand_over))
			search->policy->may_wait = true;
	}
}

struct wf_item_policy wf_item_policy_of(struct wf_engine *engine,
    struct wf_services *services, const struct wf_item_row *row)
{
	const struct wf_service_set *set = wf_services_hold(services);
	const struct wf_service *service =
	    wf_service_for(set, row->namespace_id, row->service);
	struct wf_item_policy policy = { .service =
					     *wf_service_policy_of(service) };
	struct task_search search = { row->task, &policy };

	wf_services_let_go(services, set);
	/* Without its specification the item has the service's policy. */
	(void)(wf_engine_inspect_spec(engine, row->namespace_id,
		   row->specification, false, add_tasks, &search,
		   NULL) == WF_OK);
	return policy;
}

/* --- the end of a lease --------------------------------------------------- */

static void ignore(void *context, const struct wf_reply *reply)
{
	(void)context;
	(void)reply;
}

enum wf_rc wf_lease_report(struct wf_engine *engine,
    const struct wf_item_row *row, const char *code, const char *reason,
    struct wf_error *err)
{
	struct wf_request request = { .kind = WF_REQUEST_REPORT,
		.namespace_id = row->namespace_id,
		.number = row->number,
		.report = { .item = row->id,
		    .code = code,
		    .text = reason,
		    .attempts = row->attempt },
		.actor = row->lease_owner,
		.origin = "lease",
		.trace = row->trace };
	char key[80];

	wf_assert(row->lease_owner != NULL && reason != NULL);
	snprintf(key, sizeof(key), "lease-%llu-%016llx-%llu",
	    (unsigned long long)row->number,
	    (unsigned long long)wf_hash(0, row->id, strlen(row->id)),
	    (unsigned long long)row->fence);
	request.key = key;
	return wf_engine_submit(engine, &request, ignore, NULL, err);
}

enum wf_rc wf_lease_give_back(struct wf_engine *engine,
    struct wf_services *services, const struct wf_item_row *row,
    const char *reason, int64_t not_before, wf_reply_f reply, void *context,
    struct wf_error *err)
{
	struct wf_request request = { .command = { .kind = WF_COMMAND_ROLLBACK,
					  .item = row->id },
		.namespace_id = row->namespace_id,
		.number = row->number,
		.actor = row->lease_owner,
		.origin = "lease",
		.lease = { row->lease_owner, row->fence, row->attempt,
		    not_before, .is_forgotten = reason == NULL,
		    .answer = reason },
		.trace = row->trace };
	struct wf_service_policy policy =
	    wf_item_policy_of(engine, services, row).service;
	enum wf_rc rc = WF_OK;

	wf_assert(row->lease_owner != NULL && reply != NULL);
	if (reason != NULL && row->attempt >= policy.attempts) {
		rc = wf_lease_report(engine, row, "attempts", reason, err);
		request.lease.until = WF_LEASE_HELD;
	} else if (reason != NULL && not_before == 0) {
		request.lease.until = wf_engine_now(engine) +
				      wf_service_delay(&policy, row->attempt);
	}
	return rc == WF_OK
		   ? wf_engine_submit(engine, &request, reply, context, err)
		   : rc;
}

/* --- expired leases ------------------------------------------------------- */

static void end_expired(struct wf_engine *engine, struct wf_services *services,
    struct wf_store *store, const struct wf_item_row *row, int64_t now)
{
	if (row->status == WF_ITEM_EXECUTING)
		(void)(wf_lease_give_back(engine, services, row, WF_LEASE_OVER,
			   0, ignore, NULL, NULL) == WF_OK);
	else if (row->status != WF_ITEM_SUSPENDED)
		(void)(wf_store_release(store, row->number, row->id,
			   row->lease_owner, row->fence, now, NULL) == WF_OK);
}

void wf_lease_sweep_init(struct wf_lease_sweep *sweep)
{
	sweep->swept_at = 0;
	sweep->limit = SWEEP_MINIMUM;
}

void wf_lease_sweep_run(struct wf_lease_sweep *sweep, struct wf_engine *engine,
    struct wf_services *services)
{
	int64_t now = wf_engine_now(engine);
	struct wf_arena *arena;
	struct wf_item_list list;
	struct wf_store *store;

	wf_assert(
	    sweep->limit >= SWEEP_MINIMUM && sweep->limit <= SWEEP_MAXIMUM);
	if ((now < sweep->swept_at + SWEEP_INTERVAL_MS &&
		now >= sweep->swept_at) ||
	    wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return;
	sweep->swept_at = now;
	arena = wf_arena_new();
	if (wf_store_expired_items(
		store, now, sweep->limit, arena, &list, NULL) == WF_OK) {
		wf_assert(list.count <= sweep->limit);
		for (size_t i = 0; i < list.count; i++)
			end_expired(
			    engine, services, store, &list.rows[i], now);
		/* Leases that cannot be ended now must not hide the others. */
		if (list.count < sweep->limit)
			sweep->limit = SWEEP_MINIMUM;
		else if (sweep->limit < SWEEP_MAXIMUM)
			sweep->limit *= 2;
	}
	wf_arena_free(&arena);
	wf_engine_give_back(engine, store);
}
