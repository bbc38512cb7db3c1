/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service that accepts every request: for measuring deliveries.
 * usage: sink [PORT]; prints its port, and when it is ended how many requests
 * came.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/http_server.h"
#include "http/listening.h"

static atomic_ullong count;

static void admit(void *context, struct wf_exchange *exchange)
{
	(void)context;
	(void)exchange;
}

/* Accepts a message and leaves its item to be completed by others. */
static void handle(void *context, struct wf_exchange *exchange)
{
	(void)context;
	atomic_fetch_add(&count, 1);
	wf_exchange_answer(exchange, 202, NULL, "", 0);
}

int main(int argc, char **argv)
{
	const struct wf_http_settings settings = { .address = "127.0.0.1",
		.port = argc > 1 ? (uint16_t)strtoul(argv[1], NULL, 10) : 0,
		.threads = 1,
		.connections = 2000,
		.idle_seconds = 60,
		.body_bytes = (size_t)1 << 20,
		.bodies_bytes = (size_t)64 << 20,
		.answers_bytes = (size_t)1 << 20,
		.share = 100 };
	const struct wf_http_calls calls = { admit, handle, admit, NULL };
	struct wf_error err = { .rc = WF_OK };
	struct wf_http *http;
	sigset_t signals;
	int socket;
	int number;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	if (wf_listen(&socket, settings.address, settings.port, &err) !=
		WF_OK ||
	    wf_http_open(&http, socket, &settings, &calls, &err) != WF_OK) {
		fprintf(stderr, "sink: %s\n", err.message);
		return 1;
	}
	wf_http_serve(http);
	printf("%u\n", wf_http_port(http));
	fflush(stdout);
	sigwait(&signals, &number);
	printf("%llu\n", atomic_load(&count));
	fflush(stdout);
	wf_http_close(&http);
	return 0;
}
