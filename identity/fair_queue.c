/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jobs are an array in the order in which they came; places are so few that
 * it is searched for each job, which takes less time than the job.
 */
#include "identity/fair_queue.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"

/* Turns that are remembered, by hash; a collision costs a turn. */
#define TURNS 4096U

struct wf_fair_queue {
	void (*work)(void *argument);
	void (*refuse)(void *argument);
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	bool closing;
	uint64_t turn;
	uint64_t served[TURNS]; /* the last turn of a client or name */
	size_t places;
	size_t count;
	struct wf_fair_job jobs[]; /* places, and one that comes */
};

static uint64_t *served(struct wf_fair_queue *queue, uint64_t hash)
{
	return &queue->served[hash % TURNS];
}

/* The lock is held, as for the functions below. */
static struct wf_fair_job take_out(struct wf_fair_queue *queue, size_t at)
{
	struct wf_fair_job job = queue->jobs[at];

	wf_assert(at < queue->count);
	queue->count--;
	memmove(&queue->jobs[at], &queue->jobs[at + 1],
	    (queue->count - at) * sizeof(job));
	return job;
}

static bool is_before(struct wf_fair_queue *queue, const struct wf_fair_job *a,
    const struct wf_fair_job *b)
{
	uint64_t x = *served(queue, a->client);
	uint64_t y = *served(queue, b->client);

	if (x != y)
		return x < y;
	return *served(queue, a->name) < *served(queue, b->name);
}

static struct wf_fair_job take_next(struct wf_fair_queue *queue)
{
	size_t next = 0;
	struct wf_fair_job job;

	for (size_t i = 1; i < queue->count; i++)
		if (is_before(queue, &queue->jobs[i], &queue->jobs[next]))
			next = i;
	job = take_out(queue, next);
	queue->turn++;
	*served(queue, job.client) = queue->turn;
	*served(queue, job.name) = queue->turn;
	return job;
}

/* How many jobs have the client, or the name, of this one. */
static size_t count_of(
    const struct wf_fair_queue *queue, const struct wf_fair_job *job, bool name)
{
	size_t count = 0;

	for (size_t i = 0; i < queue->count; i++)
		count += name ? queue->jobs[i].name == job->name
			      : queue->jobs[i].client == job->client;
	return count;
}

/* The newest of the busiest name of the busiest client. */
static size_t find_excess(const struct wf_fair_queue *queue)
{
	size_t found = 0;
	size_t most_client = 0;
	size_t most_name = 0;

	for (size_t i = 0; i < queue->count; i++) {
		size_t client = count_of(queue, &queue->jobs[i], false);
		size_t name = count_of(queue, &queue->jobs[i], true);

		if (client < most_client ||
		    (client == most_client && name < most_name))
			continue;
		found = i;
		most_client = client;
		most_name = name;
	}
	return found;
}

static void *run(void *argument)
{
	struct wf_fair_queue *queue = argument;

	pthread_mutex_lock(&queue->lock);
	while (!queue->closing || queue->count > 0) {
		struct wf_fair_job job;

		if (queue->count == 0) {
			pthread_cond_wait(&queue->wake, &queue->lock);
			continue;
		}
		job = take_next(queue);
		pthread_mutex_unlock(&queue->lock);
		queue->work(job.argument);
		pthread_mutex_lock(&queue->lock);
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

static void free_queue(struct wf_fair_queue *queue)
{
	pthread_mutex_destroy(&queue->lock);
	pthread_cond_destroy(&queue->wake);
	wf_free(queue);
}

enum wf_rc wf_fair_queue_open(struct wf_fair_queue **queue_out, size_t places,
    void (*work)(void *argument), void (*refuse)(void *argument),
    struct wf_error *err)
{
	struct wf_fair_queue *queue = wf_calloc(
	    1, sizeof(*queue) + (places + 1) * sizeof(queue->jobs[0]));

	wf_assert(places > 0);
	*queue_out = NULL;
	queue->work = work;
	queue->refuse = refuse;
	queue->places = places;
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->wake, NULL);
	if (pthread_create(&queue->thread, NULL, run, queue) != 0) {
		free_queue(queue);
		return wf_fail(err, WF_IO, "no thread can be made");
	}
	*queue_out = queue;
	return WF_OK;
}

void wf_fair_queue_close(struct wf_fair_queue **queue)
{
	struct wf_fair_queue *old = *queue;

	*queue = NULL;
	if (old == NULL)
		return;
	pthread_mutex_lock(&old->lock);
	wf_assert(!old->closing);
	old->closing = true;
	pthread_cond_signal(&old->wake);
	pthread_mutex_unlock(&old->lock);
	pthread_join(old->thread, NULL);
	wf_assert(old->count == 0);
	free_queue(old);
}

void wf_fair_queue_add(
    struct wf_fair_queue *queue, const struct wf_fair_job *job)
{
	struct wf_fair_job excess = { .argument = NULL };
	bool is_full;

	pthread_mutex_lock(&queue->lock);
	wf_assert(queue->count <= queue->places);
	queue->jobs[queue->count++] = *job;
	is_full = queue->count > queue->places || queue->closing;
	if (is_full)
		excess = take_out(queue,
		    queue->closing ? queue->count - 1 : find_excess(queue));
	else
		pthread_cond_signal(&queue->wake);
	pthread_mutex_unlock(&queue->lock);
	if (is_full)
		queue->refuse(excess.argument);
}

size_t wf_fair_queue_waiting(struct wf_fair_queue *queue)
{
	size_t count;

	pthread_mutex_lock(&queue->lock);
	count = queue->count;
	pthread_mutex_unlock(&queue->lock);
	return count;
}
