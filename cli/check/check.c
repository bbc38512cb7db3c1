/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft check: reads a specification, reports all errors and warnings, and
 * analyses the nets of a valid one.
 *
 * Errors and warnings of the file go to standard error, one line each; the
 * analysis goes to standard output.  With --json everything is one object on
 * standard output.
 */
#include "cli/check/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "people/resourcing_check.h"

enum { EXIT_UNSOUND = 5, EXIT_UNDECIDED = 6 };

struct options {
	const char *path;
	bool json;
	struct wf_verify_options verify;
};

static int take_states(const char *text, uint32_t *states_out)
{
	uint64_t states;

	if (!wf_cli_number(text, UINT64_MAX, &states))
		return wf_cli_usage("check",
		    "--max-states: expected a number, not \"%s\"", text);
	*states_out =
	    states > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)states;
	return WF_EXIT_DONE;
}

static int take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct options *options = context;

	if (option->option == WF_OPTION_CHECK_MAX_STATES)
		return take_states(value, &options->verify.states);
	options->json = true;
	return WF_EXIT_DONE;
}

static int parse_options(int argc, char **argv, struct options *options)
{
	int code = wf_cli_options("check", argc, argv, take_option, options);

	if (code != WF_EXIT_DONE)
		return code;
	if (optind == argc)
		return wf_cli_usage(
		    "check", "expected the file of a specification");
	if (optind + 1 < argc)
		return wf_cli_usage("check",
		    "one specification at a time, not %s too",
		    argv[optind + 1]);
	options->path = argv[optind];
	return WF_EXIT_DONE;
}

static void analyse(struct wf_check *check, const struct wf_spec_file *file,
    const struct wf_verify_options *options)
{
	check->reports =
	    wf_calloc(file->spec_count + 1, sizeof(*check->reports));
	for (uint32_t i = 0; i < file->spec_count; i++) {
		struct wf_report *report = wf_verify(file->specs[i], options);

		check->reports[check->report_count++] = report;
		if (report->sound == WF_NO || check->sound == WF_YES)
			check->sound = report->sound;
	}
}

static int choose_exit_code(const struct wf_check *check)
{
	static const int codes[] = { WF_EXIT_DONE, EXIT_UNSOUND,
		EXIT_UNDECIDED };

	return check->valid ? codes[check->sound] : WF_EXIT_REFUSED;
}

int wf_cli_check(int argc, char **argv)
{
	struct options options = { .verify = wf_verify_default };
	struct wf_diagnostics *diagnostics;
	struct wf_spec_file *file = NULL;
	struct wf_check check = { .sound = WF_YES };
	int exit_code = parse_options(argc, argv, &options);

	if (exit_code != WF_EXIT_DONE)
		return exit_code;
	diagnostics = wf_diagnostics_new(options.path);
	check.path = options.path;
	check.diagnostics = diagnostics;
	check.valid =
	    wf_spec_read_file(&file, options.path, diagnostics) == WF_OK;
	for (uint32_t i = 0; check.valid && i < file->spec_count; i++)
		wf_resourcing_check(file->specs[i], diagnostics);
	if (check.valid)
		analyse(&check, file, &options.verify);
	if (options.json) {
		wf_check_print_json(&check);
	} else {
		wf_diagnostics_print(diagnostics, stderr);
		wf_check_print_text(&check);
	}
	for (uint32_t i = 0; i < check.report_count; i++)
		wf_report_free(&check.reports[i]);
	wf_free(check.reports);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
	return choose_exit_code(&check);
}
