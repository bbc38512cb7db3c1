/* SPDX-License-Identifier: Apache-2.0 */
#include "http/fetch.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"

#define HEADER_BYTES 65536U

struct fetching {
	const struct wf_fetch *fetch;
	struct wf_buffer *body;
	struct curl_slist *headers;
	struct wf_address_guard guard;
};

/* --- what libcurl calls --------------------------------------------------- */

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct fetching *fetching = context;

	wf_buffer_append(fetching->body, bytes, size * count);
	return fetching->body->full ? 0 : size * count;
}

static int progress(void *context, curl_off_t total, curl_off_t now,
    curl_off_t total_sent, curl_off_t sent)
{
	const struct fetching *fetching = context;

	(void)total;
	(void)now;
	(void)total_sent;
	(void)sent;
	return fetching->fetch->stop != NULL &&
	       atomic_load(fetching->fetch->stop);
}

/* --- the request ---------------------------------------------------------- */

static void add_header(
    struct fetching *fetching, const char *name, const char *value)
{
	struct wf_buffer line;

	if (value == NULL)
		return;
	wf_buffer_init(&line, HEADER_BYTES);
	wf_buffer_printf(&line, "%s: %s", name, value);
	fetching->headers =
	    curl_slist_append(fetching->headers, wf_buffer_text(&line));
	wf_buffer_free(&line);
}

static void set_request(CURL *curl, struct fetching *fetching)
{
	const struct wf_fetch *fetch = fetching->fetch;

	add_header(fetching, "Accept", fetch->accept);
	add_header(fetching, "Authorization", fetch->authorization);
	add_header(fetching, "Content-Type", fetch->type);
	for (size_t i = 0; fetch->headers != NULL && fetch->headers[i] != NULL;
	     i++)
		fetching->headers =
		    curl_slist_append(fetching->headers, fetch->headers[i]);
	/* The body is sent without waiting for "100 Continue". */
	fetching->headers = curl_slist_append(fetching->headers, "Expect:");
	curl_easy_setopt(curl, CURLOPT_URL, fetch->url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fetching->headers);
	if (fetch->body != NULL)
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, fetch->body);
	if (fetch->method != NULL && strcmp(fetch->method, "HEAD") == 0)
		curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
	else if (fetch->method != NULL)
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, fetch->method);
}

/* Only the connection and the signing in. */
static void set_mail(CURL *curl, const struct wf_fetch *fetch)
{
	curl_easy_setopt(curl, CURLOPT_URL, fetch->url);
	curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(curl, CURLOPT_USE_SSL, (long)CURLUSESSL_TRY);
}

static void set_bounds(CURL *curl, struct fetching *fetching)
{
	const struct wf_fetch *fetch = fetching->fetch;

	wf_assert(fetch->timeout_ms > 0); /* 0 would wait for ever */
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)fetch->timeout_ms);
	if (fetch->user != NULL)
		curl_easy_setopt(curl, CURLOPT_USERPWD, fetch->user);
	wf_address_guard_set(curl, &fetching->guard,
	    fetch->is_mail ? "smtp,smtps" : "http,https");
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, fetching);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, fetching);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	if (fetch->ca != NULL && fetch->ca[0] != '\0')
		curl_easy_setopt(curl, CURLOPT_CAINFO, fetch->ca);
}

static enum wf_rc judge(
    const struct fetching *fetching, CURLcode code, struct wf_error *err)
{
	if (code == CURLE_OK)
		return WF_OK;
	if (wf_address_guard_refused(&fetching->guard))
		return wf_fail(err, WF_DENIED,
		    "its address may not be called (--allow-address)");
	if (fetching->body->full)
		return wf_fail(err, WF_LIMIT,
		    "its answer has more than %zu bytes",
		    fetching->body->maximum);
	if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL)
		return wf_fail(err, WF_INVALID, "expected a URL of %s",
		    fetching->fetch->is_mail ? "smtp or smtps"
					     : "http or https");
	return wf_fail(err, WF_UNAVAILABLE, "%s", curl_easy_strerror(code));
}

static void read_retry_after(CURL *curl, const struct wf_fetch *fetch)
{
	curl_off_t seconds = 0;

	if (fetch->retry_after_ms == NULL)
		return;
	curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds);
	*fetch->retry_after_ms =
	    seconds > 0 && seconds < 24 * 3600 ? seconds * 1000 : 0;
}

static void read_type(CURL *curl, const struct wf_fetch *fetch)
{
	const char *type = NULL;

	if (fetch->answer_type == NULL)
		return;
	curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
	snprintf(fetch->answer_type, fetch->answer_type_size, "%s",
	    type == NULL ? "" : type);
}

enum wf_rc wf_http_fetch(const struct wf_fetch *fetch, struct wf_buffer *body,
    unsigned *status_out, struct wf_error *err)
{
	struct fetching fetching = { .fetch = fetch,
		.body = body,
		.guard = { .allowed = fetch->allowed } };
	CURL *curl = curl_easy_init();
	long status = 0;
	enum wf_rc rc;

	*status_out = 0;
	if (curl == NULL)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	if (fetch->is_mail)
		set_mail(curl, fetch);
	else
		set_request(curl, &fetching);
	set_bounds(curl, &fetching);
	rc = judge(&fetching, curl_easy_perform(curl), err);
	if (rc == WF_OK)
		curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	*status_out = (unsigned)status;
	read_retry_after(curl, fetch);
	read_type(curl, fetch);
	curl_easy_cleanup(curl);
	curl_slist_free_all(fetching.headers);
	return rc;
}

const char *wf_http_fetch_version(void)
{
	return curl_version_info(CURLVERSION_NOW)->version;
}
