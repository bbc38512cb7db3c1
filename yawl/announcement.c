/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recipients of announcements.  A YAWL service is notified of its own items
 * (those of the default worklist name no service, or one that is not
 * registered), of the status of all items, and of all cases:
 *
 *   TASK_FIRED     Enabled -> Is parent of the item, then Fired -> Executing of
 *                  its first instance
 *   an item ended  its status where it was completed; "cancelled", the parent
 *                  first, where it failed or was removed
 *   a deadlock     the completion of the case, then the deadlock
 */
#include "yawl/announcement.h"

#include <string.h>

#include "base/codec.h"

/* "7:Task" of "7.1:Task" */
static const char *parent_of(const char *item, char parent[WF_ITEM_ID_SIZE])
{
	const char *colon = strchr(item, ':');
	const char *dot = colon;

	while (dot > item && *dot != '.')
		dot--;
	memcpy(parent, item, (size_t)(dot - item));
	strcpy(parent + (dot - item), colon);
	return parent;
}

static const struct wf_service *owner_of(
    const struct wf_service_set *set, const struct wf_announcement *what)
{
	const struct wf_service *owner = NULL;

	if (what->is_for_people)
		return NULL;
	if (what->task != NULL)
		owner =
		    wf_service_by_uri(set, what->namespace_id, what->service);
	if (owner == NULL)
		owner = wf_service_by_name(
		    set, what->namespace_id, WF_DEFAULT_WORKLIST);
	return owner;
}

static bool is_done(uint32_t status)
{
	return status == WF_ITEM_COMPLETE || status == WF_ITEM_FORCED_COMPLETE;
}

/* An item was removed: its own service is notified, of the parent first. */
static void announce_gone(const struct wf_service *service,
    const struct wf_announcement *what, struct wf_destinations *destinations)
{
	char parent[WF_ITEM_ID_SIZE];

	if (what->status != WF_ITEM_WITHDRAWN)
		wf_handler_send_as(service, what, destinations,
		    WF_ANNOUNCE_ITEM_CANCELLED, parent_of(what->item, parent));
	wf_handler_send_as(service, what, destinations,
	    WF_ANNOUNCE_ITEM_CANCELLED, what->item);
}

/* The end of a case covers the items that end with it. */
static void announce_end(const struct wf_service *service, bool is_owner,
    const struct wf_announcement *what, struct wf_destinations *destinations)
{
	if (is_done(what->status) || what->status == WF_ITEM_FAILED)
		wf_handler_send(service, what, destinations);
	if (is_owner && !is_done(what->status) &&
	    what->status != WF_ITEM_CANCELLED_BY_CASE)
		announce_gone(service, what, destinations);
}

static void announce_to_service(const struct wf_service *service, bool is_owner,
    const struct wf_announcement *what, struct wf_destinations *destinations)
{
	if (what->again) {
		bool is_worklist =
		    strcmp(service->name, WF_DEFAULT_WORKLIST) == 0;

		if (what->rejected ? is_worklist : is_owner)
			wf_handler_send_as(service, what, destinations,
			    WF_ANNOUNCE_ITEM_ENABLED, what->item);
		return;
	}
	switch (what->kind) {
	case WF_ANNOUNCE_ITEM_ENABLED:
	case WF_ANNOUNCE_TIMER_EXPIRED:
		if (is_owner)
			wf_handler_send(service, what, destinations);
		break;
	case WF_ANNOUNCE_ITEM_CREATED:
		break;
	case WF_ANNOUNCE_ITEM_ENDED:
		announce_end(service, is_owner, what, destinations);
		break;
	case WF_ANNOUNCE_CASE_DEADLOCKED:
		wf_handler_send_as(service, what, destinations,
		    WF_ANNOUNCE_CASE_COMPLETED, what->item);
		wf_handler_send(service, what, destinations);
		break;
	default:
		wf_handler_send(service, what, destinations);
		break;
	}
}

static void announce_to_listener(const struct wf_service *service,
    const struct wf_announcement *what, struct wf_destinations *destinations)
{
	bool hears = false;

	if (what->rejected)
		wf_handler_send_as(service, what, destinations,
		    WF_ANNOUNCE_ITEM_REJECTED, what->item);
	if (what->again)
		return;
	switch (what->kind) {
	case WF_ANNOUNCE_CASE_DEADLOCKED:
		wf_handler_send_as(service, what, destinations,
		    WF_ANNOUNCE_CASE_COMPLETED, what->item);
		break;
	case WF_ANNOUNCE_CASE_LAUNCHED:
	case WF_ANNOUNCE_CASE_COMPLETED:
	case WF_ANNOUNCE_CASE_CANCELLED:
	case WF_ANNOUNCE_ITEM_ENABLED:
	case WF_ANNOUNCE_TIMER_EXPIRED:
		hears = true;
		break;
	case WF_ANNOUNCE_ITEM_ENDED:
		hears = is_done(what->status) || what->status == WF_ITEM_FAILED;
		break;
	default:
		break;
	}
	if (hears)
		wf_handler_send(service, what, destinations);
}

void wf_yawl_announce(const struct wf_service_set *set,
    const struct wf_announcement *what, struct wf_destinations *destinations)
{
	const struct wf_service *owner = owner_of(set, what);

	for (size_t i = 0; i < set->count; i++) {
		const struct wf_service *service = &set->rows[i];

		if (service->namespace_id != what->namespace_id)
			continue;
		if (service->kind == &wf_yawl_service_handler)
			announce_to_service(
			    service, service == owner, what, destinations);
		else if (service->kind == &wf_yawl_listener_handler)
			announce_to_listener(service, what, destinations);
	}
}

/* --- data stored with a case ---------------------------------------------- */

#define FORMAT 1

#define NOT_OVER_INTERFACE_B ((struct wf_yawl_launched){ false, "", "", "" })

void wf_yawl_launched_put(
    struct wf_buffer *extra, const struct wf_yawl_launched *launched)
{
	wf_put_number(extra, FORMAT);
	wf_put_number(extra, launched->delayed);
	wf_put_string(extra, launched->observer);
	wf_put_string(extra, launched->log);
	wf_put_string(extra, launched->launcher);
}

/* Cases from earlier versions of Weft have no such text. */
static const char *text_if_any(struct wf_reader *reader, struct wf_arena *arena)
{
	return reader->next < reader->end ? wf_get_string(reader, arena) : "";
}

void wf_yawl_launched_read(struct wf_yawl_launched *launched_out,
    struct wf_bytes extra, struct wf_arena *arena)
{
	struct wf_reader reader;

	*launched_out = NOT_OVER_INTERFACE_B;
	wf_reader_init(&reader, extra.data, extra.size);
	if (extra.size == 0 || wf_get_number(&reader) != FORMAT)
		return;
	launched_out->delayed = wf_get_number(&reader) != 0;
	launched_out->observer = wf_get_string(&reader, arena);
	launched_out->log = text_if_any(&reader, arena);
	launched_out->launcher = text_if_any(&reader, arena);
	if (reader.bad)
		*launched_out = NOT_OVER_INTERFACE_B;
}

/* --- the start of the engine ---------------------------------------------- */

static enum wf_rc commit_messages(struct wf_store *store,
    struct wf_message_row *rows, size_t count, struct wf_arena *arena,
    struct wf_error *err)
{
	struct wf_batch none = { .take_count = 0 };
	struct wf_writes writes = { .messages = rows, .message_count = count };
	uint64_t first;
	enum wf_rc rc =
	    wf_store_reserve(store, WF_COUNTER_MESSAGE, count, &first, err);

	for (size_t i = 0; i < count; i++)
		rows[i].message = first + i;
	if (rc == WF_OK)
		rc = wf_store_begin(store, &none, arena, err);
	return rc == WF_OK ? wf_store_commit(store, &writes, NULL, err) : rc;
}

enum wf_rc wf_yawl_announce_start(struct wf_store *store,
    const struct wf_service_set *set, int64_t now, struct wf_error *err)
{
	const struct wf_announced nothing = { 0, "", "", 0, "", "" };
	struct wf_arena *arena = wf_arena_new();
	struct wf_message_row *rows =
	    wf_arena_array(arena, set->count, sizeof(*rows));
	struct wf_buffer payload;
	size_t count = 0;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&payload, 4096);
	wf_announced_encode(&nothing, &payload);
	for (size_t i = 0; i < set->count; i++) {
		struct wf_message_row *row = &rows[count];

		if (set->rows[i].kind != &wf_yawl_service_handler)
			continue;
		row->namespace_id = set->rows[i].namespace_id;
		row->destination = set->rows[i].uri;
		row->subject = "";
		row->kind = WF_ANNOUNCE_ENGINE_STARTED;
		row->at = now;
		row->payload.data = payload.data;
		row->payload.size = payload.length;
		count++;
	}
	if (count > 0)
		rc = commit_messages(store, rows, count, arena, err);
	wf_buffer_free(&payload);
	wf_arena_free(&arena);
	return rc;
}
