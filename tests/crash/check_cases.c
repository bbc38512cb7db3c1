/* SPDX-License-Identifier: Apache-2.0 */
/* Each case is what its history says, and nothing was done twice. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/step.h"
#include "kernel/view.h"
#include "runtime/checksum.h"
#include "runtime/integrity/integrity.h"
#include "runtime/value_source.h"
#include "tests/crash/check.h"

#define PAGE 200U
#define UNKNOWN UINT32_MAX

/* A case that is rebuilt step by step. */
struct fold {
	struct check *check;
	uint64_t number;
	const struct wf_spec *spec;
	const struct wf_case_row *row;
	struct wf_value_source source;
	struct wf_case *instance;
	uint64_t sequence;
	uint32_t counted; /* by the commands */
	bool cancelled;
};

static void complain(const struct fold *fold, const char *what)
{
	check_complain(fold->check, "case %" PRIu64 ", step %" PRIu64 ": %s",
	    fold->number, fold->sequence, what);
}

/* --- the count ------------------------------------------------------------ */

static void read_count(void *argument, const struct wf_net_view *view)
{
	uint32_t *count = argument;

	if (view->serial != WF_ROOT_NET)
		return;
	for (uint32_t i = 0; i < view->net->variable_count; i++) {
		const struct wf_value *value = view->variables[i];
		const char *text;

		if (strcmp(view->net->variables[i].name, CRASH_COUNT) != 0 ||
		    value == NULL)
			continue;
		/* "<count>7</count>" */
		text = memchr(wf_value_text(value), '>', value->length);
		if (text != NULL)
			*count = (uint32_t)strtoul(text + 1, NULL, 10);
	}
}

static void compare_count(const struct fold *fold)
{
	uint32_t count = UNKNOWN;

	wf_case_nets(fold->instance, read_count, &count);
	if (count != UNKNOWN && count != fold->counted)
		check_complain(fold->check,
		    "case %" PRIu64 ", step %" PRIu64
		    ": counts %u where %u commands were done",
		    fold->number, fold->sequence, count, fold->counted);
}

/* --- steps ---------------------------------------------------------------- */

static bool is_own(const char *origin)
{
	return strcmp(origin, "search") == 0 || strcmp(origin, "timer") == 0;
}

/* A due command has an id of its own, but the origin of its request. */
static void note_command(
    struct fold *fold, const struct wf_history_row *row, struct wf_bytes events)
{
	struct fact *fact = facts_find(&fold->check->facts, row->origin);
	bool later;

	if (is_own(row->origin))
		return;
	if (fact == NULL) {
		complain(fold, "nobody asked for it");
		return;
	}
	later = fact->request.kind == WF_REQUEST_SCHEDULE;
	if (later != (strncmp(row->command, "/due/", 5) == 0) ||
	    (!later && strcmp(row->command, fact->id) != 0))
		complain(fold, "its id is not that of the request");
	if (fact->request.number != row->number &&
	    fact->request.command != WF_COMMAND_LAUNCH)
		complain(fold, "it was meant for another case");
	check_act(fold->check, &fact->request, events);
	fact->steps++;
	fact->number = row->number;
	fact->sequence = row->sequence;
	fold->counted += crash_is_counted(&fact->request);
	fold->cancelled |= fact->request.command == WF_COMMAND_CANCEL_CASE;
}

static bool fold_row(struct fold *fold, const struct wf_history_row *row)
{
	struct wf_error err = { 0 };
	struct wf_bytes events = { NULL, 0 };

	if (row->sequence != ++fold->sequence) {
		complain(fold, "is not in the history");
		return false;
	}
	if (wf_checksum_check_history(row, &events, &err) != WF_OK) {
		complain(fold, err.message);
		return false;
	}
	note_command(fold, row, events);
	if (wf_case_replay(&fold->instance, fold->spec, NULL, row->at,
		events.data, events.size, &fold->source, &err) != WF_OK) {
		complain(fold, err.message);
		return false;
	}
	compare_count(fold);
	fold->check->steps++;
	return true;
}

static bool fold_all(struct fold *fold)
{
	struct check *check = fold->check;
	struct wf_history_list list;
	struct wf_error err = { 0 };

	do {
		check_need(wf_store_case_history(check->store, fold->number,
			       fold->sequence, PAGE, check->arena, &list, &err),
		    &err);
		for (size_t i = 0; i < list.count; i++)
			if (!fold_row(fold, &list.rows[i]))
				return false;
	} while (list.count == PAGE);
	return true;
}

/* --- cases ---------------------------------------------------------------- */

static void compare_end(const struct fold *fold)
{
	const char *net =
	    crash_mix_net(&fold->check->mix, fold->row->specification);
	uint32_t status = fold->row->status;

	if (status == WF_CASE_CANCELLED
		? !fold->cancelled
		: status != (strcmp(net, CRASH_DEAD) == 0 ? WF_CASE_DEADLOCKED
							  : WF_CASE_COMPLETED))
		check_complain(fold->check,
		    "case %" PRIu64 " of %s ended with status %u", fold->number,
		    net, status);
}

static void inspect(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct fold *fold = context;

	fold->spec = wf_case_spec(instance);
	fold->row = &stored->row;
	if (!fold_all(fold))
		return;
	if (fold->sequence != stored->row.version)
		complain(fold, "is not the last that the case says it has");
	if (stored->ended)
		compare_end(fold);
}

static void check_case(struct check *check, uint64_t number)
{
	struct wf_value_place place = { check->store, check->arena, number };
	struct fold fold = { .check = check,
		.number = number,
		.source = wf_value_source(&place) };
	struct wf_error err = { 0 };

	check->cases++;
	if (wf_engine_inspect(check->engine, number, inspect, &fold, &err) !=
	    WF_OK)
		complain(&fold, err.message);
	wf_case_free(&fold.instance);
}

/* --- all ------------------------------------------------------------------ */

static void report(void *context, const struct wf_finding *finding)
{
	check_complain(
	    context, "case %" PRIu64 ": %s", finding->number, finding->text);
}

/* State, items, due rows: what the product itself can check. */
static void check_integrity(struct check *check)
{
	struct wf_integrity_settings settings;
	struct wf_integrity_counts counts;
	struct wf_error err = { 0 };

	wf_integrity_settings_init(&settings);
	settings.report = report;
	settings.context = check;
	check_need(
	    wf_integrity_check(check->store, &settings, &counts, &err), &err);
}

void check_cases(struct check *check)
{
	struct wf_case_filter filter = { .limit = PAGE };
	struct wf_arena *arena = wf_arena_new();
	struct wf_error err = { 0 };
	struct wf_case_list list;

	check_integrity(check);
	check_places(check);
	for (size_t i = 0; i < check->facts.count; i++)
		check->facts.list[i]->steps = 0;
	check->cases = 0;
	check->steps = 0;
	check->acts = 0;
	do {
		wf_arena_reset(arena);
		check_need(
		    wf_store_cases(check->store, &filter, arena, &list, &err),
		    &err);
		for (size_t i = 0; i < list.count; i++) {
			filter.after = list.rows[i].row.number;
			wf_arena_reset(check->arena);
			check_case(check, filter.after);
		}
	} while (list.count == PAGE);
	wf_arena_free(&arena);
}
