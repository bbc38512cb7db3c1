/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of a shard, and the numbers that it gives to cases. */
#include "base/panic.h"
#include "runtime/shard.h"

#include <string.h>

void wf_queue_init(struct queue *queue)
{
	queue->first = NULL;
	queue->last = &queue->first;
	queue->bytes = 0;
	queue->count = 0;
}

void wf_queue_put(struct queue *queue, struct pending *pending)
{
	wf_assert(*queue->last == NULL);
	pending->next = NULL;
	*queue->last = pending;
	queue->last = &pending->next;
	queue->bytes += pending->size;
	queue->count++;
}

void wf_queue_put_last(
    struct queue *queue, struct pending *const *pendings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wf_queue_put(queue, pendings[i]);
}

void wf_queue_put_first(
    struct queue *queue, struct pending *const *pendings, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		pendings[i]->next = queue->first;
		if (queue->first == NULL)
			queue->last = &pendings[i]->next;
		queue->first = pendings[i];
		queue->bytes += pendings[i]->size;
		queue->count++;
	}
}

void wf_queue_join(struct queue *queue, struct queue *more)
{
	if (more->first == NULL)
		return;
	wf_assert(*queue->last == NULL && *more->last == NULL);
	*queue->last = more->first;
	queue->last = more->last;
	queue->bytes += more->bytes;
	queue->count += more->count;
	wf_queue_init(more);
}

size_t wf_queue_take(struct queue *queue, struct pending **pendings_out,
    size_t count, size_t bytes)
{
	size_t taken = 0;
	size_t size = 0;

	while (taken < count && queue->first != NULL) {
		struct pending *pending = queue->first;

		if (taken > 0 && size + pending->size > bytes)
			break;
		size += pending->size;
		queue->first = pending->next;
		pendings_out[taken++] = pending;
	}
	if (queue->first == NULL)
		queue->last = &queue->first;
	wf_assert(queue->bytes >= size && queue->count >= taken);
	queue->bytes -= size;
	queue->count -= taken;
	wf_assert((queue->count == 0) == (queue->first == NULL));
	wf_assert(queue->count > 0 || queue->bytes == 0);
	return taken;
}
