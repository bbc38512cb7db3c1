/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each allocator gives each candidate a rank, or none; the lowest rank is
 * chosen, and among equal ones the smallest id.
 */
#include "people/allocation.h"

#include "base/panic.h"

/* RiskAssessment: at least this part of the times must be short. */
#define QUICK_PER_CENT 80U

struct rank {
	bool has;
	double first;
	double second; /* where the first are equal */
};

static struct rank ranked(double value)
{
	return (struct rank){ true, value, 0 };
}

static const struct rank none = { .has = false };

static struct rank by_moment(const struct wf_work_moment *moment)
{
	if (moment->order == 0)
		return (struct rank){ true, -1, 0 };
	return (struct rank){ true, (double)moment->at, (double)moment->order };
}

/* The mean in whole ms; 0: there is none that counts. */
static double mean(const struct wf_work_facts *facts, enum wf_work_span span)
{
	const struct wf_work_time *time = &facts->times[span];

	if (time->count == 0 || time->sum <= 0)
		return 0;
	return (double)(time->sum / (int64_t)time->count);
}

static struct rank by_mean(
    const struct wf_work_facts *facts, enum wf_work_span span)
{
	double value = mean(facts, span);

	return value > 0 ? ranked(value) : none;
}

static struct rank by_cost(
    const struct wf_work_facts *facts, int64_t rate, enum wf_work_span span)
{
	double value = (double)rate * mean(facts, span);

	return value > 0 ? ranked(value) : none;
}

static struct rank rank_random_choice(const struct wf_work_facts *facts)
{
	(void)facts;
	return none;
}

static struct rank rank_shortest_queue(const struct wf_work_facts *facts)
{
	return ranked((double)facts->waiting);
}

static struct rank rank_round_robin_by_time(const struct wf_work_facts *facts)
{
	return by_moment(&facts->completed);
}

static struct rank rank_round_robin_by_allocation_time(
    const struct wf_work_facts *facts)
{
	return by_moment(&facts->allocated);
}

static struct rank rank_round_robin_by_least_frequency(
    const struct wf_work_facts *facts)
{
	return ranked((double)facts->completions);
}

static struct rank rank_round_robin_by_experience(
    const struct wf_work_facts *facts)
{
	return ranked(-(double)facts->completions);
}

static struct rank rank_fastest_to_allocate(const struct wf_work_facts *facts)
{
	return by_mean(facts, WF_OFFER_TO_ALLOCATE);
}

static struct rank rank_fastest_to_start(const struct wf_work_facts *facts)
{
	return by_mean(facts, WF_ALLOCATE_TO_START);
}

static struct rank rank_fastest_to_complete(const struct wf_work_facts *facts)
{
	return by_mean(facts, WF_START_TO_COMPLETE);
}

static struct rank rank_fastest_resource(const struct wf_work_facts *facts)
{
	return by_mean(facts, WF_FIRST_TO_COMPLETE);
}

static struct rank rank_cheapest_resource(const struct wf_work_facts *facts)
{
	return facts->cost.is_known ? ranked((double)facts->cost.all) : none;
}

static struct rank rank_dearest_resource(const struct wf_work_facts *facts)
{
	return facts->cost.all > 0 ? ranked(-(double)facts->cost.all) : none;
}

static struct rank rank_cheapest_to_allocate(const struct wf_work_facts *facts)
{
	return by_cost(facts, facts->cost.assigned, WF_OFFER_TO_ALLOCATE);
}

static struct rank rank_cheapest_starter(const struct wf_work_facts *facts)
{
	return by_cost(facts, facts->cost.allocated, WF_ALLOCATE_TO_START);
}

static struct rank rank_cheapest_completer(const struct wf_work_facts *facts)
{
	return by_cost(facts, facts->cost.busy, WF_START_TO_COMPLETE);
}

static struct rank rank_risk_assessment(const struct wf_work_facts *facts)
{
	uint64_t count = facts->times[WF_ALLOCATE_TO_COMPLETE].count;

	if (facts->quick * 100 <= count * QUICK_PER_CENT)
		return none;
	return by_cost(facts, facts->cost.all, WF_ALLOCATE_TO_COMPLETE);
}

static struct rank (*const ranks[])(const struct wf_work_facts *facts) = {
	[WF_ALLOCATOR_RANDOM_CHOICE] = rank_random_choice,
	[WF_ALLOCATOR_SHORTEST_QUEUE] = rank_shortest_queue,
	[WF_ALLOCATOR_ROUND_ROBIN_BY_TIME] = rank_round_robin_by_time,
	[WF_ALLOCATOR_ROUND_ROBIN_BY_ALLOCATION_TIME] =
	    rank_round_robin_by_allocation_time,
	[WF_ALLOCATOR_ROUND_ROBIN_BY_LEAST_FREQUENCY] =
	    rank_round_robin_by_least_frequency,
	[WF_ALLOCATOR_ROUND_ROBIN_BY_EXPERIENCE] =
	    rank_round_robin_by_experience,
	[WF_ALLOCATOR_FASTEST_TO_ALLOCATE] = rank_fastest_to_allocate,
	[WF_ALLOCATOR_FASTEST_TO_START] = rank_fastest_to_start,
	[WF_ALLOCATOR_FASTEST_TO_COMPLETE] = rank_fastest_to_complete,
	[WF_ALLOCATOR_FASTEST_RESOURCE] = rank_fastest_resource,
	[WF_ALLOCATOR_CHEAPEST_RESOURCE] = rank_cheapest_resource,
	[WF_ALLOCATOR_DEAREST_RESOURCE] = rank_dearest_resource,
	[WF_ALLOCATOR_CHEAPEST_TO_ALLOCATE] = rank_cheapest_to_allocate,
	[WF_ALLOCATOR_CHEAPEST_STARTER] = rank_cheapest_starter,
	[WF_ALLOCATOR_CHEAPEST_COMPLETER] = rank_cheapest_completer,
	[WF_ALLOCATOR_RISK_ASSESSMENT] = rank_risk_assessment,
};

_Static_assert(sizeof(ranks) / sizeof(*ranks) == WF_ALLOCATORS,
    "each allocator has its rank");

static uint32_t nth(const uint64_t *candidates, size_t words, uint64_t n)
{
	size_t at = wf_bitset_next(candidates, words, 0);

	while (n-- > 0)
		at = wf_bitset_next(candidates, words, at + 1);
	wf_assert(at != SIZE_MAX);
	return (uint32_t)at;
}

static bool is_before(const struct rank *a, const struct rank *b)
{
	return a->first < b->first ||
	       (a->first <= b->first && a->second < b->second);
}

uint32_t wf_allocate(const struct wf_organisation *organisation,
    enum wf_allocator allocator, const uint64_t *candidates,
    const struct wf_allocation_facts *facts)
{
	size_t words = wf_people_words(organisation);
	size_t count = wf_bitset_count(candidates, words);
	uint32_t chosen = WF_ORG_NOBODY;
	struct rank best = none;

	wf_assert(allocator < WF_ALLOCATORS);
	if (count == 0 || (facts->gather != NULL &&
			      !facts->gather(facts->context, candidates)))
		return WF_ORG_NOBODY;
	WF_BITSET_EACH (i, candidates, words) {
		struct wf_work_facts about = { .waiting = 0 };
		struct rank rank;

		facts->get(facts->context,
		    wf_org_at(organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
			->id,
		    &about);
		rank = ranks[allocator](&about);
		if (!rank.has || (best.has && !is_before(&rank, &best)))
			continue;
		best = rank;
		chosen = (uint32_t)i;
	}
	return best.has ? chosen : nth(candidates, words, facts->seed % count);
}
