/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: history, incidents, specifications and records. */
#include <string.h>

#include "persistence/postgresql/postgresql_priv.h"

/* --- history --------------------------------------------------------------
 *
 * The position of a row is the id of its transaction, or a higher one, so
 * positions below the oldest transaction in progress are complete: nothing can
 * appear among them.  Readers see no others.
 */

/* Reads rows up to the limits; true: there may be more. */
static bool read_history(struct pg_store *s, size_t call, size_t limit,
    struct wf_arena *arena, struct wf_history_list *list_out)
{
	size_t bytes = 0;

	list_out->rows = wf_pg_read_all(
	    s, call, &wf_layout_history, arena, &list_out->count);
	for (size_t i = 0; i < list_out->count; i++) {
		const struct wf_history_row *row = &list_out->rows[i];

		bytes += row->events.size;
		list_out->next = (struct wf_cursor){ .position = row->position,
			.number = row->number,
			.sequence = row->sequence };
	}
	return list_out->count >= limit || bytes >= WF_HISTORY_BYTES;
}

static struct wf_cursor read_cursor(const struct pg_store *s, size_t call)
{
	return (struct wf_cursor){ wf_pg_get_number(s, call, 0, 0),
		wf_pg_get_number(s, call, 0, 1),
		wf_pg_get_number(s, call, 0, 2),
		wf_pg_get_number(s, call, 0, 3) };
}

static void call_stream_end(struct pg_store *s)
{
	wf_pg_call(s, SQL(STREAM_END));
	wf_pg_number(s, s->position_base);
}

static void call_stream(
    struct pg_store *s, const struct wf_history_filter *filter)
{
	wf_pg_call(s, SQL(STREAM));
	wf_pg_number(s, filter->after.position);
	wf_pg_number(s, filter->after.number);
	wf_pg_number(s, filter->after.sequence);
	wf_pg_number(s, s->position_base);
	wf_pg_integer(s, filter->namespace_id);
	wf_pg_numbers(
	    s, filter->specifications.keys, filter->specifications.count);
	wf_pg_number(s, wf_pg_limit(filter->limit));
	wf_pg_number(s, WF_HISTORY_BYTES);
}

enum wf_rc wf_pg_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	enum { BEGIN, RETIRED, ROWS, END };
	struct pg_store *s = (struct pg_store *)store;
	struct wf_cursor retired;
	struct wf_cursor end;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN_READ));
	wf_pg_call(s, SQL(RETIRED));
	call_stream(s, filter);
	call_stream_end(s);
	wf_pg_call(s, SQL(COMMIT));
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	retired = read_cursor(s, RETIRED);
	end = read_cursor(s, END);
	rc = wf_check_cursor(&filter->after, &retired, err);
	if (rc != WF_OK)
		return rc;
	list_out->next = filter->after;
	if (!read_history(s, ROWS, filter->limit, arena, list_out) &&
	    wf_cursor_is_before(&list_out->next, &end))
		list_out->next = end;
	list_out->next.retirements = retired.retirements;
	return WF_OK;
}

enum wf_rc wf_pg_history_end(
    struct wf_store *store, struct wf_cursor *cursor_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	call_stream_end(s);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		*cursor_out = read_cursor(s, 0);
	return rc;
}

/* In two steps: the month of the case leads to its history. */
enum wf_rc wf_pg_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	uint32_t month;
	enum wf_rc rc;

	memset(list_out, 0, sizeof(*list_out));
	wf_pg_call(s, SQL(LAUNCHED_AT));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK || wf_pg_count(s, 0) == 0)
		return rc;
	month = wf_pg_month((int64_t)wf_pg_get_number(s, 0, 0, 0));
	wf_pg_call(s, SQL(CASE_HISTORY));
	wf_pg_part(s, number);
	wf_pg_integer(s, month);
	wf_pg_number(s, number);
	wf_pg_number(s, after);
	wf_pg_number(s, wf_pg_limit(limit));
	wf_pg_number(s, WF_HISTORY_BYTES);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		(void)read_history(s, 0, limit, arena, list_out);
	return rc;
}

/* --- retiring ------------------------------------------------------------- */

/*
 * Locks cases that may go, by the statement that was called; those that another
 * node has are passed over.
 */
static enum wf_rc lock_retiring(struct pg_store *s, struct wf_arena *arena,
    const void ***tails_out, size_t *count_out, struct wf_error *err)
{
	enum wf_rc rc = wf_pg_run(s, PG_STAY, err);

	if (rc != WF_OK)
		return rc;
	*count_out = wf_pg_count(s, 1);
	*tails_out = wf_arena_array(arena, *count_out, sizeof(**tails_out));
	for (size_t i = 0; i < *count_out; i++) {
		struct pg_tail *tail = wf_arena_alloc(arena, sizeof(*tail));

		tail->number = wf_pg_get_number(s, 1, i, 0);
		tail->month =
		    wf_pg_month((int64_t)wf_pg_get_number(s, 1, i, 1));
		(*tails_out)[i] = tail;
	}
	return WF_OK;
}

/*
 * Drops the partitions of earlier months that have become empty.  Batches must
 * not wait for it for long, and nothing is lost when it fails: it is tried
 * again next time.
 */
static void drop_months(struct pg_store *s)
{
	wf_pg_call(s, SQL(DROP_MONTHS));
	wf_pg_integer(s, wf_pg_this_month());
	(void)(wf_pg_run(s, PG_COMMIT, NULL) == WF_OK);
}

enum wf_rc wf_pg_retire(struct wf_store *store, int64_t before, size_t limit,
    size_t *count_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct wf_arena *arena = wf_arena_new();
	const void **tails = NULL;
	size_t count = 0;
	enum wf_rc rc;

	*count_out = 0;
	wf_pg_call(s, SQL(BEGIN));
	wf_pg_call(s, SQL(RETIRING));
	wf_pg_number(s, (uint64_t)before);
	wf_pg_number(s, wf_pg_limit(limit));
	rc = lock_retiring(s, arena, &tails, &count, err);
	if (rc == WF_OK) {
		wf_pg_call(s, SQL(RETIRE));
		wf_pg_array(s, &wf_pg_layout_tail, tails, count);
		wf_pg_number(s, s->position_base);
		wf_pg_call(s, SQL(RETIRE_STRAY_INCIDENTS));
		wf_pg_number(s, (uint64_t)before);
		wf_pg_call(s, SQL(RETIRE_SPECIFICATIONS));
		wf_pg_call(s, SQL(COMMIT));
		rc = wf_pg_run(s, PG_COMMIT, err);
	}
	if (rc == WF_OK) {
		*count_out = (size_t)wf_pg_get_number(s, 0, 0, 0);
		if (count < limit)
			drop_months(s);
	}
	wf_arena_free(&arena);
	return rc;
}

/* --- ended cases ---------------------------------------------------------- */

enum wf_rc wf_pg_ended(struct wf_store *store,
    const struct wf_ended_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(ENDED_BEFORE));
	wf_pg_number(s, filter->specification);
	wf_pg_number(s, (uint64_t)filter->before);
	wf_pg_integer(s, filter->namespace_id);
	wf_pg_number(s, wf_pg_limit(filter->limit));
	wf_pg_number(s, (uint64_t)filter->after);
	wf_pg_number(s, filter->after_number);
	return wf_pg_run_cases(s, arena, list_out, err);
}

enum wf_rc wf_pg_retire_cases(struct wf_store *store, const uint64_t *numbers,
    size_t count, size_t *count_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct wf_arena *arena = wf_arena_new();
	const void **tails = NULL;
	size_t found = 0;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	wf_pg_call(s, SQL(RETIRING_CASES));
	wf_pg_numbers(s, numbers, count);
	rc = lock_retiring(s, arena, &tails, &found, err);
	if (rc == WF_OK) {
		wf_pg_call(s, SQL(RETIRE));
		wf_pg_array(s, &wf_pg_layout_tail, tails, found);
		wf_pg_number(s, s->position_base);
		wf_pg_call(s, SQL(COMMIT));
		rc = wf_pg_run(s, PG_COMMIT, err);
	}
	if (rc == WF_OK)
		*count_out = (size_t)wf_pg_get_number(s, 0, 0, 0);
	wf_arena_free(&arena);
	return rc;
}

/*
 * Locks the ended case, and who adds documents or comments, who may have seen
 * it live; *month_out: that of its history.
 */
static enum wf_rc lock_erasing(struct pg_store *s, uint64_t number,
    uint32_t *month_out, struct wf_error *err)
{
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	wf_pg_call(s, SQL(LOCK_DOCUMENTS));
	wf_pg_number(s, number);
	wf_pg_call(s, SQL(LOCK_COMMENTS));
	wf_pg_number(s, number);
	wf_pg_call(s, SQL(ERASING));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	wf_pg_call(s, SQL(IS_LIVE));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc != WF_OK)
		return rc;
	if (wf_pg_count(s, 3) > 0) {
		*month_out = wf_pg_month((int64_t)wf_pg_get_number(s, 3, 0, 0));
		return WF_OK;
	}
	rc = wf_fail_erase(err, number, wf_pg_get_number(s, 4, 0, 0) > 0);
	wf_pg_roll_back(s);
	return rc;
}

enum wf_rc wf_pg_erase(struct wf_store *store, const struct wf_erased_row *row,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	uint32_t month = 0;
	enum wf_rc rc = lock_erasing(s, row->number, &month, err);

	if (rc != WF_OK)
		return rc;
	wf_pg_call(s, SQL(ERASE));
	wf_pg_part(s, row->number);
	wf_pg_number(s, row->number);
	wf_pg_integer(s, month);
	wf_pg_number(s, (uint64_t)row->at);
	wf_pg_text(s, row->actor);
	wf_pg_text(s, row->reason);
	wf_pg_call(s, SQL(COMMIT));
	return wf_pg_run(s, PG_COMMIT, err);
}

enum wf_rc wf_pg_erased(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_erased_row *row_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(ERASED));
	wf_pg_part(s, number);
	wf_pg_number(s, number);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK && wf_pg_count(s, 0) == 0)
		return wf_missing(err, "erased case", number);
	if (rc == WF_OK)
		wf_pg_read(s, 0, 0, 0, &wf_layout_erased, row_out, arena);
	return rc;
}

/* --- incidents ------------------------------------------------------------ */

enum wf_rc wf_pg_open_incidents(struct wf_store *store, const uint64_t *numbers,
    size_t count, const char *code, struct wf_arena *arena,
    struct wf_open_incident *open_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	const char **texts = wf_arena_array(arena, count, sizeof(*texts));
	enum wf_rc rc;

	for (size_t i = 0; i < count; i++)
		texts[i] = wf_arena_printf(
		    arena, "%llu", (unsigned long long)numbers[i]);
	wf_pg_call(s, SQL(OPEN_INCIDENTS));
	wf_pg_texts(s, texts, count);
	wf_pg_text(s, code);
	rc = wf_pg_run(s, PG_READ, err);
	for (size_t i = 0; rc == WF_OK && i < count; i++) {
		struct wf_bytes bytes = wf_pg_get_bytes(s, 0, i, 1, arena);

		open_out[i].id = wf_pg_get_number(s, 0, i, 0);
		open_out[i].code =
		    wf_arena_strndup(arena, bytes.data, bytes.size);
	}
	return rc;
}

/* Runs a call for one row. */
static enum wf_rc run_one(struct pg_store *s,
    const struct wf_row_layout *layout, struct wf_arena *arena, void *row_out,
    bool *found_out, struct wf_error *err)
{
	enum wf_rc rc = wf_pg_run(s, PG_READ, err);

	*found_out = rc == WF_OK && wf_pg_count(s, 0) > 0;
	if (*found_out)
		wf_pg_read(s, 0, 0, 0, layout, row_out, arena);
	return rc;
}

enum wf_rc wf_pg_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	bool found;
	enum wf_rc rc;

	wf_pg_call(s, SQL(INCIDENT));
	wf_pg_number(s, id);
	rc = run_one(s, &wf_layout_incident, arena, row_out, &found, err);
	if (rc == WF_OK && !found)
		return wf_missing(err, "incident", id);
	return rc;
}

/* --- changes --------------------------------------------------------------
 *
 * A change of a specification or a record locks the counter of changes
 * until it is committed, so changes are seen in their order.
 */

static enum wf_rc begin_change(
    struct pg_store *s, uint64_t *change_out, struct wf_error *err)
{
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	wf_pg_call_change_up(s);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc == WF_OK)
		*change_out = wf_pg_get_number(s, 1, 0, 0);
	return rc;
}

/* Commits it, unless it was refused. */
static enum wf_rc end_change(
    struct pg_store *s, enum wf_rc rc, struct wf_error *err)
{
	if (rc != WF_OK) {
		wf_pg_roll_back(s);
		return rc;
	}
	wf_pg_call(s, SQL(COMMIT));
	return wf_pg_run(s, PG_COMMIT, err);
}

/* --- specifications ------------------------------------------------------- */

static void call_for(struct pg_store *s, enum pg_statement which,
    uint32_t namespace_id, uint64_t key)
{
	wf_pg_call(s, which);
	wf_pg_integer(s, namespace_id);
	wf_pg_number(s, key);
}

enum wf_rc wf_pg_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct wf_specification_row changed = *row;
	enum wf_rc rc = begin_change(s, &changed.change, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_judge_change(row->change, changed.change, err);
	if (rc != WF_OK)
		return end_change(s, rc, err);
	changed.removed = false;
	changed.has_retired = false;
	wf_pg_call(s, SQL(PUT_SPECIFICATION));
	wf_pg_row(s, &wf_layout_specification, &changed);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc == WF_OK && wf_pg_written(s, 0) == 0)
		rc = wf_fail_specification(err, row->key);
	return end_change(s, rc, err);
}

enum wf_rc wf_pg_specification(struct wf_store *store, uint32_t namespace_id,
    uint64_t key, struct wf_arena *arena, struct wf_specification_row *row_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	bool found;
	enum wf_rc rc;

	call_for(s, SQL(SPECIFICATION), namespace_id, key);
	rc = run_one(s, &wf_layout_specification, arena, row_out, &found, err);
	if (rc == WF_OK && !found)
		return wf_missing_specification(err, key);
	return rc;
}

enum wf_rc wf_pg_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	uint64_t change = 0;
	enum wf_rc rc = begin_change(s, &change, err);

	if (rc != WF_OK)
		return rc;
	call_for(s, SQL(IN_USE), namespace_id, key);
	call_for(s, SQL(REMOVE_SPECIFICATION), namespace_id, key);
	wf_pg_number(s, change);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc == WF_OK && wf_pg_count(s, 0) > 0)
		rc = wf_fail_in_use(err, key);
	else if (rc == WF_OK && wf_pg_written(s, 1) == 0)
		rc = wf_missing_specification(err, key);
	return end_change(s, rc, err);
}

enum wf_rc wf_pg_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	call_for(s, SQL(SPECIFICATIONS), filter->namespace_id,
	    filter->changed_after);
	wf_pg_boolean(s, filter->removed);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_specification, arena, &list_out->count);
	return rc;
}

/* --- records -------------------------------------------------------------- */

/* The rows that are put, then those that are removed; for wf_free(). */
static const void **divide_records(
    const struct wf_record_row *rows, size_t count, size_t *put_out)
{
	const void **divided = wf_malloc(count * sizeof(*divided));
	size_t end = count;

	*put_out = 0;
	for (size_t i = 0; i < count; i++)
		if (rows[i].value.data != NULL)
			divided[(*put_out)++] = &rows[i];
		else
			divided[--end] = &rows[i];
	return divided;
}

static enum wf_rc judge_records(struct pg_store *s,
    const struct wf_record_row *rows, size_t count, struct wf_error *err)
{
	const void **all = wf_malloc(count * sizeof(*all));
	bool any = false;
	enum wf_rc rc;

	for (size_t i = 0; i < count; i++) {
		all[i] = &rows[i];
		any |= rows[i].change != 0;
	}
	if (any) {
		wf_pg_call(s, SQL(OTHER_RECORD));
		wf_pg_array(s, &wf_pg_layout_record_key, all, count);
	}
	wf_free(all);
	if (!any)
		return WF_OK;
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc == WF_OK && wf_pg_count(s, 0) > 0)
		rc = wf_fail_changed(
		    err, &rows[wf_pg_get_number(s, 0, 0, 0) - 1]);
	return rc;
}

static void call_put_records(struct pg_store *s,
    const struct wf_record_row *rows, size_t count, uint64_t change)
{
	size_t put;
	const void **divided = divide_records(rows, count, &put);

	if (put > 0) {
		wf_pg_call(s, SQL(PUT_RECORDS));
		wf_pg_array(s, &wf_layout_record, divided, put);
		wf_pg_number(s, change);
	}
	if (put < count) {
		wf_pg_call(s, SQL(REMOVE_RECORDS));
		wf_pg_array(
		    s, &wf_pg_layout_record_key, divided + put, count - put);
		wf_pg_number(s, change);
	}
	wf_pg_call(s, SQL(FORGET_RECORDS));
	wf_pg_number(s, wf_forgotten_change(change));
	wf_free(divided);
}

enum wf_rc wf_pg_put_records(struct wf_store *store,
    const struct wf_record_row *rows, size_t count, uint64_t seen,
    uint64_t *change_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc = begin_change(s, change_out, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_judge_change(seen, *change_out, err);
	if (rc == WF_OK)
		rc = judge_records(s, rows, count, err);
	if (rc == WF_OK)
		call_put_records(s, rows, count, *change_out);
	return end_change(s, rc, err);
}

enum wf_rc wf_pg_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	bool found;
	enum wf_rc rc;

	wf_pg_call(s, SQL(RECORD));
	wf_pg_integer(s, namespace_id);
	wf_pg_text(s, kind);
	wf_pg_text(s, name);
	rc = run_one(s, &wf_layout_record, arena, row_out, &found, err);
	if (rc == WF_OK && !found)
		return wf_fail_record(err, kind, name);
	return rc;
}

enum wf_rc wf_pg_records(struct wf_store *store, const char *kind,
    uint64_t after, struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc = wf_pg_change(store, &list_out->change, err);

	list_out->whole = wf_is_far_behind(after, list_out->change);
	if (rc != WF_OK || after == list_out->change)
		return rc;
	wf_pg_call(s, list_out->whole ? SQL(RECORDS) : SQL(CHANGED_RECORDS));
	wf_pg_text(s, kind);
	if (!list_out->whole)
		wf_pg_number(s, after);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_record, arena, &list_out->count);
	return rc;
}
