/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft test: runs scenario files.
 *
 * Each scenario is run twice: plainly, and with the case encoded, decoded,
 * checked and rebuilt from its events after each line.  Both must leave the
 * same bytes behind each line.  With --db it is run once more, beside a shadow
 * in that store.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/scenario/scenario.h"
#include "kernel/record.h"

#define FILE_MAXIMUM ((size_t)64 << 20)
#define STATE_MAXIMUM ((size_t)1 << 30)
#define PROBLEMS_MAXIMUM ((size_t)1 << 20)

struct tests {
	const char *url; /* of a store; NULL: none */
	unsigned passed;
	unsigned failed;
	unsigned skipped;
};

/* One scenario, ready to be run. */
struct test {
	const struct wf_scenario *scenario;
	const struct wf_spec *spec;
	const struct wf_buffer *source; /* of spec */
	uint32_t *prints; /* the state behind each line, as a checksum */
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

/* Runs all lines.  first: stores the fingerprints; else compares them. */
static enum wf_rc run_lines(const struct test *test, struct wf_session *session,
    bool first, struct wf_error *err)
{
	const struct wf_script *script = &test->scenario->script;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < script->count && rc == WF_OK; i++) {
		uint32_t sum;

		rc = wf_script_execute(&script->lines[i], session, err);
		sum = fingerprint(session);
		if (rc == WF_OK && !first && sum != test->prints[i])
			rc = wf_fail(err, WF_BUG,
			    "the state is another than without reloading");
		test->prints[i] = sum;
		if (rc != WF_OK)
			err->place.line = script->lines[i].line;
	}
	return rc;
}

/* The organisation of the scenario, if it has people. */
static enum wf_rc add_people(struct wf_session *session,
    const struct wf_scenario *scenario, struct wf_error *err)
{
	const struct wf_org_list *people = &scenario->people;
	struct wf_org_change *changes =
	    wf_calloc(people->count + 1, sizeof(*changes));
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < people->count; i++)
		changes[i] = (struct wf_org_change){ people->rows[i]->kind,
			people->rows[i]->id, people->rows[i] };
	if (people->count > 0)
		session->organisation =
		    wf_organisation_new(NULL, changes, people->count, 1);
	for (size_t i = 0; i < people->count && rc == WF_OK; i++)
		rc = wf_organisation_check(
		    session->organisation, &changes[i], err);
	wf_free(changes);
	if (rc != WF_OK)
		err->place.line = scenario->line;
	return rc;
}

static enum wf_rc run_in_memory(
    const struct test *test, bool careful, struct wf_error *err)
{
	struct wf_session session;
	enum wf_rc rc;

	wf_session_init(&session, test->spec, careful);
	session.limits = test->scenario->limits;
	rc = add_people(&session, test->scenario, err);
	if (rc == WF_OK)
		rc = run_lines(test, &session, !careful, err);
	wf_session_free(&session);
	if (rc != WF_OK && careful)
		wf_error_prefix(err, "with a reload after each line");
	return rc;
}

static enum wf_rc run_in_store(
    const struct test *test, const char *url, struct wf_error *err)
{
	struct wf_session session;
	enum wf_rc rc;

	wf_session_init(&session, test->spec, false);
	session.limits = test->scenario->limits;
	rc = add_people(&session, test->scenario, err);
	if (rc == WF_OK)
		rc = wf_shadow_run_open(&session.shadow, url, WF_SESSION_CASE,
		    &session.limits, wf_buffer_text(test->source),
		    test->source->length, err);
	if (rc == WF_OK)
		rc = run_lines(test, &session, false, err);
	if (rc != WF_OK)
		wf_error_prefix(err, "with the case in a store");
	wf_shadow_run_close(&session.shadow);
	wf_session_free(&session);
	return rc;
}

static enum wf_rc run_all_ways(
    struct test *test, const char *url, struct wf_error *err)
{
	enum wf_rc rc;

	test->prints =
	    wf_calloc(test->scenario->script.count + 1, sizeof(*test->prints));
	rc = run_in_memory(test, false, err);
	if (rc == WF_OK)
		rc = run_in_memory(test, true, err);
	if (rc == WF_OK && url != NULL)
		rc = run_in_store(test, url, err);
	wf_free(test->prints);
	return rc;
}

/* The specification must be refused for the expected reason. */
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
    const struct wf_scenario *scenario, const char *url, struct wf_error *err)
{
	struct wf_spec_file *spec_file = NULL;
	struct wf_buffer problems;
	struct wf_buffer source;
	enum wf_rc rc;

	wf_buffer_init(&problems, PROBLEMS_MAXIMUM);
	wf_buffer_init(&source, WF_SPEC_BYTES);
	rc = wf_scenario_source(arena, file, scenario, &source, err);
	if (rc == WF_OK)
		rc =
		    wf_scenario_read(file, &source, &spec_file, &problems, err);
	if (rc != WF_OK)
		err->place.line = scenario->line;
	if (scenario->invalid != NULL) {
		rc = compare_problems(scenario, rc == WF_OK, &problems, err);
	} else if (rc == WF_OK) {
		struct test test = { scenario, spec_file->specs[0], &source,
			NULL };

		rc = run_all_ways(&test, url, err);
	}
	wf_spec_file_free(&spec_file);
	wf_buffer_free(&problems);
	wf_buffer_free(&source);
	return rc;
}

static void report_failure(
    const char *file, const struct wf_scenario *scenario, struct wf_error *err)
{
	snprintf(err->place.file, sizeof(err->place.file), "%s", file);
	err->place.column = 0;
	wf_error_prefix(err, "scenario \"%s\"", scenario->title);
	(void)wf_cli_report(err);
}

static void judge_scenario(struct wf_arena *arena, const char *file,
    const struct wf_scenario *scenario, struct tests *tests)
{
	struct wf_error err = { 0 };

	if (scenario->path != NULL &&
	    wf_scenario_path(arena, file, scenario) == NULL) {
		printf("%s:%d: scenario \"%s\" is skipped: there is no %s\n",
		    file, scenario->path_line, scenario->title, scenario->path);
		tests->skipped++;
		return;
	}
	if (run_scenario(arena, file, scenario, tests->url, &err) == WF_OK) {
		tests->passed++;
		return;
	}
	report_failure(file, scenario, &err);
	tests->failed++;
}

/* A file that cannot be read counts as one failure. */
static void judge_file(const char *file, struct tests *tests)
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
		(void)wf_cli_report(&err);
		tests->failed++;
	} else {
		for (size_t i = 0; i < scenarios.count; i++)
			judge_scenario(arena, file, &scenarios.list[i], tests);
	}
	wf_buffer_free(&text);
	wf_arena_free(&arena);
}

static int take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct tests *tests = context;

	(void)option;
	tests->url = value;
	return 0;
}

/* 0, or the exit code of wrong usage. */
static int parse_options(struct tests *tests, int argc, char **argv)
{
	int code = wf_cli_options("test", argc, argv, take_option, tests);

	if (code == 0 && optind == argc)
		code = wf_cli_usage("test", "expected files of scenarios");
	return code;
}

int wf_cli_test(int argc, char **argv)
{
	struct tests tests = { 0 };
	int code = parse_options(&tests, argc, argv);

	if (code != 0)
		return code;
	for (int i = optind; i < argc; i++)
		judge_file(argv[i], &tests);
	printf("%u passed, %u failed", tests.passed, tests.failed);
	if (tests.skipped > 0)
		printf(", %u skipped", tests.skipped);
	putchar('\n');
	return tests.failed > 0 ? WF_EXIT_REFUSED : WF_EXIT_DONE;
}
