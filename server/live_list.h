/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worklist that is watched: which items a reader of its events knows of.
 *
 *   wf_live_list_read() ──► "list": all items
 *   wf_live_list_take() ──► "appeared", "changed", "left": those of one case
 *
 * It has the items that the participant has or is offered, and those of people
 * whose deputy the participant is.  What is reported of a case is the
 * difference between what was reported before and the rows of the store, so
 * nothing is reported twice, and nothing of items of others.
 *
 * The id of an event ends with a digest of what the reader knows after it.  A
 * reader that comes back with an id whose digest is that of the list as it is
 * now has missed nothing and gets "resumed" instead of "list".
 */
#ifndef WF_SERVER_LIVE_LIST_H
#define WF_SERVER_LIVE_LIST_H

#include "base/buffer.h"
#include "persistence/store.h"
#include "runtime/engine.h"
#include "worklist/audiences.h"
#include "worklist/deputies.h"
#include "worklist/org_cache.h"

struct wf_live_list; /* opaque; one thread at a time */

/* What is needed to know who sees what; all outlive the lists. */
struct wf_live_list_parts {
	struct wf_engine *engine;
	struct wf_org_cache *organisation;
	struct wf_audiences *audiences;
	struct wf_deputies *deputies;
};

/* The items of a case that wait or are done, as the store has them. */
struct wf_live_rows {
	uint64_t number;
	struct wf_arena *arena;
	struct wf_item_list list;
	bool partial; /* there are more: none counts as gone */
};

/* Reads them.  A row may be newer than the step that it is read for. */
enum wf_rc wf_live_rows_read(struct wf_store *store, uint64_t number,
    struct wf_live_rows **rows_out, struct wf_error *err) WF_MUSTCHECK;
void wf_live_rows_free(struct wf_live_rows **rows);

/*
 * Of a participant; empty, and stale.  known: the id of the last event that the
 * reader got on an earlier connection, or any other text; NULL: none.
 */
struct wf_live_list *wf_live_list_new(const struct wf_live_list_parts *parts,
    uint32_t namespace_id, const char *participant, const char *known);
void wf_live_list_free(struct wf_live_list **list);

/*
 * Whether it is to be read anew: the organisation has changed, or a deputy
 * begins or ends.
 */
bool wf_live_list_is_stale(struct wf_live_list *list);
/*
 * Reads it anew and appends the event "list", or "resumed".  id: of the event,
 * without the digest.  WF_NOT_FOUND: there is no such participant any more.
 */
enum wf_rc wf_live_list_read(struct wf_live_list *list, struct wf_store *store,
    const char *id, struct wf_buffer *text, struct wf_error *err) WF_MUSTCHECK;
/* Appends what has changed of a case since it was reported. */
void wf_live_list_take(struct wf_live_list *list,
    const struct wf_live_rows *rows, const char *id, struct wf_buffer *text);

#endif
