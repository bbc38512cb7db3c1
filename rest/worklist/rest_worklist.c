/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worklist: the items of a participant, or of those whose items the
 * participant may see, page by page; how many of them are in which state; and
 * those that have some words.
 */
#include <string.h>

#include "rest/search/rest_search.h"
#include "rest/worklist/worklist_priv.h"

/* Items that are counted, at most. */
#define COUNTED 1000U

/* --- reading -------------------------------------------------------------- */

/* A page, with the titles of its cases. */
static enum wf_rc read_page(struct wf_worklist *reading,
    struct wf_list_page *page, bool with_titles, struct wf_error *err)
{
	struct wf_rest *rest = reading->rest;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(rest->server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_list_read(store, &reading->query, rest->arena, page, err);
	if (rc == WF_OK && with_titles) {
		const struct wf_item_list list = { page->rows, page->count };

		rc = wf_worklist_read_titles(reading, store, &list, err);
	}
	wf_engine_give_back(rest->server->engine, store);
	return rc;
}

static void answer_page(struct wf_worklist *reading)
{
	struct wf_rest *rest = reading->rest;
	struct wf_error err = { .rc = WF_OK };
	struct wf_list_page page;
	json_t *answer;

	if (read_page(reading, &page, true, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	answer = json_object();
	json_object_set_new(answer, "items", wf_worklist_rows(reading, &page));
	if (page.has_more)
		json_object_set_new(answer, "next",
		    json_string(wf_arena_printf(rest->arena,
			"%lld.%lld.%llu/%s", (long long)page.next.value,
			(long long)page.next.enabled_at,
			(unsigned long long)page.next.number, page.next.id)));
	wf_rest_answer(rest, 200, answer);
}

/* --- counts --------------------------------------------------------------- */

struct counts {
	json_int_t allocated;
	json_int_t started;
	json_int_t suspended;
	json_int_t offered;
	json_int_t late;
};

static void count_row(
    struct counts *counts, const struct wf_item_row *row, int64_t now)
{
	if (row->due_at < now)
		counts->late++;
	switch (row->assignment) {
	case WF_RESOURCE_OFFERED:
		counts->offered++;
		break;
	case WF_RESOURCE_ALLOCATED:
		counts->allocated++;
		break;
	case WF_RESOURCE_STARTED:
		if (row->status == WF_ITEM_SUSPENDED)
			counts->suspended++;
		else
			counts->started++;
		break;
	default:
		break;
	}
}

static void answer_counts(struct wf_worklist *reading)
{
	struct wf_rest *rest = reading->rest;
	int64_t now = wf_engine_now(rest->server->engine);
	struct wf_error err = { .rc = WF_OK };
	struct counts counts = { 0 };
	struct wf_list_page page;

	reading->query.limit = COUNTED;
	if (read_page(reading, &page, false, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	for (size_t i = 0; i < page.count; i++)
		count_row(&counts, &page.rows[i], now);
	wf_rest_answer(rest, 200,
	    json_pack("{s:{s:I,s:I,s:I},s:I,s:I,s:b}", "mine", "allocated",
		counts.allocated, "started", counts.started, "suspended",
		counts.suspended, "offered", counts.offered, "late",
		counts.late, "at_least", (int)page.has_more));
}

/* --- handlers ------------------------------------------------------------- */

static void handle(
    struct wf_rest *rest, void (*answer)(struct wf_worklist *reading))
{
	struct wf_worklist *reading =
	    wf_arena_alloc(rest->arena, sizeof(*reading));
	struct wf_organisation *organisation;

	*reading = (struct wf_worklist){ .rest = rest };
	if (!wf_worklist_read_query(reading))
		return;
	if (!rest->server->settings.people) {
		wf_rest_problem(rest, 409, "conflict", "Not in this state",
		    "this server offers no items to people; it would with the "
		    "setting people");
		return;
	}
	organisation = wf_org_cache_get(rest->server->organisation);
	reading->organisation = organisation;
	if (wf_worklist_add_queues(reading))
		answer(reading);
	/* The answer ends the arena, and the reading with it. */
	wf_organisation_unref(&organisation);
}

void wf_rest_show_worklist(struct wf_rest *rest)
{
	handle(rest, answer_page);
}

void wf_rest_count_worklist(struct wf_rest *rest)
{
	handle(rest, answer_counts);
}

/* --- the search ----------------------------------------------------------- */

bool wf_rest_search_worklist(struct wf_rest *rest, const char *participant,
    const char *words, size_t limit, json_t **items_out)
{
	struct wf_worklist *reading =
	    wf_arena_alloc(rest->arena, sizeof(*reading));
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);
	struct wf_error err = { .rc = WF_OK };
	struct wf_list_page page;
	bool good;

	*items_out = NULL;
	*reading = (struct wf_worklist){ .rest = rest,
		.organisation = organisation,
		.actor = { .participant = participant } };
	wf_worklist_begin(reading);
	reading->query.limit = limit;
	good = !wf_worklist_set_words(reading, words) ||
	       wf_worklist_add_queues(reading);
	if (good && reading->words.count > 0) {
		good = read_page(reading, &page, true, &err) == WF_OK;
		if (good)
			*items_out = wf_worklist_rows(reading, &page);
		else
			wf_rest_fail(rest, &err);
	}
	wf_organisation_unref(&organisation);
	if (good && *items_out == NULL)
		*items_out = json_array();
	return good;
}
