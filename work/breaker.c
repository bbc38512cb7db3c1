/* SPDX-License-Identifier: Apache-2.0 */
#include "work/breaker.h"

#include "base/panic.h"

static void check(const struct wf_breaker *breaker)
{
	wf_assert((breaker->state == WF_BREAKER_CLOSED) ==
		  (breaker->failures < WF_BREAKER_FAILURES));
	wf_assert(
	    breaker->state == WF_BREAKER_OPEN || breaker->open_until == 0);
}

void wf_breaker_succeeded(struct wf_breaker *breaker)
{
	check(breaker);
	*breaker = (struct wf_breaker){ .state = WF_BREAKER_CLOSED,
		.openings = breaker->openings };
}

void wf_breaker_failed(struct wf_breaker *breaker,
    const struct wf_service_policy *policy, unsigned openings, int64_t now)
{
	int64_t delay;

	check(breaker);
	wf_assert(openings <= breaker->openings);
	if (openings < breaker->openings)
		return;
	if (++breaker->failures < WF_BREAKER_FAILURES)
		return;
	delay = wf_service_delay(
	    policy, breaker->failures - WF_BREAKER_FAILURES + 1);
	breaker->open_until =
	    now +
	    (delay < WF_BREAKER_MAXIMUM_MS ? delay : WF_BREAKER_MAXIMUM_MS);
	breaker->state = WF_BREAKER_OPEN;
	breaker->openings++;
	check(breaker);
}

bool wf_breaker_is_open(struct wf_breaker *breaker, int64_t now)
{
	check(breaker);
	if (breaker->state == WF_BREAKER_OPEN && breaker->open_until <= now) {
		breaker->state = WF_BREAKER_HALF_OPEN;
		breaker->open_until = 0;
	}
	return breaker->state == WF_BREAKER_OPEN;
}

unsigned wf_breaker_room(const struct wf_breaker *breaker, unsigned concurrency)
{
	check(breaker);
	return breaker->state == WF_BREAKER_CLOSED ? concurrency : 1;
}
