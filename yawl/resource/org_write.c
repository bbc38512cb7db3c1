/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adding, changing and removing records.
 *
 * An edit is checked with the organisation as it is when it is written
 * (worklist/org_edit.h); what YAWL says in words of its own is looked up
 * before.
 */
#include <stdio.h>
#include <string.h>

#include "people/organisation/backup.h"
#include "worklist/org_edit.h"
#include "yawl/resource/org_find.h"
#include "yawl/resource/user_session.h"

/* --- fields --------------------------------------------------------------- */

/* Which parameter gives which field, by its element in a backup file. */
static const struct {
	enum wf_org_kind kind;
	const char *parameter;
	const char *field;
} fields[] = {
	{ WF_ORG_CAPABILITY, "name", "name" },
	{ WF_ORG_ROLE, "name", "name" },
	{ WF_ORG_ROLE, "containingroleid", "belongsToID" },
	{ WF_ORG_GROUP, "name", "groupName" },
	{ WF_ORG_GROUP, "grouptype", "groupType" },
	{ WF_ORG_GROUP, "containinggroupid", "belongsToID" },
	{ WF_ORG_POSITION, "name", "title" },
	{ WF_ORG_POSITION, "positionid", "positionid" },
	{ WF_ORG_POSITION, "orggroupid", "orggroupid" },
	{ WF_ORG_POSITION, "containingpositionid", "reportstoid" },
	{ WF_ORG_PARTICIPANT, "userid", "userid" },
	{ WF_ORG_PARTICIPANT, "firstname", "firstname" },
	{ WF_ORG_PARTICIPANT, "lastname", "lastname" },
	{ WF_ORG_PARTICIPANT, "email", "email" },
	{ WF_ORG_PARTICIPANT, "admin", "isAdministrator" },
	{ WF_ORG_PARTICIPANT, "emailOnAllocation", "isEmailOnAllocation" },
	{ WF_ORG_PARTICIPANT, "emailOnOffer", "isEmailOnOffer" },
	{ WF_ORG_CATEGORY, "category", "name" },
	{ WF_ORG_CATEGORY, "name", "name" },
	{ WF_ORG_THING, "name", "name" },
	{ WF_ORG_THING, "category", "category" },
	{ WF_ORG_THING, "subcategory", "subcategory" },
	/* Of every kind. */
	{ WF_ORG_NONE, "description", "description" },
	{ WF_ORG_NONE, "notes", "notes" },
};

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

static const struct wf_org_field *find_field(
    enum wf_org_kind kind, const char *xml)
{
	const struct wf_org_layout *layout = &wf_org_layouts[kind];

	for (size_t i = 0; i < layout->field_count; i++)
		if (strcmp(layout->fields[i].xml, xml) == 0)
			return &layout->fields[i];
	return NULL;
}

/* Fills a record from the parameters; what is absent stays. */
static enum wf_rc read_fields(void *context, struct wf_arena *arena,
    struct wf_org_record *record, struct wf_error *err)
{
	const struct wf_gateway_call *call = context;

	(void)arena;
	(void)err;
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const char *value =
		    wf_gateway_parameter(call, fields[i].parameter);
		const struct wf_org_field *field;

		if (value == NULL || (fields[i].kind != record->kind &&
					 fields[i].kind != WF_ORG_NONE))
			continue;
		field = find_field(record->kind, fields[i].field);
		if (field == NULL)
			continue;
		if (field->type == WF_ORG_FLAG)
			*wf_org_flag(record, field) =
			    strcasecmp(value, "true") == 0;
		else
			*wf_org_text(record, field) = value;
	}
	return WF_OK;
}

/* --- edits ---------------------------------------------------------------- */

static enum wf_rc edit(
    struct wf_gateway_call *call, struct wf_org_one *one, struct wf_error *err)
{
	struct wf_server *server = call->yawl.server;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, err);

	one->arena = call->yawl.arena;
	if (rc != WF_OK)
		return rc;
	rc = wf_org_edit_one(server->organisation, store, one, err);
	wf_engine_give_back(server->engine, store);
	return rc;
}

static void answer_edit(
    struct wf_gateway_call *call, enum wf_rc rc, const struct wf_error *err)
{
	if (rc == WF_OK)
		wf_gateway_succeed(call);
	else
		wf_gateway_fail_error(call, err);
}

/* Whether there is a record with that id. */
static bool has_id(
    struct wf_gateway_call *call, enum wf_org_kind kind, const char *id)
{
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	bool has =
	    id != NULL && wf_org_find(organisation, kind, id) != WF_ORG_NOBODY;

	wf_organisation_unref(&organisation);
	return has;
}

/* The id of the record with that name, in the arena; NULL: there is none. */
static const char *id_of_name(
    struct wf_gateway_call *call, enum wf_org_kind kind, const char *name)
{
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	uint32_t number = name == NULL
			      ? WF_ORG_NOBODY
			      : wf_org_find_name(organisation, kind, name);
	const char *id = NULL;

	if (number != WF_ORG_NOBODY)
		id = wf_arena_strdup(call->yawl.arena,
		    wf_org_at(organisation, kind, number)->id);
	wf_organisation_unref(&organisation);
	return id;
}

/* False: the call is answered. */
static bool has_owner(
    struct wf_gateway_call *call, const char *parameter, const char *words)
{
	const char *id = wf_gateway_parameter(call, parameter);

	if (has_id(call, call->action->kind, id))
		return true;
	if (id == NULL)
		wf_gateway_fail(call, "Unrecognised or null %s id.", words);
	else
		wf_gateway_fail(call, "Unrecognised %s id: %s", words, id);
	return false;
}

/* --- categories ----------------------------------------------------------- */

struct part {
	const char *name;
	bool is_removed;
	bool changes; /* set */
};

static enum wf_rc read_part(void *context, struct wf_arena *arena,
    struct wf_org_record *record, struct wf_error *err)
{
	struct part *part = context;
	struct wf_category *category = (struct wf_category *)record;
	const struct wf_texts old = category->parts;

	(void)err;
	part->changes = wf_org_texts_have(&old, part->name) == part->is_removed;
	if (!part->changes)
		return WF_OK;
	category->parts = (struct wf_texts){ NULL, 0 };
	for (size_t i = 0; i < old.count; i++)
		if (strcmp(old.rows[i], part->name) != 0)
			wf_org_texts_add(arena, &category->parts, old.rows[i]);
	if (!part->is_removed)
		wf_org_texts_add(arena, &category->parts, part->name);
	return WF_OK;
}

/* Adds a part to a category, which is made if it is not there. */
static enum wf_rc put_part(struct wf_gateway_call *call, const char *category,
    struct part *part, struct wf_error *err)
{
	struct wf_org_one one = { .kind = WF_ORG_CATEGORY,
		.id = category,
		.must_exist = true,
		.read = read_part,
		.context = part };

	return edit(call, &one, err);
}

static enum wf_rc read_name(void *context, struct wf_arena *arena,
    struct wf_org_record *record, struct wf_error *err)
{
	(void)arena;
	(void)err;
	((struct wf_category *)record)->name = context;
	return WF_OK;
}

/* Makes the category and the part that a thing names. */
static enum wf_rc make_category(
    struct wf_gateway_call *call, struct wf_error *err)
{
	const char *category = wf_gateway_parameter(call, "category");
	struct part part = { wf_gateway_parameter(call, "subcategory"), false,
		false };
	struct wf_org_one one = { .kind = WF_ORG_CATEGORY,
		.read = read_name,
		.context = (void *)category };
	enum wf_rc rc = WF_OK;

	if (category == NULL || *category == '\0')
		return WF_OK;
	if (part.name == NULL || *part.name == '\0')
		part.name = WF_GATEWAY_UNNAMED_PART;
	if (id_of_name(call, WF_ORG_CATEGORY, category) == NULL &&
	    !has_id(call, WF_ORG_CATEGORY, category))
		rc = edit(call, &one, err);
	return rc == WF_OK ? put_part(call, category, &part, err) : rc;
}

static void change_part(
    struct wf_gateway_call *call, bool is_removed, const char *refusal)
{
	const char *category = wf_gateway_parameter(call, "id");
	struct part part = { wf_gateway_text(call, "subcategory"), is_removed,
		false };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	if (category == NULL)
		category = wf_gateway_text(call, "category");
	rc = put_part(call, category, &part, &err);
	if (rc == WF_OK && part.changes)
		wf_gateway_succeed(call);
	else if (rc == WF_OK || rc == WF_NOT_FOUND)
		wf_gateway_fail(
		    call, "Subcategory '%s' %s", part.name, refusal);
	else
		wf_gateway_fail_error(call, &err);
}

void wf_gateway_add_part(struct wf_gateway_call *call)
{
	change_part(call, false, "already exists OR category is invalid.");
}

void wf_gateway_remove_part(struct wf_gateway_call *call)
{
	change_part(call, true, "not found OR category name is invalid.");
}

/* --- records -------------------------------------------------------------- */

/* The parameter with the name of a record. */
static const char *name_of(const struct wf_gateway_call *call)
{
	enum wf_org_kind kind = call->action->kind;

	return wf_gateway_parameter(call, kind == WF_ORG_PARTICIPANT ? "userid"
					  : kind == WF_ORG_CATEGORY ? "category"
								    : "name");
}

static void answer_used(struct wf_gateway_call *call)
{
	enum wf_org_kind kind = call->action->kind;
	const char *class = wf_gateway_words[kind].class;
	const char *name = name_of(call);

	if (name == NULL)
		name = "null";
	if (kind == WF_ORG_CATEGORY)
		wf_gateway_fail(call, "Category '%s' already exists", name);
	else
		wf_gateway_fail(call,
		    "Add %s unsuccessful: there's already a %s with %s '%s'.",
		    class, class,
		    kind == WF_ORG_PARTICIPANT ? "userid" : "name", name);
}

/* A participant with a password signs in with it; an account stays. */
static enum wf_rc add_account(
    struct wf_gateway_call *call, struct wf_error *err)
{
	struct wf_server *server = call->yawl.server;
	const char *password = wf_gateway_parameter(call, "password");
	struct wf_store *store;
	enum wf_rc rc;

	if (password == NULL || *password == '\0')
		return WF_OK;
	if (wf_gateway_is_true(call, "encrypt"))
		password = wf_yawl_hash(&call->yawl, password);
	rc = wf_engine_borrow(server->engine, &store, err);
	if (rc != WF_OK)
		return rc;
	rc = wf_user_account_add(store, name_of(call), password, err);
	if (rc == WF_CONFLICT) {
		wf_error_clear(err);
		rc = WF_OK;
	}
	if (rc == WF_OK)
		rc = wf_accounts_refresh(server->accounts, store, err);
	wf_engine_give_back(server->engine, store);
	return rc;
}

void wf_gateway_add_record(struct wf_gateway_call *call)
{
	struct wf_org_one one = {
		.kind = call->action->kind, .read = read_fields, .context = call
	};
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = WF_OK;

	if (id_of_name(call, one.kind, name_of(call)) != NULL) {
		answer_used(call);
		return;
	}
	if (one.kind == WF_ORG_THING)
		rc = make_category(call, &err);
	if (rc == WF_OK)
		rc = edit(call, &one, &err);
	if (rc == WF_OK && one.kind == WF_ORG_PARTICIPANT)
		rc = add_account(call, &err);
	if (rc == WF_OK)
		wf_gateway_answer_text(call, one.id_out);
	else if (rc == WF_CONFLICT)
		answer_used(call);
	else
		wf_gateway_fail_error(call, &err);
}

/* The id of a position that is changed has another name. */
static const char *changed_id(const struct wf_gateway_call *call)
{
	const char *id = call->action->kind == WF_ORG_POSITION
			     ? wf_gateway_parameter(call, "posid")
			     : NULL;

	return id != NULL ? id : wf_gateway_id(call);
}

void wf_gateway_update_record(struct wf_gateway_call *call)
{
	struct wf_org_one one = { .kind = call->action->kind,
		.id = changed_id(call),
		.must_exist = true,
		.read = read_fields,
		.context = call };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = WF_OK;

	if (!has_id(call, one.kind, one.id)) {
		wf_gateway_fail(call, "Unrecognised %s id: %s",
		    wf_gateway_words[one.kind].null,
		    one.id == NULL ? "null" : one.id);
		return;
	}
	if (one.kind == WF_ORG_THING)
		rc = make_category(call, &err);
	if (rc == WF_OK)
		rc = edit(call, &one, &err);
	answer_edit(call, rc, &err);
}

void wf_gateway_remove_record(struct wf_gateway_call *call)
{
	const char *name = wf_gateway_parameter(call, "category");
	struct wf_org_one one = { .kind = call->action->kind,
		.id = name != NULL ? id_of_name(call, call->action->kind, name)
				   : wf_gateway_id(call) };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	if (!has_id(call, one.kind, one.id)) {
		if (name != NULL)
			wf_gateway_fail(
			    call, "Unknown category name: %s", name);
		else
			wf_gateway_fail(call, "Unrecognised or null %s id.",
			    wf_gateway_words[one.kind].null);
		return;
	}
	rc = edit(call, &one, &err);
	answer_edit(call, rc, &err);
}

/* --- members -------------------------------------------------------------- */

struct membership {
	enum wf_org_kind kind;
	const char *id;
	bool is_removed;
};

static enum wf_rc read_membership(void *context, struct wf_arena *arena,
    struct wf_org_record *record, struct wf_error *err)
{
	const struct membership *membership = context;
	struct wf_participant *participant = (struct wf_participant *)record;
	struct wf_texts *held =
	    membership->kind == WF_ORG_ROLE	  ? &participant->roles
	    : membership->kind == WF_ORG_POSITION ? &participant->positions
						  : &participant->capabilities;
	const struct wf_texts old = *held;

	(void)err;
	*held = (struct wf_texts){ NULL, 0 };
	for (size_t i = 0; i < old.count; i++)
		if (strcmp(old.rows[i], membership->id) != 0)
			wf_org_texts_add(arena, held, old.rows[i]);
	if (!membership->is_removed)
		wf_org_texts_add(arena, held, membership->id);
	return WF_OK;
}

static void change_member(struct wf_gateway_call *call, bool is_removed)
{
	enum wf_org_kind kind = call->action->kind;
	struct membership membership = { kind,
		wf_gateway_parameter(call, wf_gateway_words[kind].id),
		is_removed };
	struct wf_org_one one = { .kind = WF_ORG_PARTICIPANT,
		.id = wf_gateway_parameter(call, "participantid"),
		.must_exist = true,
		.read = read_membership,
		.context = &membership };
	struct wf_error err = { .rc = WF_OK };

	if (!has_id(call, one.kind, one.id))
		wf_gateway_fail(call, "Unrecognised or null participant id.");
	else if (!has_id(call, kind, membership.id))
		wf_gateway_fail(call, "Unrecognised or null %s id.",
		    wf_gateway_words[kind].null);
	else
		answer_edit(call, edit(call, &one, &err), &err);
}

void wf_gateway_add_member(struct wf_gateway_call *call)
{
	change_member(call, false);
}

void wf_gateway_remove_member(struct wf_gateway_call *call)
{
	change_member(call, true);
}

/* --- links ---------------------------------------------------------------- */

static void change_link(struct wf_gateway_call *call)
{
	struct wf_org_one one = { .kind = call->action->kind,
		.id = wf_gateway_id(call),
		.must_exist = true,
		.read = read_fields,
		.context = call };
	struct wf_error err = { .rc = WF_OK };

	answer_edit(call, edit(call, &one, &err), &err);
}

void wf_gateway_set_owner(struct wf_gateway_call *call)
{
	const struct wf_gateway_words *words =
	    &wf_gateway_words[call->action->kind];

	if (has_owner(call, words->id, words->null) &&
	    has_owner(call, words->owner,
		wf_arena_printf(
		    call->yawl.arena, "containing %s", words->null)))
		change_link(call);
}

void wf_gateway_set_group(struct wf_gateway_call *call)
{
	const char *group = wf_gateway_parameter(call, "groupid");

	if (!has_owner(call, "positionid", "position"))
		return;
	if (!has_id(call, WF_ORG_GROUP, group)) {
		wf_gateway_fail(call, "Unrecognised org group id: %s",
		    group == NULL ? "null" : group);
		return;
	}
	wf_gateway_set(call, "orggroupid", group);
	change_link(call);
}

/* --- privileges ----------------------------------------------------------- */

static enum wf_rc read_bits(void *context, struct wf_arena *arena,
    struct wf_org_record *record, struct wf_error *err)
{
	(void)arena;
	(void)err;
	((struct wf_participant *)record)->privileges =
	    wf_backup_read_bits(context);
	return WF_OK;
}

void wf_gateway_set_privileges(struct wf_gateway_call *call)
{
	const char *id = wf_gateway_parameter(call, "participantid");
	const char *bits = wf_gateway_parameter(call, "bitstring");
	struct wf_org_one one = { .kind = WF_ORG_PARTICIPANT,
		.id = id,
		.must_exist = true,
		.read = read_bits,
		.context = (void *)bits };
	struct wf_error err = { .rc = WF_OK };

	if (id == NULL)
		wf_gateway_fail(call, "Null participant id");
	else if (bits == NULL)
		wf_gateway_fail(call, "No privileges received");
	else if (!has_id(call, WF_ORG_PARTICIPANT, id))
		wf_gateway_fail(call, "No participant found with id: %s", id);
	else if (strlen(bits) > WF_USER_PRIVILEGES ||
		 strspn(bits, "01") != strlen(bits))
		wf_gateway_fail(call,
		    "The privileges are '%s'; expected up to %d digits 0 or 1",
		    bits, WF_USER_PRIVILEGES);
	else
		answer_edit(call, edit(call, &one, &err), &err);
}
