/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analysis of nets before any case runs: errors in the control flow, whatever
 * the data.
 *
 * A net is sound when
 *  - completion is always possible: from every marking that can be reached,
 *    the marking with one token, in the output condition, can be;
 *  - completion is proper: when a token gets to the output condition, no
 *    other token is left and no task is busy;
 *  - no task is dead: each can be done in some case.
 * It is weakly sound when, of the first, only completion from the start is
 * asked for.  It is relaxed sound when each task is done in some case that
 * completes properly.  A specification is sound when all its nets are.
 */
#ifndef WF_VERIFY_VERIFY_H
#define WF_VERIFY_VERIFY_H

#include "spec/spec.h"
#include "verify/space.h"

enum wf_soundness { WF_YES, WF_NO, WF_OPEN };

enum wf_finding_kind {
#define WF_FINDING(name, word, meaning) WF_FINDING_##name,
#include "verify/findings.def"
#undef WF_FINDING
};

/* A condition that has so many tokens now, or a task that is busy or not. */
struct wf_witness_change {
	uint32_t number; /* of the condition or the task */
	bool is_task;
	uint8_t tokens; /* of a task: 1 is busy */
};

/* A task that is done whole, starts, or ends. */
struct wf_witness_step {
	const struct wf_task *task;
	enum wf_move_kind kind;
	/* Where a split with a choice goes. */
	uint32_t *chosen; /* the conditions that a split chooses */
	uint32_t chosen_count;
	struct wf_witness_change *changes; /* of the marking, in order */
	uint32_t change_count;
};

/* From the launch of the net to a marking. */
struct wf_witness {
	struct wf_witness_change *begin; /* what has tokens before step 1 */
	uint32_t begin_count;
	struct wf_witness_step *steps;
	uint32_t count;
	uint32_t *tokens; /* at the end: per condition */
	uint64_t *busy;	  /* set of tasks */
};

struct wf_finding {
	enum wf_finding_kind kind;
	const struct wf_task *task; /* the task in question, or NULL */
	/*
	 * The condition in question, or NULL.  DEAD_TASK: an input without a
	 * token.
	 */
	const struct wf_condition *condition;
	/* REDUCIBLE: the element when it is a task.  Those of several tasks. */
	const struct wf_task **tasks;
	uint32_t task_count;
	uint32_t state_count;	    /* states of this kind in the graph, or 0 */
	struct wf_witness *witness; /* NULL: none */
	/* UNBOUNDED, GROWING: the steps that can be repeated for ever. */
	struct wf_witness *round;
};

struct wf_net_report {
	const struct wf_net *net;
	enum wf_soundness sound;
	enum wf_soundness completion; /* always possible */
	enum wf_soundness proper;
	enum wf_soundness no_dead_tasks;
	enum wf_soundness weakly_sound;
	enum wf_soundness relaxed_sound;
	struct wf_finding *findings;
	uint32_t finding_count;
	size_t finding_capacity;
	uint32_t state_count; /* explored */
	bool reduced;	      /* by the reduced graph */
	enum wf_stop stop;    /* the reason why the graph is not complete */
	const struct wf_task *undecided; /* an OR-join; or NULL */
	/*
	 * A shortest sequence to the end, by proper completion if possible; or
	 * NULL.
	 */
	struct wf_witness *ending;
};

struct wf_report {
	struct wf_arena *arena;
	const struct wf_spec *spec;
	struct wf_net_report *nets; /* the used nets, root first */
	uint32_t net_count;
	enum wf_soundness sound;
};

struct wf_verify_options {
	uint32_t states; /* maximum number of states of each net */
	size_t bytes;
	uint64_t work; /* budget of OR-join decisions and of coverability */
	/*
	 * For comparison: without reduction, each task with a start and an end.
	 */
	bool literal;
};

/* The defaults: a million states, 512 MiB. */
extern const struct wf_verify_options wf_verify_default;

struct wf_report *wf_verify(
    const struct wf_spec *spec, const struct wf_verify_options *options);
/* The same for one net. */
struct wf_report *wf_verify_net(
    const struct wf_net *net, const struct wf_verify_options *options);
void wf_report_free(struct wf_report **report);

/* Appends what was found: one sentence, without a full stop. */
void wf_finding_sentence(const struct wf_net *net,
    const struct wf_finding *finding, struct wf_buffer *text);
/* The name of the finding, such as "deadlock". */
const char *wf_finding_word(enum wf_finding_kind kind);
/*
 * Appends where tokens are at the end of the witness, which tasks are busy, and
 * which tasks wait for what.
 */
void wf_witness_left(const struct wf_net *net, const struct wf_witness *witness,
    struct wf_buffer *text);
/* Whether one of the questions is not decided. */
bool wf_net_report_is_open(const struct wf_net_report *report);
/* Appends the limit that was reached; nothing if none was. */
void wf_net_report_limit(
    const struct wf_net_report *report, struct wf_buffer *text);

#endif
