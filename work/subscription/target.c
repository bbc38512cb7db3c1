/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: the queues that the notifier knows, and what waits in them. */
#include <string.h>

#include "work/subscription/notifier_priv.h"

#define DROPPED_AT_ONCE 1000U

/* --- targets -------------------------------------------------------------- */

void wf_target_drop_group(struct wf_target *target)
{
	wf_assert(!target->is_active);
	wf_arena_free(&target->arena);
	target->keys = NULL;
	target->count = 0;
	target->has_arrived = false;
}

static void free_target(struct wf_target *target)
{
	wf_target_drop_group(target);
	wf_free(target->queue);
	wf_free(target);
}

void wf_targets_free(struct wf_notifier *notifier)
{
	while (notifier->first != NULL) {
		struct wf_target *target = notifier->first;

		notifier->first = target->next;
		target->is_active = false;
		free_target(target);
	}
}

void wf_targets_forget(struct wf_notifier *notifier)
{
	struct wf_target **at = &notifier->first;

	while (*at != NULL) {
		struct wf_target *target = *at;

		if (target->is_listed || target->arena != NULL) {
			at = &target->next;
			continue;
		}
		*at = target->next;
		free_target(target);
	}
}

void wf_targets_list(struct wf_notifier *notifier)
{
	for (struct wf_target *t = notifier->first; t != NULL; t = t->next)
		t->is_listed = false;
	notifier->listing = &notifier->first;
}

static int compare(
    const struct wf_target *target, const struct wf_message_queue *queue)
{
	if (target->namespace_id != queue->namespace_id)
		return target->namespace_id < queue->namespace_id ? -1 : 1;
	return strcmp(target->queue, queue->destination);
}

struct wf_target *wf_target_of(
    struct wf_notifier *notifier, const struct wf_message_queue *queue)
{
	struct wf_target *target;

	wf_assert(wf_is_event_queue(queue->destination));
	while (*notifier->listing != NULL &&
	       compare(*notifier->listing, queue) < 0)
		notifier->listing = &(*notifier->listing)->next;
	if (*notifier->listing != NULL &&
	    compare(*notifier->listing, queue) == 0)
		return *notifier->listing;
	target = wf_calloc(1, sizeof(*target));
	target->namespace_id = queue->namespace_id;
	target->queue = wf_strdup(queue->destination);
	wf_failing_take(notifier, target);
	target->next = *notifier->listing;
	*notifier->listing = target;
	return target;
}

/* --- what waits ----------------------------------------------------------- */

static bool drop_some(
    struct wf_target *target, struct wf_store *store, size_t *count_out)
{
	struct wf_message_queue queue = { target->namespace_id, target->queue,
		INT64_MAX, DROPPED_AT_ONCE };
	struct wf_arena *arena = wf_arena_new();
	struct wf_message_list list = { .count = 0 };
	struct wf_message_key *keys;
	bool good = wf_store_claim_messages(store, &queue, 1,
			WF_TARGET_CLAIMED_AT, arena, &list, NULL) == WF_OK;

	keys = wf_arena_array(arena, list.count + 1, sizeof(*keys));
	for (size_t i = 0; good && i < list.count; i++)
		keys[i] = (struct wf_message_key){ list.rows[i].number,
			list.rows[i].message };
	if (good && list.count > 0)
		good = wf_store_acknowledge(store, keys, list.count, NULL) ==
		       WF_OK;
	*count_out = list.count;
	wf_arena_free(&arena);
	return good;
}

void wf_target_drop_queue(struct wf_target *target, struct wf_store *store)
{
	size_t count = 1;

	wf_target_drop_group(target);
	while (count > 0 && drop_some(target, store, &count))
		;
	target->failures = 0;
	target->has_more = false;
	target->is_behind = false;
}
