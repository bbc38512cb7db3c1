/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of the command line, looked up by names, and what the commands
 * share.  The table knows no function of a command, so that weft-bench and the
 * program that prints the man page use it without the commands.
 */
#include "cli/commands.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/similar.h"

const struct wf_cli_row wf_cli_rows[] = {
#define WF_CLI_COMMAND(identifier, name, synopsis, summary, manual)            \
	{ WF_ROW_COMMAND, WF_OPTION_NONE, name, synopsis, NULL, NULL, summary, \
		manual },
#define WF_CLI_GROUP(name, options, help, manual)                              \
	{ WF_ROW_GROUP, WF_OPTION_NONE, name, "", options, NULL, help, manual },
#define WF_CLI_VERB(name, arguments, options, help, manual)                    \
	{ WF_ROW_VERB, WF_OPTION_NONE, name, arguments, options, NULL, help,   \
		manual },
#define WF_CLI_REMOTE_VERB(noun, name, arguments, options, method, path, run,  \
    list, columns, help, manual)                                               \
	{ WF_ROW_REMOTE_VERB, WF_OPTION_NONE, name, arguments, options, NULL,  \
		help, manual },
#define WF_CLI_OPTION(identifier, name, argument, help, manual)                \
	{ WF_ROW_OPTION, WF_OPTION_##identifier, name, argument, NULL, NULL,   \
		help, manual },
#define WF_CLI_AGAIN(name, argument, help, manual)                             \
	{ WF_ROW_AGAIN, WF_OPTION_NONE, name, argument, NULL, NULL, help,      \
		manual },
#define WF_CLI_SETTING(name, argument, fallback, meaning)                      \
	{ WF_ROW_SETTING, WF_OPTION_NONE, name, argument, NULL, fallback,      \
		meaning, NULL },
#define WF_CLI_TEXT(help, manual)                                              \
	{ WF_ROW_TEXT, WF_OPTION_NONE, NULL, NULL, NULL, NULL, help, manual },
#include "cli/commands.def"
	{ .kind = WF_ROW_END },
};

const struct wf_cli_row *wf_cli_find_command(const char *name)
{
	const struct wf_cli_row *row;

	WF_CLI_EACH_COMMAND(row)
	if (strcmp(row->name, name) == 0)
		return row;
	return NULL;
}

const struct wf_cli_row *wf_cli_find_option(
    const struct wf_cli_row *command, const char *name)
{
	const struct wf_cli_row *row;

	WF_CLI_EACH_ROW(row, command)
	if (row->kind == WF_ROW_OPTION && strcmp(row->name, name) == 0)
		return row;
	return NULL;
}

bool wf_cli_is_verb(const struct wf_cli_row *row)
{
	return row->kind == WF_ROW_GROUP || row->kind == WF_ROW_VERB ||
	       row->kind == WF_ROW_REMOTE_VERB;
}

const struct wf_cli_row *wf_cli_find_verb(
    const struct wf_cli_row *command, const char *name)
{
	const struct wf_cli_row *row;

	WF_CLI_EACH_ROW(row, command)
	if (wf_cli_is_verb(row) && strcmp(row->name, name) == 0)
		return row;
	return NULL;
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	while (*(list += strspn(list, " ")) != '\0') {
		size_t size = strcspn(list, " ");

		if (size == length && strncmp(list, word, size) == 0)
			return true;
		list += size;
	}
	return false;
}

bool wf_cli_takes(const struct wf_cli_row *verb, const char *name)
{
	return has_word(verb->options, name) ||
	       (verb->kind == WF_ROW_REMOTE_VERB &&
		   has_word(WF_CLI_REMOTE_OPTIONS, name));
}

int wf_cli_usage(const char *name, const char *format, ...)
{
	const struct wf_cli_row *command = wf_cli_find_command(name);
	va_list arguments;

	if (format != NULL) {
		fprintf(stderr, "weft: ");
		va_start(arguments, format);
		vfprintf(stderr, format, arguments);
		va_end(arguments);
		fputc('\n', stderr);
	}
	if (command != NULL)
		fprintf(stderr,
		    "usage: weft %s %s\n\"weft %s --help\" describes it.\n",
		    name, command->argument, name);
	return WF_EXIT_USAGE;
}

int wf_cli_no_verb(const char *name, const char *word)
{
	const struct wf_cli_row *command = wf_cli_find_command(name);
	struct wf_similar similar = { .word = word };
	const struct wf_cli_row *row;
	const char *meant = NULL;

	if (word != NULL) {
		WF_CLI_EACH_ROW(row, command)
		if (wf_cli_is_verb(row))
			wf_similar_try(&similar, row->name);
		meant = wf_similar_found(&similar);
		fprintf(stderr, "weft: there is no \"weft %s %s\"", name, word);
		if (meant != NULL)
			fprintf(
			    stderr, "; is \"weft %s %s\" meant?", name, meant);
		fputc('\n', stderr);
		if (meant != NULL)
			return WF_EXIT_USAGE;
	}
	fprintf(stderr, "weft: expected one of:\n");
	WF_CLI_EACH_ROW(row, command)
	if (wf_cli_is_verb(row))
		fprintf(stderr, "  weft %s %s%s%s\n", name, row->name,
		    row->argument == NULL || row->argument[0] == '\0' ? ""
								      : " ",
		    row->argument == NULL ? "" : row->argument);
	return WF_EXIT_USAGE;
}

int wf_cli_wrong_arguments(const char *command, const struct wf_cli_row *verb)
{
	const char *arguments = verb->argument == NULL ? "" : verb->argument;

	return wf_cli_usage(command, "expected weft %s %s%s%s%s", command,
	    verb->name, arguments[0] == '\0' ? "" : " ", arguments,
	    arguments[0] == '\0' ? ", and no argument" : "");
}

bool wf_cli_number(const char *text, uint64_t maximum, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
	       *out <= maximum;
}

int wf_cli_report(const struct wf_error *err)
{
	const struct wf_place *place = &err->place;

	fputs("weft: ", stderr);
	if (place->file[0] != '\0')
		fprintf(stderr, "%s:", place->file);
	if (place->line > 0)
		fprintf(stderr, "%d:", place->line);
	if (place->line > 0 && place->column > 0)
		fprintf(stderr, "%d:", place->column);
	if (place->file[0] != '\0' || place->line > 0)
		fputc(' ', stderr);
	if (place->element[0] != '\0')
		fprintf(stderr, "%s: ", place->element);
	if (err->code[0] != '\0')
		fprintf(stderr, "err:%s: ", err->code);
	fprintf(stderr, "%s\n", err->message);
	return wf_rc_exit(err->rc);
}
