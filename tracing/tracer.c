/* SPDX-License-Identifier: Apache-2.0 */
#include "tracing/tracer.h"

#include <sodium.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "tracing/tracer_priv.h"

/* About 4 KiB each. */
#define QUEUE_SPANS 2048U
#define INTERVAL_MS 1000
#define BATCH_TIMEOUT_MS 60000
#define HEADERS_BYTES 16384U
#define HEADERS_MAXIMUM 32U
#define URL_BYTES 2000U

/* --- sampling ------------------------------------------------------------- */

/* By the id, so that every server decides the same of a trace. */
bool wf_tracer_samples(const struct wf_tracer *tracer,
    const unsigned char trace[WF_TRACE_ID_BYTES])
{
	uint64_t number = 0;

	for (size_t i = WF_TRACE_ID_BYTES - 8; i < WF_TRACE_ID_BYTES; i++)
		number = number << 8 | trace[i];
	return tracer->samples_all || number < tracer->threshold;
}

static void set_ratio(struct wf_tracer *tracer, double ratio)
{
	wf_assert(ratio >= 0 && ratio <= 1);
	tracer->samples_all = ratio >= 1;
	if (!tracer->samples_all) /* 2^64 */
		tracer->threshold = (uint64_t)(ratio * 18446744073709551616.0);
}

/* --- the queue ------------------------------------------------------------ */

void wf_tracer_add(struct wf_tracer *tracer, struct wf_span *span)
{
	bool has_room;

	wf_assert(tracer->magic == WF_TRACER_MAGIC && span->next == NULL);
	pthread_mutex_lock(&tracer->lock);
	has_room = tracer->count < tracer->settings.queue;
	if (has_room) {
		*tracer->last = span;
		tracer->last = &span->next;
		tracer->count++;
		/* The thread takes batches from time to time, and full ones. */
		if (tracer->count >= tracer->settings.queue / 4)
			pthread_cond_signal(&tracer->wake);
	}
	pthread_mutex_unlock(&tracer->lock);
	if (!has_room) {
		atomic_fetch_add(&tracer->dropped, 1);
		wf_span_free(&span);
	}
}

void wf_tracer_read_counts(
    struct wf_tracer *tracer, struct wf_tracer_counts *counts_out)
{
	memset(counts_out, 0, sizeof(*counts_out));
	if (tracer == NULL)
		return;
	counts_out->exported = atomic_load(&tracer->exported);
	counts_out->dropped = atomic_load(&tracer->dropped);
}

/* --- settings ------------------------------------------------------------- */

void wf_tracer_settings_init(struct wf_tracer_settings *settings)
{
	*settings = (struct wf_tracer_settings){ .endpoint = "",
		.sample = 1,
		.service = "weft",
		.headers_file = "",
		.ca = "" };
}

/* With a host, and without a password that would be logged. */
static bool is_url(const char *url)
{
	const char *host = strstr(url, "://");

	if (strlen(url) > URL_BYTES || (strncmp(url, "http://", 7) != 0 &&
					   strncmp(url, "https://", 8) != 0))
		return false;
	host += 3;
	for (const char *at = url; *at != '\0'; at++)
		if (*at <= ' ' || *at > '~')
			return false;
	return strcspn(host, ":/?#") > 0 &&
	       memchr(host, '@', strcspn(host, "/?#")) == NULL;
}

/* "Name: value" */
static bool is_header(const char *line)
{
	static const char characters[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	    "!#$%&'*+-.^_`|~";
	size_t name = strspn(line, characters);

	if (name == 0 || line[name] != ':')
		return false;
	for (const char *at = line + name; *at != '\0'; at++)
		if ((*at < ' ' && *at != '\t') || *at == 127)
			return false;
	return true;
}

/* Each line that is neither empty nor begins with "#" is a header. */
static enum wf_rc read_headers(
    struct wf_tracer *tracer, char *text, struct wf_error *err)
{
	const char *path = tracer->settings.headers_file;
	size_t count = 0;
	unsigned number = 1;

	for (char *end; *text != '\0'; text = end, number++) {
		size_t length = strcspn(text, "\n");

		end = text + length + (text[length] != '\0');
		while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL)
			length--;
		text[length] = '\0';
		if (length == 0 || text[0] == '#')
			continue;
		if (!is_header(text) || count == HEADERS_MAXIMUM)
			return wf_fail(err, WF_INVALID,
			    "traces-headers-file: %s:%u: expected a header "
			    "such as \"Authorization: Bearer TOKEN\", and at "
			    "most %u of them",
			    path, number, HEADERS_MAXIMUM);
		tracer->headers[count++] = wf_arena_strdup(tracer->arena, text);
	}
	return WF_OK;
}

static enum wf_rc read_headers_file(
    struct wf_tracer *tracer, struct wf_error *err)
{
	const char *path = tracer->settings.headers_file;
	struct wf_error mine = { .rc = WF_OK };
	struct wf_buffer text;
	enum wf_rc rc;

	tracer->headers = wf_arena_array(
	    tracer->arena, HEADERS_MAXIMUM + 1, sizeof(*tracer->headers));
	if (path[0] == '\0')
		return WF_OK;
	wf_buffer_init(&text, HEADERS_BYTES);
	rc = wf_buffer_read_file(&text, path, &mine);
	if (rc != WF_OK)
		wf_fail(err, rc, "traces-headers-file: %s", mine.message);
	else if (text.length > 0)
		rc = read_headers(tracer, text.data, err);
	sodium_memzero(text.data, text.capacity);
	wf_buffer_free(&text);
	return rc;
}

/* --- opening and closing -------------------------------------------------- */

static enum wf_rc open_tracer(struct wf_tracer *tracer, struct wf_error *err)
{
	struct wf_tracer_settings *settings = &tracer->settings;
	enum wf_rc rc;

	if (sodium_init() < 0)
		return wf_fail(err, WF_IO, "there are no random numbers");
	if (!is_url(settings->endpoint))
		return wf_fail(err, WF_INVALID,
		    "traces-endpoint: expected a URL of a collector such as "
		    "http://127.0.0.1:4318/v1/traces, without a password");
	if (settings->queue == 0)
		settings->queue = QUEUE_SPANS;
	if (settings->interval_ms == 0)
		settings->interval_ms = INTERVAL_MS;
	if (settings->batch_timeout_ms == 0)
		settings->batch_timeout_ms = BATCH_TIMEOUT_MS;
	set_ratio(tracer, settings->sample);
	tracer->resource = wf_otlp_resource(settings->service, tracer->arena);
	rc = read_headers_file(tracer, err);
	if (rc == WF_OK && pthread_create(&tracer->thread, NULL,
			       wf_tracer_export, tracer) != 0)
		rc = wf_fail(err, WF_IO, "no thread can be started");
	tracer->has_thread = rc == WF_OK;
	return rc;
}

enum wf_rc wf_tracer_open(struct wf_tracer **tracer_out,
    const struct wf_tracer_settings *settings, struct wf_error *err)
{
	struct wf_tracer *tracer;
	enum wf_rc rc;

	*tracer_out = NULL;
	if (settings->endpoint[0] == '\0')
		return WF_OK;
	tracer = wf_calloc(1, sizeof(*tracer));
	tracer->magic = WF_TRACER_MAGIC;
	tracer->settings = *settings;
	tracer->arena = wf_arena_new();
	tracer->last = &tracer->first;
	pthread_mutex_init(&tracer->lock, NULL);
	wf_condition_init(&tracer->wake);
	*tracer_out = tracer;
	rc = open_tracer(tracer, err);
	if (rc != WF_OK)
		wf_tracer_close(tracer_out);
	return rc;
}

void wf_tracer_close(struct wf_tracer **tracer)
{
	struct wf_tracer *old = *tracer;

	*tracer = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == WF_TRACER_MAGIC);
	pthread_mutex_lock(&old->lock);
	old->stopping = true;
	pthread_cond_signal(&old->wake);
	pthread_mutex_unlock(&old->lock);
	if (old->has_thread)
		pthread_join(old->thread, NULL);
	wf_assert(old->first == NULL); /* the thread has taken all */
	pthread_cond_destroy(&old->wake);
	pthread_mutex_destroy(&old->lock);
	wf_arena_free(&old->arena);
	old->magic = 0;
	wf_free(old);
}
