/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a batch: which cases, names and command ids it needs.  What must
 * be found again within the batch has a hash table of positions in its array
 * (struct index), so a batch costs what its size is, not its square.
 */
#include <stdio.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"
#include "runtime/batch.h"

/* --- hash tables ---------------------------------------------------------- */

/* For count positions; at most half full. */
static void init_index(
    struct index *index, struct wf_arena *arena, size_t count)
{
	size_t size = 2;

	while (size < 2 * count)
		size *= 2;
	index->slots = wf_arena_array(arena, size, sizeof(*index->slots));
	index->mask = size - 1;
	wf_assert((size & index->mask) == 0 && size > count);
}

typedef bool (*is_f)(const struct batch *batch, size_t at, const void *key);

/* The slot of that key, perhaps empty (0); else it has the position + 1. */
static uint32_t *slot_of(const struct index *index, const struct batch *batch,
    uint64_t hash, is_f is, const void *key)
{
	size_t at = (hash * UINT64_C(0x9E3779B97F4A7C15) >> 32) & index->mask;

	while (index->slots[at] != 0 && !is(batch, index->slots[at] - 1, key))
		at = (at + 1) & index->mask;
	return &index->slots[at];
}

static bool is_number(const struct batch *batch, size_t at, const void *key)
{
	return batch->works[at].number == *(const uint64_t *)key;
}

static bool is_name(const struct batch *batch, size_t at, const void *key)
{
	const struct wf_claim *claim = &batch->begin.claims[at];
	const struct wf_claim *wanted = key;

	return claim->namespace_id == wanted->namespace_id &&
	       strcmp(claim->name, wanted->name) == 0;
}

static bool is_command(const struct batch *batch, size_t at, const void *key)
{
	return strcmp(batch->begin.commands[at].id, key) == 0;
}

struct due_key {
	uint64_t number;
	const char *name;
};

static bool is_due(const struct batch *batch, size_t at, const void *key)
{
	const struct wf_due_row *row = &batch->due[at].row;
	const struct due_key *wanted = key;

	return row->number == wanted->number &&
	       strcmp(row->name, wanted->name) == 0;
}

static uint64_t hash_text(const char *text)
{
	return wf_hash(0, text, strlen(text));
}

/* --- due rows that were added --------------------------------------------- */

static uint32_t *slot_of_due(
    const struct batch *batch, uint64_t number, const char *name)
{
	struct due_key key = { number, name };
	uint64_t hash = wf_hash(number, name, strlen(name));

	return slot_of(&batch->by_due, batch, hash, is_due, &key);
}

/* Indexes the rows added since the last call: most batches need no index. */
static void index_due(struct batch *batch)
{
	if (batch->by_due.slots == NULL ||
	    2 * batch->due_count > batch->by_due.mask + 1) {
		init_index(&batch->by_due, batch->arena, 2 * batch->due_count);
		batch->due_indexed = 0;
	}
	wf_assert(batch->due_indexed <= batch->due_count);
	for (; batch->due_indexed < batch->due_count; batch->due_indexed++) {
		const struct wf_due_row *row =
		    &batch->due[batch->due_indexed].row;

		*slot_of_due(batch, row->number, row->name) =
		    (uint32_t)batch->due_indexed + 1;
	}
}

struct wf_due_write *wf_batch_find_due(
    struct batch *batch, uint64_t number, const char *name)
{
	uint32_t slot;

	index_due(batch);
	slot = *slot_of_due(batch, number, name);
	return slot == 0 ? NULL : &batch->due[slot - 1];
}

/* --- planning ------------------------------------------------------------- */

static struct work *work_of(struct batch *batch, uint64_t number)
{
	uint32_t *slot =
	    slot_of(&batch->by_number, batch, number, is_number, &number);

	if (*slot == 0) {
		batch->works[batch->work_count].number = number;
		*slot = (uint32_t)++batch->work_count;
		wf_assert(batch->work_count <= batch->count);
	}
	return &batch->works[*slot - 1];
}

static void plan_case(struct batch *batch, struct pending *pending)
{
	struct work *work = work_of(batch, pending->number);
	const struct cached *cached;

	pending->work = work;
	if (work->take != NULL)
		return;
	wf_assert(batch->begin.take_count < batch->count);
	work->take = &batch->begin.takes[batch->begin.take_count++];
	work->take->number = work->number;
	cached = wf_cache_find(&batch->shard->cache, work->number);
	work->take->known = cached == NULL ? 0 : cached->version;
}

static void give_name(struct batch *batch, struct pending *pending)
{
	const char *wanted = pending->request.launch.name;

	if (pending->number == 0) {
		pending->number = wf_numbers_take(batch->shard);
		pending->own_name = wanted[0] == '\0';
	}
	if (pending->own_name)
		snprintf(pending->name, sizeof(pending->name), "%llu",
		    (unsigned long long)pending->number);
	else
		snprintf(pending->name, sizeof(pending->name), "%s", wanted);
}

static void plan_launch(struct batch *batch, struct pending *pending)
{
	struct wf_claim claim = { .namespace_id =
				      pending->request.namespace_id };
	uint32_t *slot;

	give_name(batch, pending);
	if (pending->request.kind == WF_REQUEST_SCHEDULE)
		return;
	claim.name = pending->name;
	slot = slot_of(
	    &batch->by_name, batch, hash_text(claim.name), is_name, &claim);
	if (*slot != 0) {
		pending->fate = FATE_AGAIN;
		return;
	}
	wf_assert(batch->begin.claim_count < batch->count);
	batch->begin.claims[batch->begin.claim_count] = claim;
	*slot = (uint32_t)++batch->begin.claim_count;
	pending->work = work_of(batch, pending->number);
	pending->work->claim = &batch->begin.claims[*slot - 1];
}

/* False: another request of the batch has the same id. */
static bool plan_command(struct batch *batch, struct pending *pending)
{
	uint32_t *slot = slot_of(&batch->by_command, batch,
	    hash_text(pending->id), is_command, pending->id);

	if (*slot != 0)
		return false;
	wf_assert(batch->begin.command_count < batch->count);
	batch->begin.commands[batch->begin.command_count].id = pending->id;
	*slot = (uint32_t)++batch->begin.command_count;
	pending->look_up = &batch->begin.commands[*slot - 1];
	return true;
}

static void plan_request(struct batch *batch, struct pending *pending)
{
	const struct wf_request *request = &pending->request;

	/* A command that was never tried cannot have been done. */
	if (!pending->new_id && !plan_command(batch, pending)) {
		pending->fate = FATE_AGAIN;
		return;
	}
	pending->new_id = false;
	if (wf_request_launches(request))
		plan_launch(batch, pending);
	else if (pending->number != 0 && request->kind != WF_REQUEST_WITHDRAW)
		plan_case(batch, pending);
}

void wf_batch_plan(struct batch *batch)
{
	struct wf_arena *arena = batch->arena;
	size_t count = batch->count;

	batch->begin.takes =
	    wf_arena_array(arena, count, sizeof(*batch->begin.takes));
	batch->begin.claims =
	    wf_arena_array(arena, count, sizeof(*batch->begin.claims));
	batch->begin.commands =
	    wf_arena_array(arena, count, sizeof(*batch->begin.commands));
	batch->works = wf_arena_array(arena, count, sizeof(*batch->works));
	init_index(&batch->by_number, arena, count);
	init_index(&batch->by_name, arena, count);
	init_index(&batch->by_command, arena, count);
	for (size_t i = 0; i < count; i++) {
		struct pending *pending = batch->pendings[i];

		pending->work = NULL;
		pending->look_up = NULL;
		pending->fate = FATE_ANSWER;
		memset(&pending->answer, 0, sizeof(pending->answer));
		plan_request(batch, pending);
	}
}

/* --- preparing ------------------------------------------------------------ */

/* Finds the case of an incident; 0 when the incident is gone. */
static enum wf_rc find_incident(
    struct batch *batch, struct pending *pending, struct wf_error *err)
{
	struct wf_incident_row row;
	struct wf_store *reader;
	enum wf_rc rc;

	if (pending->request.incident.id == 0)
		return WF_OK;
	pending->number = 0;
	rc = wf_batch_reader(batch, &reader, err);
	if (rc == WF_OK)
		rc = wf_store_incident(reader, pending->request.incident.id,
		    batch->arena, &row, err);
	if (rc == WF_OK)
		pending->number = row.number;
	if (rc != WF_NOT_FOUND)
		return rc;
	wf_error_clear(err);
	return WF_OK;
}

/* At most one: a command may fail when it is due, or leave a deadlock. */
static bool may_open_incident(const struct pending *pending)
{
	return pending->due != NULL ||
	       pending->request.kind == WF_REQUEST_COMMAND ||
	       pending->request.kind == WF_REQUEST_REPORT;
}

enum wf_rc wf_batch_prepare(struct batch *batch, struct wf_error *err)
{
	size_t launches = 0;
	size_t incidents = 0;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < batch->count; i++) {
		struct pending *pending = batch->pendings[i];

		incidents += may_open_incident(pending);
		if (pending->request.kind == WF_REQUEST_RETRY ||
		    pending->request.kind == WF_REQUEST_DROP)
			rc = find_incident(batch, pending, err);
		else if (wf_request_launches(&pending->request))
			launches += pending->number == 0;
	}
	if (rc == WF_OK && launches > 0)
		rc = wf_numbers_ensure(batch->shard, launches, err);
	if (rc == WF_OK && incidents > 0)
		rc = wf_incidents_ensure(batch->shard, incidents, err);
	return rc;
}
