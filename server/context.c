/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context: entering and leaving, and the cases that are known by their ids.
 *
 * Every request for a case names its id, but the engine wants its number.  A
 * table of fixed size remembers the numbers of the cases used last, so that a
 * command needs no read of the store.  The place of an id is its hash; a case
 * replaces the one that had the same place.
 */
#include "server/context.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/codec.h"
#include "base/panic.h"
#include "server/answer_cache.h"

/* How long statistics are kept, and what metrics have labels of. */
#define STATISTICS_MS (INT64_C(90) * 86400000)
#define LABELS 200U

/* What many ask for is made again after this time. */
#define ANSWERS_KEPT_MS 2000

/* Places for known cases: 3.5 MB, touched only as they are used. */
#define CASES_KEPT 32768U
/* Then it is read again: it may have been migrated. */
#define KNOWN_MS 10000
/* "namespace/id" with its NUL. */
#define NAME_SIZE 96

struct wf_met_case {
	char name[NAME_SIZE]; /* "namespace/id"; "": the place is free */
	struct wf_known_case known;
	int64_t until; /* by the monotonic clock */
};

void wf_server_settings_init(struct wf_server_settings *settings)
{
	memset(settings, 0, sizeof(*settings));
	wf_engine_settings_init(&settings->engine);
	settings->engine.url = "sqlite:weft.db";
	settings->engine.flags = WF_STORE_CREATE | WF_STORE_MIGRATE;
	settings->engine.threads = true;
	settings->http.address = "127.0.0.1";
	settings->http.port = 8090;
	settings->http.threads = 2;
	settings->http.connections = 20000;
	settings->http.idle_seconds = 60;
	settings->http.body_bytes = (size_t)32 << 20;
	settings->http.bodies_bytes = (size_t)256 << 20;
	settings->http.answers_bytes = (size_t)256 << 20;
	settings->http.share = 25;
	settings->cors_origins = "";
	settings->mail =
	    (struct wf_mail_settings){ "", "", "", "", "", "", "" };
	settings->notifier.keep_ms = INT64_C(3) * 86400000;
	settings->notifier.waiting = 10000;
	settings->document_bytes = (size_t)32 << 20;
	settings->case_documents_bytes = (size_t)1 << 30;
	settings->document_types = "";
	settings->readers = 4;
	settings->readers_queue = 4096;
	settings->streams.bytes = (size_t)8 << 20;
	settings->streams.maximum = 20000;
	settings->streams.keep_alive = 15;
	settings->unserved_ms = 10 * 60 * 1000;
	settings->audit_kept_ms = INT64_C(365) * 86400000;
	settings->retention.export_folder = "";
	settings->statistics =
	    (struct wf_statistics_settings){ .keep_ms = STATISTICS_MS,
		    .labels = LABELS };
	settings->sessions.idle_ms = INT64_C(3600000);
	settings->sessions.total_ms = INT64_C(43200000);
	wf_sender_settings_init(&settings->sender);
	wf_federation_settings_init(&settings->federation);
	wf_tracer_settings_init(&settings->traces);
}

struct wf_server *wf_server_new(const struct wf_server_settings *settings)
{
	struct wf_server *server = wf_calloc(1, sizeof(*server));

	server->settings = *settings;
	server->unserved_ms = settings->unserved_ms;
	pthread_mutex_init(&server->lock, NULL);
	wf_gate_init(&server->gate);
	server->met = wf_calloc(CASES_KEPT, sizeof(*server->met));
	server->counts.times.unit = 128;
	server->answers = wf_answer_cache_new(ANSWERS_KEPT_MS);
	return server;
}

void wf_server_free(struct wf_server **server)
{
	struct wf_server *old = *server;

	*server = NULL;
	if (old == NULL)
		return;
	wf_gate_destroy(&old->gate);
	wf_answer_cache_free(&old->answers);
	wf_free(old->met);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}

/* --- entering and leaving ------------------------------------------------- */

bool wf_server_enter(struct wf_server *server)
{
	return wf_gate_enter(&server->gate);
}

void wf_server_leave(struct wf_server *server)
{
	wf_gate_leave(&server->gate);
}

void wf_server_close_entrance(struct wf_server *server)
{
	wf_gate_close(&server->gate);
}

void wf_server_await_empty(struct wf_server *server)
{
	wf_gate_await_empty(&server->gate);
}

/* --- known cases ---------------------------------------------------------- */

/* Returns the place of a case, and writes its name, which is its key. */
static struct wf_met_case *place_of(struct wf_server *server,
    uint32_t namespace_id, const char *id, char name[NAME_SIZE])
{
	int length = snprintf(name, NAME_SIZE, "%u/%.70s", namespace_id, id);

	wf_assert(length > 0 && length < NAME_SIZE);
	return &server->met[wf_hash(0, name, (size_t)length) % CASES_KEPT];
}

bool wf_server_known_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, struct wf_known_case *known_out)
{
	char name[NAME_SIZE];
	const struct wf_met_case *met =
	    place_of(server, namespace_id, id, name);
	bool is_known;

	pthread_mutex_lock(&server->lock);
	is_known =
	    strcmp(met->name, name) == 0 && wf_monotonic_ms() < met->until;
	if (is_known)
		*known_out = met->known;
	pthread_mutex_unlock(&server->lock);
	return is_known;
}

void wf_server_know_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, const struct wf_known_case *known)
{
	char name[NAME_SIZE];
	struct wf_met_case *met = place_of(server, namespace_id, id, name);

	wf_assert(known->number != 0); /* 0 is no case */
	pthread_mutex_lock(&server->lock);
	memcpy(met->name, name, sizeof(name));
	met->known = *known;
	met->until = wf_monotonic_ms() + KNOWN_MS;
	pthread_mutex_unlock(&server->lock);
}

void wf_server_forget_case(
    struct wf_server *server, uint32_t namespace_id, const char *id)
{
	char name[NAME_SIZE];
	struct wf_met_case *met = place_of(server, namespace_id, id, name);

	pthread_mutex_lock(&server->lock);
	if (strcmp(met->name, name) == 0)
		met->name[0] = '\0';
	pthread_mutex_unlock(&server->lock);
}

static enum wf_rc read_case(struct wf_store *store, uint32_t namespace_id,
    const char *id, struct wf_known_case *known, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_stored_case stored;
	enum wf_rc rc =
	    wf_store_find(store, namespace_id, &id, 1, &known->number, err);

	if (rc == WF_OK && known->number == 0)
		rc = WF_NOT_FOUND;
	else if (rc == WF_OK)
		rc = wf_store_case(
		    store, known->number, false, arena, &stored, err);
	if (rc == WF_OK)
		known->specification = stored.row.specification;
	/* The name of a case that was dropped stays in use. */
	if (rc == WF_NOT_FOUND) {
		if (err != NULL)
			wf_error_clear(err);
		rc = wf_fail(err, rc, "there is no case '%.64s'", id);
	}
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_server_find_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, struct wf_known_case *known_out, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc;

	if (wf_server_known_case(server, namespace_id, id, known_out))
		return WF_OK;
	rc = wf_engine_borrow(server->engine, &store, err);
	if (rc != WF_OK)
		return rc;
	rc = read_case(store, namespace_id, id, known_out, err);
	wf_engine_give_back(server->engine, store);
	if (rc == WF_OK)
		wf_server_know_case(server, namespace_id, id, known_out);
	return rc;
}
