/* SPDX-License-Identifier: Apache-2.0 */
/* The check of the rows of a case: its work items and what is due for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "kernel/assignment/assignment.h"
#include "runtime/batch.h"
#include "runtime/integrity/integrity_priv.h"

/* Incidents of one case that are read. */
#define INCIDENTS_MAXIMUM 1000U

/* --- items ---------------------------------------------------------------- */

struct expected_item {
	const char *id;
	const struct wf_item *item;
};

/* The items that there should be, in the order of rows. */
struct expectation {
	struct checker *checker;
	struct expected_item *items;
	size_t count;
	size_t next;
};

static int compare_expected(const void *a, const void *b)
{
	return strcmp(((const struct expected_item *)a)->id,
	    ((const struct expected_item *)b)->id);
}

static void expect_items(
    struct expectation *expected, const struct wf_item *items, size_t count)
{
	struct wf_arena *arena = expected->checker->of_case;

	expected->items =
	    wf_arena_array(arena, count + 1, sizeof(*expected->items));
	expected->count = count;
	for (size_t i = 0; i < count; i++) {
		char id[WF_ITEM_ID_SIZE];

		wf_item_id(&items[i], id);
		expected->items[i].id = wf_arena_strdup(arena, id);
		expected->items[i].item = &items[i];
	}
	qsort(
	    expected->items, count, sizeof(*expected->items), compare_expected);
}

static bool is_same(const struct wf_item_row *a, const struct wf_item_row *b)
{
	return strcmp(a->task, b->task) == 0 &&
	       strcmp(a->service, b->service) == 0 &&
	       strcmp(a->queue, b->queue) == 0 &&
	       strcmp(a->left_out, b->left_out) == 0 &&
	       strcmp(a->busy, b->busy) == 0 &&
	       a->namespace_id == b->namespace_id &&
	       a->specification == b->specification && a->choice == b->choice &&
	       a->enabled_at == b->enabled_at && a->fired_at == b->fired_at &&
	       a->started_at == b->started_at &&
	       a->assignment == b->assignment && a->rank == b->rank &&
	       a->due_at == b->due_at;
}

static void compare_item(struct checker *checker, const struct wf_item_row *row,
    const struct wf_item *item)
{
	const struct wf_case_row *listed = &checker->exported->stored.row;
	struct wf_item_row wanted = { 0 };

	wf_effects_item_row(&wanted, listed->namespace_id,
	    listed->specification, item, checker->of_case);
	if (row->status != wanted.status)
		wf_add_finding(checker,
		    "the work item %.200s is listed with status %u, expected "
		    "%u (%s)",
		    row->id, row->status, wanted.status,
		    wf_item_status_name(item->status));
	else if (!is_same(row, &wanted))
		wf_add_finding(checker,
		    "the work item %.200s is not listed as it is", row->id);
}

/* Items that should come before id (NULL: behind all), but do not. */
static void miss_items(struct expectation *expected, const char *id)
{
	while (
	    expected->next < expected->count &&
	    (id == NULL || strcmp(expected->items[expected->next].id, id) < 0))
		wf_add_finding(expected->checker,
		    "the work item %.200s is not listed",
		    expected->items[expected->next++].id);
}

static void take_item(
    struct expectation *expected, const struct wf_item_row *row)
{
	const struct expected_item *item;

	miss_items(expected, row->id);
	item = &expected->items[expected->next];
	if (expected->next < expected->count &&
	    strcmp(item->id, row->id) == 0) {
		compare_item(expected->checker, row, item->item);
		expected->next++;
	} else {
		wf_add_finding(expected->checker,
		    "the work item %.200s is listed, but there is none",
		    row->id);
	}
}

static enum wf_rc compare_items(
    struct expectation *expected, struct wf_error *err)
{
	struct checker *checker = expected->checker;
	uint64_t number = checker->exported->stored.row.number;
	struct wf_item_filter filter = { .number = number,
		.after_number = number,
		.limit = WF_CASE_EXPORT_ROWS };
	struct wf_item_list list = checker->exported->items;
	char last[WF_ITEM_ID_SIZE];
	enum wf_rc rc = WF_OK;

	for (;;) {
		for (size_t i = 0; i < list.count; i++)
			take_item(expected, &list.rows[i]);
		if (list.count < WF_CASE_EXPORT_ROWS)
			break;
		snprintf(
		    last, sizeof(last), "%s", list.rows[list.count - 1].id);
		filter.after_id = last;
		wf_arena_reset(checker->of_page);
		rc = wf_store_items(
		    checker->store, &filter, checker->of_page, &list, err);
		if (rc != WF_OK)
			return rc;
	}
	miss_items(expected, NULL);
	return WF_OK;
}

enum wf_rc wf_check_items(struct checker *checker,
    const struct wf_case *instance, struct wf_error *err)
{
	struct expectation expected = { .checker = checker };
	struct wf_item *items;
	size_t count = wf_case_items(instance, &items);
	enum wf_rc rc;

	expect_items(&expected, items, count);
	rc = compare_items(&expected, err);
	wf_free(items);
	return rc;
}

/* --- due ------------------------------------------------------------------ */

struct waiting {
	struct checker *checker;
	const struct wf_due_list *due;
	struct wf_error *err;
	enum wf_rc rc;
};

/* What is to be done, if it is a request. */
static enum wf_rc read_request(struct checker *checker,
    const struct wf_due_row *row, struct wf_request *request,
    struct wf_bytes *body, struct wf_error *err)
{
	struct wf_due_attempts earlier;
	enum wf_rc rc =
	    wf_due_command_decode(row->payload, &earlier, body, err);

	memset(request, 0, sizeof(*request));
	if (rc != WF_OK || row->kind == WF_DUE_SEARCH)
		return rc;
	if (row->kind != WF_DUE_REQUEST)
		return wf_fail(err, WF_CORRUPT, "it is of no known kind");
	rc = wf_request_decode(request, *body, checker->of_case, err);
	if (rc == WF_OK && row->number != 0 && request->number != row->number)
		rc = wf_fail(err, WF_CORRUPT, "it is for case %llu",
		    (unsigned long long)request->number);
	return rc;
}

static void check_due_row(struct checker *checker, const struct wf_due_row *row)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_request request;
	struct wf_bytes body;

	if (read_request(checker, row, &request, &body, &err) != WF_OK)
		wf_add_finding(checker, "what is due as '%.200s': %s",
		    row->name, err.message);
}

static bool is_about(
    struct checker *checker, const struct wf_due_row *row, const char *item)
{
	struct wf_request request;
	struct wf_bytes body;

	if (read_request(checker, row, &request, &body, NULL) != WF_OK)
		return false;
	if (row->kind == WF_DUE_SEARCH)
		return body.size == strlen(item) &&
		       memcmp(body.data, item, body.size) == 0;
	return strcmp(wf_request_item(&request), item) == 0;
}

static enum wf_rc find_incident(struct checker *checker, const char *item,
    bool *found_out, struct wf_error *err)
{
	struct wf_incident_filter filter = { .which = WF_INCIDENTS_ALL,
		.number = checker->exported->stored.row.number,
		.limit = INCIDENTS_MAXIMUM };
	struct wf_incident_list list;
	enum wf_rc rc = wf_store_incidents(
	    checker->store, &filter, checker->of_case, &list, err);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		*found_out |= strcmp(list.rows[i].item, item) == 0;
	return rc;
}

/* An undecided OR-join needs a search that is due, or an incident. */
static void check_undecided(void *argument, const char *item)
{
	struct waiting *waiting = argument;
	struct checker *checker = waiting->checker;
	bool found = false;

	for (size_t i = 0; i < waiting->due->count; i++)
		found |= is_about(checker, &waiting->due->rows[i], item);
	if (!found && waiting->rc == WF_OK)
		waiting->rc =
		    find_incident(checker, item, &found, waiting->err);
	if (!found && waiting->rc == WF_OK)
		wf_add_finding(checker,
		    "the OR-join %.200s waits for a search, but none is due, "
		    "and there is no incident",
		    item);
}

/* As it was armed, or after an incident, when it has another name. */
static bool is_expiry(struct checker *checker, const struct wf_due_row *row,
    enum wf_command_kind command, const char *number)
{
	struct wf_request request;
	struct wf_bytes body;

	return row->kind == WF_DUE_REQUEST &&
	       read_request(checker, row, &request, &body, NULL) == WF_OK &&
	       wf_request_is(&request, command) &&
	       request.command.length == strlen(number) &&
	       memcmp(request.command.data, number, request.command.length) ==
		   0;
}

/* The same for a timer that runs, or an alarm that is set. */
static void check_waiting(struct waiting *waiting, const char *item,
    enum wf_command_kind command, uint32_t number, const char *what)
{
	struct checker *checker = waiting->checker;
	char text[16];
	bool found = false;

	snprintf(text, sizeof(text), "%u", (unsigned)number);
	for (size_t i = 0; i < waiting->due->count; i++)
		found |=
		    is_expiry(checker, &waiting->due->rows[i], command, text);
	if (!found && waiting->rc == WF_OK)
		waiting->rc =
		    find_incident(checker, item, &found, waiting->err);
	if (!found && waiting->rc == WF_OK)
		wf_add_finding(checker,
		    "the %s of %.200s %s, but nothing is due, and there is no "
		    "incident",
		    what, item,
		    command == WF_COMMAND_EXPIRE ? "runs" : "is set");
}

static void check_timer(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	(void)at;
	check_waiting(argument, item, WF_COMMAND_EXPIRE, number, "timer");
}

static void check_alarm(
    void *argument, const char *item, uint32_t number, int64_t at)
{
	(void)at;
	check_waiting(argument, item, WF_COMMAND_ALARM, number, "alarm");
}

enum wf_rc wf_check_due(struct checker *checker, const struct wf_due_list *due,
    const struct wf_case *instance, struct wf_error *err)
{
	struct waiting waiting = {
		.checker = checker, .due = due, .err = err, .rc = WF_OK
	};

	for (size_t i = 0; i < due->count; i++)
		check_due_row(checker, &due->rows[i]);
	if (instance != NULL)
		wf_case_undecided(instance, check_undecided, &waiting);
	if (waiting.rc == WF_OK && instance != NULL)
		wf_case_timers(instance, check_timer, &waiting);
	if (waiting.rc == WF_OK && instance != NULL)
		wf_case_alarms(instance, check_alarm, &waiting);
	return waiting.rc;
}

/* --- terms ---------------------------------------------------------------- */

static const char *text_of(const struct wf_term_list *list, const char *field)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->rows[i].field, field) == 0)
			return list->rows[i].text;
	return "";
}

/* The variable that the case is not found by as it should; NULL: none. */
static const char *find_wrong_term(struct checker *checker,
    const struct wf_case *instance, const struct wf_term_list *list)
{
	const struct wf_case_row *row = &checker->exported->stored.row;
	const struct wf_term_row term = { .number = row->number };
	const struct wf_term_plan *plan = wf_terms_plan(
	    checker->terms, row->namespace_id, wf_case_spec(instance));
	struct wf_term_row rows[WF_TERM_ROWS];
	size_t count = plan == NULL
			   ? 0
			   : wf_terms_of_variables(plan, NULL, instance, &term,
				 rows, checker->of_case);

	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].text, text_of(list, rows[i].field)) != 0)
			return wf_arena_strdup(checker->of_case, rows[i].field);
	return NULL;
}

enum wf_rc wf_check_terms(struct checker *checker,
    const struct wf_case *instance, struct wf_error *err)
{
	const struct wf_case_row *row = &checker->exported->stored.row;
	uint64_t number = row->number;
	struct wf_term_list list;
	const char *wrong;
	enum wf_rc rc;

	if (wf_terms_plan(checker->terms, row->namespace_id,
		wf_case_spec(instance)) == NULL)
		return WF_OK;
	rc = wf_store_variables(
	    checker->store, &number, 1, checker->of_case, &list, err);
	if (rc != WF_OK || find_wrong_term(checker, instance, &list) == NULL)
		return rc;
	/* Unless the index has been removed meanwhile. */
	rc = wf_indexes_refresh(checker->indexes, checker->store, err);
	wf_terms_refresh(checker->terms);
	wrong = rc == WF_OK ? find_wrong_term(checker, instance, &list) : NULL;
	if (wrong != NULL)
		wf_add_finding(
		    checker, "it is not found by its variable %.100s", wrong);
	return rc;
}
