/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of all variables, their initial and default values, and the list
 * of the variables of each net.
 */
#include "spec/reader.h"

#include <string.h>

#include "base/panic.h"

/* --- Types --- */

static struct wf_types *new_types(struct wf_spec_reader *reader)
{
	struct wf_spec *spec = reader->spec;
	struct wf_types *types = NULL;
	struct wf_error err = { 0 };
	struct wf_buffer text;
	enum wf_rc rc;

	reader->types_failed = false;
	wf_buffer_init(&text, 2U * WF_SPEC_BYTES);
	if (spec->schema != NULL)
		wf_markup_write(spec->schema, 0, NULL, &text);
	rc = wf_types_new(&types,
	    spec->schema == NULL ? NULL : wf_buffer_text(&text), text.length,
	    &err);
	if (rc != WF_OK) {
		reader->types_failed = true;
		WF_SPEC_ERROR(
		    reader, spec->schema->line, "xs:schema", "%s", err.message);
		wf_error_clear(&err);
		/* The types of XML Schema need no declaration. */
		rc = wf_types_new(&types, NULL, 0, &err);
		wf_assert(rc == WF_OK);
	}
	wf_buffer_free(&text);
	return types;
}

static const struct wf_type *find_type(
    struct wf_types *types, const struct wf_variable *variable)
{
	bool is_builtin;

	if (variable->type_name == NULL)
		return wf_types_any(types);
	if (variable->by_element)
		return wf_types_find_element(types, variable->type_name);
	is_builtin = variable->type_namespace == NULL ||
		     strcmp(variable->type_namespace, WF_XSD) == 0;
	return wf_types_find(types, variable->type_name, is_builtin);
}

static void find_types(struct wf_spec_reader *reader, const char *label,
    struct wf_variable *variables, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct wf_variable *variable = &variables[i];

		variable->type = find_type(reader->spec->types, variable);
		if (variable->type != NULL)
			continue;
		variable->type = wf_types_any(reader->spec->types);
		if (reader->types_failed)
			continue;
		WF_SPEC_FAULT(reader, variable->line, label,
		    "the type %s of variable %s is not known%s",
		    variable->type_text != NULL ? variable->type_text
						: variable->type_name,
		    variable->name,
		    reader->is_beta
			? ": anything goes"
			: ": expected one of XML Schema's, one of YAWL's, or "
			  "one that the specification's xs:schema declares");
	}
}

/* --- Values --- */

static bool is_blank(const char *text)
{
	return text == NULL || text[strspn(text, " \t\r\n")] == '\0';
}

/* The content of a variable as written in the file, checked. */
static struct wf_value *make_value(struct wf_spec_reader *reader,
    const char *label, const struct wf_variable *variable, const char *what,
    const char *text)
{
	struct wf_value *value = NULL;
	struct wf_error err = { 0 };

	if (text == NULL || variable->name[0] == '\0')
		return NULL;
	if (is_blank(text))
		return wf_spec_own_value(
		    reader, wf_value_new_empty(variable->name));
	if (wf_value_parse_content(
		&value, variable->name, text, strlen(text), &err) != WF_OK) {
		WF_SPEC_FAULT(reader, variable->line, label,
		    "the %s value of %s is not well-formed: %s", what,
		    variable->name, err.message);
		value = wf_value_new_text(variable->name, text, strlen(text));
		if (value == NULL) {
			WF_SPEC_ERROR(reader, variable->line, label,
			    "the %s value of %s is larger than %u bytes", what,
			    variable->name, WF_VALUE_BYTES);
			return NULL;
		}
	} else if (wf_type_validate(variable->type, value, NULL, &err) !=
		   WF_OK) {
		WF_SPEC_FAULT(reader, variable->line, label,
		    "the %s value of %s does not fit its type: %s", what,
		    variable->name, err.message);
	}
	return wf_spec_own_value(reader, value);
}

static void make_values(struct wf_spec_reader *reader, const char *label,
    struct wf_variable *variables, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct wf_variable *variable = &variables[i];

		variable->initial = make_value(
		    reader, label, variable, "initial", variable->initial_text);
		variable->fallback = make_value(
		    reader, label, variable, "default", variable->default_text);
	}
}

static void each_list(struct wf_spec_reader *reader,
    void (*visit)(struct wf_spec_reader *reader, const char *label,
	struct wf_variable *variables, size_t count))
{
	struct wf_spec *spec = reader->spec;

	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		struct wf_decomposition *d = &spec->decompositions[i];
		const char *label = wf_spec_label_decomposition(reader, d);

		visit(reader, label, d->inputs, d->input_count);
		visit(reader, label, d->outputs, d->output_count);
		visit(reader, label, d->enablements, d->enablement_count);
		if (d->net != NULL)
			visit(
			    reader, label, d->net->locals, d->net->local_count);
	}
}

/* --- The variables of a net --- */

static void add_net_variable(struct wf_spec_reader *reader, struct wf_net *net,
    const struct wf_variable *declared)
{
	struct wf_net_variable *variable = &net->variables[net->variable_count];

	/* A duplicate name has been reported. */
	if (!wf_map_add(net->variable_numbers, declared->name,
		(void *)(uintptr_t)(net->variable_count + 1)))
		return;
	net->variable_count++;
	variable->name = declared->name;
	variable->type = declared->type;
	variable->initial = declared->initial;
	if (variable->initial == NULL)
		variable->initial = wf_spec_own_value(reader,
		    wf_value_new_empty(
			declared->name[0] == '\0' ? "_" : declared->name));
	variable->is_input = declared->usage == WF_INPUT;
	variable->is_output_only = declared->usage == WF_OUTPUT;
	variable->is_flag = wf_type_is_flag(declared->type);
	variable->is_optional = declared->optional;
	variable->is_mandatory = declared->mandatory;
	variable->declared = declared;
}

static void add_net_variables(struct wf_spec_reader *reader, struct wf_net *net)
{
	const struct wf_decomposition *d = net->decomposition;
	uint32_t *outputs =
	    wf_arena_array(reader->arena, d->output_count, sizeof(*outputs));

	net->variable_numbers = wf_spec_own_map(reader, wf_map_new());
	net->variables = wf_arena_array(reader->arena,
	    d->input_count + net->local_count + d->output_count,
	    sizeof(*net->variables));
	for (size_t i = 0; i < d->input_count; i++)
		add_net_variable(reader, net, &d->inputs[i]);
	for (size_t i = 0; i < net->local_count; i++)
		add_net_variable(reader, net, &net->locals[i]);
	for (size_t i = 0; i < d->output_count; i++) {
		const struct wf_variable *output = &d->outputs[i];
		size_t length = strlen(output->name);

		if (wf_spec_number(net->variable_numbers, output->name,
			length) == UINT32_MAX) {
			WF_SPEC_WARN(reader, output->line,
			    wf_spec_label_net(reader, net),
			    "the output parameter %s has no variable to take "
			    "its value from: one is added",
			    output->name);
			add_net_variable(reader, net, output);
		}
		outputs[i] =
		    wf_spec_number(net->variable_numbers, output->name, length);
	}
	net->output_variables = outputs;
}

void wf_spec_compile_variables(struct wf_spec_reader *reader)
{
	struct wf_spec *spec = reader->spec;
	struct wf_error err = { 0 };

	spec->types = new_types(reader);
	each_list(reader, find_types);
	if (wf_types_compile(spec->types, &err) == WF_OK) {
		each_list(reader, make_values);
	} else {
		reader->types_failed = true;
		WF_SPEC_ERROR(reader,
		    spec->schema == NULL ? 0 : spec->schema->line, "xs:schema",
		    "%s", err.message);
	}
	for (uint32_t i = 0; i < spec->decomposition_count; i++)
		if (spec->decompositions[i].net != NULL)
			add_net_variables(reader, spec->decompositions[i].net);
}
