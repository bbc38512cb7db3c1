/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who an item of people was offered to before somebody took it.  The state of a
 * case forgets it with the offer; the history has it.
 */
#ifndef WF_HISTORY_ITEM_OFFER_H
#define WF_HISTORY_ITEM_OFFER_H

#include "persistence/store.h"

struct wf_offered_item {
	uint64_t number;   /* of the case */
	uint64_t version;  /* of the case: how many steps it has */
	uint32_t net;	   /* the serial number of its net instance */
	uint32_t task;	   /* its number */
	uint32_t instance; /* 0: it has none */
};

/*
 * The audience of the offer that the item was taken from, as the event has it,
 * in the arena; NULL: it was given to whoever has it, or the offer is not among
 * the last 200 steps of the case, or they are not kept any more.
 */
const char *wf_item_last_offer(struct wf_store *store,
    const struct wf_offered_item *item, struct wf_arena *arena);

#endif
