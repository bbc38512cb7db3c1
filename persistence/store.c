/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store contract: checks how a handle is used, then calls the
 * implementation through its table of functions.  It knows none of them.
 */
#include <string.h>

#include "base/limits.h"
#include "base/panic.h"
#include "persistence/backend.h"

void wf_store_close(struct wf_store **store)
{
	if (*store == NULL)
		return;
	wf_store_check(*store);
	wf_store_abort(*store);
	wf_store_discard(store);
}

const char *wf_store_url(const struct wf_store *store)
{
	wf_store_check(store);
	return store->url;
}

bool wf_store_is_shared(const struct wf_store *store)
{
	wf_store_check(store);
	return store->shared;
}

const char *wf_store_identity(const struct wf_store *store)
{
	wf_store_check(store);
	return store->identity;
}

uint32_t wf_store_version(const struct wf_store *store)
{
	wf_store_check(store);
	return store->version;
}

uint32_t wf_store_version_found(const struct wf_store *store)
{
	wf_store_check(store);
	return store->version_found;
}

uint64_t wf_store_statements(const struct wf_store *store)
{
	wf_store_check(store);
	return store->statements;
}

void wf_store_fail_after(
    struct wf_store *store, uint64_t n, enum wf_fault fault)
{
	wf_store_check(store);
	store->fail_after = n;
	store->fault = fault;
	store->lost = false;
}

uint64_t wf_store_faults(const struct wf_store *store)
{
	wf_store_check(store);
	return store->faults;
}

/* --- the batch ------------------------------------------------------------ */

/* The one writer of the state: see the diagram in backend.h. */
static void move_batch(
    struct wf_store *store, enum wf_batch_state from, enum wf_batch_state to)
{
	wf_assert(store->batch == from);
	store->batch = to;
}

/* The keys of what a batch takes, and the version of a new case. */
static void check_writes(const struct wf_writes *writes)
{
	for (size_t i = 0; i < writes->case_count; i++) {
		const struct wf_case_write *write = &writes->cases[i];

		wf_assert(write->row.number != 0);
		/* A step never goes back to an earlier version. */
		wf_assert(write->change == WF_CASE_QUARANTINE ||
			  write->change == WF_CASE_PUT_BACK ||
			  write->row.version >= write->expected);
	}
	for (size_t i = 0; i < writes->history_count; i++)
		wf_assert(writes->history[i].number != 0 &&
			  writes->history[i].sequence != 0);
	for (size_t i = 0; i < writes->item_count; i++)
		wf_assert(
		    writes->items[i].row.number != 0 &&
		    writes->items[i].row.id != NULL &&
		    (writes->items[i].groups & ~(unsigned)WF_ITEM_ALL) == 0);
}

enum wf_rc wf_store_begin(struct wf_store *store, struct wf_batch *batch,
    struct wf_arena *arena, struct wf_error *err)
{
	enum wf_rc rc;

	wf_store_check_idle(store);
	rc = store->ops->begin(store, batch, arena, err);
	if (rc == WF_OK)
		move_batch(store, WF_BATCH_IDLE, WF_BATCH_BEGUN);
	return rc;
}

enum wf_rc wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err)
{
	uint64_t cause = 0;
	enum wf_rc rc;

	wf_store_check(store);
	check_writes(writes);
	move_batch(store, WF_BATCH_BEGUN, WF_BATCH_COMMITTING);
	rc = store->ops->commit(store, writes, &cause, err);
	move_batch(store, WF_BATCH_COMMITTING, WF_BATCH_IDLE);
	wf_assert(rc != WF_OK || cause == 0);
	if (cause_out != NULL)
		*cause_out = cause;
	return rc;
}

void wf_store_abort(struct wf_store *store)
{
	wf_store_check(store);
	if (store->batch == WF_BATCH_IDLE)
		return;
	move_batch(store, WF_BATCH_BEGUN, WF_BATCH_IDLE);
	store->ops->abort(store);
}

enum wf_rc wf_store_value(struct wf_store *store, uint64_t number,
    uint32_t value, struct wf_arena *arena, struct wf_bytes *text_out,
    struct wf_error *err)
{
	wf_store_check(store);
	wf_assert(store->batch != WF_BATCH_COMMITTING);
	return store->ops->value(store, number, value, arena, text_out, err);
}

/* --- everything else: one call, one transaction, never inside a batch ----- */

enum wf_rc wf_store_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err)
{
	enum wf_rc rc;

	wf_store_check_idle(store);
	rc = store->ops->reserve(store, counter, count, first_out, err);
	/* Numbers are never 0, nor larger than both databases can store. */
	if (rc == WF_OK &&
	    (*first_out == 0 || *first_out > (uint64_t)INT64_MAX - count))
		return wf_fail(err, WF_CORRUPT,
		    "the counter '%s' of the store is damaged",
		    wf_counter_name(counter));
	return rc;
}

enum wf_rc wf_store_reserve_above(struct wf_store *store,
    enum wf_counter counter, uint64_t least, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->reserve_above(store, counter, least, err);
}

enum wf_rc wf_store_forget_answers(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->forget_answers(store, before, limit, count_out, err);
}

enum wf_rc wf_store_find(struct wf_store *store, uint32_t namespace_id,
    const char *const *names, size_t count, uint64_t *numbers_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->find(
	    store, namespace_id, names, count, numbers_out, err);
}

enum wf_rc wf_store_case(struct wf_store *store, uint64_t number, bool state,
    struct wf_arena *arena, struct wf_stored_case *case_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->stored_case(
	    store, number, state, arena, case_out, err);
}

struct wf_specification_keys wf_one_specification(const uint64_t *key)
{
	return (struct wf_specification_keys){ key, *key != 0 };
}

bool wf_is_specification(
    const struct wf_specification_keys *specifications, uint64_t key)
{
	for (size_t i = 0; i < specifications->count; i++)
		if (specifications->keys[i] == key)
			return true;
	return specifications->count == 0;
}

static void check_keys(const struct wf_specification_keys *specifications)
{
	wf_assert(specifications->count <= WF_LIST_VERSIONS);
}

enum wf_rc wf_store_find_terms(struct wf_store *store,
    const struct wf_term_range *range, uint64_t after, bool descending,
    size_t limit, uint64_t *numbers_out, size_t *count_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	*count_out = 0;
	return store->ops->find_terms(store, range, after, descending, limit,
	    numbers_out, count_out, err);
}

enum wf_rc wf_store_variables(struct wf_store *store, const uint64_t *numbers,
    size_t count, struct wf_arena *arena, struct wf_term_list *list_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	memset(list_out, 0, sizeof(*list_out));
	return store->ops->variables(
	    store, numbers, count, arena, list_out, err);
}

enum wf_rc wf_store_numbered_cases(struct wf_store *store,
    const uint64_t *numbers, size_t count, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	memset(list_out, 0, sizeof(*list_out));
	return store->ops->numbered_cases(
	    store, numbers, count, arena, list_out, err);
}

enum wf_rc wf_store_put_terms(struct wf_store *store, uint64_t number,
    uint64_t version, const struct wf_term_row *rows, size_t count,
    bool *written_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	*written_out = false;
	return store->ops->put_terms(
	    store, number, version, rows, count, written_out, err);
}

enum wf_rc wf_store_involved_cases(struct wf_store *store,
    const struct wf_involved_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct wf_involved_filter from = *filter;

	wf_store_check_idle(store);
	wf_assert(filter->participant != NULL && filter->limit >= 1);
	memset(list_out, 0, sizeof(*list_out));
	if (from.after == 0 && !from.ascending)
		from.after = INT64_MAX;
	return store->ops->involved_cases(store, &from, arena, list_out, err);
}

enum wf_rc wf_store_is_involved(struct wf_store *store, const char *participant,
    uint64_t number, bool *is_out, struct wf_error *err)
{
	const struct wf_involved_filter filter = { .participant = participant,
		.ascending = true,
		.after = number - 1,
		.limit = 1 };
	struct wf_arena *arena = wf_arena_new();
	struct wf_case_list list;
	enum wf_rc rc;

	wf_assert(number > 0);
	rc = wf_store_involved_cases(store, &filter, arena, &list, err);
	*is_out =
	    rc == WF_OK && list.count > 0 && list.rows[0].row.number == number;
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_store_items(struct wf_store *store,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	check_keys(&filter->specifications);
	return store->ops->items(store, filter, arena, list_out, err);
}

/* The id without its last character, which may have several bytes. */
static const char *beginning_of(struct wf_arena *arena, const char *id)
{
	size_t length = strlen(id) - 1;

	while (length > 0 && ((unsigned char)id[length] & 0xC0) == 0x80)
		length--;
	return wf_arena_strndup(arena, id, length);
}

/* Right behind what its id begins with, no other of its task comes before it.
 */
enum wf_rc wf_store_item(struct wf_store *store, uint64_t number,
    const char *id, struct wf_arena *arena, struct wf_item_row *row_out,
    struct wf_error *err)
{
	const char *colon = strchr(id, ':');
	struct wf_item_filter filter = { .number = number, .limit = 1 };
	struct wf_item_list list;
	enum wf_rc rc;

	if (colon == NULL)
		return wf_fail_item(err, id);
	filter.task = colon + 1;
	filter.after_number = number;
	filter.after_id = beginning_of(arena, id);
	rc = wf_store_items(store, &filter, arena, &list, err);
	if (rc != WF_OK)
		return rc;
	if (list.count == 0 || strcmp(list.rows[0].id, id) != 0)
		return wf_fail_item(err, id);
	*row_out = list.rows[0];
	return WF_OK;
}

enum wf_rc wf_store_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(filter->specifications.count == 0);
	return store->ops->claim_items(
	    store, filter, owner, now, until, arena, list_out, err);
}

enum wf_rc wf_store_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->heartbeat(
	    store, number, id, owner, fence, until, err);
}

enum wf_rc wf_store_draft(struct wf_store *store, uint64_t number,
    const char *id, struct wf_arena *arena, struct wf_bytes *draft_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->draft(store, number, id, arena, draft_out, err);
}

enum wf_rc wf_store_put_draft(struct wf_store *store,
    const struct wf_draft_write *write, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->put_draft(store, write, err);
}

enum wf_rc wf_store_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->release(
	    store, number, id, owner, fence, not_before, err);
}

enum wf_rc wf_store_note_attempts(struct wf_store *store,
    const struct wf_item_row *rows, size_t count, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->note_attempts(store, rows, count, err);
}

enum wf_rc wf_store_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->expired_items(
	    store, now, limit, arena, list_out, err);
}

enum wf_rc wf_store_claim_due(struct wf_store *store, int64_t now,
    int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->claim_due(
	    store, now, until, limit, arena, list_out, err);
}

enum wf_rc wf_store_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->next_due(store, at_out, err);
}

enum wf_rc wf_store_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->due_of(
	    store, number, after, limit, arena, list_out, err);
}

enum wf_rc wf_store_message_queues(struct wf_store *store,
    const struct wf_message_queue *after, size_t limit, struct wf_arena *arena,
    struct wf_message_queue_list *list_out, struct wf_error *err)
{
	static const struct wf_message_queue first = { .destination = "" };

	wf_store_check_idle(store);
	return store->ops->message_queues(
	    store, after == NULL ? &first : after, limit, arena, list_out, err);
}

enum wf_rc wf_store_count_messages(struct wf_store *store,
    uint32_t namespace_id, const char *destination, uint64_t maximum,
    uint64_t *count_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->count_messages(
	    store, namespace_id, destination, maximum, count_out, err);
}

enum wf_rc wf_store_claim_messages(struct wf_store *store,
    const struct wf_message_queue *queues, size_t queue_count, int64_t until,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->claim_messages(
	    store, queues, queue_count, until, arena, list_out, err);
}

enum wf_rc wf_store_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->acknowledge(store, keys, count, err);
}

enum wf_rc wf_store_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->postpone(store, keys, count, at, tried, err);
}

enum wf_rc wf_store_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->redirect(store, keys, count, destination, err);
}

enum wf_rc wf_store_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	check_keys(&filter->specifications);
	return store->ops->history(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_history_end(
    struct wf_store *store, struct wf_cursor *cursor_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->history_end(store, cursor_out, err);
}

enum wf_rc wf_store_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->case_history(
	    store, number, after, limit, arena, list_out, err);
}

enum wf_rc wf_store_retire(struct wf_store *store, int64_t before, size_t limit,
    size_t *count_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->retire(store, before, limit, count_out, err);
}

enum wf_rc wf_store_ended(struct wf_store *store,
    const struct wf_ended_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(filter->limit > 0);
	memset(list_out, 0, sizeof(*list_out));
	return store->ops->ended(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_retire_cases(struct wf_store *store,
    const uint64_t *numbers, size_t count, size_t *count_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	*count_out = 0;
	if (count == 0)
		return WF_OK;
	return store->ops->retire_cases(store, numbers, count, count_out, err);
}

enum wf_rc wf_store_erase(struct wf_store *store,
    const struct wf_erased_row *row, struct wf_error *err)
{
	struct wf_erased_row own = *row;

	wf_store_check_idle(store);
	own.actor = row->actor == NULL ? "" : row->actor;
	own.reason = row->reason == NULL ? "" : row->reason;
	return store->ops->erase(store, &own, err);
}

enum wf_rc wf_store_erased(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_erased_row *row_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->erased(store, number, arena, row_out, err);
}

enum wf_rc wf_store_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->incidents(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_open_incidents(struct wf_store *store,
    const uint64_t *numbers, size_t count, const char *code,
    struct wf_arena *arena, struct wf_open_incident *open_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->open_incidents(
	    store, numbers, count, code, arena, open_out, err);
}

enum wf_rc wf_store_incident_cases(struct wf_store *store, const char *code,
    uint64_t after, bool descending, size_t limit, uint64_t *numbers_out,
    size_t *count_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	*count_out = 0;
	return store->ops->incident_cases(
	    store, code, after, descending, limit, numbers_out, count_out, err);
}

enum wf_rc wf_store_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->incident(store, id, arena, row_out, err);
}

enum wf_rc wf_store_change(
    struct wf_store *store, uint64_t *change_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->change(store, change_out, err);
}

enum wf_rc wf_store_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->put_specification(store, row, err);
}

enum wf_rc wf_store_specification(struct wf_store *store, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_specification_row *row_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->specification(
	    store, namespace_id, key, arena, row_out, err);
}

enum wf_rc wf_store_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->remove_specification(store, namespace_id, key, err);
}

enum wf_rc wf_store_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->specifications(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_put_records(struct wf_store *store,
    const struct wf_record_row *rows, size_t count, uint64_t seen,
    uint64_t *change_out, struct wf_error *err)
{
	uint64_t change;

	wf_store_check_idle(store);
	wf_assert(count > 0);
	return store->ops->put_records(store, rows, count, seen,
	    change_out == NULL ? &change : change_out, err);
}

enum wf_rc wf_store_put_record(struct wf_store *store,
    const struct wf_record_row *row, struct wf_error *err)
{
	return wf_store_put_records(store, row, 1, 0, NULL, err);
}

enum wf_rc wf_store_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->record(
	    store, namespace_id, kind, name, arena, row_out, err);
}

enum wf_rc wf_store_records(struct wf_store *store, const char *kind,
    uint64_t after, struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	memset(list_out, 0, sizeof(*list_out));
	return store->ops->records(store, kind, after, arena, list_out, err);
}

enum wf_rc wf_store_add_document(struct wf_store *store,
    struct wf_document_row *row, uint64_t maximum, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->add_document(store, row, maximum, err);
}

enum wf_rc wf_store_adopt_document(struct wf_store *store, uint64_t id,
    uint64_t number, uint64_t maximum, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->adopt_document(store, id, number, maximum, err);
}

enum wf_rc wf_store_put_document_block(struct wf_store *store,
    const struct wf_document_block_row *block, int64_t now,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->put_document_block(store, block, now, err);
}

enum wf_rc wf_store_document(struct wf_store *store, uint64_t id,
    uint32_t version, struct wf_arena *arena, struct wf_document_row *row_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->document(store, id, version, arena, row_out, err);
}

enum wf_rc wf_store_documents(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_document_list *list_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->documents(store, number, arena, list_out, err);
}

enum wf_rc wf_store_document_block(struct wf_store *store, uint64_t id,
    uint32_t version, uint64_t place, struct wf_arena *arena,
    struct wf_document_block_row *row_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->document_block(
	    store, id, version, place, arena, row_out, err);
}

enum wf_rc wf_store_remove_document(
    struct wf_store *store, uint64_t id, uint32_t version, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->remove_document(store, id, version, err);
}

enum wf_rc wf_store_sweep_documents(struct wf_store *store, int64_t before,
    int64_t kept, size_t limit, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->sweep_documents(store, before, kept, limit, err);
}

enum wf_rc wf_store_add_comment(struct wf_store *store,
    const struct wf_comment_row *row, struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(row->number != 0 && row->id != 0);
	return store->ops->add_comment(store, row, err);
}

enum wf_rc wf_store_comments(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_comment_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(limit >= 1);
	memset(list_out, 0, sizeof(*list_out));
	return store->ops->comments(
	    store, number, after, limit, arena, list_out, err);
}

enum wf_rc wf_store_remove_comment(
    struct wf_store *store, uint64_t number, uint64_t id, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->remove_comment(store, number, id, err);
}

enum wf_rc wf_store_add_session(struct wf_store *store,
    const struct wf_session_row *row, size_t maximum, struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(maximum >= 1 && row->key[0] != '\0');
	return store->ops->add_session(store, row, maximum, err);
}

enum wf_rc wf_store_session(struct wf_store *store, const char *key,
    struct wf_arena *arena, struct wf_session_row *row_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->session(store, key, arena, row_out, err);
}

enum wf_rc wf_store_use_session(struct wf_store *store, const char *key,
    int64_t used_at, int64_t ends_at, struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(used_at <= ends_at);
	return store->ops->use_session(store, key, used_at, ends_at, err);
}

enum wf_rc wf_store_live_sessions(struct wf_store *store,
    const char *const *keys, size_t count, int64_t now, bool *live_out,
    struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->live_sessions(
	    store, keys, count, now, live_out, err);
}

enum wf_rc wf_store_remove_session(struct wf_store *store, const char *key,
    size_t *count_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	*count_out = 0;
	return store->ops->remove_session(store, key, count_out, err);
}

enum wf_rc wf_store_remove_sessions(struct wf_store *store, const char *account,
    size_t *count_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	*count_out = 0;
	return store->ops->remove_sessions(store, account, count_out, err);
}

enum wf_rc wf_store_sweep_sessions(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->sweep_sessions(store, before, limit, err);
}

enum wf_rc wf_store_put_outcomes(struct wf_store *store,
    const struct wf_outcome_row *rows, size_t count, struct wf_error *err)
{
	wf_store_check_idle(store);
	return count == 0 ? WF_OK
			  : store->ops->put_outcomes(store, rows, count, err);
}

enum wf_rc wf_store_outcomes(struct wf_store *store,
    const struct wf_outcome_filter *filter, struct wf_arena *arena,
    struct wf_outcome_list *list_out, struct wf_error *err)
{
	struct wf_outcome_filter whole = *filter;

	wf_store_check_idle(store);
	wf_assert(filter->limit > 0);
	memset(list_out, 0, sizeof(*list_out));
	if (whole.after_subject == NULL)
		whole.after_subject = "";
	return store->ops->outcomes(store, &whole, arena, list_out, err);
}

enum wf_rc wf_store_remove_outcomes(struct wf_store *store, uint64_t operation,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	*count_out = 0;
	return store->ops->remove_outcomes(
	    store, operation, limit, count_out, err);
}

enum wf_rc wf_store_add_audit(struct wf_store *store,
    const struct wf_audit_row *rows, size_t count, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->add_audit(store, rows, count, err);
}

enum wf_rc wf_store_audit(struct wf_store *store,
    const struct wf_audit_filter *filter, struct wf_arena *arena,
    struct wf_audit_list *list_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(filter->limit >= 1);
	memset(list_out, 0, sizeof(*list_out));
	return store->ops->audit(store, filter, arena, list_out, err);
}

enum wf_rc wf_store_sweep_audit(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->sweep_audit(store, before, limit, err);
}

enum wf_rc wf_store_notify(struct wf_store *store, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->notify(store, err);
}

enum wf_rc wf_store_wait(struct wf_store *store, int milliseconds,
    bool *notified_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->wait(store, milliseconds, notified_out, err);
}

enum wf_rc wf_store_backlog(struct wf_store *store, uint64_t maximum,
    struct wf_store_backlog *backlog_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	wf_assert(maximum > 0 && maximum <= INT64_MAX);
	return store->ops->backlog(store, maximum, backlog_out, err);
}

enum wf_rc wf_store_facts(struct wf_store *store,
    struct wf_store_facts *facts_out, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->facts(store, facts_out, err);
}

const char *wf_store_exposed_file(struct wf_store *store)
{
	return store->ops->exposed_file == NULL
		   ? NULL
		   : store->ops->exposed_file(store);
}

enum wf_rc wf_store_backup(
    struct wf_store *store, const char *path, struct wf_error *err)
{
	wf_store_check_idle(store);
	if (store->ops->backup == NULL)
		return wf_fail(err, WF_UNSUPPORTED,
		    "%.200s is no file of SQLite; PostgreSQL is backed up "
		    "by its own tools, such as pg_dump",
		    store->url);
	return store->ops->backup(store, path, err);
}

enum wf_rc wf_store_verify(struct wf_store *store, wf_report_f report,
    void *context, struct wf_error *err)
{
	wf_store_check_idle(store);
	return store->ops->verify(store, report, context, err);
}
