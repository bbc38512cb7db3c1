/* SPDX-License-Identifier: Apache-2.0 */
#include "services/rest_data.h"

#include <string.h>

#include "data/json.h"
#include "engine/view.h"
#include "services/server_priv.h"

#define XML_MAXIMUM ((size_t)256 << 20)

/* --- from JSON ------------------------------------------------------------ */

/* What the data is to be like. */
struct target {
	const char *root;
	const struct wf_variable *parameters;
	size_t count;
	const struct wf_net *net; /* its variables, when parameters is NULL */
	const char *only;	  /* INSTANCE: this parameter, without root */
};

struct reading {
	const struct wf_data_place *place;
	json_t *json;
	struct wf_buffer xml;
	struct wf_error err;
	enum wf_rc rc;
	bool ambiguous; /* the item's net has to be looked up in its case */
};

static const struct wf_type *type_of(
    const struct target *target, const char *name)
{
	for (size_t i = 0; target->parameters != NULL && i < target->count; i++)
		if (strcmp(target->parameters[i].name, name) == 0)
			return target->parameters[i].type;
	for (uint32_t i = 0;
	     target->net != NULL && i < target->net->variable_count; i++)
		if (strcmp(target->net->variables[i].name, name) == 0)
			return target->net->variables[i].type;
	return NULL;
}

static enum wf_rc put_members(
    struct reading *reading, const struct target *target)
{
	const char *name;
	json_t *member;
	enum wf_rc rc = WF_OK;

	json_object_foreach(reading->json, name, member)
	{
		const struct wf_type *type = type_of(target, name);

		if (type == NULL)
			return wf_fail(&reading->err, WF_DATA,
			    "%.100s: there is no such %s", name,
			    target->net != NULL ? "variable" : "parameter");
		rc = wf_json_put_xml(
		    type, name, member, &reading->xml, &reading->err);
		if (rc != WF_OK)
			return rc;
	}
	return rc;
}

/* An instance is made of one element, which the JSON may be itself. */
static enum wf_rc put_instance(
    struct reading *reading, const struct target *target)
{
	json_t *member = json_object_get(reading->json, target->only);

	if (member == NULL)
		return wf_fail(&reading->err, WF_DATA,
		    "%.100s: expected this member, which the instance is made "
		    "of",
		    target->only);
	return wf_json_put_xml(type_of(target, target->only), target->only,
	    member, &reading->xml, &reading->err);
}

static void convert(struct reading *reading, const struct target *target)
{
	if (target->only != NULL) {
		reading->rc = put_instance(reading, target);
		return;
	}
	wf_buffer_printf(&reading->xml, "<%s>", target->root);
	reading->rc = put_members(reading, target);
	wf_buffer_printf(&reading->xml, "</%s>", target->root);
	if (reading->rc == WF_OK && reading->xml.full)
		reading->rc =
		    wf_fail(&reading->err, WF_LIMIT, "the data is too large");
}

static void convert_for_task(
    struct reading *reading, const struct wf_task *task)
{
	const struct wf_decomposition *decomposition = task->decomposition;
	struct target target = { .root = decomposition->root_name,
		.parameters = decomposition->outputs,
		.count = decomposition->output_count };

	if (reading->place->of != WF_DATA_OUTPUT) {
		target.parameters = decomposition->inputs;
		target.count = decomposition->input_count;
	}
	if (reading->place->of == WF_DATA_INSTANCE) {
		if (task->multi == NULL || task->multi->input_name == NULL) {
			reading->rc = wf_fail(&reading->err, WF_CONFLICT,
			    "task %s does not allow instances to be added",
			    task->id);
			return;
		}
		target.only = task->multi->input_name;
	}
	convert(reading, &target);
}

/* The only task with that id that has a decomposition of its own. */
static const struct wf_task *find_task(
    const struct wf_spec *spec, const char *id, bool *ambiguous_out)
{
	const struct wf_task *found = NULL;

	*ambiguous_out = false;
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;
		uint32_t number = net == NULL
				      ? UINT32_MAX
				      : wf_net_task_number(net, id, strlen(id));

		if (number == UINT32_MAX ||
		    net->tasks[number].kind != WF_ATOMIC_TASK)
			continue;
		*ambiguous_out =
		    *ambiguous_out ||
		    (found != NULL && found->decomposition !=
					  net->tasks[number].decomposition);
		found = &net->tasks[number];
	}
	return found;
}

static void read_with_spec(void *context, const struct wf_spec *spec)
{
	struct reading *reading = context;
	const struct wf_data_place *place = reading->place;
	const struct wf_net *root = spec->root;
	struct target target = { .root = root->root_name };
	const struct wf_task *task;

	if (place->item == NULL) {
		if (place->of == WF_DATA_LAUNCH) {
			target.parameters = root->decomposition->inputs;
			target.count = root->decomposition->input_count;
		} else {
			target.net = root;
		}
		convert(reading, &target);
		return;
	}
	task =
	    find_task(spec, strchr(place->item, ':') + 1, &reading->ambiguous);
	if (reading->ambiguous)
		return;
	if (task == NULL)
		reading->rc = wf_fail(&reading->err, WF_NOT_FOUND,
		    "there is no work item '%.200s'", place->item);
	else
		convert_for_task(reading, task);
}

static void read_with_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct reading *reading = context;
	struct wf_item item;

	(void)stored;
	reading->rc =
	    wf_case_item(instance, reading->place->item, &item, &reading->err);
	if (reading->rc == WF_OK)
		convert_for_task(reading, item.task);
}

/* False: the handler has to run in the pool. */
static bool convert_json(struct wf_rest *rest, struct reading *reading)
{
	struct wf_engine *engine = rest->server->engine;
	const struct wf_data_place *place = reading->place;

	reading->rc = wf_engine_look_spec(engine, rest->account.namespace_id,
	    place->specification, !rest->in_pool, read_with_spec, reading,
	    &reading->err);
	if (reading->rc == WF_UNAVAILABLE && !rest->in_pool)
		return false;
	if (!reading->ambiguous)
		return true;
	if (!rest->in_pool)
		return false;
	reading->rc = wf_engine_look(
	    engine, place->number, read_with_case, reading, &reading->err);
	return true;
}

static bool read_json(struct wf_rest *rest, struct reading *reading,
    const char **xml_out, size_t *length_out)
{
	bool done;

	wf_buffer_init(&reading->xml, XML_MAXIMUM);
	done = convert_json(rest, reading);
	if (!done)
		wf_rest_go_to_pool(rest);
	else if (reading->err.rc != WF_OK)
		wf_rest_fail(rest, &reading->err);
	done = done && reading->err.rc == WF_OK;
	if (done) {
		*xml_out = wf_arena_strndup(rest->arena,
		    wf_buffer_text(&reading->xml), reading->xml.length);
		*length_out = reading->xml.length;
	}
	wf_buffer_free(&reading->xml);
	return done;
}

bool wf_rest_read_data(struct wf_rest *rest, const struct wf_data_place *place,
    json_t *json, const char **xml_out, size_t *length_out)
{
	struct reading reading = { .place = place, .json = json };
	json_t *body = NULL;
	bool good;

	*xml_out = NULL;
	*length_out = 0;
	if (json == NULL && wf_rest_sends_xml(rest)) {
		*xml_out = wf_exchange_body(rest->exchange, length_out);
		return true;
	}
	if (json == NULL) {
		if (!wf_rest_body(rest, &body))
			return false;
		/* Output that is not there is strictly none. */
		if (body == NULL && place->of != WF_DATA_OUTPUT)
			return true;
		reading.json = body == NULL ? json_object() : body;
		body = reading.json;
	}
	good = read_json(rest, &reading, xml_out, length_out);
	json_decref(body);
	return good;
}

/* --- to JSON -------------------------------------------------------------- */

json_t *wf_rest_values(const struct wf_variable *variables, size_t count,
    struct wf_value *const *values)
{
	json_t *object = json_object();

	for (size_t i = 0; i < count; i++)
		if (values[i] != NULL)
			json_object_set_new(object, variables[i].name,
			    wf_json_of_value(variables[i].type, values[i]));
	return object;
}

json_t *wf_rest_net_data(
    const struct wf_net *net, const char *xml, size_t length)
{
	json_t *object = json_object();
	struct wf_value_list list;

	if (wf_value_list_parse(&list, xml, length, NULL) != WF_OK)
		return object;
	for (size_t i = 0; i < list.count; i++)
		for (uint32_t k = 0; k < net->variable_count; k++)
			if (wf_value_is_named(
				list.values[i], net->variables[k].name))
				json_object_set_new(object,
				    net->variables[k].name,
				    wf_json_of_value(net->variables[k].type,
					list.values[i]));
	wf_value_list_free(&list);
	return object;
}

json_t *wf_rest_xml_values(const struct wf_variable *variables, size_t count,
    const char *xml, size_t length)
{
	json_t *object = json_object();
	struct wf_value_list list;

	if (wf_value_list_parse(&list, xml, length, NULL) != WF_OK)
		return object;
	for (size_t i = 0; i < list.count; i++)
		for (size_t k = 0; k < count; k++)
			if (wf_value_is_named(
				list.values[i], variables[k].name))
				json_object_set_new(object, variables[k].name,
				    wf_json_of_value(
					variables[k].type, list.values[i]));
	wf_value_list_free(&list);
	return object;
}
