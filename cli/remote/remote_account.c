/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/remote/remote_account.h"

#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "cli/json_text.h"
#include "cli/remote/connection.h"
#include "cli/remote/remote.h"

#define PATH_MAXIMUM 4096U
#define ACCOUNTS "/v1/accounts"

struct work {
	struct wf_remote remote; /* first */
	const struct wf_account_order *order;
	char *secret; /* of a token */
	size_t size;
};

/* "/v1/accounts", and below it what is not NULL. */
static struct wf_buffer path_of(
    const char *name, const char *part, const char *token)
{
	struct wf_buffer path;

	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_buffer_puts(&path, ACCOUNTS);
	if (name != NULL) {
		wf_buffer_putc(&path, '/');
		wf_client_escape(&path, name);
	}
	if (part != NULL)
		wf_buffer_puts(&path, part);
	if (token != NULL) {
		wf_buffer_putc(&path, '/');
		wf_client_escape(&path, token);
	}
	return path;
}

/* Frees the path; the body is the caller's, and *answer_out, if it is any. */
static enum wf_rc ask(struct work *work, const char *method,
    struct wf_buffer path, json_t *body, json_t **answer_out,
    struct wf_error *err)
{
	enum wf_rc rc = wf_client_json(work->remote.client, method,
	    wf_buffer_text(&path), body, answer_out, err);

	wf_buffer_free(&path);
	return rc;
}

static int end(struct work *work, enum wf_rc rc, struct wf_error *err)
{
	return rc == WF_OK ? WF_EXIT_DONE
			   : wf_remote_report(&work->remote, err);
}

static json_t *texts_json(const char *const *texts, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, wf_json_text(texts[i]));
	return array;
}

static json_t *grants_json(const struct wf_account_order *order)
{
	return texts_json(order->grants, order->grant_count);
}

/* --- tokens --------------------------------------------------------------- */

/* What the server is asked for: a name, and when the token expires. */
static json_t *token_json(const struct wf_account_order *order)
{
	json_t *token = json_object();
	char time[32];

	json_object_set_new(token, "name", wf_json_text(order->token));
	if (order->expires_ms != 0) {
		snprintf(time, sizeof(time), "PT%lldS",
		    (long long)order->expires_ms / 1000);
		json_object_set_new(token, "expires", json_string(time));
	}
	return token;
}

/* Takes the secret of a token from the answer, or the failure on. */
static enum wf_rc take_secret(
    struct work *work, enum wf_rc rc, const json_t *token, struct wf_error *err)
{
	const char *secret = json_string_value(json_object_get(token, "token"));

	if (rc != WF_OK)
		return rc;
	if (secret == NULL || strlen(secret) >= work->size)
		return wf_fail(err, WF_IO, "%s: the answer has no token",
		    work->remote.server);
	memcpy(work->secret, secret, strlen(secret) + 1);
	return WF_OK;
}

static int add_token(struct work *work)
{
	const struct wf_account_order *order = work->order;
	struct wf_error err = { .rc = WF_OK };
	json_t *body = token_json(order);
	json_t *answer;
	enum wf_rc rc;

	if (order->grant_count > 0)
		json_object_set_new(body, "scope", grants_json(order));
	rc = ask(work, "POST", path_of(order->name, "/tokens", NULL), body,
	    &answer, &err);
	json_decref(body);
	rc = take_secret(work, rc, answer, &err);
	json_decref(answer);
	return end(work, rc, &err);
}

static int remove_token(struct work *work)
{
	struct wf_buffer path =
	    path_of(work->order->name, "/tokens", work->order->token);

	return wf_remote_ask(&work->remote, "DELETE", &path, NULL);
}

/* --- accounts ------------------------------------------------------------- */

static int add(struct work *work)
{
	const struct wf_account_order *order = work->order;
	struct wf_error err = { .rc = WF_OK };
	json_t *body = json_object();
	json_t *answer;
	enum wf_rc rc;

	json_object_set_new(body, "name", wf_json_text(order->name));
	json_object_set_new(body, "grants", grants_json(order));
	if (order->namespace_id != 0)
		json_object_set_new(
		    body, "namespace", json_integer(order->namespace_id));
	if (order->password != NULL)
		json_object_set_new(
		    body, "password", wf_json_text(order->password));
	json_object_set_new(body, "token", token_json(order));
	rc = ask(work, "POST", path_of(NULL, NULL, NULL), body, &answer, &err);
	json_decref(body);
	rc = take_secret(work, rc,
	    json_array_get(json_object_get(answer, "tokens"), 0), &err);
	json_decref(answer);
	return end(work, rc, &err);
}

static int list(struct work *work)
{
	return wf_remote_list(&work->remote);
}

static int show(struct work *work)
{
	struct wf_buffer path = path_of(work->order->name, NULL, NULL);

	return wf_remote_ask(&work->remote, "GET", &path, NULL);
}

/* Frees the body. */
static enum wf_rc change(
    struct work *work, json_t *body, json_t **answer_out, struct wf_error *err)
{
	enum wf_rc rc = ask(work, "PATCH",
	    path_of(work->order->name, NULL, NULL), body, answer_out, err);

	json_decref(body);
	return rc;
}

/* Says what the account may do then, as without a server. */
static int grant(struct work *work)
{
	const struct wf_account_order *order = work->order;
	struct wf_error err = { .rc = WF_OK };
	json_t *body = json_object();
	json_t *answer;
	json_t *grants;
	enum wf_rc rc;

	json_object_set_new(body, order->replaces ? "grants" : "add_grants",
	    grants_json(order));
	if (!order->replaces)
		json_object_set_new(body, "remove_grants",
		    texts_json(order->removed, order->removed_count));
	rc = change(work, body, &answer, &err);
	grants = json_object_get(answer, "grants");
	if (rc == WF_OK)
		printf("%s may do: ", order->name);
	for (size_t i = 0; rc == WF_OK && i < json_array_size(grants); i++)
		printf("%s%s", i == 0 ? "" : ", ",
		    json_string_value(json_array_get(grants, i)));
	if (rc == WF_OK)
		puts(json_array_size(grants) == 0 ? "nothing" : "");
	json_decref(answer);
	return end(work, rc, &err);
}

static int set_password(struct work *work)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *body = json_object();
	json_t *answer;
	enum wf_rc rc;

	wf_assert(work->order->password != NULL);
	json_object_set_new(
	    body, "password", wf_json_text(work->order->password));
	rc = change(work, body, &answer, &err);
	json_decref(answer);
	return end(work, rc, &err);
}

static int drop(struct work *work)
{
	struct wf_buffer path = path_of(work->order->name, NULL, NULL);

	return wf_remote_ask(&work->remote, "DELETE", &path, NULL);
}

/* --- running -------------------------------------------------------------- */

static const struct {
	const char *name;
	int (*run)(struct work *work);
} verbs[] = { { "add", add }, { "list", list }, { "show", show },
	{ "grant", grant }, { "password", set_password },
	{ "token", add_token }, { "revoke", remove_token },
	{ "remove", drop } };

static int run(struct wf_remote *remote)
{
	struct work *work = (struct work *)remote;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strcmp(verbs[i].name, work->order->row->name) == 0)
			return verbs[i].run(work);
	wf_assert(!"a verb of weft account that has no row here");
	return WF_EXIT_USAGE;
}

int wf_remote_account(
    const struct wf_account_order *order, char *secret_out, size_t size)
{
	const struct wf_verb verb = { .noun = "account",
		.name = order->row->name,
		.path = ACCOUNTS,
		.run = run,
		.list = "accounts",
		.columns = "name role namespace" };
	struct work work = { .remote = { .verb = &verb,
				 .row = order->row,
				 .server = order->server,
				 .ca = order->ca == NULL ? wf_remote_ca()
							 : order->ca,
				 .json = order->json },
		.order = order,
		.secret = secret_out,
		.size = size };

	secret_out[0] = '\0';
	return wf_remote_connect(&work.remote);
}
