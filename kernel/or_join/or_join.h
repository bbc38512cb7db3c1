/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when an OR-join is enabled: some of its inputs are marked, and no
 * reachable marking has the same inputs and at least one more input marked
 * (Wynn, Edmond, van der Aalst, ter Hofstede 2005).
 *
 * "Reachable" refers to an abstraction of the net: data, predicates, timers
 * and instances are ignored; a composite task is busy or not; a busy task may
 * start again; other OR-joins fire like XOR-joins (so the join waits rather
 * than fires too early); the join itself never fires.  The question is then
 * coverability in a Petri net with reset arcs.
 *
 * wf_or_join_compile() computes once what depends on the net alone.  Most
 * decisions combine a few sets; searches come last.  Each stage is exact, so
 * the verdict does not depend on which stage gives it:
 *
 *  E0      no input, or every input, is marked
 *  W0      a token elsewhere is equivalent to one on an empty input   waits
 *  E1      no token has a path to an empty input                      enabled
 *  W1      one token alone can be moved to an empty input             waits
 *  E2      no token arrives even if firing consumed no tokens         enabled
 *  basis   the minimal markings that make the join wait, stored per set of
 *          marked inputs: the marking covers one of them, or none
 *  search  forward search, then backward search, from this marking
 *
 * A decision that exceeds its budget is undecided, and the join waits.
 * Budgets are charged as if nothing had been stored by earlier decisions, so
 * the verdict is a function of net, marking and budget.  The stage is not;
 * it must not be stored.
 */
#ifndef WF_KERNEL_OR_JOIN_OR_JOIN_H
#define WF_KERNEL_OR_JOIN_OR_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/spec.h"

/* Immutable after compilation, so threads may share it. */
struct wf_or_join;

/*
 * task: the number of an OR-join of net; net must outlive the result, which is
 * freed with wf_or_join_free().
 */
struct wf_or_join *wf_or_join_compile(const struct wf_net *net, uint32_t task);
void wf_or_join_free(struct wf_or_join **join);

/* The OR-joins of one net. */
struct wf_or_joins {
	struct wf_or_join **joins; /* per task; NULL: not an OR-join */
	/* Per condition and per task: the OR-joins that depend on it. */
	uint32_t **by_condition; /* count first, then numbers of tasks */
	uint32_t **by_task;
};

/*
 * Whether compiling the OR-joins of the net costs a second or two at most.
 * The cost grows with their number times the size of the net.
 */
bool wf_or_joins_fit(const struct wf_net *net);
/*
 * The compiled OR-joins, made by the first call and owned by the net; NULL
 * when the net has none.  Several threads may call it at the same time.
 */
const struct wf_or_joins *wf_or_joins_of(const struct wf_net *net);

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

/* How a decision was reached. */
struct wf_or_reason {
	enum wf_or_stage stage;
	/* Cost of the searches; 0 without a search. */
	uint32_t expansions;
	uint64_t work;
};

/* Maximum cost of the searches of one decision. */
struct wf_or_budget {
	uint32_t forward;  /* markings expanded by the forward search */
	uint32_t entries;  /* markings in a basis */
	uint32_t backward; /* markings expanded by the backward search */
	uint64_t work;	   /* elementary steps of each search */
};

/* For a decision within a step: some milliseconds in the worst case. */
extern const struct wf_or_budget wf_or_budget_step;
/* For a search outside a step: up to minutes. */
extern const struct wf_or_budget wf_or_budget_long;

/*
 * A cache of decided markings for any number of joins, of bounded size.  It
 * changes the cost of decisions, never a verdict.  For use by one thread.
 */
struct wf_or_memory;

struct wf_or_memory *wf_or_memory_new(size_t bytes);
/* Number of decisions by enum wf_or_stage. */
const uint64_t *wf_or_memory_stages(const struct wf_or_memory *memory);
void wf_or_memory_free(struct wf_or_memory **memory);
/*
 * From here on searches are counted anew, and when they have done that many
 * elementary steps together, no more are made: what needs one is undecided.
 */
void wf_or_memory_bound(struct wf_or_memory *memory, uint64_t work);
uint64_t wf_or_memory_work(const struct wf_or_memory *memory);
/* Whether the bound is reached; false for NULL. */
bool wf_or_memory_is_spent(const struct wf_or_memory *memory);

/*
 * Decides.  tokens: per condition of the net; busy: set of busy tasks, the
 * join itself not among them.  memory, budget (NULL: that of a step) and
 * reason_out may be NULL.
 */
enum wf_or_verdict wf_or_join_decide(const struct wf_or_join *join,
    const uint32_t *tokens, const uint64_t *busy, struct wf_or_memory *memory,
    const struct wf_or_budget *budget, struct wf_or_reason *reason_out);

/* A task starts or ends, taking or putting one token per condition. */
struct wf_or_step {
	uint32_t task;
	bool ends;		    /* otherwise it starts */
	const uint32_t *conditions; /* taken from or put to; the net's array */
	uint32_t count;
};

struct wf_or_witness {
	struct wf_or_step *steps;
	uint32_t count;
	uint32_t input; /* the empty input that is marked at the end */
};

/*
 * Finds a short (not always the shortest) firing sequence after which the
 * same inputs and one more are marked.  False when the join does not wait for
 * a token, or no sequence is found within the budget.  The witness is freed
 * with wf_or_witness_free().
 */
bool wf_or_join_witness(const struct wf_or_join *join, const uint32_t *tokens,
    const uint64_t *busy, const struct wf_or_budget *budget,
    struct wf_or_witness *witness_out);
void wf_or_witness_free(struct wf_or_witness *witness);

/*
 * The cone: the verdict depends on the tokens in these conditions and on
 * which of these tasks are busy, and on nothing else.  Sets over the net's
 * conditions and tasks.
 */
const uint64_t *wf_or_join_cone_conditions(const struct wf_or_join *join);
const uint64_t *wf_or_join_cone_tasks(const struct wf_or_join *join);

#endif
