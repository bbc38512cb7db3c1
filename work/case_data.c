/* SPDX-License-Identifier: Apache-2.0 */
#include "work/case_data.h"

#include <string.h>

#include "base/panic.h"
#include "data/json.h"
#include "data/json_fields.h"
#include "kernel/view.h"
#include "work/task_policy.h"

#define NAMES_MAXIMUM_BYTES 256U
#define DOCUMENTATION_MAXIMUM_BYTES ((size_t)16 << 20)

/* --- from JSON ------------------------------------------------------------ */

/* The elements that the data may have. */
struct expected {
	const char *root;
	const struct wf_variable *parameters;
	size_t count;
	const struct wf_net *net; /* its variables, when parameters is NULL */
	const char *only;	  /* INSTANCE: this parameter, without root */
};

struct conversion {
	const struct wf_data_place *place;
	int64_t now;
	json_t *json;	       /* NULL: the data is XML already */
	struct wf_buffer *xml; /* made of json */
	const char *given;     /* without json: the XML */
	size_t given_length;
	struct wf_error *err;
	enum wf_rc rc; /* what the callbacks return */
	/* Several tasks have the item's task id: its case says which one. */
	bool is_ambiguous;
};

static const struct wf_type *type_of(
    const struct expected *expected, const char *name)
{
	const struct wf_net *net = expected->net;

	for (size_t i = 0; expected->parameters != NULL && i < expected->count;
	     i++)
		if (strcmp(expected->parameters[i].name, name) == 0)
			return expected->parameters[i].type;
	for (uint32_t i = 0; net != NULL && i < net->variable_count; i++)
		if (strcmp(net->variables[i].name, name) == 0)
			return net->variables[i].type;
	return NULL;
}

/* The sentence lists the names that are expected instead. */
static enum wf_rc fail_with_name(struct conversion *conversion,
    const struct expected *expected, const char *name)
{
	const struct wf_net *net = expected->net;
	struct wf_buffer names;
	enum wf_rc rc;

	wf_buffer_init(&names, NAMES_MAXIMUM_BYTES);
	for (size_t i = 0; expected->parameters != NULL && i < expected->count;
	     i++)
		wf_buffer_printf(&names, " %s", expected->parameters[i].name);
	for (uint32_t i = 0; net != NULL && i < net->variable_count; i++)
		wf_buffer_printf(&names, " %s", net->variables[i].name);
	rc = wf_fail(conversion->err, WF_DATA,
	    "%.100s: there is no such %s; there is%s%s", name,
	    net != NULL ? "variable" : "parameter",
	    names.length == 0 ? " none" : wf_buffer_text(&names),
	    names.full ? " .." : "");
	wf_buffer_free(&names);
	return rc;
}

static enum wf_rc put_members(
    struct conversion *conversion, const struct expected *expected)
{
	const char *name;
	json_t *member;
	enum wf_rc rc = WF_OK;

	json_object_foreach(conversion->json, name, member)
	{
		const struct wf_type *type = type_of(expected, name);

		if (type == NULL)
			return fail_with_name(conversion, expected, name);
		rc = wf_json_put_xml(
		    type, name, member, conversion->xml, conversion->err);
		if (rc != WF_OK)
			return rc;
	}
	return rc;
}

/* An instance is made of one element, which is a member of the object. */
static enum wf_rc put_instance(
    struct conversion *conversion, const struct expected *expected)
{
	const char *name = expected->only;
	json_t *member = json_object_get(conversion->json, name);

	if (member == NULL)
		return wf_fail(conversion->err, WF_DATA,
		    "%.100s: expected this member, which the instance is made "
		    "of",
		    name);
	return wf_json_put_xml(type_of(expected, name), name, member,
	    conversion->xml, conversion->err);
}

static enum wf_rc convert(
    struct conversion *conversion, const struct expected *expected)
{
	enum wf_rc rc;

	if (expected->only != NULL)
		return put_instance(conversion, expected);
	wf_buffer_printf(conversion->xml, "<%s>", expected->root);
	rc = put_members(conversion, expected);
	wf_buffer_printf(conversion->xml, "</%s>", expected->root);
	if (rc == WF_OK && conversion->xml->full)
		rc =
		    wf_fail(conversion->err, WF_LIMIT, "the data is too large");
	return rc;
}

static enum wf_rc judge(
    struct conversion *conversion, const struct wf_decomposition *decomposition)
{
	bool is_given = conversion->json == NULL;

	return wf_hand_over_accept(decomposition->hand_over,
	    is_given ? conversion->given : wf_buffer_text(conversion->xml),
	    is_given ? conversion->given_length : conversion->xml->length,
	    conversion->now, conversion->err);
}

static enum wf_rc convert_for_task(
    struct conversion *conversion, const struct wf_task *task)
{
	const struct wf_decomposition *decomposition = task->decomposition;
	struct expected expected = { .root = decomposition->root_name,
		.parameters = decomposition->outputs,
		.count = decomposition->output_count };
	enum wf_rc rc = WF_OK;

	if (conversion->place->of != WF_DATA_OUTPUT) {
		expected.parameters = decomposition->inputs;
		expected.count = decomposition->input_count;
	}
	if (conversion->place->of == WF_DATA_INSTANCE) {
		if (task->multi == NULL || task->multi->input_name == NULL)
			return wf_fail(conversion->err, WF_CONFLICT,
			    "task %s does not allow instances to be added",
			    task->id);
		expected.only = task->multi->input_name;
	}
	if (conversion->json != NULL)
		rc = convert(conversion, &expected);
	if (rc == WF_OK && conversion->place->is_judged)
		rc = judge(conversion, decomposition);
	return rc;
}

/* The task of that id; ambiguous when several have other decompositions. */
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

static enum wf_rc convert_for_case(
    struct conversion *conversion, const struct wf_net *root)
{
	struct expected expected = { .root = root->root_name };

	if (conversion->place->of == WF_DATA_LAUNCH) {
		expected.parameters = root->decomposition->inputs;
		expected.count = root->decomposition->input_count;
	} else {
		expected.net = root;
	}
	return convert(conversion, &expected);
}

static enum wf_rc convert_with_spec(
    struct conversion *conversion, const struct wf_spec *spec)
{
	const char *item = conversion->place->item;
	const struct wf_task *task;

	if (item == NULL)
		return convert_for_case(conversion, spec->root);
	task =
	    find_task(spec, strchr(item, ':') + 1, &conversion->is_ambiguous);
	if (conversion->is_ambiguous)
		return WF_OK;
	if (task == NULL)
		return wf_fail(conversion->err, WF_NOT_FOUND,
		    "there is no work item '%.200s'", item);
	return convert_for_task(conversion, task);
}

static void read_spec(void *context, const struct wf_spec *spec)
{
	struct conversion *conversion = context;

	conversion->rc = convert_with_spec(conversion, spec);
}

static void read_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct conversion *conversion = context;
	struct wf_item item;

	(void)stored;
	conversion->rc = wf_case_item(
	    instance, conversion->place->item, &item, conversion->err);
	if (conversion->rc == WF_OK)
		conversion->rc = convert_for_task(conversion, item.task);
}

/* --- an item that is not there -------------------------------------------- */

struct search {
	const char *item;
	struct wf_error *err;
	enum wf_rc rc;
};

static void find_item(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	enum wf_case_status status = wf_case_status(instance);
	struct search *search = context;
	struct wf_item item;

	(void)stored;
	search->rc = wf_case_item(instance, search->item, &item, search->err);
	if (search->rc != WF_NOT_FOUND || status == WF_CASE_RUNNING ||
	    status == WF_CASE_SUSPENDED)
		return;
	wf_error_clear(search->err);
	search->rc = wf_fail(search->err, WF_NOT_FOUND,
	    "case '%.64s' has ended", wf_case_id(instance));
}

/*
 * The output of an item does not fit.  That says nothing to a caller whose item
 * is not there any more: WF_NOT_FOUND then.
 */
static enum wf_rc refuse_output(
    const struct conversion *conversion, struct wf_engine *engine, bool cached)
{
	struct wf_error missing = { .rc = WF_OK };
	struct search search = { conversion->place->item, &missing, WF_OK };

	if (cached) {
		wf_error_clear(conversion->err);
		return wf_fail(
		    conversion->err, WF_UNAVAILABLE, "the case is not read");
	}
	if (wf_engine_inspect(engine, conversion->place->number, find_item,
		&search, &missing) != WF_OK ||
	    search.rc != WF_NOT_FOUND)
		return conversion->rc;
	*conversion->err = missing;
	return search.rc;
}

static enum wf_rc run(struct conversion *conversion, struct wf_engine *engine,
    uint32_t namespace_id, bool cached)
{
	const struct wf_data_place *place = conversion->place;
	enum wf_rc rc;

	conversion->now = wf_engine_now(engine);
	rc = wf_engine_inspect_spec(engine, namespace_id, place->specification,
	    cached, read_spec, conversion, conversion->err);
	if (rc == WF_OK && conversion->is_ambiguous && cached)
		return wf_fail(
		    conversion->err, WF_UNAVAILABLE, "the case is not read");
	if (rc == WF_OK && conversion->is_ambiguous)
		rc = wf_engine_inspect(engine, place->number, read_case,
		    conversion, conversion->err);
	if (rc == WF_OK && conversion->rc == WF_DATA && place->is_judged)
		return refuse_output(conversion, engine, cached);
	return rc == WF_OK ? conversion->rc : rc;
}

enum wf_rc wf_data_to_xml(struct wf_engine *engine, uint32_t namespace_id,
    const struct wf_data_place *place, bool cached, json_t *json,
    struct wf_buffer *xml, struct wf_error *err)
{
	struct conversion conversion = {
		.place = place, .json = json, .xml = xml, .err = err
	};

	wf_assert(json_is_object(json));
	return run(&conversion, engine, namespace_id, cached);
}

enum wf_rc wf_data_net_xml(const struct wf_net *net, json_t *json,
    struct wf_buffer *xml, struct wf_error *err)
{
	struct conversion conversion = { .json = json, .xml = xml, .err = err };
	struct expected expected = { .root = net->root_name, .net = net };

	if (!json_is_object(json))
		return wf_fail(
		    err, WF_INVALID, "data: expected an object of variables");
	return convert(&conversion, &expected);
}

enum wf_rc wf_data_judge_xml(struct wf_engine *engine, uint32_t namespace_id,
    const struct wf_data_place *place, bool cached, const char *xml,
    size_t length, struct wf_error *err)
{
	struct conversion conversion = {
		.place = place, .given = xml, .given_length = length, .err = err
	};

	wf_assert(place->item != NULL && place->is_judged);
	return run(&conversion, engine, namespace_id, cached);
}

/* --- to JSON -------------------------------------------------------------- */

json_t *wf_data_net_values(
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

json_t *wf_data_values(const struct wf_variable *variables, size_t count,
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

void wf_data_put_documentation(json_t *object, const struct wf_engine *engine,
    const struct wf_case *instance, const char *item)
{
	uint64_t work = WF_INSPECTION_WORK;
	struct wf_buffer text;

	wf_buffer_init(&text, DOCUMENTATION_MAXIMUM_BYTES);
	if (wf_case_item_documentation(instance, item, wf_engine_now(engine),
		wf_engine_timezone(engine), &work, &text, NULL) == WF_OK &&
	    text.length > 0)
		wf_json_put_text(
		    object, "documentation", wf_buffer_text(&text));
	wf_buffer_free(&text);
}
