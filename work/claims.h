/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pull: workers that ask for items, wait until there are some, and have them
 * for as long as their lease lasts.
 *
 *   asked ──► waits ──► claimed in the store ──► started, with the lease
 *                ▲                                   ──► answered
 *   lease over ──┴── rolled back: anybody's again, or an incident when that
 *                    was the last attempt
 *
 * One thread asks for all who wait: those that want the same are asked for in
 * the order in which they came.
 */
#ifndef WF_WORK_CLAIMS_H
#define WF_WORK_CLAIMS_H

#include "rest/rest.h"

struct wf_claims; /* opaque; safe for all threads */

/* What a worker wants; texts live as long as the request. */
struct wf_claim_wish {
	struct wf_item_filter filter; /* of the claim */
	const char *owner;
	int64_t lease; /* milliseconds */
	int64_t until; /* it waits so long */
};

enum wf_rc wf_claims_open(struct wf_claims **claims_out,
    struct wf_server *server, struct wf_error *err) WF_MUSTCHECK;
/* Answers all that wait; there will be no more. */
void wf_claims_stop(struct wf_claims *claims);
void wf_claims_close(struct wf_claims **claims);

/* The request is answered when there are items, or the time is over. */
void wf_claims_add(struct wf_claims *claims, struct wf_rest *rest,
    const struct wf_claim_wish *wish);
/* An item that may be claimed was announced; it is there with the commit. */
void wf_claims_news(struct wf_claims *claims);
/* There was a commit. */
void wf_claims_wake(struct wf_claims *claims);

/*
 * The worker, or the engine, gives an item back, to be handed over again from
 * not_before on; for a reason if that was an attempt that failed.  reply as
 * for wf_engine_submit().
 */
enum wf_rc wf_claims_give_back(struct wf_server *server,
    const struct wf_item_row *row, const char *reason, int64_t not_before,
    wf_reply_f reply, void *context, struct wf_error *err) WF_MUSTCHECK;

#endif
