/* SPDX-License-Identifier: Apache-2.0 */
#include "server/case_filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/panic.h"
#include "data/deadline.h"
#include "data/json_fields.h"
#include "persistence/indexes.h"
#include "server/catalogue.h"
#include "spec/spec.h"

static const char *const statuses[] = {
	[WF_CASE_RUNNING] = "running",
	[WF_CASE_SUSPENDED] = "suspended",
	[WF_CASE_COMPLETED] = "completed",
	[WF_CASE_DEADLOCKED] = "deadlocked",
	[WF_CASE_CANCELLED] = "cancelled",
};

#define STATUSES (sizeof(statuses) / sizeof(statuses[0]))
/* Of cases that have not ended. */
#define LIVE (1U << WF_CASE_RUNNING | 1U << WF_CASE_SUSPENDED)

const char *wf_case_status_word(uint32_t status)
{
	return status < STATUSES ? statuses[status] : "";
}

struct reading {
	struct wf_engine *engine;
	wf_argument_f argument;
	void *context;
	struct wf_arena *arena;
	struct wf_case_filter *filter;
	struct wf_error *err;
};

static const char *get(const struct reading *reading, const char *name)
{
	return reading->argument(reading->context, name);
}

/* --- state and age -------------------------------------------------------- */

static enum wf_rc read_statuses(const struct reading *reading)
{
	struct wf_case_filter *filter = reading->filter;
	const char *at = get(reading, "status");

	while (at != NULL && *at != '\0') {
		size_t length = strcspn(at, ",");
		uint32_t status = 0;

		while (status < STATUSES &&
		       (strlen(statuses[status]) != length ||
			   memcmp(statuses[status], at, length) != 0))
			status++;
		if (status == STATUSES)
			return wf_fail(reading->err, WF_INVALID,
			    "status: expected running, suspended, completed, "
			    "deadlocked or cancelled");
		filter->statuses |= UINT32_C(1) << status;
		at += length + (at[length] == ',');
	}
	if (filter->statuses != 0 && (filter->statuses & ~LIVE) == 0)
		filter->live = true;
	return WF_OK;
}

static enum wf_rc read_switch(
    const struct reading *reading, const char *name, bool *on_out)
{
	const char *text = get(reading, name);

	*on_out = text != NULL && strcmp(text, "true") == 0;
	return text == NULL || *on_out || strcmp(text, "false") == 0
		   ? WF_OK
		   : wf_fail(reading->err, WF_INVALID,
			 "%s: expected true or false", name);
}

/* A time, or how long ago; missing: *at_out stays. */
static enum wf_rc read_time(
    const struct reading *reading, const char *name, int64_t *at_out)
{
	int32_t zone = wf_engine_timezone(reading->engine);
	int64_t now = wf_engine_now(reading->engine);
	const char *text = get(reading, name);
	struct wf_deadline deadline;
	int64_t at;

	if (text == NULL)
		return WF_OK;
	if (!wf_deadline_parse(text, strlen(text), zone, &deadline) ||
	    !wf_deadline_at(&deadline, now, zone, NULL, &at))
		return wf_fail(reading->err, WF_INVALID,
		    "%s: expected a time such as 2026-01-31T12:00:00Z, or a "
		    "duration such as P2D",
		    name);
	*at_out = deadline.is_instant ? at : 2 * now - at;
	return WF_OK;
}

static enum wf_rc read_times(const struct reading *reading)
{
	struct wf_case_filter *filter = reading->filter;
	enum wf_rc rc = read_time(reading, "older", &filter->launched_before);

	if (rc == WF_OK)
		rc = read_time(reading, "newer", &filter->launched_from);
	if (rc == WF_OK)
		rc = read_time(reading, "unchanged", &filter->changed_before);
	if (rc == WF_OK)
		rc = read_time(reading, "ended", &filter->ended_from);
	return rc;
}

const char *wf_incident_code(const char *text, struct wf_arena *arena)
{
	char *code;

	wf_assert(text != NULL);
	code = wf_arena_strdup(arena, text);
	for (char *at = code; *at != '\0'; at++)
		*at = (char)toupper((unsigned char)*at);
	if (wf_rc_by_name(code) != WF_BUG || strcmp(code, "BUG") == 0)
		return code;
	for (char *at = code; *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	return code;
}

static enum wf_rc read_incident(const struct reading *reading)
{
	const char *code = get(reading, "incident");

	if (code == NULL)
		return WF_OK;
	if (code[0] == '\0' || strlen(code) > WF_REST_WORD_BYTES)
		return wf_fail(reading->err, WF_INVALID,
		    "incident: expected the code of an incident, or any");
	reading->filter->incident =
	    strcmp(code, "any") == 0 ? ""
				     : wf_incident_code(code, reading->arena);
	return WF_OK;
}

/* --- words and variables -------------------------------------------------- */

static enum wf_rc need_words(const struct reading *reading)
{
	struct wf_index words;

	if (wf_indexes_words(
		wf_engine_indexes(reading->engine), reading->arena, &words) &&
	    words.state == WF_INDEX_READY)
		return WF_OK;
	return wf_fail(reading->err, WF_CONFLICT,
	    "q, title: the words of cases from before an upgrade are being "
	    "collected; ask again later");
}

static enum wf_rc read_words(const struct reading *reading)
{
	struct wf_case_filter *filter = reading->filter;
	const char *words = get(reading, "q");
	const char *title = get(reading, "title");
	struct wf_word_set *set;

	if (words == NULL && title == NULL)
		return WF_OK;
	if (words != NULL) {
		set = wf_arena_alloc(reading->arena, sizeof(*set));
		set->count = 0;
		wf_words_add(set, words);
		if (set->count == 0 || strlen(words) > WF_REST_TEXT_BYTES)
			return wf_fail(reading->err, WF_INVALID,
			    "q: expected words, of at most %u bytes in all",
			    WF_REST_TEXT_BYTES);
		filter->words = set;
	}
	if (title != NULL && strlen(title) > WF_REQUEST_TITLE_BYTES)
		return wf_fail(reading->err, WF_INVALID,
		    "title: expected at most %u bytes", WF_REQUEST_TITLE_BYTES);
	if (title != NULL)
		filter->title = wf_arena_strdup(reading->arena, title);
	return need_words(reading);
}

struct indexed {
	const struct wf_index *index;
	bool is_of; /* a specification that was read */
};

static void read_uri(void *context, const struct wf_spec *spec)
{
	struct indexed *indexed = context;

	indexed->is_of = wf_index_is_of(indexed->index, spec->uri);
}

/* Whether the index is of cases that the filter may select. */
static bool is_selected(
    const struct reading *reading, const struct wf_index *index)
{
	const struct wf_case_filter *filter = reading->filter;
	const struct wf_specification_keys *keys = &filter->specifications;
	struct indexed indexed = { index, keys->count == 0 };

	wf_assert(index->state == WF_INDEX_FILLING);
	for (size_t i = 0; i < keys->count && !indexed.is_of; i++)
		if (wf_engine_inspect_spec(reading->engine,
			filter->namespace_id, keys->keys[i], false, read_uri,
			&indexed, NULL) != WF_OK)
			indexed.is_of = true; /* it is not known */
	return indexed.is_of;
}

/* The indexes whose variables the condition names are complete. */
static enum wf_rc need_indexes(const struct reading *reading,
    const struct wf_where_node *where, const struct wf_index_list *list)
{
	enum wf_rc rc = WF_OK;

	if (where->kind == WF_WHERE_COMPARISON) {
		for (size_t i = 0; i < list->count; i++)
			if (list->rows[i].state == WF_INDEX_FILLING &&
			    strcmp(list->rows[i].variable, where->field) == 0 &&
			    is_selected(reading, &list->rows[i]))
				return wf_fail(reading->err, WF_CONFLICT,
				    "where: the index of %.100s for %.100s is "
				    "being filled; ask again when weft index "
				    "list says that it is ready, or name "
				    "another specification",
				    where->field, list->rows[i].specification);
		return WF_OK;
	}
	rc = need_indexes(reading, where->left, list);
	return rc == WF_OK && where->right != NULL
		   ? need_indexes(reading, where->right, list)
		   : rc;
}

static enum wf_rc read_where(const struct reading *reading)
{
	struct wf_case_filter *filter = reading->filter;
	const char *text = get(reading, "where");
	struct wf_where_variable *variables;
	struct wf_index_list list;
	size_t count = 0;
	enum wf_rc rc;

	if (text == NULL)
		return WF_OK;
	list = wf_indexes_of(wf_engine_indexes(reading->engine),
	    filter->namespace_id, reading->arena);
	variables =
	    wf_arena_array(reading->arena, list.count, sizeof(*variables));
	for (size_t i = 0; i < list.count; i++)
		if (list.rows[i].state != WF_INDEX_REMOVING)
			variables[count++] =
			    (struct wf_where_variable){ list.rows[i].variable,
				    list.rows[i].type };
	rc = wf_where_parse(&filter->where, text, variables, count,
	    reading->arena, reading->err);
	return rc == WF_OK ? need_indexes(reading, filter->where, &list) : rc;
}

enum wf_rc wf_argument_time(struct wf_engine *engine, wf_argument_f argument,
    void *context, const char *name, int64_t *at_out, struct wf_error *err)
{
	const struct reading reading = { .engine = engine,
		.argument = argument,
		.context = context,
		.err = err };

	return read_time(&reading, name, at_out);
}

enum wf_rc wf_case_conditions_read(struct wf_engine *engine,
    wf_argument_f argument, void *context, struct wf_arena *arena,
    struct wf_case_filter *filter, struct wf_error *err)
{
	const struct reading reading = { engine, argument, context, arena,
		filter, err };
	enum wf_rc rc = read_statuses(&reading);

	wf_assert(filter->namespace_id != 0);

	if (rc == WF_OK)
		rc = read_switch(&reading, "set_aside", &filter->set_aside);
	if (rc == WF_OK)
		rc = read_times(&reading);
	if (rc == WF_OK)
		rc = read_incident(&reading);
	if (rc == WF_OK)
		rc = read_words(&reading);
	return rc == WF_OK ? read_where(&reading) : rc;
}

/* --- JSON ----------------------------------------------------------------- */

static const char *const members[] = { "specification", "version", "status",
	"set_aside", "q", "title", "older", "newer", "unchanged", "incident",
	"where" };

static bool is_time(const char *name)
{
	return strcmp(name, "older") == 0 || strcmp(name, "newer") == 0 ||
	       strcmp(name, "unchanged") == 0;
}

enum wf_rc wf_case_filter_encode(struct wf_engine *engine,
    wf_argument_f argument, void *context, json_t **object_out,
    struct wf_error *err)
{
	const struct reading reading = { .engine = engine,
		.argument = argument,
		.context = context,
		.err = err };
	json_t *object = json_object();
	enum wf_rc rc = WF_OK;

	wf_assert(object_out != NULL);
	for (size_t i = 0;
	     rc == WF_OK && i < sizeof(members) / sizeof(members[0]); i++) {
		const char *text = argument(context, members[i]);
		int64_t at = 0;

		if (text == NULL)
			continue;
		if (is_time(members[i])) {
			rc = read_time(&reading, members[i], &at);
			wf_json_put_time(object, members[i], at);
		} else {
			json_object_set_new(
			    object, members[i], json_string(text));
		}
	}
	if (rc != WF_OK) {
		json_decref(object);
		object = NULL;
	}
	wf_assert((rc == WF_OK) == (object != NULL));
	*object_out = object;
	return rc;
}

static const char *member_of(void *context, const char *name)
{
	const json_t *object = context;
	const json_t *value = json_object_get(object, name);

	if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	return json_string_value(value);
}

/* Only members that there are, and each a text (set_aside: or a boolean). */
static enum wf_rc check_members(const json_t *object, struct wf_error *err)
{
	const char *name;
	json_t *value;

	if (!json_is_object(object))
		return wf_fail(
		    err, WF_INVALID, "a filter of cases: expected an object");
	json_object_foreach((json_t *)object, name, value)
	{
		size_t i = 0;

		while (i < sizeof(members) / sizeof(members[0]) &&
		       strcmp(members[i], name) != 0)
			i++;
		if (i == sizeof(members) / sizeof(members[0]))
			return wf_fail(err, WF_INVALID,
			    "a filter of cases has no member %.100s", name);
		if (!json_is_string(value) &&
		    !(json_is_boolean(value) && strcmp(name, "set_aside") == 0))
			return wf_fail(
			    err, WF_INVALID, "%s: expected a text", members[i]);
	}
	return WF_OK;
}

enum wf_rc wf_case_filter_decode(struct wf_engine *engine,
    uint32_t namespace_id, const json_t *object, struct wf_arena *arena,
    struct wf_case_filter *filter_out, struct wf_error *err)
{
	enum wf_rc rc = check_members(object, err);

	memset(filter_out, 0, sizeof(*filter_out));
	filter_out->namespace_id = namespace_id;
	if (rc == WF_OK)
		rc = wf_catalogue_choose(engine, namespace_id,
		    member_of((void *)object, "specification"),
		    member_of((void *)object, "version"), arena,
		    &filter_out->specifications, err);
	if (rc == WF_OK)
		rc = wf_case_conditions_read(
		    engine, member_of, (void *)object, arena, filter_out, err);
	return rc;
}
