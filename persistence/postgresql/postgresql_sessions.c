/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: sessions of people. */
#include <string.h>

#include "persistence/postgresql/postgresql_priv.h"

enum wf_rc wf_pg_add_session(struct wf_store *store,
    const struct wf_session_row *row, size_t maximum, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(BEGIN));
	wf_pg_call(s, SQL(TRIM_SESSIONS));
	wf_pg_text(s, row->account);
	wf_pg_number(s, wf_pg_limit(maximum - 1));
	wf_pg_call(s, SQL(ADD_SESSION));
	wf_pg_row(s, &wf_layout_session, row);
	wf_pg_call(s, SQL(COMMIT));
	rc = wf_pg_run(s, PG_COMMIT, err);
	return rc == WF_CONFLICT ? wf_fail_session_key(err) : rc;
}

enum wf_rc wf_pg_session(struct wf_store *store, const char *key,
    struct wf_arena *arena, struct wf_session_row *row_out,
    struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(SESSION));
	wf_pg_text(s, key);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK && wf_pg_count(s, 0) == 0)
		return wf_fail_session(err);
	if (rc == WF_OK)
		wf_pg_read(s, 0, 0, 0, &wf_layout_session, row_out, arena);
	return rc;
}

enum wf_rc wf_pg_use_session(struct wf_store *store, const char *key,
    int64_t used_at, int64_t ends_at, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(USE_SESSION));
	wf_pg_text(s, key);
	wf_pg_number(s, (uint64_t)used_at);
	wf_pg_number(s, (uint64_t)ends_at);
	return wf_pg_run(s, PG_COMMIT, err);
}

enum wf_rc wf_pg_live_sessions(struct wf_store *store, const char *const *keys,
    size_t count, int64_t now, bool *live_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	struct wf_arena *arena;
	enum wf_rc rc;

	wf_pg_call(s, SQL(LIVE_SESSIONS));
	wf_pg_texts(s, keys, count);
	wf_pg_number(s, (uint64_t)now);
	rc = wf_pg_run(s, PG_READ, err);
	if (rc != WF_OK)
		return rc;
	memset(live_out, 0, count * sizeof(*live_out));
	arena = wf_arena_new();
	for (size_t row = 0; row < wf_pg_count(s, 0); row++) {
		struct wf_bytes key = wf_pg_get_bytes(s, 0, row, 0, arena);

		for (size_t i = 0; i < count; i++)
			if (strlen(keys[i]) == key.size &&
			    memcmp(keys[i], key.data, key.size) == 0)
				live_out[i] = true;
	}
	wf_arena_free(&arena);
	return WF_OK;
}

static enum wf_rc remove_by(struct wf_store *store, enum pg_statement which,
    const char *text, size_t *count_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, which);
	wf_pg_text(s, text);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc == WF_OK)
		*count_out = wf_pg_written(s, 0);
	return rc;
}

enum wf_rc wf_pg_remove_session(struct wf_store *store, const char *key,
    size_t *count_out, struct wf_error *err)
{
	return remove_by(store, SQL(REMOVE_SESSION), key, count_out, err);
}

enum wf_rc wf_pg_remove_sessions(struct wf_store *store, const char *account,
    size_t *count_out, struct wf_error *err)
{
	return remove_by(store, SQL(REMOVE_SESSIONS), account, count_out, err);
}

enum wf_rc wf_pg_sweep_sessions(
    struct wf_store *store, int64_t before, size_t limit, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(SWEEP_SESSIONS));
	wf_pg_number(s, (uint64_t)before);
	wf_pg_number(s, wf_pg_limit(limit));
	return wf_pg_run(s, PG_COMMIT, err);
}
