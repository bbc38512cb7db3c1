/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/mix.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "cli/scenario/scenario.h"
#include "kernel/assignment/assignment.h"
#include "people/organisation/organisation.h"
#include "tests/crash/people.h"

#define FILE_MAXIMUM ((size_t)1 << 20)
#define ITEMS 30U
#define STARTS 20U
#define TRIES 12000U
/* The latest time of a delayed command, milliseconds from now. */
#define SOON 1500U

/* --- specifications ------------------------------------------------------- */

static enum wf_rc load_net(struct crash_mix *mix,
    const struct wf_scenario *scenario, struct wf_engine *engine,
    struct wf_error *err)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new("mix");
	struct crash_net *net = &mix->nets[mix->count++];
	struct wf_buffer text;
	enum wf_rc rc = WF_OK;
	size_t count;

	if (mix->count > CRASH_NETS)
		crash_fail("the mix has more than %u nets", CRASH_NETS);
	net->is_for_people = scenario->people.count > 0;
	snprintf(net->name, sizeof(net->name), "%s",
	    scenario->notation.nets[0].name);
	wf_buffer_init(&text, WF_SPEC_BYTES);
	wf_notation_write(&scenario->notation, scenario->title, &text);
	/* The store may be unavailable just now. */
	for (unsigned i = 0; i < TRIES; i++) {
		wf_error_clear(err);
		rc = wf_engine_load(engine, 0, wf_buffer_text(&text),
		    text.length, diagnostics, &net->key, 1, &count, err);
		if (rc != WF_UNAVAILABLE && rc != WF_LOST)
			break;
		usleep(50000);
	}
	wf_buffer_free(&text);
	wf_diagnostics_free(&diagnostics);
	return rc;
}

static struct wf_scenarios read_scenarios(
    const char *path, struct wf_arena *arena)
{
	struct wf_scenarios scenarios = { 0 };
	struct wf_error err = { 0 };
	struct wf_buffer text;
	struct wf_lines lines;

	wf_buffer_init(&text, FILE_MAXIMUM);
	if (wf_buffer_read_file(&text, path, &err) != WF_OK)
		crash_fail("%s", err.message);
	wf_lines_init(&lines, arena, path,
	    wf_arena_strdup(arena, wf_buffer_text(&text)), text.length);
	if (wf_scenarios_parse(&scenarios, &lines, &err) != WF_OK)
		crash_fail("%s", err.message);
	wf_buffer_free(&text);
	return scenarios;
}

enum wf_rc crash_mix_load(struct crash_mix *mix, const char *path,
    struct wf_engine *engine, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_scenarios scenarios = read_scenarios(path, arena);
	enum wf_rc rc = WF_OK;

	mix->count = 0;
	for (size_t i = 0; rc == WF_OK && i < scenarios.count; i++)
		rc = load_net(mix, &scenarios.list[i], engine, err);
	wf_arena_free(&arena);
	return rc;
}

struct wf_organisation *crash_mix_people(const char *path)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_scenarios scenarios = read_scenarios(path, arena);
	struct wf_org_list *people = NULL;
	struct wf_org_change *changes;
	struct wf_organisation *organisation;

	for (size_t i = 0; people == NULL && i < scenarios.count; i++)
		if (scenarios.list[i].people.count > 0)
			people = &scenarios.list[i].people;
	if (people == NULL)
		crash_fail("%s: nobody is in the mix", path);
	changes = wf_arena_array(arena, people->count, sizeof(*changes));
	for (size_t i = 0; i < people->count; i++)
		changes[i] = (struct wf_org_change){ people->rows[i]->kind,
			people->rows[i]->id, people->rows[i] };
	organisation = wf_organisation_new(NULL, changes, people->count, 1);
	wf_arena_free(&arena);
	return organisation;
}

const char *crash_mix_net(const struct crash_mix *mix, uint64_t key)
{
	for (size_t i = 0; i < mix->count; i++)
		if (mix->nets[i].key == key)
			return mix->nets[i].name;
	return "";
}

bool crash_mix_is_for_people(const struct crash_mix *mix, uint64_t key)
{
	for (size_t i = 0; i < mix->count; i++)
		if (mix->nets[i].key == key)
			return mix->nets[i].is_for_people;
	return false;
}

/* --- choosing ------------------------------------------------------------- */

enum {
	COUNTED = 1, /* may be done to items of the counted task */
	MANY = 2,    /* is for tasks that take further instances only */
	PEOPLE = 4,  /* is for items of people; the status is that of these */
	BY = 8,	     /* a participant does it, else an administrator */
	TO = 16	     /* a participant gets the item */
};

/*
 * The commands for an item in a status (enum wf_item_status, or PEOPLE: enum
 * wf_resource_status), and their frequencies.
 */
static const struct move {
	unsigned status;
	enum wf_command_kind command;
	unsigned weight;
	unsigned flags;
} moves[] = {
	{ WF_ITEM_ENABLED, WF_COMMAND_FINISH, 50, COUNTED },
	{ WF_ITEM_ENABLED, WF_COMMAND_START, 40, COUNTED },
	{ WF_ITEM_ENABLED, WF_COMMAND_SKIP, 5, COUNTED },
	{ WF_ITEM_ENABLED, WF_COMMAND_SUSPEND_ITEM, 5, COUNTED },
	{ WF_ITEM_FIRED, WF_COMMAND_FINISH, 50, COUNTED },
	{ WF_ITEM_FIRED, WF_COMMAND_START, 40, COUNTED },
	{ WF_ITEM_FIRED, WF_COMMAND_SKIP, 5, COUNTED },
	{ WF_ITEM_FIRED, WF_COMMAND_SUSPEND_ITEM, 5, COUNTED },
	{ WF_ITEM_EXECUTING, WF_COMMAND_FINISH, 40, COUNTED },
	{ WF_ITEM_EXECUTING, WF_COMMAND_COMPLETE, 20, COUNTED },
	{ WF_ITEM_EXECUTING, WF_COMMAND_FORCE, 8, COUNTED },
	{ WF_ITEM_EXECUTING, WF_COMMAND_FAIL, 2, 0 },
	{ WF_ITEM_EXECUTING, WF_COMMAND_ROLLBACK, 8, COUNTED },
	{ WF_ITEM_EXECUTING, WF_COMMAND_ADD, 30, MANY },
	{ WF_ITEM_EXECUTING, WF_COMMAND_SUSPEND_ITEM, 5, COUNTED },
	{ WF_ITEM_SUSPENDED, WF_COMMAND_RESUME_ITEM, 1, COUNTED },
#define MOVE(status, command, weight, flags)                                   \
	{                                                                      \
		WF_RESOURCE_##status, WF_COMMAND_##command, weight,            \
		    COUNTED | PEOPLE | (flags)                                 \
	}
	MOVE(UNOFFERED, OFFER, 3, TO),
	MOVE(UNOFFERED, ALLOCATE, 3, TO),
	MOVE(UNOFFERED, DISTRIBUTE, 1, 0),
	MOVE(OFFERED, ACCEPT, 40, BY),
	MOVE(OFFERED, FINISH, 10, BY),
	MOVE(OFFERED, START, 40, BY),
	MOVE(OFFERED, CHAIN, 20, BY),
	MOVE(OFFERED, OFFER, 5, TO),
	MOVE(OFFERED, ALLOCATE, 5, TO),
	MOVE(OFFERED, REDIRECT, 5, 0),
	MOVE(ALLOCATED, START, 50, BY),
	MOVE(ALLOCATED, DEALLOCATE, 15, BY),
	MOVE(ALLOCATED, DELEGATE, 15, BY | TO),
	MOVE(ALLOCATED, SKIP, 5, BY),
	MOVE(ALLOCATED, REDIRECT, 5, 0),
	MOVE(STARTED, FINISH, 50, BY),
	MOVE(STARTED, COMPLETE, 20, BY),
	MOVE(STARTED, REALLOCATE, 15, BY | TO),
	MOVE(STARTED, SUSPEND_ITEM, 5, BY),
	MOVE(STARTED, RESUME_ITEM, 5, BY),
	MOVE(STARTED, ROLLBACK, 5, 0),
#undef MOVE
};

static unsigned weight_of(
    const struct move *move, const struct wf_item_row *item)
{
	bool counted = strcmp(item->task, CRASH_COUNTED) == 0;
	bool many = strncmp(item->task, "Many", 4) == 0;
	bool of_people = item->assignment != WF_RESOURCE_NONE;

	if (of_people != ((move->flags & PEOPLE) != 0) ||
	    move->status != (of_people ? item->assignment : item->status) ||
	    (counted && (move->flags & COUNTED) == 0) ||
	    (!many && (move->flags & MANY) != 0))
		return 0;
	return move->weight;
}

/* The rows of every status have commands. */
static const struct move *choose_move(
    struct wf_random *random, const struct wf_item_row *item)
{
	const size_t count = sizeof(moves) / sizeof(moves[0]);
	unsigned sum = 0;
	unsigned at;

	for (size_t i = 0; i < count; i++)
		sum += weight_of(&moves[i], item);
	at = wf_random_below(random, sum == 0 ? 1 : sum);
	for (size_t i = 0; i < count; i++) {
		unsigned weight = weight_of(&moves[i], item);

		if (at < weight)
			return &moves[i];
		at -= weight;
	}
	return &moves[0];
}

/* Mostly whoever has the item, if somebody has. */
static unsigned choose_actor(
    struct wf_random *random, const struct wf_item_row *item)
{
	unsigned any = 1 + wf_random_below(random, CRASH_PEOPLE);
	unsigned holder = crash_holder(item);

	return holder == 0 || wf_random_below(random, 8) == 0 ? any : holder;
}

bool crash_is_counted(const struct crash_request *request)
{
	const char *task = strchr(request->item, ':');

	switch (request->command) {
	case WF_COMMAND_FINISH:
	case WF_COMMAND_COMPLETE:
	case WF_COMMAND_FORCE:
	case WF_COMMAND_SKIP:
		return task != NULL && strcmp(task + 1, CRASH_COUNTED) == 0;
	default:
		return false;
	}
}

/* Sizes below and above the one from which values are stored apart. */
static unsigned choose_size(struct wf_random *random)
{
	static const unsigned sizes[] = { 0, 10, 10, 500, 3000, 20000 };

	return sizes[wf_random_below(random, sizeof(sizes) / sizeof(sizes[0]))];
}

static void choose_data(struct wf_random *random,
    const struct wf_item_row *item, struct crash_request *r)
{
	bool completes = r->command == WF_COMMAND_FINISH ||
			 r->command == WF_COMMAND_COMPLETE ||
			 r->command == WF_COMMAND_FORCE;

	if (completes && strncmp(item->task, "Note", 4) == 0) {
		r->form = CRASH_OUTPUT;
		r->size = choose_size(random);
	} else if (r->command == WF_COMMAND_ADD) {
		r->form = CRASH_INSTANCE;
		r->size = 1 + wf_random_below(random, 10);
	}
}

static bool choose_item(
    const struct crash_sight *sight, struct crash_request *r)
{
	struct wf_item_filter filter = { .number = r->number, .limit = ITEMS };
	struct wf_item_list list;
	const struct wf_item_row *item;
	const struct move *move;

	if (wf_store_items(sight->store, &filter, sight->arena, &list, NULL) !=
	    WF_OK)
		return false;
	/* The case has ended, or is suspended in the middle of a step. */
	if (list.count == 0) {
		r->command = WF_COMMAND_RESUME_CASE;
		return true;
	}
	item = &list.rows[wf_random_below(sight->random, (uint32_t)list.count)];
	snprintf(r->item, sizeof(r->item), "%s", item->id);
	move = choose_move(sight->random, item);
	r->command = move->command;
	if ((move->flags & BY) != 0)
		r->actor = choose_actor(sight->random, item);
	if ((move->flags & TO) != 0)
		r->target = 1 + wf_random_below(sight->random, CRASH_PEOPLE);
	choose_data(sight->random, item, r);
	return true;
}

static void choose_launch(const struct crash_mix *mix,
    const struct crash_sight *sight, struct crash_request *r)
{
	const struct crash_net *net;

	do
		net = &mix->nets[wf_random_below(
		    sight->random, (uint32_t)mix->count)];
	while (sight->for_people && !net->is_for_people);
	r->command = WF_COMMAND_LAUNCH;
	r->specification = net->key;
	if (wf_random_below(sight->random, 4) == 0)
		r->kind = WF_REQUEST_SCHEDULE;
}

/* A delayed start; it may be launched before it is withdrawn. */
static bool choose_withdrawal(
    const struct crash_sight *sight, struct crash_request *r)
{
	struct wf_starts starts;

	if (wf_starts_read(sight->store, WF_NAMESPACE_DEFAULT, 0, STARTS,
		sight->arena, &starts, NULL) != WF_OK)
		return false;
	if (starts.count == 0)
		return false;
	r->kind = WF_REQUEST_WITHDRAW;
	r->number =
	    starts.rows[wf_random_below(sight->random, (uint32_t)starts.count)]
		.number;
	return true;
}

static bool choose_command(const struct crash_mix *mix,
    const struct crash_sight *sight, struct crash_request *r)
{
	const struct wf_case_row *row =
	    &sight->cases
		 ->rows[wf_random_below(
		     sight->random, (uint32_t)sight->cases->count)]
		 .row;
	uint32_t dice = wf_random_below(sight->random, 200);

	r->number = row->number;
	r->specification = row->specification;
	if (row->status == WF_CASE_SUSPENDED && dice < 120) {
		r->command = WF_COMMAND_RESUME_CASE;
	} else if (dice < 5) {
		r->command = WF_COMMAND_SUSPEND_CASE;
	} else if (dice < 10) {
		r->command = WF_COMMAND_UPDATE_CASE;
		r->form = CRASH_VARIABLES;
		r->size = choose_size(sight->random);
	} else if (dice == 10) {
		r->command = WF_COMMAND_CANCEL_CASE;
	} else if (dice < 23 &&
		   crash_mix_is_for_people(mix, row->specification)) {
		r->command = WF_COMMAND_UNCHAIN;
		if (wf_random_below(sight->random, 2) == 0)
			r->actor =
			    1 + wf_random_below(sight->random, CRASH_PEOPLE);
	} else if (!choose_item(sight, r)) {
		return false;
	}
	if (wf_random_below(sight->random, 30) == 0)
		r->kind = WF_REQUEST_SCHEDULE;
	return true;
}

bool crash_choose(const struct crash_mix *mix, const struct crash_sight *sight,
    struct crash_request *request_out)
{
	struct crash_request r = { .kind = WF_REQUEST_COMMAND };
	bool good = true;

	if (sight->cases->count == 0 ||
	    (sight->cases->count < sight->wanted &&
		wf_random_below(sight->random, 10) == 0))
		choose_launch(mix, sight, &r);
	else if (wf_random_below(sight->random, 40) > 0 ||
		 !choose_withdrawal(sight, &r))
		good = choose_command(mix, sight, &r);
	if (r.kind == WF_REQUEST_SCHEDULE)
		r.at = sight->now + wf_random_below(sight->random, SOON);
	*request_out = r;
	return good;
}
