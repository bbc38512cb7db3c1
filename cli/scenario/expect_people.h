/* SPDX-License-Identifier: Apache-2.0 */
/* The expectation about items and people. */
#ifndef WF_CLI_SCENARIO_EXPECT_PEOPLE_H
#define WF_CLI_SCENARIO_EXPECT_PEOPLE_H

#include "cli/scenario/session.h"

/*
 * These are all items that are for people: "A:Offered=anna,ben",
 * "1.2:B:Started=anna", "C:Unoffered"; names in any order.
 */
enum wf_rc wf_expect_people(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err) WF_MUSTCHECK;

#endif
