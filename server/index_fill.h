/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going through the cases from before an index, or before its removal: a thread
 * that writes their terms, a portion at a time.
 *
 *   idle ──an index is filling or removing, and old enough──► a portion ─┐
 *     ▲                                                       ▲          │
 *     └──── none is ◄──────────────────────────────────────────┴──────────┘
 *
 * Each portion is noted in the record of the index, so that a server that ends
 * continues where it was.  Several nodes may do the same portion: they write
 * the same.
 */
#ifndef WF_SERVER_INDEX_FILL_H
#define WF_SERVER_INDEX_FILL_H

#include "runtime/engine.h"

struct wf_index_fill; /* opaque */

/*
 * An index is left alone for so long: until every node knows it, and has
 * committed the batches that it began before.
 */
#define WF_INDEX_FILL_MS 10000

/* Without a thread: the caller calls wf_index_fill_turn(). */
struct wf_index_fill *wf_index_fill_new(struct wf_engine *engine);
/* Before the server serves: cases of a new store are found from the first one
 * on.
 */
enum wf_rc wf_index_fill_start(
    struct wf_index_fill *fill, struct wf_error *err) WF_MUSTCHECK;
/* Ends the thread, if there is one. */
void wf_index_fill_free(struct wf_index_fill **fill);

/*
 * Does a portion of what is old enough at that time.  *more_out: there may be
 * more to do.
 */
enum wf_rc wf_index_fill_turn(struct wf_index_fill *fill, int64_t now,
    bool *more_out, struct wf_error *err) WF_MUSTCHECK;

#endif
