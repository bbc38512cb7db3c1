/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unit tests of tracing/: the headers of W3C Trace Context, sampling, the JSON
 * of OTLP, and the queue with a collector that answers when the test says so.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <jansson.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "http/http_server.h"
#include "http/listening.h"
#include "tracing/tracer_priv.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"
#define PARENT "00-" TRACE "-" SPAN "-01"

/* --- contexts ------------------------------------------------------------- */

static void test_traceparent(void)
{
	static const struct {
		const char *text;
		bool is_valid;
		bool is_sampled;
	} rows[] = {
		{ PARENT, true, true },
		{ "00-" TRACE "-" SPAN "-00", true, false },
		/* Only one flag has a meaning. */
		{ "00-" TRACE "-" SPAN "-ff", true, true },
		{ "00-" TRACE "-" SPAN "-02", true, false },
		/* A later version may have more behind it. */
		{ "cc-" TRACE "-" SPAN "-01", true, true },
		{ "cc-" TRACE "-" SPAN "-01-what-the-future-has", true, true },
		{ "cc-" TRACE "-" SPAN "-01.what-the-future-has", false,
		    false },
		{ "01-" TRACE "-" SPAN "-01-", true, true },
		{ PARENT "-more", false, false },
		{ PARENT ".", false, false },
		{ PARENT " ", false, false },
		{ " " PARENT, false, false },
		{ PARENT "," PARENT, false, false },
		{ "ff-" TRACE "-" SPAN "-01", false, false },
		{ ".0-" TRACE "-" SPAN "-01", false, false },
		{ "0-" TRACE "-" SPAN "-01", false, false },
		{ "000-" TRACE "-" SPAN "-01", false, false },
		{ "0A-" TRACE "-" SPAN "-01", false, false },
		{ "00-" TRACE "-" SPAN "-1", false, false },
		{ "00-" TRACE "-" SPAN "-.0", false, false },
		{ "00-" TRACE "-" SPAN "-001", false, false },
		{ "00-00000000000000000000000000000000-" SPAN "-01", false,
		    false },
		{ "00-" TRACE "-0000000000000000-01", false, false },
		{ "00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01", false,
		    false },
		{ "00-" TRACE "-00F067AA0BA902B7-01", false, false },
		{ "00-.bf92f3577b34da6a3ce929d0e0e4736-" SPAN "-01", false,
		    false },
		{ "00-bf92f3577b34da6a3ce929d0e0e4736-" SPAN "-01", false,
		    false },
		{ "00-" TRACE "0-" SPAN "-01", false, false },
		{ "00-" TRACE "-0f067aa0ba902b7-01", false, false },
		{ "00-" TRACE "_" SPAN "-01", false, false },
		{ "00" TRACE SPAN "01", false, false },
		{ "", false, false },
		{ "00", false, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct wf_trace_context context = { .state = NULL };
		char text[WF_TRACEPARENT_SIZE];

		CU_ASSERT_EQUAL(wf_traceparent_read(&context, rows[i].text),
		    rows[i].is_valid);
		if (!rows[i].is_valid)
			continue;
		CU_ASSERT_EQUAL(context.is_sampled, rows[i].is_sampled);
		CU_ASSERT_STRING_EQUAL(context.state, "");
		wf_traceparent_write(&context, text);
		CU_ASSERT_STRING_EQUAL(text,
		    rows[i].is_sampled ? PARENT : "00-" TRACE "-" SPAN "-00");
	}
}

static void test_tracestate(void)
{
	static const struct {
		const char *text;
		bool is_valid;
	} rows[] = {
		{ "", true },
		{ "foo=1", true },
		{ "foo=1,bar=2", true },
		{ "foo=1 \t , \t bar=2, \t baz=3", true },
		{ "foo=1,", true },
		{ ",foo=1,,bar=2", true },
		{ "foo@1=1,bar@2=2", true },
		{ "0t@v=1", true },
		{ "a*-_/z=!@#", true },
		{ "foo=1 2", true },
		{ "foo=", true },
		{ "foo", false },
		{ "foo=1=2", false },
		{ "=1", false },
		{ "foo =1", false },
		{ "FOO=1", false },
		{ "foo.bar=1", false },
		{ "foo@=1,bar=2", false },
		{ "@foo=1,bar=2", false },
		{ "foo@@bar=1", false },
		{ "foo@bar@baz=1", false },
		{ "0foo=1", false },
		{ "foo=\x7f", false },
		{ "foo=\xc3\xa4", false },
		{ "foo=a\tb", false },
	};
	char text[WF_TRACESTATE_BYTES + 2];

	for (size_t i = 0; i < COUNT(rows); i++)
		CU_ASSERT_EQUAL(
		    wf_tracestate_is_valid(rows[i].text), rows[i].is_valid);
	memset(text, 'a', sizeof(text));
	text[256] = '=';
	text[257 + 200] = '\0';
	CU_ASSERT_TRUE(wf_tracestate_is_valid(text));
	text[256] = 'a';
	text[257] = '=';
	CU_ASSERT_FALSE(wf_tracestate_is_valid(text));
	memset(text, ',', sizeof(text));
	text[31] = '\0';
	CU_ASSERT_TRUE(wf_tracestate_is_valid(text));
	text[31] = ',';
	text[32] = '\0';
	CU_ASSERT_FALSE(wf_tracestate_is_valid(text));
	memset(text, 'a', sizeof(text));
	text[1] = '=';
	text[WF_TRACESTATE_BYTES + 1] = '\0';
	CU_ASSERT_FALSE(wf_tracestate_is_valid(text));
}

static void test_one_text(void)
{
	struct wf_trace_context context;
	char text[WF_TRACE_SIZE];

	CU_ASSERT_TRUE(wf_trace_read(&context, PARENT " a=1,b=2"));
	CU_ASSERT_STRING_EQUAL(context.state, "a=1,b=2");
	wf_trace_write(&context, text);
	CU_ASSERT_STRING_EQUAL(text, PARENT " a=1,b=2");
	CU_ASSERT_TRUE(wf_trace_read(&context, PARENT));
	wf_trace_write(&context, text);
	CU_ASSERT_STRING_EQUAL(text, PARENT);
	CU_ASSERT_TRUE(wf_trace_read(&context, PARENT " no state"));
	CU_ASSERT_STRING_EQUAL(context.state, "");
	CU_ASSERT_FALSE(wf_trace_read(&context, PARENT "a=1"));
	CU_ASSERT_FALSE(wf_trace_read(&context, "00-" TRACE));
	CU_ASSERT_FALSE(wf_trace_read(&context, ""));
}

/* --- sampling ------------------------------------------------------------- */

/* A collector that is not there: nothing listens at this port. */
static const char nowhere[] = "http://127.0.0.1:1/v1/traces";

static struct wf_tracer *open_tracer(const char *endpoint, double sample)
{
	struct wf_tracer_settings settings;
	struct wf_tracer *tracer;

	wf_tracer_settings_init(&settings);
	settings.endpoint = endpoint;
	settings.sample = sample;
	settings.queue = 4;
	settings.interval_ms = 10;
	CU_ASSERT_EQUAL_FATAL(wf_tracer_open(&tracer, &settings, NULL), WF_OK);
	return tracer;
}

static void test_sampling(void)
{
	static const struct {
		double ratio;
		unsigned char first; /* of the part of the id that counts */
		bool is_sampled;
	} rows[] = {
		{ 0, 0, false },
		{ 0.25, 0x3f, true },
		{ 0.25, 0x40, false },
		{ 0.5, 0x7f, true },
		{ 0.5, 0x80, false },
		{ 1, 0xff, true },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct wf_tracer *tracer = open_tracer(nowhere, rows[i].ratio);
		unsigned char id[WF_TRACE_ID_BYTES];

		memset(id, 0xff, sizeof(id));
		id[8] = rows[i].first;
		if (rows[i].ratio == 0)
			memset(id + 8, 0, 8);
		CU_ASSERT_EQUAL(
		    wf_tracer_samples(tracer, id), rows[i].is_sampled);
		wf_tracer_close(&tracer);
	}
}

static void test_parents(void)
{
	struct wf_tracer *all = open_tracer(nowhere, 1);
	struct wf_tracer *none = open_tracer(nowhere, 0);
	struct wf_trace_context parent;
	struct wf_trace_context own = { .state = NULL };
	struct wf_trace_context other;
	struct wf_span *span;

	CU_ASSERT_TRUE(wf_trace_read(&parent, PARENT " a=1"));
	span = wf_span_begin(none, &parent, WF_SPAN_SERVER, &own);
	CU_ASSERT_PTR_NOT_NULL(span);
	CU_ASSERT_EQUAL(memcmp(own.trace, parent.trace, sizeof(own.trace)), 0);
	CU_ASSERT_NOT_EQUAL(memcmp(own.span, parent.span, sizeof(own.span)), 0);
	CU_ASSERT_STRING_EQUAL(own.state, "a=1");
	wf_span_end(&span);
	CU_ASSERT_PTR_NULL(span);
	parent.is_sampled = false;
	CU_ASSERT_PTR_NULL(wf_span_begin(all, &parent, WF_SPAN_SERVER, &own));
	CU_ASSERT_FALSE(own.is_sampled);
	CU_ASSERT_PTR_NULL(wf_span_begin(none, NULL, WF_SPAN_SERVER, &own));
	CU_ASSERT_FALSE(own.is_sampled);
	span = wf_span_begin(all, NULL, WF_SPAN_SERVER, &other);
	CU_ASSERT_PTR_NOT_NULL(span);
	CU_ASSERT_TRUE(other.is_sampled);
	CU_ASSERT_NOT_EQUAL(
	    memcmp(own.trace, other.trace, sizeof(own.trace)), 0);
	wf_span_end(&span);
	wf_tracer_close(&all);
	wf_tracer_close(&none);
}

/* Without a tracer nothing is allocated, and nothing is done. */
static void test_off(void)
{
	struct wf_tracer_settings settings;
	struct wf_tracer_counts counts;
	struct wf_tracer *tracer = NULL;
	struct wf_span *span;

	wf_tracer_settings_init(&settings);
	CU_ASSERT_EQUAL(wf_tracer_open(&tracer, &settings, NULL), WF_OK);
	CU_ASSERT_PTR_NULL(tracer);
	wf_memory_fail_after(1);
	span = wf_span_begin(tracer, NULL, WF_SPAN_SERVER, NULL);
	wf_span_name(span, "a");
	wf_span_text(span, "a", "b");
	wf_span_number(span, "a", 1);
	wf_span_fail(span, "a");
	wf_span_event(span, "a", 1);
	wf_span_link(span, NULL);
	wf_span_times(span, 1, 2);
	wf_span_end(&span);
	wf_memory_fail_after(0);
	wf_tracer_read_counts(tracer, &counts);
	CU_ASSERT_EQUAL(counts.exported + counts.dropped, 0);
	wf_tracer_close(&tracer);
}

/* --- OTLP ----------------------------------------------------------------- */

static void expect_json(
    struct wf_span *span, const char *resource, const char *wanted)
{
	struct wf_buffer body;
	json_t *json;
	json_t *expected = json_loads(wanted, 0, NULL);
	json_t *found;

	wf_buffer_init(&body, 1 << 20);
	wf_otlp_write(&body, resource, span);
	json = json_loadb(
	    wf_buffer_text(&body), body.length, JSON_REJECT_DUPLICATES, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(json);
	CU_ASSERT_PTR_NOT_NULL_FATAL(expected);
	found = json_object_get(
	    json_array_get(json_object_get(json, "resourceSpans"), 0),
	    "scopeSpans");
	found = json_object_get(json_array_get(found, 0), "spans");
	if (!json_equal(json_array_get(found, 0), expected))
		printf("%s\n", wf_buffer_text(&body));
	CU_ASSERT_TRUE(json_equal(json_array_get(found, 0), expected));
	json_decref(json);
	json_decref(expected);
	wf_buffer_free(&body);
}

static struct wf_span *some_span(
    struct wf_tracer *tracer, const char *parent_text)
{
	struct wf_trace_context parent;
	struct wf_trace_context own;
	struct wf_span *span;

	CU_ASSERT_TRUE(wf_trace_read(&parent, parent_text));
	span = wf_span_begin(tracer, &parent, WF_SPAN_SERVER, &own);
	CU_ASSERT_PTR_NOT_NULL_FATAL(span);
	/* Else it is random. */
	memset(span->context.span, 0xab, sizeof(span->context.span));
	wf_span_times(span, 10, 35);
	span->offset = INT64_C(1795739362985594);
	return span;
}

static void test_otlp(void)
{
	struct wf_tracer *tracer = open_tracer(nowhere, 1);
	struct wf_span *span = some_span(tracer, PARENT " a=1");
	struct wf_trace_context other;

	wf_span_name(span, "POST %s", "/v1/cases");
	wf_span_text(span, "http.route", "/v1/cases");
	wf_span_text(span, "left.out", "");
	wf_span_text(span, "left.out", NULL);
	wf_span_number(span, "big", INT64_MAX);
	wf_span_text(span, "not.utf8", "\xff");
	wf_span_event(span, "batch begins", 20);
	CU_ASSERT_TRUE(wf_trace_read(
	    &other, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"));
	wf_span_link(span, &other);
	wf_span_fail(span, "why");
	expect_json(span, "{}",
	    "{\"traceId\":\"" TRACE "\",\"spanId\":\"abababababababab\","
	    "\"parentSpanId\":\"" SPAN "\",\"traceState\":\"a=1\",\"flags\":1,"
	    "\"name\":\"POST /v1/cases\",\"kind\":2,"
	    "\"startTimeUnixNano\":\"1795739362985604000\","
	    "\"endTimeUnixNano\":\"1795739362985629000\",\"attributes\":["
	    "{\"key\":\"http.route\",\"value\":{\"stringValue\":"
	    "\"/v1/cases\"}},"
	    "{\"key\":\"big\",\"value\":{\"intValue\":"
	    "\"9223372036854775807\"}},"
	    "{\"key\":\"not.utf8\",\"value\":{\"stringValue\":\"?\"}}],"
	    "\"events\":[{\"timeUnixNano\":\"1795739362985614000\","
	    "\"name\":\"batch begins\"}],\"links\":[{\"traceId\":"
	    "\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":"
	    "\"b7ad6b7169203331\"}],"
	    "\"status\":{\"code\":2,\"message\":\"why\"}}");
	wf_span_free(&span);
	span = some_span(tracer, PARENT);
	expect_json(span, "{}",
	    "{\"traceId\":\"" TRACE "\",\"spanId\":\"abababababababab\","
	    "\"parentSpanId\":\"" SPAN "\",\"flags\":1,\"name\":\"\","
	    "\"kind\":2,\"startTimeUnixNano\":\"1795739362985604000\","
	    "\"endTimeUnixNano\":\"1795739362985629000\"}");
	wf_span_free(&span);
	wf_tracer_close(&tracer);
}

/* A text is cut off between two characters; what is too much is counted. */
static void test_bounds(void)
{
	struct wf_tracer *tracer = open_tracer(nowhere, 1);
	struct wf_span *span = some_span(tracer, PARENT);
	struct wf_trace_context other;
	char text[WF_SPAN_TEXT_BYTES + 100];

	CU_ASSERT_TRUE(wf_trace_read(&other, PARENT));
	memset(text, 'x', sizeof(text));
	memcpy(text + WF_SPAN_TEXT_BYTES - 1, "\xc3\xa4", 2);
	text[sizeof(text) - 1] = '\0';
	wf_span_text(span, "a", text);
	CU_ASSERT_EQUAL(strlen(span->attributes->text), WF_SPAN_TEXT_BYTES - 1);
	for (size_t i = 0; i < WF_SPAN_ATTRIBUTES + 2; i++)
		wf_span_number(span, "n", 1);
	CU_ASSERT_EQUAL(span->attribute_count, WF_SPAN_ATTRIBUTES);
	CU_ASSERT_EQUAL(span->attributes_dropped, 3);
	for (size_t i = 0; i < WF_SPAN_LINKS + 2; i++)
		wf_span_link(span, &other);
	CU_ASSERT_EQUAL(span->link_count, WF_SPAN_LINKS);
	CU_ASSERT_EQUAL(span->links_dropped, 2);
	wf_span_free(&span);
	wf_tracer_close(&tracer);
}

static void test_rejected(void)
{
	static const struct {
		const char *answer;
		size_t rejected;
	} rows[] = {
		{ "", 0 },
		{ "{}", 0 },
		{ "[]", 0 },
		{ "no JSON", 0 },
		{ "{\"partialSuccess\":{}}", 0 },
		{ "{\"partialSuccess\":{\"rejectedSpans\":\"3\"}}", 3 },
		{ "{\"partialSuccess\":{\"rejectedSpans\":4}}", 4 },
		{ "{\"partialSuccess\":{\"rejectedSpans\":-1}}", 0 },
		{ "{\"partialSuccess\":{\"rejectedSpans\":\"99\"}}", 10 },
		{ "{\"partialSuccess\":{\"rejectedSpans\":[]}}", 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CU_ASSERT_EQUAL(wf_otlp_rejected(
				    rows[i].answer, strlen(rows[i].answer), 10),
		    rows[i].rejected);
}

/* --- the queue ------------------------------------------------------------ */

/* Holds the first request until the test answers it. */
struct collector {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct wf_exchange *held;
	unsigned requests;
	size_t spans;
	struct wf_http *http;
	char url[64];
};

static size_t count_spans(const char *body)
{
	size_t count = 0;

	while ((body = strstr(body, "\"traceId\"")) != NULL) {
		count++;
		body++;
	}
	return count;
}

static void ignore(void *context, struct wf_exchange *exchange)
{
	(void)context;
	(void)exchange;
}

static void handle(void *context, struct wf_exchange *exchange)
{
	struct collector *collector = context;
	bool is_first;

	pthread_mutex_lock(&collector->lock);
	is_first = collector->requests++ == 0;
	collector->spans += count_spans(wf_exchange_body(exchange, NULL));
	if (is_first)
		collector->held = exchange;
	pthread_cond_broadcast(&collector->changed);
	pthread_mutex_unlock(&collector->lock);
	if (!is_first)
		wf_exchange_answer(exchange, 200, NULL, "{}", 2);
}

static void open_collector(struct collector *collector)
{
	static const struct wf_http_settings settings = { .address =
							      "127.0.0.1",
		.threads = 2,
		.connections = 10,
		.idle_seconds = 60,
		.body_bytes = 1 << 20,
		.bodies_bytes = 1 << 22,
		.answers_bytes = 1 << 20,
		.share = 100 };
	const struct wf_http_calls calls = { ignore, handle, ignore,
		collector };
	int socket;

	memset(collector, 0, sizeof(*collector));
	pthread_mutex_init(&collector->lock, NULL);
	pthread_cond_init(&collector->changed, NULL);
	CU_ASSERT_EQUAL_FATAL(
	    wf_listen(&socket, settings.address, 0, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(
	    wf_http_open(&collector->http, socket, &settings, &calls, NULL),
	    WF_OK);
	wf_http_serve(collector->http);
	snprintf(collector->url, sizeof(collector->url),
	    "http://127.0.0.1:%u/v1/traces", wf_http_port(collector->http));
}

static void close_collector(struct collector *collector)
{
	wf_http_close(&collector->http);
	pthread_cond_destroy(&collector->changed);
	pthread_mutex_destroy(&collector->lock);
}

static void make_spans(struct wf_tracer *tracer, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct wf_trace_context own;
		struct wf_span *span =
		    wf_span_begin(tracer, NULL, WF_SPAN_INTERNAL, &own);

		wf_span_name(span, "a");
		wf_span_end(&span);
	}
}

/* While the collector is busy four spans have room, and nobody waits. */
static void test_queue(void)
{
	struct collector collector;
	struct wf_tracer_counts counts;
	struct wf_tracer *tracer;

	open_collector(&collector);
	tracer = open_tracer(collector.url, 1);
	make_spans(tracer, 1);
	pthread_mutex_lock(&collector.lock);
	while (collector.held == NULL)
		pthread_cond_wait(&collector.changed, &collector.lock);
	pthread_mutex_unlock(&collector.lock);
	make_spans(tracer, 10);
	wf_tracer_read_counts(tracer, &counts);
	CU_ASSERT_EQUAL(counts.dropped, 6);
	CU_ASSERT_EQUAL(counts.exported, 0);
	wf_exchange_answer(collector.held, 200, NULL, "{}", 2);
	wf_tracer_close(&tracer);
	CU_ASSERT_EQUAL(collector.spans, 5);
	close_collector(&collector);
}

static void *make_many(void *tracer)
{
	make_spans(tracer, 500);
	return NULL;
}

/* Of spans that end in several threads each is exported or dropped. */
static void test_threads(void)
{
	struct collector collector;
	struct wf_tracer_counts counts = { 0 };
	struct wf_tracer *tracer;
	pthread_t threads[4];

	open_collector(&collector);
	tracer = open_tracer(collector.url, 1);
	for (size_t i = 0; i < COUNT(threads); i++)
		pthread_create(&threads[i], NULL, make_many, tracer);
	pthread_mutex_lock(&collector.lock);
	while (collector.held == NULL)
		pthread_cond_wait(&collector.changed, &collector.lock);
	pthread_mutex_unlock(&collector.lock);
	wf_exchange_answer(collector.held, 200, NULL, "{}", 2);
	for (size_t i = 0; i < COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	do {
		sched_yield();
		wf_tracer_read_counts(tracer, &counts);
	} while (counts.exported + counts.dropped < 500 * COUNT(threads));
	wf_tracer_close(&tracer);
	CU_ASSERT_EQUAL(counts.exported + counts.dropped, 500 * COUNT(threads));
	CU_ASSERT_EQUAL(counts.exported, collector.spans);
	close_collector(&collector);
}

CU_TestInfo wf_tests_tracing[] = {
	{ "traceparent", test_traceparent },
	{ "tracestate", test_tracestate },
	{ "both as one text", test_one_text },
	{ "sampling by the id", test_sampling },
	{ "a parent decides", test_parents },
	{ "without a tracer nothing is done", test_off },
	{ "a span as JSON", test_otlp },
	{ "bounds of a span", test_bounds },
	{ "spans that a collector rejects", test_rejected },
	{ "the queue has a bound", test_queue },
	{ "no span is lost", test_threads },
	CU_TEST_INFO_NULL,
};
