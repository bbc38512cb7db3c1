/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The weft command: finds the command named by the first argument in the
 * table of commands.def, and answers every --help from that table.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/admin/settings.h"
#include "cli/commands.h"

struct command {
	const char *name;
	const char *synopsis;
	const char *summary;
	const char *options;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
#define WF_NAMED_COMMAND(identifier, name, synopsis, summary, options)         \
	{ name, synopsis, summary, options, wf_cli_##identifier },
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
