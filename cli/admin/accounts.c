/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft account: the accounts of a store.  It works on the store itself, with
 * or without servers, which notice a change within a second; or, with --server,
 * asks a server (cli/remote/remote_account.h).
 *
 * What it changes at the store is in the audit, as done by the user of the
 * operating system: "os:NAME".
 */
#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/panic.h"
#include "base/time_text.h"
#include "cli/admin/db.h"
#include "cli/commands.h"
#include "cli/duration.h"
#include "cli/json_text.h"
#include "cli/options.h"
#include "cli/remote/connection.h"
#include "cli/remote/remote_account.h"
#include "data/json_fields.h"
#include "identity/account.h"
#include "identity/audit.h"
#include "identity/ticket.h"

#define PASSWORD_SIZE (WF_PASSWORD_BYTES + 2U) /* with newline and NUL */

/* More options --role and --grant than an account can have grants. */
#define GRANTS 64U

struct options {
	const char *url;
	unsigned flags;	     /* WF_STORE_.. */
	const char *server;  /* NULL: the store is changed */
	const char *address; /* of the page, for a ticket; NULL: the usual */
	const char *ca;
	const char *kind; /* of the act, in the audit */
	const char *name;
	const char *token;     /* its name */
	uint32_t namespace_id; /* 0: not given */
	const char *grants[GRANTS];
	size_t grant_count;
	const char *removed[GRANTS];
	size_t removed_count;
	bool replaces;
	int64_t expires_ms; /* from now; 0: never */
	bool asks_password;
	bool json;
};

static struct wf_grant_texts grants_of(const struct options *options)
{
	return (struct wf_grant_texts){ (const char **)options->grants,
		options->grant_count };
}

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

/* --- the audit ------------------------------------------------------------ */

static const char *user_of_system(struct wf_arena *arena)
{
	const struct passwd *user = getpwuid(getuid());

	return user == NULL
		   ? wf_arena_printf(arena, "os:%lu", (unsigned long)getuid())
		   : wf_arena_printf(arena, "os:%s", user->pw_name);
}

/* "done", or the name of the code: "not_found". */
static const char *result_of(enum wf_rc rc, struct wf_arena *arena)
{
	char *text;

	if (rc == WF_OK)
		return WF_AUDIT_DONE;
	text = wf_arena_strdup(arena, wf_rc_name(rc));
	for (char *c = text; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	return text;
}

/* The namespace of the account; that of those without one: 0. */
static uint32_t namespace_of(struct wf_store *store,
    const struct options *options, struct wf_arena *arena)
{
	struct wf_account_row account = { .namespace_id = 0 };

	if (options->namespace_id != 0)
		return options->namespace_id;
	return wf_account_find(store, options->name, arena, &account, NULL) ==
		       WF_OK
		   ? account.namespace_id
		   : 0;
}

/* namespace_id: of the account, from before the change. */
static enum wf_rc note(struct wf_store *store, const struct options *options,
    uint32_t namespace_id, enum wf_rc result, struct wf_error *err)
{
	struct wf_audit *audit = wf_audit_new(INT64_MAX);
	struct wf_arena *arena = wf_arena_new();
	const struct wf_audit_row act = { .at = wf_db_now(),
		.namespace_id = namespace_id,
		.account = user_of_system(arena),
		.address = "",
		.kind = options->kind,
		.subject = options->token == NULL
			       ? options->name
			       : wf_arena_printf(arena, "%s %s", options->name,
				     options->token),
		.result = result_of(result, arena),
		.detail = "weft account" };
	enum wf_rc rc;

	wf_audit_add(audit, &act);
	rc = wf_audit_write(audit, store, wf_db_now(), err);
	wf_audit_free(&audit);
	wf_arena_free(&arena);
	return rc;
}

typedef enum wf_rc (*change_f)(struct wf_store *store,
    const struct options *options, const char *password, const char *token,
    struct wf_error *err);

/* Changes the store and notes it, done or refused. */
static enum wf_rc apply(struct wf_store *store, const struct options *options,
    const char *password, const char *token, change_f change,
    struct wf_error *err)
{
	struct wf_error unnoted = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	uint32_t namespace_id = namespace_of(store, options, arena);
	enum wf_rc rc = change(store, options, password, token, err);

	if (rc == WF_OK && namespace_id == 0) /* it is a new one */
		namespace_id = namespace_of(store, options, arena);
	wf_arena_free(&arena);
	if (note(store, options, namespace_id, rc, &unnoted) != WF_OK)
		fprintf(stderr, "weft: the audit was not written: %s\n",
		    unnoted.message);
	return rc;
}

/* --- tokens --------------------------------------------------------------- */

/* Standard output gets the token alone, so that it can go to a file. */
static void print_token(const struct options *options, const char *token)
{
	if (options->json) {
		wf_json_print(json_pack("{s:o, s:s}", "name",
				  wf_json_text(options->name), "token", token),
		    0);
		putchar('\n');
		return;
	}
	fprintf(stderr, "The token of %s, which is shown only now:\n",
	    options->name);
	puts(token);
}

static int give_token(const struct options *options, change_f change)
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
		rc = apply(store, options,
		    options->asks_password ? password : NULL, token, change,
		    &err);
	wf_store_close(&store);
	explicit_bzero(password, sizeof(password));
	if (rc != WF_OK)
		return wf_cli_report(&err);
	print_token(options, token);
	explicit_bzero(token, sizeof(token));
	return WF_EXIT_DONE;
}

static int64_t expiry(const struct options *options)
{
	return options->expires_ms == 0 ? 0 : wf_db_now() + options->expires_ms;
}

static enum wf_rc add_to(struct wf_store *store, const struct options *options,
    const char *password, const char *token, struct wf_error *err)
{
	const struct wf_account_row account = { .name = options->name,
		.namespace_id = options->namespace_id == 0
				    ? WF_NAMESPACE_DEFAULT
				    : options->namespace_id,
		.grants = grants_of(options) };
	const struct wf_token_row row = { .name = WF_FIRST_TOKEN,
		.expires_at = expiry(options) };

	return wf_account_add_as(
	    store, &account, password, &row, token, NULL, err);
}

static enum wf_rc reset_in(struct wf_store *store,
    const struct options *options, const char *password, const char *token,
    struct wf_error *err)
{
	return wf_account_reset(store, options->name, password, token, err);
}

static enum wf_rc add_token_to(struct wf_store *store,
    const struct options *options, const char *password, const char *token,
    struct wf_error *err)
{
	const struct wf_token_row row = { .name = options->token,
		.scope = grants_of(options),
		.expires_at = expiry(options) };

	(void)password;
	return wf_account_add_token(store, options->name, &row, token, err);
}

static int add(const struct options *options)
{
	return give_token(options, add_to);
}

static int reset(const struct options *options)
{
	return give_token(options, reset_in);
}

static int add_token(const struct options *options)
{
	return give_token(options, add_token_to);
}

/* --- changes without a token ---------------------------------------------- */

static void print_texts(
    const char *label, const struct wf_grant_texts *texts, const char *none)
{
	printf("%s", label);
	for (size_t i = 0; i < texts->count; i++)
		printf("%s%s", i == 0 ? "" : ", ", texts->texts[i]);
	printf("%s\n", texts->count == 0 ? none : "");
}

static int change(const struct options *options, change_f function)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store = NULL;
	char password[PASSWORD_SIZE] = "";
	enum wf_rc rc = WF_OK;

	if (options->asks_password)
		rc = read_password(password, &err);
	if (rc == WF_OK)
		rc = open_store(&store, options, &err);
	if (rc == WF_OK)
		rc = apply(store, options, password, NULL, function, &err);
	wf_store_close(&store);
	explicit_bzero(password, sizeof(password));
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}

static enum wf_rc remove_from(struct wf_store *store,
    const struct options *options, const char *password, const char *token,
    struct wf_error *err)
{
	(void)password;
	(void)token;
	return wf_account_remove(store, options->name, err);
}

static enum wf_rc revoke_in(struct wf_store *store,
    const struct options *options, const char *password, const char *token,
    struct wf_error *err)
{
	(void)password;
	(void)token;
	return wf_account_remove_token(
	    store, options->name, options->token, err);
}

/* Says what the account may do then. */
static enum wf_rc grant_in(struct wf_store *store,
    const struct options *options, const char *password, const char *token,
    struct wf_error *err)
{
	const struct wf_grant_texts grants = grants_of(options);
	const struct wf_grant_texts removed = { (const char **)options->removed,
		options->removed_count };
	const struct wf_account_change wanted = {
		.grants = options->replaces ? &grants : NULL,
		.added = options->replaces ? NULL : &grants,
		.removed = &removed
	};
	const struct wf_account_guard anybody = { .by = NULL };
	struct wf_arena *arena = wf_arena_new();
	struct wf_account_row account;
	enum wf_rc rc =
	    wf_account_change_as(store, options->name, &wanted, &anybody, err);

	(void)password;
	(void)token;
	if (rc == WF_OK)
		rc =
		    wf_account_find(store, options->name, arena, &account, err);
	if (rc == WF_OK) {
		printf("%s may do: ", account.name);
		print_texts("", &account.grants, "nothing");
	}
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc set_password_in(struct wf_store *store,
    const struct options *options, const char *password, const char *token,
    struct wf_error *err)
{
	(void)token;
	return wf_account_set_password(store, options->name, password, err);
}

/* --- tickets -------------------------------------------------------------- */

/*
 * Standard output gets the address alone.  The ticket is after "#", which a
 * browser does not send, so no log has it.
 */
static enum wf_rc make_ticket(struct wf_store *store,
    const struct options *options, const char *password, const char *token,
    struct wf_error *err)
{
	const char *server =
	    options->address != NULL ? options->address : wf_remote_server();
	size_t length = strlen(server);
	char ticket[WF_TICKET_SIZE];
	enum wf_rc rc =
	    wf_ticket_make(store, options->name, wf_db_now(), ticket, err);

	(void)password;
	(void)token;
	if (rc != WF_OK)
		return rc;
	while (length > 0 && server[length - 1] == '/')
		length--;
	printf("%.*s/sign-in#ticket=%s\n", (int)length, server, ticket);
	explicit_bzero(ticket, sizeof(ticket));
	return WF_OK;
}

static int ticket(const struct options *options)
{
	return change(options, make_ticket);
}

static int drop(const struct options *options)
{
	return change(options, remove_from);
}

static int remove_token(const struct options *options)
{
	return change(options, revoke_in);
}

static int grant(const struct options *options)
{
	return change(options, grant_in);
}

static int set_password(const struct options *options)
{
	return change(options, set_password_in);
}

/* --- showing -------------------------------------------------------------- */

static json_t *texts_json(const struct wf_grant_texts *texts)
{
	json_t *json = json_array();

	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(json, wf_json_text(texts->texts[i]));
	return json;
}

static json_t *account_json(const struct wf_account_row *account)
{
	const char *role = wf_rights_role(&account->rights);
	json_t *json = json_pack("{s:o, s:I, s:o, s:b}", "name",
	    wf_json_text(account->name), "namespace",
	    (json_int_t)account->namespace_id, "grants",
	    texts_json(&account->grants), "password",
	    account->password[0] != '\0');

	if (role[0] != '\0')
		json_object_set_new(json, "role", json_string(role));
	return json;
}

static json_t *token_json(const struct wf_token_row *token)
{
	json_t *json = json_pack("{s:o, s:o}", "name",
	    wf_json_text(token->name), "scope", texts_json(&token->scope));

	if (token->created_at != 0)
		wf_json_put_time(json, "created", token->created_at);
	if (token->expires_at != 0)
		wf_json_put_time(json, "expires", token->expires_at);
	return json;
}

static void print_json(const struct wf_account_rows *accounts)
{
	json_t *json = json_array();

	for (size_t i = 0; i < accounts->count; i++)
		json_array_append_new(json, account_json(&accounts->rows[i]));
	wf_json_print(json, 0);
	putchar('\n');
}

static void print_table(const struct wf_account_rows *accounts)
{
	int width = 4;

	for (size_t i = 0; i < accounts->count; i++)
		if ((int)strlen(accounts->rows[i].name) > width)
			width = (int)strlen(accounts->rows[i].name);
	printf("%-*s  %-11s  %s\n", width, "NAME", "ROLE", "NAMESPACE");
	for (size_t i = 0; i < accounts->count; i++) {
		const struct wf_account_row *account = &accounts->rows[i];
		const char *role = wf_rights_role(&account->rights);

		printf("%-*s  %-11s  %u\n", width, account->name,
		    role[0] == '\0' || account->rights.count > 0 ? "grants"
								 : role,
		    account->namespace_id);
	}
}

static void print_account(const struct wf_account_row *account)
{
	char until[WF_TIME_TEXT_BYTES];

	printf("%s, namespace %u, %s\n", account->name, account->namespace_id,
	    account->password[0] == '\0' ? "no password"
	    : account->is_legacy	 ? "with a password of YAWL"
					 : "with a password");
	print_texts("  grants: ", &account->grants, "none");
	for (size_t i = 0; i < account->token_count; i++) {
		const struct wf_token_row *token = &account->tokens[i];

		printf("  token %s", token->name);
		if (token->expires_at != 0) {
			wf_time_text_seconds(token->expires_at, until);
			printf(", until %s", until);
		}
		print_texts(": ", &token->scope, "all grants");
	}
}

static void show_json(const struct wf_account_row *account)
{
	json_t *json = account_json(account);
	json_t *tokens = json_array();

	for (size_t i = 0; i < account->token_count; i++)
		json_array_append_new(tokens, token_json(&account->tokens[i]));
	json_object_set_new(json, "tokens", tokens);
	wf_json_print(json, 0);
	putchar('\n');
}

static int show(const struct options *options)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	struct wf_account_row account;
	struct wf_store *store;
	enum wf_rc rc = open_store(&store, options, &err);

	if (rc == WF_OK)
		rc = wf_account_find(
		    store, options->name, arena, &account, &err);
	if (rc == WF_OK && options->json)
		show_json(&account);
	else if (rc == WF_OK)
		print_account(&account);
	wf_store_close(&store);
	wf_arena_free(&arena);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}

static int list(const struct options *options)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	struct wf_account_rows accounts;
	struct wf_store *store;
	enum wf_rc rc = open_store(&store, options, &err);

	if (rc == WF_OK)
		rc = wf_account_list(store, arena, &accounts, &err);
	if (rc == WF_OK && options->json)
		print_json(&accounts);
	else if (rc == WF_OK)
		print_table(&accounts);
	for (size_t i = 0; rc == WF_OK && i < accounts.damaged_count; i++)
		fprintf(stderr, "weft: the stored account %s is damaged\n",
		    accounts.damaged[i]);
	wf_store_close(&store);
	wf_arena_free(&arena);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}

/* --- the command line ----------------------------------------------------- */

static const struct action {
	const char *name;
	unsigned words; /* NAME, TOKEN */
	int (*run)(const struct options *options);
	const char *kind; /* of act: as the operation of REST; NULL: reads */
	bool grants;	  /* needs some */
} actions[] = {
	{ "add", 1, add, "addAccount", true },
	{ "list", 0, list, NULL, false },
	{ "show", 1, show, NULL, false },
	{ "grant", 1, grant, "changeAccount", true },
	{ "password", 1, set_password, "changeAccount", false },
	{ "token", 2, add_token, "addToken", false },
	{ "ticket", 1, ticket, "addTicket", false },
	{ "revoke", 2, remove_token, "removeToken", false },
	{ "reset", 1, reset, "resetAccount", false },
	{ "remove", 1, drop, "removeAccount", false },
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
	options->namespace_id = (uint32_t)number;
	return WF_EXIT_DONE;
}

static int take_grant(struct options *options, const char *text)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_rights rights = { .home = 0 };

	if (wf_rights_add(&rights, text, &err) != WF_OK ||
	    wf_grant_check(text, &err) != WF_OK)
		return wf_cli_usage("account", "--grant: %s", err.message);
	if (options->grant_count == GRANTS)
		return wf_cli_usage("account", "more than %u grants", GRANTS);
	options->grants[options->grant_count++] = text;
	return WF_EXIT_DONE;
}

/* The account is asked whether it has it. */
static int take_removed(struct options *options, const char *text)
{
	if (options->removed_count == GRANTS)
		return wf_cli_usage("account", "more than %u grants", GRANTS);
	options->removed[options->removed_count++] = text;
	return WF_EXIT_DONE;
}

static int take_role(struct options *options, const char *role)
{
	if (!wf_is_role(role))
		return wf_cli_usage("account",
		    "--role: expected participant, reader, worker, operator or "
		    "admin, not \"%s\"",
		    role);
	return take_grant(options, role);
}

static int take_age(struct options *options, const char *value)
{
	if (wf_cli_duration(value, &options->expires_ms))
		return WF_EXIT_DONE;
	return wf_cli_usage("account",
	    "--expires: expected a duration such as 12h, 90d or P90D, not "
	    "\"%s\"",
	    value);
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
	case WF_OPTION_ACCOUNT_SERVER:
		options->server = value;
		break;
	case WF_OPTION_ACCOUNT_ADDRESS:
		options->address = value;
		break;
	case WF_OPTION_ACCOUNT_CA:
		options->ca = value;
		break;
	case WF_OPTION_ACCOUNT_DB:
		options->url = value;
		break;
	case WF_OPTION_ACCOUNT_ROLE:
		return take_role(options, value);
	case WF_OPTION_ACCOUNT_GRANT:
		return take_grant(options, value);
	case WF_OPTION_ACCOUNT_REMOVE:
		return take_removed(options, value);
	case WF_OPTION_ACCOUNT_REPLACE:
		options->replaces = true;
		break;
	case WF_OPTION_ACCOUNT_EXPIRES:
		return take_age(options, value);
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

static int take_words(struct call *call, char **words)
{
	const char **places[] = { &call->options.name, &call->options.token };
	unsigned count = 0;

	while (words[count] != NULL && count < call->action->words) {
		*places[count] = words[count];
		count++;
	}
	if (words[count] != NULL)
		return wf_cli_usage(
		    "account", "unexpected \"%s\"", words[count]);
	if (count < call->action->words)
		return wf_cli_wrong_arguments("account", call->verb);
	if (count > 0 && strlen(call->options.name) > WF_ACCOUNT_NAME_BYTES)
		return wf_cli_usage("account",
		    "the name of an account has at most %u characters",
		    WF_ACCOUNT_NAME_BYTES);
	return WF_EXIT_DONE;
}

static int parse_options(struct call *call, int argc, char **argv)
{
	int code = wf_cli_options("account", argc, argv, take_option, call);

	if (code == WF_EXIT_DONE)
		code = take_words(call, argv + optind);
	if (code != WF_EXIT_DONE)
		return code;
	if (call->action->grants && call->options.grant_count == 0 &&
	    call->options.removed_count == 0)
		return wf_cli_usage("account",
		    "expected --role participant, reader, worker, operator or "
		    "admin, or --grant%s",
		    call->action->run == grant ? ", or --remove" : "");
	if (call->options.replaces && call->options.removed_count > 0)
		return wf_cli_usage("account",
		    "--replace takes all grants away: expected no --remove");
	if (call->options.server != NULL &&
	    (call->options.url != NULL || call->options.flags != 0))
		return wf_cli_usage("account",
		    "--server asks a server; --db and --unsafe are of a store");
	if (call->options.server == NULL && call->options.ca != NULL)
		return wf_cli_usage("account", "--ca needs --server");
	if (call->action->run == set_password)
		call->options.asks_password = true;
	return WF_EXIT_DONE;
}

static int ask_server(const struct call *call)
{
	const struct options *options = &call->options;
	struct wf_account_order order = { .server = options->server,
		.ca = options->ca,
		.row = call->verb,
		.name = options->name,
		.token =
		    options->token == NULL ? WF_FIRST_TOKEN : options->token,
		.grants = options->grants,
		.grant_count = options->grant_count,
		.removed = options->removed,
		.removed_count = options->removed_count,
		.replaces = options->replaces,
		.namespace_id = options->namespace_id,
		.expires_ms = options->expires_ms,
		.json = options->json };
	struct wf_error err = { .rc = WF_OK };
	char password[PASSWORD_SIZE] = "";
	char secret[WF_TOKEN_SIZE];
	int code;

	if (options->asks_password) {
		if (read_password(password, &err) != WF_OK)
			return wf_cli_report(&err);
		order.password = password;
	}
	code = wf_remote_account(&order, secret, sizeof(secret));
	if (code == WF_EXIT_DONE && secret[0] != '\0')
		print_token(options, secret);
	explicit_bzero(password, sizeof(password));
	explicit_bzero(secret, sizeof(secret));
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
	call.options.kind = call.action->kind;
	code = parse_options(&call, argc - 1, argv + 1);
	if (code != WF_EXIT_DONE)
		return code;
	if (call.options.server != NULL)
		return ask_server(&call);
	call.options.url = wf_db_url(call.options.url);
	return call.action->run(&call.options);
}
