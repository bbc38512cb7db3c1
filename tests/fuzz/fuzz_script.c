/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a scenario file: parsed, its nets translated and read, its
 * scripts run with small limits.  Specifications in files are left alone.
 */
#include <stdint.h>
#include <string.h>

#include "base/diagnostics.h"
#include "cli/scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct wf_limits limits = {
	.instances = 20,
	.tokens = 20,
	.depth = 4,
	.firings = 200,
	.value_bytes = 10000,
	.state_bytes = 1000000,
	.event_bytes = 1000000,
};

static void run(const struct wf_scenario *scenario, const struct wf_spec *spec)
{
	struct wf_session session;

	wf_session_init(&session, spec, true);
	session.limits = limits;
	for (size_t i = 0; i < scenario->script.count; i++) {
		struct wf_error err = { 0 };

		if (wf_script_execute(
			&scenario->script.lines[i], &session, &err) == WF_BUG)
			__builtin_trap();
	}
	wf_session_free(&session);
}

static void run_scenario(const struct wf_scenario *scenario)
{
	struct wf_spec_file *file = NULL;
	struct wf_diagnostics *diagnostics;
	struct wf_buffer text;

	if (scenario->path != NULL)
		return;
	wf_buffer_init(&text, WF_SPEC_BYTES);
	wf_notation_write(&scenario->notation, scenario->title, &text);
	diagnostics = wf_diagnostics_new("scenario");
	if (wf_spec_read(&file, wf_buffer_text(&text), text.length,
		diagnostics) == WF_OK)
		run(scenario, file->specs[0]);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
	wf_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_scenarios scenarios = { 0 };
	struct wf_lines lines;

	wf_lines_init(&lines, arena, "fuzz", (const char *)data, size);
	if (wf_scenarios_parse(&scenarios, &lines, NULL) == WF_OK)
		for (size_t i = 0; i < scenarios.count; i++)
			run_scenario(&scenarios.list[i]);
	wf_arena_free(&arena);
	return 0;
}
