/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in SQLite: items by queue.
 *
 * A statement gives the keys of one queue in their order, by an index that has
 * them.  The list begins with the first key of each queue; only the queues of
 * the least ones are read on, each until its next key comes behind all that the
 * list has room for.  The rows are read last.
 */
#include "persistence/sqlite/sqlite_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/panic.h"

/* The first key of a queue, or one that is on the list. */
struct queued {
	const struct wf_queue_filter *filter; /* for the comparison */
	struct wf_queue_key key;
	const char *queue;
};

struct merge {
	struct sqlite_store *s;
	const struct wf_queue_filter *filter;
	struct wf_queue_key start;
	struct wf_arena *arena;
	struct queued *heads;
	size_t head_count;
	struct wf_queue_key keys[WF_QUEUED_ROWS]; /* those of the list */
	size_t count;
};

static sqlite3_stmt *start_queue(
    struct merge *m, const char *queue, size_t limit, struct wf_error *err)
{
	static const enum sqlite_statement statements[][2] = {
		[WF_QUEUE_BY_RANK] = { SQL(QUEUED_BY_RANK),
		    SQL(QUEUED_BY_RANK_DOWN) },
		[WF_QUEUE_BY_AGE] = { SQL(QUEUED_BY_AGE),
		    SQL(QUEUED_BY_AGE_DOWN) },
		[WF_QUEUE_BY_DUE] = { SQL(QUEUED_BY_DUE),
		    SQL(QUEUED_BY_DUE_DOWN) },
	};
	const struct wf_queue_filter *filter = m->filter;
	sqlite3_stmt *statement = wf_sqlite_start(
	    m->s, statements[filter->order][filter->descending], err);

	if (statement == NULL)
		return NULL;
	wf_sqlite_bind_text(statement, 1, queue);
	wf_sqlite_bind_number(statement, 2, limit);
	sqlite3_bind_int64(statement, 3, m->start.enabled_at);
	wf_sqlite_bind_number(statement, 4, m->start.number);
	wf_sqlite_bind_text(statement, 5, m->start.id);
	if (filter->order != WF_QUEUE_BY_AGE)
		sqlite3_bind_int64(statement, 6, m->start.value);
	return statement;
}

/* The id lives until the next row. */
static struct wf_queue_key read_key(sqlite3_stmt *statement)
{
	return (struct wf_queue_key){
		.value = sqlite3_column_int64(statement, 0),
		.enabled_at = sqlite3_column_int64(statement, 1),
		.number = wf_sqlite_number(statement, 2),
		.id = (const char *)sqlite3_column_text(statement, 3),
	};
}

/* --- the heads ------------------------------------------------------------ */

static enum wf_rc read_head(
    struct merge *m, const char *queue, struct wf_error *err)
{
	sqlite3_stmt *statement = start_queue(m, queue, 1, err);
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	while (
	    (rc = wf_sqlite_next(m->s, statement, &row, err)) == WF_OK && row) {
		struct queued *head = &m->heads[m->head_count++];

		head->filter = m->filter;
		head->queue = queue;
		head->key = read_key(statement);
		head->key.id = wf_arena_strdup(m->arena, head->key.id);
	}
	return rc;
}

static int compare_heads(const void *a, const void *b)
{
	const struct queued *x = a;
	const struct queued *y = b;

	return wf_queue_compare(x->filter, &x->key, &y->key);
}

static enum wf_rc read_heads(struct merge *m, struct wf_error *err)
{
	const struct wf_queue_filter *filter = m->filter;
	enum wf_rc rc = WF_OK;

	m->heads = wf_arena_array(
	    m->arena, filter->queue_count + 1, sizeof(m->heads[0]));
	for (size_t i = 0; rc == WF_OK && i < filter->queue_count; i++)
		rc = read_head(m, filter->queues[i], err);
	qsort(m->heads, m->head_count, sizeof(m->heads[0]), compare_heads);
	if (m->head_count > filter->limit)
		m->head_count = filter->limit;
	return rc;
}

/* --- the list ------------------------------------------------------------- */

/* Puts a key in its place; false: it comes behind all that have room. */
static bool keep(struct merge *m, const struct wf_queue_key *key)
{
	size_t at = m->count;

	while (at > 0 && wf_queue_compare(m->filter, key, &m->keys[at - 1]) < 0)
		at--;
	if (at == m->filter->limit)
		return false;
	if (m->count < m->filter->limit)
		m->count++;
	memmove(&m->keys[at + 1], &m->keys[at],
	    (m->count - 1 - at) * sizeof(m->keys[0]));
	m->keys[at] = *key;
	m->keys[at].id = wf_arena_strdup(m->arena, key->id);
	return true;
}

/* others: how many of the list come before this queue. */
static enum wf_rc read_on(
    struct merge *m, const char *queue, size_t others, struct wf_error *err)
{
	sqlite3_stmt *statement =
	    start_queue(m, queue, m->filter->limit - others, err);
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	while (
	    (rc = wf_sqlite_next(m->s, statement, &row, err)) == WF_OK && row) {
		struct wf_queue_key key = read_key(statement);

		if (keep(m, &key))
			continue;
		sqlite3_reset(statement);
		return wf_statement_end(&m->s->store, false, WF_OK, err);
	}
	return rc;
}

static enum wf_rc merge(struct merge *m, struct wf_error *err)
{
	enum wf_rc rc = read_heads(m, err);

	for (size_t i = 0; rc == WF_OK && i < m->head_count; i++)
		rc = read_on(m, m->heads[i].queue, i, err);
	return rc;
}

static enum wf_rc read_row(struct merge *m, const struct wf_queue_key *key,
    struct wf_item_row *row_out, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(m->s, SQL(ITEM), err);
	bool found;
	enum wf_rc rc;

	if (statement != NULL) {
		wf_sqlite_bind_number(statement, 1, key->number);
		wf_sqlite_bind_text(statement, 2, key->id);
	}
	rc = wf_sqlite_read_one(
	    m->s, statement, &wf_layout_item, m->arena, row_out, &found, err);
	/* An index and its table are of one moment. */
	return rc == WF_OK && !found ? wf_fail_item(err, key->id) : rc;
}

enum wf_rc wf_sqlite_queued_items(struct wf_store *store,
    const struct wf_queue_filter *filter, struct wf_arena *arena,
    struct wf_item_list *list_out, struct wf_error *err)
{
	struct merge m = { .s = (struct sqlite_store *)store,
		.filter = filter,
		.start = wf_queue_start(filter),
		.arena = arena };
	enum wf_rc rc = wf_sqlite_begin_transaction(m.s, false, err);

	wf_assert(filter->limit <= WF_QUEUED_ROWS);
	if (rc != WF_OK)
		return rc;
	rc = merge(&m, err);
	list_out->count = 0;
	list_out->rows =
	    wf_arena_array(arena, m.count, sizeof(*list_out->rows));
	while (rc == WF_OK && list_out->count < m.count) {
		rc = read_row(&m, &m.keys[list_out->count],
		    &list_out->rows[list_out->count], err);
		list_out->count++;
	}
	return wf_sqlite_end_transaction(m.s, false, rc, err);
}

/* --- counts --------------------------------------------------------------- */

static enum wf_rc count_queue(struct sqlite_store *s, const char *queue,
    const char *left_out, uint64_t *left, struct wf_arena *arena,
    struct wf_queue_counts *counts, struct wf_error *err)
{
	sqlite3_stmt *statement = wf_sqlite_start(s, SQL(COUNT_QUEUED), err);
	uint64_t seen = 0;
	enum wf_rc rc;
	bool row;

	if (statement == NULL)
		return wf_sqlite_why(err);
	wf_sqlite_bind_text(statement, 1, queue);
	wf_sqlite_bind_text(statement, 2, left_out);
	wf_sqlite_bind_number(statement, 3, *left);
	while ((rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK && row) {
		wf_queue_count_add(counts,
		    (uint32_t)wf_sqlite_number(statement, 0),
		    wf_sqlite_number(statement, 1), arena);
		seen += wf_sqlite_number(statement, 2);
	}
	wf_assert(seen <= *left);
	*left -= seen;
	return rc;
}

enum wf_rc wf_sqlite_count_queued(struct wf_store *store,
    const char *const *queues, size_t queue_count, const char *participant,
    uint64_t maximum, struct wf_arena *arena,
    struct wf_queue_counts *counts_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	const char *left_out = wf_queue_left_out(arena, participant);
	uint64_t left = maximum;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, false, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; rc == WF_OK && left > 0 && i < queue_count; i++)
		rc = count_queue(
		    s, queues[i], left_out, &left, arena, counts_out, err);
	counts_out->more = left == 0;
	return wf_sqlite_end_transaction(s, false, rc, err);
}

enum wf_rc wf_sqlite_count_each_queued(struct wf_store *store,
    const char *const *queues, size_t queue_count, uint32_t assignments,
    uint64_t maximum, uint64_t *items_out, struct wf_error *err)
{
	struct sqlite_store *s = (struct sqlite_store *)store;
	enum wf_rc rc = wf_sqlite_begin_transaction(s, false, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; rc == WF_OK && i < queue_count; i++) {
		sqlite3_stmt *statement =
		    wf_sqlite_start(s, SQL(COUNT_EACH_QUEUED), err);
		bool row;

		if (statement == NULL) {
			rc = wf_sqlite_why(err);
			break;
		}
		wf_sqlite_bind_text(statement, 1, queues[i]);
		wf_sqlite_bind_number(statement, 2, assignments);
		wf_sqlite_bind_number(statement, 3, maximum);
		while (
		    (rc = wf_sqlite_next(s, statement, &row, err)) == WF_OK &&
		    row)
			items_out[i] = wf_sqlite_number(statement, 0);
	}
	return wf_sqlite_end_transaction(s, false, rc, err);
}
