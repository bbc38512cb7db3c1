/* SPDX-License-Identifier: Apache-2.0 */
#include "form/form.h"

#include <stdlib.h>
#include <string.h>

#include "data/json_fields.h"
#include "data/outline/outline.h"
#include "form/hints.h"
#include "spec/document_limits.h"
#include "spec/markup.h"

#define URI_BYTES ((size_t)64 << 10)

struct making {
	struct wf_form *form;
	struct wf_outline *outline;
	struct wf_arena *arena;
	struct wf_form_text text;
	const struct wf_variable *variable; /* whose fields are made */
};

/* --- one field ------------------------------------------------------------ */

static const char *widget_of_base(const char *base)
{
	static const char *const widgets[][2] = { { "boolean", "checkbox" },
		{ "date", "date" }, { "time", "time" },
		{ "dateTime", "datetime" }, { "duration", "duration" },
		{ "decimal", "number" }, { "integer", "number" },
		{ "nonPositiveInteger", "number" },
		{ "negativeInteger", "number" }, { "long", "number" },
		{ "int", "number" }, { "short", "number" },
		{ "byte", "number" }, { "nonNegativeInteger", "number" },
		{ "unsignedLong", "number" }, { "unsignedInt", "number" },
		{ "unsignedShort", "number" }, { "unsignedByte", "number" },
		{ "positiveInteger", "number" }, { "double", "number" },
		{ "float", "number" }, { "anyURI", "uri" } };

	for (size_t i = 0; i < sizeof(widgets) / sizeof(widgets[0]); i++)
		if (strcmp(widgets[i][0], base) == 0)
			return widgets[i][1];
	return "text";
}

static const char *widget_of(
    const struct wf_field *field, const struct wf_hints *hints)
{
	if (strcmp(field->type, "YDocumentType") == 0)
		return "document";
	if (strcmp(field->type, "YTimerType") == 0)
		return "timer";
	switch (field->kind) {
	case WF_FIELD_FLAG:
		return "flag";
	case WF_FIELD_GROUP:
		return "group";
	case WF_FIELD_CHOICE:
		return "choice";
	case WF_FIELD_SIMPLE:
		break;
	default:
		return "xml";
	}
	if (field->facets.is_list)
		return "list";
	if (field->facets.enumeration.count > 0 && !field->facets.is_open)
		return "select";
	if (wf_hint_is_true(hints, "textarea"))
		return "textarea";
	return widget_of_base(field->facets.base);
}

static json_t *list_texts(const struct wf_texts *texts)
{
	json_t *array = json_array();

	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(array, json_string(texts->rows[i]));
	return array;
}

static void put_facets(const struct wf_facets *facets, json_t *object)
{
	json_t *members = json_object();

	for (size_t i = 0; i < WF_FACET_COUNT; i++)
		if (facets->values[i] != NULL)
			json_object_set_new(members,
			    wf_facet_rule((enum wf_facet)i),
			    json_string(facets->values[i]));
	if (facets->patterns.count > 0)
		json_object_set_new(
		    members, "patterns", list_texts(&facets->patterns));
	if (json_object_size(members) > 0)
		json_object_set(object, "facets", members);
	json_decref(members);
	if (facets->enumeration.count == 0)
		return;
	json_object_set_new(object, "values", list_texts(&facets->enumeration));
	if (facets->is_open)
		json_object_set_new(object, "open", json_true());
}

/* "first_name": "first name" */
static void put_label(const struct wf_field *field,
    const struct wf_hints *hints, struct making *making, json_t *object)
{
	char *name;

	wf_hint_put(hints, "label", "label", &making->text, object);
	if (json_object_get(object, "label") != NULL || *field->name == '\0')
		return;
	name = wf_arena_strdup(making->arena, field->name);
	for (char *at = name; *at != '\0'; at++)
		if (*at == '_')
			*at = ' ';
	json_object_set_new(object, "label", json_string(name));
}

static void put_repeat(const struct wf_field *field, json_t *object)
{
	json_t *repeat;

	if (field->maximum == 1)
		return;
	repeat = json_pack("{s:I}", "minimum", (json_int_t)field->minimum);
	if (field->maximum != UINT32_MAX)
		json_object_set_new(
		    repeat, "maximum", json_integer(field->maximum));
	json_object_set_new(object, "repeat", repeat);
}

static bool is_hidden(struct making *making, const struct wf_hints *hints)
{
	return wf_hint_is_true(hints, "hide") ||
	       wf_hint_holds(hints, "hideIf", &making->text, false) ||
	       !wf_hint_holds(hints, "showIf", &making->text, true);
}

/* Which files a field takes that refers to a document. */
static void put_document_limits(
    const struct making *making, const struct wf_field *field, json_t *object)
{
	struct wf_document_limits limits;
	const char *list;
	const char *word;
	size_t length;
	json_t *types;

	if (!wf_variable_find_document(making->variable, field->path, &limits))
		return;
	if (limits.bytes != UINT64_MAX)
		json_object_set_new(object, "maximum_bytes",
		    json_integer((json_int_t)limits.bytes));
	types = json_array();
	list = limits.types;
	while ((word = wf_document_types_next(&list, &length)) != NULL)
		json_array_append_new(types, json_stringn(word, length));
	if (json_array_size(types) > 0)
		json_object_set(object, "types", types);
	json_decref(types);
}

/* What the fields of a container have in common. */
struct state {
	const struct wf_hints *hints;
	bool is_read_only;
	bool is_optional;
};

static json_t *make_fields(struct making *making, const struct wf_field *field,
    const struct state *state);

static void put_children(struct making *making, const struct wf_field *field,
    const struct state *inner, json_t *object)
{
	if (field->kind == WF_FIELD_CHOICE) {
		json_t *alternatives = json_array();

		for (size_t i = 0; i < field->count; i++)
			json_array_append_new(alternatives,
			    make_fields(making, field->children[i], inner));
		json_object_set_new(object, "alternatives", alternatives);
	} else if (field->like != NULL) {
		json_object_set_new(
		    object, "like", json_string(field->like->path));
	} else if (field->kind == WF_FIELD_GROUP) {
		json_object_set_new(
		    object, "fields", make_fields(making, field, inner));
	}
}

static void put_switch(json_t *object, const char *name, bool on)
{
	if (on)
		json_object_set_new(object, name, json_true());
}

/* hints: of the field itself, above those of state. */
static json_t *make_field(struct making *making, const struct wf_field *field,
    const struct wf_hints *hints, const struct state *state)
{
	json_t *object = json_object();
	struct state inner = { .hints = hints,
		.is_read_only =
		    state->is_read_only || wf_hint_is_true(hints, "readOnly"),
		.is_optional = state->is_optional || field->minimum == 0 ||
			       wf_hint_is_true(hints, "optional") };
	bool is_required =
	    !inner.is_read_only && field->kind != WF_FIELD_FLAG &&
	    (!inner.is_optional || wf_hint_is_true(hints, "mandatory"));

	json_object_set_new(object, "path", json_string(field->path));
	json_object_set_new(object, "name", json_string(field->name));
	json_object_set_new(
	    object, "widget", json_string(widget_of(field, hints)));
	put_label(field, hints, making, object);
	wf_json_put_text(object, "type", field->type);
	wf_hint_put(hints, "tooltip", "tooltip", &making->text, object);
	wf_hint_put(hints, "alert", "alert", &making->text, object);
	json_object_set_new(object, "required", json_boolean(is_required));
	json_object_set_new(
	    object, "read_only", json_boolean(inner.is_read_only));
	json_object_set_new(
	    object, "hidden", json_boolean(is_hidden(making, hints)));
	put_switch(object, "skip_validation",
	    wf_hint_is_true(hints, "skipValidation"));
	if (field->kind == WF_FIELD_SIMPLE) {
		json_object_set_new(
		    object, "base", json_string(field->facets.base));
		put_facets(&field->facets, object);
	}
	if (field->initial != NULL)
		json_object_set_new(object,
		    field->is_fixed ? "fixed" : "default",
		    json_string(field->initial));
	put_repeat(field, object);
	put_document_limits(making, field, object);
	wf_hint_put_appearance(hints, &making->text, object);
	put_children(making, field, &inner, object);
	return object;
}

static json_t *make_fields(struct making *making, const struct wf_field *field,
    const struct state *state)
{
	json_t *array = json_array();

	for (size_t i = 0; i < field->count; i++) {
		const struct wf_field *child = field->children[i];
		struct wf_hints hints = { .above = state->hints,
			.path = child->path,
			.hints = child->hints,
			.hint_count = child->hint_count };

		json_array_append_new(
		    array, make_field(making, child, &hints, state));
	}
	return array;
}

/* --- parameters ----------------------------------------------------------- */

/* A parameter that is shown: in, out or both. */
struct parameter {
	const struct wf_variable *in;
	const struct wf_variable *out;
	size_t place;
};

static int index_of(const struct parameter *parameter)
{
	const struct wf_variable *variable =
	    parameter->in != NULL ? parameter->in : parameter->out;

	return variable->index;
}

static int compare_parameters(const void *a, const void *b)
{
	const struct parameter *x = a;
	const struct parameter *y = b;
	int by_index = index_of(x) - index_of(y);

	if (index_of(x) >= 0 && index_of(y) >= 0 && by_index != 0)
		return by_index;
	return x->place < y->place ? -1 : x->place > y->place;
}

static size_t list_parameters(
    const struct wf_decomposition *work, bool is_start, struct parameter *list)
{
	size_t count = 0;

	for (size_t i = 0; i < work->input_count; i++, count++)
		list[count] = (struct parameter){ &work->inputs[i],
			is_start ? &work->inputs[i] : NULL, count };
	for (size_t i = 0; i < work->output_count && !is_start; i++) {
		size_t at = 0;

		while (at < work->input_count &&
		       strcmp(list[at].in->name, work->outputs[i].name) != 0)
			at++;
		if (at < work->input_count)
			list[at].out = &work->outputs[i];
		else
			list[count] = (struct parameter){ NULL,
				&work->outputs[i], count };
		count += at == work->input_count;
	}
	/* Without an index for each, their order in the file counts. */
	for (size_t i = 0; i < count; i++)
		if (index_of(&list[i]) < 0)
			return count;
	qsort(list, count, sizeof(*list), compare_parameters);
	return count;
}

/* Of a running case: each can be replaced. */
static size_t list_variables(const struct wf_net *net, struct parameter *list)
{
	for (uint32_t i = 0; i < net->variable_count; i++)
		list[i] = (struct parameter){ net->variables[i].declared,
			net->variables[i].declared, i };
	return net->variable_count;
}

static json_t *make_parameter(struct making *making,
    const struct parameter *parameter, const struct wf_hints *above,
    bool is_read_only)
{
	const struct wf_variable *variable =
	    parameter->out != NULL ? parameter->out : parameter->in;
	struct wf_field *field = wf_outline_add(making->outline, variable->name,
	    variable->type, variable->by_element);
	struct wf_hints hints = { .above = above,
		.path = field->path,
		.attributes = variable->attributes,
		.attribute_count = variable->attribute_count,
		.hints = field->hints,
		.hint_count = field->hint_count };
	struct state state = { .hints = above,
		.is_read_only = is_read_only || parameter->out == NULL };

	making->variable = variable;
	if (parameter->in != NULL && parameter->in != variable) {
		hints.more = parameter->in->attributes;
		hints.more_count = parameter->in->attribute_count;
	}
	/* Those that are not filled in stay. */
	if (variable->optional || making->form->is_case)
		field->minimum = 0;
	if (variable->default_text != NULL && variable->usage == WF_OUTPUT)
		field->initial = variable->default_text;
	return make_field(making, field, &hints, &state);
}

static json_t *make_parameters(struct making *making,
    const struct wf_decomposition *work, const struct wf_hints *hints,
    bool is_read_only)
{
	const struct wf_form *form = making->form;
	const struct wf_net *net = form->spec->root;
	size_t most = form->is_case ? net->variable_count
				    : work->input_count + work->output_count;
	struct parameter *list =
	    wf_arena_array(making->arena, most, sizeof(*list));
	size_t count = form->is_case
			   ? list_variables(net, list)
			   : list_parameters(work, form->task == NULL, list);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array,
		    make_parameter(making, &list[i], hints, is_read_only));
	return array;
}

/* --- the form ------------------------------------------------------------- */

/* Over the data of the root net. */
static void put_custom_form(struct making *making, json_t *object)
{
	const struct wf_form *form = making->form;
	struct wf_form_text text = making->text;
	struct wf_buffer uri;

	if (form->task == NULL || form->task->custom_form == NULL ||
	    form->root == NULL)
		return;
	text.document = (struct wf_document){ .root = form->root->root,
		.values = form->root->values,
		.count = form->root->count };
	wf_buffer_init(&uri, URI_BYTES);
	wf_form_fill(&text, "", form->task->custom_form, "{", true, &uri);
	json_object_set_new(object, "custom_form",
	    json_stringn(wf_buffer_text(&uri), uri.length));
	wf_buffer_free(&uri);
}

static const struct wf_decomposition *work_of(
    const struct wf_spec *spec, const struct wf_task *task)
{
	return task == NULL ? spec->root->decomposition : task->decomposition;
}

static json_t *make(struct making *making)
{
	const struct wf_form *form = making->form;
	const struct wf_decomposition *work = work_of(form->spec, form->task);
	struct wf_hints hints = { .path = "",
		.attributes = work->attributes,
		.attribute_count = work->attribute_count };
	bool is_read_only = wf_hint_is_true(&hints, "readOnly");
	/* Of a task alone: a label of it would not be one of its fields. */
	json_t *object = json_object();

	wf_hint_put(&hints, "label", "title", &making->text, object);
	wf_hint_put(&hints, "title", "title", &making->text, object);
	json_object_set_new(object, "read_only", json_boolean(is_read_only));
	wf_hint_put_appearance(&hints, &making->text, object);
	put_custom_form(making, object);
	json_object_set_new(object, "fields",
	    make_parameters(making, work, &hints, is_read_only));
	if (json_array_size(making->text.problems) > 0)
		json_object_set(object, "problems", making->text.problems);
	return object;
}

json_t *wf_form_make(struct wf_form *form)
{
	const struct wf_decomposition *work = work_of(form->spec, form->task);
	struct making making = { .form = form, .arena = wf_arena_new() };
	struct wf_buffer schema;
	json_t *object;

	wf_buffer_init(&schema, (size_t)2 * WF_SPEC_BYTES);
	if (form->spec->schema != NULL)
		wf_markup_write(form->spec->schema, 0, NULL, &schema);
	making.outline = wf_outline_new(
	    form->spec->schema == NULL ? NULL : wf_buffer_text(&schema),
	    schema.length, making.arena);
	wf_buffer_free(&schema);
	making.text.language = form->language;
	making.text.problems = json_array();
	making.text.document = (struct wf_document){ .root = work->root_name,
		.values = form->values,
		.count = form->value_count };
	making.text.how = (struct wf_evaluation){ .now = form->now,
		.timezone = form->timezone,
		.budget = &form->work };
	object = make(&making);
	json_decref(making.text.problems);
	wf_outline_free(&making.outline);
	wf_arena_free(&making.arena);
	return object;
}

const struct wf_variable *wf_form_parameters(
    const struct wf_spec *spec, const struct wf_task *task, size_t *count_out)
{
	const struct wf_decomposition *work = work_of(spec, task);

	*count_out = task == NULL ? work->input_count : work->output_count;
	return task == NULL ? work->inputs : work->outputs;
}

const struct wf_variable *wf_form_variables(
    const struct wf_spec *spec, struct wf_arena *arena, size_t *count_out)
{
	const struct wf_net *net = spec->root;
	struct wf_variable *list =
	    wf_arena_array(arena, net->variable_count, sizeof(*list));

	for (uint32_t i = 0; i < net->variable_count; i++)
		list[i] = *net->variables[i].declared;
	*count_out = net->variable_count;
	return list;
}

/* --- mistakes ------------------------------------------------------------- */

/* Whether path, without its numbers, is that of a field. */
static bool is_path(const char *path, const char *field)
{
	for (; *path != '\0'; path++) {
		if (*path == '[')
			path += strcspn(path, "]");
		else if (*path != *field++)
			return false;
	}
	return *field == '\0';
}

static const char *find_alert(const json_t *fields, const char *path)
{
	const char *alert = NULL;
	size_t at;
	json_t *field;

	json_array_foreach(fields, at, field)
	{
		const json_t *alternatives =
		    json_object_get(field, "alternatives");
		json_t *alternative;
		size_t i;

		if (alert != NULL)
			break;
		if (json_object_get(field, "alert") != NULL &&
		    is_path(path,
			json_string_value(json_object_get(field, "path"))))
			return json_string_value(
			    json_object_get(field, "alert"));
		alert = find_alert(json_object_get(field, "fields"), path);
		json_array_foreach(alternatives, i, alternative)
		{
			if (alert == NULL)
				alert = find_alert(alternative, path);
		}
	}
	return alert;
}

json_t *wf_form_mistakes(const struct wf_mistakes *mistakes, const json_t *form)
{
	json_t *array = json_array();

	for (size_t i = 0; i < mistakes->count; i++) {
		const struct wf_mistake *mistake = &mistakes->rows[i];
		json_t *object =
		    json_pack("{s:s, s:s, s:s}", "path", mistake->path, "rule",
			mistake->rule, "message", mistake->message);

		wf_json_put_text(object, "alert",
		    find_alert(json_object_get(form, "fields"), mistake->path));
		json_array_append_new(array, object);
	}
	return array;
}
