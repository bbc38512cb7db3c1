/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls over HTTP and SMTP, made by libcurl: one connection to an address that
 * may be called, with certificates checked, without redirects and proxies.
 *
 * Each call has a span, in the trace of the request whose step made the
 * message; what the answer makes the engine do goes on in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "work/delivery_priv.h"

#define CONNECT_MAXIMUM_MS 10000
#define PROTOCOLS "http,https,smtp,smtps"
/*
 * So long other messages to an address that is not allowed need no call, and
 * those of which nothing follows then are not stored.
 */
#define FORBIDDEN_MS 1000

/* --- what libcurl calls --------------------------------------------------- */

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct wf_delivery *delivery = context;
	struct wf_buffer *answer = &delivery->message.answer;

	wf_buffer_append(answer, bytes, size * count);
	return answer->full ? 0 : size * count;
}

/* libcurl reads a mail in parts. */
static size_t give_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct wf_delivery *delivery = context;
	const struct wf_buffer *body = &delivery->message.body;
	size_t length = body->length - delivery->sent;

	wf_assert(delivery->sent <= body->length);
	if (length > size * count)
		length = size * count;
	memcpy(bytes, body->data + delivery->sent, length);
	delivery->sent += length;
	return length;
}

/* --- its span ------------------------------------------------------------- */

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

static void begin_span(struct wf_delivery *delivery, const char *url)
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
	char text[12];

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

/* --- one call ------------------------------------------------------------- */

static void set_request(struct wf_delivery *delivery)
{
	const struct wf_message *message = &delivery->message;
	CURL *curl = delivery->curl;
	const char *method = message->method == NULL ? "POST" : message->method;

	for (size_t i = 0; i < message->header_count; i++)
		delivery->headers =
		    curl_slist_append(delivery->headers, message->headers[i]);
	/* Send the body without waiting for "100 Continue". */
	delivery->headers = curl_slist_append(delivery->headers, "Expect:");
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, delivery->headers);
	if (strcmp(method, "HEAD") == 0)
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	else
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	if (message->body.length == 0 && message->method != NULL &&
	    strcmp(method, "POST") != 0)
		return;
	curl_easy_setopt(
	    curl, CURLOPT_POSTFIELDS, wf_buffer_text(&message->body));
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
	    (curl_off_t)message->body.length);
}

static void set_mail(struct wf_delivery *delivery)
{
	const struct wf_message *message = &delivery->message;
	CURL *curl = delivery->curl;

	for (size_t i = 0; message->mail_to[i] != NULL; i++)
		delivery->recipients = curl_slist_append(
		    delivery->recipients, message->mail_to[i]);
	curl_easy_setopt(curl, CURLOPT_MAIL_FROM, message->mail_from);
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, delivery->recipients);
	curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)CURLUSESSL_TRY);
	curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_bytes);
	curl_easy_setopt(curl, CURLOPT_READDATA, delivery);
}

static void set_options(struct wf_delivery *delivery, const char *url)
{
	const struct wf_message *message = &delivery->message;
	long timeout = (long)message->policy.timeout_ms;
	CURL *curl = delivery->curl;

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PRIVATE, delivery);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, delivery->error);
	delivery->guard.allowed = &delivery->sender->settings.allowed;
	wf_address_guard_set(curl, &delivery->guard, PROTOCOLS);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, delivery);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
	    timeout < CONNECT_MAXIMUM_MS ? timeout : CONNECT_MAXIMUM_MS);
	if (message->user != NULL)
		curl_easy_setopt(curl, CURLOPT_USERPWD, message->user);
	if (message->mail_to != NULL)
		set_mail(delivery);
	else
		set_request(delivery);
}

bool wf_delivery_call(struct wf_delivery *delivery)
{
	struct wf_message *message = &delivery->message;
	const char *url =
	    message->url == NULL ? message->service->uri : message->url;

	wf_assert(delivery->state == DELIVERY_ACTIVE && delivery->curl == NULL);
	wf_assert((message->mail_to != NULL) == (message->mail_from != NULL));
	delivery->curl = curl_easy_init();
	delivery->began_us = wf_monotonic_us();
	wf_delivery_publish(delivery);
	if (delivery->curl != NULL) {
		begin_span(delivery, url);
		set_options(delivery, url);
		if (curl_multi_add_handle(
			delivery->sender->multi, delivery->curl) == CURLM_OK)
			return true;
		curl_easy_cleanup(delivery->curl);
		delivery->curl = NULL;
		wf_delivery_span_end(delivery, CURLE_FAILED_INIT);
	}
	wf_message_fail(message, WF_VERDICT_AGAIN, "libcurl cannot be used");
	return false;
}

/* --- the end of a call ---------------------------------------------------- */

enum wf_verdict wf_delivery_fail_forbidden(struct wf_delivery *delivery)
{
	return wf_message_fail(
	    &delivery->message, WF_VERDICT_REFUSED, WF_SERVICE_FORBIDDEN);
}

static enum wf_verdict fail(struct wf_delivery *delivery, CURLcode code)
{
	struct wf_message *message = &delivery->message;
	long status = 0;
	long sent = 0;
	const char *why = delivery->error[0] != '\0' ? delivery->error
						     : curl_easy_strerror(code);

	delivery->cause = curl_easy_strerror(code);
	/* A permitted address of the name may answer the next time. */
	if (wf_address_guard_refused(&delivery->guard)) {
		wf_service_forbid(
		    message->service, message->now + FORBIDDEN_MS);
		return wf_delivery_fail_forbidden(delivery);
	}
	curl_easy_getinfo(delivery->curl, CURLINFO_RESPONSE_CODE, &status);
	if (message->mail_to != NULL && status >= 500)
		return wf_message_fail(
		    message, WF_VERDICT_REFUSED, "SMTP %ld: %s", status, why);
	if (message->answer.full)
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "its answer has more than %zu bytes",
		    message->answer.maximum);
	/* libcurl reports an answer that is not HTTP with this code as well. */
	curl_easy_getinfo(delivery->curl, CURLINFO_REQUEST_SIZE, &sent);
	if (sent == 0 &&
	    (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL))
		return wf_message_fail(
		    message, WF_VERDICT_REFUSED, "no address: %s", why);
	return wf_message_fail(message, WF_VERDICT_AGAIN, "%s", why);
}

static void read_answer(struct wf_delivery *delivery)
{
	struct wf_message *message = &delivery->message;
	const char *type = NULL;
	curl_off_t seconds = 0;
	long status = 0;

	curl_easy_getinfo(delivery->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(delivery->curl, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(delivery->curl, CURLINFO_RETRY_AFTER, &seconds);
	message->status = (unsigned)status;
	message->type =
	    wf_arena_strdup(message->arena, type == NULL ? "" : type);
	if (seconds > 0 && seconds < 24 * 3600)
		message->retry_after =
		    wf_engine_now(message->engine) + seconds * 1000;
}

static void end(struct wf_delivery *delivery, CURLcode code)
{
	enum wf_verdict verdict;

	wf_assert(delivery->magic == WF_DELIVERY_MAGIC);
	wf_assert(delivery->state == DELIVERY_ACTIVE && delivery->is_counted);
	delivery->message.now = wf_engine_now(delivery->sender->engine);
	delivery->took_us = wf_monotonic_us() - delivery->began_us;
	if (code == CURLE_OK) {
		wf_service_forbid(delivery->message.service, 0);
		read_answer(delivery);
		verdict = delivery->handler->judge(&delivery->message);
	} else {
		verdict = fail(delivery, code);
	}
	wf_delivery_span_end(delivery, code);
	wf_delivery_end_call(delivery);
	wf_delivery_verdict(delivery, verdict);
}

void wf_sender_take_calls(struct wf_sender *sender)
{
	const CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(sender->multi, &left)) != NULL) {
		CURLcode code = message->data.result;
		struct wf_delivery *delivery;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(
		    message->easy_handle, CURLINFO_PRIVATE, &delivery);
		end(delivery, code);
	}
}
