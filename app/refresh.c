/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens once a second: connections of slow senders are closed, a
 * certificate that has changed is loaded, and accounts, services, the
 * organisation and what the worklist knows are read anew.  While the store
 * cannot be read, those that were read last stay valid.
 */
#include "app/app_priv.h"
#include "base/clock.h"
#include "identity/audit.h"

#define INTERVAL_MS 1000

struct wf_refresh {
	struct wf_app *app;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	bool ending;
};

static void check_certificate(struct wf_server *server)
{
	struct wf_error err = { .rc = WF_OK };
	bool changed;
	enum wf_rc rc = wf_http_check_certificate(server->http, &changed, &err);

	if (changed)
		wf_server_log_certificate(server, rc, &err);
}

static enum wf_rc read_worklist(
    struct wf_server *server, struct wf_store *store, struct wf_error *err)
{
	enum wf_rc rc = wf_audiences_refresh(server->audiences, store, err);

	if (rc == WF_OK)
		rc = wf_piles_refresh(server->piles, store, err);
	if (rc == WF_OK)
		rc = wf_absences_refresh(server->absences, store, err);
	if (rc == WF_OK)
		rc = wf_deputies_refresh(server->deputies, store, err);
	if (rc == WF_OK)
		rc = wf_audiences_clean(server->audiences, store,
		    wf_engine_now(server->engine), err);
	return rc;
}

/* Takes items from participants who were removed. */
static enum wf_rc sweep_departures(
    struct wf_server *server, struct wf_store *store, struct wf_error *err)
{
	const struct wf_departure_places places = { server->audiences,
		server->piles, server->absences, server->deputies };
	struct wf_organisation *organisation;
	enum wf_rc rc;

	if (!server->settings.people)
		return WF_OK;
	organisation = wf_org_cache_get(server->organisation);
	rc = wf_departures_sweep(server->departures, server->engine, store,
	    organisation, &places, err);
	wf_organisation_unref(&organisation);
	return rc;
}

static void read_records(struct wf_app *app)
{
	struct wf_server *server = app->server;
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(server->engine, &store, &err);

	if (rc == WF_OK) {
		rc = wf_accounts_refresh(server->accounts, store, &err);
		if (rc == WF_OK)
			rc = wf_sessions_refresh(
			    server->accounts, store, wf_time_ms(), &err);
		if (rc == WF_OK)
			rc = wf_audit_write(
			    server->audit, store, wf_time_ms(), &err);
		if (rc == WF_OK)
			rc = wf_services_refresh(server->services, store, &err);
		if (rc == WF_OK)
			rc = wf_org_cache_refresh(
			    server->organisation, store, &err);
		if (rc == WF_OK)
			rc = read_worklist(server, store, &err);
		if (rc == WF_OK)
			rc = sweep_departures(server, store, &err);
		if (rc == WF_OK && app->yawl != NULL)
			rc = wf_yawl_check_accounts(app->yawl, store, &err);
		wf_engine_give_back(server->engine, store);
	}
	if (rc == WF_OK) /* else the next second tries again */
		wf_streams_check(server->streams, server->accounts);
	wf_server_log_records(server, rc, &err);
}

static void *run(void *argument)
{
	struct wf_refresh *refresh = argument;

	pthread_mutex_lock(&refresh->lock);
	while (!refresh->ending) {
		if (wf_wait_until(&refresh->wake, &refresh->lock,
			wf_monotonic_ms() + INTERVAL_MS))
			continue;
		pthread_mutex_unlock(&refresh->lock);
		wf_http_check(refresh->app->server->http);
		check_certificate(refresh->app->server);
		read_records(refresh->app);
		pthread_mutex_lock(&refresh->lock);
	}
	pthread_mutex_unlock(&refresh->lock);
	return NULL;
}

static void free_refresh(struct wf_refresh *refresh)
{
	pthread_cond_destroy(&refresh->wake);
	pthread_mutex_destroy(&refresh->lock);
	wf_free(refresh);
}

enum wf_rc wf_refresh_start(
    struct wf_refresh **refresh_out, struct wf_app *app, struct wf_error *err)
{
	struct wf_refresh *refresh = wf_calloc(1, sizeof(*refresh));

	*refresh_out = NULL;
	refresh->app = app;
	pthread_mutex_init(&refresh->lock, NULL);
	wf_condition_init(&refresh->wake);
	if (pthread_create(&refresh->thread, NULL, run, refresh) != 0) {
		free_refresh(refresh);
		return wf_fail(err, WF_IO, "no thread can be made");
	}
	*refresh_out = refresh;
	return WF_OK;
}

void wf_refresh_stop(struct wf_refresh **refresh)
{
	struct wf_refresh *old = *refresh;

	*refresh = NULL;
	if (old == NULL)
		return;
	pthread_mutex_lock(&old->lock);
	old->ending = true;
	pthread_cond_signal(&old->wake);
	pthread_mutex_unlock(&old->lock);
	pthread_join(old->thread, NULL);
	free_refresh(old);
}
