/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each item is in exactly one place: with a service, unoffered, offered to
 * somebody, or with one person; and the lists of the people have each item that
 * they should have, once, and no other.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel/assignment/assignment.h"
#include "kernel/event.h"
#include "tests/crash/check.h"
#include "worklist/list.h"

#define PAGE 200U
#define KEY_SIZE (CRASH_ITEM_SIZE + 24U)

/* Who has an item on the own list: a bit for each person. */
struct listed {
	unsigned people;
};

struct lists {
	struct check *check;
	struct wf_map *items; /* "NUMBER ID" -> struct listed */
	struct wf_arena *arena;
	size_t found; /* of them there are items */
};

static void name_item(char key[KEY_SIZE], const struct wf_item_row *row)
{
	snprintf(key, KEY_SIZE, "%" PRIu64 " %s", row->number, row->id);
}

static void note(
    struct lists *lists, const struct wf_item_row *row, unsigned person)
{
	unsigned bit = 1U << person;
	struct listed *listed;
	char key[KEY_SIZE];

	name_item(key, row);
	listed = wf_map_get(lists->items, key);
	if (listed == NULL) {
		listed = wf_arena_alloc(lists->arena, sizeof(*listed));
		listed->people = 0;
		wf_map_add(lists->items, key, listed);
	}
	if ((listed->people & bit) != 0)
		check_complain(lists->check,
		    "item %s is twice on the list of %s", row->id,
		    crash_person(person));
	listed->people |= bit;
}

static void read_list(struct lists *lists, unsigned person)
{
	struct check *check = lists->check;
	struct wf_list_query query = { .participant = crash_person(person),
		.greatest_rank = UINT32_MAX,
		.limit = PAGE };
	struct wf_queue_key after;
	struct wf_list_page page;
	struct wf_error err = { 0 };

	check_need(crash_people_queues(check->people, check->store, person,
		       lists->arena, &query.queues, &err),
	    &err);
	do {
		check_need(wf_list_read(
			       check->store, &query, lists->arena, &page, &err),
		    &err);
		for (size_t i = 0; i < page.count; i++)
			note(lists, &page.rows[i], person);
		after = page.next;
		query.after = &after;
	} while (page.has_more);
}

static bool is_in_place(
    const struct check *check, const struct wf_item_row *row, unsigned people)
{
	bool is_for_people =
	    crash_mix_is_for_people(&check->mix, row->specification);

	switch (row->assignment) {
	case WF_RESOURCE_NONE:
		return people == 0 && row->queue[0] == '\0' &&
		       (strcmp(row->service, CRASH_SERVICE) == 0 ||
			   (!is_for_people && row->service[0] == '\0'));
	case WF_RESOURCE_UNOFFERED:
		return people == 0 && strcmp(row->queue, "U") == 0;
	case WF_RESOURCE_OFFERED:
		return people != 0;
	default:
		return crash_holder(row) != 0 &&
		       people == 1U << crash_holder(row);
	}
}

static void compare_item(struct lists *lists, const struct wf_item_row *row)
{
	const struct listed *listed;
	char key[KEY_SIZE];
	unsigned people;

	name_item(key, row);
	listed = wf_map_get(lists->items, key);
	people = listed == NULL ? 0 : listed->people;
	lists->found += listed != NULL;
	if (!is_in_place(lists->check, row, people))
		check_complain(lists->check,
		    "item %s is %s in the queue '%s' of '%s', but on the lists "
		    "%x",
		    row->id,
		    wf_resource_status_name(
			(enum wf_resource_status)row->assignment),
		    row->queue, row->service, people);
}

static void compare_items(struct lists *lists)
{
	struct wf_item_filter filter = { .limit = PAGE };
	struct wf_item_list list;
	struct wf_error err = { 0 };

	do {
		check_need(wf_store_items(lists->check->store, &filter,
			       lists->arena, &list, &err),
		    &err);
		for (size_t i = 0; i < list.count; i++) {
			filter.after_number = list.rows[i].number;
			filter.after_id = list.rows[i].id;
			compare_item(lists, &list.rows[i]);
		}
	} while (list.count == PAGE);
	if (lists->found != wf_map_count(lists->items))
		check_complain(
		    lists->check, "an item that is over is on a list");
}

void check_places(struct check *check)
{
	struct lists lists = {
		.check = check, .items = wf_map_new(), .arena = wf_arena_new()
	};

	for (unsigned i = 1; i <= CRASH_PEOPLE; i++)
		read_list(&lists, i);
	compare_items(&lists);
	wf_map_free(&lists.items);
	wf_arena_free(&lists.arena);
}

/* --- piles ---------------------------------------------------------------- */

void check_piles(struct check *check)
{
	struct wf_error err = { 0 };

	check_need(
	    crash_people_read_piles(check->people, check->store, &err), &err);
	for (unsigned task = 0; task < CRASH_PILED; task++) {
		unsigned person = crash_people_piled(check->people, task);
		unsigned may = check->facts.piled[task];

		if ((may & 1U << person) == 0)
			check_complain(check,
			    "task %s is piled to %s, but may be to %x",
			    crash_piled_task(task),
			    person == 0 ? "nobody" : crash_person(person), may);
	}
}

void check_piled_item(struct check *check, uint64_t number)
{
	struct wf_item_filter filter = { .number = number, .limit = 1 };
	unsigned person = crash_people_piled(check->people, 0);
	struct wf_item_list list;
	struct wf_error err = { 0 };

	wf_arena_reset(check->arena);
	check_need(
	    wf_store_items(check->store, &filter, check->arena, &list, &err),
	    &err);
	if (list.count != 1 ||
	    strcmp(list.rows[0].task, crash_piled_task(0)) != 0 ||
	    crash_holder(&list.rows[0]) != person ||
	    list.rows[0].assignment !=
		(person == 0 ? WF_RESOURCE_OFFERED : WF_RESOURCE_STARTED))
		check_complain(check,
		    "the first item of case %" PRIu64 " is not started for %s",
		    number, person == 0 ? "nobody" : crash_person(person));
}

/* --- what people did ------------------------------------------------------ */

enum side { BY, TO, SERVICE };

/* What the history has to say of a command, and of whom. */
static const struct act {
	enum wf_command_kind command;
	enum wf_event_kind event;
	enum side side;
} acts[] = {
	{ WF_COMMAND_ACCEPT, WF_EVENT_ITEM_ALLOCATED, BY },
	{ WF_COMMAND_START, WF_EVENT_ITEM_TAKEN, BY },
	{ WF_COMMAND_FINISH, WF_EVENT_ITEM_DONE_BY, BY },
	{ WF_COMMAND_COMPLETE, WF_EVENT_ITEM_DONE_BY, BY },
	{ WF_COMMAND_SKIP, WF_EVENT_ITEM_DONE_BY, BY },
	{ WF_COMMAND_CHAIN, WF_EVENT_CASE_CHAINED, BY },
	{ WF_COMMAND_CHAIN, WF_EVENT_ITEM_TAKEN, BY },
	{ WF_COMMAND_UNCHAIN, WF_EVENT_CASE_UNCHAINED, BY },
	{ WF_COMMAND_DEALLOCATE, WF_EVENT_ITEM_RETURNED, BY },
	{ WF_COMMAND_DELEGATE, WF_EVENT_ITEM_ALLOCATED, TO },
	{ WF_COMMAND_REALLOCATE, WF_EVENT_ITEM_TAKEN, TO },
	{ WF_COMMAND_ALLOCATE, WF_EVENT_ITEM_ALLOCATED, TO },
	{ WF_COMMAND_REDIRECT, WF_EVENT_ITEM_REDIRECTED, SERVICE },
};

static bool says(
    struct wf_bytes events, enum wf_event_kind kind, const char *who)
{
	struct wf_event_reader reader;
	const struct wf_event *event;
	bool found = false;

	wf_event_reader_init(&reader, events.data, events.size, NULL);
	while (!found && (event = wf_event_next(&reader, NULL)) != NULL)
		found = event->kind == kind &&
			event->text_length == strlen(who) &&
			memcmp(event->text, who, event->text_length) == 0;
	wf_event_reader_free(&reader);
	return found;
}

/* "": nobody, an administrator did it. */
static const char *one_of(const struct crash_request *request, enum side side)
{
	unsigned number = side == BY ? request->actor : request->target;

	if (side == SERVICE)
		return CRASH_SERVICE;
	return number == 0 ? "" : crash_person(number);
}

void check_act(struct check *check, const struct crash_request *request,
    struct wf_bytes events)
{
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		const char *who = one_of(request, acts[i].side);

		if (request->command != acts[i].command || who[0] == '\0')
			continue;
		check->acts++;
		if (!says(events, acts[i].event, who))
			check_complain(check,
			    "case %" PRIu64 ": the history does not say that "
			    "%s was the one of %s",
			    request->number, who, request->item);
	}
}
