/* SPDX-License-Identifier: Apache-2.0 */
/* What an item needs beside who does it: YAWL's secondary resources. */
#include <string.h>

#include "data/xml_writer.h"
#include "kernel/assignment/assignment.h"
#include "people/needs.h"
#include "spec/markup.h"
#include "worklist/busy.h"
#include "yawl/resource/item_action.h"
#include "yawl/resource/org_record.h"

static const struct {
	const char *element;
	enum wf_org_kind kind;
} elements[] = { { "participant", WF_ORG_PARTICIPANT }, { "role", WF_ORG_ROLE },
	{ "nonHumanResource", WF_ORG_THING },
	{ "nonHumanCategory", WF_ORG_CATEGORY } };
#define ELEMENTS (sizeof(elements) / sizeof(elements[0]))

/* --- reading -------------------------------------------------------------- */

/* What the item of the call needs. */
struct needing {
	struct wf_needs needs;
	const char *holder;
};

static void note_needs(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	const struct wf_item shown = { .task = item->task,
		.assignment = item->assignment };
	struct needing *needing = wf_arena_alloc(yawl->arena, sizeof(*needing));
	struct wf_needs needs = wf_needs_of(&shown, yawl->arena);

	(void)instance;
	/* A copy: the rule of the task may go with its specification. */
	if (wf_needs_read(wf_needs_write(&needs, yawl->arena), yawl->arena,
		&needing->needs, NULL) != WF_OK)
		needing->needs.count = 0;
	needing->holder = wf_arena_strdup(yawl->arena,
	    item->assignment == NULL ? "" : item->assignment->holder);
	call->found = needing;
}

/* NULL: the call is answered. */
static const struct needing *find(struct wf_gateway_call *call)
{
	const char *id = wf_gateway_text(call, "id");
	struct wf_error err = { .rc = WF_OK };

	call->found = NULL;
	(void)wf_yawl_inspect_item(&call->yawl, id, note_needs, &err);
	if (err.rc != WF_OK)
		wf_gateway_fail_error(call, &err);
	else if (call->found == NULL)
		wf_gateway_fail(call, "Unknown work item: %s", id);
	return err.rc == WF_OK ? call->found : NULL;
}

static void put_need(struct wf_buffer *out, const struct wf_secondary *need)
{
	for (size_t i = 0; i < ELEMENTS; i++) {
		if (elements[i].kind != need->kind)
			continue;
		wf_buffer_printf(out, "<%s", elements[i].element);
		if (need->part[0] != '\0')
			wf_xml_put_attribute(out, "subcategory", need->part);
		wf_buffer_putc(out, '>');
		wf_xml_put_text(out, need->id);
		wf_buffer_printf(out, "</%s>", elements[i].element);
	}
}

void wf_gateway_get_secondary(struct wf_gateway_call *call)
{
	const struct needing *needing = find(call);

	if (needing == NULL)
		return;
	wf_buffer_puts(&call->yawl.out, "<secondary>");
	for (size_t i = 0; i < needing->needs.count; i++)
		put_need(&call->yawl.out, &needing->needs.rows[i]);
	wf_buffer_puts(&call->yawl.out, "</secondary>");
	wf_gateway_answer(call);
}

/* --- availability --------------------------------------------------------- */

/* In the words of YAWL, with its spaces. */
static void put_problem(struct wf_gateway_call *call,
    const struct wf_organisation *organisation, const struct wf_secondary *need)
{
	uint32_t number = wf_org_find(organisation, need->kind, need->id);
	struct wf_arena *arena = call->yawl.arena;
	const char *name =
	    number == WF_ORG_NOBODY
		? need->id
		: wf_gateway_record_name(
		      wf_org_at(organisation, need->kind, number), arena);
	const char *text;

	if (need->kind == WF_ORG_ROLE)
		text = wf_arena_printf(arena,
		    "Role  %s has no resources currently available.", name);
	else if (need->kind == WF_ORG_CATEGORY && need->part[0] != '\0')
		text = wf_arena_printf(arena,
		    "Category  %s (subcategory %s)  has no resources currently "
		    "available.",
		    name, need->part);
	else if (need->kind == WF_ORG_CATEGORY)
		text = wf_arena_printf(arena,
		    "Category  %s has no resources currently available.", name);
	else
		text = wf_arena_printf(
		    arena, "%s is not currently available.", name);
	wf_xml_put_element(&call->yawl.out, "item", text);
}

static void put_problems(struct wf_gateway_call *call,
    const struct wf_organisation *organisation, const struct wf_needs *missing)
{
	struct wf_buffer *out = &call->yawl.out;

	wf_buffer_puts(out, missing->count == 0 ? "<success/>" : "<list>");
	for (size_t i = 0; i < missing->count; i++)
		put_problem(call, organisation, &missing->rows[i]);
	if (missing->count > 0)
		wf_buffer_puts(out, "</list>");
}

void wf_gateway_check_secondary(struct wf_gateway_call *call)
{
	struct wf_server *server = call->yawl.server;
	const struct needing *needing = find(call);
	struct wf_error err = { .rc = WF_OK };
	struct wf_organisation *organisation;
	struct wf_needs missing;
	struct wf_store *store;
	enum wf_rc rc;

	if (needing == NULL)
		return;
	organisation = wf_gateway_organisation(call);
	rc = wf_engine_borrow(server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_busy_missing(store, server->absences, organisation,
		    &needing->needs, needing->holder,
		    wf_engine_now(server->engine), call->yawl.arena, &missing,
		    &err);
		wf_engine_give_back(server->engine, store);
	}
	if (rc == WF_OK)
		put_problems(call, organisation, &missing);
	/* The call does not exist after its answer; the organisation does. */
	wf_organisation_unref(&organisation);
	if (rc != WF_OK)
		wf_gateway_fail_error(call, &err);
	else
		wf_gateway_answer(call);
}

/* --- setting -------------------------------------------------------------- */

static bool read_need(struct wf_arena *arena, const struct wf_markup *child,
    struct wf_secondary *need)
{
	const char *part = wf_markup_attribute(child, "subcategory");

	for (size_t i = 0; i < ELEMENTS; i++) {
		if (!wf_markup_is(child, elements[i].element))
			continue;
		*need = (struct wf_secondary){ elements[i].kind,
			wf_markup_text(arena, child),
			part == NULL || elements[i].kind != WF_ORG_CATEGORY
			    ? ""
			    : part };
		return need->id[0] != '\0';
	}
	return false;
}

/* As a text of JSON; NULL: it is not what was expected. */
static const char *read_needs(struct wf_gateway_call *call, const char *xml)
{
	struct wf_arena *arena = call->yawl.arena;
	struct wf_secondary rows[WF_NEEDS_MOST];
	struct wf_needs needs = { rows, 0 };
	const struct wf_markup *root = wf_yawl_parse(&call->yawl, xml);

	if (root == NULL || !wf_markup_is(root, "secondary"))
		return NULL;
	for (const struct wf_markup *child = wf_markup_child(root, NULL);
	     child != NULL; child = wf_markup_next(child, NULL))
		if (needs.count == WF_NEEDS_MOST ||
		    !read_need(arena, child, &rows[needs.count++]))
			return NULL;
	return wf_needs_write(&needs, arena);
}

static void succeed(struct wf_yawl_call *yawl)
{
	wf_gateway_succeed((struct wf_gateway_call *)yawl);
}

static void fail(struct wf_yawl_call *yawl)
{
	wf_gateway_fail_error((struct wf_gateway_call *)yawl, &yawl->error);
}

void wf_gateway_set_secondary(struct wf_gateway_call *call)
{
	const char *xml = wf_gateway_parameter(call, "xml");
	const char *id = wf_gateway_parameter(call, "id");
	const char *needs;

	if (id == NULL || id[0] == '\0') {
		wf_gateway_fail(call, "Invalid item id: null");
		return;
	}
	if (xml == NULL) {
		wf_gateway_fail(call, "Missing parameter: xml");
		return;
	}
	needs = read_needs(call, xml);
	if (needs == NULL) {
		wf_gateway_fail(call,
		    "expected <secondary> with at most %u <participant>, "
		    "<role>, <nonHumanResource> or <nonHumanCategory>",
		    WF_NEEDS_MOST);
		return;
	}
	if (find(call) == NULL)
		return;
	wf_gateway_set(call, "workitemid", id);
	call->yawl.refused = fail;
	wf_item_submit(call,
	    (struct wf_command){ .kind = WF_COMMAND_SET_NEEDS,
		.targets = needs,
		.is_administrator = true },
	    succeed);
}
