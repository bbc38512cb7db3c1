/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: due commands and the outbox. */
#include "persistence/memory/memory_priv.h"

#include <string.h>

/* --- due ------------------------------------------------------------------ */

static int compare_due(const void *a, const void *b)
{
	const struct memory_due *x = *(const struct memory_due *const *)a;
	const struct memory_due *y = *(const struct memory_due *const *)b;
	int order = WF_COMPARE(x->visible_at, y->visible_at);

	if (order == 0)
		order = WF_COMPARE(x->row.number, y->row.number);
	return order != 0 ? order : strcmp(x->row.name, y->row.name);
}

enum wf_rc wf_memory_claim_due(struct wf_store *store, int64_t now,
    int64_t until, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->due.count; i++) {
		const struct memory_due *row = m->due.rows[i];

		if (row->visible_at <= now)
			wf_memory_add(&found, row);
	}
	wf_memory_sort(&found, compare_due, limit);
	for (size_t i = 0; i < found.count; i++) {
		struct memory_due *row = wf_table_find(&m->due, found.rows[i]);

		row->visible_at = until;
		row->row.attempts++;
	}
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_due, arena, &list_out->count);
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_next_due(
    struct wf_store *store, int64_t *at_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	*at_out = INT64_MAX;
	for (size_t i = 0; i < m->due.count; i++) {
		const struct memory_due *row = m->due.rows[i];

		if (row->visible_at < *at_out)
			*at_out = row->visible_at;
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_due_of(struct wf_store *store, uint64_t number,
    const char *after, size_t limit, struct wf_arena *arena,
    struct wf_due_list *list_out, struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = wf_memory_first(&m->due, number);
	     i < wf_memory_first(&m->due, number + 1) && found.count < limit;
	     i++) {
		const struct memory_due *row = m->due.rows[i];

		if (strcmp(row->row.name, after) > 0)
			wf_memory_add(&found, row);
	}
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_due, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

/* --- outbox --------------------------------------------------------------- */

static int compare_messages(const void *a, const void *b)
{
	const struct memory_message *x =
	    *(const struct memory_message *const *)a;
	const struct memory_message *y =
	    *(const struct memory_message *const *)b;
	int order = WF_COMPARE(x->visible_at, y->visible_at);

	if (order == 0)
		order = WF_COMPARE(x->row.number, y->row.number);
	return order != 0 ? order : WF_COMPARE(x->row.message, y->row.message);
}

/* Whether no earlier row of its stream is left. */
static bool is_head(const struct memory *m, size_t at)
{
	const struct memory_message *row = m->messages.rows[at];

	while (at-- > 0) {
		const struct memory_message *other = m->messages.rows[at];

		if (other->row.number != row->row.number)
			break;
		if (strcmp(other->row.destination, row->row.destination) == 0 &&
		    strcmp(other->row.subject, row->row.subject) == 0)
			return false;
	}
	return true;
}

static int compare_queues(
    const struct wf_message_row *row, const struct wf_message_queue *queue)
{
	int order = WF_COMPARE(row->namespace_id, queue->namespace_id);

	return order != 0 ? order
			  : strcmp(row->destination, queue->destination);
}

/* The first queue behind one that is not empty; false: there is none. */
static bool next_queue(const struct memory *m,
    const struct wf_message_queue *after, struct wf_message_queue *queue_out)
{
	bool found = false;

	for (size_t i = 0; i < m->messages.count; i++) {
		const struct memory_message *row = m->messages.rows[i];
		int order = found ? compare_queues(&row->row, queue_out) : -1;

		if (compare_queues(&row->row, after) <= 0 || order > 0 ||
		    !is_head(m, i) ||
		    (order == 0 && queue_out->at <= row->visible_at))
			continue;
		found = true;
		queue_out->namespace_id = row->row.namespace_id;
		queue_out->destination = row->row.destination;
		queue_out->at = row->visible_at;
	}
	return found;
}

enum wf_rc wf_memory_message_queues(struct wf_store *store,
    const struct wf_message_queue *after, size_t limit, struct wf_arena *arena,
    struct wf_message_queue_list *list_out, struct wf_error *err)
{
	struct wf_message_queue queue = { .most = 0 };
	size_t capacity = 0;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	memset(list_out, 0, sizeof(*list_out));
	while (list_out->count < limit && next_queue(m, after, &queue)) {
		queue.destination = wf_arena_strdup(arena, queue.destination);
		list_out->rows = wf_arena_grow(arena, list_out->rows,
		    list_out->count, &capacity, sizeof(*list_out->rows));
		list_out->rows[list_out->count] = queue;
		after = &list_out->rows[list_out->count++];
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_count_messages(struct wf_store *store,
    uint32_t namespace_id, const char *destination, uint64_t maximum,
    uint64_t *count_out, struct wf_error *err)
{
	const struct wf_message_queue queue = { namespace_id, destination, 0,
		0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	*count_out = 0;
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->messages.count && *count_out < maximum; i++) {
		const struct memory_message *row = m->messages.rows[i];

		*count_out +=
		    compare_queues(&row->row, &queue) == 0 && is_head(m, i);
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

/* Adds those of a queue that can be claimed. */
static void find_messages(const struct memory *m,
    const struct wf_message_queue *queue, struct memory_found *all)
{
	struct memory_found found = { 0 };

	for (size_t i = 0; i < m->messages.count; i++) {
		const struct memory_message *row = m->messages.rows[i];

		if (row->visible_at <= queue->at &&
		    compare_queues(&row->row, queue) == 0 && is_head(m, i))
			wf_memory_add(&found, row);
	}
	wf_memory_sort(&found, compare_messages, queue->most);
	for (size_t i = 0; i < found.count; i++)
		wf_memory_add(all, found.rows[i]);
	wf_free(found.rows);
}

enum wf_rc wf_memory_claim_messages(struct wf_store *store,
    const struct wf_message_queue *queues, size_t queue_count, int64_t until,
    struct wf_arena *arena, struct wf_message_list *list_out,
    struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < queue_count; i++)
		find_messages(m, &queues[i], &found);
	for (size_t i = 0; i < found.count; i++) {
		struct memory_message *row =
		    wf_table_find(&m->messages, found.rows[i]);

		row->visible_at = until;
		row->row.attempts++;
	}
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_message, arena, &list_out->count);
	return wf_memory_leave(store, true, WF_OK, err);
}

static struct memory_message *message_of(
    const struct memory *m, const struct wf_message_key *key)
{
	struct wf_message_row row = { .number = key->number,
		.message = key->message };

	return wf_table_find(&m->messages, &row);
}

enum wf_rc wf_memory_acknowledge(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		struct wf_message_row row = { .number = keys[i].number,
			.message = keys[i].message };

		wf_table_remove(&m->messages, &row);
	}
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_postpone(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, int64_t at, bool tried,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		struct memory_message *row = message_of(m, &keys[i]);

		if (row != NULL) {
			row->visible_at = at;
			row->row.attempts -= !tried && row->row.attempts > 0;
		}
	}
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_redirect(struct wf_store *store,
    const struct wf_message_key *keys, size_t count, const char *destination,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		struct memory_message *old = message_of(m, &keys[i]);
		struct memory_message row;

		if (old == NULL)
			continue;
		row = *old;
		row.row.destination = destination;
		row.row.attempts = 0;
		row.visible_at = row.row.at;
		wf_table_put(&m->messages, &row);
	}
	return wf_memory_leave(store, true, WF_OK, err);
}
