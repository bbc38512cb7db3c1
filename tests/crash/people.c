/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/people.h"

#include <string.h>

#include "base/panic.h"
#include "tests/crash/mix.h"
#include "worklist/decisions.h"

struct crash_people {
	struct wf_organisation *organisation;
	struct wf_audiences *audiences;
	struct wf_piles *piles;
	struct wf_decisions *decisions;
	struct wf_engine_people calls;
};

const char *crash_person(unsigned number)
{
	static const char *const ids[CRASH_PEOPLE] = { "PA-anna", "PA-ben",
		"PA-cara" };

	wf_assert(number > 0 && number <= CRASH_PEOPLE);
	return ids[number - 1];
}

unsigned crash_holder(const struct wf_item_row *item)
{
	for (unsigned i = 1; i <= CRASH_PEOPLE; i++)
		if (strncmp(item->queue, "P:", 2) == 0 &&
		    strcmp(item->queue + 2, crash_person(i)) == 0)
			return i;
	return 0;
}

static struct wf_organisation *organisation_of(void *context)
{
	const struct crash_people *people = context;

	return wf_organisation_ref(people->organisation);
}

static enum wf_rc forget(struct wf_people_calls *calls,
    struct wf_engine *engine, struct wf_error *err)
{
	(void)calls;
	(void)engine;
	(void)err;
	return WF_OK;
}

struct crash_people *crash_people_new(const char *mix, bool forgets)
{
	struct crash_people *people = wf_calloc(1, sizeof(*people));
	struct wf_decisions_settings settings = { .context = people,
		.organisation = organisation_of };

	people->organisation = crash_mix_people(mix);
	settings.audiences = people->audiences = wf_audiences_new();
	settings.piles = people->piles = wf_piles_new();
	people->decisions = wf_decisions_new(&settings);
	people->calls = *wf_decisions_people(people->decisions);
	if (forgets)
		people->calls.keep = forget;
	return people;
}

void crash_people_free(struct crash_people **people)
{
	struct crash_people *old = *people;

	*people = NULL;
	if (old == NULL)
		return;
	wf_decisions_free(&old->decisions);
	wf_piles_free(&old->piles);
	wf_audiences_free(&old->audiences);
	wf_organisation_unref(&old->organisation);
	wf_free(old);
}

const struct wf_engine_people *crash_people_calls(
    const struct crash_people *people)
{
	return &people->calls;
}

enum wf_rc crash_people_queues(struct crash_people *people,
    struct wf_store *store, unsigned number, struct wf_arena *arena,
    struct wf_texts *queues_out, struct wf_error *err)
{
	enum wf_rc rc = wf_audiences_refresh(people->audiences, store, err);

	if (rc == WF_OK)
		*queues_out = wf_audiences_queues(people->audiences,
		    people->organisation, crash_person(number), arena);
	return rc;
}

/* --- piles ---------------------------------------------------------------- */

const char *crash_piled_task(unsigned task)
{
	static const char *const tasks[CRASH_PILED] = { CRASH_COUNTED, "Many" };

	wf_assert(task < CRASH_PILED);
	return tasks[task];
}

/* What wf_notation_write() names all specifications. */
static struct wf_pile pile_of(unsigned task, unsigned person)
{
	return (struct wf_pile){ .specification = "UID_scenario",
		.version = "0.1",
		.task = crash_piled_task(task),
		.participant = person == 0 ? NULL : crash_person(person) };
}

enum wf_rc crash_people_pile(struct crash_people *people,
    struct wf_store *store, unsigned task, unsigned person)
{
	const struct wf_pile pile = pile_of(task, person);
	uint64_t added;

	return person == 0
		   ? wf_pile_remove(people->piles, store, &pile, NULL)
		   : wf_pile_put(people->piles, store, &pile, &added, NULL);
}

enum wf_rc crash_people_read_piles(
    struct crash_people *people, struct wf_store *store, struct wf_error *err)
{
	return wf_piles_refresh(people->piles, store, err);
}

unsigned crash_people_piled(struct crash_people *people, unsigned task)
{
	const struct wf_pile pile = pile_of(task, 0);
	struct wf_arena *arena = wf_arena_new();
	struct wf_pile_list list;
	unsigned found = 0;

	for (unsigned person = 1; person <= CRASH_PEOPLE; person++) {
		list = wf_piles_of(people->piles, crash_person(person), arena);
		for (size_t i = 0; i < list.count; i++)
			if (strcmp(list.rows[i].task, pile.task) == 0 &&
			    strcmp(list.rows[i].specification,
				pile.specification) == 0 &&
			    strcmp(list.rows[i].version, pile.version) == 0)
				found = person;
	}
	wf_arena_free(&arena);
	return found;
}
