/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The turn for what is due: claims due rows in the store and has them tried.
 *
 *   1. claim()    rows that are due become due commands (due_claimed.c)
 *   2. prepare()  one that may be deadly waits until no other is isolated;
 *                 then its isolated attempt is counted in the store
 *   3. start()    a shard gets the command, or search.c the OR-join
 *   4. the shard ends it with wf_due_over()
 *
 * A command whose claim ends before it could be tried is forgotten here and
 * claimed again.  The same turn forgets old answers, asks the store for changes
 * of specifications, and writes that this node lives.
 */
#include "runtime/shard.h"

#include "base/panic.h"
#include "persistence/nodes.h"

/* A returned command is claimed again after this time. */
#define RETURN_PAUSE_MS 1000
/* Between two questions for changes that other engines made to specifications.
 */
#define REFRESH_PAUSE_MS 1000
/* Between two writings of the record of this node. */
#define NODE_PAUSE_MS (WF_NODE_LEASE_MS / 4)
/* Old answers are forgotten in portions, with a pause when there are no more.
 */
/* An upload without a new block for so long was given up. */
#define UPLOAD_MS 3600000
/* Files that were added before a case that was never started. */
#define KEPT_MS INT64_C(86400000)
#define FORGET_COUNT 1000U
#define FORGET_PAUSE_MS 60000

/* --- trying --------------------------------------------------------------- */

void wf_due_submit(struct wf_engine *engine, struct due_command *due,
    const struct wf_request *request)
{
	struct pending *pending =
	    wf_pending_new(request, engine->opening, 0, due);

	wf_due_try(engine, due);
	wf_shard_submit_due(wf_shard_of(engine, request->number), pending);
}

/* A command that cannot be decoded is submitted only to be refused. */
static enum wf_rc read_request(
    struct due_command *due, struct wf_request *request, struct wf_arena *arena)
{
	struct wf_error *err = &due->refusal;
	enum wf_rc rc = WF_OK;

	if (due->row.kind == WF_DUE_REQUEST && due->body.data != NULL)
		rc = wf_request_decode(request, due->body, arena, err);
	else if (due->row.kind == WF_DUE_REQUEST)
		rc = err->rc;
	else
		rc = wf_fail(err, WF_CORRUPT,
		    "a due command is of the unknown kind %u", due->row.kind);
	return rc;
}

/* The item that the incident of a damaged command names, for people. */
static const char *item_of(
    const struct due_command *due, struct wf_arena *arena)
{
	if (due->row.kind != WF_DUE_SEARCH || due->body.data == NULL)
		return due->row.name;
	return wf_arena_strndup(arena, due->body.data, due->body.size);
}

static void submit_request(struct wf_engine *engine, struct due_command *due)
{
	const struct wf_due_row *row = &due->row;
	struct wf_arena *arena = wf_arena_new();
	struct wf_request request;

	if (read_request(due, &request, arena) != WF_OK)
		request = (struct wf_request){ .kind = WF_REQUEST_COMMAND,
			.command = { .kind = row->number == 0
						 ? WF_COMMAND_LAUNCH
						 : WF_COMMAND_START,
			    .item = item_of(due, arena) },
			.number = row->number == 0 ? wf_start_number(row->name)
						   : row->number,
			.namespace_id = row->namespace_id };
	wf_due_submit(engine, due, &request);
	wf_arena_free(&arena);
}

/*
 * Writes a due row in a transaction of its own, which must take the case.
 * WF_UNAVAILABLE when another batch has the case.
 */
static enum wf_rc write_row(
    struct wf_store *store, const struct wf_due_write *write)
{
	struct wf_take take = { .number = write->row.number,
		.state = WF_TAKE_TAKEN };
	struct wf_batch batch = { .takes = &take,
		.take_count = write->row.number != 0 };
	struct wf_writes writes = { .due = write, .due_count = 1 };
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc = wf_store_begin(store, &batch, arena, NULL);

	if (rc == WF_OK && take.state <= WF_TAKE_QUARANTINED) {
		rc = wf_store_commit(store, &writes, NULL, NULL);
	} else if (rc == WF_OK) {
		wf_store_abort(store);
		rc = take.state == WF_TAKE_SKIPPED ? WF_UNAVAILABLE : WF_OK;
	}
	wf_arena_free(&arena);
	return rc;
}

/*
 * Stores the attempts so far with the due row, and prolongs the claim until
 * that time (milliseconds since 1970).
 */
static enum wf_rc write_attempts(struct wf_engine *engine,
    struct due_command *due, const struct wf_due_attempts *earlier,
    int64_t until)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_due_write write = { .row = due->row };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, NULL);

	if (rc == WF_OK) {
		write.row.at = until;
		write.row.payload =
		    wf_due_command_payload(earlier, due->body, arena);
		rc = write_row(store, &write);
		wf_engine_give_back(engine, store);
	}
	if (rc == WF_OK) {
		due->earlier = *earlier;
		due->until = until;
	}
	wf_arena_free(&arena);
	return rc;
}

/* Before the attempt, so that it counts if the engine crashes. */
static bool count_isolated(struct wf_engine *engine, struct due_command *due)
{
	int64_t now = wf_engine_now(engine);
	struct wf_due_attempts earlier = due->earlier;

	if (earlier.attempts == 0)
		earlier.first_at = now;
	earlier.attempts = due->attempts;
	earlier.isolated++;
	return write_attempts(engine, due, &earlier,
		   now + WF_DUE_COMMAND_LEASE_MS) == WF_OK;
}

/*
 * The isolated attempt did not take place: it is not counted, and the row is
 * claimed again soon.  False when that could not be stored; if it never can
 * be, one isolated attempt too many has been counted.
 */
static bool uncount_isolated(struct wf_engine *engine, struct due_command *due)
{
	int64_t now = wf_engine_now(engine);
	struct wf_due_attempts earlier = due->earlier;
	enum wf_rc rc = WF_OK;

	wf_assert(due->state == DUE_RETURNED);
	wf_assert(earlier.isolated > 0);
	/* 0: the column was damaged; no checksum covers it. */
	if (earlier.attempts > 0)
		earlier.attempts--;
	earlier.isolated--;
	/* After the claim another engine may have it. */
	if (now < due->until)
		rc = write_attempts(
		    engine, due, &earlier, now + RETURN_PAUSE_MS);
	return rc == WF_OK;
}

/* Whether the command may be tried now. */
static bool prepare(struct wf_engine *engine, struct due_command *due)
{
	if (due->refusal.rc != WF_OK || !wf_due_command_may_be_deadly(due))
		return true;
	if (due->earlier.isolated >= WF_DUE_COMMAND_ISOLATED_MAXIMUM) {
		due->attempts--; /* it is refused without an attempt */
		(void)wf_fail(&due->refusal, WF_BUG,
		    "%u attempts have ended with the death of the engine",
		    due->attempts);
		return true;
	}
	if (!count_isolated(engine, due))
		return false;
	wf_due_isolate(engine, due);
	return true;
}

static void start(struct wf_engine *engine, struct due_command *due)
{
	if (due->row.kind != WF_DUE_SEARCH || due->refusal.rc != WF_OK) {
		submit_request(engine, due);
		return;
	}
	wf_due_search(engine, due);
}

static bool try_all(struct wf_engine *engine)
{
	const struct due_command *waiting = NULL;
	int64_t now = wf_engine_now(engine);
	struct due_command *due;
	bool done = false;

	while ((due = wf_due_next(engine, waiting, now)) != NULL) {
		bool returned = due->state == DUE_RETURNED;

		if (returned && !uncount_isolated(engine, due)) {
			waiting = due;
			continue;
		}
		if (returned || now >= due->until) {
			wf_due_over(engine, due, WF_OK);
		} else if (prepare(engine, due)) {
			start(engine, due);
		} else {
			waiting = due;
			continue;
		}
		done = true;
	}
	return done;
}

/* --- turns ---------------------------------------------------------------- */

static bool claim(struct wf_engine *engine, struct wf_store *store)
{
	int64_t now = wf_engine_now(engine);
	int64_t until = now + WF_DUE_COMMAND_LEASE_MS;
	struct wf_due_list list = { NULL, 0 };
	size_t limit = wf_due_room(engine);
	struct wf_arena *arena;
	int64_t earliest;

	if (limit == 0 || wf_store_next_due(store, &earliest, NULL) != WF_OK ||
	    earliest > now)
		return false;
	arena = wf_arena_new();
	/* Until they are added, the store alone has them, and not as due. */
	atomic_store(&engine->claiming, true);
	if (wf_store_claim_due(store, now, until, limit, arena, &list, NULL) !=
	    WF_OK)
		list.count = 0;
	wf_assert(list.count <= limit);
	for (size_t i = 0; i < list.count; i++)
		wf_due_add(engine, &list.rows[i], until);
	atomic_store(&engine->claiming, false);
	wf_arena_free(&arena);
	return list.count > 0;
}

/* No more requests: the next program knows what they are done with. */
static void supersede(struct wf_engine *engine, const struct wf_error *err)
{
	const struct wf_notice notice = { .kind = WF_NOTICE_SUPERSEDED,
		.text = err->message };

	atomic_store(&engine->superseded, true);
	if (engine->settings.notice != NULL)
		engine->settings.notice(engine->settings.context, &notice);
}

/* Writes that this node lives; reads whether a version was finished. */
static void stay(struct wf_engine *engine, struct wf_store *store, int64_t now)
{
	struct wf_error err = { .rc = WF_OK };
	uint32_t finished = atomic_load(&engine->finished);

	if (now - engine->seen_at >= NODE_PAUSE_MS || now < engine->seen_at) {
		if (wf_node_write(engine, store, &err) == WF_CONFLICT)
			supersede(engine, &err);
	} else if (finished < wf_store_known_version() &&
		   wf_store_finished_version(store, &finished, &err) == WF_OK) {
		atomic_store(&engine->finished, finished);
	}
	wf_error_clear(&err);
}

static void refresh(struct wf_engine *engine, struct wf_store *store)
{
	int64_t now = wf_engine_now(engine);
	enum wf_rc rc;

	if (now - engine->refreshed_at < REFRESH_PAUSE_MS &&
	    now >= engine->refreshed_at)
		return;
	engine->refreshed_at = now;
	rc = wf_specs_refresh(engine->specs, store, NULL);
	if (rc == WF_OK)
		rc = wf_indexes_refresh(engine->indexes, store, NULL);
	(void)rc; /* asked again a moment later */
	stay(engine, store, now);
}

/* A portion at a time, so that no other statement waits long. */
static bool forget(struct wf_engine *engine, struct wf_store *store)
{
	int64_t now = wf_engine_now(engine);
	size_t count = 0;

	if (now - engine->forgot_at < FORGET_PAUSE_MS &&
	    now >= engine->forgot_at)
		return false;
	if (wf_store_forget_answers(store,
		now - atomic_load(&engine->answers_kept_ms), FORGET_COUNT,
		&count, NULL) != WF_OK ||
	    count < FORGET_COUNT)
		engine->forgot_at = now;
	/* Uploads that nobody continues; the next turn tries again. */
	if (wf_store_sweep_documents(store, now - UPLOAD_MS, now - KEPT_MS,
		FORGET_COUNT, NULL) != WF_OK)
		return false;
	return count > 0;
}

bool wf_due_turn(struct wf_engine *engine)
{
	struct wf_store *store;
	bool done;

	if (atomic_load(&engine->superseded) ||
	    wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return false;
	refresh(engine, store);
	done = forget(engine, store);
	done |= claim(engine, store);
	wf_engine_give_back(engine, store);
	return try_all(engine) || done;
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
