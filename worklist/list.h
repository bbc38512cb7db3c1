/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of items for people: pages of the items of several queues, filtered.
 *
 * The store merges the queues by an index and filters nothing; so a page may
 * end before it is full, when it has passed over many items that do not fit.
 */
#ifndef WF_WORKLIST_LIST_H
#define WF_WORKLIST_LIST_H

#include "people/decision.h"
#include "people/organisation/record.h"
#include "persistence/store.h"
#include "runtime/engine.h"

/* A page passes over at most so many items. */
#define WF_LIST_VISITS 10000U

struct wf_list_query {
	struct wf_texts queues; /* each once */
	/* Whose list it is: items that leave the participant out are not in it;
	 * NULL: anybody's. */
	const char *participant;
	uint32_t namespace_id; /* 0: all */
	uint32_t assignments;  /* bits of enum wf_resource_status; 0: all */
	uint32_t statuses;     /* bits of enum wf_item_status; 0: all */
	uint64_t number;       /* of a case; 0: of all */
	struct wf_specification_keys specifications; /* none: of all */
	const char *task;			     /* NULL: of all */
	uint32_t greatest_rank;			     /* UINT32_MAX: any */
	int64_t enabled_before;			     /* 0: any */
	int64_t due_before;			     /* 0: any */
	enum wf_queue_order order;
	bool descending;
	const struct wf_queue_key *after; /* NULL: from the beginning */
	size_t limit;
	/* Called for items that were read, before fits() is for each; NULL:
	 * nothing is to be known of several together. */
	enum wf_rc (*prepare)(void *context, struct wf_store *store,
	    const struct wf_item_list *items, struct wf_error *err);
	/* Whether the item is listed; NULL: all are. */
	bool (*fits)(void *context, const struct wf_item_row *row);
	void *context;
	bool few_fit; /* few items may fit, so many are read at once */
};

struct wf_list_page {
	struct wf_item_row *rows;
	size_t count;
	bool has_more;		  /* there may be more items */
	struct wf_queue_key next; /* .. behind this place */
};

/* Whether the item leaves the participant out of those it is offered to. */
bool wf_list_leaves_out(const struct wf_item_row *row, const char *participant);

/* The rows and texts are in the arena. */
enum wf_rc wf_list_read(struct wf_store *store,
    const struct wf_list_query *query, struct wf_arena *arena,
    struct wf_list_page *page_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * What the participant has; nothing if privileges do not depend on it.  Texts
 * are in the arena.  Borrows a store of the engine.
 */
enum wf_rc wf_workload_read(struct wf_engine *engine,
    const struct wf_organisation *organisation, const char *participant,
    struct wf_arena *arena, struct wf_workload *workload_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * wf_may_begin() for the item, of the case with that number, as it stands in
 * the store.  WF_DENIED says why not; another code, that it is not known.
 */
enum wf_rc wf_workload_check(struct wf_engine *engine,
    const struct wf_organisation *organisation, const char *participant,
    uint64_t number, const char *item, struct wf_arena *arena,
    struct wf_error *err) WF_MUSTCHECK;

#endif
