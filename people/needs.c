/* SPDX-License-Identifier: Apache-2.0 */
#include "people/needs.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "people/task_rule.h"

/* The members of JSON that name what is needed. */
static const struct {
	const char *member;
	enum wf_org_kind kind;
} kinds[] = {
	{ "participant", WF_ORG_PARTICIPANT },
	{ "role", WF_ORG_ROLE },
	{ "thing", WF_ORG_THING },
	{ "category", WF_ORG_CATEGORY },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* --- text ----------------------------------------------------------------- */

/* In the arena; frees the value. */
static const char *write_json(json_t *value, struct wf_arena *arena)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
	const char *copy;

	if (text == NULL)
		wf_panic(__FILE__, __LINE__, "needs are no JSON");
	copy = wf_arena_strdup(arena, text);
	free(text);
	json_decref(value);
	return copy;
}

const char *wf_needs_write(const struct wf_needs *needs, struct wf_arena *arena)
{
	json_t *array = json_array();

	for (size_t i = 0; i < needs->count; i++) {
		const struct wf_secondary *need = &needs->rows[i];
		json_t *object = json_object();

		for (size_t k = 0; k < KINDS; k++)
			if (kinds[k].kind == need->kind)
				json_object_set_new(object, kinds[k].member,
				    json_string(need->id));
		if (need->part[0] != '\0')
			json_object_set_new(
			    object, "part", json_string(need->part));
		json_array_append_new(array, object);
	}
	return write_json(array, arena);
}

static bool read_need(
    const json_t *object, struct wf_secondary *need, struct wf_arena *arena)
{
	const json_t *part = json_object_get(object, "part");
	size_t members = part == NULL ? 1 : 2;
	bool is = false;

	for (size_t k = 0; k < KINDS && !is; k++) {
		const char *id =
		    json_string_value(json_object_get(object, kinds[k].member));

		is = id != NULL && id[0] != '\0';
		if (is)
			*need = (struct wf_secondary){ kinds[k].kind,
				wf_arena_strdup(arena, id), "" };
	}
	if (is && part != NULL) {
		is = json_is_string(part) && need->kind == WF_ORG_CATEGORY;
		if (is)
			need->part =
			    wf_arena_strdup(arena, json_string_value(part));
	}
	return is && json_object_size(object) == members;
}

enum wf_rc wf_needs_read(const char *text, struct wf_arena *arena,
    struct wf_needs *needs_out, struct wf_error *err)
{
	json_t *array = json_loads(text, 0, NULL);
	size_t count = json_array_size(array);
	bool is = json_is_array(array) && count <= WF_NEEDS_MOST;
	struct wf_secondary *rows =
	    wf_arena_array(arena, is && count > 0 ? count : 1, sizeof(*rows));

	for (size_t i = 0; i < count && is; i++)
		is = read_need(json_array_get(array, i), &rows[i], arena);
	json_decref(array);
	*needs_out = (struct wf_needs){ rows, is ? count : 0 };
	return is ? WF_OK
		  : wf_fail(err, WF_INVALID,
			"expected an array of at most %u needs, such as "
			"{\"thing\": ID} or {\"category\": ID, \"part\": NAME} "
			"(also: participant, role)",
			WF_NEEDS_MOST);
}

enum wf_rc wf_needs_check(const struct wf_organisation *organisation,
    const struct wf_needs *needs, struct wf_error *err)
{
	for (size_t i = 0; i < needs->count; i++) {
		const struct wf_secondary *need = &needs->rows[i];

		if (wf_org_find(organisation, need->kind, need->id) ==
		    WF_ORG_NOBODY)
			return wf_fail(err, WF_NOT_FOUND,
			    "there is no '%.60s' in the organisation",
			    need->id);
	}
	return WF_OK;
}

struct wf_needs wf_needs_of(const struct wf_item *item, struct wf_arena *arena)
{
	const struct wf_task_rule *rule = wf_task_rule(item->task);
	struct wf_needs needs = { NULL, 0 };

	/* The command that sets them has checked the text. */
	if (item->assignment != NULL && item->assignment->needs[0] != '\0')
		(void)(wf_needs_read(item->assignment->needs, arena, &needs,
			   NULL) == WF_OK);
	else if (rule->resourcing != NULL)
		needs = (struct wf_needs){ rule->resourcing->secondary,
			rule->resourcing->secondary_count };
	return needs;
}

const char *wf_busy_write(const struct wf_texts *ids, struct wf_arena *arena)
{
	json_t *array = json_array();

	for (size_t i = 0; i < ids->count; i++)
		json_array_append_new(array, json_string(ids->rows[i]));
	return write_json(array, arena);
}

struct wf_texts wf_busy_read(const char *text, struct wf_arena *arena)
{
	json_t *array = json_loads(text, 0, NULL);
	struct wf_texts ids = { NULL, 0 };
	const json_t *id;
	size_t i;

	json_array_foreach(array, i, id)
	{
		if (json_is_string(id))
			wf_org_texts_add(arena, &ids,
			    wf_arena_strdup(arena, json_string_value(id)));
	}
	json_decref(array);
	return ids;
}

bool wf_busy_has(const char *text, const char *id)
{
	json_t *array = json_loads(text, 0, NULL);
	const json_t *other;
	bool has = false;
	size_t i;

	json_array_foreach(array, i, other)
	{
		const char *name = json_string_value(other);

		has |= name != NULL && strcmp(name, id) == 0;
	}
	json_decref(array);
	return has;
}

/* --- finding -------------------------------------------------------------- */

struct finding {
	const struct wf_organisation *organisation;
	const char *but;
	uint64_t seed;
	wf_need_take_f take;
	void *context;
	struct wf_arena *arena;
	struct wf_needs_found *found;
};

static bool take(
    const struct finding *f, enum wf_org_kind kind, uint32_t number)
{
	const char *id;

	if (number == WF_ORG_NOBODY)
		return false;
	id = wf_org_at(f->organisation, kind, number)->id;
	if ((kind == WF_ORG_PARTICIPANT && strcmp(id, f->but) == 0) ||
	    wf_org_texts_have(&f->found->taken, id) ||
	    !f->take(f->context, kind, id))
		return false;
	wf_org_texts_add(f->arena, &f->found->taken, id);
	return true;
}

/* One of several, from a random one on: of many, some. */
static bool take_one(const struct finding *f, enum wf_org_kind kind,
    const uint32_t *numbers, size_t count)
{
	for (size_t i = 0; i < count && i < WF_NEED_TRIES; i++)
		if (take(f, kind, numbers[(f->seed + i) % count]))
			return true;
	return false;
}

static bool take_member(const struct finding *f, const char *id)
{
	uint32_t role = wf_org_find(f->organisation, WF_ORG_ROLE, id);
	uint64_t *set = wf_people_new(f->organisation, f->arena);
	size_t words = wf_people_words(f->organisation);
	uint32_t *numbers;
	size_t count = 0;

	if (role == WF_ORG_NOBODY)
		return false;
	wf_people_add_role(f->organisation, set, role);
	numbers = wf_arena_array(
	    f->arena, wf_bitset_count(set, words) + 1, sizeof(*numbers));
	WF_BITSET_EACH (i, set, words)
		numbers[count++] = (uint32_t)i;
	return take_one(f, WF_ORG_PARTICIPANT, numbers, count);
}

static bool take_thing(const struct finding *f, const struct wf_secondary *need)
{
	uint32_t category =
	    wf_org_find(f->organisation, WF_ORG_CATEGORY, need->id);
	struct wf_numbers things;
	uint32_t *numbers;
	size_t count = 0;

	if (category == WF_ORG_NOBODY)
		return false;
	things = wf_org_sources(f->organisation, WF_THING_category, category);
	numbers = wf_arena_array(f->arena, things.count + 1, sizeof(*numbers));
	for (size_t i = 0; i < things.count; i++) {
		const struct wf_thing *thing =
		    (const struct wf_thing *)wf_org_at(
			f->organisation, WF_ORG_THING, things.rows[i]);

		if (need->part[0] == '\0' ||
		    strcmp(need->part, thing->part) == 0)
			numbers[count++] = things.rows[i];
	}
	return take_one(f, WF_ORG_THING, numbers, count);
}

static bool take_needed(
    const struct finding *f, const struct wf_secondary *need)
{
	if (need->kind == WF_ORG_ROLE)
		return take_member(f, need->id);
	if (need->kind == WF_ORG_CATEGORY)
		return take_thing(f, need);
	return take(
	    f, need->kind, wf_org_find(f->organisation, need->kind, need->id));
}

static bool is_named(const struct wf_secondary *need)
{
	return need->kind == WF_ORG_PARTICIPANT || need->kind == WF_ORG_THING;
}

/* Those that are named first, by their ids. */
static int compare(const void *a, const void *b)
{
	const struct wf_secondary *x = *(const struct wf_secondary *const *)a;
	const struct wf_secondary *y = *(const struct wf_secondary *const *)b;
	int order = (int)is_named(y) - (int)is_named(x);

	if (order == 0)
		order = strcmp(x->id, y->id);
	return order != 0 ? order : (x > y) - (x < y);
}

void wf_needs_find(const struct wf_organisation *organisation,
    const struct wf_needs *needs, const char *but, uint64_t seed,
    wf_need_take_f take_f, void *context, struct wf_arena *arena,
    struct wf_needs_found *found_out)
{
	struct finding f = { organisation, but, seed, take_f, context, arena,
		found_out };
	const struct wf_secondary **order =
	    wf_arena_array(arena, needs->count + 1, sizeof(const void *));
	bool *is_met = wf_arena_array(arena, needs->count + 1, sizeof(bool));
	struct wf_secondary *missing =
	    wf_arena_array(arena, needs->count + 1, sizeof(*missing));

	*found_out = (struct wf_needs_found){ .missing = { missing, 0 } };
	for (size_t i = 0; i < needs->count; i++)
		order[i] = &needs->rows[i];
	if (needs->count > 0)
		qsort(order, needs->count, sizeof(*order), compare);
	for (size_t i = 0; i < needs->count; i++)
		is_met[order[i] - needs->rows] = take_needed(&f, order[i]);
	for (size_t i = 0; i < needs->count; i++)
		if (!is_met[i])
			missing[found_out->missing.count++] = needs->rows[i];
}

const char *wf_need_missing(const struct wf_organisation *organisation,
    const struct wf_secondary *need, struct wf_arena *arena)
{
	uint32_t number = wf_org_find(organisation, need->kind, need->id);
	const struct wf_org_record *record;
	const struct wf_participant *person;

	if (number == WF_ORG_NOBODY)
		return wf_arena_printf(
		    arena, "'%.60s' is not in the organisation", need->id);
	record = wf_org_at(organisation, need->kind, number);
	switch (need->kind) {
	case WF_ORG_PARTICIPANT:
		person = wf_participant_at(organisation, number);
		return wf_arena_printf(arena, "%.60s %.60s is not available",
		    person->first_name, person->last_name);
	case WF_ORG_ROLE:
		return wf_arena_printf(arena,
		    "nobody with the role '%.60s' is available",
		    wf_org_name(record));
	case WF_ORG_CATEGORY:
		return wf_arena_printf(arena,
		    "nothing of the category '%.60s'%s%.60s is available",
		    wf_org_name(record), need->part[0] == '\0' ? "" : ", ",
		    need->part);
	default:
		return wf_arena_printf(
		    arena, "'%.60s' is not available", wf_org_name(record));
	}
}
