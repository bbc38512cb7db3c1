/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an item needs beside who does it: read with what is busy for it and what
 * is missing, and set by an administrator.
 *
 *   not started: what is not free now is missing
 *   started:     what is not busy with the item is missing, and stays so
 */
#include <string.h>

#include "data/json.h"
#include "people/needs.h"
#include "rest/rest.h"
#include "rest/rest_people.h"
#include "server/context.h"
#include "worklist/busy.h"

static const struct {
	const char *name;
	enum wf_org_kind kind;
} kinds[] = { { "participant", WF_ORG_PARTICIPANT }, { "role", WF_ORG_ROLE },
	{ "thing", WF_ORG_THING }, { "category", WF_ORG_CATEGORY } };
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* An item as it was found; texts are in the arena. */
struct needing {
	struct wf_rest *rest;
	const struct wf_organisation *organisation;
	struct wf_needs needs;
	const char *holder;
	bool is_started;
	struct wf_texts busy; /* with the item */
	bool *is_shown;	      /* those of busy that stand in a row */
	struct wf_needs missing;
	struct wf_error err;
};

/* --- the item ------------------------------------------------------------- */

static void note_needs(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct needing *needing = context;
	struct wf_arena *arena = needing->rest->arena;
	const char *id = needing->rest->parts[0];
	struct wf_needs needs;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, id, &item, &needing->err) != WF_OK)
		return;
	if (item.assignment == NULL) {
		wf_fail(&needing->err, WF_CONFLICT,
		    "work item %.200s is not for people", id);
		return;
	}
	needs = wf_needs_of(&item, arena);
	/* A copy: the rule of the task may go with its specification. */
	(void)(wf_needs_read(wf_needs_write(&needs, arena), arena,
		   &needing->needs, &needing->err) == WF_OK);
	needing->holder = wf_arena_strdup(arena, item.assignment->holder);
	needing->is_started = item.assignment->status == WF_RESOURCE_STARTED;
	needing->busy = wf_busy_read(item.assignment->busy, arena);
}

/* --- what is busy with the item ------------------------------------------- */

static bool has_role(
    const struct needing *needing, const char *role, const char *id)
{
	const struct wf_organisation *o = needing->organisation;
	uint32_t person = wf_org_find(o, WF_ORG_PARTICIPANT, id);
	uint32_t number = wf_org_find(o, WF_ORG_ROLE, role);
	uint64_t *set;

	if (person == WF_ORG_NOBODY || number == WF_ORG_NOBODY)
		return false;
	set = wf_people_new(o, needing->rest->arena);
	wf_people_add_role(o, set, number);
	return wf_bitset_has(set, person);
}

static bool is_of_category(const struct needing *needing,
    const struct wf_secondary *need, const char *id)
{
	const struct wf_organisation *o = needing->organisation;
	uint32_t number = wf_org_find(o, WF_ORG_THING, id);
	const struct wf_thing *thing;

	if (number == WF_ORG_NOBODY)
		return false;
	thing = (const struct wf_thing *)wf_org_at(o, WF_ORG_THING, number);
	return strcmp(thing->category, need->id) == 0 &&
	       (need->part[0] == '\0' || strcmp(thing->part, need->part) == 0);
}

static bool meets(const struct needing *needing,
    const struct wf_secondary *need, const char *id)
{
	switch (need->kind) {
	case WF_ORG_ROLE:
		return has_role(needing, need->id, id);
	case WF_ORG_CATEGORY:
		return is_of_category(needing, need, id);
	default:
		return strcmp(need->id, id) == 0;
	}
}

/* One that meets the need and no other one; NULL: there is none. */
static const char *find_busy(
    struct needing *needing, const struct wf_secondary *need)
{
	for (size_t i = 0; i < needing->busy.count; i++)
		if (!needing->is_shown[i] &&
		    meets(needing, need, needing->busy.rows[i])) {
			needing->is_shown[i] = true;
			return needing->busy.rows[i];
		}
	return NULL;
}

/* --- rows ----------------------------------------------------------------- */

static const char *name_of(
    const struct needing *needing, enum wf_org_kind kind, const char *id)
{
	return wf_org_name_of(needing->organisation, kind, id);
}

static json_t *make_row(const struct needing *needing, enum wf_org_kind kind,
    const char *id, const char *part)
{
	json_t *row = json_object();

	for (size_t i = 0; i < KINDS; i++)
		if (kinds[i].kind == kind)
			json_object_set_new(
			    row, "kind", json_string(kinds[i].name));
	wf_json_put_text(row, "id", id);
	wf_json_put_text(row, "name", name_of(needing, kind, id));
	if (part[0] != '\0')
		wf_json_put_text(row, "part", part);
	return row;
}

static enum wf_org_kind kind_of(const struct needing *needing, const char *id)
{
	return wf_org_find(needing->organisation, WF_ORG_THING, id) ==
		       WF_ORG_NOBODY
		   ? WF_ORG_PARTICIPANT
		   : WF_ORG_THING;
}

static void put_busy(const struct needing *needing, json_t *row, const char *id)
{
	wf_json_put_text(
	    row, "busy", name_of(needing, kind_of(needing, id), id));
}

static void put_missing(
    const struct needing *needing, json_t *row, const struct wf_secondary *need)
{
	wf_json_put_text(row, "missing",
	    needing->is_started ? "the item was started without it"
				: wf_need_missing(needing->organisation, need,
				      needing->rest->arena));
}

static bool is_same(
    const struct wf_secondary *one, const struct wf_secondary *other)
{
	return one->kind == other->kind && strcmp(one->id, other->id) == 0 &&
	       strcmp(one->part, other->part) == 0;
}

/* Those that are named first, so that no other need is met by them. */
static void match_busy(struct needing *needing, const char **busy)
{
	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < needing->needs.count; i++) {
			const struct wf_secondary *need =
			    &needing->needs.rows[i];
			bool is_named = need->kind == WF_ORG_PARTICIPANT ||
					need->kind == WF_ORG_THING;

			if (is_named == (pass == 0))
				busy[i] = find_busy(needing, need);
		}
}

/* What is missing stands in the order of the needs. */
static json_t *describe(struct needing *needing)
{
	struct wf_arena *arena = needing->rest->arena;
	size_t count = needing->needs.count;
	const char **busy = wf_arena_array(arena, count + 1, sizeof(*busy));
	const struct wf_needs *missing = &needing->missing;
	json_t *rows = json_array();
	size_t next = 0;

	needing->is_shown =
	    wf_arena_array(arena, needing->busy.count + 1, sizeof(bool));
	for (size_t i = 0; i < needing->busy.count; i++)
		needing->is_shown[i] = false;
	match_busy(needing, busy);
	for (size_t i = 0; i < count; i++) {
		const struct wf_secondary *need = &needing->needs.rows[i];
		json_t *row =
		    make_row(needing, need->kind, need->id, need->part);
		bool misses = needing->is_started && busy[i] == NULL;

		if (next < missing->count &&
		    is_same(&missing->rows[next], need)) {
			misses = true;
			next++;
		}
		if (busy[i] != NULL)
			put_busy(needing, row, busy[i]);
		else if (misses)
			put_missing(needing, row, need);
		json_array_append_new(rows, row);
	}
	return rows;
}

/* What is busy with it, and was needed when it was started. */
static void put_others(const struct needing *needing, json_t *rows)
{
	for (size_t i = 0; i < needing->busy.count; i++) {
		const char *id = needing->busy.rows[i];
		json_t *row;

		if (needing->is_shown[i])
			continue;
		row = make_row(needing, kind_of(needing, id), id, "");
		put_busy(needing, row, id);
		json_object_set_new(row, "needed", json_false());
		json_array_append_new(rows, row);
	}
}

/* --- reading -------------------------------------------------------------- */

/* Of what is started all that is needed was taken, or is not there. */
static bool find_missing(struct needing *needing)
{
	struct wf_rest *rest = needing->rest;
	struct wf_server *server = rest->server;
	struct wf_store *store;
	enum wf_rc rc;

	if (needing->is_started)
		return true;
	if (!wf_rest_borrow(rest, &store))
		return false;
	rc = wf_busy_missing(store, server->absences, needing->organisation,
	    &needing->needs, needing->holder, wf_engine_now(server->engine),
	    rest->arena, &needing->missing, &needing->err);
	return wf_rest_give_back(rest, store, rc, &needing->err);
}

static void answer(struct needing *needing)
{
	json_t *rows;

	if (!find_missing(needing))
		return;
	rows = describe(needing);
	put_others(needing, rows);
	wf_rest_answer(needing->rest, 200, json_pack("{s:o}", "needs", rows));
}

void wf_rest_show_needs(struct wf_rest *rest)
{
	struct needing needing = { .rest = rest };
	struct wf_known_case known;
	struct wf_organisation *organisation;
	enum wf_rc rc;

	if (!wf_rest_known_case_of_item(rest, rest->parts[0], &known))
		return;
	rc = wf_engine_inspect(rest->server->engine, known.number, note_needs,
	    &needing, &needing.err);
	if (rc != WF_OK || needing.err.rc != WF_OK) {
		wf_rest_fail(rest, &needing.err);
		return;
	}
	organisation = wf_org_cache_get(rest->server->organisation);
	needing.organisation = organisation;
	answer(&needing);
	wf_organisation_unref(&organisation);
}

/* --- setting -------------------------------------------------------------- */

/*
 * {"kind": .., "id": ID or NAME, "part": ..}; other members are as they were
 * shown, and do not count.
 */
static bool read_need(const struct wf_organisation *organisation,
    struct wf_arena *arena, const json_t *row, struct wf_secondary *need)
{
	const char *kind = json_string_value(json_object_get(row, "kind"));
	const char *id = json_string_value(json_object_get(row, "id"));
	const json_t *part = json_object_get(row, "part");
	uint32_t number;

	for (size_t i = 0; kind != NULL && id != NULL && i < KINDS; i++) {
		if (strcmp(kind, kinds[i].name) != 0)
			continue;
		number = wf_org_find_any(organisation, kinds[i].kind, id);
		*need = (struct wf_secondary){ kinds[i].kind,
			number == WF_ORG_NOBODY
			    ? wf_arena_strdup(arena, id)
			    : wf_arena_strdup(arena,
				  wf_org_at(organisation, kinds[i].kind, number)
				      ->id),
			"" };
		if (json_is_string(part))
			need->part =
			    wf_arena_strdup(arena, json_string_value(part));
		return id[0] != '\0' &&
		       strlen(need->part) <= WF_ORG_NAME_BYTES &&
		       (part == NULL || (json_is_string(part) &&
					    need->kind == WF_ORG_CATEGORY));
	}
	return false;
}

/* As the command takes them; NULL: answered. */
static const char *read_needs(struct wf_rest *rest, const json_t *body)
{
	const json_t *array = json_object_get(body, "needs");
	size_t count = json_array_size(array);
	struct wf_secondary rows[WF_NEEDS_MOST];
	struct wf_needs needs = { rows, 0 };
	bool good = json_is_array(array) && count <= WF_NEEDS_MOST;
	struct wf_organisation *organisation;

	organisation = wf_org_cache_get(rest->server->organisation);
	while (good && needs.count < count) {
		good = read_need(organisation, rest->arena,
		    json_array_get(array, needs.count), &rows[needs.count]);
		needs.count++;
	}
	wf_organisation_unref(&organisation);
	if (good)
		return wf_needs_write(&needs, rest->arena);
	wf_rest_refuse(rest,
	    "needs: expected an array of at most %u objects such as {\"kind\": "
	    "\"thing\", \"id\": \"Van 1\"}; kinds are participant, role, thing "
	    "and category, which may have a part",
	    WF_NEEDS_MOST);
	return NULL;
}

void wf_rest_set_needs(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };
	struct wf_known_case known;
	json_t *body;

	if (!wf_rest_read_item(rest, &request, &known) ||
	    !wf_rest_body(rest, &body))
		return;
	/* Whoever operates may, also if the item is another's. */
	request.command.is_administrator |= rest->serves;
	request.command.targets = read_needs(rest, body);
	json_decref(body);
	if (request.command.targets != NULL)
		wf_rest_submit(rest, &request, 200);
}
