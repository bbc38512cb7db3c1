/* SPDX-License-Identifier: Apache-2.0 */
#include "server/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "http/thread_pool.h"
#include "identity/sign_in.h"
#include "server/request_spans.h"

/* Larger bodies are read in the pool. */
#define INLINE_BODY_BYTES ((size_t)64 << 10)

void wf_dispatch_add(struct wf_server *server,
    const struct wf_interface *interface, void *context)
{
	/* Before the HTTP server opens: its threads read the list unlocked. */
	wf_assert(server->http == NULL);
	wf_assert(server->interface_count < WF_INTERFACES);
	wf_assert(interface->invocation_size >= sizeof(struct wf_invocation));
	server->interfaces[server->interface_count++] =
	    (struct wf_interface_row){ interface, context };
}

/* --- threads -------------------------------------------------------------- */

static void do_work(void *argument)
{
	struct wf_invocation *call = argument;

	wf_assert(call->in_pool);
	call->work(call);
}

static void fail_full(struct wf_invocation *call, const char *what)
{
	struct wf_error err = { .rc = WF_OK };

	wf_fail(&err, WF_UNAVAILABLE, "too many %s", what);
	call->interface->fail(call, &err);
}

void wf_invocation_go_to_pool(struct wf_invocation *call, wf_invocation_f work)
{
	bool was_there = call->in_pool;

	call->in_pool = true;
	call->work = work;
	if (was_there)
		work(call);
	else if (!wf_pool_do(call->server->pool, do_work, call))
		fail_full(call, "requests wait");
}

/* There are at most as many at once as connections. */
void wf_invocation_resume(struct wf_invocation *call, wf_invocation_f work)
{
	struct wf_server *server = call->server;
	bool taken;

	call->in_pool = true;
	call->work = work;
	/* The pool may be closed before the engine is. */
	taken = wf_server_enter(server) &&
		wf_pool_resume(server->pool, do_work, call);
	if (!taken) {
		call->in_pool = false;
		work(call);
	}
	wf_server_leave(server);
}

/* --- from the head to the operation --------------------------------------- */

static void grant(struct wf_invocation *call)
{
	call->is_authorized = true;
	if (call->user != NULL)
		wf_exchange_set_owner(call->exchange, call->user);
}

static void proceed(struct wf_invocation *call);

/* Those of one client and name stand in one queue. */
static struct wf_fair_queue *queue_of(struct wf_invocation *call)
{
	if (!call->asks)
		return call->server->passwords;
	return call->server->askers[call->turn.name % WF_ASKERS];
}

/* False: it is answered, or continues in another thread. */
static bool authorize(struct wf_invocation *call, bool slowly)
{
	bool asked = call->asks;
	enum wf_authorization verdict;

	wf_assert(call->operation != NULL && !call->is_authorized);
	verdict = call->interface->authorize(call, slowly);
	wf_assert(verdict != WF_LATER || !slowly || (call->asks && !asked));
	wf_assert(verdict != WF_AWAITED || !call->in_pool);
	if (verdict == WF_LATER) {
		call->turn.argument = call;
		wf_fair_queue_add(queue_of(call), &call->turn);
	}
	if (verdict == WF_AWAITED)
		wf_invocation_go_to_pool(call, proceed);
	if (verdict == WF_GRANTED)
		grant(call);
	return verdict == WF_GRANTED;
}

static bool is_large(const struct wf_invocation *call)
{
	size_t length;

	(void)wf_exchange_body(call->exchange, &length);
	return length > INLINE_BODY_BYTES;
}

static void run(struct wf_invocation *call)
{
	wf_assert(call->is_authorized && call->is_prepared);
	wf_assert(call->operation->where == WF_INLINE || call->in_pool);
	call->interface->run(call);
}

/* The turns are those of the accounts. */
static void await_turn(struct wf_invocation *call)
{
	uint64_t account;

	wf_assert(call->user != NULL);
	account = wf_hash(0, call->user, strlen(call->user));
	call->turn = (struct wf_fair_job){ account, account, call };
	wf_fair_queue_add(call->server->turns, &call->turn);
}

/* What is left to be checked; then the operation runs. */
static void proceed(struct wf_invocation *call)
{
	if (call->operation != NULL && !call->is_authorized &&
	    !authorize(call, false))
		return;
	if (!call->is_prepared) {
		if (is_large(call) && !call->in_pool) {
			wf_invocation_go_to_pool(call, proceed);
			return;
		}
		if (!call->interface->prepare(call))
			return;
		call->is_prepared = true;
		if (!call->is_authorized && !authorize(call, false))
			return;
	}
	if (call->operation->where == WF_IN_TURN)
		await_turn(call);
	else if (call->operation->where != WF_INLINE)
		wf_invocation_go_to_pool(call, run);
	else
		run(call);
}

void wf_invocation_ask(struct wf_invocation *call, wf_invocation_f work)
{
	uint64_t client = wf_sign_in_address(wf_exchange_peer(call->exchange));

	wf_assert(call->server->federation != NULL);
	wf_assert(call->is_authorized && call->is_prepared);
	call->asks = true;
	call->work = work;
	call->turn = (struct wf_fair_job){ client, client, call };
	wf_fair_queue_add(queue_of(call), &call->turn);
}

/* Either who asks is to be found, or that is done and the operation waits. */
void wf_dispatch_check_password(void *argument)
{
	struct wf_invocation *call = argument;

	if (call->is_authorized)
		call->work(call);
	else if (authorize(call, true))
		proceed(call);
}

void wf_dispatch_refuse_password(void *argument)
{
	fail_full(argument, "sign-ins wait");
}

/* What waits while the server closes is not begun. */
void wf_dispatch_take_turn(void *argument)
{
	struct wf_invocation *call = argument;
	struct wf_server *server = call->server;
	struct wf_error err = { .rc = WF_OK };

	call->in_pool = true;
	if (wf_server_enter(server)) {
		run(call);
	} else {
		wf_fail(&err, WF_UNAVAILABLE, "the server is ending");
		call->interface->fail(call, &err);
	}
	wf_server_leave(server);
}

void wf_dispatch_refuse_turn(void *argument)
{
	fail_full(argument, "specifications wait to be loaded");
}

static void begin(const struct wf_interface_row *row, struct wf_server *server,
    struct wf_exchange *exchange)
{
	struct wf_invocation *call = wf_arena_alloc(
	    wf_exchange_arena(exchange), row->interface->invocation_size);

	call->interface = row->interface;
	call->context = row->context;
	call->server = server;
	call->exchange = exchange;
	call->arena = wf_exchange_scratch(exchange);
	wf_exchange_set_data(exchange, call);
	if (server->tracer != NULL)
		wf_request_span_begin(call);
	if (!call->interface->admit(call) || call->operation == NULL)
		return;
	if (call->operation->where == WF_READING)
		wf_exchange_defer_body(exchange);
	/* Refused now, its body need not come.  A password can wait. */
	if (call->interface->authorize(call, false) == WF_GRANTED)
		grant(call);
}

/* --- what the HTTP server calls ------------------------------------------- */

static const struct wf_interface_row *find_interface(
    const struct wf_server *server, const char *target)
{
	const struct wf_interface_row *row = server->interfaces;

	wf_assert(server->interface_count > 0);
	while (row < &server->interfaces[server->interface_count - 1] &&
	       !row->interface->takes(row->context, target))
		row++;
	return row;
}

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

	if (wf_server_enter(server))
		begin(find_interface(server, wf_exchange_target(exchange)),
		    server, exchange);
	else
		refuse(exchange);
	wf_server_leave(server);
}

static void handle(void *context, struct wf_exchange *exchange)
{
	struct wf_server *server = context;
	struct wf_invocation *call = wf_exchange_data(exchange);

	if (wf_server_enter(server)) {
		call->is_whole = true;
		proceed(call);
	} else {
		refuse(exchange);
	}
	wf_server_leave(server);
}

/* --- the log -------------------------------------------------------------- */

static enum wf_log_level level_of(unsigned status)
{
	if (status == 503)
		return WF_LOG_WARNING;
	return status >= 500 ? WF_LOG_ERROR : WF_LOG_INFO;
}

/* Without the query, which may contain secrets. */
static void log_path(struct wf_log_line *line, const char *target)
{
	char path[256];

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(target, "?"), target);
	wf_log_text(line, "path", path);
}

static void log_invocation(
    const struct wf_invocation *call, struct wf_log_line *line)
{
	wf_log_text(line, "account", call->user);
	wf_log_text(line, "case", call->case_id);
	if (call->operation != NULL)
		wf_log_text(line, "operation", call->operation->name);
	if (call->interface->log != NULL)
		call->interface->log(call, line);
}

static void log_request(struct wf_log *log, struct wf_exchange *exchange)
{
	unsigned status = wf_exchange_status(exchange);
	const struct wf_invocation *call = wf_exchange_data(exchange);
	struct wf_log_line line;

	if (!wf_log_begin(&line, log, level_of(status), "request"))
		return;
	wf_log_number(&line, "request", wf_exchange_number(exchange));
	wf_log_text(&line, "peer", wf_exchange_peer(exchange));
	wf_log_text(&line, "method", wf_exchange_method(exchange));
	log_path(&line, wf_exchange_target(exchange));
	wf_log_number(&line, "status", status);
	wf_log_number(
	    &line, "microseconds", (uint64_t)wf_exchange_duration(exchange));
	wf_log_number(&line, "bytes", wf_exchange_size(exchange));
	/* A request that came while the server closed has no invocation. */
	if (call != NULL)
		log_invocation(call, &line);
	wf_log_end(&line);
}

static void over(void *context, struct wf_exchange *exchange)
{
	struct wf_server *server = context;
	struct wf_invocation *call = wf_exchange_data(exchange);

	log_request(server->settings.log, exchange);
	if (call != NULL)
		wf_request_span_end(call);
	if (call != NULL && call->interface->over != NULL)
		call->interface->over(call);
	wf_server_count_answer(server, wf_exchange_status(exchange),
	    wf_exchange_duration(exchange));
}

void wf_dispatch_calls(
    struct wf_server *server, struct wf_http_calls *calls_out)
{
	calls_out->admit = admit;
	calls_out->handle = handle;
	calls_out->over = over;
	calls_out->context = server;
}
