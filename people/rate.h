/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rates of costs: which ones apply, and what they make of a time.
 *
 * A rate applies where each of its participant, role, specification and task is
 * empty or that of the work.
 */
#ifndef WF_PEOPLE_RATE_H
#define WF_PEOPLE_RATE_H

#include "people/allocation.h"

struct wf_rated_work {
	uint32_t participant; /* WF_ORG_NOBODY: rates of persons do not apply */
	const char *specification; /* its identifier, or its URI */
	const char *task;	   /* NULL: rates of tasks do not apply */
};

/*
 * The rates that apply, as allocators want them: millionths for an hour, where
 * an amount for an item counts as it is.
 */
struct wf_work_cost wf_rates_of(const struct wf_organisation *organisation,
    const struct wf_rated_work *work);

/*
 * What so many items cost whose work took so many milliseconds together, in
 * millionths: of the rates that apply and are for busy participants, or for any
 * state.  INT64_MAX: that or more.
 */
int64_t wf_rates_price(const struct wf_organisation *organisation,
    const struct wf_rated_work *work, uint64_t items, int64_t busy_ms);

/* Whether the participant has the role, or one below it. */
bool wf_rates_have_role(const struct wf_organisation *organisation,
    uint32_t participant, uint32_t role);

#endif
