/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inspecting cases, as they are or as they would be after a command, and
 * specifications.  A case is loaded for each call; nothing is stored.
 */
#include "runtime/shard.h"

#include <string.h>

#include "base/panic.h"
#include "runtime/change/migrate.h"

struct inspection {
	struct wf_engine *engine;
	struct wf_store *store;
	struct wf_arena *arena;
	struct cached *cached;
	const struct wf_request *request; /* NULL: as it is */
	struct wf_inspection *how;	  /* of that */
	char *item;			  /* of the step of that */
	wf_inspect_f inspect;
	void *context;
	struct wf_error *err;
	enum wf_rc rc;
};

/*
 * Says why, if it is not a limit of the case.  The parts of a maximum that each
 * kind of work may take are rounded down.
 */
static void fail_long(struct inspection *i, uint64_t work)
{
	bool ends = atomic_load(&i->engine->no_inspections);

	if (!ends &&
	    (i->how->maximum == UINT64_MAX || work < i->how->maximum / 2))
		return;
	if (i->err != NULL)
		wf_error_clear(i->err);
	i->rc = ends ? wf_fail(i->err, WF_UNAVAILABLE,
			   "the engine is being stopped")
		     : wf_fail(i->err, WF_LIMIT,
			   "what the step would do is not known before it is "
			   "made: it takes more work than %llu steps of "
			   "queries",
			   (unsigned long long)i->how->maximum);
}

static void step(struct inspection *i)
{
	const struct wf_engine_settings *settings = &i->engine->settings;
	const struct wf_request *request = i->request;
	struct wf_command command = { .kind = request->command.kind,
		.item = request->command.item,
		.data = request->command.data,
		.length = request->command.length,
		.now = wf_engine_now(i->engine),
		.timezone = settings->timezone,
		.calendar = settings->calendar };
	struct wf_document_check documents;
	struct wf_step kernel;

	command.documents = wf_document_check_begin(
	    &documents, i->engine, request->namespace_id, i->cached->number);
	if (request->command.kind == WF_COMMAND_MIGRATE) {
		i->rc = wf_migrate_copy(
		    i->engine, i->store, i->cached, &command, i->how, i->err);
		return;
	}
	wf_step_init(&kernel);
	kernel.work_maximum = i->how->maximum;
	kernel.cancelled = &i->engine->no_inspections;
	kernel.mistakes = i->how->mistakes;
	i->rc = wf_case_step(i->cached->instance, &command, &kernel, i->err);
	if (i->rc == WF_OK)
		strcpy(i->item, kernel.item);
	if (kernel.exceeded)
		fail_long(i, kernel.work);
	i->how->work = kernel.work;
	wf_step_free(&kernel);
}

static void inspect_in_guard(void *argument)
{
	struct inspection *i = argument;
	uint64_t number = i->cached->number;
	struct wf_stored_case stored;

	i->rc =
	    wf_store_case(i->store, number, true, i->arena, &stored, i->err);
	if (i->rc == WF_OK)
		i->rc = wf_cached_load(i->cached, i->engine->specs,
		    atomic_load(&i->engine->limits), &stored, i->store,
		    i->store, i->arena, i->err);
	if (i->rc == WF_OK && i->request != NULL && i->how->before != NULL)
		i->how->before(i->how->context, i->cached->instance, &stored);
	if (i->rc == WF_OK && i->request != NULL)
		step(i);
	if (i->rc == WF_OK)
		i->inspect(i->context, i->cached->instance, &stored);
}

static enum wf_rc load_and_inspect(struct inspection *i, uint64_t number)
{
	struct wf_engine *engine = i->engine;
	struct cache none = { .specs = engine->specs };
	struct wf_guard guard;
	enum wf_rc rc = wf_engine_borrow(engine, &i->store, i->err);

	if (rc != WF_OK)
		return rc;
	i->arena = wf_arena_new();
	i->cached = wf_cached_new(number);
	if (!wf_guard_run(&guard, inspect_in_guard, i)) {
		/* The case and the handle are in an unknown state. */
		i->cached->instance = NULL;
		wf_store_close(&i->store);
		i->rc = wf_fail(i->err, WF_BUG, "%s", guard.reason);
	}
	wf_cached_free(&none, &i->cached);
	wf_arena_free(&i->arena);
	if (i->store != NULL)
		wf_engine_give_back(engine, i->store);
	return i->rc;
}

enum wf_rc wf_engine_inspect(struct wf_engine *engine, uint64_t number,
    wf_inspect_f inspect, void *context, struct wf_error *err)
{
	struct inspection i = { .engine = engine,
		.inspect = inspect,
		.context = context,
		.err = err };

	return load_and_inspect(&i, number);
}

enum wf_rc wf_engine_inspect_after(struct wf_engine *engine,
    const struct wf_request *request, struct wf_inspection *how,
    char item_out[WF_ITEM_ID_SIZE], wf_inspect_f inspect, void *context,
    struct wf_error *err)
{
	struct wf_inspection brief = { .maximum = WF_INSPECTION_WORK };
	struct inspection i = { .engine = engine,
		.request = request,
		.how = how == NULL ? &brief : how,
		.item = item_out,
		.inspect = inspect,
		.context = context,
		.err = err };

	item_out[0] = '\0';
	return load_and_inspect(&i, request->number);
}

void wf_engine_end_inspections(struct wf_engine *engine)
{
	atomic_store(&engine->no_inspections, true);
}

enum wf_rc wf_engine_inspect_spec(struct wf_engine *engine,
    uint32_t namespace_id, uint64_t key, bool cached, wf_inspect_spec_f inspect,
    void *context, struct wf_error *err)
{
	struct wf_store *store = NULL;
	struct kept_spec *kept = NULL;
	enum wf_rc rc = WF_OK;

	if (!cached)
		rc = wf_engine_borrow(engine, &store, err);
	if (rc == WF_OK)
		rc = wf_specs_use(
		    engine->specs, store, namespace_id, key, &kept, err);
	if (store != NULL)
		wf_engine_give_back(engine, store);
	if (rc == WF_OK && inspect != NULL)
		inspect(context, kept->spec);
	wf_specs_drop(engine->specs, &kept);
	return rc;
}

/* --- a launch ------------------------------------------------------------- */

struct trial {
	struct wf_engine *engine;
	struct wf_command command;
	struct wf_inspection *how;
	struct wf_error *err;
	enum wf_rc rc;
};

static void try_launch(void *context, const struct wf_spec *spec)
{
	struct trial *trial = context;
	struct wf_case *made = NULL;
	struct wf_step step;

	wf_step_init(&step);
	step.work_maximum = trial->how->maximum;
	step.cancelled = &trial->engine->no_inspections;
	step.mistakes = trial->how->mistakes;
	trial->rc = wf_case_launch(&made, spec, "0",
	    atomic_load(&trial->engine->limits), &trial->command, &step,
	    trial->err);
	trial->how->work = step.work;
	wf_case_free(&made);
	wf_step_free(&step);
}

enum wf_rc wf_engine_try_launch(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t key, const char *data, size_t length, struct wf_inspection *how,
    struct wf_error *err)
{
	const struct wf_engine_settings *settings = &engine->settings;
	struct trial trial = { .engine = engine,
		.command = { .kind = WF_COMMAND_LAUNCH,
		    .data = data,
		    .length = length,
		    .now = wf_engine_now(engine),
		    .timezone = settings->timezone,
		    .calendar = settings->calendar },
		.how = how,
		.err = err };
	struct wf_document_check documents;
	enum wf_rc rc;

	trial.command.documents =
	    wf_document_check_begin(&documents, engine, namespace_id, 0);
	rc = wf_engine_inspect_spec(
	    engine, namespace_id, key, false, try_launch, &trial, err);
	return rc == WF_OK ? trial.rc : rc;
}
