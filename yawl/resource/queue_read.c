/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues of items: of a participant, and of administrators.
 *
 * The store lists the ids of the items; each item is then shown as it is in its
 * case, so an item that has moved meanwhile is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "data/xml_writer.h"
#include "kernel/assignment/assignment.h"
#include "people/audience.h"
#include "worklist/list.h"
#include "yawl/resource/item_read.h"
#include "yawl/resource/org_record.h"
#include "yawl/resource/queue_read.h"
#include "yawl/resource/work_record.h"

/* An answer has at most so many items. */
#define ITEMS_MAXIMUM 10000U

/* Ids of items by the queue that they stand in. */
struct queues {
	struct wf_texts ids[WF_WORK_WORKLISTED + 1];
	size_t count;
};

static void add_item(struct wf_gateway_call *call, struct queues *queues,
    enum wf_work_queue queue, const char *id)
{
	wf_org_texts_add(call->yawl.arena, &queues->ids[queue], id);
	queues->count++;
}

/* --- of a participant ----------------------------------------------------- */

static enum wf_rc list_pages(struct wf_gateway_call *call,
    struct wf_store *store, struct wf_list_query *query, struct queues *queues,
    struct wf_error *err)
{
	struct wf_list_page page = { .has_more = true };
	struct wf_queue_key after;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && page.has_more && queues->count < ITEMS_MAXIMUM) {
		rc = wf_list_read(store, query, call->yawl.arena, &page, err);
		for (size_t i = 0; rc == WF_OK && i < page.count; i++) {
			const struct wf_item_row *row = &page.rows[i];
			enum wf_work_queue queue =
			    wf_work_queue_of(row->assignment, row->status);

			add_item(call, queues, queue, row->id);
		}
		after = page.next;
		query->after = &after;
	}
	return rc;
}

static enum wf_rc list_participant(struct wf_gateway_call *call, const char *id,
    struct queues *queues, struct wf_error *err)
{
	struct wf_server *server = call->yawl.server;
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	struct wf_list_query query = { .queues = wf_audiences_queues(
					   server->audiences, organisation, id,
					   call->yawl.arena),
		.participant = id,
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.greatest_rank = UINT32_MAX,
		.order = WF_QUEUE_BY_AGE,
		.limit = WF_QUEUED_ROWS - 1 };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, err);

	wf_organisation_unref(&organisation);
	if (rc != WF_OK)
		return rc;
	rc = list_pages(call, store, &query, queues, err);
	wf_engine_give_back(server->engine, store);
	return rc;
}

enum wf_rc wf_queue_held(struct wf_gateway_call *call, const char *participant,
    struct wf_texts *ids_out, struct wf_error *err)
{
	struct queues queues = { .count = 0 };
	enum wf_rc rc = list_participant(call, participant, &queues, err);

	*ids_out = (struct wf_texts){ NULL, 0 };
	for (unsigned i = WF_WORK_ALLOCATED; i < WF_WORK_QUEUES; i++)
		for (size_t k = 0; k < queues.ids[i].count; k++)
			wf_org_texts_add(
			    call->yawl.arena, ids_out, queues.ids[i].rows[k]);
	return rc;
}

/* --- of administrators ---------------------------------------------------- */

static enum wf_rc list_all(
    struct wf_gateway_call *call, struct queues *queues, struct wf_error *err)
{
	struct wf_engine *engine = call->yawl.server->engine;
	struct wf_item_filter filter = { .namespace_id = WF_NAMESPACE_DEFAULT,
		.service = WF_PEOPLE_SERVICE,
		.limit = 1000 };
	struct wf_item_list list = { .count = filter.limit };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	while (rc == WF_OK && list.count == filter.limit &&
	       queues->count < ITEMS_MAXIMUM) {
		rc = wf_store_items(
		    store, &filter, call->yawl.arena, &list, err);
		for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
			const struct wf_item_row *row = &list.rows[i];

			filter.after_number = row->number;
			filter.after_id = row->id;
			if (row->assignment == WF_RESOURCE_UNOFFERED)
				add_item(
				    call, queues, WF_WORK_UNOFFERED, row->id);
			else if (row->assignment != WF_RESOURCE_NONE)
				add_item(
				    call, queues, WF_WORK_WORKLISTED, row->id);
		}
	}
	wf_engine_give_back(engine, store);
	return rc;
}

/* --- answers -------------------------------------------------------------- */

/* An item that has ended since it was listed is not shown. */
static enum wf_rc put_items(struct wf_gateway_call *call,
    const struct wf_texts *ids, struct wf_error *err)
{
	for (size_t i = 0; i < ids->count && err->rc == WF_OK; i++)
		(void)wf_work_show(call, ids->rows[i], err);
	return err->rc;
}

static enum wf_rc put_queue(struct wf_gateway_call *call, unsigned queue,
    const char *owner, const struct wf_texts *ids, struct wf_error *err)
{
	struct wf_buffer *xml = &call->yawl.out;
	enum wf_rc rc;

	wf_buffer_puts(xml, "<WorkQueue>");
	wf_xml_put_number(xml, "queuetype", queue);
	wf_xml_put_element(xml, "ownerid", owner);
	wf_buffer_puts(xml, "<workitems>");
	rc = put_items(call, ids, err);
	wf_buffer_puts(xml, "</workitems></WorkQueue>");
	return rc;
}

static void answer(
    struct wf_gateway_call *call, enum wf_rc rc, const struct wf_error *err)
{
	if (rc == WF_OK)
		wf_gateway_answer(call);
	else
		wf_gateway_fail_error(call, err);
}

static bool is_participant(struct wf_gateway_call *call, const char *id)
{
	struct wf_organisation *organisation = wf_gateway_organisation(call);
	bool is =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, id) != WF_ORG_NOBODY;

	wf_organisation_unref(&organisation);
	return is;
}

/* NULL: the call is answered. */
static const char *find_participant(struct wf_gateway_call *call)
{
	const char *id = wf_gateway_text(call, "participantid");

	if (is_participant(call, id))
		return id;
	wf_gateway_fail(call, "Unknown participant id: %s", id);
	return NULL;
}

void wf_gateway_get_participant_queues(struct wf_gateway_call *call)
{
	const char *id = find_participant(call);
	struct queues queues = { .count = 0 };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	if (id == NULL)
		return;
	rc = list_participant(call, id, &queues, &err);
	wf_buffer_puts(&call->yawl.out, "<QueueSet>");
	for (unsigned i = 0; rc == WF_OK && i < WF_WORK_QUEUES; i++)
		if (queues.ids[i].count > 0)
			rc = put_queue(call, i, id, &queues.ids[i], &err);
	wf_buffer_puts(&call->yawl.out, "</QueueSet>");
	answer(call, rc, &err);
}

void wf_gateway_get_admin_queues(struct wf_gateway_call *call)
{
	struct queues queues = { .count = 0 };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc = list_all(call, &queues, &err);

	wf_buffer_puts(&call->yawl.out, "<QueueSet>");
	for (unsigned i = WF_WORK_UNOFFERED;
	     rc == WF_OK && i <= WF_WORK_WORKLISTED; i++)
		rc = put_queue(call, i, WF_YAWL_ADMIN, &queues.ids[i], &err);
	wf_buffer_puts(&call->yawl.out, "</QueueSet>");
	answer(call, rc, &err);
}

/* A number of a participant's queue; false: the call is answered. */
static bool read_queue(struct wf_gateway_call *call, unsigned *queue_out)
{
	const char *text = wf_gateway_text(call, "queue");

	*queue_out = (unsigned)text[0] - '0';
	if (text[0] >= '0' && *queue_out < WF_WORK_QUEUES && text[1] == '\0')
		return true;
	wf_gateway_fail(call, "Invalid queue type: %s", text);
	return false;
}

void wf_gateway_get_queued_items(struct wf_gateway_call *call)
{
	const char *id = find_participant(call);
	struct queues queues = { .count = 0 };
	struct wf_error err = { .rc = WF_OK };
	unsigned queue;
	enum wf_rc rc;

	if (id == NULL || !read_queue(call, &queue))
		return;
	rc = list_participant(call, id, &queues, &err);
	wf_buffer_puts(&call->yawl.out, "<workitemrecords>");
	if (rc == WF_OK)
		rc = put_items(call, &queues.ids[queue], &err);
	wf_buffer_puts(&call->yawl.out, "</workitemrecords>");
	answer(call, rc, &err);
}

/* --- who has an item ------------------------------------------------------ */

/* Where an item stands, as it was found. */
struct place {
	enum wf_work_queue queue;
	const char *holder;
	const char *audience;
};

static void note_place(struct wf_yawl_call *yawl,
    const struct wf_case *instance, const struct wf_yawl_item *item)
{
	struct wf_gateway_call *call = (struct wf_gateway_call *)yawl;
	struct place *place = call->found;
	bool is_suspended = strcmp(item->status, "Suspended") == 0;

	(void)instance;
	if (item->assignment == NULL)
		return;
	place->queue = wf_work_queue_of(item->assignment->status,
	    is_suspended ? WF_ITEM_SUSPENDED : WF_ITEM_EXECUTING);
	place->holder = wf_arena_strdup(yawl->arena, item->assignment->holder);
	place->audience =
	    wf_arena_strdup(yawl->arena, item->assignment->audience);
}

static void put_assigned(
    struct wf_gateway_call *call, const struct place *place)
{
	struct wf_organisation *organisation = wf_gateway_organisation(call);

	wf_gateway_put_records(&call->yawl.out, organisation,
	    WF_ORG_PARTICIPANT,
	    wf_item_people(call->yawl.server->audiences, organisation,
		place->holder, place->audience, call->yawl.arena),
	    call->yawl.arena);
	wf_organisation_unref(&organisation);
}

void wf_gateway_get_assigned(struct wf_gateway_call *call)
{
	struct wf_error err = { .rc = WF_OK };
	struct place place = { .queue = WF_WORK_QUEUES };
	unsigned queue;

	if (!read_queue(call, &queue))
		return;
	call->found = &place;
	(void)wf_yawl_inspect_item(&call->yawl,
	    wf_gateway_parameter(call, "workitemid"), note_place, &err);
	wf_buffer_puts(&call->yawl.out, "<participants>");
	if (place.queue == (enum wf_work_queue)queue)
		put_assigned(call, &place);
	wf_buffer_puts(&call->yawl.out, "</participants>");
	answer(call, err.rc, &err);
}
