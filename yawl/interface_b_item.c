/* SPDX-License-Identifier: Apache-2.0 */
/* Single work items and lists of them. */
#include <string.h>

#include "data/xml_writer.h"
#include "server/catalogue.h"
#include "spec/spec.h"
#include "work/service.h"
#include "yawl/yawl.h"

static int32_t zone_of(const struct wf_yawl_call *call)
{
	return call->server->settings.engine.timezone;
}

static struct wf_yawl_item with_starter(struct wf_yawl_call *call,
    const struct wf_yawl_item *item, uint64_t version)
{
	struct wf_yawl_item known = *item;

	known.started_by = wf_yawl_item_starter(call->yawl->starters,
	    call->server->engine, item, version, call->arena);
	return known;
}

/* The items of a case; none of a case that has ended. */
static size_t items_of(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_stored_case *stored,
    uint64_t *work, struct wf_arena *arena, struct wf_yawl_item **items_out)
{
	if (stored->ended)
		return 0;
	return wf_yawl_items(instance, stored->row.number,
	    wf_engine_now(call->server->engine), zone_of(call), work, arena,
	    items_out);
}

/* --- one ------------------------------------------------------------------ */

struct inspection {
	struct wf_yawl_call *call;
	const char *id;
	wf_yawl_item_f inspect;
	bool found;
};

static void inspect_item(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct inspection *inspection = context;
	struct wf_yawl_call *call = inspection->call;
	struct wf_engine *engine = call->server->engine;
	struct wf_yawl_item item;

	if (stored->ended ||
	    !wf_yawl_item(instance, stored->row.number, inspection->id,
		wf_engine_now(engine), zone_of(call), call->arena, &item))
		return;
	inspection->found = true;
	item = with_starter(call, &item, stored->row.version);
	inspection->inspect(call, instance, &item);
}

bool wf_yawl_inspect_item(struct wf_yawl_call *call, const char *id,
    wf_yawl_item_f inspect, struct wf_error *err)
{
	struct inspection inspection = {
		.call = call, .id = id, .inspect = inspect
	};

	if (!wf_yawl_find_case_of(call, id))
		return false;
	if (wf_engine_inspect(call->server->engine, call->known.number,
		inspect_item, &inspection, err) == WF_NOT_FOUND)
		wf_error_clear(err);
	return inspection.found;
}

bool wf_yawl_is_startable(const char *status)
{
	return strcmp(status, "Enabled") == 0 || strcmp(status, "Fired") == 0;
}

void wf_yawl_note_item(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	(void)instance;
	call->is_child = item->is_child;
	call->status = wf_arena_strdup(call->arena, item->status);
}

bool wf_yawl_find_item(struct wf_yawl_call *call, const char *id,
    wf_yawl_item_f inspect, const char *unknown)
{
	struct wf_error err = { .rc = WF_OK };
	bool found = wf_yawl_inspect_item(call, id, inspect, &err);

	if (err.rc != WF_OK)
		wf_yawl_fail_error(call, &err);
	else if (!found)
		wf_yawl_fail(call, unknown, id == NULL ? "null" : id);
	return found && err.rc == WF_OK;
}

void wf_yawl_show_item(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	(void)instance;
	wf_yawl_put_item(&call->out, item, zone_of(call));
}

/*
 * Answers with what inspect wrote about the request's item, or with call->error
 * if inspect set it.  unknown: the failure's text when there is no such item.
 */
static void answer_item(
    struct wf_yawl_call *call, wf_yawl_item_f inspect, const char *unknown)
{
	const char *id = wf_yawl_parameter(call, "workItemID");

	if (!wf_yawl_find_item(call, id, inspect, unknown))
		return;
	if (call->error.rc != WF_OK)
		wf_yawl_fail_error(call, &call->error);
	else
		wf_yawl_answer(call);
}

#define NO_SUCH_ITEM "WorkItem with ID '%s' not found."

void wf_yawl_get_item(struct wf_yawl_call *call)
{
	answer_item(call, wf_yawl_show_item, NO_SUCH_ITEM);
}

static void show_expiry(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	(void)instance;
	wf_buffer_printf(&call->out, "%lld", (long long)item->timer_at);
}

void wf_yawl_get_expiry(struct wf_yawl_call *call)
{
	answer_item(call, show_expiry, NO_SUCH_ITEM);
}

static void show_starting_data(struct wf_yawl_call *call,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_buffer data;

	wf_buffer_init(&data, call->out.maximum);
	if (item->is_child || strcmp(item->status, "Enabled") != 0)
		wf_fail(&call->error, WF_CONFLICT,
		    "This method only accepts work items with 'Enabled' "
		    "status");
	else if (wf_yawl_starting_data(instance, item,
		     wf_engine_now(call->server->engine), zone_of(call), &data,
		     &call->error) == WF_OK)
		wf_yawl_put_input(&call->out, item->task->decomposition,
		    wf_buffer_text(&data));
	wf_buffer_free(&data);
}

void wf_yawl_get_starting_data(struct wf_yawl_call *call)
{
	answer_item(
	    call, show_starting_data, "No work item found with id = %s");
}

/* --- lists ---------------------------------------------------------------- */

/* The filter of a list of items; NULL: any. */
struct listing {
	struct wf_yawl_call *call;
	const char *net;    /* in this net, or below it */
	const char *parent; /* the children of this item */
	const char *task;
	const char *service;
	const struct wf_service_set *services;
	bool available; /* only items that can be started, and only their ids */
	struct wf_error err;
	uint64_t work; /* that is left for documentation */
	/* Cases to inspect. */
	uint64_t *numbers;
	size_t count;
	size_t capacity;
};

static bool is_in_net(const struct wf_yawl_item *item, const char *net)
{
	size_t length = strlen(net);

	return strncmp(item->case_id, net, length) == 0 &&
	       (item->case_id[length] == '\0' || item->case_id[length] == '.');
}

/* "7.1:Task" of "7:Task" */
static bool is_child_of(const struct wf_yawl_item *item, const char *parent)
{
	const char *last = strrchr(item->case_id, '.');
	size_t length = strcspn(parent, ":");

	return item->is_child && last != NULL && parent[length] == ':' &&
	       (size_t)(last - item->case_id) == length &&
	       memcmp(item->case_id, parent, length) == 0 &&
	       strcmp(parent + length + 1, item->task->id) == 0;
}

/*
 * The items of the default worklist are those that name no registered service.
 */
static bool is_for_service(
    const struct listing *listing, const struct wf_yawl_item *item)
{
	const char *uri = item->service;
	const struct wf_service *service =
	    wf_service_by_uri(listing->services, WF_NAMESPACE_DEFAULT, uri);

	if (service == NULL)
		uri = listing->call->yawl->worklist;
	return strcmp(uri, listing->service) == 0;
}

static bool is_wanted(
    const struct listing *listing, const struct wf_yawl_item *item)
{
	return (!listing->available || wf_yawl_is_startable(item->status)) &&
	       (listing->net == NULL || is_in_net(item, listing->net)) &&
	       (listing->parent == NULL ||
		   is_child_of(item, listing->parent)) &&
	       (listing->task == NULL ||
		   strcmp(item->task->id, listing->task) == 0) &&
	       (listing->service == NULL || is_for_service(listing, item));
}

static void list_item(const struct listing *listing,
    const struct wf_yawl_item *item, uint64_t version)
{
	struct wf_yawl_call *call = listing->call;
	char id[WF_ITEM_ID_SIZE];
	struct wf_yawl_item known;

	if (listing->available) {
		wf_yawl_item_id(item, id);
		wf_xml_put_element(&call->out, "workItemID", id);
	} else {
		known = with_starter(call, item, version);
		wf_yawl_put_item(&call->out, &known, zone_of(call));
	}
}

static void list_items(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct listing *listing = context;
	struct wf_yawl_call *call = listing->call;
	struct wf_arena *arena = wf_arena_new();
	struct wf_yawl_item *items;
	size_t count =
	    items_of(call, instance, stored, &listing->work, arena, &items);

	for (size_t i = 0; i < count; i++)
		if (is_wanted(listing, &items[i]))
			list_item(listing, &items[i], stored->row.version);
	wf_arena_free(&arena);
}

static void note_case(void *context, const struct wf_case_row *row)
{
	struct listing *listing = context;

	listing->numbers = wf_arena_grow(listing->call->arena, listing->numbers,
	    listing->count, &listing->capacity, sizeof(uint64_t));
	listing->numbers[listing->count++] = row->number;
}

/* A case that was removed, or that cannot be read, is not listed. */
static void list_cases(struct listing *listing)
{
	struct wf_engine *engine = listing->call->server->engine;

	listing->work = WF_INSPECTION_WORK;
	for (size_t i = 0; i < listing->count; i++) {
		struct wf_error err = { .rc = WF_OK };
		enum wf_rc rc = wf_engine_inspect(
		    engine, listing->numbers[i], list_items, listing, &err);

		if (rc == WF_UNAVAILABLE || rc == WF_IO) {
			wf_fail(&listing->err, rc, "%s", err.message);
			return;
		}
	}
}

/* All running cases, or those of one specification. */
static void add_cases(struct listing *listing, uint64_t specification)
{
	(void)(wf_yawl_each_case(listing->call, specification, note_case,
		   listing, &listing->err) == WF_OK);
}

static void add_case_of(struct listing *listing, const char *id)
{
	struct wf_case_row row = { .number = 0 };

	if (!wf_yawl_find_case_of(listing->call, id))
		return;
	row.number = listing->call->known.number;
	note_case(listing, &row);
}

static void answer_list(struct listing *listing)
{
	if (listing->err.rc == WF_OK)
		list_cases(listing);
	if (listing->available)
		wf_buffer_puts(&listing->call->out, "</ids>");
	if (listing->err.rc == WF_OK)
		wf_yawl_answer(listing->call);
	else
		wf_yawl_fail_error(listing->call, &listing->err);
}

void wf_yawl_get_live_items(struct wf_yawl_call *call)
{
	struct listing listing = { .call = call };

	add_cases(&listing, 0);
	answer_list(&listing);
}

/* The answer to a request without an action. */
void wf_yawl_get_available(struct wf_yawl_call *call)
{
	struct listing listing = { .call = call, .available = true };

	wf_buffer_puts(&call->out, "<ids>");
	add_cases(&listing, 0);
	answer_list(&listing);
}

static void add_cases_of_uri(struct listing *listing, const char *uri)
{
	struct wf_specification_list specs;

	if (wf_catalogue_list(listing->call->server->engine,
		WF_NAMESPACE_DEFAULT, listing->call->arena, &specs,
		&listing->err) != WF_OK)
		return;
	for (size_t i = 0; i < specs.count; i++)
		if (strcmp(specs.rows[i].uri, uri) == 0)
			add_cases(listing, specs.rows[i].key);
}

void wf_yawl_get_items_of(struct wf_yawl_call *call)
{
	const char *type = wf_yawl_parameter(call, "idType");
	const char *id = wf_yawl_parameter(call, "id");
	struct listing listing = { .call = call };

	if (type == NULL || id == NULL) {
		wf_yawl_fail_action(call);
		return;
	}
	if (strcasecmp(type, "case") == 0) {
		listing.net = id;
		add_case_of(&listing, id);
	} else if (strcasecmp(type, "spec") == 0) {
		add_cases_of_uri(&listing, id);
	} else if (strcasecmp(type, "task") == 0) {
		listing.task = id;
		add_cases(&listing, 0);
	}
	answer_list(&listing);
}

void wf_yawl_get_service_items(struct wf_yawl_call *call)
{
	struct wf_services *services = call->server->services;
	struct listing listing = { .call = call,
		.service = wf_yawl_parameter(call, "serviceuri"),
		.services = wf_services_hold(services) };

	if (listing.service == NULL)
		listing.service = call->yawl->worklist;
	add_cases(&listing, 0);
	answer_list(&listing);
	wf_services_let_go(services, listing.services);
}

void wf_yawl_get_children(struct wf_yawl_call *call)
{
	const char *id = wf_yawl_parameter(call, "workItemID");
	struct listing listing = { .call = call, .parent = id };

	if (id != NULL)
		add_case_of(&listing, id);
	answer_list(&listing);
}
