/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: what there is now of a namespace. */
#include <string.h>

#include "persistence/postgresql/postgresql_priv.h"

enum wf_rc wf_pg_figures(struct wf_store *store, uint32_t namespace_id,
    int64_t now, uint64_t maximum, struct wf_store_figures *figures_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	memset(figures_out, 0, sizeof(*figures_out));
	wf_pg_call(s, SQL(FIGURES));
	wf_pg_number(s, namespace_id);
	wf_pg_number(s, (uint64_t)now);
	wf_pg_number(s, maximum);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		*figures_out = (struct wf_store_figures){
			.running = wf_pg_get_number(s, 0, 0, 0),
			.waiting = wf_pg_get_number(s, 0, 0, 1),
			.late = wf_pg_get_number(s, 0, 0, 2),
		};
	return rc;
}

static void ask_counts(struct pg_store *s, const struct wf_case_counting *of,
    enum pg_statement which, uint64_t maximum)
{
	wf_pg_call(s, which);
	wf_pg_number(s, of->namespace_id);
	wf_pg_numbers(s, of->specifications->keys, of->specifications->count);
	wf_pg_number(s, maximum);
}

enum wf_rc wf_pg_count_cases(struct wf_store *store,
    const struct wf_case_counting *counting, struct wf_case_counts *counts_out,
    bool *all_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	ask_counts(s, counting, SQL(COUNT_CASES), counting->maximum);
	ask_counts(s, counting, SQL(COUNT_INCIDENT_CASES),
	    WF_INCIDENT_CASES_COUNTED + 1);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < wf_pg_count(s, 0); i++)
		counts_out[wf_pg_get_number(s, 0, i, 0) - 1]
		    .in[wf_pg_get_number(s, 0, i, 1)] =
		    wf_pg_get_number(s, 0, i, 2);
	for (size_t i = 0; i < wf_pg_count(s, 1); i++) {
		counts_out[wf_pg_get_number(s, 1, i, 0) - 1].incidents =
		    wf_pg_get_number(s, 1, i, 1);
		*all_out =
		    wf_pg_get_number(s, 1, i, 2) <= WF_INCIDENT_CASES_COUNTED;
	}
	return WF_OK;
}

enum wf_rc wf_pg_count_service(struct wf_store *store, uint32_t namespace_id,
    const char *service, uint64_t maximum, struct wf_service_counts *counts_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	memset(counts_out, 0, sizeof(*counts_out));
	wf_pg_call(s, SQL(COUNT_SERVICE));
	wf_pg_number(s, namespace_id);
	wf_pg_text(s, service);
	wf_pg_number(s, maximum);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		*counts_out = (struct wf_service_counts){
			.free = wf_pg_get_number(s, 0, 0, 0),
			.leased = wf_pg_get_number(s, 0, 0, 1),
			.oldest = wf_pg_get_time(s, 2),
		};
	return rc;
}

enum wf_rc wf_pg_waiting_items(struct wf_store *store,
    const struct wf_waiting_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, filter->due_before != 0 ? SQL(LATE) : SQL(WAITING));
	wf_pg_number(s, filter->namespace_id);
	wf_pg_number(s, (uint64_t)filter->due_before);
	wf_pg_number(s, filter->limit);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_item, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_measure(struct wf_store *store, struct wf_arena *arena,
    struct wf_store_measure *measure_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	const char *version;
	enum wf_rc rc;

	wf_pg_call(s, SQL(MEASURE));
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	measure_out->bytes = wf_pg_get_number(s, 0, 0, 0);
	measure_out->oldest_transaction = (int64_t)wf_pg_get_number(s, 0, 0, 1);
	version = PQparameterStatus(s->connection, "server_version");
	/* A blank and the name of the package may follow. */
	measure_out->program = wf_arena_printf(
	    arena, "PostgreSQL %.*s", (int)strcspn(version, " "), version);
	return WF_OK;
}
