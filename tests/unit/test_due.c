/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules about due times, priorities, reminders and escalations: read, refused
 * and written back; what is to be done when.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "base/time_text.h"
#include "people/due.h"
#include "people/resourcing_check.h"
#include "spec/spec.h"

#define HOUR INT64_C(3600000)
#define DAY (24 * HOUR)
/* 2026-01-05T09:00Z, a Monday. */
#define MONDAY (20458 * DAY + 9 * HOUR)

/* A specification with one task; more: attributes of its decomposition. */
static struct wf_spec_file *read_rules(
    const char *more, struct wf_diagnostics *diagnostics)
{
	static const char text[] =
	    "<specificationSet xmlns='http://www.yawlfoundation.org/yawlschema'"
	    " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
	    " xmlns:p='urn:weft:people' version='4.0'>\n"
	    "<specification uri='S'><metaData><version>0.1</version>"
	    "<identifier>UID_1</identifier></metaData>\n"
	    "<decomposition id='N' isRootNet='true' xsi:type='NetFactsType'>"
	    "<processControlElements><inputCondition id='i'><flowsInto>"
	    "<nextElementRef id='A'/></flowsInto></inputCondition>\n"
	    "<task id='A'><flowsInto><nextElementRef id='o'/></flowsInto>"
	    "<join code='xor'/><split code='and'/><decomposesTo id='W'/>"
	    "</task><outputCondition id='o'/></processControlElements>"
	    "</decomposition>\n"
	    "<decomposition id='W' xsi:type='WebServiceGatewayFactsType'%s/>"
	    "</specification></specificationSet>";
	struct wf_arena *arena = wf_arena_new();
	struct wf_spec_file *file = NULL;
	char *whole = wf_arena_printf(arena, text, more);
	enum wf_rc rc = wf_spec_read(&file, whole, strlen(whole), diagnostics);

	CU_ASSERT((rc == WF_OK) == (file != NULL));
	wf_arena_free(&arena);
	return file;
}

static const struct wf_timing *timing_of(const struct wf_spec_file *file)
{
	return file->specs[0]->root->tasks[0].decomposition->timing;
}

/* The file with these attributes, which are right. */
static struct wf_spec_file *read_right(const char *more)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("S");
	struct wf_spec_file *file = read_rules(more, diagnostics);

	if (file == NULL)
		wf_diagnostics_print(diagnostics, stdout);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	wf_diagnostics_free(&diagnostics);
	return file;
}

static void test_wrong_rules(void)
{
	static const struct {
		const char *more;
		const char *message;
	} rows[] = {
		{ " p:priority='101'",
		    "priority=\"101\": expected a number from 0 to 100, or a "
		    "query in braces" },
		{ " p:priority='{1 +}'", "priority: " },
		{ " p:due='P1M'",
		    "due=\"P1M\": expected a duration of days and time such as "
		    "P1DT4H, a day, a date and time, or a query in braces" },
		{ " p:due='-PT1H'", "due=\"-PT1H\": expected" },
		{ " p:due=''", "due=\"\": expected" },
		{ " p:calendar=' '",
		    "calendar=\" \": expected the name of a calendar" },
		{ " p:remind='offered-PT1H'",
		    "remind=\"offered-PT1H\": \"offered-PT1H\": expected "
		    "enabled, offered, allocated, started or due, and a "
		    "duration such as in offered+PT4H or due-P1D" },
		{ " p:remind='due+4h' p:due='P1D'",
		    "remind=\"due+4h\": \"due+4h\": expected" },
		{ " p:remind='due'",
		    "a reminder or an escalation names the due time, but there "
		    "is no due=\"..\"" },
		{ " p:escalate='offered+PT1H reoffer'",
		    "escalate=\"offered+PT1H reoffer\": \"offered+PT1H "
		    "reoffer\": expected a point and notify, notify ROLE, "
		    "reoffer ROLE or incident TEXT" },
		{ " p:escalate='offered+PT1H remind'",
		    "escalate=\"offered+PT1H remind\": \"offered+PT1H "
		    "remind\": expected a point and" },
		{ " p:escalate='soon incident'",
		    "escalate=\"soon incident\": \"soon incident\": expected "
		    "enabled" },
		{ " p:remind='offered offered offered offered offered offered "
		  "offered offered offered offered offered offered offered "
		  "offered offered offered offered offered offered offered "
		  "offered'",
		    "remind=\"offered offered offered offered offered offered "
		    "offered offered offered offered offered offered "
		    "offe\": expected at most 20 reminders and escalations" },
		{ " p:dew='P1D'",
		    "dew=\"P1D\": expected priority, due, calendar, remind or "
		    "escalate" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct wf_diagnostics *diagnostics = wf_diagnostics_new("S");
		struct wf_spec_file *file =
		    read_rules(rows[i].more, diagnostics);
		const struct wf_diagnostic *first =
		    wf_diagnostics_first_error(diagnostics);

		CU_ASSERT_PTR_NULL(file);
		CU_ASSERT_PTR_NOT_NULL_FATAL(first);
		if (strncmp(first->message, rows[i].message,
			strlen(rows[i].message)) != 0)
			printf(
			    "\n%s\nnot: %s\n", first->message, rows[i].message);
		CU_ASSERT(strncmp(first->message, rows[i].message,
			      strlen(rows[i].message)) == 0);
		CU_ASSERT_EQUAL(first->line, 5);
		wf_diagnostics_free(&diagnostics);
	}
}

/* Roles and calendars that the organisation does not have. */
static void test_unknown_names(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_org_record *role =
	    wf_org_record_new(arena, WF_ORG_ROLE, "RO-1");
	const struct wf_org_change change = { WF_ORG_ROLE, "RO-1", role };
	struct wf_diagnostics *found = wf_diagnostics_new("S");
	struct wf_spec_file *file = read_right(
	    " p:due='P1D' p:calendar='Office' p:escalate='offered+PT1H reoffer "
	    "Boss; "
	    "offered+PT2H notify Bos; due reoffer RO-1; due incident Boss'");
	struct wf_organisation *organisation;

	((struct wf_org_role *)role)->name = "Boss";
	organisation = wf_organisation_new(NULL, &change, 1, 1);
	wf_resourcing_check_names(file->specs[0], organisation, found);
	CU_ASSERT_EQUAL_FATAL(wf_diagnostics_count(found), 2);
	CU_ASSERT_STRING_EQUAL(wf_diagnostics_at(found, 0)->message,
	    "escalate: there is no role \"Bos\"");
	CU_ASSERT_EQUAL(wf_diagnostics_at(found, 0)->line, 5);
	CU_ASSERT_STRING_EQUAL(wf_diagnostics_at(found, 1)->message,
	    "there is no calendar \"Office\"");
	wf_organisation_unref(&organisation);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&found);
	wf_arena_free(&arena);
}

/* Written and read again, the attributes are the same. */
static void test_written(void)
{
	struct wf_spec_file *file = read_right(
	    " p:due='P2D' p:remind='due-PT4H' p:escalate='due incident "
	    "&lt;late&gt;'");
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("S");
	struct wf_spec_file *again = NULL;
	struct wf_buffer text;

	wf_buffer_init(&text, 100000);
	wf_spec_write(file, &text);
	CU_ASSERT(wf_spec_read(&again, wf_buffer_text(&text), text.length,
		      diagnostics) == WF_OK);
	CU_ASSERT_PTR_NOT_NULL_FATAL(again);
	CU_ASSERT_EQUAL(timing_of(again)->step_count, 2);
	CU_ASSERT_EQUAL(timing_of(again)->due.days, 2);
	CU_ASSERT_STRING_EQUAL(timing_of(again)->steps[1].text, "<late>");
	CU_ASSERT_EQUAL(
	    timing_of(again)->steps[0].after.milliseconds, -4 * HOUR);
	wf_buffer_free(&text);
	wf_spec_file_free(&again);
	wf_spec_file_free(&file);
	wf_diagnostics_free(&diagnostics);
}

/* --- due, priority -------------------------------------------------------- */

/* Mondays to Fridays, 8 to 16 in Berlin: 7 to 15 in winter. */
static const struct wf_calendar *office(struct wf_arena *arena)
{
	static const char json[] =
	    "{\"timezone\": \"Europe/Berlin\", \"hours\": {\"mon-fri\": "
	    "[\"08:00-16:00\"]}, \"daysOff\": [\"2026-01-06\"]}";
	const struct wf_calendar *calendar = NULL;

	CU_ASSERT(wf_calendar_read(arena, json, strlen(json), NULL, NULL,
		      &calendar, NULL) == WF_OK);
	CU_ASSERT_PTR_NOT_NULL_FATAL(calendar);
	return calendar;
}

/* What queries read: <N><when>..</when></N>. */
static struct wf_value_list document_of(const char *when)
{
	char xml[200];
	struct wf_value_list list;

	snprintf(xml, sizeof(xml), "<N><when>%s</when></N>", when);
	CU_ASSERT(wf_value_list_parse(&list, xml, strlen(xml), NULL) == WF_OK);
	return list;
}

static void test_due(void)
{
	static const struct {
		const char *more;
		const char *when;
		const char *due; /* "": none */
		const char *message;
	} rows[] = {
		{ "", "", "", "" },
		{ " p:priority='5'", "", "", "" },
		{ " p:due='PT2H'", "", "2026-01-05T11:00:00Z", "" },
		{ " p:due='PT7H'", "", "2026-01-07T08:00:00Z", "" },
		/* The sixth is a day off. */
		{ " p:due='P1D'", "", "2026-01-07T09:00:00Z", "" },
		{ " p:due='P3DT1H'", "", "2026-01-09T10:00:00Z", "" },
		{ " p:due='PT24H'", "", "2026-01-09T09:00:00Z", "" },
		{ " p:due='2026-02-01T12:00:00'", "", "2026-02-01T11:00:00Z",
		    "" },
		{ " p:due='2026-02-01T12:00:00Z'", "", "2026-02-01T12:00:00Z",
		    "" },
		{ " p:due='2026-02-01'", "", "2026-02-01T23:00:00Z", "" },
		{ " p:due='{/N/when}'", "PT30M", "2026-01-05T09:30:00Z", "" },
		{ " p:due='{/N/when}'", "2026-07-01", "2026-07-01T22:00:00Z",
		    "" },
		{ " p:due='{/N/when}'", "", "", "" },
		{ " p:due='{xs:dayTimeDuration(/N/when) * 2}'", "PT12H",
		    "2026-01-07T09:00:00Z", "" },
		{ " p:due='{/N/when}'", "soon", "",
		    "due is \"soon\": expected a duration such as P1DT4H, a "
		    "day, or a date and time" },
		{ " p:due='{1 idiv 0}'", "1", "", "due: " },
		{ " p:due='{/N/when}'", "P15000D", "",
		    "due is \"P15000D\": expected" },
		{ " p:due='{/N/when}'", "PT150000H", "",
		    "the due time is more than 40 years away" },
	};
	struct wf_arena *arena = wf_arena_new();
	const struct wf_calendar *calendar = office(arena);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct wf_spec_file *file = read_right(rows[i].more);
		struct wf_value_list list = document_of(rows[i].when);
		struct wf_document document = { list.root, list.values,
			list.count };
		struct wf_evaluation how = { .now = MONDAY };
		struct wf_error err = { .rc = WF_OK };
		char text[WF_TIME_TEXT_BYTES] = "";
		int64_t due = -1;
		enum wf_rc rc = wf_item_due(timing_of(file), &document, &how,
		    calendar, MONDAY, &due, &err);

		if (due != 0)
			wf_time_text_seconds(due, text);
		if (strcmp(text, rows[i].due) != 0)
			printf(
			    "\n%s: %s, %s\n", rows[i].more, text, err.message);
		CU_ASSERT_STRING_EQUAL(text, rows[i].due);
		CU_ASSERT_EQUAL(rc == WF_OK, rows[i].message[0] == '\0');
		CU_ASSERT(strncmp(err.message, rows[i].message,
			      strlen(rows[i].message)) == 0);
		wf_value_list_free(&list);
		wf_spec_file_free(&file);
	}
	wf_arena_free(&arena);
}

static void test_priority(void)
{
	static const struct {
		const char *more;
		const char *when;
		uint32_t priority;
		bool fails;
	} rows[] = {
		{ "", "", 50, false },
		{ " p:due='P1D'", "", 50, false },
		{ " p:priority=' 70 '", "", 70, false },
		{ " p:priority='{/N/when * 10}'", "10", 100, false },
		{ " p:priority='{if (/N/when > 5) then 90 else 10}'", "7", 90,
		    false },
		{ " p:priority='{/N/when}'", "", 50, false },
		{ " p:priority='{/N/when}'", "70.0", 70, false },
		{ " p:priority='{/N/when}'", "70.5", 50, true },
		{ " p:priority='{/N/when}'", "high", 50, true },
		{ " p:priority='{/N/when}'", "NaN", 50, true },
		{ " p:priority='{/N/when}'", "-1", 50, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct wf_spec_file *file = read_right(rows[i].more);
		struct wf_value_list list = document_of(rows[i].when);
		struct wf_document document = { list.root, list.values,
			list.count };
		struct wf_evaluation how = { .now = MONDAY };
		uint32_t priority = 101;
		enum wf_rc rc = wf_item_priority(
		    timing_of(file), &document, &how, &priority, NULL);

		CU_ASSERT_EQUAL(priority, rows[i].priority);
		CU_ASSERT_EQUAL(rc, rows[i].fails ? WF_DATA : WF_OK);
		wf_value_list_free(&list);
		wf_spec_file_free(&file);
	}
}

/* --- steps ---------------------------------------------------------------- */

/* All that is done from a time on, as "hours after Monday:action text". */
static void list_steps(const struct wf_timing *timing,
    const struct wf_item_times *times, const struct wf_calendar *calendar,
    int64_t from, char text[static 400])
{
	static const char *const words[] = { "remind", "notify", "reoffer",
		"incident" };
	struct wf_time_mark mark = { from - 1, UINT32_MAX };

	text[0] = '\0';
	while (wf_timing_next(timing, times, calendar, &mark, &mark)) {
		const struct wf_time_step *step = &timing->steps[mark.step];
		size_t length = strlen(text);

		snprintf(text + length, 400 - length, "%s%lld %s%s%s",
		    length == 0 ? "" : "; ",
		    (long long)((mark.at - MONDAY) / HOUR), words[step->action],
		    step->text[0] == '\0' ? "" : " ", step->text);
	}
}

static void test_steps(void)
{
	struct wf_spec_file *file = read_right(
	    " p:due='P2D' p:remind='due-PT4H due due+P1D started+PT1H' "
	    "p:escalate='offered+PT2H reoffer The Managers; allocated+PT3H "
	    "notify; enabled+PT1H notify Clerks; due+P1D incident too late;'");
	const struct wf_timing *timing = timing_of(file);
	struct wf_arena *arena = wf_arena_new();
	const struct wf_calendar *calendar = office(arena);
	struct wf_item_times times = { .enabled = MONDAY, .offered = MONDAY };
	char text[400];

	CU_ASSERT_EQUAL(timing->step_count, 8);
	CU_ASSERT(wf_item_due(timing, NULL, NULL, calendar, MONDAY, &times.due,
		      NULL) == WF_OK);
	/* Thursday; four hours before are on Wednesday: 9 - 7 are two. */
	CU_ASSERT_EQUAL(times.due, MONDAY + 3 * DAY);
	list_steps(timing, &times, calendar, MONDAY, text);
	CU_ASSERT_STRING_EQUAL(text,
	    "1 notify Clerks; 2 reoffer The Managers; 52 remind; 72 remind; "
	    "96 remind; 96 incident too late");
	/* Accepted: no offer waits any more. */
	times.offered = 0;
	times.allocated = MONDAY + 2 * HOUR;
	list_steps(timing, &times, calendar, MONDAY + 2 * HOUR, text);
	CU_ASSERT_STRING_EQUAL(text,
	    "5 notify; 52 remind; 72 remind; 96 remind; 96 incident too late");
	times.allocated = 0;
	times.started = MONDAY + 72 * HOUR;
	list_steps(timing, &times, calendar, MONDAY + 72 * HOUR, text);
	CU_ASSERT_STRING_EQUAL(
	    text, "72 remind; 73 remind; 96 remind; 96 incident too late");
	CU_ASSERT_FALSE(wf_timing_next(
	    NULL, &times, calendar, &(struct wf_time_mark){ 0, 0 }, NULL));
	wf_arena_free(&arena);
	wf_spec_file_free(&file);
}

CU_TestInfo wf_tests_due[] = {
	{ "rules that are wrong", test_wrong_rules },
	{ "names that are not known", test_unknown_names },
	{ "rules are written back", test_written },
	{ "due times", test_due },
	{ "priorities", test_priority },
	{ "reminders and escalations", test_steps },
	CU_TEST_INFO_NULL,
};
