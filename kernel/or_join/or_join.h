/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When an OR-join is enabled: some of its inputs are marked, and no marking
 * can be reached in which the same inputs are marked and one more is.
 *
 * "Can be reached" is meant in a net that is simpler than the real one: data,
 * predicates, timers and instances do not count, a composite task is busy or
 * not, any task may be started again while it is busy, other OR-joins fire
 * like XOR-joins (so a join rather waits than not), and the join itself never
 * does.  Then the question is one of coverability in a net with reset arcs.
 *
 * What depends on the net alone is computed once, by wf_or_join_compile().
 * Most questions are answered by a look at a few sets; searches come last.
 * Each stage is exact, so it does not matter which one answers:
 *
 *  E0      no input, or every input, is marked
 *  W0      a token that counts as one on an empty input        waits
 *  E1      no token has a path to an empty input               enabled
 *  W1      a token can go to an empty input by itself          waits
 *  E2      even if tokens were never used up, none would come  enabled
 *  basis   the smallest markings that make it wait, kept per set of marked
 *          inputs: whether the marking is at least one of them
 *  search  exploring ahead, then back, from this marking
 *
 * A decision that exceeds its budget is undecided, which means waiting.  The
 * budgets count as if nothing had been kept from earlier decisions, so the
 * verdict is a function of net, marking and budget; the stage is not, and
 * is not to be stored.
 */
#ifndef WF_KERNEL_OR_JOIN_OR_JOIN_H
#define WF_KERNEL_OR_JOIN_OR_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/spec.h"

/* Immutable after it was compiled, so threads may share it. */
struct wf_or_join;

/* task: the number of an OR-join of net, which must outlive the result. */
struct wf_or_join *wf_or_join_compile(const struct wf_net *net, uint32_t task);
void wf_or_join_free(struct wf_or_join **join);

enum wf_or_verdict { WF_OR_ENABLED, WF_OR_WAIT, WF_OR_UNDECIDED };

enum wf_or_stage {
	WF_OR_E0,
	WF_OR_W0,
	WF_OR_E1,
	WF_OR_W1,
	WF_OR_E2,
	WF_OR_BASIS,
	WF_OR_SEARCH,
	WF_OR_OVER_BUDGET
};

#define WF_OR_STAGES (WF_OR_OVER_BUDGET + 1)

/* "E0", ..., "basis", "search", "undecided". */
const char *wf_or_stage_name(enum wf_or_stage stage);

/* Why the join is decided as it is. */
struct wf_or_reason {
	enum wf_or_stage stage;
	/* What was spent in searches; 0 when there was none. */
	uint32_t expansions;
	uint64_t work;
};

/* What the searches of one decision may cost. */
struct wf_or_budget {
	uint32_t forward;  /* markings expanded, looking ahead */
	uint32_t entries;  /* of a basis */
	uint32_t backward; /* markings expanded, looking back */
	uint64_t work;	   /* elementary steps of each search */
};

/* What a step of a case can afford: some milliseconds at the very worst. */
extern const struct wf_or_budget wf_or_budget_step;
/* For a search outside the step: up to minutes. */
extern const struct wf_or_budget wf_or_budget_long;

/*
 * Remembers decided markings of any number of joins, within a bound; it
 * changes the cost of decisions and never a verdict.  For one thread.
 */
struct wf_or_memory;

struct wf_or_memory *wf_or_memory_new(size_t bytes);
/* How often each stage has decided, by enum wf_or_stage. */
const uint64_t *wf_or_memory_stages(const struct wf_or_memory *memory);
void wf_or_memory_free(struct wf_or_memory **memory);

/*
 * Decides.  tokens: per condition of the net; busy: set of busy tasks, the
 * join itself not among them.  memory, budget (NULL: that of a step) and
 * reason_out may be NULL.
 */
enum wf_or_verdict wf_or_join_decide(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason_out);

/* A marking with what is known of it. */
struct wf_or_marking {
	const uint32_t *tokens;
	const uint64_t *busy;
	const uint64_t *marked; /* set of conditions with tokens, or NULL */
};

/* The same; where marked is known the cost does not grow with the net. */
enum wf_or_verdict wf_or_join_decide_marking(const struct wf_or_join *join,
    const struct wf_or_marking *marking, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason_out);

/* Tasks as they start and end, one token each. */
struct wf_or_step {
	uint32_t task;
	bool ends;		    /* else it starts */
	const uint32_t *conditions; /* emptied or filled; the net's memory */
	uint32_t count;
};

struct wf_or_witness {
	struct wf_or_step *steps;
	uint32_t count;
	uint32_t input; /* the empty condition that is marked at the end */
};

/*
 * A firing sequence, as short as can easily be had, after which the same
 * inputs are marked and one more.  False when the join does not wait for a
 * token, or none is found within the budget.
 */
bool wf_or_join_witness(const struct wf_or_join *join, const uint32_t *tokens,
    const uint64_t *busy, const struct wf_or_budget *budget,
    struct wf_or_witness *witness_out);
void wf_or_witness_free(struct wf_or_witness *witness);

/*
 * What the verdict depends on: while no token of these conditions and none
 * of these tasks' being busy changes, it stays.  Sets for the whole net.
 */
const uint64_t *wf_or_join_cone_conditions(const struct wf_or_join *join);
const uint64_t *wf_or_join_cone_tasks(const struct wf_or_join *join);

#endif
