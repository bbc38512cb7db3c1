/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores as text, so that two of them can be compared, and a random sequence of
 * operations: the same seed must give the same text on every store.
 */
#ifndef WF_TESTS_STORE_DUMP_H
#define WF_TESTS_STORE_DUMP_H

#include "base/buffer.h"
#include "persistence/columns.h"
#include "persistence/store.h"

void dump_result(
    struct wf_buffer *text, enum wf_rc rc, const struct wf_error *err);
/* One row a line; positions are left out. */
void dump_row(
    struct wf_buffer *text, const struct wf_row_layout *shape, const void *row);
void dump_batch(struct wf_buffer *text, const struct wf_batch *batch);
void dump_case(struct wf_buffer *text, const struct wf_stored_case *stored);
/*
 * The whole content of the store. It claims due commands and messages, so it
 * must be the last operation on a store.
 */
void dump_store(struct wf_buffer *text, struct wf_store *store);

/*
 * Does that many random operations on the store at url, which is new, and
 * writes the answers; closes and opens the store now and then.
 */
void random_life(
    struct wf_buffer *text, const char *url, uint64_t seed, unsigned steps);

#endif
