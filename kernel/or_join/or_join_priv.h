/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the OR-join share; private to engine/or_join*.c. */
#ifndef WF_KERNEL_OR_JOIN_OR_JOIN_PRIV_H
#define WF_KERNEL_OR_JOIN_OR_JOIN_PRIV_H

#include <stdatomic.h>

#include "kernel/or_join/or_join.h"
#include "petri/backward.h"
#include "petri/reduce.h"

/*
 * A condition or task in the cone, as far as a block of inputs goes.
 */
struct element {
	uint64_t now;	/* inputs on which a token here counts as one */
	uint64_t solo;	/* that it can go to by itself */
	uint64_t reach; /* to which there is a path */
	uint64_t image; /* places of the reduced net, when they are few */
	uint32_t number;
};

/*
 * 64 inputs, or what is left of them, and the elements from which there is a
 * path to one of these.  Bits of the elements' sets are inputs of the block.
 */
struct block {
	struct element *inputs;
	struct element *conditions; /* the others */
	struct element *tasks;
	uint32_t *condition_at; /* per condition of the net: where, or NONE */
	uint32_t *task_at;
	uint32_t input_count;
	uint32_t condition_count;
	uint32_t task_count;
};

/* A transition of the reduced net, as sets of places. */
struct relaxed {
	uint64_t inputs;
	uint64_t outputs;
};

/* A basis for one set of marked inputs; kept for good once published. */
struct kept_basis {
	struct kept_basis *next;
	struct wf_basis *basis;
	struct wf_or_budget tried; /* when it is not complete */
	uint64_t marked[];	   /* set of inputs */
};

struct wf_or_join {
	uint64_t serial; /* no other join of the process has it */
	const struct wf_net *net;
	const struct wf_task *task;
	struct wf_petri *petri;	  /* places: conditions, then tasks */
	struct wf_or_step *steps; /* what its transitions stand for */
	struct wf_reduction *reduction;
	uint32_t input_count;
	uint32_t block_count;
	struct block *blocks;
	struct relaxed *relaxed; /* NULL when there are over 64 places */
	size_t condition_words;
	size_t task_words;
	uint64_t *cone_conditions;
	uint64_t *cone_tasks;
	_Atomic(struct kept_basis *) bases;
	atomic_uint basis_count;
};

/* or_join.c: steps: those reductions only (petri/reduce.h), for tests. */
struct wf_or_join *wf_or_join_compile_with(
    const struct wf_net *net, uint32_t task, unsigned steps);

/* or_join_net.c: the net of the question, before it is reduced. */
void wf_or_join_build(struct wf_or_join *join);

/* or_join_search.c: when the sets do not tell. */
enum wf_or_verdict wf_or_join_search(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason);
void wf_or_join_free_bases(struct wf_or_join *join);
/* The marking of the reduced net; for wf_or_join_search() and witnesses. */
void wf_or_join_project(const struct wf_or_join *join, const uint32_t *tokens,
    const uint64_t *busy, uint32_t *reduced_out);

/* What is asked of a reduced marking: the marked inputs and one more. */
struct question {
	const uint32_t *tokens; /* of the reduced net */
	const uint64_t *marked; /* set of inputs */
	struct wf_target *targets;
	uint32_t target_count;
	struct wf_arc *arcs;
};

/* marked and tokens are kept, not copied. */
void wf_or_question_init(struct question *q, const struct wf_or_join *join,
    const uint64_t *marked, const uint32_t *tokens);
void wf_or_question_free(struct question *q);
/* Looks back from the question, for this marking only. */
struct wf_basis *wf_or_join_look_back(const struct wf_or_join *join,
    const struct question *q, const struct wf_or_budget *budget);

/* or_join_memory.c */
/* A stage has decided; memory may be NULL. */
void wf_or_memory_count(struct wf_or_memory *memory, enum wf_or_stage stage);
bool wf_or_memory_find(struct wf_or_memory *memory,
    const struct wf_or_join *join, const struct wf_or_budget *budget,
    const uint32_t *tokens, enum wf_or_verdict *verdict_out);
void wf_or_memory_keep(struct wf_or_memory *memory,
    const struct wf_or_join *join, const struct wf_or_budget *budget,
    const uint32_t *tokens, enum wf_or_verdict verdict);

#endif
