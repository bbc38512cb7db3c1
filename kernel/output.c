/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data from outside: case data, updates, and the output of items.
 *
 * Invalid data refuses the command with a message that names the element.
 * Defaults replace missing data only in the commands skip, force and fail.
 */
#include "kernel/kernel.h"

#include "spec/document_limits.h"

/* Of a path in a message. */
#define PATH_BYTES ((size_t)16 << 10)

static size_t count_elements(const struct wf_value *value)
{
	const char *text = wf_value_text(value);
	size_t count = 0;

	while ((text = strchr(text, '<')) != NULL)
		count += *++text != '/';
	return count;
}

/* Prefixes the message with the line of value in the command's data. */
static void point_at_line(struct step *s, const struct wf_value *value)
{
	const char *data = s->command->data;
	size_t length = s->command->length;
	struct wf_value_list list;
	size_t before = 1;
	size_t i = 0;

	if (s->err == NULL || data == NULL ||
	    memchr(data, '\n', length) == NULL ||
	    wf_value_list_parse(&list, data, length, NULL) != WF_OK)
		return;
	for (; i < list.count && !wf_value_equal(list.values[i], value); i++)
		before += count_elements(list.values[i]);
	if (i < list.count)
		wf_error_prefix(s->err, "line %d",
		    wf_value_line(data, length, before + s->err->place.before));
	wf_value_list_free(&list);
}

/*
 * Where all mistakes are wanted, adds the one of s->err and goes on; else it
 * ends the step.
 */
static enum wf_rc note(struct step *s, const char *path, size_t length,
    const char *rule, enum wf_rc rc)
{
	struct wf_mistakes *mistakes = s->out->mistakes;

	if (rc != WF_DATA || mistakes == NULL || s->err == NULL)
		return rc;
	wf_mistakes_add(mistakes,
	    wf_arena_strndup(mistakes->arena, path, length), rule,
	    s->err->message);
	wf_error_clear(s->err);
	return WF_OK;
}

static enum wf_rc end_notes(struct step *s)
{
	const struct wf_mistakes *mistakes = s->out->mistakes;

	wf_assert(s->err == NULL || s->err->rc == WF_OK);
	if (mistakes == NULL || mistakes->count == 0)
		return WF_OK;
	return wf_fail(s->err, WF_DATA, "%s: %s", mistakes->rows[0].path,
	    mistakes->rows[0].message);
}

enum wf_rc wf_check_value(struct step *s, const struct wf_spec *spec,
    const struct wf_type *type, const struct wf_value *value, const char *name)
{
	const struct wf_mistakes *mistakes = s->out->mistakes;
	size_t before = mistakes == NULL ? 0 : mistakes->count;
	enum wf_rc rc = WF_OK;

	if (value->length > s->c->limits->value_bytes)
		rc = wf_fail(s->err, WF_LIMIT,
		    "the value is larger than %u "
		    "bytes",
		    s->c->limits->value_bytes);
	else if (!wf_value_is_named(value, name))
		rc = wf_fail(s->err, WF_DATA,
		    "the element is <%.*s>, expected <%s>",
		    (int)value->name_length, wf_value_name(value), name);
	else if (spec->file->version >= WF_BETA_3 &&
		 wf_value_is_in_namespace(value))
		rc = wf_fail(s->err, WF_DATA,
		    "the element <%s> is in a namespace, expected one in none",
		    name);
	else if (spec->file->version >= WF_BETA_3)
		rc = wf_type_find_mistakes(
		    type, value, &s->query_steps, s->out->mistakes, s->err);
	if (rc == WF_DATA && mistakes != NULL && mistakes->count > before)
		name = mistakes->rows[before].path; /* noted by the check */
	rc = note(s, name, strlen(name), "type", rc);
	if (rc != WF_OK) {
		wf_error_prefix(s->err, "%s", name);
		point_at_line(s, value);
	}
	return rc;
}

/* Where one value refers to documents. */
struct checking {
	struct step *s;
	const struct wf_value *value;
};

static enum wf_rc check_document(void *context,
    const struct wf_document_reference *reference, struct wf_error *err)
{
	const struct checking *checking = context;
	struct step *s = checking->s;
	const struct wf_document_calls *calls = s->command->documents;
	struct wf_document_limits limits;
	struct wf_buffer path;
	enum wf_rc rc;

	wf_document_limits_of(&reference->hints, &limits);
	if (reference->wrong != NULL)
		rc = wf_fail(err, WF_DATA, "%s", reference->wrong);
	else
		rc = calls->check(
		    calls->context, &limits, reference->document, err);
	if (rc == WF_OK)
		return WF_OK;
	wf_buffer_init(&path, PATH_BYTES);
	if (err != NULL)
		err->place.before = wf_document_place(reference, &path);
	rc = note(s, wf_buffer_text(&path), path.length, "document", rc);
	if (rc != WF_OK) {
		wf_error_prefix(err, "%s", wf_buffer_text(&path));
		point_at_line(s, checking->value);
	}
	wf_buffer_free(&path);
	return rc;
}

enum wf_rc wf_check_variable(struct step *s, const struct wf_spec *spec,
    const struct wf_variable *variable, const struct wf_value *value)
{
	const struct wf_mistakes *mistakes = s->out->mistakes;
	size_t before = mistakes == NULL ? 0 : mistakes->count;
	struct checking checking = { s, value };
	enum wf_rc rc =
	    wf_check_value(s, spec, variable->type, value, variable->name);

	/* Mistakes that were noted are none for the caller. */
	if (rc != WF_OK || s->command->documents == NULL ||
	    (mistakes != NULL && mistakes->count > before))
		return rc;
	rc = wf_variable_visit_documents(
	    variable, value, check_document, &checking, s->err);
	if (rc == WF_LIMIT)
		wf_error_prefix(s->err, "%s", variable->name);
	return rc;
}

struct wf_value *wf_default_output(
    const struct wf_task *task, const struct instance *instance, size_t output)
{
	const struct wf_decomposition *decomposition = task->decomposition;
	const struct wf_variable *parameter = &decomposition->outputs[output];
	const char *text = "0";

	wf_assert(output < decomposition->output_count);
	/*
	 * A sub-net that is forced to end returns the values of its variables.
	 */
	if (instance->subnet != NULL) {
		const struct net_instance *subnet = instance->subnet;
		struct wf_value *value =
		    subnet->variables[subnet->net->output_variables[output]];

		if (value != NULL)
			return wf_value_ref(value);
	}
	for (size_t i = 0; i < decomposition->input_count; i++) {
		if (instance->inputs != NULL && instance->inputs[i] != NULL &&
		    strcmp(decomposition->inputs[i].name, parameter->name) == 0)
			return wf_value_ref(instance->inputs[i]);
	}
	if (parameter->fallback != NULL)
		return wf_value_ref(parameter->fallback);
	if (wf_type_is_boolean(parameter->type))
		text = "false";
	else if (wf_type_is_string(parameter->type) ||
		 !wf_type_is_builtin(parameter->type))
		text = "";
	return wf_value_new_text(parameter->name, text, strlen(text));
}

/* Puts each element of the list at the index of its output parameter. */
static enum wf_rc place_outputs(struct step *s, const struct target *target,
    const struct wf_value_list *list, struct values *output)
{
	const struct wf_decomposition *decomposition =
	    target->task->decomposition;

	for (size_t i = 0; i < list->count; i++) {
		struct wf_value *value = list->values[i];
		enum wf_rc rc = WF_OK;
		size_t at = 0;

		while (
		    at < decomposition->output_count &&
		    !wf_value_is_named(value, decomposition->outputs[at].name))
			at++;
		if (at == decomposition->output_count)
			rc = wf_fail(s->err, WF_DATA,
			    "task %s: <%.*s> is no output parameter of %s",
			    target->task->id, (int)value->name_length,
			    wf_value_name(value), decomposition->id);
		else if (output->values[at] != NULL)
			rc = wf_fail(s->err, WF_DATA,
			    "task %s: <%.*s> is there twice", target->task->id,
			    (int)value->name_length, wf_value_name(value));
		else
			output->values[at] =
			    wf_step_own(s, wf_value_ref(value));
		rc = note(
		    s, wf_value_name(value), value->name_length, "unknown", rc);
		if (rc != WF_OK)
			return rc;
	}
	return WF_OK;
}

/* The root element is named after the decomposition, or "data". */
static enum wf_rc check_root(
    struct step *s, const struct target *target, const char *root)
{
	const struct wf_decomposition *decomposition =
	    target->task->decomposition;

	if (strcmp(root, decomposition->id) == 0 ||
	    strcmp(root, decomposition->root_name) == 0 ||
	    strcmp(root, "data") == 0)
		return WF_OK;
	return wf_fail(s->err, WF_DATA,
	    "task %s: the output's root element is <%s>, expected <%s>",
	    target->task->id, root, decomposition->root_name);
}

/* Sets defaults for missing output, and validates. */
static enum wf_rc check_output(struct step *s, const struct target *target,
    bool strict, size_t at, struct values *output)
{
	const struct wf_variable *parameter =
	    &target->task->decomposition->outputs[at];
	struct wf_value *value = output->values[at];
	enum wf_rc rc;

	if (parameter->fallback != NULL &&
	    (value == NULL || wf_value_is_empty(value)))
		value = parameter->fallback;
	if (value == NULL && !strict)
		value = wf_step_own(
		    s, wf_default_output(target->task, target->instance, at));
	output->values[at] = value;
	if (value == NULL) {
		if (!strict || parameter->optional ||
		    wf_type_is_flag(parameter->type))
			return WF_OK;
		rc = wf_fail(s->err, WF_DATA,
		    "task %s: the output parameter %s is missing: expected "
		    "the element <%s> of type %s",
		    target->task->id, parameter->name, parameter->name,
		    wf_type_name(parameter->type));
		return note(s, parameter->name, strlen(parameter->name),
		    "required", rc);
	}
	if (!strict || value == parameter->fallback)
		return WF_OK;
	rc = wf_check_variable(s, target->net->net->spec, parameter, value);
	if (rc != WF_OK)
		wf_error_prefix(s->err, "task %s, output", target->task->id);
	return rc;
}

/* Before Beta 4 there are no output parameters; all elements are used. */
static void take_all(
    struct step *s, const struct wf_value_list *list, struct values *output)
{
	output->count = list->count;
	output->values =
	    wf_step_alloc(s, list->count * sizeof(*output->values));
	for (size_t i = 0; i < list->count; i++)
		output->values[i] =
		    wf_step_own(s, wf_value_ref(list->values[i]));
}

enum wf_rc wf_read_output(struct step *s, const struct target *target,
    bool strict, struct values *output_out)
{
	const struct wf_decomposition *decomposition =
	    target->task->decomposition;
	struct wf_value_list list = { NULL, NULL, 0 };
	enum wf_rc rc = WF_OK;

	wf_assert(target->instance != NULL);
	output_out->count = decomposition->output_count;
	output_out->values = NULL;
	if (output_out->count == 0 && s->command->data == NULL)
		return WF_OK;
	output_out->values =
	    wf_step_alloc(s, output_out->count * sizeof(*output_out->values));
	if (s->command->data != NULL) {
		rc = wf_value_list_parse(
		    &list, s->command->data, s->command->length, s->err);
		if (rc != WF_OK) {
			wf_error_prefix(
			    s->err, "task %s, output", target->task->id);
			return rc;
		}
		rc = check_root(s, target, list.root);
		if (rc == WF_OK && s->c->spec->file->version <= WF_BETA_3)
			take_all(s, &list, output_out);
		else if (rc == WF_OK)
			rc = place_outputs(s, target, &list, output_out);
		wf_value_list_free(&list);
	}
	if (s->c->spec->file->version <= WF_BETA_3)
		return rc;
	for (size_t i = 0; i < output_out->count && rc == WF_OK; i++)
		rc = check_output(s, target, strict, i, output_out);
	return rc != WF_OK ? rc : end_notes(s);
}

static uint32_t find_variable(
    const struct wf_net *net, const struct wf_value *value, bool inputs_only)
{
	for (uint32_t i = 0; i < net->variable_count; i++) {
		if (wf_value_is_named(value, net->variables[i].name))
			return inputs_only && !net->variables[i].is_input
				   ? UINT32_MAX
				   : i;
	}
	return UINT32_MAX;
}

enum wf_rc wf_check_once(
    struct step *s, const struct wf_binding *bindings, size_t count)
{
	const struct wf_binding *last = &bindings[count - 1];

	wf_assert(count > 0);
	for (size_t i = 0; i + 1 < count; i++) {
		if (bindings[i].variable == last->variable)
			return wf_fail(s->err, WF_DATA, "<%.*s> is there twice",
			    (int)last->value->name_length,
			    wf_value_name(last->value));
	}
	return WF_OK;
}

static enum wf_rc read_variable(struct step *s, const struct wf_net *net,
    bool inputs_only, struct wf_value *value, struct wf_binding *binding)
{
	uint32_t at = find_variable(net, value, inputs_only);

	if (at == UINT32_MAX)
		return wf_fail(s->err, WF_DATA, "<%.*s> is no %s of net %s",
		    (int)value->name_length, wf_value_name(value),
		    inputs_only ? "input parameter" : "variable",
		    net->decomposition->id);
	binding->variable = at;
	binding->value = wf_step_own(s, wf_value_ref(value));
	return wf_check_variable(
	    s, net->spec, net->variables[at].declared, value);
}

/*
 * With case data, every input parameter that is not optional is required;
 * without case data, only the mandatory ones.
 */
static enum wf_rc check_complete(struct step *s, const struct wf_net *net,
    const struct wf_binding *bindings, uint32_t count)
{
	for (uint32_t i = 0; i < net->variable_count; i++) {
		const struct wf_net_variable *variable = &net->variables[i];
		bool found = !variable->is_input || variable->is_flag;
		enum wf_rc rc;

		if (s->command->data == NULL)
			found = found || !variable->is_mandatory;
		else
			found = found || variable->is_optional;
		for (uint32_t k = 0; k < count && !found; k++)
			found = bindings[k].variable == i;
		if (found)
			continue;
		rc = wf_fail(s->err, WF_DATA,
		    "the case data lacks the input parameter %s: "
		    "expected the element <%s> of type %s",
		    variable->name, variable->name,
		    wf_type_name(variable->type));
		rc = note(
		    s, variable->name, strlen(variable->name), "required", rc);
		if (rc != WF_OK)
			return rc;
	}
	return WF_OK;
}

static enum wf_rc check_data_root(
    struct step *s, const struct wf_net *net, const char *root)
{
	if (strcmp(root, net->root_name) == 0 ||
	    strcmp(root, net->decomposition->id) == 0 ||
	    strcmp(root, net->spec->uri) == 0)
		return WF_OK;
	return wf_fail(s->err, WF_DATA,
	    "the data's root element is <%s>, expected <%s>", root,
	    net->root_name);
}

enum wf_rc wf_read_variables(struct step *s, const struct wf_net *net,
    bool inputs_only, struct wf_binding **bindings_out, uint32_t *count_out)
{
	struct wf_value_list list = { NULL, NULL, 0 };
	struct wf_binding *bindings = NULL;
	enum wf_rc rc = WF_OK;
	uint32_t count = 0;

	if (s->command->data != NULL) {
		rc = wf_value_list_parse(
		    &list, s->command->data, s->command->length, s->err);
		if (rc != WF_OK)
			return rc;
		rc = check_data_root(s, net, list.root);
		bindings = wf_step_alloc(s, list.count * sizeof(*bindings));
		for (size_t i = 0; i < list.count && rc == WF_OK; i++) {
			struct wf_value *value = list.values[i];

			bindings[count].value = NULL;
			rc = read_variable(
			    s, net, inputs_only, value, &bindings[count]);
			if (bindings[count].value != NULL)
				count++;
			if (rc == WF_OK && count > 0)
				rc = wf_check_once(s, bindings, count);
			rc = note(s, wf_value_name(value), value->name_length,
			    "unknown", rc);
		}
		wf_assert(count <= list.count);
		wf_value_list_free(&list);
	}
	if (rc == WF_OK && inputs_only)
		rc = check_complete(s, net, bindings, count);
	if (rc == WF_OK)
		rc = end_notes(s);
	*bindings_out = bindings;
	*count_out = count;
	return rc;
}
