/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The past of a session's case, for allocators: what a server folds from the
 * history of all cases, and whom the items are with.
 *
 *   begin ──► decisions of the step ──► again ──► the same ones, in a store
 *     ▲                                                   │
 *     └────────── fold, of the steps that were added ◄────┘
 */
#ifndef WF_CLI_SCENARIO_SESSION_FACTS_H
#define WF_CLI_SCENARIO_SESSION_FACTS_H

#include "kernel/step.h"
#include "people/decision.h"

struct wf_session_facts; /* opaque */

struct wf_session_facts *wf_session_facts_new(void);
void wf_session_facts_free(struct wf_session_facts **facts);

/* Decisions ask these facts. */
void wf_session_facts_use(
    struct wf_session_facts *facts, struct wf_deciding *deciding);

/* Before a command; instance: the case, NULL: it is not launched. */
void wf_session_facts_begin(
    struct wf_session_facts *facts, const struct wf_case *instance);
/* The decisions since wf_session_facts_begin() will be made again. */
void wf_session_facts_again(struct wf_session_facts *facts);
/* An accepted step; it counts when it is folded. */
void wf_session_facts_add(
    struct wf_session_facts *facts, const struct wf_step *step, int64_t now);
/* Folds what was added. */
enum wf_rc wf_session_facts_fold(struct wf_session_facts *facts,
    const struct wf_spec *spec, struct wf_error *err) WF_MUSTCHECK;

#endif
