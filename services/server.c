/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a server, and what its threads share. */
#include "services/server_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "services/rest.h"

/* Ids of cases that are remembered; then all are forgotten. */
#define CASES_MAXIMUM 100000U
#define PASSWORDS_WAITING 64U

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
	settings->http.idle = 60;
	settings->http.body = (size_t)32 << 20;
	settings->http.bodies = (size_t)256 << 20;
	settings->readers = 4;
	settings->readers_queue = 4096;
	settings->streams.bytes = (size_t)8 << 20;
	settings->streams.maximum = 20000;
	settings->streams.keep_alive = 15;
}

/* --- ids of cases --------------------------------------------------------- */

static void make_name(char name[96], uint32_t namespace_id, const char *id)
{
	snprintf(name, 96, "%u/%.70s", namespace_id, id);
}

bool wf_server_known_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, struct wf_known_case *known_out)
{
	const struct wf_known_case *known;
	char name[96];

	make_name(name, namespace_id, id);
	pthread_mutex_lock(&server->lock);
	known = wf_map_get(server->cases, name);
	if (known != NULL)
		*known_out = *known;
	pthread_mutex_unlock(&server->lock);
	return known != NULL;
}

void wf_server_know_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, const struct wf_known_case *known)
{
	struct wf_known_case *kept;
	char name[96];

	make_name(name, namespace_id, id);
	pthread_mutex_lock(&server->lock);
	if (wf_map_count(server->cases) >= CASES_MAXIMUM) {
		wf_map_free(&server->cases);
		server->cases = wf_map_new();
		wf_arena_reset(server->cases_arena);
	}
	kept = wf_arena_alloc(server->cases_arena, sizeof(*kept));
	*kept = *known;
	wf_map_add(server->cases, name, kept);
	pthread_mutex_unlock(&server->lock);
}

/* --- the first account ---------------------------------------------------- */

static enum wf_rc write_token(
    const char *path, const char *token, struct wf_error *err)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t length = strlen(token);
	bool good = file >= 0 && fchmod(file, 0600) == 0 &&
		    write(file, token, length) == (ssize_t)length &&
		    write(file, "\n", 1) == 1 && fsync(file) == 0;

	if (file >= 0)
		close(file);
	return good ? WF_OK
		    : wf_fail(err, WF_IO, "cannot write the token to %s: %s",
			  path, strerror(errno));
}

static enum wf_rc make_first_account(
    struct wf_server *server, struct wf_store *store, struct wf_error *err)
{
	static const struct wf_account admin = { "admin", WF_NAMESPACE_DEFAULT,
		WF_ADMIN };
	struct wf_arena *arena = wf_arena_new();
	struct wf_account *accounts;
	char token[WF_TOKEN_SIZE];
	size_t count;
	enum wf_rc rc = wf_account_list(store, arena, &accounts, &count, err);

	wf_arena_free(&arena);
	if (rc != WF_OK || count > 0)
		return rc;
	rc = wf_account_add(store, &admin, NULL, token, err);
	if (rc == WF_CONFLICT) { /* another node was quicker */
		wf_error_clear(err);
		return WF_OK;
	}
	if (rc == WF_OK && server->settings.token_file != NULL)
		rc = write_token(server->settings.token_file, token, err);
	return rc;
}

static enum wf_rc open_accounts(struct wf_server *server, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = make_first_account(server, store, err);
	if (rc == WF_OK)
		rc = wf_accounts_open(&server->accounts, store, err);
	wf_engine_give_back(server->engine, store);
	return rc;
}

static void note_commit(void *context)
{
	struct wf_server *server = context;

	wf_streams_wake(server->streams);
}

/* --- opening and closing -------------------------------------------------- */

enum wf_rc wf_server_open(struct wf_server **server_out,
    const struct wf_server_settings *settings, struct wf_error *err)
{
	struct wf_server *server = wf_calloc(1, sizeof(*server));
	struct wf_http_calls calls;
	enum wf_rc rc;

	server->settings = *settings;
	wf_rest_calls(server, &calls);
	pthread_mutex_init(&server->lock, NULL);
	server->cases = wf_map_new();
	server->cases_arena = wf_arena_new();
	server->streams = wf_streams_new(&settings->streams);
	server->settings.engine.committed = note_commit;
	server->settings.engine.context = server;
	*server_out = server;
	rc = wf_engine_open(&server->engine, &server->settings.engine, err);
	if (rc == WF_OK)
		rc = open_accounts(server, err);
	if (rc == WF_OK)
		rc = wf_pool_open(&server->pool, settings->readers,
		    settings->readers_queue, err);
	if (rc == WF_OK)
		rc =
		    wf_pool_open(&server->passwords, 1, PASSWORDS_WAITING, err);
	if (rc == WF_OK)
		rc = wf_streams_start(
		    server->streams, server->engine, server->pool, err);
	if (rc == WF_OK)
		rc = wf_http_open(
		    &server->http, &server->settings.http, &calls, err);
	if (rc != WF_OK)
		wf_server_close(server_out);
	return rc;
}

uint16_t wf_server_port(const struct wf_server *server)
{
	return wf_http_port(server->http);
}

void wf_server_close(struct wf_server **server)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct wf_server *old = *server;

	*server = NULL;
	if (old == NULL)
		return;
	atomic_store(&old->closing, true);
	if (old->http != NULL)
		wf_http_drain(old->http);
	while (atomic_load(&old->inside) > 0)
		nanosleep(&pause, NULL);
	wf_streams_end(old->streams);
	/* These answer all that they were given. */
	wf_pool_close(&old->passwords);
	wf_pool_close(&old->pool);
	wf_engine_close(&old->engine);
	wf_http_close(&old->http);
	wf_streams_free(&old->streams);
	wf_accounts_close(&old->accounts);
	wf_map_free(&old->cases);
	wf_arena_free(&old->cases_arena);
	pthread_mutex_destroy(&old->lock);
	wf_free(old);
}
