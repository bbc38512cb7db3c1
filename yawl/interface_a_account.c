/* SPDX-License-Identifier: Apache-2.0 */
/* Logging on and off, and the accounts of clients. */
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/codec.h"
#include "base/map.h"
#include "data/xml_writer.h"
#include "identity/audit.h"
#include "identity/sign_in.h"
#include "yawl/interface_a_service.h"
#include "yawl/yawl.h"

/* --- logging on ----------------------------------------------------------- */

static bool is_equal(const char *a, const char *b)
{
	size_t length = strlen(a);

	return length == strlen(b) && sodium_memcmp(a, b, length) == 0;
}

/* A failure from the cache of sessions has no reason element around it. */
static void refuse(struct wf_yawl_call *call, const char *what, const char *who)
{
	wf_buffer_reset(&call->out);
	wf_buffer_printf(&call->out, "<failure>%s", what);
	wf_xml_put_text(&call->out, who);
	wf_buffer_puts(&call->out, "</failure>");
	wf_yawl_answer(call);
}

static uint64_t sign_in_key(struct wf_yawl_call *call, const char *user)
{
	return wf_sign_in_key(user, wf_exchange_peer(call->exchange));
}

/* False: too many passwords were wrong; the call is answered. */
static bool may_try(struct wf_yawl_call *call, const char *user)
{
	char text[100];
	unsigned wait = wf_sign_in_wait(
	    call->yawl->sign_ins, sign_in_key(call, user), wf_monotonic_ms());

	if (wait == 0)
		return true;
	wf_yawl_audit_sign_in(call, "", "throttled");
	snprintf(text, sizeof(text),
	    "Too many incorrect passwords: try again in %u s", wait);
	refuse(call, text, NULL);
	return false;
}

static void open_session(struct wf_yawl_call *call, const char *user,
    const char *password, const char *expected)
{
	char handle[WF_HANDLE_SIZE];

	if (!is_equal(password, expected)) {
		wf_sign_in_failed(call->yawl->sign_ins, sign_in_key(call, user),
		    wf_monotonic_ms());
		wf_yawl_audit_sign_in(call, user, "refused");
		refuse(call, "Incorrect Password", NULL);
		return;
	}
	wf_sign_in_passed(call->yawl->sign_ins, sign_in_key(call, user));
	if (wf_yawl_is_well_known(expected) &&
	    !wf_exchange_is_local(call->exchange)) {
		wf_yawl_audit_sign_in(call, user, "refused");
		refuse(call,
		    "This password is known to everybody and is taken from "
		    "the engine's own machine only, until it is changed: ",
		    user);
		return;
	}
	wf_yawl_audit_sign_in(call, user, WF_AUDIT_DONE);
	wf_yawl_session_open(call->yawl->sessions, user, handle);
	wf_buffer_puts(&call->out, handle);
	wf_yawl_answer(call);
}

/* Clients first, then services by their names. */
static void log_on(struct wf_yawl_call *call, struct wf_store *store,
    const char *user, const char *password)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_yawl_client client;
	const char *hash;
	enum wf_rc rc =
	    wf_yawl_client_find(store, user, call->arena, &client, &err);

	if (rc == WF_OK) {
		open_session(call, user, password, client.password);
		return;
	}
	if (rc != WF_NOT_FOUND) {
		wf_yawl_fail_error(call, &err);
	} else if (wf_yawl_service_password(call, user, &hash)) {
		open_session(call, user, password, hash);
	} else {
		wf_yawl_audit_sign_in(call, "", "refused");
		refuse(call, "Unknown service or client: ", user);
	}
}

/* The store for a handler; false: the call is answered. */
static bool borrow(struct wf_yawl_call *call, struct wf_store **store_out)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_engine_borrow(call->server->engine, store_out, &err) == WF_OK)
		return true;
	wf_yawl_fail_error(call, &err);
	return false;
}

void wf_yawl_connect(struct wf_yawl_call *call)
{
	bool is_a = call->interface == WF_YAWL_IA;
	const char *user = wf_yawl_parameter(call, is_a ? "userID" : "userid");
	const char *password = wf_yawl_parameter(call, "password");
	const char *plain = wf_yawl_parameter(call, "encrypt");
	struct wf_engine *engine = call->server->engine;
	struct wf_store *store;

	/* The spelling of the other interface is accepted, too. */
	if (user == NULL)
		user = wf_yawl_parameter(call, is_a ? "userid" : "userID");
	if (user == NULL || *user == '\0') {
		if (is_a && user == NULL)
			wf_yawl_fail_action(call);
		else
			refuse(call, "Null user name", NULL);
		return;
	}
	if (password == NULL)
		password = "";
	if (!is_a && plain != NULL && strcasecmp(plain, "true") == 0)
		password = wf_yawl_hash(call, password);
	if (!may_try(call, user) || !borrow(call, &store))
		return;
	log_on(call, store, user, password);
	wf_engine_give_back(engine, store);
}

void wf_yawl_disconnect(struct wf_yawl_call *call)
{
	const char *handle = wf_yawl_parameter(call, "sessionHandle");

	if (handle != NULL)
		wf_yawl_session_close(call->yawl->sessions, handle);
	wf_yawl_succeed(call);
}

/* --- accounts ------------------------------------------------------------- */

static void put_client(
    struct wf_buffer *xml, const struct wf_yawl_client *client)
{
	wf_buffer_puts(xml, "<client>");
	wf_xml_put_element(xml, "username", client->name);
	wf_xml_put_element(xml, "password", client->password);
	wf_xml_put_element(xml, "documentation", client->documentation);
	wf_buffer_puts(xml, "</client>");
}

void wf_yawl_get_accounts(struct wf_yawl_call *call)
{
	struct wf_engine *engine = call->server->engine;
	struct wf_error err = { .rc = WF_OK };
	struct wf_yawl_clients clients;
	struct wf_store *store;
	enum wf_rc rc;

	if (!borrow(call, &store))
		return;
	rc = wf_yawl_client_list(store, call->arena, &clients, &err);
	wf_engine_give_back(engine, store);
	if (rc != WF_OK) {
		wf_yawl_fail_error(call, &err);
		return;
	}
	for (size_t i = 0; i < clients.count; i++)
		put_client(&call->out, &clients.rows[i]);
	wf_yawl_answer(call);
}

/* Changes an existing account; then the call is answered. */
typedef void (*with_client_f)(struct wf_yawl_call *call, struct wf_store *store,
    struct wf_yawl_client *client);

static void with_client(struct wf_yawl_call *call, const char *name,
    const char *unknown, with_client_f work)
{
	struct wf_engine *engine = call->server->engine;
	struct wf_error err = { .rc = WF_OK };
	struct wf_yawl_client client;
	struct wf_store *store;
	enum wf_rc rc;

	if (name == NULL) {
		wf_yawl_fail_action(call);
		return;
	}
	if (!borrow(call, &store))
		return;
	rc = wf_yawl_client_find(store, name, call->arena, &client, &err);
	if (rc == WF_OK)
		work(call, store, &client);
	wf_engine_give_back(engine, store);
	if (rc == WF_NOT_FOUND)
		wf_yawl_fail(call, "%s: %s", unknown, name);
	else if (rc != WF_OK)
		wf_yawl_fail_error(call, &err);
}

#define UNKNOWN_NAME "Unknown account name"

static void show_client(struct wf_yawl_call *call, struct wf_store *store,
    struct wf_yawl_client *client)
{
	(void)store;
	put_client(&call->out, client);
	wf_yawl_answer(call);
}

void wf_yawl_get_account(struct wf_yawl_call *call)
{
	with_client(
	    call, wf_yawl_parameter(call, "userID"), UNKNOWN_NAME, show_client);
}

static void show_password(struct wf_yawl_call *call, struct wf_store *store,
    struct wf_yawl_client *client)
{
	(void)store;
	wf_xml_put_text(&call->out, client->password);
	wf_yawl_answer(call);
}

void wf_yawl_get_password(struct wf_yawl_call *call)
{
	with_client(call, wf_yawl_parameter(call, "userID"), UNKNOWN_NAME,
	    show_password);
}

static bool is_too_long(const struct wf_yawl_client *client)
{
	return strlen(client->name) > WF_YAWL_NAME_BYTES ||
	       strlen(client->password) > WF_YAWL_NAME_BYTES ||
	       strlen(client->documentation) > WF_YAWL_TEXT_BYTES;
}

/* what: "create", "update"; answers. */
static void keep(struct wf_yawl_call *call, struct wf_store *store,
    const struct wf_yawl_client *client, const char *what)
{
	struct wf_error err = { .rc = WF_OK };

	if (client->name[0] == '\0' || client->password[0] == '\0')
		wf_yawl_fail(call, "Null username or password");
	else if (is_too_long(client) ||
		 wf_yawl_client_put(store, client, &err) != WF_OK)
		wf_yawl_fail(call,
		    "Persistence exception attempting to %s account", what);
	else
		wf_yawl_succeed(call);
}

static const char *text_of(
    const struct wf_yawl_call *call, const char *name, const char *other)
{
	const char *text = wf_yawl_parameter(call, name);

	return text == NULL ? other : text;
}

void wf_yawl_create_account(struct wf_yawl_call *call)
{
	const struct wf_yawl_client client = { wf_yawl_parameter(
						   call, "userID"),
		text_of(call, "password", ""), text_of(call, "doco", "") };
	struct wf_engine *engine = call->server->engine;
	struct wf_error err = { .rc = WF_OK };
	struct wf_yawl_client old;
	struct wf_store *store;

	if (client.name == NULL) {
		wf_yawl_fail_action(call);
		return;
	}
	if (!borrow(call, &store))
		return;
	if (wf_yawl_client_find(store, client.name, call->arena, &old, &err) !=
	    WF_NOT_FOUND)
		wf_yawl_fail(call, err.rc == WF_OK
				       ? "A client with that name already "
					 "exists"
				       : "Persistence exception attempting to "
					 "create account");
	else
		keep(call, store, &client, "create");
	wf_engine_give_back(engine, store);
}

static void update(struct wf_yawl_call *call, struct wf_store *store,
    struct wf_yawl_client *client)
{
	client->password = text_of(call, "password", client->password);
	client->documentation = text_of(call, "doco", client->documentation);
	keep(call, store, client, "update");
}

void wf_yawl_update_account(struct wf_yawl_call *call)
{
	with_client(
	    call, wf_yawl_parameter(call, "userID"), UNKNOWN_NAME, update);
}

static bool is_client(struct wf_yawl_call *call, const char *name)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_yawl_client client;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(call->server->engine, &store, &err);

	if (rc != WF_OK)
		return false;
	rc = wf_yawl_client_find(store, name, call->arena, &client, &err);
	wf_engine_give_back(call->server->engine, store);
	return rc == WF_OK;
}

/* Changes the password of the client or service that has the session. */
void wf_yawl_new_password(struct wf_yawl_call *call)
{
	const char *hash = wf_yawl_parameter(call, "password");
	struct wf_error err = { .rc = WF_OK };

	if (hash == NULL || *hash == '\0')
		wf_yawl_fail(call, "Null username or password");
	else if (is_client(call, call->user) ||
		 wf_yawl_service_set_password(call, call->user, hash, &err) ==
		     WF_NOT_FOUND)
		with_client(call, call->user, UNKNOWN_NAME, update);
	else if (err.rc == WF_OK)
		wf_yawl_succeed(call);
	else
		wf_yawl_fail_error(call, &err);
}

static void delete (struct wf_yawl_call *call, struct wf_store *store,
    struct wf_yawl_client *client)
{
	struct wf_error err = { .rc = WF_OK };

	if (wf_yawl_client_remove(store, client->name, &err) != WF_OK) {
		wf_yawl_fail(call, "Unable to remove account.");
		return;
	}
	wf_yawl_sessions_drop(call->yawl->sessions, client->name);
	wf_yawl_succeed(call);
}

void wf_yawl_delete_account(struct wf_yawl_call *call)
{
	const char *name = wf_yawl_parameter(call, "userID");

	if (name != NULL && strcmp(name, WF_YAWL_ADMIN) == 0)
		wf_yawl_fail(
		    call, "Removing the generic admin user is not allowed.");
	else if (name != NULL && strcmp(name, call->user) == 0)
		wf_yawl_fail(call, "Deletion of own account not allowed");
	else
		with_client(call, name, "Unknown client account name", delete);
}

/* --- on other servers ----------------------------------------------------- */

struct known {
	const struct wf_map *clients;
	const struct wf_service_set *services;
};

static bool is_known(const void *context, const char *user)
{
	const struct known *known = context;

	return wf_map_get(known->clients, user) != NULL ||
	       wf_service_by_name(
		   known->services, WF_NAMESPACE_DEFAULT, user) != NULL;
}

/* Once, while they are the same. */
static void report_damaged(
    struct wf_yawl *yawl, const struct wf_yawl_clients *clients)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < clients->damaged_count; i++)
		hash = wf_hash(
		    hash, clients->damaged[i], strlen(clients->damaged[i]) + 1);
	for (size_t i = 0; hash != yawl->damaged && i < clients->damaged_count;
	     i++)
		wf_server_log_damaged(yawl->server->settings.log,
		    WF_YAWL_CLIENT_KIND, clients->damaged[i]);
	yawl->damaged = hash;
}

static enum wf_rc check_sessions(struct wf_yawl *yawl, struct wf_store *store,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_services *services = yawl->server->services;
	int64_t since = wf_monotonic_ms();
	struct wf_yawl_clients clients;
	struct wf_map *names;
	struct known known;
	enum wf_rc rc = wf_yawl_client_list(store, arena, &clients, err);

	if (rc != WF_OK)
		return rc;
	report_damaged(yawl, &clients);
	names = wf_map_new();
	for (size_t i = 0; i < clients.count; i++)
		wf_map_add(names, clients.rows[i].name, &clients.rows[i]);
	known.clients = names;
	known.services = wf_services_hold(services);
	wf_yawl_sessions_check(yawl->sessions, is_known, &known, since);
	wf_services_let_go(services, known.services);
	wf_map_free(&names);
	return WF_OK;
}

enum wf_rc wf_yawl_check_accounts(
    struct wf_yawl *yawl, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena;
	uint64_t change;
	enum wf_rc rc = wf_store_change(store, &change, err);

	if (rc != WF_OK || change == yawl->checked)
		return rc;
	arena = wf_arena_new();
	rc = check_sessions(yawl, store, arena, err);
	if (rc == WF_OK)
		yawl->checked = change;
	wf_arena_free(&arena);
	return rc;
}
