/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forms: what a person fills in to complete a work item, to start a case, or to
 * change the data of one.
 *
 *   GET    the form, with the data as it is: the input of the item
 *   POST   the same for the values in the body, with all that the completion,
 *          or the start, would refuse; nothing is stored
 *
 * An item that is not started yet is shown as it would start now, in a copy of
 * its case; a completion is tried on such a copy, too.
 */
#include <string.h>

#include "data/json.h"
#include "form/form.h"
#include "kernel/step.h"
#include "rest/rest_item.h"
#include "server/context.h"
#include "work/case_data.h"

#define LANGUAGE_BYTES 35U

struct form {
	struct wf_rest *rest;
	const char *id;	      /* of the item; NULL: of a start */
	uint64_t key;	      /* of the specification */
	json_t *given;	      /* what the person has filled in; NULL: nothing */
	const char *language; /* of the reader; NULL: not said */
	const json_t *draft;  /* of which it is the data; NULL: of none */
	bool is_case;	      /* of the data of a case */
	bool is_checked;      /* mistakes are wanted */
	bool is_enabled;      /* the item must be started first */
	struct wf_buffer xml; /* of given, for the check */
	struct wf_mistakes mistakes;
	struct wf_value **values; /* the parameters as they are now */
	size_t count;
	json_t *answer; /* NULL: not made yet */
	char started[WF_ITEM_ID_SIZE];
	struct wf_error err;
};

/* --- the values ----------------------------------------------------------- */

static void note(struct form *form, const char *path, const char *rule,
    const struct wf_error *err)
{
	wf_mistakes_add(&form->mistakes, path, rule, err->message);
}

static struct wf_value **find_value(struct form *form, const char *name)
{
	for (size_t i = 0; i < form->count; i++)
		if (form->values[i] != NULL &&
		    wf_value_is_named(form->values[i], name))
			return &form->values[i];
	return NULL;
}

/* The value takes the place of that of the same name. */
static void set_value(
    struct form *form, const char *name, struct wf_value *value)
{
	struct wf_value **old = find_value(form, name);

	if (old == NULL)
		old = &form->values[form->count++];
	wf_value_unref(old);
	*old = value;
}

/* One member of what was filled in. */
static void convert_member(
    struct form *form, const struct wf_variable *parameter, json_t *member)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_value *value = NULL;
	struct wf_buffer xml;
	enum wf_rc rc;

	wf_buffer_init(&xml, WF_REST_ITEM_DATA_BYTES);
	rc = wf_json_put_xml(
	    parameter->type, parameter->name, member, &xml, &err);
	if (rc == WF_OK && xml.length > 0)
		rc = wf_value_parse(
		    &value, wf_buffer_text(&xml), xml.length, &err);
	if (rc != WF_OK)
		note(form, parameter->name, "type", &err);
	if (value != NULL) {
		wf_buffer_append(&form->xml, wf_buffer_text(&xml), xml.length);
		set_value(form, parameter->name, value);
	}
	wf_buffer_free(&xml);
}

static const struct wf_variable *find_parameter(
    const struct wf_variable *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	return NULL;
}

/* What was filled in, over what is there; data: the same as JSON. */
static void convert_given(struct form *form, const struct wf_variable *list,
    size_t count, json_t *data)
{
	const char *name;
	json_t *member;

	json_object_foreach(form->given, name, member)
	{
		const struct wf_variable *parameter =
		    find_parameter(list, count, name);

		if (parameter == NULL) {
			wf_fail(&form->err, WF_DATA,
			    "%.100s: there is no such parameter to be filled "
			    "in",
			    name);
			return;
		}
		json_object_set(data, name, member);
		convert_member(form, parameter, member);
	}
}

/* Of output that nobody has given yet: its default. */
static void add_defaults(struct form *form, const struct wf_variable *list,
    size_t count, json_t *data)
{
	for (size_t i = 0; i < count; i++) {
		struct wf_value *value = list[i].fallback != NULL
					     ? list[i].fallback
					     : list[i].initial;

		if (value == NULL || find_value(form, list[i].name) != NULL ||
		    json_object_get(data, list[i].name) != NULL)
			continue;
		set_value(form, list[i].name, wf_value_ref(value));
		json_object_set_new(
		    data, list[i].name, wf_json_of_value(list[i].type, value));
	}
}

static void drop_values(struct form *form)
{
	for (size_t i = 0; i < form->count; i++)
		wf_value_unref(&form->values[i]);
	wf_free(form->values);
	form->values = NULL;
	form->count = 0;
}

/* --- the form ------------------------------------------------------------- */

/* The input of an item, or the data of a case, as JSON. */
static json_t *values_of(const struct wf_spec *spec, const struct wf_task *task,
    const struct wf_buffer *input)
{
	return task == NULL ? wf_data_net_values(spec->root,
				  wf_buffer_text(input), input->length)
			    : wf_data_values(task->decomposition->inputs,
				  task->decomposition->input_count,
				  wf_buffer_text(input), input->length);
}

/* input, root: data as XML, or NULL. */
static void describe(struct form *form, const struct wf_spec *spec,
    const struct wf_task *task, const struct wf_buffer *input,
    const struct wf_buffer *root)
{
	struct wf_engine *engine = form->rest->server->engine;
	struct wf_form model = { .spec = spec,
		.task = task,
		.is_case = form->is_case,
		.language = form->language,
		.now = wf_engine_now(engine),
		.timezone = wf_engine_timezone(engine),
		.work = WF_INSPECTION_WORK };
	struct wf_value_list inputs = { NULL, NULL, 0 };
	struct wf_value_list net = { NULL, NULL, 0 };
	const struct wf_variable *list;
	json_t *data = json_object();
	size_t count;

	list = form->is_case
		   ? wf_form_variables(spec, form->rest->arena, &count)
		   : wf_form_parameters(spec, task, &count);
	if (input != NULL && wf_value_list_parse(&inputs, wf_buffer_text(input),
				 input->length, NULL) == WF_OK)
		json_object_update_new(data, values_of(spec, task, input));
	if (root != NULL && wf_value_list_parse(&net, wf_buffer_text(root),
				root->length, NULL) == WF_OK)
		model.root = &net;
	form->values =
	    wf_calloc(inputs.count + count + 1, sizeof(*form->values));
	for (size_t i = 0; i < inputs.count; i++)
		form->values[form->count++] = wf_value_ref(inputs.values[i]);
	wf_buffer_printf(&form->xml, "<%s>",
	    task == NULL ? spec->root->root_name
			 : task->decomposition->root_name);
	convert_given(form, list, count, data);
	if (!form->is_case)
		add_defaults(form, list, count, data);
	wf_buffer_printf(&form->xml, "</%s>",
	    task == NULL ? spec->root->root_name
			 : task->decomposition->root_name);
	model.values = form->values;
	model.value_count = form->count;
	form->answer = wf_form_make(&model);
	json_object_set_new(form->answer, "data", data);
	drop_values(form);
	wf_value_list_free(&inputs);
	wf_value_list_free(&net);
}

static void describe_item(struct form *form, const struct wf_case *instance,
    const char *id, const struct wf_stored_case *stored)
{
	struct wf_buffer input;
	struct wf_buffer root;
	struct wf_item item;

	if (wf_case_item(instance, id, &item, &form->err) != WF_OK)
		return;
	wf_buffer_init(&input, WF_REST_ITEM_DATA_BYTES);
	wf_buffer_init(&root, WF_REST_ITEM_DATA_BYTES);
	if (wf_case_item_input(instance, id, &input, &form->err) == WF_OK) {
		if (item.task->custom_form != NULL)
			wf_case_data(instance, &root);
		describe(form, wf_case_spec(instance), item.task, &input,
		    item.task->custom_form == NULL ? NULL : &root);
		json_object_set_new(
		    form->answer, "item", json_string(form->id));
		if (form->draft != NULL)
			json_object_set_new(form->answer, "draft",
			    wf_rest_describe_draft(form->draft));
		json_object_set_new(form->answer, "case",
		    json_stringn(form->id, strcspn(form->id, ".:")));
		wf_json_put_key(
		    form->answer, "specification", stored->row.specification);
		json_object_set_new(
		    form->answer, "task", json_string(item.task->id));
		wf_json_put_text(form->answer, "name", item.task->name);
		wf_data_put_documentation(
		    form->answer, form->rest->server->engine, instance, id);
	}
	wf_buffer_free(&input);
	wf_buffer_free(&root);
}

static void read_item(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct form *form = context;
	struct wf_item item;

	if (wf_case_item(instance, form->id, &item, &form->err) != WF_OK)
		return;
	form->is_enabled = item.status == WF_ITEM_ENABLED;
	if (!form->is_enabled)
		describe_item(form, instance, form->id, stored);
}

/* The item was started in a copy of its case. */
static void read_started(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct form *form = context;

	describe_item(form, instance, form->started, stored);
}

static enum wf_rc read_form_of_item(struct form *form, uint64_t number)
{
	struct wf_engine *engine = form->rest->server->engine;
	struct wf_request request = { .number = number,
		.command = { .kind = WF_COMMAND_START, .item = form->id } };
	enum wf_rc rc =
	    wf_engine_inspect(engine, number, read_item, form, &form->err);

	if (rc == WF_OK && form->err.rc == WF_OK && form->is_enabled)
		rc = wf_engine_inspect_after(engine, &request, NULL,
		    form->started, read_started, form, &form->err);
	return rc;
}

static void read_spec(void *context, const struct wf_spec *spec)
{
	struct form *form = context;

	describe(form, spec, NULL, NULL, NULL);
	wf_json_put_key(form->answer, "specification", form->key);
	json_object_set_new(form->answer, "uri", json_string(spec->uri));
	wf_json_put_text(form->answer, "name", spec->metadata.title);
	wf_json_put_text(form->answer, "documentation", spec->documentation);
}

static void read_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct form *form = context;
	struct wf_buffer xml;

	wf_buffer_init(&xml, WF_REST_ITEM_DATA_BYTES);
	wf_case_data(instance, &xml);
	describe(form, wf_case_spec(instance), NULL, &xml, NULL);
	json_object_set_new(
	    form->answer, "case", json_string(stored->row.name));
	wf_json_put_key(
	    form->answer, "specification", stored->row.specification);
	wf_json_put_text(form->answer, "name", stored->row.title);
	wf_buffer_free(&xml);
}

/* --- the check ------------------------------------------------------------ */

static void ignore_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	(void)context;
	(void)instance;
	(void)stored;
}

static enum wf_rc try_it(struct form *form, uint64_t number,
    struct wf_inspection *how, struct wf_error *err)
{
	struct wf_engine *engine = form->rest->server->engine;
	struct wf_request request = { .number = number,
		.command = { .kind = form->is_case ? WF_COMMAND_UPDATE_CASE
						   : WF_COMMAND_FINISH,
		    .item = form->id,
		    .data = wf_buffer_text(&form->xml),
		    .length = form->xml.length } };
	char item[WF_ITEM_ID_SIZE];

	if (form->id == NULL && !form->is_case)
		return wf_engine_try_launch(engine,
		    form->rest->account.namespace_id, form->key,
		    wf_buffer_text(&form->xml), form->xml.length, how, err);
	return wf_engine_inspect_after(
	    engine, &request, how, item, ignore_case, NULL, err);
}

/* Adds all that the completion, or the start, would refuse. */
static void check(struct form *form, uint64_t number)
{
	struct wf_inspection how = { .maximum = WF_INSPECTION_WORK,
		.mistakes = &form->mistakes };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = try_it(form, number, &how, &err);

	/* Not about one field: a mapping, a state, a limit. */
	if (rc != WF_OK && form->mistakes.count == 0)
		note(form, "", "completion", &err);
	json_object_set_new(form->answer, "valid",
	    json_boolean(rc == WF_OK && form->mistakes.count == 0));
	json_object_set_new(form->answer, "mistakes",
	    wf_form_mistakes(&form->mistakes, form->answer));
}

static void answer(struct form *form, enum wf_rc rc, uint64_t number)
{
	if (rc == WF_OK)
		rc = form->err.rc;
	if (rc == WF_OK && form->is_checked)
		check(form, number);
	if (rc == WF_OK) {
		wf_rest_answer(form->rest, 200, form->answer);
	} else {
		json_decref(form->answer);
		wf_rest_fail(form->rest, &form->err);
	}
	wf_buffer_free(&form->xml);
	json_decref(form->given);
}

/* --- the operations ------------------------------------------------------- */

/* A tag of a language, of letters and digits with hyphens between. */
static size_t tag_length(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");

	return length <= LANGUAGE_BYTES && text[0] != '-' ? length : 0;
}

/*
 * The argument "language", else the first one of Accept-Language.  False:
 * answered.
 */
static bool read_language(struct form *form)
{
	struct wf_rest *rest = form->rest;
	const char *given = wf_rest_argument(rest, "language");
	const char *accepted =
	    wf_exchange_header(rest->exchange, "Accept-Language");
	const char *text = given != NULL ? given : accepted;
	size_t length = text == NULL ? 0 : tag_length(text);

	if (given != NULL && (length == 0 || given[length] != '\0')) {
		wf_rest_refuse(rest,
		    "language: expected a tag such as zh or zh-TW, of at most "
		    "%u bytes",
		    LANGUAGE_BYTES);
		return false;
	}
	if (length > 0)
		form->language = wf_arena_strndup(rest->arena, text, length);
	return true;
}

/* False: answered. */
static bool begin(struct form *form, struct wf_rest *rest, bool is_checked)
{
	memset(form, 0, sizeof(*form));
	form->rest = rest;
	form->is_checked = is_checked;
	form->mistakes.arena = rest->arena;
	if (!read_language(form) ||
	    (is_checked && !wf_rest_body(rest, &form->given)))
		return false;
	wf_buffer_init(&form->xml, WF_REST_ITEM_DATA_BYTES);
	return true;
}

static void handle_item(struct wf_rest *rest, bool is_checked)
{
	struct wf_known_case known;
	json_t *draft = NULL;
	struct form form;

	if (!wf_rest_known_case_of_item(rest, rest->parts[0], &known) ||
	    !begin(&form, rest, is_checked))
		return;
	form.id = rest->parts[0];
	if (!is_checked)
		draft = wf_rest_read_draft(rest, known.number, form.id);
	form.draft = draft;
	form.given = is_checked ? form.given
				: json_incref(json_object_get(draft, "data"));
	answer(&form, read_form_of_item(&form, known.number), known.number);
	json_decref(draft);
}

static void handle_start(struct wf_rest *rest, bool is_checked)
{
	struct form form;
	enum wf_rc rc;
	uint64_t key;

	if (!wf_rest_specification(rest, rest->parts[0], &key) ||
	    !begin(&form, rest, is_checked))
		return;
	form.key = key;
	rc = wf_engine_inspect_spec(rest->server->engine,
	    rest->account.namespace_id, key, false, read_spec, &form,
	    &form.err);
	answer(&form, rc, 0);
}

static void handle_case(struct wf_rest *rest, bool is_checked)
{
	struct wf_known_case known;
	struct form form;
	enum wf_rc rc;

	if (!wf_rest_known_case(rest, rest->parts[0], &known) ||
	    !begin(&form, rest, is_checked))
		return;
	form.is_case = true;
	rc = wf_engine_inspect(
	    rest->server->engine, known.number, read_case, &form, &form.err);
	answer(&form, rc, known.number);
}

void wf_rest_show_item_form(struct wf_rest *rest)
{
	handle_item(rest, false);
}

void wf_rest_check_item_form(struct wf_rest *rest)
{
	handle_item(rest, true);
}

void wf_rest_show_start_form(struct wf_rest *rest)
{
	handle_start(rest, false);
}

void wf_rest_check_start_form(struct wf_rest *rest)
{
	handle_start(rest, true);
}

void wf_rest_show_case_form(struct wf_rest *rest)
{
	handle_case(rest, false);
}

void wf_rest_check_case_form(struct wf_rest *rest)
{
	handle_case(rest, true);
}
