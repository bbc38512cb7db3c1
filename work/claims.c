/* SPDX-License-Identifier: Apache-2.0 */
/* The list of claims, and the thread that serves them. */
#include "work/claims.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "work/claims_priv.h"

/* Minimum and maximum interval between two rounds of the thread. */
#define ROUND_MINIMUM_MS 5
#define ROUND_MAXIMUM_MS 500
/*
 * A claim whose items could not be started waits beyond its time for others:
 * less than the time after which the first are offered again.
 */
#define SEARCH_MS 1000

/* --- finishing ------------------------------------------------------------ */

/* The claim is in no list; afterwards it is gone. */
static void finish(struct claim *claim)
{
	wf_assert(claim->magic == WF_CLAIM_MAGIC);
	wf_assert(claim->state != CLAIM_STARTING);
	wf_claim_hand_over(claim);
	claim->magic = 0;
	claim->request.finish(claim->request.context);
}

static void finish_under_way(struct wf_claims *claims, struct claim *claim)
{
	finish(claim);
	pthread_mutex_lock(&claims->lock);
	wf_assert(claims->under_way > 0);
	claims->under_way--;
	pthread_mutex_unlock(&claims->lock);
}

/* --- the list of waiting claims ------------------------------------------- */

static void append(struct wf_claims *claims, struct claim *claim)
{
	wf_assert(*claims->last == NULL && claim->state == CLAIM_WAITING);
	claim->next = NULL;
	*claims->last = claim;
	claims->last = &claim->next;
}

/* Only the thread takes claims out; other threads add at the end. */
static void take_out(struct wf_claims *claims, struct claim **at)
{
	struct claim *claim = *at;

	pthread_mutex_lock(&claims->lock);
	wf_assert(claim != NULL && claim->magic == WF_CLAIM_MAGIC);
	wf_assert((claim->next == NULL) == (claims->last == &claim->next));
	*at = claim->next;
	if (claim->next == NULL)
		claims->last = at;
	claim->next = NULL;
	claims->under_way++;
	pthread_mutex_unlock(&claims->lock);
}

static struct claim *claim_at(struct wf_claims *claims, struct claim *const *at)
{
	struct claim *claim;

	pthread_mutex_lock(&claims->lock);
	claim = *at;
	wf_assert(claim == NULL || claim->state == CLAIM_WAITING);
	pthread_mutex_unlock(&claims->lock);
	return claim;
}

static void finish_empty(struct wf_claims *claims, struct claim **at)
{
	struct claim *claim = *at;

	take_out(claims, at);
	wf_assert(claim->count == 0);
	finish_under_way(claims, claim);
}

/* --- claims whose items were started -------------------------------------- */

/* False: its time is over. */
static bool wait_again(struct wf_claims *claims, struct claim *claim)
{
	bool waits;

	pthread_mutex_lock(&claims->lock);
	wf_assert(claim->state == CLAIM_STARTED && claims->under_way > 0);
	waits = !claims->stopping && claim->request.until_ms + SEARCH_MS >
					 wf_engine_now(claims->engine);
	if (waits) {
		claim->state = CLAIM_WAITING;
		claim->count = 0;
		append(claims, claim);
		claims->under_way--;
	}
	pthread_mutex_unlock(&claims->lock);
	return waits;
}

static void finish_started(struct wf_claims *claims)
{
	struct claim *started;

	pthread_mutex_lock(&claims->lock);
	started = claims->started;
	claims->started = NULL;
	pthread_mutex_unlock(&claims->lock);
	while (started != NULL) {
		struct claim *claim = started;
		size_t good = 0;

		wf_assert(claim->magic == WF_CLAIM_MAGIC);
		started = claim->next;
		for (size_t i = 0; i < claim->count; i++)
			good += claim->starts[i].err.rc == WF_OK;
		if (good < claim->count)
			wf_claim_release_failed(claim);
		if (good == 0 && wait_again(claims, claim))
			continue;
		finish_under_way(claims, claim);
	}
}

/* --- claiming ------------------------------------------------------------- */

static bool is_alike(const struct claim *a, const struct claim *b)
{
	const struct wf_item_filter *x = &a->request.filter;
	const struct wf_item_filter *y = &b->request.filter;

	return x->namespace_id == y->namespace_id &&
	       strcmp(x->service, y->service) == 0 &&
	       (x->task == y->task || (x->task != NULL && y->task != NULL &&
					  strcmp(x->task, y->task) == 0));
}

/* Whether a claim before it, for the same items, got none in this round. */
static bool is_hopeless(struct wf_claims *claims, const struct claim *claim)
{
	const struct claim *before;

	pthread_mutex_lock(&claims->lock);
	before = claims->waiting;
	while (before != claim && !is_alike(before, claim))
		before = before->next;
	pthread_mutex_unlock(&claims->lock);
	return before != claim;
}

static bool is_paused(
    struct wf_claims *claims, const struct wf_item_filter *filter)
{
	const struct wf_service_set *set = wf_services_hold(claims->services);
	bool is = wf_service_is_paused(
	    wf_service_for(set, filter->namespace_id, filter->service));

	wf_services_let_go(claims->services, set);
	return is;
}

/* False: there is nothing to claim. */
static bool claim_rows(struct claim *claim, struct wf_store *store)
{
	const struct wf_claim_request *request = &claim->request;
	int64_t now = wf_engine_now(claim->claims->engine);
	struct wf_arena *arena = request->arena;
	struct wf_item_list list;

	if (is_paused(claim->claims, &request->filter) ||
	    wf_store_claim_items(store, &request->filter, request->owner, now,
		now + request->lease_ms, arena, &list, NULL) != WF_OK ||
	    list.count == 0)
		return false;
	wf_assert(list.count <= request->filter.limit);
	claim->count = list.count;
	claim->unanswered = list.count;
	claim->starts =
	    wf_arena_array(arena, list.count, sizeof(*claim->starts));
	for (size_t i = 0; i < list.count; i++) {
		claim->starts[i].claim = claim;
		claim->starts[i].row = list.rows[i];
	}
	return true;
}

static void claim_all(struct wf_claims *claims)
{
	struct claim **at = &claims->waiting;
	struct wf_store *store;
	struct claim *claim;

	if (claim_at(claims, at) == NULL ||
	    wf_engine_borrow(claims->engine, &store, NULL) != WF_OK)
		return;
	while ((claim = claim_at(claims, at)) != NULL) {
		if (is_hopeless(claims, claim)) {
			at = &claim->next;
		} else if (!claim->request.is_alive(claim->request.context)) {
			finish_empty(claims, at);
		} else if (claim_rows(claim, store)) {
			take_out(claims, at);
			claim->state = CLAIM_STARTING;
			wf_claim_start_all(claim);
		} else {
			at = &claim->next;
		}
	}
	wf_engine_give_back(claims->engine, store);
}

/* Claims whose time is over finish without items; all: every claim. */
static void finish_late(struct wf_claims *claims, bool all)
{
	int64_t now = wf_engine_now(claims->engine);
	struct claim **at = &claims->waiting;
	struct claim *claim;

	while ((claim = claim_at(claims, at)) != NULL) {
		if (!all && claim->request.until_ms > now) {
			at = &claim->next;
			continue;
		}
		finish_empty(claims, at);
	}
}

/* --- the thread ----------------------------------------------------------- */

/* Until there may be something to do; false: no claim will come any more. */
static bool wait(struct wf_claims *claims)
{
	int64_t until = wf_monotonic_ms() + ROUND_MAXIMUM_MS;
	bool goes_on;

	pthread_mutex_lock(&claims->lock);
	while (!claims->ready && claims->started == NULL && !claims->stopping &&
	       wf_wait_until(&claims->wake, &claims->lock, until))
		;
	claims->ready = false;
	goes_on = !claims->stopping || claims->under_way > 0;
	pthread_mutex_unlock(&claims->lock);
	return goes_on;
}

static bool is_stopping(struct wf_claims *claims)
{
	bool stopping;

	pthread_mutex_lock(&claims->lock);
	stopping = claims->stopping;
	pthread_mutex_unlock(&claims->lock);
	return stopping;
}

static void *run(void *argument)
{
	const struct timespec pause = { .tv_nsec =
					    ROUND_MINIMUM_MS * 1000000L };
	struct wf_claims *claims = argument;

	while (wait(claims)) {
		bool stopping = is_stopping(claims);

		finish_started(claims);
		if (!stopping) {
			wf_lease_sweep_run(
			    &claims->sweep, claims->engine, claims->services);
			claim_all(claims);
		}
		finish_late(claims, stopping);
		nanosleep(&pause, NULL);
	}
	finish_late(claims, true);
	return NULL;
}

/* --- what others call ----------------------------------------------------- */

void wf_claims_add(
    struct wf_claims *claims, const struct wf_claim_request *request)
{
	struct claim *claim = wf_arena_alloc(request->arena, sizeof(*claim));
	bool stopping;

	wf_assert(request->filter.limit > 0);
	wf_assert(request->filter.service != NULL && request->owner != NULL);
	claim->magic = WF_CLAIM_MAGIC;
	claim->state = CLAIM_WAITING;
	claim->claims = claims;
	claim->request = *request;
	pthread_mutex_lock(&claims->lock);
	stopping = claims->stopping;
	if (!stopping) {
		append(claims, claim);
		claims->ready = true;
		pthread_cond_signal(&claims->wake);
	}
	pthread_mutex_unlock(&claims->lock);
	if (stopping)
		finish(claim);
}

void wf_claims_news(struct wf_claims *claims)
{
	atomic_store(&claims->news, true);
}

void wf_claims_wake(struct wf_claims *claims)
{
	if (!atomic_exchange(&claims->news, false))
		return;
	pthread_mutex_lock(&claims->lock);
	claims->ready = true;
	pthread_cond_signal(&claims->wake);
	pthread_mutex_unlock(&claims->lock);
}

enum wf_rc wf_claims_open(struct wf_claims **claims_out,
    struct wf_engine *engine, struct wf_services *services,
    struct wf_error *err)
{
	struct wf_claims *claims = wf_calloc(1, sizeof(*claims));

	claims->engine = engine;
	claims->services = services;
	claims->last = &claims->waiting;
	wf_lease_sweep_init(&claims->sweep);
	pthread_mutex_init(&claims->lock, NULL);
	wf_condition_init(&claims->wake);
	*claims_out = claims;
	if (pthread_create(&claims->thread, NULL, run, claims) != 0)
		return wf_fail(err, WF_IO, "no thread can be made");
	claims->has_thread = true;
	return WF_OK;
}

void wf_claims_stop(struct wf_claims *claims)
{
	if (claims == NULL || !claims->has_thread)
		return;
	pthread_mutex_lock(&claims->lock);
	claims->stopping = true;
	pthread_cond_signal(&claims->wake);
	pthread_mutex_unlock(&claims->lock);
	pthread_join(claims->thread, NULL);
	claims->has_thread = false;
	wf_assert(claims->waiting == NULL && claims->started == NULL);
	wf_assert(claims->under_way == 0);
}

void wf_claims_close(struct wf_claims **claims)
{
	struct wf_claims *old = *claims;

	*claims = NULL;
	if (old == NULL)
		return;
	wf_claims_stop(old);
	pthread_cond_destroy(&old->wake);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}
