/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server counts of itself, and what it last read of its store's queues.
 *
 * Several collectors may read metrics every few seconds; so the queues
 * of the store are counted at most once a second, for all of them.
 */
#include "base/panic.h"
#include "server/context.h"

/* What is read of the store is valid for so long, milliseconds. */
#define BACKLOG_KEPT_MS 1000
/* What there is more of is counted so far; so a count takes milliseconds. */
#define BACKLOG_MAXIMUM 100000U
/* Items of each task are counted for so long. */
#define ITEMS_KEPT_MS 30000
/* With more requests waiting, nothing is counted that takes long. */
#define WAITING_MAXIMUM 16

void wf_server_count_answer(
    struct wf_server *server, unsigned status, int64_t microseconds)
{
	if (status == 0 || status >= WF_STATUSES) /* 0: never answered */
		return;
	pthread_mutex_lock(&server->lock);
	server->counts.statuses[status]++;
	wf_spread_add(&server->counts.times, (uint64_t)microseconds);
	pthread_mutex_unlock(&server->lock);
}

void wf_server_read_counts(
    struct wf_server *server, struct wf_server_counts *counts_out)
{
	pthread_mutex_lock(&server->lock);
	*counts_out = server->counts;
	pthread_mutex_unlock(&server->lock);
}

bool wf_server_backlog_is_stale(struct wf_server *server)
{
	int64_t now = wf_engine_now(server->engine);
	bool stale;

	pthread_mutex_lock(&server->lock);
	stale = now < server->backlog_at ||
		now >= server->backlog_at + BACKLOG_KEPT_MS;
	pthread_mutex_unlock(&server->lock);
	return stale;
}

bool wf_server_has_readers(struct wf_server *server)
{
	wf_assert(server->pool != NULL);
	return wf_pool_waiting(server->pool) <= WAITING_MAXIMUM;
}

/* It reads more rows than the other counts, so it is done less often. */
static enum wf_rc count_items(
    struct wf_server *server, struct wf_store *store, struct wf_error *err)
{
	int64_t now = wf_engine_now(server->engine);
	bool stale;

	pthread_mutex_lock(&server->lock);
	stale =
	    now < server->items_at || now >= server->items_at + ITEMS_KEPT_MS;
	if (stale)
		server->items_at = now;
	pthread_mutex_unlock(&server->lock);
	return stale ? wf_process_counts_items(
			   wf_statistics_counts(server->statistics), store,
			   BACKLOG_MAXIMUM, err)
		     : WF_OK;
}

void wf_server_read_backlog(struct wf_server *server)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store_backlog backlog;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, &err);

	if (rc == WF_OK) {
		rc = count_items(server, store, &err);
		if (rc == WF_OK)
			rc = wf_store_backlog(
			    store, BACKLOG_MAXIMUM, &backlog, &err);
		wf_engine_give_back(server->engine, store);
	}
	pthread_mutex_lock(&server->lock);
	server->counts.has_backlog = rc == WF_OK;
	if (rc == WF_OK)
		server->counts.backlog = backlog;
	server->backlog_at = wf_engine_now(server->engine);
	pthread_mutex_unlock(&server->lock);
}
