/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of reachable markings (the state space).
 *
 * A state is a marking: one byte for each place.  State 0 has one token, in the
 * input condition, unless another marking is given.  A case ends with the first
 * token in the output condition, so such a state has no successors; "completed"
 * is the state with that token and no other.
 *
 * The graph can be reduced: where an eager cluster of moves is enabled, only
 * the moves of the cluster are followed.  In each sequence of moves that leads
 * to an end, a move of the cluster can be made first, because no other move
 * takes its tokens.  Therefore:
 *  - "completed" is reachable from a state in the reduced graph exactly when
 *    it is in the whole graph; the same holds for deadlocks;
 *  - if from each state of the reduced graph a state without successors is
 *    reachable, then the reduced graph also has: each move that is possible,
 *    each token that can be beside the last one, each element that can be
 *    marked when a task cancels it, and each set of inputs that can be marked
 *    when an OR-join starts.  If that state is always "completed", it is
 *    reachable from each state of the whole graph.
 * Proof by induction on the number of moves that lead to the state in question
 * and, for equal numbers, on the distance to a state without successors: either
 * a move of the cluster is among those moves and can be made first, or it is
 * still enabled after them.  If the condition does not hold, what was found in
 * the reduced graph is true, but the whole graph may have more.
 *
 * With clusters that are eager within cancellations the same holds, except for
 * the elements that are marked when a task cancels them: a token may have
 * moved on before the cancellation.
 *
 * Where outputs of an OR-split are alike and nothing is on their chains, only
 * one choice is followed for each number of outputs: the first ones.
 */
#ifndef WF_VERIFY_SPACE_H
#define WF_VERIFY_SPACE_H

#include "kernel/or_join/or_join.h"
#include "verify/model.h"

/* The reason why the graph is not complete. */
enum wf_stop {
	WF_STOP_NOT,
	WF_STOP_STATES,	   /* the maximum number of states */
	WF_STOP_MEMORY,	   /* the maximum of memory */
	WF_STOP_WORK,	   /* the maximum of work */
	WF_STOP_TOKENS,	   /* more tokens in a place than one byte counts */
	WF_STOP_OR_JOIN,   /* deciding OR-joins takes too long */
	WF_STOP_CHOICES,   /* not every choice of an OR-split was followed */
	WF_STOP_UNBOUNDED, /* the graph is infinite */
	WF_STOP_VIOLATION  /* the net is not sound, which was enough */
};

enum wf_order { WF_BREADTH_FIRST, WF_DEPTH_FIRST };

struct wf_space_options {
	/*
	 * The least eagerness of clusters that come first; WF_NOT_EAGER: none.
	 */
	enum wf_eager reduction;
	enum wf_order order;
	bool every_choice; /* even where outputs are alike */
	bool few_choices;  /* of OR-splits: only the smallest and the largest */
	uint32_t states;
	size_t bytes;
	uint64_t or_join_work;
	/* Number of states expanded after the first violation. */
	uint32_t states_after_violation;
	const uint8_t *initial; /* per place: of state 0; NULL: of a launch */
};

struct wf_edge {
	uint32_t target;
	uint32_t move;
};

/* Tokens grow without end: from a state to a later, larger one. */
struct wf_growth {
	uint32_t state;	   /* the later state */
	uint32_t ancestor; /* the earlier one; WF_NO_STATE: no growth found */
	uint32_t place;
	bool proven; /* otherwise a heuristic */
};

#define WF_NO_STATE UINT32_MAX

struct wf_space {
	const struct wf_model *model;
	uint8_t **blocks; /* of states */
	uint32_t state_count;
	struct wf_edge *edges; /* in the order of the states they leave */
	size_t edge_count;
	size_t edge_capacity;
	size_t *edge_starts; /* per state */
	uint32_t *edge_counts;
	struct wf_edge *parents; /* per state, the edge by which it was found */
	uint32_t state_capacity;
	uint32_t *table; /* state + 1 */
	size_t table_size;
	size_t bytes;
	uint32_t completed; /* or WF_NO_STATE */
	uint32_t violation; /* first state that is dead or has tokens beside the
			       last one; or WF_NO_STATE */
	struct wf_growth growth;
	enum wf_stop stop;
	bool left_out; /* some choices of OR-splits were not followed */
	/*
	 * A task that seemed to wait because its OR-join could not be decided;
	 * or UINT32_MAX.
	 */
	uint32_t undecided;
};

struct wf_space *wf_space_explore(
    const struct wf_model *model, const struct wf_space_options *options);
void wf_space_free(struct wf_space **space);

const uint8_t *wf_space_state(const struct wf_space *space, uint32_t state);
bool wf_space_is_expanded(const struct wf_space *space, uint32_t state);
bool wf_space_has_end(const struct wf_space *space, uint32_t state);

#endif
