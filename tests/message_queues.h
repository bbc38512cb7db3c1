/* SPDX-License-Identifier: Apache-2.0 */
/* Claiming announcements where a test does not mind from which queue. */
#ifndef WF_TESTS_MESSAGE_QUEUES_H
#define WF_TESTS_MESSAGE_QUEUES_H

#include <string.h>

#include "persistence/store.h"

/*
 * Claims from the first queue that gives any, or from those to a destination:
 * at most so many.  None: nothing can be claimed at now.
 */
static inline enum wf_rc claim_messages(struct wf_store *store,
    const char *destination, int64_t now, int64_t until, size_t most,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err)
{
	struct wf_message_queue_list queues;
	enum wf_rc rc =
	    wf_store_message_queues(store, NULL, SIZE_MAX, arena, &queues, err);

	list_out->count = 0;
	for (size_t i = 0;
	     rc == WF_OK && i < queues.count && list_out->count == 0; i++) {
		struct wf_message_queue *queue = &queues.rows[i];

		queue->at = now;
		queue->most = most;
		if (destination == NULL ||
		    strcmp(queue->destination, destination) == 0)
			rc = wf_store_claim_messages(
			    store, queue, 1, until, arena, list_out, err);
	}
	return rc;
}

#endif
