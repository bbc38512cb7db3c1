/* SPDX-License-Identifier: Apache-2.0 */
/* The queue is a ring of jobs under a lock; threads wait for its first job. */
#include "http/thread_pool.h"

#include <pthread.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/panic.h"

#define MAGIC 0x706f6f6cU

struct job {
	void (*work)(void *argument);
	void *argument;
};

struct wf_pool {
	unsigned magic;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t wake;
	struct job *jobs; /* a ring */
	size_t capacity;
	size_t limit; /* of what is admitted: the capacity at first */
	size_t first;
	size_t count;
	bool closing;
	unsigned thread_count;
	pthread_t threads[];
};

static void *run(void *argument)
{
	struct wf_pool *pool = argument;

	pthread_mutex_lock(&pool->lock);
	while (!pool->closing || pool->count > 0) {
		struct job job;

		if (pool->count == 0) {
			pthread_cond_wait(&pool->wake, &pool->lock);
			continue;
		}
		wf_assert(pool->first < pool->capacity);
		wf_assert(pool->count <= pool->capacity);
		job = pool->jobs[pool->first];
		pool->first = (pool->first + 1) % pool->capacity;
		pool->count--;
		pthread_mutex_unlock(&pool->lock);
		job.work(job.argument);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

enum wf_rc wf_pool_open(struct wf_pool **pool_out, unsigned threads,
    size_t waiting, struct wf_error *err)
{
	struct wf_pool *pool =
	    wf_calloc(1, sizeof(*pool) + threads * sizeof(pool->threads[0]));

	wf_assert(threads > 0 && waiting > 0);
	pool->magic = MAGIC;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wake, NULL);
	pool->jobs = wf_calloc(waiting, sizeof(*pool->jobs));
	pool->capacity = waiting;
	pool->limit = waiting;
	*pool_out = pool;
	for (; pool->thread_count < threads; pool->thread_count++)
		if (pthread_create(&pool->threads[pool->thread_count], NULL,
			run, pool) != 0) {
			wf_pool_close(pool_out);
			return wf_fail(err, WF_IO, "no thread can be made");
		}
	return WF_OK;
}

void wf_pool_close(struct wf_pool **pool)
{
	struct wf_pool *old = *pool;

	*pool = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == MAGIC);
	pthread_mutex_lock(&old->lock);
	wf_assert(!old->closing);
	old->closing = true;
	pthread_cond_broadcast(&old->wake);
	pthread_mutex_unlock(&old->lock);
	for (unsigned i = 0; i < old->thread_count; i++)
		pthread_join(old->threads[i], NULL);
	/* No job is lost, unless no thread could be made. */
	wf_assert(old->count == 0 || old->thread_count == 0);
	old->magic = 0;
	pthread_mutex_destroy(&old->lock);
	pthread_cond_destroy(&old->wake);
	wf_free(old->jobs);
	wf_free(old);
}

/* Under the lock: a ring of twice the size. */
static void grow(struct wf_pool *pool)
{
	struct job *jobs = wf_calloc(2 * pool->capacity, sizeof(*jobs));

	for (size_t i = 0; i < pool->count; i++)
		jobs[i] = pool->jobs[(pool->first + i) % pool->capacity];
	wf_free(pool->jobs);
	pool->jobs = jobs;
	pool->capacity *= 2;
	pool->first = 0;
}

static bool put(struct wf_pool *pool, const struct job *job, size_t limit)
{
	bool taken;

	wf_assert(pool->magic == MAGIC && job->work != NULL);
	pthread_mutex_lock(&pool->lock);
	taken = pool->count < limit && !pool->closing;
	if (taken && pool->count == pool->capacity)
		grow(pool);
	if (taken) {
		pool->jobs[(pool->first + pool->count) % pool->capacity] = *job;
		pool->count++;
		pthread_cond_signal(&pool->wake);
	}
	pthread_mutex_unlock(&pool->lock);
	return taken;
}

bool wf_pool_do(
    struct wf_pool *pool, void (*work)(void *argument), void *argument)
{
	const struct job job = { work, argument };

	return put(pool, &job, pool->limit);
}

bool wf_pool_resume(
    struct wf_pool *pool, void (*work)(void *argument), void *argument)
{
	const struct job job = { work, argument };

	return put(pool, &job, SIZE_MAX);
}

size_t wf_pool_waiting(struct wf_pool *pool)
{
	size_t count;

	pthread_mutex_lock(&pool->lock);
	count = pool->count;
	pthread_mutex_unlock(&pool->lock);
	return count;
}
