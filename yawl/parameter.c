/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/parameter.h"

#include <stdlib.h>
#include <string.h>

#include "data/xml_writer.h"

/* --- order ---------------------------------------------------------------- */

/* The slot of a name in a hash table of Java with that many slots. */
static uint32_t place_of(const char *name, uint32_t places)
{
	uint32_t hash = 0;

	/* Of characters; those beyond ASCII only change the order. */
	while (*name != '\0')
		hash = hash * 31 + (unsigned char)*name++;
	return (hash ^ hash >> 16) & (places - 1);
}

void wf_yawl_order(const char *const *names, size_t count, size_t *order_out,
    struct wf_arena *arena)
{
	uint32_t *places = wf_arena_array(arena, count, sizeof(*places));
	uint32_t size = 16;

	while (count > size / 4 * 3)
		size *= 2;
	for (size_t i = 0; i < count; i++) {
		size_t at = i;

		places[i] = place_of(names[i], size);
		while (at > 0 && places[order_out[at - 1]] > places[i]) {
			order_out[at] = order_out[at - 1];
			at--;
		}
		order_out[at] = i;
	}
}

/* --- parameters ----------------------------------------------------------- */

void wf_yawl_put_log(struct wf_buffer *xml, const struct wf_log_predicate *log)
{
	if (log->start.text == NULL && log->completion.text == NULL)
		return;
	wf_buffer_puts(xml, "<logPredicate>");
	wf_xml_put_optional(xml, "start", log->start.text);
	wf_xml_put_optional(xml, "completion", log->completion.text);
	wf_buffer_puts(xml, "</logPredicate>");
}

const char *wf_yawl_minor(const char *version)
{
	return strchr(version, '.') == NULL ? ".0" : "";
}

void wf_yawl_put_version(
    struct wf_buffer *xml, const char *name, const char *version)
{
	wf_buffer_printf(xml, "<%s>", name);
	wf_xml_put_text(xml, version);
	wf_buffer_printf(xml, "%s</%s>", wf_yawl_minor(version), name);
}

void wf_yawl_put_attributes(
    struct wf_buffer *xml, const struct wf_attribute *attributes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wf_xml_put_attribute(
		    xml, attributes[i].name, attributes[i].value);
}

static void put_type(struct wf_buffer *xml, const struct wf_variable *parameter)
{
	if (parameter->by_element) {
		wf_xml_put_element(xml, "element", parameter->type_name);
		return;
	}
	wf_xml_put_element(xml, "name", parameter->name);
	if (parameter->type_name == NULL) {
		wf_buffer_puts(xml, "<isUntyped/>");
		return;
	}
	wf_xml_put_element(xml, "type", parameter->type_name);
	wf_xml_put_optional(xml, "namespace", parameter->type_namespace);
}

static void put_parameter(
    struct wf_buffer *xml, const struct wf_variable *parameter, size_t ordering)
{
	const char *name =
	    parameter->usage == WF_OUTPUT ? "outputParam" : "inputParam";

	wf_buffer_printf(xml, "<%s", name);
	wf_yawl_put_attributes(
	    xml, parameter->attributes, parameter->attribute_count);
	wf_buffer_putc(xml, '>');
	if (parameter->index >= 0)
		wf_xml_put_number(xml, "index", parameter->index);
	wf_xml_put_number(xml, "ordering", (int64_t)ordering);
	wf_xml_put_optional(xml, "documentation", parameter->documentation);
	put_type(xml, parameter);
	wf_xml_put_optional(xml, "defaultValue", parameter->default_text);
	wf_yawl_put_log(xml, &parameter->log);
	if (parameter->mandatory)
		wf_buffer_puts(xml, "<mandatory/>");
	if (parameter->cut_through)
		wf_buffer_puts(xml, "<bypassesStatespaceForDecomposition/>");
	wf_buffer_printf(xml, "</%s>", name);
}

/* An inputParam or outputParam element for each, in short. */
static void put_parameters(struct wf_buffer *xml,
    const struct wf_variable *parameters, size_t count, struct wf_arena *arena)
{
	const char **names = wf_arena_array(arena, count, sizeof(*names));
	size_t *order = wf_arena_array(arena, count, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		names[i] = parameters[i].name;
	wf_yawl_order(names, count, order, arena);
	for (size_t i = 0; i < count; i++)
		put_parameter(xml, &parameters[order[i]], order[i]);
}

/* As the resource service lists a parameter. */
static void put_listed(
    struct wf_buffer *xml, const struct wf_variable *parameter, size_t ordering)
{
	const char *name =
	    parameter->usage == WF_OUTPUT ? "outputParam" : "inputParam";

	wf_buffer_printf(xml, "<%s>", name);
	wf_xml_put_element(xml, "name", parameter->name);
	wf_xml_put_number(xml, "ordering", (int64_t)ordering);
	wf_xml_put_optional(xml, "type", parameter->type_name);
	wf_xml_put_optional(xml, "namespace", parameter->type_namespace);
	wf_xml_put_optional(xml, "defaultValue", parameter->default_text);
	wf_buffer_printf(xml, "</%s>", name);
}

void wf_yawl_put_output_only(
    struct wf_buffer *xml, const struct wf_decomposition *work)
{
	for (size_t i = 0; i < work->output_count; i++)
		if (wf_map_get(work->input_numbers, work->outputs[i].name) ==
		    NULL)
			put_listed(xml, &work->outputs[i], i);
}

/* --- specifications ------------------------------------------------------- */

static void put_authors(
    struct wf_buffer *xml, const struct wf_metadata *metadata)
{
	wf_buffer_puts(xml, "<authors>");
	for (size_t i = 0; i < metadata->creator_count; i++)
		wf_xml_put_element(xml, "author", metadata->creators[i]);
	wf_buffer_puts(xml, "</authors>");
}

/* A specification without the element takes it from its metadata. */
static void put_either(struct wf_buffer *xml, const char *name, const char *own,
    const char *metadata)
{
	wf_xml_put_optional(xml, name, own != NULL ? own : metadata);
}

/* The part behind its ids and parameters. */
static void put_about(struct wf_buffer *xml, const struct wf_spec *spec)
{
	const struct wf_decomposition *root = spec->root->decomposition;

	wf_xml_put_element(xml, "rootNetID", root->id);
	wf_xml_put_element(
	    xml, "version", wf_schema_version_name(spec->file->version));
	wf_yawl_put_version(xml, "specversion", spec->metadata.version);
	wf_xml_put_element(xml, "status", "loaded");
	wf_xml_put_element(xml, "metaTitle", spec->metadata.title);
	put_authors(xml, &spec->metadata);
	wf_xml_put_optional(
	    xml, "externalDataGateway", root->external_data_gateway);
}

void wf_yawl_put_listed_specification(
    struct wf_buffer *xml, const struct wf_spec *spec)
{
	const struct wf_decomposition *root = spec->root->decomposition;

	wf_buffer_puts(xml, "<specificationData>");
	wf_xml_put_optional(xml, "id", spec->metadata.identifier);
	wf_xml_put_element(xml, "uri", spec->uri);
	put_either(xml, "name", spec->name, spec->metadata.title);
	put_either(xml, "documentation", spec->documentation,
	    spec->metadata.description);
	if (root->input_count > 0) {
		wf_buffer_puts(xml, "<params>");
		for (size_t i = 0; i < root->input_count; i++)
			put_listed(xml, &root->inputs[i], i);
		wf_buffer_puts(xml, "</params>");
	}
	put_about(xml, spec);
	wf_buffer_puts(xml, "</specificationData>");
}

void wf_yawl_put_specification(
    struct wf_buffer *xml, const struct wf_spec *spec, struct wf_arena *arena)
{
	const struct wf_decomposition *root = spec->root->decomposition;

	wf_buffer_puts(xml, "<specificationData>");
	wf_xml_put_element(xml, "uri", spec->uri);
	wf_xml_put_optional(xml, "id", spec->metadata.identifier);
	put_either(xml, "name", spec->name, spec->metadata.title);
	put_either(xml, "documentation", spec->documentation,
	    spec->metadata.description);
	if (root->input_count > 0) {
		wf_buffer_puts(xml, "<params>");
		put_parameters(xml, root->inputs, root->input_count, arena);
		wf_buffer_puts(xml, "</params>");
	}
	put_about(xml, spec);
	wf_buffer_puts(xml, "</specificationData>");
}

/* --- tasks ---------------------------------------------------------------- */

void wf_yawl_put_task_parameters(
    struct wf_buffer *xml, const struct wf_task *task, struct wf_arena *arena)
{
	const struct wf_decomposition *work = task->decomposition;

	wf_buffer_puts(xml, "<params>");
	if (task->multi != NULL)
		wf_xml_put_optional(
		    xml, "formalInputParam", task->multi->input_name);
	put_parameters(xml, work->inputs, work->input_count, arena);
	put_parameters(xml, work->outputs, work->output_count, arena);
	wf_buffer_puts(xml, "</params>");
}

static void put_decomposition(
    struct wf_buffer *xml, const struct wf_decomposition *work)
{
	wf_xml_put_element(xml, "decompositionID", work->id);
	if (work->attribute_count == 0) {
		wf_buffer_puts(xml, "<attributes/>");
	} else {
		wf_buffer_puts(xml, "<attributes>");
		for (size_t i = 0; i < work->attribute_count; i++)
			wf_xml_put_element(xml, work->attributes[i].name,
			    work->attributes[i].value);
		wf_buffer_puts(xml, "</attributes>");
	}
	if (work->service_uri == NULL)
		return;
	wf_buffer_puts(xml, "<yawlService>");
	wf_xml_put_element(xml, "id", work->service_uri);
	wf_buffer_puts(xml, "</yawlService>");
}

void wf_yawl_put_task(
    struct wf_buffer *xml, const struct wf_task *task, struct wf_arena *arena)
{
	const struct wf_spec *spec = task->net->spec;
	const struct wf_decomposition *work = task->decomposition;
	const char *name = task->name;

	if (name == NULL && work != NULL)
		name = work->id;
	wf_buffer_puts(xml, "<taskInfo><specification>");
	wf_xml_put_element(xml, "id", spec->metadata.identifier);
	wf_yawl_put_version(xml, "version", spec->metadata.version);
	wf_xml_put_element(xml, "uri", spec->uri);
	wf_buffer_puts(xml, "</specification>");
	wf_xml_put_element(xml, "taskID", task->id);
	wf_xml_put_element(xml, "taskName", name);
	wf_xml_put_optional(xml, "taskDocumentation", task->documentation);
	if (work != NULL) {
		put_decomposition(xml, work);
		wf_yawl_put_task_parameters(xml, task, arena);
	}
	wf_xml_put_element(xml, "customform", task->custom_form);
	wf_buffer_puts(xml, "</taskInfo>");
}

static void put_bound(
    struct wf_buffer *xml, const char *name, const struct wf_bound *bound)
{
	wf_xml_put_element(xml, name, bound->text);
}

static void put_query(
    struct wf_buffer *xml, const char *name, const struct wf_expression *query)
{
	wf_buffer_printf(xml, "<%s", name);
	wf_xml_put_attribute(xml, "query", query->text);
	wf_buffer_puts(xml, "/>");
}

void wf_yawl_put_multi_instance(
    struct wf_buffer *xml, const struct wf_task *task)
{
	const struct wf_multi_instance *multi = task->multi;

	put_bound(xml, "minimum", &multi->minimum);
	put_bound(xml, "maximum", &multi->maximum);
	put_bound(xml, "threshold", &multi->threshold);
	wf_buffer_printf(xml, "<creationMode code=\"%s\"/>",
	    multi->is_dynamic ? "dynamic" : "static");
	if (multi->has_input) {
		wf_buffer_puts(xml, "<miDataInput>");
		put_query(xml, "expression", &multi->input);
		put_query(xml, "splittingExpression", &multi->splitter);
		wf_xml_put_element(xml, "formalInputParam", multi->input_name);
		wf_buffer_puts(xml, "</miDataInput>");
	}
	if (!multi->has_output)
		return;
	wf_buffer_puts(xml, "<miDataOutput>");
	put_query(xml, "formalOutputExpression", &multi->formal_output);
	put_query(xml, "outputJoiningExpression", &multi->joiner);
	wf_xml_put_element(
	    xml, "resultAppliedToLocalVariable", multi->result_name);
	wf_buffer_puts(xml, "</miDataOutput>");
}
