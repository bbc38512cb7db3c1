/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of cases and incidents, reserved before a batch begins.
 *
 * A number decides which shard owns its case, so whoever reserves numbers
 * gives each to its owner.  What is reserved and not used stays a gap: only
 * when numbers are needed often are more taken than are needed now.
 */
#include "base/panic.h"
#include "runtime/shard.h"

#define MANY 256U
/* So many wait for a shard at most: more become gaps. */
#define IN_HAND 65536U
#define OFTEN 100 /* milliseconds */

static void give(struct shard *shard, uint64_t number)
{
	wf_assert(wf_shard_of(shard->engine, number) == shard);
	pthread_mutex_lock(&shard->lock);
	wf_assert(shard->number_count <= IN_HAND);
	if (shard->number_count == IN_HAND)
		shard->number_count--;
	if (shard->number_count == shard->number_capacity) {
		shard->number_capacity = shard->number_capacity * 2 + 16;
		shard->numbers = wf_realloc(shard->numbers,
		    shard->number_capacity * sizeof(shard->numbers[0]));
	}
	shard->numbers[shard->number_count++] = number;
	pthread_mutex_unlock(&shard->lock);
}

static size_t in_hand(struct shard *shard)
{
	size_t count;

	pthread_mutex_lock(&shard->lock);
	count = shard->number_count;
	pthread_mutex_unlock(&shard->lock);
	return count;
}

static bool is_often(struct wf_engine *engine)
{
	int64_t now = wf_engine_now(engine);
	bool often;

	pthread_mutex_lock(&engine->lock);
	often = now - engine->reserved_at < OFTEN;
	engine->reserved_at = now;
	pthread_mutex_unlock(&engine->lock);
	return often;
}

enum wf_rc wf_numbers_ensure(
    struct shard *shard, size_t count, struct wf_error *err)
{
	struct wf_engine *engine = shard->engine;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && in_hand(shard) < count) {
		size_t wanted = count - in_hand(shard);
		uint64_t first;

		if (is_often(engine) && wanted < MANY)
			wanted = MANY;
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

enum wf_rc wf_incidents_ensure(
    struct shard *shard, size_t count, struct wf_error *err)
{
	enum wf_rc rc;

	wf_assert(shard->incident_next <= shard->incident_end);
	if (shard->incident_end - shard->incident_next >= count)
		return WF_OK;
	if (count < MANY)
		count = MANY;
	rc = wf_store_reserve(shard->store, WF_COUNTER_INCIDENT, count,
	    &shard->incident_next, err);
	shard->incident_end =
	    rc == WF_OK ? shard->incident_next + count : shard->incident_next;
	return rc;
}
