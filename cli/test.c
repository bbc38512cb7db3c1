/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft test: runs scenario files.
 *
 * Each scenario is run twice: plainly, and with the case encoded, decoded,
 * checked and rebuilt from its events after each line.  Both must leave the
 * same bytes behind each line.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/scenario.h"
#include "engine/record.h"

#define FILE_MAXIMUM ((size_t)64 << 20)
#define STATE_MAXIMUM ((size_t)1 << 30)
#define PROBLEMS_MAXIMUM ((size_t)1 << 20)

struct tally {
	unsigned passed;
	unsigned failed;
	unsigned skipped;
};

/* The state behind a line, as a checksum. */
static uint32_t fingerprint(const struct wf_session *session)
{
	struct wf_buffer bytes;
	uint32_t sum = 0;

	if (session->instance == NULL)
		return 0;
	wf_buffer_init(&bytes, STATE_MAXIMUM);
	if (wf_case_encode(session->instance, &bytes, NULL) == WF_OK)
		sum = wf_case_checksum(&bytes);
	wf_buffer_free(&bytes);
	return sum;
}

/*
 * Runs all lines.  prints: per line the state's checksum; written by the
 * plain run, compared by the careful one.
 */
static enum wf_rc run_script(const struct wf_scenario *scenario,
    const struct wf_spec *spec, bool careful, uint32_t *prints,
    struct wf_error *err)
{
	const struct wf_script *script = &scenario->script;
	struct wf_session session;
	enum wf_rc rc = WF_OK;

	wf_session_init(&session, spec, careful);
	session.limits = scenario->limits;
	for (size_t i = 0; i < script->count && rc == WF_OK; i++) {
		uint32_t sum;

		rc = wf_script_execute(&script->lines[i], &session, err);
		sum = fingerprint(&session);
		if (rc == WF_OK && careful && sum != prints[i])
			rc = wf_fail(err, WF_BUG,
			    "the state is another than without reloading");
		prints[i] = sum;
		if (rc != WF_OK)
			err->place.line = script->lines[i].line;
	}
	wf_session_free(&session);
	if (rc != WF_OK && careful)
		wf_error_prefix(err, "with a reload after each line");
	return rc;
}

static enum wf_rc run_twice(const struct wf_scenario *scenario,
    const struct wf_spec *spec, struct wf_error *err)
{
	uint32_t *prints =
	    wf_calloc(scenario->script.count + 1, sizeof(*prints));
	enum wf_rc rc;

	rc = run_script(scenario, spec, false, prints, err);
	if (rc == WF_OK)
		rc = run_script(scenario, spec, true, prints, err);
	wf_free(prints);
	return rc;
}

/* The specification must be refused, and the reason be the expected one. */
static enum wf_rc compare_problems(const struct wf_scenario *scenario,
    bool accepted, const struct wf_buffer *problems, struct wf_error *err)
{
	wf_error_clear(err);
	err->place.line = scenario->invalid_line;
	if (accepted)
		return wf_fail(err, WF_CONFLICT,
		    "the specification is accepted, but expected to be "
		    "refused for \"%s\"",
		    scenario->invalid);
	if (strstr(wf_buffer_text(problems), scenario->invalid) == NULL)
		return wf_fail(err, WF_CONFLICT,
		    "expected a refusal for \"%s\", but the reason is: %s",
		    scenario->invalid, wf_buffer_text(problems));
	return WF_OK;
}

static enum wf_rc run_scenario(struct wf_arena *arena, const char *file,
    const struct wf_scenario *scenario, struct wf_error *err)
{
	struct wf_spec_file *spec_file = NULL;
	struct wf_buffer problems;
	enum wf_rc rc;

	wf_buffer_init(&problems, PROBLEMS_MAXIMUM);
	rc =
	    wf_scenario_load(arena, file, scenario, &spec_file, &problems, err);
	if (rc != WF_OK)
		err->place.line = scenario->line;
	if (scenario->invalid != NULL)
		rc = compare_problems(scenario, rc == WF_OK, &problems, err);
	else if (rc == WF_OK)
		rc = run_twice(scenario, spec_file->specs[0], err);
	wf_spec_file_free(&spec_file);
	wf_buffer_free(&problems);
	return rc;
}

static void report_failure(
    const char *file, const struct wf_scenario *scenario, struct wf_error *err)
{
	snprintf(err->place.file, sizeof(err->place.file), "%s", file);
	err->place.column = 0;
	wf_error_prefix(err, "scenario \"%s\"", scenario->title);
	(void)wf_command_report(err);
}

static void judge_scenario(struct wf_arena *arena, const char *file,
    const struct wf_scenario *scenario, struct tally *tally)
{
	struct wf_error err = { 0 };

	if (scenario->path != NULL &&
	    wf_scenario_path(arena, file, scenario) == NULL) {
		printf("%s:%d: scenario \"%s\" is skipped: there is no %s\n",
		    file, scenario->path_line, scenario->title, scenario->path);
		tally->skipped++;
		return;
	}
	if (run_scenario(arena, file, scenario, &err) == WF_OK) {
		tally->passed++;
		return;
	}
	report_failure(file, scenario, &err);
	tally->failed++;
}

/* A file that cannot be read counts as one failure. */
static void judge_file(const char *file, struct tally *tally)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_scenarios scenarios = { 0 };
	struct wf_error err = { 0 };
	struct wf_buffer text;
	struct wf_lines lines;
	enum wf_rc rc;

	wf_buffer_init(&text, FILE_MAXIMUM);
	rc = wf_buffer_read_file(&text, file, &err);
	wf_lines_init(&lines, arena, file, wf_buffer_text(&text), text.length);
	if (rc == WF_OK)
		rc = wf_scenarios_parse(&scenarios, &lines, &err);
	if (rc != WF_OK) {
		(void)wf_command_report(&err);
		tally->failed++;
	} else {
		for (size_t i = 0; i < scenarios.count; i++)
			judge_scenario(arena, file, &scenarios.list[i], tally);
	}
	wf_buffer_free(&text);
	wf_arena_free(&arena);
}

int wf_command_test(int argc, char **argv)
{
	struct tally tally = { 0 };

	if (argc < 2)
		return wf_command_usage("test", "a scenario file is missing");
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-' && argv[i][1] != '\0')
			return wf_command_usage(
			    "test", "unknown option %s", argv[i]);
	for (int i = 1; i < argc; i++)
		judge_file(argv[i], &tally);
	printf("%u passed, %u failed", tally.passed, tally.failed);
	if (tally.skipped > 0)
		printf(", %u skipped", tally.skipped);
	putchar('\n');
	return tally.failed > 0 ? WF_EXIT_REFUSED : WF_EXIT_DONE;
}
