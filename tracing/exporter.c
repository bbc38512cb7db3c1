/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that sends spans, one batch at a time:
 *
 *   IDLE ──spans──► SENDING ──taken, refused, or after its time──► IDLE
 *                    │   ▲
 *                    ▼   │ after a pause: 1 s, 2 s, .. 30 s, or as long as
 *                   WAITING  the collector says
 *
 * When the tracer is closed, what is left is sent for FLUSH_MS, and not beyond
 * the first batch that is not taken.
 */
#include <sodium.h>

#include "base/clock.h"
#include "base/panic.h"
#include "http/fetch.h"
#include "tracing/tracer_priv.h"

#define BATCH_SPANS 512U
#define CALL_MS 5000
#define FLUSH_MS 5000
#define PAUSE_MINIMUM_MS 1000
#define PAUSE_MAXIMUM_MS 30000
#define BODY_BYTES ((size_t)16 << 20)
#define ANSWER_BYTES ((size_t)64 << 10)

enum outcome { TAKEN, REFUSED, AGAIN };

struct export
{
	struct wf_tracer *tracer;
	struct wf_span *spans;
	size_t count;
	struct wf_buffer body;
	int64_t until; /* by the monotonic clock, it is given up then */
	size_t rejected;
	struct wf_error err;
};

/* --- batches -------------------------------------------------------------- */

/* The first spans of the queue; the lock is held. */
static void take_spans(struct wf_tracer *tracer, struct export *export)
{
	struct wf_span **end = &tracer->first;

	export->spans = tracer->first;
	while (*end != NULL && export->count < BATCH_SPANS) {
		end = &(*end)->next;
		export->count++;
	}
	tracer->first = *end;
	*end = NULL;
	tracer->count -= export->count;
	if (tracer->first == NULL) {
		wf_assert(tracer->count == 0);
		tracer->last = &tracer->first;
	}
}

/* Waits for a batch; false: there is none, and none will come. */
static bool next_batch(struct wf_tracer *tracer, struct export *export)
{
	size_t most = tracer->settings.queue / 4 < BATCH_SPANS
			  ? tracer->settings.queue / 4
			  : BATCH_SPANS;
	int64_t until = wf_monotonic_ms() + tracer->settings.interval_ms;

	pthread_mutex_lock(&tracer->lock);
	while (!tracer->stopping) {
		bool is_late =
		    !wf_wait_until(&tracer->wake, &tracer->lock, until);

		if (tracer->count > 0 && (is_late || tracer->count >= most))
			break;
		if (is_late)
			until =
			    wf_monotonic_ms() + tracer->settings.interval_ms;
	}
	take_spans(tracer, export);
	pthread_mutex_unlock(&tracer->lock);
	return export->count > 0;
}

static bool is_stopping(struct wf_tracer *tracer)
{
	bool is;

	pthread_mutex_lock(&tracer->lock);
	is = tracer->stopping;
	pthread_mutex_unlock(&tracer->lock);
	return is;
}

/* At least so long, unless the tracer is being closed. */
static void rest(struct wf_tracer *tracer, int64_t pause)
{
	int64_t until = wf_monotonic_ms() + pause;

	pthread_mutex_lock(&tracer->lock);
	while (!tracer->stopping && wf_monotonic_ms() < until)
		(void)wf_wait_until(&tracer->wake, &tracer->lock, until);
	pthread_mutex_unlock(&tracer->lock);
}

/* --- one call ------------------------------------------------------------- */

/* As OTLP says: these are transient. */
static bool is_transient(unsigned status)
{
	return status == 429 || status == 502 || status == 503 || status == 504;
}

static enum outcome send_once(struct export *export, int64_t *asked_out)
{
	const struct wf_tracer *tracer = export->tracer;
	int64_t left = export->until - wf_monotonic_ms();
	const struct wf_fetch fetch = { .url = tracer->settings.endpoint,
		.type = "application/json",
		.headers = tracer->headers,
		.body = wf_buffer_text(&export->body),
		.ca = tracer->settings.ca,
		.timeout_ms = left < CALL_MS ? left : CALL_MS,
		.retry_after_ms = asked_out };
	struct wf_buffer answer;
	unsigned status;
	enum wf_rc rc;

	*asked_out = 0;
	wf_error_clear(&export->err);
	if (left <= 0) {
		wf_fail(&export->err, WF_UNAVAILABLE, "no time is left");
		return AGAIN;
	}
	wf_buffer_init(&answer, ANSWER_BYTES);
	rc = wf_http_fetch(&fetch, &answer, &status, &export->err);
	if (rc == WF_OK && status / 100 == 2)
		export->rejected = wf_otlp_rejected(
		    wf_buffer_text(&answer), answer.length, export->count);
	else if (rc == WF_OK)
		wf_fail(&export->err, WF_UNAVAILABLE, "HTTP %u", status);
	wf_buffer_free(&answer);
	if (rc != WF_OK)
		return rc == WF_UNAVAILABLE ? AGAIN : REFUSED;
	if (status / 100 == 2)
		return TAKEN;
	return is_transient(status) ? AGAIN : REFUSED;
}

/* --- one batch ------------------------------------------------------------ */

static void report(struct wf_tracer *tracer, const char *failure)
{
	bool fails = failure != NULL;

	if (fails != tracer->fails && tracer->settings.report != NULL)
		tracer->settings.report(tracer->settings.context, failure);
	tracer->fails = fails;
}

/* How long to wait before the next call. */
static int64_t pause_of(struct wf_tracer *tracer, int64_t asked)
{
	int64_t pause = tracer->pause;

	if (tracer->pause < PAUSE_MAXIMUM_MS)
		tracer->pause *= 2;
	if (pause < asked)
		pause = asked;
	if (pause > PAUSE_MAXIMUM_MS)
		pause = PAUSE_MAXIMUM_MS;
	/* A random part: not all nodes come at the same time. */
	return pause + randombytes_uniform((uint32_t)pause / 4 + 1);
}

/* Until it is taken or refused, or its time is over. */
static enum outcome send_batch(struct export *export)
{
	struct wf_tracer *tracer = export->tracer;
	enum outcome outcome;
	int64_t asked;

	do {
		outcome = send_once(export, &asked);
		report(tracer, outcome == TAKEN ? NULL : export->err.message);
		if (outcome == AGAIN)
			rest(tracer, pause_of(tracer, asked));
		else
			tracer->pause = PAUSE_MINIMUM_MS;
	} while (outcome == AGAIN && !is_stopping(tracer) &&
		 wf_monotonic_ms() < export->until);
	return outcome;
}

static void end_batch(struct export *export, enum outcome outcome)
{
	size_t lost = outcome == TAKEN ? export->rejected : export->count;

	wf_assert(lost <= export->count);
	atomic_fetch_add(&export->tracer->exported, export->count - lost);
	atomic_fetch_add(&export->tracer->dropped, lost);
	while (export->spans != NULL) {
		struct wf_span *span = export->spans;

		export->spans = span->next;
		wf_span_free(&span);
	}
	wf_buffer_free(&export->body);
}

void *wf_tracer_export(void *argument)
{
	struct wf_tracer *tracer = argument;
	struct export export = { .tracer = tracer };
	int64_t end = INT64_MAX;

	tracer->pause = PAUSE_MINIMUM_MS;
	while (next_batch(tracer, &export)) {
		enum outcome outcome = REFUSED;

		if (end == INT64_MAX && is_stopping(tracer))
			end = wf_monotonic_ms() + FLUSH_MS;
		export.until =
		    wf_monotonic_ms() + tracer->settings.batch_timeout_ms;
		if (export.until > end)
			export.until = end;
		wf_buffer_init(&export.body, BODY_BYTES);
		wf_otlp_write(&export.body, tracer->resource, export.spans);
		if (!export.body.full)
			outcome = send_batch(&export);
		if (outcome == AGAIN && is_stopping(tracer))
			end = wf_monotonic_ms();
		end_batch(&export, outcome);
		export = (struct export){ .tracer = tracer };
	}
	return NULL;
}
