/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft bench http: loads a net into a server that runs, has clients start
 * cases of it and complete their items, and prints how long that took.
 */
#include "bench/bench_http.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "bench/bench.h"
#include "bench/bench_wire.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/remote/connection.h"
#include "http/http_client.h"

#define NET_MAXIMUM ((size_t)16 << 20)
#define SECONDS 10U

struct bench {
	const char *server;
	const char *ca; /* NULL: the certificates of the system */
	enum wf_bench_kind kind;
	uint32_t size;
	uint32_t clients;
	uint32_t cases;
	uint32_t seconds;
	uint32_t rate;
	bool events;
	bool open;
	char *token;
	char host[256];
	char port[8];
	char specification[32];
};

static const struct wf_bench_place places[] = {
	{ WF_OPTION_BENCH_SERVER, WF_BENCH_TEXT,
	    offsetof(struct bench, server) },
	{ WF_OPTION_BENCH_CA, WF_BENCH_TEXT, offsetof(struct bench, ca) },
	{ WF_OPTION_BENCH_NET, WF_BENCH_NET, offsetof(struct bench, kind) },
	{ WF_OPTION_BENCH_EVENTS, WF_BENCH_FLAG,
	    offsetof(struct bench, events) },
	{ WF_OPTION_BENCH_OPEN, WF_BENCH_FLAG, offsetof(struct bench, open) },
	{ WF_OPTION_BENCH_SIZE, WF_BENCH_NUMBER, offsetof(struct bench, size) },
	{ WF_OPTION_BENCH_CLIENTS, WF_BENCH_NUMBER,
	    offsetof(struct bench, clients) },
	{ WF_OPTION_BENCH_CASES, WF_BENCH_NUMBER,
	    offsetof(struct bench, cases) },
	{ WF_OPTION_BENCH_SECONDS, WF_BENCH_NUMBER,
	    offsetof(struct bench, seconds) },
	{ WF_OPTION_BENCH_RATE, WF_BENCH_NUMBER, offsetof(struct bench, rate) },
};

#define PLACES (sizeof(places) / sizeof(places[0]))

static int parse_options(struct bench *bench, int argc, char **argv)
{
	int code = wf_bench_read(argc, argv, places, PLACES, bench);

	if (code != 0)
		return code;
	if (sscanf(bench->server, "%*5[htps]://%255[^:/]:%7[0-9]", bench->host,
		bench->port) != 2)
		return wf_cli_usage("bench",
		    "\"%s\" is no http://HOST:PORT or https://HOST:PORT",
		    bench->server);
	return wf_bench_check_size(bench->kind, bench->size);
}

/* Loads the net; its key is what the cases are started with. */
static enum wf_rc load_net(struct bench *bench, struct wf_error *err)
{
	struct wf_call call = { .method = "POST",
		.path = "/v1/specifications",
		.type = "application/xml" };
	struct wf_client *client = NULL;
	struct wf_buffer text;
	struct wf_buffer answer;
	json_t *json = NULL;
	const char *key = NULL;
	enum wf_rc rc;

	wf_buffer_init(&text, NET_MAXIMUM);
	wf_buffer_init(&answer, NET_MAXIMUM);
	wf_bench_write(bench->kind, bench->size, false, &text);
	call.body = wf_buffer_text(&text);
	call.length = text.length;
	rc = wf_client_open(&client, bench->server, bench->token, err);
	if (rc == WF_OK) {
		wf_client_trust(client, bench->ca);
		rc = wf_client_call(client, &call, &answer, err);
	}
	if (rc == WF_OK) {
		json = json_loads(wf_buffer_text(&answer), 0, NULL);
		(void)json_unpack(
		    json, "{s:[{s:s}]}", "specifications", "key", &key);
		if (key == NULL)
			rc = wf_fail(err, WF_INVALID,
			    "the server does not return the key of the net");
		else
			snprintf(bench->specification,
			    sizeof(bench->specification), "%s", key);
	}
	json_decref(json);
	wf_client_close(&client);
	wf_buffer_free(&answer);
	wf_buffer_free(&text);
	return rc;
}

static void print_times(const char *what, const struct wf_latency *latency)
{
	printf("microseconds %s p50 %llu p99 %llu max %llu\n", what,
	    (unsigned long long)wf_latency_quantile(latency, 0.5),
	    (unsigned long long)wf_latency_quantile(latency, 0.99),
	    (unsigned long long)atomic_load(&latency->maximum));
}

static void print_results(
    const struct bench *bench, const struct wf_wire_outcome *outcome)
{
	if (!bench->open)
		printf("items per second %.0f\n",
		    (double)outcome->items / outcome->seconds);
	printf("launches %llu, %.0f per second\n",
	    (unsigned long long)outcome->launches,
	    (double)outcome->launches / outcome->seconds);
	if (!bench->open)
		print_times("per item", &outcome->latency);
	if (bench->events) {
		printf("steps read as events %llu\n",
		    (unsigned long long)outcome->events);
		print_times("from a step to its reader", &outcome->lag);
	}
	printf("items %llu seconds %.6f\n", (unsigned long long)outcome->items,
	    outcome->seconds);
}

static enum wf_rc measure(struct bench *bench, struct wf_error *err)
{
	struct wf_wire_outcome *outcome = wf_calloc(1, sizeof(*outcome));
	struct wf_bench_work work;
	struct wf_wire_load load = { .host = bench->host,
		.port = bench->port,
		.secure = strncmp(bench->server, "https:", 6) == 0,
		.ca = bench->ca,
		.token = bench->token,
		.specification = bench->specification,
		.work = &work,
		.clients = bench->clients,
		.cases = bench->cases > 0 ? bench->cases : UINT64_MAX,
		.seconds = bench->seconds,
		.rate = bench->rate,
		.events = bench->events,
		.open = bench->open };
	enum wf_rc rc;

	wf_bench_work_init(&work, bench->kind, bench->size);
	rc = wf_wire_run(&load, outcome, err);
	if (rc == WF_OK)
		print_results(bench, outcome);
	wf_bench_work_free(&work);
	wf_free(outcome);
	return rc;
}

int wf_bench_http(int argc, char **argv)
{
	struct bench bench = { .server = wf_remote_server(),
		.ca = wf_remote_ca(),
		.size = 10,
		.clients = 64 };
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;
	int code = parse_options(&bench, argc, argv);

	if (code != 0)
		return code;
	if (bench.open && bench.cases == 0)
		return wf_cli_usage(
		    "bench", "--open needs --cases, the number to start");
	if (bench.cases == 0 && bench.seconds == 0)
		bench.seconds = SECONDS;
	bench.token = wf_remote_token();
	if (bench.token == NULL)
		return WF_EXIT_REFUSED;
	rc = load_net(&bench, &err);
	if (rc == WF_OK)
		rc = measure(&bench, &err);
	wf_free(bench.token);
	return rc == WF_OK ? WF_EXIT_DONE : wf_cli_report(&err);
}
