/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which people and things are busy with items, beside who does the items.
 *
 * What is busy is part of the history of its case (RESOURCES_TAKEN), so it is
 * free when the item ends, whatever happens to a server.  Two cases that want
 * the same at once meet at a record named by it, whose value is the case that
 * may use it:
 *
 *   none ──── written as a new record ────► case A ──► case B
 *                                                 when no batch has A, and
 *                                                 nothing of A is busy with it
 *
 * A case uses the record that names it only in a batch that has the case, and
 * the record is changed to another case only by a batch that has the one before
 * (and the other, which else takes it again in a batch).  So one of two gets
 * it, on any number of nodes; neither waits for the other.
 */
#ifndef WF_WORKLIST_BUSY_H
#define WF_WORKLIST_BUSY_H

#include "people/needs.h"
#include "runtime/engine.h"
#include "worklist/absences.h"

/*
 * Whether the person or thing is free for the case, of which no item is busy
 * with it; if a batch has the case, then no other case gets it until that batch
 * has ended.  False also when the store fails.
 */
bool wf_busy_take(
    struct wf_engine *engine, uint64_t number, const char *id, int64_t now);

/*
 * Those of the needs of an item that cannot be met now, in their order; but
 * ("": nobody) does the item and does not help.  Tries 50 of a role or
 * category at most.  Texts are in the arena.
 */
enum wf_rc wf_busy_missing(struct wf_store *store, struct wf_absences *absences,
    const struct wf_organisation *organisation, const struct wf_needs *needs,
    const char *but, int64_t now, struct wf_arena *arena,
    struct wf_needs *missing_out, struct wf_error *err) WF_MUSTCHECK;

/* The case with an item that is busy with it; 0: it is free. */
enum wf_rc wf_busy_case(struct wf_store *store, const char *id,
    uint64_t *number_out, struct wf_error *err) WF_MUSTCHECK;

#endif
