/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The organisation of a store: edits of two nodes that race, against a model
 * and against one that is read from the start; removals; damaged records.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "people/rate.h"
#include "people/organisation/record_json.h"
#include "tests/unit/seed.h"
#include "tests/unit/store_fixture.h"
#include "worklist/org_edit.h"

#define MOST 8U /* records of a kind */
#define ROUNDS 250U

/* --- edits ---------------------------------------------------------------- */

/* Reads the record from JSON. */
static enum wf_rc read_json(void *context, struct wf_arena *arena,
    struct wf_org_record *record, struct wf_error *err)
{
	json_t *json = json_loads(context, 0, NULL);
	enum wf_rc rc;

	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	rc = wf_org_record_read_json(arena, json, true, record, err);
	json_decref(json);
	return rc;
}

static enum wf_rc put(struct store_fixture *f, struct wf_org_cache *cache,
    enum wf_org_kind kind, const char *id, const char *json)
{
	struct wf_org_one one = { .kind = kind,
		.id = id,
		.read = read_json,
		.context = (void *)json,
		.arena = f->arena };

	return wf_org_edit_one(cache, f->store, &one, &f->err);
}

static enum wf_rc removed(struct store_fixture *f, struct wf_org_cache *cache,
    enum wf_org_kind kind, const char *id, size_t unlinked)
{
	struct wf_org_one one = { .kind = kind, .id = id, .arena = f->arena };
	enum wf_rc rc = wf_org_edit_one(cache, f->store, &one, &f->err);

	if (rc == WF_OK)
		CU_ASSERT_EQUAL(one.unlinked, unlinked);
	return rc;
}

/* --- snapshots ------------------------------------------------------------ */

/* All records, links as they are followed, and the version. */
static void dump(const struct wf_organisation *o, struct wf_buffer *text)
{
	wf_buffer_printf(text, "version %llu\n",
	    (unsigned long long)wf_organisation_version(o));
	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++)
		for (uint32_t i = 0; i < wf_org_count(o, kind); i++) {
			const struct wf_org_record *record =
			    wf_org_at(o, kind, i);
			json_t *json = wf_org_record_json(record);
			char *line = json_dumps(json, JSON_COMPACT);

			wf_buffer_printf(text, "%s %llu %s\n",
			    wf_org_layouts[kind].word,
			    (unsigned long long)record->change, line);
			free(line);
			json_decref(json);
		}
	for (unsigned i = 0; i < wf_org_count(o, WF_ORG_ROLE); i++) {
		struct wf_numbers up = wf_org_targets(o, WF_ROLE_belongs_to, i);
		struct wf_numbers members =
		    wf_org_sources(o, WF_PARTICIPANT_roles, i);

		wf_buffer_printf(text, "role %u: %zu up, members", i, up.count);
		for (size_t k = 0; k < members.count; k++)
			wf_buffer_printf(text, " %u", members.rows[k]);
		wf_buffer_putc(text, '\n');
	}
}

static void dump_cache(struct wf_org_cache *cache, struct wf_buffer *text)
{
	struct wf_organisation *organisation = wf_org_cache_get(cache);

	wf_buffer_reset(text);
	dump(organisation, text);
	wf_organisation_unref(&organisation);
}

/* --- random edits of two nodes -------------------------------------------- */

/* What the store should have: the JSON of each record, as a member. */
struct model {
	json_t *records;
};

static const char *random_json(
    struct wf_random *random, struct wf_arena *arena, enum wf_org_kind kind)
{
	unsigned name = (unsigned)wf_random_below(random, 2 * MOST);
	unsigned up = (unsigned)wf_random_below(random, MOST);

	if (kind == WF_ORG_ROLE && wf_random_below(random, 2) == 0)
		return wf_arena_printf(arena, "{\"name\": \"R%u\"}", name);
	if (kind == WF_ORG_ROLE)
		return wf_arena_printf(arena,
		    "{\"name\": \"R%u\", \"belongsTo\": \"x%u\"}", name, up);
	return wf_arena_printf(arena,
	    "{\"user\": \"u%u\", \"roles\": [\"%s%u\"],"
	    " \"administrator\": %s}",
	    name, wf_random_below(random, 3) == 0 ? "R" : "x", up,
	    name % 2 == 0 ? "true" : "false");
}

static const char *key_of(
    struct wf_arena *arena, enum wf_org_kind kind, const char *id)
{
	return wf_arena_printf(arena, "%s/%s", wf_org_layouts[kind].word, id);
}

/* As the store has it after the edit that was accepted. */
static void note_put(struct model *model, struct wf_org_cache *cache,
    enum wf_org_kind kind, const char *id, const char *text,
    struct wf_arena *arena)
{
	struct wf_organisation *o = wf_org_cache_get(cache);
	json_t *wanted = json_loads(text, 0, NULL);
	json_t *got;
	uint32_t number = wf_org_find(o, kind, id);

	CU_ASSERT_FATAL(number != WF_ORG_NOBODY);
	got = wf_org_record_json(wf_org_at(o, kind, number));
	CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(
				   got, wf_org_layouts[kind].fields[0].json)),
	    json_string_value(
		json_object_get(wanted, wf_org_layouts[kind].fields[0].json)));
	json_object_set_new(model->records, key_of(arena, kind, id), got);
	json_decref(wanted);
	wf_organisation_unref(&o);
}

static void drop_text(json_t *array, const char *text)
{
	for (size_t i = json_array_size(array); i-- > 0;)
		if (strcmp(json_string_value(json_array_get(array, i)), text) ==
		    0)
			json_array_remove(array, i);
}

static void note_removal(struct model *model, enum wf_org_kind kind,
    const char *id, struct wf_arena *arena)
{
	const char *key;
	json_t *record;
	const char *up;

	json_object_del(model->records, key_of(arena, kind, id));
	if (kind != WF_ORG_ROLE)
		return;
	json_object_foreach(model->records, key, record)
	{
		drop_text(json_object_get(record, "roles"), id);
		up = json_string_value(json_object_get(record, "belongsTo"));
		if (up != NULL && strcmp(up, id) == 0)
			json_object_del(record, "belongsTo");
	}
}

static void compare_model(
    const struct model *model, const struct wf_organisation *o)
{
	struct wf_arena *arena = wf_arena_new();
	size_t count = 0;

	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++)
		for (uint32_t i = 0; i < wf_org_count(o, kind); i++, count++) {
			const struct wf_org_record *record =
			    wf_org_at(o, kind, i);
			json_t *json = wf_org_record_json(record);

			CU_ASSERT_TRUE(json_equal(
			    json, json_object_get(model->records,
				      key_of(arena, kind, record->id))));
			json_decref(json);
		}
	CU_ASSERT_EQUAL(count, json_object_size(model->records));
	wf_arena_free(&arena);
}

static void compare_all(struct store_fixture *f, struct wf_org_cache *caches[2],
    const struct model *model)
{
	struct wf_org_cache *fresh;
	struct wf_buffer expected;
	struct wf_buffer text;

	wf_buffer_init(&expected, SIZE_MAX / 2);
	wf_buffer_init(&text, SIZE_MAX / 2);
	OK(wf_org_cache_open(&fresh, f->other, &f->err));
	dump_cache(fresh, &expected);
	for (unsigned i = 0; i < 2; i++) {
		struct wf_organisation *o;

		OK(wf_org_cache_refresh(caches[i], f->other, &f->err));
		dump_cache(caches[i], &text);
		CU_ASSERT_STRING_EQUAL(
		    wf_buffer_text(&text), wf_buffer_text(&expected));
		o = wf_org_cache_get(caches[i]);
		compare_model(model, o);
		wf_organisation_unref(&o);
	}
	wf_org_cache_close(&fresh);
	wf_buffer_free(&expected);
	wf_buffer_free(&text);
}

static void check_random(struct store_fixture *f)
{
	struct wf_random random = { test_seed("organisation", 3) };
	struct model model = { json_object() };
	struct wf_org_cache *caches[2];
	unsigned made = 0;
	unsigned refused = 0;

	OK(wf_org_cache_open(&caches[0], f->store, &f->err));
	OK(wf_org_cache_open(&caches[1], f->store, &f->err));
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct wf_org_cache *cache =
		    caches[wf_random_below(&random, 2)];
		enum wf_org_kind kind = wf_random_below(&random, 2) == 0
					    ? WF_ORG_ROLE
					    : WF_ORG_PARTICIPANT;
		const char *id = wf_arena_printf(
		    f->arena, "x%u", (unsigned)wf_random_below(&random, MOST));
		const char *json = random_json(&random, f->arena, kind);
		bool is_removal = wf_random_below(&random, 5) == 0;
		struct wf_org_one one = { .kind = kind,
			.id = id,
			.from_empty = true,
			.read = is_removal ? NULL : read_json,
			.context = (void *)json,
			.arena = f->arena };
		enum wf_rc rc = wf_org_edit_one(cache, f->store, &one, &f->err);

		wf_error_clear(&f->err);
		made += rc == WF_OK;
		refused += rc != WF_OK;
		if (rc == WF_OK && is_removal)
			note_removal(&model, kind, one.id_out, f->arena);
		else if (rc == WF_OK)
			note_put(
			    &model, cache, kind, one.id_out, json, f->arena);
		compare_all(f, caches, &model);
	}
	CU_ASSERT_TRUE(made > ROUNDS / 5);
	CU_ASSERT_TRUE(refused > ROUNDS / 10);
	wf_org_cache_close(&caches[0]);
	wf_org_cache_close(&caches[1]);
	json_decref(model.records);
}

static void test_random(void)
{
	store_on_each(check_random);
}

/* --- races ---------------------------------------------------------------- */

struct race {
	struct store_fixture *f;
	struct wf_org_cache *other;
	unsigned calls;
};

/* While the first is decided, another node makes the other half of a circle. */
static enum wf_rc decide_slowly(void *context,
    const struct wf_organisation *organisation, struct wf_arena *arena,
    struct wf_org_changes *changes_out, struct wf_error *err)
{
	struct race *race = context;
	struct wf_org_record *record =
	    wf_org_record_new(arena, WF_ORG_ROLE, "a");

	((struct wf_org_role *)record)->name = "A";
	((struct wf_org_role *)record)->belongs_to = "b";
	changes_out->rows = wf_arena_alloc(arena, sizeof(*changes_out->rows));
	changes_out->rows[0] =
	    (struct wf_org_change){ WF_ORG_ROLE, "a", record };
	changes_out->count = 1;
	if (race->calls++ == 0) {
		struct store_fixture other = *race->f;

		other.store = other.other;
		OK(put(&other, race->other, WF_ORG_ROLE, "b",
		    "{\"belongsTo\": \"A\"}"));
	}
	return wf_organisation_check(organisation, changes_out->rows, err);
}

static void check_race(struct store_fixture *f)
{
	struct race race = { .f = f };
	struct wf_org_cache *cache;

	OK(wf_org_cache_open(&cache, f->store, &f->err));
	OK(wf_org_cache_open(&race.other, f->other, &f->err));
	OK(put(f, cache, WF_ORG_ROLE, "a", "{\"name\": \"A\"}"));
	OK(put(f, cache, WF_ORG_ROLE, "b", "{\"name\": \"B\"}"));
	REFUSED(f, WF_INVALID,
	    wf_org_edit(cache, f->store, decide_slowly, &race, NULL, &f->err));
	CU_ASSERT_EQUAL(race.calls, 2);
	wf_org_cache_close(&cache);
	wf_org_cache_close(&race.other);
}

static void test_race(void)
{
	store_on_each(check_race);
}

/* --- one record ----------------------------------------------------------- */

static void check_versions(struct store_fixture *f)
{
	struct wf_org_one one = { .kind = WF_ORG_ROLE,
		.id = "Clerk",
		.expected = WF_ORG_NEW,
		.read = read_json,
		.context = "{\"name\": \"Clerk\"}",
		.arena = f->arena };
	struct wf_org_cache *cache;
	struct wf_organisation *o;
	uint64_t change;

	OK(wf_org_cache_open(&cache, f->store, &f->err));
	OK(wf_org_edit_one(cache, f->store, &one, &f->err));
	CU_ASSERT_TRUE(one.added);
	REFUSED(
	    f, WF_CONFLICT, wf_org_edit_one(cache, f->store, &one, &f->err));
	o = wf_org_cache_get(cache);
	change = wf_org_at(o, WF_ORG_ROLE, 0)->change;
	CU_ASSERT_EQUAL(change, wf_organisation_version(o));
	wf_organisation_unref(&o);
	/* Another record does not disturb; nor do other kinds of records. */
	OK(put(f, cache, WF_ORG_ROLE, "x", "{\"name\": \"X\"}"));
	one.expected = change;
	one.context = "{\"notes\": \"n\"}";
	OK(wf_org_edit_one(cache, f->store, &one, &f->err));
	CU_ASSERT_FALSE(one.added);
	REFUSED(
	    f, WF_CONFLICT, wf_org_edit_one(cache, f->store, &one, &f->err));
	one.read = NULL;
	REFUSED(
	    f, WF_CONFLICT, wf_org_edit_one(cache, f->store, &one, &f->err));
	one.expected = 0;
	OK(wf_org_edit_one(cache, f->store, &one, &f->err));
	REFUSED(
	    f, WF_NOT_FOUND, wf_org_edit_one(cache, f->store, &one, &f->err));
	/* An id that Weft makes. */
	one = (struct wf_org_one){ .kind = WF_ORG_PARTICIPANT,
		.read = read_json,
		.context = "{\"user\": \"ann\"}",
		.arena = f->arena };
	OK(wf_org_edit_one(cache, f->store, &one, &f->err));
	CU_ASSERT_NSTRING_EQUAL(one.id_out, "PA-", 3);
	CU_ASSERT_EQUAL(strlen(one.id_out), 39);
	REFUSED(
	    f, WF_CONFLICT, wf_org_edit_one(cache, f->store, &one, &f->err));
	wf_org_cache_close(&cache);
}

static void test_versions(void)
{
	store_on_each(check_versions);
}

/* A record goes out of all that link to it, in one change. */
static void check_removal(struct store_fixture *f)
{
	struct wf_org_cache *cache;
	struct wf_organisation *o;
	uint64_t before;
	uint64_t after;

	OK(wf_org_cache_open(&cache, f->store, &f->err));
	OK(put(f, cache, WF_ORG_ROLE, "r", "{\"name\": \"R\"}"));
	OK(put(f, cache, WF_ORG_ROLE, "s",
	    "{\"name\": \"S\", \"belongsTo\": \"r\"}"));
	OK(put(f, cache, WF_ORG_PARTICIPANT, "a",
	    "{\"user\": \"ann\", \"roles\": [\"S\", \"R\"]}"));
	OK(put(f, cache, WF_ORG_PARTICIPANT, "b",
	    "{\"user\": \"ben\", \"roles\": [\"S\"]}"));
	OK(put(f, cache, WF_ORG_RATE, "c",
	    "{\"name\": \"C\", \"role\": \"R\", \"amount\": 2}"));
	OK(wf_store_change(f->store, &before, &f->err));
	OK(removed(f, cache, WF_ORG_ROLE, "r", 3));
	OK(wf_store_change(f->store, &after, &f->err));
	CU_ASSERT_EQUAL(after, before + 1);
	/* It comes back without members. */
	OK(put(f, cache, WF_ORG_ROLE, "r", "{\"name\": \"R\"}"));
	o = wf_org_cache_get(cache);
	CU_ASSERT_EQUAL(wf_org_sources(o, WF_PARTICIPANT_roles,
			    wf_org_find(o, WF_ORG_ROLE, "r"))
			    .count,
	    0);
	CU_ASSERT_EQUAL(wf_org_sources(o, WF_PARTICIPANT_roles,
			    wf_org_find(o, WF_ORG_ROLE, "s"))
			    .count,
	    2);
	wf_organisation_unref(&o);
	wf_org_cache_close(&cache);
}

static void test_removal(void)
{
	store_on_each(check_removal);
}

/* Records that are damaged, or of a later Weft, do not hide the others. */
static void check_damage(struct store_fixture *f)
{
	static const struct {
		const char *name;
		const char *value;
	} rows[] = {
		{ "", "1" },
		{ "role/a", "{\"name\": \"A\", \"later\": [1]}" },
		{ "role/b", "{\"name\": 7}" },
		{ "role/c", "{" },
		{ "role", "{}" },
		{ "planet/d", "{\"name\": \"D\"}" },
		{ "role/e", "{\"name\": \"E\"}" },
	};
	struct wf_org_cache *cache;
	struct wf_organisation *o;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct wf_record_row row = { .kind = "organisation",
			.name = rows[i].name,
			.value = { rows[i].value, strlen(rows[i].value) } };

		OK(wf_store_put_record(f->store, &row, &f->err));
	}
	OK(wf_org_cache_open(&cache, f->store, &f->err));
	o = wf_org_cache_get(cache);
	CU_ASSERT_EQUAL(wf_org_count(o, WF_ORG_ROLE), 2);
	CU_ASSERT_EQUAL(wf_organisation_version(o), 1);
	wf_organisation_unref(&o);
	wf_org_cache_close(&cache);
}

static void test_damage(void)
{
	store_on_each(check_damage);
}

/* --- JSON ----------------------------------------------------------------- */

static void test_bad_json(void)
{
	static const struct {
		enum wf_org_kind kind;
		const char *json;
		const char *message;
	} rows[] = {
		{ WF_ORG_ROLE, "[]", "a role: expected an object" },
		{ WF_ORG_ROLE, "{\"nam\": 1}",
		    "\"nam\": a role has no such member; expected: name, "
		    "description, notes, belongsTo, live" },
		{ WF_ORG_ROLE, "{\"name\": 1}", "\"name\": expected a string" },
		{ WF_ORG_ROLE, "{\"id\": \"y\"}",
		    "\"id\": expected the id of the record" },
		{ WF_ORG_ROLE, "{\"live\": 1}",
		    "\"live\": expected true or false" },
		{ WF_ORG_PARTICIPANT, "{\"password\": \"x\"}",
		    "\"password\": a participant has no such member" },
		{ WF_ORG_PARTICIPANT, "{\"roles\": \"a\"}",
		    "\"roles\": expected an array of strings" },
		{ WF_ORG_PARTICIPANT, "{\"roles\": [\"\"]}",
		    "\"roles\": expected an array of strings that are not" },
		{ WF_ORG_PARTICIPANT, "{\"privileges\": [\"canFly\"]}",
		    "'canFly' is no privilege" },
		{ WF_ORG_PARTICIPANT, "{\"privileges\": \"111\"}",
		    "expected an array of privileges" },
		{ WF_ORG_RATE, "{\"amount\": \"1\"}",
		    "\"amount\": expected a number from 0 to 999999999" },
		{ WF_ORG_RATE, "{\"amount\": -1}", "from 0 to" },
		{ WF_ORG_RATE, "{\"amount\": 1e300}", "from 0 to" },
	};
	struct wf_arena *arena = wf_arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct wf_org_record *record =
		    wf_org_record_new(arena, rows[i].kind, "x");
		json_t *json = json_loads(rows[i].json, 0, NULL);
		struct wf_error err = { .rc = WF_OK };

		CU_ASSERT_EQUAL(
		    wf_org_record_read_json(arena, json, true, record, &err),
		    WF_INVALID);
		if (strstr(err.message, rows[i].message) == NULL)
			printf("\n%s\n", err.message);
		CU_ASSERT_PTR_NOT_NULL(strstr(err.message, rows[i].message));
		json_decref(json);
	}
	wf_arena_free(&arena);
}

/* --- rates ---------------------------------------------------------------- */

static void check_rates(struct store_fixture *f)
{
	struct wf_rated_work work = { .specification = "spec", .task = "T" };
	struct wf_org_cache *cache;
	struct wf_organisation *o;
	struct wf_work_cost cost;

	OK(wf_org_cache_open(&cache, f->store, &f->err));
	OK(put(f, cache, WF_ORG_ROLE, "r", "{\"name\": \"R\"}"));
	OK(put(f, cache, WF_ORG_ROLE, "s",
	    "{\"name\": \"S\", \"belongsTo\": \"r\"}"));
	OK(put(f, cache, WF_ORG_PARTICIPANT, "a",
	    "{\"user\": \"ann\", \"roles\": [\"S\"]}"));
	OK(put(f, cache, WF_ORG_PARTICIPANT, "b", "{\"user\": \"ben\"}"));
	OK(put(f, cache, WF_ORG_RATE, "1",
	    "{\"name\": \"role\", \"role\": \"R\", \"amount\": 60}"));
	OK(put(f, cache, WF_ORG_RATE, "2",
	    "{\"name\": \"task\", \"specification\": \"spec\","
	    " \"task\": \"T\", \"amount\": 0.5, \"per\": \"minute\"}"));
	OK(put(f, cache, WF_ORG_RATE, "3",
	    "{\"name\": \"ben\", \"participant\": \"ben\", \"amount\": 24,"
	    " \"per\": \"day\", \"while\": \"allocated\"}"));
	OK(put(f, cache, WF_ORG_RATE, "4",
	    "{\"name\": \"other\", \"task\": \"U\", \"amount\": 1000}"));
	OK(put(f, cache, WF_ORG_RATE, "5",
	    "{\"name\": \"stamp\", \"task\": \"T\", \"amount\": 3,"
	    " \"per\": \"item\"}"));
	REFUSED(f, WF_INVALID,
	    put(f, cache, WF_ORG_RATE, "6",
		"{\"name\": \"bad\", \"per\": \"year\"}"));
	o = wf_org_cache_get(cache);
	work.participant = wf_org_find(o, WF_ORG_PARTICIPANT, "a");
	cost = wf_rates_of(o, &work);
	CU_ASSERT_TRUE(cost.is_known);
	CU_ASSERT_EQUAL(cost.all, 93000000);
	CU_ASSERT_EQUAL(cost.busy, 93000000);
	/* Half an hour: 30 of the role, 15 of the task, 3 of the item. */
	CU_ASSERT_EQUAL(wf_rates_price(o, &work, 1, 1800000), 48000000);
	work.participant = wf_org_find(o, WF_ORG_PARTICIPANT, "b");
	cost = wf_rates_of(o, &work);
	CU_ASSERT_EQUAL(cost.allocated, 1000000);
	CU_ASSERT_EQUAL(cost.busy, 33000000);
	work.participant = WF_ORG_NOBODY;
	CU_ASSERT_EQUAL(wf_rates_price(o, &work, 1, 60000), 3500000);
	work.task = "V";
	cost = wf_rates_of(o, &work);
	CU_ASSERT_FALSE(cost.is_known);
	wf_organisation_unref(&o);
	wf_org_cache_close(&cache);
}

static void test_rates(void)
{
	store_on_each(check_rates);
}

CU_TestInfo wf_tests_organisation[] = {
	{ "random edits of two nodes", test_random },
	{ "edits that race", test_race },
	{ "versions", test_versions },
	{ "removal", test_removal },
	{ "damaged records", test_damage },
	{ "JSON that is refused", test_bad_json },
	{ "rates", test_rates },
	CU_TEST_INFO_NULL,
};
