/* SPDX-License-Identifier: Apache-2.0 */
/* What a list of items for people is asked for: the arguments. */
#include <stdlib.h>
#include <string.h>

#include "data/deadline.h"
#include "rest/worklist/worklist_priv.h"

static const struct wf_worklist_view views[] = {
	{ "mine", WF_OWN, 0, 0 },
	{ "offered", WF_OWN, WF_FROM(OFFERED), 0 },
	{ "allocated", WF_OWN, WF_FROM(ALLOCATED), 0 },
	{ "started", WF_OWN, WF_FROM(STARTED), 0 },
	{ "suspended", WF_OWN, WF_FROM(STARTED), 1U << WF_ITEM_SUSPENDED },
	{ "team", WF_TEAM, 0, 0 },
	{ "groups", WF_GROUPS, 0, 0 },
	{ "unoffered", WF_NOBODYS, WF_FROM(UNOFFERED) | WF_FROM(OFFERED), 0 },
};

/* --- arguments ------------------------------------------------------------ */

static bool read_view(struct wf_worklist *reading)
{
	const char *name = wf_rest_argument(reading->rest, "view");

	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
		if (strcmp(name == NULL ? "mine" : name, views[i].name) == 0) {
			reading->view = &views[i];
			reading->query.assignments = views[i].assignments;
			reading->query.statuses = views[i].statuses;
			return true;
		}
	wf_rest_refuse(reading->rest,
	    "view: expected mine, offered, allocated, started, suspended, "
	    "team, groups or unoffered");
	return false;
}

/* Bits of enum wf_resource_status; false: there is no such state. */
static bool add_state(
    const char *text, size_t length, uint32_t *states, bool *has_suspended)
{
	static const struct {
		const char *name;
		enum wf_resource_status assignment;
	} names[] = {
		{ "unoffered", WF_RESOURCE_UNOFFERED },
		{ "offered", WF_RESOURCE_OFFERED },
		{ "allocated", WF_RESOURCE_ALLOCATED },
		{ "started", WF_RESOURCE_STARTED },
	};

	if (length == strlen("suspended") &&
	    strncmp(text, "suspended", length) == 0)
		return *has_suspended = true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == length &&
		    strncmp(names[i].name, text, length) == 0) {
			*states |= 1U << names[i].assignment;
			return true;
		}
	return false;
}

/* The states of "state", one or several, of those that the view has. */
static bool read_states(struct wf_worklist *reading)
{
	const char *at = wf_rest_argument(reading->rest, "state");
	uint32_t *assignments = &reading->query.assignments;
	uint32_t states = 0;
	bool has_suspended = false;

	if (at == NULL || *at == '\0')
		return true;
	while (*at != '\0') {
		size_t length = strcspn(at, ",");

		if (!add_state(at, length, &states, &has_suspended)) {
			wf_rest_refuse(reading->rest,
			    "state: expected unoffered, offered, allocated, "
			    "started or suspended, with commas between");
			return false;
		}
		at += length + (at[length] == ',');
	}
	/* What is suspended is among what is started. */
	reading->only_suspended =
	    has_suspended && (states & WF_FROM(STARTED)) == 0;
	if (has_suspended)
		states |= WF_FROM(STARTED);
	*assignments = *assignments == 0 ? states : *assignments & states;
	if (*assignments != 0)
		return true;
	wf_rest_refuse(reading->rest,
	    "state: the view %s has no item in such a state",
	    reading->view->name);
	return false;
}

static bool read_order(struct wf_worklist *reading)
{
	static const char *const names[] = { "priority", "age", "due" };
	const char *name = wf_rest_argument(reading->rest, "order");

	for (size_t i = 0; name != NULL && i < 3; i++)
		if (strcmp(name, names[i]) == 0) {
			reading->query.order = (enum wf_queue_order)i;
			name = NULL;
		}
	if (name == NULL)
		return wf_rest_switch(
		    reading->rest, "descending", &reading->query.descending);
	wf_rest_refuse(reading->rest, "order: expected priority, age or due");
	return false;
}

/* The place of the last item: "VALUE.ENABLED.NUMBER/ITEM". */
static bool read_after(struct wf_worklist *reading)
{
	const char *text = wf_rest_argument(reading->rest, "after");
	struct wf_queue_key *after = &reading->after;
	long long value;
	long long enabled;
	unsigned long long number;
	int end = 0;

	if (text == NULL)
		return true;
	if (strlen(text) > WF_ITEM_ID_SIZE + 70 ||
	    sscanf(text, "%lld.%lld.%llu/%n", &value, &enabled, &number,
		&end) != 3 ||
	    end == 0) {
		wf_rest_refuse(
		    reading->rest, "after: expected \"next\" of a page");
		return false;
	}
	*after = (struct wf_queue_key){ value, enabled, number, text + end };
	reading->query.after = after;
	return true;
}

/* A time before which something was or is to be: an instant, or its age. */
static bool read_instant(
    struct wf_worklist *reading, const char *name, int sign, int64_t *at_out)
{
	struct wf_rest *rest = reading->rest;
	int32_t zone = rest->server->settings.engine.timezone;
	int64_t now = wf_engine_now(rest->server->engine);
	const char *text = wf_rest_argument(rest, name);
	struct wf_deadline deadline;
	int64_t at;

	if (text == NULL)
		return true;
	if (wf_deadline_parse(text, strlen(text), zone, &deadline) &&
	    wf_deadline_at(&deadline, now, zone, NULL, &at)) {
		*at_out = deadline.is_instant || sign > 0 ? at : 2 * now - at;
		return true;
	}
	wf_rest_refuse(rest,
	    "%s: expected a time such as 2026-01-31T12:00:00Z, or a duration "
	    "such as P2D",
	    name);
	return false;
}

static bool read_priority(struct wf_worklist *reading)
{
	const char *text = wf_rest_argument(reading->rest, "priority");
	uint64_t least;

	if (text == NULL)
		return true;
	if (!wf_rest_number(reading->rest, "priority", text, &least))
		return false;
	if (least > 100) {
		wf_rest_refuse(
		    reading->rest, "priority: expected 0 to 100, the least");
		return false;
	}
	reading->query.greatest_rank = 100 - (uint32_t)least;
	return true;
}

/* --- data ----------------------------------------------------------------- */

/* "data": NAME=VALUE, a parameter of the item and its text. */
struct data_filter {
	struct wf_rest *rest;
	const char *name;
	const char *value;
	const char *item; /* that is inspected */
	bool fits;
};

static void compare_data(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct data_filter *filter = context;
	struct wf_item item;
	struct wf_buffer xml;
	const json_t *value;
	json_t *data;
	char *text = NULL;

	(void)stored;
	wf_buffer_init(&xml, WF_REST_ITEM_DATA_BYTES);
	if (wf_case_item(instance, filter->item, &item, NULL) == WF_OK &&
	    wf_case_item_input(instance, filter->item, &xml, NULL) == WF_OK) {
		data = wf_rest_item_values(&item, &xml);
		value = json_object_get(data, filter->name);
		if (json_is_string(value))
			filter->fits = strcmp(json_string_value(value),
					   filter->value) == 0;
		else if (value != NULL)
			text =
			    json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
		if (text != NULL)
			filter->fits = strcmp(text, filter->value) == 0;
		free(text);
		json_decref(data);
	}
	wf_buffer_free(&xml);
}

static bool fits_data(void *context, const struct wf_item_row *row)
{
	struct data_filter *filter = context;

	filter->item = row->id;
	filter->fits = false;
	(void)(wf_engine_inspect(filter->rest->server->engine, row->number,
		   compare_data, filter, NULL) == WF_OK);
	return filter->fits;
}

static bool read_data(struct wf_worklist *reading)
{
	struct wf_rest *rest = reading->rest;
	const char *text = wf_rest_argument(rest, "data");
	const char *equals = text == NULL ? NULL : strchr(text, '=');
	struct data_filter *filter;

	if (text == NULL)
		return true;
	if (equals == NULL || equals == text) {
		wf_rest_refuse(rest,
		    "data: expected NAME=VALUE, a parameter of the items");
		return false;
	}
	filter = wf_arena_alloc(rest->arena, sizeof(*filter));
	*filter = (struct data_filter){ .rest = rest,
		.name = wf_arena_strndup(
		    rest->arena, text, (size_t)(equals - text)),
		.value = equals + 1 };
	reading->fits = fits_data;
	reading->query.few_fit = true;
	reading->context = filter;
	return true;
}

/*
 * The case and the processes of the list, which rights to act may be limited
 * to.  False: answered.
 */
static bool read_processes(struct wf_worklist *reading)
{
	struct wf_rest *rest = reading->rest;
	struct wf_list_query *query = &reading->query;
	const char *id = wf_rest_argument(rest, "case");
	struct wf_known_case known = { 0, 0 };
	struct wf_error err = { .rc = WF_OK };
	uint64_t *key;

	if (id != NULL && wf_server_find_case(rest->server, query->namespace_id,
			      id, &known, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return false;
	}
	if ((id != NULL && !wf_rest_may_process(rest, known.specification)) ||
	    !wf_rest_specifications(rest, &query->specifications))
		return false;
	query->number = known.number;
	rest->listed = query->specifications;
	if (id == NULL)
		return true;
	key = wf_arena_alloc(rest->arena, sizeof(*key));
	*key = known.specification;
	rest->listed = (struct wf_specification_keys){ key, 1 };
	return true;
}

void wf_worklist_begin(struct wf_worklist *reading)
{
	reading->query.fits = wf_worklist_fits;
	reading->query.context = reading;
	reading->query.namespace_id = reading->rest->account.namespace_id;
	reading->query.greatest_rank = UINT32_MAX;
	reading->view = &views[0];
}

bool wf_worklist_read_query(struct wf_worklist *reading)
{
	struct wf_rest *rest = reading->rest;
	struct wf_list_query *query = &reading->query;

	wf_worklist_begin(reading);
	query->task = wf_rest_argument(rest, "task");
	return read_processes(reading) &&
	       wf_rest_read_actor(rest, &reading->actor) &&
	       read_view(reading) && read_states(reading) &&
	       read_order(reading) && read_after(reading) &&
	       read_priority(reading) &&
	       read_instant(reading, "older", -1, &query->enabled_before) &&
	       read_instant(reading, "due", 1, &query->due_before) &&
	       read_data(reading) && wf_worklist_read_words(reading) &&
	       wf_rest_limit(rest, &query->limit);
}
