/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The notifier from inside; private to work/subscription/: notifier.c,
 * target.c, notify.c, give_up.c.  All of it belongs to the thread of the
 * follower, but for the counts.
 */
#ifndef WF_WORK_SUBSCRIPTION_NOTIFIER_PRIV_H
#define WF_WORK_SUBSCRIPTION_NOTIFIER_PRIV_H

#include <stdatomic.h>

#include "base/panic.h"
#include "work/follower.h"
#include "work/subscription/call.h"
#include "work/subscription/event.h"
#include "work/subscription/notifier.h"

#define WF_TARGET_REASON_BYTES 300U
/*
 * Whoever has the record claims a message until then, which is past: after a
 * failure or a crash the group is claimed again at once, before all others.
 */
#define WF_TARGET_CLAIMED_AT 1

/* A queue, and the group of it that is being sent. */
struct wf_target {
	struct wf_target *next;
	uint32_t namespace_id;
	char *queue;
	struct wf_arena *arena; /* of the group; NULL: there is none */
	struct wf_message_key *keys;
	size_t count;
	int64_t oldest;	  /* when its first event was made */
	uint64_t address; /* a hash: where it was called last */
	bool is_active;	  /* a call */
	bool has_arrived; /* it is to be acknowledged */
	bool is_listed;
	unsigned failures; /* one after another */
	int64_t failing_since;
	int64_t next_at; /* by wf_monotonic_ms() */
	char reason[WF_TARGET_REASON_BYTES];
};

struct wf_notifier {
	struct wf_notifier_settings settings;
	struct wf_engine *engine;
	struct wf_follower *follower;
	struct wf_calls *calls;
	struct wf_target *first;
	int64_t listed_at;   /* by wf_monotonic_ms(), as the next two */
	int64_t next_window; /* when the next window is over */
	int64_t empty_since;
	atomic_ullong sent, events, failed, given_up;
};

/* --- target.c ------------------------------------------------------------- */

struct wf_target *wf_target_of(
    struct wf_notifier *notifier, const struct wf_message_queue *queue);
/* Forgets the group, which is not on its way. */
void wf_target_drop_group(struct wf_target *target);
/* Drops all that waits; what cannot be dropped now is dropped later. */
void wf_target_drop_queue(struct wf_target *target, struct wf_store *store);
/* Forgets what is neither listed nor in use. */
void wf_targets_forget(struct wf_notifier *notifier);
void wf_targets_free(struct wf_notifier *notifier);

/* --- notify.c ---------------------------------------------------------------
 */

/* Claims a group and calls; subscription NULL: observers. */
void wf_target_notify(struct wf_notifier *notifier, struct wf_target *target,
    struct wf_store *store, const struct wf_subscription *subscription);
/* The group has arrived. */
void wf_target_acknowledge(struct wf_notifier *notifier,
    struct wf_target *target, struct wf_store *store);

/* --- give_up.c ------------------------------------------------------------ */

/* The group has not arrived: it is sent again, or given up. */
void wf_target_fail(struct wf_notifier *notifier, struct wf_target *target,
    struct wf_store *store, const char *reason, int64_t after_ms);
/* Stops a subscription for which too much waits, since then or in all. */
void wf_target_bound(struct wf_notifier *notifier, struct wf_target *target,
    struct wf_store *store, const struct wf_subscription *subscription,
    int64_t since);

#endif
