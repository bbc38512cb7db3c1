/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls over HTTP and SMTP, made by libcurl: one connection to an address that
 * may be called, with certificates checked, without redirects and proxies.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work/delivery_priv.h"

#define CONNECT_MAXIMUM_MS 10000
#define PROTOCOLS "http,https,smtp,smtps"
/*
 * So long other messages to an address that is not allowed need no call, and
 * those of which nothing follows then are not stored.
 */
#define FORBIDDEN_MS 1000

/* --- what libcurl calls --------------------------------------------------- */

/* A name may resolve to any address, so the address itself is checked. */
static curl_socket_t open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct wf_delivery *delivery = context;

	(void)purpose;
	if (!wf_address_is_allowed(
		&address->addr, &delivery->sender->settings.allowed)) {
		delivery->forbidden = true;
		return CURL_SOCKET_BAD;
	}
	delivery->permitted = true;
	return socket(address->family, address->socktype | SOCK_CLOEXEC,
	    address->protocol);
}

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
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, PROTOCOLS);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, delivery);
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
	if (delivery->curl != NULL) {
		wf_delivery_span_begin(delivery, url);
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
	if (delivery->forbidden && !delivery->permitted) {
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
