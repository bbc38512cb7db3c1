/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays out the rows of the table.  Options and verbs for a server have their
 * names in columns 3 to 21, verbs for a store in the first column, settings on
 * a line of their own.
 */
#include "cli/help.h"

#include <string.h>

#define INDENT 2
#define WIDTH 19 /* of names */

void wf_cli_print_commands(FILE *out)
{
	const struct wf_cli_row *row;

	fputs("usage: weft COMMAND [ARGUMENT]...\n\n"
	      "Weft runs processes written in YAWL.  The commands are:\n\n",
	    out);
	WF_CLI_EACH_COMMAND(row)
	fprintf(out, "  %-11s %s\n", row->name, row->help);
	fputs("\n\"weft COMMAND --help\" describes a command, "
	      "\"weft --version\" prints the version\n"
	      "and the optional libraries it was built with.\n"
	      "Exit codes: 0 done, 1 refused, 2 wrong usage; "
	      "a command's own are in its help.\n",
	    out);
}

/* "--data FILE", "-o FILE", "add NAME": returns the length. */
static int label(const struct wf_cli_row *row, char text[80])
{
	const char *dashes = wf_cli_is_verb(row)    ? ""
			     : row->name[1] == '\0' ? "-"
						    : "--";
	const char *argument = row->argument == NULL ? "" : row->argument;

	return snprintf(text, 80, "%s%s%s%s", dashes, row->name,
	    argument[0] == '\0' ? "" : " ", argument);
}

/* The label, and the help beside it, or below where there is no room. */
static void print_row(const struct wf_cli_row *row, int indent, int width)
{
	char text[80];
	bool fits = label(row, text) < width;

	printf("%*s%-*s", indent, "", fits ? width : 0, text);
	if (!fits)
		printf("\n%*s", indent + width, "");
	for (const char *at = row->help; *at != '\0'; at++) {
		putchar(*at);
		if (*at == '\n')
			printf("%*s", indent + width, "");
	}
	putchar('\n');
}

static void print_setting(const struct wf_cli_row *row)
{
	char text[80];

	(void)label(row, text);
	printf("  %s", text);
	if (row->fallback != NULL)
		printf(" (%s)", row->fallback);
	printf("\n      %s\n", row->help);
}

/* Of the verbs of a command, with two blanks behind the longest. */
static int verb_width(const struct wf_cli_row *command)
{
	const struct wf_cli_row *row;
	char text[80];
	int width = 0;

	WF_CLI_EACH_ROW(row, command)
	if (row->kind == WF_ROW_VERB && label(row, text) > width)
		width = label(row, text);
	return width + 2;
}

void wf_cli_print_help(const struct wf_cli_row *command)
{
	int width = verb_width(command);
	const struct wf_cli_row *row;

	printf("usage: weft %s %s\n\nweft %s %s.\n", command->name,
	    command->argument, command->name, command->help);
	WF_CLI_EACH_ROW(row, command)
	{
		if (row == command + 1)
			putchar('\n');
		if (row->help == NULL)
			continue;
		if (row->kind == WF_ROW_TEXT)
			puts(row->help);
		else if (row->kind == WF_ROW_GROUP)
			printf("%s: %s\n", row->name, row->help);
		else if (row->kind == WF_ROW_SETTING)
			print_setting(row);
		else if (row->kind == WF_ROW_VERB)
			print_row(row, 0, width);
		else
			print_row(row, INDENT, WIDTH);
	}
}
