/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of participants, by what they belong to. */
#include <string.h>

#include "people/organisation/organisation.h"

size_t wf_people_words(const struct wf_organisation *organisation)
{
	return wf_bitset_words(wf_org_count(organisation, WF_ORG_PARTICIPANT));
}

uint64_t *wf_people_new(
    const struct wf_organisation *organisation, struct wf_arena *arena)
{
	return wf_arena_array(
	    arena, wf_people_words(organisation), sizeof(uint64_t));
}

void wf_people_add_all(
    const struct wf_organisation *organisation, uint64_t *set)
{
	for (size_t i = 0; i < wf_org_count(organisation, WF_ORG_PARTICIPANT);
	     i++)
		wf_bitset_add(set, i);
}

static void add_sources(const struct wf_organisation *organisation,
    uint64_t *set, enum wf_org_relation relation, uint32_t target)
{
	struct wf_numbers people =
	    wf_org_sources(organisation, relation, target);

	for (size_t i = 0; i < people.count; i++)
		wf_bitset_add(set, people.rows[i]);
}

/*
 * Calls add for a record and all records below it.  There are no circles; a
 * stack of its own, because a hierarchy may be deep.
 */
static void add_below(const struct wf_organisation *organisation, uint64_t *set,
    enum wf_org_kind kind, enum wf_org_relation up, uint32_t top,
    void (*add)(const struct wf_organisation *organisation, uint64_t *set,
	uint32_t number))
{
	uint32_t *stack =
	    wf_malloc((wf_org_count(organisation, kind) + 1) * sizeof(*stack));
	size_t depth = 0;

	stack[depth++] = top;
	while (depth > 0) {
		uint32_t number = stack[--depth];
		struct wf_numbers below =
		    wf_org_sources(organisation, up, number);

		add(organisation, set, number);
		for (size_t i = 0; i < below.count; i++)
			stack[depth++] = below.rows[i];
	}
	wf_free(stack);
}

static void add_members(
    const struct wf_organisation *organisation, uint64_t *set, uint32_t role)
{
	add_sources(organisation, set, WF_PARTICIPANT_roles, role);
}

/*
 * The members of a large role are kept with the snapshot: all kept sets
 * together are no larger than the links to the roles.
 */
void wf_people_add_role(
    const struct wf_organisation *organisation, uint64_t *set, uint32_t role)
{
	size_t words = wf_people_words(organisation);
	const uint64_t *kept = wf_org_role_set(organisation, role);
	uint64_t *members;

	if (kept == NULL) {
		members = wf_calloc(words + 1, sizeof(*members));
		add_below(organisation, members, WF_ORG_ROLE,
		    WF_ROLE_belongs_to, role, add_members);
		for (size_t i = 0; i < words; i++)
			set[i] |= members[i];
		if (wf_bitset_count(members, words) >= words)
			wf_org_keep_role_set(organisation, role, &members);
		wf_free(members);
		return;
	}
	for (size_t i = 0; i < words; i++)
		set[i] |= kept[i];
}

void wf_people_add_position(const struct wf_organisation *organisation,
    uint64_t *set, uint32_t position)
{
	add_sources(organisation, set, WF_PARTICIPANT_positions, position);
}

static void add_holders(
    const struct wf_organisation *organisation, uint64_t *set, uint32_t group)
{
	struct wf_numbers positions =
	    wf_org_sources(organisation, WF_POSITION_group, group);

	for (size_t i = 0; i < positions.count; i++)
		wf_people_add_position(organisation, set, positions.rows[i]);
}

void wf_people_add_group(
    const struct wf_organisation *organisation, uint64_t *set, uint32_t group)
{
	add_below(organisation, set, WF_ORG_GROUP, WF_GROUP_belongs_to, group,
	    add_holders);
}

void wf_people_add_capability(const struct wf_organisation *organisation,
    uint64_t *set, uint32_t capability)
{
	add_sources(organisation, set, WF_PARTICIPANT_capabilities, capability);
}

void wf_people_add_reports(const struct wf_organisation *organisation,
    uint64_t *set, uint32_t participant)
{
	struct wf_numbers held =
	    wf_org_targets(organisation, WF_PARTICIPANT_positions, participant);

	for (size_t i = 0; i < held.count; i++) {
		struct wf_numbers below = wf_org_sources(
		    organisation, WF_POSITION_reports_to, held.rows[i]);

		for (size_t k = 0; k < below.count; k++)
			add_below(organisation, set, WF_ORG_POSITION,
			    WF_POSITION_reports_to, below.rows[k],
			    wf_people_add_position);
	}
}

void wf_people_add_colleagues(const struct wf_organisation *organisation,
    uint64_t *set, uint32_t participant)
{
	struct wf_numbers held =
	    wf_org_targets(organisation, WF_PARTICIPANT_positions, participant);

	for (size_t i = 0; i < held.count; i++) {
		struct wf_numbers groups = wf_org_targets(
		    organisation, WF_POSITION_group, held.rows[i]);

		for (size_t k = 0; k < groups.count; k++)
			wf_people_add_group(organisation, set, groups.rows[k]);
	}
}
