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

/* One turn; what is read later may need what was read before. */
struct turn {
	struct wf_app *app;
	struct wf_server *server;
	struct wf_store *store;
	bool has_accounts; /* they are those of the store */
	bool has_organisation;
	bool has_audiences;
};

static enum wf_rc read_accounts(struct turn *turn, struct wf_error *err)
{
	struct wf_accounts *accounts = turn->server->accounts;
	enum wf_rc rc = wf_accounts_refresh(accounts, turn->store, err);

	if (rc == WF_OK)
		rc = wf_sessions_refresh(
		    accounts, turn->store, wf_time_ms(), err);
	turn->has_accounts = rc == WF_OK;
	return rc;
}

static enum wf_rc write_audit(struct turn *turn, struct wf_error *err)
{
	return wf_audit_write(
	    turn->server->audit, turn->store, wf_time_ms(), err);
}

static enum wf_rc read_services(struct turn *turn, struct wf_error *err)
{
	return wf_services_refresh(turn->server->services, turn->store, err);
}

static enum wf_rc read_subscriptions(struct turn *turn, struct wf_error *err)
{
	return wf_subscriptions_refresh(
	    turn->server->subscriptions, turn->store, err);
}

static enum wf_rc read_organisation(struct turn *turn, struct wf_error *err)
{
	enum wf_rc rc =
	    wf_org_cache_refresh(turn->server->organisation, turn->store, err);

	turn->has_organisation = rc == WF_OK;
	return rc;
}

static enum wf_rc read_audiences(struct turn *turn, struct wf_error *err)
{
	struct wf_server *server = turn->server;
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc =
	    wf_audiences_refresh(server->audiences, turn->store, err);
	const struct wf_texts damaged =
	    wf_audiences_damaged(server->audiences, arena);

	turn->has_audiences = rc == WF_OK;
	for (size_t i = 0; i < damaged.count; i++)
		wf_server_log_damaged(
		    server->settings.log, "audience", damaged.rows[i]);
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc read_piles(struct turn *turn, struct wf_error *err)
{
	return wf_piles_refresh(turn->server->piles, turn->store, err);
}

static enum wf_rc read_absences(struct turn *turn, struct wf_error *err)
{
	return wf_absences_refresh(turn->server->absences, turn->store, err);
}

static enum wf_rc read_deputies(struct turn *turn, struct wf_error *err)
{
	return wf_deputies_refresh(turn->server->deputies, turn->store, err);
}

static enum wf_rc clean_audiences(struct turn *turn, struct wf_error *err)
{
	if (!turn->has_audiences)
		return WF_OK;
	return wf_audiences_clean(turn->server->audiences, turn->store,
	    wf_engine_now(turn->server->engine), err);
}

/* Takes items from participants who were removed. */
static enum wf_rc sweep_departures(struct turn *turn, struct wf_error *err)
{
	struct wf_server *server = turn->server;
	const struct wf_departure_places places = { server->audiences,
		server->piles, server->absences, server->deputies };
	struct wf_organisation *organisation;
	enum wf_rc rc;

	if (!server->settings.people || !turn->has_organisation ||
	    !turn->has_audiences)
		return WF_OK;
	organisation = wf_org_cache_get(server->organisation);
	rc = wf_departures_sweep(server->departures, server->engine,
	    turn->store, organisation, &places, err);
	wf_organisation_unref(&organisation);
	return rc;
}

static enum wf_rc check_yawl(struct turn *turn, struct wf_error *err)
{
	if (turn->app->yawl == NULL || !turn->has_accounts)
		return WF_OK;
	return wf_yawl_check_accounts(turn->app->yawl, turn->store, err);
}

static enum wf_rc (*const steps[])(struct turn *turn, struct wf_error *err) = {
	read_accounts,
	write_audit,
	read_services,
	read_subscriptions,
	read_organisation,
	read_audiences,
	read_piles,
	read_absences,
	read_deputies,
	clean_audiences,
	sweep_departures,
	check_yawl,
};

/*
 * What cannot be read or written keeps nothing else from it, unless the store
 * is away; the first failure is logged, and the next second tries again.
 */
static void read_records(struct wf_app *app)
{
	struct turn turn = { .app = app, .server = app->server };
	struct wf_error first = { .rc = WF_OK };

	if (wf_engine_borrow(app->server->engine, &turn.store, &first) ==
	    WF_OK) {
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) &&
				   first.rc != WF_UNAVAILABLE;
		     i++) {
			struct wf_error err = { .rc = WF_OK };

			if (steps[i](&turn, &err) != WF_OK &&
			    (first.rc == WF_OK || err.rc == WF_UNAVAILABLE))
				first = err;
		}
		wf_engine_give_back(app->server->engine, turn.store);
	}
	if (turn.has_accounts)
		wf_streams_check(app->server->streams, app->server->accounts);
	wf_server_log_records(app->server, first.rc, &first);
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
