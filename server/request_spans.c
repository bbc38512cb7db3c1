/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes are those of the semantic conventions of OpenTelemetry for HTTP,
 * and weft.* for what only Weft has.
 */
#include "server/request_spans.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/panic.h"

#define PATH_BYTES 256U

/* --- requests ------------------------------------------------------------- */

static const char *known_method(const char *method)
{
	static const char *const methods[] = { "GET", "HEAD", "POST", "PUT",
		"PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE" };

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strcmp(method, methods[i]) == 0)
			return methods[i];
	return NULL;
}

/* False: the caller has none, or one that is not valid. */
static bool read_parent(
    struct wf_exchange *exchange, struct wf_trace_context *parent_out)
{
	const char *text = wf_exchange_joined_header(exchange, "traceparent");
	const char *state;

	if (text == NULL || !wf_traceparent_read(parent_out, text))
		return false;
	state = wf_exchange_joined_header(exchange, "tracestate");
	if (state != NULL && wf_tracestate_is_valid(state))
		parent_out->state = state;
	return true;
}

void wf_request_span_begin(struct wf_invocation *call)
{
	struct wf_exchange *exchange = call->exchange;
	struct wf_tracer *tracer = call->server->tracer;
	struct wf_trace_context parent;
	bool has_parent;

	if (tracer == NULL)
		return;
	has_parent = read_parent(exchange, &parent);
	call->span = wf_span_begin(
	    tracer, has_parent ? &parent : NULL, WF_SPAN_SERVER, &call->trace);
	if (call->span == NULL)
		return;
	wf_span_text(call->span, "url.scheme",
	    wf_exchange_is_https(exchange) ? "https" : "http");
	wf_span_text(call->span, "client.address", wf_exchange_peer(exchange));
	wf_span_text(call->span, "user_agent.original",
	    wf_exchange_header(exchange, "User-Agent"));
}

/* Without the query, which may contain secrets. */
static void put_target(struct wf_span *span, struct wf_invocation *call)
{
	const char *target = wf_exchange_target(call->exchange);
	const char *given = wf_exchange_method(call->exchange);
	const char *method = known_method(given);
	const char *route = call->interface->route == NULL
				? NULL
				: call->interface->route(call);
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%.*s", (int)strcspn(target, "?"), target);
	wf_span_name(span, "%s%s%s", method == NULL ? "HTTP" : method,
	    route == NULL ? "" : " ", route == NULL ? "" : route);
	wf_span_text(
	    span, "http.request.method", method == NULL ? "_OTHER" : method);
	if (method == NULL)
		wf_span_text(span, "http.request.method_original", given);
	wf_span_text(span, "http.route", route);
	wf_span_text(span, "url.path", path);
}

static void put_status(struct wf_span *span, unsigned status)
{
	char text[12];

	if (status == 0) {
		wf_span_text(span, "error.type", "no_answer");
		wf_span_fail(span, "the connection was lost");
		return;
	}
	wf_span_number(span, "http.response.status_code", status);
	if (status < 500)
		return;
	snprintf(text, sizeof(text), "%u", status);
	wf_span_text(span, "error.type", text);
	wf_span_fail(span, NULL);
}

static void put_specification(struct wf_span *span, uint64_t key)
{
	char text[17];

	if (span == NULL || key == 0)
		return;
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)key);
	wf_span_text(span, "weft.specification", text);
}

void wf_request_span_end(struct wf_invocation *call)
{
	struct wf_span *span = call->span;

	if (span == NULL)
		return;
	put_target(span, call);
	if (call->operation != NULL)
		wf_span_text(span, "weft.operation", call->operation->name);
	wf_span_text(span, "weft.case", call->case_id);
	put_specification(span, call->specification);
	put_status(span, wf_exchange_status(call->exchange));
	wf_span_end(&call->span);
}

const char *wf_invocation_trace(struct wf_invocation *call)
{
	char text[WF_TRACE_SIZE];

	if (call->server->tracer == NULL)
		return "";
	wf_trace_write(&call->trace, text);
	return wf_arena_strdup(call->arena, text);
}

/* --- batches -------------------------------------------------------------- */

/* A word such as "launch". */
static const char *word_of(const struct wf_traced_request *request)
{
	static const char *const commands[] = {
#define WF_COMMAND(command, word, item, since, meaning)                        \
	[WF_COMMAND_##command] = #command,
#include "kernel/commands.def"
#undef WF_COMMAND
	};
	static const char *const kinds[] = {
#define WF_REQUEST(code, kind, meaning) [code] = #kind,
#include "runtime/requests.def"
#undef WF_REQUEST
	};

	return request->kind == WF_REQUEST_COMMAND ? commands[request->command]
						   : kinds[request->kind];
}

static void name_request(
    struct wf_span *span, const struct wf_traced_request *request)
{
	const char *word = word_of(request);
	char small[32] = "";

	for (size_t i = 0; word[i] != '\0' && i + 1 < sizeof(small); i++)
		small[i] = (char)tolower((unsigned char)word[i]);
	wf_span_name(span, "engine %s", small);
}

static struct wf_span *begin_request(struct wf_tracer *tracer,
    const struct wf_traced_batch *batch,
    const struct wf_traced_request *request, struct wf_trace_context *own_out)
{
	struct wf_trace_context parent;
	struct wf_span *span;

	if (!wf_trace_read(&parent, request->trace) || !parent.is_sampled)
		return NULL;
	span = wf_span_begin(tracer, &parent, WF_SPAN_INTERNAL, own_out);
	name_request(span, request);
	wf_span_times(span, request->submitted, batch->ended);
	wf_span_text(span, "weft.case", request->name);
	wf_span_text(span, "weft.item", request->item);
	put_specification(span, request->specification);
	if (request->rc != WF_OK)
		wf_span_text(span, "weft.refusal", wf_rc_name(request->rc));
	if (wf_rc_http(request->rc) >= 500) {
		wf_span_text(span, "error.type", wf_rc_name(request->rc));
		wf_span_fail(span, NULL);
	}
	return span;
}

static struct wf_span *begin_batch(struct wf_tracer *tracer,
    const struct wf_traced_batch *batch, const struct wf_trace_context *parent,
    struct wf_trace_context *own_out)
{
	struct wf_span *span =
	    wf_span_begin(tracer, parent, WF_SPAN_INTERNAL, own_out);

	wf_assert(batch->ended >= batch->began);
	wf_span_name(span, "batch");
	wf_span_times(span, batch->began, batch->ended);
	wf_span_number(span, "weft.shard", batch->shard);
	wf_span_number(span, "weft.batch.requests", (int64_t)batch->requests);
	wf_span_number(span, "weft.batch.steps", (int64_t)batch->steps);
	wf_span_number(
	    span, "weft.batch.statements", (int64_t)batch->statements);
	return span;
}

void wf_server_trace_batch(
    struct wf_server *server, const struct wf_traced_batch *batch)
{
	struct wf_span *shared = NULL; /* the batch */
	struct wf_trace_context of_batch;

	wf_assert(server->tracer != NULL && batch->count > 0);
	for (size_t i = 0; i < batch->count; i++) {
		struct wf_trace_context own;
		struct wf_span *span =
		    begin_request(server->tracer, batch, &batch->rows[i], &own);

		if (span != NULL && shared == NULL) {
			shared =
			    begin_batch(server->tracer, batch, &own, &of_batch);
		} else if (span != NULL) {
			wf_span_link(span, &of_batch);
			wf_span_link(shared, &own);
			wf_span_event(span, "batch begins", batch->began);
		}
		wf_span_end(&span);
	}
	wf_span_end(&shared);
}
