/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: counters, and notifications between nodes. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "persistence/postgresql/postgresql_priv.h"

/* --- counters ------------------------------------------------------------- */

static void call_count_up(struct pg_store *s, const char *name, uint64_t count)
{
	wf_pg_call(s, SQL(COUNT_UP));
	wf_pg_text(s, name);
	wf_pg_number(s, count);
}

enum wf_rc wf_pg_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	call_count_up(s, wf_counter_name(counter), count);
	rc = wf_pg_run(s, PG_COMMIT, err);
	if (rc == WF_OK)
		*first_out = wf_pg_get_number(s, 0, 0, 0) - count + 1;
	/* Launches follow, perhaps the first of a month: connect again, which
	 * makes its partition. */
	if (rc == WF_OK && s->made_month != wf_pg_this_month())
		wf_pg_disconnect(s);
	return rc;
}

enum wf_rc wf_pg_reserve_above(struct wf_store *store, enum wf_counter counter,
    uint64_t least, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_call(s, SQL(RAISE));
	wf_pg_text(s, wf_counter_name(counter));
	wf_pg_number(s, least);
	return wf_pg_run(s, PG_COMMIT, err);
}

void wf_pg_call_change_up(struct pg_store *s)
{
	call_count_up(s, "change", 1);
}

enum wf_rc wf_pg_change(
    struct wf_store *store, uint64_t *change_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc;

	wf_pg_call(s, SQL(COUNTER));
	wf_pg_text(s, "change");
	rc = wf_pg_run(s, PG_READ, err);
	if (rc == WF_OK)
		*change_out = wf_pg_get_number(s, 0, 0, 0);
	return rc;
}

/* --- between nodes -------------------------------------------------------- */

/* The channel of this store; the database may have several stores. */
static const char *channel(const struct pg_store *s, char name[40])
{
	snprintf(name, 40, "weft_%s", s->store.identity);
	return name;
}

enum wf_rc wf_pg_notify(struct wf_store *store, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	char name[40];

	wf_pg_call(s, SQL(NOTIFY));
	wf_pg_text(s, channel(s, name));
	return wf_pg_run(s, PG_COMMIT, err);
}

static enum wf_rc listen_once(struct pg_store *s, struct wf_error *err)
{
	char sql[64] = "LISTEN ";
	enum wf_rc rc;

	if (s->connection != NULL && s->listening)
		return WF_OK;
	channel(s, sql + strlen(sql));
	wf_pg_call_sql(s, sql);
	rc = wf_pg_run(s, PG_READ, err);
	s->listening = rc == WF_OK;
	return rc;
}

/* Drops all notifications that have arrived; false: there was none. */
static bool take_notifications(struct pg_store *s)
{
	PGnotify *notification;
	bool any = false;

	while ((notification = PQnotifies(s->connection)) != NULL) {
		any = true;
		PQfreemem(notification);
	}
	return any;
}

enum wf_rc wf_pg_wait(struct wf_store *store, int milliseconds,
    bool *notified_out, struct wf_error *err)
{
	struct pg_store *s = (struct pg_store *)store;
	enum wf_rc rc = listen_once(s, err);
	struct pollfd fd = { .events = POLLIN };

	*notified_out = false;
	if (rc != WF_OK)
		return rc;
	*notified_out = take_notifications(s);
	fd.fd = PQsocket(s->connection);
	if (*notified_out || poll(&fd, 1, milliseconds) <= 0)
		return WF_OK;
	if (!wf_pg_is_alive(s)) {
		wf_pg_disconnect(s);
		return wf_fail(
		    err, WF_UNAVAILABLE, "the connection to PostgreSQL broke");
	}
	*notified_out = take_notifications(s);
	return WF_OK;
}
