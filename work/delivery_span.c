/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The span of a call to a service, one for each attempt, in the trace of the
 * request whose step made the message; what the answer makes the engine do
 * goes on in it.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "work/delivery_priv.h"

/* In the trace of the message until there is a call. */
void wf_delivery_trace(struct wf_delivery *delivery)
{
	delivery->trace = delivery->sender->settings.tracer == NULL
			      ? ""
			      : delivery->message.announced.trace;
}

/* Where a call goes, without what may be secret in its URL. */
static void put_address(struct wf_span *span, const char *url)
{
	CURLU *parts = curl_url();
	char *host = NULL;
	char *port = NULL;
	char *shown = NULL;

	if (parts != NULL && curl_url_set(parts, CURLUPART_URL, url,
				 CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK) {
		(void)curl_url_set(parts, CURLUPART_USER, NULL, 0);
		(void)curl_url_set(parts, CURLUPART_PASSWORD, NULL, 0);
		(void)curl_url_set(parts, CURLUPART_QUERY, NULL, 0);
		(void)curl_url_set(parts, CURLUPART_FRAGMENT, NULL, 0);
		(void)curl_url_get(parts, CURLUPART_HOST, &host, 0);
		(void)curl_url_get(
		    parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
		(void)curl_url_get(parts, CURLUPART_URL, &shown, 0);
	}
	wf_span_text(span, "server.address", host);
	if (port != NULL)
		wf_span_number(span, "server.port", strtol(port, NULL, 10));
	wf_span_text(span, "url.full", shown);
	curl_free(host);
	curl_free(port);
	curl_free(shown);
	curl_url_cleanup(parts);
}

static void put_message(struct wf_span *span, const struct wf_message *message)
{
	char key[17];

	wf_span_text(span, "weft.service", message->service->name);
	wf_span_text(span, "weft.case", message->announced.name);
	wf_span_text(span, "weft.item", message->row.subject);
	wf_span_text(span, "weft.task", message->announced.task);
	snprintf(key, sizeof(key), "%016llx",
	    (unsigned long long)message->announced.specification);
	wf_span_text(span, "weft.specification", key);
}

static bool has_header(const struct wf_message *message, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < message->header_count; i++)
		if (strncasecmp(message->headers[i], name, length) == 0 &&
		    message->headers[i][length] == ':')
			return true;
	return false;
}

/* A task of weft:http may give the header itself. */
static void add_headers(
    struct wf_delivery *delivery, const struct wf_trace_context *context)
{
	struct wf_message *message = &delivery->message;
	char parent[WF_TRACEPARENT_SIZE];

	if (message->mail_to != NULL || has_header(message, "traceparent"))
		return;
	wf_traceparent_write(context, parent);
	wf_message_add_header(message, "traceparent", parent);
	if (context->state[0] != '\0')
		wf_message_add_header(message, "tracestate", context->state);
}

void wf_delivery_span_begin(struct wf_delivery *delivery, const char *url)
{
	struct wf_message *message = &delivery->message;
	const char *method = message->method == NULL ? "POST" : message->method;
	struct wf_tracer *tracer = delivery->sender->settings.tracer;
	struct wf_trace_context parent;
	struct wf_trace_context own;
	char trace[WF_TRACE_SIZE];
	bool has_parent;

	wf_assert(delivery->span == NULL);
	if (tracer == NULL)
		return;
	has_parent = wf_trace_read(&parent, message->announced.trace);
	delivery->span = wf_span_begin(
	    tracer, has_parent ? &parent : NULL, WF_SPAN_CLIENT, &own);
	add_headers(delivery, &own);
	wf_trace_write(&own, trace);
	delivery->trace = wf_arena_strdup(message->arena, trace);
	if (delivery->span == NULL)
		return;
	if (message->mail_to != NULL)
		method = "MAIL";
	else
		wf_span_text(delivery->span, "http.request.method", method);
	wf_span_name(delivery->span, "%s %s", method, message->service->name);
	if (message->row.attempts > 1)
		wf_span_number(delivery->span, "http.request.resend_count",
		    message->row.attempts - 1);
	put_address(delivery->span, url);
	put_message(delivery->span, message);
}

void wf_delivery_span_end(struct wf_delivery *delivery, CURLcode code)
{
	struct wf_span *span = delivery->span;
	unsigned status = delivery->message.status;
	char text[8];

	if (span == NULL)
		return;
	if (code != CURLE_OK) {
		wf_span_text(span, "error.type", "no_answer");
		wf_span_fail(span, curl_easy_strerror(code));
	} else if (delivery->message.mail_to == NULL) {
		wf_span_number(span, "http.response.status_code", status);
	}
	if (code == CURLE_OK && status >= 400) {
		snprintf(text, sizeof(text), "%u", status);
		wf_span_text(span, "error.type", text);
		wf_span_fail(span, NULL);
	}
	wf_span_end(&delivery->span);
}
