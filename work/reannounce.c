/* SPDX-License-Identifier: Apache-2.0 */
#include "work/reannounce.h"

#include <pthread.h>

#include "base/panic.h"

/* Items are read and announced in pages of this size. */
#define PAGE 256U

/* One page at a time: the next is read when the engine has answered for all. */
struct round {
	struct wf_engine *engine;
	const char *actor;
	const char *origin;
	pthread_mutex_t lock;
	pthread_cond_t over;
	size_t waiting;
	size_t done;
};

static void take_reply(void *context, const struct wf_reply *reply)
{
	struct round *round = context;

	pthread_mutex_lock(&round->lock);
	wf_assert(round->waiting > 0);
	round->done += reply->rc == WF_OK;
	if (--round->waiting == 0)
		pthread_cond_signal(&round->over);
	pthread_mutex_unlock(&round->lock);
}

static void announce_row(struct round *round, const struct wf_item_row *row)
{
	struct wf_request request = { .kind = WF_REQUEST_ANNOUNCE,
		.namespace_id = row->namespace_id,
		.number = row->number,
		.announce = { .item = row->id },
		.actor = round->actor,
		.origin = round->origin };

	pthread_mutex_lock(&round->lock);
	round->waiting++;
	pthread_mutex_unlock(&round->lock);
	if (wf_engine_submit(
		round->engine, &request, take_reply, round, NULL) == WF_OK)
		return;
	pthread_mutex_lock(&round->lock);
	round->waiting--;
	pthread_mutex_unlock(&round->lock);
}

static void announce_page(struct round *round, const struct wf_item_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		announce_row(round, &list->rows[i]);
	pthread_mutex_lock(&round->lock);
	while (round->waiting > 0)
		pthread_cond_wait(&round->over, &round->lock);
	pthread_mutex_unlock(&round->lock);
}

static enum wf_rc read_page(struct wf_engine *engine,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc == WF_OK) {
		rc = wf_store_items(store, filter, arena, list, err);
		wf_engine_give_back(engine, store);
	}
	return rc;
}

enum wf_rc wf_reannounce(struct wf_engine *engine,
    struct wf_item_filter *filter, const char *actor, const char *origin,
    size_t *done_out, struct wf_error *err)
{
	struct round round = {
		.engine = engine, .actor = actor, .origin = origin
	};
	/* Also holds the page's position, filter->after_id. */
	struct wf_arena *arena = wf_arena_new();
	struct wf_item_list list = { .count = PAGE };
	size_t left = filter->limit == 0 ? SIZE_MAX : filter->limit;
	enum wf_rc rc = WF_OK;

	pthread_mutex_init(&round.lock, NULL);
	pthread_cond_init(&round.over, NULL);
	while (list.count == PAGE && left > 0) {
		filter->limit = left < PAGE ? left : PAGE;
		rc = read_page(engine, filter, arena, &list, err);
		if (rc != WF_OK || list.count == 0)
			break;
		announce_page(&round, &list);
		left -= list.count;
		filter->after_number = list.rows[list.count - 1].number;
		filter->after_id = list.rows[list.count - 1].id;
	}
	*done_out = round.done;
	wf_assert(round.waiting == 0); /* else a reply would write to it */
	pthread_cond_destroy(&round.over);
	pthread_mutex_destroy(&round.lock);
	wf_arena_free(&arena);
	filter->after_id = NULL;
	return rc;
}

enum wf_rc wf_reannounce_waiting(struct wf_engine *engine,
    uint32_t namespace_id, const char *service, size_t most, const char *actor,
    const char *origin, struct wf_error *err)
{
	struct wf_item_filter filter = { .namespace_id = namespace_id,
		.service = service,
		.statuses = (1U << WF_ITEM_ENABLED) | (1U << WF_ITEM_FIRED),
		.limit = most };
	size_t done;

	return wf_reannounce(engine, &filter, actor, origin, &done, err);
}
