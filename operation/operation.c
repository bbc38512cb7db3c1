/* SPDX-License-Identifier: Apache-2.0 */
/* Operations as interfaces see them: started, undone, shown, changed. */
#include "operation/operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/limits.h"
#include "data/json_fields.h"
#include "operation/operation_priv.h"
#include "operation/plan.h"

#define PAGE 1000U

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
	json_object_del(json, "request");
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

/* What the request says, so that it is known again. */
static void note_request(struct operation *o, const json_t *request)
{
	char *text = json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS);

	wf_json_put_key(o->json, "request", wf_hash(0, text, strlen(text)));
	free(text);
}

/* The same request once more: shows what the first one has started. */
static enum wf_rc repeat(struct wf_store *store, const struct operation *o,
    json_t **operation_out, struct wf_error *err)
{
	struct operation found;
	enum wf_rc rc = wf_operation_find(store, o, &found, err);

	if (rc != WF_OK)
		return rc;
	if (strcmp(wf_operation_text(&found, "request"),
		wf_operation_text(o, "request")) != 0) {
		rc = wf_fail(err, WF_CONFLICT,
		    "the idempotency key was used for operation %llu, whose "
		    "request was another one",
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
	struct operation o;
	enum wf_rc rc =
	    wf_operation_request(engine, namespace_id, account, body, &o, err);

	if (rc == WF_OK) {
		note_request(&o, body);
		rc = keep_new(engine, &o, key, operation_out, err);
	}
	wf_operation_drop(&o);
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
    const char *account, const char *key, uint64_t id, const char *reason,
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
	if (rc == WF_OK) {
		note_request(&back, back.json);
		rc = keep_new(engine, &back, key, operation_out, err);
	}
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
		rows[count++] = shown(&o);
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
