/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: lists of cases, items and incidents, and leases. */
#include <stdio.h>
#include <string.h>

#include "persistence/postgresql/postgresql_priv.h"

/* --- a statement made on the spot ----------------------------------------- */

/* Of a claim: those of the filter twice, and the owner. */
#define WANTED_TEXTS 5

/* What a filter leaves open is not part of the statement. */
struct query {
	struct wf_buffer sql;
	const char *texts[WANTED_TEXTS];
	unsigned text_count;
};

static void begin_query(struct query *q)
{
	memset(q, 0, sizeof(*q));
	wf_buffer_init(&q->sql, 1 << 18);
}

static void want_number(struct query *q, const char *column, uint64_t number)
{
	if (number != 0)
		wf_buffer_printf(&q->sql, " AND %s = bigint '%lld'", column,
		    (long long)number);
}

/* A specification. */
static void want_key(struct query *q, uint64_t key)
{
	wf_buffer_printf(
	    &q->sql, " AND specification = bigint '%lld'", (long long)key);
}

static void want_text(struct query *q, const char *column, const char *text)
{
	if (text == NULL)
		return;
	q->texts[q->text_count++] = text;
	wf_buffer_printf(&q->sql, " AND %s = $%u", column, q->text_count);
}

static void want_statuses(struct query *q, uint32_t statuses)
{
	if (statuses != 0)
		wf_buffer_printf(&q->sql,
		    " AND (bigint '%u' >> status) & 1 = 1", (unsigned)statuses);
}

/* The statement, with the texts that are wanted as its first parameters. */
static void call_query(struct pg_store *s, struct query *q)
{
	wf_pg_call_sql(s, wf_buffer_text(&q->sql));
	for (unsigned i = 0; i < q->text_count; i++)
		wf_pg_text(s, q->texts[i]);
	wf_buffer_free(&q->sql);
}

/* --- cases ---------------------------------------------------------------- */

enum wf_rc wf_pg_find(struct wf_store *store, uint32_t namespace_id,
    const char *const *names, size_t count, uint64_t *numbers_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(FIND));
	wf_pg_integer(s, namespace_id);
	wf_pg_texts(s, names, count);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++)
		numbers_out[i] = wf_pg_get_number(s, 0, i, 0);
	return WF_OK;
}

/* Reads a row: whether it has ended, the case, its snapshot. */
static void read_case(struct pg_store *s, size_t call, size_t row,
    struct wf_arena *arena, struct wf_stored_case *case_out)
{
	int columns = (int)wf_layout_case.count;

	memset(case_out, 0, sizeof(*case_out));
	case_out->ended = wf_pg_get_number(s, call, row, 0) != 0;
	wf_pg_read(s, call, row, 1, &wf_layout_case, &case_out->row, arena);
	case_out->snapshot = wf_pg_get_bytes(s, call, row, columns + 1, arena);
}

enum wf_rc wf_pg_stored_case(struct wf_store *store, uint64_t number,
    bool state, struct wf_arena *arena, struct wf_stored_case *case_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN_READ));
	wf_pg_call(s, SQL(CASE));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	wf_pg_boolean(s, state);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc != WF_OK)
		return rc;
	if (wf_pg_count(s, 1) == 0) {
		wf_pg_roll_back(s);
		return wf_missing(err, "case", number);
	}
	read_case(s, 1, 0, arena, case_out);
	if (state)
		rc = wf_pg_load_tail(s, arena, case_out, err);
	if (rc != WF_OK)
		return rc;
	wf_pg_call(s, SQL(COMMIT));
	return wf_pg_run(s, PG_READ, err);
}

/*
 * The first rows of one of the two tables of cases, for one specification after
 * the other.  The database merges them by number as far as the page goes: so a
 * page costs no more than its rows, however many cases there are.
 */
static void put_cases(struct query *q, const struct wf_case_filter *filter,
    const char *from, const char *ended)
{
	const struct wf_specification_keys *of = &filter->specifications;
	size_t i = 0;

	do {
		wf_buffer_printf(&q->sql,
		    "%s(SELECT %s AS ended, {case}, NULL::bytea FROM %s"
		    " WHERE true",
		    i > 0 ? " UNION ALL " : "", ended, from);
		want_number(q, "namespace_id", filter->namespace_id);
		if (of->count > 0)
			want_key(q, of->keys[i]);
		if (filter->after != 0)
			wf_buffer_printf(&q->sql, " AND number %c %lld",
			    filter->descending ? '<' : '>',
			    (long long)filter->after);
		wf_buffer_printf(&q->sql, " ORDER BY number %s LIMIT %llu)",
		    filter->descending ? "DESC" : "",
		    (unsigned long long)wf_pg_limit(filter->limit));
	} while (++i < of->count);
}

static void call_cases(struct pg_store *s, const struct wf_case_filter *filter)
{
	bool both = filter->live == filter->ended;
	struct query q;

	begin_query(&q);
	wf_buffer_puts(&q.sql, "SELECT * FROM (");
	if (both || filter->live)
		put_cases(&q, filter, "cases", "false");
	if (both)
		wf_buffer_puts(&q.sql, " UNION ALL ");
	if (both || filter->ended)
		put_cases(&q, filter, "ended", "true");
	wf_buffer_printf(&q.sql, ") c ORDER BY number %s LIMIT %llu",
	    filter->descending ? "DESC" : "",
	    (unsigned long long)wf_pg_limit(filter->limit));
	call_query(s, &q);
}

enum wf_rc wf_pg_cases(struct wf_store *store,
    const struct wf_case_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	call_cases(s, filter);
	return wf_pg_run_cases(s, arena, list_out, err);
}

enum wf_rc wf_pg_run_cases(struct pg_store *s, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	enum wf_rc rc = wf_pg_run(s, PG_READ, err);

	if (rc != WF_OK)
		return rc;
	list_out->count = wf_pg_count(s, 0);
	list_out->rows =
	    wf_arena_array(arena, list_out->count, sizeof(*list_out->rows));
	for (size_t i = 0; i < list_out->count; i++)
		read_case(s, 0, i, arena, &list_out->rows[i]);
	return WF_OK;
}

/* --- items ---------------------------------------------------------------- */

static void put_item_filter(
    struct query *q, const struct wf_item_filter *filter)
{
	want_number(q, "namespace_id", filter->namespace_id);
	want_number(q, "number", filter->number);
	want_text(q, "task", filter->task);
	want_text(q, "service", filter->service);
	want_statuses(q, filter->statuses);
	if (filter->leased)
		wf_buffer_puts(
		    &q->sql, " AND lease_until > 0 AND started_at > 0");
	if (filter->enabled_before != 0)
		wf_buffer_printf(&q->sql, " AND enabled_at < %lld",
		    (long long)filter->enabled_before);
}

static enum wf_rc run_items(struct pg_store *s, enum pg_end end,
    struct wf_arena *arena, struct wf_item_list *list_out, struct wf_error *err)
{
	enum wf_rc rc = wf_pg_run(s, end, err);

	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_item, arena, &list_out->count);
	return rc;
}

/* The cases of the specifications in the order of their numbers, merged. */
static void put_cases_of(struct query *q, const struct wf_item_filter *filter)
{
	const struct wf_specification_keys *of = &filter->specifications;

	for (size_t i = 0; i < of->count; i++) {
		wf_buffer_printf(&q->sql,
		    "%s(SELECT part, number FROM cases WHERE number >= %lld",
		    i > 0 ? " UNION ALL " : "(",
		    (long long)filter->after_number);
		want_key(q, of->keys[i]);
		wf_buffer_puts(&q->sql, ")");
	}
	wf_buffer_puts(&q->sql, " ORDER BY number) c");
}

/*
 * The rows that are wanted are found by their case, the cases of their
 * specifications, or their service; else, because they are kept by the part of
 * their case, the first of each part.
 */
static void put_items(struct query *q, const struct wf_item_filter *filter)
{
	if (filter->specifications.count > 0) {
		put_cases_of(q, filter);
		wf_buffer_puts(&q->sql,
		    " CROSS JOIN LATERAL (SELECT * FROM item"
		    " WHERE part = c.part AND number = c.number");
	} else if (filter->number != 0) {
		wf_buffer_printf(&q->sql, "(SELECT * FROM item WHERE part = %u",
		    wf_part(filter->number));
	} else if (filter->service != NULL) {
		wf_buffer_puts(&q->sql, "(SELECT * FROM item WHERE true");
	} else {
		wf_buffer_printf(&q->sql,
		    "generate_series(0, %u) AS p(part) CROSS JOIN LATERAL"
		    " (SELECT * FROM item WHERE part = p.part::smallint",
		    WF_PARTS - 1);
	}
	put_item_filter(q, filter);
	q->texts[q->text_count++] = wf_text(filter->after_id);
	wf_buffer_printf(&q->sql,
	    " AND (number, id) > (bigint '%lld', $%u)"
	    " ORDER BY number, id LIMIT %llu) i",
	    (long long)filter->after_number, q->text_count,
	    (unsigned long long)wf_pg_limit(filter->limit));
}

enum wf_rc wf_pg_items(struct wf_store *store,
    const struct wf_item_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct query q;

	begin_query(&q);
	wf_buffer_puts(&q.sql, "SELECT {item-|i.#} FROM ");
	put_items(&q, filter);
	wf_buffer_printf(&q.sql, " ORDER BY %s.number, i.id LIMIT %llu",
	    filter->specifications.count > 0 ? "c" : "i",
	    (unsigned long long)wf_pg_limit(filter->limit));
	call_query(s, &q);
	return run_items(s, PG_READ, arena, list_out, err);
}

/* --- incidents ------------------------------------------------------------ */

/*
 * Those of a case or a namespace are wanted by a comparison of rows: for an
 * equal number, PostgreSQL may plan to walk over all others in the order of
 * ids.
 */
static void put_incidents(
    struct query *q, const struct wf_incident_filter *filter)
{
	bool of_case = filter->number != 0;
	const char *by = of_case		     ? "number"
			 : filter->namespace_id != 0 ? "namespace_id"
						     : "0";
	uint64_t which = of_case ? filter->number : filter->namespace_id;

	wf_buffer_printf(&q->sql,
	    "SELECT %s FROM incident WHERE (%s, id) > (%lld, %lld)"
	    " AND %s <= %lld",
	    filter->light ? "{incident-}" : "{incident.key.row}, NULL", by,
	    (long long)which, (long long)filter->after, by, (long long)which);
	if (of_case)
		want_number(q, "namespace_id + 0", filter->namespace_id);
	want_text(q, "code", filter->code);
	wf_buffer_printf(&q->sql, "%s ORDER BY %s%sid LIMIT %llu",
	    wf_incidents_wanted(filter->which), which != 0 ? by : "",
	    which != 0 ? ", " : "",
	    (unsigned long long)wf_pg_limit(filter->limit));
}

enum wf_rc wf_pg_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct query q;
	enum wf_rc rc;

	begin_query(&q);
	put_incidents(&q, filter);
	call_query(s, &q);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_incident, arena, &list_out->count);
	return rc;
}

/* --- leases --------------------------------------------------------------- */

/*
 * The first free items among those that have the condition, which stand in the
 * order of the index; locked.  Rows that another node is claiming are skipped
 * without waiting.
 */
static void put_free(struct query *q, const struct wf_item_filter *filter,
    const char *condition, const char *since)
{
	wf_buffer_printf(&q->sql,
	    "MATERIALIZED (SELECT part, number, id, enabled_at, %s AS since"
	    " FROM item WHERE lease_until = 0 AND %s",
	    since, condition);
	put_item_filter(q, filter);
	wf_buffer_printf(&q->sql,
	    " ORDER BY since, enabled_at, number, id LIMIT %llu"
	    " FOR NO KEY UPDATE SKIP LOCKED)",
	    (unsigned long long)wf_pg_limit(filter->limit));
}

/*
 * Items that were never put off, and those that were until now.  Of both as
 * many are locked as are wanted in all: a claim that skips one of the others
 * finds it the next time.
 */
enum wf_rc wf_pg_claim_items(struct wf_store *store,
    const struct wf_item_filter *filter, const char *owner, int64_t now,
    int64_t until, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	char passed[64];
	struct query q;

	snprintf(passed, sizeof passed, "not_before BETWEEN 1 AND %lld",
	    (long long)now);
	begin_query(&q);
	wf_buffer_puts(&q.sql, "WITH fresh AS ");
	put_free(&q, filter, "not_before = 0", "enabled_at");
	wf_buffer_puts(&q.sql, ", retried AS ");
	put_free(&q, filter, passed, "not_before");
	q.texts[q.text_count++] = wf_text(owner);
	wf_buffer_printf(&q.sql,
	    ", free AS (TABLE fresh UNION ALL TABLE retried"
	    " ORDER BY since, enabled_at, number, id LIMIT %llu),"
	    " leased AS (UPDATE item i SET lease_owner = $%u,"
	    " lease_until = %lld, fence = fence + 1, attempt = attempt + 1"
	    " FROM free f WHERE i.part = ANY (ARRAY[f.part])"
	    " AND i.number = f.number AND i.id = f.id RETURNING f.since, "
	    "{item|i.#})"
	    " SELECT {item-} FROM leased"
	    " ORDER BY since, enabled_at, number, id",
	    (unsigned long long)wf_pg_limit(filter->limit), q.text_count,
	    (long long)until);
	call_query(s, &q);
	return run_items(s, PG_COMMIT, arena, list_out, err);
}

/* Changes a lease by a statement, and asks whether there is such an item. */
static enum wf_rc change_lease(struct pg_store *s, enum pg_statement which,
    const struct wf_item_row *lease, int64_t time, struct wf_error *err)
{
	enum wf_rc rc;

	wf_pg_call(s, which);
	wf_pg_part(s, lease->number);
	wf_pg_number(s, lease->number);
	wf_pg_text(s, lease->id);
	wf_pg_text(s, lease->lease_owner);
	wf_pg_number(s, lease->fence);
	wf_pg_number(s, (uint64_t)time);
	wf_pg_call(s, SQL(IS_ITEM));
	wf_pg_part(s, lease->number);
	wf_pg_number(s, lease->number);
	wf_pg_text(s, lease->id);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc != WF_OK || wf_pg_written(s, 0) > 0)
		return rc;
	return wf_pg_count(s, 1) == 0 ? wf_fail_item(err, lease->id)
				      : wf_fail_lease(err, lease->id);
}

enum wf_rc wf_pg_heartbeat(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t until,
    struct wf_error *err)
{
	struct wf_item_row lease = {
		.number = number, .id = id, .lease_owner = owner, .fence = fence
	};

	return change_lease(
	    (struct pg_store *)store, SQL(HEARTBEAT), &lease, until, err);
}

enum wf_rc wf_pg_release(struct wf_store *store, uint64_t number,
    const char *id, const char *owner, uint64_t fence, int64_t not_before,
    struct wf_error *err)
{
	struct wf_item_row lease = {
		.number = number, .id = id, .lease_owner = owner, .fence = fence
	};

	return change_lease(
	    (struct pg_store *)store, SQL(RELEASE), &lease, not_before, err);
}

enum wf_rc wf_pg_draft(struct wf_store *store, uint64_t number, const char *id,
    struct wf_arena *arena, struct wf_bytes *draft_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(DRAFT));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	wf_pg_text(s, id);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	if (wf_pg_count(s, 0) == 0)
		return wf_fail_item(err, id);
	*draft_out = wf_pg_get_bytes(s, 0, 0, 0, arena);
	return WF_OK;
}

enum wf_rc wf_pg_put_draft(struct wf_store *store,
    const struct wf_draft_write *write, struct wf_error *err)
{
	static const struct wf_bytes none = { NULL, 0 };
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(PUT_DRAFT));
	wf_pg_part(s, write->number);
	wf_pg_number(s, write->number);
	wf_pg_text(s, write->id);
	wf_pg_text(s, write->queue);
	wf_pg_boolean(s, write->expected == NULL);
	wf_pg_bytes(s, write->expected == NULL ? &none : write->expected);
	wf_pg_bytes(s, &write->draft);
	wf_pg_call(s, SQL(IS_ITEM));
	wf_pg_part(s, write->number);
	wf_pg_number(s, write->number);
	wf_pg_text(s, write->id);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc != WF_OK || wf_pg_written(s, 0) > 0)
		return rc;
	return wf_pg_count(s, 1) == 0 ? wf_fail_item(err, write->id)
				      : wf_fail_draft(err, write->id);
}

enum wf_rc wf_pg_expired_items(struct wf_store *store, int64_t now,
    size_t limit, struct wf_arena *arena, struct wf_item_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(EXPIRED_ITEMS));
	wf_pg_number(s, (uint64_t)now);
	wf_pg_number(s, wf_pg_limit(limit));
	return run_items(s, PG_READ, arena, list_out, err);
}

enum wf_rc wf_pg_note_attempts(struct wf_store *store,
    const struct wf_item_row *rows, size_t count, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	const void **pointers = wf_malloc((count + 1) * sizeof(*pointers));

	for (size_t i = 0; i < count; i++)
		pointers[i] = &rows[i];
	wf_pg_call(s, SQL(NOTE_ATTEMPTS));
	wf_pg_array(s, &wf_pg_layout_attempt, pointers, count);
	wf_free(pointers);
	return wf_pg_run(s, PG_COMMIT, err);
}
