/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A destination: one service of one namespace, as this node's sender sees it.
 *
 *   claimed ──enqueue──► queue ──dequeue──► active call ──end──►
 *
 * So many calls are active at once as the service's policy allows, and the
 * breaker; a few deliveries per allowed call wait in the queue.  No more are
 * claimed, so the others cost nothing while they wait in the store.  While an
 * input is made that takes long, no further call begins: of each destination,
 * one input at a time.
 */
#ifndef WF_WORK_DESTINATION_H
#define WF_WORK_DESTINATION_H

#include "work/breaker.h"

struct wf_delivery;

struct wf_destination {
	struct wf_destination *next; /* of the sender's */
	unsigned active;	     /* calls, until they are settled */
	unsigned waiting;	     /* the length of the queue */
	struct wf_delivery *first;   /* of the queue */
	struct wf_delivery **last;   /* its end */
	struct wf_breaker breaker;
	uint64_t address; /* a hash: the breaker is about this address */
	bool is_slow;	  /* the input of its last item took long to make */
	bool renders;	  /* an input is made outside the sender's thread */
};

void wf_destination_init(struct wf_destination *destination);
/* Closes the breaker if the service has another address than before. */
void wf_destination_set_address(
    struct wf_destination *destination, const char *address);

/* Whether a call may begin, as far as the number of calls goes. */
bool wf_destination_has_room(const struct wf_destination *destination,
    const struct wf_service_policy *policy);
/* How many deliveries more may be here; crowded: none that waits for a call. */
unsigned wf_destination_wants(const struct wf_destination *destination,
    const struct wf_service_policy *policy, bool crowded);
void wf_destination_enqueue(
    struct wf_destination *destination, struct wf_delivery *delivery);
/* The first of the queue, which is not empty. */
struct wf_delivery *wf_destination_dequeue(struct wf_destination *destination);

void wf_destination_begin(struct wf_destination *destination);
void wf_destination_end(struct wf_destination *destination);

#endif
