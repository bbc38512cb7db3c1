/* SPDX-License-Identifier: Apache-2.0 */
/* Specifications: finding, listing, showing, removing. */
#include <stdio.h>
#include <string.h>

#include "data/deadline.h"
#include "draw/draw.h"
#include "history/xes_export.h"
#include "rest/rest.h"
#include "server/catalogue.h"

/* All that can be started, sorted by URI and version. */
static enum wf_rc list_rows(struct wf_rest *rest,
    struct wf_specification_list *list, struct wf_error *err)
{
	return wf_catalogue_list(rest->server->engine,
	    rest->account.namespace_id, rest->arena, list, err);
}

json_t *wf_rest_describe_specification(
    const struct wf_rest *rest, const struct wf_specification_row *row)
{
	json_t *object = json_object();
	struct wf_pause pause;

	wf_json_put_key(object, "key", row->key);
	wf_json_put_text(object, "identifier", row->identifier);
	json_object_set_new(object, "uri", json_string(row->uri));
	json_object_set_new(object, "version", json_string(row->version));
	wf_json_put_text(object, "title", row->title);
	wf_json_put_time(object, "loaded", row->loaded_at);
	if (wf_engine_suspension(rest->server->engine,
		rest->account.namespace_id, row->key, rest->arena, &pause))
		wf_rest_put_pause(object, "suspended", &pause);
	return object;
}

/* The name of the process, as in grants. */
static const char *process_of(const struct wf_specification_row *row)
{
	return row->identifier[0] != '\0' ? row->identifier : row->uri;
}

/* Each row is judged by itself, unless the account may read all. */
static bool may_read(
    const struct wf_rest *rest, const struct wf_specification_row *row)
{
	const struct wf_object object = { .namespace_id =
					      rest->account.namespace_id,
		.process = process_of(row) };

	return wf_account_may(&rest->account, rest->verbs, &object);
}

void wf_rest_list_specifications(struct wf_rest *rest)
{
	const char *uri = wf_rest_argument(rest, "uri");
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
		if ((uri == NULL || strcmp(list.rows[i].uri, uri) == 0) &&
		    (rest->is_allowed || may_read(rest, &list.rows[i])))
			json_array_append_new(
			    array, wf_rest_describe_specification(
				       rest, &list.rows[i]));
	rest->is_allowed = true;
	answer = json_object();
	json_object_set_new(answer, "specifications", array);
	wf_rest_answer(rest, 200, answer);
}

/* --- one ------------------------------------------------------------------ */

json_t *wf_rest_parameter(const struct wf_variable *variable)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_string(variable->name));
	json_object_set_new(
	    object, "type", json_string(wf_type_name(variable->type)));
	if (variable->mandatory)
		json_object_set_new(object, "mandatory", json_true());
	return object;
}

static json_t *list_parameters(
    const struct wf_variable *variables, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, wf_rest_parameter(&variables[i]));
	return array;
}

static json_t *list_variables(const struct wf_net *net)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < net->variable_count; i++) {
		const struct wf_net_variable *variable = &net->variables[i];
		json_t *object = json_object();
		bool is_output = false;

		for (size_t k = 0; k < net->decomposition->output_count; k++)
			is_output |= net->output_variables[k] == i;
		json_object_set_new(
		    object, "name", json_string(variable->name));
		json_object_set_new(
		    object, "type", json_string(wf_type_name(variable->type)));
		if (variable->is_input)
			json_object_set_new(object, "input", json_true());
		if (is_output)
			json_object_set_new(object, "output", json_true());
		if (variable->is_mandatory)
			json_object_set_new(object, "mandatory", json_true());
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *describe_task(const struct wf_task *task)
{
	static const char *const kinds[] = { "empty", "atomic", "composite" };
	static const char *const codes[] = { "and", "xor", "or" };
	const struct wf_decomposition *decomposition = task->decomposition;
	json_t *object = json_object();

	json_object_set_new(object, "id", json_string(task->id));
	wf_json_put_text(object, "name", task->name);
	json_object_set_new(object, "kind", json_string(kinds[task->kind]));
	json_object_set_new(object, "join", json_string(codes[task->join]));
	json_object_set_new(object, "split", json_string(codes[task->split]));
	if (decomposition == NULL)
		return object;
	if (decomposition->net != NULL)
		json_object_set_new(
		    object, "net", json_string(decomposition->id));
	wf_json_put_text(object, "service", decomposition->service_uri);
	json_object_set_new(object, "inputs",
	    list_parameters(decomposition->inputs, decomposition->input_count));
	json_object_set_new(object, "outputs",
	    list_parameters(
		decomposition->outputs, decomposition->output_count));
	return object;
}

static json_t *list_nets(const struct wf_spec *spec)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;
		json_t *object;
		json_t *tasks;

		if (net == NULL)
			continue;
		object = json_object();
		tasks = json_array();
		for (uint32_t k = 0; k < net->task_count; k++)
			json_array_append_new(
			    tasks, describe_task(&net->tasks[k]));
		json_object_set_new(
		    object, "id", json_string(net->decomposition->id));
		json_object_set_new(object, "variables", list_variables(net));
		json_object_set_new(object, "tasks", tasks);
		json_array_append_new(array, object);
	}
	return array;
}

static void describe_nets(void *context, const struct wf_spec *spec)
{
	json_t *object = context;

	wf_json_put_text(object, "documentation", spec->documentation);
	json_object_set_new(
	    object, "root", json_string(spec->root->decomposition->id));
	json_object_set_new(object, "nets", list_nets(spec));
}

static bool find_row(
    struct wf_rest *rest, uint64_t *key_out, struct wf_specification_row *row)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_specification(rest, rest->parts[0], key_out))
		return false;
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_store_specification(store, rest->account.namespace_id,
		    *key_out, rest->arena, row, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc != WF_OK)
		wf_rest_fail(rest, &err);
	return rc == WF_OK;
}

/* --- how long ended cases are kept ---------------------------------------- */

/* Adds what is said for the process; false: answered. */
static bool put_keep(struct wf_rest *rest, json_t *object,
    const struct wf_specification_row *row)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	int64_t keep;
	char text[32];
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return false;
	rc = wf_retention_of(rest->server->retention, store, row->namespace_id,
	    process_of(row), &keep, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return false;
	snprintf(text, sizeof(text), "PT%lldS", (long long)(keep / 1000));
	if (keep != WF_RETENTION_DEFAULT)
		json_object_set_new(
		    object, "keep", json_string(keep == 0 ? "never" : text));
	return true;
}

#define KEEP_EXPECTED "keep: expected a duration such as P90D, never or default"

/* "default", "never" (is dropped), or a duration. */
static bool read_keep(struct wf_rest *rest, int64_t *keep_out)
{
	const char *word = NULL;
	json_t *body;
	bool good;

	if (!wf_rest_body(rest, &body))
		return false;
	*keep_out = WF_RETENTION_DEFAULT;
	good = wf_rest_text(rest, body, "keep", WF_REST_WORD_BYTES, &word);
	if (good && word == NULL) {
		wf_rest_refuse(rest, KEEP_EXPECTED);
		good = false;
	} else if (good && strcmp(word, "never") == 0) {
		*keep_out = 0;
	} else if (good && strcmp(word, "default") != 0) {
		good = wf_deadline_duration(word, keep_out);
		if (!good)
			wf_rest_refuse(rest, KEEP_EXPECTED);
		if (good && (*keep_out < 1000 || *keep_out > WF_RETENTION_MS)) {
			wf_rest_refuse(rest,
			    "keep: expected a second to a thousand years");
			good = false;
		}
	}
	json_decref(body);
	return good;
}

void wf_rest_retain_specification(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;
	struct wf_store *store;
	json_t *object;
	uint64_t key;
	int64_t keep;
	enum wf_rc rc;

	if (!find_row(rest, &key, &row) || !read_keep(rest, &keep) ||
	    !wf_rest_borrow(rest, &store))
		return;
	rc = wf_retention_set(rest->server->retention, store, row.namespace_id,
	    process_of(&row), keep, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return;
	object = wf_rest_describe_specification(rest, &row);
	if (put_keep(rest, object, &row))
		wf_rest_answer(rest, 200, object);
	else
		json_decref(object);
}

void wf_rest_show_specification(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;
	json_t *object;
	uint64_t key;

	if (!find_row(rest, &key, &row))
		return;
	if (wf_rest_wants_xml(rest)) {
		wf_exchange_answer(rest->exchange, 200, "application/xml",
		    row.source.data, row.source.size);
		return;
	}
	object = wf_rest_describe_specification(rest, &row);
	if (!put_keep(rest, object, &row)) {
		json_decref(object);
		return;
	}
	if (wf_engine_inspect_spec(rest->server->engine,
		rest->account.namespace_id, key, false, describe_nets, object,
		&err) == WF_OK) {
		wf_rest_answer(rest, 200, object);
		return;
	}
	json_decref(object);
	wf_rest_fail(rest, &err);
}

void wf_rest_remove_specification(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	uint64_t key;

	if (!wf_rest_key(rest, rest->parts[0], &key) ||
	    !wf_rest_may_process(rest, key))
		return;
	if (wf_engine_unload(rest->server->engine, rest->account.namespace_id,
		key, &err) == WF_OK)
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
	else
		wf_rest_fail(rest, &err);
}

void wf_rest_export_log(struct wf_rest *rest)
{
	struct wf_xes_export what = { .namespace_id =
					  rest->account.namespace_id,
		.type = "application/xml" };
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;

	if (!wf_rest_switch(rest, "data", &what.data) ||
	    !wf_rest_switch(rest, "all", &what.all) ||
	    !find_row(rest, &what.specification, &row))
		return;
	what.engine = rest->server->engine;
	what.pool = rest->server->pool;
	what.gate = &rest->server->gate;
	what.uri = row.uri;
	what.version = row.version;
	if (wf_xes_export_begin(rest->exchange, &what, &err) != WF_OK)
		wf_rest_fail(rest, &err);
}

struct drawing {
	struct wf_buffer svg;
	struct wf_error err;
	enum wf_rc rc;
};

static void draw(void *context, const struct wf_spec *spec)
{
	struct drawing *drawing = context;

	drawing->rc = wf_draw_spec(spec, &drawing->svg, &drawing->err);
}

#define SVG_MAXIMUM_BYTES ((size_t)64 << 20)

void wf_rest_draw_specification(struct wf_rest *rest)
{
	struct drawing drawing = { .rc = WF_OK };
	uint64_t key;
	enum wf_rc rc;

	if (!wf_rest_specification(rest, rest->parts[0], &key))
		return;
	wf_buffer_init(&drawing.svg, SVG_MAXIMUM_BYTES);
	rc = wf_engine_inspect_spec(rest->server->engine,
	    rest->account.namespace_id, key, false, draw, &drawing,
	    &drawing.err);
	if (rc == WF_OK && drawing.rc == WF_OK)
		wf_exchange_answer(rest->exchange, 200, "image/svg+xml",
		    wf_buffer_text(&drawing.svg), drawing.svg.length);
	else
		wf_rest_fail(rest, &drawing.err);
	wf_buffer_free(&drawing.svg);
}
