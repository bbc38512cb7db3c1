/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of tasks: how often people were offered, got, started and
 * completed their items, and how long each stage took.
 *
 * A stage of an item is paired with the one before it, of the same participant
 * and item.  What was offered and allocated before the item had an instance
 * ("7:T") is paired with what happens to its instance ("7.1:T").
 */
#include <inttypes.h>
#include <string.h>

#include "base/map.h"
#include "data/xml_writer.h"
#include "kernel/case.h"
#include "yawl/interface_e.h"
#include "yawl/resource/log_read.h"
#include "yawl/resource/org_record.h"
#include "yawl/resource/work_history.h"

static const struct stage {
	const char *event;
	const char *element;
	const char *span; /* since the stage before; NULL: there is none */
} stages[] = {
	{ "offer", "offers", NULL },
	{ "allocate", "allocations", "offerToAllocate" },
	{ "start", "starts", "allocateToStart" },
	{ "complete", "completions", "startToComplete" },
};

#define STAGES (sizeof(stages) / sizeof(stages[0]))

/* What a participant did in one stage of a task. */
struct doing {
	uint64_t instances;
	uint64_t spans; /* those that could be paired */
	int64_t least;
	int64_t most;
	int64_t sum;
};

struct person {
	struct person *next;
	const char *id;
	struct doing doings[STAGES];
};

struct task {
	struct task *next;
	const char *id;
	uint64_t created;
	uint64_t completed;
	struct person *people;
};

struct statistics {
	struct wf_gateway_call *call;
	const char *task; /* NULL: of all */
	struct task *tasks;
	struct wf_map *times; /* of stages, in one case */
	struct wf_arena *of_case;
	struct wf_error err;
};

/* --- collecting ----------------------------------------------------------- */

static struct task *task_of(struct statistics *all, const char *id)
{
	struct wf_arena *arena = all->call->yawl.arena;
	struct task **at = &all->tasks;

	while (*at != NULL && strcmp((*at)->id, id) < 0)
		at = &(*at)->next;
	if (*at == NULL || strcmp((*at)->id, id) != 0) {
		struct task *task = wf_arena_alloc(arena, sizeof(*task));

		*task = (struct task){ .next = *at,
			.id = wf_arena_strdup(arena, id) };
		*at = task;
	}
	return *at;
}

static struct person *person_of(
    struct statistics *all, struct task *task, const char *id)
{
	struct wf_arena *arena = all->call->yawl.arena;
	struct person **at = &task->people;

	while (*at != NULL && strcmp((*at)->id, id) < 0)
		at = &(*at)->next;
	if (*at == NULL || strcmp((*at)->id, id) != 0) {
		struct person *person = wf_arena_alloc(arena, sizeof(*person));

		*person = (struct person){ .next = *at,
			.id = wf_arena_strdup(arena, id) };
		*at = person;
	}
	return *at;
}

static char *time_key(
    struct statistics *all, size_t stage, const char *item, const char *person)
{
	return wf_arena_printf(all->of_case, "%zu %s %s", stage, item, person);
}

static void note_time(
    struct statistics *all, size_t stage, const struct wf_work_event *event)
{
	char *key = time_key(all, stage, event->item, event->resource);
	int64_t *at = wf_map_get(all->times, key);

	if (at == NULL) {
		at = wf_arena_alloc(all->of_case, sizeof(*at));
		wf_map_add(all->times, key, at);
	}
	*at = event->at;
}

/* The item that an instance was made of: "7:T" for "7.1:T". */
static const char *enabled_item(struct wf_arena *arena, const char *item)
{
	const char *colon = strchr(item, ':');
	const char *dot = colon;

	while (dot != NULL && dot > item && *dot != '.')
		dot--;
	return dot == NULL || dot == item ? item
					  : wf_arena_printf(arena, "%.*s%s",
						(int)(dot - item), item, colon);
}

static const int64_t *time_before(
    struct statistics *all, size_t stage, const struct wf_work_event *event)
{
	const int64_t *at = wf_map_get(
	    all->times, time_key(all, stage - 1, event->item, event->resource));

	if (at != NULL)
		return at;
	return wf_map_get(all->times,
	    time_key(all, stage - 1, enabled_item(all->of_case, event->item),
		event->resource));
}

static void add_span(struct doing *doing, int64_t span)
{
	if (doing->spans == 0 || span < doing->least)
		doing->least = span;
	if (doing->spans == 0 || span > doing->most)
		doing->most = span;
	doing->sum += span;
	doing->spans++;
}

static void count_event(void *context, const struct wf_work_event *event)
{
	struct statistics *all = context;
	struct task *task;
	size_t stage = 0;

	while (stage < STAGES && strcmp(stages[stage].event, event->type) != 0)
		stage++;
	if (stage == STAGES ||
	    (all->task != NULL && strcmp(all->task, event->task) != 0))
		return;
	task = task_of(all, event->task);
	/* Work begins with an instance: each is started once. */
	task->created += stage == 2;
	task->completed += stage == 3;
	if (event->resource[0] != '\0') {
		struct doing *doing =
		    &person_of(all, task, event->resource)->doings[stage];
		const int64_t *before =
		    stage == 0 ? NULL : time_before(all, stage, event);

		doing->instances++;
		if (before != NULL)
			add_span(doing, event->at - *before);
	}
	note_time(all, stage, event);
}

static enum wf_rc count_case(void *context, const struct wf_case_row *row)
{
	struct statistics *all = context;
	enum wf_rc rc;

	all->times = wf_map_new();
	all->of_case = wf_arena_new();
	rc = wf_work_history_read(all->call, row, count_event, all, &all->err);
	wf_map_free(&all->times);
	wf_arena_free(&all->of_case);
	return rc;
}

/* --- answers -------------------------------------------------------------- */

/* "d:hh:mm:ss.ffff" */
static void put_span(struct wf_buffer *xml, const char *name, int64_t ms)
{
	if (ms < 0)
		ms = 0;
	wf_buffer_printf(xml, "<%s>%" PRId64 ":%02d:%02d:%02d.%03d0</%s>", name,
	    ms / 86400000, (int)(ms / 3600000 % 24), (int)(ms / 60000 % 60),
	    (int)(ms / 1000 % 60), (int)(ms % 1000), name);
}

static void put_person(struct statistics *all, size_t stage,
    const struct person *person, const struct wf_organisation *organisation)
{
	struct wf_buffer *xml = &all->call->yawl.out;
	const struct doing *doing = &person->doings[stage];
	uint32_t number =
	    wf_org_find(organisation, WF_ORG_PARTICIPANT, person->id);
	const struct wf_participant *participant =
	    number == WF_ORG_NOBODY ? NULL
				    : wf_participant_at(organisation, number);

	wf_buffer_puts(xml, "<participant");
	wf_xml_put_attribute(xml, "name",
	    participant == NULL
		? person->id
		: wf_gateway_full_name(participant, all->call->yawl.arena));
	wf_buffer_printf(xml, " instances=\"%" PRIu64 "\">", doing->instances);
	if (doing->spans > 0) {
		wf_buffer_printf(xml, "<%s>", stages[stage].span);
		wf_xml_put_number(xml, "instances", (int64_t)doing->spans);
		put_span(xml, "min", doing->least);
		put_span(xml, "max", doing->most);
		put_span(xml, "average", doing->sum / (int64_t)doing->spans);
		wf_buffer_printf(xml, "</%s>", stages[stage].span);
	}
	wf_buffer_puts(xml, "</participant>");
}

static void put_task(struct statistics *all, const struct task *task,
    const struct wf_organisation *organisation)
{
	struct wf_buffer *xml = &all->call->yawl.out;

	wf_buffer_puts(xml, "<taskStatistics");
	wf_xml_put_attribute(xml, "task", task->id);
	wf_buffer_printf(xml,
	    " created=\"%" PRIu64 "\" completed=\"%" PRIu64 "\">",
	    task->created, task->completed);
	for (size_t i = 0; i < STAGES; i++) {
		wf_buffer_printf(xml, "<%s>", stages[i].element);
		for (const struct person *person = task->people; person != NULL;
		     person = person->next)
			if (person->doings[i].instances > 0)
				put_person(all, i, person, organisation);
		wf_buffer_printf(xml, "</%s>", stages[i].element);
	}
	wf_buffer_puts(xml, "</taskStatistics>");
}

/* around: the element of several tasks; NULL: there is one. */
static void answer(struct statistics *all, const char *around)
{
	struct wf_gateway_call *call = all->call;
	struct wf_organisation *organisation;

	if (all->err.rc != WF_OK) {
		wf_gateway_fail_error(call, &all->err);
		return;
	}
	if (all->tasks == NULL) {
		wf_gateway_fail(call, "No rows returned.");
		return;
	}
	organisation = wf_gateway_organisation(call);
	for (const struct task *task = all->tasks; task != NULL;
	     task = task->next)
		put_task(all, task, organisation);
	wf_organisation_unref(&organisation);
	call->yawl.around = around;
	wf_gateway_answer(call);
}

static void count_specs(struct statistics *all, const char *around)
{
	struct wf_log_specs specs;
	enum wf_rc rc = WF_OK;

	if (!wf_log_choose_specs(all->call, &specs))
		return;
	for (size_t i = 0; rc == WF_OK && i < specs.count; i++)
		rc = wf_log_each_case(
		    &all->call->yawl, specs.rows[i].key, count_case, all);
	if (rc != WF_OK && all->err.rc == WF_OK)
		wf_fail(&all->err, rc, "the log cannot be read");
	answer(all, around);
}

void wf_gateway_log_statistics(struct wf_gateway_call *call)
{
	struct statistics all = { .call = call };

	count_specs(&all, "specStatistics");
}

void wf_gateway_log_task(struct wf_gateway_call *call)
{
	struct statistics all = { .call = call,
		.task = wf_gateway_text(call, "taskname") };

	count_specs(&all, NULL);
}

void wf_gateway_log_tasks_of_case(struct wf_gateway_call *call)
{
	struct statistics all = { .call = call,
		.task = wf_gateway_parameter(call, "taskname") };
	struct wf_stored_case stored;
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_yawl_find_case_of(&call->yawl, wf_gateway_text(call, "id"))) {
		wf_gateway_fail(call, "No rows returned.");
		return;
	}
	rc = wf_engine_borrow(call->yawl.server->engine, &store, &all.err);
	if (rc == WF_OK) {
		rc = wf_store_case(store, call->yawl.known.number, false,
		    call->yawl.arena, &stored, &all.err);
		wf_engine_give_back(call->yawl.server->engine, store);
	}
	if (rc == WF_OK)
		rc = count_case(&all, &stored.row);
	if (rc == WF_NOT_FOUND)
		wf_error_clear(&all.err);
	answer(&all, "specStatistics");
}
