/* SPDX-License-Identifier: Apache-2.0 */
/* What accounts keep for the pages that they use: preferences and filters. */
#include <stdlib.h>
#include <string.h>

#include "identity/kept.h"
#include "rest/rest.h"

#define NAME_BYTES 200U
#define VIEW_BYTES 32U
#define QUERY_BYTES ((size_t)4 << 10)
#define LEVELS 32U /* of what is kept */
#define COLUMNS 50U
#define COLUMN_BYTES 100U

/* --- preferences ---------------------------------------------------------- */

void wf_rest_show_preferences(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	json_t *object = NULL;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_preferences_read(store, &rest->account, &object, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(rest, 200, object);
}

/*
 * What is kept is read again inside of other objects, and what is deeper than
 * the reader allows would be lost with them.
 */
static bool is_deeper(const json_t *json, unsigned levels)
{
	const char *name;
	json_t *member;
	bool is = levels == 0 && (json_is_object(json) || json_is_array(json));

	for (size_t i = 0; !is && i < json_array_size(json); i++)
		is = is_deeper(json_array_get(json, i), levels - 1);
	if (!is && json_is_object(json))
		json_object_foreach((json_t *)json, name, member) is =
		    is || is_deeper(member, levels - 1);
	return is;
}

static bool check_depth(struct wf_rest *rest, const json_t *body)
{
	if (!is_deeper(body, LEVELS))
		return true;
	wf_rest_refuse(
	    rest, "expected objects and arrays in at most %u levels", LEVELS);
	return false;
}

void wf_rest_put_preferences(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	json_t *object;
	enum wf_rc rc;

	if (!wf_rest_body(rest, &object))
		return;
	if (object == NULL) {
		wf_rest_refuse(rest, "expected a JSON object");
		return;
	}
	if (check_depth(rest, object) && wf_rest_borrow(rest, &store)) {
		rc = wf_preferences_write(store, &rest->account, object, &err);
		if (wf_rest_give_back(rest, store, rc, &err))
			wf_rest_answer(rest, 200, json_incref(object));
	}
	json_decref(object);
}

/* --- a filter of a body: false: answered ---------------------------------- */

static bool read_view(struct wf_rest *rest, const json_t *body)
{
	const char *view = json_string_value(json_object_get(body, "view"));
	size_t length = view == NULL ? 0 : strlen(view);

	if (length > 0 && length <= VIEW_BYTES &&
	    strspn(view, "abcdefghijklmnopqrstuvwxyz-") == length)
		return true;
	wf_rest_refuse(rest,
	    "view: expected the list that it filters, such as cases: 1 to %u "
	    "of a-z -",
	    VIEW_BYTES);
	return false;
}

static bool read_name(struct wf_rest *rest, const json_t *body)
{
	const json_t *name = json_object_get(body, "name");
	size_t length = json_string_length(name);

	if (length > 0 && length <= NAME_BYTES)
		return true;
	wf_rest_refuse(
	    rest, "name: expected a text of 1 to %u bytes", NAME_BYTES);
	return false;
}

static bool read_query(struct wf_rest *rest, const json_t *body)
{
	const json_t *query = json_object_get(body, "query");
	bool good =
	    json_is_string(query) && json_string_length(query) <= QUERY_BYTES;
	char *text;

	if (json_is_object(query)) {
		text = json_dumps(query, JSON_COMPACT);
		good = text != NULL && strlen(text) <= QUERY_BYTES;
		free(text);
	}
	if (!good)
		wf_rest_refuse(rest,
		    "query: expected the arguments of the list as a text or an "
		    "object of at most %zu bytes",
		    QUERY_BYTES);
	return good;
}

static bool read_columns(struct wf_rest *rest, const json_t *body)
{
	const json_t *columns = json_object_get(body, "columns");
	bool good = columns == NULL || (json_is_array(columns) &&
					   json_array_size(columns) <= COLUMNS);

	for (size_t i = 0; good && i < json_array_size(columns); i++) {
		const json_t *column = json_array_get(columns, i);

		good = json_is_string(column) &&
		       json_string_length(column) <= COLUMN_BYTES;
	}
	if (!good)
		wf_rest_refuse(rest,
		    "columns: expected an array of at most %u names, each of "
		    "at most %u bytes",
		    COLUMNS, COLUMN_BYTES);
	return good;
}

static bool read_filter(
    struct wf_rest *rest, json_t *body, struct wf_filter_change *change)
{
	if (!check_depth(rest, body) || !read_view(rest, body) ||
	    !read_name(rest, body) || !read_query(rest, body) ||
	    !read_columns(rest, body) ||
	    !wf_rest_boolean(rest, body, "shared", &change->is_shared))
		return false;
	if (change->is_shared &&
	    !wf_rest_may_everywhere(rest, WF_MAY(OPERATE))) {
		wf_rest_refuse_right(rest, WF_MAY(OPERATE),
		    " in the whole namespace, to share a filter");
		return false;
	}
	(void)json_object_del(body, "shared");
	wf_json_put_time(body, "changed", wf_engine_now(rest->server->engine));
	change->filter = body;
	return true;
}

/* The one of the path. */
static bool begin_change(struct wf_rest *rest, struct wf_filter_change *change)
{
	*change = (struct wf_filter_change){ .account = &rest->account,
		.id = rest->parts[0],
		.is_administrator =
		    wf_rest_may_everywhere(rest, WF_MAY(ADMINISTER)) };
	rest->is_allowed = true; /* with rights on any process */
	if (wf_is_filter_id(change->id))
		return true;
	wf_rest_refuse(rest,
	    "the id of a filter: expected 1 to %u of A-Z a-z 0-9 _ . -, "
	    "and not . or ..",
	    WF_FILTER_ID_BYTES);
	return false;
}

/* --- filters -------------------------------------------------------------- */

void wf_rest_list_filters(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	json_t *array = NULL;
	enum wf_rc rc;

	rest->is_allowed = true; /* with rights on any process */
	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_filters_read(store, &rest->account,
	    wf_rest_argument(rest, "view"), &array, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer_page(rest, "filters", array, 0);
}

static void put(struct wf_rest *rest, struct wf_filter_change *change)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	json_t *answer;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_filter_put(store, change, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return;
	answer = json_pack("{s:s,s:b}", "filter", change->id, "shared",
	    (int)change->is_shared);
	json_object_update(answer, (json_t *)change->filter);
	wf_rest_answer(rest, change->is_new ? 201 : 200, answer);
}

void wf_rest_put_filter(struct wf_rest *rest)
{
	struct wf_filter_change change;
	json_t *body;

	if (!begin_change(rest, &change) || !wf_rest_body(rest, &body))
		return;
	if (read_filter(rest, body, &change))
		put(rest, &change);
	json_decref(body);
}

void wf_rest_remove_filter(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_filter_change change;
	struct wf_store *store;
	enum wf_rc rc;

	if (!begin_change(rest, &change) || !wf_rest_borrow(rest, &store))
		return;
	rc = wf_filter_remove(store, &change, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
}
