/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: round trips and answers. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/panic.h"
#include "persistence/postgresql/postgresql_priv.h"

/* --- errors --------------------------------------------------------------- */

/* Whether the server reported that it ended the session before the commit. */
static bool gave_up(const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return state != NULL && strcmp(state, "25P03") == 0;
}

static enum wf_rc fail_connection(struct pg_store *s, enum pg_end end,
    const PGresult *result, struct wf_error *err)
{
	bool known = end != PG_COMMIT || gave_up(result);
	char what[300];

	snprintf(what, sizeof what, "%s",
	    result != NULL ? PQresultErrorMessage(result)
			   : PQerrorMessage(s->connection));
	what[strcspn(what, "\n")] = '\0';
	wf_pg_disconnect(s);
	return wf_fail(err, known ? WF_UNAVAILABLE : WF_LOST,
	    "the connection to PostgreSQL broke: %s", what);
}

static void note_collision(struct pg_store *s, const PGresult *result)
{
	const char *table = PQresultErrorField(result, PG_DIAG_TABLE_NAME);
	const char *key = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);

	snprintf(s->collision_table, sizeof s->collision_table, "%s",
	    wf_text(table));
	snprintf(s->collision_key, sizeof s->collision_key, "%s", wf_text(key));
}

/* --- round trips ---------------------------------------------------------- */

static bool send_prepare(
    struct pg_store *s, struct pg_call *call, const char *sql)
{
	call->preparing = true;
	*call->prepared = true;
	return PQsendPrepare(s->connection, call->name, sql, 0, NULL) == 1;
}

static bool send_call(struct pg_store *s, struct pg_call *call,
    const char *const *values, const int *lengths, const int *formats)
{
	struct wf_buffer sql;
	bool sent = true;

	wf_buffer_init(&sql, 1 << 20);
	if (call->prepared == NULL || !*call->prepared)
		wf_pg_put_sql(call, &sql);
	if (call->prepared == NULL) {
		sent = PQsendQueryParams(s->connection, wf_buffer_text(&sql),
			   (int)call->count, NULL, values, lengths, formats,
			   1) == 1;
	} else {
		if (!*call->prepared)
			sent = send_prepare(s, call, wf_buffer_text(&sql));
		sent = sent &&
		       PQsendQueryPrepared(s->connection, call->name,
			   (int)call->count, values, lengths, formats, 1) == 1;
	}
	wf_buffer_free(&sql);
	return sent;
}

static bool send_calls(struct pg_store *s)
{
	size_t count = s->parameter_count;
	const char **values = wf_calloc(count + 1, sizeof(*values));
	int *lengths = wf_calloc(count + 1, sizeof(*lengths));
	int *formats = wf_calloc(count + 1, sizeof(*formats));
	bool sent = true;

	for (size_t i = 0; i < count; i++) {
		const struct pg_parameter *parameter = &s->parameters[i];

		formats[i] = 1;
		if (parameter->length < 0)
			continue;
		lengths[i] = parameter->length;
		values[i] = wf_buffer_text(&s->data) + parameter->offset;
	}
	for (size_t i = 0; sent && i < s->call_count; i++) {
		struct pg_call *call = &s->calls[i];

		sent = send_call(s, call, values + call->first,
		    lengths + call->first, formats + call->first);
	}
	wf_free(values);
	wf_free(lengths);
	wf_free(formats);
	return sent && PQpipelineSync(s->connection) == 1;
}

/* The answer to one message; NULL when the connection broke. */
static PGresult *receive(struct pg_store *s)
{
	PGresult *result = PQgetResult(s->connection);
	PGresult *more;

	if (result == NULL || PQresultStatus(result) == PGRES_PIPELINE_SYNC)
		return result;
	while ((more = PQgetResult(s->connection)) != NULL)
		PQclear(more);
	return result;
}

static bool is_error(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK;
}

/* When it could not be prepared, that is the answer to the call. */
static void receive_call(struct pg_store *s, struct pg_call *call)
{
	PGresult *prepared = call->preparing ? receive(s) : NULL;

	call->result = receive(s);
	if (prepared != NULL && is_error(prepared)) {
		PGresult *aborted = call->result;

		*call->prepared = false;
		call->result = prepared;
		prepared = aborted;
	}
	PQclear(prepared);
}

/* NULL: none. */
static const PGresult *first_error(const struct pg_store *s)
{
	for (size_t i = 0; i < s->call_count; i++) {
		const PGresult *result = s->calls[i].result;

		if (result != NULL &&
		    PQresultStatus(result) == PGRES_FATAL_ERROR)
			return result;
	}
	return NULL;
}

static void receive_sync(struct pg_store *s)
{
	PGresult *result;

	while (PQstatus(s->connection) == CONNECTION_OK &&
	       (result = receive(s)) != NULL) {
		bool last = PQresultStatus(result) == PGRES_PIPELINE_SYNC;

		PQclear(result);
		if (last)
			break;
	}
}

/*
 * A broken connection need not have that status yet: after half an answer only
 * the error shows it, which then has no code of the server.
 */
static bool is_broken(const struct pg_store *s, const PGresult *error)
{
	bool broken = PQstatus(s->connection) != CONNECTION_OK;

	if (error != NULL)
		return broken ||
		       PQresultErrorField(error, PG_DIAG_SQLSTATE) == NULL;
	for (size_t i = 0; i < s->call_count && !broken; i++)
		broken = s->calls[i].result == NULL;
	return broken;
}

/*
 * A plan that was made while a table was empty may read the whole table, and
 * stays until PostgreSQL has counted its rows again: a queue that was empty
 * would be slow for a minute.  So plans are made again, each second at most,
 * from the sizes that the tables have then.
 */
#define PLANS_MS INT64_C(1000)

static bool discard_plans(struct pg_store *s)
{
	int64_t now = wf_monotonic_ms();

	if (s->in_transaction || now - s->planned_at < PLANS_MS)
		return false;
	s->planned_at = now;
	/* Not in one transaction with what follows. */
	return PQsendQueryParams(s->connection, "DISCARD PLANS", 0, NULL, NULL,
		   NULL, NULL, 0) == 1 &&
	       PQpipelineSync(s->connection) == 1;
}

static enum wf_rc exchange(
    struct pg_store *s, enum pg_end end, struct wf_error *err)
{
	bool discards = discard_plans(s);
	bool sent = send_calls(s);
	const PGresult *error;
	enum wf_rc rc = WF_OK;

	/* The last messages of the server are read even when sending failed. */
	if (discards)
		receive_sync(s);
	for (size_t i = 0; i < s->call_count; i++)
		receive_call(s, &s->calls[i]);
	if (sent)
		receive_sync(s);
	error = first_error(s);
	if (!sent || is_broken(s, error)) {
		rc = fail_connection(s, end, error, err);
	} else if (error != NULL) {
		note_collision(s, error);
		rc = wf_pg_fail(error, err);
	}
	return rc;
}

bool wf_pg_is_alive(struct pg_store *s)
{
	struct pollfd fd = { .fd = PQsocket(s->connection), .events = POLLIN };

	while (poll(&fd, 1, 0) > 0)
		if (PQconsumeInput(s->connection) == 0)
			return false;
	return PQstatus(s->connection) == CONNECTION_OK;
}

static enum wf_rc find_connection(struct pg_store *s, struct wf_error *err)
{
	if (s->connection != NULL && wf_pg_is_alive(s))
		return WF_OK;
	if (s->in_transaction)
		return fail_connection(s, PG_READ, NULL, err);
	wf_pg_disconnect(s);
	return wf_pg_connect(s, err);
}

enum wf_rc wf_pg_run(struct pg_store *s, enum pg_end end, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	if (s->data.full)
		rc = wf_fail(err, WF_LIMIT,
		    "a batch is larger than PostgreSQL takes at once");
	for (size_t i = 0; rc == WF_OK && i < s->call_count; i++)
		rc = wf_statement(&s->store, err);
	if (rc == WF_OK)
		rc = find_connection(s, err);
	if (rc == WF_OK)
		rc = exchange(s, end, err);
	rc = wf_statement_end(&s->store, end == PG_COMMIT, rc, err);
	s->ran = true;
	s->in_transaction = rc == WF_OK && end == PG_STAY;
	if (rc != WF_OK)
		wf_pg_roll_back(s);
	return rc;
}

void wf_pg_roll_back(struct pg_store *s)
{
	s->in_transaction = false;
	if (s->connection == NULL ||
	    PQtransactionStatus(s->connection) == PQTRANS_IDLE)
		return;
	if (PQsendQueryParams(
		s->connection, "ROLLBACK", 0, NULL, NULL, NULL, NULL, 0) == 1 &&
	    PQpipelineSync(s->connection) == 1)
		receive_sync(s);
	if (PQtransactionStatus(s->connection) != PQTRANS_IDLE)
		wf_pg_disconnect(s);
}

const char *wf_pg_collision(const struct pg_store *s, const char **key_out)
{
	*key_out = s->collision_key;
	return s->collision_table;
}

/* --- answers -------------------------------------------------------------- */

/* The answer to a call of the last run. */
static const PGresult *answer(const struct pg_store *s, size_t call)
{
	wf_assert(s->ran && call < s->call_count);
	return s->calls[call].result;
}

size_t wf_pg_count(const struct pg_store *s, size_t call)
{
	return (size_t)PQntuples(answer(s, call));
}

size_t wf_pg_written(const struct pg_store *s, size_t call)
{
	return (size_t)strtoull(PQcmdTuples(s->calls[call].result), NULL, 10);
}

bool wf_pg_is_null(
    const struct pg_store *s, size_t call, size_t row, int column)
{
	return PQgetisnull(answer(s, call), (int)row, column) == 1;
}

/* A boolean, a smallint, an integer or a bigint. */
uint64_t wf_pg_get_number(
    const struct pg_store *s, size_t call, size_t row, int column)
{
	const PGresult *result = answer(s, call);
	const unsigned char *bytes =
	    (const unsigned char *)PQgetvalue(result, (int)row, column);
	int length = PQgetlength(result, (int)row, column);
	uint64_t number = 0;

	for (int i = 0; i < length; i++)
		number = number << 8 | bytes[i];
	return number;
}

int64_t wf_pg_get_time(const struct pg_store *s, int column)
{
	return wf_pg_is_null(s, 0, 0, column)
		   ? INT64_MAX
		   : (int64_t)wf_pg_get_number(s, 0, 0, column);
}

struct wf_bytes wf_pg_get_bytes(const struct pg_store *s, size_t call,
    size_t row, int column, struct wf_arena *arena)
{
	const PGresult *result = answer(s, call);
	struct wf_bytes bytes = { NULL, 0 };

	if (PQgetisnull(result, (int)row, column))
		return bytes;
	bytes.size = (size_t)PQgetlength(result, (int)row, column);
	bytes.data = wf_arena_strndup(
	    arena, PQgetvalue(result, (int)row, column), bytes.size);
	return bytes;
}

void wf_pg_read(const struct pg_store *s, size_t call, size_t row, int first,
    const struct wf_row_layout *layout, void *row_out, struct wf_arena *arena)
{
	/* A column that is missing would be read as 0. */
	wf_assert(first + (int)layout->count <= PQnfields(answer(s, call)));
	for (size_t i = 0; i < layout->count; i++) {
		void *field = (char *)row_out + layout->columns[i].offset;
		int at = first + (int)i;

		switch (layout->columns[i].type) {
		case WF_COLUMN_U64:
		case WF_COLUMN_I64:
			*(uint64_t *)field = wf_pg_get_number(s, call, row, at);
			break;
		case WF_COLUMN_U32:
			*(uint32_t *)field =
			    (uint32_t)wf_pg_get_number(s, call, row, at);
			break;
		case WF_COLUMN_BOOL:
			*(bool *)field =
			    wf_pg_get_number(s, call, row, at) != 0;
			break;
		case WF_COLUMN_TEXT:
			*(const char **)field =
			    wf_pg_get_bytes(s, call, row, at, arena).data;
			break;
		case WF_COLUMN_BYTES:
			*(struct wf_bytes *)field =
			    wf_pg_get_bytes(s, call, row, at, arena);
			break;
		}
	}
}

void *wf_pg_read_all(const struct pg_store *s, size_t call,
    const struct wf_row_layout *layout, struct wf_arena *arena,
    size_t *count_out)
{
	size_t count = wf_pg_count(s, call);
	char *rows = wf_arena_array(arena, count, layout->size);

	for (size_t i = 0; i < count; i++)
		wf_pg_read(
		    s, call, i, 0, layout, rows + i * layout->size, arena);
	*count_out = count;
	return rows;
}
