/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WF_HISTORY_ITEM_STARTER_H
#define WF_HISTORY_ITEM_STARTER_H

#include "runtime/engine.h"
#include "yawl/item_record.h"

struct wf_yawl_starters; /* opaque; safe for all threads */

struct wf_yawl_starters *wf_yawl_starters_new(void);
void wf_yawl_starters_free(struct wf_yawl_starters **starters);
/*
 * The user who started an item of a case that has that version; in the arena.
 * NULL: nobody has, or it is not kept any more.  starters may be NULL: then
 * nothing is remembered.
 */
const char *wf_yawl_starter(struct wf_yawl_starters *starters,
    struct wf_engine *engine, const struct wf_yawl_item *item, uint64_t version,
    struct wf_arena *arena);

#endif
