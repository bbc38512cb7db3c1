/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may do an item: the distribution set of its task, and what follows for a
 * new item.
 *
 *   rule.offers no ──────────────────────────────► unoffered
 *   distribution set, without those who gave it back or are absent
 *     empty ─────────────────────────────────────► unoffered
 *     rule.allocates no ─────────────────────────► offered to all of them
 *     the allocator chooses one ─────────────────► allocated
 *                     rule.starts ───────────────► started
 *
 * Source of the rules: the resource perspective of YAWL, with the differences
 * that docs/PEOPLE.md lists.
 */
#ifndef WF_PEOPLE_DISTRIBUTION_H
#define WF_PEOPLE_DISTRIBUTION_H

#include "kernel/assignment/assignment.h"
#include "people/allocation.h"
#include "people/organisation/organisation.h"
#include "people/resourcing.h"

/* What the rules ask about the case of an item. */
struct wf_resource_case {
	void *context;
	/*
	 * The text of a variable of the net that holds the task, in the arena;
	 * NULL: there is none.
	 */
	const char *(*variable)(
	    void *context, const char *name, struct wf_arena *arena);
	/* The ids of those who completed an item of the task in the case. */
	struct wf_texts (*completed)(
	    void *context, const char *task, struct wf_arena *arena);
};

struct wf_distribution {
	enum wf_resource_status status;
	/* Whom the rule gives, before anybody is left out; NULL: not asked */
	uint64_t *rule;
	uint64_t *set;	      /* .. without those whom it separates */
	uint64_t *offered;    /* NULL: not offered */
	uint32_t participant; /* allocated or started; else WF_ORG_NOBODY */
};

/*
 * Distributes a new item.  rule NULL: its task has no rule, and everybody may
 * do it.  left_out: those who gave it back or are absent; NULL: none.
 */
struct wf_distribution wf_distribute(const struct wf_organisation *organisation,
    const struct wf_resourcing *rule, const struct wf_resource_case *about,
    const uint64_t *left_out, const struct wf_allocation_facts *facts,
    struct wf_arena *arena);

#endif
