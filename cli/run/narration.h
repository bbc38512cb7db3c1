/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run in words, for people: which tasks are enabled, which work item is
 * done, which data changed, and how the case ended.
 */
#ifndef WF_CLI_RUN_NARRATION_H
#define WF_CLI_RUN_NARRATION_H

#include <stdio.h>

#include "cli/run/drive.h"

/* split: starting is a step, completing another. */
struct wf_watcher *wf_narration_new(FILE *out, bool split);
void wf_narration_free(struct wf_watcher **watcher);

/* "Case 1 of "..." is launched." */
void wf_narration_launched(FILE *out, const struct wf_session *session);
/* Prints the outcome, and for a stuck case what it waits for. */
void wf_narration_standing(
    FILE *out, const struct wf_session *session, enum wf_outcome outcome);

#endif
