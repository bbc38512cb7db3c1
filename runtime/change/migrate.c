/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A migration within a batch: two steps of a case, one as it is left and one as
 * it goes on, which are kept together or not at all.
 *
 *   taken ─► left (MIGRATE) ─► made (wf_case_migrate()) ─► kept: both are rows
 *                │                  │
 *                └─ refused         └─ refused: the case is forgotten, because
 *                                      it was left in memory
 *
 * All items may have other ids, so each that the case has or had gets a row.
 * One whose task has another id now keeps its lease, its draft and its
 * documents: the store renames it.
 */
#include "kernel/change/migrate.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "kernel/assignment/assignment.h"
#include "runtime/batch.h"

/* The plan of the last migration of a batch; most batches have one for all. */
struct migration_plan {
	struct kept_spec *from;
	struct kept_spec *to;
	char *data;
	size_t length;
	struct wf_migration *migration;
	struct wf_step second; /* the step of the case that goes on */
};

void wf_batch_drop_plan(struct batch *batch)
{
	struct migration_plan *plan = batch->plan;
	struct specs *specs = batch->shard->engine->specs;

	if (plan == NULL)
		return;
	wf_migration_free(&plan->migration);
	wf_specs_drop(specs, &plan->from);
	wf_specs_drop(specs, &plan->to);
	wf_step_free(&plan->second);
	wf_free(plan->data);
	wf_free(plan);
	batch->plan = NULL;
}

static bool is_plan_of(
    const struct migration_plan *plan, const struct pending *pending)
{
	const struct wf_command *command = &pending->request.command;

	return plan != NULL && plan->from == pending->work->cached->spec &&
	       plan->length == command->length &&
	       memcmp(plan->data, command->data, plan->length) == 0;
}

static enum wf_rc make_plan(struct batch *batch, const struct pending *pending,
    uint64_t target, struct wf_error *err)
{
	const struct wf_command *command = &pending->request.command;
	const struct cached *cached = pending->work->cached;
	struct specs *specs = batch->shard->engine->specs;
	struct migration_plan *plan = wf_calloc(1, sizeof(*plan));
	struct wf_store *reader;
	enum wf_rc rc = wf_batch_reader(batch, &reader, err);

	wf_assert(batch->plan == NULL && target != cached->spec->key);
	wf_step_init(&plan->second);
	batch->plan = plan;
	if (rc == WF_OK)
		rc = wf_specs_use(specs, reader, cached->namespace_id,
		    cached->spec->key, &plan->from, err);
	if (rc == WF_OK)
		rc = wf_specs_use_present(specs, reader, cached->namespace_id,
		    target, &plan->to, err);
	if (rc == WF_OK)
		rc = wf_migration_new(&plan->migration, plan->from->spec,
		    plan->to->spec, command->data, command->length, err);
	if (rc == WF_OK) {
		plan->data = wf_malloc(command->length);
		memcpy(plan->data, command->data, command->length);
		plan->length = command->length;
	} else {
		wf_batch_drop_plan(batch);
	}
	return rc;
}

static enum wf_rc find_plan(
    struct batch *batch, const struct pending *pending, struct wf_error *err)
{
	const struct wf_command *command = &pending->request.command;
	uint64_t target =
	    wf_migration_target_key(command->data, command->length);

	if (target == 0)
		return wf_fail(err, WF_INVALID, "a migration needs a plan");
	if (target == pending->work->cached->spec->key)
		return wf_fail(
		    err, WF_CONFLICT, "the case is of that version already");
	if (is_plan_of(batch->plan, pending))
		return WF_OK;
	wf_batch_drop_plan(batch);
	return make_plan(batch, pending, target, err);
}

/* --- items ---------------------------------------------------------------- */

struct named_item {
	const char *id;
	struct wf_item item;
};

struct named_items {
	struct named_item *rows; /* by id */
	size_t count;
};

static int compare_named(const void *a, const void *b)
{
	return strcmp(((const struct named_item *)a)->id,
	    ((const struct named_item *)b)->id);
}

/* The items that have rows. */
static struct named_items items_of(struct batch *batch, const struct work *work)
{
	struct named_items named = { NULL, 0 };
	struct wf_item *items;
	size_t count = wf_case_items(work->cached->instance, &items);
	char id[WF_ITEM_ID_SIZE];

	named.rows =
	    wf_arena_array(batch->arena, count + 1, sizeof(named.rows[0]));
	for (size_t i = 0; i < count; i++) {
		if (items[i].task->kind != WF_ATOMIC_TASK)
			continue;
		wf_item_id(&items[i], id);
		named.rows[named.count++] =
		    (struct named_item){ wf_arena_strdup(batch->arena, id),
			    items[i] };
	}
	wf_free(items);
	wf_assert(named.count <= count);
	qsort(named.rows, named.count, sizeof(named.rows[0]), compare_named);
	return named;
}

static bool has_item(const struct named_items *items, const char *id)
{
	const struct named_item key = { .id = id };

	return items->count > 0 && bsearch(&key, items->rows, items->count,
				       sizeof(key), compare_named) != NULL;
}

/* The ids of the items that the step just noted has named. */
static struct named_items touched_of(struct batch *batch, struct work *work)
{
	struct named_items named = { NULL, 0 };
	char id[WF_ITEM_ID_SIZE];

	named.rows = wf_arena_array(
	    batch->arena, work->touched_count + 1, sizeof(named.rows[0]));
	for (size_t i = 0; i < work->touched_count; i++)
		if (wf_effects_name(work->cached, &work->touched[i], id) !=
		    NULL)
			named.rows[named.count++].id =
			    wf_arena_strdup(batch->arena, id);
	qsort(named.rows, named.count, sizeof(named.rows[0]), compare_named);
	work->touched_count = 0; /* their rows are made here */
	return named;
}

/*
 * The items that go on with other ids, if the second step has not ended them.
 * False: there are none.
 */
static bool rename_items(struct batch *batch, const struct work *work,
    const struct named_items *left, const struct named_items *after)
{
	size_t count = batch->renames_count;

	wf_assert(work->migrated && batch->plan != NULL);
	for (size_t i = 0; i < left->count; i++) {
		const struct wf_item *item = &left->rows[i].item;
		const struct wf_task *task = wf_migration_task(
		    batch->plan->migration, item->net, item->task);
		struct wf_item_rename *rename;
		const char *id;

		if (task == NULL || strcmp(task->id, item->task->id) == 0)
			continue;
		id = wf_arena_printf(
		    batch->arena, "%s:%s", item->case_id, task->id);
		if (!has_item(after, id))
			continue;
		rename = WF_ROW_ADD(batch, renames);
		rename->number = work->number;
		rename->id = left->rows[i].id;
		rename->new_id = id;
	}
	return batch->renames_count > count;
}

/* has_renamed: an item that was not there before may have a row. */
static void add_rows(struct batch *batch, const struct work *work,
    const struct named_items *before, const struct named_items *after,
    bool has_renamed)
{
	for (size_t i = 0; i < before->count; i++) {
		struct wf_item_write *write;

		if (has_item(after, before->rows[i].id))
			continue;
		write = WF_ROW_ADD(batch, items);
		write->row.number = work->number;
		write->row.id = before->rows[i].id;
	}
	for (size_t i = 0; i < after->count; i++) {
		const struct named_item *item = &after->rows[i];
		struct wf_item_write *write = WF_ROW_ADD(batch, items);

		write->row.number = work->number;
		write->row.id = item->id;
		write->groups = WF_ITEM_KERNEL;
		write->fresh = !has_renamed && !has_item(before, item->id);
		wf_effects_item_row(&write->row, work->cached->namespace_id,
		    work->cached->spec->key, &item->item, batch->arena);
		write->row.trace = batch->trace;
	}
}

/* Services learn of items that have another id, which no event says. */
static void announce_renamed(struct batch *batch, struct work *work,
    const struct named_items *left, const struct named_items *after,
    const struct named_items *touched)
{
	for (size_t i = 0; i < left->count; i++)
		if (!has_item(after, left->rows[i].id) &&
		    !has_item(touched, left->rows[i].id))
			wf_effects_gone(batch, work, &left->rows[i].item);
	for (size_t i = 0; i < after->count; i++)
		if (!has_item(left, after->rows[i].id) &&
		    !has_item(touched, after->rows[i].id))
			wf_effects_announce(
			    batch, work, &after->rows[i].item, false);
}

/* --- the two steps -------------------------------------------------------- */

/* The case that was made takes the place of the one that was left. */
static void replace_case(
    struct batch *batch, struct work *work, struct wf_case *made)
{
	struct migration_plan *plan = batch->plan;
	struct cached *cached = work->cached;
	struct wf_migrated_row *row = WF_ROW_ADD(batch, migrated);
	struct wf_store *reader = NULL;
	struct kept_spec *to = NULL;
	enum wf_rc rc;

	/* It is in memory, so this cannot fail. */
	rc = wf_specs_use(batch->shard->engine->specs, reader,
	    cached->namespace_id, plan->to->key, &to, NULL);
	wf_assert(rc == WF_OK);
	wf_assert(!work->migrated && cached->spec != to);
	row->number = work->number;
	row->specification = cached->spec->key;
	row->target = to->key;
	row->sequence = cached->version + 1;
	wf_case_free(&cached->instance);
	wf_specs_drop(batch->shard->engine->specs, &cached->spec);
	cached->instance = made;
	cached->spec = to;
	cached->encoded = 0;
	wf_cached_name_nets(cached, false);
	wf_effects_replace_terms(batch, work);
	work->migrated = true;
}

static void keep_steps(struct batch *batch, struct pending *pending,
    const struct named_items *before, struct wf_case *made)
{
	struct work *work = pending->work;
	struct wf_step *step = &batch->shard->step;
	struct wf_step first = *step;
	struct named_items left;
	struct named_items after;
	struct named_items touched;

	if (step->event_count > 0) {
		wf_batch_add_step(batch, pending);
		wf_effects_note(batch, pending);
	}
	left = items_of(batch, work);
	replace_case(batch, work, made);
	work->touched_count = 0;
	work->undecided_count = 0;
	*step = batch->plan->second;
	wf_effects_before(batch, work);
	wf_batch_add_step(batch, pending);
	wf_effects_note(batch, pending);
	touched = touched_of(batch, work);
	after = items_of(batch, work);
	add_rows(batch, work, before, &after,
	    rename_items(batch, work, &left, &after));
	announce_renamed(batch, work, &left, &after, &touched);
	wf_effects_rearm(batch, work);
	batch->plan->second = *step;
	*step = first;
	work->blocked = true;
}

/* Frees the case that was made when it is refused. */
static enum wf_rc ask_judge(struct pending *pending, struct wf_case **made)
{
	const struct wf_judge *judge = pending->request.judge;
	enum wf_rc rc;

	wf_assert(*made != NULL);
	if (judge == NULL)
		return WF_OK;
	rc = judge->judge(judge->context, *made, &pending->answer.error);
	if (rc != WF_OK)
		wf_case_free(made);
	return rc;
}

enum wf_rc wf_batch_migrate(struct batch *batch, struct pending *pending)
{
	struct wf_engine *engine = batch->shard->engine;
	struct wf_error *err = &pending->answer.error;
	struct wf_step *step = &batch->shard->step;
	struct work *work = pending->work;
	struct wf_case *made = NULL;
	struct named_items before;
	enum wf_rc rc;

	if (work->cached->version != work->expected) {
		pending->fate = FATE_AGAIN; /* a row is written once */
		return WF_OK;
	}
	rc = find_plan(batch, pending, err);
	if (rc != WF_OK)
		return rc;
	before = items_of(batch, work);
	pending->request.command.migration = batch->plan->migration;
	pending->stepped_at = batch->now;
	/* Bounded by the limits of the case: it is never made outside. */
	step->work_maximum = UINT64_MAX;
	batch->plan->second.work_maximum = UINT64_MAX;
	rc = wf_step_request(engine, pending, work->cached,
	    wf_batch_people(batch), batch->now, step, NULL, err);
	if (rc == WF_OK) {
		rc = wf_step_request(engine, pending, work->cached,
		    wf_batch_people(batch), batch->now, &batch->plan->second,
		    &made, err);
		if (rc == WF_OK)
			rc = ask_judge(pending, &made);
		/* It was left in memory only. */
		work->broken = rc != WF_OK;
		work->blocked = rc != WF_OK;
	}
	batch->work += step->work + batch->plan->second.work;
	if (rc == WF_OK)
		keep_steps(batch, pending, &before, made);
	pending->request.command.migration = NULL;
	return rc;
}
