/* SPDX-License-Identifier: Apache-2.0 */
/* weft query: evaluates a query and prints the result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cli/commands.h"
#include "data/query.h"

#define VARIABLES_MAXIMUM 256
#define RESULT_MAXIMUM ((size_t)1 << 30)

/* Whoever waits at a terminal may let a query take more than an engine. */
#define QUERY_MEMORY ((size_t)1 << 30)
#define QUERY_STEPS UINT64_C(500000000)

struct options {
	const char *context;
	const char *query;
	const char *names[VARIABLES_MAXIMUM];
	const char *values[VARIABLES_MAXIMUM];
	size_t variables;
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

static bool read_options(struct options *options, int argc, char **argv)
{
	int i = 1;

	for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		if (i + 1 >= argc)
			return false;
		if (strcmp(argv[i], "--context") == 0)
			options->context = argv[++i];
		else if (strcmp(argv[i], "--var") != 0 ||
			 !add_variable(options, argv[++i]))
			return false;
	}
	if (i + 1 != argc)
		return false;
	options->query = argv[i];
	return true;
}

static int run(const struct options *options)
{
	struct wf_evaluation how = { .variables = options->values,
		.steps = QUERY_STEPS,
		.memory = QUERY_MEMORY };
	struct wf_query *query = NULL;
	struct wf_buffer text;
	struct wf_error err;
	struct timespec now;
	int status = WF_EXIT_DONE;

	memset(&err, 0, sizeof(err));
	clock_gettime(CLOCK_REALTIME, &now);
	how.now = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	wf_buffer_init(&text, RESULT_MAXIMUM);
	if (wf_query_compile(&query, options->query, options->names,
		options->variables, &err) != WF_OK ||
	    wf_query_run(query, options->context, &how, &text, &err) != WF_OK) {
		status = wf_command_report(&err);
	} else {
		fwrite(wf_buffer_text(&text), 1, text.length, stdout);
		fputc('\n', stdout);
	}
	wf_buffer_free(&text);
	wf_query_free(&query);
	return status;
}

int wf_command_query(int argc, char **argv)
{
	struct options options;
	int status;

	memset(&options, 0, sizeof(options));
	if (!read_options(&options, argc, argv))
		status = wf_command_usage("query", NULL);
	else
		status = run(&options);
	for (size_t i = 0; i < options.variables; i++)
		wf_free((void *)options.names[i]);
	return status;
}
