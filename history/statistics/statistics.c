/* SPDX-License-Identifier: Apache-2.0 */
#include "history/statistics/statistics.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/panic.h"
#include "history/statistics/fold.h"

#define MAGIC 0x73746174U
#define FOLD "statistics"
#define OWNER_BYTES 16U

/* Steps that are counted at once. */
#define PAGE 1000U
/* A page ends early when its steps are large: then there are others. */
#define PAGE_BYTES ((size_t)1 << 20)
/* What is known of cases: some 240,000 with one or two open items each. */
#define KNOWN_BYTES ((size_t)64 << 20)
/* Between two rounds; so a page has many steps, and few rows are written. */
#define PAUSE_MS 1000
/* Without news: other nodes make steps, and one that leads may be gone. */
#define TICK_MS 5000
/* For so long others leave the reading to the node that has read last. */
#define LEASE_MS INT64_C(15000)
#define SWEEP_MS INT64_C(60000)
#define SWEPT_ROWS 5000U

struct wf_statistics {
	uint32_t magic;
	struct wf_engine *engine;
	size_t page;
	atomic_llong keep_ms;
	struct wf_process_counts *counts;
	atomic_ullong steps;
	atomic_ullong failures;

	/* Of the thread. */
	char owner[2 * OWNER_BYTES + 1];
	bool leads; /* the fold is as this node wrote it */
	struct wf_fold_row fold;
	struct wf_known_times *known;
	struct wf_tally *tally;
	int64_t swept_at;

	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	bool woken;
	bool ending;
};

struct wf_statistics *wf_statistics_new(
    struct wf_engine *engine, const struct wf_statistics_settings *settings)
{
	struct wf_statistics *statistics = wf_calloc(1, sizeof(*statistics));

	statistics->magic = MAGIC;
	statistics->engine = engine;
	statistics->page = settings->page == 0 ? PAGE : settings->page;
	statistics->keep_ms = settings->keep_ms;
	statistics->counts = wf_process_counts_new(settings->labels);
	statistics->known = wf_known_times_new(KNOWN_BYTES);
	statistics->tally = wf_tally_new();
	pthread_mutex_init(&statistics->lock, NULL);
	wf_condition_init(&statistics->wake);
	return statistics;
}

void wf_statistics_free(struct wf_statistics **statistics)
{
	struct wf_statistics *old = *statistics;

	*statistics = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == MAGIC && !old->has_thread);
	old->magic = 0;
	wf_process_counts_free(&old->counts);
	wf_known_times_free(&old->known);
	wf_tally_free(&old->tally);
	pthread_cond_destroy(&old->wake);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

void wf_statistics_keep(struct wf_statistics *statistics, int64_t keep_ms)
{
	wf_assert(keep_ms >= 0);
	atomic_store(&statistics->keep_ms, keep_ms);
}

struct wf_process_counts *wf_statistics_counts(struct wf_statistics *statistics)
{
	wf_assert(statistics->magic == MAGIC);
	return statistics->counts;
}

uint64_t wf_statistics_steps(struct wf_statistics *statistics)
{
	return atomic_load(&statistics->steps);
}

uint64_t wf_statistics_failures(struct wf_statistics *statistics)
{
	return atomic_load(&statistics->failures);
}

/* --- the cursor ----------------------------------------------------------- */

static enum wf_rc make_owner(
    struct wf_statistics *statistics, struct wf_error *err)
{
	unsigned char bytes[OWNER_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return wf_fail(err, WF_IO, "no random numbers can be read");
	for (unsigned i = 0; i < OWNER_BYTES; i++)
		snprintf(&statistics->owner[(size_t)2 * i], 3, "%02x",
		    (unsigned)bytes[i]);
	return WF_OK;
}

/* No other one writes a later time, unless its clock is wrong. */
static bool is_led_by_another(const struct wf_statistics *statistics,
    const struct wf_fold_row *fold, const struct wf_store *store)
{
	int64_t now = wf_engine_now(statistics->engine);

	return wf_store_is_shared(store) &&
	       strcmp(fold->owner, statistics->owner) != 0 &&
	       fold->until > now &&
	       fold->until <= now + LEASE_MS + WF_CLOCKS_MS;
}

static struct wf_cursor cursor_of(const struct wf_fold_row *fold)
{
	return (struct wf_cursor){ fold->position, fold->case_number,
		fold->sequence, fold->retirements };
}

/* *leads_out: whether this node reads on from there. */
static enum wf_rc take_fold(struct wf_statistics *statistics,
    struct wf_store *store, bool *leads_out, struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_fold_row fold;
	enum wf_rc rc;

	*leads_out = statistics->leads;
	if (statistics->leads)
		return WF_OK;
	arena = wf_arena_new();
	rc = statistics->owner[0] != '\0' ? WF_OK : make_owner(statistics, err);
	if (rc == WF_OK)
		rc = wf_store_fold(store, FOLD, arena, &fold, err);
	*leads_out =
	    rc == WF_OK && !is_led_by_another(statistics, &fold, store);
	if (*leads_out) {
		statistics->fold = fold;
		statistics->fold.name = FOLD;
		statistics->fold.owner = statistics->owner;
	}
	statistics->leads = *leads_out;
	wf_arena_free(&arena);
	return rc;
}

/* --- a page --------------------------------------------------------------- */

/* What was retired before it was read is passed over. */
static enum wf_rc read_rows(struct wf_statistics *statistics,
    struct wf_store *store, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	struct wf_history_filter filter = {
		.after = cursor_of(&statistics->fold), .limit = statistics->page
	};
	struct wf_cursor end;
	enum wf_rc rc = wf_store_history(store, &filter, arena, list_out, err);

	if (rc != WF_GONE)
		return rc;
	wf_error_clear(err);
	rc = wf_store_history_end(store, &end, err);
	filter.after.retirements = end.retirements;
	return rc == WF_OK
		   ? wf_store_history(store, &filter, arena, list_out, err)
		   : rc;
}

static bool is_full(
    const struct wf_statistics *statistics, const struct wf_history_list *list)
{
	size_t bytes = 0;

	for (size_t i = 0; i < list->count; i++)
		bytes += list->rows[i].events.size;
	return list->count == statistics->page || bytes >= PAGE_BYTES;
}

static enum wf_rc fold_rows(struct wf_statistics *statistics,
    struct wf_store *store, const struct wf_history_list *list,
    struct wf_error *err)
{
	const struct wf_folding folding = { .engine = statistics->engine,
		.store = store,
		.known = statistics->known,
		.tally = statistics->tally,
		.from = wf_hour_of(wf_engine_now(statistics->engine) -
				   atomic_load(&statistics->keep_ms)) };
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < list->count; i++)
		rc = wf_fold_step(&folding, &list->rows[i], err);
	return rc;
}

static enum wf_rc write_rows(struct wf_statistics *statistics,
    struct wf_store *store, const struct wf_cursor *next,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_fold_row fold = statistics->fold;
	struct wf_statistic_list rows;
	enum wf_rc rc =
	    wf_tally_rows(statistics->tally, store, arena, &rows, err);

	fold.change++;
	fold.position = next->position;
	fold.case_number = next->number;
	fold.sequence = next->sequence;
	fold.retirements = next->retirements;
	fold.until = wf_engine_now(statistics->engine) + LEASE_MS;
	if (rc == WF_OK)
		rc = wf_store_move_fold(
		    store, &fold, rows.rows, rows.count, err);
	if (rc == WF_OK)
		statistics->fold = fold;
	return rc;
}

/* Nothing is known of what was written: reads on from the store. */
static void begin_anew(struct wf_statistics *statistics)
{
	statistics->leads = false;
	wf_known_times_forget(statistics->known);
}

static enum wf_rc count_page(struct wf_statistics *statistics,
    struct wf_store *store, struct wf_arena *arena,
    const struct wf_history_list *list, struct wf_error *err)
{
	enum wf_rc rc = fold_rows(statistics, store, list, err);

	if (rc == WF_OK)
		rc = write_rows(statistics, store, &list->next, arena, err);
	if (rc == WF_OK) {
		wf_process_counts_add(statistics->counts, statistics->tally,
		    wf_hour_of(wf_engine_now(statistics->engine)) - 1);
		atomic_fetch_add(&statistics->steps, list->count);
	} else {
		begin_anew(statistics);
	}
	wf_tally_reset(statistics->tally);
	return rc;
}

enum wf_rc wf_statistics_read(struct wf_statistics *statistics,
    struct wf_store *store, bool *more_out, struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_history_list list;
	struct wf_cursor at;
	bool leads;
	enum wf_rc rc = take_fold(statistics, store, &leads, err);

	wf_assert(statistics->magic == MAGIC);
	*more_out = false;
	if (rc != WF_OK || !leads)
		return rc;
	arena = wf_arena_new();
	rc = read_rows(statistics, store, arena, &list, err);
	at = cursor_of(&statistics->fold);
	/* Without rows, behind what was retired. */
	if (rc == WF_OK && wf_cursor_is_before(&at, &list.next)) {
		rc = count_page(statistics, store, arena, &list, err);
		*more_out = rc == WF_OK && is_full(statistics, &list);
	}
	wf_arena_free(&arena);
	/* Another one has read it meanwhile. */
	if (rc == WF_CONFLICT) {
		wf_error_clear(err);
		rc = WF_OK;
	}
	return rc;
}

enum wf_rc wf_statistics_are_complete(
    struct wf_store *store, bool *complete_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_fold_row fold;
	struct wf_cursor end;
	struct wf_cursor at;
	enum wf_rc rc = wf_store_history_end(store, &end, err);

	if (rc == WF_OK)
		rc = wf_store_fold(store, FOLD, arena, &fold, err);
	at = cursor_of(&fold);
	*complete_out = rc == WF_OK && !wf_cursor_is_before(&at, &end);
	wf_arena_free(&arena);
	return rc;
}

/* --- the thread ----------------------------------------------------------- */

static void sweep(struct wf_statistics *statistics, struct wf_store *store)
{
	int64_t monotonic = wf_monotonic_ms();
	int64_t before = wf_hour_of(wf_engine_now(statistics->engine) -
				    atomic_load(&statistics->keep_ms));

	if (!statistics->leads ||
	    (statistics->swept_at != 0 &&
		monotonic < statistics->swept_at + SWEEP_MS))
		return;
	statistics->swept_at = monotonic;
	/* What fails is done in a minute. */
	(void)(wf_store_sweep_statistics(store, before, SWEPT_ROWS, NULL) ==
	       WF_OK);
}

static bool is_ending(struct wf_statistics *statistics)
{
	bool ending;

	pthread_mutex_lock(&statistics->lock);
	ending = statistics->ending;
	pthread_mutex_unlock(&statistics->lock);
	return ending;
}

static void run_round(struct wf_statistics *statistics)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	bool more = true;
	enum wf_rc rc;

	if (atomic_load(&statistics->keep_ms) == 0)
		return;
	rc = wf_engine_borrow(statistics->engine, &store, &err);
	if (rc != WF_OK)
		return;
	while (rc == WF_OK && more && !is_ending(statistics))
		rc = wf_statistics_read(statistics, store, &more, &err);
	if (rc == WF_OK)
		sweep(statistics, store);
	else
		atomic_fetch_add(&statistics->failures, 1);
	wf_engine_give_back(statistics->engine, store);
}

/* Until that time, or, for news, something is new. */
static void pause_until(
    struct wf_statistics *statistics, int64_t until, bool for_news)
{
	while (!statistics->ending && !(for_news && statistics->woken) &&
	       wf_wait_until(&statistics->wake, &statistics->lock, until))
		;
}

/* So that another need not wait until the lease ends. */
static void release(struct wf_statistics *statistics)
{
	struct wf_fold_row fold = statistics->fold;
	struct wf_store *store;

	if (!statistics->leads || fold.change == 0 ||
	    wf_engine_borrow(statistics->engine, &store, NULL) != WF_OK)
		return;
	fold.change++;
	fold.until = 0;
	(void)(wf_store_move_fold(store, &fold, NULL, 0, NULL) == WF_OK);
	statistics->leads = false;
	wf_engine_give_back(statistics->engine, store);
}

static void *run(void *argument)
{
	struct wf_statistics *statistics = argument;

	pthread_mutex_lock(&statistics->lock);
	while (!statistics->ending) {
		int64_t now;

		statistics->woken = false;
		pthread_mutex_unlock(&statistics->lock);
		run_round(statistics);
		now = wf_monotonic_ms();
		pthread_mutex_lock(&statistics->lock);
		pause_until(statistics, now + PAUSE_MS, false);
		pause_until(statistics, now + TICK_MS, true);
	}
	pthread_mutex_unlock(&statistics->lock);
	release(statistics);
	return NULL;
}

enum wf_rc wf_statistics_start(
    struct wf_statistics *statistics, struct wf_error *err)
{
	wf_assert(statistics->magic == MAGIC && !statistics->has_thread);
	if (pthread_create(&statistics->thread, NULL, run, statistics) != 0)
		return wf_fail(
		    err, WF_UNAVAILABLE, "no thread for the statistics");
	statistics->has_thread = true;
	return WF_OK;
}

void wf_statistics_wake(struct wf_statistics *statistics)
{
	pthread_mutex_lock(&statistics->lock);
	if (!statistics->woken)
		pthread_cond_signal(&statistics->wake);
	statistics->woken = true;
	pthread_mutex_unlock(&statistics->lock);
}

void wf_statistics_stop(struct wf_statistics *statistics)
{
	if (statistics == NULL || !statistics->has_thread)
		return;
	pthread_mutex_lock(&statistics->lock);
	statistics->ending = true;
	pthread_cond_signal(&statistics->wake);
	pthread_mutex_unlock(&statistics->lock);
	pthread_join(statistics->thread, NULL);
	statistics->has_thread = false;
}
