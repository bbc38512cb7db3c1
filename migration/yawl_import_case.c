/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imports one exported case. A dry run in memory comes first, because it
 * costs little, writes nothing, and shows which items the case has.
 */
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "kernel/step.h"
#include "migration/yawl_import.h"
#include "work/service.h"
#include "yawl/announcement.h"

#define ROWS_MAXIMUM ((size_t)512 << 20)
#define EXTRA_MAXIMUM 4096U

/* --- whether the case exists ---------------------------------------------- */

/*
 * A case that has the id.  *new_out: the exported case is not that one and may
 * be imported under another id.  A case that was imported and is completed
 * counts as imported, so an import can be repeated; one that was cancelled does
 * not.
 */
static enum wf_rc compare_with_stored(const struct wf_yawl_take *take,
    uint64_t number, struct wf_arena *arena, bool *new_out,
    struct wf_error *err)
{
	struct wf_stored_case stored;
	struct wf_history_list list = { .count = 0 };
	bool is_import;
	enum wf_rc rc =
	    wf_store_case(take->store, number, false, arena, &stored, err);

	if (rc == WF_OK)
		rc = wf_store_case_history(
		    take->store, number, 0, 1, arena, &list, err);
	if (rc != WF_OK)
		return rc;
	is_import = list.count > 0 &&
		    strcmp(list.rows[0].origin, WF_YAWL_IMPORT_ORIGIN) == 0 &&
		    stored.row.specification == take->spec->key;
	*new_out = take->renumbers && stored.ended &&
		   (!is_import || stored.row.status == WF_CASE_CANCELLED);
	if (!is_import && !*new_out)
		return wf_fail(
		    err, WF_CONFLICT, "there is another case with this id");
	return WF_OK;
}

/* *used_out: the id is that of a case that has ended. */
static enum wf_rc find_taken(const struct wf_yawl_take *take,
    const struct wf_yawl_export *exported, enum wf_yawl_taking *taking_out,
    bool *used_out, struct wf_error *err)
{
	uint64_t number;
	struct wf_arena *arena;
	enum wf_rc rc = wf_store_find(
	    take->store, WF_NAMESPACE_DEFAULT, &exported->id, 1, &number, err);

	*taking_out = WF_YAWL_TAKEN;
	*used_out = false;
	if (rc != WF_OK || number == 0)
		return rc;
	arena = wf_arena_new();
	rc = compare_with_stored(take, number, arena, used_out, err);
	if (rc == WF_OK && !*used_out)
		*taking_out = WF_YAWL_BEFORE;
	wf_arena_free(&arena);
	return rc;
}

/* --- the trial ------------------------------------------------------------ */

static const char *child_text(const struct wf_xml *item, const char *name)
{
	const struct wf_xml *child = wf_xml_child(item, name);

	return child == NULL ? "" : child->text;
}

static void compare_item(const struct wf_xml *listed,
    const struct wf_case *trial, struct wf_map *ids, struct wf_buffer *remarks)
{
	const char *name = child_text(listed, "id");
	char id[WF_ITEM_ID_SIZE];
	struct wf_item item;

	snprintf(id, sizeof(id), "%.*s", (int)strcspn(name, "!"), name);
	wf_map_add(ids, id, ids);
	if (strcmp(child_text(listed, "status"), "Enabled") == 0 &&
	    wf_case_item(trial, id, &item, NULL) != WF_OK)
		wf_buffer_printf(remarks,
		    "item %s was Enabled there and is not here: its task is "
		    "not enabled\n",
		    id);
}

/* Items that are enabled on one side only. */
static void compare_items(const struct wf_yawl_export *exported,
    const struct wf_case *trial, struct wf_buffer *remarks)
{
	const struct wf_xml *list =
	    wf_xml_child(exported->element, "workitems");
	struct wf_map *ids = wf_map_new();
	struct wf_item *items;
	size_t count = wf_case_items(trial, &items);
	char id[WF_ITEM_ID_SIZE];

	for (const struct wf_xml *at = list == NULL ? NULL : list->children;
	     at != NULL; at = at->next)
		compare_item(at, trial, ids, remarks);
	for (size_t i = 0; i < count; i++) {
		wf_item_id(&items[i], id);
		if (items[i].status == WF_ITEM_ENABLED &&
		    wf_map_get(ids, id) == NULL)
			wf_buffer_printf(remarks,
			    "item %s is Enabled here and was not there\n", id);
	}
	wf_map_free(&ids);
	wf_free(items);
}

static enum wf_rc try_case(const struct wf_yawl_take *take,
    const struct wf_yawl_export *exported, const struct wf_buffer *rows,
    struct wf_buffer *remarks, struct wf_error *err)
{
	struct wf_command command = { .kind = WF_COMMAND_LAUNCH,
		.data = rows->data,
		.length = rows->length,
		.described = true,
		.now = take->now };
	struct wf_case *trial;
	struct wf_step step;
	enum wf_rc rc;

	wf_step_init(&step);
	rc = wf_case_launch(
	    &trial, take->spec, exported->id, NULL, &command, &step, err);
	if (rc == WF_OK)
		compare_items(exported, trial, remarks);
	wf_case_free(&trial);
	wf_step_free(&step);
	return rc;
}

/* --- the launch ----------------------------------------------------------- */

/* Only registered services are notified. */
static enum wf_rc find_observer(const struct wf_yawl_take *take,
    const struct wf_yawl_export *exported, const char **observer_out,
    struct wf_buffer *remarks, struct wf_error *err)
{
	const struct wf_service_set *set;
	const struct wf_service *service;
	struct wf_services *services;
	enum wf_rc rc;

	*observer_out = "";
	if (exported->observer[0] == '\0')
		return WF_OK;
	rc = wf_services_open(&services, take->store, err);
	if (rc != WF_OK)
		return rc;
	set = wf_services_hold(services);
	service =
	    wf_service_by_uri(set, WF_NAMESPACE_DEFAULT, exported->observer);
	if (service != NULL && service->kind == &wf_yawl_service_handler)
		*observer_out = exported->observer;
	else
		wf_buffer_printf(remarks,
		    "the observer of its completion is not a registered "
		    "service, so all services are notified: %s\n",
		    exported->observer);
	wf_services_let_go(services, set);
	wf_services_close(&services);
	return WF_OK;
}

/* name: NULL for the case's number. */
static enum wf_rc launch(struct wf_yawl_take *take,
    const struct wf_yawl_export *exported, const char *name,
    const struct wf_buffer *rows, struct wf_buffer *remarks,
    struct wf_error *err)
{
	struct wf_yawl_launched launched = { .log = "", .launcher = "" };
	struct wf_request request = { .command = { .kind = WF_COMMAND_LAUNCH,
					  .data = rows->data,
					  .length = rows->length,
					  .described = true },
		.launch = { .specification = take->spec->key, .name = name },
		.actor = take->actor,
		.origin = WF_YAWL_IMPORT_ORIGIN };
	struct wf_answer answer;
	struct wf_buffer extra;
	enum wf_rc rc =
	    find_observer(take, exported, &launched.observer, remarks, err);

	if (rc != WF_OK)
		return rc;
	wf_buffer_init(&extra, EXTRA_MAXIMUM);
	wf_yawl_launched_put(&extra, &launched);
	request.launch.extra.data = extra.data;
	request.launch.extra.size = extra.length;
	rc = wf_engine_call(take->engine, &request, &answer, err);
	if (rc == WF_OK && name == NULL)
		take->number = answer.number;
	wf_buffer_free(&extra);
	return rc;
}

enum wf_rc wf_yawl_take_case(struct wf_yawl_take *take,
    const struct wf_yawl_export *exported, enum wf_yawl_taking *taking_out,
    struct wf_buffer *remarks, struct wf_error *err)
{
	struct wf_buffer rows;
	bool is_used;
	enum wf_rc rc = find_taken(take, exported, taking_out, &is_used, err);

	take->number = 0;
	if (rc != WF_OK || *taking_out == WF_YAWL_BEFORE)
		return rc;
	wf_buffer_init(&rows, ROWS_MAXIMUM);
	rc = wf_yawl_export_describe(exported, take->spec, &rows, remarks, err);
	if (rc == WF_OK)
		rc = try_case(take, exported, &rows, remarks, err);
	if (rc == WF_OK && take->engine != NULL)
		rc = launch(take, exported, is_used ? NULL : exported->id,
		    &rows, remarks, err);
	wf_buffer_free(&rows);
	return rc;
}
