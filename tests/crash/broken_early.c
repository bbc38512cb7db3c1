/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build that is broken on purpose: it answers before it commits. A commit
 * reports success at once and is done at the end of the turn. The program is
 * linked so that the calls come here.
 */
#include <string.h>

#include "persistence/columns.h"
#include "runtime/shard.h"
#include "tests/crash/faults.h"

bool __real_wf_shard_turn(struct shard *shard);
bool __wrap_wf_shard_turn(struct shard *shard);
enum wf_rc __real_wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err);
enum wf_rc __wrap_wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err);
enum wf_rc __real_wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err);
enum wf_rc __wrap_wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err);

/* The writes that a turn has promised; all of them are in the arena. */
static _Thread_local struct {
	struct wf_store *begun; /* the store of the batch */
	struct wf_store *store; /* NULL: nothing */
	struct wf_writes writes;
	struct wf_batch batch;
	struct wf_arena *arena;
} promise;

static void keep_promise(void)
{
	uint64_t cause;
	enum wf_rc rc;

	if (promise.store == NULL)
		return;
	crash_commit();
	rc = __real_wf_store_commit(
	    promise.store, &promise.writes, &cause, NULL);
	(void)rc; /* too late */
	promise.store = NULL;
}

bool __wrap_wf_shard_turn(struct shard *shard)
{
	bool done = __real_wf_shard_turn(shard);

	keep_promise();
	return done;
}

/* --- begin: with texts that outlive the requests -------------------------- */

static void copy_batch(const struct wf_batch *batch)
{
	struct wf_arena *arena = promise.arena;
	struct wf_batch *copy = &promise.batch;

	*copy = *batch;
	copy->takes =
	    wf_arena_array(arena, batch->take_count, sizeof(*batch->takes));
	copy->claims =
	    wf_arena_array(arena, batch->claim_count, sizeof(*batch->claims));
	copy->commands = wf_arena_array(
	    arena, batch->command_count, sizeof(*batch->commands));
	for (size_t i = 0; i < batch->take_count; i++)
		copy->takes[i] = batch->takes[i];
	for (size_t i = 0; i < batch->claim_count; i++) {
		copy->claims[i] = batch->claims[i];
		copy->claims[i].name =
		    wf_arena_strdup(arena, batch->claims[i].name);
	}
	for (size_t i = 0; i < batch->command_count; i++)
		copy->commands[i].id =
		    wf_arena_strdup(arena, batch->commands[i].id);
}

enum wf_rc __wrap_wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	enum wf_rc rc;

	/* Of records, within a batch of cases. */
	if (batch->take_count + batch->claim_count + batch->command_count == 0)
		return __real_wf_store_begin(store, batch, arena, err);
	keep_promise();
	promise.begun = store;
	if (promise.arena == NULL)
		promise.arena = wf_arena_new();
	wf_arena_reset(promise.arena);
	copy_batch(batch);
	rc = __real_wf_store_begin(store, &promise.batch, arena, err);
	for (size_t i = 0; i < batch->take_count; i++)
		batch->takes[i] = promise.batch.takes[i];
	for (size_t i = 0; i < batch->claim_count; i++) {
		batch->claims[i].state = promise.batch.claims[i].state;
		batch->claims[i].number = promise.batch.claims[i].number;
	}
	for (size_t i = 0; i < batch->command_count; i++) {
		batch->commands[i].state = promise.batch.commands[i].state;
		batch->commands[i].answer = promise.batch.commands[i].answer;
	}
	return rc;
}

/* --- commit --------------------------------------------------------------- */

/* A copy of an array of structs that begin with a row. */
static const void *copy(const struct wf_row_layout *shape, const void *from,
    size_t count, size_t size)
{
	char *to = wf_arena_array(promise.arena, count, size);

	for (size_t i = 0; i < count; i++) {
		const char *row = (const char *)from + i * size;

		memcpy(to + i * size, row, size);
		wf_row_copy_to(shape, to + i * size, row, promise.arena);
	}
	return to;
}

#define COPY(name, shape)                                                      \
	promise.writes.name##s = copy(&wf_layout_##shape, writes->name##s,     \
	    writes->name##_count, sizeof(*writes->name##s))

static const struct wf_case_write *copy_cases(const struct wf_writes *writes)
{
	struct wf_case_write *to =
	    wf_arena_array(promise.arena, writes->case_count, sizeof(*to));

	for (size_t i = 0; i < writes->case_count; i++) {
		const struct wf_case_write *from = &writes->cases[i];

		to[i] = *from;
		wf_row_copy_to(
		    &wf_layout_case, &to[i].row, &from->row, promise.arena);
		if (from->snapshot.data != NULL)
			to[i].snapshot.data = wf_arena_strndup(promise.arena,
			    from->snapshot.data, from->snapshot.size);
	}
	return to;
}

enum wf_rc __wrap_wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err)
{
	if (store != promise.begun)
		return __real_wf_store_commit(store, writes, cause_out, err);
	promise.store = store;
	promise.writes = *writes;
	promise.writes.cases = copy_cases(writes);
	COPY(item, item);
	COPY(value, value);
	promise.writes.history = copy(&wf_layout_history, writes->history,
	    writes->history_count, sizeof(*writes->history));
	promise.writes.due = copy(&wf_layout_due, writes->due,
	    writes->due_count, sizeof(*writes->due));
	COPY(message, message);
	COPY(answer, answer);
	COPY(incident, incident);
	return WF_OK;
}
