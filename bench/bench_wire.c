/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread and epoll for all clients, so that what is measured is the
 * server.
 *
 *   start ──► item ──► item ──► .. ──► start ──► ..
 *     │        ▲ │ at a rate: the client rests until it is its turn
 *     └────────┘ ▼
 *              nothing left: it leaves
 */
#include "bench/bench_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "bench/bench.h"
#include "bench/bench_tls.h"

#define MESSAGE_MAXIMUM 8192U
#define STREAM_MAXIMUM ((size_t)1 << 20)
#define AT_ONCE 256
#define NO_EVENTS_AFTER 1.0 /* seconds that its last steps may take */

enum doing { LAUNCHING, WORKING, RESTING, GONE };

struct client {
	struct wf_channel channel;
	enum doing doing;
	char name[WF_CASE_NAME_BYTES + 1];
	size_t next;  /* item of the case */
	double since; /* when it was asked, or should have been */
	char in[MESSAGE_MAXIMUM];
	size_t got;
};

struct run {
	const struct wf_wire_load *load;
	struct wf_wire_outcome *outcome;
	struct wf_error *err;
	enum wf_rc rc;
	int epoll;
	double start;
	double due; /* of the next item, at a rate */
	uint64_t cases;
	uint32_t here; /* clients that have not left */
	uint32_t at;   /* where the search for the next resting client begins */
	struct client *clients;
	struct wf_channel stream; /* of events; -1: none */
	char *text;		  /* of it, that is no whole line yet */
	size_t length;
};

static void fail(struct run *run, enum wf_rc rc, const char *what)
{
	if (run->rc == WF_OK)
		run->rc = wf_fail(run->err, rc, "%s", what);
}

static struct wf_channel dial(struct run *run)
{
	struct wf_channel channel = { .fd = -1 };
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	int one = 1;
	int fd = -1;

	if (getaddrinfo(run->load->host, run->load->port, &hints, &found) == 0)
		fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
		close(fd);
		fd = -1;
	}
	if (found != NULL)
		freeaddrinfo(found);
	if (fd < 0) {
		fail(run, WF_UNAVAILABLE, "the server takes no connection");
		return channel;
	}
	channel.fd = fd;
	if (run->load->secure &&
	    !wf_channel_secure(&channel, run->load->host, run->load->ca)) {
		fail(run, WF_UNAVAILABLE, "no TLS session with the server");
		wf_channel_close(&channel);
		return channel;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	return channel;
}

static void watch(struct run *run, int fd, void *what)
{
	struct epoll_event event = { .events = EPOLLIN };

	event.data.ptr = what;
	if (epoll_ctl(run->epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		fail(run, WF_IO, "a connection cannot be watched");
}

/* --- asking --------------------------------------------------------------- */

static bool is_over(const struct run *run)
{
	const struct wf_wire_load *load = run->load;

	return run->rc != WF_OK ||
	       (load->seconds > 0 &&
		   wf_bench_now() - run->start >= load->seconds);
}

/* A request fits into the empty buffer of a socket. */
static void ask(struct run *run, struct client *client, const char *path,
    const char *type, const char *body, size_t size)
{
	char text[MESSAGE_MAXIMUM];
	int length = snprintf(text, sizeof(text),
	    "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
	    "Content-Type: application/%s\r\nContent-Length: %zu\r\n\r\n%.*s",
	    path, run->load->host, run->load->token, type, size, (int)size,
	    body);

	client->got = 0;
	if (length < 0 || (size_t)length >= sizeof(text))
		fail(run, WF_LIMIT, "a request is too long");
	else if (wf_channel_send(&client->channel, text, (size_t)length) !=
		 length)
		fail(run, WF_UNAVAILABLE, "a request cannot be sent");
}

static void leave(struct run *run, struct client *client)
{
	client->doing = GONE;
	run->here--;
}

/* Another case. */
static void begin(struct run *run, struct client *client)
{
	char body[80];
	int size = snprintf(body, sizeof(body), "{\"specification\":\"%s\"}",
	    run->load->specification);

	if (is_over(run) || run->cases == run->load->cases) {
		leave(run, client);
		return;
	}
	run->cases++;
	client->doing = LAUNCHING;
	ask(run, client, "/v1/cases", "json", body, (size_t)size);
}

static void do_item(struct run *run, struct client *client, double since)
{
	const struct wf_command *command =
	    &run->load->work->commands[client->next];
	char path[256];

	if (is_over(run)) {
		leave(run, client);
		return;
	}
	snprintf(path, sizeof(path), "/v1/items/%s%s/complete", client->name,
	    command->item + strlen(WF_BENCH_CASE));
	client->doing = WORKING;
	client->since = since;
	if (command->data == NULL)
		ask(run, client, path, "json", "", 0);
	else
		ask(run, client, path, "xml", command->data, command->length);
}

static void go_on(struct run *run, struct client *client)
{
	if (run->load->open || client->next == run->load->work->count)
		begin(run, client);
	else if (run->load->rate > 0)
		client->doing = RESTING;
	else
		do_item(run, client, wf_bench_now());
}

/* --- answers -------------------------------------------------------------- */

/* Its body, once it is there whole; NULL: not yet. */
static const char *answer_of(struct client *client)
{
	const char *end = strstr(client->in, "\r\n\r\n");
	const char *length = strcasestr(client->in, "\r\nContent-Length:");

	if (end == NULL || length == NULL || length > end ||
	    strlen(end + 4) < strtoul(length + 17, NULL, 10))
		return NULL;
	return end + 4;
}

static void take_name(struct run *run, struct client *client, const char *body)
{
	const char *name = strstr(body, "\"case\":\"");

	if (name == NULL || sscanf(name + 8, "%64[^\"]", client->name) != 1)
		fail(run, WF_INVALID, "an answer does not name its case");
}

static void take_answer(
    struct run *run, struct client *client, const char *body)
{
	if (strncmp(client->in, "HTTP/1.1 2", 10) != 0) {
		fail(run, WF_INVALID, body);
	} else if (client->doing == LAUNCHING) {
		run->outcome->launches++;
		client->next = 0;
		take_name(run, client, body);
	} else {
		run->outcome->items++;
		wf_latency_add(
		    &run->outcome->latency, wf_bench_now() - client->since);
		client->next++;
	}
	go_on(run, client);
}

static void read_answer(struct run *run, struct client *client)
{
	ssize_t count = wf_channel_receive(&client->channel,
	    client->in + client->got, sizeof(client->in) - client->got - 1);
	const char *body;

	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count <= 0) {
		fail(run, WF_UNAVAILABLE, "the server closed a connection");
		return;
	}
	client->got += (size_t)count;
	client->in[client->got] = '\0';
	body = answer_of(client);
	if (body != NULL)
		take_answer(run, client, body);
}

/* --- the stream of events ------------------------------------------------- */

/* In HTTP/1.0, so that it comes without the marks of chunks. */
static void ask_events(struct run *run)
{
	char text[512];
	int length = snprintf(text, sizeof(text),
	    "GET /v1/events HTTP/1.0\r\nHost: %s\r\n"
	    "Authorization: Bearer %s\r\n\r\n",
	    run->load->host, run->load->token);

	run->stream = dial(run);
	if (run->stream.fd < 0)
		return;
	run->text = wf_calloc(1, STREAM_MAXIMUM);
	if (wf_channel_send(&run->stream, text, (size_t)length) != length)
		fail(run, WF_UNAVAILABLE, "a request cannot be sent");
	watch(run, run->stream.fd, NULL);
}

/* "2026-01-31T12:00:00.123Z" in seconds since 1970. */
static bool parse_time(const char *text, double *seconds_out)
{
	struct tm when = { .tm_isdst = 0 };
	double seconds;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%lfZ", &when.tm_year,
		&when.tm_mon, &when.tm_mday, &when.tm_hour, &when.tm_min,
		&seconds) != 6)
		return false;
	when.tm_year -= 1900;
	when.tm_mon--;
	*seconds_out = (double)timegm(&when) + seconds;
	return true;
}

static void take_line(struct run *run, const char *line, double now)
{
	const char *time = strstr(line, "\"time\":\"");
	double then;

	if (strncmp(line, "HTTP/", 5) == 0 && strstr(line, " 200 ") == NULL)
		fail(run, WF_UNSUPPORTED, "the server streams no events");
	if (strncmp(line, "data:", 5) != 0 || time == NULL ||
	    !parse_time(time + 8, &then))
		return;
	run->outcome->events++;
	wf_latency_add(&run->outcome->lag, now - then);
}

static void read_events(struct run *run)
{
	ssize_t count = wf_channel_receive(&run->stream,
	    run->text + run->length, STREAM_MAXIMUM - run->length - 1);
	struct timespec now;
	char *line = run->text;
	char *end;

	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count <= 0) {
		fail(run, WF_UNAVAILABLE, "the stream of events ended");
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	run->length += (size_t)count;
	run->text[run->length] = '\0';
	while ((end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		take_line(
		    run, line, (double)now.tv_sec + (double)now.tv_nsec / 1e9);
		line = end + 1;
	}
	run->length -= (size_t)(line - run->text);
	memmove(run->text, line, run->length);
}

/* --- all of it ------------------------------------------------------------ */

/* The next client that rests; NULL: none does. */
static struct client *find_resting(struct run *run)
{
	for (uint32_t i = 0; i < run->load->clients; i++) {
		struct client *client = &run->clients[run->at];

		run->at = (run->at + 1) % run->load->clients;
		if (client->doing == RESTING)
			return client;
	}
	return NULL;
}

/* Wakes a client for each item that is due; seconds until the next. */
static double pace(struct run *run)
{
	struct client *client = NULL;

	if (run->due == 0 && run->outcome->launches == run->load->clients)
		run->due = wf_bench_now();
	while (run->due > 0 && (run->due <= wf_bench_now() || is_over(run)) &&
	       (client = find_resting(run)) != NULL) {
		do_item(run, client, run->due);
		run->due += 1 / run->load->rate;
	}
	return run->due > wf_bench_now() ? run->due - wf_bench_now() : 0.1;
}

/* What poll() does not see is read at once. */
static void take_event(struct run *run, struct client *client)
{
	const struct wf_channel *channel =
	    client == NULL ? &run->stream : &client->channel;

	do {
		if (client == NULL)
			read_events(run);
		else
			read_answer(run, client);
	} while (run->rc == WF_OK && wf_channel_has_more(channel));
}

static void wait_for_answers(struct run *run, double seconds)
{
	struct timespec most = {
		.tv_nsec = (long)((seconds < 0.1 ? seconds : 0.1) * 1e9)
	};
	struct epoll_event events[AT_ONCE];
	int count = epoll_pwait2(run->epoll, events, AT_ONCE, &most, NULL);

	for (int i = 0; i < count && run->rc == WF_OK; i++)
		take_event(run, events[i].data.ptr);
}

/* The reader receives the events of the last steps a little later. */
static void await_events(struct run *run)
{
	double end = wf_bench_now() + NO_EVENTS_AFTER;

	while (
	    run->rc == WF_OK && wf_bench_now() < end &&
	    run->outcome->events < run->outcome->items + run->outcome->launches)
		wait_for_answers(run, end - wf_bench_now());
}

static void connect_all(struct run *run)
{
	if (run->load->events)
		ask_events(run);
	for (uint32_t i = 0; i < run->load->clients && run->rc == WF_OK; i++) {
		run->clients[i].channel = dial(run);
		if (run->rc == WF_OK)
			watch(
			    run, run->clients[i].channel.fd, &run->clients[i]);
	}
}

static void close_all(struct run *run)
{
	for (uint32_t i = 0; i < run->load->clients; i++)
		wf_channel_close(&run->clients[i].channel);
	wf_channel_close(&run->stream);
	close(run->epoll);
	wf_free(run->text);
	wf_free(run->clients);
}

enum wf_rc wf_wire_run(const struct wf_wire_load *load,
    struct wf_wire_outcome *outcome, struct wf_error *err)
{
	struct run run = { .load = load,
		.outcome = outcome,
		.err = err,
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.here = load->clients,
		.stream = { .fd = -1 } };

	memset(outcome, 0, sizeof(*outcome));
	run.clients = wf_calloc(load->clients, sizeof(*run.clients));
	for (uint32_t i = 0; i < load->clients; i++)
		run.clients[i].channel.fd = -1;
	connect_all(&run);
	run.start = wf_bench_now();
	for (uint32_t i = 0; i < load->clients; i++)
		begin(&run, &run.clients[i]);
	while (run.here > 0 && run.rc == WF_OK)
		wait_for_answers(&run, load->rate > 0 ? pace(&run) : 0.1);
	outcome->seconds = wf_bench_now() - run.start;
	if (load->events)
		await_events(&run);
	close_all(&run);
	return run.rc;
}
