/* SPDX-License-Identifier: Apache-2.0 */
#include "rest/rest_data.h"

#include <string.h>

#include "data/json.h"
#include "kernel/view.h"
#include "server/context.h"
#include "work/task_policy.h"

#define XML_MAXIMUM ((size_t)256 << 20)
#define NAMES_MAXIMUM 256U

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
	json_t *json;	   /* NULL: it is XML already */
	const char *given; /* that XML */
	size_t given_length;
	int64_t now;
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

/* Says what there is instead. */
static enum wf_rc fail_with_name(
    struct reading *reading, const struct target *target, const char *name)
{
	const char *kind = target->net != NULL ? "variable" : "parameter";
	struct wf_buffer names;
	enum wf_rc rc;

	wf_buffer_init(&names, NAMES_MAXIMUM);
	for (size_t i = 0; target->parameters != NULL && i < target->count; i++)
		wf_buffer_printf(&names, " %s", target->parameters[i].name);
	for (uint32_t i = 0;
	     target->net != NULL && i < target->net->variable_count; i++)
		wf_buffer_printf(&names, " %s", target->net->variables[i].name);
	rc = wf_fail(&reading->err, WF_DATA,
	    "%.100s: there is no such %s; there is%s%s", name, kind,
	    names.length == 0 ? " none" : wf_buffer_text(&names),
	    names.full ? " .." : "");
	wf_buffer_free(&names);
	return rc;
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
			return fail_with_name(reading, target, name);
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

static void judge(
    struct reading *reading, const struct wf_decomposition *decomposition)
{
	bool is_given = reading->json == NULL;

	reading->rc = wf_hand_over_accept(decomposition->hand_over,
	    is_given ? reading->given : wf_buffer_text(&reading->xml),
	    is_given ? reading->given_length : reading->xml.length,
	    reading->now, &reading->err);
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
	if (reading->json != NULL)
		convert(reading, &target);
	if (reading->rc == WF_OK && reading->place->is_judged)
		judge(reading, decomposition);
}

/* The only task with that id that has a decomposition of its own. */
static const struct wf_task *find_task(
    const struct wf_spec *spec, const char *id, bool *ambiguous_out)
{
	const struct wf_task *found = NULL;
	const struct wf_task *task;
	uint32_t at = 0;

	*ambiguous_out = false;
	while ((task = wf_spec_next_task(spec, id, &at)) != NULL) {
		if (task->kind != WF_ATOMIC_TASK)
			continue;
		if (found != NULL &&
		    found->decomposition != task->decomposition)
			*ambiguous_out = true;
		found = task;
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

/* False: it is not all in memory. */
static bool convert_json(struct wf_engine *engine, uint32_t namespace_id,
    bool cached, struct reading *reading)
{
	const struct wf_data_place *place = reading->place;

	reading->rc =
	    wf_engine_inspect_spec(engine, namespace_id, place->specification,
		cached, read_with_spec, reading, &reading->err);
	if (reading->rc == WF_UNAVAILABLE && cached)
		return false;
	if (!reading->ambiguous)
		return true;
	if (cached)
		return false;
	reading->rc = wf_engine_inspect(
	    engine, place->number, read_with_case, reading, &reading->err);
	return true;
}

enum wf_rc wf_data_to_xml(struct wf_engine *engine, uint32_t namespace_id,
    const struct wf_data_place *place, json_t *json, struct wf_buffer *xml,
    struct wf_error *err)
{
	struct reading reading = { .place = place, .json = json, .xml = *xml };

	(void)convert_json(engine, namespace_id, false, &reading);
	*xml = reading.xml;
	return reading.err.rc == WF_OK
		   ? WF_OK
		   : wf_fail(err, reading.err.rc, "%s", reading.err.message);
}

/* False: answered, or on its way to the pool. */
static bool look_it_up(struct wf_rest *rest, struct reading *reading)
{
	struct wf_engine *engine = rest->server->engine;

	reading->now = wf_engine_now(engine);
	if (!convert_json(
		engine, rest->account.namespace_id, !rest->in_pool, reading)) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	if (reading->err.rc != WF_OK)
		wf_rest_fail(rest, &reading->err);
	return reading->err.rc == WF_OK;
}

static bool read_json(struct wf_rest *rest, struct reading *reading,
    const char **xml_out, size_t *length_out)
{
	bool done;

	wf_buffer_init(&reading->xml, XML_MAXIMUM);
	done = look_it_up(rest, reading);
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
		reading.given = *xml_out;
		reading.given_length = *length_out;
		return !place->is_judged || look_it_up(rest, &reading);
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

#define DOCUMENTATION_MAXIMUM ((size_t)16 << 20)

void wf_rest_put_documentation(json_t *object, const struct wf_engine *engine,
    const struct wf_case *instance, const char *item)
{
	struct wf_buffer text;

	wf_buffer_init(&text, DOCUMENTATION_MAXIMUM);
	if (wf_case_item_documentation(instance, item, wf_engine_now(engine),
		wf_engine_timezone(engine), &text, NULL) == WF_OK &&
	    text.length > 0)
		wf_rest_put_text(
		    object, "documentation", wf_buffer_text(&text));
	wf_buffer_free(&text);
}
