/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/scenario/session_facts.h"

#include <string.h>

#include "base/map.h"
#include "worklist/facts.h"

/* The number of the only case. */
#define NUMBER 1U

/* The items that a participant has. */
struct waiting {
	uint64_t items;
	uint64_t given; /* by decisions since the command began */
	struct waiting *next;
};

struct wf_session_facts {
	struct wf_fact_fold *fold;
	/* Of one command: */
	struct wf_arena *arena;
	struct wf_map *waiting; /* struct waiting by participant */
	struct waiting *first;
	struct wf_history_row *steps; /* that are not folded yet */
	size_t step_count;
	size_t step_capacity;
	uint64_t sequence; /* of the last step */
};

struct wf_session_facts *wf_session_facts_new(void)
{
	struct wf_session_facts *facts = wf_calloc(1, sizeof(*facts));

	facts->fold = wf_fact_fold_new();
	facts->arena = wf_arena_new();
	facts->waiting = wf_map_new();
	return facts;
}

void wf_session_facts_free(struct wf_session_facts **facts)
{
	struct wf_session_facts *old = *facts;

	*facts = NULL;
	if (old == NULL)
		return;
	wf_fact_fold_free(&old->fold);
	wf_map_free(&old->waiting);
	wf_arena_free(&old->arena);
	wf_free(old);
}

/* --- decisions ------------------------------------------------------------ */

static struct waiting *waiting_of(
    struct wf_session_facts *facts, const char *participant)
{
	struct waiting *waiting = wf_map_get(facts->waiting, participant);

	if (waiting == NULL) {
		waiting = wf_arena_alloc(facts->arena, sizeof(*waiting));
		waiting->next = facts->first;
		facts->first = waiting;
		wf_map_add(facts->waiting, participant, waiting);
	}
	return waiting;
}

static void get(void *context, const struct wf_task *task,
    enum wf_allocator allocator, const char *participant,
    struct wf_work_facts *facts_out)
{
	struct wf_session_facts *facts = context;
	const struct waiting *waiting = waiting_of(facts, participant);

	facts_out->waiting = waiting->items + waiting->given;
	if (wf_fact_fold_are_needed(allocator))
		wf_fact_fold_get(facts->fold, task, participant, facts_out);
}

static const char *note(void *context,
    const struct wf_people_question *question, enum wf_allocator allocator,
    const char *participant, struct wf_arena *arena)
{
	struct wf_session_facts *facts = context;
	const struct wf_given given = { .task = question->item->task,
		.number = NUMBER,
		.net = question->net,
		.instance = question->number,
		.participant = participant,
		.at = question->now };

	(void)arena;
	waiting_of(facts, participant)->given++;
	if (wf_fact_fold_are_needed(allocator))
		wf_fact_fold_note(facts->fold, &given);
	return NULL;
}

void wf_session_facts_use(
    struct wf_session_facts *facts, struct wf_deciding *deciding)
{
	deciding->facts = get;
	deciding->chosen = note;
	deciding->context = facts;
}

/* --- steps ---------------------------------------------------------------- */

void wf_session_facts_again(struct wf_session_facts *facts)
{
	wf_fact_fold_forget_own(facts->fold);
	for (struct waiting *at = facts->first; at != NULL; at = at->next)
		at->given = 0;
}

void wf_session_facts_begin(
    struct wf_session_facts *facts, const struct wf_case *instance)
{
	struct wf_item *items = NULL;
	size_t count = instance == NULL ? 0 : wf_case_items(instance, &items);

	wf_fact_fold_forget_own(facts->fold);
	wf_map_free(&facts->waiting);
	facts->waiting = wf_map_new();
	facts->first = NULL;
	facts->steps = NULL;
	facts->step_count = 0;
	facts->step_capacity = 0;
	wf_arena_reset(facts->arena);
	for (size_t i = 0; i < count; i++) {
		const struct wf_assignment *assignment = items[i].assignment;

		if (assignment != NULL &&
		    (assignment->status == WF_RESOURCE_ALLOCATED ||
			assignment->status == WF_RESOURCE_STARTED))
			waiting_of(facts, assignment->holder)->items++;
	}
	wf_free(items);
}

void wf_session_facts_add(
    struct wf_session_facts *facts, const struct wf_step *step, int64_t now)
{
	unsigned char *events =
	    wf_arena_alloc(facts->arena, step->events.length + 1);

	memcpy(events, wf_buffer_text(&step->events), step->events.length);
	facts->steps = wf_arena_grow(facts->arena, facts->steps,
	    facts->step_count, &facts->step_capacity, sizeof(*facts->steps));
	facts->steps[facts->step_count++] =
	    (struct wf_history_row){ .number = NUMBER,
		    .sequence = ++facts->sequence,
		    .at = now,
		    .events = { events, step->events.length } };
}

enum wf_rc wf_session_facts_fold(struct wf_session_facts *facts,
    const struct wf_spec *spec, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	wf_fact_fold_forget_own(facts->fold);
	for (size_t i = 0; rc == WF_OK && i < facts->step_count; i++)
		rc =
		    wf_fact_fold_step(facts->fold, spec, &facts->steps[i], err);
	facts->step_count = 0;
	return rc;
}
