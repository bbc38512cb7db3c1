/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The step of one request, in a guard: an assertion that fails there ends the
 * step, not the engine.  In a batch as well as outside (long_step.c).
 */
#include "runtime/batch.h"

#include "base/panic.h"

struct stepping {
	const struct wf_engine *engine;
	const struct pending *pending;
	struct cached *cached;
	struct wf_step *step;
	struct wf_error *err;
	struct wf_command command;
	enum wf_rc rc;
};

static void step_in_guard(void *argument)
{
	struct stepping *s = argument;
	const struct wf_engine_settings *settings = &s->engine->settings;

	if (settings->probe != NULL)
		settings->probe(
		    settings->context, &s->pending->request, &s->command);
	if (s->command.kind == WF_COMMAND_LAUNCH)
		s->rc = wf_case_launch(&s->cached->instance,
		    s->cached->spec->spec, s->pending->name, settings->limits,
		    &s->command, s->step, s->err);
	else
		s->rc = wf_case_step(
		    s->cached->instance, &s->command, s->step, s->err);
}

enum wf_rc wf_step_request(const struct wf_engine *engine,
    const struct pending *pending, struct cached *cached,
    const struct wf_people_calls *people, int64_t now, struct wf_step *step,
    struct wf_error *err)
{
	const struct wf_request *request = &pending->request;
	struct stepping stepping = { .engine = engine,
		.pending = pending,
		.cached = cached,
		.step = step,
		.err = err,
		.command = request->command };
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
	if (request->command.participant[0] == '\0')
		stepping.command.participant = NULL;
	step->exceeded = false;
	step->work = 0;
	if (!wf_guard_run(&guard, step_in_guard, &stepping)) {
		wf_error_clear(err);
		stepping.rc = wf_fail(err, WF_BUG, "%s", guard.reason);
	}
	return stepping.rc;
}
