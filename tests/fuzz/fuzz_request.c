/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a request to a whole server, which has its store in memory and
 * no HTTP library: the functions of http/http_server.h are defined here.
 *
 *   METHOD TARGET
 *   Name: value
 *
 *   body
 *
 * The caller is the admin, unless the input says otherwise.  Each request gets
 * one answer, which schemas/openapi.yaml allows, and never 500.
 */
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "app/app.h"
#include "base/panic.h"
#include "http/listening.h"

#define HEADERS 32U
#define BODY_MAXIMUM ((size_t)1 << 20)
/* After this many requests the server is made anew. */
#define REQUESTS 100U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- HTTP ----------------------------------------------------------------- */

struct wf_http {
	struct wf_http_calls calls;
};

struct header {
	const char *name;
	const char *value;
};

struct wf_exchange {
	struct wf_arena *arena;
	const char *method;
	const char *target;
	const char *body;
	size_t length;
	struct header headers[HEADERS];
	size_t header_count;
	void *data;
	struct wf_http_stream stream;
	bool streams;

	pthread_mutex_t lock; /* of the members below */
	pthread_cond_t wake;
	unsigned status; /* 0: it is not answered */
	const char *type;
	char *answer;
	size_t answer_length;
};

static struct wf_http http;
static atomic_ullong numbers;

enum wf_rc wf_http_listen(int *socket_out,
    const struct wf_http_settings *settings, struct wf_error *err)
{
	return wf_listen(socket_out, settings->address, settings->port, err);
}

enum wf_rc wf_http_open(struct wf_http **http_out, int socket,
    const struct wf_http_settings *settings, const struct wf_http_calls *calls,
    struct wf_error *err)
{
	(void)settings;
	(void)err;
	close(socket);
	http.calls = *calls;
	*http_out = &http;
	return WF_OK;
}

void wf_http_serve(struct wf_http *of)
{
	(void)of;
}

uint16_t wf_http_port(const struct wf_http *of)
{
	(void)of;
	return 1;
}

void wf_http_drain(struct wf_http *of)
{
	(void)of;
}

void wf_http_close(struct wf_http **of)
{
	*of = NULL;
}

void wf_http_check(struct wf_http *of)
{
	(void)of;
}

enum wf_rc wf_http_check_certificate(
    struct wf_http *of, bool *changed_out, struct wf_error *err)
{
	(void)of;
	(void)err;
	*changed_out = false;
	return WF_OK;
}

bool wf_exchange_is_https(const struct wf_exchange *exchange)
{
	(void)exchange;
	return false;
}

void wf_http_counts(struct wf_http *of, struct wf_http_counts *counts_out)
{
	(void)of;
	*counts_out = (struct wf_http_counts){ .connections = 1 };
}

bool wf_exchange_is_alive(const struct wf_exchange *exchange)
{
	(void)exchange;
	return true;
}

const char *wf_exchange_method(const struct wf_exchange *exchange)
{
	return exchange->method;
}

const char *wf_exchange_target(const struct wf_exchange *exchange)
{
	return exchange->target;
}

const char *wf_exchange_header(
    const struct wf_exchange *exchange, const char *name)
{
	for (size_t i = 0; i < exchange->header_count; i++)
		if (strcasecmp(exchange->headers[i].name, name) == 0)
			return exchange->headers[i].value;
	return NULL;
}

const char *wf_exchange_joined_header(
    struct wf_exchange *exchange, const char *name)
{
	return wf_exchange_header(exchange, name);
}

const char *wf_exchange_body(
    const struct wf_exchange *exchange, size_t *length_out)
{
	if (length_out != NULL)
		*length_out = exchange->length;
	return exchange->body;
}

void wf_exchange_defer_body(struct wf_exchange *exchange)
{
	(void)exchange;
}

bool wf_exchange_body_size(
    const struct wf_exchange *exchange, uint64_t *size_out)
{
	*size_out = exchange->length;
	return true;
}

/* All of it is one part. */
bool wf_exchange_read(
    struct wf_exchange *exchange, const struct wf_http_reader *reader)
{
	(void)exchange;
	reader->part(reader->context, true);
	return true;
}

const char *wf_exchange_peer(struct wf_exchange *exchange)
{
	(void)exchange;
	return "127.0.0.1";
}

bool wf_exchange_is_local(const struct wf_exchange *exchange)
{
	(void)exchange;
	return true;
}

struct wf_arena *wf_exchange_arena(struct wf_exchange *exchange)
{
	return exchange->arena;
}

struct wf_arena *wf_exchange_scratch(struct wf_exchange *exchange)
{
	return exchange->arena;
}

void wf_exchange_set_owner(struct wf_exchange *exchange, const char *owner)
{
	(void)exchange;
	(void)owner;
}

bool wf_exchange_hold(struct wf_exchange *exchange, size_t bytes)
{
	(void)exchange;
	(void)bytes;
	return true;
}

void wf_exchange_release(struct wf_exchange *exchange, size_t bytes)
{
	(void)exchange;
	(void)bytes;
}

uint64_t wf_exchange_number(const struct wf_exchange *exchange)
{
	(void)exchange;
	return atomic_fetch_add(&numbers, 1);
}

void wf_exchange_set_data(struct wf_exchange *exchange, void *data)
{
	exchange->data = data;
}

void *wf_exchange_data(const struct wf_exchange *exchange)
{
	return exchange->data;
}

void wf_exchange_add_header(
    struct wf_exchange *exchange, const char *name, const char *value)
{
	(void)exchange;
	wf_assert(strpbrk(name, "\r\n") == NULL);
	wf_assert(strpbrk(value, "\r\n") == NULL);
}

static void give_answer(
    struct wf_exchange *exchange, unsigned status, const char *type)
{
	pthread_mutex_lock(&exchange->lock);
	wf_assert(exchange->status == 0);
	exchange->status = status;
	exchange->type = type;
	pthread_cond_signal(&exchange->wake);
	pthread_mutex_unlock(&exchange->lock);
}

void wf_exchange_answer(struct wf_exchange *exchange, unsigned status,
    const char *type, const char *body, size_t length)
{
	exchange->answer = wf_strndup(body, length);
	exchange->answer_length = length;
	give_answer(exchange, status, type);
}

void wf_exchange_stream(struct wf_exchange *exchange, const char *type,
    const struct wf_http_stream *stream)
{
	exchange->stream = *stream;
	exchange->streams = true;
	give_answer(exchange, 200, type);
}

void wf_exchange_stream_sized(struct wf_exchange *exchange, unsigned status,
    const char *type, uint64_t size, const struct wf_http_stream *stream)
{
	(void)size;
	exchange->stream = *stream;
	exchange->streams = true;
	give_answer(exchange, status, type);
}

void wf_exchange_wake(struct wf_exchange *exchange)
{
	(void)exchange;
}

unsigned wf_exchange_status(const struct wf_exchange *exchange)
{
	return exchange->status;
}

uint64_t wf_exchange_size(const struct wf_exchange *exchange)
{
	return exchange->answer_length;
}

const char *wf_http_version(void)
{
	return "0";
}

int64_t wf_exchange_duration(const struct wf_exchange *exchange)
{
	(void)exchange;
	return 1;
}

/* --- a server ------------------------------------------------------------- */

static struct wf_app *server;
static char authorization[128];
static unsigned requests;

static void read_token(const char *path)
{
	FILE *file = fopen(path, "r");
	char token[100] = "";

	wf_assert(file != NULL && fgets(token, sizeof(token), file) != NULL);
	fclose(file);
	token[strcspn(token, "\n")] = '\0';
	snprintf(authorization, sizeof(authorization), "Bearer %s", token);
}

/* A case with an item of each status, as far as one request can make it. */
static void furnish(void)
{
	static const char *const texts[] = {
		"POST /v1/specifications\nContent-Type: application/xml\n\n"
		"<specificationSet version='4.0' "
		"xmlns='http://www.yawlfoundation.org/yawlschema' "
		"xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
		"<specification uri='f'><metaData><version>0.1</version>"
		"<identifier>UID_f</identifier></metaData>"
		"<decomposition id='N' isRootNet='true' "
		"xsi:type='NetFactsType'>"
		"<inputParam><index>0</index><name>v</name><type>string</type>"
		"</inputParam><processControlElements>"
		"<inputCondition id='i'><flowsInto><nextElementRef id='A'/>"
		"</flowsInto></inputCondition>"
		"<task id='A'><flowsInto><nextElementRef id='o'/></flowsInto>"
		"<join code='xor'/><split code='and'/>"
		"<startingMappings><mapping><expression "
		"query='&lt;x>{/N/v/text()}&lt;/x>'/><mapsTo>x</mapsTo>"
		"</mapping></startingMappings>"
		"<completedMappings><mapping><expression "
		"query='&lt;v>{/A/y/text()}&lt;/v>'/><mapsTo>v</mapsTo>"
		"</mapping></completedMappings>"
		"<decomposesTo id='D'/></task><outputCondition id='o'/>"
		"</processControlElements></decomposition>"
		"<decomposition id='D' xsi:type='WebServiceGatewayFactsType'>"
		"<inputParam><index>0</index><name>x</name><type>string</type>"
		"</inputParam><outputParam><index>0</index><name>y</name>"
		"<type>string</type></outputParam></decomposition>"
		"</specification></specificationSet>",
		"POST /v1/cases\n\n{\"specification\":\"f\",\"case\":\"a\","
		"\"data\":{\"v\":\"1\"}}",
		"POST /v1/items/a:A/start\n\n",
		"POST /v1/cases\n\n{\"specification\":\"f\",\"case\":\"b\","
		"\"data\":{\"v\":\"1\"}}",
		"PUT /v1/services/s\n\n{\"kind\":\"pull\",\"uri\":\"urn:s\"}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		(void)LLVMFuzzerTestOneInput(
		    (const uint8_t *)texts[i], strlen(texts[i]));
}

static void open_server(void)
{
	char path[] = "/tmp/weft-fuzz-XXXXXX";
	struct wf_error err = { .rc = WF_OK };
	struct wf_server_settings settings;
	struct wf_yawl_settings yawl;
	int file = mkstemp(path);

	wf_assert(file >= 0);
	close(file);
	wf_server_settings_init(&settings);
	settings.engine.url = "memory:";
	settings.http.port = 0;
	settings.readers = 1;
	wf_yawl_settings_init(&yawl);
	wf_assert(wf_app_open(&server, &settings, &yawl, path, &err) == WF_OK);
	read_token(path);
	unlink(path);
	requests = 1;
	furnish();
}

static void end_server(void)
{
	if (server != NULL)
		wf_app_close(&server);
}

static void ensure_server(void)
{
	static bool reported;

	if (!reported)
		atexit(end_server);
	reported = true;
	if (requests++ % REQUESTS != 0)
		return;
	end_server();
	open_server();
}

/* --- a request ------------------------------------------------------------ */

/* The next line of the text, without its line end. */
static char *take_line(char **text, char *end)
{
	char *line = *text;
	char *feed = memchr(line, '\n', (size_t)(end - line));

	*text = feed == NULL ? end : feed + 1;
	if (feed != NULL)
		*feed = '\0';
	return line;
}

/* False when an HTTP server would refuse it. */
static bool read_request(
    struct wf_exchange *exchange, const uint8_t *data, size_t size)
{
	char *text = wf_arena_alloc(exchange->arena, size + 1);
	char *end = text + size;
	char *line;
	char *space;

	memcpy(text, data, size);
	line = take_line(&text, end);
	space = strchr(line, ' ');
	if (space == NULL)
		return false;
	*space = '\0';
	exchange->method = line;
	exchange->target = space + 1;
	for (line = take_line(&text, end); *line != '\0';
	     line = take_line(&text, end)) {
		char *colon = strchr(line, ':');

		if (colon == NULL || strchr(line, '\r') != NULL)
			return false;
		*colon = '\0';
		if (exchange->header_count + 1 < HEADERS)
			exchange->headers[exchange->header_count++] =
			    (struct header){ line,
				    colon + 1 + strspn(colon + 1, " ") };
	}
	if (wf_exchange_header(exchange, "Authorization") == NULL)
		exchange->headers[exchange->header_count++] =
		    (struct header){ "Authorization", authorization };
	exchange->body = text;
	exchange->length = (size_t)(end - text);
	return true;
}

static void run_stream(struct wf_exchange *exchange)
{
	char bytes[4096];

	if (!exchange->streams)
		return;
	for (int i = 0; i < 3; i++)
		if (exchange->stream.next(
			exchange->stream.context, bytes, sizeof(bytes)) < 0)
			break;
	exchange->stream.over(exchange->stream.context);
}

static void check_answer(const struct wf_exchange *exchange)
{
	json_t *problem;
	const char *code;

	wf_assert(exchange->status >= 200 && exchange->status < 600);
	wf_assert(exchange->status != 500);
	if (exchange->status < 400)
		return;
	wf_assert(strcmp(exchange->type, "application/problem+json") == 0);
	problem =
	    json_loadb(exchange->answer, exchange->answer_length, 0, NULL);
	code = json_string_value(json_object_get(problem, "code"));
	wf_assert(code != NULL && strcmp(code, "bug") != 0);
	wf_assert(json_integer_value(json_object_get(problem, "status")) ==
		  exchange->status);
	json_decref(problem);
}

static void send_request(struct wf_exchange *exchange)
{
	http.calls.admit(http.calls.context, exchange);
	if (exchange->status == 0)
		http.calls.handle(http.calls.context, exchange);
	pthread_mutex_lock(&exchange->lock);
	while (exchange->status == 0)
		pthread_cond_wait(&exchange->wake, &exchange->lock);
	pthread_mutex_unlock(&exchange->lock);
	run_stream(exchange);
	http.calls.over(http.calls.context, exchange);
}

/*
 * The only thread that reads the store reads the pages of a stream: when that
 * thread has answered this request, it has no more to do for the stream.
 */
static void wait_for_reader(void)
{
	static const char text[] = "GET /readyz\n\n";

	(void)LLVMFuzzerTestOneInput((const uint8_t *)text, sizeof(text) - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_exchange exchange = { .arena = NULL };

	if (size > BODY_MAXIMUM)
		return 0;
	ensure_server();
	exchange.arena = wf_arena_new();
	pthread_mutex_init(&exchange.lock, NULL);
	pthread_cond_init(&exchange.wake, NULL);
	if (read_request(&exchange, data, size)) {
		send_request(&exchange);
		check_answer(&exchange);
	}
	if (exchange.streams)
		wait_for_reader();
	free(exchange.answer);
	pthread_cond_destroy(&exchange.wake);
	pthread_mutex_destroy(&exchange.lock);
	wf_arena_free(&exchange.arena);
	return 0;
}
