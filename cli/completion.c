/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft completion: what a shell needs to complete the words of weft, from the
 * table of the command line.
 *
 * It is a list of places and of the words that may follow there: "" the
 * commands, "case" its verbs, "case start" the options of that.  Each shell
 * has its own way to write the list down.
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/commands.h"

#define WORDS_MAXIMUM 65536U

typedef void print_f(
    const char *command, const char *verb, const struct wf_buffer *words);

/* --- words ---------------------------------------------------------------- */

/* Each once; there is a blank behind each. */
static void add(struct wf_buffer *words, const char *prefix, const char *word,
    size_t length)
{
	char text[64];
	size_t size = (size_t)snprintf(
	    text, sizeof(text), " %s%.*s ", prefix, (int)length, word);

	if (words->length == 0)
		wf_buffer_putc(words, ' ');
	if (size < sizeof(text) && strstr(wf_buffer_text(words), text) == NULL)
		wf_buffer_puts(words, text + 1);
}

static void add_each(struct wf_buffer *words, const char *prefix,
    const char *list, const char *separators)
{
	while (*(list += strspn(list, separators)) != '\0') {
		size_t length = strcspn(list, separators);

		add(words, prefix, list, length);
		list += length;
	}
}

/* The options that --help has a line for. */
static void add_options(
    struct wf_buffer *words, const struct wf_cli_row *command)
{
	const struct wf_cli_row *row;

	WF_CLI_EACH_ROW(row, command)
	if ((row->kind == WF_ROW_OPTION || row->kind == WF_ROW_SETTING) &&
	    row->help != NULL)
		add(words, row->name[1] == '\0' ? "-" : "--", row->name,
		    strlen(row->name));
}

/* --- places --------------------------------------------------------------- */

static void visit(print_f *print, const char *command, const char *verb,
    struct wf_buffer *words)
{
	if (words->length > 0)
		print(command, verb, words);
	wf_buffer_free(words);
	wf_buffer_init(words, WORDS_MAXIMUM);
}

/* A place for each verb; false when the command has no verbs for a server. */
static bool visit_verbs(print_f *print, const struct wf_cli_row *command)
{
	const struct wf_cli_row *row;
	struct wf_buffer words;
	bool found = false;

	wf_buffer_init(&words, WORDS_MAXIMUM);
	WF_CLI_EACH_ROW(row, command)
	{
		if (row->kind != WF_ROW_REMOTE_VERB)
			continue;
		add_each(&words, "--", row->options, " ");
		add_each(&words, "--", WF_CLI_REMOTE_OPTIONS, " ");
		visit(print, command->name, row->name, &words);
		found = true;
	}
	wf_buffer_free(&words);
	return found;
}

static void visit_command(print_f *print, const struct wf_cli_row *command)
{
	bool is_remote = visit_verbs(print, command);
	const struct wf_cli_row *row;
	struct wf_buffer words;

	wf_buffer_init(&words, WORDS_MAXIMUM);
	WF_CLI_EACH_ROW(row, command)
	if (wf_cli_is_verb(row))
		add_each(&words, "", row->name, " ");
	if (!is_remote)
		add_options(&words, command);
	visit(print, command->name, NULL, &words);
	wf_buffer_free(&words);
}

static void visit_all(print_f *print)
{
	const struct wf_cli_row *row;
	struct wf_buffer words;

	wf_buffer_init(&words, WORDS_MAXIMUM);
	WF_CLI_EACH_COMMAND(row)
	add_each(&words, "", row->name, " ");
	add_each(&words, "", "--help --version", " ");
	visit(print, NULL, NULL, &words);
	wf_buffer_free(&words);
	WF_CLI_EACH_COMMAND(row)
	visit_command(print, row);
}

/* --- shells --------------------------------------------------------------- */

/*
 * A branch of a case statement on the first words.  Where no verb is known any
 * may be.
 */
static void print_case(
    const char *command, const char *verb, const struct wf_buffer *words)
{
	if (command == NULL)
		printf("\t\"\")");
	else if (verb == NULL)
		printf("\t\" %s\" | \" %s \"*)", command, command);
	else
		printf("\t\" %s %s\")", command, verb);
	printf(" words=\"%s\" ;;\n", wf_buffer_text(words));
}

static void print_bash(void)
{
	fputs("# eval \"$(weft completion bash)\"\n"
	      "_weft() {\n"
	      "\tlocal words= place= word=${COMP_WORDS[COMP_CWORD]} i\n"
	      "\tfor ((i = 1; i < COMP_CWORD && i <= 2; i++)); do\n"
	      "\t\tplace+=\" ${COMP_WORDS[i]}\"\n"
	      "\tdone\n"
	      "\tcase $place in\n",
	    stdout);
	visit_all(print_case);
	fputs("\tesac\n"
	      "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	      "}\n"
	      "complete -o default -F _weft weft\n",
	    stdout);
}

static void print_zsh(void)
{
	puts("#compdef weft\nautoload -U +X bashcompinit && bashcompinit");
	print_bash();
}

/* A line, with the condition that the cursor is at that place. */
static void print_line(
    const char *command, const char *verb, const struct wf_buffer *words)
{
	if (command == NULL)
		fputs("complete -c weft -f -n __fish_use_subcommand", stdout);
	else if (verb == NULL && strstr(wf_buffer_text(words), " -") == NULL)
		printf("complete -c weft -f -n '__fish_seen_subcommand_from "
		       "%s; and not __fish_seen_subcommand_from%s'",
		    command, wf_buffer_text(words));
	else if (verb == NULL)
		printf("complete -c weft -n '__fish_seen_subcommand_from %s'",
		    command);
	else
		printf("complete -c weft -n '__fish_seen_subcommand_from %s; "
		       "and __fish_seen_subcommand_from %s'",
		    command, verb);
	printf(" -a '%s'\n", wf_buffer_text(words));
}

static void print_fish(void)
{
	puts("# weft completion fish | source");
	visit_all(print_line);
}

int wf_cli_completion(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {
		{ "bash", print_bash },
		{ "zsh", print_zsh },
		{ "fish", print_fish },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(shells) / sizeof(shells[0]);
	     i++)
		if (strcmp(shells[i].name, argv[1]) == 0) {
			shells[i].print();
			return WF_EXIT_DONE;
		}
	return wf_cli_no_verb("completion", argc > 1 ? argv[1] : NULL);
}
