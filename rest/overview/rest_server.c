/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes on the store, the store, this node, and its settings. */
#include <sodium.h>

#include "data/type.h"
#include "http/fetch.h"
#include "persistence/nodes.h"
#include "rest/overview/rest_overview.h"

/* A store that is not shared has no record of its node. */
static void put_own_node(struct wf_rest *rest, struct wf_node_list *nodes)
{
	struct wf_node *node = wf_arena_alloc(rest->arena, sizeof(*node));
	char *host = wf_arena_alloc(rest->arena, WF_HOST_NAME_BYTES);

	wf_engine_describe_node(rest->server->engine, host, node);
	*nodes = (struct wf_node_list){ node, 1 };
}

static json_t *describe_nodes(const struct wf_node_list *nodes, uint64_t own)
{
	json_t *array = json_array();

	for (size_t i = 0; i < nodes->count; i++) {
		const struct wf_node *node = &nodes->rows[i];
		json_t *object = json_object();

		wf_json_put_number(object, "node", node->number);
		json_object_set_new(
		    object, "this", json_boolean(node->number == own));
		wf_json_put_text(object, "host", node->host);
		wf_json_put_text(object, "version", node->program);
		json_object_set_new(
		    object, "tables", json_integer(node->version));
		wf_json_put_time(object, "started", node->started_at);
		wf_json_put_time(object, "seen", node->seen_at);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *describe_store(struct wf_store *store,
    const struct wf_store_backlog *backlog,
    const struct wf_store_measure *measure, int64_t now)
{
	json_t *object = json_object();

	json_object_set_new(object, "program", json_string(measure->program));
	json_object_set_new(
	    object, "bytes", json_integer((json_int_t)measure->bytes));
	if (measure->oldest_transaction != 0)
		wf_json_put_time(
		    object, "oldest_transaction", measure->oldest_transaction);
	json_object_set_new(object, "url", json_string(wf_store_url(store)));
	json_object_set_new(
	    object, "identity", json_string(wf_store_identity(store)));
	json_object_set_new(
	    object, "shared", json_boolean(wf_store_is_shared(store)));
	json_object_set_new(
	    object, "tables", json_integer(wf_store_version(store)));
	json_object_set_new(object, "due_lag",
	    json_real(backlog->next_due < now
			  ? (double)(now - backlog->next_due) / 1000
			  : 0));
	json_object_set_new(object, "outbox_lag",
	    json_real(backlog->oldest_message < now
			  ? (double)(now - backlog->oldest_message) / 1000
			  : 0));
	return object;
}

/* Those that are in use, by name. */
static json_t *describe_libraries(struct wf_arena *arena)
{
	const struct {
		const char *name;
		const char *version;
	} rows[] = {
		{ "jansson", jansson_version_str() },
		{ "libcurl", wf_http_fetch_version() },
		{ "libmicrohttpd", wf_http_version() },
		{ "libsodium", sodium_version_string() },
		{ "libxml2", wf_xml_version(arena) },
	};
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		json_object_set_new(
		    object, rows[i].name, json_string(rows[i].version));
	return object;
}

static json_t *describe_load(struct wf_server *server)
{
	struct wf_engine_counts counts;
	json_t *object = json_object();
	unsigned shard;

	wf_engine_counts(server->engine, &counts);
	json_object_set_new(
	    object, "steps", json_integer((json_int_t)counts.steps));
	json_object_set_new(
	    object, "batches", json_integer((json_int_t)counts.batches));
	json_object_set_new(
	    object, "queued", json_integer((json_int_t)counts.queued));
	json_object_set_new(object, "cached_cases",
	    json_integer((json_int_t)counts.cached_cases));
	json_object_set_new(object, "cached_bytes",
	    json_integer((json_int_t)counts.cached_bytes));
	json_object_set_new(object, "busy",
	    json_real(
		(double)wf_engine_busy_ms(server->engine, &shard) / 1000));
	return object;
}

static json_t *describe_settings(const struct wf_server_settings *settings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < settings->shown_count; i++) {
		const struct wf_setting_shown *row = &settings->shown[i];
		json_t *object = json_object();

		json_object_set_new(object, "key", json_string(row->key));
		json_object_set_new(
		    object, "value", json_string(atomic_load(&row->value)));
		json_object_set_new(
		    object, "source", json_string(atomic_load(&row->source)));
		json_object_set_new(
		    object, "reloaded", json_boolean(row->is_reloaded));
		json_object_set_new(
		    object, "meaning", json_string(row->meaning));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *describe(struct wf_rest *rest, struct wf_store *store,
    const struct wf_node_list *nodes, const struct wf_store_backlog *backlog,
    const struct wf_store_measure *measure)
{
	struct wf_server *server = rest->server;
	int64_t now = wf_engine_now(server->engine);
	json_t *answer = json_object();

	json_object_set_new(answer, "version", json_string(PACKAGE_VERSION));
	json_object_set_new(answer, "licence", json_string("Apache-2.0"));
	wf_json_put_time(answer, "now", now);
	wf_json_put_number(answer, "node", wf_engine_node(server->engine));
	json_object_set_new(answer, "nodes",
	    describe_nodes(nodes, wf_engine_node(server->engine)));
	json_object_set_new(
	    answer, "store", describe_store(store, backlog, measure, now));
	json_object_set_new(
	    answer, "libraries", describe_libraries(rest->arena));
	json_object_set_new(answer, "load", describe_load(server));
	json_object_set_new(
	    answer, "settings", describe_settings(&server->settings));
	return answer;
}

void wf_rest_show_server(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store_backlog backlog;
	struct wf_store_measure measure;
	struct wf_node_list nodes;
	struct wf_store *store;
	json_t *answer = NULL;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_store_nodes(store, wf_engine_now(rest->server->engine),
	    rest->arena, &nodes, &err);
	if (rc == WF_OK) /* for its times; nothing is counted */
		rc = wf_store_backlog(store, 1, &backlog, &err);
	if (rc == WF_OK)
		rc = wf_store_measure(store, rest->arena, &measure, &err);
	if (rc == WF_OK && !wf_store_is_shared(store))
		put_own_node(rest, &nodes);
	if (rc == WF_OK)
		answer = describe(rest, store, &nodes, &backlog, &measure);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(rest, 200, answer);
}
