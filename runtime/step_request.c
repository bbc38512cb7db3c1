/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of one request, in a guard: an assertion that fails there ends the
 * step, not the engine.  In a batch as well as outside (long_step.c).
 */
#include "runtime/batch.h"

#include "base/panic.h"
#include "kernel/change/migrate.h"
#include "spec/document_limits.h"

/* --- documents that data refers to ---------------------------------------- */

static enum wf_rc judge_document(const struct wf_document_check *check,
    const struct wf_document_limits *limits, const struct wf_document_row *row,
    struct wf_error *err)
{
	uint32_t own = check->namespace_id == 0 ? WF_NAMESPACE_DEFAULT
						: check->namespace_id;

	/* One without a case was added for a case that was not started yet. */
	if (row->number != check->number &&
	    (row->number != 0 || row->namespace_id != own))
		return wf_fail(err, WF_DATA,
		    "the document %llu does not belong to this case",
		    (unsigned long long)row->id);
	if (wf_document_limits_check(limits, row->type, row->size, err) !=
	    WF_OK)
		err->rc = WF_DATA;
	return err->rc;
}

static enum wf_rc check_document(void *context,
    const struct wf_document_limits *limits, uint64_t document,
    struct wf_error *err)
{
	const struct wf_document_check *check = context;
	struct wf_error own = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	struct wf_document_row row;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(check->engine, &store, &own);

	if (rc == WF_OK) {
		rc = wf_store_document(store, document, 0, arena, &row, &own);
		wf_engine_give_back(check->engine, store);
	}
	if (rc == WF_OK)
		rc = judge_document(check, limits, &row, &own);
	else if (rc == WF_NOT_FOUND) {
		wf_error_clear(&own);
		rc = wf_fail(&own, WF_DATA, "there is no document %llu",
		    (unsigned long long)document);
	}
	wf_arena_free(&arena);
	return rc == WF_OK ? WF_OK : wf_fail(err, rc, "%s", own.message);
}

const struct wf_document_calls *wf_document_check_begin(
    struct wf_document_check *check, struct wf_engine *engine,
    uint32_t namespace_id, uint64_t number)
{
	*check = (struct wf_document_check){ { check, check_document }, engine,
		namespace_id, number };
	return engine->settings.unchecked_documents ? NULL : &check->calls;
}

/* --- the step ------------------------------------------------------------- */

struct stepping {
	struct wf_engine *engine;
	const struct pending *pending;
	struct cached *cached;
	struct wf_step *step;
	struct wf_error *err;
	struct wf_command command;
	struct wf_case **made; /* NULL: it is no second step of a migration */
	enum wf_rc rc;
};

static void step_in_guard(void *argument)
{
	struct stepping *s = argument;
	const struct wf_engine_settings *settings = &s->engine->settings;
	const struct wf_limits *limits = atomic_load(&s->engine->limits);

	if (settings->probe != NULL)
		settings->probe(
		    settings->context, &s->pending->request, &s->command);
	if (s->made != NULL) {
		s->rc =
		    wf_case_migrate(s->cached->instance, s->command.migration,
			&s->command, s->step, s->made, s->err);
	} else if (s->command.kind == WF_COMMAND_LAUNCH) {
		s->rc =
		    wf_case_launch(&s->cached->instance, s->cached->spec->spec,
			s->pending->name, limits, &s->command, s->step, s->err);
	} else {
		wf_case_limit(s->cached->instance, limits);
		s->rc = wf_case_step(
		    s->cached->instance, &s->command, s->step, s->err);
	}
}

/* The version of the store in which each command is new. */
static const uint32_t since[] = {
#define WF_COMMAND(name, word, item, since, meaning)                           \
	[WF_COMMAND_##name] = since,
#include "kernel/commands.def"
#undef WF_COMMAND
};

enum wf_rc wf_step_request(struct wf_engine *engine,
    const struct pending *pending, struct cached *cached,
    const struct wf_people_calls *people, int64_t now, struct wf_step *step,
    struct wf_case **made_out, struct wf_error *err)
{
	const struct wf_request *request = &pending->request;
	struct stepping stepping = { .engine = engine,
		.pending = pending,
		.cached = cached,
		.step = step,
		.err = err,
		.made = made_out,
		.command = request->command };
	struct wf_document_check documents;
	struct wf_guard guard;

	wf_assert(request->kind == WF_REQUEST_COMMAND);
	wf_assert(step->work_maximum > 0);
	if (request->command.kind == WF_COMMAND_LAUNCH ||
	    request->command.reason[0] == '\0')
		stepping.command.reason = NULL;
	stepping.command.now = now;
	/* It was due when it was claimed, even if the clock was set back since.
	 */
	if (pending->due != NULL && pending->due->row.at > now)
		stepping.command.now = pending->due->row.at;
	stepping.command.timezone = engine->settings.timezone;
	stepping.command.calendar = engine->settings.calendar;
	stepping.command.people = people;
	stepping.command.key = cached->number;
	stepping.command.documents = wf_document_check_begin(
	    &documents, engine, request->namespace_id, pending->number);
	if (request->command.participant[0] == '\0')
		stepping.command.participant = NULL;
	if (request->command.deputy[0] == '\0')
		stepping.command.deputy = NULL;
	step->exceeded = false;
	step->work = 0;
	stepping.rc =
	    wf_engine_may_write(engine, since[request->command.kind], err);
	if (stepping.rc != WF_OK)
		return stepping.rc;
	if (!wf_guard_run(&guard, step_in_guard, &stepping)) {
		wf_error_clear(err);
		stepping.rc = wf_fail(err, WF_BUG, "%s", guard.reason);
	}
	return stepping.rc;
}
