/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the log about the server itself and its engine. */
#include <string.h>

#include "base/panic.h"
#include "server/context.h"

void wf_server_log_start(struct wf_server *server)
{
	const struct wf_server_settings *settings = &server->settings;
	struct wf_log_line line;
	struct wf_store *store;

	if (!wf_log_begin(&line, settings->log, WF_LOG_INFO, "started"))
		return;
	wf_log_text(&line, "version", PACKAGE_VERSION);
	wf_log_text(&line, "address", settings->http.address);
	wf_log_number(&line, "port", wf_http_port(server->http));
	if (wf_engine_borrow(server->engine, &store, NULL) == WF_OK) {
		wf_log_text(&line, "store", wf_store_url(store));
		wf_engine_give_back(server->engine, store);
	}
	wf_log_end(&line);
}

void wf_server_log_event(struct wf_log *log, const char *event)
{
	struct wf_log_line line;

	if (wf_log_begin(&line, log, WF_LOG_INFO, event))
		wf_log_end(&line);
}

void wf_server_log_exposed(struct wf_log *log, struct wf_store *store)
{
	const char *file = wf_store_exposed_file(store);
	struct wf_log_line line;

	if (file == NULL ||
	    !wf_log_begin(&line, log, WF_LOG_WARNING, "store_exposed"))
		return;
	wf_log_text(&line, "file", file);
	wf_log_end(&line);
}

void wf_server_log_export(
    struct wf_server *server, const char *name, const struct wf_error *err)
{
	struct wf_log_line line;

	if (!wf_log_begin(
		&line, server->settings.log, WF_LOG_ERROR, "export_failed"))
		return;
	wf_log_text(&line, "case", name);
	wf_log_text(&line, "code", wf_rc_name(err->rc));
	/* Other messages may quote data of the case. */
	if (err->rc == WF_IO)
		wf_log_text(&line, "text", err->message);
	wf_log_end(&line);
}

void wf_server_log_records(
    struct wf_server *server, enum wf_rc rc, const struct wf_error *err)
{
	bool fails = rc != WF_OK;
	struct wf_log_line line;

	if (fails == server->records_fail)
		return;
	server->records_fail = fails;
	if (!wf_log_begin(&line, server->settings.log,
		fails ? WF_LOG_ERROR : WF_LOG_WARNING,
		fails ? "accounts_not_read" : "accounts_read"))
		return;
	if (fails)
		wf_log_text(&line, "text", err->message);
	wf_log_end(&line);
}

void wf_server_log_damaged(
    struct wf_log *log, const char *kind, const char *name)
{
	struct wf_log_line line;

	if (!wf_log_begin(&line, log, WF_LOG_ERROR, "record_damaged"))
		return;
	wf_log_text(&line, "kind", kind);
	wf_log_text(&line, "name", name);
	wf_log_end(&line);
}

void wf_server_log_attempt(
    struct wf_server *server, const struct wf_failed_attempt *attempt)
{
	struct wf_log_line line;

	if (!wf_log_begin(&line, server->settings.log, WF_LOG_INFO,
		attempt->is_last ? "delivery_refused" : "delivery_failed"))
		return;
	wf_log_text(&line, "service", attempt->service);
	wf_log_number(&line, "number", attempt->number);
	wf_log_text(&line, "item", attempt->item);
	wf_log_number(&line, "attempt", attempt->attempt);
	if (attempt->status != 0)
		wf_log_number(&line, "status", attempt->status);
	if (attempt->cause[0] != '\0')
		wf_log_text(&line, "cause", attempt->cause);
	wf_log_end(&line);
}

void wf_server_log_notification(struct wf_server *server, const char *to,
    unsigned attempt, const char *reason, bool is_last)
{
	struct wf_log_line line;

	if (!wf_log_begin(&line, server->settings.log,
		is_last ? WF_LOG_ERROR : WF_LOG_WARNING,
		is_last ? "notification_given_up" : "notification_failed"))
		return;
	wf_log_text(&line, "to", to);
	wf_log_number(&line, "attempt", attempt);
	wf_log_text(&line, "cause", reason);
	wf_log_end(&line);
}

void wf_server_log_certificate(
    struct wf_server *server, enum wf_rc rc, const struct wf_error *err)
{
	bool fails = rc != WF_OK;
	struct wf_log_line line;

	if (!wf_log_begin(&line, server->settings.log,
		fails ? WF_LOG_ERROR : WF_LOG_INFO,
		fails ? "certificate_not_loaded" : "certificate_loaded"))
		return;
	if (fails)
		wf_log_text(&line, "text", err->message);
	wf_log_end(&line);
}

void wf_server_log_federation(
    struct wf_server *server, const struct wf_federation_notice *notice)
{
	struct wf_log_line line;

	if (!wf_log_begin(&line, server->settings.log,
		notice->is_fault ? WF_LOG_ERROR : WF_LOG_WARNING,
		notice->event))
		return;
	if (notice->account != NULL)
		wf_log_text(&line, "account", notice->account);
	if (notice->text != NULL)
		wf_log_text(&line, "text", notice->text);
	wf_log_end(&line);
}

void wf_server_log_traces(struct wf_server *server, const char *failure)
{
	struct wf_log_line line;

	if (!wf_log_begin(&line, server->settings.log, WF_LOG_WARNING,
		failure == NULL ? "traces_exported" : "traces_not_exported"))
		return;
	wf_log_text(&line, "text", failure);
	wf_log_end(&line);
}

/* The texts of other incidents may quote data of the case. */
static bool has_no_data(const char *code)
{
	return strcmp(code, WF_DEADLOCK_CODE) == 0 ||
	       strcmp(code, WF_SUBSCRIPTION_CODE) == 0 ||
	       strcmp(code, wf_rc_name(WF_BUG)) == 0 ||
	       strcmp(code, wf_rc_name(WF_CORRUPT)) == 0 ||
	       strcmp(code, wf_rc_name(WF_IO)) == 0;
}

void wf_server_log_notice(
    struct wf_server *server, const struct wf_notice *notice)
{
	static const struct {
		enum wf_log_level level;
		const char *event;
	} rows[] = {
		[WF_NOTICE_INCIDENT] = { WF_LOG_WARNING, "incident" },
		[WF_NOTICE_QUARANTINED] = { WF_LOG_ERROR, "case_set_aside" },
		[WF_NOTICE_DEADLOCKED] = { WF_LOG_WARNING, "case_deadlocked" },
		[WF_NOTICE_STORE_FAILS] = { WF_LOG_ERROR, "store_fails" },
		[WF_NOTICE_STORE_WORKS] = { WF_LOG_WARNING, "store_works" },
		[WF_NOTICE_SLOW_BATCH] = { WF_LOG_WARNING, "slow_batch" },
		[WF_NOTICE_SUPERSEDED] = { WF_LOG_ERROR, "superseded" },
	};
	struct wf_log_line line;

	wf_assert((size_t)notice->kind < sizeof(rows) / sizeof(rows[0]) &&
		  rows[notice->kind].event != NULL);
	if (!wf_log_begin(&line, server->settings.log, rows[notice->kind].level,
		rows[notice->kind].event))
		return;
	if (notice->incident != 0)
		wf_log_number(&line, "incident", notice->incident);
	if (notice->number != 0)
		wf_log_number(&line, "number", notice->number);
	wf_log_text(&line, "case", notice->name);
	wf_log_text(&line, "item", notice->item);
	wf_log_text(&line, "code", notice->code);
	if (notice->kind != WF_NOTICE_INCIDENT || has_no_data(notice->code))
		wf_log_text(&line, "text", notice->text);
	if (notice->kind == WF_NOTICE_SLOW_BATCH) {
		wf_log_number(&line, "requests", notice->requests);
		wf_log_number(&line, "microseconds", notice->microseconds);
	}
	wf_log_end(&line);
}
