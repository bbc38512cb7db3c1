/* SPDX-License-Identifier: Apache-2.0 */
#include "yawl/interface_e.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/xml_writer.h"

#define PAGE 256U

/* --- answers -------------------------------------------------------------- */

void wf_log_fail(struct wf_yawl_call *call, const char *text)
{
	wf_buffer_reset(&call->out);
	wf_xml_put_element(&call->out, "failure", text);
	wf_yawl_answer(call);
}

void wf_log_fail_to_read(struct wf_yawl_call *call)
{
	wf_log_fail(call, "Unable to retrieve data.");
}

void wf_log_answer_rows(
    struct wf_yawl_call *call, bool any, const char *name, enum wf_rc rc)
{
	if (rc != WF_OK) {
		wf_log_fail_to_read(call);
	} else if (!any) {
		wf_log_fail(call, "No rows returned.");
	} else {
		wf_buffer_printf(&call->out, "</%s>", name);
		wf_yawl_answer(call);
	}
}

void wf_log_open_with_key(
    struct wf_yawl_call *call, const char *name, const char *of, uint64_t key)
{
	wf_buffer_printf(&call->out, "<%s %s=\"%" PRIu64 "\">", name, of, key);
}

void wf_log_open_with_text(struct wf_yawl_call *call, const char *name,
    const char *of, const char *text)
{
	wf_buffer_printf(&call->out, "<%s", name);
	wf_xml_put_attribute(&call->out, of, text);
	wf_buffer_putc(&call->out, '>');
}

uint64_t wf_log_key_asked(const struct wf_yawl_call *call)
{
	const char *text = wf_yawl_parameter(call, "key");

	return text == NULL || *text < '0' || *text > '9'
		   ? 0
		   : strtoull(text, NULL, 10);
}

/* --- specifications ------------------------------------------------------- */

/* Identifier, version and URI with the defaults of YAWL's clients. */
static struct wf_yawl_spec_id named_spec(const struct wf_yawl_call *call)
{
	struct wf_yawl_spec_id id = { wf_yawl_parameter(call, "identifier"),
		wf_yawl_parameter(call, "version"),
		wf_yawl_parameter(call, "uri") };

	if (id.identifier != NULL &&
	    (*id.identifier == '\0' || strcmp(id.identifier, "null") == 0))
		id.identifier = NULL;
	if (id.version == NULL)
		id.version = "0.1";
	if (id.uri == NULL)
		id.uri = "null";
	return id;
}

/* The loaded ones first, then those that were removed. */
static enum wf_rc list_specs(struct wf_yawl_call *call, struct wf_store *store,
    struct wf_specification_row **rows_out, size_t *count_out)
{
	struct wf_specification_filter filter = {
		.namespace_id = WF_NAMESPACE_DEFAULT, .removed = true
	};
	struct wf_specification_list list;
	enum wf_rc rc =
	    wf_store_specifications(store, &filter, call->arena, &list, NULL);

	*count_out = 0;
	if (rc != WF_OK)
		return rc;
	*rows_out = wf_arena_array(call->arena, list.count, sizeof(**rows_out));
	for (int removed = 0; removed <= 1; removed++)
		for (size_t i = 0; i < list.count; i++)
			if (list.rows[i].removed == (removed != 0))
				(*rows_out)[(*count_out)++] = list.rows[i];
	return WF_OK;
}

bool wf_log_list_specs(struct wf_yawl_call *call,
    struct wf_specification_row **rows_out, size_t *count_out)
{
	struct wf_engine *engine = call->server->engine;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, NULL);

	if (rc == WF_OK) {
		rc = list_specs(call, store, rows_out, count_out);
		wf_engine_give_back(engine, store);
	}
	if (rc != WF_OK)
		wf_log_fail_to_read(call);
	return rc == WF_OK;
}

bool wf_log_find_spec(
    struct wf_yawl_call *call, struct wf_specification_row *row_out)
{
	struct wf_specification_row *rows;
	struct wf_yawl_spec_id id = named_spec(call);
	bool by_key = wf_yawl_parameter(call, "key") != NULL;
	size_t count;
	uint64_t key = wf_log_key_asked(call);

	if (!wf_log_list_specs(call, &rows, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		*row_out = rows[i];
		if (by_key ? wf_log_key_of_spec(row_out->key) == key
			   : wf_yawl_spec_is(row_out, &id))
			return true;
	}
	if (by_key)
		wf_log_fail(call, "Unknown key.");
	else
		wf_log_fail(call, wf_arena_printf(call->arena,
				      "No records for specification '%s'.",
				      wf_yawl_spec_text(call, &id)));
	return false;
}

/* --- cases ---------------------------------------------------------------- */

enum wf_rc wf_log_each_case(struct wf_yawl_call *call, uint64_t specification,
    enum wf_rc (*visit)(void *context, const struct wf_case_row *row),
    void *context)
{
	struct wf_case_filter filter = { .namespace_id = WF_NAMESPACE_DEFAULT,
		.specifications = wf_one_specification(&specification),
		.limit = PAGE };
	struct wf_engine *engine = call->server->engine;
	struct wf_case_list list = { .count = PAGE };
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && list.count == PAGE) {
		struct wf_arena *arena = wf_arena_new();
		struct wf_store *store;

		rc = wf_engine_borrow(engine, &store, NULL);
		if (rc == WF_OK) {
			rc = wf_store_cases(store, &filter, arena, &list, NULL);
			wf_engine_give_back(engine, store);
		}
		for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
			rc = visit(context, &list.rows[i].row);
			filter.after = list.rows[i].row.number;
		}
		wf_arena_free(&arena);
	}
	return rc;
}

enum wf_rc wf_log_show(struct wf_yawl_call *call, const struct wf_case_row *row,
    bool first, wf_keyed_log_f how, void *context)
{
	enum wf_rc rc = wf_keyed_log_show(call, row, first, how, context, NULL);

	return rc == WF_GONE || rc == WF_CORRUPT ? WF_OK : rc;
}

enum wf_rc wf_log_show_case(struct wf_yawl_call *call, uint64_t number,
    wf_keyed_log_f how, void *context)
{
	struct wf_engine *engine = call->server->engine;
	struct wf_arena *arena = wf_arena_new();
	struct wf_stored_case stored;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, NULL);

	if (rc == WF_OK) {
		rc = wf_store_case(store, number, false, arena, &stored, NULL);
		wf_engine_give_back(engine, store);
		if (rc == WF_OK)
			rc =
			    wf_log_show(call, &stored.row, false, how, context);
		if (rc == WF_NOT_FOUND)
			rc = WF_OK;
	}
	wf_arena_free(&arena);
	return rc;
}
