/* SPDX-License-Identifier: Apache-2.0 */
/* The record of an operation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "operation/operation_priv.h"

static const struct {
	const char *word;
	const char *undo;
	enum wf_operation_of of;
} kinds[WF_OPERATION_KINDS] = {
#define WF_OPERATION(name, word, undo, of, meaning)                            \
	[WF_OPERATION_##name] = { word, undo, WF_OPERATION_OF_##of },
#include "operation/operations.def"
#undef WF_OPERATION
};

const char *wf_operation_word(enum wf_operation_kind kind)
{
	return kinds[kind].word;
}

const char *wf_operation_undo_word(enum wf_operation_kind kind)
{
	return kinds[kind].undo;
}

enum wf_operation_of wf_operation_of(enum wf_operation_kind kind)
{
	return kinds[kind].of;
}

bool wf_operation_kind_of(const char *word, enum wf_operation_kind *kind_out)
{
	for (unsigned i = 0; i < WF_OPERATION_KINDS; i++)
		if (strcmp(kinds[i].word, word) == 0) {
			*kind_out = (enum wf_operation_kind)i;
			return true;
		}
	return false;
}

const char *wf_operation_text(const struct operation *o, const char *member)
{
	const char *text = json_string_value(json_object_get(o->json, member));

	return text == NULL ? "" : text;
}

uint64_t wf_operation_number(const struct operation *o, const char *member)
{
	json_int_t number =
	    json_integer_value(json_object_get(o->json, member));

	return number < 0 ? 0 : (uint64_t)number;
}

bool wf_operation_is(const struct operation *operation, const char *state)
{
	return strcmp(wf_operation_text(operation, "state"), state) == 0;
}

void wf_operation_drop(struct operation *operation)
{
	json_decref(operation->json);
	json_decref(operation->cases);
	operation->json = NULL;
	operation->cases = NULL;
}

bool wf_operation_parse(
    const struct wf_record_row *row, struct operation *operation_out)
{
	struct operation *o = operation_out;

	memset(o, 0, sizeof(*o));
	if (row->value.data == NULL)
		return false;
	o->json = json_loadb(row->value.data, row->value.size, 0, NULL);
	o->id = strtoull(row->name, NULL, 10);
	o->namespace_id = row->namespace_id;
	o->change = row->change;
	if (json_is_object(o->json) && o->id != 0 &&
	    wf_operation_kind_of(wf_operation_text(o, "kind"), &o->kind))
		return true;
	wf_operation_drop(o);
	return false;
}

enum wf_rc wf_operation_read(struct wf_store *store, uint32_t namespace_id,
    uint64_t id, struct operation *operation_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_error own = { .rc = WF_OK };
	struct wf_record_row row;
	char name[24];
	enum wf_rc rc;

	memset(operation_out, 0, sizeof(*operation_out));
	snprintf(name, sizeof(name), "%llu", (unsigned long long)id);
	rc = wf_store_record(
	    store, namespace_id, WF_OPERATION_RECORD, name, arena, &row, &own);
	if (rc == WF_OK && !wf_operation_parse(&row, operation_out))
		rc = wf_fail(&own, WF_CORRUPT,
		    "the record of operation %s is damaged", name);
	wf_arena_free(&arena);
	if (rc == WF_NOT_FOUND)
		return wf_fail(err, rc, "there is no operation %s", name);
	return rc == WF_OK ? WF_OK : wf_fail(err, rc, "%s", own.message);
}

enum wf_rc wf_operation_read_cases(
    struct wf_store *store, struct operation *o, struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_record_row row;
	char name[24];
	enum wf_rc rc;

	if (o->cases != NULL)
		return WF_OK;
	arena = wf_arena_new();
	snprintf(name, sizeof(name), "%llu", (unsigned long long)o->id);
	rc = wf_store_record(store, o->namespace_id, WF_OPERATION_CASES_RECORD,
	    name, arena, &row, err);
	if (rc == WF_OK)
		o->cases = json_loadb(row.value.data, row.value.size, 0, NULL);
	if (rc == WF_OK && !json_is_array(o->cases))
		rc = wf_fail(err, WF_CORRUPT,
		    "the cases of operation %s are damaged", name);
	wf_arena_free(&arena);
	return rc;
}

/* The name of the record of its key, in the arena; NULL: it has none. */
static const char *key_name(const struct operation *o, struct wf_arena *arena)
{
	const char *by = wf_operation_text(o, "by");
	const char *key = wf_operation_text(o, "key");

	return key[0] == '\0'
		   ? NULL
		   : wf_arena_printf(arena, "%zu/%s/%s", strlen(by), by, key);
}

enum wf_rc wf_operation_find(struct wf_store *store, const struct operation *o,
    struct operation *found_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	const char *name = key_name(o, arena);
	struct wf_record_row row;
	enum wf_rc rc =
	    name == NULL ? wf_fail(err, WF_NOT_FOUND, "no key")
			 : wf_store_record(store, o->namespace_id,
			       WF_OPERATION_KEY_RECORD, name, arena, &row, err);

	if (rc == WF_OK)
		rc = wf_operation_read(store, o->namespace_id,
		    strtoull(
			wf_arena_strndup(arena, row.value.data, row.value.size),
			NULL, 10),
		    found_out, err);
	wf_arena_free(&arena);
	return rc;
}

/* value: NULL removes it. */
static struct wf_record_row row_of(const struct operation *o, const char *kind,
    const char *name, const char *value)
{
	struct wf_record_row row = {
		.namespace_id = o->namespace_id, .kind = kind, .name = name
	};

	if (value != NULL)
		row.value = (struct wf_bytes){ value, strlen(value) };
	return row;
}

enum wf_rc wf_operation_add(struct wf_store *store, struct operation *o,
    bool removes, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	const char *key = key_name(o, arena);
	bool has_cases = json_object_get(o->json, "named") != NULL;
	struct wf_record_row rows[3];
	char *texts[2] = { NULL, NULL };
	size_t count = 0;
	char name[24];
	enum wf_rc rc;

	snprintf(name, sizeof(name), "%llu", (unsigned long long)o->id);
	if (!removes) {
		texts[0] = json_dumps(o->json, JSON_COMPACT);
		texts[1] =
		    has_cases ? json_dumps(o->cases, JSON_COMPACT) : NULL;
	}
	rows[count++] = row_of(o, WF_OPERATION_RECORD, name, texts[0]);
	rows[0].change = removes ? o->change : WF_RECORD_NEW;
	if (has_cases)
		rows[count++] =
		    row_of(o, WF_OPERATION_CASES_RECORD, name, texts[1]);
	if (key != NULL) {
		rows[count] = row_of(
		    o, WF_OPERATION_KEY_RECORD, key, removes ? NULL : name);
		rows[count++].change = removes ? 0 : WF_RECORD_NEW;
	}
	rc = wf_store_put_records(store, rows, count, 0, &o->change, err);
	free(texts[0]);
	free(texts[1]);
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_operation_write(
    struct wf_store *store, struct operation *operation, struct wf_error *err)
{
	char *text = json_dumps(operation->json, JSON_COMPACT);
	char name[24];
	struct wf_record_row row = { .namespace_id = operation->namespace_id,
		.kind = WF_OPERATION_RECORD,
		.name = name,
		.value = { text, strlen(text) },
		.change = operation->change };
	enum wf_rc rc;

	wf_assert(operation->id != 0 && operation->change != 0);
	snprintf(name, sizeof(name), "%llu", (unsigned long long)operation->id);
	rc = wf_store_put_records(store, &row, 1, 0, &operation->change, err);
	free(text);
	return rc;
}
