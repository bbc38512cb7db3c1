/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of records that servers keep in memory: what a change of one of
 * many costs to read, and what becomes of two who write.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/store_fixture.h"
#include "work/handler.h"
#include "work/service.h"
#include "work/state/service_state.h"
#include "worklist/absences.h"
#include "worklist/deputies.h"
#include "worklist/listeners.h"
#include "worklist/piles.h"

#define NOW INT64_C(1000000000000)
#define HOUR INT64_C(3600000)
#define MANY 10000U
/* Records that one change may cost: what is changed, and what belongs to it. */
#define FEW 3U

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

static struct wf_absence absence_of(const char *resource, unsigned workload)
{
	return (struct wf_absence){ .resource = resource,
		.from = NOW,
		.to = NOW + HOUR,
		.workload = workload,
		.agent = "x",
		.comment = "" };
}

static void check_absences(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct wf_absence one = absence_of("P0", 100);
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

static struct wf_deputy deputy_of(const char *person, const char *deputy)
{
	return (struct wf_deputy){ .person = person,
		.deputy = deputy,
		.from = NOW,
		.to = NOW + HOUR,
		.agent = "x",
		.comment = "" };
}

static void check_deputies(struct store_fixture *f)
{
	struct wf_deputies *here = wf_deputies_new();
	struct wf_deputies *there = wf_deputies_new();
	struct wf_deputy one = deputy_of("P0", "D0");
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
	uint64_t added;

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
	uint64_t opened;
	uint64_t reads;

	wf_service_kinds_add_own();
	OK(wf_service_put(f->store, &other, &f->err));
	read_sample(f, 1, "service", "other");
	OK(wf_service_remove(f->store, 1, "other", &f->err));
	fill(f, 1, "service", sample_value);
	OK(wf_services_open(&here, f->store, &f->err));
	OK(wf_services_open(&there, f->other, &f->err));
	opened = wf_services_reads(here);
	reads = wf_services_reads(there);
	OK(wf_services_put(there, f->other, &one, &f->err));
	OK(wf_service_remove(f->other, 1, "7", &f->err));
	/* The other node has not seen it yet, and still refuses. */
	REFUSED(f, WF_CONFLICT,
	    wf_services_put(here, f->store, &double_one, &f->err));
	OK(wf_services_refresh(here, f->store, &f->err));
	OK(wf_services_refresh(there, f->other, &f->err));
	CU_ASSERT_TRUE(wf_services_reads(there) <= reads + 2 * FEW);
	CU_ASSERT_TRUE(wf_services_reads(here) <= opened + FEW);
	set = wf_services_hold(here);
	CU_ASSERT_EQUAL(set->count, MANY);
	CU_ASSERT_PTR_NOT_NULL(wf_service_by_name(set, 1, "one"));
	CU_ASSERT_PTR_NULL(wf_service_by_name(set, 1, "7"));
	CU_ASSERT_PTR_NOT_NULL(wf_service_by_uri(set, 1, "urn:one"));
	wf_services_let_go(here, set);
	wf_services_close(&here);
	wf_services_close(&there);
}

#define CALLED "http://127.0.0.1:9/"

static bool is_known(struct wf_services *services, struct wf_arena *arena)
{
	struct wf_service_state state;

	return wf_service_state_read(wf_services_states(services), 1, CALLED,
		   5000, arena, &state) &&
	       state.fails_since == 1000 && state.worker_count == 1 &&
	       state.hour.failed == 1;
}

/* What was seen is that of the service that was there then. */
static void check_forgetting(struct store_fixture *f)
{
	struct wf_service one = service_of("one", CALLED);
	struct wf_service_states *states;
	struct wf_services *services;

	wf_service_kinds_add_own();
	OK(wf_services_open(&services, f->store, &f->err));
	states = wf_services_states(services);
	one.secret = "0123456789abcdef";
	for (int i = 0; i < 3; i++) {
		OK(wf_services_put(services, f->store, &one, &f->err));
		wf_service_state_called(states, 1, CALLED, 1000, 1, "refused");
		wf_service_state_claimed(states, 1, CALLED, 2000, "worker", 1);
		CU_ASSERT_TRUE(is_known(services, f->arena));
		one.documentation = "as it was";
		OK(wf_services_put(services, f->store, &one, &f->err));
		CU_ASSERT_TRUE(is_known(services, f->arena));
		if (i == 0) {
			one.kind = &wf_push_handler;
			one.address = "http://127.0.0.1:11/";
		} else if (i == 1) {
			one.address = "http://127.0.0.1:10/";
		} else {
			OK(wf_service_remove(f->store, 1, "one", &f->err));
			OK(wf_services_refresh(services, f->store, &f->err));
		}
		if (i < 2)
			OK(wf_services_put(services, f->store, &one, &f->err));
		CU_ASSERT_FALSE(is_known(services, f->arena));
	}
	wf_services_close(&services);
}

/* There are few listeners, but a thousand news may wait. */
static void check_news(struct store_fixture *f)
{
	struct wf_listeners *here = wf_listeners_new();
	struct wf_absences *absences = wf_absences_new();
	struct wf_absence one = absence_of("ann", 100);
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

/* A service that is so already is not written again. */
static void check_same_service(struct store_fixture *f)
{
	struct wf_service one = service_of("one", "urn:one");
	uint64_t before;
	uint64_t change;

	wf_service_kinds_add_own();
	OK(wf_service_put(f->store, &one, &f->err));
	OK(wf_store_change(f->store, &before, &f->err));
	OK(wf_service_put(f->other, &one, &f->err));
	OK(wf_store_change(f->store, &change, &f->err));
	CU_ASSERT_EQUAL(change, before);
	one.documentation = "another";
	OK(wf_service_put(f->other, &one, &f->err));
	OK(wf_store_change(f->store, &change, &f->err));
	CU_ASSERT_TRUE(change > before);
}

static void test_same_service(void)
{
	store_on_each(check_same_service);
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
	store_on_each(check_forgetting);
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
	struct wf_absences *here;
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

/* Others change it, and this node reads that before it writes. */
static void add_read_late(void *context, struct wf_absence *absence)
{
	struct commenting *commenting = context;
	struct store_fixture *f = commenting->f;
	bool first = commenting->calls == 0;

	add_late(context, absence);
	if (first)
		OK(wf_absences_refresh(commenting->here, f->store, &f->err));
}

static void check_read_meanwhile(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct commenting commenting = { .f = f, .other = there, .here = here };
	struct wf_absence one = absence_of("ann", 60);

	OK(wf_absence_put(here, f->store, &one, "x", &f->err));
	commenting.id = one.id;
	OK(wf_absence_edit(
	    here, f->store, one.id, add_read_late, &commenting, "x", &f->err));
	CU_ASSERT_EQUAL(commenting.calls, 2);
	CU_ASSERT_TRUE(wf_absence_find(here, one.id, f->arena, &one));
	CU_ASSERT_STRING_EQUAL(one.comment, "ba");
	wf_absences_free(&here);
	wf_absences_free(&there);
}

static void test_read_meanwhile(void)
{
	store_on_each(check_read_meanwhile);
}

static uint64_t change_of_absences(struct store_fixture *f)
{
	struct wf_record_row row;

	OK(wf_store_record(
	    f->other, 0, "absence", "", f->arena, &row, &f->err));
	return row.change;
}

/* Entries that are being changed are decided again: somebody listens. */
static void check_new_listener(struct store_fixture *f)
{
	struct wf_absences *absences = wf_absences_new();
	struct wf_absence one = absence_of("ann", 60);
	uint64_t before;

	OK(wf_absence_put(absences, f->store, &one, "x", &f->err));
	before = change_of_absences(f);
	OK(wf_listener_add(
	    f->other, WF_LISTENER_OF_WORK, "http://a/", "y", &f->err));
	CU_ASSERT_EQUAL(change_of_absences(f), before);
	OK(wf_listener_add(
	    f->other, WF_LISTENER_OF_CALENDAR, "http://a/", "y", &f->err));
	CU_ASSERT_TRUE(change_of_absences(f) > before);
	wf_absences_free(&absences);
}

static void test_new_listener(void)
{
	store_on_each(check_new_listener);
}

static void check_two_absences(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct commenting commenting = { .f = f, .other = there };
	struct wf_absence one = absence_of("ann", 60);
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
	struct wf_absence half = absence_of("ann", 60);
	struct wf_absence other = half;
	struct wf_deputies *one_node = wf_deputies_new();
	struct wf_deputies *other_node = wf_deputies_new();

	OK(wf_absence_put(here, f->store, &half, "x", &f->err));
	REFUSED(f, WF_CONFLICT,
	    wf_absence_put(there, f->other, &other, "x", &f->err));
	for (unsigned i = 0; i <= WF_DEPUTIES; i++) {
		struct wf_deputy row =
		    deputy_of("ann", wf_arena_printf(f->arena, "d%u", i));
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
	struct wf_deputy one = deputy_of("ann", "ben");
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

CU_TestInfo wf_tests_record_kinds[] = {
	{ "one of many absences", test_absences },
	{ "one of many deputies", test_deputies },
	{ "one of many piles", test_piles },
	{ "one of many services", test_services },
	{ "one of many news", test_news },
	{ "two who change an absence", test_two_absences },
	{ "one who reads meanwhile", test_read_meanwhile },
	{ "a listener that comes", test_new_listener },
	{ "a service as it is", test_same_service },
	{ "two who change a deputy", test_two_deputies },
	{ "limits that hold for both", test_two_limits },
	CU_TEST_INFO_NULL,
};
