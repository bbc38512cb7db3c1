/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/mix.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "cli/scenario/scenario.h"

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

enum wf_rc crash_mix_load(struct crash_mix *mix, const char *path,
    struct wf_engine *engine, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_scenarios scenarios = { 0 };
	struct wf_buffer text;
	struct wf_lines lines;
	enum wf_rc rc = WF_OK;

	mix->count = 0;
	wf_buffer_init(&text, FILE_MAXIMUM);
	if (wf_buffer_read_file(&text, path, err) != WF_OK)
		crash_fail("%s", err->message);
	wf_lines_init(&lines, arena, path, wf_buffer_text(&text), text.length);
	if (wf_scenarios_parse(&scenarios, &lines, err) != WF_OK)
		crash_fail("%s", err->message);
	for (size_t i = 0; rc == WF_OK && i < scenarios.count; i++)
		rc = load_net(mix, &scenarios.list[i], engine, err);
	wf_buffer_free(&text);
	wf_arena_free(&arena);
	return rc;
}

const char *crash_mix_net(const struct crash_mix *mix, uint64_t key)
{
	for (size_t i = 0; i < mix->count; i++)
		if (mix->nets[i].key == key)
			return mix->nets[i].name;
	return "";
}

/* --- choosing ------------------------------------------------------------- */

enum {
	COUNTED = 1, /* may be done to items of the counted task */
	MANY = 2     /* is for tasks that take further instances only */
};

/* The commands for an item in a status, and their frequencies. */
static const struct move {
	enum wf_item_status status;
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
};

static unsigned weight_of(
    const struct move *move, const struct wf_item_row *item)
{
	bool counted = strcmp(item->task, CRASH_COUNTED) == 0;
	bool many = strncmp(item->task, "Many", 4) == 0;

	if (move->status != item->status ||
	    (counted && (move->flags & COUNTED) == 0) ||
	    (!many && (move->flags & MANY) != 0))
		return 0;
	return move->weight;
}

static enum wf_command_kind choose_move(
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
			return moves[i].command;
		at -= weight;
	}
	return WF_COMMAND_FINISH;
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
	r->command = choose_move(sight->random, item);
	choose_data(sight->random, item, r);
	return true;
}

static void choose_launch(const struct crash_mix *mix,
    const struct crash_sight *sight, struct crash_request *r)
{
	r->command = WF_COMMAND_LAUNCH;
	r->specification =
	    mix->nets[wf_random_below(sight->random, (uint32_t)mix->count)].key;
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

static bool choose_command(
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
		good = choose_command(sight, &r);
	if (r.kind == WF_REQUEST_SCHEDULE)
		r.at = sight->now + wf_random_below(sight->random, SOON);
	*request_out = r;
	return good;
}
