/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: statements, their parameters and SQL. */
#include <arpa/inet.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "persistence/postgresql/postgresql_priv.h"

static const char *const texts[] = {
#define WF_SQL(name, sql) sql,
#include "persistence/postgresql/postgresql_statements.def"
#undef WF_SQL
};

static const struct write {
	const char *sql;
	const char *fence;
} writes_known[] = {
#define WF_WRITE(name, layout, sql, fence) { sql, fence },
#include "persistence/postgresql/postgresql_writes.def"
#undef WF_WRITE
};

/* Bytes of memory that a handle keeps from one run to the next. */
#define DATA_KEPT ((size_t)4 << 20)

/* Each takes memory in the server. */
#define WRITES_PREPARED 64

/* --- calls ---------------------------------------------------------------- */

static struct pg_call *last_call(struct pg_store *s)
{
	wf_assert(s->call_count > 0 && !s->ran);
	return &s->calls[s->call_count - 1];
}

void wf_pg_forget_calls(struct pg_store *s)
{
	for (size_t i = 0; i < s->call_count; i++) {
		PQclear(s->calls[i].result);
		wf_free(s->calls[i].sql);
	}
	s->call_count = 0;
	s->parameter_count = 0;
	s->ran = false;
	if (s->data.capacity > DATA_KEPT)
		wf_buffer_free(&s->data);
	wf_buffer_reset(&s->data);
}

static struct pg_call *new_call(struct pg_store *s)
{
	struct pg_call *call;

	if (s->ran)
		wf_pg_forget_calls(s);
	wf_assert(s->call_count < PG_CALLS);
	call = &s->calls[s->call_count++];
	memset(call, 0, sizeof(*call));
	call->first = s->parameter_count;
	return call;
}

void wf_pg_call(struct pg_store *s, enum pg_statement which)
{
	struct pg_call *call = new_call(s);

	snprintf(call->name, sizeof call->name, "s%d", (int)which);
	call->prepared = &s->prepared[which];
	call->text = texts[which];
}

void wf_pg_call_sql(struct pg_store *s, const char *sql)
{
	struct pg_call *call = new_call(s);

	call->sql = wf_strdup(sql);
	call->text = call->sql;
}

void wf_pg_call_writes(struct pg_store *s, unsigned writes)
{
	struct pg_call *call = new_call(s);

	wf_assert(writes != 0 && writes < 1U << PG_WRITES);
	snprintf(call->name, sizeof call->name, "w%x", writes);
	call->writes = writes;
	if (!s->writes_prepared[writes]) {
		if (s->writes_count >= WRITES_PREPARED)
			return; /* planned each time */
		s->writes_count++;
	}
	call->prepared = &s->writes_prepared[writes];
}

/* --- SQL ------------------------------------------------------------------ */

/* Rows of a case have its part before its number. */
static bool has_part(const struct wf_row_layout *layout)
{
	return strcmp(layout->columns[0].name, "number") == 0;
}

/*
 * Side by side in a select list: in FROM, unnest() would first keep each array
 * as a table.
 */
static void put_arrays(struct wf_buffer *sql,
    const struct wf_row_layout *layout, unsigned *parameter, bool place)
{
	unsigned first = *parameter;

	wf_buffer_puts(sql, "(SELECT ");
	if (has_part(layout))
		wf_buffer_printf(
		    sql, "unnest($%u::smallint[]) AS part, ", (*parameter)++);
	for (size_t i = 0; i < layout->count; i++)
		wf_buffer_printf(sql, "%sunnest($%u::%s[]) AS %s",
		    i > 0 ? ", " : "", (*parameter)++,
		    wf_sql_types[layout->columns[i].type].postgresql,
		    layout->columns[i].name);
	if (place)
		wf_buffer_printf(
		    sql, ", generate_subscripts($%u, 1) AS place", first);
	wf_buffer_printf(sql, ") AS %s", layout->name);
}

static void put_sql(
    struct wf_buffer *text, const char *from, unsigned *parameter)
{
	struct wf_sql sql = { text, '$', *parameter };
	const char *brace;

	while ((brace = strchr(from, '{')) != NULL) {
		size_t length = strcspn(brace + 1, ".|-+[}");
		const char *form = brace + 1 + length;
		const struct wf_row_layout *layout =
		    wf_pg_layout(brace + 1, length);
		const char *end = strchr(brace, '}');

		wf_assert(layout != NULL && end != NULL);
		wf_buffer_append(text, from, (size_t)(brace - from));
		if (form[0] == '[')
			put_arrays(
			    text, layout, &sql.parameter, form[1] == '#');
		else
			wf_sql_put_columns(&sql, layout, form);
		from = end + 1;
	}
	wf_buffer_puts(text, from);
	*parameter = sql.parameter;
}

/*
 * WITH own AS (the position of this transaction), the writes
 * SELECT check_written(rows of those that have a fence, how many there are)
 */
static void put_writes(struct wf_buffer *sql, unsigned writes)
{
	unsigned parameter = 2;

	wf_buffer_puts(sql, "WITH own AS MATERIALIZED (SELECT $1::bigint + "
			    "pg_current_xact_id()::text::bigint AS position)");
	for (unsigned i = 0; i < PG_WRITES; i++)
		if ((writes & 1U << i) != 0) {
			wf_buffer_puts(sql, ", ");
			put_sql(sql, writes_known[i].sql, &parameter);
		}
	wf_buffer_puts(sql, " SELECT check_written(0");
	for (unsigned i = 0; i < PG_WRITES; i++)
		if ((writes & 1U << i) != 0 && writes_known[i].fence[0] != '\0')
			wf_buffer_printf(sql, " + (SELECT count(*) FROM %s)",
			    writes_known[i].fence);
	wf_buffer_printf(sql, ", $%u)", parameter);
}

void wf_pg_put_sql(const struct pg_call *call, struct wf_buffer *sql)
{
	unsigned parameter = 1;

	if (call->text == NULL)
		put_writes(sql, call->writes);
	else
		put_sql(sql, call->text, &parameter);
}

/* --- parameters ----------------------------------------------------------- */

static void begin_parameter(struct pg_store *s)
{
	if (s->parameter_count == s->parameter_capacity) {
		s->parameter_capacity = s->parameter_capacity * 2 + 64;
		s->parameters = wf_realloc(s->parameters,
		    s->parameter_capacity * sizeof(s->parameters[0]));
	}
	s->parameters[s->parameter_count].offset = s->data.length;
}

static void end_parameter(struct pg_store *s)
{
	struct pg_parameter *parameter = &s->parameters[s->parameter_count++];

	wf_assert(s->data.length >= parameter->offset);
	parameter->length = (int)(s->data.length - parameter->offset);
	last_call(s)->count++;
	/* The parameters of a call follow those of the call before. */
	wf_assert(
	    last_call(s)->first + last_call(s)->count == s->parameter_count);
}

static void put_16(struct wf_buffer *data, uint32_t value)
{
	uint16_t bytes = htons((uint16_t)value);

	wf_buffer_append(data, &bytes, sizeof bytes);
}

static void put_32(struct wf_buffer *data, uint32_t value)
{
	uint32_t bytes = htonl(value);

	wf_buffer_append(data, &bytes, sizeof bytes);
}

static void put_64(struct wf_buffer *data, uint64_t value)
{
	uint64_t bytes = htobe64(value);

	wf_buffer_append(data, &bytes, sizeof bytes);
}

void wf_pg_number(struct pg_store *s, uint64_t number)
{
	begin_parameter(s);
	put_64(&s->data, number);
	end_parameter(s);
}

void wf_pg_integer(struct pg_store *s, uint32_t number)
{
	begin_parameter(s);
	put_32(&s->data, number);
	end_parameter(s);
}

void wf_pg_boolean(struct pg_store *s, bool value)
{
	begin_parameter(s);
	wf_buffer_putc(&s->data, (char)value);
	end_parameter(s);
}

void wf_pg_part(struct pg_store *s, uint64_t number)
{
	begin_parameter(s);
	put_16(&s->data, wf_part(number));
	end_parameter(s);
}

static void put_null(struct pg_store *s)
{
	begin_parameter(s);
	end_parameter(s);
	s->parameters[s->parameter_count - 1].length = -1;
}

void wf_pg_text(struct pg_store *s, const char *text)
{
	if (text == NULL) {
		put_null(s);
		return;
	}
	begin_parameter(s);
	wf_buffer_puts(&s->data, text);
	end_parameter(s);
}

/* NULL: NULL */
void wf_pg_bytes(struct pg_store *s, const struct wf_bytes *bytes)
{
	if (bytes->data == NULL) {
		put_null(s);
		return;
	}
	begin_parameter(s);
	wf_buffer_append(&s->data, bytes->data, bytes->size);
	end_parameter(s);
}

void wf_pg_row(
    struct pg_store *s, const struct wf_row_layout *layout, const void *row)
{
	for (size_t i = 0; i < layout->count; i++) {
		const void *field =
		    (const char *)row + layout->columns[i].offset;

		switch (layout->columns[i].type) {
		case WF_COLUMN_U64:
		case WF_COLUMN_I64:
			wf_pg_number(s, *(const uint64_t *)field);
			break;
		case WF_COLUMN_U32:
			wf_pg_integer(s, *(const uint32_t *)field);
			break;
		case WF_COLUMN_BOOL:
			wf_pg_boolean(s, *(const bool *)field);
			break;
		case WF_COLUMN_TEXT:
			wf_pg_text(s, wf_text(*(const char *const *)field));
			break;
		case WF_COLUMN_BYTES:
			wf_pg_bytes(s, field);
			break;
		}
	}
}

/* --- arrays --------------------------------------------------------------- */

/* The number of the type of parts, which is in no row. */
#define OID_SMALLINT 21

/* The head of an array of one dimension, whose first index is 1. */
static void begin_array(struct pg_store *s, uint32_t type, size_t count)
{
	begin_parameter(s);
	put_32(&s->data, count == 0 ? 0 : 1);
	put_32(&s->data, 1); /* there may be NULLs */
	put_32(&s->data, type);
	if (count == 0)
		return;
	put_32(&s->data, (uint32_t)count);
	put_32(&s->data, 1);
}

static void put_element(struct wf_buffer *data, const void *bytes, size_t size)
{
	put_32(data, (uint32_t)size);
	wf_buffer_append(data, bytes, size);
}

static void put_number(struct wf_buffer *data, uint64_t number)
{
	put_32(data, 8);
	put_64(data, number);
}

static void put_text(struct wf_buffer *data, const char *text)
{
	put_element(data, text, strlen(text));
}

static void put_parts(struct pg_store *s, const struct wf_column *column,
    const void *const *rows, size_t count)
{
	begin_array(s, OID_SMALLINT, count);
	for (size_t i = 0; i < count; i++) {
		const char *row = rows[i];

		put_32(&s->data, 2);
		put_16(&s->data,
		    wf_part(*(const uint64_t *)(row + column->offset)));
	}
	end_parameter(s);
}

static void put_field(
    struct wf_buffer *data, enum wf_column_type type, const void *field)
{
	const struct wf_bytes *bytes = field;

	switch (type) {
	case WF_COLUMN_U64:
	case WF_COLUMN_I64:
		put_number(data, *(const uint64_t *)field);
		break;
	case WF_COLUMN_U32:
		put_32(data, 4);
		put_32(data, *(const uint32_t *)field);
		break;
	case WF_COLUMN_BOOL:
		put_element(data, field, 1);
		break;
	case WF_COLUMN_TEXT:
		put_text(data, wf_text(*(const char *const *)field));
		break;
	case WF_COLUMN_BYTES:
		if (bytes->data == NULL)
			put_32(data, UINT32_MAX); /* NULL */
		else
			put_element(data, bytes->data, bytes->size);
		break;
	}
}

void wf_pg_array(struct pg_store *s, const struct wf_row_layout *layout,
    const void *const *rows, size_t count)
{
	if (has_part(layout))
		put_parts(s, &layout->columns[0], rows, count);
	for (size_t i = 0; i < layout->count; i++) {
		const struct wf_column *column = &layout->columns[i];

		begin_array(s, wf_sql_types[column->type].oid, count);
		for (size_t j = 0; j < count; j++)
			put_field(&s->data, column->type,
			    (const char *)rows[j] + column->offset);
		end_parameter(s);
	}
}

void wf_pg_numbers(struct pg_store *s, const uint64_t *numbers, size_t count)
{
	begin_array(s, wf_sql_types[WF_COLUMN_U64].oid, count);
	for (size_t i = 0; i < count; i++)
		put_number(&s->data, numbers[i]);
	end_parameter(s);
}

void wf_pg_texts(struct pg_store *s, const char *const *texts_in, size_t count)
{
	begin_array(s, wf_sql_types[WF_COLUMN_TEXT].oid, count);
	for (size_t i = 0; i < count; i++)
		put_text(&s->data, texts_in[i]);
	end_parameter(s);
}
