/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Translates rows of the table to what getopt_long() wants, and its answers
 * back.
 */
#include "cli/options.h"

#include "base/panic.h"

#define OPTIONS_MAXIMUM 32U
/* What getopt_long() returns for the first row. */
#define FIRST 256

struct parser {
	const struct wf_cli_row *rows[OPTIONS_MAXIMUM];
	struct option longs[OPTIONS_MAXIMUM + 1]; /* ends with an empty one */
	char shorts[2 * OPTIONS_MAXIMUM + 2];
	size_t count;
	size_t short_length;
};

static void add(struct parser *parser, const struct wf_cli_row *row)
{
	size_t i = parser->count++;
	char *shorts = parser->shorts + parser->short_length;

	wf_assert(i < OPTIONS_MAXIMUM);
	parser->rows[i] = row;
	parser->longs[i] = (struct option){ .name = row->name,
		.has_arg =
		    row->argument == NULL ? no_argument : required_argument,
		.val = FIRST + (int)i };
	if (row->name[1] != '\0')
		return;
	*shorts++ = row->name[0];
	parser->short_length++;
	if (row->argument != NULL) {
		*shorts = ':';
		parser->short_length++;
	}
}

static void prepare(struct parser *parser, const struct wf_cli_line *line)
{
	const struct wf_cli_row *row;

	/* Missing values are reported by us, not as unknown options. */
	parser->shorts[parser->short_length++] = ':';
	WF_CLI_EACH_ROW(row, line->command)
	if (row->kind == WF_ROW_OPTION &&
	    (line->verb == NULL || wf_cli_takes(line->verb, row->name)))
		add(parser, row);
	optind = 1;
	opterr = 0;
}

/* found: the answer of getopt_long(), a letter or FIRST and more. */
static const struct wf_cli_row *find(const struct parser *parser, int found)
{
	if (found >= FIRST)
		return parser->rows[found - FIRST];
	for (size_t i = 0; i < parser->count; i++)
		if (parser->rows[i]->name[0] == found &&
		    parser->rows[i]->name[1] == '\0')
			return parser->rows[i];
	return NULL;
}

int wf_cli_parse(
    const struct wf_cli_line *line, wf_take_option *take, void *context)
{
	struct parser parser = { .count = 0 };
	const char *name = line->command->name;
	int code = WF_EXIT_DONE;
	int found;

	prepare(&parser, line);
	while (code == WF_EXIT_DONE &&
	       (found = getopt_long(line->argc, line->argv, parser.shorts,
		    parser.longs, NULL)) != -1) {
		const char letter[] = { '-', (char)optopt, '\0' };
		/* An unknown letter may stand before others in its word. */
		const char *word = found == '?' && optopt > 0 && optopt < FIRST
				       ? letter
				       : line->argv[optind - 1];

		if (found == ':')
			code = wf_cli_usage(name, "%s needs a value", word);
		else if (found == '?')
			code = wf_cli_usage(name, "%s %s", line->refusal, word);
		else
			code = take(context, find(&parser, found), optarg);
	}
	return code;
}

int wf_cli_options(const char *command, int argc, char **argv,
    wf_take_option *take, void *context)
{
	struct wf_cli_line line = { .command = wf_cli_find_command(command),
		.refusal = "unknown option",
		.argc = argc,
		.argv = argv };

	wf_assert(line.command != NULL);
	return wf_cli_parse(&line, take, context);
}
