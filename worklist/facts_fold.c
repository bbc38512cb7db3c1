/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fold: pages of the history of the specifications that are known, read
 * event by event with the names of their tasks.
 *
 * A specification that becomes known is read from the beginning up to where the
 * others are; then all are read together.
 *
 * An item is named by its case, net, task and instance; the first instance goes
 * on as the enabled item, whose time of offer and allocation it has.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/panic.h"
#include "kernel/assignment/assignment.h"
#include "people/task_rule.h"
#include "runtime/checksum.h"
#include "worklist/facts_priv.h"

#define PAGE 500U
/* Cases whose names are remembered; more, and all are forgotten. */
#define READERS_MOST 4096U
/* Items that are open; of further ones no times are known. */
#define ITEMS_MOST 1000000U
#define NAME_SIZE 96U

/* The step that is read. */
struct folding {
	struct wf_fact_fold *facts;
	struct wf_engine *engine;
	struct wf_store *store;
	const struct wf_history_row *step;
	enum wf_rc rc;
	struct wf_error *err;
};

void wf_fact_fold_forget_cases(struct wf_fact_fold *facts)
{
	for (size_t i = 0; i < facts->reader_count; i++)
		wf_case_reader_free(&facts->all_readers[i]);
	wf_free(facts->all_readers);
	facts->all_readers = NULL;
	facts->reader_count = 0;
	wf_map_free(&facts->readers);
	facts->readers = wf_map_new();
}

static struct wf_case_reader *reader_of(
    struct wf_fact_fold *facts, uint64_t number)
{
	struct wf_case_reader *reader;
	char name[NAME_SIZE];

	snprintf(name, sizeof(name), "%" PRIu64, number);
	reader = wf_map_get(facts->readers, name);
	if (reader != NULL)
		return reader;
	if (facts->reader_count == READERS_MOST)
		wf_fact_fold_forget_cases(facts);
	if (facts->all_readers == NULL)
		facts->all_readers =
		    wf_calloc(READERS_MOST, sizeof(struct wf_case_reader *));
	reader = wf_case_reader_new(number, name);
	facts->all_readers[facts->reader_count++] = reader;
	wf_map_add(facts->readers, name, reader);
	return reader;
}

/* --- items ---------------------------------------------------------------- */

static void name_item(
    const struct wf_case_event *from, uint32_t instance, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%" PRIu64 ":%u:%u:%u", from->step->number,
	    from->event->net, from->event->task, instance);
}

static struct wf_open_item *item_of(
    struct wf_fact_fold *facts, const struct wf_case_event *from, char *name)
{
	struct wf_open_item *item;
	uint32_t instance = from->event->instance;

	name_item(from, 0, name);
	item = wf_map_get(facts->items, name);
	if (instance != 0 && (item == NULL || item->first != instance)) {
		name_item(from, instance, name);
		item = wf_map_get(facts->items, name);
	}
	if (item == NULL && wf_map_count(facts->items) < ITEMS_MOST) {
		item = wf_calloc(1, sizeof(*item));
		item->self = &facts->first_item;
		item->next = facts->first_item;
		if (item->next != NULL)
			item->next->self = &item->next;
		facts->first_item = item;
		wf_map_add(facts->items, name, item);
	}
	return item;
}

static void drop_item(struct wf_open_item *item)
{
	*item->self = item->next;
	if (item->next != NULL)
		item->next->self = item->self;
	wf_free(item);
}

void wf_fact_fold_forget_items(struct wf_fact_fold *facts)
{
	while (facts->first_item != NULL)
		drop_item(facts->first_item);
	wf_map_free(&facts->items);
	facts->items = wf_map_new();
}

static void add(struct folding *folding, struct wf_task_facts *task,
    const char *item, const char *participant, enum wf_work_event event,
    int64_t at)
{
	struct wf_fact_fold *facts = folding->facts;

	if (!wf_work_log_has(task->log, participant)) {
		if (facts->people == WF_FACT_FOLD_MOST)
			return;
		facts->people++;
	}
	wf_work_log_add(task->log, item, participant, event, at);
}

static void allocate(struct folding *folding, struct wf_task_facts *task,
    struct wf_open_item *item, const char *name, const char *participant)
{
	if (item->offered_at != 0)
		add(folding, task, name, participant, WF_WORK_OFFERED,
		    item->offered_at);
	add(folding, task, name, participant, WF_WORK_ALLOCATED,
	    folding->step->at);
	item->offered_at = 0;
	item->is_allocated = true;
}

static void forget(struct folding *folding, struct wf_task_facts *task,
    const struct wf_case_event *from)
{
	char name[NAME_SIZE];
	struct wf_open_item *item = item_of(folding->facts, from, name);

	wf_work_log_forget(task->log, name);
	(void)wf_map_remove(folding->facts->items, name);
	if (item != NULL)
		drop_item(item);
}

static bool is_about_work(const struct wf_task *task)
{
	const struct wf_task_rule *rule = wf_task_rule(task);

	return rule->resourcing != NULL &&
	       wf_fact_fold_are_needed(rule->resourcing->allocator);
}

static void fold_item(struct folding *folding, struct wf_task_facts *task,
    const struct wf_case_event *from)
{
	const struct wf_event *event = from->event;
	char name[NAME_SIZE];
	struct wf_open_item *item = item_of(folding->facts, from, name);
	const char *text = "";

	if (item == NULL)
		return;
	if ((wf_event_fields(event->kind) & WF_HAS_TEXT) != 0)
		text = wf_arena_strndup(
		    from->arena, event->text, event->text_length);
	switch (event->kind) {
	case WF_EVENT_ITEM_OFFERED:
		item->offered_at = folding->step->at;
		item->is_allocated = false;
		break;
	case WF_EVENT_ITEM_REDIRECTED:
		item->is_allocated = false;
		break;
	case WF_EVENT_ITEM_ALLOCATED:
		if (event->number != WF_CAUSE_ROLLED_BACK)
			allocate(folding, task, item, name, text);
		wf_fact_fold_have_read(folding->facts, from->step->number,
		    event->net, event->task, event->instance);
		break;
	case WF_EVENT_ITEM_TAKEN:
		/* Who starts an offered item has accepted it. */
		if (!item->is_allocated)
			allocate(folding, task, item, name, text);
		add(folding, task, name, text, WF_WORK_STARTED,
		    folding->step->at);
		break;
	case WF_EVENT_ITEM_DONE_BY:
		if (event->number == 0)
			add(folding, task, name, text, WF_WORK_COMPLETED,
			    folding->step->at);
		break;
	default:
		break;
	}
}

/* The first instance goes on as the enabled item. */
static void fold_firing(
    struct wf_fact_fold *facts, const struct wf_case_event *from)
{
	struct wf_open_item *item;
	char name[NAME_SIZE];

	name_item(from, 0, name);
	item = wf_map_get(facts->items, name);
	if (item != NULL)
		item->first = from->event->instance;
}

static void fold_event(void *context, const struct wf_case_event *from)
{
	struct folding *folding = context;
	struct wf_fact_fold *facts = folding->facts;
	struct wf_task_facts *task;

	if (from->task == NULL || from->net == NULL ||
	    !is_about_work(from->task))
		return;
	pthread_mutex_lock(&facts->lock);
	task = wf_fact_fold_of(facts, from->task);
	switch (from->event->kind) {
	case WF_EVENT_ITEM_OFFERED:
	case WF_EVENT_ITEM_ALLOCATED:
	case WF_EVENT_ITEM_TAKEN:
	case WF_EVENT_ITEM_DONE_BY:
	case WF_EVENT_ITEM_REDIRECTED:
		if (task != NULL)
			fold_item(folding, task, from);
		break;
	case WF_EVENT_TASK_FIRED:
		fold_firing(facts, from);
		break;
	case WF_EVENT_INSTANCE_ENDED:
	case WF_EVENT_TASK_EXITED:
	case WF_EVENT_TASK_CANCELLED:
	case WF_EVENT_TASK_WITHDRAWN:
		if (task != NULL)
			forget(folding, task, from);
		break;
	default:
		break;
	}
	pthread_mutex_unlock(&facts->lock);
}

/* --- steps ---------------------------------------------------------------- */

static void read_step(void *context, const struct wf_spec *spec)
{
	struct folding *folding = context;
	const struct wf_case_reading how = { .store = folding->store,
		.spec = spec,
		.engine = folding->engine,
		.visit = fold_event,
		.context = folding };

	folding->rc = wf_case_reader_step(
	    reader_of(folding->facts, folding->step->number), &how,
	    folding->step, folding->err);
}

/* A step that cannot be read is passed over: it is retired, or damaged. */
static enum wf_rc fold_step(struct wf_fact_fold *facts,
    struct wf_engine *engine, struct wf_store *store,
    const struct wf_history_row *step, struct wf_error *err)
{
	struct folding folding = { .facts = facts,
		.engine = engine,
		.store = store,
		.step = step,
		.rc = WF_OK,
		.err = err };
	enum wf_rc rc = wf_engine_inspect_spec(engine, step->namespace_id,
	    step->specification, false, read_step, &folding, err);

	if (rc == WF_OK)
		rc = folding.rc;
	if (rc != WF_GONE && rc != WF_CORRUPT && rc != WF_NOT_FOUND)
		return rc;
	wf_error_clear(err);
	return WF_OK;
}

enum wf_rc wf_fact_fold_step(struct wf_fact_fold *facts,
    const struct wf_spec *spec, const struct wf_history_row *step,
    struct wf_error *err)
{
	struct wf_history_row row = *step;
	struct wf_arena *arena = wf_arena_new();
	struct folding folding = {
		.facts = facts, .step = &row, .rc = WF_OK, .err = err
	};

	wf_checksum_add_history(&row, arena);
	pthread_mutex_lock(&facts->reading);
	read_step(&folding, spec);
	pthread_mutex_unlock(&facts->reading);
	wf_arena_free(&arena);
	return folding.rc;
}

/* --- specifications ------------------------------------------------------- */

/* Whether the source may have a task with such an allocator. */
static bool names_allocator(const struct wf_bytes *source)
{
	for (size_t i = 0; i < WF_ALLOCATORS; i++)
		if (wf_fact_fold_are_needed((enum wf_allocator)i) &&
		    memmem(source->data, source->size, wf_allocator_words[i],
			strlen(wf_allocator_words[i])) != NULL)
			return true;
	return false;
}

/* What was retired since the cursor was made is passed over. */
static enum wf_rc read_page(struct wf_store *store,
    struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list, struct wf_error *err)
{
	enum wf_rc rc = wf_store_history(store, filter, arena, list, err);
	struct wf_cursor end;

	if (rc != WF_GONE)
		return rc;
	wf_error_clear(err);
	rc = wf_store_history_end(store, &end, err);
	if (rc != WF_OK)
		return rc;
	filter->after.retirements = end.retirements;
	return wf_store_history(store, filter, arena, list, err);
}

static bool is_behind(
    const struct wf_history_row *row, const struct wf_cursor *end)
{
	const struct wf_cursor at = { row->position, row->number, row->sequence,
		0 };

	return wf_cursor_is_before(end, &at);
}

static void name_specification(uint64_t number, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%016" PRIx64, number);
}

/* More specifications than a filter has are filtered here. */
static bool is_known(
    struct wf_fact_fold *facts, size_t count, const struct wf_history_row *row)
{
	char name[NAME_SIZE];

	name_specification(row->specification, name);
	return count <= WF_LIST_VERSIONS ||
	       wf_map_get(facts->known, name) != NULL;
}

/*
 * Reads pages of these specifications from *cursor on, but not behind end
 * (NULL: to the end).  After a failure *cursor is behind the last step that was
 * folded, so that none counts twice.
 */
static enum wf_rc fold_pages(struct wf_fact_fold *facts,
    struct wf_engine *engine, struct wf_store *store, const uint64_t *keys,
    size_t count, struct wf_cursor *cursor, const struct wf_cursor *end,
    struct wf_error *err)
{
	struct wf_history_filter filter = { .limit = PAGE };
	struct wf_arena *arena = wf_arena_new();
	struct wf_history_list list;
	bool more = true;
	enum wf_rc rc = WF_OK;

	if (count <= WF_LIST_VERSIONS)
		filter.specifications =
		    (struct wf_specification_keys){ keys, count };
	while (rc == WF_OK && more) {
		wf_arena_reset(arena);
		filter.after = *cursor;
		rc = read_page(store, &filter, arena, &list, err);
		more = rc == WF_OK && list.count > 0;
		for (size_t i = 0; rc == WF_OK && i < list.count && more; i++) {
			const struct wf_history_row *row = &list.rows[i];

			more = end == NULL || !is_behind(row, end);
			if (more && is_known(facts, count, row))
				rc = fold_step(facts, engine, store, row, err);
			if (more && rc == WF_OK)
				*cursor = (struct wf_cursor){ row->position,
					row->number, row->sequence,
					filter.after.retirements };
		}
		if (rc == WF_OK)
			*cursor = list.next;
	}
	wf_arena_free(&arena);
	return rc;
}

/* After a failure it goes on from where it came. */
static enum wf_rc learn_history(struct wf_fact_fold *facts,
    struct wf_engine *engine, struct wf_store *store, uint64_t key,
    const char *name, const struct wf_cursor *end, struct wf_error *err)
{
	enum wf_rc rc;

	if (facts->learning != key)
		facts->learned =
		    (struct wf_cursor){ .retirements = end->retirements };
	facts->learning = key;
	rc = fold_pages(
	    facts, engine, store, &key, 1, &facts->learned, end, err);
	if (rc != WF_OK)
		return rc;
	wf_map_add(facts->known, name, facts);
	if (facts->key_count == facts->key_capacity) {
		facts->key_capacity = facts->key_capacity * 2 + 8;
		facts->keys = wf_realloc(
		    facts->keys, facts->key_capacity * sizeof(uint64_t));
	}
	facts->keys[facts->key_count++] = key;
	return WF_OK;
}

static enum wf_rc learn(struct wf_fact_fold *facts, struct wf_engine *engine,
    struct wf_store *store, const struct wf_specification_row *row,
    const struct wf_cursor *end, struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_specification_row whole;
	char name[NAME_SIZE];
	enum wf_rc rc;

	name_specification(row->key, name);
	if (wf_map_get(facts->known, name) != NULL)
		return WF_OK;
	arena = wf_arena_new();
	rc = wf_store_specification(
	    store, row->namespace_id, row->key, arena, &whole, err);
	if (rc == WF_NOT_FOUND) {
		wf_error_clear(err);
		rc = WF_OK;
	} else if (rc == WF_OK && names_allocator(&whole.source)) {
		rc = learn_history(
		    facts, engine, store, row->key, name, end, err);
	}
	wf_arena_free(&arena);
	return rc;
}

/* Reads the specifications that are new, up to where the others are. */
static enum wf_rc learn_all(struct wf_fact_fold *facts,
    struct wf_engine *engine, struct wf_store *store, struct wf_error *err)
{
	const struct wf_specification_filter filter = {
		.changed_after = facts->change, .removed = true
	};
	struct wf_arena *arena = wf_arena_new();
	struct wf_specification_list list;
	enum wf_rc rc =
	    wf_store_specifications(store, &filter, arena, &list, err);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		rc = learn(
		    facts, engine, store, &list.rows[i], &facts->cursor, err);
		if (rc == WF_OK)
			facts->change = list.rows[i].change;
	}
	wf_arena_free(&arena);
	return rc;
}

/* --- rounds --------------------------------------------------------------- */

static enum wf_rc read_all(struct wf_fact_fold *facts, struct wf_engine *engine,
    struct wf_store *store, struct wf_error *err)
{
	struct wf_cursor end;
	enum wf_rc rc = wf_store_history_end(store, &end, err);

	if (rc != WF_OK)
		return rc;
	if (facts->key_count == 0)
		facts->cursor = end;
	rc = learn_all(facts, engine, store, err);
	if (rc == WF_OK && facts->key_count > 0)
		rc = fold_pages(facts, engine, store, facts->keys,
		    facts->key_count, &facts->cursor, NULL, err);
	if (rc == WF_OK && wf_cursor_is_before(&facts->cursor, &end))
		facts->cursor = end;
	return rc;
}

enum wf_rc wf_fact_fold_read(
    struct wf_fact_fold *facts, struct wf_engine *engine, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	pthread_mutex_lock(&facts->reading);
	rc = read_all(facts, engine, store, err);
	pthread_mutex_lock(&facts->lock);
	facts->position = facts->cursor.position;
	if (rc == WF_OK) {
		facts->is_ready = true;
		pthread_cond_broadcast(&facts->ready);
	}
	pthread_mutex_unlock(&facts->lock);
	pthread_mutex_unlock(&facts->reading);
	wf_engine_give_back(engine, store);
	return rc;
}
