/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations of a script: what a case is compared with. */
#ifndef WF_CLI_SCENARIO_EXPECT_H
#define WF_CLI_SCENARIO_EXPECT_H

#include "cli/scenario/session.h"

#define WF_EXPECT_NOTHING SIZE_MAX

/* The row of the table of expectations for "marking", "items", ... */
size_t wf_expect_find(const char *word);
/* Whether words can follow it; else problem says why not. */
bool wf_expect_check_words(
    size_t about, char *const *words, size_t count, char *problem, size_t size);

/*
 * WF_OK when the case is as expected.  Otherwise the error says what was
 * expected and what was there.
 */
enum wf_rc wf_expect_holds(size_t about, char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err) WF_MUSTCHECK;

#endif
