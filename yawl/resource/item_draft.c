/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/resource/item_draft.h"

#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "kernel/step.h"

/* --- the store ------------------------------------------------------------ */

/* A new reference, as it is stored; NULL: there is none. */
static json_t *read_draft(struct wf_gateway_call *call, const char *id)
{
	struct wf_yawl_call *yawl = &call->yawl;
	struct wf_bytes draft = { NULL, 0 };
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_yawl_find_case_of(yawl, id) ||
	    wf_engine_borrow(yawl->server->engine, &store, &err) != WF_OK)
		return NULL;
	rc = wf_store_draft(
	    store, yawl->known.number, id, yawl->arena, &draft, &err);
	wf_engine_give_back(yawl->server->engine, store);
	return rc == WF_OK && draft.data != NULL
		   ? json_loadb(draft.data, draft.size, 0, NULL)
		   : NULL;
}

static enum wf_rc write_draft(struct wf_gateway_call *call, const char *id,
    const char *queue, const json_t *draft, struct wf_error *err)
{
	struct wf_yawl_call *yawl = &call->yawl;
	char *text = wf_json_dump(draft, JSON_COMPACT | JSON_SORT_KEYS);
	struct wf_draft_write write = { .number = yawl->known.number,
		.id = id,
		.queue = queue,
		.draft = { text, strlen(text) } };
	struct wf_store *store;
	enum wf_rc rc = WF_OK;

	if (write.draft.size > WF_DRAFT_BYTES)
		rc = wf_fail(err, WF_LIMIT,
		    "what is saved of an item has at most %u bytes",
		    WF_DRAFT_BYTES);
	if (rc == WF_OK)
		rc = wf_engine_borrow(yawl->server->engine, &store, err);
	if (rc == WF_OK) {
		rc = wf_store_put_draft(store, &write, err);
		wf_engine_give_back(yawl->server->engine, store);
	}
	free(text);
	return rc;
}

/* --- data ----------------------------------------------------------------- */

/* Data between XML and JSON, by the outputs of the item's task. */
struct conversion {
	const char *id;
	const char *xml; /* to JSON */
	json_t *json;
	struct wf_buffer out; /* to XML */
};

static void put_output(struct conversion *conversion,
    const struct wf_variable *output, const struct wf_value_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (wf_value_is_named(list->values[i], output->name))
			json_object_set_new(conversion->json, output->name,
			    wf_json_of_value(output->type, list->values[i]));
}

static void convert_to_json(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct conversion *conversion = context;
	struct wf_value_list list;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, conversion->id, &item, NULL) != WF_OK ||
	    wf_value_list_parse(
		&list, conversion->xml, strlen(conversion->xml), NULL) != WF_OK)
		return;
	for (size_t i = 0; i < item.task->decomposition->output_count; i++)
		put_output(
		    conversion, &item.task->decomposition->outputs[i], &list);
	wf_value_list_free(&list);
}

static void convert_to_xml(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct conversion *conversion = context;
	const struct wf_decomposition *work;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, conversion->id, &item, NULL) != WF_OK)
		return;
	work = item.task->decomposition;
	wf_buffer_printf(&conversion->out, "<%s>", work->root_name);
	for (size_t i = 0; i < work->output_count; i++) {
		const json_t *value =
		    json_object_get(conversion->json, work->outputs[i].name);

		/* The completion says what is wrong with it. */
		if (value != NULL && wf_json_put_xml(work->outputs[i].type,
					 work->outputs[i].name, value,
					 &conversion->out, NULL) != WF_OK)
			continue;
	}
	wf_buffer_printf(&conversion->out, "</%s>", work->root_name);
}

static bool is_output(
    const struct wf_decomposition *work, const struct wf_value *value)
{
	for (size_t i = 0; i < work->output_count; i++)
		if (wf_value_is_named(value, work->outputs[i].name))
			return true;
	return false;
}

/* The outputs of the XML. */
static void keep_outputs(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct conversion *conversion = context;
	const struct wf_decomposition *work;
	struct wf_value_list list;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, conversion->id, &item, NULL) != WF_OK ||
	    wf_value_list_parse(
		&list, conversion->xml, strlen(conversion->xml), NULL) != WF_OK)
		return;
	work = item.task->decomposition;
	wf_buffer_printf(&conversion->out, "<%s>", work->root_name);
	for (size_t i = 0; i < list.count; i++)
		if (is_output(work, list.values[i]))
			wf_buffer_append(&conversion->out,
			    wf_value_text(list.values[i]),
			    list.values[i]->length);
	wf_buffer_printf(&conversion->out, "</%s>", work->root_name);
	wf_value_list_free(&list);
}

static void convert(struct wf_gateway_call *call, wf_inspect_f how,
    struct conversion *conversion)
{
	struct wf_error err = { .rc = WF_OK };

	(void)(wf_engine_inspect(call->yawl.server->engine,
		   call->yawl.known.number, how, conversion, &err) == WF_OK);
}

/* --- texts ---------------------------------------------------------------- */

const char *wf_item_draft_text(const json_t *draft, const char *member)
{
	return json_string_value(json_object_get(draft, member));
}

static void set_text(json_t *draft, const char *member, const char *text)
{
	if (text != NULL)
		json_object_set_new(draft, member, json_string(text));
}

enum wf_rc wf_item_draft_put(struct wf_gateway_call *call, const char *id,
    const struct wf_item_texts *texts, struct wf_error *err)
{
	struct conversion conversion = { .id = id, .xml = texts->xml };
	json_t *draft = read_draft(call, id);
	enum wf_rc rc;

	if (draft == NULL)
		draft = json_pack("{s:{}}", "data");
	json_object_set_new(draft, "at",
	    json_integer(wf_engine_now(call->yawl.server->engine)));
	json_object_set_new(draft, "by", json_string(call->yawl.user));
	set_text(draft, "xml", texts->xml);
	set_text(draft, "documentation", texts->documentation);
	set_text(draft, "tag", texts->tag);
	if (texts->xml != NULL) {
		conversion.json = json_object();
		convert(call, convert_to_json, &conversion);
		json_object_set_new(draft, "data", conversion.json);
	}
	rc = write_draft(call, id, texts->queue, draft, err);
	json_decref(draft);
	return rc;
}

enum wf_rc wf_item_draft_drop_data(
    struct wf_gateway_call *call, const char *id, struct wf_error *err)
{
	json_t *draft = read_draft(call, id);
	enum wf_rc rc = WF_OK;

	if (draft != NULL) {
		json_object_del(draft, "xml");
		json_object_set_new(draft, "data", json_object());
		rc = write_draft(call, id, NULL, draft, err);
	}
	json_decref(draft);
	return rc;
}

json_t *wf_item_draft_show(struct wf_gateway_call *call, const char *id)
{
	json_t *draft = read_draft(call, id);
	struct conversion conversion = { .id = id,
		.json = json_object_get(draft, "data") };

	if (wf_item_draft_text(draft, "xml") != NULL ||
	    json_object_size(conversion.json) == 0)
		return draft;
	wf_buffer_init(&conversion.out, WF_YAWL_ANSWER_BYTES);
	convert(call, convert_to_xml, &conversion);
	set_text(draft, "xml", wf_buffer_text(&conversion.out));
	wf_buffer_free(&conversion.out);
	return draft;
}

const char *wf_item_draft_data(struct wf_gateway_call *call, const char *id)
{
	json_t *draft = wf_item_draft_show(call, id);
	struct conversion conversion = { .id = id,
		.xml = wf_item_draft_text(draft, "xml") };
	const char *data = NULL;

	if (conversion.xml != NULL) {
		wf_buffer_init(&conversion.out, WF_YAWL_ANSWER_BYTES);
		convert(call, keep_outputs, &conversion);
		data = wf_arena_strdup(
		    call->yawl.arena, wf_buffer_text(&conversion.out));
		wf_buffer_free(&conversion.out);
	}
	json_decref(draft);
	return data;
}
