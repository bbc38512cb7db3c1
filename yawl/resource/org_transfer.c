/* SPDX-License-Identifier: Apache-2.0 */
/* The organisation as a backup file: import and export. */
#include <string.h>

#include "data/xml_writer.h"
#include "people/organisation/backup.h"
#include "people/organisation/import.h"
#include "worklist/org_edit.h"
#include "yawl/resource/org_find.h"
#include "yawl/resource/user_session.h"

static bool write_backup(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	wf_backup_write(organisation, &call->yawl.out);
	return true;
}

void wf_gateway_export(struct wf_gateway_call *call)
{
	wf_gateway_read(call, write_backup);
}

/* In the order of YAWL's report. */
static const struct {
	enum wf_org_kind kind;
	const char *name;
	const char *missing; /* .. when the file has no such section */
} sections[] = {
	{ WF_ORG_CAPABILITY, "Capabilities", "Capabilities" },
	{ WF_ORG_ROLE, "Roles", "Roles" },
	{ WF_ORG_GROUP, "OrgGroups", "OrgGroup" },
	{ WF_ORG_POSITION, "Positions", "Positions" },
	{ WF_ORG_PARTICIPANT, "Participants", "Participants" },
	{ WF_ORG_CATEGORY, "NonHumanCategories", "NonHumanCategories" },
	{ WF_ORG_THING, "NonHumanResources", "NonHumanResources" },
};

#define SECTION_COUNT (sizeof(sections) / sizeof(sections[0]))

struct transfer {
	const char *text;
	struct wf_org_list list;
	bool is_readable;
	size_t counts[WF_ORG_KINDS][WF_ORG_FATES];
	struct wf_arena *arena;	      /* of the call */
	struct wf_participant *added; /* with their passwords */
	size_t added_count;
};

/* A category of YAWL has a part for the things that name none. */
static void add_parts(struct wf_arena *arena, const struct wf_org_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct wf_category *category =
		    (struct wf_category *)list->rows[i];

		if (list->rows[i]->kind == WF_ORG_CATEGORY &&
		    !wf_org_texts_have(
			&category->parts, WF_GATEWAY_UNNAMED_PART))
			wf_org_texts_add(
			    arena, &category->parts, WF_GATEWAY_UNNAMED_PART);
	}
}

/* Participants who are added and have a password sign in with it. */
static void note_added(
    struct transfer *transfer, const struct wf_org_import *import)
{
	transfer->added = wf_arena_array(
	    transfer->arena, import->note_count, sizeof(*transfer->added));
	transfer->added_count = 0;
	for (size_t i = 0; i < import->note_count; i++) {
		const struct wf_org_note *note = &import->notes[i];
		const struct wf_participant *participant =
		    (const struct wf_participant *)note->record;
		struct wf_participant *added =
		    &transfer->added[transfer->added_count];

		if (note->fate != WF_ORG_ADDED ||
		    note->record->kind != WF_ORG_PARTICIPANT ||
		    participant->password[0] == '\0')
			continue;
		added->user =
		    wf_arena_strdup(transfer->arena, participant->user);
		added->password =
		    wf_arena_strdup(transfer->arena, participant->password);
		transfer->added_count++;
	}
}

/* An account that exists keeps its password. */
static enum wf_rc add_accounts(struct wf_gateway_call *call,
    struct wf_store *store, const struct transfer *transfer,
    struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < transfer->added_count; i++) {
		rc = wf_user_account_add(store, transfer->added[i].user,
		    transfer->added[i].password, err);
		if (rc == WF_CONFLICT || rc == WF_INVALID) {
			wf_error_clear(err);
			rc = WF_OK;
		}
	}
	return rc != WF_OK ? rc
			   : wf_accounts_refresh(
				 call->yawl.server->accounts, store, err);
}

/* Read anew each time, because the import changes the records. */
static enum wf_rc decide(void *context,
    const struct wf_organisation *organisation, struct wf_arena *arena,
    struct wf_org_changes *changes_out, struct wf_error *err)
{
	struct transfer *transfer = context;
	struct wf_org_import import;
	enum wf_rc rc = wf_backup_read(arena, transfer->text,
	    strlen(transfer->text), &transfer->list, err);

	transfer->is_readable = rc == WF_OK;
	if (rc != WF_OK)
		return rc;
	add_parts(arena, &transfer->list);
	wf_org_import(organisation, &transfer->list, false, arena, &import);
	memcpy(transfer->counts, import.counts, sizeof(import.counts));
	note_added(transfer, &import);
	changes_out->rows = import.changes;
	changes_out->count = import.change_count;
	wf_organisation_unref(&import.after);
	return WF_OK;
}

static void put_line(
    struct wf_gateway_call *call, const struct transfer *transfer, size_t i)
{
	const size_t *counts = transfer->counts[sections[i].kind];
	size_t added = counts[WF_ORG_ADDED];
	size_t all = 0;

	for (unsigned fate = 0; fate < WF_ORG_FATES; fate++)
		all += counts[fate];
	if (transfer->list.has[sections[i].kind])
		wf_buffer_printf(&call->yawl.out,
		    "<item>%s: %zu/%zu imported.</item>", sections[i].name,
		    added, all);
	else
		wf_buffer_printf(&call->yawl.out,
		    "<item>%s: 0 in imported file.</item>",
		    sections[i].missing);
}

void wf_gateway_import(struct wf_gateway_call *call)
{
	struct wf_server *server = call->yawl.server;
	struct transfer transfer = { .text = wf_gateway_text(call, "xml"),
		.arena = call->yawl.arena };
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, &err);

	if (rc == WF_OK) {
		rc = wf_org_edit(
		    server->organisation, store, decide, &transfer, NULL, &err);
		if (rc == WF_OK && transfer.added_count > 0)
			rc = add_accounts(call, store, &transfer, &err);
		wf_engine_give_back(server->engine, store);
	}
	if (rc != WF_OK && (rc != WF_INVALID || transfer.is_readable)) {
		wf_gateway_fail_error(call, &err);
		return;
	}
	wf_buffer_puts(&call->yawl.out, "<list>");
	if (rc != WF_OK)
		wf_buffer_puts(&call->yawl.out,
		    "<item>Invalid YAWL Org Data Export file.</item>");
	for (size_t i = 0; rc == WF_OK && i < SECTION_COUNT; i++)
		put_line(call, &transfer, i);
	wf_buffer_puts(&call->yawl.out, "</list>");
	wf_gateway_answer(call);
}
