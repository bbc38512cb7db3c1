/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing specifications back: the file, metadata, decompositions, variables.
 *
 * The order of elements is that of spec/content.def.
 */
#include "spec/writer.h"

#include <stdio.h>
#include <string.h>

#include "spec/content.h"

/* --- Elements --- */

static void indent(struct wf_spec_writer *writer)
{
	for (unsigned i = 0; i < writer->level; i++)
		wf_buffer_puts(writer->text, "  ");
}

void wf_writer_open(struct wf_spec_writer *writer, const char *name)
{
	indent(writer);
	wf_buffer_printf(writer->text, "<%s", name);
}

void wf_writer_attribute(
    struct wf_spec_writer *writer, const char *name, const char *value)
{
	if (value == NULL)
		return;
	wf_buffer_printf(writer->text, " %s=\"", name);
	wf_buffer_escape(writer->text, value, strlen(value), true);
	wf_buffer_putc(writer->text, '"');
}

void wf_writer_attributes(struct wf_spec_writer *writer,
    const struct wf_attribute *attributes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wf_writer_attribute(
		    writer, attributes[i].name, attributes[i].value);
}

void wf_writer_body(struct wf_spec_writer *writer)
{
	wf_buffer_puts(writer->text, ">\n");
	writer->level++;
}

void wf_writer_end(struct wf_spec_writer *writer, const char *name)
{
	writer->level--;
	indent(writer);
	wf_buffer_printf(writer->text, "</%s>\n", name);
}

/* Ends an element that has no body with "/>". */
static void close_element(struct wf_spec_writer *writer)
{
	wf_buffer_puts(writer->text, "/>\n");
}

void wf_writer_text(
    struct wf_spec_writer *writer, const char *name, const char *text)
{
	if (text == NULL)
		return;
	wf_writer_open(writer, name);
	if (text[0] == '\0') {
		close_element(writer);
		return;
	}
	wf_buffer_putc(writer->text, '>');
	wf_buffer_escape(writer->text, text, strlen(text), false);
	wf_buffer_printf(writer->text, "</%s>\n", name);
}

void wf_writer_empty(struct wf_spec_writer *writer, const char *name,
    const char *attribute, const char *value)
{
	if (value == NULL)
		return;
	wf_writer_open(writer, name);
	wf_writer_attribute(writer, attribute, value);
	close_element(writer);
}

void wf_writer_flag(struct wf_spec_writer *writer, const char *name, bool is_so)
{
	if (!is_so)
		return;
	wf_writer_open(writer, name);
	close_element(writer);
}

void wf_writer_markup(
    struct wf_spec_writer *writer, const struct wf_markup *markup)
{
	if (markup == NULL)
		return;
	wf_markup_write(
	    markup, (int)writer->level, writer->known, writer->text);
	wf_buffer_putc(writer->text, '\n');
}

/* --- Metadata --- */

static void write_texts(struct wf_spec_writer *writer, const char *name,
    const char *const *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wf_writer_text(writer, name, texts[i]);
}

static void write_metadata(
    struct wf_spec_writer *writer, const struct wf_metadata *metadata)
{
	if (writer->version <= WF_BETA_4) {
		wf_writer_markup(writer, metadata->others);
		return;
	}
	wf_writer_open(writer, "metaData");
	wf_writer_body(writer);
	wf_writer_text(writer, "title", metadata->title);
	write_texts(
	    writer, "creator", metadata->creators, metadata->creator_count);
	write_texts(
	    writer, "subject", metadata->subjects, metadata->subject_count);
	wf_writer_text(writer, "description", metadata->description);
	write_texts(writer, "contributor", metadata->contributors,
	    metadata->contributor_count);
	wf_writer_text(writer, "coverage", metadata->coverage);
	wf_writer_text(writer, "validFrom", metadata->valid_from);
	wf_writer_text(writer, "validUntil", metadata->valid_until);
	wf_writer_text(writer, "created", metadata->created);
	wf_writer_text(writer, "version", metadata->version);
	wf_writer_text(writer, "status", metadata->status);
	wf_writer_text(writer, "persistent", metadata->persistent);
	wf_writer_text(writer, "identifier", metadata->identifier);
	wf_writer_end(writer, "metaData");
}

/* --- Variables --- */

static void write_log(
    struct wf_spec_writer *writer, const struct wf_log_predicate *log)
{
	if (log->start.text == NULL && log->completion.text == NULL)
		return;
	wf_writer_open(writer, "logPredicate");
	wf_writer_body(writer);
	wf_writer_text(writer, "start", log->start.text);
	wf_writer_text(writer, "completion", log->completion.text);
	wf_writer_end(writer, "logPredicate");
}

/* Beta 2: the type has a prefix, which is declared at the same element. */
static void write_prefixed_type(
    struct wf_spec_writer *writer, const struct wf_variable *variable)
{
	const char *text = variable->type_text;
	const char *colon = text == NULL ? NULL : strchr(text, ':');

	if (text == NULL)
		return;
	wf_writer_open(writer, "type");
	if (colon != NULL && variable->type_namespace != NULL) {
		wf_buffer_printf(
		    writer->text, " xmlns:%.*s=\"", (int)(colon - text), text);
		wf_buffer_escape(writer->text, variable->type_namespace,
		    strlen(variable->type_namespace), true);
		wf_buffer_putc(writer->text, '"');
	}
	wf_buffer_putc(writer->text, '>');
	wf_buffer_escape(writer->text, text, strlen(text), false);
	wf_buffer_puts(writer->text, "</type>\n");
}

static void write_type(
    struct wf_spec_writer *writer, const struct wf_variable *variable)
{
	if (variable->by_element) {
		wf_writer_text(writer, "element", variable->type_name);
		return;
	}
	wf_writer_text(writer, "name", variable->name);
	wf_writer_flag(writer, "isUntyped", variable->type_text == NULL);
	wf_writer_text(writer, "type", variable->type_text);
	wf_writer_text(writer, "namespace", variable->type_namespace);
}

static void write_variable(struct wf_spec_writer *writer, const char *name,
    const struct wf_variable *variable)
{
	char index[16];

	wf_writer_open(writer, name);
	if (writer->version == WF_BETA_2)
		wf_writer_attribute(writer, "name", variable->name);
	wf_writer_attributes(
	    writer, variable->attributes, variable->attribute_count);
	wf_writer_body(writer);
	if (writer->version == WF_BETA_2) {
		write_prefixed_type(writer, variable);
	} else {
		snprintf(index, sizeof(index), "%d", variable->index);
		if (writer->version >= WF_YAWL_2_1)
			wf_writer_text(writer, "index", index);
		wf_writer_text(
		    writer, "documentation", variable->documentation);
		write_type(writer, variable);
	}
	wf_writer_text(writer, "initialValue", variable->initial_text);
	wf_writer_text(writer, "defaultValue", variable->default_text);
	wf_writer_flag(writer, "mandatory", variable->mandatory);
	wf_writer_flag(writer, "isCutThroughParam", variable->cut_through);
	write_log(writer, &variable->log);
	wf_writer_end(writer, name);
}

static void write_variables(struct wf_spec_writer *writer, const char *name,
    const struct wf_variable *variables, size_t count)
{
	for (size_t i = 0; i < count; i++)
		write_variable(writer, name, &variables[i]);
}

/* --- Decompositions --- */

static void write_gateway(
    struct wf_spec_writer *writer, const struct wf_decomposition *decomposition)
{
	write_variables(writer, "enablementParam", decomposition->enablements,
	    decomposition->enablement_count);
	wf_writer_markup(writer, decomposition->service);
	wf_writer_text(writer, "codelet", decomposition->codelet);
	if (decomposition->has_interaction)
		wf_writer_text(writer, "externalInteraction",
		    decomposition->is_automated ? "automated" : "manual");
}

static void write_decomposition(struct wf_spec_writer *writer,
    const struct wf_spec *spec, const struct wf_decomposition *decomposition)
{
	bool is_root =
	    decomposition->net != NULL && decomposition->net == spec->root;
	bool is_old = is_root && writer->version == WF_BETA_2;
	const char *name = is_old ? "rootNet" : "decomposition";

	wf_writer_open(writer, name);
	wf_writer_attribute(writer, "id", decomposition->id);
	if (is_root && !is_old)
		wf_writer_attribute(writer, "isRootNet", "true");
	if (!is_old)
		wf_writer_attribute(writer, "xsi:type",
		    decomposition->net == NULL ? "WebServiceGatewayFactsType"
					       : "NetFactsType");
	wf_writer_attributes(
	    writer, decomposition->attributes, decomposition->attribute_count);
	wf_writer_attributes(writer, decomposition->own_attributes,
	    decomposition->own_attribute_count);
	wf_writer_body(writer);
	wf_writer_text(writer, "name", decomposition->name);
	wf_writer_text(writer, "documentation", decomposition->documentation);
	write_variables(writer, "inputParam", decomposition->inputs,
	    decomposition->input_count);
	for (size_t i = 0; i < decomposition->output_expression_count; i++)
		wf_writer_empty(writer, "outputExpression", "query",
		    decomposition->output_expressions[i]);
	write_variables(writer, "outputParam", decomposition->outputs,
	    decomposition->output_count);
	write_log(writer, &decomposition->log);
	if (decomposition->net == NULL) {
		write_gateway(writer, decomposition);
	} else {
		write_variables(writer, "localVariable",
		    decomposition->net->locals,
		    decomposition->net->local_count);
		wf_writer_net(writer, decomposition->net);
		wf_writer_text(writer, "externalDataGateway",
		    decomposition->external_data_gateway);
	}
	wf_writer_end(writer, name);
}

/* --- The file --- */

static void write_specification(
    struct wf_spec_writer *writer, const struct wf_spec *spec)
{
	wf_writer_open(writer, "specification");
	wf_writer_attribute(writer, "uri", spec->uri);
	wf_writer_body(writer);
	wf_writer_text(writer, "name", spec->name);
	wf_writer_text(writer, "documentation", spec->documentation);
	write_metadata(writer, &spec->metadata);
	wf_writer_markup(writer, spec->schema);
	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		write_decomposition(writer, spec, &spec->decompositions[i]);
	write_texts(writer, "importedNet", spec->imported_nets,
	    spec->imported_net_count);
	wf_writer_end(writer, "specification");
}

/* The namespaces that the root element declares. */
static struct wf_markup_namespace *root_namespaces(
    const struct wf_spec_file *file, const char *space)
{
	struct wf_markup_namespace *list =
	    wf_calloc(file->namespace_count + 3, sizeof(*list));
	size_t count = 0;

	list[count].prefix = "";
	list[count++].uri = space;
	list[count].prefix = "xsi";
	list[count++].uri = WF_XSI;
	for (size_t i = 0; i < file->namespace_count; i++)
		if (strcmp(file->namespaces[i].prefix, "xsi") != 0)
			list[count++] = file->namespaces[i];
	return list;
}

void wf_spec_write(const struct wf_spec_file *file, struct wf_buffer *text)
{
	struct wf_markup_namespace *known =
	    root_namespaces(file, wf_schema_version_space(file->version));
	struct wf_spec_writer writer = {
		.text = text,
		.version = file->version,
		.known = known,
	};

	wf_buffer_puts(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	wf_writer_open(&writer, "specificationSet");
	for (const struct wf_markup_namespace *n = known; n->prefix != NULL;
	     n++) {
		wf_buffer_printf(text,
		    n->prefix[0] == '\0' ? " xmlns%s=\"" : " xmlns:%s=\"",
		    n->prefix);
		wf_buffer_escape(text, n->uri, strlen(n->uri), true);
		wf_buffer_putc(text, '"');
	}
	if (file->version != WF_BETA_2)
		wf_writer_attribute(
		    &writer, "version", wf_schema_version_name(file->version));
	wf_writer_body(&writer);
	for (uint32_t i = 0; i < file->spec_count; i++)
		write_specification(&writer, file->specs[i]);
	wf_writer_markup(&writer, file->layout);
	wf_writer_end(&writer, "specificationSet");
	wf_free(known);
}
