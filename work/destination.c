/* SPDX-License-Identifier: Apache-2.0 */
#include "work/destination.h"

#include <string.h>

#include "base/codec.h"
#include "work/delivery_priv.h"

/* Length of the queue, for each call that the policy allows at once. */
#define QUEUE_PER_CALL 4U
/* The next turn is at least, and at most, so far away. */
#define TURN_MINIMUM_MS 500
#define TURN_MAXIMUM_MS 60000
/* The weight of the last call in the pace is 1 / so much. */
#define PACE_WEIGHT 8

static void check(const struct wf_destination *destination)
{
	wf_assert((destination->waiting == 0) == (destination->first == NULL));
	wf_assert((destination->first == NULL) ==
		  (destination->last == &destination->first));
	wf_assert(*destination->last == NULL);
}

void wf_destination_init(struct wf_destination *destination)
{
	memset(destination, 0, sizeof(*destination));
	destination->last = &destination->first;
}

void wf_destination_set_address(
    struct wf_destination *destination, const char *address)
{
	uint64_t hash = wf_hash(0, address, strlen(address));

	if (destination->address != hash)
		wf_breaker_succeeded(&destination->breaker);
	destination->address = hash;
}

bool wf_destination_has_room(const struct wf_destination *destination,
    const struct wf_service_policy *policy)
{
	return destination->active <
	       wf_breaker_room(&destination->breaker, policy->concurrency);
}

bool wf_destination_may_queue(const struct wf_destination *destination,
    const struct wf_service_policy *policy)
{
	check(destination);
	return destination->waiting < QUEUE_PER_CALL * policy->concurrency;
}

void wf_destination_enqueue(
    struct wf_destination *destination, struct wf_delivery *delivery)
{
	check(destination);
	wf_assert(delivery->destination == destination);
	wf_assert(delivery->state == DELIVERY_QUEUED && delivery->next == NULL);
	*destination->last = delivery;
	destination->last = &delivery->next;
	destination->waiting++;
}

struct wf_delivery *wf_destination_dequeue(struct wf_destination *destination)
{
	struct wf_delivery *delivery = destination->first;

	check(destination);
	wf_assert(delivery != NULL && delivery->state == DELIVERY_QUEUED);
	destination->first = delivery->next;
	if (destination->first == NULL)
		destination->last = &destination->first;
	delivery->next = NULL;
	destination->waiting--;
	check(destination);
	return delivery;
}

void wf_destination_begin(struct wf_destination *destination)
{
	wf_assert(destination->breaker.state != WF_BREAKER_OPEN);
	destination->active++;
}

void wf_destination_end(struct wf_destination *destination)
{
	wf_assert(destination->active > 0);
	destination->active--;
}

void wf_destination_learn(struct wf_destination *destination,
    const struct wf_service_policy *policy, int64_t milliseconds)
{
	double each = (double)milliseconds / policy->concurrency;

	destination->pace_ms += (each - destination->pace_ms) / PACE_WEIGHT;
}

int64_t wf_destination_turn(struct wf_destination *destination, int64_t now)
{
	if (destination->busy_until < now + TURN_MINIMUM_MS)
		destination->busy_until = now + TURN_MINIMUM_MS;
	/* At most a minute: the service may be quicker now. */
	if (destination->busy_until < now + TURN_MAXIMUM_MS)
		destination->busy_until += (int64_t)destination->pace_ms;
	else
		destination->busy_until = now + TURN_MAXIMUM_MS;
	return destination->busy_until;
}
