/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client over libcurl: one easy handle for single calls, a multi handle
 * with AT_ONCE transfers for many.
 */
#include "http/http_client.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"

#define ANSWER_BYTES ((size_t)1 << 30)
/* Of larger bodies it is asked first whether they are wanted. */
#define ASKED_BYTES ((size_t)1 << 20)
#define URL_BYTES 65536U
/* Calls of wf_client_many() at a time. */
#define AT_ONCE 32U
#define CONNECT_SECONDS 10L

struct wf_client {
	CURL *curl;
	char *server; /* without a slash at the end */
	char *token;  /* the header, or NULL */
	const char *ca;
	long status; /* of the last answer; 0: there was none */
};

enum wf_rc wf_client_open(struct wf_client **client_out, const char *server,
    const char *token, struct wf_error *err)
{
	struct wf_client *client;
	size_t length = strlen(server);

	*client_out = NULL;
	if (strncmp(server, "http://", 7) != 0 &&
	    strncmp(server, "https://", 8) != 0)
		return wf_fail(err, WF_INVALID,
		    "\"%.200s\" is no address of a server: expected "
		    "http://HOST:PORT",
		    server);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return wf_fail(err, WF_IO, "libcurl cannot be used");
	client = wf_calloc(1, sizeof(*client));
	while (length > 0 && server[length - 1] == '/')
		length--;
	client->server = wf_strndup(server, length);
	client->curl = curl_easy_init();
	if (token != NULL) {
		struct wf_buffer header;

		wf_buffer_init(&header, URL_BYTES);
		wf_buffer_printf(&header, "Authorization: Bearer %s", token);
		client->token = wf_buffer_take(&header);
	}
	*client_out = client;
	if (client->curl != NULL)
		return WF_OK;
	wf_client_close(client_out);
	return wf_fail(err, WF_IO, "libcurl cannot be used");
}

void wf_client_trust(struct wf_client *client, const char *ca)
{
	client->ca = ca;
}

void wf_client_close(struct wf_client **client)
{
	struct wf_client *old = *client;

	*client = NULL;
	if (old == NULL)
		return;
	if (old->curl != NULL)
		curl_easy_cleanup(old->curl);
	wf_free(old->server);
	wf_free(old->token);
	wf_free(old);
	curl_global_cleanup();
}

void wf_client_escape(struct wf_buffer *path, const char *text)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "-._~";

	for (; *text != '\0'; text++) {
		if (strchr(plain, *text) != NULL)
			wf_buffer_putc(path, *text);
		else
			wf_buffer_printf(
			    path, "%%%02X", (unsigned)(unsigned char)*text);
	}
}

/* --- one call ------------------------------------------------------------- */

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
	struct wf_buffer *buffer = context;

	wf_buffer_append(buffer, bytes, size * count);
	return buffer->full ? 0 : size * count;
}

static struct curl_slist *add_header(
    struct curl_slist *headers, const char *name, const char *value)
{
	struct wf_buffer line;

	if (value == NULL)
		return headers;
	wf_buffer_init(&line, URL_BYTES);
	wf_buffer_printf(&line, "%s: %s", name, value);
	headers = curl_slist_append(headers, wf_buffer_text(&line));
	wf_buffer_free(&line);
	return headers;
}

static struct curl_slist *make_headers(
    const struct wf_client *client, const struct wf_call *call)
{
	struct curl_slist *headers = NULL;

	if (client->token != NULL)
		headers = curl_slist_append(headers, client->token);
	headers = add_header(headers, "Accept", call->accept);
	headers = add_header(headers, "Content-Type",
	    call->type == NULL ? "application/json" : call->type);
	headers = add_header(headers, "Idempotency-Key", call->key);
	headers =
	    add_header(headers, "If-None-Match", call->is_new ? "*" : NULL);
	/*
	 * Sends bodies at once, without "Expect: 100-continue", except files
	 * that may be refused.
	 */
	return call->length > ASKED_BYTES
		   ? headers
		   : curl_slist_append(headers, "Expect:");
}

static void prepare(CURL *curl, const struct wf_client *client,
    const struct wf_call *call, const struct curl_slist *headers,
    curl_write_callback take, void *context)
{
	struct wf_buffer url;

	wf_buffer_init(&url, URL_BYTES);
	wf_buffer_printf(&url, "%s%s", client->server, call->path);
	curl_easy_reset(curl);
	curl_easy_setopt(curl, CURLOPT_URL, wf_buffer_text(&url));
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call->method);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, context);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	if (client->ca != NULL)
		curl_easy_setopt(curl, CURLOPT_CAINFO, client->ca);
	if (call->body != NULL || strcmp(call->method, "POST") == 0) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)call->length);
		curl_easy_setopt(curl, CURLOPT_COPYPOSTFIELDS,
		    call->body == NULL ? "" : call->body);
	}
	wf_buffer_free(&url);
}

static enum wf_rc rc_of(long status)
{
	switch (status) {
	case 400:
		return WF_INVALID;
	case 404:
		return WF_NOT_FOUND;
	case 409:
		return WF_CONFLICT;
	case 410:
		return WF_GONE;
	case 413:
		return WF_LIMIT;
	case 422:
		return WF_DATA;
	case 501:
		return WF_UNSUPPORTED;
	case 503:
		return WF_UNAVAILABLE;
	default:
		return status >= 500 ? WF_IO : WF_INVALID;
	}
}

/* An error with the detail, or the title, of a problem (RFC 9457). */
static enum wf_rc fail_with_problem(
    long status, const struct wf_buffer *body, struct wf_error *err)
{
	json_t *problem =
	    json_loadb(wf_buffer_text(body), body->length, 0, NULL);
	const char *title =
	    json_string_value(json_object_get(problem, "title"));
	const char *detail =
	    json_string_value(json_object_get(problem, "detail"));
	enum wf_rc rc;

	if (title == NULL)
		rc = wf_fail(err, rc_of(status),
		    "the server answered with the status %ld", status);
	else
		rc = wf_fail(
		    err, rc_of(status), "%s", detail != NULL ? detail : title);
	json_decref(problem);
	return rc;
}

/* Says what to do about TLS. */
static enum wf_rc fail_to_connect(
    const struct wf_client *client, CURLcode code, struct wf_error *err)
{
	bool is_plain = strncmp(client->server, "https:", 6) != 0;

	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return wf_fail(err, WF_UNAVAILABLE,
		    "%s: its certificate is not trusted, or is for another "
		    "host: name the file of the certificate that signed it "
		    "with --ca or WEFT_CA",
		    client->server);
	if (code == CURLE_SSL_CACERT_BADFILE)
		return wf_fail(err, WF_INVALID,
		    "%.200s: expected a readable file of certificates in PEM",
		    client->ca == NULL ? "" : client->ca);
	if (is_plain &&
	    (code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR ||
		code == CURLE_WEIRD_SERVER_REPLY ||
		code == CURLE_UNSUPPORTED_PROTOCOL))
		return wf_fail(err, WF_UNAVAILABLE,
		    "%s: %s; a server with TLS is at https://", client->server,
		    curl_easy_strerror(code));
	return wf_fail(err, WF_UNAVAILABLE, "%s: %s", client->server,
	    curl_easy_strerror(code));
}

static enum wf_rc check_answer(struct wf_client *client, CURL *curl,
    CURLcode code, const struct wf_buffer *body, struct wf_error *err)
{
	long status = 0;

	if (code != CURLE_OK)
		return fail_to_connect(client, code, err);
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	client->status = status;
	if (status >= 200 && status < 300)
		return WF_OK;
	return fail_with_problem(status, body, err);
}

bool wf_client_is_unauthorized(const struct wf_client *client)
{
	return client->status == 401;
}

enum wf_rc wf_client_call(struct wf_client *client, const struct wf_call *call,
    struct wf_buffer *body, struct wf_error *err)
{
	struct curl_slist *headers = make_headers(client, call);
	CURLcode code;

	prepare(client->curl, client, call, headers, take_bytes, body);
	code = curl_easy_perform(client->curl);
	curl_slist_free_all(headers);
	return check_answer(client, client->curl, code, body, err);
}

static enum wf_rc read_json(
    const struct wf_buffer *body, json_t **answer_out, struct wf_error *err)
{
	json_error_t error;

	*answer_out = NULL;
	if (body->length == 0)
		return WF_OK;
	*answer_out = json_loadb(
	    wf_buffer_text(body), body->length, JSON_DECODE_ANY, &error);
	if (*answer_out != NULL)
		return WF_OK;
	return wf_fail(
	    err, WF_INVALID, "the server's answer is no JSON: %s", error.text);
}

enum wf_rc wf_client_json(struct wf_client *client, const char *method,
    const char *path, json_t *json, json_t **answer_out, struct wf_error *err)
{
	char *text = json == NULL ? NULL : json_dumps(json, JSON_COMPACT);
	struct wf_call call = { .method = method,
		.path = path,
		.body = text,
		.length = text == NULL ? 0 : strlen(text) };
	struct wf_buffer body;
	enum wf_rc rc;

	*answer_out = NULL;
	wf_buffer_init(&body, ANSWER_BYTES);
	rc = wf_client_call(client, &call, &body, err);
	if (rc == WF_OK)
		rc = read_json(&body, answer_out, err);
	wf_buffer_free(&body);
	free(text);
	return rc;
}

/* --- many calls ----------------------------------------------------------- */

struct transfer {
	CURL *curl;
	struct curl_slist *headers;
	struct wf_buffer body;
	size_t number;
};

struct batch {
	struct wf_client *client;
	const struct wf_client_many *many;
	CURLM *multi;
	struct transfer transfers[AT_ONCE];
	size_t started;
	size_t running_count;
	bool ended;
};

/* False: there is no further call. */
static bool start(struct batch *batch, struct transfer *transfer)
{
	json_t *json =
	    batch->ended ? NULL : batch->many->next(batch->many->context);
	struct wf_call call = { .method = batch->many->method,
		.path = batch->many->path };
	char *text;

	wf_assert(batch->running_count < AT_ONCE);
	batch->ended = json == NULL;
	if (json == NULL)
		return false;
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	call.body = text;
	call.length = strlen(text);
	wf_buffer_reset(&transfer->body);
	curl_slist_free_all(transfer->headers);
	transfer->headers = make_headers(batch->client, &call);
	transfer->number = batch->started++;
	prepare(transfer->curl, batch->client, &call, transfer->headers,
	    take_bytes, &transfer->body);
	curl_easy_setopt(transfer->curl, CURLOPT_PRIVATE, transfer);
	curl_multi_add_handle(batch->multi, transfer->curl);
	batch->running_count++;
	free(text);
	return true;
}

static void finish(struct batch *batch, const CURLMsg *message)
{
	struct wf_error err = { .rc = WF_OK };
	struct transfer *transfer;
	CURLcode code = message->data.result;
	json_t *answer = NULL;
	char *private;
	enum wf_rc rc;

	curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
	transfer = (struct transfer *)(void *)private;
	wf_assert(transfer->number < batch->started);
	wf_assert(batch->running_count > 0);
	rc = check_answer(
	    batch->client, transfer->curl, code, &transfer->body, &err);
	if (rc == WF_OK)
		rc = read_json(&transfer->body, &answer, &err);
	if (!batch->many->done(
		batch->many->context, transfer->number, answer, &err))
		batch->ended = true;
	json_decref(answer);
	curl_multi_remove_handle(batch->multi, transfer->curl);
	batch->running_count--;
	(void)start(batch, transfer);
}

static void run_all(struct batch *batch)
{
	const CURLMsg *message;
	int running;
	int left;

	for (size_t i = 0; i < AT_ONCE && start(batch, &batch->transfers[i]);)
		i++;
	while (batch->running_count > 0) {
		curl_multi_perform(batch->multi, &running);
		while ((message = curl_multi_info_read(batch->multi, &left)) !=
		       NULL)
			if (message->msg == CURLMSG_DONE)
				finish(batch, message);
		if (batch->running_count > 0)
			curl_multi_poll(batch->multi, NULL, 0, 1000, NULL);
	}
}

enum wf_rc wf_client_many(struct wf_client *client,
    const struct wf_client_many *many, struct wf_error *err)
{
	struct batch batch = { .client = client, .many = many };
	enum wf_rc rc = WF_OK;

	batch.multi = curl_multi_init();
	for (size_t i = 0; i < AT_ONCE; i++) {
		batch.transfers[i].curl = curl_easy_init();
		wf_buffer_init(&batch.transfers[i].body, ANSWER_BYTES);
		if (batch.multi == NULL || batch.transfers[i].curl == NULL)
			rc = wf_fail(err, WF_IO, "libcurl cannot be used");
	}
	if (rc == WF_OK)
		run_all(&batch);
	for (size_t i = 0; i < AT_ONCE; i++) {
		curl_slist_free_all(batch.transfers[i].headers);
		curl_easy_cleanup(batch.transfers[i].curl);
		wf_buffer_free(&batch.transfers[i].body);
	}
	curl_multi_cleanup(batch.multi);
	return rc;
}

/* --- streams -------------------------------------------------------------- */

struct copying {
	CURL *curl;
	struct wf_buffer problem; /* the body of an answer that is not 200 */
	bool (*take)(void *context, const char *bytes, size_t size);
	void *context;
	bool stopped;
};

static size_t take_copy(char *bytes, size_t size, size_t count, void *context)
{
	struct copying *copying = context;
	long status = 0;

	count *= size;
	curl_easy_getinfo(copying->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		wf_buffer_append(&copying->problem, bytes, count);
	else
		copying->stopped =
		    !copying->take(copying->context, bytes, count);
	return copying->stopped ? 0 : count;
}

enum wf_rc wf_client_copy(struct wf_client *client, const char *path,
    bool (*take)(void *context, const char *bytes, size_t size), void *context,
    struct wf_error *err)
{
	struct wf_call call = { .method = "GET", .path = path };
	struct curl_slist *headers = make_headers(client, &call);
	struct copying copying = {
		.curl = client->curl, .take = take, .context = context
	};
	CURLcode code;
	enum wf_rc rc;

	wf_buffer_init(&copying.problem, ANSWER_BYTES);
	prepare(client->curl, client, &call, headers, take_copy, &copying);
	code = curl_easy_perform(client->curl);
	rc = copying.stopped
		 ? wf_fail(err, WF_IO, "the answer cannot be written")
		 : check_answer(
		       client, client->curl, code, &copying.problem, err);
	curl_slist_free_all(headers);
	wf_buffer_free(&copying.problem);
	return rc;
}

struct listening {
	CURL *curl;
	struct wf_buffer line;
	struct wf_buffer data;
	struct wf_buffer id;
	struct wf_buffer problem; /* the body of an answer that is not 200 */
	bool (*event)(void *context, const char *id, const char *data);
	void *context;
	bool ended;
};

/*
 * A line is "id: ..", "data: .." or empty, which ends an event; ":" is a sign
 * of life.
 */
static void take_line(struct listening *listening)
{
	const char *line = wf_buffer_text(&listening->line);

	if (strncmp(line, "data: ", 6) == 0) {
		wf_buffer_puts(&listening->data, line + 6);
	} else if (strncmp(line, "id: ", 4) == 0) {
		wf_buffer_reset(&listening->id);
		wf_buffer_puts(&listening->id, line + 4);
	} else if (line[0] == ':') {
		listening->ended =
		    !listening->event(listening->context, NULL, NULL);
	} else if (line[0] == '\0' && listening->data.length > 0) {
		listening->ended = !listening->event(listening->context,
		    wf_buffer_text(&listening->id),
		    wf_buffer_text(&listening->data));
		wf_buffer_reset(&listening->data);
	}
	wf_buffer_reset(&listening->line);
}

static size_t take_stream(char *bytes, size_t size, size_t count, void *context)
{
	struct listening *listening = context;
	long status = 0;

	count *= size;
	curl_easy_getinfo(listening->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200) {
		wf_buffer_append(&listening->problem, bytes, count);
		return count;
	}
	for (size_t i = 0; i < count && !listening->ended; i++) {
		if (bytes[i] == '\n')
			take_line(listening);
		else if (bytes[i] != '\r')
			wf_buffer_putc(&listening->line, bytes[i]);
	}
	return listening->ended ? 0 : count;
}

enum wf_rc wf_client_stream(struct wf_client *client, const char *path,
    bool (*event)(void *context, const char *id, const char *data),
    void *context, struct wf_error *err)
{
	struct wf_call call = {
		.method = "GET", .path = path, .accept = "text/event-stream"
	};
	struct curl_slist *headers = make_headers(client, &call);
	struct listening listening = {
		.curl = client->curl, .event = event, .context = context
	};
	CURLcode code;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&listening.line, ANSWER_BYTES);
	wf_buffer_init(&listening.data, ANSWER_BYTES);
	wf_buffer_init(&listening.id, URL_BYTES);
	wf_buffer_init(&listening.problem, ANSWER_BYTES);
	prepare(client->curl, client, &call, headers, take_stream, &listening);
	code = curl_easy_perform(client->curl);
	if (!listening.ended)
		rc = check_answer(
		    client, client->curl, code, &listening.problem, err);
	curl_slist_free_all(headers);
	wf_buffer_free(&listening.line);
	wf_buffer_free(&listening.data);
	wf_buffer_free(&listening.id);
	wf_buffer_free(&listening.problem);
	return rc;
}
