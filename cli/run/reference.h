/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the reference engine calls a deadlock; for traces only.
 *
 * The engine that golden traces are recorded with says that a case has
 * deadlocked, even when it completes in the end, as soon as a sub-net has:
 * when nothing can happen in it any more, or when it finishes with tokens
 * left over while other instances of its composite task go on.
 */
#ifndef WF_CLI_RUN_REFERENCE_H
#define WF_CLI_RUN_REFERENCE_H

#include "kernel/step.h"

/* Whether the events of a step contain such a deadlock. */
bool wf_reference_deadlock(const struct wf_step *step);

#endif
