/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of records in memory: what a change costs to read, and what becomes of
 * two who write.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "persistence/record_cache.h"
#include "tests/unit/store_fixture.h"
#include "work/handler.h"
#include "work/service.h"
#include "worklist/absences.h"
#include "worklist/deputies.h"
#include "worklist/listeners.h"
#include "worklist/piles.h"

#define NOW INT64_C(1000000000000)
#define HOUR INT64_C(3600000)
#define MANY 10000U
/* Records that one change may cost: what is changed, and what belongs to it. */
#define FEW 3U

/* --- a kind of these tests ------------------------------------------------ */

/* The value of its record is "COLOUR SIZE". */
struct thing {
	const char *name;
	const char *colour;
	const char *size;
};

static bool read_thing(
    const struct wf_record_row *row, void *entry, struct wf_arena *arena)
{
	struct thing *thing = entry;
	char *text = wf_arena_strndup(arena, row->value.data, row->value.size);
	char *space = strchr(text, ' ');

	if (space == NULL)
		return false;
	*space = '\0';
	*thing = (struct thing){ wf_arena_strdup(arena, row->name), text,
		space + 1 };
	return true;
}

static void copy_thing(const void *from, void *to, struct wf_arena *arena)
{
	const struct thing *thing = from;

	*(struct thing *)to =
	    (struct thing){ wf_arena_strdup(arena, thing->name),
		    wf_arena_strdup(arena, thing->colour),
		    wf_arena_strdup(arena, thing->size) };
}

enum { BY_COLOUR, BY_SIZE };

static const struct wf_record_kind things = { .kind = "thing",
	.size = sizeof(struct thing),
	.read = read_thing,
	.copy = copy_thing,
	.keys = { [BY_COLOUR] = offsetof(struct thing, colour),
	    [BY_SIZE] = offsetof(struct thing, size) },
	.key_count = 2 };

/* text NULL: a removal. */
static struct wf_record_row row_of(
    const char *name, const char *text, uint64_t change)
{
	return (struct wf_record_row){ .kind = "thing",
		.name = name,
		.value = { text, text == NULL ? 0 : strlen(text) },
		.change = change };
}

static void write_thing(
    struct store_fixture *f, const char *name, const char *text)
{
	const struct wf_record_row row = row_of(name, text, 0);

	OK(wf_store_put_record(f->other, &row, &f->err));
}

/* --- as the store has them ------------------------------------------------ */

static void compare_choice(struct store_fixture *f,
    struct wf_record_cache *cache, struct wf_record_cache *fresh,
    const struct wf_record_choice *choice)
{
	size_t count;
	size_t expected;
	const struct thing *rows =
	    wf_record_cache_choose(cache, choice, f->arena, &count);
	const struct thing *others =
	    wf_record_cache_choose(fresh, choice, f->arena, &expected);

	CU_ASSERT_EQUAL_FATAL(count, expected);
	CU_ASSERT_EQUAL(wf_record_cache_count(cache, choice), count);
	for (size_t i = 0; i < count; i++) {
		CU_ASSERT_STRING_EQUAL(rows[i].name, others[i].name);
		CU_ASSERT_STRING_EQUAL(rows[i].colour, others[i].colour);
		CU_ASSERT_STRING_EQUAL(rows[i].size, others[i].size);
	}
}

/* With one that has read all. */
static void compare_with_store(
    struct store_fixture *f, struct wf_record_cache *cache)
{
	static const char *const texts[] = { "red", "blue", "small", "large" };
	struct wf_record_cache *fresh = wf_record_cache_new(&things);
	struct wf_record_choice choice = { .text = NULL };

	OK(wf_record_cache_refresh(cache, f->store, &f->err));
	OK(wf_record_cache_refresh(fresh, f->other, &f->err));
	compare_choice(f, cache, fresh, &choice);
	for (unsigned i = 0; i < 4; i++) {
		choice.key = i < 2 ? BY_COLOUR : BY_SIZE;
		choice.text = texts[i];
		compare_choice(f, cache, fresh, &choice);
	}
	wf_record_cache_free(&fresh);
	wf_arena_reset(f->arena);
}

/* Things come, change, go and are damaged. */
static void write_some(
    struct store_fixture *f, struct wf_random *random, unsigned names)
{
	static const char *const texts[] = { "red small", "red large",
		"blue small", "blue large", " small", "damaged", NULL };
	struct wf_record_row *rows =
	    wf_arena_array(f->arena, names, sizeof(*rows));
	size_t count = 0;

	for (unsigned i = 0; i < names; i++)
		if (wf_random_below(random, 2) == 0)
			rows[count++] =
			    row_of(wf_arena_printf(f->arena, "t%u", i),
				texts[wf_random_below(random, 7)], 0);
	if (count > 0)
		OK(wf_store_put_records(
		    f->other, rows, count, 0, NULL, &f->err));
}

static void check_alike(struct store_fixture *f)
{
	struct wf_record_cache *cache = wf_record_cache_new(&things);
	struct wf_random random = { 16 };
	uint64_t version;

	CU_ASSERT_EQUAL(wf_record_cache_version(cache), 0);
	compare_with_store(f, cache);
	/* So often that what is not in use any more goes, too. */
	for (unsigned i = 0; i < 20; i++) {
		write_some(f, &random, 300);
		compare_with_store(f, cache);
	}
	version = wf_record_cache_version(cache);
	compare_with_store(f, cache);
	CU_ASSERT_EQUAL(wf_record_cache_version(cache), version);
	wf_record_cache_free(&cache);
}

static void test_alike(void)
{
	store_on_each(check_alike);
}

/* A reader that was away for long reads all: removals are not known then. */
static void check_behind(struct store_fixture *f)
{
	struct wf_record_cache *cache = wf_record_cache_new(&things);

	write_thing(f, "stays", "red small");
	write_thing(f, "goes", "red small");
	compare_with_store(f, cache);
	write_thing(f, "goes", NULL);
	for (unsigned i = 0; i <= WF_RECORD_CHANGES_KEPT; i++)
		write_thing(
		    f, "stays", i % 2 == 0 ? "blue large" : "red large");
	compare_with_store(f, cache);
	CU_ASSERT_EQUAL(
	    wf_record_cache_change(cache, 0, "goes"), WF_RECORD_NEW);
	wf_record_cache_free(&cache);
}

static void test_behind(void)
{
	store_on_each(check_behind);
}

/* --- editing -------------------------------------------------------------- */

/* Adds a mark to the colour; others write meanwhile. */
struct marking {
	struct store_fixture *f;
	struct wf_record_cache *cache;
	const char *name; /* of what others write */
	unsigned others;  /* how often they are first */
	unsigned calls;
	bool alone;
};

static enum wf_rc mark(void *context, struct wf_arena *arena,
    struct wf_record_edit *edit, struct wf_error *err)
{
	struct marking *marking = context;
	struct wf_record_row *row = wf_arena_alloc(arena, sizeof(*row));
	struct thing thing = { .colour = "red", .size = "small" };

	(void)err;
	(void)wf_record_cache_find(marking->cache, 0, "one", arena, &thing);
	*row = row_of("one",
	    wf_arena_printf(arena, "%sx %s", thing.colour, thing.size),
	    wf_record_cache_change(marking->cache, 0, "one"));
	*edit = (struct wf_record_edit){ row, 1, marking->alone };
	if (marking->calls++ < marking->others)
		write_thing(marking->f, marking->name,
		    marking->calls % 2 == 0 ? "blue small" : "green large");
	return WF_OK;
}

static void expect_thing(struct store_fixture *f, struct marking *marking,
    unsigned calls, const char *colour)
{
	struct thing thing = { .colour = "" };

	CU_ASSERT_EQUAL(marking->calls, calls);
	CU_ASSERT_TRUE(
	    wf_record_cache_find(marking->cache, 0, "one", f->arena, &thing));
	CU_ASSERT_STRING_EQUAL(thing.colour, colour);
	marking->calls = 0;
}

static void check_editing(struct store_fixture *f)
{
	struct marking marking = { .f = f,
		.cache = wf_record_cache_new(&things),
		.name = "one",
		.others = 2 };

	/* What others wrote is changed, not replaced. */
	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	expect_thing(f, &marking, 3, "bluex");
	/* Another record does not matter, .. */
	marking.name = "two";
	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	expect_thing(f, &marking, 1, "bluexx");
	/* .. unless the decision depends on it. */
	marking.alone = true;
	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	expect_thing(f, &marking, 3, "bluexxx");
	/* Not for ever. */
	marking.others = 1000;
	REFUSED(f, WF_UNAVAILABLE,
	    wf_record_cache_edit(
		marking.cache, f->store, mark, &marking, &f->err));
	CU_ASSERT_TRUE(marking.calls > 1 && marking.calls < 1000);
	/* A damaged record can be written, and is none before. */
	write_thing(f, "one", "damaged");
	marking.calls = marking.others = 0;
	OK(wf_record_cache_edit(
	    marking.cache, f->store, mark, &marking, &f->err));
	expect_thing(f, &marking, 1, "redx");
	wf_record_cache_free(&marking.cache);
}

static void test_editing(void)
{
	store_on_each(check_editing);
}

/* --- what a change costs -------------------------------------------------- */

/* Writes MANY records of a kind; value: of the i-th, in the arena. */
static void fill(struct store_fixture *f, uint32_t namespace_id,
    const char *kind, struct wf_bytes (*value)(struct wf_arena *, unsigned))
{
	struct wf_record_row *rows =
	    wf_arena_array(f->arena, MANY, sizeof(*rows));

	for (unsigned i = 0; i < MANY; i++)
		rows[i] = (struct wf_record_row){ .namespace_id = namespace_id,
			.kind = kind,
			.name = wf_arena_printf(f->arena, "%u", i + 1),
			.value = value(f->arena, i) };
	OK(wf_store_put_records(f->store, rows, MANY, 0, NULL, &f->err));
}

static struct wf_bytes bytes_of(const char *text)
{
	return (struct wf_bytes){ text, strlen(text) };
}

static struct wf_bytes absence_value(struct wf_arena *arena, unsigned i)
{
	return bytes_of(wf_arena_printf(arena,
	    "{\"resource\":\"P%u\",\"from\":%u,\"to\":%u,\"workload\":60,"
	    "\"agent\":\"a\",\"comment\":\"\"}",
	    i / 2, 1000 * i, 1000 * i + 900));
}

static void check_absences(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct wf_absence one = { .resource = "P0",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 100,
		.agent = "x",
		.comment = "" };
	struct wf_absence found;
	uint64_t reads;

	fill(f, 0, "absence", absence_value);
	OK(wf_absences_refresh(here, f->store, &f->err));
	OK(wf_absences_refresh(there, f->other, &f->err));
	CU_ASSERT_EQUAL(wf_absences_reads(here), MANY);
	reads = wf_absences_reads(there);
	OK(wf_absence_put(there, f->other, &one, "x", &f->err));
	one.to += HOUR;
	OK(wf_absence_put(there, f->other, &one, "x", &f->err));
	OK(wf_absence_remove(there, f->other, 7, "x", &f->err));
	CU_ASSERT_TRUE(wf_absences_reads(there) <= reads + 3 * FEW);
	OK(wf_absences_refresh(here, f->store, &f->err));
	CU_ASSERT_TRUE(wf_absences_reads(here) <= MANY + FEW);
	CU_ASSERT_EQUAL(
	    wf_absences_of(here, "P0", 0, INT64_MAX, f->arena).count, 3);
	CU_ASSERT_TRUE(wf_absence_find(here, one.id, f->arena, &found));
	CU_ASSERT_EQUAL(found.to, NOW + 2 * HOUR);
	CU_ASSERT_EQUAL(
	    wf_absences_of(here, "P3", 0, INT64_MAX, f->arena).count, 1);
	wf_absences_free(&here);
	wf_absences_free(&there);
}

static struct wf_bytes deputy_value(struct wf_arena *arena, unsigned i)
{
	return bytes_of(wf_arena_printf(arena,
	    "{\"person\":\"P%u\",\"deputy\":\"D%u\",\"from\":%u,\"to\":"
	    "2000000000000,\"processes\":[],\"agent\":\"a\",\"comment\":\"\"}",
	    i / 2, i / 3, i));
}

static void check_deputies(struct store_fixture *f)
{
	struct wf_deputies *here = wf_deputies_new();
	struct wf_deputies *there = wf_deputies_new();
	struct wf_deputy one = { .person = "P0",
		.deputy = "D0",
		.from = NOW,
		.to = NOW + HOUR,
		.agent = "x",
		.comment = "" };
	uint64_t reads;

	fill(f, 0, "deputy", deputy_value);
	OK(wf_deputies_refresh(here, f->store, &f->err));
	OK(wf_deputies_refresh(there, f->other, &f->err));
	reads = wf_deputies_reads(there);
	OK(wf_deputy_put(there, f->other, &one, NOW, &f->err));
	OK(wf_deputy_remove(there, f->other, 7, &f->err));
	CU_ASSERT_TRUE(wf_deputies_reads(there) <= reads + 2 * FEW);
	OK(wf_deputies_refresh(here, f->store, &f->err));
	CU_ASSERT_TRUE(wf_deputies_reads(here) <= MANY + FEW);
	CU_ASSERT_EQUAL(wf_deputies_of(here, "P0", NOW, f->arena).count, 3);
	CU_ASSERT_EQUAL(wf_deputies_of(here, "P3", NOW, f->arena).count, 1);
	CU_ASSERT_EQUAL(
	    wf_deputies_by(here, "D0", NOW, false, f->arena).count, 4);
	CU_ASSERT_EQUAL(
	    wf_deputies_by(here, "D2", NOW, false, f->arena).count, 2);
	wf_deputies_free(&here);
	wf_deputies_free(&there);
}

static struct wf_bytes pile_value(struct wf_arena *arena, unsigned i)
{
	return bytes_of(wf_arena_printf(arena,
	    "{\"specification\":\"S%u\",\"version\":\"0.1\",\"task\":\"T\","
	    "\"participant\":\"P%u\"}",
	    i, i / 2));
}

static void check_piles(struct store_fixture *f)
{
	struct wf_piles *here = wf_piles_new();
	struct wf_piles *there = wf_piles_new();
	struct wf_pile pile = { "UID_1", "0.1", "T", "P0" };
	uint64_t reads;
	bool added;

	fill(f, 0, "pile", pile_value);
	OK(wf_piles_refresh(here, f->store, &f->err));
	OK(wf_piles_refresh(there, f->other, &f->err));
	reads = wf_piles_reads(there);
	OK(wf_pile_put(there, f->other, &pile, &added, &f->err));
	OK(wf_piles_refresh(here, f->store, &f->err));
	CU_ASSERT_EQUAL(wf_piles_of(here, "P0", f->arena).count, 3);
	OK(wf_pile_remove(there, f->other, &pile, &f->err));
	CU_ASSERT_TRUE(wf_piles_reads(there) <= reads + 2 * FEW);
	OK(wf_piles_refresh(here, f->store, &f->err));
	CU_ASSERT_TRUE(wf_piles_reads(here) <= MANY + FEW);
	CU_ASSERT_EQUAL(wf_piles_of(here, "P0", f->arena).count, 2);
	wf_piles_free(&here);
	wf_piles_free(&there);
}

/* Of a service that was written as services are; all have its URI. */
static struct wf_bytes sample;

static struct wf_bytes sample_value(struct wf_arena *arena, unsigned i)
{
	(void)arena;
	(void)i;
	return sample;
}

static void read_sample(struct store_fixture *f, uint32_t namespace_id,
    const char *kind, const char *name)
{
	struct wf_record_row row;

	OK(wf_store_record(
	    f->store, namespace_id, kind, name, f->arena, &row, &f->err));
	sample = row.value;
}

static struct wf_service service_of(const char *name, const char *uri)
{
	return (struct wf_service){ .namespace_id = 1,
		.name = name,
		.uri = uri,
		.kind = &wf_pull_handler,
		.secret = "",
		.address = "",
		.documentation = "",
		.policy = WF_SERVICE_POLICY_DEFAULT };
}

static void check_services(struct store_fixture *f)
{
	const struct wf_service one = service_of("one", "urn:one");
	const struct wf_service other = service_of("other", "urn:other");
	const struct wf_service double_one = service_of("double", "urn:one");
	const struct wf_service_set *set;
	struct wf_services *here;
	struct wf_services *there;
	uint64_t reads;

	wf_service_kinds_add_own();
	OK(wf_service_put(f->store, &other, &f->err));
	read_sample(f, 1, "service", "other");
	OK(wf_service_remove(f->store, 1, "other", &f->err));
	fill(f, 1, "service", sample_value);
	OK(wf_services_open(&here, f->store, &f->err));
	OK(wf_services_open(&there, f->other, &f->err));
	reads = wf_services_reads(there);
	OK(wf_services_put(there, f->other, &one, &f->err));
	OK(wf_service_remove(f->other, 1, "7", &f->err));
	/* The other node has not seen it yet, and still refuses. */
	REFUSED(f, WF_CONFLICT,
	    wf_services_put(here, f->store, &double_one, &f->err));
	OK(wf_services_refresh(here, f->store, &f->err));
	OK(wf_services_refresh(there, f->other, &f->err));
	CU_ASSERT_TRUE(wf_services_reads(there) <= reads + 2 * FEW);
	CU_ASSERT_TRUE(wf_services_reads(here) <= MANY + FEW);
	set = wf_services_hold(here);
	CU_ASSERT_EQUAL(set->count, MANY);
	CU_ASSERT_PTR_NOT_NULL(wf_service_by_name(set, 1, "one"));
	CU_ASSERT_PTR_NULL(wf_service_by_name(set, 1, "7"));
	CU_ASSERT_PTR_NOT_NULL(wf_service_by_uri(set, 1, "urn:one"));
	wf_services_let_go(here, set);
	wf_services_close(&here);
	wf_services_close(&there);
}

/* There are few listeners, but a thousand news may wait. */
static void check_news(struct store_fixture *f)
{
	struct wf_listeners *here = wf_listeners_new();
	struct wf_absences *absences = wf_absences_new();
	struct wf_absence one = { .resource = "ann",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 100,
		.agent = "x",
		.comment = "" };
	struct wf_status_news *news;
	size_t count;

	OK(wf_listener_add(
	    f->store, WF_LISTENER_OF_CALENDAR, "http://a/", "y", &f->err));
	OK(wf_absence_put(absences, f->store, &one, "x", &f->err));
	OK(wf_listeners_refresh(here, f->store, &f->err));
	news = wf_status_news_of(here, NULL, f->arena, &count);
	CU_ASSERT_EQUAL_FATAL(count, 1);
	read_sample(f, 0, "status-news", news[0].name);
	fill(f, 0, "status-news", sample_value);
	OK(wf_listeners_refresh(here, f->store, &f->err));
	OK(wf_status_news_remove(f->other, "7", &f->err));
	OK(wf_listener_add(
	    f->other, WF_LISTENER_OF_WORK, "http://b/", "y", &f->err));
	OK(wf_listeners_refresh(here, f->store, &f->err));
	CU_ASSERT_TRUE(wf_listeners_reads(here) <= MANY + 2 + 2 * FEW);
	CU_ASSERT_EQUAL(wf_listeners_all(here, f->arena).count, 2);
	(void)wf_status_news_of(here, news[0].listener, f->arena, &count);
	CU_ASSERT_EQUAL(count, MANY);
	wf_absences_free(&absences);
	wf_listeners_free(&here);
}

static void test_absences(void)
{
	store_on_each(check_absences);
}

static void test_deputies(void)
{
	store_on_each(check_deputies);
}

static void test_piles(void)
{
	store_on_each(check_piles);
}

static void test_services(void)
{
	store_on_each(check_services);
}

static void test_news(void)
{
	store_on_each(check_news);
}

/* --- two who write -------------------------------------------------------- */

/* Each adds its letter to the comment; the other one is first. */
struct commenting {
	struct store_fixture *f;
	struct wf_absences *other;
	uint64_t id;
	char text[8];
	unsigned calls;
};

static void add_letter(void *context, struct wf_absence *absence)
{
	char *text = context;

	snprintf(text, 8, "%.5sb", absence->comment);
	absence->comment = text;
}

static void add_late(void *context, struct wf_absence *absence)
{
	struct commenting *commenting = context;
	struct store_fixture *f = commenting->f;
	char text[8];

	snprintf(commenting->text, sizeof(commenting->text), "%.5sa",
	    absence->comment);
	absence->comment = commenting->text;
	if (commenting->calls++ == 0)
		OK(wf_absence_edit(commenting->other, f->other, commenting->id,
		    add_letter, text, "x", &f->err));
}

static void check_two_absences(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct commenting commenting = { .f = f, .other = there };
	struct wf_absence one = { .resource = "ann",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 60,
		.agent = "x",
		.comment = "" };
	struct wf_absence old;
	struct wf_absence late;
	char text[8];

	OK(wf_absence_put(here, f->store, &one, "x", &f->err));
	OK(wf_absences_refresh(there, f->other, &f->err));
	/* Both are kept. */
	commenting.id = one.id;
	OK(wf_absence_edit(
	    here, f->store, one.id, add_late, &commenting, "x", &f->err));
	CU_ASSERT_EQUAL(commenting.calls, 2);
	CU_ASSERT_TRUE(wf_absence_find(here, one.id, f->arena, &one));
	CU_ASSERT_STRING_EQUAL(one.comment, "ba");
	/* One that was decided from an old version is not written. */
	CU_ASSERT_TRUE(wf_absence_find(there, one.id, f->arena, &old));
	CU_ASSERT_STRING_EQUAL(old.comment, "b");
	old.workload = 10;
	REFUSED(f, WF_CONFLICT,
	    wf_absence_put(there, f->other, &old, "x", &f->err));
	CU_ASSERT_TRUE(wf_absence_find(there, one.id, f->arena, &late));
	CU_ASSERT_STRING_EQUAL(late.comment, "ba");
	CU_ASSERT_EQUAL(late.workload, 60);
	late.workload = 10;
	OK(wf_absence_put(there, f->other, &late, "x", &f->err));
	/* Nor one of an entry that went. */
	OK(wf_absence_remove(there, f->other, one.id, "x", &f->err));
	REFUSED(
	    f, WF_CONFLICT, wf_absence_put(here, f->store, &one, "x", &f->err));
	REFUSED(f, WF_NOT_FOUND,
	    wf_absence_edit(
		here, f->store, one.id, add_letter, text, "x", &f->err));
	CU_ASSERT_EQUAL(
	    wf_absences_of(here, "ann", 0, INT64_MAX, f->arena).count, 0);
	wf_absences_free(&here);
	wf_absences_free(&there);
}

static void test_two_absences(void)
{
	store_on_each(check_two_absences);
}

/* The limits hold for both together, though neither has seen the other. */
static void check_two_limits(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct wf_absence half = { .resource = "ann",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 60,
		.agent = "x",
		.comment = "" };
	struct wf_absence other = half;
	struct wf_deputies *one_node = wf_deputies_new();
	struct wf_deputies *other_node = wf_deputies_new();

	OK(wf_absence_put(here, f->store, &half, "x", &f->err));
	REFUSED(f, WF_CONFLICT,
	    wf_absence_put(there, f->other, &other, "x", &f->err));
	for (unsigned i = 0; i <= WF_DEPUTIES; i++) {
		struct wf_deputy row = { .person = "ann",
			.deputy = wf_arena_printf(f->arena, "d%u", i),
			.from = NOW,
			.to = NOW + HOUR,
			.agent = "x",
			.comment = "" };
		enum wf_rc rc =
		    wf_deputy_put(i % 2 == 0 ? one_node : other_node,
			i % 2 == 0 ? f->store : f->other, &row, NOW, &f->err);

		CU_ASSERT_EQUAL(rc, i < WF_DEPUTIES ? WF_OK : WF_LIMIT);
		wf_error_clear(&f->err);
	}
	wf_absences_free(&here);
	wf_absences_free(&there);
	wf_deputies_free(&one_node);
	wf_deputies_free(&other_node);
}

static void test_two_limits(void)
{
	store_on_each(check_two_limits);
}

static void check_two_deputies(struct store_fixture *f)
{
	struct wf_deputies *here = wf_deputies_new();
	struct wf_deputies *there = wf_deputies_new();
	struct wf_deputy one = { .person = "ann",
		.deputy = "ben",
		.from = NOW,
		.to = NOW + HOUR,
		.agent = "x",
		.comment = "" };
	struct wf_deputy old;
	struct wf_deputy_list list;

	OK(wf_deputy_put(here, f->store, &one, NOW, &f->err));
	OK(wf_deputies_refresh(there, f->other, &f->err));
	CU_ASSERT_TRUE(wf_deputy_find(there, one.id, f->arena, &old));
	one.to += HOUR;
	OK(wf_deputy_put(here, f->store, &one, NOW, &f->err));
	old.comment = "holidays";
	REFUSED(
	    f, WF_CONFLICT, wf_deputy_put(there, f->other, &old, NOW, &f->err));
	CU_ASSERT_TRUE(wf_deputy_find(there, one.id, f->arena, &old));
	old.comment = "holidays";
	OK(wf_deputy_put(there, f->other, &old, NOW, &f->err));
	OK(wf_deputies_refresh(here, f->store, &f->err));
	list = wf_deputies_of(here, "ann", NOW, f->arena);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(list.rows[0].to, NOW + 2 * HOUR);
	CU_ASSERT_STRING_EQUAL(list.rows[0].comment, "holidays");
	/* What has ended goes with the next one, whoever has read it. */
	old = (struct wf_deputy){ .person = "ann",
		.deputy = "cara",
		.from = NOW + 3 * HOUR,
		.to = NOW + 5 * HOUR,
		.agent = "x",
		.comment = "" };
	OK(wf_deputy_put(there, f->other, &old, NOW + 4 * HOUR, &f->err));
	REFUSED(
	    f, WF_NOT_FOUND, wf_deputy_remove(here, f->store, one.id, &f->err));
	CU_ASSERT_EQUAL(
	    wf_deputies_of(here, "ann", INT64_MIN, f->arena).count, 1);
	wf_deputies_free(&here);
	wf_deputies_free(&there);
}

static void test_two_deputies(void)
{
	store_on_each(check_two_deputies);
}

CU_TestInfo wf_tests_record_cache[] = {
	{ "as the store has them", test_alike },
	{ "a reader that was away", test_behind },
	{ "an edit that is not the first", test_editing },
	{ "one of many absences", test_absences },
	{ "one of many deputies", test_deputies },
	{ "one of many piles", test_piles },
	{ "one of many services", test_services },
	{ "one of many news", test_news },
	{ "two who change an absence", test_two_absences },
	{ "two who change a deputy", test_two_deputies },
	{ "limits that hold for both", test_two_limits },
	CU_TEST_INFO_NULL,
};
