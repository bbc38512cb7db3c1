/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions shared by kernel/or_join/; private to that folder. */
#ifndef WF_KERNEL_OR_JOIN_OR_JOIN_PRIV_H
#define WF_KERNEL_OR_JOIN_OR_JOIN_PRIV_H

#include <stdatomic.h>

#include "kernel/or_join/or_join.h"
#include "petri/backward.h"
#include "petri/reduce.h"

/* A condition or task in the cone, with respect to one block of inputs. */
struct element {
	uint64_t now;	/* inputs that a token here is equivalent to */
	uint64_t solo;	/* inputs that one token alone can be moved to */
	uint64_t reach; /* inputs to which there is a path */
	uint64_t image; /* places of the reduced net, if there are <= 64 */
	uint32_t number;
};

/*
 * Up to 64 inputs, and the elements with a path to one of them.  A bit in a
 * set of an element is an input of the block.
 */
struct block {
	struct element *inputs;
	struct element *conditions; /* that are not inputs of the block */
	struct element *tasks;
	uint32_t *task_at; /* per task: index, or WF_NONE */
	uint32_t input_count;
	uint32_t condition_count;
	uint32_t task_count;
};

/* A transition of the reduced net, as sets of places. */
struct relaxed {
	uint64_t inputs;
	uint64_t outputs;
};

/* A basis for one set of marked inputs; immutable once published. */
struct kept_basis {
	struct kept_basis *next;
	struct wf_basis *basis;
	struct wf_or_budget tried; /* exceeded by an incomplete basis */
	uint64_t marked[];	   /* set of inputs */
};

struct wf_or_join {
	uint32_t magic;
	uint64_t serial; /* unique within the process */
	const struct wf_net *net;
	const struct wf_task *task;
	struct wf_petri *petri;	  /* places: conditions, then tasks */
	struct wf_or_step *steps; /* by label of its transitions */
	struct wf_reduction *reduction;
	uint32_t input_count;
	uint32_t block_count;
	struct block *blocks;
	struct relaxed *relaxed; /* NULL with more than 64 places */
	size_t condition_words;
	size_t task_words;
	uint64_t *cone_conditions;
	uint64_t *cone_tasks;
	_Atomic(struct kept_basis *) bases;
	atomic_uint basis_count;
};

#define WF_OR_JOIN_MAGIC 0x57664F4AU

/* or_join_compile.c: with these reductions only (petri/reduce.h); for tests. */
struct wf_or_join *wf_or_join_compile_with(
    const struct wf_net *net, uint32_t task, unsigned steps);

/* or_join_net.c: makes join->petri and join->steps. */
void wf_or_join_build(struct wf_or_join *join);

/* or_join_search.c: the stages basis and search. */
enum wf_or_verdict wf_or_join_search(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason);
void wf_or_join_free_bases(struct wf_or_join *join);
/* Translates a marking of the net into one of the reduced net. */
void wf_or_join_project(const struct wf_or_join *join, const uint32_t *tokens,
    const uint64_t *busy, uint32_t *reduced_out);

/*
 * Whether the marked inputs and one more can be marked; for a reduced marking.
 */
struct question {
	const uint32_t *tokens; /* of the reduced net */
	const uint64_t *marked; /* set of inputs */
	struct wf_target *targets;
	uint32_t target_count;
	struct wf_arc *arcs;
};

/* marked and tokens are not copied; they must outlive the question. */
void wf_or_question_init(struct question *q, const struct wf_or_join *join,
    const uint64_t *marked, const uint32_t *tokens);
void wf_or_question_free(struct question *q);
/* The backward search, pruned to what this marking can reach. */
struct wf_basis *wf_or_join_search_backward(const struct wf_or_join *join,
    const struct question *q, const struct wf_or_budget *budget);

/* or_join_memory.c */
/* Counts a decision by the stage; memory may be NULL. */
void wf_or_memory_count(
    struct wf_or_memory *memory, const struct wf_or_reason *reason);
bool wf_or_memory_find(struct wf_or_memory *memory,
    const struct wf_or_join *join, const struct wf_or_budget *budget,
    const uint32_t *tokens, enum wf_or_verdict *verdict_out);
void wf_or_memory_keep(struct wf_or_memory *memory,
    const struct wf_or_join *join, const struct wf_or_budget *budget,
    const uint32_t *tokens, enum wf_or_verdict verdict);

#endif
