/* SPDX-License-Identifier: Apache-2.0 */
/* Specifications: loading, finding, listing, showing, removing. */
#include <stdlib.h>
#include <string.h>

#include "services/rest.h"

#define PER_FILE 64U

/* "10.2" after "9.1": number by number. */
static int compare_versions(const char *a, const char *b)
{
	while (*a != '\0' || *b != '\0') {
		unsigned long x = strtoul(a, (char **)(uintptr_t)&a, 10);
		unsigned long y = strtoul(b, (char **)(uintptr_t)&b, 10);

		if (x != y)
			return x < y ? -1 : 1;
		if (*a != '.' || *b != '.')
			return strcmp(a, b);
		a++;
		b++;
	}
	return 0;
}

static int compare_rows(const void *one, const void *other)
{
	const struct wf_specification_row *a = one;
	const struct wf_specification_row *b = other;
	int order = strcmp(a->uri, b->uri);

	if (order == 0)
		order = compare_versions(a->version, b->version);
	return order != 0 ? order
			  : (a->change > b->change) - (a->change < b->change);
}

/* All that can be started, by URI and version. */
static enum wf_rc list_rows(struct wf_rest *rest,
    struct wf_specification_list *list, struct wf_error *err)
{
	struct wf_specification_filter filter = {
		.namespace_id = rest->account.namespace_id
	};
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(rest->server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_store_specifications(store, &filter, rest->arena, list, err);
	wf_engine_give_back(rest->server->engine, store);
	if (rc == WF_OK)
		qsort(
		    list->rows, list->count, sizeof(*list->rows), compare_rows);
	return rc;
}

enum wf_rc wf_rest_find_specification(struct wf_rest *rest, const char *uri,
    const char *version, uint64_t *key_out, struct wf_error *err)
{
	struct wf_specification_list list;
	enum wf_rc rc = list_rows(rest, &list, err);
	bool found = false;

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		if (strcmp(list.rows[i].uri, uri) == 0 &&
		    (version == NULL ||
			strcmp(list.rows[i].version, version) == 0)) {
			*key_out = list.rows[i].key;
			found = true;
		}
	if (rc == WF_OK && !found)
		rc = wf_fail(err, WF_NOT_FOUND,
		    "no specification has the URI %.200s%s%.20s", uri,
		    version == NULL ? "" : " and the version ",
		    version == NULL ? "" : version);
	return rc;
}

static json_t *describe(const struct wf_specification_row *row)
{
	json_t *object = json_object();

	wf_rest_put_key(object, "key", row->key);
	wf_rest_put_text(object, "identifier", row->identifier);
	json_object_set_new(object, "uri", json_string(row->uri));
	json_object_set_new(object, "version", json_string(row->version));
	wf_rest_put_text(object, "title", row->title);
	wf_rest_put_time(object, "loaded", row->loaded_at);
	return object;
}

void wf_rest_list_specifications(struct wf_rest *rest)
{
	const char *uri = wf_exchange_argument(rest->exchange, "uri");
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list list;
	json_t *answer;
	json_t *array;

	if (list_rows(rest, &list, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	array = json_array();
	for (size_t i = 0; i < list.count; i++)
		if (uri == NULL || strcmp(list.rows[i].uri, uri) == 0)
			json_array_append_new(array, describe(&list.rows[i]));
	answer = json_object();
	json_object_set_new(answer, "specifications", array);
	wf_rest_answer(rest, 200, answer);
}

/* --- loading -------------------------------------------------------------- */

static json_t *list_diagnostics(const struct wf_diagnostics *diagnostics)
{
	json_t *array = json_array();

	for (size_t i = 0; i < wf_diagnostics_count(diagnostics); i++) {
		const struct wf_diagnostic *one =
		    wf_diagnostics_at(diagnostics, i);
		json_t *object;

		if (one == NULL)
			break;
		object = json_object();
		json_object_set_new(object, "severity",
		    json_string(
			one->severity == WF_ERROR ? "error" : "warning"));
		if (one->line > 0)
			json_object_set_new(
			    object, "line", json_integer(one->line));
		wf_rest_put_text(object, "element", one->element);
		json_object_set_new(object, "text", json_string(one->message));
		json_array_append_new(array, object);
	}
	return array;
}

static void answer_invalid(
    struct wf_rest *rest, const struct wf_diagnostics *diagnostics)
{
	json_t *problem = wf_rest_make_problem(422, "data",
	    "The specification is not valid", "diagnostics say what is wrong");

	json_object_set_new(
	    problem, "diagnostics", list_diagnostics(diagnostics));
	wf_rest_answer_problem(rest, 422, problem);
}

static void answer_loaded(struct wf_rest *rest,
    const struct wf_diagnostics *diagnostics, const uint64_t *keys,
    size_t count)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list list;
	json_t *array;
	json_t *answer;

	if (list_rows(rest, &list, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	array = json_array();
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < list.count; i++)
			if (list.rows[i].key == keys[k])
				json_array_append_new(
				    array, describe(&list.rows[i]));
	answer = json_object();
	json_object_set_new(answer, "specifications", array);
	json_object_set_new(
	    answer, "diagnostics", list_diagnostics(diagnostics));
	wf_rest_answer(rest, 201, answer);
}

void wf_rest_load_specifications(struct wf_rest *rest)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("");
	struct wf_error err = { .rc = WF_OK };
	uint64_t keys[PER_FILE];
	size_t count = 0;
	size_t length;
	const char *xml = wf_exchange_body(rest->exchange, &length);
	enum wf_rc rc =
	    wf_engine_load(rest->server->engine, rest->account.namespace_id,
		xml, length, diagnostics, keys, PER_FILE, &count, &err);

	if (rc == WF_OK)
		answer_loaded(rest, diagnostics, keys, count);
	else if (wf_diagnostics_errors(diagnostics) > 0)
		answer_invalid(rest, diagnostics);
	else
		wf_rest_fail(rest, &err);
	wf_diagnostics_free(&diagnostics);
}
