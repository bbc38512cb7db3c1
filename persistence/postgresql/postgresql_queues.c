/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in PostgreSQL: due commands and the outbox.
 *
 * A claim locks the rows it wants and passes over those that another node is
 * claiming, so that no node waits and no row is claimed twice.
 */
#include "persistence/postgresql/postgresql_priv.h"

/* --- due ------------------------------------------------------------------ */

static enum wf_rc run_due(struct pg_store *s, enum pg_end end,
    struct wf_arena *arena, struct wf_due_list *list_out, struct wf_error *err)
{
	enum wf_rc rc = wf_pg_run(s, end, err);

	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_due, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_claim_due(struct wf_store *store, int64_t now, int64_t until,
    size_t limit, struct wf_arena *arena, struct wf_due_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(CLAIM_DUE));
	wf_pg_number(s, (uint64_t)now);
	wf_pg_number(s, (uint64_t)until);
	wf_pg_number(s, wf_pg_limit(limit));
	return run_due(s, PG_COMMIT, arena, list_out, err);
}

enum wf_rc wf_pg_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(NEXT_DUE));
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	*at_out = wf_pg_get_time(s, 0);
	return WF_OK;
}

enum wf_rc wf_pg_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(DUE_OF));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	wf_pg_text(s, after);
	wf_pg_number(s, wf_pg_limit(limit));
	return run_due(s, PG_READ, arena, list_out, err);
}

/* --- outbox --------------------------------------------------------------- */

enum wf_rc wf_pg_message_queues(struct wf_store *store,
    const struct wf_message_queue *after, size_t limit, struct wf_arena *arena,
    struct wf_message_queue_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(MESSAGE_QUEUES));
	wf_pg_integer(s, after->namespace_id);
	wf_pg_text(s, after->destination);
	wf_pg_number(s, wf_pg_limit(limit));
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	list_out->count = wf_pg_count(s, 0);
	list_out->rows =
	    wf_arena_array(arena, list_out->count, sizeof(*list_out->rows));
	for (size_t i = 0; i < list_out->count; i++) {
		struct wf_message_queue *queue = &list_out->rows[i];

		queue->namespace_id = (uint32_t)wf_pg_get_number(s, 0, i, 0);
		queue->destination = wf_pg_get_bytes(s, 0, i, 1, arena).data;
		queue->at = (int64_t)wf_pg_get_number(s, 0, i, 2);
	}
	return WF_OK;
}

enum wf_rc wf_pg_count_messages(struct wf_store *store, uint32_t namespace_id,
    const char *destination, uint64_t maximum, uint64_t *count_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	*count_out = 0;
	wf_pg_call(s, SQL(COUNT_HEADS));
	wf_pg_integer(s, namespace_id);
	wf_pg_text(s, destination);
	wf_pg_number(s, maximum);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		*count_out = wf_pg_get_number(s, 0, 0, 0);
	return rc;
}

/* As many pointers as wf_pg_array() needs; for wf_free(). */
static const void **pointers(const void *rows, size_t count, size_t size)
{
	const void **all = wf_malloc((count + 1) * sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i] = (const char *)rows + i * size;
	return all;
}

/*
 * A message that stands behind another one of its stream is not claimed, and
 * that other one is removed only when it has arrived: so one of a stream is
 * under way, whichever node claims.
 */
enum wf_rc wf_pg_claim_messages(struct wf_store *store,
    const struct wf_message_queue *queues, size_t queue_count, int64_t until,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	const void **rows = pointers(queues, queue_count, sizeof(*queues));
	enum wf_rc rc;

	wf_pg_call(s, SQL(CLAIM_MESSAGES));
	wf_pg_array(s, &wf_pg_layout_message_queue, rows, queue_count);
	wf_free(rows);
	wf_pg_number(s, (uint64_t)until);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_message, arena, &list_out->count);
	return rc;
}

static void call_for_each(struct pg_store *s, enum pg_statement which,
    const struct wf_message_key *keys, size_t count)
{
	const void **rows = pointers(keys, count, sizeof(*keys));

	wf_pg_call(s, which);
	wf_pg_array(s, &wf_pg_layout_message_key, rows, count);
	wf_free(rows);
}

/*
 * Begins a transaction that locks these messages, and calls a statement about
 * them; what else the statement needs comes next.
 *
 * LOCK_LEAVING, for messages that leave their stream, waits for batches that
 * have added a message behind one of these (postgresql_writes.def), and the
 * statement sees what they added, to make it the head.  A batch that comes
 * later finds these locked, and makes its message the head.  LOCK_STAYING does
 * not meet with batches.
 */
static void call_locked(struct pg_store *s, enum pg_statement lock,
    enum pg_statement which, const struct wf_message_key *keys, size_t count)
{
	wf_pg_call(s, SQL(BEGIN));
	call_for_each(s, lock, keys, count);
	call_for_each(s, which, keys, count);
}

static enum wf_rc commit(struct pg_store *s, struct wf_error *err)
{
	wf_pg_call(s, SQL(COMMIT));
	return wf_pg_run(s, PG_COMMIT, err);
}

enum wf_rc wf_pg_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	call_locked(s, SQL(LOCK_LEAVING), SQL(ACKNOWLEDGE), keys, count);
	return commit(s, err);
}

enum wf_rc wf_pg_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	call_locked(s, SQL(LOCK_STAYING),
	    tried ? SQL(POSTPONE) : SQL(PUT_BACK_MESSAGES), keys, count);
	wf_pg_number(s, (uint64_t)at);
	return commit(s, err);
}

enum wf_rc wf_pg_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	call_locked(s, SQL(LOCK_LEAVING), SQL(REDIRECT), keys, count);
	wf_pg_text(s, destination);
	return commit(s, err);
}
