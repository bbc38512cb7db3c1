/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft check: reads a specification and says all that is wrong with it.
 *
 * Diagnostics go to standard error, one line each, or with --json as one
 * array to standard output.
 */
#include "cli/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"

/* Valid, and nothing more is known. */
#define EXIT_UNDECIDED 6

struct options {
	const char *path;
	bool json;
	unsigned long max_states;
};

/* --- What is not supported --- */

static void refuse_or_joins(
    const struct wf_net *net, struct wf_diagnostics *diagnostics)
{
	char element[160];

	for (uint32_t i = 0; i < net->task_count; i++) {
		const struct wf_task *task = &net->tasks[i];

		if (task->join != WF_OR)
			continue;
		snprintf(element, sizeof(element), "task %s", task->id);
		wf_diagnostics_add(diagnostics, WF_ERROR, task->line, element,
		    "its OR-join is not supported yet: expected an AND-join or "
		    "an XOR-join");
	}
}

bool wf_check_supported(
    const struct wf_spec_file *file, struct wf_diagnostics *diagnostics)
{
	size_t before = wf_diagnostics_errors(diagnostics);

	for (uint32_t i = 0; i < file->spec_count; i++) {
		const struct wf_spec *spec = file->specs[i];

		for (uint32_t j = 0; j < spec->decomposition_count; j++) {
			const struct wf_net *net = spec->decompositions[j].net;

			if (net != NULL && net->is_used)
				refuse_or_joins(net, diagnostics);
		}
	}
	return wf_diagnostics_errors(diagnostics) == before;
}

/* --- Output --- */

/* The bytes of the character at text; 0 when they are not UTF-8. */
static size_t character_size(const unsigned char *text)
{
	size_t size = text[0] < 0x80	? 1
		      : text[0] >= 0xf0 ? 4
		      : text[0] >= 0xe0 ? 3
		      : text[0] >= 0xc2 ? 2
					: 0;

	for (size_t i = 1; i < size; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

/* A character that was cut off at the end of a message is replaced. */
static void print_string(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	putchar('"');
	while (*at != '\0') {
		size_t size = character_size(at);

		if (size == 0)
			fputs("\\ufffd", stdout);
		else if (*at == '"' || *at == '\\')
			printf("\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			printf("\\u%04x", *at);
		else
			fwrite(at, 1, size, stdout);
		at += size == 0 ? 1 : size;
	}
	putchar('"');
}

static void print_json(
    const struct wf_diagnostics *diagnostics, const char *path)
{
	size_t count = wf_diagnostics_count(diagnostics);

	putchar('[');
	for (size_t i = 0; i < count; i++) {
		const struct wf_diagnostic *d =
		    wf_diagnostics_at(diagnostics, i);

		fputs(i == 0 ? "\n  {\"severity\": " : ",\n  {\"severity\": ",
		    stdout);
		print_string(d->severity == WF_ERROR ? "error" : "warning");
		fputs(", \"file\": ", stdout);
		print_string(path);
		printf(", \"line\": %d, \"element\": ", d->line);
		print_string(d->element);
		fputs(", \"message\": ", stdout);
		print_string(d->message);
		putchar('}');
	}
	fputs(count == 0 ? "]\n" : "\n]\n", stdout);
}

/* --- The command --- */

static int parse_states(const char *text, unsigned long *states_out)
{
	char *end;

	errno = 0;
	*states_out = text == NULL ? 0 : strtoul(text, &end, 10);
	if (text == NULL || text[0] < '0' || text[0] > '9' || *end != '\0' ||
	    errno != 0)
		return wf_command_usage("check",
		    "--max-states: expected a number, not \"%s\"",
		    text == NULL ? "" : text);
	return WF_EXIT_DONE;
}

static int parse_options(int argc, char **argv, struct options *options)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0) {
			options->json = true;
		} else if (strcmp(argv[i], "--max-states") == 0) {
			int exit_code =
			    parse_states(argv[++i], &options->max_states);

			if (exit_code != WF_EXIT_DONE)
				return exit_code;
		} else if (argv[i][0] == '-' && argv[i][1] != '\0') {
			return wf_command_usage(
			    "check", "unknown option %s", argv[i]);
		} else if (options->path != NULL) {
			return wf_command_usage("check",
			    "one specification at a time, not %s too", argv[i]);
		} else {
			options->path = argv[i];
		}
	}
	if (options->path == NULL)
		return wf_command_usage("check", "which specification?");
	return WF_EXIT_DONE;
}

int wf_command_check(int argc, char **argv)
{
	struct options options = { 0 };
	struct wf_diagnostics *diagnostics;
	struct wf_spec_file *file = NULL;
	int exit_code = parse_options(argc, argv, &options);
	bool valid;

	if (exit_code != WF_EXIT_DONE)
		return exit_code;
	diagnostics = wf_diagnostics_new(options.path);
	valid = wf_spec_read_file(&file, options.path, diagnostics) == WF_OK &&
		wf_check_supported(file, diagnostics);
	if (options.json)
		print_json(diagnostics, options.path);
	else
		wf_diagnostics_print(diagnostics, stderr);
	if (valid && !options.json)
		printf("%s is valid; whether it is sound is not decided.\n",
		    options.path);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
	return valid ? EXIT_UNDECIDED : WF_EXIT_REFUSED;
}
