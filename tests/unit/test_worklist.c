/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Audiences, piles, absences and deputies of two nodes on one store.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/store_fixture.h"
#include "worklist/absences.h"
#include "worklist/audiences.h"
#include "worklist/deputies.h"
#include "worklist/listeners.h"
#include "worklist/piles.h"

#define NOW INT64_C(1000000000000)
#define HOUR INT64_C(3600000)

static struct wf_audience_note note_people(
    struct store_fixture *f, const char *first, const char *second)
{
	struct wf_audience_note note = { .queue = NULL };

	wf_org_texts_add(f->arena, &note.audience.people, first);
	wf_org_texts_add(f->arena, &note.audience.people, second);
	note.queue = wf_audience_queue(&note.audience, f->arena);
	return note;
}

static struct wf_audience_note note_set(struct store_fixture *f, unsigned count)
{
	struct wf_audience_note note = { .queue = "A:set" };

	note.audience.set = note.queue;
	for (unsigned i = 0; i < count; i++)
		wf_org_texts_add(f->arena, &note.members,
		    wf_arena_printf(f->arena, "PA-%u", i));
	return note;
}

static void expect_queues(struct store_fixture *f, struct wf_audiences *a,
    const char *participant, size_t count, const char *queue)
{
	struct wf_organisation *nobody = wf_organisation_new(NULL, NULL, 0, 0);
	struct wf_texts queues =
	    wf_audiences_queues(a, nobody, participant, f->arena);

	CU_ASSERT_EQUAL(queues.count, count);
	CU_ASSERT_TRUE(wf_org_texts_have(&queues, queue));
	wf_organisation_unref(&nobody);
}

static void check_audiences(struct store_fixture *f)
{
	struct wf_audiences *here = wf_audiences_new();
	struct wf_audiences *there = wf_audiences_new();
	struct wf_audience_note notes[] = { note_people(f, "anna", "ben"),
		note_set(f, 300),
		{ .queue = "A:all", .audience = { .all = true } } };

	CU_ASSERT_FALSE(wf_audiences_have(here, notes[0].queue, NOW));
	CU_ASSERT_EQUAL_FATAL(
	    wf_audiences_keep(here, f->store, notes, 3, NOW, &f->err), WF_OK);
	CU_ASSERT_TRUE(wf_audiences_have(here, notes[0].queue, NOW));
	/* It is written again after half a day. */
	CU_ASSERT_FALSE(
	    wf_audiences_have(here, notes[0].queue, NOW + 13 * HOUR));
	expect_queues(f, there, "anna", 1, "P:anna");
	CU_ASSERT_EQUAL(wf_audiences_refresh(there, f->other, &f->err), WF_OK);
	CU_ASSERT_EQUAL(wf_audiences_refresh(here, f->store, &f->err), WF_OK);
	expect_queues(f, there, "anna", 3, notes[0].queue);
	expect_queues(f, there, "carl", 2, "A:all");
	expect_queues(f, there, "PA-299", 3, "A:set");
	expect_queues(f, here, "PA-299", 3, "A:set");
	CU_ASSERT_TRUE(wf_audiences_have_member(there, "A:set", "PA-0"));
	CU_ASSERT_FALSE(wf_audiences_have_member(there, "A:set", "PA-300"));
	CU_ASSERT_FALSE(wf_audiences_have_member(there, "A:none", "PA-0"));
	wf_audiences_free(&here);
	wf_audiences_free(&there);
}

/* Who is left of an audience: of two people one, of 300 one, of all who knows.
 */
static void check_who_is_left(struct store_fixture *f)
{
	struct wf_audiences *here = wf_audiences_new();
	struct wf_audience_note notes[] = { note_people(f, "anna", "PA-7"),
		note_set(f, 300),
		{ .queue = "A:all", .audience = { .all = true } } };
	struct wf_org_record *record =
	    wf_org_record_new(f->arena, WF_ORG_PARTICIPANT, "PA-7");
	struct wf_org_change change = { WF_ORG_PARTICIPANT, "PA-7", record };
	struct wf_organisation *one = wf_organisation_new(NULL, &change, 1, 1);
	struct wf_texts left;

	CU_ASSERT_EQUAL_FATAL(
	    wf_audiences_keep(here, f->store, notes, 3, NOW, &f->err), WF_OK);
	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_TRUE(wf_audiences_are_left(
		    here, one, notes[i].queue, f->arena, &left));
		CU_ASSERT_EQUAL_FATAL(left.count, 1);
		CU_ASSERT_STRING_EQUAL(left.rows[0], "PA-7");
	}
	CU_ASSERT_FALSE(
	    wf_audiences_are_left(here, one, "A:all", f->arena, &left));
	CU_ASSERT_FALSE(
	    wf_audiences_are_left(here, one, "A:none", f->arena, &left));
	CU_ASSERT_FALSE(
	    wf_audiences_are_left(here, one, "P:PA-7", f->arena, &left));
	CU_ASSERT_TRUE(
	    wf_audiences_are_left(here, one, "P:anna", f->arena, &left));
	CU_ASSERT_EQUAL(left.count, 0);
	wf_organisation_unref(&one);
	wf_audiences_free(&here);
}

/* What was written again stays; what nobody needs leaves on all nodes. */
static void check_cleaning(struct store_fixture *f)
{
	struct wf_audiences *here = wf_audiences_new();
	struct wf_audiences *there = wf_audiences_new();
	struct wf_audience_note notes[] = { note_people(f, "anna", "ben"),
		note_people(f, "anna", "carl") };

	CU_ASSERT_EQUAL_FATAL(
	    wf_audiences_keep(here, f->store, notes, 2, NOW, &f->err), WF_OK);
	CU_ASSERT_EQUAL(wf_audiences_refresh(there, f->other, &f->err), WF_OK);
	/* Not yet a day old. */
	CU_ASSERT_EQUAL(
	    wf_audiences_clean(here, f->store, NOW + 20 * HOUR, &f->err),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_audiences_refresh(there, f->other, &f->err), WF_OK);
	expect_queues(f, there, "anna", 3, notes[0].queue);
	CU_ASSERT_EQUAL_FATAL(wf_audiences_keep(there, f->other, notes, 1,
				  NOW + 20 * HOUR, &f->err),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    wf_audiences_clean(here, f->store, NOW + 30 * HOUR, &f->err),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_audiences_refresh(here, f->store, &f->err), WF_OK);
	CU_ASSERT_EQUAL(wf_audiences_refresh(there, f->other, &f->err), WF_OK);
	expect_queues(f, here, "anna", 2, notes[0].queue);
	expect_queues(f, there, "anna", 2, notes[0].queue);
	expect_queues(f, there, "carl", 1, "P:carl");
	wf_audiences_free(&here);
	wf_audiences_free(&there);
}

static void check_piles(struct store_fixture *f)
{
	struct wf_piles *here = wf_piles_new();
	struct wf_piles *there = wf_piles_new();
	struct wf_pile pile = { "UID_1", "0.1", "T", "anna" };
	struct wf_pile other = { "UID_1", "0.1", "T", "ben" };
	struct wf_pile_list list;
	uint64_t added;

	OK(wf_pile_put(here, f->store, &pile, &added, &f->err));
	CU_ASSERT_NOT_EQUAL(added, 0);
	OK(wf_pile_put(here, f->store, &pile, &added, &f->err));
	CU_ASSERT_EQUAL(added, 0);
	CU_ASSERT_EQUAL(
	    wf_pile_put(there, f->other, &other, &added, &f->err), WF_CONFLICT);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(
	    wf_pile_remove(there, f->other, &other, &f->err), WF_CONFLICT);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(wf_piles_refresh(there, f->other, &f->err), WF_OK);
	list = wf_piles_of(there, "anna", f->arena);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].task, "T");
	CU_ASSERT_EQUAL(wf_piles_of(there, "ben", f->arena).count, 0);
	CU_ASSERT_EQUAL(wf_pile_remove(there, f->other, &pile, &f->err), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_pile_remove(there, f->other, &pile, &f->err), WF_NOT_FOUND);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(wf_piles_refresh(here, f->store, &f->err), WF_OK);
	CU_ASSERT_EQUAL(wf_piles_of(here, NULL, f->arena).count, 0);
	wf_piles_free(&here);
	wf_piles_free(&there);
}

/* Nobody takes back what somebody else was promised. */
static void check_piles_taken_back(struct store_fixture *f)
{
	struct wf_piles *here = wf_piles_new();
	struct wf_piles *there = wf_piles_new();
	const struct wf_pile pile = { "UID_1", "0.1", "T", "anna" };
	uint64_t first;
	uint64_t second;

	/* For two items at once. */
	OK(wf_pile_put(here, f->store, &pile, &first, &f->err));
	OK(wf_pile_put(there, f->other, &pile, &second, &f->err));
	OK(wf_pile_take_back(here, f->store, &pile, first, &f->err));
	CU_ASSERT_EQUAL(wf_piles_of(here, "anna", f->arena).count, 1);
	/* Unpiled, and piled again. */
	OK(wf_pile_remove(there, f->other, &pile, &f->err));
	OK(wf_pile_put(here, f->store, &pile, &first, &f->err));
	OK(wf_pile_remove(there, f->other, &pile, &f->err));
	OK(wf_pile_take_back(here, f->store, &pile, first, &f->err));
	OK(wf_pile_put(there, f->other, &pile, &second, &f->err));
	OK(wf_pile_take_back(here, f->store, &pile, first, &f->err));
	CU_ASSERT_EQUAL(wf_piles_of(here, "anna", f->arena).count, 1);
	OK(wf_pile_take_back(here, f->store, &pile, second, &f->err));
	CU_ASSERT_EQUAL(wf_piles_of(here, "anna", f->arena).count, 0);
	wf_piles_free(&here);
	wf_piles_free(&there);
}

/* How many of anna and ben are absent. */
static size_t count_absent(struct store_fixture *f,
    struct wf_absences *absences, int64_t now, uint32_t *first)
{
	struct wf_org_record *anna =
	    wf_org_record_new(f->arena, WF_ORG_PARTICIPANT, "anna");
	struct wf_org_record *ben =
	    wf_org_record_new(f->arena, WF_ORG_PARTICIPANT, "ben");
	const struct wf_org_change changes[] = {
		{ WF_ORG_PARTICIPANT, "anna", anna },
		{ WF_ORG_PARTICIPANT, "ben", ben },
	};
	struct wf_organisation *organisation;
	const uint64_t *set;
	size_t count = 0;

	((struct wf_participant *)anna)->user = "anna";
	((struct wf_participant *)ben)->user = "ben";
	organisation = wf_organisation_new(NULL, changes, 2, 1);
	set = wf_absences_at(absences, organisation, now, f->arena);
	*first = UINT32_MAX;
	if (set != NULL) {
		count = wf_bitset_count(set, wf_people_words(organisation));
		*first = (uint32_t)wf_bitset_next(
		    set, wf_people_words(organisation), 0);
	}
	wf_organisation_unref(&organisation);
	return count;
}

static void check_absences(struct store_fixture *f)
{
	struct wf_absences *here = wf_absences_new();
	struct wf_absences *there = wf_absences_new();
	struct wf_absence half = { .resource = "ben",
		.from = NOW,
		.to = NOW + HOUR,
		.workload = 50,
		.agent = "",
		.comment = "" };
	struct wf_absence other = { .resource = "ben",
		.from = NOW,
		.to = NOW + 2 * HOUR,
		.workload = 60,
		.agent = "",
		.comment = "" };
	struct wf_absence all = { .resource = WF_ABSENCE_PEOPLE,
		.from = NOW + 2 * HOUR,
		.to = NOW + 3 * HOUR,
		.workload = 100,
		.agent = "x",
		.comment = "holiday" };
	struct wf_absence none = { .resource = "ben",
		.from = NOW,
		.to = NOW,
		.workload = 50,
		.agent = "",
		.comment = "" };
	uint32_t first;

	CU_ASSERT_EQUAL(
	    wf_absence_put(here, f->store, &none, "x", &f->err), WF_INVALID);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(
	    wf_absence_put(here, f->store, &half, "x", &f->err), WF_OK);
	CU_ASSERT_NOT_EQUAL(half.id, 0);
	CU_ASSERT_EQUAL(count_absent(f, here, NOW, &first), 0);
	CU_ASSERT_EQUAL(
	    wf_absence_put(here, f->store, &other, "x", &f->err), WF_CONFLICT);
	wf_error_clear(&f->err);
	other.workload = 50;
	CU_ASSERT_EQUAL(
	    wf_absence_put(here, f->store, &other, "x", &f->err), WF_OK);
	CU_ASSERT_EQUAL(count_absent(f, here, NOW - 1, &first), 0);
	CU_ASSERT_EQUAL(count_absent(f, here, NOW, &first), 1);
	CU_ASSERT_EQUAL(first, 1);
	CU_ASSERT_EQUAL(count_absent(f, here, NOW + HOUR, &first), 0);
	CU_ASSERT_EQUAL(
	    wf_absence_put(here, f->store, &all, "x", &f->err), WF_OK);
	CU_ASSERT_EQUAL(wf_absences_refresh(there, f->other, &f->err), WF_OK);
	CU_ASSERT_EQUAL(count_absent(f, there, NOW + 2 * HOUR, &first), 2);
	CU_ASSERT_EQUAL(count_absent(f, there, NOW + 3 * HOUR, &first), 0);
	CU_ASSERT_EQUAL(
	    wf_absences_of(there, "ben", NOW + HOUR, NOW + 9 * HOUR, f->arena)
		.count,
	    1);
	CU_ASSERT_EQUAL(
	    wf_absence_remove(there, f->other, all.id, "x", &f->err), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_absence_remove(there, f->other, all.id, "x", &f->err),
	    WF_NOT_FOUND);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(count_absent(f, there, NOW + 2 * HOUR, &first), 0);
	wf_absences_free(&here);
	wf_absences_free(&there);
}

static struct wf_absence_change reserve(const char *resource, int64_t from)
{
	return (struct wf_absence_change){ .entry = { .resource = resource,
					       .from = from,
					       .to = from + HOUR,
					       .workload = 60,
					       .agent = "planner",
					       .comment = "",
					       .status = "reserved",
					       .case_id = "7",
					       .activity = "Pack",
					       .phase = "POU" } };
}

/* All changes or none; who listens, and does not do so itself, hears of them.
 */
static void check_reservations(struct store_fixture *f)
{
	struct wf_absences *absences = wf_absences_new();
	struct wf_absence_change changes[] = { reserve("ann", NOW),
		reserve("ben", NOW), reserve("ben", NOW) };
	struct wf_listeners *listeners = wf_listeners_new();
	struct wf_absence_list list;
	struct wf_status_news *news;
	size_t count;

	CU_ASSERT_EQUAL(wf_listener_add(f->store, WF_LISTENER_OF_CALENDAR,
			    "http://a/", "planner", &f->err),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_listener_add(f->store, WF_LISTENER_OF_CALENDAR,
			    "http://b/", "other", &f->err),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_listener_add(f->store, WF_LISTENER_OF_WORK,
			    "http://c/", "other", &f->err),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_absences_change(
			    absences, f->store, changes, 3, "planner", &f->err),
	    WF_CONFLICT);
	wf_error_clear(&f->err);
	list = wf_absences_reserved(absences, "7", "Pack", f->arena);
	CU_ASSERT_EQUAL(list.count, 0);
	CU_ASSERT_EQUAL(wf_absences_change(
			    absences, f->store, changes, 2, "planner", &f->err),
	    WF_OK);
	list = wf_absences_reserved(absences, "7", "Pack", f->arena);
	CU_ASSERT_EQUAL(list.count, 2);
	CU_ASSERT_EQUAL(
	    wf_absences_reserved(absences, "7", "Load", f->arena).count, 0);

	/* One goes and another comes in its place. */
	changes[0].is_removed = true;
	changes[1] = reserve("ann", NOW);
	CU_ASSERT_EQUAL(wf_absences_change(
			    absences, f->store, changes, 2, "planner", &f->err),
	    WF_OK);
	OK(wf_listeners_refresh(listeners, f->store, &f->err));
	news = wf_status_news_of(listeners, NULL, f->arena, &count);
	CU_ASSERT_EQUAL_FATAL(count, 4);
	for (size_t i = 0; i < count; i++) {
		CU_ASSERT_STRING_EQUAL(news[i].listener, news[0].listener);
		CU_ASSERT_STRING_EQUAL(news[i].case_id, "7");
	}
	CU_ASSERT_STRING_EQUAL(news[0].before, "nil");
	CU_ASSERT_STRING_EQUAL(news[0].after, "reserved");
	CU_ASSERT_STRING_EQUAL(news[2].resource, "ann");
	CU_ASSERT_STRING_EQUAL(news[2].before, "reserved");
	CU_ASSERT_STRING_EQUAL(news[2].after, "nil");
	CU_ASSERT_EQUAL(
	    wf_status_news_remove(f->store, news[0].name, &f->err), WF_OK);
	OK(wf_listeners_refresh(listeners, f->store, &f->err));
	(void)wf_status_news_of(listeners, news[0].listener, f->arena, &count);
	CU_ASSERT_EQUAL(count, 3);
	wf_listeners_free(&listeners);
	wf_absences_free(&absences);
}

static void check_listeners(struct store_fixture *f)
{
	struct wf_listeners *listeners = wf_listeners_new();
	struct wf_listener_list list;
	uint64_t version;
	char uri[32];

	CU_ASSERT_EQUAL(wf_listener_add(f->store, WF_LISTENER_OF_WORK,
			    "ftp://a/", "x", &f->err),
	    WF_INVALID);
	wf_error_clear(&f->err);
	for (unsigned i = 0; i < WF_LISTENERS; i++) {
		snprintf(uri, sizeof(uri), "http://a/%u", i);
		CU_ASSERT_EQUAL(wf_listener_add(f->store, WF_LISTENER_OF_WORK,
				    uri, "x", &f->err),
		    WF_OK);
	}
	CU_ASSERT_EQUAL(wf_listener_add(f->store, WF_LISTENER_OF_WORK,
			    "http://b/", "x", &f->err),
	    WF_LIMIT);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(
	    wf_listener_add(f->store, WF_LISTENER_OF_WORK, uri, "y", &f->err),
	    WF_OK);
	OK(wf_listeners_refresh(listeners, f->store, &f->err));
	list = wf_listeners_all(listeners, f->arena);
	CU_ASSERT_EQUAL_FATAL(list.count, WF_LISTENERS);
	CU_ASSERT_STRING_EQUAL(list.rows[0].account, "x");
	version = wf_listeners_version(listeners);
	OK(wf_listeners_refresh(listeners, f->store, &f->err));
	CU_ASSERT_EQUAL(wf_listeners_version(listeners), version);
	CU_ASSERT_EQUAL(
	    wf_listener_remove(f->store, WF_LISTENER_OF_CALENDAR, uri, &f->err),
	    WF_NOT_FOUND);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(
	    wf_listener_remove(f->store, WF_LISTENER_OF_WORK, uri, &f->err),
	    WF_OK);
	OK(wf_listeners_refresh(listeners, f->store, &f->err));
	CU_ASSERT_NOT_EQUAL(wf_listeners_version(listeners), version);
	list = wf_listeners_all(listeners, f->arena);
	CU_ASSERT_EQUAL(list.count, WF_LISTENERS - 1);
	/* And the head, and the one that was removed. */
	CU_ASSERT_EQUAL(wf_listeners_reads(listeners), WF_LISTENERS + 2);
	wf_listeners_free(&listeners);
}

static enum wf_rc add_deputy(struct store_fixture *f,
    struct wf_deputies *deputies, const char *person, const char *deputy,
    int64_t from, int64_t to)
{
	struct wf_deputy row = { .person = person,
		.deputy = deputy,
		.from = from,
		.to = to,
		.agent = "admin",
		.comment = "" };
	enum wf_rc rc;

	wf_error_clear(&f->err);
	rc = wf_deputy_put(deputies, f->store, &row, NOW, &f->err);
	CU_ASSERT_TRUE(rc != WF_OK || row.id != 0);
	return rc;
}

static size_t count_deputies(struct store_fixture *f,
    struct wf_deputies *deputies, const char *deputy, int64_t now, bool later)
{
	return wf_deputies_by(deputies, deputy, now, later, f->arena).count;
}

static void check_limits(struct store_fixture *f, struct wf_deputies *here)
{
	for (unsigned i = 0; i < WF_DEPUTIES; i++)
		CU_ASSERT_EQUAL(
		    add_deputy(f, here, "dan",
			wf_arena_printf(f->arena, "d%u", i), NOW, NOW + HOUR),
		    WF_OK);
	CU_ASSERT_EQUAL(
	    add_deputy(f, here, "dan", "eva", NOW, NOW + HOUR), WF_LIMIT);
	for (unsigned i = 0; i < WF_DEPUTIES; i++)
		CU_ASSERT_EQUAL(
		    add_deputy(f, here, wf_arena_printf(f->arena, "p%u", i),
			"eva", NOW + HOUR, NOW + 2 * HOUR),
		    WF_OK);
	CU_ASSERT_EQUAL(
	    add_deputy(f, here, "anna", "eva", NOW, NOW + HOUR), WF_LIMIT);
	CU_ASSERT_EQUAL(count_deputies(f, here, "eva", NOW, false), 0);
	CU_ASSERT_EQUAL(
	    count_deputies(f, here, "eva", NOW + HOUR, false), WF_DEPUTIES);
}

static void check_deputies(struct store_fixture *f)
{
	struct wf_deputies *here = wf_deputies_new();
	struct wf_deputies *there = wf_deputies_new();
	struct wf_deputy one = { .person = "anna",
		.deputy = "cara",
		.from = NOW - 2 * HOUR,
		.to = NOW + HOUR,
		.agent = "anna",
		.comment = "away" };
	struct wf_deputy_list list;

	CU_ASSERT_EQUAL(
	    add_deputy(f, here, "anna", "cara", NOW, NOW), WF_INVALID);
	CU_ASSERT_EQUAL(
	    add_deputy(f, here, "anna", "cara", NOW - HOUR, NOW), WF_INVALID);
	CU_ASSERT_EQUAL(
	    add_deputy(f, here, "anna", "anna", NOW, NOW + HOUR), WF_INVALID);
	wf_error_clear(&f->err);
	wf_org_texts_add(f->arena, &one.processes, "UID_1");
	CU_ASSERT_EQUAL(
	    wf_deputy_put(here, f->store, &one, NOW, &f->err), WF_OK);
	CU_ASSERT_EQUAL(
	    add_deputy(f, here, "ben", "cara", NOW + HOUR, NOW + 2 * HOUR),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_deputies_refresh(there, f->other, &f->err), WF_OK);
	/* The beginning counts, the end does not. */
	CU_ASSERT_EQUAL(
	    count_deputies(f, there, "cara", NOW - 2 * HOUR - 1, false), 0);
	CU_ASSERT_EQUAL(count_deputies(f, there, "cara", NOW, false), 1);
	CU_ASSERT_EQUAL(count_deputies(f, there, "cara", NOW, true), 2);
	list = wf_deputies_by(there, "cara", NOW + HOUR, false, f->arena);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].person, "ben");
	CU_ASSERT_TRUE(wf_deputy_is_for(&list.rows[0], NULL, NULL));
	CU_ASSERT_EQUAL(
	    count_deputies(f, there, "cara", NOW + 2 * HOUR, true), 0);
	list = wf_deputies_of(there, "anna", NOW, f->arena);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_STRING_EQUAL(list.rows[0].comment, "away");
	CU_ASSERT_TRUE(wf_deputy_is_for(&list.rows[0], "UID_1", "order"));
	CU_ASSERT_TRUE(wf_deputy_is_for(&list.rows[0], NULL, "UID_1"));
	CU_ASSERT_FALSE(wf_deputy_is_for(&list.rows[0], "UID_2", "order"));
	CU_ASSERT_FALSE(wf_deputy_is_for(&list.rows[0], NULL, NULL));
	check_limits(f, here);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(
	    wf_deputy_remove(here, f->store, one.id, &f->err), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_deputy_remove(here, f->store, one.id, &f->err), WF_NOT_FOUND);
	wf_error_clear(&f->err);
	CU_ASSERT_EQUAL(wf_deputies_refresh(there, f->other, &f->err), WF_OK);
	CU_ASSERT_EQUAL(count_deputies(f, there, "cara", NOW, false), 0);
	wf_deputies_free(&here);
	wf_deputies_free(&there);
}

static void test_deputies(void)
{
	store_on_each(check_deputies);
}

static void test_absences(void)
{
	store_on_each(check_absences);
}

static void test_reservations(void)
{
	store_on_each(check_reservations);
}

static void test_listeners(void)
{
	store_on_each(check_listeners);
}

static void test_audiences(void)
{
	store_on_each(check_audiences);
}

static void test_who_is_left(void)
{
	store_on_each(check_who_is_left);
}

static void test_cleaning(void)
{
	store_on_each(check_cleaning);
}

static void test_piles(void)
{
	store_on_each(check_piles);
}

static void test_piles_taken_back(void)
{
	store_on_each(check_piles_taken_back);
}

/* A damaged one is left out, and named once. */
static void check_damaged(struct store_fixture *f)
{
	static const struct wf_record_row bad = {
		.kind = "audience", .name = "A:bad", .value = { "{", 1 }
	};
	struct wf_audiences *here = wf_audiences_new();
	struct wf_audiences *there = wf_audiences_new();
	struct wf_audience_note notes[] = { note_people(f, "anna", "ben") };
	struct wf_texts damaged;

	OK(wf_store_put_record(f->store, &bad, &f->err));
	OK(wf_audiences_keep(here, f->store, notes, 1, NOW, &f->err));
	OK(wf_audiences_refresh(there, f->other, &f->err));
	expect_queues(f, there, "anna", 2, notes[0].queue);
	damaged = wf_audiences_damaged(there, f->arena);
	CU_ASSERT_EQUAL_FATAL(damaged.count, 1);
	CU_ASSERT_STRING_EQUAL(damaged.rows[0], "A:bad");
	OK(wf_audiences_refresh(there, f->other, &f->err));
	CU_ASSERT_EQUAL(wf_audiences_damaged(there, f->arena).count, 0);
	/* One that was good before stays as it was. */
	OK(wf_audiences_refresh(here, f->store, &f->err));
	CU_ASSERT_EQUAL(wf_audiences_damaged(here, f->arena).count, 1);
	expect_queues(f, here, "anna", 2, notes[0].queue);
	wf_audiences_free(&here);
	wf_audiences_free(&there);
}

static void test_damaged(void)
{
	store_on_each(check_damaged);
}

CU_TestInfo wf_tests_worklist[] = {
	{ "audiences of two nodes", test_audiences },
	{ "who is left of an audience", test_who_is_left },
	{ "audiences that leave", test_cleaning },
	{ "an audience that is damaged", test_damaged },
	{ "piles", test_piles },
	{ "piles that are taken back", test_piles_taken_back },
	{ "absences", test_absences },
	{ "reservations", test_reservations },
	{ "listeners", test_listeners },
	{ "deputies", test_deputies },
	CU_TEST_INFO_NULL,
};
