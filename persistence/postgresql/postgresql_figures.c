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
