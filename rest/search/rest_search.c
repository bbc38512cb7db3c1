/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One search for all that a page finds: cases and items by id or by words,
 * processes, people, incidents by number.
 *
 * What an account sees is what the lists show it: with a right to read, what is
 * of the namespace or of its processes; a participant, also its own cases and
 * list.
 * Each part reads a bounded number of rows of its own, by indexes.
 */
#include <ctype.h>
#include <string.h>

#include "rest/search/rest_search.h"
#include "rest/rest_item.h"
#include "server/case_filter.h"
#include "server/catalogue.h"

#define ROWS 10U
/* With rights on some processes, some of so many rows are seen. */
#define ROWS_READ 100U

struct searching {
	struct wf_rest *rest;
	const char *text;
	size_t limit;
	bool reads_all;		 /* of the namespace */
	bool reads_some;	 /* of some processes */
	bool manages;		 /* all cases, by a privilege */
	const char *participant; /* whose own things are seen; NULL: nobody's */
	struct wf_store *store;
	json_t *answer;
	struct wf_error err;
	bool is_over; /* answered */
};

/* Whether things of that specification are seen. */
static bool reads(struct searching *s, uint64_t specification)
{
	bool may = s->reads_all;

	if (!may && s->reads_some && !s->is_over &&
	    !wf_rest_has_right_for(
		s->rest, WF_MAY(READ), specification, &may)) {
		s->is_over = true;
		return false;
	}
	return may;
}

static json_t *part(struct searching *s, const char *name)
{
	json_t *array = json_array();

	json_object_set_new(s->answer, name, array);
	return array;
}

static bool is_full(const struct searching *s, const json_t *array)
{
	return json_array_size(array) >= s->limit;
}

/* Adds the row unless one with the same id is there. */
static void add(
    const struct searching *s, json_t *array, const char *id, json_t *row)
{
	bool is_there = false;

	for (size_t i = 0; i < json_array_size(array); i++)
		is_there |=
		    json_equal(json_object_get(json_array_get(array, i), id),
			json_object_get(row, id));
	if (!is_there && !is_full(s, array))
		json_array_append(array, row);
	json_decref(row);
}

/* --- cases ---------------------------------------------------------------- */

/* The URI of the process stands beside the key. */
static void put_uri(void *context, const struct wf_spec *spec)
{
	json_object_set_new(context, "uri", json_string(spec->uri));
}

static void add_case(
    struct searching *s, json_t *array, const struct wf_stored_case *stored)
{
	json_t *row = wf_rest_describe_case(stored);

	(void)(wf_engine_inspect_spec(s->rest->server->engine,
		   s->rest->account.namespace_id, stored->row.specification,
		   false, put_uri, row, NULL) == WF_OK);
	add(s, array, "case", row);
}

/* The number of the case with that id; 0: there is none. */
static enum wf_rc find_case(
    struct searching *s, const char *id, uint64_t *number_out)
{
	*number_out = 0;
	if (id[0] == '\0' || strlen(id) > WF_CASE_NAME_BYTES)
		return WF_OK;
	return wf_store_find(s->store, s->rest->account.namespace_id, &id, 1,
	    number_out, &s->err);
}

/* Whether the case, which has that number, is seen. */
static bool sees_case(struct searching *s, const struct wf_case_row *row)
{
	bool is_own = false;

	return s->manages || reads(s, row->specification) ||
	       (s->participant != NULL && !s->is_over &&
		   wf_store_is_involved(s->store, s->participant, row->number,
		       &is_own, NULL) == WF_OK &&
		   is_own);
}

static enum wf_rc search_case_by_id(struct searching *s, json_t *array)
{
	struct wf_stored_case stored;
	uint64_t number;
	enum wf_rc rc = find_case(s, s->text, &number);

	/* One that was erased is found no more. */
	if (rc != WF_OK || number == 0 ||
	    wf_store_case(s->store, number, false, s->rest->arena, &stored,
		NULL) != WF_OK)
		return rc;
	if (sees_case(s, &stored.row))
		add_case(s, array, &stored);
	return WF_OK;
}

static const char *words_of(void *context, const char *name)
{
	return strcmp(name, "q") == 0 ? context : NULL;
}

/* The newest first.  False: there are no words to search by, or not yet. */
static bool read_filter(struct searching *s, struct wf_case_filter *filter)
{
	*filter = (struct wf_case_filter){ .namespace_id =
					       s->rest->account.namespace_id,
		.descending = true,
		.limit = s->reads_all || s->manages ? s->limit : ROWS_READ };
	return wf_case_conditions_read(s->rest->server->engine, words_of,
		   (void *)s->text, s->rest->arena, filter, NULL) == WF_OK;
}

/* Those of the filter; of a participant: all of them are seen. */
static enum wf_rc list_cases(
    struct searching *s, const struct wf_case_filter *filter, json_t *array)
{
	struct wf_case_list list = { .count = 0 };
	enum wf_rc rc =
	    wf_store_cases(s->store, filter, s->rest->arena, &list, &s->err);

	for (size_t i = 0;
	     rc == WF_OK && i < list.count && !s->is_over && !is_full(s, array);
	     i++)
		if (s->manages || filter->participant != NULL ||
		    reads(s, list.rows[i].row.specification))
			add_case(s, array, &list.rows[i]);
	return rc;
}

static enum wf_rc search_cases(struct searching *s)
{
	json_t *array = part(s, "cases");
	struct wf_case_filter filter;
	bool sees_all = s->reads_all || s->manages;
	enum wf_rc rc = search_case_by_id(s, array);

	if (rc != WF_OK || s->is_over || !read_filter(s, &filter))
		return rc;
	if (sees_all || s->reads_some)
		rc = list_cases(s, &filter, array);
	if (rc != WF_OK || s->is_over || sees_all || s->participant == NULL ||
	    is_full(s, array))
		return rc;
	filter.participant = s->participant;
	return list_cases(s, &filter, array);
}

/* --- items ---------------------------------------------------------------- */

static void add_items(
    struct searching *s, json_t *array, const struct wf_item_list *list)
{
	json_t *rows = wf_rest_describe_items(s->rest, list);

	for (size_t i = 0; i < list->count && !s->is_over; i++)
		if (reads(s, list->rows[i].specification))
			add(s, array, "item",
			    json_incref(json_array_get(rows, i)));
	json_decref(rows);
}

static enum wf_rc search_item_by_id(struct searching *s, json_t *array)
{
	struct wf_item_row row;
	const struct wf_item_list list = { &row, 1 };
	uint64_t number;
	enum wf_rc rc;

	if (strchr(s->text, ':') == NULL)
		return WF_OK;
	rc = find_case(s,
	    wf_arena_strndup(s->rest->arena, s->text, strcspn(s->text, ".:")),
	    &number);
	if (rc == WF_OK && number != 0 &&
	    wf_store_item(
		s->store, number, s->text, s->rest->arena, &row, NULL) == WF_OK)
		add_items(s, array, &list);
	return rc;
}

/* With a right to read. */
static enum wf_rc search_items(struct searching *s)
{
	const struct wf_item_filter filter = {
		.namespace_id = s->rest->account.namespace_id,
		.limit = s->reads_all ? s->limit : ROWS_READ
	};
	json_t *array = part(s, "items");
	struct wf_case_filter cases;
	struct wf_found_items found;
	enum wf_rc rc = WF_OK;

	if (!s->reads_all && !s->reads_some)
		return WF_OK;
	rc = search_item_by_id(s, array);
	if (rc != WF_OK || s->is_over || !read_filter(s, &cases))
		return rc;
	cases.live = true;
	cases.descending = false; /* items are in the order of cases */
	rc = wf_store_find_items(
	    s->store, &filter, &cases, s->rest->arena, &found, &s->err);
	if (rc == WF_OK)
		add_items(s, array, &found.items);
	return rc;
}

/* Of the own list; borrows a store itself. */
static void search_worklist(struct searching *s)
{
	json_t *array = json_object_get(s->answer, "items");
	json_t *items;
	json_t *item;
	size_t i;

	if (s->participant == NULL || is_full(s, array))
		return;
	if (!wf_rest_search_worklist(
		s->rest, s->participant, s->text, s->limit, &items)) {
		s->is_over = true;
		return;
	}
	if (!s->reads_all)
		wf_rest_hide_services(items);
	json_array_foreach(items, i, item)
	{
		add(s, array, "item", json_incref(item));
	}
	json_decref(items);
}

/* --- processes ------------------------------------------------------------ */

/* Whether each of the words begins a word of one of the texts. */
static bool has_words(
    const struct wf_word_set *wanted, const struct wf_specification_row *row)
{
	return wanted->count > 0 &&
	       (wf_words_found(wanted, row->title) |
		   wf_words_found(wanted, row->uri)) == wf_words_all(wanted);
}

static bool is_meant(const struct searching *s,
    const struct wf_word_set *wanted, const struct wf_specification_row *row)
{
	char key[17];

	snprintf(key, sizeof(key), "%016llx", (unsigned long long)row->key);
	return strcmp(key, s->text) == 0 || strcmp(row->uri, s->text) == 0 ||
	       (row->identifier != NULL &&
		   strcmp(row->identifier, s->text) == 0) ||
	       has_words(wanted, row);
}

/* Of each process the newest version that is meant. */
static enum wf_rc search_specifications(struct searching *s)
{
	json_t *array = part(s, "specifications");
	struct wf_specification_list list = { .count = 0 };
	struct wf_word_set wanted = { .count = 0 };
	enum wf_rc rc = WF_OK;

	if (!s->reads_all && !s->reads_some && !s->manages)
		return WF_OK;
	wf_words_add(&wanted, s->text);
	rc = wf_catalogue_list(s->rest->server->engine,
	    s->rest->account.namespace_id, s->rest->arena, &list, &s->err);
	for (size_t i = list.count;
	     rc == WF_OK && i > 0 && !s->is_over && !is_full(s, array); i--) {
		const struct wf_specification_row *row = &list.rows[i - 1];

		if (is_meant(s, &wanted, row) &&
		    (s->manages || reads(s, row->key)))
			add(s, array,
			    row->identifier[0] != '\0' ? "identifier" : "uri",
			    wf_rest_describe_specification(s->rest, row));
	}
	return rc;
}

/* --- incidents ------------------------------------------------------------ */

/* Whether the incident, of that case or of none, is seen. */
static bool sees_incident(struct searching *s, uint64_t number)
{
	struct wf_stored_case stored;

	if (s->reads_all || number == 0)
		return s->reads_all;
	return wf_store_case(s->store, number, false, s->rest->arena, &stored,
		   NULL) == WF_OK &&
	       reads(s, stored.row.specification);
}

static enum wf_rc search_incidents(struct searching *s)
{
	json_t *array = part(s, "incidents");
	size_t digits = strspn(s->text, "0123456789");
	struct wf_incident_row row;
	uint64_t id;

	if (digits == 0 || digits > 18 || s->text[digits] != '\0')
		return WF_OK;
	id = strtoull(s->text, NULL, 10);
	if (wf_store_incident(s->store, id, s->rest->arena, &row, NULL) ==
		WF_OK &&
	    row.namespace_id == s->rest->account.namespace_id &&
	    sees_incident(s, row.number))
		json_array_append_new(
		    array, wf_rest_describe_incident(s->rest, s->store, &row));
	return WF_OK;
}

/* --- all ------------------------------------------------------------------ */

/* False: answered. */
static bool read_arguments(struct searching *s)
{
	struct wf_rest *rest = s->rest;
	const char *text = wf_rest_argument(rest, "q");
	size_t length;

	s->limit = ROWS;
	if (wf_rest_argument(rest, "limit") != NULL &&
	    !wf_rest_limit(rest, &s->limit))
		return false;
	if (s->limit > ROWS)
		s->limit = ROWS;
	while (text != NULL && isspace((unsigned char)*text))
		text++;
	length = text == NULL ? 0 : strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	if (length == 0 || length > WF_REST_TEXT_BYTES) {
		wf_rest_refuse(rest,
		    "q: expected an id or words, of 1 to %u bytes",
		    WF_REST_TEXT_BYTES);
		return false;
	}
	s->text = wf_arena_strndup(rest->arena, text, length);
	return true;
}

static enum wf_rc search_store(struct searching *s)
{
	enum wf_rc rc = search_cases(s);

	if (rc == WF_OK && !s->is_over)
		rc = search_items(s);
	if (rc == WF_OK && !s->is_over)
		rc = search_incidents(s);
	return rc;
}

void wf_rest_search(struct wf_rest *rest)
{
	struct searching s = { .rest = rest };
	enum wf_rc rc;

	if (!read_arguments(&s))
		return;
	s.reads_all = wf_rest_may_everywhere(rest, WF_MAY(READ));
	s.manages = wf_rest_manages_cases(rest);
	s.reads_some = wf_account_may_some(
	    &rest->account, WF_MAY(READ), rest->account.namespace_id);
	if (wf_rest_may_everywhere(rest, WF_MAY(PARTICIPATE)))
		s.participant = wf_rest_participant(rest);
	if (wf_engine_borrow(rest->server->engine, &s.store, &s.err) != WF_OK) {
		wf_rest_fail(rest, &s.err);
		return;
	}
	/* Each row is judged by itself. */
	rest->is_allowed = true;
	s.answer = json_object();
	rc = search_store(&s);
	wf_engine_give_back(rest->server->engine, s.store);
	if (rc == WF_OK && !s.is_over)
		rc = search_specifications(&s);
	if (rc == WF_OK && !s.is_over)
		search_worklist(&s);
	if (rc == WF_OK && !s.is_over) {
		json_object_set_new(s.answer, "people",
		    wf_rest_search_people(rest, s.text, s.limit));
		wf_rest_answer(rest, 200, s.answer);
		return;
	}
	json_decref(s.answer);
	if (!s.is_over)
		wf_rest_fail(rest, &s.err);
}
