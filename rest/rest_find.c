/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what a request names: cases by their ids, the case of a work item,
 * specifications by key or URI.
 *
 * A case that the server does not know yet is read from the store, which only
 * the pool may do; the handler then runs again there.  What is known of a case
 * is some seconds old, and the case may have been migrated since:
 *
 *   refused by the engine, or data does not fit ──► in the pool: the case is
 *   read ──► as it was known: answered; else the handler runs again
 */
#include <string.h>

#include "base/time_text.h"
#include "rest/rest.h"
#include "rest/rest_people.h"
#include "server/catalogue.h"

/* --- cases ---------------------------------------------------------------- */

static json_t *describe_erased(const struct wf_erased_row *row)
{
	json_t *object = json_object();

	json_object_set_new(object, "case", json_string(row->name));
	json_object_set_new(
	    object, "number", json_integer((json_int_t)row->number));
	wf_json_put_key(object, "specification", row->specification);
	wf_json_put_time(object, "at", row->at);
	json_object_set_new(object, "by", json_string(row->actor));
	json_object_set_new(object, "reason", json_string(row->reason));
	return object;
}

static const char *describe_end(
    struct wf_rest *rest, const struct wf_erased_row *row)
{
	char time[WF_TIME_TEXT_BYTES];

	wf_time_text_seconds(row->at, time);
	return wf_arena_printf(rest->arena,
	    "the case was erased at %s by '%.64s': %s", time, row->actor,
	    row->reason);
}

/* What is left of the case with that id; false: it was not erased. */
static bool read_erased(
    struct wf_rest *rest, const char *id, struct wf_erased_row *row)
{
	struct wf_engine *engine = rest->server->engine;
	struct wf_store *store;
	uint64_t number = 0;
	bool found;

	if (wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return false;
	found = wf_store_find(store, rest->account.namespace_id, &id, 1,
		    &number, NULL) == WF_OK &&
		number != 0 &&
		wf_store_erased(store, number, rest->arena, row, NULL) == WF_OK;
	wf_engine_give_back(engine, store);
	return found;
}

void wf_rest_fail_case(
    struct wf_rest *rest, const char *id, const struct wf_error *err)
{
	struct wf_known_case known = { 0 };
	struct wf_erased_row row;
	json_t *problem;
	bool may_read;

	if (err->rc != WF_NOT_FOUND || !read_erased(rest, id, &row)) {
		wf_rest_fail(rest, err);
		return;
	}
	known.number = row.number;
	known.specification = row.specification;
	if (!wf_rest_has_right(rest, WF_MAY(READ), NULL, &known, &may_read)) {
		/* Answered. */
	} else if (!may_read) {
		wf_rest_refuse_right(
		    rest, WF_MAY(READ), " for the process of the case");
	} else {
		problem = wf_rest_make_problem(410, "gone",
		    "It is not kept any more", describe_end(rest, &row));
		json_object_set_new(problem, "erased", describe_erased(&row));
		wf_rest_answer_problem(rest, 410, problem);
	}
}

void wf_rest_refuse_case(struct wf_rest *rest, const char *id)
{
	struct wf_error err = { .rc = WF_OK };

	wf_fail(&err, WF_NOT_FOUND, "there is no case '%.64s'", id);
	wf_rest_fail_case(rest, id, &err);
}

static bool find_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known)
{
	struct wf_error err = { .rc = WF_OK };

	rest->invocation.case_id =
	    wf_arena_strdup(wf_exchange_arena(rest->exchange), id);
	if (wf_server_known_case(
		rest->server, rest->account.namespace_id, id, known))
		return true;
	if (!rest->invocation.in_pool) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	if (wf_server_find_case(rest->server, rest->account.namespace_id, id,
		known, &err) == WF_OK)
		return true;
	wf_rest_fail_case(rest, id, &err);
	return false;
}

bool wf_rest_find_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known)
{
	if (!find_case(rest, id, known))
		return false;
	rest->invocation.specification = known->specification;
	return true;
}

bool wf_rest_known_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known)
{
	return wf_rest_find_case(rest, id, known) &&
	       wf_rest_may_process(rest, known->specification);
}

bool wf_rest_known_case_of_item(
    struct wf_rest *rest, const char *item, struct wf_known_case *known)
{
	uint32_t verbs = rest->verbs;
	size_t length = strcspn(item, ".:");
	char id[WF_CASE_NAME_BYTES + 1];

	if (length == 0 || length >= sizeof(id) || strchr(item, ':') == NULL) {
		wf_rest_problem(rest, 404, "not_found",
		    "There is no such thing",
		    "no work item has this id: expected one like 7.1:Task");
		return false;
	}
	memcpy(id, item, length);
	id[length] = '\0';
	if (!wf_rest_find_case(rest, id, known))
		return false;
	rest->specification = known->specification;
	return (verbs & WF_MAY(PARTICIPATE)) != 0
		   ? wf_rest_may_take_part(rest, item, known)
		   : wf_rest_may_item(rest, verbs, item, known);
}

/* --- cases that were migrated --------------------------------------------- */

enum wf_rc wf_rest_item_row(struct wf_rest *rest, struct wf_store *store,
    uint64_t number, const char *id, struct wf_item_row *row_out,
    struct wf_error *err)
{
	/* No two instances of a case have equal ids before the colon. */
	size_t length = strcspn(id, ":") + 1;
	const struct wf_item_filter filter = { .number = number,
		.leased = true,
		.after_number = number,
		.after_id = wf_arena_strndup(rest->arena, id, length),
		.limit = 1 };
	struct wf_item_list list;
	enum wf_rc rc =
	    wf_store_item(store, number, id, rest->arena, row_out, err);

	if (rc != WF_NOT_FOUND ||
	    wf_store_items(store, &filter, rest->arena, &list, NULL) != WF_OK ||
	    list.count == 0 || strncmp(list.rows[0].id, id, length) != 0)
		return rc;
	wf_error_clear(err);
	*row_out = list.rows[0];
	return WF_OK;
}

/* Whether the item of the path has another id now; that is the path's then. */
static bool follow_item(struct wf_rest *rest, uint64_t number)
{
	struct wf_engine *engine = rest->server->engine;
	struct wf_error err = { .rc = WF_OK };
	struct wf_item_row row;
	struct wf_store *store;
	enum wf_rc rc;

	if (rest->fence == 0 || wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return false;
	rc = wf_rest_item_row(rest, store, number, rest->parts[0], &row, &err);
	wf_engine_give_back(engine, store);
	if (rc != WF_OK || strcmp(row.id, rest->parts[0]) == 0 ||
	    row.fence != rest->fence ||
	    strcmp(row.lease_owner, rest->account.name) != 0)
		return false;
	rest->parts[0] = row.id;
	return true;
}

static void read_again(struct wf_invocation *call)
{
	struct wf_rest *rest = (struct wf_rest *)call;
	uint32_t namespace_id = rest->account.namespace_id;
	struct wf_known_case known;

	wf_server_forget_case(rest->server, namespace_id, call->case_id);
	/* Not in the pool: the server closes. */
	if (!call->in_pool ||
	    wf_server_find_case(rest->server, namespace_id, call->case_id,
		&known, NULL) != WF_OK ||
	    (known.specification == call->specification &&
		!follow_item(rest, known.number))) {
		wf_rest_fail(rest, &rest->refused);
		return;
	}
	json_decref(rest->foreseen);
	json_decref(rest->objection);
	rest->foreseen = rest->objection = NULL;
	rest->refusal = NULL;
	wf_rest_need(rest, call->operation->verbs);
	rest->route->handle(rest);
}

/* Whether it may have failed because the case is not as it was known. */
static bool is_doubtful(const struct wf_error *err)
{
	return err->rc == WF_NOT_FOUND || err->rc == WF_DATA ||
	       (err->rc == WF_CONFLICT &&
		   strcmp(err->code, WF_MIGRATED_CODE) == 0);
}

void wf_rest_fail_known(struct wf_rest *rest, const struct wf_error *err)
{
	if (rest->is_again || rest->invocation.specification == 0 ||
	    !is_doubtful(err)) {
		wf_rest_fail(rest, err);
		return;
	}
	rest->is_again = true;
	rest->refused = *err;
	wf_invocation_resume(&rest->invocation, read_again);
}

/* --- specifications ------------------------------------------------------- */

/* version NULL: the latest.  WF_NOT_FOUND. */
static enum wf_rc find_by_uri(struct wf_rest *rest, const char *uri,
    const char *version, uint64_t *key_out, struct wf_error *err)
{
	const struct wf_specification_filter filter = {
		.namespace_id = rest->account.namespace_id
	};
	struct wf_specification_keys keys;
	enum wf_rc rc = wf_catalogue_find(rest->server->engine, &filter, uri,
	    version, rest->arena, &keys, err);

	if (rc == WF_OK)
		*key_out = keys.keys[keys.count - 1];
	return rc;
}

bool wf_rest_version(struct wf_rest *rest, const char *name,
    const char *version, uint64_t *key_out)
{
	struct wf_error err = { .rc = WF_OK };

	if (version == NULL && wf_specification_key(name, key_out))
		return true;
	if (!rest->invocation.in_pool) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	if (find_by_uri(rest, name, version, key_out, &err) == WF_OK)
		return true;
	wf_rest_fail(rest, &err);
	return false;
}

bool wf_rest_specification(
    struct wf_rest *rest, const char *text, uint64_t *key_out)
{
	return wf_rest_version(rest, text, NULL, key_out) &&
	       wf_rest_may_process(rest, *key_out);
}

/* Whether the account may read each of them. */
static bool may_all(
    struct wf_rest *rest, const struct wf_specification_keys *keys)
{
	bool was_allowed = rest->is_allowed;
	bool good = true;

	for (size_t i = 0; good && i < keys->count; i++) {
		rest->is_allowed = was_allowed;
		good = wf_rest_may_process(rest, keys->keys[i]);
	}
	return good;
}

bool wf_rest_specifications(
    struct wf_rest *rest, struct wf_specification_keys *keys_out)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = wf_catalogue_choose(rest->server->engine,
	    rest->account.namespace_id, wf_rest_argument(rest, "specification"),
	    wf_rest_argument(rest, "version"), rest->arena, keys_out, &err);

	if (rc != WF_OK)
		wf_rest_fail(rest, &err);
	return rc == WF_OK && may_all(rest, keys_out);
}
