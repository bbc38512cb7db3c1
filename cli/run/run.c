/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft run: runs one case of a specification in memory, automatically or by a
 * script, and prints the run in words or as a trace.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/diagnostics.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/run/drive.h"
#include "cli/run/narration.h"
#include "cli/run/trace.h"
#include "cli/scenario/script.h"
#include "kernel/why.h"

#define SCRIPT_MAXIMUM ((size_t)16 << 20)
#define DEFAULT_STEPS 200U

struct options {
	const char *data;
	const char *script;
	const char *why;
	const char *url; /* URL of a store; NULL: none */
	const char *spec;
	bool trace;
	bool show_data;
	struct wf_drive drive;
};

static int take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct options *options = context;
	uint64_t number;

	switch (option->option) {
	case WF_OPTION_RUN_DATA:
		options->data = value;
		return 0;
	case WF_OPTION_RUN_TRACE:
		options->trace = true;
		return 0;
	case WF_OPTION_RUN_SHOW_DATA:
		options->show_data = true;
		return 0;
	case WF_OPTION_RUN_SCRIPT:
		options->script = value;
		return 0;
	case WF_OPTION_RUN_WHY:
		options->why = value;
		return 0;
	case WF_OPTION_RUN_DB:
		options->url = value;
		return 0;
	case WF_OPTION_RUN_MODE:
		options->drive.split = strcmp(value, "split") == 0;
		if (options->drive.split || strcmp(value, "atomic") == 0)
			return 0;
		return wf_cli_usage(
		    "run", "--mode is atomic or split, not \"%s\"", value);
	case WF_OPTION_RUN_SEED:
		if (wf_cli_number(value, UINT64_MAX, &options->drive.seed))
			return 0;
		return wf_cli_usage(
		    "run", "--seed is a number, not \"%s\"", value);
	case WF_OPTION_RUN_MAX_STEPS:
		if (!wf_cli_number(value, UINT32_MAX, &number))
			return wf_cli_usage("run",
			    "--max-steps is a number, not \"%s\"", value);
		options->drive.maximum = (uint32_t)number;
		return 0;
	default:
		return 0;
	}
}

static int parse_options(struct options *options, int argc, char **argv)
{
	int code;

	options->drive.seed = 1;
	options->drive.maximum = DEFAULT_STEPS;
	code = wf_cli_options("run", argc, argv, take_option, options);
	if (code != 0)
		return code;
	if (optind != argc - 1)
		return wf_cli_usage("run",
		    optind == argc ? "expected the file of a specification"
				   : "expected one specification");
	options->spec = argv[optind];
	if (options->script != NULL && (options->trace || options->data))
		return wf_cli_usage("run",
		    "--script does not go together with --trace or --data; "
		    "it launches the case itself");
	return 0;
}

/* Prints warnings too, unless a trace is compared. */
static struct wf_spec_file *load(const struct options *options)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new(options->spec);
	struct wf_spec_file *file = NULL;
	enum wf_rc rc;

	rc = wf_spec_read_file(&file, options->spec, diagnostics);
	if (rc != WF_OK || !options->trace)
		wf_diagnostics_print(diagnostics, stderr);
	wf_diagnostics_free(&diagnostics);
	return file;
}

static enum wf_rc launch(const struct options *options,
    struct wf_session *session, struct wf_error *err)
{
	struct wf_buffer data;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&data, WF_VALUE_BYTES);
	if (options->data != NULL)
		rc = wf_buffer_read_file(&data, options->data, err);
	if (rc == WF_OK)
		rc = wf_session_command(session, WF_COMMAND_LAUNCH, NULL,
		    options->data != NULL ? wf_buffer_text(&data) : NULL,
		    data.length, err);
	if ((rc == WF_INVALID || rc == WF_DATA) && options->data != NULL &&
	    err->place.file[0] == '\0')
		snprintf(err->place.file, sizeof(err->place.file), "%s",
		    options->data);
	wf_buffer_free(&data);
	return rc;
}

static int explain(
    const struct options *options, const struct wf_session *session, int code)
{
	struct wf_error err = { 0 };
	struct wf_buffer text;

	if (options->why == NULL)
		return code;
	wf_buffer_init(&text, (size_t)16 << 20);
	if (wf_why(session->instance, options->why, &text, &err) != WF_OK)
		code = wf_cli_report(&err);
	else
		fputs(wf_buffer_text(&text), stdout);
	wf_buffer_free(&text);
	return code;
}

static int run_by_itself(
    const struct options *options, struct wf_session *session)
{
	struct wf_watcher *watcher;
	struct wf_error err = { 0 };
	enum wf_outcome outcome;
	enum wf_rc rc;

	rc = launch(options, session, &err);
	if (rc != WF_OK)
		return wf_cli_report(&err);
	if (options->trace) {
		watcher = wf_trace_new(stdout, options->show_data);
	} else {
		wf_narration_launched(stdout, session);
		watcher = wf_narration_new(stdout, options->drive.split);
	}
	rc = wf_drive_run(&options->drive, session, watcher, &outcome, &err);
	if (options->trace)
		wf_trace_free(&watcher);
	else
		wf_narration_free(&watcher);
	fflush(stdout);
	if (rc != WF_OK)
		return explain(options, session, wf_cli_report(&err));
	return explain(options, session, wf_outcome_exit(outcome));
}

static enum wf_rc execute(const struct options *options,
    const struct wf_script *script, struct wf_session *session,
    struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < script->count && rc == WF_OK; i++) {
		const struct wf_script_line *line = &script->lines[i];

		rc = wf_script_execute(line, session, err);
		if (rc != WF_OK) {
			snprintf(err->place.file, sizeof(err->place.file), "%s",
			    options->script);
			err->place.line = line->line;
			err->place.column = 0;
		}
	}
	return rc;
}

static int run_script(const struct options *options, struct wf_session *session)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_script script = { 0 };
	struct wf_error err = { 0 };
	struct wf_buffer text;
	struct wf_lines lines;
	enum wf_rc rc;
	int code;

	wf_buffer_init(&text, SCRIPT_MAXIMUM);
	rc = wf_buffer_read_file(&text, options->script, &err);
	wf_lines_init(
	    &lines, arena, options->script, wf_buffer_text(&text), text.length);
	if (rc == WF_OK)
		rc = wf_script_parse(&script, &lines, &err);
	if (rc == WF_OK)
		rc = execute(options, &script, session, &err);
	if (rc != WF_OK) {
		code = wf_cli_report(&err);
	} else if (session->instance == NULL) {
		puts("No case was launched.");
		code = WF_EXIT_DONE;
	} else {
		enum wf_outcome outcome = wf_outcome_of(session);

		wf_narration_standing(stdout, session, outcome);
		code = wf_outcome_exit(outcome);
	}
	if (session->instance != NULL)
		code = explain(options, session, code);
	wf_buffer_free(&text);
	wf_arena_free(&arena);
	return code;
}

/* The clock of a trace: the instant at which reference traces were recorded. */
#define TRACE_CLOCK INT64_C(1795132800000) /* 2026-11-20T00:00:00Z */

/* Traces and scripts have a virtual clock, other runs the system clock. */
static int64_t clock_now(const struct options *options)
{
	struct timespec now;

	if (options->trace)
		return TRACE_CLOCK;
	if (options->script != NULL || clock_gettime(CLOCK_REALTIME, &now) != 0)
		return WF_SESSION_START;
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* With --db the case has a shadow run in the store. */
static enum wf_rc add_shadow_run(const struct options *options,
    struct wf_session *session, struct wf_error *err)
{
	struct wf_buffer xml;
	enum wf_rc rc;

	if (options->url == NULL)
		return WF_OK;
	wf_buffer_init(&xml, WF_SPEC_BYTES);
	rc = wf_buffer_read_file(&xml, options->spec, err);
	if (rc == WF_OK)
		rc = wf_shadow_run_open(&session->shadow, options->url,
		    WF_SESSION_CASE, &session->limits, wf_buffer_text(&xml),
		    xml.length, err);
	wf_buffer_free(&xml);
	return rc;
}

static int run(const struct options *options, const struct wf_spec *spec)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_session session;
	int code;

	wf_session_init(&session, spec, false);
	session.now = clock_now(options);
	session.limits.cancelled_stays_busy = options->trace;
	if (add_shadow_run(options, &session, &err) != WF_OK)
		code = wf_cli_report(&err);
	else if (options->script != NULL)
		code = run_script(options, &session);
	else
		code = run_by_itself(options, &session);
	wf_shadow_run_close(&session.shadow);
	wf_session_free(&session);
	return code;
}

int wf_cli_run(int argc, char **argv)
{
	struct options options = { 0 };
	struct wf_spec_file *file;
	int code;

	code = parse_options(&options, argc, argv);
	if (code != 0)
		return code;
	file = load(&options);
	if (file == NULL)
		return WF_EXIT_REFUSED;
	code = run(&options, file->specs[0]);
	wf_spec_file_free(&file);
	return code;
}
