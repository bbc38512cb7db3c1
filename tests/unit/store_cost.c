/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/store_cost.h"

#include <CUnit/CUnit.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "persistence/sqlite/sqlite_priv.h"

const struct store_database store_databases[2] = {
	{ "sqlite",
	    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c"
	    " LIMIT %u) ",
	    "", "", "i = 1", "1" },
	{ "postgresql", "WITH c AS (SELECT generate_series(1, %u) AS i) ",
	    "part, ", "0, ", "i = 1", "true" },
};

void store_analyze(
    const struct store_fixture *f, const struct store_database *database)
{
	if (database->part[0] != '\0')
		store_edit(f->url, "VACUUM ANALYZE");
}

void store_fill(const struct store_fixture *f,
    const struct store_database *database, unsigned n, const char *sql, ...)
{
	char text[2000];
	int length = snprintf(text, sizeof text, database->counter, n);
	va_list arguments;

	va_start(arguments, sql);
	vsnprintf(text + length, sizeof text - (size_t)length, sql, arguments);
	va_end(arguments);
	store_edit(f->url, text);
}

/* --- counting ------------------------------------------------------------- */

static int count_step(void *count)
{
	++*(uint64_t *)count;
	return 0;
}

uint64_t store_rows_read(const struct store_fixture *f)
{
	PGresult *result = store_ask(f->url,
	    "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))"
	    " + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes"
	    " WHERE schemaname = current_schema()"
	    " AND indexrelname <> 'answer_by_time')"
	    " FROM pg_stat_user_tables WHERE schemaname = current_schema()");
	uint64_t count = strtoull(PQgetvalue(result, 0, 0), NULL, 10);

	PQclear(result);
	return count;
}

void store_reopen(struct store_fixture *f)
{
	wf_store_close(&f->store);
	wf_store_close(&f->other);
	wf_store_close(&f->keeper);
	f->store = store_open(f->url, 0);
	f->other = store_open(f->url, 0);
	f->keeper = store_open(f->url, 0);
}

uint64_t store_cost(const struct store_kind *kind,
    const struct store_database *database, unsigned n, store_cost_fill_f put,
    store_cost_serve_f call)
{
	bool is_sqlite = strcmp(kind->name, "sqlite") == 0;
	struct store_fixture f = { 0 };
	uint64_t steps = 0;
	uint64_t before;

	store_set_up(&f, kind, true);
	OK(store_launch(&f, 1, "one", NULL));
	wf_store_close(&f.store);
	wf_store_close(&f.other);
	wf_store_close(&f.keeper);
	put(&f, database, n);
	store_edit_end();
	store_reopen(&f);
	before = is_sqlite ? 0 : store_rows_read(&f);
	if (is_sqlite)
		sqlite3_progress_handler(((struct sqlite_store *)f.store)->db,
		    1, count_step, &steps);
	call(&f);
	store_reopen(&f);
	if (!is_sqlite)
		steps = store_rows_read(&f) - before;
	wf_store_close(&f.keeper);
	store_tear_down(&f, kind);
	return steps;
}

void store_compare_costs_with(unsigned less, unsigned more,
    store_cost_fill_f put, store_cost_serve_f call)
{
	for (size_t i = 0; i < store_kind_sample(); i++)
		for (size_t d = 0; d < 2; d++) {
			const struct store_kind *kind = &store_kinds[i];
			uint64_t few;
			uint64_t many;

			if (strcmp(kind->name, store_databases[d].name) != 0)
				continue;
			few = store_cost(
			    kind, &store_databases[d], less, put, call);
			many = store_cost(
			    kind, &store_databases[d], more, put, call);
			printf("%s: %llu with %u rows of each kind, %llu with "
			       "%u\n",
			    kind->name, (unsigned long long)few, less,
			    (unsigned long long)many, more);
			CU_ASSERT_TRUE(few > 0);
			CU_ASSERT_TRUE(many < few + 1000);
		}
}

void store_compare_costs(store_cost_fill_f put, store_cost_serve_f call)
{
	store_compare_costs_with(STORE_FEW, STORE_MANY, put, call);
}
