/* SPDX-License-Identifier: Apache-2.0 */
/* What a server and its engine do, in the log. */
#include <string.h>

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

void wf_server_log_accounts(
    struct wf_server *server, enum wf_rc rc, const struct wf_error *err)
{
	bool fails = rc != WF_OK;
	struct wf_log_line line;

	if (fails == server->accounts_fail)
		return;
	server->accounts_fail = fails;
	if (!wf_log_begin(&line, server->settings.log,
		fails ? WF_LOG_ERROR : WF_LOG_WARNING,
		fails ? "accounts_not_read" : "accounts_read"))
		return;
	if (fails)
		wf_log_text(&line, "text", err->message);
	wf_log_end(&line);
}

/* What else is told of an incident may say what stood in the case. */
static bool is_our_fault(const char *code)
{
	return strcmp(code, wf_rc_name(WF_BUG)) == 0 ||
	       strcmp(code, wf_rc_name(WF_CORRUPT)) == 0 ||
	       strcmp(code, wf_rc_name(WF_IO)) == 0;
}

void wf_server_log_notice(
    struct wf_server *server, const struct wf_notice *note)
{
	static const struct {
		enum wf_log_level level;
		const char *event;
	} rows[] = {
		[WF_NOTICE_INCIDENT] = { WF_LOG_WARNING, "incident" },
		[WF_NOTICE_QUARANTINED] = { WF_LOG_ERROR, "case_set_aside" },
		[WF_NOTICE_STORE_FAILS] = { WF_LOG_ERROR, "store_fails" },
		[WF_NOTICE_STORE_WORKS] = { WF_LOG_WARNING, "store_works" },
		[WF_NOTICE_SLOW_BATCH] = { WF_LOG_WARNING, "slow_batch" },
	};
	struct wf_log_line line;

	if (!wf_log_begin(&line, server->settings.log, rows[note->kind].level,
		rows[note->kind].event))
		return;
	if (note->incident != 0)
		wf_log_number(&line, "incident", note->incident);
	if (note->number != 0)
		wf_log_number(&line, "number", note->number);
	wf_log_text(&line, "case", note->name);
	wf_log_text(&line, "item", note->item);
	wf_log_text(&line, "code", note->code);
	if (note->kind != WF_NOTICE_INCIDENT || is_our_fault(note->code))
		wf_log_text(&line, "text", note->text);
	if (note->kind == WF_NOTICE_SLOW_BATCH) {
		wf_log_number(&line, "requests", note->requests);
		wf_log_number(&line, "microseconds", note->microseconds);
	}
	wf_log_end(&line);
}
