/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drafts: what a person has filled in of the form of a started item, saved
 * without a check of its values.  The last one saved counts, unless the request
 * names with If-Match the one that it replaces.
 *
 * A draft is kept with its item as JSON, {"at": ms, "by": account, "data": ..},
 * and goes with it.  YAWL's gateway keeps texts beside the data, which stay
 * when the data is replaced or removed.  Whoever holds the item saves; an
 * operator may, too, with override=true.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "data/json.h"
#include "form/form.h"
#include "kernel/step.h"
#include "rest/rest_item.h"
#include "rest/rest_people.h"
#include "server/context.h"

/* A draft with who saved it, at most. */
#define DRAFT_BYTES ((size_t)WF_DRAFT_BYTES + 512U)
/* An entity tag in quotes, with its NUL. */
#define TAG_BYTES 20U

struct drafting {
	struct wf_rest *rest;
	struct wf_known_case known;
	const char *id;
	struct wf_store *store;
	struct wf_item_row row;
	struct wf_bytes old;
	const json_t *data; /* to be saved; NULL: nothing */
	struct wf_error err;
};

static void put_tag(const struct wf_bytes *draft, char tag[TAG_BYTES])
{
	snprintf(tag, TAG_BYTES, "\"%016" PRIx64 "\"",
	    wf_hash(0, draft->data, draft->size));
}

/* --- who ------------------------------------------------------------------ */

/* Whether it is the queue of the account, or of one whose deputy it is. */
static bool is_own_queue(const struct drafting *drafting)
{
	struct wf_rest *rest = drafting->rest;
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);
	const struct wf_deputy_list others =
	    wf_rest_acts_for(rest, organisation);
	const char *own = wf_rest_own_participant(rest, organisation);
	const char *queue = drafting->row.queue;
	bool is = own != NULL &&
		  strcmp(queue, wf_participant_queue(own, rest->arena)) == 0;

	wf_organisation_unref(&organisation);
	for (size_t i = 0; i < others.count && !is; i++)
		is = strcmp(queue, wf_participant_queue(others.rows[i].person,
				       rest->arena)) == 0 &&
		     wf_rest_deputy_is_for(
			 rest, &others.rows[i], drafting->row.specification);
	return is;
}

/*
 * Whether the account may save; an item of services has no holder.  overrides:
 * an operator asks for it.
 */
static enum wf_rc check_holder(struct drafting *drafting, bool overrides)
{
	if (drafting->row.started_at == 0)
		return wf_fail(&drafting->err, WF_CONFLICT,
		    "work item %.200s is not started; start it first",
		    drafting->id);
	if (drafting->row.queue[0] == '\0' || is_own_queue(drafting) ||
	    overrides)
		return WF_OK;
	return wf_fail(&drafting->err, WF_DENIED,
	    "work item %.200s is held by another; its draft is saved by its "
	    "holder, or by an operator with override=true",
	    drafting->id);
}

/* --- what ----------------------------------------------------------------- */

/* Members are parameters that the form can change. */
static void check_members(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct drafting *drafting = context;
	const struct wf_variable *list;
	struct wf_item item;
	const char *name;
	json_t *member;
	size_t count;

	(void)stored;
	if (wf_case_item(instance, drafting->id, &item, &drafting->err) !=
	    WF_OK)
		return;
	list = wf_form_parameters(wf_case_spec(instance), item.task, &count);
	json_object_foreach((json_t *)(uintptr_t)drafting->data, name, member)
	{
		size_t at = 0;

		while (at < count && strcmp(list[at].name, name) != 0)
			at++;
		if (at == count)
			wf_fail(&drafting->err, WF_DATA,
			    "%.100s: there is no such parameter to be filled "
			    "in",
			    name);
	}
}

/* --- reading and writing -------------------------------------------------- */

static enum wf_rc read_row(struct drafting *drafting)
{
	enum wf_rc rc =
	    wf_store_item(drafting->store, drafting->known.number, drafting->id,
		drafting->rest->arena, &drafting->row, &drafting->err);

	if (rc == WF_OK)
		rc = wf_store_draft(drafting->store, drafting->known.number,
		    drafting->id, drafting->rest->arena, &drafting->old,
		    &drafting->err);
	return rc;
}

/* Whether the draft is the one that If-Match names, if it names one. */
static enum wf_rc check_tag(struct drafting *drafting, bool *named_out)
{
	const char *wanted =
	    wf_exchange_header(drafting->rest->exchange, "If-Match");
	char tag[TAG_BYTES] = "";

	*named_out = wanted != NULL;
	if (drafting->old.data != NULL)
		put_tag(&drafting->old, tag);
	if (wanted == NULL || strcmp(wanted, tag) == 0 ||
	    (strcmp(wanted, "*") == 0 && tag[0] != '\0'))
		return WF_OK;
	return wf_fail(&drafting->err, WF_CONFLICT,
	    "the draft is not the one of If-Match: it was saved or removed "
	    "since it was read");
}

/* Moves the texts that are kept beside the data; false: there is none. */
static bool keep_texts(const struct wf_bytes *old, json_t *draft)
{
	static const char *const members[] = { "documentation", "tag" };
	json_t *from = old->data == NULL
			   ? NULL
			   : json_loadb(old->data, old->size, 0, NULL);
	bool found = false;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		json_t *text = json_object_get(from, members[i]);

		if (text != NULL)
			found = json_object_set(draft, members[i], text) == 0;
	}
	json_decref(from);
	return found;
}

/* The draft as it is stored, in the arena; nothing: none is left. */
static enum wf_rc encode(struct drafting *drafting, struct wf_bytes *draft_out)
{
	struct wf_rest *rest = drafting->rest;
	json_t *draft = json_pack("{s:I, s:s, s:O*}", "at",
	    (json_int_t)wf_engine_now(rest->server->engine), "by",
	    rest->account.name, "data", drafting->data);
	bool has_texts = keep_texts(&drafting->old, draft);
	char *text = wf_json_dump(draft, JSON_COMPACT | JSON_SORT_KEYS);

	json_decref(draft);
	if (drafting->data == NULL && !has_texts) {
		wf_free(text);
		return WF_OK;
	}
	draft_out->size = strlen(text);
	draft_out->data = wf_arena_strdup(rest->arena, text);
	wf_free(text);
	if (draft_out->size <= DRAFT_BYTES)
		return WF_OK;
	return wf_fail(&drafting->err, WF_LIMIT,
	    "the draft has more than %u bytes", WF_DRAFT_BYTES);
}

static enum wf_rc write_it(struct drafting *drafting, bool overrides)
{
	struct wf_draft_write write = { .number = drafting->known.number,
		.id = drafting->id };
	enum wf_rc rc = read_row(drafting);
	bool named;

	if (rc == WF_OK)
		rc = check_holder(drafting, overrides);
	if (rc == WF_OK)
		rc = check_tag(drafting, &named);
	if (rc == WF_OK)
		rc = encode(drafting, &write.draft);
	if (rc != WF_OK)
		return rc;
	/* It may have been given to another meanwhile. */
	write.queue = drafting->row.queue;
	write.expected = named ? &drafting->old : NULL;
	rc = wf_store_put_draft(drafting->store, &write, &drafting->err);
	drafting->old = write.draft;
	return rc;
}

/* {"at", "by", "data"}; NULL: there is none, or only texts are kept. */
static json_t *decode(const struct wf_bytes *bytes)
{
	json_t *draft = bytes->data == NULL
			    ? NULL
			    : json_loadb(bytes->data, bytes->size, 0, NULL);

	if (json_object_get(draft, "data") != NULL)
		return draft;
	json_decref(draft);
	return NULL;
}

json_t *wf_rest_read_draft(
    struct wf_rest *rest, uint64_t number, const char *id)
{
	struct wf_bytes draft = { NULL, 0 };
	struct wf_error err = { .rc = WF_OK };
	char tag[TAG_BYTES];
	struct wf_store *store;
	json_t *decoded;

	if (wf_engine_borrow(rest->server->engine, &store, &err) != WF_OK)
		return NULL;
	/* An item that is gone has no draft. */
	if (wf_store_draft(store, number, id, rest->arena, &draft, &err) !=
	    WF_OK)
		draft.data = NULL;
	wf_engine_give_back(rest->server->engine, store);
	decoded = decode(&draft);
	if (decoded != NULL) {
		put_tag(&draft, tag);
		json_object_set_new(decoded, "etag", json_string(tag));
	}
	return decoded;
}

/* When it was saved, and by whom. */
static json_t *describe(const json_t *draft)
{
	json_t *object = json_object();

	wf_json_put_time(
	    object, "saved", json_integer_value(json_object_get(draft, "at")));
	wf_json_put_text(
	    object, "by", json_string_value(json_object_get(draft, "by")));
	return object;
}

json_t *wf_rest_describe_draft(const json_t *draft)
{
	json_t *object = describe(draft);

	json_object_set(object, "etag", json_object_get(draft, "etag"));
	return object;
}

/* --- the operations ------------------------------------------------------- */

static void answer(struct drafting *drafting, enum wf_rc rc)
{
	struct wf_rest *rest = drafting->rest;
	json_t *draft = rc == WF_OK ? decode(&drafting->old) : NULL;
	char tag[TAG_BYTES];
	json_t *object;

	wf_engine_give_back(rest->server->engine, drafting->store);
	if (rc == WF_OK && draft == NULL)
		wf_fail(&drafting->err, WF_NOT_FOUND,
		    "work item %.200s has no draft", drafting->id);
	if (drafting->err.rc != WF_OK) {
		wf_rest_fail(rest, &drafting->err);
		return;
	}
	put_tag(&drafting->old, tag);
	wf_exchange_add_header(rest->exchange, "ETag", tag);
	object = describe(draft);
	json_object_set_new(object, "item", json_string(drafting->id));
	json_object_set(object, "data", json_object_get(draft, "data"));
	json_decref(draft);
	wf_rest_answer(rest, 200, object);
}

/* False: answered. */
static bool begin(struct drafting *drafting, struct wf_rest *rest)
{
	memset(drafting, 0, sizeof(*drafting));
	drafting->rest = rest;
	drafting->id = rest->parts[0];
	return wf_rest_known_case_of_item(rest, drafting->id, &drafting->known);
}

/* The same; *overrides_out: an operator wants to, whoever has the item. */
static bool begin_saving(
    struct drafting *drafting, struct wf_rest *rest, bool *overrides_out)
{
	bool wants;

	if (!wf_rest_switch(rest, "override", &wants) || !begin(drafting, rest))
		return false;
	*overrides_out = wants;
	return !wants || wf_rest_may_here(rest, WF_MAY(OPERATE), overrides_out);
}

void wf_rest_show_draft(struct wf_rest *rest)
{
	struct drafting drafting;

	if (begin(&drafting, rest) && wf_rest_borrow(rest, &drafting.store))
		answer(&drafting, read_row(&drafting));
}

static void save(struct drafting *drafting, bool overrides)
{
	struct wf_rest *rest = drafting->rest;
	enum wf_rc rc = wf_engine_inspect(rest->server->engine,
	    drafting->known.number, check_members, drafting, &drafting->err);

	if (rc != WF_OK || drafting->err.rc != WF_OK)
		wf_rest_fail(rest, &drafting->err);
	else if (wf_rest_borrow(rest, &drafting->store))
		answer(drafting, write_it(drafting, overrides));
}

void wf_rest_put_draft(struct wf_rest *rest)
{
	struct drafting drafting;
	bool overrides;
	json_t *body;

	if (!begin_saving(&drafting, rest, &overrides) ||
	    !wf_rest_body(rest, &body))
		return;
	drafting.data = body;
	if (body == NULL)
		wf_rest_refuse(rest, "expected the data of the form");
	else
		save(&drafting, overrides);
	json_decref(body);
}

void wf_rest_remove_draft(struct wf_rest *rest)
{
	struct drafting drafting;
	bool overrides;
	enum wf_rc rc;

	if (!begin_saving(&drafting, rest, &overrides) ||
	    !wf_rest_borrow(rest, &drafting.store))
		return;
	rc = write_it(&drafting, overrides);
	if (wf_rest_give_back(rest, drafting.store, rc, &drafting.err))
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
}
