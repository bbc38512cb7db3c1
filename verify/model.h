/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model of a net that is analysed: places, and moves of tokens.
 *
 * Only control flow is modelled, not data, predicates, timers and instances:
 * every choice of an XOR-split and every non-empty choice of an OR-split is
 * possible, and a composite task is like an atomic one.
 *
 * A task is one move if that makes no difference, otherwise two: its start,
 * which marks a place of its own, and its end.  It makes a difference if a
 * cancellation set contains the task or one of its inputs and, in a net with
 * OR-joins (whose enabling depends on the marking), if the task is an OR-join
 * or shares an input.
 *
 * A cluster is a set of moves with the same inputs.  In an eager cluster the
 * moves can be made before all others without losing a way to the end
 * (space.h).  The conditions: no other move takes from its inputs; its moves
 * neither cancel anything nor end the case; and no cancellation concerns its
 * inputs and outputs (WF_EAGER) or, less strictly, each cancellation empties
 * all of them or none (WF_EAGER_WITHIN).
 *
 * Outputs of an OR-split are alike if from each of them a chain of tasks
 * without choice leads to the same join or condition, and to nothing else.
 * Then only the number of outputs taken matters.
 */
#ifndef WF_VERIFY_MODEL_H
#define WF_VERIFY_MODEL_H

#include "base/memory.h"
#include "spec/spec.h"

#define WF_NO_PLACE UINT32_MAX

enum wf_move_kind { WF_MOVE_WHOLE, WF_MOVE_START, WF_MOVE_END };

/* The chain behind an output of an OR-split. */
struct wf_chain {
	uint32_t class; /* the same for alike outputs; or WF_NO_PLACE */
	uint32_t *places;
	uint32_t place_count;
};

struct wf_move {
	uint32_t task;
	enum wf_move_kind kind;
	uint32_t cluster;
	const uint32_t *inputs; /* places */
	uint32_t input_count;
	const uint32_t *outputs;
	uint32_t output_count;
	const uint32_t *resets;
	uint32_t reset_count;
	bool is_or_join;	 /* takes a token from each marked input */
	bool is_or_split;	 /* puts a token to at least one of outputs */
	struct wf_chain *chains; /* of an OR-split, per output */
};

enum wf_eager { WF_NOT_EAGER, WF_EAGER_WITHIN, WF_EAGER };

struct wf_model {
	struct wf_arena *arena;
	const struct wf_net *net;
	uint32_t place_count;  /* conditions come first, by number */
	uint32_t *task_places; /* per task: its own place, or WF_NO_PLACE */
	uint32_t *place_tasks; /* per place from condition_count on */
	struct wf_move *moves;
	uint32_t move_count;
	size_t move_capacity;
	uint8_t *eager; /* per cluster: enum wf_eager */
	uint32_t cluster_count;
	uint32_t or_join_count;
	bool has_resets;
};

/* whole: false splits every task into start and end. */
struct wf_model *wf_model_new(const struct wf_net *net, bool whole);
void wf_model_free(struct wf_model **model);

#endif
