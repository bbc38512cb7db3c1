/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverability by looking back: the smallest markings from which a target
 * can be covered, found from the targets by undoing transitions.
 *
 * There are finitely many, so the search ends, if not within any bound that
 * one would like.  A basis that is complete answers for every marking: a
 * target can be covered from it when it is at least one of the basis.
 *
 * Given a marking (from), the search stops when it meets it, and leaves out
 * what cannot be covered from it, as ceilings and weights tell.
 */
#ifndef WF_PETRI_BACKWARD_H
#define WF_PETRI_BACKWARD_H

#include "petri/bag.h"
#include "petri/net.h"

struct wf_backward_limits {
	uint32_t entries;    /* markings kept */
	uint32_t expansions; /* markings whose predecessors are looked at */
	uint64_t work;	     /* elementary steps, a measure of time */
};

/*
 * A weighted sum of tokens that no transition increases: from its value in
 * the marking at the start follows which markings cannot be reached.
 */
struct wf_subvariant {
	struct wf_arc *arcs; /* place and its weight */
	uint32_t count;
	uint64_t bound; /* the value at the start */
};

struct wf_backward_from {
	const uint32_t *tokens;	  /* per place */
	const uint32_t *ceilings; /* per place: never more; WF_MANY: no bound */
	const struct wf_subvariant *subvariants;
	uint32_t subvariant_count;
};

/* One marking of a basis: as far as it was found from targets. */
struct wf_basis_node {
	uint32_t parent; /* WF_NONE for a target */
	uint32_t via;	 /* fired from here it leads to the parent */
};

struct wf_basis {
	struct wf_bags bags;
	struct wf_basis_node *nodes; /* beside bags.bags */
	uint32_t *minimal;	     /* those bags that are minimal */
	uint32_t minimal_count;
	bool complete;	     /* else a limit was reached, or met is set */
	uint32_t met;	     /* a bag that from covers, or WF_NONE */
	uint32_t expansions; /* what it took */
	uint64_t work;
	struct wf_backward_limits needs; /* the tightest that it is within */
};

/* from may be NULL: then for all markings. */
struct wf_basis *wf_basis_compute(const struct wf_petri *net,
    const struct wf_target *targets, uint32_t target_count,
    const struct wf_backward_limits *limits,
    const struct wf_backward_from *from);
void wf_basis_free(struct wf_basis **basis);
/* Keeps what the search took and whether it was complete, not the bags. */
void wf_basis_forget(struct wf_basis *basis);
/* The number of a minimal bag that tokens covers, or WF_NONE. */
uint32_t wf_basis_below(const struct wf_basis *basis, const uint32_t *tokens);
/* The firing sequence from the bag with that number to a target. */
void wf_basis_firings(const struct wf_basis *basis, uint32_t number,
    struct wf_firings *trace_out);

#endif
