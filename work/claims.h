/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pull: workers that claim items, wait until there are some, and have each for
 * as long as its lease lasts (work/lease.h).
 *
 *   wf_claims_add() ─► WAITING ─► rows claimed in the store ─► STARTING
 *                      │  ▲                                     │    │
 *    its time is over, │  └──── no item started, time is left ──┘    │
 *    or the worker     │                                             │
 *    is gone           ▼            at least one item started        │
 *                  answered ◄───────────── STARTED ◄─────────────────┘
 *
 * One thread asks the store for all claims.  Claims of the same service and
 * task are served in the order in which they arrived.
 */
#ifndef WF_WORK_CLAIMS_H
#define WF_WORK_CLAIMS_H

#include "kernel/view.h"
#include "runtime/engine.h"
#include "work/service.h"

struct wf_claims; /* opaque; safe for all threads */

/* An item that was claimed and started; valid during the call. */
struct wf_claimed_item {
	const struct wf_item_row *row; /* as it was claimed, with its lease */
	const char *id;		       /* of the instance that was started */
	const struct wf_case *instance;
	const struct wf_task *task;
	const char *input; /* XML */
	size_t input_length;
};

/*
 * A claim of a worker.  Texts and the arena last until finish() is called.  The
 * callbacks run in any thread but one at a time.
 */
struct wf_claim_request {
	struct wf_item_filter filter; /* with the number of items at most */
	const char *owner;	      /* of the leases; starts the items */
	const char *origin;	      /* of the commands that start them */
	int64_t lease_ms;
	int64_t until_ms; /* it waits for items until then, since 1970 */
	struct wf_arena *arena;
	void *context; /* of the callbacks */
	/* False: the worker is gone; the claim finishes without items. */
	bool (*is_alive)(void *context);
	/* Called for each item that was started. */
	void (*take)(void *context, const struct wf_claimed_item *item);
	/* Called once, at the end, after all items; frees the request. */
	void (*finish)(void *context);
};

enum wf_rc wf_claims_open(struct wf_claims **claims_out,
    struct wf_engine *engine, struct wf_services *services,
    struct wf_error *err) WF_MUSTCHECK;
/* Finishes all claims; those added later finish at once. */
void wf_claims_stop(struct wf_claims *claims);
void wf_claims_close(struct wf_claims **claims);

/* The request is finished when there are items, or its time is over. */
void wf_claims_add(
    struct wf_claims *claims, const struct wf_claim_request *request);
/* An item that may be claimed is announced in the batch that is written now. */
void wf_claims_news(struct wf_claims *claims);
/* A batch was committed. */
void wf_claims_wake(struct wf_claims *claims);

#endif
