/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of cases and incidents, reserved in the store before a batch begins.
 *
 * A number decides which shard owns its case, so the shard that reserves
 * numbers gives each to its owner.  A reserved number that is not used stays a
 * gap; so more numbers than are needed now are reserved only when reservations
 * are frequent.
 */
#include "base/panic.h"
#include "runtime/shard.h"

/* Numbers reserved at once when reservations are frequent. */
#define RESERVE_COUNT 256U
/* Unused numbers that a shard keeps; others become gaps. */
#define UNUSED_MAXIMUM 65536U
/* Reservations at shorter intervals are frequent. */
#define FREQUENT_MS 100

static void give(struct shard *shard, uint64_t number)
{
	wf_assert(wf_shard_of(shard->engine, number) == shard);
	pthread_mutex_lock(&shard->lock);
	wf_assert(shard->number_count <= UNUSED_MAXIMUM);
	if (shard->number_count == UNUSED_MAXIMUM)
		shard->number_count--;
	if (shard->number_count == shard->number_capacity) {
		shard->number_capacity = shard->number_capacity * 2 + 16;
		shard->numbers = wf_realloc(shard->numbers,
		    shard->number_capacity * sizeof(shard->numbers[0]));
	}
	shard->numbers[shard->number_count++] = number;
	pthread_mutex_unlock(&shard->lock);
}

static size_t unused(struct shard *shard)
{
	size_t count;

	pthread_mutex_lock(&shard->lock);
	count = shard->number_count;
	pthread_mutex_unlock(&shard->lock);
	return count;
}

static bool is_frequent(struct wf_engine *engine)
{
	int64_t now = wf_engine_now(engine);
	bool frequent;

	pthread_mutex_lock(&engine->lock);
	frequent = now - engine->reserved_at < FREQUENT_MS;
	engine->reserved_at = now;
	pthread_mutex_unlock(&engine->lock);
	return frequent;
}

enum wf_rc wf_numbers_ensure(
    struct shard *shard, size_t count, struct wf_error *err)
{
	struct wf_engine *engine = shard->engine;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && unused(shard) < count) {
		size_t wanted = count - unused(shard);
		uint64_t first;

		if (is_frequent(engine) && wanted < RESERVE_COUNT)
			wanted = RESERVE_COUNT;
		rc = wf_store_reserve(
		    shard->store, WF_COUNTER_CASE, wanted, &first, err);
		/* The first number is the last in hand, and taken first. */
		for (size_t i = wanted; rc == WF_OK && i-- > 0;)
			give(wf_shard_of(engine, first + i), first + i);
	}
	return rc;
}

uint64_t wf_numbers_take(struct shard *shard)
{
	uint64_t number;

	pthread_mutex_lock(&shard->lock);
	wf_assert(shard->number_count > 0);
	number = shard->numbers[--shard->number_count];
	pthread_mutex_unlock(&shard->lock);
	return number;
}

/* So that there are count numbers from *next on, below *end. */
static enum wf_rc ensure(struct shard *shard, enum wf_counter counter,
    size_t count, uint64_t *next, uint64_t *end, struct wf_error *err)
{
	enum wf_rc rc;

	wf_assert(*next <= *end);
	if (*end - *next >= count)
		return WF_OK;
	count += RESERVE_COUNT;
	rc = wf_store_reserve(shard->store, counter, count, next, err);
	*end = rc == WF_OK ? *next + count : *next;
	return rc;
}

enum wf_rc wf_incidents_ensure(
    struct shard *shard, size_t count, struct wf_error *err)
{
	enum wf_rc rc = ensure(shard, WF_COUNTER_INCIDENT, count,
	    &shard->incident_next, &shard->incident_end, err);

	if (rc == WF_OK && shard->engine->settings.observe != NULL)
		rc = ensure(shard, WF_COUNTER_MESSAGE, count * WF_OBSERVERS,
		    &shard->message_next, &shard->message_end, err);
	return rc;
}
