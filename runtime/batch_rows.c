/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every part of a batch uses to make rows: a buffer in which bytes are
 * encoded before they are copied to the batch's arena, and a handle on the
 * store for reading beside the one that has the transaction.
 */
#include "base/panic.h"
#include "runtime/batch.h"

/* A buffer that has grown beyond this is not kept for the next use. */
#define BUFFER_KEPT_BYTES ((size_t)1 << 20)

struct wf_buffer *wf_batch_buffer(struct batch *batch)
{
	struct wf_buffer *buffer = &batch->shard->bytes;

	if (buffer->capacity > BUFFER_KEPT_BYTES)
		wf_buffer_free(buffer);
	wf_buffer_reset(buffer);
	return buffer;
}

struct wf_bytes wf_batch_bytes(struct batch *batch)
{
	const struct wf_buffer *buffer = &batch->shard->bytes;

	return (struct wf_bytes){ wf_arena_strndup(batch->arena,
				      wf_buffer_text(buffer), buffer->length),
		buffer->length };
}

enum wf_rc wf_batch_reader(
    struct batch *batch, struct wf_store **store_out, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	if (batch->reader == NULL)
		rc =
		    wf_engine_borrow(batch->shard->engine, &batch->reader, err);
	wf_assert(batch->reader != batch->shard->store);
	*store_out = batch->reader;
	return rc;
}
