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

/*
 * A message that stands behind another one of its stream is not claimed, and
 * that other one is removed only when it has arrived: so one of a stream is
 * under way, whichever node claims.
 */
enum wf_rc wf_pg_claim_messages(struct wf_store *store, const char *destination,
    int64_t now, int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_message_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s,
	    destination == NULL ? SQL(CLAIM_MESSAGES) : SQL(CLAIM_MESSAGES_TO));
	wf_pg_number(s, (uint64_t)now);
	wf_pg_number(s, (uint64_t)until);
	wf_pg_number(s, wf_pg_limit(limit));
	if (destination != NULL)
		wf_pg_text(s, destination);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_message, arena, &list_out->count);
	return rc;
}

/* A statement about many messages; what else it needs comes behind them. */
static void call_for_each(struct pg_store *s, enum pg_statement which,
    const struct wf_message_key *keys, size_t count)
{
	const void **rows = wf_malloc((count + 1) * sizeof(*rows));

	for (size_t i = 0; i < count; i++)
		rows[i] = &keys[i];
	wf_pg_call(s, which);
	wf_pg_array(s, &wf_pg_layout_message_key, rows, count);
	wf_free(rows);
}

enum wf_rc wf_pg_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	call_for_each(s, SQL(ACKNOWLEDGE), keys, count);
	return wf_pg_run(s, PG_COMMIT, err);
}

enum wf_rc wf_pg_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	call_for_each(
	    s, tried ? SQL(POSTPONE) : SQL(PUT_BACK_MESSAGES), keys, count);
	wf_pg_number(s, (uint64_t)at);
	return wf_pg_run(s, PG_COMMIT, err);
}

enum wf_rc wf_pg_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	call_for_each(s, SQL(REDIRECT), keys, count);
	wf_pg_text(s, destination);
	return wf_pg_run(s, PG_COMMIT, err);
}
