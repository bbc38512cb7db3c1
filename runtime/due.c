/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is due: claimed in the store, and given to the shards.
 *
 * A claim grows the row's count of attempts before the command is tried, and
 * the batch of its step removes the row.  So a row that was claimed again and
 * again has killed an engine each time: it is not tried once more.
 *
 *   REQUEST  a request in bytes
 *   SEARCH   an OR-join that was too hard for a step: searched for here,
 *            outside any step, and its verdict is a command to the case
 */
#include "runtime/shard.h"

#include <string.h>

/* In flight at the same time, and claimed at once. */
#define IN_FLIGHT 1024U
#define AT_ONCE 128U
/* How often other nodes' changes to specifications are asked for. */
#define REFRESH 1000
#define ANSWER_MAXIMUM ((size_t)16 << 20)

static bool is_in_flight(struct wf_engine *engine, const struct wf_due_row *row)
{
	bool found = false;

	pthread_mutex_lock(&engine->lock);
	for (const struct pending *at = engine->due; at != NULL && !found;
	     at = at->next_due)
		found = at->due_number == row->number &&
			strcmp(at->due, row->name) == 0;
	pthread_mutex_unlock(&engine->lock);
	return found;
}

void wf_due_over(struct wf_engine *engine, struct pending *pending)
{
	pthread_mutex_lock(&engine->lock);
	for (struct pending **at = &engine->due; *at != NULL;
	     at = &(*at)->next_due)
		if (*at == pending) {
			*at = pending->next_due;
			engine->due_count--;
			break;
		}
	pthread_mutex_unlock(&engine->lock);
}

void wf_due_wake(struct wf_engine *engine)
{
	pthread_mutex_lock(&engine->lock);
	engine->due_told = true;
	pthread_cond_signal(&engine->due_wake);
	pthread_mutex_unlock(&engine->lock);
}

static void submit(struct wf_engine *engine, const struct wf_due_row *row,
    const struct wf_request *request, bool poisoned, bool undecidable)
{
	struct pending *pending = wf_pending_new(request, engine->node, 0, row);
	struct shard *shard = wf_shard_of(engine, request->number);
	enum wf_rc rc;

	pending->poisoned = poisoned;
	pending->undecidable = undecidable;
	pthread_mutex_lock(&engine->lock);
	pending->next_due = engine->due;
	engine->due = pending;
	engine->due_count++;
	pthread_mutex_unlock(&engine->lock);
	/* Their number is bounded, the queue need not be asked. */
	rc = wf_shard_submit(shard, pending, true, NULL);
	(void)rc;
}

/* --- searches ------------------------------------------------------------- */

struct searching {
	const char *item;
	struct wf_buffer answer;
	struct wf_error err;
	enum wf_rc rc;
};

static void search(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct searching *searching = context;

	(void)stored;
	searching->rc = wf_case_search(
	    instance, searching->item, &searching->answer, &searching->err);
}

static void search_for(struct wf_engine *engine, const struct wf_due_row *row,
    struct wf_request *request, struct searching *searching)
{
	wf_buffer_init(&searching->answer, ANSWER_MAXIMUM);
	searching->item = request->item;
	atomic_fetch_add(&engine->searches, 1);
	if (wf_engine_look(engine, row->number, search, searching,
		&searching->err) != WF_OK)
		searching->rc = WF_NOT_FOUND;
	request->data = wf_buffer_text(&searching->answer);
	request->length = searching->answer.length;
}

/*
 * The verdict is submitted even if there is none: it is refused, and so it
 * becomes an incident, or nothing when it is not asked for any more.
 */
static void do_search(struct wf_engine *engine, const struct wf_due_row *row,
    struct wf_arena *arena, bool poisoned)
{
	struct searching searching = { .rc = WF_OK };
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = WF_COMMAND_DECIDE,
		.namespace_id = row->namespace_id,
		.number = row->number,
		.origin = "search" };

	request.item =
	    wf_arena_strndup(arena, row->payload.data, row->payload.size);
	if (!poisoned)
		search_for(engine, row, &request, &searching);
	submit(engine, row, &request, poisoned, searching.rc == WF_LIMIT);
	if (!poisoned)
		wf_buffer_free(&searching.answer);
}

/* --- claiming ------------------------------------------------------------- */

static void do_row(struct wf_engine *engine, const struct wf_due_row *row,
    struct wf_arena *arena)
{
	bool poisoned = row->attempts > WF_DUE_ATTEMPTS;
	struct wf_request request = { .kind = WF_REQUEST_COMMAND };
	struct wf_error err = { .rc = WF_OK };

	if (is_in_flight(engine, row))
		return;
	if (row->kind == WF_DUE_SEARCH) {
		do_search(engine, row, arena, poisoned);
		return;
	}
	if (row->kind != WF_DUE_REQUEST ||
	    wf_request_decode(&request, row->payload, arena, &err) != WF_OK) {
		memset(&request, 0, sizeof(request));
		request.kind = WF_REQUEST_COMMAND;
		request.number = row->number;
		request.namespace_id = row->namespace_id;
		/* Nobody can do this: it is refused, and so an incident. */
		request.command =
		    row->number == 0 ? WF_COMMAND_LAUNCH : WF_COMMAND_START;
		request.item = row->name;
	}
	submit(engine, row, &request, poisoned, false);
}

static size_t room(struct wf_engine *engine)
{
	size_t count;

	pthread_mutex_lock(&engine->lock);
	count = engine->due_count;
	pthread_mutex_unlock(&engine->lock);
	if (count >= IN_FLIGHT)
		return 0;
	return IN_FLIGHT - count < AT_ONCE ? IN_FLIGHT - count : AT_ONCE;
}

static void refresh(struct wf_engine *engine, struct wf_store *store)
{
	int64_t now = wf_engine_now(engine);
	enum wf_rc rc;

	if (now - engine->refreshed_at < REFRESH && now >= engine->refreshed_at)
		return;
	engine->refreshed_at = now;
	rc = wf_specs_refresh(engine->specs, store, NULL);
	(void)rc; /* asked again a moment later */
}

bool wf_due_turn(struct wf_engine *engine)
{
	int64_t now = wf_engine_now(engine);
	struct wf_due_list list = { NULL, 0 };
	struct wf_store *store;
	struct wf_arena *arena;
	size_t limit = room(engine);

	if (limit == 0 || wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return false;
	arena = wf_arena_new();
	refresh(engine, store);
	if (wf_store_claim_due(store, now, now + WF_DUE_LEASE, limit, arena,
		&list, NULL) != WF_OK)
		list.count = 0;
	wf_engine_give_back(engine, store);
	for (size_t i = 0; i < list.count; i++)
		do_row(engine, &list.rows[i], arena);
	wf_arena_free(&arena);
	return list.count > 0;
}

int64_t wf_engine_next_due(struct wf_engine *engine)
{
	int64_t at = INT64_MAX;
	struct wf_store *store;

	if (wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return INT64_MAX;
	if (wf_store_next_due(store, &at, NULL) != WF_OK)
		at = INT64_MAX;
	wf_engine_give_back(engine, store);
	return at;
}
