/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a case in a store beside one in memory, and compares them. */
#include "cli/scenario/shadow_run.h"

#include <string.h>

#include "base/memory.h"
#include "kernel/assignment/assignment.h"
#include "runtime/engine.h"

#define STATE_MAXIMUM ((size_t)1 << 30)
/* Small, so that cases are loaded with and without steps after a snapshot. */
#define SNAPSHOT_EVENTS 12

struct wf_shadow_run {
	struct wf_engine *engines[2];
	unsigned turn;	/* of the engine that did not take the last step */
	uint64_t loads; /* of its cases, before its turn */
	const char *name;
	const struct wf_command *command; /* being done */
	int64_t now;
	const struct wf_calendar *calendar;
	struct wf_engine_people people;
	struct wf_people_calls calls;
	bool has_people;       /* the calls are those of a command */
	uint32_t namespace_id; /* of its own */
	uint64_t specification;
	uint64_t number; /* of the case; 0: not launched */
	bool ended;
};

static int64_t read_time(void *context)
{
	return ((const struct wf_shadow_run *)context)->now;
}

/* Tests make choices, and each command has its own holidays. */
static void complete_command(
    void *context, const struct wf_request *request, struct wf_command *command)
{
	const struct wf_shadow_run *shadow = context;

	(void)request;
	command->calendar = shadow->calendar;
	if (shadow->command != NULL) {
		command->choices = shadow->command->choices;
		command->choice_count = shadow->command->choice_count;
	}
}

/* The decisions of the step in memory are made again. */
static struct wf_people_calls *begin_people(
    void *context, struct wf_engine *engine, int64_t now)
{
	struct wf_shadow_run *shadow = context;

	(void)engine;
	(void)now;
	return shadow->has_people ? &shadow->calls : NULL;
}

static enum wf_rc keep_people(struct wf_people_calls *calls,
    struct wf_engine *engine, struct wf_error *err)
{
	(void)calls;
	(void)engine;
	(void)err;
	return WF_OK;
}

static void end_people(struct wf_people_calls *calls)
{
	(void)calls;
}

/* --- opening -------------------------------------------------------------- */

/* Names are unique within a namespace, so each shadow has its own. */
static enum wf_rc take_namespace(
    struct wf_shadow_run *shadow, struct wf_error *err)
{
	struct wf_store *store;
	uint64_t number;
	enum wf_rc rc = wf_engine_borrow(shadow->engines[0], &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_store_reserve(store, WF_COUNTER_CASE, 1, &number, err);
	if (rc == WF_OK)
		shadow->namespace_id = WF_NAMESPACE_DEFAULT + (uint32_t)number;
	wf_engine_give_back(shadow->engines[0], store);
	return rc;
}

static enum wf_rc open_engines(struct wf_shadow_run *shadow, const char *url,
    const struct wf_limits *limits, struct wf_error *err)
{
	struct wf_engine_settings settings;
	enum wf_rc rc = WF_OK;

	wf_engine_settings_init(&settings);
	/* "memory:" alone would be another store for each. */
	settings.url = strcmp(url, "memory:") == 0 ? "memory:shadow" : url;
	settings.limits = limits;
	settings.snapshot_bytes = 0;
	settings.snapshot_events = SNAPSHOT_EVENTS;
	settings.now = read_time;
	settings.probe = complete_command;
	settings.unchecked_documents = true; /* as in memory */
	settings.context = shadow;
	shadow->people = (struct wf_engine_people){ .context = shadow,
		.begin = begin_people,
		.keep = keep_people,
		.end = end_people };
	settings.people = &shadow->people;
	for (size_t i = 0; rc == WF_OK && i < 2; i++)
		rc = wf_engine_open(&shadow->engines[i], &settings, err);
	return rc;
}

enum wf_rc wf_shadow_run_open(struct wf_shadow_run **shadow_run_out,
    const char *url, const char *name, const struct wf_limits *limits,
    const char *xml, size_t length, struct wf_error *err)
{
	struct wf_shadow_run *shadow = wf_calloc(1, sizeof(*shadow));
	enum wf_rc rc;

	shadow->name = name;
	rc = open_engines(shadow, url, limits, err);
	if (rc == WF_OK)
		rc = take_namespace(shadow, err);
	if (rc == WF_OK)
		rc = wf_engine_load(shadow->engines[0], shadow->namespace_id,
		    xml, length, NULL, &shadow->specification, 1, NULL, err);
	if (rc != WF_OK)
		wf_shadow_run_close(&shadow);
	*shadow_run_out = shadow;
	return rc;
}

void wf_shadow_run_close(struct wf_shadow_run **shadow)
{
	if (*shadow == NULL)
		return;
	for (size_t i = 0; i < 2; i++)
		wf_engine_close(&(*shadow)->engines[i]);
	wf_free(*shadow);
	*shadow = NULL;
}

/* --- comparing ------------------------------------------------------------ */

struct comparison {
	struct wf_buffer bytes; /* of the case in memory */
	bool same;
};

static void compare_states(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct comparison *comparison = context;
	const struct wf_buffer *wanted = &comparison->bytes;
	struct wf_buffer found;

	wf_buffer_init(&found, STATE_MAXIMUM);
	comparison->same =
	    wf_case_encode(instance, &found, NULL) == WF_OK &&
	    stored->row.status == (uint32_t)wf_case_status(instance) &&
	    found.length == wanted->length &&
	    memcmp(found.data, wanted->data, wanted->length) == 0;
	wf_buffer_free(&found);
}

/* Whether the stored case is the one in memory. */
static enum wf_rc compare_with(struct wf_shadow_run *shadow,
    const struct wf_case *instance, bool *same_out, struct wf_error *err)
{
	struct comparison comparison = { .same = false };
	enum wf_rc rc;

	wf_buffer_init(&comparison.bytes, STATE_MAXIMUM);
	rc = wf_case_encode(instance, &comparison.bytes, err);
	if (rc == WF_OK)
		rc = wf_engine_inspect(shadow->engines[0], shadow->number,
		    compare_states, &comparison, err);
	wf_buffer_free(&comparison.bytes);
	*same_out = comparison.same;
	return rc;
}

static bool is_same_item(
    const struct wf_case *instance, const struct wf_item_row *row)
{
	struct wf_item item;

	return wf_case_item(instance, row->id, &item, NULL) == WF_OK &&
	       strcmp(row->task, item.task->id) == 0 &&
	       strcmp(row->service, item.assignment == NULL
					? item.service
					: WF_PEOPLE_SERVICE) == 0 &&
	       row->status == (uint32_t)item.status &&
	       row->choice == item.choice &&
	       row->enabled_at == item.enabled_at &&
	       row->fired_at == item.fired_at &&
	       row->started_at == item.started_at;
}

static enum wf_rc compare_items(struct wf_shadow_run *shadow,
    struct wf_store *store, const struct wf_case *instance,
    struct wf_arena *arena, struct wf_error *err)
{
	struct wf_item *items;
	size_t count = wf_case_items(instance, &items);
	struct wf_item_filter filter = { .number = shadow->number,
		.limit = count + 1 };
	struct wf_item_list list;
	enum wf_rc rc = wf_store_items(store, &filter, arena, &list, err);

	wf_free(items);
	if (rc == WF_OK && list.count != count)
		return wf_fail(err, WF_BUG,
		    "%zu work items are live, but %zu or more are stored",
		    count, list.count);
	for (size_t i = 0; rc == WF_OK && i < count; i++)
		if (!is_same_item(instance, &list.rows[i]))
			rc = wf_fail(err, WF_BUG,
			    "work item %s differs from what is stored of it",
			    list.rows[i].id);
	return rc;
}

static enum wf_rc check_items(struct wf_shadow_run *shadow,
    const struct wf_case *instance, struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(shadow->engines[1], &store, err);

	if (rc != WF_OK)
		return rc;
	arena = wf_arena_new();
	rc = compare_items(shadow, store, instance, arena, err);
	wf_arena_free(&arena);
	wf_engine_give_back(shadow->engines[1], store);
	return rc;
}

/* --- following ------------------------------------------------------------ */

/* An engine refuses commands to an ended case as "not running". */
static bool is_same_refusal(const struct wf_shadow_run *shadow,
    const struct wf_error *wanted, const struct wf_error *found)
{
	if (shadow->ended)
		return wanted->rc != WF_OK && found->rc == WF_NOT_FOUND;
	return wanted->rc == found->rc &&
	       strcmp(wanted->message, found->message) == 0;
}

/* What the engine does by itself when it is due. */
static bool is_own(const struct wf_command *command)
{
	return command->kind == WF_COMMAND_EXPIRE ||
	       command->kind == WF_COMMAND_ALARM;
}

static void give(struct wf_shadow_run *shadow, const struct wf_command *command,
    struct wf_error *refusal)
{
	struct wf_request request = { .namespace_id = shadow->namespace_id,
		.number = shadow->number,
		.command = { .kind = command->kind,
		    .item = command->item,
		    .data = command->data,
		    .length = command->length,
		    .participant = command->participant,
		    .deputy = command->deputy,
		    .targets = command->targets,
		    .is_forced = command->is_forced,
		    .drops_data = command->drops_data,
		    .is_administrator = command->is_administrator },
		.launch = { .specification = shadow->specification,
		    .name = shadow->name },
		.origin = "test" };
	struct wf_answer answer;

	shadow->now = command->now;
	shadow->calendar = command->calendar;
	shadow->command = command;
	if (!is_own(command) && wf_engine_call(shadow->engines[shadow->turn],
				    &request, &answer, refusal) == WF_OK)
		shadow->number = answer.number;
	shadow->command = NULL;
}

/*
 * Lets the engine do what is due without a command, until the stored case is
 * equal to the one in memory.
 */
static enum wf_rc catch_up(struct wf_shadow_run *shadow,
    const struct wf_case *instance, struct wf_error *err)
{
	bool same = false;
	enum wf_rc rc;

	do {
		rc = compare_with(shadow, instance, &same, err);
		if (rc != WF_OK || same)
			return rc;
	} while (wf_engine_turn(shadow->engines[shadow->turn]));
	return wf_fail(
	    err, WF_BUG, "the stored case differs from the one in memory");
}

static uint64_t count_loads(const struct wf_shadow_run *shadow)
{
	struct wf_engine_counts counts;

	wf_engine_counts(shadow->engines[shadow->turn], &counts);
	return counts.loads;
}

/* The other engine, which has not seen the step, gets the next command. */
static enum wf_rc change_turns(
    struct wf_shadow_run *shadow, bool launched, struct wf_error *err)
{
	bool loaded = count_loads(shadow) > shadow->loads;

	shadow->turn = 1 - shadow->turn;
	shadow->loads = count_loads(shadow);
	if (!launched && !loaded)
		return wf_fail(
		    err, WF_BUG, "the stored case was not loaded for the step");
	return WF_OK;
}

enum wf_rc wf_shadow_run_follow(struct wf_shadow_run *shadow,
    const struct wf_command *command, const struct wf_error *refusal,
    const struct wf_case *instance, struct wf_error *err)
{
	struct wf_error found = { .rc = WF_OK };
	enum wf_rc rc;

	shadow->has_people = command->people != NULL;
	if (shadow->has_people)
		shadow->calls = *command->people;
	give(shadow, command, &found);
	if (!is_own(command) && !is_same_refusal(shadow, refusal, &found))
		return wf_fail(err, WF_BUG,
		    "with the case in a store the command gives %s (%s)",
		    wf_rc_name(found.rc), found.message);
	if (shadow->number == 0)
		return WF_OK;
	rc = catch_up(shadow, instance, err);
	if (rc == WF_OK && refusal->rc == WF_OK)
		rc = change_turns(
		    shadow, command->kind == WF_COMMAND_LAUNCH, err);
	if (rc == WF_OK)
		rc = check_items(shadow, instance, err);
	shadow->has_people = false;
	shadow->ended = wf_case_status(instance) > WF_CASE_SUSPENDED &&
			wf_case_status(instance) != WF_CASE_DEADLOCKED;
	return rc;
}
