/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of kernel/assignment/ about urgency: priority and due time of new
 * items, the next step of their rules, and what a step does.
 */
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "people/decision_priv.h"
#include "people/due.h"
#include "spec/spec.h"

static const struct wf_timing *timing_of(
    const struct wf_people_question *question)
{
	const struct wf_decomposition *work =
	    question->item->task->decomposition;

	wf_assert(work != NULL && work->timing != NULL);
	return work->timing;
}

/* The calendar that counts for the item as it is now. */
static const struct wf_calendar *calendar_of(const struct wf_deciding *deciding,
    const struct wf_people_question *question)
{
	const char *name = timing_of(question)->calendar;
	const struct wf_assignment *assignment = question->item->assignment;
	const struct wf_calendar *calendar = NULL;
	uint32_t holder = WF_ORG_NOBODY;

	if (name != NULL)
		calendar = wf_org_calendar(deciding->organisation, name);
	else if (assignment != NULL && assignment->holder[0] != '\0')
		holder = wf_org_find(deciding->organisation, WF_ORG_PARTICIPANT,
		    assignment->holder);
	if (holder != WF_ORG_NOBODY)
		calendar = wf_org_calendar_of(deciding->organisation, holder);
	return calendar == NULL ? question->calendar : calendar;
}

enum wf_rc wf_people_urge(void *context,
    const struct wf_people_question *question,
    const struct wf_document *document, const struct wf_evaluation *how,
    uint32_t *priority_out, int64_t *due_out, struct wf_error *err)
{
	const struct wf_timing *timing = timing_of(question);
	enum wf_rc of_priority =
	    wf_item_priority(timing, document, how, priority_out, err);
	/* The first failure is the one that is said. */
	enum wf_rc of_due = wf_item_due(timing, document, how,
	    calendar_of(context, question), question->now, due_out, err);

	return of_priority != WF_OK ? of_priority : of_due;
}

/* Since when the item is in its state, and in no other. */
static struct wf_item_times times_of(const struct wf_assignment *assignment)
{
	const struct wf_urgency *urgency = &assignment->urgency;
	struct wf_item_times times = { .enabled = urgency->begun_at,
		.due = urgency->due_at };

	if (assignment->status == WF_RESOURCE_OFFERED)
		times.offered = urgency->since;
	else if (assignment->status == WF_RESOURCE_ALLOCATED)
		times.allocated = urgency->since;
	else if (assignment->status == WF_RESOURCE_STARTED)
		times.started = urgency->since;
	return times;
}

bool wf_people_next(void *context, const struct wf_people_question *question,
    uint32_t *step_out, int64_t *at_out)
{
	const struct wf_assignment *assignment = question->item->assignment;
	struct wf_item_times times = times_of(assignment);
	struct wf_time_mark next;
	struct wf_time_mark behind = { assignment->urgency.done_at,
		assignment->urgency.done_step };

	if (!wf_timing_next(timing_of(question), &times,
		calendar_of(context, question), &behind, &next))
		return false;
	*step_out = next.step;
	*at_out = next.at;
	return true;
}

static void remove_separated(const struct wf_organisation *organisation,
    const struct wf_people_question *question, uint64_t *set)
{
	WF_BITSET_EACH (i, set, wf_people_words(organisation))
		if (wf_people_is_separated(question,
			wf_org_at(organisation, WF_ORG_PARTICIPANT, (uint32_t)i)
			    ->id))
			wf_bitset_remove(set, i);
}

/*
 * The members of a role, for whom the item is from now on; without those whom
 * the rule of the task separates.
 */
static void offer_to_role(const struct wf_deciding *deciding,
    const struct wf_people_question *question, const char *role,
    struct wf_arena *arena, struct wf_people_answer *answer)
{
	const struct wf_organisation *organisation = deciding->organisation;
	uint32_t number = wf_org_find_any(organisation, WF_ORG_ROLE, role);
	uint64_t *set = wf_people_new(organisation, arena);

	if (number != WF_ORG_NOBODY)
		wf_people_add_role(organisation, set, number);
	remove_separated(organisation, question, set);
	if (wf_bitset_empty(set, wf_people_words(organisation))) {
		answer->status = WF_RESOURCE_UNOFFERED;
		answer->unoffered = WF_UNOFFERED_NOBODY;
		answer->reason = wf_arena_printf(arena,
		    number == WF_ORG_NOBODY
			? "it is late, but there is no role \"%.100s\" to "
			  "offer it to"
			: "it is late, but nobody who may do it has the role "
			  "\"%.100s\"",
		    role);
		return;
	}
	answer->status = WF_RESOURCE_OFFERED;
	answer->audience = wf_people_offer_to_set(deciding, set, arena);
}

static const char *describe(
    const struct wf_time_step *step, struct wf_arena *arena)
{
	static const char *const words[WF_TIME_ACTIONS] = { [WF_TIME_REMIND] =
								"remind",
		[WF_TIME_NOTIFY] = "notify",
		[WF_TIME_REOFFER] = "reoffer",
		[WF_TIME_INCIDENT] = "incident" };

	return step->text[0] == '\0' ? words[step->action]
				     : wf_arena_printf(arena, "%s %s",
					   words[step->action], step->text);
}

void wf_people_ring(void *context, const struct wf_people_question *question,
    uint32_t step, struct wf_arena *arena, struct wf_people_ring *ring_out)
{
	const struct wf_timing *timing = timing_of(question);
	const struct wf_time_step *rule;

	if (step >= timing->step_count) {
		/* Set for a case that was begun with other rules. */
		ring_out->text = "nothing";
		return;
	}
	rule = &timing->steps[step];
	ring_out->reminds = rule->action == WF_TIME_REMIND;
	ring_out->text = describe(rule, arena);
	ring_out->offers = rule->action == WF_TIME_REOFFER;
	if (ring_out->offers)
		offer_to_role(
		    context, question, rule->text, arena, &ring_out->answer);
}
