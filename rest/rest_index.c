/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which variables cases are found by: lists, additions, removals.  The type of
 * an index is that of the variable in the newest version of the specification.
 */
#include <string.h>

#include "data/json_fields.h"
#include "persistence/indexes.h"
#include "rest/rest.h"
#include "runtime/terms/terms.h"
#include "server/context.h"
#include "spec/spec.h"
#include "xquery/text/unicode.h"

#define DEPTH 8U

static struct wf_indexes *indexes_of(const struct wf_rest *rest)
{
	return wf_engine_indexes(rest->server->engine);
}

static json_t *describe(const struct wf_index *index)
{
	json_t *object = json_object();

	json_object_set_new(
	    object, "specification", json_string(index->specification));
	json_object_set_new(object, "variable", json_string(index->variable));
	json_object_set_new(
	    object, "type", json_string(wf_term_type_name(index->type)));
	json_object_set_new(
	    object, "state", json_string(wf_index_state_name(index->state)));
	wf_json_put_time(object, "since", index->since);
	if (index->state != WF_INDEX_READY)
		json_object_set_new(
		    object, "done", json_integer((json_int_t)index->filled));
	return object;
}

void wf_rest_list_indexes(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_index_list list;
	struct wf_store *store;
	enum wf_rc rc;
	json_t *array;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_indexes_refresh(indexes_of(rest), store, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return;
	list = wf_indexes_of(
	    indexes_of(rest), rest->account.namespace_id, rest->arena);
	array = json_array();
	for (size_t i = 0; i < list.count; i++)
		json_array_append_new(array, describe(&list.rows[i]));
	wf_rest_answer_page(rest, "indexes", array, 0);
}

/* --- changes -------------------------------------------------------------- */

/* Names with "/" between them. */
static bool is_path(const char *text)
{
	unsigned depth = 0;

	if (strlen(text) > WF_TERM_FIELD_BYTES)
		return false;
	for (;;) {
		size_t length = strcspn(text, "/");

		if (!wf_is_ncname(text, length) || ++depth > DEPTH)
			return false;
		text += length;
		if (*text++ == '\0')
			return true;
	}
}

/* False: answered. */
static bool check_path(struct wf_rest *rest, const char *variable)
{
	if (variable != NULL && is_path(variable))
		return true;
	wf_rest_refuse(rest,
	    "variable: expected the name of a variable of the net, or a path "
	    "such as order/customer of at most %u names and %u bytes",
	    DEPTH, WF_TERM_FIELD_BYTES);
	return false;
}

/* The members "specification", "variable" and "type".  False: answered. */
static bool read_body(struct wf_rest *rest, const char *texts[3])
{
	static const char *const members[] = { "specification", "variable",
		"type" };
	bool good = true;
	json_t *body;

	if (!wf_rest_body(rest, &body))
		return false;
	for (size_t i = 0; good && i < 3; i++) {
		good = wf_rest_text(
		    rest, body, members[i], WF_SPEC_NAME_BYTES, &texts[i]);
		if (good && texts[i] != NULL)
			texts[i] = wf_arena_strdup(rest->arena, texts[i]);
	}
	json_decref(body);
	if (good && texts[0] == NULL) {
		wf_rest_refuse(
		    rest, "specification: expected a key, a URI, or * for all");
		good = false;
	}
	return good && check_path(rest, texts[1]);
}

struct typing {
	struct wf_index *index;
	struct wf_rest *rest;
	struct wf_error err;
};

static void read_spec(void *context, const struct wf_spec *spec)
{
	struct typing *typing = context;
	struct wf_index *index = typing->index;

	index->specification = wf_arena_strdup(typing->rest->arena, spec->uri);
	(void)(wf_terms_type(spec, index->variable, &index->type,
		   &typing->err) == WF_OK); /* err says it */
}

/* Of any specification, the type is given.  False: answered. */
static bool find_type(
    struct wf_rest *rest, const char *const texts[3], struct wf_index *index)
{
	struct typing typing = { .index = index, .rest = rest };
	bool is_any = strcmp(texts[0], "*") == 0;
	uint64_t key;
	enum wf_rc rc;

	if (!is_any) {
		if (!wf_rest_specification(rest, texts[0], &key))
			return false;
		rc = wf_engine_inspect_spec(rest->server->engine,
		    rest->account.namespace_id, key, false, read_spec, &typing,
		    &typing.err);
		if (rc != WF_OK || typing.err.rc != WF_OK) {
			wf_rest_fail(rest, &typing.err);
			return false;
		}
	}
	if ((texts[2] == NULL && !is_any) ||
	    (texts[2] != NULL && wf_term_type_find(texts[2], &index->type)))
		return true;
	wf_rest_refuse(rest, "type: expected text, number, date or boolean%s",
	    is_any ? ", as the variable is of any specification" : "");
	return false;
}

/* For the audit. */
static void note_subject(struct wf_rest *rest, const struct wf_index *index)
{
	rest->subject = wf_arena_printf(wf_exchange_arena(rest->exchange),
	    "%s %s", index->specification, index->variable);
}

void wf_rest_add_index(struct wf_rest *rest)
{
	struct wf_index index = { .namespace_id = rest->account.namespace_id,
		.specification = "*",
		.since = wf_engine_now(rest->server->engine) };
	struct wf_error err = { .rc = WF_OK };
	const char *texts[3] = { NULL, NULL, NULL };
	struct wf_store *store;
	enum wf_rc rc;

	if (!read_body(rest, texts))
		return;
	index.variable = texts[1];
	if (!find_type(rest, texts, &index) || !wf_rest_borrow(rest, &store))
		return;
	note_subject(rest, &index);
	rc = wf_engine_may_write(
	    rest->server->engine, WF_OPERATIONS_TABLES, &err);
	if (rc == WF_OK)
		rc = wf_index_add(indexes_of(rest), store, &index, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(rest, 201, describe(&index));
}

/* The URI, as it is or of a key; of a version that is gone, too. */
void wf_rest_remove_index(struct wf_rest *rest)
{
	struct wf_index index = { .namespace_id = rest->account.namespace_id,
		.specification = wf_rest_argument(rest, "specification"),
		.variable = wf_rest_argument(rest, "variable") };
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (index.specification == NULL) {
		wf_rest_refuse(
		    rest, "specification: expected its URI, or * for all");
		return;
	}
	if (!check_path(rest, index.variable) || !wf_rest_borrow(rest, &store))
		return;
	note_subject(rest, &index);
	rc = wf_index_remove(indexes_of(rest), store, &index,
	    wf_engine_now(rest->server->engine), &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(rest, 200,
		    json_pack("{s:s,s:s,s:s}", "specification",
			index.specification, "variable", index.variable,
			"state", "removing"));
}
