/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account of a run for people: what can be done, what was done, which
 * data changed, and how the case ended.
 */
#ifndef WF_CLI_RUN_NARRATION_H
#define WF_CLI_RUN_NARRATION_H

#include <stdio.h>

#include "cli/run/drive.h"

/* split: starting is a step, completing another. */
struct wf_watcher *wf_account_new(FILE *out, bool split);
void wf_account_free(struct wf_watcher **watcher);

/* "Case 1 of "..." is launched." */
void wf_account_launched(FILE *out, const struct wf_session *session);
/* How things stand, and why it goes no further. */
void wf_account_standing(
    FILE *out, const struct wf_session *session, enum wf_outcome outcome);

#endif
