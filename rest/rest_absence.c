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

/* One of either kind; texts are in the arena. */
union entry {
	struct wf_absence absence;
	struct wf_deputy deputy;
};

/* A request about the person of the path. */
struct entering {
	struct wf_rest *rest;
	const struct kind *kind;
	struct wf_organisation *organisation;
	const char *person; /* an id, in the arena */
	int64_t now;
};

/* What differs between absences and deputies. */
struct kind {
	const char *word;
	json_t *(*list)(const struct entering *entering);
	json_t *(*describe)(const struct wf_organisation *organisation,
	    const union entry *entry);
	/* False: answered. */
	bool (*read)(
	    const struct entering *entering, json_t *body, union entry *entry);
	enum wf_rc (*put)(const struct entering *entering,
	    struct wf_store *store, union entry *entry, struct wf_error *err);
	/* Whose it is; NULL: there is none with that id. */
	const char *(*find)(const struct entering *entering, uint64_t id,
	    union entry *entry_out);
	enum wf_rc (*remove)(const struct entering *entering,
	    struct wf_store *store, uint64_t id, struct wf_error *err);
};

/* --- who and what --------------------------------------------------------- */

/* Whether the account is the person, or has the right.  False: answered. */
static bool may_enter(const struct entering *entering, uint32_t verbs)
{
	struct wf_rest *rest = entering->rest;
	struct wf_error err = { .rc = WF_OK };
	const char *own = wf_rest_own_participant(rest, entering->organisation);

	if (wf_rest_may_everywhere(rest, verbs) ||
	    (own != NULL && strcmp(own, entering->person) == 0))
		return true;
	wf_fail(&err, WF_DENIED,
	    "this is for %s, or for whoever has the right %s",
	    wf_rest_user(entering->organisation, entering->person),
	    (verbs & WF_MAY(READ)) != 0 ? "read" : "organise");
	wf_rest_fail(rest, &err);
	return false;
}

/* False: answered. */
static bool find_person(struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	uint32_t number;

	if (!wf_rest_find_person(
		rest, entering->organisation, rest->parts[0], &number))
		return false;
	entering->person = wf_arena_strdup(rest->arena,
	    wf_org_at(entering->organisation, WF_ORG_PARTICIPANT, number)->id);
	return true;
}

/* Does it, if the account has one of the verbs or is the person. */
static void enter(struct wf_rest *rest, const struct kind *kind, uint32_t verbs,
    void (*act)(const struct entering *entering))
{
	struct entering entering = { .rest = rest,
		.kind = kind,
		.organisation = wf_org_cache_get(rest->server->organisation),
		.now = wf_engine_now(rest->server->engine) };

	if (find_person(&entering) && wf_rest_is_allowed(rest) &&
	    may_enter(&entering, verbs))
		act(&entering);
	wf_organisation_unref(&entering.organisation);
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

static void put_id(json_t *object, const char *name, uint64_t id)
{
	json_object_set_new(object, name, json_integer((json_int_t)id));
}

/* --- both ----------------------------------------------------------------- */

static void list(const struct entering *entering)
{
	wf_rest_answer(entering->rest, 200, entering->kind->list(entering));
}

static void add(const struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	const struct kind *kind = entering->kind;
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	union entry entry;
	json_t *body;
	bool good;
	enum wf_rc rc;

	memset(&entry, 0, sizeof(entry));
	if (!wf_rest_body(rest, &body))
		return;
	good = kind->read(entering, body, &entry);
	json_decref(body);
	if (!good || !wf_rest_borrow(rest, &store))
		return;
	rc = kind->put(entering, store, &entry, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(
		    rest, 201, kind->describe(entering->organisation, &entry));
}

static void take_away(const struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	const struct kind *kind = entering->kind;
	uint64_t id = entry_id(rest);
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	union entry entry;
	const char *person = kind->find(entering, id, &entry);
	enum wf_rc rc;

	if (person == NULL || strcmp(person, entering->person) != 0) {
		wf_fail(&err, WF_NOT_FOUND, "%s has no %s %.40s",
		    rest->parts[0], kind->word, rest->parts[1]);
		wf_rest_fail(rest, &err);
		return;
	}
	if (!wf_rest_borrow(rest, &store))
		return;
	rc = kind->remove(entering, store, id, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(
		    rest, 200, kind->describe(entering->organisation, &entry));
}

/* --- absences ------------------------------------------------------------- */

static json_t *describe_absence(
    const struct wf_organisation *organisation, const union entry *entry)
{
	const struct wf_absence *row = &entry->absence;
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

static json_t *list_absences(const struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	const struct wf_absence_list found =
	    wf_absences_of(rest->server->absences, entering->person,
		entering->now, INT64_MAX, rest->arena);
	json_t *rows = json_array();

	for (size_t i = 0; i < found.count; i++) {
		const union entry entry = { .absence = found.rows[i] };

		json_array_append_new(
		    rows, describe_absence(entering->organisation, &entry));
	}
	return json_pack("{s:o}", "absences", rows);
}

static bool read_absence(
    const struct entering *entering, json_t *body, union entry *entry)
{
	struct wf_absence *absence = &entry->absence;
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

static enum wf_rc put_absence(const struct entering *entering,
    struct wf_store *store, union entry *entry, struct wf_error *err)
{
	return wf_absence_put(entering->rest->server->absences, store,
	    &entry->absence, entry->absence.agent, err);
}

static const char *find_absence(
    const struct entering *entering, uint64_t id, union entry *entry_out)
{
	return wf_absence_find(entering->rest->server->absences, id,
		   entering->rest->arena, &entry_out->absence)
		   ? entry_out->absence.resource
		   : NULL;
}

static enum wf_rc remove_absence(const struct entering *entering,
    struct wf_store *store, uint64_t id, struct wf_error *err)
{
	const struct wf_rest *rest = entering->rest;

	return wf_absence_remove(
	    rest->server->absences, store, id, rest->account.name, err);
}

static const struct kind absences = { "absence", list_absences,
	describe_absence, read_absence, put_absence, find_absence,
	remove_absence };

void wf_rest_list_absences(struct wf_rest *rest)
{
	enter(rest, &absences, WF_MAY(READ) | WF_MAY(ORGANISE), list);
}

void wf_rest_add_absence(struct wf_rest *rest)
{
	enter(rest, &absences, WF_MAY(ORGANISE), add);
}

void wf_rest_remove_absence(struct wf_rest *rest)
{
	enter(rest, &absences, WF_MAY(ORGANISE), take_away);
}

/* --- deputies ------------------------------------------------------------- */

static json_t *describe_deputy(
    const struct wf_organisation *organisation, const union entry *entry)
{
	const struct wf_deputy *row = &entry->deputy;
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
    const struct wf_deputy_list *found)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < found->count; i++) {
		const union entry entry = { .deputy = found->rows[i] };

		json_array_append_new(
		    rows, describe_deputy(organisation, &entry));
	}
	return rows;
}

static json_t *list_deputies(const struct entering *entering)
{
	struct wf_rest *rest = entering->rest;
	const struct wf_deputy_list own = wf_deputies_of(rest->server->deputies,
	    entering->person, entering->now, rest->arena);
	const struct wf_deputy_list others =
	    wf_deputies_by(rest->server->deputies, entering->person,
		entering->now, true, rest->arena);

	return json_pack("{s:o,s:o}", "deputies",
	    describe_deputies(entering->organisation, &own), "acts_for",
	    describe_deputies(entering->organisation, &others));
}

/* A process without a specification; NULL: each has one. */
static const char *find_unknown(
    const struct wf_deputy *deputy, const struct wf_specification_list *list)
{
	for (size_t i = 0; i < deputy->processes.count; i++) {
		const struct wf_deputy one = {
			.processes = { &deputy->processes.rows[i], 1 }
		};
		size_t k = 0;

		while (k < list->count &&
		       !wf_deputy_is_for(
			   &one, list->rows[k].identifier, list->rows[k].uri))
			k++;
		if (k == list->count)
			return deputy->processes.rows[i];
	}
	return NULL;
}

/*
 * A name that no process has would let the deputy do nothing, without a word.
 * One that was removed may still have cases.  False: answered.
 */
static bool find_processes(struct wf_rest *rest, const struct wf_deputy *deputy)
{
	const struct wf_specification_filter filter = {
		.namespace_id = rest->account.namespace_id, .removed = true
	};
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_list list;
	struct wf_store *store;
	const char *unknown;
	enum wf_rc rc;

	if (deputy->processes.count == 0)
		return true;
	if (!wf_rest_borrow(rest, &store))
		return false;
	rc = wf_store_specifications(store, &filter, rest->arena, &list, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return false;
	unknown = find_unknown(deputy, &list);
	if (unknown == NULL)
		return true;
	wf_fail(&err, WF_NOT_FOUND,
	    "processes: no specification has the identifier or URI \"%.200s\"; "
	    "load it first",
	    unknown);
	wf_rest_fail(rest, &err);
	return false;
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
	return good && find_processes(rest, deputy);
}

static bool read_deputy(
    const struct entering *entering, json_t *body, union entry *entry)
{
	struct wf_deputy *deputy = &entry->deputy;
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

static enum wf_rc put_deputy(const struct entering *entering,
    struct wf_store *store, union entry *entry, struct wf_error *err)
{
	return wf_deputy_put(entering->rest->server->deputies, store,
	    &entry->deputy, entering->now, err);
}

static const char *find_deputy(
    const struct entering *entering, uint64_t id, union entry *entry_out)
{
	return wf_deputy_find(entering->rest->server->deputies, id,
		   entering->rest->arena, &entry_out->deputy)
		   ? entry_out->deputy.person
		   : NULL;
}

static enum wf_rc remove_deputy(const struct entering *entering,
    struct wf_store *store, uint64_t id, struct wf_error *err)
{
	return wf_deputy_remove(
	    entering->rest->server->deputies, store, id, err);
}

static const struct kind deputies = { "deputy", list_deputies, describe_deputy,
	read_deputy, put_deputy, find_deputy, remove_deputy };

void wf_rest_list_deputies(struct wf_rest *rest)
{
	enter(rest, &deputies, WF_MAY(READ) | WF_MAY(ORGANISE), list);
}

void wf_rest_add_deputy(struct wf_rest *rest)
{
	enter(rest, &deputies, WF_MAY(ORGANISE), add);
}

void wf_rest_remove_deputy(struct wf_rest *rest)
{
	enter(rest, &deputies, WF_MAY(ORGANISE), take_away);
}
