/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nets for the tests of OR-joins, and oracles for the meaning of an OR-join.
 *
 * The oracles share no code with kernel/ and petri/: they step through the
 * simplified net task by task, all subsets of an OR-split included.
 */
#ifndef WF_TESTS_UNIT_OR_JOIN_MODEL_H
#define WF_TESTS_UNIT_OR_JOIN_MODEL_H

#include "base/random.h"
#include "kernel/or_join/or_join.h"

#define TASKS 16
#define CONDITIONS 24
#define PLACES (TASKS + CONDITIONS)
#define ARCS 8 /* of one task: inputs, outputs */

/* A net in one piece of memory; not to be copied, it points into itself. */
struct model {
	struct wf_net net;
	struct wf_task tasks[TASKS];
	struct wf_condition conditions[CONDITIONS];
	char ids[PLACES][16];
	uint32_t inputs[TASKS][ARCS];
	uint32_t outputs[TASKS][ARCS];
	uint32_t cancelled_conditions[TASKS][CONDITIONS];
	uint32_t cancelled_tasks[TASKS][TASKS];
	/* A marking of it, and the join to be decided. */
	uint32_t tokens[CONDITIONS];
	uint64_t busy[1];
	uint32_t join;
};

/* "i": ids of conditions, with a space between them. */
struct task_row {
	const char *id;
	enum wf_control join, split;
	const char *inputs, *outputs;
	const char *cancels; /* tasks and conditions */
};

/*
 * Conditions and rows are in the order of ids; the first condition is the
 * input.
 */
void model_make(struct model *m, const char *conditions,
    const struct task_row *rows, uint32_t count);
/* "x x k A": conditions, for each token, and busy tasks. */
void model_mark(struct model *m, const char *join, const char *marking);

enum { WITH_CANCELLATION = 1, WITH_LOOPS = 2, WITH_TWO_JOINS = 4 };

/* 4 to 12 tasks; false when no OR-join got an interesting marking. */
bool model_random(struct model *m, struct wf_random *random, unsigned flavour);
/* Another marking of the same net. */
bool model_remark(struct model *m, struct wf_random *random);

enum truth { TRUTH_ENABLED, TRUTH_WAIT, TRUTH_UNKNOWN };

/* Every marking that can be reached, one after the other, up to limit. */
enum truth model_forward(const struct model *m, uint32_t limit);
/* The smallest markings in which it waits, compared with each other. */
enum truth model_backward(const struct model *m, uint32_t limit);
/* Whether the witness can be followed, to one more marked input. */
bool model_replays(const struct model *m, const struct wf_or_witness *w);
/* One random step of the simplified net; false when there is none. */
bool model_step(struct model *m, struct wf_random *random);

#endif
