/* SPDX-License-Identifier: Apache-2.0 */
#include "server/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "rest/rest.h"
#include "server/log.h"
#include "yawl/yawl.h"

static void refuse(struct wf_exchange *exchange)
{
	static const char why[] =
	    "{\"type\":\"about:blank\",\"title\":\"Not now, try again\","
	    "\"status\":503,\"detail\":\"the server is ending\","
	    "\"code\":\"unavailable\"}\n";

	wf_exchange_add_header(exchange, "Retry-After", "1");
	wf_exchange_answer(
	    exchange, 503, "application/problem+json", why, sizeof(why) - 1);
}

static void admit(void *context, struct wf_exchange *exchange)
{
	struct wf_server *server = context;

	if (!wf_server_enter(server))
		refuse(exchange);
	else if (wf_yawl_takes(server->yawl, wf_exchange_target(exchange)))
		wf_yawl_admit(server->yawl, exchange);
	else
		wf_rest_admit(server, exchange);
	wf_server_leave(server);
}

static void handle(void *context, struct wf_exchange *exchange)
{
	struct wf_server *server = context;

	if (!wf_server_enter(server))
		refuse(exchange);
	else if (wf_yawl_takes(server->yawl, wf_exchange_target(exchange)))
		wf_yawl_handle(server->yawl, exchange);
	else
		wf_rest_handle(server, exchange);
	wf_server_leave(server);
}

/* --- the log -------------------------------------------------------------- */

static enum wf_log_level level_of(unsigned status)
{
	if (status == 503)
		return WF_LOG_WARNING;
	return status >= 500 ? WF_LOG_ERROR : WF_LOG_INFO;
}

/* What stands in the query may be meant for us alone. */
static void log_path(struct wf_log_line *line, const char *target)
{
	char path[256];

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(target, "?"), target);
	wf_log_text(line, "path", path);
}

static void log_request(
    const struct wf_server *server, struct wf_exchange *exchange)
{
	unsigned status = wf_exchange_status(exchange);
	struct wf_log_line line;

	if (!wf_log_begin(
		&line, server->settings.log, level_of(status), "request"))
		return;
	wf_log_number(&line, "request", wf_exchange_number(exchange));
	wf_log_text(&line, "peer", wf_exchange_peer(exchange));
	wf_log_text(&line, "method", wf_exchange_method(exchange));
	log_path(&line, wf_exchange_target(exchange));
	wf_log_number(&line, "status", status);
	wf_log_number(
	    &line, "microseconds", (uint64_t)wf_exchange_duration(exchange));
	wf_log_number(&line, "bytes", wf_exchange_size(exchange));
	/* One that was refused at once is nobody's. */
	if (wf_exchange_data(exchange) == NULL)
		;
	else if (wf_yawl_takes(server->yawl, wf_exchange_target(exchange)))
		wf_yawl_log(&line, exchange);
	else
		wf_rest_log(&line, exchange);
	wf_log_end(&line);
}

static void over(void *context, struct wf_exchange *exchange)
{
	struct wf_server *server = context;
	unsigned status = wf_exchange_status(exchange);

	log_request(server, exchange);
	if (status == 0 || status >= WF_STATUSES)
		return;
	pthread_mutex_lock(&server->lock);
	server->counts.statuses[status]++;
	wf_spread_add(
	    &server->counts.times, (uint64_t)wf_exchange_duration(exchange));
	pthread_mutex_unlock(&server->lock);
}

void wf_entrance_calls(
    struct wf_server *server, struct wf_http_calls *calls_out)
{
	calls_out->admit = admit;
	calls_out->handle = handle;
	calls_out->over = over;
	calls_out->context = server;
}
