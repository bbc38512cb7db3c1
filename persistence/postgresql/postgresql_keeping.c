/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: counts, verification, exports. */
#include "persistence/postgresql/postgresql_priv.h"

#include <string.h>

/* --- facts ---------------------------------------------------------------- */

enum wf_rc wf_pg_backlog(struct wf_store *store, uint64_t maximum,
    struct wf_store_backlog *backlog_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	memset(backlog_out, 0, sizeof(*backlog_out));
	wf_pg_call(s, SQL(BACKLOG));
	wf_pg_number(s, maximum);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		*backlog_out = (struct wf_store_backlog){
			.live = wf_pg_get_number(s, 0, 0, 0),
			.incidents = wf_pg_get_number(s, 0, 0, 1),
			.due = wf_pg_get_number(s, 0, 0, 2),
			.next_due = wf_pg_get_time(s, 3),
			.messages = wf_pg_get_number(s, 0, 0, 4),
			.oldest_message = wf_pg_get_time(s, 5),
		};
	return rc;
}

enum wf_rc wf_pg_facts(struct wf_store *store, struct wf_store_facts *facts_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	memset(facts_out, 0, sizeof(*facts_out));
	wf_pg_call(s, SQL(FACTS));
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		*facts_out = (struct wf_store_facts){
			.live = wf_pg_get_number(s, 0, 0, 0),
			.ended = wf_pg_get_number(s, 0, 0, 1),
			.set_aside = wf_pg_get_number(s, 0, 0, 2),
			.incidents = wf_pg_get_number(s, 0, 0, 3),
			.specifications = wf_pg_get_number(s, 0, 0, 4),
			.bytes = wf_pg_get_number(s, 0, 0, 5),
		};
	return rc;
}

/* --- whole or not --------------------------------------------------------- */

static const char *const questions[] = {
#define WF_VERIFY(sql) sql,
#include "persistence/verify.def"
#undef WF_VERIFY
};

/* Reports each row of an answer: the number of a case, and what is wrong. */
static enum wf_rc ask(struct pg_store *s, const char *sql, wf_report_f report,
    void *context, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc;

	wf_pg_call_sql(s, sql);
	rc = wf_pg_run(s, PG_STAY, err);
	for (size_t i = 0; rc == WF_OK && i < wf_pg_count(s, 0); i++)
		report(context, wf_pg_get_number(s, 0, i, 0),
		    wf_pg_get_bytes(s, 0, i, 1, arena).data);
	wf_arena_free(&arena);
	return rc;
}

/* Whole tables are read: the plans of a session, by indexes, do not fit. */
enum wf_rc wf_pg_verify(struct wf_store *store, wf_report_f report,
    void *context, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN_READ));
	wf_pg_call_sql(s, "SET LOCAL enable_seqscan = on");
	wf_pg_call_sql(s, "SET LOCAL enable_hashjoin = on");
	wf_pg_call_sql(s, "SET LOCAL statement_timeout = 0");
	rc = wf_pg_run(s, PG_STAY, err);
	for (size_t i = 0;
	     rc == WF_OK && i < sizeof questions / sizeof questions[0]; i++)
		rc = ask(s, questions[i], report, context, err);
	if (rc != WF_OK)
		return rc;
	wf_pg_call(s, SQL(COMMIT));
	return wf_pg_run(s, PG_READ, err);
}

/* --- exports ------------------------------------------------------------- */

/* Rows of a call that belong to a case: they come in the order of cases. */
static size_t run_of(
    const char *rows, size_t size, size_t count, size_t at, uint64_t number)
{
	size_t end = at;

	/* It is the first member of all these rows. */
	while (end < count &&
	       *(const uint64_t *)(const void *)(rows + end * size) == number)
		end++;
	return end - at;
}

/* The rows of all cases, dealt out to them. */
struct deal {
	char *rows;
	size_t size;
	size_t count;
	size_t at;
};

static struct deal read_deal(const struct pg_store *s, size_t call,
    const struct wf_row_layout *layout, struct wf_arena *arena)
{
	struct deal deal = { .size = layout->size };

	deal.rows = wf_pg_read_all(s, call, layout, arena, &deal.count);
	return deal;
}

static void *take_run(struct deal *deal, uint64_t number, size_t *count_out)
{
	void *first = deal->rows + deal->at * deal->size;

	*count_out =
	    run_of(deal->rows, deal->size, deal->count, deal->at, number);
	deal->at += *count_out;
	return first;
}

static void call_rows_of(struct pg_store *s, enum pg_statement which,
    const struct pg_tail *const *cases, size_t count)
{
	wf_pg_call(s, which);
	wf_pg_array(s, &wf_pg_layout_tail, (const void *const *)cases, count);
	if (which != SQL(CASE_EXPORT_DUE))
		wf_pg_number(s, WF_CASE_EXPORT_ROWS);
}

/* What belongs to the cases that were listed. */
static enum wf_rc fill(struct pg_store *s, struct wf_arena *arena,
    struct wf_case_export_list *list, struct wf_error *err)
{
	struct pg_tail *tails =
	    wf_arena_array(arena, list->count, sizeof(*tails));
	const struct pg_tail **cases =
	    wf_arena_array(arena, list->count, sizeof(*cases));
	struct deal history, items, due;
	enum wf_rc rc;

	for (size_t i = 0; i < list->count; i++) {
		const struct wf_case_row *row = &list->rows[i].stored.row;

		tails[i].number = row->number;
		tails[i].month = wf_pg_month(row->launched_at);
		cases[i] = &tails[i];
	}
	call_rows_of(s, SQL(CASE_EXPORT_HISTORY), cases, list->count);
	call_rows_of(s, SQL(CASE_EXPORT_ITEMS), cases, list->count);
	call_rows_of(s, SQL(CASE_EXPORT_DUE), cases, list->count);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc != WF_OK)
		return rc;
	history = read_deal(s, 0, &wf_layout_history, arena);
	items = read_deal(s, 1, &wf_layout_item, arena);
	due = read_deal(s, 2, &wf_layout_due, arena);
	for (size_t i = 0; i < list->count; i++) {
		struct wf_case_export *exported = &list->rows[i];
		uint64_t number = exported->stored.row.number;

		exported->history.rows =
		    take_run(&history, number, &exported->history.count);
		exported->items.rows =
		    take_run(&items, number, &exported->items.count);
		exported->due.rows =
		    take_run(&due, number, &exported->due.count);
	}
	return WF_OK;
}

/* The steps after the snapshot are among those that came, or are fetched. */
static enum wf_rc add_tail(struct pg_store *s, struct wf_arena *arena,
    struct wf_case_export *exported, struct wf_error *err)
{
	struct wf_stored_case *stored = &exported->stored;
	size_t skipped = 0;

	if (stored->ended)
		return WF_OK;
	if (exported->history.count == WF_CASE_EXPORT_ROWS)
		return wf_pg_load_tail(s, arena, stored, err);
	while (skipped < exported->history.count &&
	       exported->history.rows[skipped].sequence <=
		   stored->row.snapshot_version)
		skipped++;
	stored->tail = exported->history.rows + skipped;
	stored->tail_count = exported->history.count - skipped;
	return WF_OK;
}

static enum wf_rc list_cases(struct pg_store *s, uint64_t after, size_t limit,
    struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err)
{
	int snapshot = 1 + (int)wf_layout_case.count;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN_READ));
	wf_pg_call(s, SQL(CASE_EXPORTS));
	wf_pg_number(s, after);
	wf_pg_number(s, wf_pg_limit(limit));
	wf_pg_number(s, WF_HISTORY_BYTES);
	rc = wf_pg_run(s, PG_STAY, err);
	if (rc != WF_OK)
		return rc;
	list_out->count = wf_pg_count(s, 1);
	list_out->rows =
	    wf_arena_array(arena, list_out->count, sizeof(*list_out->rows));
	for (size_t i = 0; i < list_out->count; i++) {
		struct wf_stored_case *stored = &list_out->rows[i].stored;

		stored->ended = wf_pg_get_number(s, 1, i, 0) != 0;
		wf_pg_read(s, 1, i, 1, &wf_layout_case, &stored->row, arena);
		stored->snapshot = wf_pg_get_bytes(s, 1, i, snapshot, arena);
	}
	return WF_OK;
}

enum wf_rc wf_pg_case_exports(struct wf_store *store, uint64_t after,
    size_t limit, struct wf_arena *arena, struct wf_case_export_list *list_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	memset(list_out, 0, sizeof(*list_out));
	rc = list_cases(s, after, limit, arena, list_out, err);
	if (rc == WF_OK && list_out->count > 0)
		rc = fill(s, arena, list_out, err);
	for (size_t i = 0; rc == WF_OK && i < list_out->count; i++)
		rc = add_tail(s, arena, &list_out->rows[i], err);
	if (rc != WF_OK)
		return rc;
	wf_pg_call(s, SQL(COMMIT));
	return wf_pg_run(s, PG_READ, err);
}
