/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is due: claimed in the store, and given to the shards.
 *
 *   claimed ──► waits ──► [an OR-join is searched for] ──► a shard tries it
 *                 │ a suspect, until no other is tried; then its trial is
 *                 ▼ counted in the store
 *               the claim is over: it is forgotten here, and claimed again
 *
 * The turns for what is due also do what has to be done now and then.
 */
#include "runtime/shard.h"

#include <string.h>

/* In flight at the same time, in all and in bytes, and claimed at once. */
#define IN_FLIGHT 1024U
#define IN_FLIGHT_BYTES ((size_t)64 << 20)
#define AT_ONCE 64U
/* What could not even be tried is claimed again after so long. */
#define SPARED_PAUSE 1000
/* How often other nodes' changes to specifications are asked for. */
#define REFRESH 1000
/* Old answers are forgotten so many at once, and looked for so often. */
#define FORGET 1000U
#define FORGET_PAUSE 60000

/* --- those in flight ------------------------------------------------------ */

static void add(struct wf_engine *engine, struct due_command *due)
{
	pthread_mutex_lock(&engine->lock);
	due->next = NULL;
	*engine->last_due_command = due;
	engine->last_due_command = &due->next;
	engine->due_count++;
	engine->due_bytes += due->size;
	pthread_mutex_unlock(&engine->lock);
}

static bool is_in_flight(struct wf_engine *engine, const struct wf_due_row *row)
{
	bool found = false;

	pthread_mutex_lock(&engine->lock);
	for (const struct due_command *at = engine->due_commands;
	     at != NULL && !found; at = at->next)
		found = at->row.number == row->number &&
			strcmp(at->row.name, row->name) == 0;
	pthread_mutex_unlock(&engine->lock);
	return found;
}

/* The engine's lock is held. */
static void forget_due_command(
    struct wf_engine *engine, struct due_command *due)
{
	struct due_command **at = &engine->due_commands;

	while (*at != due)
		at = &(*at)->next;
	*at = due->next;
	if (due->next == NULL)
		engine->last_due_command = at;
	engine->due_count--;
	engine->due_bytes -= due->size;
	wf_due_command_free(&due);
}

/* The store failed, and nobody died. */
static bool is_no_trial(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_IO || rc == WF_LOST;
}

void wf_due_over(
    struct wf_engine *engine, struct due_command *due, enum wf_rc rc)
{
	bool trial;

	pthread_mutex_lock(&engine->lock);
	trial = engine->trial == due;
	if (trial && is_no_trial(rc))
		due->state = DUE_SPARED;
	else
		forget_due_command(engine, due);
	if (trial) {
		engine->trial = NULL;
		engine->due_told = true;
		pthread_cond_signal(&engine->due_wake);
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

static size_t room(struct wf_engine *engine)
{
	size_t count;
	size_t bytes;

	pthread_mutex_lock(&engine->lock);
	count = engine->due_count;
	bytes = engine->due_bytes;
	pthread_mutex_unlock(&engine->lock);
	if (count >= IN_FLIGHT || bytes >= IN_FLIGHT_BYTES)
		return 0;
	return IN_FLIGHT - count < AT_ONCE ? IN_FLIGHT - count : AT_ONCE;
}

/* --- trying --------------------------------------------------------------- */

void wf_due_submit(struct wf_engine *engine, struct due_command *due,
    const struct wf_request *request)
{
	struct pending *pending =
	    wf_pending_new(request, engine->opening, 0, due);

	pthread_mutex_lock(&engine->lock);
	due->state = DUE_TRIED;
	pthread_mutex_unlock(&engine->lock);
	wf_shard_submit_due(wf_shard_of(engine, request->number), pending);
}

/* What cannot be told is only refused. */
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

/* For a person to read. */
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

/* To write a due row takes the case. */
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

/* Writes what has become of it so far; nobody else claims it until then. */
static enum wf_rc write_item_history(struct wf_engine *engine,
    struct due_command *due, const struct wf_due_attempts *past, int64_t until)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_due_write write = { .row = due->row };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, NULL);

	if (rc == WF_OK) {
		write.row.at = until;
		write.row.payload =
		    wf_due_command_payload(past, due->body, arena);
		rc = write_row(store, &write);
		wf_engine_give_back(engine, store);
	}
	if (rc == WF_OK) {
		due->past = *past;
		due->until = until;
	}
	wf_arena_free(&arena);
	return rc;
}

/* Before it is tried: should the engine die, the trial is counted. */
static bool count_trial(struct wf_engine *engine, struct due_command *due)
{
	int64_t now = wf_engine_now(engine);
	struct wf_due_attempts past = due->past;

	if (past.attempts == 0)
		past.first_at = now;
	past.attempts = due->attempts;
	past.trials++;
	return write_item_history(
		   engine, due, &past, now + WF_DUE_COMMAND_LEASE_MS) == WF_OK;
}

/*
 * It is claimed again soon.  False: that could not be written; if it never
 * can, that is a trial too many.
 */
static bool take_trial_back(struct wf_engine *engine, struct due_command *due)
{
	int64_t now = wf_engine_now(engine);
	struct wf_due_attempts past = due->past;
	enum wf_rc rc = WF_OK;

	past.attempts--;
	past.trials--;
	/* Later it may be somebody else's. */
	if (now < due->until)
		rc = write_item_history(engine, due, &past, now + SPARED_PAUSE);
	return rc == WF_OK;
}

/* False: not now. */
static bool prepare(struct wf_engine *engine, struct due_command *due)
{
	if (due->refusal.rc != WF_OK || !wf_due_command_is_suspect(due))
		return true;
	if (due->past.trials >= WF_DUE_COMMAND_TRIALS) {
		due->attempts--; /* this is none */
		(void)wf_fail(&due->refusal, WF_BUG,
		    "%u attempts have ended with the death of the engine",
		    due->attempts);
		return true;
	}
	if (!count_trial(engine, due))
		return false;
	pthread_mutex_lock(&engine->lock);
	engine->trial = due;
	pthread_mutex_unlock(&engine->lock);
	return true;
}

static void start(struct wf_engine *engine, struct due_command *due)
{
	if (due->row.kind != WF_DUE_SEARCH || due->refusal.rc != WF_OK) {
		submit_request(engine, due);
		return;
	}
	pthread_mutex_lock(&engine->lock);
	due->state = DUE_SEARCHED;
	pthread_cond_signal(&engine->search_wake);
	pthread_mutex_unlock(&engine->lock);
}

/* The first behind a waiting one (NULL: of all) that can be dealt with. */
static struct due_command *next(
    struct wf_engine *engine, const struct due_command *behind, int64_t now)
{
	struct due_command *at;

	pthread_mutex_lock(&engine->lock);
	at = behind == NULL ? engine->due_commands : behind->next;
	for (; at != NULL; at = at->next)
		if (at->state == DUE_SPARED ||
		    (at->state == DUE_WAITS &&
			(engine->trial == NULL || now >= at->until ||
			    !wf_due_command_is_suspect(at))))
			break;
	pthread_mutex_unlock(&engine->lock);
	return at;
}

static bool try_all(struct wf_engine *engine)
{
	const struct due_command *waiting = NULL;
	int64_t now = wf_engine_now(engine);
	struct due_command *due;
	bool done = false;

	while ((due = next(engine, waiting, now)) != NULL) {
		bool spared = due->state == DUE_SPARED;

		if (spared && !take_trial_back(engine, due)) {
			waiting = due;
			continue;
		}
		if (spared || now >= due->until) {
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
	size_t limit = room(engine);
	struct wf_arena *arena;
	int64_t earliest;

	if (limit == 0 || wf_store_next_due(store, &earliest, NULL) != WF_OK ||
	    earliest > now)
		return false;
	arena = wf_arena_new();
	if (wf_store_claim_due(store, now, until, limit, arena, &list, NULL) !=
	    WF_OK)
		list.count = 0;
	for (size_t i = 0; i < list.count; i++)
		if (!is_in_flight(engine, &list.rows[i]))
			add(engine, wf_due_command_new(&list.rows[i], until));
	wf_arena_free(&arena);
	return list.count > 0;
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

/* Few at a time, so that it is in nobody's way; the sooner if there are more.
 */
static bool forget(struct wf_engine *engine, struct wf_store *store)
{
	int64_t now = wf_engine_now(engine);
	size_t count = 0;

	if (now - engine->forgot_at < FORGET_PAUSE && now >= engine->forgot_at)
		return false;
	if (wf_store_forget_answers(store, now - engine->settings.answers_kept,
		FORGET, &count, NULL) != WF_OK ||
	    count < FORGET)
		engine->forgot_at = now;
	return count > 0;
}

bool wf_due_turn(struct wf_engine *engine)
{
	struct wf_store *store;
	bool done;

	if (wf_engine_borrow(engine, &store, NULL) != WF_OK)
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
