/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a server, and what its threads share. */
#include "server/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/codec.h"
#include "server/dispatch.h"
#include "work/claims.h"
#include "yawl/yawl.h"

/* Places for cases that were met lately: 3.5 MB, touched when they are used. */
#define CASES_KEPT 32768U
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
	wf_delivery_settings_init(&settings->delivery);
	settings->yawl.path = "/yawl";
	settings->yawl.worklist =
	    "http://localhost:8080/resourceService/ib#resource";
	settings->yawl.idle = 3600;
}

/* --- ids of cases --------------------------------------------------------- */

/* A case that was met lately, where its name belongs; the next one there
 * takes the place. */
struct wf_met_case {
	char name[96]; /* "namespace/id"; "": none */
	struct wf_known_case known;
};

/* The place of a name, and the name as it stands there. */
static struct wf_met_case *place_of(struct wf_server *server,
    uint32_t namespace_id, const char *id, char name[96])
{
	int length = snprintf(name, 96, "%u/%.70s", namespace_id, id);

	return &server->met[wf_hash(0, name, (size_t)length) % CASES_KEPT];
}

bool wf_server_known_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, struct wf_known_case *known_out)
{
	char name[96];
	const struct wf_met_case *met =
	    place_of(server, namespace_id, id, name);
	bool is_known;

	pthread_mutex_lock(&server->lock);
	is_known = strcmp(met->name, name) == 0;
	if (is_known)
		*known_out = met->known;
	pthread_mutex_unlock(&server->lock);
	return is_known;
}

void wf_server_know_case(struct wf_server *server, uint32_t namespace_id,
    const char *id, const struct wf_known_case *known)
{
	char name[96];
	struct wf_met_case *met = place_of(server, namespace_id, id, name);

	pthread_mutex_lock(&server->lock);
	memcpy(met->name, name, sizeof(name));
	met->known = *known;
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
		rc = wf_fail(err, WF_NOT_FOUND, "there is no case '%.64s'", id);
	if (rc == WF_OK)
		rc = wf_store_case(
		    store, known->number, false, arena, &stored, err);
	if (rc == WF_OK)
		known->specification = stored.row.specification;
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

/* --- pictures ------------------------------------------------------------- */

enum wf_rc wf_server_draw(struct wf_server *server, const struct wf_spec *spec,
    const struct wf_case *instance, struct wf_buffer *svg, struct wf_error *err)
{
	enum wf_rc rc;

	pthread_mutex_lock(&server->drawing);
	rc = server->settings.draw(spec, instance, svg, err);
	pthread_mutex_unlock(&server->drawing);
	return rc;
}

/* --- the first account ---------------------------------------------------- */

static enum wf_rc fail_token(const char *path, struct wf_error *err)
{
	return wf_fail(err, WF_IO, "cannot write the token to %s: %s", path,
	    strerror(errno));
}

static enum wf_rc write_token(
    int file, const char *path, const char *token, struct wf_error *err)
{
	size_t length = strlen(token);

	return ftruncate(file, 0) == 0 && fchmod(file, 0600) == 0 &&
		       write(file, token, length) == (ssize_t)length &&
		       write(file, "\n", 1) == 1 && fsync(file) == 0
		   ? WF_OK
		   : fail_token(path, err);
}

/* Nobody keeps an account whose token nobody knows. */
static enum wf_rc add_first_account(
    struct wf_server *server, struct wf_store *store, struct wf_error *err)
{
	static const struct wf_account admin = { .name = "admin",
		.namespace_id = WF_NAMESPACE_DEFAULT,
		.role = WF_ADMIN };
	const char *path = server->settings.token_file;
	char token[WF_TOKEN_SIZE];
	int file = -1;
	enum wf_rc rc;

	if (path != NULL) {
		file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (file < 0)
			return fail_token(path, err);
	}
	rc = wf_account_add(store, &admin, NULL, token, err);
	if (rc == WF_OK && file >= 0) {
		rc = write_token(file, path, token, err);
		if (rc != WF_OK &&
		    wf_account_remove(store, admin.name, NULL) != WF_OK)
			wf_error_prefix(err, "account admin has no token");
	}
	if (file >= 0)
		close(file);
	server->made_token = rc == WF_OK;
	return rc;
}

static enum wf_rc make_first_account(
    struct wf_server *server, struct wf_store *store, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_account *accounts;
	size_t count;
	enum wf_rc rc = wf_account_list(store, arena, &accounts, &count, err);

	wf_arena_free(&arena);
	if (rc != WF_OK || count > 0)
		return rc;
	rc = add_first_account(server, store, err);
	if (rc == WF_CONFLICT) { /* another node was quicker */
		wf_error_clear(err);
		return WF_OK;
	}
	return rc;
}

static enum wf_rc open_records(
    void *context, struct wf_store *store, struct wf_error *err)
{
	struct wf_server *server = context;
	enum wf_rc rc = make_first_account(server, store, err);

	if (rc == WF_OK)
		rc = wf_accounts_open(&server->accounts, store, err);
	if (rc == WF_OK)
		rc = wf_services_open(&server->services, store, err);
	return rc;
}

/* --- records that change -------------------------------------------------- */

/* While the store is away, those that are known stay good. */
static void read_records(struct wf_server *server)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, &err);

	if (rc == WF_OK) {
		rc = wf_accounts_refresh(server->accounts, store, &err);
		if (rc == WF_OK)
			rc = wf_services_refresh(server->services, store, &err);
		if (rc == WF_OK && server->yawl != NULL)
			rc = wf_yawl_check_accounts(server->yawl, store, &err);
		wf_engine_give_back(server->engine, store);
	}
	if (rc == WF_OK) /* else it is asked again a second later */
		wf_streams_check(server->streams, server->accounts);
	wf_server_log_accounts(server, rc, &err);
}

/* Other nodes, and the command line, change records too. */
static void *run_refresh(void *argument)
{
	struct wf_server *server = argument;
	struct timespec at;

	pthread_mutex_lock(&server->lock);
	while (!atomic_load(&server->closing)) {
		clock_gettime(CLOCK_MONOTONIC, &at);
		at.tv_sec++;
		if (pthread_cond_timedwait(
			&server->ending, &server->lock, &at) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&server->lock);
		wf_http_check(server->http);
		read_records(server);
		pthread_mutex_lock(&server->lock);
	}
	pthread_mutex_unlock(&server->lock);
	return NULL;
}

static enum wf_rc start_refresh(struct wf_server *server, struct wf_error *err)
{
	if (pthread_create(&server->refresh, NULL, run_refresh, server) != 0)
		return wf_fail(err, WF_IO, "no thread can be made");
	server->has_refresh = true;
	return WF_OK;
}

static void stop_refresh(struct wf_server *server)
{
	pthread_mutex_lock(&server->lock);
	pthread_cond_signal(&server->ending);
	pthread_mutex_unlock(&server->lock);
	if (server->has_refresh)
		pthread_join(server->refresh, NULL);
	server->has_refresh = false;
}

static void note_commit(void *context)
{
	struct wf_server *server = context;
	struct wf_delivery *delivery = atomic_load(&server->delivery);
	struct wf_claims *claims = atomic_load(&server->claims);

	wf_streams_wake(server->streams);
	if (delivery != NULL)
		wf_delivery_wake(delivery);
	if (claims != NULL)
		wf_claims_wake(claims);
}

static void announce(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	struct wf_server *server = context;
	struct wf_claims *claims = atomic_load(&server->claims);

	if (wf_delivery_announce(server->services, what, destinations) &&
	    claims != NULL)
		wf_claims_news(claims);
}

static enum wf_rc open_delivery(struct wf_server *server, struct wf_error *err)
{
	struct wf_delivery *delivery;
	struct wf_claims *claims;
	enum wf_rc rc = wf_delivery_open(&delivery, &server->settings.delivery,
	    server->engine, server->services, err);

	/* From now on they hear of commits. */
	atomic_store(&server->delivery, delivery);
	if (rc != WF_OK)
		return rc;
	rc = wf_claims_open(&claims, server, err);
	atomic_store(&server->claims, claims);
	return rc;
}

/* --- opening and closing -------------------------------------------------- */

enum wf_rc wf_server_open(struct wf_server **server_out,
    const struct wf_server_settings *settings, struct wf_error *err)
{
	struct wf_server *server = wf_calloc(1, sizeof(*server));
	struct wf_http_calls calls;
	pthread_condattr_t monotonic;
	enum wf_rc rc;

	server->settings = *settings;
	wf_entrance_calls(server, &calls);
	pthread_mutex_init(&server->lock, NULL);
	pthread_mutex_init(&server->drawing, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&server->ending, &monotonic);
	pthread_condattr_destroy(&monotonic);
	server->met = wf_calloc(CASES_KEPT, sizeof(*server->met));
	server->counts.times.unit = 128;
	server->streams = wf_streams_new(&settings->streams);
	server->settings.engine.committed = note_commit;
	server->settings.engine.note = wf_server_log_notice;
	server->settings.engine.prepare = open_records;
	server->settings.engine.announce = announce;
	server->settings.engine.context = server;
	*server_out = server;
	rc = wf_engine_open(&server->engine, &server->settings.engine, err);
	if (rc == WF_OK)
		rc = wf_pool_open(&server->pool, settings->readers,
		    settings->readers_queue, err);
	if (rc == WF_OK)
		rc =
		    wf_pool_open(&server->passwords, 1, PASSWORDS_WAITING, err);
	if (rc == WF_OK)
		rc = wf_streams_start(
		    server->streams, server->engine, server->pool, err);
	if (rc == WF_OK && settings->yawl.enabled)
		rc = wf_yawl_open(&server->yawl, server, err);
	if (rc == WF_OK)
		rc = open_delivery(server, err);
	if (rc == WF_OK)
		rc = wf_http_open(
		    &server->http, &server->settings.http, &calls, err);
	if (rc == WF_OK)
		rc = start_refresh(server, err);
	if (rc != WF_OK) {
		wf_server_close(server_out);
		return rc;
	}
	wf_server_log_start(server);
	wf_http_serve(server->http);
	return WF_OK;
}

uint16_t wf_server_port(const struct wf_server *server)
{
	return wf_http_port(server->http);
}

bool wf_server_made_token(const struct wf_server *server)
{
	return server->made_token;
}

void wf_server_close(struct wf_server **server)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct wf_server *old = *server;
	struct wf_log *log;
	struct wf_delivery *delivery;
	struct wf_claims *claims;

	*server = NULL;
	if (old == NULL)
		return;
	log = old->http == NULL ? NULL : old->settings.log;
	wf_server_log_event(log, "stopping");
	atomic_store(&old->closing, true);
	stop_refresh(old);
	if (old->http != NULL)
		wf_http_drain(old->http);
	while (atomic_load(&old->inside) > 0)
		nanosleep(&pause, NULL);
	wf_streams_end(old->streams);
	claims = atomic_load(&old->claims);
	wf_claims_stop(claims);
	/* These answer all that they were given. */
	wf_pool_close(&old->passwords);
	wf_pool_close(&old->pool);
	wf_delivery_stop(atomic_load(&old->delivery));
	wf_engine_close(&old->engine);
	delivery = atomic_load(&old->delivery);
	wf_delivery_close(&delivery);
	wf_claims_close(&claims);
	wf_http_close(&old->http);
	wf_streams_free(&old->streams);
	wf_yawl_close(&old->yawl);
	wf_accounts_close(&old->accounts);
	wf_services_close(&old->services);
	pthread_cond_destroy(&old->ending);
	wf_free(old->met);
	pthread_mutex_destroy(&old->lock);
	pthread_mutex_destroy(&old->drawing);
	wf_server_log_event(log, "stopped");
	wf_free(old);
}
