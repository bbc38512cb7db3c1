/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The organisation: its records, one by one.
 *
 * All kinds have the same routes; the word of the kind is the second part of
 * the path.  The version of a record is in the header ETag; a change with
 * If-Match is refused when another one came before.
 *
 * What is private of a participant is shown to those who may change the
 * organisation, and to the participant.
 */
#include <string.h>

#include "people/organisation/record_json.h"
#include "rest/search/rest_search.h"
#include "rest/rest.h"
#include "worklist/org_edit.h"

/* "/v1/people/{}" is about participants. */
static enum wf_org_kind kind_of(const struct wf_rest *rest)
{
	const char *word = rest->route->path + strlen("/v1/");

	return wf_org_kind_find(
	    wf_arena_strndup(rest->arena, word, strcspn(word, "/")));
}

/* A record by its id or its name; NULL: there is none. */
static const struct wf_org_record *find(
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    const char *name)
{
	uint32_t number = wf_org_find_any(organisation, kind, name);

	return number == WF_ORG_NOBODY ? NULL
				       : wf_org_at(organisation, kind, number);
}

/* --- what is private ------------------------------------------------------ */

/* Whether the account may see all of the record. */
static bool sees_all(
    const struct wf_rest *rest, const struct wf_org_record *record)
{
	return wf_rest_may_everywhere(rest, WF_MAY(ORGANISE)) ||
	       (record->kind == WF_ORG_PARTICIPANT &&
		   strcmp(wf_org_name(record), rest->account.name) == 0);
}

static bool is_private(const struct wf_org_field *field)
{
	static const char *const members[] = { "email", "notes",
		"mailOnAllocation", "mailOnOffer", "mailDigest" };

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (strcmp(members[i], field->json) == 0)
			return true;
	return false;
}

/* --- answers -------------------------------------------------------------- */

static json_t *name_of(const struct wf_organisation *organisation,
    enum wf_org_kind kind, const json_t *id)
{
	return json_string(
	    wf_org_name_of(organisation, kind, json_string_value(id)));
}

static void name_links(const struct wf_organisation *organisation,
    const struct wf_org_record *record, json_t *json)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];

	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];
		json_t *value = json_object_get(json, field->json);

		if (field->type == WF_ORG_LINK && value != NULL)
			json_object_set_new(json, field->json,
			    name_of(organisation, field->target, value));
		for (size_t k = 0;
		     field->type == WF_ORG_LINKS && k < json_array_size(value);
		     k++)
			json_array_set_new(value, k,
			    name_of(organisation, field->target,
				json_array_get(value, k)));
	}
}

static json_t *record_json(const struct wf_rest *rest,
    const struct wf_organisation *organisation,
    const struct wf_org_record *record, bool with_names)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	json_t *json = wf_org_record_json(record);

	for (size_t i = 0; !sees_all(rest, record) && i < layout->field_count;
	     i++)
		if (is_private(&layout->fields[i]))
			json_object_del(json, layout->fields[i].json);
	if (with_names)
		name_links(organisation, record, json);
	return json;
}

static void answer_record(struct wf_rest *rest, unsigned status,
    const struct wf_organisation *organisation,
    const struct wf_org_record *record, bool with_names)
{
	wf_rest_put_version(rest, record->change);
	wf_rest_answer(
	    rest, status, record_json(rest, organisation, record, with_names));
}

static void fail_unknown(struct wf_rest *rest, enum wf_org_kind kind)
{
	struct wf_error err = { .rc = WF_OK };

	wf_fail(&err, WF_NOT_FOUND, "there is no %s \"%.100s\"",
	    wf_org_layouts[kind].word, rest->parts[0]);
	wf_rest_fail(rest, &err);
}

/* --- reading -------------------------------------------------------------- */

/* Whether a text that is shown has the words, whatever their case. */
static bool has_words(const struct wf_rest *rest,
    const struct wf_org_record *record, const char *words)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];
	bool all = sees_all(rest, record);

	if (words == NULL || strcasestr(record->id, words) != NULL)
		return true;
	for (size_t i = 0; i < layout->field_count; i++)
		if (layout->fields[i].type == WF_ORG_TEXT &&
		    layout->fields[i].json[0] != '\0' &&
		    (all || !is_private(&layout->fields[i])) &&
		    strcasestr(*wf_org_text(record, &layout->fields[i]),
			words) != NULL)
			return true;
	return false;
}

struct listing {
	enum wf_org_kind kind;
	const uint64_t *set; /* of participants; NULL: all records */
	size_t limit;
	bool with_names;
	const char *text; /* that one of its texts has; NULL: any */
};

/* False: answered. */
static bool read_listing(struct wf_rest *rest, struct listing *listing)
{
	listing->text = wf_rest_argument(rest, "q");
	return wf_rest_limit(rest, &listing->limit) &&
	       wf_rest_switch(rest, "names", &listing->with_names);
}

static json_t *list(struct wf_rest *rest,
    const struct wf_organisation *organisation, const struct listing *listing)
{
	const char *after = wf_rest_argument(rest, "after");
	const char *words = listing->text;
	size_t count = wf_org_count(organisation, listing->kind);
	json_t *answer = json_object();
	json_t *rows = json_array();
	const struct wf_org_record *last = NULL;

	for (uint32_t i = 0; i < count; i++) {
		const struct wf_org_record *record =
		    wf_org_at(organisation, listing->kind, i);

		if ((listing->set != NULL && !wf_bitset_has(listing->set, i)) ||
		    (after != NULL && strcmp(record->id, after) <= 0) ||
		    !has_words(rest, record, words))
			continue;
		if (json_array_size(rows) == listing->limit) {
			json_object_set_new(
			    answer, "next", json_string(last->id));
			break;
		}
		json_array_append_new(rows, record_json(rest, organisation,
						record, listing->with_names));
		last = record;
	}
	json_object_set_new(answer, wf_org_layouts[listing->kind].words, rows);
	return answer;
}

json_t *wf_rest_search_people(
    struct wf_rest *rest, const char *text, size_t limit)
{
	const struct listing listing = {
		.kind = WF_ORG_PARTICIPANT, .limit = limit, .text = text
	};
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);
	json_t *answer = list(rest, organisation, &listing);
	json_t *rows = json_incref(
	    json_object_get(answer, wf_org_layouts[WF_ORG_PARTICIPANT].words));

	json_decref(answer);
	wf_organisation_unref(&organisation);
	return rows;
}

void wf_rest_list_records(struct wf_rest *rest)
{
	struct listing listing = { .kind = kind_of(rest) };
	struct wf_organisation *organisation;

	if (!read_listing(rest, &listing))
		return;
	organisation = wf_org_cache_get(rest->server->organisation);
	wf_rest_answer(rest, 200, list(rest, organisation, &listing));
	wf_organisation_unref(&organisation);
}

/* With those of the roles, or groups, below it. */
static const uint64_t *members_of(struct wf_rest *rest,
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    uint32_t number)
{
	uint64_t *set = wf_people_new(organisation, rest->arena);

	if (kind == WF_ORG_ROLE)
		wf_people_add_role(organisation, set, number);
	else if (kind == WF_ORG_GROUP)
		wf_people_add_group(organisation, set, number);
	else if (kind == WF_ORG_POSITION)
		wf_people_add_position(organisation, set, number);
	else
		wf_people_add_capability(organisation, set, number);
	return set;
}

void wf_rest_list_members(struct wf_rest *rest)
{
	struct listing listing = { .kind = WF_ORG_PARTICIPANT };
	enum wf_org_kind kind = kind_of(rest);
	struct wf_organisation *organisation;
	uint32_t number;

	if (!read_listing(rest, &listing))
		return;
	organisation = wf_org_cache_get(rest->server->organisation);
	number = wf_org_find_any(organisation, kind, rest->parts[0]);
	if (number == WF_ORG_NOBODY) {
		fail_unknown(rest, kind);
	} else {
		listing.set = members_of(rest, organisation, kind, number);
		wf_rest_answer(rest, 200, list(rest, organisation, &listing));
	}
	wf_organisation_unref(&organisation);
}

void wf_rest_show_record(struct wf_rest *rest)
{
	enum wf_org_kind kind = kind_of(rest);
	struct wf_organisation *organisation;
	const struct wf_org_record *record;
	bool with_names;

	if (!wf_rest_switch(rest, "names", &with_names))
		return;
	organisation = wf_org_cache_get(rest->server->organisation);
	record = find(organisation, kind, rest->parts[0]);
	if (record == NULL)
		fail_unknown(rest, kind);
	else
		answer_record(rest, 200, organisation, record, with_names);
	wf_organisation_unref(&organisation);
}

/* --- changing ------------------------------------------------------------- */

/* The version in If-Match; 0: any.  False: answered. */
static bool read_version(struct wf_rest *rest, uint64_t *version_out)
{
	const char *none = wf_exchange_header(rest->exchange, "If-None-Match");

	if (none != NULL && strcmp(none, "*") == 0) {
		*version_out = WF_ORG_NEW;
		return true;
	}
	return wf_rest_read_version(rest, "record", version_out);
}

static enum wf_rc read_record(void *context, struct wf_arena *arena,
    struct wf_org_record *record, struct wf_error *err)
{
	return wf_org_record_read_json(arena, context, true, record, err);
}

static enum wf_rc edit(
    struct wf_rest *rest, struct wf_org_one *one, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(rest->server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_org_edit_one(rest->server->organisation, store, one, err);
	wf_engine_give_back(rest->server->engine, store);
	return rc;
}

static void answer_edited(struct wf_rest *rest, const struct wf_org_one *one)
{
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);
	const struct wf_org_record *record =
	    find(organisation, one->kind, one->id_out);

	/* Another one may have removed it already. */
	if (record == NULL)
		fail_unknown(rest, one->kind);
	else
		answer_record(
		    rest, one->added ? 201 : 200, organisation, record, false);
	wf_organisation_unref(&organisation);
}

/* POST makes a record, PUT replaces or makes one, PATCH changes members. */
void wf_rest_put_record(struct wf_rest *rest)
{
	const char *method = rest->route->method;
	struct wf_org_one one = { .kind = kind_of(rest),
		.id = rest->parts[0],
		.must_exist = strcmp(method, "PATCH") == 0,
		.from_empty = strcmp(method, "PUT") == 0,
		.signs_in = true,
		.read = read_record,
		.arena = rest->arena };
	struct wf_error err = { .rc = WF_OK };
	json_t *body;

	if (!read_version(rest, &one.expected) || !wf_rest_body(rest, &body))
		return;
	if (body == NULL) {
		wf_rest_refuse(rest, "expected a record as JSON");
		return;
	}
	/* As it is answered, so that it can be sent back. */
	json_object_del(body, "id");
	one.context = body;
	if (edit(rest, &one, &err) == WF_OK)
		answer_edited(rest, &one);
	else
		wf_rest_fail(rest, &err);
	json_decref(body);
}

void wf_rest_remove_record(struct wf_rest *rest)
{
	struct wf_org_one one = { .kind = kind_of(rest),
		.id = rest->parts[0],
		.must_exist = true,
		.arena = rest->arena };
	struct wf_error err = { .rc = WF_OK };

	if (!read_version(rest, &one.expected))
		return;
	if (edit(rest, &one, &err) == WF_OK)
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
	else
		wf_rest_fail(rest, &err);
}
