/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The weft command: finds the command named by the first argument in the
 * table of commands.def, and answers every --help from that table.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/admin/settings.h"

struct command {
	const char *name;
	const char *synopsis;
	const char *summary;
	const char *options;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
#define WF_NAMED_COMMAND(identifier, name, synopsis, summary, options)         \
	{ name, synopsis, summary, options, wf_command_##identifier },
#include "cli/commands.def"
#undef WF_NAMED_COMMAND
};

static const size_t command_count = sizeof commands / sizeof commands[0];

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static void print_help(FILE *out)
{
	fputs("usage: weft COMMAND [ARGUMENT]...\n\n"
	      "Weft runs processes written in YAWL.  The commands are:\n\n",
	    out);
	for (size_t i = 0; i < command_count; i++)
		fprintf(
		    out, "  %-11s %s\n", commands[i].name, commands[i].summary);
	fputs("\n\"weft COMMAND --help\" tells how a command is used, "
	      "\"weft --version\" which Weft this is.\n"
	      "Exit codes: 0 done, 1 refused, 2 wrong usage; "
	      "a command's own are in its help.\n",
	    out);
}

static void print_command_help(const struct command *command)
{
	printf("usage: weft %s %s\n\nweft %s %s.\n", command->name,
	    command->synopsis, command->name, command->summary);
	if (command->options[0] != '\0')
		printf("\n%s", command->options);
}

int wf_command_usage(const char *name, const char *format, ...)
{
	const struct command *command = find(name);
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
		    "usage: weft %s %s\n\"weft %s --help\" tells more.\n", name,
		    command->synopsis, name);
	return WF_EXIT_USAGE;
}

bool wf_command_number(const char *text, uint64_t maximum, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 &&
	       *out <= maximum;
}

int wf_command_report(const struct wf_error *err)
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

/* Output that could not be written is a failure, whatever the command says. */
static int finish(int code)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("weft: standard output");
		return code == WF_EXIT_DONE ? WF_EXIT_REFUSED : code;
	}
	return code;
}

int main(int argc, char **argv)
{
	const struct command *command;

	/* A file that may not grow is a write that fails. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		print_help(stderr);
		return WF_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return finish(WF_EXIT_DONE);
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("weft " PACKAGE_VERSION);
		return finish(WF_EXIT_DONE);
	}
	command = find(argv[1]);
	if (command == NULL) {
		fprintf(stderr,
		    "weft: there is no command \"%s\"; "
		    "\"weft --help\" names them all\n",
		    argv[1]);
		return WF_EXIT_USAGE;
	}
	for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 ||
		    strcmp(argv[i], "-h") == 0) {
			print_command_help(command);
			return finish(WF_EXIT_DONE);
		}
	return finish(command->run(argc - 1, argv + 1));
}
