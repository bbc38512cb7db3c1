/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Announces items again: for services that ask for it, or that were registered
 * after the first announcement.
 */
#ifndef WF_WORK_REANNOUNCE_H
#define WF_WORK_REANNOUNCE_H

#include "runtime/engine.h"

/* So many items of a service that is removed become incidents, later. */
#define WF_REANNOUNCE_REMOVED_MAXIMUM 1000U

/*
 * Announces the items of a service that wait for it: it was registered, or it
 * was removed, and nobody serves them now.  most: at most so many; 0: all.
 */
enum wf_rc wf_reannounce_waiting(struct wf_engine *engine,
    uint32_t namespace_id, const char *service, size_t most, const char *actor,
    const char *origin, struct wf_error *err) WF_MUSTCHECK;

/*
 * Announces all items that the filter selects, in their present state, or the
 * first filter->limit, if that is not 0; sets the filter's page and limit.
 * Waits for the commits, so it must run in the pool. Items that are gone by
 * then are left out.  *done_out: the number of items that were announced, also
 * when reading the store fails.
 */
enum wf_rc wf_reannounce(struct wf_engine *engine,
    struct wf_item_filter *filter, const char *actor, const char *origin,
    size_t *done_out, struct wf_error *err) WF_MUSTCHECK;

#endif
