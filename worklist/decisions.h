/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions about people for the batches of an engine: people/decision.h with
 * what the worklist knows at that moment.
 */
#ifndef WF_WORKLIST_DECISIONS_H
#define WF_WORKLIST_DECISIONS_H

#include "people/decision.h"
#include "runtime/engine.h"
#include "worklist/audiences.h"
#include "worklist/deputies.h"
#include "worklist/facts.h"
#include "worklist/piles.h"

struct wf_decisions; /* opaque; safe for all threads */

/* What decisions are made from; all must outlive them. */
struct wf_decisions_settings {
	void *context;
	/* A reference to the organisation as it is known. */
	struct wf_organisation *(*organisation)(void *context);
	/*
	 * Who is absent at that time, in the arena; NULL: nobody.  May be NULL.
	 */
	const uint64_t *(*absent)(void *context,
	    const struct wf_organisation *organisation, int64_t now,
	    struct wf_arena *arena);
	/* Whether a thing is not available at that time.  May be NULL. */
	bool (*is_away)(void *context, const char *thing, int64_t now);
	/* Whose deputies work for those who are absent; NULL: nobody's. */
	struct wf_deputies *deputies;
	struct wf_audiences *audiences;
	struct wf_piles *piles;
	struct wf_fact_fold
	    *facts; /* NULL: allocators know nothing of the past */
	/* An item waits until all that it needs is free. */
	bool blocks;
};

struct wf_decisions *wf_decisions_new(
    const struct wf_decisions_settings *settings);
void wf_decisions_free(struct wf_decisions **decisions);

/* For struct wf_engine_settings; lives as long as the decisions. */
const struct wf_engine_people *wf_decisions_people(
    const struct wf_decisions *decisions);

#endif
