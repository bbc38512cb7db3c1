/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft account: the accounts of a store.  It works on the store itself, with
 * or without servers; they notice a change within a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/panic.h"
#include "cli/admin/db.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/options.h"
#include "server/account.h"

#define PASSWORD_SIZE (WF_PASSWORD_BYTES + 2U) /* with newline and NUL */

struct options {
	const char *url;
	unsigned flags; /* WF_STORE_.. */
	struct wf_account account;
	bool has_role;
	bool asks_password;
	bool json;
};

/* --- passwords ------------------------------------------------------------ */

/*
 * Reads a line of standard input, without its end; false when there is none,
 * or when it is too long.
 */
static bool read_line(char text[PASSWORD_SIZE])
{
	size_t length;

	if (fgets(text, PASSWORD_SIZE, stdin) == NULL)
		return false;
	length = strcspn(text, "\n");
	if (text[length] == '\0' && !feof(stdin))
		return false;
	text[length] = '\0';
	return true;
}

/* Prompts for a line on a terminal, without echo; else reads a line. */
static bool ask(const char *prompt, char text[PASSWORD_SIZE])
{
	struct termios old;
	struct termios silent;
	bool good;

	if (tcgetattr(STDIN_FILENO, &old) != 0)
		return read_line(text);
	silent = old;
	silent.c_lflag &= ~(tcflag_t)ECHO;
	silent.c_lflag |= ECHONL;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
	fputs(prompt, stderr);
	good = read_line(text);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
	return good;
}

static enum wf_rc read_password(
    char password[PASSWORD_SIZE], struct wf_error *err)
{
	char again[PASSWORD_SIZE];
	bool same;

	if (!ask("Password: ", password))
		return wf_fail(err, WF_INVALID,
		    "standard input has no line with a password");
	if (isatty(STDIN_FILENO) == 0)
		return WF_OK;
	same = ask("The same again: ", again) && strcmp(password, again) == 0;
	explicit_bzero(again, sizeof(again));
	return same ? WF_OK
		    : wf_fail(err, WF_INVALID,
			  "that is another password; nothing was changed");
}

/* --- the store ------------------------------------------------------------ */

/* Opens the store, also while a server has it open. */
static enum wf_rc open_store(struct wf_store **store_out,
    const struct options *options, struct wf_error *err)
{
	return wf_store_open(
	    store_out, options->url, options->flags | WF_STORE_BESIDE, err);
}

/* Standard output gets the token alone, so that it can go to a file. */
static void print_token(const struct options *options, const char *token)
{
	const char *name = options->account.name;

	if (options->json) {
		wf_json_print(json_pack("{s:o, s:s}", "name",
				  wf_json_text(name), "token", token),
		    0);
		putchar('\n');
		return;
	}
	fprintf(stderr, "The token of %s, which is shown only now:\n", name);
	puts(token);
}

static int give_token(const struct options *options,
    enum wf_rc (*change)(struct wf_store *store, const struct options *options,
	const char *password, const char *token, struct wf_error *err))
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store = NULL;
	char password[PASSWORD_SIZE];
	char token[WF_TOKEN_SIZE];
	enum wf_rc rc = WF_OK;

	if (options->asks_password)
		rc = read_password(password, &err);
	if (rc == WF_OK)
		rc = open_store(&store, options, &err);
	if (rc == WF_OK)
		rc = wf_token_make(store, token, &err);
	if (rc == WF_OK)
		rc = change(store, options,
		    options->asks_password ? password : NULL, token, &err);
	wf_store_close(&store);
	explicit_bzero(password, sizeof(password));
	if (rc != WF_OK)
		return wf_cli_report(&err);
	print_token(options, token);
	explicit_bzero(token, sizeof(token));
	return WF_EXIT_DONE;
}

static enum wf_rc add_to(struct wf_store *store, const struct options *options,
    const char *password, const char *token, struct wf_error *err)
{
	return wf_account_add(store, &options->account, password, token, err);
}

static enum wf_rc reset_in(struct wf_store *store,
    const struct options *options, const char *password, const char *token,
    struct wf_error *err)
{
	return wf_account_reset(
	    store, options->account.name, password, token, err);
}

static int add(const struct options *options)
{
	if (!options->has_role)
		return wf_cli_usage("account",
		    "expected --role reader, worker, operator or admin");
	return give_token(options, add_to);
}

static int reset(const struct options *options)
{
	return give_token(options, reset_in);
}

static int drop(const struct options *options)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc = open_store(&store, options, &err);

	if (rc == WF_OK)
		rc = wf_account_remove(store, options->account.name, &err);
	wf_store_close(&store);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}

static void print_json(const struct wf_account *accounts, size_t count)
{
	json_t *json = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(
		    json, json_pack("{s:o, s:s, s:I}", "name",
			      wf_json_text(accounts[i].name), "role",
			      wf_role_name(accounts[i].role), "namespace",
			      (json_int_t)accounts[i].namespace_id));
	wf_json_print(json, 0);
	putchar('\n');
}

static void print_table(const struct wf_account *accounts, size_t count)
{
	int width = 4;

	for (size_t i = 0; i < count; i++)
		if ((int)strlen(accounts[i].name) > width)
			width = (int)strlen(accounts[i].name);
	printf("%-*s  %-8s  %s\n", width, "NAME", "ROLE", "NAMESPACE");
	for (size_t i = 0; i < count; i++)
		printf("%-*s  %-8s  %u\n", width, accounts[i].name,
		    wf_role_name(accounts[i].role), accounts[i].namespace_id);
}

static int list(const struct options *options)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	struct wf_account *accounts;
	struct wf_store *store;
	size_t count;
	enum wf_rc rc = open_store(&store, options, &err);

	if (rc == WF_OK)
		rc = wf_account_list(store, arena, &accounts, &count, &err);
	if (rc == WF_OK && options->json)
		print_json(accounts, count);
	else if (rc == WF_OK)
		print_table(accounts, count);
	wf_store_close(&store);
	wf_arena_free(&arena);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}

/* --- the command line ----------------------------------------------------- */

static const struct action {
	const char *name;
	bool needs_name;
	int (*run)(const struct options *options);
} actions[] = {
	{ "add", true, add },
	{ "list", false, list },
	{ "reset", true, reset },
	{ "remove", true, drop },
};

/* The parsed command line. */
struct call {
	const struct action *action;
	const struct wf_cli_row *verb;
	struct options options;
};

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return NULL;
}

static int take_namespace(struct options *options, const char *value)
{
	uint64_t number;

	if (!wf_cli_number(value, UINT32_MAX, &number) || number < 1)
		return wf_cli_usage("account",
		    "--namespace: expected a number from 1 to %u, not \"%s\"",
		    UINT32_MAX, value);
	options->account.namespace_id = (uint32_t)number;
	return WF_EXIT_DONE;
}

static int take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct call *call = context;
	struct options *options = &call->options;

	if (!wf_cli_takes(call->verb, option->name))
		return wf_cli_usage("account", "weft account %s takes no --%s",
		    call->action->name, option->name);
	switch (option->option) {
	case WF_OPTION_ACCOUNT_DB:
		options->url = value;
		break;
	case WF_OPTION_ACCOUNT_ROLE:
		if (!wf_role_find(value, &options->account.role))
			return wf_cli_usage("account",
			    "--role: expected reader, worker, operator or "
			    "admin, not \"%s\"",
			    value);
		options->has_role = true;
		break;
	case WF_OPTION_ACCOUNT_NAMESPACE:
		return take_namespace(options, value);
	case WF_OPTION_ACCOUNT_UNSAFE:
		options->flags |= WF_STORE_UNSAFE;
		break;
	default:
		options->asks_password |=
		    option->option == WF_OPTION_ACCOUNT_PASSWORD;
		options->json |= option->option == WF_OPTION_ACCOUNT_JSON;
	}
	return WF_EXIT_DONE;
}

static int take_name(struct call *call, char **words)
{
	const struct action *action = call->action;
	struct options *options = &call->options;
	const char *name = words[0];

	if (name != NULL && words[action->needs_name] != NULL)
		return wf_cli_usage(
		    "account", "unexpected \"%s\"", words[action->needs_name]);
	if (!action->needs_name)
		return WF_EXIT_DONE;
	if (name == NULL)
		return wf_cli_wrong_arguments("account", call->verb);
	if (strlen(name) >= sizeof(options->account.name))
		return wf_cli_usage("account",
		    "the name of an account has at most %zu characters",
		    sizeof(options->account.name) - 1);
	strcpy(options->account.name, name);
	return WF_EXIT_DONE;
}

static int parse_options(struct call *call, int argc, char **argv)
{
	int code = wf_cli_options("account", argc, argv, take_option, call);

	if (code == WF_EXIT_DONE)
		code = take_name(call, argv + optind);
	call->options.url = wf_db_url(call->options.url);
	return code;
}

int wf_cli_account(int argc, char **argv)
{
	struct call call = { 0 };
	int code;

	if (argc > 1)
		call.action = find_action(argv[1]);
	if (call.action == NULL)
		return wf_cli_no_verb("account", argc > 1 ? argv[1] : NULL);
	call.verb = wf_cli_find_verb(wf_cli_find_command("account"), argv[1]);
	wf_assert(call.verb != NULL); /* both tables have it */
	call.options.account.namespace_id = WF_NAMESPACE_DEFAULT;
	code = parse_options(&call, argc - 1, argv + 1);
	return code == WF_EXIT_DONE ? call.action->run(&call.options) : code;
}
