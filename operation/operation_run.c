/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread: pages of subjects, which the record keeps while they are done.
 *
 *   record ─► commands ─► answered ─► the next page ─► outcomes ─┐
 *     ▲                                                          │
 *     └──────────────────────────────────────────────────────────┘
 *
 * The page of the record is done again after a crash; its commands have the
 * same keys, so they are answered, not done.  It comes to its end also when the
 * operation is paused or cancelled meanwhile: what is done has an outcome.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "operation/operation_priv.h"
#include "server/log.h"
#include "work/follower.h"

#define PAGE 1000U
#define LEASE_MS INT64_C(5000)
/* A command whose case has changed since it was tried is made again. */
#define TRIES 5U
/* Each examines twice as many markings as the one before. */
#define OPEN_TRIES 20U
#define BUSY_WAIT_MS 200
/* No case has made so many steps: only an earlier answer is asked for. */
#define NO_VERSION UINT64_MAX

struct wf_operations {
	struct wf_engine *engine;
	struct wf_follower *follower;
	uint64_t change;  /* up to which records were read */
	uint64_t *active; /* ids of operations that run, or may */
	uint32_t *namespaces;
	size_t count;
	size_t next; /* whose turn it is */
	/* Whose turn it was last, with the plans and markings that it has. */
	struct operation operation;
	struct commander commander;
	struct wf_log *log; /* NULL: none */
	uint64_t waiting; /* the operation that was logged as one that waits */
};

/* --- commands under way -------------------------------------------------- */

struct pending {
	pthread_mutex_t lock;
	pthread_cond_t landed;
	size_t waiting;
};

struct given {
	struct pending *pending;
	enum wf_rc rc;
	char text[sizeof(((struct wf_error *)NULL)->message)];
	uint64_t version;
	bool is_asked; /* it is refused, unless it was done already */
	bool is_undo;  /* the case must be as it was left */
	bool is_open;  /* the marking that it leads to is not known yet */
	bool is_late;  /* the case has changed since the command was tried */
};

/* Whether the answer says nothing about the case. */
static bool is_passing(enum wf_rc rc)
{
	return rc == WF_UNAVAILABLE || rc == WF_LOST || rc == WF_IO;
}

static void finish(struct pending *pending)
{
	pthread_mutex_lock(&pending->lock);
	pending->waiting--;
	pthread_cond_signal(&pending->landed);
	pthread_mutex_unlock(&pending->lock);
}

static void land(void *context, const struct wf_reply *reply)
{
	struct given *given = context;
	struct pending *pending = given->pending;

	if (given->is_asked && reply->rc != WF_OK && !is_passing(reply->rc)) {
		finish(pending);
		return;
	}
	given->rc = reply->rc;
	given->version = reply->sequence;
	given->is_open = reply->rc == WF_CONFLICT &&
			 strcmp(reply->error.code, WF_UNDECIDED_CODE) == 0;
	given->is_late = !given->is_undo && reply->rc == WF_CONFLICT &&
			 strcmp(reply->error.code, WF_CHANGED_CODE) == 0;
	snprintf(given->text, sizeof(given->text), "%s",
	    reply->rc == WF_OK ? "" : reply->error.message);
	finish(pending);
}

static void refuse(struct given *given, const struct wf_error *err)
{
	given->rc = err->rc;
	snprintf(given->text, sizeof(given->text), "%s", err->message);
}

static void give(struct commander *c, const struct subject *subject,
    struct given *given, struct wf_arena *arena)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_request request;

	given->is_open = false;
	given->is_late = false;
	given->is_undo = subject->version != 0;
	given->is_asked =
	    wf_command_make(c, subject, arena, &request, NULL, &err) != WF_OK;
	if (given->is_asked) {
		refuse(given, &err);
		if (is_passing(err.rc) || subject->number == 0)
			return;
		wf_error_clear(&err);
		request.version = NO_VERSION;
	}
	pthread_mutex_lock(&given->pending->lock);
	given->pending->waiting++;
	pthread_mutex_unlock(&given->pending->lock);
	if (wf_engine_submit(c->engine, &request, land, given, &err) == WF_OK)
		return;
	pthread_mutex_lock(&given->pending->lock);
	given->pending->waiting--;
	pthread_mutex_unlock(&given->pending->lock);
	if (!given->is_asked || is_passing(err.rc))
		refuse(given, &err);
}

static void wait_for_all(struct pending *pending)
{
	pthread_mutex_lock(&pending->lock);
	while (pending->waiting > 0)
		pthread_cond_wait(&pending->landed, &pending->lock);
	pthread_mutex_unlock(&pending->lock);
}

/* Whether the command must be given once more. */
static bool is_again(const struct given *given, unsigned tries)
{
	return is_passing(given->rc) ||
	       (given->is_open && tries < OPEN_TRIES) ||
	       (given->is_late && tries < TRIES);
}

/* Some have no answer, because of the store or of too many requests. */
static bool is_busy(const struct subjects *subjects, const struct given *given)
{
	for (size_t i = 0; i < subjects->count; i++)
		if (is_passing(given[i].rc))
			return true;
	return false;
}

/* Examines some of the markings that are not known. */
static void learn(struct commander *c, const struct subjects *subjects,
    const struct given *given, struct wf_arena *arena, size_t most)
{
	for (size_t i = 0; i < subjects->count && most > 0; i++)
		if (given[i].is_open) {
			wf_commander_learn(c, &subjects->rows[i], arena);
			most--;
		}
}

/* False: the server is stopping, and some have no answer. */
static bool give_all(struct wf_operations *ops, struct commander *c,
    const struct subjects *subjects, struct given *given,
    struct wf_arena *arena)
{
	struct pending pending = { .waiting = 0 };
	unsigned tries = 0;
	size_t open = subjects->count;

	pthread_mutex_init(&pending.lock, NULL);
	pthread_cond_init(&pending.landed, NULL);
	for (size_t i = 0; i < subjects->count; i++)
		given[i] =
		    (struct given){ .pending = &pending, .rc = WF_UNAVAILABLE };
	/* Most markings are alike: a few are examined, then all are tried. */
	while (open > 0 && !atomic_load(wf_follower_stopping(ops->follower))) {
		learn(c, subjects, given, arena,
		    (size_t)1 << (tries < OPEN_TRIES ? tries : OPEN_TRIES));
		for (size_t i = 0; i < subjects->count; i++)
			if (is_again(&given[i], tries) || tries == 0)
				give(c, &subjects->rows[i], &given[i], arena);
		wait_for_all(&pending);
		tries++;
		open = 0;
		for (size_t i = 0; i < subjects->count; i++)
			open += is_again(&given[i], tries);
		if (is_busy(subjects, given))
			wf_follower_pause(ops->follower, BUSY_WAIT_MS, false);
	}
	pthread_cond_destroy(&pending.landed);
	pthread_mutex_destroy(&pending.lock);
	return open == 0;
}

/* --- what is kept --------------------------------------------------------- */

static enum wf_rc write_outcomes(struct wf_store *store,
    const struct operation *o, const struct subjects *subjects,
    const struct given *given, struct wf_arena *arena, struct wf_error *err)
{
	struct wf_outcome_row *rows =
	    wf_arena_array(arena, subjects->count + 1, sizeof(*rows));

	for (size_t i = 0; i < subjects->count; i++) {
		const struct subject *subject = &subjects->rows[i];

		rows[i] = (struct wf_outcome_row){ .operation = o->id,
			.number = subject->number,
			.subject = subject->subject,
			.code = given[i].rc,
			.text = given[i].text,
			.version = given[i].version };
		/* Where it came from. */
		if (given[i].rc == WF_OK && o->kind == WF_OPERATION_MIGRATE)
			rows[i].text = wf_arena_printf(arena, "%016llx",
			    (unsigned long long)subject->specification);
	}
	return wf_store_put_outcomes(store, rows, subjects->count, err);
}

static void add_number(json_t *json, const char *member, size_t more)
{
	json_int_t before = json_integer_value(json_object_get(json, member));

	json_object_set_new(
	    json, member, json_integer(before + (json_int_t)more));
}

/* A page that is done, and the next one; each may be missing. */
struct progress {
	const struct subjects *done;
	const struct given *given;
	const struct subjects *next;
	const char
	    *failure; /* why there is no next one; NULL: that is the end */
};

static void count(json_t *json, const struct progress *progress)
{
	size_t done = 0;

	for (size_t i = 0; i < progress->done->count; i++)
		done += progress->given[i].rc == WF_OK;
	add_number(json, "examined", progress->done->examined);
	add_number(json, "done", done);
	add_number(json, "refused", progress->done->count - done);
	json_object_del(json, "page");
}

static bool is_in_state(const json_t *json, const char *state)
{
	return strcmp(json_string_value(json_object_get(json, "state")),
		   state) == 0;
}

static void end(json_t *json, const struct progress *progress)
{
	bool fails = progress->failure != NULL;

	if (fails)
		json_object_set_new(
		    json, "error", json_string(progress->failure));
	if (!is_in_state(json, "cancelled"))
		json_object_set_new(
		    json, "state", json_string(fails ? "failed" : "done"));
	/* The outcomes have them. */
	json_object_del(json, "cases");
}

/* Into a record that may have another state than before. */
static void note(json_t *json, const struct progress *progress, int64_t now)
{
	if (progress->done != NULL)
		count(json, progress);
	if (progress->next == NULL)
		end(json, progress);
	else if (is_in_state(json, "running"))
		wf_operation_put_page(json, progress->next);
	json_object_set_new(json, "changed", json_integer(now));
}

/* Of several writers, the one that is late reads again. */
static enum wf_rc save(struct wf_operations *ops, struct wf_store *store,
    struct operation *o, const struct progress *progress, struct wf_error *err)
{
	int64_t now = wf_engine_now(ops->engine);
	struct operation again;
	enum wf_rc rc;

	note(o->json, progress, now);
	rc = wf_operation_write(store, o, err);
	if (rc != WF_CONFLICT)
		return rc;
	wf_error_clear(err);
	rc = wf_operation_read(store, o->namespace_id, o->id, &again, err);
	if (rc != WF_OK)
		return rc;
	note(again.json, progress, now);
	rc = wf_operation_write(store, &again, err);
	wf_operation_drop(&again);
	return rc;
}

/* --- one page ------------------------------------------------------------- */

static size_t page_size(const struct operation *o)
{
	uint64_t rate = wf_operation_number(o, "rate");

	return rate == 0 || rate > PAGE ? PAGE : (size_t)rate;
}

/* Waits as long as the rate says that the page takes. */
static void keep_rate(struct wf_operations *ops, const struct operation *o,
    size_t count, int64_t began)
{
	uint64_t rate = wf_operation_number(o, "rate");
	int64_t left;

	if (rate == 0)
		return;
	left = (int64_t)(count * 1000 / rate) - (wf_monotonic_ms() - began);
	if (left > 0)
		wf_follower_pause(ops->follower, left, false);
}

/*
 * The page that the record has is done, if it has one; the next one is kept.
 * When the arguments do not fit any more, the operation has failed.
 */
static enum wf_rc turn_page(struct wf_operations *ops, struct wf_store *store,
    struct operation *o, const struct subjects *page, const struct given *given,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_error why = { .rc = WF_OK };
	struct subjects next;
	struct progress progress = { page, given, NULL, NULL };
	enum wf_rc rc = WF_OK;

	if (page == NULL || !page->is_last) {
		rc = wf_operation_select(
		    ops->engine, store, o, page_size(o), arena, &next, &why);
		if (is_passing(rc))
			return wf_fail(err, rc, "%s", why.message);
		if (rc == WF_OK)
			progress.next = &next;
		else
			progress.failure = why.message;
		rc = WF_OK;
	}
	if (page != NULL)
		rc = write_outcomes(store, o, page, given, arena, err);
	return rc == WF_OK ? save(ops, store, o, &progress, err) : rc;
}

/* Once for each operation that does not go on. */
static void log_waiting(struct wf_operations *ops, const struct operation *o,
    const struct wf_error *why)
{
	struct wf_log_line line;

	if (ops->waiting == o->id ||
	    !wf_log_begin(&line, ops->log, WF_LOG_WARNING, "operation_waits"))
		return;
	ops->waiting = o->id;
	wf_log_number(&line, "operation", o->id);
	wf_log_text(&line, "text", why->message);
	wf_log_end(&line);
}

/* False: the operation is not to go on now. */
static bool do_page(
    struct wf_operations *ops, struct wf_store *store, struct operation *o)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	int64_t began = wf_monotonic_ms();
	struct subjects page;
	struct given *given = NULL;
	bool has_page = wf_operation_page(o, arena, &page);
	bool is_answered = true;
	enum wf_rc rc = WF_OK;

	if (has_page) {
		given = wf_arena_array(arena, page.count + 1, sizeof(*given));
		is_answered =
		    give_all(ops, &ops->commander, &page, given, arena);
	}
	if (is_answered)
		rc = turn_page(
		    ops, store, o, has_page ? &page : NULL, given, arena, &err);
	/* A conflict: of three writers, one is late again. */
	if (rc != WF_OK && rc != WF_CONFLICT)
		log_waiting(ops, o, &err);
	else if (rc == WF_OK && is_answered) {
		ops->waiting = 0;
		keep_rate(ops, o, page.count, began);
	}
	wf_arena_free(&arena);
	return is_answered && rc == WF_OK;
}

/* --- which operations ----------------------------------------------------- */

static bool knows(
    const struct wf_operations *ops, const struct wf_record_row *row)
{
	for (size_t i = 0; i < ops->count; i++)
		if (ops->active[i] == strtoull(row->name, NULL, 10))
			return true;
	return false;
}

static void note_record(
    struct wf_operations *ops, const struct wf_record_row *row)
{
	struct operation o;
	bool runs = wf_operation_parse(row, &o) && wf_operation_is_active(&o);

	if (runs && !knows(ops, row)) {
		ops->active = wf_realloc(
		    ops->active, (ops->count + 1) * sizeof(*ops->active));
		ops->namespaces = wf_realloc(ops->namespaces,
		    (ops->count + 1) * sizeof(*ops->namespaces));
		ops->active[ops->count] = o.id;
		ops->namespaces[ops->count++] = o.namespace_id;
	}
	wf_operation_drop(&o);
}

/* Reads records that were changed. */
static void refresh(struct wf_operations *ops, struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list;

	if (wf_store_records(store, WF_OPERATION_RECORD, ops->change, arena,
		&list, NULL) == WF_OK) {
		for (size_t i = 0; i < list.count; i++)
			note_record(ops, &list.rows[i]);
		ops->change = list.change;
	}
	wf_arena_free(&arena);
}

static void forget(struct wf_operations *ops, size_t at)
{
	ops->count--;
	memmove(&ops->active[at], &ops->active[at + 1],
	    (ops->count - at) * sizeof(*ops->active));
	memmove(&ops->namespaces[at], &ops->namespaces[at + 1],
	    (ops->count - at) * sizeof(*ops->namespaces));
}

/* A page of the operation whose turn it is. */
static void take_turn(struct wf_operations *ops, struct wf_store *store)
{
	size_t at = ops->next++ % ops->count;
	struct wf_error err = { .rc = WF_OK };
	struct operation o;
	enum wf_rc rc = wf_operation_read(
	    store, ops->namespaces[at], ops->active[at], &o, &err);
	bool is_new = ops->operation.id != ops->active[at];

	if (rc != WF_OK) {
		if (!is_passing(rc))
			forget(ops, at);
		return;
	}
	if (is_new)
		wf_commander_free(&ops->commander);
	wf_operation_drop(&ops->operation);
	ops->operation = o;
	if (is_new)
		wf_commander_init(
		    &ops->commander, ops->engine, &ops->operation);
	if (!wf_operation_is_active(&o))
		forget(ops, at);
	else if (!do_page(ops, store, &ops->operation))
		wf_follower_pause(ops->follower, BUSY_WAIT_MS, false);
}

/* --- the follower --------------------------------------------------------- */

static bool read_place(
    void *context, struct wf_store *store, const json_t *record)
{
	struct wf_operations *ops = context;

	(void)record;
	refresh(ops, store);
	return ops->count > 0;
}

static void write_place(void *context, json_t *record)
{
	(void)context;
	(void)record;
}

static bool do_round(void *context, struct wf_store *store)
{
	struct wf_operations *ops = context;

	refresh(ops, store);
	if (ops->count == 0) {
		wf_follower_rest(ops->follower, store);
		return false;
	}
	wf_follower_note(ops->follower);
	if (!wf_follower_save(ops->follower, store, false))
		return false;
	take_turn(ops, store);
	return true;
}

enum wf_rc wf_operations_open(struct wf_operations **operations_out,
    struct wf_engine *engine, struct wf_log *log, struct wf_error *err)
{
	struct wf_operations *ops = wf_calloc(1, sizeof(*ops));
	struct wf_following following = { .kind = "follower",
		.name = "operations",
		.read = read_place,
		.write = write_place,
		.lease_ms = LEASE_MS,
		.round = do_round,
		.context = ops };

	ops->engine = engine;
	ops->log = log;
	ops->follower = wf_follower_new(engine, &following);
	*operations_out = ops;
	return wf_follower_start(ops->follower, err);
}

void wf_operations_wake(struct wf_operations *operations)
{
	if (operations != NULL)
		wf_follower_wake(operations->follower);
}

void wf_operations_stop(struct wf_operations *operations)
{
	if (operations != NULL)
		wf_follower_stop(operations->follower);
}

void wf_operations_close(struct wf_operations **operations)
{
	struct wf_operations *ops = *operations;

	*operations = NULL;
	if (ops == NULL)
		return;
	wf_follower_free(&ops->follower);
	wf_commander_free(&ops->commander);
	wf_operation_drop(&ops->operation);
	wf_free(ops->active);
	wf_free(ops->namespaces);
	wf_free(ops);
}
