/* SPDX-License-Identifier: Apache-2.0 */
#include "work/destination.h"

#include <string.h>

#include "base/codec.h"
#include "work/delivery_priv.h"

/* Length of the queue, for each call that the policy allows at once. */
#define QUEUE_PER_CALL 4U

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
	return !destination->renders &&
	       destination->active <
		   wf_breaker_room(&destination->breaker, policy->concurrency);
}

unsigned wf_destination_wants(const struct wf_destination *destination,
    const struct wf_service_policy *policy, bool crowded)
{
	unsigned room =
	    wf_breaker_room(&destination->breaker, policy->concurrency);
	unsigned here = destination->active + destination->waiting;

	check(destination);
	if (!crowded && destination->breaker.state == WF_BREAKER_CLOSED)
		room *= 1 + QUEUE_PER_CALL;
	return here < room ? room - here : 0;
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
