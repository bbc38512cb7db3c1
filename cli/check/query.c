/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft query: evaluates a query and prints the result.  An error in the query
 * is shown with the line of the query and a caret below.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "data/query.h"

#define VARIABLES_MAXIMUM 256
#define QUERY_MAXIMUM ((size_t)1 << 20)
#define RESULT_MAXIMUM ((size_t)1 << 30)

/* A query at the command line may take more than one in an engine. */
#define QUERY_MEMORY ((size_t)1 << 30)
#define QUERY_STEPS UINT64_C(500000000)

/* Characters of a long line that are shown on each side of the caret. */
#define SHOWN_SIDE 50

/* "-" as the name of a file. */
static const char standard_input[] = "/dev/stdin";

struct options {
	const char *context;
	const char *file; /* of the query; NULL: it is an argument */
	const char *query;
	const char *names[VARIABLES_MAXIMUM];
	const char *values[VARIABLES_MAXIMUM];
	size_t variables;
	uint64_t steps;
};

static bool add_variable(struct options *options, const char *text)
{
	const char *equals = strchr(text, '=');

	if (equals == NULL || equals == text ||
	    options->variables == VARIABLES_MAXIMUM)
		return false;
	options->names[options->variables] =
	    wf_strndup(text, (size_t)(equals - text));
	options->values[options->variables++] = equals + 1;
	return true;
}

static bool read_steps(struct options *options, const char *text)
{
	char *end;

	errno = 0;
	options->steps = strtoull(text, &end, 10);
	return errno == 0 && *text >= '1' && *text <= '9' && *end == '\0';
}

/* "-" is standard input. */
static const char *file_name(const char *value)
{
	return strcmp(value, "-") == 0 ? standard_input : value;
}

/* 0, or the exit code of wrong usage. */
static int read_option(
    struct options *options, const char *name, const char *value)
{
	const struct wf_cli_row *option =
	    wf_cli_find_option(wf_cli_find_command("query"), name + 2);

	if (option == NULL)
		return wf_cli_usage("query", "unknown option %s", name);
	if (value == NULL)
		return wf_cli_usage("query", "%s needs a value", name);
	switch (option->option) {
	case WF_OPTION_QUERY_CONTEXT:
		options->context = file_name(value);
		return 0;
	case WF_OPTION_QUERY_FILE:
		options->file = file_name(value);
		return 0;
	case WF_OPTION_QUERY_VAR:
		if (add_variable(options, value))
			return 0;
		return wf_cli_usage(
		    "query", "--var is NAME=VALUE, not \"%s\"", value);
	default:
		if (read_steps(options, value))
			return 0;
		return wf_cli_usage(
		    "query", "--max-steps is a number, not \"%s\"", value);
	}
}

/* getopt() would take a query that begins with "-" for an option. */
static int read_options(struct options *options, int argc, char **argv)
{
	int i = 1;

	options->steps = QUERY_STEPS;
	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		int status;

		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		status = read_option(options, argv[i], argv[i + 1]);
		if (status != 0)
			return status;
	}
	if (options->file == standard_input &&
	    options->context == standard_input)
		return wf_cli_usage("query",
		    "standard input is the query or the context, not both");
	options->query = options->file == NULL ? argv[i++] : NULL;
	if (i > argc)
		return wf_cli_usage(
		    "query", "expected a query, or --file FILE");
	if (i < argc)
		return wf_cli_usage(
		    "query", "\"%s\" is one argument too many", argv[i]);
	return 0;
}

/* ---- errors ---- */

/* The bytes that the first count characters of text take. */
static size_t bytes_of(const char *text, size_t length, size_t count)
{
	size_t i = 0;

	while (i < length && count > 0) {
		i++;
		while (i < length && ((unsigned char)text[i] & 0xC0U) == 0x80)
			i++;
		count--;
	}
	return i;
}

/* Shows the line of the query that place is in, and a caret under it. */
static void show_place(const char *query, const struct wf_place *place)
{
	size_t length = 0;
	size_t before;
	size_t first = 0;
	size_t last;

	for (int line = 1; line < place->line; line++)
		query += strcspn(query, "\n") + (query[0] != '\0');
	length = strcspn(query, "\r\n");
	before = (size_t)place->column - 1;
	if (before > SHOWN_SIDE)
		first = bytes_of(query, length, before - SHOWN_SIDE);
	last = bytes_of(query, length, before + SHOWN_SIDE);
	before = bytes_of(query, length, before);
	fprintf(stderr, "  %s%.*s%s\n  %s", first > 0 ? "..." : "",
	    (int)(last - first), query + first, last < length ? "..." : "",
	    first > 0 ? "   " : "");
	for (size_t i = first; i < before; i++) {
		if (query[i] == '\t')
			fputc('\t', stderr);
		else if (((unsigned char)query[i] & 0xC0U) != 0x80)
			fputc(' ', stderr);
	}
	fputs("^\n", stderr);
}

static int report(
    const struct options *options, const char *query, struct wf_error *err)
{
	int status;

	if (options->file != NULL && err->place.line > 0 &&
	    err->place.file[0] == '\0')
		snprintf(err->place.file, sizeof(err->place.file), "%s",
		    options->file);
	status = wf_cli_report(err);
	if (query != NULL && err->place.line > 0 && err->place.column > 0)
		show_place(query, &err->place);
	return status;
}

/* ---- evaluation ---- */

static enum wf_rc evaluate(const struct options *options, const char *text,
    struct wf_buffer *result, struct wf_error *err)
{
	struct wf_evaluation how = { .variables = options->values,
		.steps = options->steps,
		.memory = QUERY_MEMORY };
	struct wf_query *query = NULL;
	struct timespec now;
	enum wf_rc rc;

	clock_gettime(CLOCK_REALTIME, &now);
	how.now = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	rc = wf_query_compile(
	    &query, text, options->names, options->variables, err);
	if (rc == WF_OK)
		rc = wf_query_run(query, options->context, &how, result, err);
	wf_query_free(&query);
	return rc;
}

static int run(const struct options *options)
{
	struct wf_buffer query;
	struct wf_buffer result;
	struct wf_error err;
	const char *text = options->query;
	int status = WF_EXIT_DONE;

	memset(&err, 0, sizeof(err));
	wf_buffer_init(&query, QUERY_MAXIMUM + 1);
	wf_buffer_init(&result, RESULT_MAXIMUM);
	if (options->file != NULL &&
	    wf_buffer_read_file(&query, options->file, &err) == WF_OK)
		text = wf_buffer_text(&query);
	if (err.rc == WF_OK && query.length != strlen(wf_buffer_text(&query)))
		(void)wf_fail(&err, WF_INVALID,
		    "%s: a query holds no NUL characters", options->file);
	if (err.rc != WF_OK ||
	    evaluate(options, text, &result, &err) != WF_OK) {
		status = report(options, text, &err);
	} else {
		fwrite(wf_buffer_text(&result), 1, result.length, stdout);
		fputc('\n', stdout);
	}
	wf_buffer_free(&result);
	wf_buffer_free(&query);
	return status;
}

int wf_cli_query(int argc, char **argv)
{
	struct options options;
	int status;

	memset(&options, 0, sizeof(options));
	status = read_options(&options, argc, argv);
	if (status == 0)
		status = run(&options);
	for (size_t i = 0; i < options.variables; i++)
		wf_free((void *)options.names[i]);
	return status;
}
