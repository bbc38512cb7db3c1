/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether commands would be refused now: each is given to a copy of the case,
 * with the people and the lease that a batch would ask.  A command that was
 * refused has changed nothing, so the copy serves the next one, too.
 */
#include "runtime/batch.h"

#include "base/panic.h"
#include "runtime/value_source.h"

/* A trial that takes more of it has passed whatever refuses a command. */
#define TRIAL_WORK UINT64_C(250000)
#define STATE_MAXIMUM_BYTES ((size_t)256 << 20)

struct trying {
	struct wf_engine *engine;
	uint64_t number;
	uint32_t namespace_id;
	struct wf_trial *trials;
	size_t count;
	struct wf_error *err;
	enum wf_rc rc;

	struct wf_store *store;
	struct wf_arena *arena;
	struct wf_people_calls *people;
	const struct wf_spec *spec;
	struct wf_buffer state; /* encoded */
	struct cached copy;
};

static void refuse_all(struct trying *trying, enum wf_rc rc, const char *text)
{
	for (size_t i = 0; i < trying->count; i++)
		wf_fail(&trying->trials[i].refusal, rc, "%s", text);
}

static enum wf_rc make_copy(struct trying *trying)
{
	struct wf_value_place place = { trying->store, trying->arena,
		trying->number };
	struct wf_value_source source = wf_value_source(&place);

	if (trying->copy.instance != NULL)
		return WF_OK;
	return wf_case_decode(&trying->copy.instance, trying->spec,
	    atomic_load(&trying->engine->limits), trying->state.data,
	    trying->state.length, &source, trying->err);
}

/* What the command lacks, its data or whom it is about, is no refusal. */
static bool is_refusal(const struct wf_trial *trial, enum wf_rc rc)
{
	return rc != WF_OK &&
	       (!trial->is_incomplete || (rc != WF_INVALID && rc != WF_DATA));
}

static void step(struct trying *trying, struct wf_trial *trial,
    const struct pending *pending)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_step kernel;
	enum wf_rc rc;

	wf_step_init(&kernel);
	kernel.work_maximum = TRIAL_WORK;
	kernel.cancelled = &trying->engine->no_inspections;
	rc = wf_step_request(trying->engine, pending, &trying->copy,
	    trying->people, wf_engine_now(trying->engine), &kernel, NULL, &err);
	if (!kernel.exceeded && is_refusal(trial, rc))
		trial->refusal = err;
	if (rc == WF_BUG)
		trying->copy.instance = NULL; /* in an unknown state */
	else if (rc == WF_OK)
		wf_case_free(&trying->copy.instance);
	wf_step_free(&kernel);
}

static enum wf_rc check_lease(
    struct trying *trying, struct wf_trial *trial, struct pending *pending)
{
	const char *item = pending->request.command.item;
	struct wf_item_row row;
	enum wf_rc rc;

	if (item == NULL || item[0] == '\0')
		return WF_OK;
	rc = wf_store_item(trying->store, trying->number, item, trying->arena,
	    &row, trying->err);
	if (rc == WF_OK)
		(void)(wf_lease_try(pending, &row, &trial->refusal) == WF_OK);
	if (rc != WF_NOT_FOUND)
		return rc;
	if (trying->err != NULL) /* the step knows why */
		wf_error_clear(trying->err);
	return WF_OK;
}

static enum wf_rc try_one(struct trying *trying, struct wf_trial *trial)
{
	const struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.namespace_id = trying->namespace_id,
		.number = trying->number,
		.command = trial->command };
	struct pending *pending = wf_pending_new(&request, 0, 0, NULL);
	enum wf_rc rc;

	wf_error_clear(&trial->refusal);
	rc = check_lease(trying, trial, pending);
	if (rc == WF_OK && trial->refusal.rc == WF_OK)
		rc = make_copy(trying);
	if (rc == WF_OK && trial->refusal.rc == WF_OK)
		step(trying, trial, pending);
	wf_pending_free(&pending);
	return rc;
}

static void try_all(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct trying *trying = context;

	trying->namespace_id = stored->row.namespace_id;
	trying->spec = wf_case_spec(instance);
	wf_buffer_init(&trying->state, STATE_MAXIMUM_BYTES);
	trying->copy = (struct cached){ .number = trying->number };
	trying->people =
	    wf_people_begin(trying->engine, wf_engine_now(trying->engine));
	trying->rc = wf_case_encode(instance, &trying->state, trying->err);
	for (size_t i = 0; trying->rc == WF_OK && i < trying->count; i++)
		trying->rc = try_one(trying, &trying->trials[i]);
	wf_people_end(trying->engine, &trying->people);
	wf_case_free(&trying->copy.instance);
	wf_buffer_free(&trying->state);
}

static enum wf_rc try_stored(
    struct trying *trying, const struct wf_stored_case *stored)
{
	enum wf_rc rc;

	if (stored->ended) {
		refuse_all(trying, WF_NOT_FOUND, "the case has ended");
		return WF_OK;
	}
	if (stored->row.set_aside) {
		refuse_all(trying, WF_CONFLICT, WF_QUARANTINED_TEXT);
		return WF_OK;
	}
	rc = wf_engine_inspect(
	    trying->engine, trying->number, try_all, trying, trying->err);
	return rc == WF_OK ? trying->rc : rc;
}

enum wf_rc wf_engine_try(struct wf_engine *engine, uint64_t number,
    struct wf_trial *trials, size_t count, struct wf_error *err)
{
	struct trying trying = { .engine = engine,
		.number = number,
		.trials = trials,
		.count = count,
		.err = err };
	struct wf_stored_case stored;
	enum wf_rc rc = wf_engine_borrow(engine, &trying.store, err);

	if (rc != WF_OK)
		return rc;
	trying.arena = wf_arena_new();
	rc = wf_store_case(
	    trying.store, number, false, trying.arena, &stored, err);
	if (rc == WF_OK)
		rc = try_stored(&trying, &stored);
	wf_arena_free(&trying.arena);
	wf_engine_give_back(engine, trying.store);
	return rc;
}
