/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose queues a list is of.
 *
 * The own views have the items of those, too, whose deputy the participant is
 * now: their queues are read with the own ones, and each row is given to the
 * first of these people on whose list it is.
 */
#include <stdlib.h>
#include <string.h>

#include "rest/worklist/worklist_priv.h"
#include "worklist/audiences.h"

/* --- whose items ---------------------------------------------------------- */

static bool deny(struct wf_rest *rest, const char *format, const char *text)
{
	struct wf_error err = { .rc = WF_OK };

	wf_fail(&err, WF_DENIED, format, text);
	wf_rest_fail(rest, &err);
	return false;
}

static uint32_t number_of(const struct wf_worklist *reading)
{
	return wf_rest_actor_number(reading->organisation, &reading->actor);
}

static bool may_see(
    const struct wf_worklist *reading, enum wf_user_privilege of)
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
    struct wf_worklist *reading, const char *id, const struct wf_deputy *entry)
{
	struct wf_rest *rest = reading->rest;
	struct wf_list_person *person;

	if (reading->person_count == WF_LIST_PEOPLE)
		return;
	person = &reading->people[reading->person_count++];
	*person = (struct wf_list_person){ .id = id,
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
static void add_people(struct wf_worklist *reading)
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
const struct wf_list_person *wf_worklist_person(
    const struct wf_worklist *reading, const struct wf_item_row *row)
{
	for (size_t i = 0; i < reading->person_count; i++) {
		const struct wf_list_person *person = &reading->people[i];

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
    const struct wf_worklist *reading, const char *queue)
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
    const struct wf_worklist *reading, const struct wf_item_row *row)
{
	const struct wf_texts *members = members_of(reading, row->queue);

	for (size_t i = 0; i < members->count; i++)
		if (!wf_list_leaves_out(row, members->rows[i]))
			return true;
	return false;
}

static bool is_in_view(
    const struct wf_worklist *reading, const struct wf_item_row *row)
{
	switch (reading->view->whose) {
	case WF_OWN:
		return wf_worklist_person(reading, row) != NULL;
	case WF_TEAM:
	case WF_GROUPS:
		return row->left_out[0] == '\0' || is_listed(reading, row);
	case WF_NOBODYS:
		return strcmp(row->queue, WF_UNOFFERED_QUEUE) == 0 ||
		       !is_listed(reading, row);
	}
	return false;
}

bool wf_worklist_fits(void *context, const struct wf_item_row *row)
{
	struct wf_worklist *reading = context;

	return is_in_view(reading, row) &&
	       (!reading->only_suspended ||
		   row->assignment != WF_RESOURCE_STARTED ||
		   row->status == WF_ITEM_SUSPENDED) &&
	       (reading->words.count == 0 ||
		   wf_worklist_has_words(reading, row)) &&
	       (reading->fits == NULL || reading->fits(reading->context, row));
}

static bool add_own_queues(struct wf_worklist *reading)
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
static void set_people(struct wf_worklist *reading, const uint64_t *set)
{
	size_t count = reading->query.queues.count;

	make_unique(&reading->query.queues);
	reading->set = set;
	reading->members = wf_arena_array(
	    reading->rest->arena, count, sizeof(*reading->members));
}

static bool add_queues_of(struct wf_worklist *reading, const uint64_t *set)
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
static bool add_nobodys_queues(struct wf_worklist *reading)
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
bool wf_worklist_add_queues(struct wf_worklist *reading)
{
	struct wf_rest *rest = reading->rest;
	uint32_t number = number_of(reading);
	uint64_t *set = wf_people_new(reading->organisation, rest->arena);

	if (reading->view->whose != WF_OWN && reading->actor.deputy != NULL)
		return deny(rest,
		    "a deputy sees what stands on the list of the other, not "
		    "the view %s",
		    reading->view->name);
	switch (reading->view->whose) {
	case WF_NOBODYS:
		if (!wf_rest_is_administrator_in(
			reading->organisation, &reading->actor))
			return deny(rest, "only an administrator sees %s items",
			    "unoffered");
		return add_nobodys_queues(reading);
	case WF_OWN:
		if (number == WF_ORG_NOBODY)
			return deny(rest,
			    "the account %s is no participant: for=USER shows "
			    "the list of one",
			    rest->account.name);
		return add_own_queues(reading);
	case WF_TEAM:
	case WF_GROUPS:
		if (number == WF_ORG_NOBODY)
			return deny(rest,
			    "the account %s is no participant: for=USER shows "
			    "what one sees",
			    rest->account.name);
		if (!may_see(reading, reading->view->whose == WF_TEAM
					  ? WF_USER_TEAM
					  : WF_USER_GROUP))
			return deny(rest, "this needs the privilege %s",
			    reading->view->whose == WF_TEAM
				? "canViewTeamItems"
				: "canViewOrgGroupItems");
		if (reading->view->whose == WF_TEAM)
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
