/* SPDX-License-Identifier: Apache-2.0 */
/* Claims from inside; private to work/claim*.c. */
#ifndef WF_WORK_CLAIMS_PRIV_H
#define WF_WORK_CLAIMS_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/panic.h"
#include "work/claims.h"
#include "work/lease.h"

#define WF_CLAIM_MAGIC UINT32_C(0x434c414d)

/* The diagram is in work/claims.h. */
enum claim_state { CLAIM_WAITING, CLAIM_STARTING, CLAIM_STARTED };

/* One claimed row on its way to be started. */
struct claim_start {
	struct claim *claim;
	struct wf_item_row row; /* as it was claimed */
	char item[WF_ITEM_ID_SIZE];
	struct wf_error err;
	int64_t at; /* do not start before; 0: the item need not wait */
};

struct claim {
	uint32_t magic;
	enum claim_state state;
	struct claim *next; /* of those waiting, or of those started */
	struct wf_claims *claims;
	struct wf_claim_request request;
	struct claim_start *starts;
	size_t count;
	size_t unanswered; /* of the starts, by the engine */
};

struct wf_claims {
	struct wf_engine *engine;
	struct wf_services *services;
	pthread_t thread;
	bool has_thread;
	atomic_bool news;
	struct wf_lease_sweep sweep; /* the thread's */

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	struct claim *waiting;
	struct claim **last; /* the end of that list */
	struct claim *started;
	unsigned under_way; /* claims taken out of the list, not finished */
	bool ready;	    /* there may be something to claim */
	bool stopping;
};

/* --- claim_start.c ------------------------------------------------------- */

/* Starts all rows; the claim is in claims->started when all are answered. */
void wf_claim_start_all(struct claim *claim);
/* Offers the rows again that could not be started, or holds them. */
void wf_claim_release_failed(struct claim *claim);
/* Calls the claim's take() for each item that was started. */
void wf_claim_hand_over(struct claim *claim);

#endif
