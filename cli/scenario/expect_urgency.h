/* SPDX-License-Identifier: Apache-2.0 */
/* Expectations about priority, due time and alarms of items. */
#ifndef WF_CLI_SCENARIO_EXPECT_URGENCY_H
#define WF_CLI_SCENARIO_EXPECT_URGENCY_H

#include "cli/scenario/session.h"

/* "A=80": all items whose priority was decided. */
enum wf_rc wf_expect_priority(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err) WF_MUSTCHECK;
/* "A=2026-01-03T00:00:00Z": all items that have a due time. */
enum wf_rc wf_expect_due(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err) WF_MUSTCHECK;
/* The same: when something is done about an item next. */
enum wf_rc wf_expect_alarms(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err) WF_MUSTCHECK;
/* What the last step did about a late item: "remind", or as the rule says. */
enum wf_rc wf_expect_acted(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err) WF_MUSTCHECK;

#endif
