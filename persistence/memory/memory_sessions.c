/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: sessions of people. */
#include <string.h>

#include "persistence/memory/memory_priv.h"

static struct wf_session_row *find(struct memory *m, const char *key)
{
	const struct wf_session_row wanted = { .key = key };

	return wf_table_find(&m->sessions, &wanted);
}

/* The one of the account that was used least recently. */
static struct wf_session_row *find_oldest(
    struct memory *m, const char *account, size_t *count_out)
{
	struct wf_session_row *oldest = NULL;

	*count_out = 0;
	for (size_t i = 0; i < m->sessions.count; i++) {
		struct wf_session_row *row = m->sessions.rows[i];

		if (strcmp(row->account, account) != 0)
			continue;
		++*count_out;
		if (oldest == NULL || row->used_at < oldest->used_at)
			oldest = row;
	}
	return oldest;
}

enum wf_rc wf_memory_add_session(struct wf_store *store,
    const struct wf_session_row *row, size_t maximum, struct wf_error *err)
{
	struct wf_session_row *oldest;
	struct memory *m;
	size_t count;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	if (find(m, row->key) != NULL) {
		rc = wf_fail_session_key(err);
	} else {
		oldest = find_oldest(m, row->account, &count);
		while (count >= maximum) {
			wf_table_remove(&m->sessions, oldest);
			oldest = find_oldest(m, row->account, &count);
		}
		wf_table_put(&m->sessions, row);
	}
	return wf_memory_leave(store, true, rc, err);
}

enum wf_rc wf_memory_session(struct wf_store *store, const char *key,
    struct wf_arena *arena, struct wf_session_row *row_out,
    struct wf_error *err)
{
	const struct wf_session_row *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = find(m, key);
	if (row == NULL)
		rc = wf_fail_session(err);
	else
		wf_row_copy_to(&wf_layout_session, row_out, row, arena);
	return wf_memory_leave(store, false, rc, err);
}

enum wf_rc wf_memory_use_session(struct wf_store *store, const char *key,
    int64_t used_at, int64_t ends_at, struct wf_error *err)
{
	struct wf_session_row *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = find(m, key);
	if (row != NULL) {
		row->used_at = used_at;
		row->ends_at = ends_at;
	}
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_live_sessions(struct wf_store *store,
    const char *const *keys, size_t count, int64_t now, bool *live_out,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		const struct wf_session_row *row = find(m, keys[i]);

		live_out[i] = row != NULL && row->ends_at > now;
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_remove_session(struct wf_store *store, const char *key,
    size_t *count_out, struct wf_error *err)
{
	const struct wf_session_row *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = find(m, key);
	if (row != NULL) {
		wf_table_remove(&m->sessions, row);
		*count_out = 1;
	}
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_remove_sessions(struct wf_store *store,
    const char *account, size_t *count_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = m->sessions.count; i-- > 0;) {
		const struct wf_session_row *row = m->sessions.rows[i];

		if (strcmp(row->account, account) != 0)
			continue;
		wf_table_remove(&m->sessions, row);
		++*count_out;
	}
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_sweep_sessions(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = m->sessions.count; i-- > 0 && limit > 0;) {
		const struct wf_session_row *row = m->sessions.rows[i];

		if (row->ends_at >= before)
			continue;
		wf_table_remove(&m->sessions, row);
		limit--;
	}
	return wf_memory_leave(store, true, WF_OK, err);
}
