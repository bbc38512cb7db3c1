/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread: pages of subjects, which the record keeps while they are done.
 *
 *   record ─► a turn of its page ─► outcomes ─► the rest, or the next page ─┐
 *     ▲       (the next is found)                                           │
 *     └─────────────────────────────────────────────────────────────────────┘
 *
 * After a crash, or when it was late, the turn is done again; its commands have
 * the same keys, so they are answered, not done.  When the operation is paused
 * or cancelled, the page is settled: what was done of it gets its outcome.
 */
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "operation/operation_priv.h"
#include "server/log.h"
#include "work/follower.h"

#define PAGE 1000U
#define LEASE_MS INT64_C(2500)
#define BUSY_WAIT_MS 200
/* One that was started at another server is found after this time. */
#define WAIT_MS 500

/* An operation that runs, or may. */
struct turn {
	uint64_t id;
	uint32_t namespace_id;
	int64_t due; /* not before that time, wf_monotonic_ms() */
};

struct wf_operations {
	struct wf_engine *engine;
	struct wf_follower *follower;
	uint64_t change; /* up to which records were read */
	struct turn *active;
	size_t count;
	size_t next; /* whose turn it is, if it is due */
	/* Whose turn it was last, with the plans and markings that it has. */
	struct operation operation;
	struct commander commander;
	struct wf_log *log; /* NULL: none */
	uint64_t waiting; /* the operation that was logged as one that waits */
};

/* --- what is kept --------------------------------------------------------- */

/* A turn, and what is to be kept of it. */
struct progress {
	uint64_t turn;	       /* of the record that it began with */
	struct subjects *page; /* NULL: there was none */
	const struct given *given;
	struct subjects rest; /* of the page */
	bool is_settled;      /* nothing of the rest was done */
	struct subjects next; /* the page behind it, if has_next */
	bool has_next;
	const char *failure; /* why there is none; or NULL */
};

static enum wf_rc write_outcomes(struct wf_store *store,
    const struct operation *o, const struct progress *progress,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_outcome_row *rows =
	    wf_arena_array(arena, progress->page->count + 1, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < progress->page->count; i++) {
		const struct subject *subject = &progress->page->rows[i];
		const struct given *given = &progress->given[i];

		if (given->state != WF_GIVEN_DONE &&
		    given->state != WF_GIVEN_REFUSED)
			continue;
		rows[count] = (struct wf_outcome_row){ .operation = o->id,
			.number = subject->number,
			.subject = subject->subject,
			.code = given->rc,
			.text = given->text,
			.version = given->version };
		/* Where it came from. */
		if (given->rc == WF_OK && o->kind == WF_OPERATION_MIGRATE)
			rows[count].text = wf_arena_printf(arena, "%016llx",
			    (unsigned long long)subject->specification);
		count++;
	}
	return count == 0 ? WF_OK
			  : wf_store_put_outcomes(store, rows, count, err);
}

static void add_number(json_t *json, const char *member, size_t more)
{
	json_int_t before = json_integer_value(json_object_get(json, member));

	json_object_set_new(
	    json, member, json_integer(before + (json_int_t)more));
}

static size_t count_of(
    const struct progress *progress, enum wf_given_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < progress->page->count; i++)
		count += progress->given[i].state == state;
	return count;
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
}

/* Into a record that may have another state than at the turn's beginning. */
static void note(json_t *json, const struct progress *progress, int64_t now)
{
	const struct subjects *page = progress->page;

	add_number(json, "turn", 1);
	json_object_set_new(json, "changed", json_integer(now));
	if (page != NULL) {
		add_number(json, "done", count_of(progress, WF_GIVEN_DONE));
		add_number(
		    json, "refused", count_of(progress, WF_GIVEN_REFUSED));
	}
	if (progress->rest.count > 0) {
		wf_operation_put_page(
		    json, &progress->rest, progress->is_settled);
		return;
	}
	json_object_del(json, "page");
	if (page != NULL)
		add_number(json, "examined", page->examined);
	if (progress->failure != NULL || (page != NULL && page->is_last)) {
		end(json, progress);
	} else if (progress->has_next && is_in_state(json, "running")) {
		wf_operation_put_page(json, &progress->next, false);
		wf_operation_put_place(json, &progress->next);
	}
}

/*
 * Of several writers, the one that is late reads again.  What another server
 * has done meanwhile has the same outcomes: it is counted once.
 */
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
	if (wf_operation_number(&again, "turn") == progress->turn) {
		note(again.json, progress, now);
		rc = wf_operation_write(store, &again, err);
	}
	wf_operation_drop(&again);
	return rc;
}

/* --- one turn ------------------------------------------------------------- */

static size_t page_size(const struct operation *o)
{
	uint64_t rate = wf_operation_number(o, "rate");

	return rate == 0 || rate > PAGE ? PAGE : (size_t)rate;
}

/* Its next turn comes when the rate allows it. */
static void keep_rate(
    struct turn *turn, const struct operation *o, size_t count, int64_t began)
{
	uint64_t rate = wf_operation_number(o, "rate");

	if (rate != 0)
		turn->due = began + (int64_t)(count * 1000 / rate);
}

/* What stays in the page: in one that is cancelled, what is not known. */
static void find_rest(const struct operation *o, struct progress *progress,
    struct wf_arena *arena)
{
	bool drops = wf_operation_is(o, "cancelled");
	struct subjects *rest = &progress->rest;

	*rest = *progress->page;
	rest->count = 0;
	rest->rows = wf_arena_array(
	    arena, progress->page->count + 1, sizeof(rest->rows[0]));
	progress->is_settled = !wf_operation_is(o, "running");
	for (size_t i = 0; i < progress->page->count; i++) {
		const struct given *given = &progress->given[i];
		struct subject *subject = &rest->rows[rest->count];

		if (given->state == WF_GIVEN_LEFT)
			progress->is_settled = false;
		else if (given->state != WF_GIVEN_UNDONE || drops)
			continue;
		*subject = progress->page->rows[i];
		/* The record that has the texts may be replaced. */
		subject->name = wf_arena_strdup(arena, subject->name);
		subject->subject = wf_arena_strdup(arena, subject->subject);
		subject->earlier = wf_arena_strdup(arena, subject->earlier);
		subject->tries += given->state == WF_GIVEN_LEFT &&
				  given->is_tried && !given->is_busy;
		rest->count++;
	}
}

/* What finds the next page, while the commands of this one are done. */
struct ahead {
	struct wf_operations *ops;
	struct wf_store *store;
	struct operation *operation;
	struct progress *progress;
	struct wf_arena *arena;
	struct wf_error err; /* why it is not known whether there is one */
};

/* When the arguments do not fit any more, the operation has failed. */
static void find_next(void *context)
{
	struct ahead *ahead = context;
	struct operation *o = ahead->operation;
	struct progress *progress = ahead->progress;
	struct wf_error why = { .rc = WF_OK };
	enum wf_rc rc;

	if (!wf_operation_is(o, "running") ||
	    (progress->page != NULL && progress->page->is_last))
		return;
	rc = wf_operation_select(ahead->ops->engine, ahead->store, o,
	    page_size(o), ahead->arena, &progress->next, &why);
	progress->has_next = rc == WF_OK;
	if (wf_operation_is_passing(rc))
		ahead->err = why;
	else if (rc != WF_OK)
		progress->failure = wf_arena_strdup(ahead->arena, why.message);
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

/* True: the store or the engine did not answer, for some. */
static bool is_busy(const struct progress *progress)
{
	for (size_t i = 0; i < progress->page->count; i++)
		if (progress->given[i].is_busy)
			return true;
	return false;
}

static void do_turn(struct wf_operations *ops, struct wf_store *store,
    struct operation *o, struct turn *turn)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	struct progress progress = { .turn = wf_operation_number(o, "turn") };
	struct ahead ahead = { ops, store, o, &progress, arena,
		{ .rc = WF_OK } };
	int64_t began = wf_monotonic_ms();
	struct subjects page;
	struct given *given;
	size_t count = 0;
	bool goes_on = true;
	enum wf_rc rc = WF_OK;

	if (wf_operation_page(o, arena, &page)) {
		given = wf_arena_array(arena, page.count + 1, sizeof(*given));
		progress.page = &page;
		wf_operation_turn(&ops->commander, &page,
		    !wf_operation_is(o, "running"), find_next, &ahead, arena,
		    given);
		progress.given = given;
		find_rest(o, &progress, arena);
		count = page.count - progress.rest.count;
		goes_on = !is_busy(&progress);
		rc = write_outcomes(store, o, &progress, arena, &err);
	} else {
		find_next(&ahead);
	}
	if (rc == WF_OK && progress.rest.count == 0 && ahead.err.rc != WF_OK) {
		rc = ahead.err.rc;
		err = ahead.err;
	}
	if (rc == WF_OK)
		rc = save(ops, store, o, &progress, &err);
	turn->due = 0;
	/* A conflict: of three writers, one is late again. */
	if (rc != WF_OK && rc != WF_CONFLICT)
		log_waiting(ops, o, &err);
	else if (rc == WF_OK && goes_on)
		ops->waiting = 0;
	if (rc != WF_OK || !goes_on)
		turn->due = wf_monotonic_ms() + BUSY_WAIT_MS;
	else
		keep_rate(turn, o, count, began);
	wf_arena_free(&arena);
}

/* --- which operations ----------------------------------------------------- */

static bool knows(
    const struct wf_operations *ops, const struct wf_record_row *row)
{
	for (size_t i = 0; i < ops->count; i++)
		if (ops->active[i].id == strtoull(row->name, NULL, 10))
			return true;
	return false;
}

static void note_record(
    struct wf_operations *ops, const struct wf_record_row *row)
{
	struct operation o;

	if (knows(ops, row))
		return;
	if (wf_operation_parse(row, &o) && wf_operation_is_active(&o)) {
		ops->active = wf_realloc(
		    ops->active, (ops->count + 1) * sizeof(*ops->active));
		ops->active[ops->count++] =
		    (struct turn){ o.id, o.namespace_id, 0 };
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
}

/* The next one that is due; waits for it, or for news: then there is none. */
static struct turn *next_turn(struct wf_operations *ops)
{
	int64_t now = wf_monotonic_ms();
	int64_t wait = WAIT_MS;

	for (size_t i = 0; i < ops->count; i++) {
		struct turn *turn = &ops->active[ops->next++ % ops->count];

		if (turn->due <= now)
			return turn;
		if (turn->due - now < wait)
			wait = turn->due - now;
	}
	wf_follower_pause(ops->follower, wait, true);
	return NULL;
}

/* Its plans and markings stay while it has one turn after the other. */
static void make_current(struct wf_operations *ops, const struct operation *o)
{
	bool is_new = ops->operation.id != o->id;
	json_t *cases = ops->operation.cases;

	if (is_new)
		wf_commander_free(&ops->commander);
	else
		ops->operation.cases = NULL;
	wf_operation_drop(&ops->operation);
	ops->operation = *o;
	if (is_new)
		wf_commander_init(
		    &ops->commander, ops->engine, &ops->operation);
	else
		ops->operation.cases = cases;
}

static void take_turn(
    struct wf_operations *ops, struct wf_store *store, struct turn *turn)
{
	struct wf_error err = { .rc = WF_OK };
	struct operation o;
	enum wf_rc rc =
	    wf_operation_read(store, turn->namespace_id, turn->id, &o, &err);

	if (wf_operation_is_passing(rc)) {
		turn->due = wf_monotonic_ms() + BUSY_WAIT_MS;
		return;
	}
	if (rc == WF_OK)
		make_current(ops, &o);
	if (rc == WF_OK && wf_operation_is_active(&ops->operation))
		do_turn(ops, store, &ops->operation, turn);
	else
		forget(ops, (size_t)(turn - ops->active));
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
	struct turn *turn;

	refresh(ops, store);
	if (ops->count == 0) {
		wf_follower_rest(ops->follower, store);
		return false;
	}
	wf_follower_note(ops->follower);
	if (!wf_follower_save(ops->follower, store, false))
		return false;
	turn = next_turn(ops);
	if (turn != NULL)
		take_turn(ops, store, turn);
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
	wf_free(ops);
}
