/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients without threads: the answer to a request is where the next one is
 * submitted, so what is measured is the engine.
 *
 *   launch ──► item ──► item ──► .. ──► launch ──► ..
 *      │        ▲ │ at a rate: the client rests until it is its turn
 *      └────────┘ ▼
 *               nothing left: it leaves
 *
 * A client belongs to the thread that answers it, or, while it rests, to the
 * caller.
 */
#include "bench/bench_clients.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "bench/bench.h"

struct run;

struct client {
	struct run *run;
	uint64_t number; /* of its case; 0: none */
	char name[WF_CASE_NAME_BYTES + 1];
	size_t next; /* item of the case */
	bool launching;
	double since; /* when the request was made, or should have been */
	atomic_bool rests;
};

struct run {
	const struct wf_bench_load *load;
	struct wf_bench_outcome *outcome;
	double start;
	struct client *clients;
	atomic_uint here;    /* clients that have not left */
	atomic_ullong cases; /* given to clients */
	atomic_ullong begun; /* items */
	atomic_ullong items;
	atomic_ullong launches;
	atomic_flag answered;
	atomic_flag failed;
	atomic_bool over;
	struct wf_error error; /* written by the thread that sets failed */
};

static void leave(struct client *client)
{
	atomic_fetch_sub(&client->run->here, 1);
}

static void fail(struct client *client, const struct wf_error *err)
{
	struct run *run = client->run;

	if (!atomic_flag_test_and_set(&run->failed))
		run->error = *err;
	atomic_store(&run->over, true);
	leave(client);
}

static bool is_over(const struct run *run)
{
	const struct wf_bench_load *load = run->load;

	return atomic_load(&run->over) ||
	       (load->seconds > 0 &&
		   wf_bench_now() - run->start >= load->seconds);
}

static void answered(void *context, const struct wf_reply *reply);

static void submit(struct client *client, struct wf_request *request)
{
	struct wf_error err = { .rc = WF_OK };

	request->origin = "bench";
	if (wf_engine_submit(client->run->load->engine, request, answered,
		client, &err) != WF_OK)
		fail(client, &err);
}

static void launch(struct client *client)
{
	const struct wf_bench_load *load = client->run->load;
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.command = { .kind = WF_COMMAND_LAUNCH, .data = load->data },
		.launch = { .specification = load->specification } };

	if (load->data != NULL)
		request.command.length = strlen(load->data);
	client->launching = true;
	submit(client, &request);
}

static void do_item(struct client *client)
{
	struct run *run = client->run;
	const struct wf_command *command =
	    &run->load->work->commands[client->next];
	struct wf_request request = { .kind = WF_REQUEST_COMMAND,
		.number = client->number,
		.command = { .kind = command->kind,
		    .data = command->data,
		    .length = command->length } };
	char id[WF_ITEM_ID_SIZE];

	if (is_over(run) ||
	    atomic_fetch_add(&run->begun, 1) >= run->load->items) {
		leave(client);
		return;
	}
	snprintf(id, sizeof(id), "%s%s", client->name,
	    command->item + strlen(WF_BENCH_CASE));
	request.command.item = id;
	client->launching = false;
	submit(client, &request);
}

/* The next item of the client's case, now or when it is its turn. */
static void go_on(struct client *client)
{
	if (client->run->load->rate > 0) {
		atomic_store(&client->rests, true);
		return;
	}
	client->since = wf_bench_now();
	do_item(client);
}

static void take_open(struct client *client, const struct wf_bench_open *open)
{
	client->number = open->number;
	client->next = open->done;
	snprintf(client->name, sizeof(client->name), "%llu",
	    (unsigned long long)open->number);
}

/* Another case. */
static void begin(struct client *client)
{
	struct run *run = client->run;
	const struct wf_bench_load *load = run->load;
	uint64_t taken = atomic_fetch_add(&run->cases, 1);

	if (is_over(run) || taken >= load->cases) {
		leave(client);
	} else if (load->open == NULL) {
		launch(client);
	} else {
		take_open(client, &load->open[taken]);
		go_on(client);
	}
}

static void answered(void *context, const struct wf_reply *reply)
{
	struct client *client = context;
	struct run *run = client->run;
	double now = wf_bench_now();

	if (!atomic_flag_test_and_set(&run->answered))
		run->outcome->first_answer = now;
	if (reply->rc != WF_OK) {
		fail(client, &reply->error);
		return;
	}
	if (client->launching) {
		atomic_fetch_add(&run->launches, 1);
		client->number = reply->number;
		client->next = 0;
		snprintf(client->name, sizeof(client->name), "%s", reply->name);
	} else {
		atomic_fetch_add(&run->items, 1);
		wf_latency_add(&run->outcome->latency, now - client->since);
		client->next++;
	}
	if (run->load->launch_only || client->next == run->load->work->count)
		begin(client);
	else
		go_on(client);
}

/* --- the caller's part ---------------------------------------------------- */

static void sleep_for(double seconds)
{
	struct timespec time = { .tv_sec = (time_t)seconds };

	time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
	nanosleep(&time, NULL);
}

/* The next client that rests, behind *at; NULL: none does. */
static struct client *find_resting(struct run *run, uint32_t *at)
{
	for (uint32_t i = 0; i < run->load->clients; i++) {
		struct client *client = &run->clients[*at];

		*at = (*at + 1) % run->load->clients;
		if (atomic_load(&client->rests))
			return client;
	}
	return NULL;
}

/* Wakes a client for each item that is to be done. */
static void pace(struct run *run)
{
	double due = wf_bench_now();
	uint32_t at = 0;

	while (atomic_load(&run->here) > 0) {
		double ahead = due - wf_bench_now();
		struct client *client = find_resting(run, &at);

		if (client == NULL && atomic_load(&run->begun) == 0)
			due = wf_bench_now(); /* the first cases are launched */
		if (client == NULL || (ahead > 0 && !is_over(run))) {
			sleep_for(ahead > 0 && client != NULL ? ahead : 1e-4);
			continue;
		}
		atomic_store(&client->rests, false);
		client->since = due;
		due += 1 / run->load->rate;
		do_item(client);
	}
}

enum wf_rc wf_bench_clients(const struct wf_bench_load *load,
    struct wf_bench_outcome *outcome, struct wf_error *err)
{
	struct run run = { .load = load,
		.outcome = outcome,
		.answered = ATOMIC_FLAG_INIT,
		.failed = ATOMIC_FLAG_INIT };

	memset(outcome, 0, sizeof(*outcome));
	run.clients = wf_calloc(load->clients, sizeof(*run.clients));
	atomic_store(&run.here, load->clients);
	run.start = wf_bench_now();
	for (uint32_t i = 0; i < load->clients; i++) {
		run.clients[i].run = &run;
		begin(&run.clients[i]);
	}
	if (load->rate > 0)
		pace(&run);
	while (atomic_load(&run.here) > 0)
		sleep_for(1e-3);
	outcome->seconds = wf_bench_now() - run.start;
	outcome->items = atomic_load(&run.items);
	outcome->launches = atomic_load(&run.launches);
	wf_free(run.clients);
	if (atomic_flag_test_and_set(&run.failed))
		return wf_fail(err, run.error.rc, "%s", run.error.message);
	return WF_OK;
}
