/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case as it was after one of its steps: made from the events of its history.
 *
 *   kept state (moments.h), or nothing ──steps──► base ──steps──► asked for
 *
 * Where to put bases: a case is read for what replaying a step costs, and a
 * state for what it has bytes.  A base is kept when the steps since the last
 * one have as many bytes as a state, so bases take no more memory than the
 * history they were made from, and reaching a step from a base costs about as
 * much as reading the base.  A case that changed its specification is replayed
 * with the one that each step was made as.
 */
#include "runtime/moments/moments.h"

#include <string.h>

#include "base/panic.h"
#include "runtime/change/row_specs.h"
#include "runtime/checksum.h"
#include "runtime/shard.h"
#include "runtime/value_source.h"

/* Steps that are read from the store at once. */
#define PAGE_STEPS 256U
/* Between two bases are so many steps at least. */
#define BASE_STEPS 64U
/* Of replays of more steps than these, one is done at a time. */
#define LONG_STEPS 20000U

struct moment {
	struct wf_engine *engine;
	uint64_t number;
	uint64_t sequence; /* that is asked for */
	wf_inspect_f inspect;
	void *context;
	struct wf_error *err;
	enum wf_rc rc;

	struct wf_store *store;
	struct wf_arena *arena;
	struct wf_stored_case stored;
	struct row_specs specs;
	struct wf_case *instance; /* after the step that follows; or NULL */
	const struct moment_state *from;
	struct moment_state reached; /* without bytes */
	uint64_t steps;		     /* since the last base */
	size_t events;		     /* their bytes */
	size_t size;		     /* of the last base */
	bool is_long;		     /* this replay counts as the long one */
};

/* --- keeping -------------------------------------------------------------- */

static enum wf_rc keep(struct moment *moment, bool is_base)
{
	struct moment_state state = moment->reached;
	struct wf_buffer bytes;
	enum wf_rc rc;

	wf_buffer_init(&bytes, WF_MOMENTS_BYTES);
	rc = wf_case_encode(moment->instance, &bytes, NULL);
	if (rc == WF_OK) {
		state.bytes = bytes.data;
		state.size = bytes.length;
		wf_moments_keep(moment->engine->moments, &state, is_base);
		moment->size = bytes.length;
	}
	wf_buffer_free(&bytes);
	/* A state that is too large is not kept. */
	return rc == WF_LIMIT ? WF_OK : rc;
}

/* --- replaying ------------------------------------------------------------ */

static enum wf_rc begin(struct moment *moment)
{
	struct wf_value_place place = { moment->store, moment->arena,
		moment->number };
	struct wf_value_source source = wf_value_source(&place);
	const struct wf_spec *spec;
	enum wf_rc rc;

	moment->reached.number = moment->number;
	moment->from = wf_moments_find(
	    moment->engine->moments, moment->number, moment->sequence);
	if (moment->from == NULL)
		return WF_OK;
	rc = wf_row_spec(
	    &moment->specs, moment->from->specification, &spec, moment->err);
	if (rc == WF_OK)
		rc = wf_case_decode(&moment->instance, spec,
		    atomic_load(&moment->engine->limits), moment->from->bytes,
		    moment->from->size, &source, moment->err);
	moment->reached = *moment->from;
	moment->size = moment->from->size;
	wf_moments_let_go(moment->engine->moments, &moment->from);
	return rc;
}

/* values: emptied. */
static enum wf_rc replay(struct moment *moment,
    const struct wf_history_row *row, struct wf_arena *values)
{
	struct wf_value_place place = { moment->store, values, moment->number };
	struct wf_value_source source = wf_value_source(&place);
	const struct wf_spec *spec;
	struct wf_bytes events;
	enum wf_rc rc = wf_checksum_check_history(row, &events, moment->err);

	if (rc == WF_OK)
		rc = wf_row_spec(
		    &moment->specs, row->specification, &spec, moment->err);
	if (rc == WF_OK)
		rc = wf_case_replay(&moment->instance, spec,
		    atomic_load(&moment->engine->limits), row->at, events.data,
		    events.size, &source, moment->err);
	wf_arena_reset(values);
	if (rc != WF_OK)
		return rc;
	moment->reached.sequence = row->sequence;
	moment->reached.specification = row->specification;
	moment->reached.at = row->at;
	moment->steps++;
	moment->events += events.size;
	if (moment->steps < BASE_STEPS || moment->events < moment->size)
		return WF_OK;
	moment->steps = 0;
	moment->events = 0;
	return keep(moment, true);
}

static enum wf_rc replay_page(
    struct moment *moment, struct wf_arena *page, struct wf_arena *values)
{
	uint64_t left = moment->sequence - moment->reached.sequence;
	struct wf_history_list list = { .count = 0 };
	enum wf_rc rc = wf_store_case_history(moment->store, moment->number,
	    moment->reached.sequence, left < PAGE_STEPS ? left : PAGE_STEPS,
	    page, &list, moment->err);

	if (rc == WF_OK && list.count == 0)
		return wf_fail(moment->err, WF_GONE,
		    "step %llu of case %s is not kept any more",
		    (unsigned long long)moment->reached.sequence + 1,
		    moment->stored.row.name);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		if (list.rows[i].sequence != moment->reached.sequence + 1)
			return wf_fail(moment->err, WF_GONE,
			    "the first steps of case %s are not kept any more",
			    moment->stored.row.name);
		rc = replay(moment, &list.rows[i], values);
	}
	return rc;
}

/* False: another long replay is done. */
static bool may_replay(struct moment *moment)
{
	if (moment->sequence - moment->reached.sequence <= LONG_STEPS)
		return true;
	moment->is_long = !atomic_exchange(&moment->engine->long_replay, true);
	return moment->is_long;
}

static enum wf_rc replay_all(struct moment *moment)
{
	struct wf_arena *values = wf_arena_new();
	struct wf_arena *page = wf_arena_new();
	enum wf_rc rc = WF_OK;

	if (!may_replay(moment))
		rc = wf_fail(moment->err, WF_UNAVAILABLE,
		    "another long history is read at the moment");
	while (rc == WF_OK && moment->reached.sequence < moment->sequence) {
		if (atomic_load(&moment->engine->no_inspections))
			rc = wf_fail(moment->err, WF_UNAVAILABLE,
			    "the engine is being stopped");
		else
			rc = replay_page(moment, page, values);
		wf_arena_reset(page);
	}
	wf_arena_free(&page);
	wf_arena_free(&values);
	return rc;
}

/* --- the case ------------------------------------------------------------- */

/* The row of the case, as it was. */
static void age(struct moment *moment)
{
	struct wf_case_row *row = &moment->stored.row;

	row->version = moment->reached.sequence;
	row->specification = moment->reached.specification;
	row->changed_at = moment->reached.at;
	row->status = wf_case_status(moment->instance);
	row->set_aside = false;
	moment->stored.ended = false;
	moment->stored.snapshot = (struct wf_bytes){ NULL, 0 };
	moment->stored.tail = NULL;
	moment->stored.tail_count = 0;
}

static enum wf_rc make(struct moment *moment)
{
	enum wf_rc rc = begin(moment);

	if (rc == WF_OK)
		rc = replay_all(moment);
	wf_assert(rc != WF_OK || moment->instance != NULL);
	if (rc == WF_OK && moment->events > 0)
		rc = keep(moment, false);
	if (rc == WF_OK)
		age(moment);
	return rc;
}

static enum wf_rc find(struct moment *moment)
{
	const struct wf_case_row *row = &moment->stored.row;
	enum wf_rc rc = wf_store_case(moment->store, moment->number, false,
	    moment->arena, &moment->stored, moment->err);

	if (rc == WF_NOT_FOUND)
		wf_moments_forget(moment->engine->moments, moment->number);
	if (rc == WF_OK && moment->sequence > row->version)
		rc = wf_fail(moment->err, WF_NOT_FOUND,
		    "case %s has made %llu steps, not %llu", row->name,
		    (unsigned long long)row->version,
		    (unsigned long long)moment->sequence);
	moment->specs.namespace_id = row->namespace_id;
	return rc;
}

static void inspect_in_guard(void *argument)
{
	struct moment *moment = argument;

	moment->rc = find(moment);
	if (moment->rc == WF_OK)
		moment->rc = make(moment);
	if (moment->rc == WF_OK)
		moment->inspect(
		    moment->context, moment->instance, &moment->stored);
}

static enum wf_rc load_and_inspect(struct moment *moment)
{
	struct wf_engine *engine = moment->engine;
	struct wf_guard guard;
	enum wf_rc rc = wf_engine_borrow(engine, &moment->store, moment->err);

	if (rc != WF_OK)
		return rc;
	moment->arena = wf_arena_new();
	moment->specs.specs = engine->specs;
	moment->specs.store = moment->store;
	if (!wf_guard_run(&guard, inspect_in_guard, moment)) {
		/* The case and the handle are in an unknown state. */
		moment->instance = NULL;
		wf_store_close(&moment->store);
		moment->rc = wf_fail(moment->err, WF_BUG, "%s", guard.reason);
	}
	if (moment->is_long)
		atomic_store(&engine->long_replay, false);
	wf_moments_let_go(engine->moments, &moment->from);
	wf_case_free(&moment->instance);
	wf_row_specs_free(&moment->specs);
	wf_arena_free(&moment->arena);
	if (moment->store != NULL)
		wf_engine_give_back(engine, moment->store);
	return moment->rc;
}

enum wf_rc wf_engine_inspect_step(struct wf_engine *engine, uint64_t number,
    uint64_t sequence, wf_inspect_f inspect, void *context,
    struct wf_error *err)
{
	struct moment moment = { .engine = engine,
		.number = number,
		.sequence = sequence,
		.inspect = inspect,
		.context = context,
		.err = err };

	if (sequence == 0)
		return wf_fail(err, WF_INVALID,
		    "the first step of a case has the number 1");
	return load_and_inspect(&moment);
}
