/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comments on cases.  Whoever may see the case reads and adds them; they are
 * removed by their authors, or with the right to operate.
 */
#include <string.h>

#include "rest/rest.h"

static json_t *describe(const char *case_id, const struct wf_comment_row *row)
{
	json_t *object = json_object();

	json_object_set_new(
	    object, "comment", json_integer((json_int_t)row->id));
	json_object_set_new(object, "case", json_string(case_id));
	wf_json_put_time(object, "time", row->at);
	wf_json_put_text(object, "author", row->author);
	wf_json_put_text(object, "text", row->text);
	return object;
}

void wf_rest_list_comments(struct wf_rest *rest)
{
	const char *text = wf_rest_argument(rest, "after");
	struct wf_error err = { .rc = WF_OK };
	struct wf_comment_list list;
	struct wf_known_case known;
	struct wf_store *store;
	uint64_t after = 0;
	size_t limit;
	json_t *rows;
	enum wf_rc rc;
	bool is_own;

	if (!wf_rest_limit(rest, &limit) ||
	    (text != NULL && !wf_rest_number(rest, "after", text, &after)) ||
	    !wf_rest_visible_case(rest, rest->parts[0], &known, &is_own) ||
	    !wf_rest_borrow(rest, &store))
		return;
	rc = wf_store_comments(
	    store, known.number, after, limit, rest->arena, &list, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return;
	rows = json_array();
	for (size_t i = 0; i < list.count; i++)
		json_array_append_new(
		    rows, describe(rest->parts[0], &list.rows[i]));
	wf_rest_answer_page(rest, "comments", rows,
	    list.count < limit ? 0 : list.rows[list.count - 1].id);
}

/* In the arena.  False: answered. */
static bool read_text(struct wf_rest *rest, const char **text_out)
{
	const char *text;
	json_t *body;
	bool good;

	if (!wf_rest_body(rest, &body))
		return false;
	good = wf_rest_text(rest, body, "text", WF_COMMENT_TEXT_BYTES, &text);
	if (good && (text == NULL || *text == '\0')) {
		wf_rest_refuse(rest,
		    "text: expected the comment, a text of at most %u bytes",
		    WF_COMMENT_TEXT_BYTES);
		good = false;
	}
	if (good)
		*text_out = wf_arena_strdup(rest->arena, text);
	json_decref(body);
	return good;
}

void wf_rest_add_comment(struct wf_rest *rest)
{
	struct wf_comment_row row = { .author = rest->account.name,
		.at = wf_engine_now(rest->server->engine) };
	struct wf_error err = { .rc = WF_OK };
	struct wf_known_case known;
	struct wf_store *store;
	enum wf_rc rc;
	bool is_own;

	if (!read_text(rest, &row.text) ||
	    !wf_rest_visible_case(rest, rest->parts[0], &known, &is_own) ||
	    !wf_rest_borrow(rest, &store))
		return;
	row.number = known.number;
	rc = wf_store_reserve(store, WF_COUNTER_COMMENT, 1, &row.id, &err);
	if (rc == WF_OK)
		rc = wf_store_add_comment(store, &row, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(rest, 201, describe(rest->parts[0], &row));
}

/* Removes it if the account may. */
static enum wf_rc remove_comment(struct wf_rest *rest, struct wf_store *store,
    uint64_t number, uint64_t id, bool operates, struct wf_error *err)
{
	struct wf_comment_list list = { NULL, 0 };
	enum wf_rc rc = WF_OK;

	if (id > 0)
		rc = wf_store_comments(
		    store, number, id - 1, 1, rest->arena, &list, err);
	if (rc == WF_OK && (list.count == 0 || list.rows[0].id != id))
		rc = wf_fail(err, WF_NOT_FOUND,
		    "the case '%.100s' has no comment %.30s", rest->parts[0],
		    rest->parts[1]);
	if (rc == WF_OK && !operates &&
	    strcmp(list.rows[0].author, rest->account.name) != 0)
		rc = wf_fail(err, WF_DENIED,
		    "the comment is by %s; to remove it needs the right to "
		    "operate",
		    list.rows[0].author);
	return rc == WF_OK ? wf_store_remove_comment(store, number, id, err)
			   : rc;
}

void wf_rest_remove_comment(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_known_case known;
	struct wf_store *store;
	bool operates;
	uint64_t id;
	enum wf_rc rc;
	bool is_own;

	if (!wf_rest_number(rest, "comment", rest->parts[1], &id) ||
	    !wf_rest_visible_case(rest, rest->parts[0], &known, &is_own) ||
	    !wf_rest_has_right(rest, WF_MAY(OPERATE), "", &known, &operates) ||
	    !wf_rest_borrow(rest, &store))
		return;
	rc = remove_comment(rest, store, known.number, id, operates, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(
		    rest, 200, json_pack("{s:I}", "comment", (json_int_t)id));
}
