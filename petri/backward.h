/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverability by backward search: computes the minimal markings from which a
 * target is coverable (the basis), starting at the targets and undoing
 * transitions (Abdulla et al. 1996, for well-structured systems).
 *
 * The basis is finite (Dickson's lemma), so the search ends, but possibly only
 * after a long time.  A complete basis answers for every marking: a target is
 * coverable from it exactly if it covers a marking of the basis.
 *
 * With a given marking (from), the search stops when it finds a marking that
 * from covers, and prunes markings that cannot be covered from it, by ceilings
 * and subvariants (petri/invariant.h).
 */
#ifndef WF_PETRI_BACKWARD_H
#define WF_PETRI_BACKWARD_H

#include "petri/bag.h"
#include "petri/net.h"

struct wf_backward_limits {
	uint32_t entries;    /* markings kept */
	uint32_t expansions; /* markings whose predecessors were computed */
	uint64_t work;	     /* elementary steps, a measure of time */
};

/*
 * A weighted sum of tokens that no transition increases: markings with a
 * greater value than the initial marking cannot be reached.
 */
struct wf_subvariant {
	struct wf_arc *arcs; /* place and its weight */
	uint32_t count;
	uint64_t bound; /* its value in the initial marking */
};

struct wf_backward_from {
	const uint32_t *tokens;	  /* per place */
	const uint32_t *ceilings; /* per place: never more; WF_MANY: no bound */
	const struct wf_subvariant *subvariants;
	uint32_t subvariant_count;
};

/* The origin of a marking. */
struct wf_basis_node {
	uint32_t parent; /* WF_NONE for a target */
	uint32_t via;	 /* firing it here leads to the parent */
};

struct wf_basis {
	struct wf_bags bags;
	struct wf_basis_node *nodes; /* parallel to bags.bags */
	uint32_t *minimal;	     /* the numbers of the minimal bags */
	uint32_t minimal_count;
	bool complete;	     /* else a limit was reached, or met is set */
	uint32_t met;	     /* a bag that from covers, or WF_NONE */
	uint32_t expansions; /* cost of the search */
	uint64_t work;
	struct wf_backward_limits needs; /* the tightest sufficient limits */
};

/* from NULL: for all markings.  Freed with wf_basis_free(). */
struct wf_basis *wf_basis_compute(const struct wf_petri *net,
    const struct wf_target *targets, uint32_t target_count,
    const struct wf_backward_limits *limits,
    const struct wf_backward_from *from);
void wf_basis_free(struct wf_basis **basis);
/* Frees the bags; keeps the cost and whether the basis is complete. */
void wf_basis_forget(struct wf_basis *basis);
/* The number of a minimal bag that tokens covers, or WF_NONE. */
uint32_t wf_basis_below(const struct wf_basis *basis, const uint32_t *tokens);
/* The firing sequence from the bag with that number to a target. */
void wf_basis_firings(const struct wf_basis *basis, uint32_t number,
    struct wf_firings *trace_out);

#endif
