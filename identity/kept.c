/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record of an account is {"of": when the account was added, "value": ..};
 * that of a namespace is the value.  The value of filters is an object, by id;
 * of the own ones by "NAMESPACE/ID".
 */
#include "identity/kept.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

#define SHARED_KIND "shared-filters"
#define SHARED_NAME "all"
/* Others may change the record meanwhile. */
#define ATTEMPTS 20U
#define KEY_BYTES (WF_FILTER_ID_BYTES + 12U)

/* --- records -------------------------------------------------------------- */

/* A record as it was read, to be written again. */
struct kept {
	struct wf_record_row row;
	json_t *value;	    /* an object */
	int64_t created_at; /* of the account; 0: of a namespace */
	bool is_changed;
};

static enum wf_rc read_record(struct wf_store *store, struct wf_arena *arena,
    struct kept *kept, json_t **json_out, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	struct wf_record_row row;
	enum wf_rc rc = wf_store_record(store, kept->row.namespace_id,
	    kept->row.kind, kept->row.name, arena, &row, &mine);

	*json_out = NULL;
	kept->row.change = rc == WF_OK ? row.change : WF_RECORD_NEW;
	if (rc == WF_OK)
		*json_out = json_loadb(row.value.data, row.value.size, 0, NULL);
	else if (rc != WF_NOT_FOUND)
		return wf_fail(err, rc, "%s", mine.message);
	return WF_OK;
}

/* An object in any case. */
static void make_object(struct kept *kept)
{
	if (json_is_object(kept->value))
		return;
	json_decref(kept->value);
	kept->value = json_object();
}

/* For a record of the account. */
static enum wf_rc begin_own(struct wf_store *store, struct wf_arena *arena,
    const char *kind, const struct wf_account *account, struct kept *kept,
    struct wf_error *err)
{
	struct wf_account_row owner;
	enum wf_rc rc =
	    wf_account_find(store, account->name, arena, &owner, err);

	*kept = (struct kept){ .row = { .kind = kind, .name = account->name } };
	if (rc == WF_OK)
		kept->created_at = owner.created_at;
	return rc;
}

/* The record of an account; that of an earlier one of its name is empty. */
static enum wf_rc read_own(struct wf_store *store, struct wf_arena *arena,
    const char *kind, const struct wf_account *account, struct kept *kept,
    struct wf_error *err)
{
	json_t *json = NULL;
	enum wf_rc rc = begin_own(store, arena, kind, account, kept, err);

	if (rc == WF_OK)
		rc = read_record(store, arena, kept, &json, err);
	if (rc != WF_OK)
		return rc;
	if (json_integer_value(json_object_get(json, "of")) ==
	    (json_int_t)kept->created_at)
		kept->value = json_incref(json_object_get(json, "value"));
	json_decref(json);
	make_object(kept);
	return WF_OK;
}

static enum wf_rc read_shared(struct wf_store *store, struct wf_arena *arena,
    uint32_t namespace_id, struct kept *kept, struct wf_error *err)
{
	enum wf_rc rc;

	*kept = (struct kept){ .row = { .namespace_id = namespace_id,
				   .kind = SHARED_KIND,
				   .name = SHARED_NAME } };
	rc = read_record(store, arena, kept, &kept->value, err);
	if (rc == WF_OK)
		make_object(kept);
	return rc;
}

static struct wf_bytes bytes_of(const json_t *json, struct wf_arena *arena)
{
	char *text = json_dumps(json, JSON_COMPACT);
	struct wf_bytes bytes;

	wf_assert(text != NULL);
	bytes.size = strlen(text);
	bytes.data = wf_arena_strndup(arena, text, bytes.size);
	free(text);
	return bytes;
}

/* Makes the bytes of a record of the account. */
static void encode_own(
    struct kept *kept, const json_t *value, struct wf_arena *arena)
{
	json_t *json = json_pack(
	    "{s:I,s:O}", "of", (json_int_t)kept->created_at, "value", value);

	kept->row.value = bytes_of(json, arena);
	json_decref(json);
}

/* --- preferences ---------------------------------------------------------- */

enum wf_rc wf_preferences_read(struct wf_store *store,
    const struct wf_account *account, json_t **object_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct kept kept;
	enum wf_rc rc =
	    read_own(store, arena, WF_PREFERENCES_KIND, account, &kept, err);

	*object_out = rc == WF_OK ? kept.value : NULL;
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_preferences_write(struct wf_store *store,
    const struct wf_account *account, const json_t *object,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct kept kept;
	enum wf_rc rc = WF_OK;

	wf_assert(json_is_object(object));
	if (bytes_of(object, arena).size > WF_PREFERENCES_BYTES)
		rc = wf_fail(err, WF_LIMIT,
		    "the preferences have more than %zu bytes",
		    WF_PREFERENCES_BYTES);
	if (rc == WF_OK)
		rc = begin_own(
		    store, arena, WF_PREFERENCES_KIND, account, &kept, err);
	if (rc == WF_OK) { /* the last one counts */
		encode_own(&kept, object, arena);
		rc = wf_store_put_record(store, &kept.row, err);
	}
	wf_arena_free(&arena);
	return rc;
}

/* --- filters -------------------------------------------------------------- */

bool wf_is_filter_id(const char *id)
{
	size_t length = strlen(id);

	return length > 0 && length <= WF_FILTER_ID_BYTES &&
	       strspn(id,
		   "abcdefghijklmnopqrstuvwxyz"
		   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == length &&
	       strcmp(id, ".") != 0 && strcmp(id, "..") != 0;
}

/* The own ones and the shared ones, as they are read. */
struct filters {
	struct wf_arena *arena;
	struct kept own;
	struct kept shared;
};

static enum wf_rc read_filters(struct wf_store *store,
    const struct wf_account *account, struct filters *filters,
    struct wf_error *err)
{
	enum wf_rc rc = read_own(store, filters->arena, WF_FILTERS_KIND,
	    account, &filters->own, err);

	filters->shared.value = NULL;
	if (rc == WF_OK)
		rc = read_shared(store, filters->arena, account->namespace_id,
		    &filters->shared, err);
	return rc;
}

static void end_filters(struct filters *filters)
{
	json_decref(filters->own.value);
	json_decref(filters->shared.value);
	wf_arena_free(&filters->arena);
}

static void own_key(
    const struct wf_account *account, const char *id, char key[KEY_BYTES])
{
	wf_assert(wf_is_filter_id(id));
	snprintf(key, KEY_BYTES, "%" PRIu32 "/%s", account->namespace_id, id);
}

/* The id of an own filter, if it is of that namespace; else NULL. */
static const char *own_id(const struct wf_account *account, const char *key)
{
	char *end;

	return strtoull(key, &end, 10) == account->namespace_id && *end == '/'
		   ? end + 1
		   : NULL;
}

static const char *owner_of(const json_t *filter)
{
	const char *owner = json_string_value(json_object_get(filter, "owner"));

	return owner == NULL ? "" : owner;
}

static void list_one(json_t *array, const struct wf_account *account,
    const char *id, const json_t *filter, const char *view, bool is_shared)
{
	const char *of = json_string_value(json_object_get(filter, "view"));
	json_t *row;

	if (view != NULL && (of == NULL || strcmp(of, view) != 0))
		return;
	row = json_pack("{s:s}", "filter", id);
	json_object_update(row, (json_t *)filter);
	if (!is_shared)
		json_object_set_new(row, "owner", json_string(account->name));
	json_object_set_new(row, "shared", json_boolean(is_shared));
	json_object_set_new(row, "own",
	    json_boolean(strcmp(owner_of(row), account->name) == 0));
	json_array_append_new(array, row);
}

enum wf_rc wf_filters_read(struct wf_store *store,
    const struct wf_account *account, const char *view, json_t **array_out,
    struct wf_error *err)
{
	struct filters filters = { .arena = wf_arena_new() };
	enum wf_rc rc = read_filters(store, account, &filters, err);
	const char *key;
	json_t *filter;

	*array_out = NULL;
	if (rc == WF_OK) {
		*array_out = json_array();
		json_object_foreach(filters.own.value, key, filter)
		{
			const char *id = own_id(account, key);

			if (id != NULL)
				list_one(*array_out, account, id, filter, view,
				    false);
		}
		json_object_foreach(filters.shared.value, key, filter)
		{
			list_one(*array_out, account, key, filter, view, true);
		}
	}
	end_filters(&filters);
	return rc;
}

static enum wf_rc deny(
    const json_t *filter, const char *id, struct wf_error *err)
{
	return wf_fail(err, WF_DENIED,
	    "the account %s shares the filter %s: it, or an administrator, "
	    "changes it",
	    owner_of(filter), id);
}

/* Whether another account shares the filter. */
static bool is_of_other(
    const struct wf_filter_change *change, const json_t *filter)
{
	return filter != NULL &&
	       strcmp(owner_of(filter), change->account->name) != 0;
}

static enum wf_rc check_room(
    const struct kept *kept, unsigned maximum, struct wf_error *err)
{
	if (json_object_size(kept->value) < maximum)
		return WF_OK;
	return wf_fail(err, WF_LIMIT,
	    "there are %u such filters already; remove one", maximum);
}

static void drop(struct kept *kept, const char *key)
{
	if (json_object_del(kept->value, key) == 0)
		kept->is_changed = true;
}

/* Both records, as one change. */
static enum wf_rc write_filters(
    struct wf_store *store, struct filters *filters, struct wf_error *err)
{
	struct wf_record_row rows[2];
	size_t count = 0;

	if (filters->own.is_changed) {
		encode_own(&filters->own, filters->own.value, filters->arena);
		rows[count++] = filters->own.row;
	}
	if (filters->shared.is_changed) {
		filters->shared.row.value =
		    bytes_of(filters->shared.value, filters->arena);
		rows[count++] = filters->shared.row;
	}
	return wf_store_put_records(store, rows, count, 0, NULL, err);
}

static void put_in(struct kept *kept, const char *key,
    const struct wf_filter_change *change, const char *owner)
{
	json_t *filter = json_deep_copy(change->filter);

	if (owner != NULL)
		json_object_set_new(filter, "owner", json_string(owner));
	json_object_set_new(kept->value, key, filter);
	kept->is_changed = true;
}

static enum wf_rc put(struct filters *filters, struct wf_filter_change *change,
    struct wf_error *err)
{
	const json_t *shared =
	    json_object_get(filters->shared.value, change->id);
	struct kept *to = change->is_shared ? &filters->shared : &filters->own;
	const json_t *own;
	char key[KEY_BYTES];
	const char *id = change->is_shared ? change->id : key;
	enum wf_rc rc = WF_OK;

	own_key(change->account, change->id, key);
	own = json_object_get(filters->own.value, key);
	change->is_new = own == NULL && shared == NULL;
	if (is_of_other(change, shared) &&
	    !(change->is_shared && change->is_administrator))
		return deny(shared, change->id, err);
	if ((change->is_shared ? shared : own) == NULL)
		rc = check_room(to,
		    change->is_shared ? WF_SHARED_FILTERS : WF_FILTERS, err);
	if (rc != WF_OK)
		return rc;
	if (!change->is_shared)
		put_in(to, id, change, NULL);
	else
		put_in(to, id, change,
		    shared == NULL ? change->account->name : owner_of(shared));
	drop(change->is_shared ? &filters->own : &filters->shared,
	    change->is_shared ? key : change->id);
	return WF_OK;
}

/* The own one, if there are both. */
static enum wf_rc remove_one(struct filters *filters,
    struct wf_filter_change *change, struct wf_error *err)
{
	const json_t *shared =
	    json_object_get(filters->shared.value, change->id);
	char key[KEY_BYTES];

	own_key(change->account, change->id, key);
	drop(&filters->own, key);
	if (filters->own.is_changed)
		return WF_OK;
	if (shared == NULL)
		return wf_fail(
		    err, WF_NOT_FOUND, "there is no filter %s", change->id);
	if (is_of_other(change, shared) && !change->is_administrator)
		return deny(shared, change->id, err);
	drop(&filters->shared, change->id);
	return WF_OK;
}

static enum wf_rc change_filters(struct wf_store *store,
    struct wf_filter_change *change,
    enum wf_rc (*how)(struct filters *filters, struct wf_filter_change *change,
	struct wf_error *err),
    struct wf_error *err)
{
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		struct filters filters = { .arena = wf_arena_new() };
		struct wf_error mine = { .rc = WF_OK };
		bool is_decided = false;
		enum wf_rc rc =
		    read_filters(store, change->account, &filters, &mine);

		if (rc == WF_OK)
			rc = how(&filters, change, &mine);
		if (rc == WF_OK) {
			is_decided = true;
			rc = write_filters(store, &filters, &mine);
		}
		end_filters(&filters);
		if (rc == WF_OK)
			return rc;
		if (rc != WF_CONFLICT || !is_decided)
			return wf_fail(err, rc, "%s", mine.message);
	}
	return wf_fail(err, WF_UNAVAILABLE,
	    "too many others change the filters: try again");
}

enum wf_rc wf_filter_put(struct wf_store *store,
    struct wf_filter_change *change, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	size_t size = bytes_of(change->filter, arena).size;

	wf_arena_free(&arena);
	if (size > WF_FILTER_BYTES)
		return wf_fail(err, WF_LIMIT,
		    "the filter has %zu bytes, more than %zu", size,
		    WF_FILTER_BYTES);
	return change_filters(store, change, put, err);
}

enum wf_rc wf_filter_remove(struct wf_store *store,
    struct wf_filter_change *change, struct wf_error *err)
{
	return change_filters(store, change, remove_one, err);
}
