/* SPDX-License-Identifier: Apache-2.0 */
/* What was asked for, as an operation: all that can be checked without a case.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "data/json_fields.h"
#include "operation/incidents.h"
#include "operation/operation_priv.h"
#include "server/case_filter.h"

struct reading {
	struct wf_engine *engine;
	uint32_t namespace_id;
	const char *account;
	json_t *body;
	struct operation *o;
	struct wf_error *err;
};

static enum wf_rc expected(
    struct reading *s, const char *member, const char *what)
{
	return wf_fail(s->err, WF_INVALID, "%.100s: expected %s", member, what);
}

static const char *argument_of(void *context, const char *name)
{
	const json_t *value = json_object_get(context, name);

	if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	return json_string_value(value);
}

/* The filter with instants instead of durations. */
static enum wf_rc read_filter(struct reading *s, json_t *filter)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_case_filter decoded;
	json_t *encoded = NULL;
	enum wf_rc rc = wf_case_filter_decode(
	    s->engine, s->namespace_id, filter, arena, &decoded, s->err);

	wf_arena_free(&arena);
	if (rc == WF_OK)
		rc = wf_case_filter_encode(
		    s->engine, argument_of, filter, &encoded, s->err);
	if (rc == WF_OK)
		json_object_set_new(s->o->json, "filter", encoded);
	return rc;
}

static json_t *each_once(json_t *names)
{
	json_t *known = json_object();
	json_t *list = json_array();
	size_t i;
	json_t *name;

	json_array_foreach(names, i, name)
	{
		const char *text = json_string_value(name);

		if (json_object_get(known, text) != NULL)
			continue;
		json_object_set_new(known, text, json_true());
		json_array_append(list, name);
	}
	json_decref(known);
	return list;
}

static enum wf_rc read_cases(struct reading *s, json_t *cases)
{
	size_t count = json_array_size(cases);

	if (!json_is_array(cases) || count == 0 || count > WF_OPERATION_CASES)
		return wf_fail(s->err, WF_INVALID,
		    "cases: expected a list of 1 to %u ids of cases",
		    WF_OPERATION_CASES);
	for (size_t i = 0; i < count; i++) {
		const char *name = json_string_value(json_array_get(cases, i));

		if (name == NULL || strlen(name) > WF_CASE_NAME_BYTES)
			return expected(s, "cases", "ids of cases, as texts");
	}
	s->o->cases = each_once(cases);
	json_object_set_new(s->o->json, "named",
	    json_integer((json_int_t)json_array_size(s->o->cases)));
	return WF_OK;
}

/* As it was given: it is read again for each page. */
static enum wf_rc read_incidents(struct reading *s, json_t *incidents)
{
	struct wf_arena *arena;
	struct wf_incident_choice choice;
	struct wf_store *store;
	enum wf_rc rc;

	if (wf_operation_of(s->o->kind) != WF_OPERATION_OF_INCIDENTS)
		return expected(s, "incidents", "with retry or drop only");
	rc = wf_engine_borrow(s->engine, &store, s->err);
	if (rc != WF_OK)
		return rc;
	arena = wf_arena_new();
	rc = wf_incident_choice_decode(s->engine, store, s->namespace_id,
	    incidents, arena, &choice, s->err);
	wf_arena_free(&arena);
	wf_engine_give_back(s->engine, store);
	if (rc == WF_OK)
		json_object_set(s->o->json, "incidents", incidents);
	return rc;
}

static enum wf_rc read_selection(struct reading *s)
{
	json_t *filter = json_object_get(s->body, "filter");
	json_t *cases = json_object_get(s->body, "cases");
	json_t *incidents = json_object_get(s->body, "incidents");
	bool of_items = wf_operation_of(s->o->kind) == WF_OPERATION_OF_ITEMS;
	const char *task = json_string_value(json_object_get(s->body, "task"));

	if ((filter != NULL) + (cases != NULL) + (incidents != NULL) != 1)
		return wf_fail(s->err, WF_INVALID,
		    "expected filter or cases, and not both, or incidents: an "
		    "empty filter selects all cases");
	if (of_items && cases != NULL)
		return expected(
		    s, "filter", "conditions, not cases, for items");
	if (of_items != (task != NULL))
		return expected(s, "task",
		    of_items ? "the id of a task, whose items are meant"
			     : "nothing: only items have a task");
	if (of_items)
		json_object_set_new(s->o->json, "task", json_string(task));
	if (incidents != NULL)
		return read_incidents(s, incidents);
	return filter != NULL ? read_filter(s, filter) : read_cases(s, cases);
}

static enum wf_rc read_rate(struct reading *s)
{
	json_t *rate = json_object_get(s->body, "rate");

	if (rate == NULL)
		return WF_OK;
	if (!json_is_integer(rate) || json_integer_value(rate) < 1 ||
	    json_integer_value(rate) > (json_int_t)WF_OPERATION_RATE)
		return expected(
		    s, "rate", "a number of cases in a second, from 1");
	json_object_set(s->o->json, "rate", rate);
	return WF_OK;
}

/* Members that are kept as they are, with their types. */
static enum wf_rc read_plain(struct reading *s)
{
	static const struct {
		const char *name;
		json_type type;
		const char *what;
	} members[] = {
		{ "reason", JSON_STRING, "a text" },
		{ "specification", JSON_STRING, "a URI or a key" },
		{ "version", JSON_STRING, "a version" },
		{ "plan", JSON_OBJECT, "an object" },
		{ "changes", JSON_ARRAY, "a list of changes" },
	};
	json_t *force = json_object_get(s->body, "force");

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		json_t *value = json_object_get(s->body, members[i].name);

		if (value == NULL)
			continue;
		if (json_typeof(value) != members[i].type)
			return expected(s, members[i].name, members[i].what);
		json_object_set(s->o->json, members[i].name, value);
	}
	if (strlen(wf_operation_text(s->o, "reason")) > WF_REST_TEXT_BYTES)
		return wf_fail(s->err, WF_INVALID,
		    "reason: expected at most %u bytes", WF_REST_TEXT_BYTES);
	if (s->o->kind == WF_OPERATION_DROP &&
	    wf_operation_text(s->o, "reason")[0] == '\0')
		return expected(s, "reason", "a sentence that says why");
	if (force != NULL && !json_is_boolean(force))
		return expected(s, "force", "true or false");
	if (json_is_true(force))
		json_object_set(s->o->json, "force", force);
	return WF_OK;
}

static enum wf_rc read_kind(struct reading *s)
{
	const char *word = json_string_value(json_object_get(s->body, "kind"));
	struct wf_buffer words;

	if (word != NULL && wf_operation_kind_of(word, &s->o->kind)) {
		json_object_set_new(s->o->json, "kind", json_string(word));
		return WF_OK;
	}
	wf_buffer_init(&words, 1000);
	for (unsigned i = 0; i < WF_OPERATION_KINDS; i++)
		wf_buffer_printf(&words, "%s%s",
		    i == 0			  ? ""
		    : i + 1 == WF_OPERATION_KINDS ? " or "
						  : ", ",
		    wf_operation_word((enum wf_operation_kind)i));
	(void)expected(s, "kind", wf_buffer_text(&words));
	wf_buffer_free(&words);
	return WF_INVALID;
}

static enum wf_rc read_request(struct reading *s)
{
	struct commander commander;
	enum wf_rc rc;

	s->o->json = json_object();
	s->o->namespace_id = s->namespace_id;
	rc = read_kind(s);
	if (rc == WF_OK)
		rc = read_selection(s);
	if (rc == WF_OK)
		rc = read_rate(s);
	if (rc == WF_OK)
		rc = read_plain(s);
	json_object_set_new(s->o->json, "by", json_string(s->account));
	if (rc != WF_OK)
		return rc;
	wf_commander_init(&commander, s->engine, s->o);
	rc = wf_commander_check(&commander, s->err);
	if (rc == WF_OK && s->o->kind == WF_OPERATION_MIGRATE)
		wf_json_put_key(s->o->json, "target", commander.target);
	wf_commander_free(&commander);
	return rc;
}

enum wf_rc wf_operation_request(struct wf_engine *engine, uint32_t namespace_id,
    const char *account, json_t *body, struct operation *operation_out,
    struct wf_error *err)
{
	struct reading s = { engine, namespace_id, account, body, operation_out,
		err };

	memset(operation_out, 0, sizeof(*operation_out));
	return read_request(&s);
}
