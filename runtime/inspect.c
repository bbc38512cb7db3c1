/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at cases, as they are or would be, and at specifications. */
#include "runtime/shard.h"

#include <string.h>

#include "base/panic.h"

struct looking {
	struct wf_engine *engine;
	struct wf_store *store;
	struct wf_arena *arena;
	struct cached *cached;
	const struct wf_request *request; /* NULL: as it is */
	char *item;			  /* of the step of that */
	wf_inspect_f look;
	void *context;
	struct wf_error *err;
	enum wf_rc rc;
};

static void step(struct looking *l)
{
	const struct wf_engine_settings *settings = &l->engine->settings;
	const struct wf_request *request = l->request;
	struct wf_command command = { .kind = request->command.kind,
		.item = request->command.item,
		.data = request->command.data,
		.length = request->command.length,
		.now = wf_engine_now(l->engine),
		.timezone = settings->timezone,
		.calendar = settings->calendar };
	struct wf_step kernel;

	wf_step_init(&kernel);
	l->rc = wf_case_step(l->cached->instance, &command, &kernel, l->err);
	if (l->rc == WF_OK)
		strcpy(l->item, kernel.item);
	wf_step_free(&kernel);
}

static void inspect_in_guard(void *argument)
{
	struct looking *l = argument;
	uint64_t number = l->cached->number;
	struct wf_stored_case stored;

	l->rc =
	    wf_store_case(l->store, number, true, l->arena, &stored, l->err);
	if (l->rc == WF_OK)
		l->rc = wf_cached_load(l->cached, l->engine->specs,
		    l->engine->settings.limits, &stored, l->store, l->store,
		    l->arena, l->err);
	if (l->rc == WF_OK && l->request != NULL)
		step(l);
	if (l->rc == WF_OK)
		l->look(l->context, l->cached->instance, &stored);
}

static enum wf_rc load_and_look(struct looking *l, uint64_t number)
{
	struct wf_engine *engine = l->engine;
	struct cache none = { .specs = engine->specs };
	struct wf_guard guard;
	enum wf_rc rc = wf_engine_borrow(engine, &l->store, l->err);

	if (rc != WF_OK)
		return rc;
	l->arena = wf_arena_new();
	l->cached = wf_cached_new(number);
	if (!wf_guard_run(&guard, inspect_in_guard, l)) {
		/* What is half made is nothing to free, or to go on with. */
		l->cached->instance = NULL;
		wf_store_close(&l->store);
		l->rc = wf_fail(l->err, WF_BUG, "%s", guard.reason);
	}
	wf_cached_free(&none, &l->cached);
	wf_arena_free(&l->arena);
	if (l->store != NULL)
		wf_engine_give_back(engine, l->store);
	return l->rc;
}

enum wf_rc wf_engine_inspect(struct wf_engine *engine, uint64_t number,
    wf_inspect_f look, void *context, struct wf_error *err)
{
	struct looking l = {
		.engine = engine, .look = look, .context = context, .err = err
	};

	return load_and_look(&l, number);
}

enum wf_rc wf_engine_inspect_after(struct wf_engine *engine,
    const struct wf_request *request, char item_out[WF_ITEM_ID_SIZE],
    wf_inspect_f look, void *context, struct wf_error *err)
{
	struct looking l = { .engine = engine,
		.request = request,
		.item = item_out,
		.look = look,
		.context = context,
		.err = err };

	item_out[0] = '\0';
	return load_and_look(&l, request->number);
}

enum wf_rc wf_engine_inspect_spec(struct wf_engine *engine,
    uint32_t namespace_id, uint64_t key, bool cached, wf_inspect_spec_f look,
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
	if (rc == WF_OK)
		look(context, kept->spec);
	wf_specs_drop(engine->specs, &kept);
	return rc;
}
