/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worklist: the items of a participant, or of those whose items the
 * participant may see.  A view is a set of queues and states.
 *
 * The own views have the items of those, too, whose deputy the participant is
 * now: their queues are read with the own ones, and each row is given to the
 * first of these people on whose list it is.
 */
#include <stdlib.h>
#include <string.h>

#include "data/deadline.h"
#include "people/decision.h"
#include "rest/rest_item.h"
#include "rest/rest_people.h"
#include "worklist/audiences.h"
#include "worklist/list.h"
#include "worklist/piles.h"

#define FROM(status) (1U << WF_RESOURCE_##status)

enum whose { OWN, TEAM, GROUPS, NOBODYS };

static const struct view {
	const char *name;
	enum whose whose;
	uint32_t assignments;
	uint32_t statuses;
} views[] = {
	{ "mine", OWN, 0, 0 },
	{ "offered", OWN, FROM(OFFERED), 0 },
	{ "allocated", OWN, FROM(ALLOCATED), 0 },
	{ "started", OWN, FROM(STARTED), 0 },
	{ "suspended", OWN, FROM(STARTED), 1U << WF_ITEM_SUSPENDED },
	{ "team", TEAM, 0, 0 },
	{ "groups", GROUPS, 0, 0 },
	{ "unoffered", NOBODYS, FROM(UNOFFERED) | FROM(OFFERED), 0 },
};

/* Somebody whose own list is read. */
struct person {
	const char *id;
	const struct wf_deputy *entry; /* NULL: it is for oneself */
	struct wf_texts queues;	       /* sorted */
	struct wf_workload workload;
};

#define PEOPLE (1U + WF_DEPUTIES)

/* What is read for one request. */
struct reading {
	struct wf_rest *rest;
	struct wf_organisation *organisation;
	struct wf_rest_actor actor;
	const struct view *view;
	struct wf_list_query query;
	struct wf_queue_key after;
	/* Whose lists are asked; with those of them who see each queue of the
	 * query, NULL: not asked yet.  Not of own views. */
	const uint64_t *set;
	struct wf_texts **members;
	struct person people[PEOPLE]; /* of own views */
	size_t person_count;
	struct wf_workload workload; /* of the actor; of other views */
	bool only_suspended;	     /* of those that are started */
	/* An item beside that; NULL: all fit. */
	bool (*fits)(void *context, const struct wf_item_row *row);
	void *context;
};

/* --- whose items ---------------------------------------------------------- */

static bool deny(struct wf_rest *rest, const char *format, const char *text)
{
	struct wf_error err = { .rc = WF_OK };

	wf_fail(&err, WF_DENIED, format, text);
	wf_rest_fail(rest, &err);
	return false;
}

static uint32_t number_of(const struct reading *reading)
{
	return wf_rest_actor_number(reading->organisation, &reading->actor);
}

static bool may_see(const struct reading *reading, enum wf_user_privilege of)
{
	uint32_t number = number_of(reading);

	return reading->actor.is_administrator ||
	       (number != WF_ORG_NOBODY &&
		   wf_has_user_privilege(reading->organisation, number, of));
}

static int compare_texts(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* Sorts them and leaves each once. */
static void make_unique(struct wf_texts *texts)
{
	size_t count = 0;

	if (texts->count > 1)
		qsort(texts->rows, texts->count, sizeof(*texts->rows),
		    compare_texts);
	for (size_t i = 0; i < texts->count; i++)
		if (count == 0 ||
		    strcmp(texts->rows[count - 1], texts->rows[i]) != 0)
			texts->rows[count++] = texts->rows[i];
	texts->count = count;
}

/* --- own lists ------------------------------------------------------------ */

static void add_person(
    struct reading *reading, const char *id, const struct wf_deputy *entry)
{
	struct wf_rest *rest = reading->rest;
	struct person *person;

	if (reading->person_count == PEOPLE)
		return;
	person = &reading->people[reading->person_count++];
	*person = (struct person){ .id = id,
		.entry = entry,
		.queues = wf_audiences_queues(rest->server->audiences,
		    reading->organisation, id, rest->arena) };
	make_unique(&person->queues);
	wf_rest_read_workload(
	    rest, reading->organisation, id, &person->workload);
}

/*
 * The one whom the list is for, and, if it is for oneself, those whose deputy
 * that one is.  Of two entries for one person, each is a person of its own.
 */
static void add_people(struct reading *reading)
{
	struct wf_rest *rest = reading->rest;
	const struct wf_deputy_list others =
	    wf_rest_acts_for(rest, reading->organisation);
	const char *participant = reading->actor.participant;
	bool is_deputy = reading->actor.deputy != NULL;

	if (!is_deputy)
		add_person(reading, participant, NULL);
	for (size_t i = 0; i < others.count; i++)
		if (is_deputy ? strcmp(others.rows[i].person, participant) == 0
			      : wf_rest_argument(rest, "for") == NULL)
			add_person(
			    reading, others.rows[i].person, &others.rows[i]);
}

static bool has_queue(const struct wf_texts *queues, const char *queue)
{
	return queues->count > 0 &&
	       bsearch(&queue, queues->rows, queues->count,
		   sizeof(*queues->rows), compare_texts) != NULL;
}

/* On whose list the item is; NULL: on nobody's. */
static const struct person *person_of(
    const struct reading *reading, const struct wf_item_row *row)
{
	for (size_t i = 0; i < reading->person_count; i++) {
		const struct person *person = &reading->people[i];

		if (has_queue(&person->queues, row->queue) &&
		    !wf_list_leaves_out(row, person->id) &&
		    (person->entry == NULL ||
			wf_rest_deputy_is_for(
			    reading->rest, person->entry, row->specification)))
			return person;
	}
	return NULL;
}

/* Those of the set who see the queue, which is one of the query. */
static const struct wf_texts *members_of(
    const struct reading *reading, const char *queue)
{
	const struct wf_texts *queues = &reading->query.queues;
	struct wf_arena *arena = reading->rest->arena;
	const char *const *found = bsearch(&queue, queues->rows, queues->count,
	    sizeof(*queues->rows), compare_texts);
	struct wf_texts **members = &reading->members[found - queues->rows];

	if (*members == NULL) {
		*members = wf_arena_alloc(arena, sizeof(**members));
		**members =
		    wf_audiences_members(reading->rest->server->audiences,
			reading->organisation, queue, reading->set, arena);
	}
	return *members;
}

/* Whether the item is on the list of one of the set. */
static bool is_listed(
    const struct reading *reading, const struct wf_item_row *row)
{
	const struct wf_texts *members = members_of(reading, row->queue);

	for (size_t i = 0; i < members->count; i++)
		if (!wf_list_leaves_out(row, members->rows[i]))
			return true;
	return false;
}

static bool is_in_view(
    const struct reading *reading, const struct wf_item_row *row)
{
	switch (reading->view->whose) {
	case OWN:
		return person_of(reading, row) != NULL;
	case TEAM:
	case GROUPS:
		return row->left_out[0] == '\0' || is_listed(reading, row);
	case NOBODYS:
		return strcmp(row->queue, WF_UNOFFERED_QUEUE) == 0 ||
		       !is_listed(reading, row);
	}
	return false;
}

static bool fits_reading(void *context, const struct wf_item_row *row)
{
	const struct reading *reading = context;

	return is_in_view(reading, row) &&
	       (!reading->only_suspended ||
		   row->assignment != WF_RESOURCE_STARTED ||
		   row->status == WF_ITEM_SUSPENDED) &&
	       (reading->fits == NULL || reading->fits(reading->context, row));
}

static bool add_own_queues(struct reading *reading)
{
	struct wf_rest *rest = reading->rest;
	struct wf_texts *queues = &reading->query.queues;

	add_people(reading);
	for (size_t i = 0; i < reading->person_count; i++)
		for (size_t k = 0; k < reading->people[i].queues.count; k++)
			wf_org_texts_add(rest->arena, queues,
			    reading->people[i].queues.rows[k]);
	make_unique(queues);
	if (queues->count <= WF_LIST_QUEUES)
		return true;
	wf_rest_problem(rest, 422, "limit", "A limit was reached",
	    "there are too many queues in this view; for=USER shows the items "
	    "of one");
	return false;
}

/* --- the lists of several ------------------------------------------------- */

/* Of each of these queues it is not known yet who sees it. */
static void set_people(struct reading *reading, const uint64_t *set)
{
	size_t count = reading->query.queues.count;

	make_unique(&reading->query.queues);
	reading->set = set;
	reading->members = wf_arena_array(
	    reading->rest->arena, count, sizeof(*reading->members));
}

static bool add_queues_of(struct reading *reading, const uint64_t *set)
{
	struct wf_rest *rest = reading->rest;
	const struct wf_organisation *o = reading->organisation;
	struct wf_texts *queues = &reading->query.queues;

	WF_BITSET_EACH (i, set, wf_people_words(o)) {
		struct wf_texts more =
		    wf_audiences_queues(rest->server->audiences, o,
			wf_org_at(o, WF_ORG_PARTICIPANT, (uint32_t)i)->id,
			rest->arena);

		for (size_t k = 0; k < more.count; k++)
			wf_org_texts_add(rest->arena, queues, more.rows[k]);
		if (queues->count > 2 * WF_LIST_QUEUES)
			make_unique(queues);
		if (queues->count > WF_LIST_QUEUES) {
			wf_rest_problem(rest, 422, "limit",
			    "A limit was reached",
			    "there are too many people in this view; for=USER "
			    "shows the items of one");
			return false;
		}
	}
	set_people(reading, set);
	return true;
}

/*
 * What is unoffered, or offered to roles that nobody has now, but those whom
 * the item leaves out.
 */
static bool add_nobodys_queues(struct reading *reading)
{
	const struct wf_organisation *organisation = reading->organisation;
	struct wf_rest *rest = reading->rest;
	struct wf_texts *queues = &reading->query.queues;
	uint64_t *everybody = wf_people_new(organisation, rest->arena);

	for (size_t i = wf_org_count(organisation, WF_ORG_PARTICIPANT); i > 0;
	     i--)
		wf_bitset_add(everybody, i - 1);
	*queues = wf_audiences_of_few(rest->server->audiences, organisation,
	    WF_LIST_QUEUES - 1, rest->arena);
	wf_org_texts_add(rest->arena, queues, WF_UNOFFERED_QUEUE);
	set_people(reading, everybody);
	return true;
}

/* False: answered. */
static bool add_queues(struct reading *reading)
{
	struct wf_rest *rest = reading->rest;
	uint32_t number = number_of(reading);
	uint64_t *set = wf_people_new(reading->organisation, rest->arena);

	if (reading->view->whose != OWN && reading->actor.deputy != NULL)
		return deny(rest,
		    "a deputy sees what stands on the list of the other, not "
		    "the view %s",
		    reading->view->name);
	switch (reading->view->whose) {
	case NOBODYS:
		if (!wf_rest_is_administrator_in(
			reading->organisation, &reading->actor))
			return deny(rest, "only an administrator sees %s items",
			    "unoffered");
		return add_nobodys_queues(reading);
	case OWN:
		if (number == WF_ORG_NOBODY)
			return deny(rest,
			    "the account %s is no participant: for=USER shows "
			    "the list of one",
			    rest->account.name);
		return add_own_queues(reading);
	case TEAM:
	case GROUPS:
		if (number == WF_ORG_NOBODY)
			return deny(rest,
			    "the account %s is no participant: for=USER shows "
			    "what one sees",
			    rest->account.name);
		if (!may_see(reading, reading->view->whose == TEAM
					  ? WF_USER_TEAM
					  : WF_USER_GROUP))
			return deny(rest, "this needs the privilege %s",
			    reading->view->whose == TEAM
				? "canViewTeamItems"
				: "canViewOrgGroupItems");
		if (reading->view->whose == TEAM)
			wf_people_add_reports(
			    reading->organisation, set, number);
		else
			wf_people_add_colleagues(
			    reading->organisation, set, number);
		break;
	}
	wf_rest_read_workload(rest, reading->organisation,
	    reading->actor.participant, &reading->workload);
	return add_queues_of(reading, set);
}

/* --- arguments ------------------------------------------------------------ */

static bool read_view(struct reading *reading)
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
static bool read_states(struct reading *reading)
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
	    has_suspended && (states & FROM(STARTED)) == 0;
	if (has_suspended)
		states |= FROM(STARTED);
	*assignments = *assignments == 0 ? states : *assignments & states;
	if (*assignments != 0)
		return true;
	wf_rest_refuse(reading->rest,
	    "state: the view %s has no item in such a state",
	    reading->view->name);
	return false;
}

static bool read_order(struct reading *reading)
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
static bool read_after(struct reading *reading)
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
    struct reading *reading, const char *name, int sign, int64_t *at_out)
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

static bool read_priority(struct reading *reading)
{
	const char *text = wf_rest_argument(reading->rest, "priority");
	uint64_t least;

	reading->query.greatest_rank = UINT32_MAX;
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

static bool read_data(struct reading *reading)
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
static bool read_processes(struct reading *reading)
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

/* False: answered, or sent to the pool. */
static bool read_query(struct reading *reading)
{
	struct wf_rest *rest = reading->rest;
	struct wf_list_query *query = &reading->query;

	query->fits = fits_reading;
	query->context = reading;
	query->namespace_id = rest->account.namespace_id;
	query->task = wf_rest_argument(rest, "task");
	return read_processes(reading) &&
	       wf_rest_read_actor(rest, &reading->actor) &&
	       read_view(reading) && read_states(reading) &&
	       read_order(reading) && read_after(reading) &&
	       read_priority(reading) &&
	       read_instant(reading, "older", -1, &query->enabled_before) &&
	       read_instant(reading, "due", 1, &query->due_before) &&
	       read_data(reading) && wf_rest_limit(rest, &query->limit);
}

/* --- the page ------------------------------------------------------------- */

/*
 * One row: its task says what may be done, and sometimes its case, which is
 * read then.
 */
struct describing {
	const struct reading *reading;
	const struct wf_item_row *row;
	const struct person *person; /* on whose list it is; or NULL */
	json_t *object;
	struct wf_rest_actor actor;
	bool is_offered; /* to the actor */
	bool operates;	 /* the account, items of the process */
	bool asks_case;
};

static const struct wf_task *find_task(
    const struct wf_spec *spec, const char *id)
{
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		struct wf_net *net = spec->decompositions[i].net;
		uintptr_t number =
		    net == NULL ? 0
				: (uintptr_t)wf_map_get(net->task_numbers, id);

		if (number != 0)
			return &net->tasks[number - 1];
	}
	return NULL;
}

static void begin_row(struct describing *d)
{
	const struct reading *reading = d->reading;
	const struct person *person = d->person;
	const char *own = reading->actor.participant;
	const struct wf_item_row *row = d->row;

	d->actor = reading->actor;
	d->is_offered =
	    row->assignment == WF_RESOURCE_OFFERED &&
	    (person != NULL ||
		(own != NULL && !wf_list_leaves_out(row, own) &&
		    wf_audiences_see(reading->rest->server->audiences,
			reading->organisation, row->queue, own)));
	if (person == NULL)
		return;
	d->actor.participant = person->id;
	d->actor.is_administrator = false;
	if (person->entry != NULL && d->actor.deputy == NULL)
		d->actor.deputy = own;
}

/* question: with the case; NULL: what can be done does not depend on it. */
static void put_actions(struct describing *d, const struct wf_task *task,
    const struct wf_people_question *question)
{
	const struct reading *reading = d->reading;
	const struct wf_item_row *row = d->row;
	struct wf_rest *rest = reading->rest;
	const struct wf_rest_work work = { .rest = rest,
		.organisation = reading->organisation,
		.task = task,
		.assignment = (enum wf_resource_status)row->assignment,
		.status = (enum wf_item_status)row->status,
		.was_started = row->started_at != 0,
		.holder = row->assignment >= WF_RESOURCE_ALLOCATED &&
				  strncmp(row->queue, "P:", 2) == 0
			      ? row->queue + 2
			      : "",
		.is_offered = d->is_offered,
		.operates = d->operates,
		.question = question,
		.actor = &d->actor,
		.item = row->id,
		.workload = d->person == NULL ? &reading->workload
					      : &d->person->workload,
		.piled = wf_piles_find(rest->server->piles, task, rest->arena),
		.chained = question == NULL
			       ? NULL
			       : wf_case_chained(question->instance) };

	wf_rest_put_actions(d->object, &work, false);
}

static void put_task(void *context, const struct wf_spec *spec)
{
	struct describing *d = context;
	const struct wf_task *task = find_task(spec, d->row->task);
	const struct wf_account *account = &d->reading->rest->account;
	const struct wf_object object = { account->namespace_id,
		wf_spec_identifier(spec), WF_PEOPLE_SERVICE };

	d->operates = wf_account_may(account, WF_MAY(OPERATE), &object);

	if (d->person != NULL && d->person->entry != NULL)
		wf_json_put_text(d->object, "for",
		    wf_rest_user(d->reading->organisation, d->person->id));
	if (task == NULL)
		return;
	wf_json_put_text(d->object, "name", task->name);
	wf_json_put_text(d->object, "process",
	    spec->metadata.title == NULL ? spec->uri : spec->metadata.title);
	/* To whom the case is chained is not asked: cases are rarely chained,
	 * and each row would read one. */
	d->asks_case = d->row->choice != 0 || wf_people_asks_case(task);
	if (!d->asks_case)
		put_actions(d, task, NULL);
}

/* As the item is now. */
static void put_of_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct describing *d = context;
	struct wf_people_question question;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, d->row->id, &item, NULL) != WF_OK)
		return;
	question = wf_rest_people_question(instance, &item, &d->actor);
	put_actions(d, item.task, &question);
}

/* An item that has gone meanwhile has no actions. */
static void describe_row(struct describing *d)
{
	struct wf_rest *rest = d->reading->rest;

	begin_row(d);
	(void)(wf_engine_inspect_spec(rest->server->engine,
		   rest->account.namespace_id, d->row->specification, false,
		   put_task, d, NULL) == WF_OK);
	if (!d->asks_case)
		return;
	(void)(wf_engine_inspect(rest->server->engine, d->row->number,
		   put_of_case, d, NULL) == WF_OK);
	if (json_object_get(d->object, "actions") == NULL)
		json_object_set_new(d->object, "actions", json_array());
}

static json_t *describe_page(
    struct reading *reading, const struct wf_list_page *page)
{
	struct wf_rest *rest = reading->rest;
	const struct wf_item_list list = { page->rows, page->count };
	json_t *items = wf_rest_describe_items(rest, &list);
	json_t *answer = json_object();

	for (size_t i = 0; i < page->count; i++) {
		struct describing d = { .reading = reading,
			.row = &page->rows[i],
			.person = person_of(reading, &page->rows[i]),
			.object = json_array_get(items, i) };

		describe_row(&d);
	}
	json_object_set_new(answer, "items", items);
	if (page->has_more)
		json_object_set_new(answer, "next",
		    json_string(wf_arena_printf(rest->arena,
			"%lld.%lld.%llu/%s", (long long)page->next.value,
			(long long)page->next.enabled_at,
			(unsigned long long)page->next.number, page->next.id)));
	return answer;
}

static void answer_page(struct reading *reading)
{
	struct wf_rest *rest = reading->rest;
	struct wf_error err = { .rc = WF_OK };
	struct wf_list_page page;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(rest->server->engine, &store, &err);

	if (rc == WF_OK) {
		rc = wf_list_read(
		    store, &reading->query, rest->arena, &page, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc == WF_OK)
		wf_rest_answer(rest, 200, describe_page(reading, &page));
	else
		wf_rest_fail(rest, &err);
}

void wf_rest_show_worklist(struct wf_rest *rest)
{
	struct reading *reading = wf_arena_alloc(rest->arena, sizeof(*reading));
	struct wf_organisation *organisation;

	*reading = (struct reading){ .rest = rest };
	if (!read_query(reading))
		return;
	if (!rest->server->settings.people) {
		wf_rest_problem(rest, 409, "conflict", "Not in this state",
		    "this server offers no items to people; it would with the "
		    "setting people");
		return;
	}
	organisation = wf_org_cache_get(rest->server->organisation);
	reading->organisation = organisation;
	if (add_queues(reading))
		answer_page(reading);
	/* The answer ends the arena, and the reading with it. */
	wf_organisation_unref(&organisation);
}
