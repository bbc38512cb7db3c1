/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the man page: copies a template from standard input to standard
 * output, puts the version in place of @VERSION@, and the description of all
 * commands, from the table of the command line, in place of the line
 * @COMMANDS@.  The build runs it; it is not installed.
 *
 * usage: manual <docs/weft.1.in >weft.1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"

#define LINE_MAXIMUM 4096

/* --- troff ---------------------------------------------------------------- */

/* Hyphens are minus signs, as in options. */
static void put_character(char c)
{
	if (c == '-')
		fputs("\\-", stdout);
	else if (c == '\\')
		fputs("\\e", stdout);
	else
		putchar(c);
}

/* \& keeps a dot at the begin of a line from being a request. */
static void put_text(const char *text)
{
	for (bool begins = true; *text != '\0'; text++) {
		if (begins && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		begins = *text == '\n';
		put_character(*text);
	}
}

/* An argument of a request, between quotes. */
static void put_quoted(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '"')
			fputs("\\(dq", stdout);
		else
			put_character(*text);
}

/* What the man page says of a row; NULL: nothing. */
static const char *find_text(const struct wf_cli_row *row)
{
	const char *text = row->manual != NULL ? row->manual : row->help;

	return text == NULL || text[0] == '\0' ? NULL : text;
}

/* --- rows ----------------------------------------------------------------- */

static void print_heading(const char *command, const char *rest)
{
	fputs(".SS \"weft ", stdout);
	put_quoted(command);
	putchar(' ');
	put_quoted(rest);
	fputs("\"\n", stdout);
}

static void print_group(
    const struct wf_cli_row *command, const struct wf_cli_row *row)
{
	char words[LINE_MAXIMUM];

	snprintf(words, sizeof(words), "%s [OPTION]...", row->name);
	print_heading(command->name, words);
	put_text(find_text(row));
	putchar('\n');
}

/* ".TP", a line with the name in bold and its argument in italics. */
static void print_tag(const char *dashes, const struct wf_cli_row *row)
{
	bool bare = row->argument == NULL || row->argument[0] == '\0';

	printf(".TP\n.%s \"", bare ? "B" : "BI");
	put_quoted(dashes);
	put_quoted(row->name);
	if (!bare) {
		fputs("\" \" ", stdout);
		put_quoted(row->argument);
	}
	fputs("\"\n", stdout);
}

/* The options of a verb, behind its text. */
static void print_options(const char *names)
{
	const char *between = " (";

	for (; *(names += strspn(names, " ")) != '\0';
	     names += strcspn(names, " ")) {
		char name[80];

		snprintf(name, sizeof(name), "%s--%.*s", between,
		    (int)strcspn(names, " "), names);
		put_text(name);
		between = ", ";
	}
	if (between[0] == ',')
		putchar(')');
}

static void print_row(
    const struct wf_cli_row *command, const struct wf_cli_row *row)
{
	const char *text = find_text(row);

	if (text == NULL)
		return;
	if (row->kind == WF_ROW_GROUP) {
		print_group(command, row);
		return;
	}
	if (row->kind == WF_ROW_TEXT)
		puts(".PP");
	else if (wf_cli_is_verb(row))
		print_tag("", row);
	else
		print_tag(row->name[1] == '\0' ? "-" : "--", row);
	put_text(text);
	if (row->kind == WF_ROW_REMOTE_VERB)
		print_options(row->options);
	if (row->kind == WF_ROW_SETTING && row->fallback != NULL &&
	    row->fallback[0] != '\0') {
		fputs(" (", stdout);
		put_text(row->fallback);
		putchar(')');
	}
	putchar('\n');
}

static void print_commands(void)
{
	const struct wf_cli_row *command;

	WF_CLI_EACH_COMMAND(command)
	{
		const struct wf_cli_row *row;

		print_heading(command->name, command->argument);
		put_text(find_text(command));
		putchar('\n');
		WF_CLI_EACH_ROW(row, command)
		print_row(command, row);
	}
}

/* --- the template --------------------------------------------------------- */

static void print_line(const char *line)
{
	static const char mark[] = "@VERSION@";
	const char *at = strstr(line, mark);

	if (strcmp(line, "@COMMANDS@\n") == 0)
		print_commands();
	else if (at != NULL)
		printf("%.*s%s%s", (int)(at - line), line, PACKAGE_VERSION,
		    at + strlen(mark));
	else
		fputs(line, stdout);
}

/* A verb that names an option which is not in the table is a mistake there. */
static void check_table(void)
{
	const struct wf_cli_row *command;

	WF_CLI_EACH_COMMAND(command)
	{
		const struct wf_cli_row *row;

		WF_CLI_EACH_ROW(row, command)
		{
			char names[LINE_MAXIMUM];
			char *rest = names;
			char *name;

			if (!wf_cli_is_verb(row))
				continue;
			snprintf(names, sizeof(names), "%s", row->options);
			while ((name = strsep(&rest, " ")) != NULL)
				if (name[0] != '\0' &&
				    wf_cli_find_option(command, name) == NULL) {
					fprintf(stderr,
					    "manual: weft %s %s has no row "
					    "for --%s\n",
					    command->name, row->name, name);
					exit(EXIT_FAILURE);
				}
		}
	}
}

int main(void)
{
	char line[LINE_MAXIMUM];

	check_table();
	while (fgets(line, sizeof(line), stdin) != NULL)
		print_line(line);
	return ferror(stdin) || fflush(stdout) != 0 || ferror(stdout)
		   ? EXIT_FAILURE
		   : EXIT_SUCCESS;
}
