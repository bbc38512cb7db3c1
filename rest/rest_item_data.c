/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of a work item: its input; of an item that is not started yet, what
 * it would start with now, marked as a preview:
 *
 *   {"preview": true, "items": [{"item": "7.1:Ask", "data": {..}}, ..]}
 *
 * The preview starts the item in a copy of its case, with the same budget as a
 * step, and nothing is stored; one that takes long or is large is made if no
 * other such one is (else WF_UNAVAILABLE), which bounds the threads that it
 * occupies and the memory.  A task with several instances shows each.
 */
#include <string.h>

#include "rest/rest_item.h"
#include "server/context.h"
#include "work/case_data.h"

/* Instances of a preview, at most. */
#define PREVIEW_ITEMS 100U
/* Its data as XML, if others may be made at the same time. */
#define PREVIEW_BYTES ((size_t)4 << 20)

struct reading {
	struct wf_rest *rest;
	const char *id;
	bool wants_xml;
	bool is_enabled; /* there is nothing yet but a preview */
	json_t *json;
	struct wf_buffer xml;
	size_t left; /* bytes of XML that the instances of a preview may have */
	struct wf_error err;
	char started[WF_ITEM_ID_SIZE]; /* the first instance, in a copy */
};

static bool is_enabled(const struct wf_item *item)
{
	return item->status == WF_ITEM_ENABLED ||
	       (item->status == WF_ITEM_SUSPENDED &&
		   item->suspended_from == WF_ITEM_ENABLED);
}

json_t *wf_rest_item_values(
    const struct wf_item *item, const struct wf_buffer *xml)
{
	const struct wf_decomposition *d = item->task->decomposition;
	bool enabled = is_enabled(item);

	return wf_data_values(enabled ? d->enablements : d->inputs,
	    enabled ? d->enablement_count : d->input_count, wf_buffer_text(xml),
	    xml->length);
}

/* --- a preview ------------------------------------------------------------ */

/* The item as it is; an enabled one has enablement parameters at most. */
static void read_item(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct reading *reading = context;
	struct wf_item item;
	bool has_data;

	(void)stored;
	if (wf_case_item(instance, reading->id, &item, &reading->err) != WF_OK)
		return;
	reading->is_enabled = is_enabled(&item);
	has_data = !reading->is_enabled ||
		   item.task->decomposition->enablement_count > 0;
	if (has_data && wf_case_item_input(instance, reading->id, &reading->xml,
			    &reading->err) != WF_OK)
		return;
	if (reading->wants_xml)
		return;
	if (!reading->is_enabled) {
		reading->json = wf_rest_item_values(&item, &reading->xml);
		return;
	}
	reading->json = json_object();
	json_object_set_new(reading->json, "preview", json_true());
	if (has_data)
		json_object_set_new(reading->json, "enablement",
		    wf_rest_item_values(&item, &reading->xml));
}

/* Whether both are instances of one task in one net. */
static bool is_beside(const struct wf_item *a, const struct wf_item *b)
{
	const char *dot = strrchr(a->case_id, '.');
	size_t length = dot == NULL ? 0 : (size_t)(dot - a->case_id) + 1;

	return a->task == b->task && a->net == b->net &&
	       strncmp(a->case_id, b->case_id, length) == 0 &&
	       strchr(b->case_id + length, '.') == NULL;
}

static void put_preview(struct reading *reading, const struct wf_case *instance,
    const struct wf_item *item, json_t *items)
{
	char id[WF_ITEM_ID_SIZE];
	struct wf_buffer xml;
	json_t *row;

	wf_item_id(item, id);
	wf_buffer_init(&xml, reading->left);
	if (wf_case_item_input(instance, id, &xml, &reading->err) == WF_OK &&
	    xml.full)
		wf_fail(&reading->err, WF_LIMIT,
		    "the preview has more than %zu bytes",
		    WF_REST_ITEM_DATA_BYTES);
	if (reading->err.rc != WF_OK) {
		wf_buffer_free(&xml);
		return;
	}
	reading->left -= xml.length;
	if (reading->wants_xml) {
		wf_buffer_puts(&reading->xml, "<item id=\"");
		wf_buffer_escape(&reading->xml, id, strlen(id), true);
		wf_buffer_puts(&reading->xml, "\">");
		wf_buffer_append(
		    &reading->xml, wf_buffer_text(&xml), xml.length);
		wf_buffer_puts(&reading->xml, "</item>");
	} else {
		row = json_object();
		json_object_set_new(row, "item", json_string(id));
		json_object_set_new(
		    row, "data", wf_rest_item_values(item, &xml));
		json_array_append_new(items, row);
	}
	wf_buffer_free(&xml);
}

/* The item was started in a copy of its case. */
static void read_started(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct reading *reading = context;
	json_t *list = json_array();
	struct wf_item first;
	struct wf_item *items;
	size_t count;
	size_t shown = 0;

	(void)stored;
	if (wf_case_item(instance, reading->started, &first, &reading->err) !=
	    WF_OK) {
		json_decref(list);
		return;
	}
	count = wf_case_items(instance, &items);
	for (size_t i = 0;
	     i < count && shown < PREVIEW_ITEMS && reading->err.rc == WF_OK;
	     i++)
		if (is_beside(&first, &items[i])) {
			put_preview(reading, instance, &items[i], list);
			shown++;
		}
	wf_free(items);
	if (reading->wants_xml || reading->err.rc != WF_OK)
		json_decref(list);
	else
		json_object_set_new(reading->json, "items", list);
}

static enum wf_rc preview_within(struct reading *reading,
    const struct wf_request *request, struct wf_inspection *how, size_t bytes)
{
	enum wf_rc rc;

	reading->left = bytes;
	rc = wf_engine_inspect_after(reading->rest->server->engine, request,
	    how, reading->started, read_started, reading, &reading->err);
	return rc == WF_OK ? reading->err.rc : rc;
}

/* One at a time, so that threads are left for those who read. */
static enum wf_rc preview_long(
    struct reading *reading, const struct wf_request *request)
{
	struct wf_server *server = reading->rest->server;
	struct wf_inspection how = { .maximum = UINT64_MAX };
	enum wf_rc rc;

	wf_error_clear(&reading->err);
	if (atomic_exchange(&server->previews, true))
		return wf_fail(&reading->err, WF_UNAVAILABLE,
		    "another preview is made that takes long or is large: try "
		    "again later");
	rc = preview_within(reading, request, &how, WF_REST_ITEM_DATA_BYTES);
	atomic_store(&server->previews, false);
	return rc;
}

/* Adds what the enabled item would start with. */
static enum wf_rc preview(struct reading *reading, uint64_t number)
{
	struct wf_request request = { .number = number,
		.command = { .kind = WF_COMMAND_START, .item = reading->id } };
	struct wf_buffer enablement = reading->xml;
	size_t before;
	enum wf_rc rc;

	wf_buffer_init(&reading->xml, WF_REST_ITEM_DATA_BYTES);
	wf_buffer_puts(&reading->xml, "<preview>");
	if (enablement.length > 0) {
		wf_buffer_puts(&reading->xml, "<enablement>");
		wf_buffer_append(&reading->xml, wf_buffer_text(&enablement),
		    enablement.length);
		wf_buffer_puts(&reading->xml, "</enablement>");
	}
	wf_buffer_free(&enablement);
	before = reading->xml.length;
	rc = preview_within(reading, &request, NULL, PREVIEW_BYTES);
	if (rc == WF_LIMIT) {
		reading->xml.length = before;
		rc = preview_long(reading, &request);
	}
	wf_buffer_puts(&reading->xml, "</preview>");
	if (rc == WF_OK && reading->xml.full)
		rc = wf_fail(&reading->err, WF_LIMIT,
		    "the preview has more than %zu bytes",
		    WF_REST_ITEM_DATA_BYTES);
	return rc;
}

/* --- the operation -------------------------------------------------------- */

static enum wf_rc read_data(struct reading *reading, uint64_t number)
{
	enum wf_rc rc = wf_engine_inspect(reading->rest->server->engine, number,
	    read_item, reading, &reading->err);

	if (rc == WF_OK)
		rc = reading->err.rc;
	if (rc == WF_OK && reading->is_enabled)
		rc = preview(reading, number);
	return rc;
}

void wf_rest_show_item_data(struct wf_rest *rest)
{
	struct reading reading = { .rest = rest,
		.id = rest->parts[0],
		.wants_xml = wf_rest_wants_xml(rest) };
	struct wf_known_case known;

	if (!wf_rest_known_case_of_item(rest, reading.id, &known))
		return;
	wf_buffer_init(&reading.xml, WF_REST_ITEM_DATA_BYTES);
	if (read_data(&reading, known.number) != WF_OK) {
		json_decref(reading.json);
		wf_rest_fail(rest, &reading.err);
	} else if (reading.wants_xml) {
		wf_exchange_answer(rest->exchange, 200, "application/xml",
		    wf_buffer_text(&reading.xml), reading.xml.length);
	} else {
		wf_rest_answer(rest, 200, reading.json);
	}
	wf_buffer_free(&reading.xml);
}
