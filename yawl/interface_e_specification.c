/* SPDX-License-Identifier: Apache-2.0 */
/* Interface E: specifications and their whole logs, statistics, services. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/xml_writer.h"
#include "history/xes_export.h"
#include "yawl/interface_e.h"
#include "yawl/parameter.h"

/* --- specifications ------------------------------------------------------- */

static void take_root(void *context, const struct wf_spec *spec)
{
	*(uint32_t *)context = spec->root->decomposition->number;
}

static void put_spec(
    struct wf_yawl_call *call, const struct wf_specification_row *row)
{
	uint32_t root = 0;

	/* A specification that cannot be read is listed without its root. */
	if (wf_engine_inspect_spec(call->server->engine, WF_NAMESPACE_DEFAULT,
		row->key, false, take_root, &root, NULL) != WF_OK)
		root = 0;
	wf_log_open_with_key(
	    call, "specification", "key", wf_log_key_of_spec(row->key));
	wf_buffer_puts(&call->out, "<id>");
	wf_xml_put_optional(
	    &call->out, "identifier", wf_yawl_identifier(call, row));
	wf_yawl_put_version(&call->out, "version", row->version);
	wf_xml_put_element(&call->out, "uri", row->uri);
	wf_buffer_printf(&call->out,
	    "</id><rootnetkey>%" PRIu64 "</rootnetkey></specification>",
	    wf_log_key_of_net(row->key, root));
}

static enum wf_rc has_cases(
    struct wf_yawl_call *call, uint64_t specification, bool *has_out)
{
	const struct wf_case_filter filter = { .namespace_id =
						   WF_NAMESPACE_DEFAULT,
		.specifications = wf_one_specification(&specification),
		.limit = 1 };
	struct wf_engine *engine = call->server->engine;
	struct wf_case_list list = { .count = 0 };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, NULL);

	if (rc == WF_OK) {
		rc = wf_store_cases(store, &filter, call->arena, &list, NULL);
		wf_engine_give_back(engine, store);
	}
	*has_out = list.count > 0;
	return rc;
}

/* A specification is in the log once it has had a case. */
void wf_yawl_log_specifications(struct wf_yawl_call *call)
{
	struct wf_specification_row *rows;
	enum wf_rc rc = WF_OK;
	bool any = false;
	size_t count;

	if (!wf_log_list_specs(call, &rows, &count))
		return;
	wf_buffer_puts(&call->out, "<specifications>");
	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		bool has;

		rc = has_cases(call, rows[i].key, &has);
		if (rc == WF_OK && has)
			put_spec(call, &rows[i]);
		any |= has;
	}
	wf_log_answer_rows(call, any, "specifications", rc);
}

/* --- services ------------------------------------------------------------- */

static const char *find_service(struct wf_yawl_call *call, uint64_t key)
{
	struct wf_services *services = call->server->services;
	const struct wf_service_set *set = wf_services_hold(services);
	const char *found = NULL;

	for (size_t i = 0; i < set->count && found == NULL; i++)
		if (set->rows[i].namespace_id == WF_NAMESPACE_DEFAULT &&
		    wf_log_key_of_service(set->rows[i].name) == key)
			found = wf_arena_strdup(call->arena, set->rows[i].name);
	wf_services_let_go(services, set);
	return found;
}

static enum wf_rc find_client(
    struct wf_yawl_call *call, uint64_t key, const char **name_out)
{
	struct wf_engine *engine = call->server->engine;
	struct wf_yawl_clients clients;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, NULL);

	if (rc != WF_OK)
		return rc;
	rc = wf_yawl_client_list(store, call->arena, &clients, NULL);
	wf_engine_give_back(engine, store);
	for (size_t i = 0; rc == WF_OK && i < clients.count; i++)
		if (wf_log_key_of_service(clients.rows[i].name) == key)
			*name_out = clients.rows[i].name;
	return rc;
}

void wf_yawl_log_service(struct wf_yawl_call *call)
{
	uint64_t key = wf_log_key_asked(call);
	const char *name = find_service(call, key);
	enum wf_rc rc = WF_OK;

	if (name == NULL)
		rc = find_client(call, key, &name);
	if (rc != WF_OK) {
		wf_log_fail_to_read(call);
	} else if (name == NULL) {
		wf_log_fail(call, "Unknown key.");
	} else {
		wf_xml_put_element(&call->out, "service", name);
		wf_yawl_answer(call);
	}
}

/* --- whole logs ----------------------------------------------------------- */

struct whole {
	struct wf_yawl_call *call;
	struct wf_specification_row row;
	bool any;
};

static void put_whole_case(void *context, const struct wf_keyed_log *log)
{
	struct whole *whole = context;

	wf_log_open_with_text(whole->call, "case", "id", log->name);
	put_spec(whole->call, &whole->row);
	wf_keyed_log_put_whole_net(log, &log->instances[0]);
	wf_buffer_puts(&whole->call->out, "</case>");
	whole->any = true;
}

static enum wf_rc visit_whole(void *context, const struct wf_case_row *row)
{
	struct whole *whole = context;

	return wf_log_show(whole->call, row, false, put_whole_case, whole);
}

static enum wf_rc find_row(struct wf_yawl_call *call, uint64_t specification,
    struct wf_specification_row *row_out)
{
	struct wf_engine *engine = call->server->engine;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, NULL);

	if (rc != WF_OK)
		return rc;
	rc = wf_store_specification(store, WF_NAMESPACE_DEFAULT, specification,
	    call->arena, row_out, NULL);
	wf_engine_give_back(engine, store);
	return rc;
}

void wf_yawl_log_case(struct wf_yawl_call *call)
{
	const char *case_id = wf_yawl_parameter(call, "caseid");
	struct whole whole = { .call = call };
	enum wf_rc rc = WF_OK;

	if (wf_yawl_find_case(call, case_id)) {
		rc = find_row(call, call->known.specification, &whole.row);
		if (rc == WF_OK)
			rc = wf_log_show_case(
			    call, call->known.number, put_whole_case, &whole);
	}
	if (rc != WF_OK)
		wf_log_fail_to_read(call);
	else if (whole.any)
		wf_yawl_answer(call);
	else
		wf_log_fail(call,
		    wf_arena_printf(call->arena, "No full record of case '%s'.",
			case_id == NULL ? "null" : case_id));
}

void wf_yawl_log_cases(struct wf_yawl_call *call)
{
	struct whole whole = { .call = call };
	enum wf_rc rc;

	if (!wf_log_find_spec(call, &whole.row))
		return;
	wf_log_open_with_key(
	    call, "cases", "specKey", wf_log_key_of_spec(whole.row.key));
	rc = wf_log_each_case(call, whole.row.key, visit_whole, &whole);
	wf_log_answer_rows(call, true, "cases", rc);
}

void wf_yawl_log_xes(struct wf_yawl_call *call)
{
	const char *data = wf_yawl_parameter(call, "withdata");
	const char *known = wf_yawl_parameter(call, "ignoreUnknowns");
	struct wf_specification_row row;
	struct wf_xes_export what = { .namespace_id = WF_NAMESPACE_DEFAULT,
		.type = "text/xml; charset=UTF-8" };
	struct wf_error err = { .rc = WF_OK };

	if (!wf_log_find_spec(call, &row))
		return;
	what.specification = row.key;
	what.engine = call->server->engine;
	what.pool = call->server->pool;
	what.gate = &call->server->gate;
	what.uri = row.uri;
	what.version = row.version;
	what.data = data != NULL && strcasecmp(data, "true") == 0;
	what.all = known == NULL || strcasecmp(known, "true") != 0;
	wf_buffer_free(&call->out);
	if (wf_xes_export_begin(call->exchange, &what, &err) != WF_OK)
		wf_yawl_fail_error(call, &err);
}

/* --- counts --------------------------------------------------------------- */

static void put_ids_head(struct wf_yawl_call *call, const char *name,
    const struct wf_specification_row *row)
{
	wf_buffer_printf(&call->out, "<%s", name);
	wf_xml_put_attribute(&call->out, "id",
	    wf_arena_printf(call->arena, "%s - %s%s", row->uri, row->version,
		wf_yawl_minor(row->version)));
	wf_buffer_printf(
	    &call->out, " key=\"%" PRIu64 "\">", wf_log_key_of_spec(row->key));
}

static enum wf_rc put_id(void *context, const struct wf_case_row *row)
{
	struct wf_yawl_call *call = context;

	wf_xml_put_element(&call->out, "case", row->name);
	return WF_OK;
}

void wf_yawl_log_case_ids(struct wf_yawl_call *call)
{
	struct wf_specification_row row;
	enum wf_rc rc;

	if (!wf_log_find_spec(call, &row))
		return;
	put_ids_head(call, "cases", &row);
	rc = wf_log_each_case(call, row.key, put_id, call);
	wf_log_answer_rows(call, true, "cases", rc);
}

/* How long some cases took. */
struct durations {
	uint64_t count;
	int64_t least;
	int64_t most;
	int64_t sum;
};

struct statistics {
	int64_t from;
	int64_t to;
	uint64_t started;
	struct durations completed;
	struct durations cancelled;
};

static enum wf_rc count_case(void *context, const struct wf_case_row *row)
{
	struct statistics *all = context;
	int64_t took = row->changed_at - row->launched_at;
	struct durations *of = row->status == WF_CASE_CANCELLED
				   ? &all->cancelled
				   : &all->completed;

	if (row->launched_at >= all->from && row->launched_at <= all->to)
		all->started++;
	if (row->status <= WF_CASE_SUSPENDED || row->changed_at < all->from ||
	    row->changed_at > all->to)
		return WF_OK;
	if (of->count == 0 || took < of->least)
		of->least = took;
	if (took > of->most)
		of->most = took;
	of->sum += took;
	of->count++;
	return WF_OK;
}

/* Days, hours, minutes, seconds and milliseconds. */
static void put_duration(struct wf_buffer *xml, const char *kind,
    const char *which, bool is_there, int64_t took)
{
	char text[64] = "N/A";

	if (is_there)
		snprintf(text, sizeof(text), "%" PRId64 ":%02d:%02d:%02d.%04d",
		    took / 86400000, (int)(took / 3600000 % 24),
		    (int)(took / 60000 % 60), (int)(took / 1000 % 60),
		    (int)(took % 1000));
	wf_buffer_printf(
	    xml, "<%s%stime>%s</%s%stime>", kind, which, text, kind, which);
}

static void put_durations(
    struct wf_buffer *xml, const char *kind, const struct durations *of)
{
	bool any = of->count > 0;

	put_duration(xml, kind, "Max", any, of->most);
	put_duration(xml, kind, "Min", any, of->least);
	put_duration(
	    xml, kind, "Avg", any, any ? of->sum / (int64_t)of->count : 0);
}

static int64_t read_instant(
    const struct wf_yawl_call *call, const char *name, int64_t otherwise)
{
	const char *text = wf_yawl_parameter(call, name);
	int64_t instant = text == NULL ? -1 : strtoll(text, NULL, 10);

	return instant < 0 ? otherwise : instant;
}

void wf_yawl_log_statistics(struct wf_yawl_call *call)
{
	struct statistics all = {
		.from = read_instant(call, "from", INT64_MIN),
		.to = read_instant(call, "to", INT64_MAX),
	};
	struct wf_buffer *xml = &call->out;
	struct wf_specification_row row;
	enum wf_rc rc;

	if (!wf_log_find_spec(call, &row))
		return;
	rc = wf_log_each_case(call, row.key, count_case, &all);
	put_ids_head(call, "specification", &row);
	wf_xml_put_number(xml, "started", (int64_t)all.started);
	wf_xml_put_number(xml, "completed", (int64_t)all.completed.count);
	wf_xml_put_number(xml, "cancelled", (int64_t)all.cancelled.count);
	put_durations(xml, "completion", &all.completed);
	put_durations(xml, "cancelled", &all.cancelled);
	wf_log_answer_rows(call, true, "specification", rc);
}
