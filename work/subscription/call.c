/* SPDX-License-Identifier: Apache-2.0 */
#include "work/subscription/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "work/service.h"
#include "xquery/text/unicode.h"

#define CALL_MAXIMUM_MS 10000L
#define CONNECT_MAXIMUM_MS 5000L
/* What is kept of an answer, for the reason of a failure. */
#define ANSWER_BYTES 200U
#define AFTER_MAXIMUM_S INT64_C(3600)

struct call {
	struct call *next;
	struct wf_calls *calls;
	CURL *curl;
	struct curl_slist *headers; /* or recipients */
	char *body;
	size_t length;
	size_t sent; /* of a mail */
	bool is_mail;
	struct wf_address_guard guard;
	char error[CURL_ERROR_SIZE];
	char answer[ANSWER_BYTES + 1];
	size_t answered;
	void *context;
};

struct wf_calls {
	CURLM *multi;
	const struct wf_address_ranges *allowed;
	struct call *first;
	size_t active;
};

/* --- URLs ----------------------------------------------------------------- */

const char *wf_url_origin(const char *url, struct wf_arena *arena)
{
	CURLU *parts = curl_url();
	char *scheme = NULL;
	char *host = NULL;
	char *port = NULL;
	char *user = NULL;
	const char *origin = NULL;

	if (curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
	    curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	    (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0) &&
	    curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
	    curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) ==
		CURLUE_OK &&
	    curl_url_get(parts, CURLUPART_USER, &user, 0) == CURLUE_NO_USER)
		origin =
		    wf_arena_printf(arena, "%s://%s:%s", scheme, host, port);
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	curl_free(user);
	curl_url_cleanup(parts);
	return origin;
}

bool wf_url_is_called(const char *url)
{
	struct wf_arena *arena = wf_arena_new();
	bool is = wf_url_origin(url, arena) != NULL;

	wf_arena_free(&arena);
	return is;
}

/* --- what libcurl calls --------------------------------------------------- */

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct call *call = context;
	size_t room = ANSWER_BYTES - call->answered;
	size_t kept = size * count < room ? size * count : room;

	wf_assert(call->answered <= ANSWER_BYTES);
	memcpy(call->answer + call->answered, bytes, kept);
	call->answered += kept;
	return size * count;
}

static size_t give_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct call *call = context;
	size_t length = call->length - call->sent;

	wf_assert(call->sent <= call->length);
	if (length > size * count)
		length = size * count;
	memcpy(bytes, call->body + call->sent, length);
	call->sent += length;
	return length;
}

/* --- beginning ------------------------------------------------------------ */

static struct call *new_call(
    struct wf_calls *calls, const struct wf_buffer *body, void *context)
{
	struct call *call = wf_calloc(1, sizeof(*call));

	call->calls = calls;
	call->context = context;
	call->length = body->length;
	call->body = wf_malloc(body->length + 1);
	memcpy(call->body, wf_buffer_text(body), body->length + 1);
	call->curl = curl_easy_init();
	wf_assert(call->curl != NULL);
	curl_easy_setopt(call->curl, CURLOPT_PRIVATE, call);
	curl_easy_setopt(call->curl, CURLOPT_ERRORBUFFER, call->error);
	return call;
}

static void begin(struct wf_calls *calls, struct call *call)
{
	call->next = calls->first;
	calls->first = call;
	calls->active++;
	curl_multi_add_handle(calls->multi, call->curl);
}

void wf_calls_post(struct wf_calls *calls, const char *url,
    const char *const *headers, size_t header_count,
    const struct wf_buffer *body, void *context)
{
	struct call *call = new_call(calls, body, context);
	CURL *curl = call->curl;

	wf_assert(url[0] != '\0' && !body->full);
	for (size_t i = 0; i < header_count; i++)
		call->headers = curl_slist_append(call->headers, headers[i]);
	/* Send the body without waiting for "100 Continue". */
	call->headers = curl_slist_append(call->headers, "Expect:");
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, call->headers);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call->body);
	curl_easy_setopt(
	    curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->length);
	call->guard.allowed = calls->allowed;
	wf_address_guard_set(curl, &call->guard, "http,https");
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, call);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, CALL_MAXIMUM_MS);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MAXIMUM_MS);
	begin(calls, call);
}

void wf_calls_mail(struct wf_calls *calls,
    const struct wf_smtp_account *account, const char *to,
    const struct wf_buffer *mail, void *context)
{
	struct call *call = new_call(calls, mail, context);

	wf_assert(mail->length > 0 && to[0] != '\0');
	call->is_mail = true;
	call->headers = curl_slist_append(NULL, to);
	wf_smtp_set_options(call->curl, account, call->headers);
	curl_easy_setopt(call->curl, CURLOPT_READFUNCTION, give_bytes);
	curl_easy_setopt(call->curl, CURLOPT_READDATA, call);
	begin(calls, call);
}

/* --- ending --------------------------------------------------------------- */

static void end(struct wf_calls *calls, struct call *call)
{
	struct call **at = &calls->first;

	wf_assert(calls->active > 0 && call->calls == calls);
	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	calls->active--;
	curl_multi_remove_handle(calls->multi, call->curl);
	curl_easy_cleanup(call->curl);
	curl_slist_free_all(call->headers);
	wf_free(call->body);
	wf_free(call);
}

static void judge_answer(struct call *call, struct wf_call_result *result)
{
	curl_off_t after = 0;
	long status = 0;

	curl_easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(call->curl, CURLINFO_RETRY_AFTER, &after);
	result->is_good = status >= 200 && status < 300;
	if (after > AFTER_MAXIMUM_S)
		after = AFTER_MAXIMUM_S;
	result->after_ms = after > 0 ? (int64_t)after * 1000 : 0;
	while (call->answered > 0 && !wf_is_utf8(call->answer, call->answered))
		call->answered--;
	call->answer[call->answered] = '\0';
	snprintf(result->reason, sizeof(result->reason), "HTTP %ld%s%s", status,
	    call->answered == 0 ? "" : ": ", call->answer);
}

static void judge(
    struct call *call, CURLcode code, struct wf_call_result *result)
{
	const char *why =
	    call->error[0] != '\0' ? call->error : curl_easy_strerror(code);

	memset(result, 0, sizeof(*result));
	result->context = call->context;
	if (call->is_mail)
		result->is_good =
		    wf_smtp_judge(call->curl, code) == WF_SMTP_SENT;
	if (call->is_mail || code != CURLE_OK)
		snprintf(result->reason, sizeof(result->reason), "%s",
		    wf_address_guard_refused(&call->guard)
			? WF_SERVICE_FORBIDDEN
			: why);
	else
		judge_answer(call, result);
}

bool wf_calls_next(struct wf_calls *calls, struct wf_call_result *result_out)
{
	const CURLMsg *message;
	int left;
	int running;

	curl_multi_perform(calls->multi, &running);
	while ((message = curl_multi_info_read(calls->multi, &left)) != NULL) {
		struct call *call;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(
		    message->easy_handle, CURLINFO_PRIVATE, &call);
		judge(call, message->data.result, result_out);
		end(calls, call);
		return true;
	}
	return false;
}

void wf_calls_wait(struct wf_calls *calls, int milliseconds)
{
	curl_multi_poll(calls->multi, NULL, 0, milliseconds, NULL);
}

size_t wf_calls_active(const struct wf_calls *calls)
{
	return calls->active;
}

/* --- opening and closing -------------------------------------------------- */

struct wf_calls *wf_calls_new(const struct wf_address_ranges *allowed)
{
	struct wf_calls *calls = wf_calloc(1, sizeof(*calls));

	calls->allowed = allowed;
	calls->multi = curl_multi_init();
	wf_assert(calls->multi != NULL);
	return calls;
}

void wf_calls_free(struct wf_calls **calls)
{
	struct wf_calls *old = *calls;

	*calls = NULL;
	if (old == NULL)
		return;
	while (old->first != NULL)
		end(old, old->first);
	curl_multi_cleanup(old->multi);
	wf_free(old);
}
