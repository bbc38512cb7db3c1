/* SPDX-License-Identifier: Apache-2.0 */
/* The store in SQLite: what there is now of a namespace. */
#include "persistence/sqlite/sqlite_priv.h"

#include <string.h>

enum wf_rc wf_sqlite_figures(struct wf_store *store, uint32_t namespace_id,
    int64_t now, uint64_t maximum, struct wf_store_figures *figures_out,
    struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(FIGURES), err);
	enum wf_rc rc;
	bool row;

	memset(figures_out, 0, sizeof(*figures_out));
	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, namespace_id);
	sqlite3_bind_int64(statement, 2, now);
	wf_sqlite_bind_number(statement, 3, maximum);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		*figures_out = (struct wf_store_figures){
			.running = wf_sqlite_number(statement, 0),
			.waiting = wf_sqlite_number(statement, 1),
			.late = wf_sqlite_number(statement, 2),
		};
	return rc;
}

static enum wf_rc count_status(struct sqlite_store *s,
    const struct wf_case_counting *of, uint64_t specification, unsigned status,
    uint64_t *count_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(COUNT_CASES), err);
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, of->namespace_id);
	wf_sqlite_bind_number(statement, 2, specification);
	wf_sqlite_bind_number(statement, 3, status);
	wf_sqlite_bind_number(statement, 4, of->maximum);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		*count_out = wf_sqlite_number(statement, 0);
	if (*count_out > of->maximum)
		*count_out = of->maximum;
	return rc;
}

static enum wf_rc count_incidents(struct sqlite_store *s,
    const struct wf_case_counting *of, struct wf_case_counts *counts,
    bool *all_out, struct wf_error *err)
{
	const struct wf_specification_keys *keys = of->specifications;
	sqlite3_stmt *statement =
	    wf_sqlite_start(s, SQL(COUNT_INCIDENT_CASES), err);
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, of->namespace_id);
	wf_sqlite_bind_number(statement, 2, WF_INCIDENT_CASES_COUNTED + 1);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row) {
		for (size_t i = 0; i < keys->count; i++)
			if (keys->keys[i] == wf_sqlite_number(statement, 0))
				counts[i].incidents =
				    wf_sqlite_number(statement, 1);
		*all_out =
		    wf_sqlite_number(statement, 2) <= WF_INCIDENT_CASES_COUNTED;
	}
	return rc;
}

enum wf_rc wf_sqlite_count_cases(struct wf_store *store,
    const struct wf_case_counting *counting, struct wf_case_counts *counts_out,
    bool *all_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	const struct wf_specification_keys *keys = counting->specifications;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < keys->count; i++)
		for (unsigned k = 0; rc == WF_OK && k < WF_CASE_STATUSES; k++)
			rc = count_status(s, counting, keys->keys[i], k,
			    &counts_out[i].in[k], err);
	return rc != WF_OK
		   ? rc
		   : count_incidents(s, counting, counts_out, all_out, err);
}

enum wf_rc wf_sqlite_count_service(struct wf_store *store,
    uint32_t namespace_id, const char *service, uint64_t maximum,
    struct wf_service_counts *counts_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(COUNT_SERVICE), err);
	enum wf_rc rc;
	bool row;

	memset(counts_out, 0, sizeof(*counts_out));
	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_number(statement, 1, namespace_id);
	wf_sqlite_bind_text(statement, 2, service);
	wf_sqlite_bind_number(statement, 3, maximum);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		*counts_out = (struct wf_service_counts){
			.free = wf_sqlite_number(statement, 0),
			.leased = wf_sqlite_number(statement, 1),
			.oldest = wf_sqlite_time(statement, 2),
		};
	return rc;
}

enum wf_rc wf_sqlite_waiting_items(struct wf_store *store,
    const struct wf_waiting_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	bool late = filter->due_before != 0;
	sqlite3_stmt *statement =
	    wf_sqlite_start(s, late ? SQL(LATE) : SQL(WAITING), err);
	void *rows;
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, filter->namespace_id);
		if (late)
			sqlite3_bind_int64(statement, 2, filter->due_before);
		wf_sqlite_bind_number(statement, 3, filter->limit);
	}
	rc = wf_sqlite_read_all(
	    s, statement, &wf_layout_item, arena, &rows, &list_out->count, err);
	list_out->rows = rows;
	return rc;
}

/*
 * While a transaction reads, the -wal can grow, because what it may still need
 * is not overwritten.  SQLite does not say when such a transaction began, so
 * oldest_transaction stays 0.  The -wal is not counted.
 */
enum wf_rc wf_sqlite_measure(struct wf_store *store, struct wf_arena *arena,
    struct wf_store_measure *measure_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(MEASURE), err);
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	measure_out->program =
	    wf_arena_printf(arena, "SQLite %s", sqlite3_libversion());
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row)
		measure_out->bytes = wf_sqlite_number(statement, 0);
	return rc;
}
