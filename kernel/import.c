/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches a case that was begun elsewhere: rows become events.
 *
 * Every row is checked: one that does not fit the specification refuses the
 * launch, with the net and the reason.
 */
#include "kernel/import_priv.h"

#include "base/codec.h"

#define FORMAT 1

void wf_import_put(
    struct wf_buffer *description, const struct wf_import_row *row)
{
	wf_assert(row->kind > 0 && row->kind <= WF_IMPORT_LAST);
	if (description->length == 0)
		wf_put_number(description, FORMAT);
	wf_put_number(description, row->kind);
	wf_put_string(description, row->net == NULL ? "" : row->net);
	wf_put_string(description, row->name == NULL ? "" : row->name);
	wf_put_number(description, row->instance);
	wf_put_number(description, row->status);
	wf_put_number(description, row->number);
	wf_put_signed(description, row->time);
	wf_put_number(description, row->data != NULL);
	wf_put_bytes(
	    description, row->data, row->data == NULL ? 0 : row->length);
}

static char *get_text(struct step *s, struct wf_reader *reader)
{
	size_t size;
	const char *bytes = wf_get_bytes(reader, &size);
	char *text = wf_step_alloc(s, size + 1);

	if (bytes != NULL)
		memcpy(text, bytes, size);
	text[size] = '\0';
	return text;
}

static bool get_row(
    struct step *s, struct wf_reader *reader, struct wf_import_row *row)
{
	bool has_data;

	row->kind = (enum wf_import_kind)wf_get_bounded(reader, WF_IMPORT_LAST);
	row->net = get_text(s, reader);
	row->name = get_text(s, reader);
	row->instance = wf_get_bounded(reader, UINT32_MAX);
	row->status = wf_get_bounded(reader, WF_ITEM_DISCARDED);
	row->number = wf_get_bounded(reader, UINT32_MAX);
	row->time = wf_get_signed(reader);
	has_data = wf_get_bounded(reader, 1) != 0;
	row->data = wf_get_bytes(reader, &row->length);
	if (!has_data)
		row->data = NULL;
	return !reader->bad && row->kind != 0;
}

/* --- values --------------------------------------------------------------- */

bool wf_import_place(const struct importer *im, const struct wf_value *value,
    uint32_t *at_out, const char **name_out, const struct wf_type **type_out)
{
	const struct wf_net *net = im->net->net;
	size_t count = net->variable_count;

	wf_assert(im->task == NULL || im->task->decomposition != NULL);
	if (im->task != NULL)
		count = im->task->decomposition->input_count;
	for (uint32_t i = 0; i < count; i++) {
		const struct wf_variable *input =
		    im->task == NULL ? NULL
				     : &im->task->decomposition->inputs[i];

		*at_out = i;
		*name_out =
		    input != NULL ? input->name : net->variables[i].name;
		*type_out =
		    input != NULL ? input->type : net->variables[i].type;
		if (wf_value_is_named(value, *name_out))
			return true;
	}
	return false;
}

/* The initial value of a variable of any type is an empty element. */
static bool is_checked(const struct importer *im, const struct wf_value *value)
{
	if (im->task != NULL)
		return !im->task->decomposition->skips_start_validation;
	return !wf_value_is_empty(value);
}

static enum wf_rc place_value(
    struct importer *im, struct wf_value *value, struct values *places)
{
	const struct wf_type *type;
	const char *name;
	uint32_t at;

	if (!wf_import_place(im, value, &at, &name, &type))
		return REFUSE(im, "<%.*s> is no %s", (int)value->name_length,
		    wf_value_name(value),
		    im->task != NULL ? "input parameter" : "variable");
	if (places->values[at] != NULL)
		return REFUSE(im, "<%s> is there twice", name);
	places->values[at] = wf_step_own(im->s, wf_value_ref(value));
	if (!is_checked(im, value))
		return WF_OK;
	return wf_check_value(im->s, im->net->net->spec, type, value, name);
}

/* The children of the data of the row. */
enum wf_rc wf_import_values(struct importer *im, struct values *places)
{
	struct wf_value_list list = { NULL, NULL, 0 };
	enum wf_rc rc = WF_OK;

	places->count = im->task != NULL ? im->task->decomposition->input_count
					 : im->net->net->variable_count;
	places->values =
	    wf_step_alloc(im->s, places->count * sizeof(*places->values));
	if (im->row.data == NULL)
		return WF_OK;
	rc = wf_value_list_parse(
	    &list, im->row.data, im->row.length, im->s->err);
	for (size_t i = 0; i < list.count && rc == WF_OK; i++)
		rc = place_value(im, list.values[i], places);
	wf_value_list_free(&list);
	return rc;
}

/* --- nets ----------------------------------------------------------------- */

static enum wf_rc set_variables(struct importer *im)
{
	struct wf_event event = { .kind = WF_EVENT_VARIABLES_SET };
	struct values places;
	enum wf_rc rc;

	im->task = NULL;
	rc = wf_import_values(im, &places);
	if (rc != WF_OK)
		return rc;
	wf_bind(im->s, &places, &event);
	event.net = im->net->serial;
	if (event.value_count > 0)
		wf_emit(im->s, &event);
	return WF_OK;
}

static enum wf_rc add_net(struct importer *im)
{
	struct wf_event event = { .kind = WF_EVENT_NET_STARTED };
	struct wf_case *c = im->s->c;
	bool is_root = im->row.net[0] == '\0';

	if (is_root && c->root != NULL)
		return REFUSE(im, "the net is there twice");
	if (!is_root) {
		if (im->task->kind != WF_COMPOSITE_TASK)
			return REFUSE(im, "task %s has no net", im->task->id);
		if (im->net->depth >= c->limits->depth)
			return wf_fail(im->s->err, WF_LIMIT,
			    "more than %u composite tasks within one another",
			    c->limits->depth);
		if (im->instance == NULL ||
		    im->instance->status > WF_ITEM_SUSPENDED ||
		    im->instance->subnet != NULL)
			return REFUSE(im,
			    "task %s has no instance that waits for it",
			    im->task->id);
		event.net = im->net->serial;
		event.task = im->task->number;
		event.instance = im->row.instance;
	}
	wf_emit(im->s, &event);
	im->net = is_root ? c->root : im->instance->subnet;
	wf_assert(im->net != NULL);
	wf_emit_task(im->s, WF_EVENT_CONDITION_EMPTIED, im->net,
	    im->net->net->input_condition);
	return set_variables(im);
}

static enum wf_rc add_tokens(struct importer *im)
{
	const struct wf_net *net = im->net->net;
	struct wf_event event = { .kind = WF_EVENT_CONDITION_MARKED };
	uint32_t maximum = im->s->c->limits->tokens;

	event.net = im->net->serial;
	event.task =
	    wf_net_condition_number(net, im->row.name, strlen(im->row.name));
	if (event.task == UINT32_MAX)
		return REFUSE(im, "there is no condition %s in net %s",
		    im->row.name, net->decomposition->id);
	if (im->row.number > maximum - im->net->tokens[event.task])
		return wf_fail(im->s->err, WF_LIMIT,
		    "condition %s: more than %u tokens", im->row.name, maximum);
	event.number = im->net->tokens[event.task] + im->row.number;
	if (im->row.number > 0)
		wf_emit(im->s, &event);
	return WF_OK;
}

static enum wf_rc add_count(struct importer *im)
{
	struct wf_event event = { .kind = WF_EVENT_INSTANCES_COUNTED };

	event.net = im->net->serial;
	event.number = im->row.number;
	if (event.number > im->net->last_child)
		wf_emit(im->s, &event);
	return WF_OK;
}

static enum wf_rc suspend_case(struct importer *im)
{
	im->suspended = true;
	return WF_OK;
}

/* --- rows ----------------------------------------------------------------- */

static const struct handler {
	enum wf_rc (*handle)(struct importer *im);
	bool has_task;
} handlers[WF_IMPORT_LAST + 1] = {
	[WF_IMPORT_NET] = { add_net, false },
	[WF_IMPORT_TOKENS] = { add_tokens, false },
	[WF_IMPORT_INSTANCE] = { wf_import_instance, true },
	[WF_IMPORT_COUNT] = { add_count, false },
	[WF_IMPORT_RESULT] = { wf_import_result, true },
	[WF_IMPORT_OFFERED] = { wf_import_offered, true },
	[WF_IMPORT_DATED] = { wf_import_dated, true },
	[WF_IMPORT_SUSPENDED] = { wf_import_suspended, true },
	[WF_IMPORT_TIMER] = { wf_import_timer, true },
	[WF_IMPORT_TIMER_STATE] = { wf_import_timer_state, true },
	[WF_IMPORT_CASE_SUSPENDED] = { suspend_case, false },
};

static enum wf_rc find_task(struct importer *im)
{
	const struct wf_net *net = im->net->net;
	uint32_t at =
	    wf_net_task_number(net, im->row.name, strlen(im->row.name));

	if (at == UINT32_MAX)
		return REFUSE(im, "there is no task %s in net %s", im->row.name,
		    net->decomposition->id);
	im->task = &net->tasks[at];
	im->activity = im->net->activities[at];
	if (im->activity != NULL)
		im->instance =
		    wf_activity_instance(im->activity, im->row.instance);
	return WF_OK;
}

static enum wf_rc handle_row(struct importer *im)
{
	const struct handler *handler = &handlers[im->row.kind];
	bool makes_net = im->row.kind == WF_IMPORT_NET;
	bool is_root = makes_net && im->row.net[0] == '\0';
	uint32_t last;
	enum wf_rc rc = WF_OK;

	/* Later instances get higher numbers, for which there must be room. */
	if (im->row.instance > INT32_MAX || im->row.number > INT32_MAX)
		return REFUSE(im, "a number is larger than %d", INT32_MAX);
	wf_assert(handler->handle != NULL);
	im->net = wf_net_by_path(im->s->c, im->row.net, makes_net, &last);
	im->task = NULL;
	im->activity = NULL;
	im->instance = NULL;
	if (makes_net)
		im->row.instance = last;
	if (im->net == NULL && !is_root)
		rc = REFUSE(im, "there is no such net");
	else if (handler->has_task || (makes_net && !is_root))
		rc = find_task(im);
	if (rc == WF_OK)
		rc = handler->handle(im);
	if (rc != WF_OK)
		wf_error_prefix(im->s->err, "net %s%s%s", im->s->c->id,
		    im->row.net[0] == '\0' ? "" : ".", im->row.net);
	return rc;
}

/* --- the whole ------------------------------------------------------------ */

static enum wf_rc check_task(
    struct step *s, const struct net_instance *n, const struct activity *busy)
{
	const struct wf_task *task = wf_task_of(n, busy->task);

	if (busy->active_count == 0)
		return wf_fail(s->err, WF_DATA,
		    "task %s is busy, but all its instances have ended",
		    task->id);
	for (uint32_t i = 0; i < busy->instance_count; i++) {
		const struct instance *instance = &busy->instances[i];

		if (task->kind == WF_COMPOSITE_TASK &&
		    instance->status <= WF_ITEM_SUSPENDED &&
		    instance->subnet == NULL)
			return wf_fail(s->err, WF_DATA,
			    "the net of instance %u of task %s is missing",
			    instance->number, task->id);
	}
	return WF_OK;
}

static enum wf_rc check_nets(struct step *s)
{
	enum wf_rc rc = WF_OK;

	if (s->c->root == NULL)
		return wf_fail(s->err, WF_DATA, "there is no root net");
	for (uint32_t i = 0; i < s->c->net_count; i++) {
		const struct net_instance *n = s->c->nets[i];

		for (uint32_t t = 0; t < n->net->task_count && rc == WF_OK; t++)
			if (n->activities[t] != NULL && n->activities[t]->busy)
				rc = check_task(s, n, n->activities[t]);
	}
	return rc;
}

/* Continues the case, unless it is suspended. */
static enum wf_rc continue_case(struct step *s, bool suspended)
{
	struct wf_event event = { .kind = WF_EVENT_CASE_SUSPENDED };
	enum wf_rc rc = WF_OK;

	if (suspended)
		wf_emit(s, &event);
	else
		rc = wf_advance_all(s);
	if (rc == WF_OK && s->c->status > WF_CASE_SUSPENDED)
		rc = wf_fail(s->err, WF_DATA,
		    "the case would be over at once: no item is live in it, "
		    "and nothing else can happen");
	return rc;
}

enum wf_rc wf_import(struct step *s)
{
	struct importer im = { .s = s };
	struct wf_reader reader;
	enum wf_rc rc = WF_OK;

	wf_reader_init(&reader, s->command->data,
	    s->command->data == NULL ? 0 : s->command->length);
	if (wf_get_number(&reader) != FORMAT)
		return wf_fail(s->err, WF_INVALID,
		    "the description of a case has an unknown format");
	while (rc == WF_OK && reader.next < reader.end) {
		if (!get_row(s, &reader, &im.row))
			return wf_fail(s->err, WF_INVALID,
			    "the description of a case is damaged");
		rc = handle_row(&im);
	}
	if (rc == WF_OK)
		rc = check_nets(s);
	return rc != WF_OK ? rc : continue_case(s, im.suspended);
}
