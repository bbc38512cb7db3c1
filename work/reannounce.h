/* SPDX-License-Identifier: Apache-2.0 */
/* Items that are announced again: to who asks, or to who is there only now. */
#ifndef WF_WORK_REANNOUNCE_H
#define WF_WORK_REANNOUNCE_H

#include "runtime/engine.h"

/*
 * Announces all items that filter selects, as they are now; its page and limit
 * are set here.  Waits until that is committed, so for the pool only; items
 * that are gone by then are left out.  done_out: how many were announced, also
 * when the store can no longer be read.
 */
enum wf_rc wf_reannounce(struct wf_engine *engine,
    struct wf_item_filter *filter, const char *actor, const char *origin,
    size_t *done_out, struct wf_error *err) WF_MUSTCHECK;

#endif
