/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unit tests of http/: targets, addresses, listening, pools, time-outs, and
 * exchanges over a loopback connection.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/random.h"
#include "http/address.h"
#include "http/forwarded.h"
#include "http/gate.h"
#include "http/http_server.h"
#include "http/listening.h"
#include "http/probe.h"
#include "http/request_timeout.h"
#include "http/target.h"
#include "http/thread_pool.h"
#include "tests/unit/seed.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static const struct wf_http_settings small_server = { .address = "127.0.0.1",
	.threads = 2,
	.connections = 10,
	.idle_seconds = 60,
	.body_bytes = 100,
	.bodies_bytes = 1000,
	.answers_bytes = (size_t)1 << 20,
	.share = 100 };

/* --- targets -------------------------------------------------------------- */

/* The parts of a target as one text: "/a/b?c=d&e=f", unescaped. */
static void show_target(const struct wf_target *target, char text[256])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < target->segment_count; i++)
		used += (size_t)snprintf(
		    text + used, 256 - used, "[%s]", target->segments[i]);
	for (size_t i = 0; i < target->argument_count; i++)
		used += (size_t)snprintf(text + used, 256 - used, "%s=%s;",
		    target->arguments[i].name, target->arguments[i].value);
}

static void test_targets(void)
{
	static const struct {
		const char *text;
		const char *parts; /* NULL: refused */
		enum wf_rc rc;
	} rows[] = {
		{ "/", "[]", WF_OK },
		{ "/a/b", "[a][b]", WF_OK },
		{ "/a/", "[a][]", WF_OK },
		{ "/a%2Fb", "[a/b]", WF_OK },
		{ "/a+b", "[a+b]", WF_OK },
		{ "/a?b+c=d%20e", "[a]b c=d e;", WF_OK },
		{ "/a?b", "[a]b=;", WF_OK },
		{ "/a?b=1&&c=2#d", "[a]b=1;c=2;", WF_OK },
		{ "http://host:80/a?b=1", "[a]b=1;", WF_OK },
		{ "HTTPS://host", "", WF_OK },
		{ "*", "", WF_OK },
		{ "/%41", "[A]", WF_OK },
		{ "/%4", NULL, WF_INVALID },
		{ "/%", NULL, WF_INVALID },
		{ "/%4g", NULL, WF_INVALID },
		{ "/%00", NULL, WF_INVALID },
		{ "/%ff", NULL, WF_INVALID },
		{ "/a?b=1&b=2", NULL, WF_INVALID },
		{ "/1/2/3/4/5/6/7/8", "[1][2][3][4][5][6][7][8]", WF_OK },
		{ "/1/2/3/4/5/6/7/8/9", NULL, WF_NOT_FOUND },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct wf_arena *arena = wf_arena_new();
		struct wf_error err = { .rc = WF_OK };
		struct wf_target target;
		char text[256];
		enum wf_rc rc =
		    wf_target_read(&target, rows[i].text, arena, &err);

		CU_ASSERT_EQUAL(rc, rows[i].rc);
		if (rc == WF_OK && rows[i].parts != NULL) {
			show_target(&target, text);
			CU_ASSERT_STRING_EQUAL(text, rows[i].parts);
		}
		wf_arena_free(&arena);
	}
}

static enum wf_rc add_form(struct wf_target *target, const char *form,
    struct wf_arena *arena, struct wf_error *err)
{
	return wf_target_add_form(target, form, strlen(form), arena, err);
}

static void test_forms(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_error err = { .rc = WF_OK };
	struct wf_target target;
	char many[WF_TARGET_ARGUMENTS * 4 + 1];
	size_t used = 0;

	CU_ASSERT_EQUAL(wf_target_read(&target, "/a?b=1", arena, &err), WF_OK);
	CU_ASSERT_EQUAL(add_form(&target, "c=%26&d", arena, &err), WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_target_argument(&target, "b"), "1");
	CU_ASSERT_STRING_EQUAL(wf_target_argument(&target, "c"), "&");
	CU_ASSERT_STRING_EQUAL(wf_target_argument(&target, "d"), "");
	CU_ASSERT_PTR_NULL(wf_target_argument(&target, "e"));
	/* The query's argument again. */
	CU_ASSERT_EQUAL(add_form(&target, "b=2", arena, &err), WF_INVALID);
	for (unsigned i = 0; i < WF_TARGET_ARGUMENTS; i++)
		used += (size_t)snprintf(
		    many + used, sizeof(many) - used, "%u&", i);
	CU_ASSERT_EQUAL(wf_target_read(&target, "/", arena, &err), WF_OK);
	CU_ASSERT_EQUAL(add_form(&target, many, arena, &err), WF_OK);
	CU_ASSERT_EQUAL(target.argument_count, WF_TARGET_ARGUMENTS);
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(add_form(&target, "more", arena, &err), WF_INVALID);
	wf_arena_free(&arena);
}

/* --- addresses ------------------------------------------------------------ */

static bool is_allowed(const char *text, const struct wf_address_ranges *ranges)
{
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
		return wf_address_is_allowed(
		    (const struct sockaddr *)&four, ranges);
	CU_ASSERT_EQUAL(inet_pton(AF_INET6, text, &six.sin6_addr), 1);
	return wf_address_is_allowed((const struct sockaddr *)&six, ranges);
}

static void test_addresses(void)
{
	static const char *const reserved[] = { "127.0.0.1", "10.1.2.3",
		"172.31.255.255", "192.168.0.1", "169.254.169.254", "0.0.0.0",
		"100.64.0.1", "224.0.0.1", "255.255.255.255", "::1",
		"::", "fe80::1", "fc00::1", "::ffff:127.0.0.1",
		"::ffff:10.0.0.1" };
	static const char *const public[] = { "8.8.8.8", "172.32.0.1",
		"100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8" };
	static const char *const wrong[] = { "", "a", "1.2.3", "1.2.3.4/33",
		"1.2.3.4/", "1.2.3.4/-1", "::1/129", "1.2.3.4/8x",
		"1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb" };
	struct wf_address_ranges ranges = { .count = 0 };
	struct sockaddr local = { .sa_family = AF_UNIX };
	struct wf_address_range range;

	for (size_t i = 0; i < COUNT(reserved); i++)
		CU_ASSERT_FALSE(is_allowed(reserved[i], &ranges));
	for (size_t i = 0; i < COUNT(public); i++)
		CU_ASSERT_TRUE(is_allowed(public[i], &ranges));
	for (size_t i = 0; i < COUNT(wrong); i++)
		CU_ASSERT_FALSE(wf_address_parse(wrong[i], &range));
	CU_ASSERT_FALSE(wf_address_is_allowed(&local, &ranges));
	CU_ASSERT_TRUE(wf_address_parse("10.0.0.0/8", &ranges.rows[0]));
	CU_ASSERT_TRUE(wf_address_parse("::1", &ranges.rows[1]));
	CU_ASSERT_TRUE(wf_address_parse("192.168.4.0/22", &ranges.rows[2]));
	ranges.count = 3;
	CU_ASSERT_TRUE(is_allowed("10.1.2.3", &ranges));
	CU_ASSERT_TRUE(is_allowed("::ffff:10.1.2.3", &ranges));
	CU_ASSERT_TRUE(is_allowed("::1", &ranges));
	CU_ASSERT_TRUE(is_allowed("192.168.7.255", &ranges));
	CU_ASSERT_FALSE(is_allowed("192.168.8.0", &ranges));
	CU_ASSERT_FALSE(is_allowed("127.0.0.1", &ranges));
}

/* --- sockets -------------------------------------------------------------- */

static uint16_t port_of(int s)
{
	struct sockaddr_in address;
	socklen_t size = sizeof(address);

	CU_ASSERT_EQUAL(getsockname(s, (struct sockaddr *)&address, &size), 0);
	return ntohs(address.sin_port);
}

static int connect_to(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CU_ASSERT_EQUAL(
	    connect(s, (struct sockaddr *)&address, sizeof(address)), 0);
	return s;
}

static void test_listening(void)
{
	struct wf_error err = { .rc = WF_OK };
	int first = -1;
	int second = -1;
	int client;

	CU_ASSERT_EQUAL(wf_listen(&first, "127.0.0.1", 0, &err), WF_OK);
	CU_ASSERT_NOT_EQUAL(port_of(first), 0);
	client = connect_to(port_of(first));
	/* The port is taken, and the message contains its number. */
	CU_ASSERT_EQUAL(
	    wf_listen(&second, "127.0.0.1", port_of(first), &err), WF_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "127.0.0.1, port "));
	wf_error_clear(&err);
	CU_ASSERT_EQUAL(wf_listen(&second, "no address", 0, &err), WF_INVALID);
	close(client);
	close(first);
}

static void test_timeouts(void)
{
	struct wf_request_timeouts *timeouts = wf_request_timeouts_new();
	struct wf_wait *waits[3];
	int pairs[3][2];
	char byte;

	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(
		    socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
		waits[i] = wf_request_timeouts_begin(timeouts, pairs[i][0]);
	}
	/* No connection has waited for a minute. */
	wf_request_timeouts_check(timeouts, 60000);
	for (size_t i = 0; i < 3; i++)
		CU_ASSERT_TRUE(recv(pairs[i][1], &byte, 1, MSG_DONTWAIT) < 0);
	/*
	 * The first has sent its request, the second is sending a body for a
	 * minute.
	 */
	wf_wait_end(waits[0]);
	wf_wait_extend(waits[1], 60000);
	wf_request_timeouts_check(timeouts, -1);
	CU_ASSERT_TRUE(recv(pairs[0][1], &byte, 1, MSG_DONTWAIT) < 0);
	CU_ASSERT_TRUE(recv(pairs[1][1], &byte, 1, MSG_DONTWAIT) < 0);
	CU_ASSERT_EQUAL(recv(pairs[2][1], &byte, 1, MSG_DONTWAIT), 0);
	/* The first waits for its next request. */
	wf_wait_begin(waits[0]);
	wf_request_timeouts_end(timeouts, &waits[1]);
	wf_request_timeouts_check(timeouts, -1);
	CU_ASSERT_EQUAL(recv(pairs[0][1], &byte, 1, MSG_DONTWAIT), 0);
	CU_ASSERT_TRUE(recv(pairs[1][1], &byte, 1, MSG_DONTWAIT) < 0);
	wf_request_timeouts_end(timeouts, &waits[0]);
	wf_request_timeouts_end(timeouts, &waits[2]);
	CU_ASSERT_PTR_NULL(waits[0]);
	wf_request_timeouts_free(&timeouts);
	for (size_t i = 0; i < 3; i++) {
		close(pairs[i][0]);
		close(pairs[i][1]);
	}
}

/* --- pools and gates ------------------------------------------------------ */

#define JOBS 100

static struct {
	pthread_mutex_t gate; /* held: the first job waits */
	pthread_mutex_t lock; /* of what follows */
	unsigned order[JOBS + 1];
	unsigned done;
} work = { .gate = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned numbers[JOBS + 1];

static void do_job(void *argument)
{
	const unsigned *number = argument;

	if (*number == 0) {
		pthread_mutex_lock(&work.gate);
		pthread_mutex_unlock(&work.gate);
	}
	pthread_mutex_lock(&work.lock);
	work.order[work.done++] = *number;
	pthread_mutex_unlock(&work.lock);
}

static void test_pool(void)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_pool *pool;
	unsigned taken = 1;

	for (unsigned i = 0; i <= JOBS; i++)
		numbers[i] = i;
	work.done = 0;
	CU_ASSERT_EQUAL(wf_pool_open(&pool, 1, JOBS / 2, &err), WF_OK);
	pthread_mutex_lock(&work.gate);
	CU_ASSERT_TRUE(wf_pool_do(pool, do_job, &numbers[0]));
	while (wf_pool_waiting(pool) > 0)
		usleep(1000); /* until its thread runs the first job */
	while (taken <= JOBS && wf_pool_do(pool, do_job, &numbers[taken]))
		taken++;
	CU_ASSERT_EQUAL(taken, JOBS / 2 + 1);
	CU_ASSERT_EQUAL(wf_pool_waiting(pool), JOBS / 2);
	/* What was admitted before is never refused. */
	while (taken <= JOBS) {
		CU_ASSERT_TRUE(wf_pool_resume(pool, do_job, &numbers[taken]));
		taken++;
	}
	CU_ASSERT_FALSE(wf_pool_do(pool, do_job, &numbers[0]));
	pthread_mutex_unlock(&work.gate);
	/* Closing runs all jobs, in their order. */
	wf_pool_close(&pool);
	CU_ASSERT_PTR_NULL(pool);
	CU_ASSERT_EQUAL(work.done, taken);
	for (unsigned i = 0; i < taken; i++)
		CU_ASSERT_EQUAL(work.order[i], i);
}

static void count_job(void *argument)
{
	atomic_fetch_add((atomic_uint *)argument, 1);
}

static void test_pool_threads(void)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_pool *pool;
	atomic_uint count = 0;
	unsigned taken = 0;

	CU_ASSERT_EQUAL(wf_pool_open(&pool, 4, 3, &err), WF_OK);
	for (unsigned i = 0; i < 1000; i++)
		taken += wf_pool_do(pool, count_job, &count);
	wf_pool_close(&pool);
	CU_ASSERT_EQUAL(atomic_load(&count), taken);
}

struct late {
	struct wf_gate gate;
	atomic_bool left;
};

static void *leave_late(void *argument)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	struct late *late = argument;

	nanosleep(&pause, NULL);
	atomic_store(&late->left, true);
	wf_gate_leave(&late->gate);
	return NULL;
}

static void test_gate(void)
{
	struct late late = { .left = false };
	pthread_t thread;

	wf_gate_init(&late.gate);
	CU_ASSERT_TRUE(wf_gate_enter(&late.gate));
	CU_ASSERT_FALSE(wf_gate_is_closed(&late.gate));
	wf_gate_close(&late.gate);
	CU_ASSERT_FALSE(wf_gate_enter(&late.gate));
	wf_gate_leave(&late.gate);
	CU_ASSERT_EQUAL_FATAL(
	    pthread_create(&thread, NULL, leave_late, &late), 0);
	wf_gate_await_empty(&late.gate);
	CU_ASSERT_TRUE(atomic_load(&late.left));
	CU_ASSERT_TRUE(wf_gate_is_closed(&late.gate));
	pthread_join(thread, NULL);
	wf_gate_destroy(&late.gate);
}

/* --- exchanges ------------------------------------------------------------ */

/* "/now" is answered by handle(), others later, by another thread. */
struct echo {
	struct wf_pool *pool;
	atomic_uint over;
	atomic_uint last_status;
};

static void answer_later(void *argument)
{
	struct wf_exchange *exchange = argument;
	size_t length;
	const char *body = wf_exchange_body(exchange, &length);

	wf_exchange_answer(exchange, 200, "text/plain", body, length);
}

static ssize_t one_word(void *context, char *bytes, size_t size)
{
	bool *sent = context;

	if (*sent)
		return -1;
	*sent = true;
	return snprintf(bytes, size, "%s", "word");
}

static void over_word(void *context)
{
	wf_free(context);
}

/* Whoever knows of the stream may wake it before its answer begins. */
static void stream_a_word(struct wf_exchange *exchange)
{
	struct wf_http_stream stream = { one_word, over_word,
		wf_calloc(1, sizeof(bool)) };

	wf_exchange_wake(exchange);
	wf_exchange_stream(exchange, "text/plain", &stream);
}

static void admit(void *context, struct wf_exchange *exchange)
{
	(void)context;
	if (strcmp(wf_exchange_target(exchange), "/no") == 0)
		wf_exchange_answer(exchange, 403, NULL, "", 0);
}

static void handle(void *context, struct wf_exchange *exchange)
{
	struct echo *echo = context;

	if (strcmp(wf_exchange_target(exchange), "/now") == 0) {
		wf_exchange_add_header(
		    exchange, "X-Peer", wf_exchange_peer(exchange));
		answer_later(exchange);
	} else if (strcmp(wf_exchange_target(exchange), "/stream") == 0) {
		stream_a_word(exchange);
	} else {
		CU_ASSERT_TRUE(wf_pool_do(echo->pool, answer_later, exchange));
	}
}

static void over(void *context, struct wf_exchange *exchange)
{
	struct echo *echo = context;

	atomic_store(&echo->last_status, wf_exchange_status(exchange));
	atomic_fetch_add(&echo->over, 1);
}

/* Sends a request and reads until the server closes the connection. */
static void ask(uint16_t port, const char *request, char answer[1024])
{
	int s = connect_to(port);
	size_t used = 0;
	ssize_t got;

	CU_ASSERT_EQUAL(send(s, request, strlen(request), MSG_NOSIGNAL),
	    (ssize_t)strlen(request));
	while ((got = recv(s, answer + used, 1023 - used, 0)) > 0)
		used += (size_t)got;
	answer[used] = '\0';
	close(s);
}

static void test_exchanges(void)
{
	static const struct {
		const char *request;
		const char *status;
		const char *part;
	} rows[] = {
		{ "GET /now HTTP/1.0\r\n\r\n", "200", "X-Peer: 127.0.0.1" },
		{ "POST /now HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", "200",
		    "\r\n\r\nabc" },
		{ "POST /later HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc", "200",
		    "\r\n\r\nabc" },
		{ "GET /stream HTTP/1.0\r\n\r\n", "200", "\r\n\r\nword" },
		{ "GET /no HTTP/1.0\r\n\r\n", "403", "" },
		{ "POST /no HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
		    "403", "" },
		{ "POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: "
		  "999\r\n\r\n",
		    "413", "too_large" },
		{ "POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
		  "Transfer-Encoding: chunked\r\n\r\n",
		    "400", "" },
	};
	struct wf_error err = { .rc = WF_OK };
	struct echo echo = { .over = 0 };
	const struct wf_http_calls calls = { admit, handle, over, &echo };
	struct wf_address_ranges loopback = { .count = 1 };
	struct wf_address_ranges none = { .count = 0 };
	struct wf_http *http;
	char answer[1024];
	char uri[64];
	int socket;

	CU_ASSERT_EQUAL(wf_pool_open(&echo.pool, 1, 10, &err), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_listen(&socket, small_server.address, 0, &err), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_http_open(&http, socket, &small_server, &calls, &err), WF_OK);
	wf_http_serve(http);
	for (size_t i = 0; i < COUNT(rows); i++) {
		ask(wf_http_port(http), rows[i].request, answer);
		CU_ASSERT_EQUAL(memcmp(answer + 9, rows[i].status, 3), 0);
		CU_ASSERT_PTR_NOT_NULL(strstr(answer, rows[i].part));
	}
	snprintf(
	    uri, sizeof(uri), "http://127.0.0.1:%u/later", wf_http_port(http));
	CU_ASSERT_TRUE(wf_address_parse("127.0.0.0/8", &loopback.rows[0]));
	CU_ASSERT_PTR_NULL(wf_http_probe(uri, &loopback, 60));
	CU_ASSERT_STRING_EQUAL(wf_http_probe(uri, &none, 60),
	    "its address may not be called (--allow-address)");
	snprintf(
	    uri, sizeof(uri), "http://127.0.0.1:%u/no", wf_http_port(http));
	CU_ASSERT_PTR_NOT_NULL(wf_http_probe(uri, &loopback, 60));
	wf_http_close(&http);
	CU_ASSERT_PTR_NULL(http);
	CU_ASSERT_EQUAL(atomic_load(&echo.over), COUNT(rows) + 2);
	wf_pool_close(&echo.pool);
}

/* A client that asks on one connection until the server closes it. */
static void *ask_on(void *connection)
{
	static const char request[] = "GET /now HTTP/1.1\r\nHost: a\r\n\r\n";
	int s = *(int *)connection;
	char answer[1024];

	while (send(s, request, sizeof(request) - 1, MSG_NOSIGNAL) > 0 &&
	       recv(s, answer, sizeof(answer), 0) > 0)
		continue;
	close(s);
	return NULL;
}

/* Requests arrive until the last moment. */
static void close_under_load(void)
{
	struct echo echo = { .over = 0 };
	const struct wf_http_calls calls = { admit, handle, over, &echo };
	pthread_t clients[4];
	int connections[COUNT(clients)];
	struct wf_http *http;
	int socket;

	CU_ASSERT_EQUAL(
	    wf_listen(&socket, small_server.address, 0, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_http_open(&http, socket, &small_server, &calls, NULL), WF_OK);
	wf_http_serve(http);
	for (size_t i = 0; i < COUNT(clients); i++) {
		connections[i] = connect_to(wf_http_port(http));
		pthread_create(&clients[i], NULL, ask_on, &connections[i]);
	}
	while (atomic_load(&echo.over) < 100)
		sched_yield();
	wf_http_close(&http);
	for (size_t i = 0; i < COUNT(clients); i++)
		pthread_join(clients[i], NULL);
}

static void test_close_under_load(void)
{
	for (unsigned i = 0; i < 100; i++)
		close_under_load();
}

/* --- forwarded requests --------------------------------------------------- */

/* A text of these parts, which is often nearly a list of addresses. */
static void write_list(struct wf_random *random, char text[256])
{
	static const char *const parts[] = { "10.0.0.1", "192.0.2.1", "::1",
		"::ffff:10.0.0.2", "2001:db8::1", "[2001:db8::2]:80", ":80",
		",", ", ", ",", "for=", "For=\"", "\"", ";", "proto=https",
		"unknown", "_x", "[", "]", " ", "\t", "/8", "1", "\xff" };
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t count = wf_random_below(random, 12); count > 0; count--)
		used += (size_t)snprintf(text + used, 256 - used, "%s",
		    parts[wf_random_below(random, COUNT(parts))]);
}

/*
 * Whatever the headers say: the client is an address; it is the peer when no
 * proxy is trusted; and a trusted proxy's last entry decides, whatever a client
 * has written before it.
 */
static void test_forwarded(void)
{
	struct wf_random random = { test_seed("forwarded", 15) };
	struct wf_address_ranges none = { .count = 0 };
	struct wf_address_ranges proxies = { .count = 1 };
	struct wf_address_range peer;
	struct wf_address_range client;

	CU_ASSERT_TRUE(wf_address_parse("10.0.0.0/8", &proxies.rows[0]));
	CU_ASSERT_TRUE(wf_address_parse("10.9.9.9", &peer));
	for (unsigned i = 0; i < 20000; i++) {
		char lists[2][256];
		char appended[300];
		char text[INET6_ADDRSTRLEN];
		struct wf_forwarded forwarded = { lists[0], lists[1] };

		write_list(&random, lists[0]);
		write_list(&random, lists[1]);
		wf_forwarded_client(&forwarded, &peer, &none, text);
		CU_ASSERT_STRING_EQUAL(text, "10.9.9.9");
		wf_forwarded_client(&forwarded, &peer, &proxies, text);
		CU_ASSERT_TRUE(wf_address_parse(text, &client));
		snprintf(appended, sizeof(appended),
		    "%s, 203.0.113.7, 10.1.1.1", lists[0]);
		forwarded = (struct wf_forwarded){ .addresses = appended };
		wf_forwarded_client(&forwarded, &peer, &proxies, text);
		CU_ASSERT_STRING_EQUAL(text, "203.0.113.7");
		snprintf(appended, sizeof(appended),
		    "%s,proto=http; for=\"[2001:db8::7]:1\"", lists[0]);
		forwarded = (struct wf_forwarded){ .elements = appended };
		wf_forwarded_client(&forwarded, &peer, &proxies, text);
		CU_ASSERT_STRING_EQUAL(text, "2001:db8::7");
	}
}

CU_TestInfo wf_tests_http[] = {
	{ "targets", test_targets },
	{ "forms", test_forms },
	{ "addresses and ranges", test_addresses },
	{ "listening", test_listening },
	{ "connections that wait for a request", test_timeouts },
	{ "a pool keeps the order and its bound", test_pool },
	{ "no job of a pool is lost", test_pool_threads },
	{ "a gate", test_gate },
	{ "exchanges", test_exchanges },
	{ "requests until it is closed", test_close_under_load },
	{ "forwarded requests", test_forwarded },
	CU_TEST_INFO_NULL,
};
