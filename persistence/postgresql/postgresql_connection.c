/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: connections and their first statements. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "persistence/postgresql/postgresql_priv.h"

/* --- connections ---------------------------------------------------------- */

/* The URL comes last, so its settings win. */
static const char *const keywords[] = { "application_name", "connect_timeout",
	"client_encoding", "keepalives_idle", "keepalives_interval",
	"keepalives_count", "tcp_user_timeout", "target_session_attrs",
	"dbname", NULL };

/*
 * The settings of every session, unless the options of the URL say otherwise.
 * One plan for all parameters, by indexes, which give the order as well, even
 * if a table has few rows when the plan is made.  A node that is frozen loses
 * its cases.
 */
static const char settings[] =
    "SELECT set_config(v.name, v.value, false) FROM (VALUES"
    " ('plan_cache_mode', 'force_generic_plan'),"
    " ('enable_seqscan', 'off'),"
    " ('enable_hashjoin', 'off'),"
    " ('enable_mergejoin', 'off'),"
    " ('enable_material', 'off'),"
    " ('enable_sort', 'off'),"
    " ('enable_incremental_sort', 'off'),"
    " ('jit', 'off'),"
    " ('default_transaction_isolation', 'read committed'),"
    " ('idle_in_transaction_session_timeout', '10s'),"
    " ('lock_timeout', '10s'),"
    " ('statement_timeout', '60s')"
    ") AS v(name, value) JOIN pg_settings p USING (name)"
    " WHERE p.source <> 'client'";

static void ignore_notice(void *nothing, const char *text)
{
	(void)nothing;
	(void)text;
}

static enum wf_rc fail_connection(
    const struct pg_store *s, struct wf_error *err)
{
	char what[300];

	snprintf(what, sizeof what, "%s", PQerrorMessage(s->connection));
	what[strcspn(what, "\n")] = '\0';
	return wf_fail(
	    err, WF_UNAVAILABLE, "PostgreSQL cannot be reached: %s", what);
}

/* Outside the pipeline: SQL; result_out may be NULL. */
enum wf_rc wf_pg_execute(struct pg_store *s, const char *sql,
    PGresult **result_out, struct wf_error *err)
{
	PGresult *result = PQexec(s->connection, sql);
	ExecStatusType status = PQresultStatus(result);
	enum wf_rc rc = WF_OK;

	if (PQstatus(s->connection) != CONNECTION_OK)
		rc = fail_connection(s, err);
	else if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
		rc = wf_pg_fail(result, err);
	if (result_out != NULL && rc == WF_OK)
		*result_out = result;
	else
		PQclear(result);
	return rc;
}

enum wf_rc wf_pg_executef(
    struct pg_store *s, struct wf_error *err, const char *format, ...)
{
	char sql[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sql, sizeof sql, format, arguments);
	va_end(arguments);
	return wf_pg_execute(s, sql, NULL, err);
}

/* One text; "" when there is no row. */
enum wf_rc wf_pg_ask(struct pg_store *s, const char *sql, char *text_out,
    size_t size, struct wf_error *err)
{
	PGresult *result = NULL;
	enum wf_rc rc = wf_pg_execute(s, sql, &result, err);

	text_out[0] = '\0';
	if (rc == WF_OK && PQntuples(result) > 0)
		snprintf(text_out, size, "%s", PQgetvalue(result, 0, 0));
	PQclear(result);
	return rc;
}

void wf_pg_disconnect(struct pg_store *s)
{
	PQfinish(s->connection);
	s->connection = NULL;
	s->in_transaction = false;
	s->listening = false;
	memset(s->prepared, 0, sizeof s->prepared);
	memset(s->writes_prepared, 0, sizeof s->writes_prepared);
	s->writes_count = 0;
}

/* Connects, but not yet in pipeline mode. */
enum wf_rc wf_pg_dial(struct pg_store *s, struct wf_error *err)
{
	const char *const values[] = { "weft", "10", "UTF8", "10", "5", "3",
		"20000", "read-write", s->conninfo, NULL };
	enum wf_rc rc;

	s->connection = PQconnectdbParams(keywords, values, 1);
	if (PQstatus(s->connection) != CONNECTION_OK) {
		rc = fail_connection(s, err);
	} else {
		PQsetNoticeProcessor(s->connection, ignore_notice, NULL);
		rc = wf_pg_execute(s, settings, NULL, err);
	}
	if (rc != WF_OK)
		wf_pg_disconnect(s);
	return rc;
}

/* --- positions and months ------------------------------------------------ */

/*
 * A position is made from the id of a transaction, which the server counts.  In
 * another server, whose count may be lower, position_base() adds what makes the
 * stream continue behind its last row.
 */
static enum wf_rc read_position_base(struct pg_store *s, struct wf_error *err)
{
	PGresult *result = NULL;
	enum wf_rc rc =
	    wf_pg_execute(s, "SELECT position_base()", &result, err);

	if (rc == WF_OK)
		s->position_base = strtoull(PQgetvalue(result, 0, 0), NULL, 10);
	PQclear(result);
	return rc;
}

uint32_t wf_pg_month(int64_t time)
{
	time_t seconds = (time_t)(time / 1000);
	struct tm tm;
	int64_t month;

	if (time < 0)
		return 0;
	if (gmtime_r(&seconds, &tm) == NULL)
		return INT16_MAX;
	month = ((int64_t)tm.tm_year - 70) * 12 + tm.tm_mon;
	return (uint32_t)(month < INT16_MAX ? month : INT16_MAX);
}

uint32_t wf_pg_this_month(void)
{
	return wf_pg_month((int64_t)time(NULL) * 1000);
}

/* The rows of a month without a partition go to history_other. */
static void make_months(struct pg_store *s)
{
	s->made_month = wf_pg_this_month();
	(void)wf_pg_executef(s, NULL, "SELECT make_month(%u)", s->made_month);
	(void)wf_pg_executef(
	    s, NULL, "SELECT make_month(%u)", s->made_month + 1);
}

/* The first statements of a new connection. */
enum wf_rc wf_pg_prepare_session(struct pg_store *s, struct wf_error *err)
{
	enum wf_rc rc = read_position_base(s, err);

	make_months(s);
	if (rc == WF_OK && PQenterPipelineMode(s->connection) != 1)
		rc = wf_fail(err, WF_UNAVAILABLE,
		    "the connection to PostgreSQL cannot be a pipeline");
	if (rc != WF_OK)
		wf_pg_disconnect(s);
	return rc;
}

enum wf_rc wf_pg_connect(struct pg_store *s, struct wf_error *err)
{
	enum wf_rc rc = wf_pg_dial(s, err);

	return rc == WF_OK ? wf_pg_prepare_session(s, err) : rc;
}
