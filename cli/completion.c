/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft completion: what a shell needs to complete the words of weft, made
 * from the tables: the commands and their help (commands.def), and the verbs
 * for a server (wf_verbs).
 *
 * All of it is a list of places and of the words that may follow there: "" the
 * commands, "case" its verbs, "case start" the options of that.  Each shell
 * has its own way to write the list down.
 */
#include <stdio.h>
#include <string.h>

#include "cli/admin/settings.h"
#include "cli/commands.h"
#include "cli/remote/remote.h"

#define WORDS_MAXIMUM 65536U

struct command {
	const char *name;
	const char *synopsis;
	const char *help;
};

static const struct command commands[] = {
#define WF_NAMED_COMMAND(identifier, name, synopsis, summary, options)         \
	{ name, synopsis, options },
#include "cli/commands.def"
#undef WF_NAMED_COMMAND
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

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

/* The options that a help has a line for. */
static void add_options(struct wf_buffer *words, const char *help)
{
	for (const char *line = help; line != NULL && *line != '\0';
	     line = strchr(line, '\n')) {
		line += strspn(line, "\n");
		if (strncmp(line, "  -", 3) == 0)
			add(words, "", line + 2, strcspn(line + 2, " ,\n"));
	}
}

/* "init|show [OPTION]...": a command that does several things names them. */
static void add_parts(struct wf_buffer *words, const char *synopsis)
{
	char first[256];

	if (sscanf(synopsis, "%255[a-z|]", first) == 1)
		add_each(words, "", first, "|");
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

static void visit_verbs(print_f *print, const struct command *command)
{
	struct wf_buffer words;

	wf_buffer_init(&words, WORDS_MAXIMUM);
	for (size_t i = 0; i < wf_verb_count; i++) {
		if (strcmp(wf_verbs[i].noun, command->name) != 0)
			continue;
		add_each(&words, "--", wf_verbs[i].options, " ");
		add_each(&words, "--", "server json quiet", " ");
		visit(print, command->name, wf_verbs[i].verb, &words);
	}
	wf_buffer_free(&words);
}

static void visit_command(print_f *print, const struct command *command)
{
	struct wf_buffer words;

	wf_buffer_init(&words, WORDS_MAXIMUM);
	for (size_t i = 0; i < wf_verb_count; i++)
		if (strcmp(wf_verbs[i].noun, command->name) == 0)
			add_each(&words, "", wf_verbs[i].verb, " ");
	if (words.length > 0) {
		visit_verbs(print, command);
	} else {
		add_parts(&words, command->synopsis);
		add_options(&words, command->help);
	}
	visit(print, command->name, NULL, &words);
	wf_buffer_free(&words);
}

static void visit_all(print_f *print)
{
	struct wf_buffer words;

	wf_buffer_init(&words, WORDS_MAXIMUM);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		add_each(&words, "", commands[i].name, " ");
	add_each(&words, "", "--help --version", " ");
	visit(print, NULL, NULL, &words);
	wf_buffer_free(&words);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		visit_command(print, &commands[i]);
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
	return wf_cli_usage("completion", "expected the name of a shell");
}
