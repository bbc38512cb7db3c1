/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Place/transition nets with arc weights and reset arcs.
 *
 * A transition takes its inputs, then empties the places it resets, then puts
 * its outputs.  Such nets are monotone: a transition enabled in a marking is
 * enabled in every larger marking, and leads to a larger one.  All algorithms
 * of petri/ rely on that.
 */
#ifndef WF_PETRI_NET_H
#define WF_PETRI_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

/* A number of tokens that is never used up (omega). */
#define WF_MANY UINT32_MAX
/* Counts from here on are WF_MANY; searches do not follow such markings. */
#define WF_MANY_FROM (UINT32_C(1) << 30)
/* The number that stands for no place and no transition. */
#define WF_NONE UINT32_MAX

/* tokens of one place, in an arc, a marking or a target */
struct wf_arc {
	uint32_t place;
	uint32_t weight; /* at least 1 */
};

/* Arcs sorted by place, each place once. */
struct wf_transition {
	struct wf_arc *inputs;
	struct wf_arc *outputs;
	uint32_t *resets;
	uint32_t input_count;
	uint32_t output_count;
	uint32_t reset_count;
	uint32_t label; /* for the caller */
};

struct wf_petri {
	struct wf_arena *arena;
	uint32_t place_count;
	uint32_t transition_count;
	size_t transition_capacity;
	struct wf_transition *transitions;
};

/* Arguments of wf_petri_add(); in any order, with repeated places. */
struct wf_transition_parts {
	const struct wf_arc *inputs;
	uint32_t input_count;
	const struct wf_arc *outputs;
	uint32_t output_count;
	const uint32_t *resets;
	uint32_t reset_count;
	uint32_t label;
};

struct wf_petri *wf_petri_new(uint32_t place_count);
void wf_petri_free(struct wf_petri **net);
void wf_petri_add(struct wf_petri *net, const struct wf_transition_parts *t);

/* Sorts arcs by place and adds up arcs of one place; returns the new count. */
uint32_t wf_arcs_normalise(struct wf_arc *arcs, uint32_t count);
/* The tokens on place in sorted arcs. */
uint32_t wf_arcs_weight(
    const struct wf_arc *arcs, uint32_t count, uint32_t place);
bool wf_transition_resets(const struct wf_transition *t, uint32_t place);

/* Sums and differences of tokens in which WF_MANY stays WF_MANY. */
static inline uint32_t wf_tokens_add(uint32_t a, uint32_t b)
{
	return a >= WF_MANY_FROM || b >= WF_MANY_FROM || a + b >= WF_MANY_FROM
		   ? WF_MANY
		   : a + b;
}

static inline uint32_t wf_tokens_take(uint32_t a, uint32_t b)
{
	return a == WF_MANY ? WF_MANY : a - b;
}

bool wf_transition_enabled(
    const struct wf_transition *t, const uint32_t *tokens);
/* Fires t.  tokens: per place; t is enabled. */
void wf_transition_fire(const struct wf_transition *t, uint32_t *tokens);

/*
 * Per place, the transitions that take from it, and the transitions that can
 * leave it with more tokens than before.
 */
struct wf_adjacency {
	uint32_t *consumer_starts; /* per place, and the end */
	uint32_t *consumers;
	uint32_t *producer_starts;
	uint32_t *producers;
};

void wf_adjacency_init(struct wf_adjacency *a, const struct wf_petri *net);
void wf_adjacency_free(struct wf_adjacency *a);

/* A firing sequence. */
struct wf_firings {
	uint32_t *transitions;
	uint32_t count;
};

void wf_firings_free(struct wf_firings *trace);

enum wf_cover { WF_COVERABLE, WF_NOT_COVERABLE, WF_COVER_UNKNOWN };

/* A marking that is asked to be covered. */
struct wf_target {
	const struct wf_arc *arcs; /* by place */
	uint32_t count;
};

#endif
