/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions: added, shown without secrets, paused, tested, removed. */
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "rest/rest.h"
#include "server/catalogue.h"
#include "server/context.h"
#include "work/subscription/event.h"

#define WORDS_BYTES 1000U

static const char *state_of(
    const struct wf_subscription *subscription, const json_t *failing)
{
	if (subscription->stopped.since != 0)
		return "stopped";
	if (subscription->pause.since != 0)
		return "paused";
	return failing == NULL ? "active" : "failing";
}

/* How many events wait for it; the count ends behind the setting. */
static enum wf_rc count_waiting(struct wf_rest *rest, struct wf_store *store,
    const struct wf_subscription *subscription, uint64_t *waiting_out,
    struct wf_error *err)
{
	return wf_store_count_messages(store, subscription->namespace_id,
	    wf_event_queue(subscription->id, rest->arena),
	    rest->server->settings.notifier.waiting + 1, waiting_out, err);
}

/* secret: shown once, when it is new; NULL or "": not now. */
static json_t *describe(const struct wf_subscription *subscription,
    const json_t *all_failing, uint64_t waiting, const char *secret)
{
	const json_t *failing = json_object_get(all_failing, subscription->id);
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(subscription->name));
	json_object_set_new(object, wf_subscriber_name(subscription->how),
	    json_string(subscription->to));
	json_object_set_new(
	    object, "events", wf_observed_names(subscription->kinds));
	wf_json_put_text(object, "specification", subscription->specification);
	json_object_set_new(
	    object, "window", wf_rest_duration_json(subscription->window_ms));
	json_object_set_new(
	    object, "state", json_string(state_of(subscription, failing)));
	json_object_set_new(
	    object, "waiting", json_integer((json_int_t)waiting));
	wf_json_put_text(object, "by", subscription->by);
	wf_json_put_time(object, "added", subscription->at);
	wf_rest_put_pause(object, "paused", &subscription->pause);
	wf_rest_put_pause(object, "stopped", &subscription->stopped);
	if (failing != NULL)
		json_object_set(object, "failing", (json_t *)failing);
	wf_json_put_text(object, "secret", secret);
	return object;
}

/* --- reading -------------------------------------------------------------- */

/* All is read anew: another server may have changed it. */
static enum wf_rc read_all(struct wf_rest *rest, struct wf_store *store,
    json_t **failing_out, struct wf_error *err)
{
	enum wf_rc rc =
	    wf_subscriptions_refresh(rest->server->subscriptions, store, err);

	*failing_out = NULL;
	return rc == WF_OK ? wf_notifier_failing(store, failing_out, err) : rc;
}

void wf_rest_list_subscriptions(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_subscription_list list;
	struct wf_store *store;
	json_t *failing;
	json_t *rows = json_array();
	enum wf_rc rc = WF_OK;

	if (!wf_rest_borrow(rest, &store)) {
		json_decref(rows);
		return;
	}
	rc = read_all(rest, store, &failing, &err);
	list = wf_subscriptions_of(rest->server->subscriptions,
	    rest->account.namespace_id, rest->arena);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		uint64_t waiting;

		rc = count_waiting(rest, store, &list.rows[i], &waiting, &err);
		if (rc == WF_OK)
			json_array_append_new(rows,
			    describe(&list.rows[i], failing, waiting, NULL));
	}
	json_decref(failing);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer_page(rest, "subscriptions", rows, 0);
	else
		json_decref(rows);
}

/* The one of the path, and how many events wait for it. */
static enum wf_rc find(struct wf_rest *rest, struct wf_store *store,
    struct wf_subscription *subscription_out, json_t **failing_out,
    uint64_t *waiting_out, struct wf_error *err)
{
	enum wf_rc rc = read_all(rest, store, failing_out, err);

	if (rc == WF_OK && !wf_subscriptions_find(rest->server->subscriptions,
			       rest->account.namespace_id, rest->parts[0],
			       rest->arena, subscription_out))
		rc = wf_fail(err, WF_NOT_FOUND,
		    "there is no subscription %.100s", rest->parts[0]);
	if (rc == WF_OK)
		rc = count_waiting(
		    rest, store, subscription_out, waiting_out, err);
	return rc;
}

/* warning: or NULL. */
static void answer_one(struct wf_rest *rest, unsigned status,
    const char *secret, const char *warning)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_subscription subscription;
	struct wf_store *store;
	uint64_t waiting = 0;
	json_t *failing = NULL;
	json_t *object;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = find(rest, store, &subscription, &failing, &waiting, &err);
	if (wf_rest_give_back(rest, store, rc, &err)) {
		object = describe(&subscription, failing, waiting, secret);
		wf_json_put_text(object, "warning", warning);
		wf_rest_answer(rest, status, object);
	}
	json_decref(failing);
}

void wf_rest_show_subscription(struct wf_rest *rest)
{
	answer_one(rest, 200, NULL, NULL);
}

/* --- reading a body: false: answered -------------------------------------- */

static bool refuse_events(struct wf_rest *rest)
{
	struct wf_buffer words;

	wf_buffer_init(&words, WORDS_BYTES);
	for (size_t i = 0; i < WF_OBSERVED_COUNT; i++)
		wf_buffer_printf(&words, "%s%s", i == 0 ? "" : ", ",
		    wf_observed_rows[i].name);
	wf_rest_refuse(rest, "events: expected an array of some of %s",
	    wf_buffer_text(&words));
	wf_buffer_free(&words);
	return false;
}

/* Missing: all. */
static bool read_events(
    struct wf_rest *rest, const json_t *body, uint32_t *kinds_out)
{
	const json_t *array = json_object_get(body, "events");
	const json_t *row;
	size_t at;

	*kinds_out = (UINT32_C(1) << WF_OBSERVED_COUNT) - 1;
	if (array == NULL)
		return true;
	*kinds_out = 0;
	if (!json_is_array(array))
		return refuse_events(rest);
	json_array_foreach(array, at, row)
	{
		const char *name = json_string_value(row);
		size_t i = 0;

		while (i < WF_OBSERVED_COUNT && name != NULL &&
		       strcmp(wf_observed_rows[i].name, name) != 0)
			i++;
		if (name == NULL || i == WF_OBSERVED_COUNT)
			return refuse_events(rest);
		*kinds_out |= UINT32_C(1) << i;
	}
	return *kinds_out != 0 || refuse_events(rest);
}

static bool read_text(
    struct wf_rest *rest, json_t *body, const char *name, const char **text_out)
{
	if (!wf_rest_text(rest, body, name, WF_SERVICE_URI_BYTES, text_out))
		return false;
	if (*text_out == NULL ||
	    strlen(*text_out) ==
		json_string_length(json_object_get(body, name)))
		return true;
	wf_rest_refuse(rest, "%s: there is a NUL in it", name);
	return false;
}

/* Exactly one of url, service, mail, participant. */
static bool read_subscriber(
    struct wf_rest *rest, json_t *body, struct wf_subscription *subscription)
{
	size_t count = 0;

	for (unsigned i = 0; i < WF_SUBSCRIBER_COUNT; i++) {
		const char *text;

		if (!read_text(rest, body, wf_subscriber_name(i), &text))
			return false;
		if (text == NULL)
			continue;
		subscription->how = i;
		subscription->to = text;
		count++;
	}
	if (count == 1)
		return true;
	wf_rest_refuse(
	    rest, "expected one of url, service, mail and participant");
	return false;
}

static bool may_be_mailed(struct wf_rest *rest)
{
	if (atomic_load(&rest->server->mailer) != NULL)
		return true;
	wf_rest_refuse(
	    rest, "mail: the server sends no mail: it has no mail-server");
	return false;
}

/* Whether what it names is there. */
static bool check_subscriber(
    struct wf_rest *rest, const struct wf_subscription *subscription)
{
	struct wf_organisation *organisation;
	bool found;

	switch (subscription->how) {
	case WF_SUBSCRIBER_URL:
		if (wf_url_is_allowed(subscription->to,
			&rest->server->settings.sender.allowed))
			return true;
		wf_rest_refuse(
		    rest, "url: %s (--allow-address)", WF_SERVICE_FORBIDDEN);
		return false;
	case WF_SUBSCRIBER_SERVICE:
		if (wf_is_notified_service(rest->server->services,
			rest->account.namespace_id, subscription->to))
			return true;
		wf_rest_refuse(rest, "service: expected the name of a "
				     "service of the kind push");
		return false;
	case WF_SUBSCRIBER_MAIL:
		return may_be_mailed(rest);
	default:
		organisation = wf_org_cache_get(rest->server->organisation);
		found = wf_org_find(organisation, WF_ORG_PARTICIPANT,
			    subscription->to) != WF_ORG_NOBODY;
		wf_organisation_unref(&organisation);
		if (!found)
			wf_rest_refuse(rest, "participant: expected the id of "
					     "a participant");
		return found && may_be_mailed(rest);
	}
}

static bool read_subscription(
    struct wf_rest *rest, json_t *body, struct wf_subscription *subscription)
{
	subscription->window_ms = WF_SUBSCRIPTION_WINDOW_MS;
	if (!read_subscriber(rest, body, subscription) ||
	    !read_events(rest, body, &subscription->kinds) ||
	    !read_text(
		rest, body, "specification", &subscription->specification) ||
	    !wf_rest_duration(rest, body, "window", &subscription->window_ms) ||
	    !check_subscriber(rest, subscription))
		return false;
	if (subscription->specification == NULL)
		subscription->specification = "";
	return true;
}

/* --- changing ------------------------------------------------------------- */

/*
 * A subscription may be made before its specification is loaded; more likely
 * the name is wrong.  NULL: it is loaded, or none is named.
 */
static const char *find_warning(struct wf_rest *rest, const char *specification)
{
	struct wf_specification_list list;
	char key[17];

	if (specification[0] == '\0' ||
	    wf_catalogue_list(rest->server->engine, rest->account.namespace_id,
		rest->arena, &list, NULL) != WF_OK)
		return NULL;
	for (size_t i = 0; i < list.count; i++) {
		snprintf(key, sizeof(key), "%016" PRIx64, list.rows[i].key);
		if (strcmp(specification, list.rows[i].uri) == 0 ||
		    strcmp(specification, key) == 0)
			return NULL;
	}
	return wf_arena_printf(rest->arena,
	    "no specification has the URI or the key %s: nothing is sent until "
	    "one is loaded",
	    specification);
}

static void put(struct wf_rest *rest, json_t *body)
{
	struct wf_server *server = rest->server;
	struct wf_subscription subscription = { .namespace_id =
						    rest->account.namespace_id,
		.name = rest->parts[0],
		.secret = "",
		.by = rest->account.name,
		.at = wf_engine_now(server->engine),
		.pause = { 0, "", "" },
		.stopped = { 0, "", "" } };
	char secret[WF_SUBSCRIPTION_SECRET_SIZE] = "";
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	bool is_new = false;
	enum wf_rc rc;

	if (!read_subscription(rest, body, &subscription) ||
	    !wf_rest_borrow(rest, &store))
		return;
	rc = wf_engine_may_write(server->engine, WF_OPERATIONS_TABLES, &err);
	if (rc == WF_OK)
		rc = wf_subscriptions_put(server->subscriptions, store,
		    &subscription, secret, &is_new, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		answer_one(rest, is_new ? 201 : 200, secret,
		    find_warning(rest, subscription.specification));
	sodium_memzero(secret, sizeof(secret));
}

void wf_rest_put_subscription(struct wf_rest *rest)
{
	json_t *body;

	if (!wf_rest_body(rest, &body))
		return;
	put(rest, body);
	json_decref(body);
}

void wf_rest_remove_subscription(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_subscriptions_remove(rest->server->subscriptions, store,
	    rest->account.namespace_id, rest->parts[0], &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
}

/* pause NULL: it is resumed. */
static void set_pause(struct wf_rest *rest, const struct wf_pause *pause)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_subscriptions_pause(rest->server->subscriptions, store,
	    rest->account.namespace_id, rest->parts[0], pause, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		answer_one(rest, 200, NULL, NULL);
}

void wf_rest_pause_subscription(struct wf_rest *rest)
{
	struct wf_pause pause;

	if (wf_rest_read_pause(rest, &pause))
		set_pause(rest, &pause);
}

void wf_rest_resume_subscription(struct wf_rest *rest)
{
	struct wf_pause ignored;

	if (wf_rest_read_pause(rest, &ignored))
		set_pause(rest, NULL);
}

void wf_rest_rotate_subscription(struct wf_rest *rest)
{
	char secret[WF_SUBSCRIPTION_SECRET_SIZE] = "";
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_subscriptions_rotate(rest->server->subscriptions, store,
	    rest->account.namespace_id, rest->parts[0], secret, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		answer_one(rest, 200, secret, NULL);
	sodium_memzero(secret, sizeof(secret));
}

void wf_rest_test_subscription(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_subscription subscription;
	struct wf_store *store;
	uint64_t waiting;
	json_t *failing = NULL;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = find(rest, store, &subscription, &failing, &waiting, &err);
	json_decref(failing);
	if (rc == WF_OK && subscription.stopped.since != 0)
		rc = wf_fail(&err, WF_CONFLICT,
		    "the subscription %s is stopped: resume it first",
		    subscription.name);
	if (rc == WF_OK)
		rc = wf_event_test(store, &subscription,
		    wf_engine_now(rest->server->engine), &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		answer_one(rest, 202, NULL, NULL);
}
