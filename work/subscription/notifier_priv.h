/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The notifier from inside; private to work/subscription/: notifier.c,
 * target.c, turns.c, notify.c, give_up.c, failing.c.  All of it belongs to the
 * thread of the follower, but for the counts.
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
#define WF_CALLS_AT_ONCE 128U
#define WF_NOTIFIER_RECORD_KIND "follower"
#define WF_NOTIFIER_RECORD_NAME "subscriptions"

/* Calls to the queues of a namespace: to [observers] that [failed last]. */
struct wf_share {
	size_t calls[2][2];
};

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
	bool has_more;	  /* the last group is not all that waited */
	bool is_behind;	  /* too much waited when it was counted last */
	int64_t at;	  /* listed: when its first event can be claimed */
	int64_t count_at; /* by wf_monotonic_ms(): what waits, not before */
	uint64_t turn;	  /* of its last call; 0: none */
	struct wf_share *share; /* while turns are taken */
	unsigned failures;	/* one after another */
	int64_t failing_since;
	int64_t next_at; /* by wf_monotonic_ms() */
	char reason[WF_TARGET_REASON_BYTES];
};

/* See turns.c. */
struct wf_turns {
	struct wf_target **targets; /* that may be called, by their turns */
	size_t count;
	size_t calls; /* that are active */
	uint64_t last;
};

struct wf_notifier {
	struct wf_notifier_settings settings;
	struct wf_engine *engine;
	struct wf_follower *follower;
	struct wf_calls *calls;
	struct wf_target *first;    /* by namespace, then queue bytewise */
	struct wf_target **listing; /* where the next listed one belongs */
	struct wf_turns turns;
	json_t *before;	     /* see failing.c; NULL: all is taken over */
	bool is_crowded;     /* a target has found no place */
	bool is_urgent;	     /* what waits is not to wait for LIST_MS */
	int64_t listed_at;   /* by wf_monotonic_ms(), as the next two */
	int64_t next_window; /* when the next window is over */
	int64_t empty_since;
	atomic_ullong sent, events, failed, given_up;
};

/* --- target.c ------------------------------------------------------------- */

/* The queues of a listing are asked for in their order. */
void wf_targets_list(struct wf_notifier *notifier);
struct wf_target *wf_target_of(
    struct wf_notifier *notifier, const struct wf_message_queue *queue);
/* Forgets the group, which is not on its way. */
void wf_target_drop_group(struct wf_target *target);
/* Drops all that waits; what cannot be dropped now is dropped later. */
void wf_target_drop_queue(struct wf_target *target, struct wf_store *store);
/* Forgets what is neither listed nor in use. */
void wf_targets_forget(struct wf_notifier *notifier);
void wf_targets_free(struct wf_notifier *notifier);

/* --- turns.c -------------------------------------------------------------- */

/* Takes up the calls that are active, and what is listed. */
void wf_turns_begin(
    struct wf_turns *turns, struct wf_target *first, struct wf_arena *arena);
/* Whether the target may be called now. */
bool wf_turns_have_place(
    const struct wf_turns *turns, const struct wf_target *target);
/* It is called. */
void wf_turns_note_call(struct wf_turns *turns, struct wf_target *target);

/* --- notify.c ------------------------------------------------------------- */

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
/*
 * The next ones stop a subscription for which too much waits, or drop the
 * events of observers; what waits is counted every ten seconds.
 *
 * Of a subscription that is paused.
 */
void wf_target_bound_paused(struct wf_notifier *notifier,
    struct wf_target *target, struct wf_store *store,
    const struct wf_subscription *subscription);
/*
 * A group has arrived.  Many events at once are no reason: only what was
 * counted twice is one.
 */
void wf_target_bound_slow(struct wf_notifier *notifier,
    struct wf_target *target, struct wf_store *store);

/* --- failing.c ------------------------------------------------------------ */

/* Adds what fails to the record. */
void wf_failing_write(const struct wf_notifier *notifier, json_t *record);
/* What failed when another server had the record (NULL: there is none yet). */
void wf_failing_read(struct wf_notifier *notifier, const json_t *record);
/* A new target goes on from it. */
void wf_failing_take(struct wf_notifier *notifier, struct wf_target *target);
/* All queues were listed: the rest of it fails no more. */
void wf_failing_drop(struct wf_notifier *notifier);

#endif
