/* SPDX-License-Identifier: Apache-2.0 */
/* Operations as interfaces see them: started, tried, shown, changed. */
#include "operation/operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "data/json_fields.h"
#include "operation/operation_priv.h"
#include "operation/plan.h"
#include "server/case_filter.h"

/* What a preview counts, and how many it tries. */
#define COUNTED 100000U
#define TRIED 1000U
#define SAMPLE 10U
#define PAGE 1000U
#define KEY_BYTES ((size_t)1 << 20)

/* --- reading a request ---------------------------------------------------- */

struct starting {
	struct wf_engine *engine;
	uint32_t namespace_id;
	const char *account;
	json_t *body;
	struct operation o;
	struct wf_error *err;
};

static enum wf_rc expected(
    struct starting *s, const char *member, const char *what)
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
static enum wf_rc read_filter(struct starting *s, json_t *filter)
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
		json_object_set_new(s->o.json, "filter", encoded);
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

static enum wf_rc read_cases(struct starting *s, json_t *cases)
{
	size_t count = json_array_size(cases);

	if (!json_is_array(cases) || count == 0 || count > WF_OPERATION_CASES)
		return wf_fail(s->err, WF_INVALID,
		    "cases: expected a list of 1 to %u ids of cases",
		    WF_OPERATION_CASES);
	for (size_t i = 0; i < count; i++)
		if (!json_is_string(json_array_get(cases, i)))
			return expected(s, "cases", "ids of cases, as texts");
	json_object_set_new(s->o.json, "cases", each_once(cases));
	return WF_OK;
}

static enum wf_rc read_selection(struct starting *s)
{
	json_t *filter = json_object_get(s->body, "filter");
	json_t *cases = json_object_get(s->body, "cases");
	bool of_items = wf_operation_of(s->o.kind) == WF_OPERATION_OF_ITEMS;
	const char *task = json_string_value(json_object_get(s->body, "task"));

	if ((filter == NULL) == (cases == NULL))
		return wf_fail(s->err, WF_INVALID,
		    "expected filter or cases, and not both: an empty filter "
		    "selects all cases");
	if (of_items && cases != NULL)
		return expected(
		    s, "filter", "conditions, not cases, for items");
	if (of_items != (task != NULL))
		return expected(s, "task",
		    of_items ? "the id of a task, whose items are meant"
			     : "nothing: only items have a task");
	if (of_items)
		json_object_set_new(s->o.json, "task", json_string(task));
	return filter != NULL ? read_filter(s, filter) : read_cases(s, cases);
}

static enum wf_rc read_rate(struct starting *s)
{
	json_t *rate = json_object_get(s->body, "rate");

	if (rate == NULL)
		return WF_OK;
	if (!json_is_integer(rate) || json_integer_value(rate) < 1 ||
	    json_integer_value(rate) > (json_int_t)WF_OPERATION_RATE)
		return expected(
		    s, "rate", "a number of cases in a second, from 1");
	json_object_set(s->o.json, "rate", rate);
	return WF_OK;
}

/* Members that are kept as they are, with their types. */
static enum wf_rc read_plain(struct starting *s)
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
		json_object_set(s->o.json, members[i].name, value);
	}
	if (strlen(wf_operation_text(&s->o, "reason")) > WF_REST_TEXT_BYTES)
		return wf_fail(s->err, WF_INVALID,
		    "reason: expected at most %u bytes", WF_REST_TEXT_BYTES);
	if (force != NULL && !json_is_boolean(force))
		return expected(s, "force", "true or false");
	if (json_is_true(force))
		json_object_set(s->o.json, "force", force);
	return WF_OK;
}

static enum wf_rc read_kind(struct starting *s)
{
	const char *word = json_string_value(json_object_get(s->body, "kind"));
	struct wf_buffer words;

	if (word != NULL && wf_operation_kind_of(word, &s->o.kind)) {
		json_object_set_new(s->o.json, "kind", json_string(word));
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

/* Checks all that can be checked without a case. */
static enum wf_rc read_request(struct starting *s)
{
	struct commander commander;
	enum wf_rc rc;

	s->o.json = json_object();
	s->o.namespace_id = s->namespace_id;
	rc = read_kind(s);
	if (rc == WF_OK)
		rc = read_selection(s);
	if (rc == WF_OK)
		rc = read_rate(s);
	if (rc == WF_OK)
		rc = read_plain(s);
	json_object_set_new(s->o.json, "by", json_string(s->account));
	if (rc != WF_OK)
		return rc;
	wf_commander_init(&commander, s->engine, &s->o);
	rc = wf_commander_check(&commander, s->err);
	if (rc == WF_OK && s->o.kind == WF_OPERATION_MIGRATE)
		wf_json_put_key(s->o.json, "target", commander.target);
	wf_commander_free(&commander);
	return rc;
}

/* --- starting ------------------------------------------------------------- */

static json_t *shown(const struct operation *o)
{
	static const char *const times[] = { "created", "changed" };
	json_t *json = json_deep_copy(o->json);

	json_object_set_new(json, "operation", json_integer((json_int_t)o->id));
	for (size_t i = 0; i < 2; i++) {
		json_int_t at =
		    json_integer_value(json_object_get(json, times[i]));

		json_object_del(json, times[i]);
		wf_json_put_time(json, times[i], at);
	}
	json_object_del(json, "after");
	json_object_del(json, "after_subject");
	json_object_del(json, "from");
	json_object_del(json, "page");
	json_object_del(json, "turn");
	json_object_del(json, "key");
	return json;
}

/* Counts the records; they are few. */
static enum wf_rc check_room(struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list;
	enum wf_rc rc =
	    wf_store_records(store, WF_OPERATION_RECORD, 0, arena, &list, err);

	if (rc == WF_OK && list.count >= WF_OPERATIONS_MOST)
		rc = wf_fail(err, WF_LIMIT,
		    "there are %zu operations: remove some that are over",
		    list.count);
	wf_arena_free(&arena);
	return rc;
}

/* The same request once more: shows what the first one has started. */
static enum wf_rc repeat(struct wf_store *store, const struct operation *o,
    json_t **operation_out, struct wf_error *err)
{
	struct operation found;
	enum wf_rc rc = wf_operation_find(store, o, &found, err);

	if (rc != WF_OK)
		return rc;
	if (found.kind != o->kind) {
		rc = wf_fail(err, WF_CONFLICT,
		    "the idempotency key was used for operation %llu, which is "
		    "another one",
		    (unsigned long long)found.id);
	} else {
		*operation_out = shown(&found);
		json_object_set_new(*operation_out, "repeated", json_true());
	}
	wf_operation_drop(&found);
	return rc;
}

static enum wf_rc add_new(struct wf_engine *engine, struct wf_store *store,
    struct operation *o, struct wf_error *err)
{
	json_int_t now = wf_engine_now(engine);
	enum wf_rc rc = wf_engine_may_write(engine, WF_OPERATIONS_TABLES, err);

	if (rc == WF_OK)
		rc = check_room(store, err);
	if (rc == WF_OK)
		rc = wf_store_reserve(
		    store, WF_COUNTER_OPERATION, 1, &o->id, err);
	if (rc == WF_OK) {
		json_object_set_new(o->json, "state", json_string("running"));
		json_object_set_new(o->json, "created", json_integer(now));
		json_object_set_new(o->json, "changed", json_integer(now));
		json_object_set_new(o->json, "examined", json_integer(0));
		json_object_set_new(o->json, "done", json_integer(0));
		json_object_set_new(o->json, "refused", json_integer(0));
		rc = wf_operation_add(store, o, false, err);
	}
	return rc;
}

static enum wf_rc keep_new(struct wf_engine *engine, struct operation *o,
    const char *key, json_t **operation_out, struct wf_error *err)
{
	struct wf_error own = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	if (key != NULL)
		json_object_set_new(o->json, "key", json_string(key));
	rc = repeat(store, o, operation_out, &own);
	if (rc == WF_NOT_FOUND) {
		rc = add_new(engine, store, o, err);
		if (rc == WF_OK)
			*operation_out = shown(o);
		else if (rc == WF_CONFLICT && key != NULL)
			/* Both came at the same time. */
			rc = repeat(store, o, operation_out, &own);
	} else if (rc != WF_OK) {
		rc = wf_fail(err, rc, "%s", own.message);
	}
	wf_engine_give_back(engine, store);
	return rc;
}

enum wf_rc wf_operation_start(struct wf_engine *engine, uint32_t namespace_id,
    const char *account, const char *key, json_t *body, json_t **operation_out,
    struct wf_error *err)
{
	struct starting s = { engine, namespace_id, account, body, { 0 }, err };
	enum wf_rc rc = read_request(&s);

	if (rc == WF_OK)
		rc = keep_new(engine, &s.o, key, operation_out, err);
	wf_operation_drop(&s.o);
	return rc;
}

/* --- trying --------------------------------------------------------------- */

struct preview {
	struct commander commander;
	struct wf_arena *arena;
	json_t *sample;
	json_t *groups;		/* of a migration or repair; else NULL */
	struct wf_map *by_text; /* groups, by what is said of them */
	size_t tried;
};

/* A text without the ids of the case, of its nets and of its items. */
static void add_neutral(
    struct wf_buffer *out, const char *text, const char *name)
{
	static const char *const nouns[] = { "case ", "net ", "item " };
	size_t length = strlen(name);

	while (*text != '\0') {
		for (size_t i = 0; i < sizeof(nouns) / sizeof(nouns[0]); i++) {
			size_t before = strlen(nouns[i]);

			if (strncmp(text, nouns[i], before) == 0 &&
			    strncmp(text + before, name, length) == 0)
				text += before + length +
					strcspn(text + before + length, " ,");
		}
		if (*text != '\0')
			wf_buffer_putc(out, *text++);
	}
	wf_buffer_putc(out, '\n');
}

static void add_members(struct wf_buffer *out, json_t *rows,
    const char *const *members, const char *name)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
	{
		for (size_t n = 0; members[n] != NULL; n++) {
			const char *text =
			    json_string_value(json_object_get(row, members[n]));

			add_neutral(out, text == NULL ? "" : text, name);
		}
	}
}

/* All that is said of a case, and would be said of others that stand alike. */
static char *make_key(const struct preview *p, const struct subject *subject,
    const struct forecast *forecast, enum wf_rc rc, const struct wf_error *err)
{
	static const char *const problem[] = { "kind", "element", "text",
		NULL };
	static const char *const prospect[] = { "name", "possible",
		"endangered", "ending", "failing", NULL };
	struct wf_buffer key;
	char *copy;

	wf_buffer_init(&key, KEY_BYTES);
	wf_buffer_printf(&key, "%016llx %d\n",
	    (unsigned long long)subject->specification, (int)rc);
	add_neutral(&key, rc == WF_OK ? "" : err->message, subject->name);
	add_members(&key, forecast->problems, problem, subject->name);
	add_members(&key, forecast->prospects, prospect, subject->name);
	copy = wf_arena_strdup(p->arena, wf_buffer_text(&key));
	wf_buffer_free(&key);
	return copy;
}

/* Cases of one specification of which the same is said. */
static void add_to_group(struct preview *p, const struct subject *subject,
    const struct forecast *forecast, enum wf_rc rc, const struct wf_error *err)
{
	char *key = make_key(p, subject, forecast, rc, err);
	json_t *group = wf_map_get(p->by_text, key);

	if (group == NULL) {
		group = json_pack("{s:i,s:s,s:b}", "count", 0, "example",
		    subject->name, "allowed", rc == WF_OK);
		wf_json_put_key(group, "specification", subject->specification);
		if (rc != WF_OK)
			json_object_set_new(
			    group, "refusal", json_string(err->message));
		json_object_set(group, "problems", forecast->problems);
		if (forecast->prospects != NULL)
			json_object_set(
			    group, "prospects", forecast->prospects);
		json_array_append_new(p->groups, group);
		wf_map_add(p->by_text, key, group);
	}
	json_object_set_new(group, "count",
	    json_integer(
		json_integer_value(json_object_get(group, "count")) + 1));
}

static void try_subject(struct preview *p, const struct subject *subject)
{
	struct forecast forecast = { json_array(), NULL };
	struct wf_error err = { .rc = WF_OK };
	struct wf_request request;
	json_t *row;
	enum wf_rc rc = wf_command_make(
	    &p->commander, subject, p->arena, &request, &forecast, &err);

	p->tried++;
	if (p->groups != NULL)
		add_to_group(p, subject, &forecast, rc, &err);
	if (json_array_size(p->sample) < SAMPLE) {
		row = json_pack(
		    "{s:s,s:b}", "case", subject->name, "allowed", rc == WF_OK);
		wf_json_put_text(row, "subject", subject->subject);
		wf_json_put_key(row, "specification", subject->specification);
		if (rc != WF_OK)
			json_object_set_new(
			    row, "refusal", json_string(err.message));
		json_array_append_new(p->sample, row);
	}
	json_decref(forecast.problems);
	json_decref(forecast.prospects);
}

/* Counts on with the operation's record as the place. */
static enum wf_rc count_all(struct preview *p, struct wf_store *store,
    struct operation *o, json_t *out, struct wf_error *err)
{
	struct subjects subjects = { .is_last = false };
	struct wf_arena *arena = wf_arena_new();
	size_t count = 0;
	size_t examined = 0;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && !subjects.is_last && examined < COUNTED) {
		wf_arena_reset(arena);
		rc = wf_operation_select(
		    p->commander.engine, store, o, PAGE, arena, &subjects, err);
		if (rc != WF_OK)
			break;
		for (size_t i = 0; i < subjects.count; i++)
			if (p->tried < (p->groups != NULL ? TRIED : SAMPLE))
				try_subject(p, &subjects.rows[i]);
		count += subjects.count;
		/* A page may be empty although there is another one. */
		examined += subjects.examined + PAGE / 10;
		json_object_set_new(
		    o->json, "after", json_integer((json_int_t)subjects.after));
		json_object_set_new(o->json, "after_subject",
		    json_string(subjects.after_subject == NULL
				    ? ""
				    : subjects.after_subject));
	}
	json_object_set_new(out, "count", json_integer((json_int_t)count));
	json_object_set_new(out, "more", json_boolean(!subjects.is_last));
	json_object_set_new(out, "tried", json_integer((json_int_t)p->tried));
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc make_preview(struct starting *s, json_t *out)
{
	struct preview p = { .arena = wf_arena_new(), .sample = json_array() };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(s->engine, &store, s->err);

	if (s->o.kind == WF_OPERATION_MIGRATE ||
	    s->o.kind == WF_OPERATION_REPAIR)
		p.groups = json_array();
	p.by_text = wf_map_new();
	wf_commander_init(&p.commander, s->engine, &s->o);
	if (rc == WF_OK) {
		rc = wf_commander_check(&p.commander, s->err);
		if (rc == WF_OK)
			rc = count_all(&p, store, &s->o, out, s->err);
		wf_engine_give_back(s->engine, store);
	}
	json_object_set_new(out, "sample", p.sample);
	if (p.groups != NULL) {
		json_object_set_new(out, "groups", p.groups);
		json_object_set_new(out, "markings",
		    json_integer(
			(json_int_t)wf_prospects_count(p.commander.prospects)));
	}
	wf_commander_free(&p.commander);
	wf_map_free(&p.by_text);
	wf_arena_free(&p.arena);
	return rc;
}

enum wf_rc wf_operation_try(struct wf_engine *engine, uint32_t namespace_id,
    const char *account, json_t *body, json_t **preview_out,
    struct wf_error *err)
{
	struct starting s = { engine, namespace_id, account, body, { 0 }, err };
	json_t *out = json_object();
	enum wf_rc rc = read_request(&s);

	if (rc == WF_OK)
		rc = make_preview(&s, out);
	wf_operation_drop(&s.o);
	if (rc == WF_OK)
		*preview_out = out;
	else
		json_decref(out);
	return rc;
}

/* --- undoing -------------------------------------------------------------- */

/* The arguments of the way back of a migration. */
static enum wf_rc turn_plan(
    const struct operation *o, json_t *back, struct wf_error *err)
{
	json_t *plan = json_object_get(o->json, "plan");
	json_t *turned = plan == NULL ? json_object() : wf_plan_back(plan);

	if (turned == NULL)
		return wf_fail(err, WF_CONFLICT,
		    "operation %llu cannot be undone: its plan leaves "
		    "something behind, or brings two elements to one",
		    (unsigned long long)o->id);
	json_object_set_new(back, "plan", turned);
	json_object_set(back, "from", json_object_get(o->json, "target"));
	return WF_OK;
}

static enum wf_rc make_undo(const struct operation *o, const char *account,
    const char *reason, struct operation *back, struct wf_error *err)
{
	const char *word = wf_operation_undo_word(o->kind);
	enum wf_rc rc = WF_OK;

	if (word[0] == '\0')
		return wf_fail(err, WF_CONFLICT,
		    "operation %llu cannot be undone: nothing undoes %s",
		    (unsigned long long)o->id, wf_operation_word(o->kind));
	if (wf_operation_is(o, "running") || wf_operation_is(o, "paused"))
		return wf_fail(err, WF_CONFLICT,
		    "operation %llu is %s: cancel it first",
		    (unsigned long long)o->id, wf_operation_text(o, "state"));
	if (wf_operation_number(o, "undoes") != 0)
		return wf_fail(err, WF_CONFLICT,
		    "operation %llu undoes another one: start a new one",
		    (unsigned long long)o->id);
	back->namespace_id = o->namespace_id;
	(void)wf_operation_kind_of(word, &back->kind);
	back->json = json_pack("{s:s,s:s,s:I}", "kind", word, "by", account,
	    "undoes", (json_int_t)o->id);
	if (reason[0] != '\0')
		json_object_set_new(back->json, "reason", json_string(reason));
	if (json_object_get(o->json, "rate") != NULL)
		json_object_set(
		    back->json, "rate", json_object_get(o->json, "rate"));
	/* The case stood there before, whatever its prospects were. */
	json_object_set_new(back->json, "force", json_true());
	if (o->kind == WF_OPERATION_MIGRATE)
		rc = turn_plan(o, back->json, err);
	return rc;
}

enum wf_rc wf_operation_undo(struct wf_engine *engine, uint32_t namespace_id,
    const char *account, uint64_t id, const char *reason,
    json_t **operation_out, struct wf_error *err)
{
	struct operation o = { .json = NULL };
	struct operation back = { .json = NULL };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_operation_read(store, namespace_id, id, &o, err);
	wf_engine_give_back(engine, store);
	if (rc == WF_OK)
		rc = make_undo(&o, account, reason, &back, err);
	if (rc == WF_OK)
		rc = keep_new(engine, &back, NULL, operation_out, err);
	wf_operation_drop(&o);
	wf_operation_drop(&back);
	return rc;
}

/* --- showing and changing ------------------------------------------------- */

enum wf_rc wf_operation_show(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t id, json_t **operation_out, struct wf_error *err)
{
	struct operation o;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_operation_read(store, namespace_id, id, &o, err);
	wf_engine_give_back(engine, store);
	if (rc == WF_OK)
		*operation_out = shown(&o);
	wf_operation_drop(&o);
	return rc;
}

static int latest_first(const void *a, const void *b)
{
	json_t *x = *(json_t *const *)a;
	json_t *y = *(json_t *const *)b;
	json_int_t one = json_integer_value(json_object_get(x, "operation"));
	json_int_t other = json_integer_value(json_object_get(y, "operation"));

	return (one < other) - (one > other);
}

enum wf_rc wf_operation_list(struct wf_engine *engine, uint32_t namespace_id,
    json_t **list_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list records;
	struct wf_store *store;
	json_t **rows = NULL;
	size_t count = 0;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc == WF_OK) {
		rc = wf_store_records(
		    store, WF_OPERATION_RECORD, 0, arena, &records, err);
		wf_engine_give_back(engine, store);
	}
	if (rc == WF_OK)
		rows =
		    wf_arena_array(arena, records.count + 1, sizeof(json_t *));
	for (size_t i = 0; rc == WF_OK && i < records.count; i++) {
		struct operation o;

		if (records.rows[i].namespace_id != namespace_id ||
		    !wf_operation_parse(&records.rows[i], &o))
			continue;
		rows[count] = shown(&o);
		json_object_del(rows[count++], "cases");
		wf_operation_drop(&o);
	}
	if (rc == WF_OK) {
		qsort(rows, count, sizeof(json_t *), latest_first);
		*list_out = json_array();
		for (size_t i = 0; i < count; i++)
			json_array_append_new(*list_out, rows[i]);
	}
	wf_arena_free(&arena);
	return rc;
}

/* The state that an action leads to; NULL: not from this one. */
static const char *state_after(const struct operation *o, const char *action)
{
	bool runs = wf_operation_is(o, "running");
	bool is_paused = wf_operation_is(o, "paused");

	if (strcmp(action, "pause") == 0 && runs)
		return "paused";
	if (strcmp(action, "resume") == 0 && is_paused)
		return "running";
	if (strcmp(action, "cancel") == 0 && (runs || is_paused))
		return "cancelled";
	return NULL;
}

static enum wf_rc set_state(struct wf_engine *engine, struct wf_store *store,
    struct operation *o, const char *action, struct wf_error *err)
{
	const char *state = state_after(o, action);

	if (state == NULL)
		return wf_fail(err, WF_CONFLICT, "operation %llu is %s",
		    (unsigned long long)o->id, wf_operation_text(o, "state"));
	json_object_set_new(o->json, "state", json_string(state));
	json_object_set_new(
	    o->json, "changed", json_integer(wf_engine_now(engine)));
	/* Nothing of a page that is settled was done. */
	if (strcmp(state, "cancelled") == 0 && !wf_operation_is_active(o)) {
		json_object_del(o->json, "page");
		json_object_del(o->json, "cases");
	}
	return wf_operation_write(store, o, err);
}

/* The thread writes the record, too, perhaps at the same time. */
#define SET_TRIES 20

enum wf_rc wf_operation_set(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t id, const char *action, json_t **operation_out,
    struct wf_error *err)
{
	struct operation o;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);
	bool again = rc == WF_OK;

	if (rc != WF_OK)
		return rc;
	for (unsigned tries = 0; again; tries++) {
		bool is_late;

		rc = wf_operation_read(store, namespace_id, id, &o, err);
		is_late = rc == WF_OK && state_after(&o, action) != NULL;
		if (rc == WF_OK)
			rc = set_state(engine, store, &o, action, err);
		again = rc == WF_CONFLICT && is_late && tries < SET_TRIES;
		if (again)
			wf_error_clear(err);
		if (rc == WF_OK)
			*operation_out = shown(&o);
		wf_operation_drop(&o);
	}
	wf_engine_give_back(engine, store);
	return rc;
}

/* --- removing ------------------------------------------------------------- */

static enum wf_rc remove_rows(
    struct wf_store *store, uint64_t id, struct wf_error *err)
{
	size_t count = PAGE;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && count == PAGE)
		rc = wf_store_remove_outcomes(store, id, PAGE, &count, err);
	return rc;
}

/* The operation whose undo is not over; else 0. */
static enum wf_rc find_undo(struct wf_store *store, const struct operation *o,
    uint64_t *id_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list;
	enum wf_rc rc =
	    wf_store_records(store, WF_OPERATION_RECORD, 0, arena, &list, err);

	*id_out = 0;
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		struct operation other;

		if (!wf_operation_parse(&list.rows[i], &other))
			continue;
		if (wf_operation_number(&other, "undoes") == o->id &&
		    (wf_operation_is_active(&other) ||
			wf_operation_is(&other, "paused")))
			*id_out = other.id;
		wf_operation_drop(&other);
	}
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc check_over(
    struct wf_store *store, const struct operation *o, struct wf_error *err)
{
	uint64_t undo;
	enum wf_rc rc;

	if (wf_operation_is(o, "running") || wf_operation_is(o, "paused"))
		return wf_fail(err, WF_CONFLICT,
		    "operation %llu is %s: cancel it first",
		    (unsigned long long)o->id, wf_operation_text(o, "state"));
	if (wf_operation_is_active(o))
		return wf_fail(err, WF_CONFLICT,
		    "operation %llu is cancelled, but its last page is not yet "
		    "done",
		    (unsigned long long)o->id);
	rc = find_undo(store, o, &undo, err);
	if (rc == WF_OK && undo != 0)
		rc = wf_fail(err, WF_CONFLICT,
		    "operation %llu undoes operation %llu and is not over",
		    (unsigned long long)undo, (unsigned long long)o->id);
	return rc;
}

enum wf_rc wf_operation_remove(struct wf_engine *engine, uint32_t namespace_id,
    uint64_t id, struct wf_error *err)
{
	struct operation o = { .json = NULL };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_operation_read(store, namespace_id, id, &o, err);
	if (rc == WF_OK)
		rc = check_over(store, &o, err);
	if (rc == WF_OK)
		rc = remove_rows(store, id, err);
	if (rc == WF_OK)
		rc = wf_operation_add(store, &o, true, err);
	wf_operation_drop(&o);
	wf_engine_give_back(engine, store);
	return rc;
}
