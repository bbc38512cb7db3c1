/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leases of items that workers have claimed.
 *
 *   claimed ──► executing ──heartbeat──► executing ──► completed
 *                   │ given back, or the lease has expired
 *                   ▼ (ROLLBACK)
 *                offered again, after a delay ──► .. until the last attempt has
 *                failed: an incident, and the item waits for a person
 *
 * A lease has an owner and a fence, a number that grows with each claim: a
 * worker whose lease has expired cannot touch the item of the next one.
 */
#ifndef WF_WORK_LEASE_H
#define WF_WORK_LEASE_H

#include "runtime/engine.h"
#include "work/service.h"

/* Not offered until its incident is closed: the year 9999. */
#define WF_LEASE_HELD INT64_C(253402300799000)

/* How the items of a task are handed over. */
struct wf_item_policy {
	struct wf_service_policy service; /* as the task overrides it */
	bool may_wait; /* the task has a start delay or a precondition */
};

/* By the service of the item and by its task; may wait for the store. */
struct wf_item_policy wf_item_policy_of(struct wf_engine *engine,
    struct wf_services *services, const struct wf_item_row *row);

/*
 * Reports an incident of a leased item.  Reporting it again for the same lease
 * makes no second one.
 */
enum wf_rc wf_lease_report(struct wf_engine *engine,
    const struct wf_item_row *row, const char *code, const char *reason,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Rolls a leased item back, so that it is offered again from not_before on, or
 * when that is 0, after the delay of its policy.  reason: why the attempt
 * failed; NULL: it counts as none.  reply as for wf_engine_submit().
 */
enum wf_rc wf_lease_give_back(struct wf_engine *engine,
    struct wf_services *services, const struct wf_item_row *row,
    const char *reason, int64_t not_before, wf_reply_f reply, void *context,
    struct wf_error *err) WF_MUSTCHECK;

/* The search for expired leases; of one thread. */
struct wf_lease_sweep {
	int64_t swept_at;
	size_t limit; /* of leases read in one sweep */
};
void wf_lease_sweep_init(struct wf_lease_sweep *sweep);
/* Ends expired leases, if the last sweep was long enough ago. */
void wf_lease_sweep_run(struct wf_lease_sweep *sweep, struct wf_engine *engine,
    struct wf_services *services);

#endif
