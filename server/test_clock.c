/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving the clock of a server in test mode.
 *
 *   settle() ─► next_due() ─┬─ not later than the end ─► move there ─► settle()
 *                           └─ later, or never ─► move to the end ─► settled
 *
 * The server has settled when nothing that is due is left: the engine is idle,
 * the sender rests, no lease is over, and no batch was committed while these
 * were asked one after the other.
 */
#include "server/test_clock.h"

#include <time.h>

#include "base/clock.h"
#include "base/panic.h"
#include "server/context.h"
#include "work/claims.h"

/* Between two questions whether the server has settled. */
#define PAUSE_MS 1
/* Leases that are read to find one that ends; suspended items keep theirs. */
#define LEASES_MAXIMUM 100U

/* --- what is due ---------------------------------------------------------- */

/* The end of the first lease that ends by that time; INT64_MAX: there is none.
 */
static int64_t next_lease(struct wf_server *server, int64_t until)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_item_list list = { .count = 0 };
	int64_t next = INT64_MAX;
	struct wf_store *store;

	if (wf_engine_borrow(server->engine, &store, NULL) == WF_OK) {
		if (wf_store_expired_items(store, until, LEASES_MAXIMUM, arena,
			&list, NULL) != WF_OK)
			list.count = 0;
		wf_engine_give_back(server->engine, store);
	}
	for (size_t i = list.count; i-- > 0;)
		if (list.rows[i].status != WF_ITEM_SUSPENDED)
			next = list.rows[i].lease_until;
	wf_arena_free(&arena);
	return next;
}

/* When the next thing is due, if it is by that time; 0: one is being done. */
static int64_t next_due(struct wf_server *server, int64_t until)
{
	struct wf_sender *sender = atomic_load(&server->sender);
	int64_t next = wf_engine_next_due(server->engine);
	int64_t other = next_lease(server, until);

	if (other < next)
		next = other;
	other = sender == NULL ? INT64_MAX : wf_sender_next(sender);
	return other < next ? other : next;
}

static uint64_t batches(struct wf_server *server)
{
	struct wf_engine_counts counts;

	wf_engine_counts(server->engine, &counts);
	return counts.batches;
}

/* Whether nothing is left to do now; *next_out: what is due next. */
static bool has_settled(
    struct wf_server *server, int64_t until, int64_t *next_out)
{
	uint64_t before = batches(server);

	if (!wf_engine_is_idle(server->engine))
		return false;
	*next_out = next_due(server, until);
	return *next_out > wf_engine_now(server->engine) &&
	       wf_engine_is_idle(server->engine) && batches(server) == before;
}

/* --- moving --------------------------------------------------------------- */

/* Those that wait for a time compare it with the clock again. */
static void wake(struct wf_server *server)
{
	struct wf_sender *sender = atomic_load(&server->sender);
	struct wf_claims *claims = atomic_load(&server->claims);

	wf_engine_clock_moved(server->engine);
	wf_mailer_wake(atomic_load(&server->mailer));
	if (sender != NULL)
		wf_sender_wake(sender);
	if (claims != NULL) {
		wf_claims_news(claims);
		wf_claims_wake(claims);
	}
}

static bool settle(
    struct wf_server *server, int64_t until, int64_t end, int64_t *next_out)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };

	while (!has_settled(server, until, next_out)) {
		if (wf_monotonic_ms() >= end)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* The clock has run meanwhile: it is never moved back. */
static void move(struct wf_server *server, int64_t to)
{
	int64_t now = wf_engine_now(server->engine);

	wf_assert(server->settings.test);
	if (to > now)
		wf_time_advance(to - now);
	wake(server);
}

bool wf_test_clock_move(struct wf_server *server, int64_t to, int64_t wait_ms)
{
	int64_t end = wf_monotonic_ms() + wait_ms;
	int64_t next;

	while (settle(server, to, end, &next)) {
		if (wf_engine_now(server->engine) >= to)
			return true;
		wf_assert(next > 0);
		move(server, next < to ? next : to);
	}
	return false;
}
