/* SPDX-License-Identifier: Apache-2.0 */
#include "people/rate.h"

#include <string.h>

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
/* The price of a long time may not fit. */
#define PRICE_MOST 9e18

/* Of a rate's unit; 0: for an item. */
static int64_t unit_ms(const struct wf_rate *rate)
{
	if (strcmp(rate->unit, "item") == 0)
		return 0;
	if (strcmp(rate->unit, "minute") == 0)
		return MINUTE_MS;
	return strcmp(rate->unit, "day") == 0 ? DAY_MS : HOUR_MS;
}

bool wf_rates_have_role(const struct wf_organisation *organisation,
    uint32_t participant, uint32_t role)
{
	struct wf_numbers roles =
	    wf_org_targets(organisation, WF_PARTICIPANT_roles, participant);

	for (size_t i = 0; i < roles.count; i++) {
		struct wf_numbers up = { &roles.rows[i], 1 };

		/* A snapshot has no circles. */
		while (up.count > 0 && up.rows[0] != role)
			up = wf_org_targets(
			    organisation, WF_ROLE_belongs_to, up.rows[0]);
		if (up.count > 0)
			return true;
	}
	return false;
}

static bool fits(const char *wanted, const char *text)
{
	return wanted[0] == '\0' || (text != NULL && strcmp(wanted, text) == 0);
}

static bool applies(const struct wf_organisation *organisation,
    const struct wf_rate *rate, const struct wf_rated_work *work)
{
	bool of_person = rate->participant[0] != '\0' || rate->role[0] != '\0';

	if (!fits(rate->specification, work->specification) ||
	    !fits(rate->task, work->task))
		return false;
	if (!of_person)
		return true;
	if (work->participant == WF_ORG_NOBODY)
		return false;
	return fits(
		   rate->participant, wf_org_at(organisation,
					  WF_ORG_PARTICIPANT, work->participant)
					  ->id) &&
	       (rate->role[0] == '\0' ||
		   wf_rates_have_role(organisation, work->participant,
		       wf_org_find(organisation, WF_ORG_ROLE, rate->role)));
}

/* No sum overflows. */
static void add_amount(int64_t *sum, int64_t amount)
{
	*sum = amount > INT64_MAX - *sum ? INT64_MAX : *sum + amount;
}

static const struct wf_rate *rate_at(
    const struct wf_organisation *organisation, uint32_t number)
{
	return (const struct wf_rate *)wf_org_at(
	    organisation, WF_ORG_RATE, number);
}

struct wf_work_cost wf_rates_of(const struct wf_organisation *organisation,
    const struct wf_rated_work *work)
{
	struct wf_work_cost cost = { .is_known = false };

	for (uint32_t i = 0; i < wf_org_count(organisation, WF_ORG_RATE); i++) {
		const struct wf_rate *rate = rate_at(organisation, i);
		int64_t unit = unit_ms(rate);
		int64_t amount;

		if (!applies(organisation, rate, work))
			continue;
		amount = unit == 0	  ? rate->amount
			 : unit > HOUR_MS ? rate->amount / (unit / HOUR_MS)
					  : rate->amount * (HOUR_MS / unit);
		cost.is_known = true;
		add_amount(&cost.all, amount);
		if (strcmp(rate->state, "assigned") == 0)
			add_amount(&cost.assigned, amount);
		else if (strcmp(rate->state, "allocated") == 0)
			add_amount(&cost.allocated, amount);
		else
			add_amount(&cost.busy, amount);
	}
	return cost;
}

int64_t wf_rates_price(const struct wf_organisation *organisation,
    const struct wf_rated_work *work, uint64_t items, int64_t busy_ms)
{
	double price = 0;

	for (uint32_t i = 0; i < wf_org_count(organisation, WF_ORG_RATE); i++) {
		const struct wf_rate *rate = rate_at(organisation, i);
		int64_t unit = unit_ms(rate);

		if (!applies(organisation, rate, work) ||
		    (rate->state[0] != '\0' &&
			strcmp(rate->state, "busy") != 0))
			continue;
		price += unit == 0 ? (double)rate->amount * (double)items
				   : (double)rate->amount * (double)busy_ms /
					 (double)unit;
	}
	return price < PRICE_MOST ? (int64_t)price : INT64_MAX;
}
