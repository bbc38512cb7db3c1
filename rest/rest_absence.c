/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a person is absent, and who acts in the place of that person meanwhile:
 * entries that the person makes, or whoever may organise.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rest/rest_people.h"

/* A request about the person of the path. */
struct entering {
	struct wf_rest *rest;
	struct wf_organisation *organisation;
	const char *person; /* an id, in the arena */
	int64_t now;
};

/* --- who and what --------------------------------------------------------- */

/* Whether the account is the person, or has the right.  False: answered. */
static bool may_enter(struct entering *entering, uint32_t verbs)
{
	struct wf_rest *rest = entering->rest;
	const struct wf_object whole = { .namespace_id =
					     rest->account.namespace_id };
	struct wf_error err = { .rc = WF_OK };
	uint32_t own = wf_org_find_name(
	    entering->organisation, WF_ORG_PARTICIPANT, rest->account.name);

	if (wf_account_may(&rest->account, verbs, &whole) ||
	    (own != WF_ORG_NOBODY && strcmp(wf_org_at(entering->organisation,
						WF_ORG_PARTICIPANT, own)
						->id,
					 entering->person) == 0))
		return true;
	wf_fail(&err, WF_DENIED,
	    "this is for %s, or for whoever has the right %s",
	    wf_rest_user(entering->organisation, entering->person),
	    (verbs & WF_MAY(READ)) != 0 ? "read" : "organise");
	wf_rest_fail(rest, &err);
	return false;
}

/* False: answered.  The organisation is to be released in either case. */
static bool begin(
    struct entering *entering, struct wf_rest *rest, uint32_t verbs)
{
	uint32_t number;

	*entering = (struct entering){ .rest = rest,
		.organisation = wf_org_cache_get(rest->server->organisation),
		.now = wf_engine_now(rest->server->engine) };
	if (!wf_rest_find_person(
		rest, entering->organisation, rest->parts[0], &number))
		return false;
	entering->person = wf_arena_strdup(rest->arena,
	    wf_org_at(entering->organisation, WF_ORG_PARTICIPANT, number)->id);
	return wf_rest_is_allowed(rest) && may_enter(entering, verbs);
}

/* The number in the path; 0: it is none, so that nothing has it. */
static uint64_t entry_id(const struct wf_rest *rest)
{
	char *end;
	uint64_t id;

	errno = 0;
	id = strtoull(rest->parts[1], &end, 10);
	return errno != 0 || *end != '\0' || rest->parts[1][0] == '-' ? 0 : id;
}

/* The members "from" (now without it) and "to".  False: answered. */
static bool read_times(
    const struct entering *entering, json_t *body, int64_t *from, int64_t *to)
{
	*from = entering->now;
	*to = INT64_MIN;
	if (!wf_rest_instant(entering->rest, body, "from", from) ||
	    !wf_rest_instant(entering->rest, body, "to", to))
		return false;
	if (*to != INT64_MIN)
		return true;
	wf_rest_refuse(entering->rest,
	    "to: expected the end, a time or a duration from now");
	return false;
}

static bool read_comment(
    const struct entering *entering, json_t *body, const char **comment_out)
{
	if (!wf_rest_text(entering->rest, body, "comment",
		WF_ABSENCE_TEXT_BYTES, comment_out))
		return false;
	*comment_out = wf_arena_strdup(
	    entering->rest->arena, *comment_out == NULL ? "" : *comment_out);
	return true;
}

static void answer_gone(struct wf_rest *rest, const char *what)
{
	struct wf_error err = { .rc = WF_OK };

	wf_fail(&err, WF_NOT_FOUND, "%s has no %s %.40s", rest->parts[0], what,
	    rest->parts[1]);
	wf_rest_fail(rest, &err);
}

static void put_id(json_t *object, const char *name, uint64_t id)
{
	json_object_set_new(object, name, json_integer((json_int_t)id));
}

/* --- absences ------------------------------------------------------------- */

static json_t *describe_absence(
    const struct wf_organisation *organisation, const struct wf_absence *row)
{
	json_t *object = json_object();

	put_id(object, "absence", row->id);
	wf_json_put_text(
	    object, "person", wf_rest_user(organisation, row->resource));
	wf_json_put_time(object, "from", row->from);
	wf_json_put_time(object, "to", row->to);
	json_object_set_new(object, "workload", json_integer(row->workload));
	wf_json_put_text(object, "by", row->agent);
	wf_json_put_text(object, "comment", row->comment);
	return object;
}

static void list_absences(struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	const struct wf_absence_list list =
	    wf_absences_of(rest->server->absences, entering->person,
		entering->now, INT64_MAX, rest->arena);
	json_t *rows = json_array();

	for (size_t i = 0; i < list.count; i++)
		json_array_append_new(rows,
		    describe_absence(entering->organisation, &list.rows[i]));
	wf_rest_answer(rest, 200, json_pack("{s:o}", "absences", rows));
}

void wf_rest_list_absences(struct wf_rest *rest)
{
	struct entering entering;

	if (begin(&entering, rest, WF_MAY(READ) | WF_MAY(ORGANISE)))
		list_absences(&entering);
	wf_organisation_unref(&entering.organisation);
}

static bool read_absence(
    const struct entering *entering, json_t *body, struct wf_absence *absence)
{
	uint32_t workload = 100;

	absence->resource = entering->person;
	absence->agent = entering->rest->account.name;
	if (!read_times(entering, body, &absence->from, &absence->to) ||
	    !wf_rest_count(entering->rest, body, "workload", &workload) ||
	    !read_comment(entering, body, &absence->comment))
		return false;
	absence->workload = workload;
	return true;
}

static void add_absence(struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	struct wf_absence absence = { .id = 0 };
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	json_t *body;
	bool good;
	enum wf_rc rc;

	if (!wf_rest_body(rest, &body))
		return;
	good = read_absence(entering, body, &absence);
	json_decref(body);
	if (!good)
		return;
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_absence_put(
		    rest->server->absences, store, &absence, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc == WF_OK)
		wf_rest_answer(rest, 201,
		    describe_absence(entering->organisation, &absence));
	else
		wf_rest_fail(rest, &err);
}

void wf_rest_add_absence(struct wf_rest *rest)
{
	struct entering entering;

	if (begin(&entering, rest, WF_MAY(ORGANISE)))
		add_absence(&entering);
	wf_organisation_unref(&entering.organisation);
}

static void remove_absence(struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	struct wf_error err = { .rc = WF_OK };
	struct wf_absence absence;
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_absence_find(rest->server->absences, entry_id(rest),
		rest->arena, &absence) ||
	    strcmp(absence.resource, entering->person) != 0) {
		answer_gone(rest, "absence");
		return;
	}
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_absence_remove(
		    rest->server->absences, store, absence.id, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc == WF_OK)
		wf_rest_answer(rest, 200,
		    describe_absence(entering->organisation, &absence));
	else
		wf_rest_fail(rest, &err);
}

void wf_rest_remove_absence(struct wf_rest *rest)
{
	struct entering entering;

	if (begin(&entering, rest, WF_MAY(ORGANISE)))
		remove_absence(&entering);
	wf_organisation_unref(&entering.organisation);
}

/* --- deputies ------------------------------------------------------------- */

static json_t *describe_deputy(
    const struct wf_organisation *organisation, const struct wf_deputy *row)
{
	json_t *object = json_object();
	json_t *processes = json_array();

	put_id(object, "entry", row->id);
	wf_json_put_text(
	    object, "person", wf_rest_user(organisation, row->person));
	wf_json_put_text(
	    object, "deputy", wf_rest_user(organisation, row->deputy));
	wf_json_put_time(object, "from", row->from);
	wf_json_put_time(object, "to", row->to);
	for (size_t i = 0; i < row->processes.count; i++)
		json_array_append_new(
		    processes, json_string(row->processes.rows[i]));
	if (row->processes.count > 0)
		json_object_set_new(object, "processes", processes);
	else
		json_decref(processes);
	wf_json_put_text(object, "by", row->agent);
	wf_json_put_text(object, "comment", row->comment);
	return object;
}

static json_t *describe_deputies(const struct wf_organisation *organisation,
    const struct wf_deputy_list *list)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(
		    rows, describe_deputy(organisation, &list->rows[i]));
	return rows;
}

static void list_deputies(struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	struct wf_deputies *deputies = rest->server->deputies;
	const struct wf_deputy_list own = wf_deputies_of(
	    deputies, entering->person, entering->now, rest->arena);
	const struct wf_deputy_list others = wf_deputies_by(
	    deputies, entering->person, entering->now, true, rest->arena);

	wf_rest_answer(rest, 200,
	    json_pack("{s:o,s:o}", "deputies",
		describe_deputies(entering->organisation, &own), "acts_for",
		describe_deputies(entering->organisation, &others)));
}

void wf_rest_list_deputies(struct wf_rest *rest)
{
	struct entering entering;

	if (begin(&entering, rest, WF_MAY(READ) | WF_MAY(ORGANISE)))
		list_deputies(&entering);
	wf_organisation_unref(&entering.organisation);
}

static bool read_processes(const struct entering *entering,
    const json_t *processes, struct wf_deputy *deputy)
{
	struct wf_rest *rest = entering->rest;
	bool good =
	    processes == NULL ||
	    (json_is_array(processes) && json_array_size(processes) > 0 &&
		json_array_size(processes) <= WF_DEPUTY_PROCESSES);

	for (size_t i = 0; good && i < json_array_size(processes); i++) {
		const char *text =
		    json_string_value(json_array_get(processes, i));

		good = text != NULL && text[0] != '\0' &&
		       strlen(text) <= WF_DEPUTY_TEXT_BYTES;
		if (good)
			wf_org_texts_add(rest->arena, &deputy->processes,
			    wf_arena_strdup(rest->arena, text));
	}
	if (!good)
		wf_rest_refuse(rest,
		    "processes: expected identifiers or URIs of processes, 1 "
		    "to %u, or nothing for all",
		    WF_DEPUTY_PROCESSES);
	return good;
}

static bool read_deputy(
    const struct entering *entering, json_t *body, struct wf_deputy *deputy)
{
	struct wf_rest *rest = entering->rest;
	const char *name;
	uint32_t number;

	if (!wf_rest_text(rest, body, "deputy", WF_REST_TEXT_BYTES, &name))
		return false;
	if (name == NULL) {
		wf_rest_refuse(
		    rest, "deputy: expected the user id of a participant");
		return false;
	}
	if (!wf_rest_find_person(rest, entering->organisation, name, &number))
		return false;
	deputy->person = entering->person;
	deputy->deputy = wf_arena_strdup(rest->arena,
	    wf_org_at(entering->organisation, WF_ORG_PARTICIPANT, number)->id);
	deputy->agent = rest->account.name;
	return read_times(entering, body, &deputy->from, &deputy->to) &&
	       read_processes(
		   entering, json_object_get(body, "processes"), deputy) &&
	       read_comment(entering, body, &deputy->comment);
}

static void add_deputy(struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	struct wf_deputy deputy = { .id = 0 };
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	json_t *body;
	bool good;
	enum wf_rc rc;

	if (!wf_rest_body(rest, &body))
		return;
	good = read_deputy(entering, body, &deputy);
	json_decref(body);
	if (!good)
		return;
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_deputy_put(rest->server->deputies, store, &deputy,
		    entering->now, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc == WF_OK)
		wf_rest_answer(rest, 201,
		    describe_deputy(entering->organisation, &deputy));
	else
		wf_rest_fail(rest, &err);
}

void wf_rest_add_deputy(struct wf_rest *rest)
{
	struct entering entering;

	if (begin(&entering, rest, WF_MAY(ORGANISE)))
		add_deputy(&entering);
	wf_organisation_unref(&entering.organisation);
}

static void remove_deputy(struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	struct wf_error err = { .rc = WF_OK };
	struct wf_deputy deputy;
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_deputy_find(
		rest->server->deputies, entry_id(rest), rest->arena, &deputy) ||
	    strcmp(deputy.person, entering->person) != 0) {
		answer_gone(rest, "deputy");
		return;
	}
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_deputy_remove(
		    rest->server->deputies, store, deputy.id, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc == WF_OK)
		wf_rest_answer(rest, 200,
		    describe_deputy(entering->organisation, &deputy));
	else
		wf_rest_fail(rest, &err);
}

void wf_rest_remove_deputy(struct wf_rest *rest)
{
	struct entering entering;

	if (begin(&entering, rest, WF_MAY(ORGANISE)))
		remove_deputy(&entering);
	wf_organisation_unref(&entering.organisation);
}
