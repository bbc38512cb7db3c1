/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A build that is broken on purpose: it ignores the version guard. A shard is
 * given its cached cases as those of the store, and writes their next step
 * whatever happened in the meantime. The program is linked so that the calls
 * come here.
 */
#include <string.h>

#include "persistence/store.h"
#include "runtime/checksum.h"
#include "tests/crash/faults.h"

enum wf_rc __real_wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err);
enum wf_rc __wrap_wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err);
enum wf_rc __real_wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err);
enum wf_rc __wrap_wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err);

/* A case of the batch of this thread that others have stepped. */
struct stale {
	uint64_t number;
	uint64_t behind; /* how many steps */
};

static _Thread_local struct {
	struct wf_store *store; /* of the batch */
	struct stale *list;
	size_t count;
	struct wf_arena *arena;
} stales;

static uint64_t behind(uint64_t number)
{
	for (size_t i = 0; i < stales.count; i++)
		if (stales.list[i].number == number)
			return stales.list[i].behind;
	return 0;
}

enum wf_rc __wrap_wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	enum wf_rc rc = __real_wf_store_begin(store, batch, arena, err);

	/* Of records, within a batch of cases. */
	if (batch->take_count + batch->claim_count + batch->command_count == 0)
		return rc;
	stales.store = store;
	stales.arena = arena;
	stales.list =
	    wf_arena_array(arena, batch->take_count, sizeof(*stales.list));
	stales.count = 0;
	for (size_t i = 0; rc == WF_OK && i < batch->take_count; i++) {
		struct wf_take *take = &batch->takes[i];
		struct wf_case_row *row = &take->stored.row;
		struct stale *stale = &stales.list[stales.count];

		if (take->state != WF_TAKE_TAKEN || take->known == 0 ||
		    row->version == take->known)
			continue;
		stale->number = row->number;
		stale->behind = row->version - take->known;
		stales.count++;
		row->version = take->known;
	}
	return rc;
}

enum wf_rc __wrap_wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err)
{
	struct wf_writes all = *writes;
	struct wf_case_write *cases;
	struct wf_history_row *history;

	if (store != stales.store)
		return __real_wf_store_commit(store, writes, cause_out, err);
	cases =
	    wf_arena_array(stales.arena, writes->case_count, sizeof(*cases));
	history = wf_arena_array(
	    stales.arena, writes->history_count, sizeof(*history));
	for (size_t i = 0; i < writes->case_count; i++) {
		cases[i] = writes->cases[i];
		cases[i].expected += behind(cases[i].row.number);
		cases[i].row.version += behind(cases[i].row.number);
	}
	for (size_t i = 0; i < writes->history_count; i++) {
		history[i] = writes->history[i];
		if (behind(history[i].number) == 0 ||
		    wf_checksum_check_history(
			&history[i], &history[i].events, err) != WF_OK)
			continue;
		history[i].sequence += behind(history[i].number);
		wf_checksum_add_history(&history[i], stales.arena);
	}
	crash_commit();
	all.cases = cases;
	all.history = history;
	return __real_wf_store_commit(store, &all, cause_out, err);
}
