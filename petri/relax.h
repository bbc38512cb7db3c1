/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The relaxed net: transitions consume nothing and reset nothing.  What it
 * cannot reach, the net cannot reach either; its costs guide searches.
 *
 * The cost of a place estimates the number of firings that put one more token
 * there; the costs of several inputs are added (the additive heuristic of
 * planning).
 */
#ifndef WF_PETRI_RELAX_H
#define WF_PETRI_RELAX_H

#include "petri/heap.h"
#include "petri/net.h"

/* As a cost: cannot be reached. */
#define WF_UNREACHABLE UINT32_MAX

struct wf_relax {
	const struct wf_petri *net;
	const struct wf_adjacency *adjacency;
	uint32_t *cost;	   /* per place */
	uint32_t *missing; /* per transition: inputs without enough tokens */
	uint32_t *sum;	   /* per transition: cost so far */
	uint8_t *settled;  /* per place */
	struct wf_heap heap;
	uint64_t work; /* elementary steps so far */
};

/* net and adjacency are not copied; they must outlive relax. */
void wf_relax_init(struct wf_relax *relax, const struct wf_petri *net,
    const struct wf_adjacency *adjacency);
void wf_relax_free(struct wf_relax *relax);
/* Finds the costs from a marking. */
void wf_relax_run(struct wf_relax *relax, const uint32_t *tokens);
/* After that: the cost of covering a target, or WF_UNREACHABLE. */
uint32_t wf_relax_estimate(const struct wf_relax *relax, const uint32_t *tokens,
    const struct wf_target *target);

#endif
