/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The weft command: runs the command that the first argument names, and
 * answers every --help from the table of the command line.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/similar.h"
#include "rest/page/rest_page.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} functions[] = {
#define WF_CLI_COMMAND(identifier, name, synopsis, summary, manual)            \
	{ name, wf_cli_##identifier },
#include "cli/commands.def"
};

static int run(const struct wf_cli_row *command, int argc, char **argv)
{
	size_t i = 0;

	while (strcmp(functions[i].name, command->name) != 0)
		i++;
	return functions[i].run(argc, argv);
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

static int no_command(const char *word)
{
	struct wf_similar similar = { .word = word };
	const struct wf_cli_row *row;
	const char *meant;

	WF_CLI_EACH_COMMAND(row)
	wf_similar_try(&similar, row->name);
	meant = wf_similar_found(&similar);
	fprintf(stderr, "weft: there is no command \"%s\"", word);
	if (meant != NULL)
		fprintf(stderr, "; is \"weft %s\" meant?\n", meant);
	else
		fputs("; \"weft --help\" lists them\n", stderr);
	return WF_EXIT_USAGE;
}

/* weft help COMMAND */
static int help(const char *word)
{
	const struct wf_cli_row *command = wf_cli_find_command(word);

	if (command == NULL)
		return no_command(word);
	wf_cli_print_help(command);
	return finish(WF_EXIT_DONE);
}

/* The version, and what configure can leave out. */
static void print_version(void)
{
	puts("weft " PACKAGE_VERSION);
#ifdef HAVE_GNUTLS
	puts("GnuTLS: yes");
#else
	puts("GnuTLS: no");
#endif
#ifdef HAVE_LDAP
	puts("LDAP: yes");
#else
	puts("LDAP: no");
#endif
	printf("page for browsers: %s\n", wf_rest_has_page() ? "yes" : "no");
}

int main(int argc, char **argv)
{
	const struct wf_cli_row *command;

	/* A file that may not grow is a write that fails. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		wf_cli_print_commands(stderr);
		return WF_EXIT_USAGE;
	}
	if (argc > 2 && strcmp(argv[1], "help") == 0)
		return help(argv[2]);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		wf_cli_print_commands(stdout);
		return finish(WF_EXIT_DONE);
	}
	if (strcmp(argv[1], "--version") == 0) {
		print_version();
		return finish(WF_EXIT_DONE);
	}
	command = wf_cli_find_command(argv[1]);
	if (command == NULL) {
		return no_command(argv[1]);
	}
	for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 ||
		    strcmp(argv[i], "-h") == 0) {
			wf_cli_print_help(command);
			return finish(WF_EXIT_DONE);
		}
	return finish(run(command, argc - 1, argv + 1));
}
