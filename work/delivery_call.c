/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls: one connection to an address that may be called, certificates checked,
 * no redirects, no proxy.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work/delivery_priv.h"

#define CONNECT_MAXIMUM 10000
#define PROTOCOLS "http,https,smtp,smtps"

/* --- what libcurl calls --------------------------------------------------- */

/* Names may lead anywhere: what counts is the address in the end. */
static curl_socket_t open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct flight *flight = context;

	(void)purpose;
	if (!wf_address_is_allowed(
		&address->addr, &flight->delivery->settings.allowed)) {
		flight->forbidden = true;
		return CURL_SOCKET_BAD;
	}
	flight->permitted = true;
	return socket(address->family, address->socktype | SOCK_CLOEXEC,
	    address->protocol);
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct flight *flight = context;
	struct wf_buffer *answer = &flight->parcel.answer;

	wf_buffer_append(answer, bytes, size * count);
	return answer->full ? 0 : size * count;
}

/* A mail is read bit by bit. */
static size_t give_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct flight *flight = context;
	const struct wf_buffer *body = &flight->parcel.body;
	size_t length = body->length - flight->sent;

	if (length > size * count)
		length = size * count;
	memcpy(bytes, body->data + flight->sent, length);
	flight->sent += length;
	return length;
}

/* --- one call ------------------------------------------------------------- */

static void set_request(struct flight *flight)
{
	const struct wf_parcel *parcel = &flight->parcel;
	CURL *curl = flight->curl;
	const char *method = parcel->method == NULL ? "POST" : parcel->method;

	for (size_t i = 0; i < parcel->header_count; i++)
		flight->headers =
		    curl_slist_append(flight->headers, parcel->headers[i]);
	/* Bodies are sent at once, not after a question. */
	flight->headers = curl_slist_append(flight->headers, "Expect:");
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, flight->headers);
	if (strcmp(method, "HEAD") == 0)
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	else
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	if (parcel->body.length == 0 && parcel->method != NULL &&
	    strcmp(method, "POST") != 0)
		return;
	curl_easy_setopt(
	    curl, CURLOPT_POSTFIELDS, wf_buffer_text(&parcel->body));
	curl_easy_setopt(
	    curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)parcel->body.length);
}

static void set_mail(struct flight *flight)
{
	const struct wf_parcel *parcel = &flight->parcel;
	CURL *curl = flight->curl;

	for (size_t i = 0; parcel->mail_to[i] != NULL; i++)
		flight->recipients =
		    curl_slist_append(flight->recipients, parcel->mail_to[i]);
	curl_easy_setopt(curl, CURLOPT_MAIL_FROM, parcel->mail_from);
	curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, flight->recipients);
	curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)CURLUSESSL_TRY);
	curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(curl, CURLOPT_READFUNCTION, give_bytes);
	curl_easy_setopt(curl, CURLOPT_READDATA, flight);
}

static void set_options(struct flight *flight, const char *url)
{
	const struct wf_parcel *parcel = &flight->parcel;
	long timeout = (long)parcel->policy.timeout;
	CURL *curl = flight->curl;

	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PRIVATE, flight);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, flight->error);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROXY, "");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, PROTOCOLS);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, flight);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, flight);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
	    timeout < CONNECT_MAXIMUM ? timeout : CONNECT_MAXIMUM);
	if (parcel->user != NULL)
		curl_easy_setopt(curl, CURLOPT_USERPWD, parcel->user);
	if (parcel->mail_to != NULL)
		set_mail(flight);
	else
		set_request(flight);
}

bool wf_flight_call(struct flight *flight)
{
	struct wf_parcel *parcel = &flight->parcel;
	const char *url =
	    parcel->url == NULL ? parcel->service->uri : parcel->url;

	flight->curl = curl_easy_init();
	if (flight->curl != NULL) {
		set_options(flight, url);
		if (curl_multi_add_handle(
			flight->delivery->multi, flight->curl) == CURLM_OK)
			return true;
		curl_easy_cleanup(flight->curl);
		flight->curl = NULL;
	}
	wf_parcel_fail(parcel, WF_PARCEL_AGAIN, "libcurl cannot be used");
	return false;
}

void wf_flight_end_call(struct flight *flight)
{
	if (flight->curl != NULL) {
		curl_multi_remove_handle(flight->delivery->multi, flight->curl);
		curl_easy_cleanup(flight->curl);
	}
	curl_slist_free_all(flight->headers);
	curl_slist_free_all(flight->recipients);
	flight->curl = NULL;
	flight->headers = NULL;
	flight->recipients = NULL;
}

/* --- those that are over -------------------------------------------------- */

static enum wf_verdict fail(struct flight *flight, CURLcode code)
{
	struct wf_parcel *parcel = &flight->parcel;
	long status = 0;
	long sent = 0;
	const char *why =
	    flight->error[0] != '\0' ? flight->error : curl_easy_strerror(code);

	/* A name may have other addresses, which did not answer now. */
	if (flight->forbidden && !flight->permitted)
		return wf_parcel_fail(parcel, WF_PARCEL_REFUSED,
		    "its address is not public, and not allowed");
	curl_easy_getinfo(flight->curl, CURLINFO_RESPONSE_CODE, &status);
	if (parcel->mail_to != NULL && status >= 500)
		return wf_parcel_fail(
		    parcel, WF_PARCEL_REFUSED, "SMTP %ld: %s", status, why);
	if (parcel->answer.full)
		return wf_parcel_fail(parcel, WF_PARCEL_REFUSED,
		    "its answer has more than %zu bytes",
		    parcel->answer.maximum);
	/* An answer that is no HTTP is an unsupported protocol, too. */
	curl_easy_getinfo(flight->curl, CURLINFO_REQUEST_SIZE, &sent);
	if (sent == 0 &&
	    (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL))
		return wf_parcel_fail(
		    parcel, WF_PARCEL_REFUSED, "no address: %s", why);
	return wf_parcel_fail(parcel, WF_PARCEL_AGAIN, "%s", why);
}

static void read_answer(struct flight *flight)
{
	struct wf_parcel *parcel = &flight->parcel;
	const char *type = NULL;
	curl_off_t seconds = 0;
	long status = 0;

	curl_easy_getinfo(flight->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(flight->curl, CURLINFO_CONTENT_TYPE, &type);
	curl_easy_getinfo(flight->curl, CURLINFO_RETRY_AFTER, &seconds);
	parcel->status = (unsigned)status;
	parcel->type = wf_arena_strdup(parcel->arena, type == NULL ? "" : type);
	if (seconds > 0 && seconds < 24 * 3600)
		parcel->retry_after =
		    wf_engine_now(parcel->engine) + seconds * 1000;
}

static void end(struct flight *flight, CURLcode code)
{
	enum wf_verdict verdict;

	flight->parcel.now = wf_engine_now(flight->delivery->engine);
	if (code == CURLE_OK) {
		read_answer(flight);
		verdict = flight->kind->judge(&flight->parcel);
	} else {
		verdict = fail(flight, code);
	}
	wf_flight_end_call(flight);
	wf_flight_verdict(flight, verdict);
}

void wf_delivery_take_calls(struct wf_delivery *delivery)
{
	const CURLMsg *message;
	int left;

	while (
	    (message = curl_multi_info_read(delivery->multi, &left)) != NULL) {
		CURLcode code = message->data.result;
		struct flight *flight;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(
		    message->easy_handle, CURLINFO_PRIVATE, &flight);
		end(flight, code);
	}
}
