/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening and closing a server.
 *
 *   open:  context ─► address (listens) ─► engine ─► index fill ─► pools
 *          ─► federation ─► live events ─► YAWL ─► sender ─► claims
 *          ─► mail ─► notifier ─► listeners ─► HTTP ─► refresh
 *          ─► HTTP (serves)
 *   close: refresh ─► HTTP (no new connection) ─► no thread is inside
 *          ─► live events ─► claims ─► federation ─► pools ─► sender
 *          ─► notifier ─► mail ─► listeners ─► index fill ─► engine ─► HTTP
 *
 * The parts below do not know those above: the engine reports commits and
 * announcements to callbacks, and this file passes them on.
 */
#include "app/app_priv.h"

#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "identity/audit.h"
#include "migration/actions.h"
#include "operation/operation.h"
#include "rest/rest.h"
#include "server/dispatch.h"
#include "server/index_fill.h"
#include "server/request_spans.h"
#include "work/claims.h"
#include "work/subscription/event.h"
#include "worklist/decisions.h"
#include "yawl/announcement.h"
#include "yawl/codelet.h"
#include "yawl/document_store.h"
#include "yawl/resource/gateway.h"

#define PASSWORDS_WAITING 64U
#define TURNS_WAITING 64U

/* --- what the engine reports ---------------------------------------------- */

static void wake_parts(void *context)
{
	struct wf_app *app = context;
	struct wf_server *server = app->server;
	struct wf_sender *sender = atomic_load(&server->sender);
	struct wf_claims *claims = atomic_load(&server->claims);
	struct wf_statistics *statistics = atomic_load(&server->statistics);

	wf_mailer_wake(atomic_load(&server->mailer));
	wf_listening_wake(atomic_load(&app->listening));
	wf_streams_wake(server->streams);
	if (sender != NULL)
		wf_sender_wake(sender);
	if (claims != NULL)
		wf_claims_wake(claims);
	if (server->facts != NULL)
		wf_fact_fold_wake(server->facts);
	if (statistics != NULL)
		wf_statistics_wake(statistics);
}

/*
 * Whether anybody can get the items of that service: it or a default worklist
 * is registered, or the name is "", whose items any worker can claim.
 */
static bool serves(void *context, uint32_t namespace_id, const char *service)
{
	struct wf_server *server = ((struct wf_app *)context)->server;
	const struct wf_service_set *set = wf_services_hold(server->services);
	bool found = service[0] == '\0' ||
		     wf_service_for(set, namespace_id, service) != NULL;

	wf_services_let_go(server->services, set);
	return found;
}

static void announce(void *context, const struct wf_announcement *what,
    struct wf_destinations *destinations)
{
	struct wf_app *app = context;
	struct wf_server *server = app->server;
	struct wf_claims *claims = atomic_load(&server->claims);
	int64_t delay;

	if (wf_handlers_announce(server->services, what, destinations) &&
	    claims != NULL)
		wf_claims_news(claims);
	if (what->task == NULL || what->is_for_people ||
	    !wf_message_hands_over(what->kind) ||
	    serves(app, what->namespace_id, what->service))
		return;
	atomic_fetch_add(&server->unserved, 1);
	delay = atomic_load(&server->unserved_ms);
	if (delay > 0)
		wf_destination_report_later(destinations, delay);
}

static void observe(void *context, const struct wf_observed *what,
    struct wf_observers *observers)
{
	const struct wf_server *server = ((struct wf_app *)context)->server;

	wf_subscriptions_observe(server->subscriptions, what, observers);
}

static void log_notice(void *context, const struct wf_notice *notice)
{
	wf_server_log_notice(((struct wf_app *)context)->server, notice);
	/* Ends in order, as when an administrator stops it. */
	if (notice->kind == WF_NOTICE_SUPERSEDED)
		kill(getpid(), SIGTERM);
}

static void trace_batch(void *context, const struct wf_traced_batch *batch)
{
	wf_server_trace_batch(((struct wf_app *)context)->server, batch);
}

static void log_traces(void *context, const char *failure)
{
	wf_server_log_traces(((struct wf_app *)context)->server, failure);
}

static void log_export(
    void *context, const char *name, const struct wf_error *err)
{
	wf_server_log_export(((struct wf_app *)context)->server, name, err);
}

static void log_attempt(void *context, const struct wf_failed_attempt *attempt)
{
	wf_server_log_attempt(((struct wf_app *)context)->server, attempt);
}

static void log_notification(void *context, const char *to, unsigned attempt,
    const char *reason, bool is_last)
{
	wf_server_log_notification(
	    ((struct wf_app *)context)->server, to, attempt, reason, is_last);
}

/* What fails is done at the next sign-in. */
static void renew_password(
    void *context, const char *name, uint64_t epoch, const char *password)
{
	struct wf_server *server = ((struct wf_app *)context)->server;
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;

	if (wf_engine_borrow(server->engine, &store, &err) != WF_OK)
		return;
	/* Read anew in the next second. */
	if (wf_account_renew_password(store, name, epoch, password, &err) !=
	    WF_OK)
		wf_error_clear(&err);
	wf_engine_give_back(server->engine, store);
}

/* Called with the store, before the engine starts its first step. */
static enum wf_rc open_records(
    void *context, struct wf_store *store, struct wf_error *err)
{
	struct wf_app *app = context;
	struct wf_server *server = app->server;
	enum wf_rc rc;

	wf_server_log_exposed(server->settings.log, store);
	rc = wf_first_account(store, app->token_file, &app->made_token, err);
	if (rc == WF_OK)
		rc = wf_accounts_open(&server->accounts, store, err);
	if (rc == WF_OK) {
		wf_accounts_limit_sessions(
		    server->accounts, &server->settings.sessions);
		wf_accounts_on_legacy(server->accounts, renew_password, app);
		rc = wf_services_open(&server->services, store, err);
	}
	if (rc == WF_OK)
		rc = wf_org_cache_open(&server->organisation, store, err);
	if (rc == WF_OK)
		wf_codelet_set_people(server->organisation);
	if (rc == WF_OK)
		rc = wf_audiences_refresh(server->audiences, store, err);
	if (rc == WF_OK)
		rc = wf_piles_refresh(server->piles, store, err);
	if (rc == WF_OK)
		rc = wf_absences_refresh(server->absences, store, err);
	if (rc == WF_OK)
		rc = wf_deputies_refresh(server->deputies, store, err);
	if (rc == WF_OK)
		rc = wf_subscriptions_open(&server->subscriptions, store, err);
	return rc;
}

static struct wf_organisation *organisation_of(void *context)
{
	const struct wf_server *server = context;

	return wf_org_cache_get(server->organisation);
}

static const uint64_t *absent_at(void *context,
    const struct wf_organisation *organisation, int64_t now,
    struct wf_arena *arena)
{
	const struct wf_server *server = context;

	return wf_absences_at(server->absences, organisation, now, arena);
}

static bool is_away(void *context, const char *thing, int64_t now)
{
	const struct wf_server *server = context;

	return wf_absences_thing(server->absences, thing, now);
}

/* What decisions are made from is read by open_records(). */
static void make_decisions(struct wf_server *server)
{
	const struct wf_decisions_settings settings = { .context = server,
		.organisation = organisation_of,
		.absent = absent_at,
		.is_away = is_away,
		.blocks = server->settings.blocks,
		.deputies = server->deputies,
		.audiences = server->audiences,
		.piles = server->piles,
		.facts = server->facts };

	server->decisions = wf_decisions_new(&settings);
	server->settings.engine.people = wf_decisions_people(server->decisions);
}

static void log_federation(
    void *context, const struct wf_federation_notice *notice)
{
	wf_server_log_federation(((struct wf_app *)context)->server, notice);
}

/* --- opening -------------------------------------------------------------- */

static enum wf_rc open_tracer(struct wf_app *app, struct wf_error *err)
{
	struct wf_server *server = app->server;
	struct wf_tracer_settings *settings = &server->settings.traces;

	settings->report = log_traces;
	settings->context = app;
	return wf_tracer_open(&server->tracer, settings, err);
}

static enum wf_rc open_engine(struct wf_app *app, struct wf_error *err)
{
	struct wf_server *server = app->server;
	struct wf_engine_settings *settings = &server->settings.engine;
	enum wf_rc rc;

	server->audit = wf_audit_new(server->settings.audit_kept_ms);
	server->audiences = wf_audiences_new();
	server->piles = wf_piles_new();
	server->departures = wf_departures_new();
	server->absences = wf_absences_new();
	server->deputies = wf_deputies_new();
	if (server->settings.people) {
		server->facts = wf_fact_fold_new();
		make_decisions(server);
	}
	settings->committed = wake_parts;
	settings->notice = log_notice;
	settings->prepare = open_records;
	settings->announce = announce;
	settings->observe = observe;
	settings->serves = serves;
	if (server->tracer != NULL)
		settings->traced = trace_batch;
	settings->context = app;
	rc = wf_engine_open(&server->engine, settings, err);
	if (rc == WF_OK)
		server->retention = wf_retention_new(server->engine,
		    &server->settings.retention, log_export, app);
	if (rc == WF_OK)
		atomic_store(
		    &server->statistics, wf_statistics_new(server->engine,
					     &server->settings.statistics));
	return rc == WF_OK && server->facts != NULL
		   ? wf_fact_fold_start(server->facts, server->engine, err)
		   : rc;
}

static enum wf_rc open_index_fill(
    struct wf_server *server, struct wf_error *err)
{
	server->index_fill = wf_index_fill_new(server->engine);
	return wf_index_fill_start(server->index_fill, err);
}

static enum wf_rc open_federation(struct wf_app *app, struct wf_error *err)
{
	struct wf_server *server = app->server;
	struct wf_federation_settings *settings = &server->settings.federation;

	settings->allowed = &server->settings.sender.allowed;
	settings->report = log_federation;
	settings->context = app;
	return wf_federation_new(&server->federation, settings, err);
}

static enum wf_rc start_federation(
    struct wf_server *server, struct wf_error *err)
{
	if (server->federation == NULL)
		return WF_OK;
	return wf_federation_start(server->federation, server->engine,
	    server->accounts, server->organisation, err);
}

static enum wf_rc open_pools(struct wf_server *server, struct wf_error *err)
{
	enum wf_rc rc = wf_pool_open(&server->pool, server->settings.readers,
	    server->settings.readers_queue, err);

	if (rc == WF_OK)
		rc = wf_fair_queue_open(&server->passwords, PASSWORDS_WAITING,
		    wf_dispatch_check_password, wf_dispatch_refuse_password,
		    err);
	for (size_t i = 0;
	     rc == WF_OK && server->federation != NULL && i < WF_ASKERS; i++)
		rc = wf_fair_queue_open(&server->askers[i], PASSWORDS_WAITING,
		    wf_dispatch_check_password, wf_dispatch_refuse_password,
		    err);
	if (rc == WF_OK)
		rc = wf_fair_queue_open(&server->turns, TURNS_WAITING,
		    wf_dispatch_take_turn, wf_dispatch_refuse_turn, err);
	return rc;
}

static enum wf_rc open_notifier(struct wf_app *app, struct wf_error *err)
{
	struct wf_server *server = app->server;
	struct wf_notifier_settings settings = server->settings.notifier;
	struct wf_notifier *notifier;
	enum wf_rc rc;

	settings.allowed = &server->settings.sender.allowed;
	settings.public_url = server->settings.mail.public_url;
	settings.subscriptions = server->subscriptions;
	settings.services = server->services;
	settings.organisation = server->organisation;
	settings.mailer = atomic_load(&server->mailer);
	settings.failed = log_notification;
	settings.context = app;
	rc = wf_notifier_open(&notifier, &settings, server->engine, err);
	atomic_store(&server->notifier, notifier);
	return rc;
}

/* Each is woken by commits as soon as its pointer is stored. */
static enum wf_rc open_work(struct wf_app *app, struct wf_error *err)
{
	struct wf_server *server = app->server;
	struct wf_sender_settings *settings = &server->settings.sender;
	struct wf_sender *sender;
	struct wf_claims *claims;
	struct wf_operations *operations;
	struct wf_mailer *mailer;
	struct wf_listening *listening;
	enum wf_rc rc;

	settings->failed = log_attempt;
	settings->tracer = server->tracer;
	settings->token_ca = server->settings.federation.provider_ca;
	settings->token_timeout_ms =
	    server->settings.federation.provider_timeout_ms;
	settings->context = app;
	rc = wf_sender_open(
	    &sender, settings, server->engine, server->services, err);
	atomic_store(&server->sender, sender);
	if (rc != WF_OK)
		return rc;
	rc = wf_claims_open(&claims, server->engine, server->services, err);
	atomic_store(&server->claims, claims);
	if (rc != WF_OK)
		return rc;
	rc = wf_mailer_open(&mailer, &server->settings.mail, server->engine,
	    server->organisation, server->audiences, err);
	atomic_store(&server->mailer, mailer);
	if (rc == WF_OK)
		rc = open_notifier(app, err);
	if (rc == WF_OK) {
		rc = wf_operations_open(
		    &operations, server->engine, server->settings.log, err);
		atomic_store(&server->operations, operations);
	}
	if (rc != WF_OK || app->gateways == NULL || !server->settings.people)
		return rc;
	rc = wf_listening_open(&listening, server, err);
	atomic_store(&app->listening, listening);
	return rc;
}

static enum wf_rc open_http(struct wf_app *app, struct wf_error *err)
{
	struct wf_server *server = app->server;
	struct wf_http_calls calls;
	int socket;

	if (app->yawl != NULL) {
		wf_migration_add_actions(app->yawl);
		if (server->settings.people)
			wf_dispatch_add(
			    server, &wf_gateways_interface, app->gateways);
		wf_dispatch_add(
		    server, &wf_document_store_interface, app->yawl);
		wf_dispatch_add(server, &wf_yawl_interface, app->yawl);
	}
	wf_dispatch_add(server, &wf_rest_interface, NULL);

	wf_dispatch_calls(server, &calls);
	socket = app->socket;
	app->socket = -1;
	return wf_http_open(
	    &server->http, socket, &server->settings.http, &calls, err);
}

enum wf_rc wf_app_open(struct wf_app **app_out,
    const struct wf_server_settings *settings,
    const struct wf_yawl_settings *yawl, const char *token_file,
    struct wf_error *err)
{
	struct wf_app *app = wf_calloc(1, sizeof(*app));
	struct wf_server *server = wf_server_new(settings);
	enum wf_rc rc;

	*app_out = app;
	app->server = server;
	app->socket = -1;
	app->token_file = token_file;
	server->streams = wf_streams_new(&settings->streams);
	wf_service_kinds_add_own();
	wf_yawl_service_kinds_add();
	wf_codelet_allow(yawl->programs, yawl->program_ms);
	/* Before a store is made, or a token is written. */
	rc = wf_http_listen(&app->socket, &settings->http, err);
	if (rc == WF_OK)
		rc = open_federation(app, err);
	if (rc == WF_OK)
		rc = open_tracer(app, err);
	if (rc == WF_OK)
		rc = open_engine(app, err);
	if (rc == WF_OK)
		rc = open_index_fill(server, err);
	if (rc == WF_OK)
		rc = open_pools(server, err);
	if (rc == WF_OK)
		rc = start_federation(server, err);
	if (rc == WF_OK)
		rc = wf_streams_start(
		    server->streams, server->engine, server->pool, err);
	if (rc == WF_OK && yawl->enabled)
		rc = wf_yawl_open(&app->yawl, server, yawl, err);
	if (rc == WF_OK && yawl->enabled)
		app->gateways = wf_gateways_new(app->yawl, yawl);
	if (rc == WF_OK)
		rc = open_work(app, err);
	if (rc == WF_OK)
		rc = open_http(app, err);
	if (rc == WF_OK)
		rc = wf_retention_start(server->retention, err);
	if (rc == WF_OK)
		rc = wf_statistics_start(server->statistics, err);
	if (rc == WF_OK)
		rc = wf_refresh_start(&app->refresh, app, err);
	if (rc != WF_OK) {
		wf_app_close(app_out);
		return rc;
	}
	wf_server_log_start(server);
	wf_http_serve(server->http);
	return WF_OK;
}

uint16_t wf_app_port(const struct wf_app *app)
{
	return wf_http_port(app->server->http);
}

bool wf_app_made_token(const struct wf_app *app)
{
	return app->made_token;
}

/* --- closing -------------------------------------------------------------- */

/* What happened in the last second. */
static void write_audit(struct wf_server *server)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (server->engine == NULL ||
	    wf_engine_borrow(server->engine, &store, &err) != WF_OK)
		return;
	rc = wf_audit_write(server->audit, store, wf_time_ms(), &err);
	if (rc != WF_OK)
		wf_server_log_records(server, rc, &err);
	wf_engine_give_back(server->engine, store);
}

static void close_parts(struct wf_app *app)
{
	struct wf_server *server = app->server;
	struct wf_sender *sender = atomic_load(&server->sender);
	struct wf_claims *claims = atomic_load(&server->claims);
	struct wf_mailer *mailer = atomic_load(&server->mailer);
	struct wf_notifier *notifier = atomic_load(&server->notifier);
	struct wf_operations *operations = atomic_load(&server->operations);
	struct wf_listening *listening = atomic_load(&app->listening);
	struct wf_statistics *statistics = atomic_load(&server->statistics);

	wf_streams_end(server->streams);
	wf_claims_stop(claims);
	wf_sender_end_tests(sender);
	wf_codelet_end_programs();
	if (server->engine != NULL)
		wf_engine_end_inspections(server->engine);
	/* The pools and the engine answer all that they were given. */
	wf_federation_stop(server->federation);
	wf_fair_queue_close(&server->passwords);
	for (size_t i = 0; i < WF_ASKERS; i++)
		wf_fair_queue_close(&server->askers[i]);
	wf_pool_close(&server->pool);
	wf_fair_queue_close(&server->turns);
	write_audit(server);
	wf_sender_stop(sender);
	wf_fact_fold_stop(server->facts);
	wf_index_fill_free(&server->index_fill);
	wf_notifier_stop(notifier);
	wf_mailer_stop(mailer);
	wf_operations_stop(operations);
	wf_retention_stop(server->retention);
	wf_statistics_stop(statistics);
	wf_listening_stop(listening);
	wf_engine_close(&server->engine);
	wf_sender_close(&sender);
	wf_notifier_close(&notifier);
	wf_mailer_close(&mailer);
	wf_operations_close(&operations);
	wf_retention_free(&server->retention);
	wf_statistics_free(&statistics);
	wf_listening_close(&listening);
	wf_claims_close(&claims);
	wf_http_close(&server->http);
	if (app->socket >= 0)
		close(app->socket);
	wf_streams_free(&server->streams);
	wf_gateways_free(&app->gateways);
	wf_yawl_close(&app->yawl);
	wf_accounts_close(&server->accounts);
	wf_audit_free(&server->audit);
	wf_federation_free(&server->federation);
	wf_services_close(&server->services);
	wf_subscriptions_free(&server->subscriptions);
	wf_decisions_free(&server->decisions);
	wf_fact_fold_free(&server->facts);
	wf_departures_free(&server->departures);
	wf_piles_free(&server->piles);
	wf_absences_free(&server->absences);
	wf_deputies_free(&server->deputies);
	wf_audiences_free(&server->audiences);
	wf_org_cache_close(&server->organisation);
	wf_tracer_close(&server->tracer);
}

void wf_app_reload(
    struct wf_app *app, const struct wf_server_settings *settings)
{
	struct wf_server *server = app->server;

	wf_engine_reload(server->engine, &settings->engine);
	wf_audit_keep(server->audit, settings->audit_kept_ms);
	wf_retention_reload(server->retention, &settings->retention);
	wf_statistics_keep(server->statistics, settings->statistics.keep_ms);
	atomic_store(&server->unserved_ms, settings->unserved_ms);
}

void wf_app_close(struct wf_app **app)
{
	struct wf_app *old = *app;
	struct wf_server *server;
	struct wf_log *log;

	*app = NULL;
	if (old == NULL)
		return;
	server = old->server;
	/* A server that was never open logs nothing. */
	log = server->http == NULL ? NULL : server->settings.log;
	wf_server_log_event(log, "stopping");
	wf_server_close_entrance(server);
	wf_refresh_stop(&old->refresh);
	if (server->http != NULL)
		wf_http_drain(server->http);
	wf_server_await_empty(server);
	close_parts(old);
	wf_server_free(&old->server);
	wf_server_log_event(log, "stopped");
	wf_free(old);
}
