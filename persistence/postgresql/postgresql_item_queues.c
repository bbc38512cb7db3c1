/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: items by queue, each list by one statement. */
#include "base/panic.h"
#include "persistence/postgresql/postgresql_priv.h"

enum wf_rc wf_pg_queued_items(struct wf_store *store,
    const struct wf_queue_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	static const enum pg_statement statements[][2] = {
		[WF_QUEUE_BY_RANK] = { SQL(QUEUED_BY_RANK),
		    SQL(QUEUED_BY_RANK_DOWN) },
		[WF_QUEUE_BY_AGE] = { SQL(QUEUED_BY_AGE),
		    SQL(QUEUED_BY_AGE_DOWN) },
		[WF_QUEUE_BY_DUE] = { SQL(QUEUED_BY_DUE),
		    SQL(QUEUED_BY_DUE_DOWN) },
	};
	struct pg_store *s = (struct pg_store *)store;
	struct wf_queue_key start = wf_queue_start(filter);
	enum wf_rc rc;

	wf_pg_call(s, statements[filter->order][filter->descending]);
	wf_pg_texts(s, filter->queues, filter->queue_count);
	wf_pg_number(s, (uint64_t)start.enabled_at);
	wf_pg_number(s, start.number);
	wf_pg_text(s, wf_text(start.id));
	wf_pg_number(s, filter->limit);
	if (filter->order != WF_QUEUE_BY_AGE)
		wf_pg_number(s, (uint64_t)start.value);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		list_out->rows = wf_pg_read_all(
		    s, 0, &wf_layout_item, arena, &list_out->count);
	return rc;
}

enum wf_rc wf_pg_count_queued(struct wf_store *store, const char *const *queues,
    size_t queue_count, const char *participant, uint64_t maximum,
    struct wf_arena *arena, struct wf_queue_counts *counts_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	uint64_t seen = 0;
	enum wf_rc rc;

	wf_pg_call(s, SQL(COUNT_QUEUED));
	wf_pg_texts(s, queues, queue_count);
	wf_pg_text(s, wf_queue_left_out(arena, participant));
	wf_pg_number(s, maximum);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < wf_pg_count(s, 0); i++) {
		wf_queue_count_add(counts_out,
		    (uint32_t)wf_pg_get_number(s, 0, i, 0),
		    wf_pg_get_number(s, 0, i, 1), arena);
		seen += wf_pg_get_number(s, 0, i, 2);
	}
	counts_out->more = seen == maximum;
	return WF_OK;
}

enum wf_rc wf_pg_count_each_queued(struct wf_store *store,
    const char *const *queues, size_t queue_count, uint32_t assignments,
    uint64_t maximum, uint64_t *items_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(COUNT_EACH_QUEUED));
	wf_pg_texts(s, queues, queue_count);
	wf_pg_number(s, assignments);
	wf_pg_number(s, maximum);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < wf_pg_count(s, 0); i++) {
		uint64_t place = wf_pg_get_number(s, 0, i, 0);

		wf_assert(place >= 1 && place <= queue_count);
		items_out[place - 1] = wf_pg_get_number(s, 0, i, 1);
	}
	return WF_OK;
}
