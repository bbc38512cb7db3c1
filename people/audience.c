/* SPDX-License-Identifier: Apache-2.0 */
#include "people/audience.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"

/* --- text ----------------------------------------------------------------- */

static void put_texts(
    json_t *object, const char *member, const struct wf_texts *texts)
{
	json_t *array;

	if (texts->count == 0)
		return;
	array = json_array();
	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(array, json_string(texts->rows[i]));
	json_object_set_new(object, member, array);
}

const char *wf_audience_write(
    const struct wf_audience *audience, struct wf_arena *arena)
{
	json_t *object = json_object();
	const char *copy;
	char *text;

	if (audience->all)
		json_object_set_new(object, "all", json_true());
	put_texts(object, "people", &audience->people);
	put_texts(object, "roles", &audience->roles);
	if (audience->set != NULL)
		json_object_set_new(object, "set", json_string(audience->set));
	put_texts(object, "except", &audience->except);
	text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
	if (text == NULL)
		wf_panic(__FILE__, __LINE__, "an audience is no JSON");
	copy = wf_arena_strdup(arena, text);
	free(text);
	json_decref(object);
	return copy;
}

static bool get_texts(const json_t *object, const char *member,
    struct wf_arena *arena, struct wf_texts *texts)
{
	const json_t *array = json_object_get(object, member);
	const json_t *text;
	size_t i;

	if (array == NULL)
		return true;
	json_array_foreach(array, i, text)
	{
		if (!json_is_string(text))
			return false;
		wf_org_texts_add(arena, texts,
		    wf_arena_strdup(arena, json_string_value(text)));
	}
	return json_is_array(array);
}

enum wf_rc wf_audience_read(const char *text, struct wf_arena *arena,
    struct wf_audience *audience_out, struct wf_error *err)
{
	json_t *object = json_loads(text, 0, NULL);
	const char *set = json_string_value(json_object_get(object, "set"));
	bool is;

	*audience_out = (struct wf_audience){
		.all = json_is_true(json_object_get(object, "all"))
	};
	is = json_is_object(object) &&
	     get_texts(object, "people", arena, &audience_out->people) &&
	     get_texts(object, "roles", arena, &audience_out->roles) &&
	     get_texts(object, "except", arena, &audience_out->except);
	if (is && set != NULL)
		audience_out->set = wf_arena_strdup(arena, set);
	json_decref(object);
	return is ? WF_OK
		  : wf_fail(err, WF_CORRUPT, "'%.60s' is no audience", text);
}

/* --- names ---------------------------------------------------------------- */

struct hash {
	uint64_t halves[2];
};

static const struct hash nothing = { { 0, 1 } };

static void add_to_hash(struct hash *hash, const char *text)
{
	for (unsigned i = 0; i < 2; i++)
		hash->halves[i] =
		    wf_hash(hash->halves[i], text, strlen(text) + 1);
}

static void write_hash(
    const struct hash *hash, char name_out[WF_AUDIENCE_NAME_SIZE])
{
	snprintf(name_out, WF_AUDIENCE_NAME_SIZE, "A:%016llx%016llx",
	    (unsigned long long)hash->halves[0],
	    (unsigned long long)hash->halves[1]);
}

void wf_people_set_name(const struct wf_organisation *organisation,
    const uint64_t *set, char name_out[WF_AUDIENCE_NAME_SIZE])
{
	struct hash hash = nothing;

	WF_BITSET_EACH (i, set, wf_people_words(organisation))
		add_to_hash(&hash,
		    wf_org_at(organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
			->id);
	write_hash(&hash, name_out);
}

const char *wf_participant_queue(
    const char *participant, struct wf_arena *arena)
{
	return wf_arena_printf(arena, "P:%s", participant);
}

const char *wf_audience_queue(
    const struct wf_audience *audience, struct wf_arena *arena)
{
	struct wf_audience base = *audience;
	struct hash hash = nothing;
	char name[WF_AUDIENCE_NAME_SIZE];

	base.except = (struct wf_texts){ NULL, 0 };
	if (base.set != NULL)
		return base.set;
	if (base.people.count == 1 && base.roles.count == 0 && !base.all)
		return wf_participant_queue(base.people.rows[0], arena);
	add_to_hash(&hash, wf_audience_write(&base, arena));
	write_hash(&hash, name);
	return wf_arena_strdup(arena, name);
}

/* --- members -------------------------------------------------------------- */

static bool has_role(const struct wf_organisation *organisation,
    const struct wf_texts *roles, uint32_t participant)
{
	struct wf_arena *arena;
	uint64_t *set;
	bool has;

	if (roles->count == 0 || participant == WF_ORG_NOBODY)
		return false;
	arena = wf_arena_new();
	set = wf_people_new(organisation, arena);
	for (size_t i = 0; i < roles->count; i++) {
		uint32_t role =
		    wf_org_find(organisation, WF_ORG_ROLE, roles->rows[i]);

		if (role != WF_ORG_NOBODY)
			wf_people_add_role(organisation, set, role);
	}
	has = wf_bitset_has(set, participant);
	wf_arena_free(&arena);
	return has;
}

bool wf_audience_has(const struct wf_organisation *organisation,
    const struct wf_set_keeper *keeper, const struct wf_audience *audience,
    const char *participant)
{
	if (wf_org_texts_have(&audience->except, participant))
		return false;
	if (audience->all || wf_org_texts_have(&audience->people, participant))
		return true;
	if (audience->set != NULL && keeper != NULL &&
	    keeper->has(keeper->context, audience->set, participant))
		return true;
	return has_role(organisation, &audience->roles,
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, participant));
}
