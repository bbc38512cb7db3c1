/* SPDX-License-Identifier: Apache-2.0 */
#include "worklist/org_edit.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/panic.h"
#include "data/json.h"
#include "people/organisation/record_json.h"
#include "people/organisation/reference.h"
#include "worklist/departures.h"
#include "worklist/org_cache_priv.h"

/* Others may change the organisation meanwhile. */
#define ATTEMPTS 20U

/* --- writing -------------------------------------------------------------- */

static struct wf_bytes encode(
    struct wf_arena *arena, const struct wf_org_record *record)
{
	struct wf_bytes bytes = { NULL, 0 };
	json_t *json;
	char *text;

	if (record == NULL)
		return bytes;
	json = wf_org_record_json(record);
	/* The name of the row has it. */
	json_object_del(json, "id");
	text = wf_json_dump(json, JSON_COMPACT);
	json_decref(json);
	wf_assert(text != NULL);
	bytes.size = strlen(text);
	bytes.data = wf_arena_strndup(arena, text, bytes.size);
	free(text);
	return bytes;
}

/* The rows of the changes, and the head, which must be as it was. */
static enum wf_rc write_all(struct wf_store *store, uint64_t version,
    const struct wf_org_changes *changes, struct wf_arena *arena,
    uint64_t *version_out, struct wf_error *err)
{
	struct wf_record_row *rows =
	    wf_arena_array(arena, 2 * changes->count + 1, sizeof(*rows));
	size_t count = 0;

	rows[count++] = (struct wf_record_row){ .kind = WF_ORG_RECORD_KIND,
		.name = WF_ORG_HEAD,
		.value = { "1", 1 },
		.change = version == 0 ? WF_RECORD_NEW : version };
	for (size_t i = 0; i < changes->count; i++) {
		const struct wf_org_change *change = &changes->rows[i];

		rows[count++] =
		    (struct wf_record_row){ .kind = WF_ORG_RECORD_KIND,
			    .name = wf_arena_printf(arena, "%s/%s",
				wf_org_layouts[change->kind].word, change->id),
			    .value = encode(arena, change->record) };
		/* The items of who is removed are taken care of later. */
		if (change->kind == WF_ORG_PARTICIPANT &&
		    change->record == NULL)
			rows[count++] =
			    (struct wf_record_row){ .kind = WF_DEPARTURE_KIND,
				    .name = change->id,
				    .value = { "1", 1 } };
	}
	return wf_store_put_records(store, rows, count, 0, version_out, err);
}

/* One attempt; WF_CONFLICT with *lost_out: somebody else was first. */
static enum wf_rc try_edit(const struct wf_organisation *organisation,
    struct wf_store *store, wf_org_decide_f decide, void *context,
    struct wf_arena *arena, uint64_t *version_out, bool *lost_out,
    struct wf_error *err)
{
	struct wf_org_changes changes = { .count = 0 };
	struct wf_error mine = { .rc = WF_OK };
	enum wf_rc rc = decide(context, organisation, arena, &changes, err);

	*lost_out = false;
	*version_out = wf_organisation_version(organisation);
	if (rc != WF_OK || changes.count == 0)
		return rc;
	rc =
	    write_all(store, *version_out, &changes, arena, version_out, &mine);
	*lost_out = rc == WF_CONFLICT;
	if (rc != WF_OK && !*lost_out)
		wf_fail(err, rc, "%s", mine.message);
	return rc;
}

enum wf_rc wf_org_edit(struct wf_org_cache *cache, struct wf_store *store,
    wf_org_decide_f decide, void *context, uint64_t *version_out,
    struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	uint64_t version = 0;
	bool lost = true;
	enum wf_rc rc = WF_OK;

	for (unsigned i = 0; lost && i < ATTEMPTS; i++) {
		struct wf_organisation *organisation;

		wf_arena_reset(arena);
		rc = wf_org_cache_refresh(cache, store, err);
		if (rc != WF_OK)
			break;
		organisation = wf_org_cache_get(cache);
		rc = try_edit(organisation, store, decide, context, arena,
		    &version, &lost, err);
		wf_organisation_unref(&organisation);
	}
	wf_arena_free(&arena);
	if (rc == WF_CONFLICT && lost)
		return wf_fail(err, WF_UNAVAILABLE,
		    "too many others change the organisation: try again");
	if (rc == WF_OK)
		rc = wf_org_cache_refresh(cache, store, err);
	if (version_out != NULL)
		*version_out = version;
	return rc;
}

/* --- one record ----------------------------------------------------------- */

/* With a UUID, as in YAWL. */
static const char *new_id(struct wf_arena *arena, enum wf_org_kind kind)
{
	uint8_t bytes[16];
	char text[2 * sizeof(bytes) + 1];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		wf_panic(__FILE__, __LINE__, "there are no random numbers");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return wf_arena_printf(arena, "%s-%.8s-%.4s-%.4s-%.4s-%s",
	    wf_org_layouts[kind].prefix, text, text + 8, text + 12, text + 16,
	    text + 20);
}

/* By its id, else by its name. */
static const struct wf_org_record *find(
    const struct wf_organisation *organisation, const struct wf_org_one *one)
{
	uint32_t number = WF_ORG_NOBODY;

	if (one->id != NULL)
		number = wf_org_find(organisation, one->kind, one->id);
	if (one->id != NULL && number == WF_ORG_NOBODY)
		number = wf_org_find_name(organisation, one->kind, one->id);
	return number == WF_ORG_NOBODY
		   ? NULL
		   : wf_org_at(organisation, one->kind, number);
}

static enum wf_rc judge(const struct wf_org_one *one,
    const struct wf_org_record *old, struct wf_error *err)
{
	const char *word = wf_org_layouts[one->kind].word;

	if (old == NULL && (one->must_exist || one->read == NULL))
		return wf_fail(
		    err, WF_NOT_FOUND, "there is no %s '%.60s'", word, one->id);
	if (one->expected == 0 ||
	    one->expected == (old == NULL ? WF_ORG_NEW : old->change))
		return WF_OK;
	if (one->expected == WF_ORG_NEW)
		return wf_fail(err, WF_CONFLICT,
		    "there is a %s '%.60s' already", word, old->id);
	return wf_fail(err, WF_CONFLICT,
	    "the %s '%.60s' was changed in the meantime", word, one->id);
}

static enum wf_rc remove_one(struct wf_org_one *one,
    const struct wf_organisation *organisation, struct wf_arena *arena,
    struct wf_org_changes *changes_out, struct wf_error *err)
{
	enum wf_rc rc = wf_org_removal(organisation, one->kind, one->id_out,
	    arena, &changes_out->rows, &changes_out->count, err);

	one->unlinked = changes_out->count - (rc == WF_OK);
	return rc;
}

/* One that came from YAWL stays as long as it is not changed. */
static enum wf_rc check_user(const struct wf_org_one *one,
    const struct wf_org_record *record, const struct wf_org_record *old,
    struct wf_error *err)
{
	const char *user = wf_org_name(record);

	if (!one->signs_in || one->kind != WF_ORG_PARTICIPANT ||
	    user[0] == '\0' || wf_is_account_name(user) ||
	    (old != NULL && strcmp(wf_org_name(old), user) == 0))
		return WF_OK;
	return wf_fail(err, WF_INVALID,
	    "\"user\": no account can have the name '%.100s': expected 1 to %u "
	    "of A-Z a-z 0-9 _ . @ -",
	    user, WF_ACCOUNT_NAME_BYTES);
}

static enum wf_rc put_one(struct wf_org_one *one,
    const struct wf_organisation *organisation, const struct wf_org_record *old,
    struct wf_arena *arena, struct wf_org_changes *changes_out,
    struct wf_error *err)
{
	struct wf_org_record *record =
	    old == NULL || one->from_empty
		? wf_org_record_new(arena, one->kind, one->id_out)
		: wf_org_record_copy(arena, old);
	struct wf_org_change *change = wf_arena_alloc(arena, sizeof(*change));
	enum wf_rc rc = one->read(one->context, arena, record, err);

	if (rc == WF_OK)
		rc = check_user(one, record, old, err);
	wf_org_resolve(organisation, arena, record);
	*change = (struct wf_org_change){ one->kind, record->id, record };
	if (rc == WF_OK)
		rc = wf_organisation_check(organisation, change, err);
	if (rc != WF_OK || (old != NULL && wf_org_record_equal(record, old)))
		return rc;
	changes_out->rows = change;
	changes_out->count = 1;
	return WF_OK;
}

static enum wf_rc decide_one(void *context,
    const struct wf_organisation *organisation, struct wf_arena *arena,
    struct wf_org_changes *changes_out, struct wf_error *err)
{
	struct wf_org_one *one = context;
	const struct wf_org_record *old = find(organisation, one);
	enum wf_rc rc = judge(one, old, err);

	if (rc != WF_OK)
		return rc;
	one->added = old == NULL;
	one->id_out = old != NULL	? wf_arena_strdup(one->arena, old->id)
		      : one->id != NULL ? one->id
					: new_id(one->arena, one->kind);
	if (one->read == NULL)
		return remove_one(one, organisation, arena, changes_out, err);
	return put_one(one, organisation, old, arena, changes_out, err);
}

enum wf_rc wf_org_edit_one(struct wf_org_cache *cache, struct wf_store *store,
    struct wf_org_one *one, struct wf_error *err)
{
	return wf_org_edit(cache, store, decide_one, one, NULL, err);
}
