/* SPDX-License-Identifier: Apache-2.0 */
#include "people/distribution.h"

#include <string.h>

#include "base/panic.h"
#include "people/filter.h"

struct distributing {
	const struct wf_organisation *organisation;
	const struct wf_resourcing *rule;
	const struct wf_resource_case *about;
	struct wf_arena *arena;
	uint64_t *set;
};

static void add_participant(struct distributing *d, uint32_t number)
{
	if (number != WF_ORG_NOBODY)
		wf_bitset_add(d->set, number);
}

static void add_role(struct distributing *d, uint32_t number)
{
	if (number != WF_ORG_NOBODY)
		wf_people_add_role(d->organisation, d->set, number);
}

static struct wf_texts completed(struct distributing *d, const char *task)
{
	return d->about->completed(d->about->context, task, d->arena);
}

/* The names in a variable, with commas between. */
static void add_variable(
    struct distributing *d, const struct wf_resource_variable *variable)
{
	const char *text =
	    d->about->variable(d->about->context, variable->name, d->arena);

	while (text != NULL) {
		const char *comma = strchr(text, ',');
		size_t length =
		    comma == NULL ? strlen(text) : (size_t)(comma - text);
		char *name;

		while (length > 0 && strchr(" \t\r\n", text[0]) != NULL) {
			text++;
			length--;
		}
		while (
		    length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
			length--;
		name = wf_arena_strndup(d->arena, text, length);
		if (variable->has_roles)
			add_role(d, wf_org_find_name(
					d->organisation, WF_ORG_ROLE, name));
		else
			add_participant(d, wf_org_find_name(d->organisation,
					       WF_ORG_PARTICIPANT, name));
		text = comma == NULL ? NULL : comma + 1;
	}
}

static void add_initial(struct distributing *d)
{
	const struct wf_resourcing *rule = d->rule;

	for (size_t i = 0; i < rule->participants.count; i++)
		add_participant(
		    d, wf_org_find(d->organisation, WF_ORG_PARTICIPANT,
			   rule->participants.rows[i]));
	for (size_t i = 0; i < rule->roles.count; i++)
		add_role(d, wf_org_find(d->organisation, WF_ORG_ROLE,
				rule->roles.rows[i]));
	for (size_t i = 0; i < rule->variable_count; i++)
		add_variable(d, &rule->variables[i]);
}

static void separate(struct distributing *d, const char *task)
{
	struct wf_texts ids = completed(d, task);

	for (size_t i = 0; i < ids.count; i++) {
		uint32_t number = wf_org_find(
		    d->organisation, WF_ORG_PARTICIPANT, ids.rows[i]);

		if (number != WF_ORG_NOBODY)
			wf_bitset_remove(d->set, number);
	}
}

/*
 * The distribution set, in the arena; *rule_out is what it is before the rule
 * separates duties.
 */
static uint64_t *find_set(const struct wf_organisation *organisation,
    const struct wf_resourcing *rule, const struct wf_resource_case *about,
    struct wf_arena *arena, uint64_t **rule_out)
{
	size_t words = wf_people_words(organisation);
	struct distributing d = { organisation, rule, about, arena,
		wf_people_new(organisation, arena) };

	wf_assert(rule->offers);
	*rule_out = d.set;
	if (rule->is_closed)
		return d.set;
	if (rule->familiar != NULL) {
		struct wf_texts ids = completed(&d, rule->familiar);

		for (size_t i = 0; i < ids.count; i++)
			add_participant(
			    &d, wf_org_find(organisation, WF_ORG_PARTICIPANT,
				    ids.rows[i]));
		return d.set;
	}
	add_initial(&d);
	for (size_t i = 0; i < rule->filter_count; i++)
		wf_filter_apply(
		    organisation, &rule->filters[i], about, d.set, arena);
	if (rule->separated.count == 0)
		return d.set;
	*rule_out = wf_people_new(organisation, arena);
	for (size_t i = 0; i < words; i++)
		(*rule_out)[i] = d.set[i];
	for (size_t i = 0; i < rule->separated.count; i++)
		separate(&d, rule->separated.rows[i]);
	return d.set;
}

struct wf_distribution wf_distribute(const struct wf_organisation *organisation,
    const struct wf_resourcing *rule, const struct wf_resource_case *about,
    const uint64_t *left_out, const struct wf_allocation_facts *facts,
    struct wf_arena *arena)
{
	struct wf_distribution result = { .status = WF_RESOURCE_UNOFFERED,
		.participant = WF_ORG_NOBODY };
	size_t words = wf_people_words(organisation);
	uint64_t *present;

	if (rule != NULL && !rule->offers)
		return result;
	if (rule == NULL) {
		result.set = wf_people_new(organisation, arena);
		wf_people_add_all(organisation, result.set);
		result.rule = result.set;
	} else {
		result.set =
		    find_set(organisation, rule, about, arena, &result.rule);
	}
	present = wf_people_new(organisation, arena);
	for (size_t i = 0; i < words; i++)
		present[i] =
		    result.set[i] & ~(left_out == NULL ? 0 : left_out[i]);
	if (wf_bitset_empty(present, words))
		return result;
	if (rule == NULL || !rule->allocates) {
		result.status = WF_RESOURCE_OFFERED;
		result.offered = present;
		return result;
	}
	result.participant =
	    wf_allocate(organisation, rule->allocator, present, facts);
	if (result.participant != WF_ORG_NOBODY)
		result.status =
		    rule->starts ? WF_RESOURCE_STARTED : WF_RESOURCE_ALLOCATED;
	return result;
}
