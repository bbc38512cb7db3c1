/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What PostgreSQL itself can do: writes the rows that a sequence of ten work
 * items makes, with the statements of the store, over one connection, and
 * nothing else.  There is no engine, no cache and no queue.
 *
 * usage: bare URL BATCH SECONDS
 *
 * Each case goes through a launch and ten items, BATCH cases at a time, all of
 * them at different places; a batch is two round trips, as in the store:
 *
 *   BEGIN, cases taken, names locked and looked up
 *   everything written, COMMIT
 *
 * Only the text of the statements is the store's; their parameters are made
 * here, by the names of their columns.  The last line is
 * "items N seconds S".
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "persistence/postgresql_priv.h"

#define TASKS 10U
#define STEPS (TASKS + 1) /* the launch, and the items */
#define BATCH_MAXIMUM 1024U
#define PARAMETERS 128U
/* Bytes of what the kernel encodes in such a case. */
#define EVENTS 23
#define SNAPSHOT 53
#define ANSWER 5

/* A case on its way. */
struct way {
	uint64_t number;
	uint64_t done;	  /* steps */
	uint64_t command; /* the next */
};

struct bare {
	struct wf_store *store; /* opened the database, and is not used else */
	PGconn *connection;
	uint64_t position_base;
	struct way ways[BATCH_MAXIMUM];
	size_t count;
	uint64_t last_number;
	uint64_t last_command;
	int64_t now;
	char node[33];
	bool prepared[PG_STATEMENTS];
	bool writes_prepared[1U << PG_WRITES];
	/* The parameters of the next statement. */
	struct wf_buffer data;
	size_t offsets[PARAMETERS];
	int lengths[PARAMETERS];
	int parameter_count;
};

static const char *const texts[] = {
#define WF_SQL(name, sql) sql,
#include "persistence/postgresql_statements.def"
#undef WF_SQL
};

static const struct {
	const char *shape;
	const char *sql;
} writes_known[] = {
#define WF_WRITE(name, shape, sql, fence) { #shape, sql },
#include "persistence/postgresql_writes.def"
#undef WF_WRITE
};

static _Noreturn void die(const struct bare *bare, const char *what)
{
	fprintf(stderr, "bare: %s: %s", what, PQerrorMessage(bare->connection));
	exit(1);
}

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* --- the rows of a batch -------------------------------------------------- */

/* Which cases of a batch have a row of each kind. */
enum kind { LAUNCH = 1, ITEM = 2, LAST_ITEM = 4, ANY = 7 };

static const struct rows {
	const char *shape;
	unsigned kinds;
} rows_known[] = {
	{ "take", ITEM | LAST_ITEM },
	{ "claim", LAUNCH },
	{ "launch", LAUNCH },
	{ "change", ITEM },
	{ "finish", LAST_ITEM },
	{ "step", ANY },
	{ "answer", ANY },
	{ "item_write", LAUNCH | ITEM },
	{ "item_key", ITEM },
};

static enum kind kind_of(const struct way *way)
{
	if (way->done == 0)
		return LAUNCH;
	return way->done < TASKS ? ITEM : LAST_ITEM;
}

/* 0: no row of that shape is ever written here. */
static unsigned kinds_of(const char *shape)
{
	for (size_t i = 0; i < sizeof rows_known / sizeof rows_known[0]; i++)
		if (strcmp(rows_known[i].shape, shape) == 0)
			return rows_known[i].kinds;
	return 0;
}

static size_t count_rows(const struct bare *bare, unsigned kinds)
{
	size_t count = 0;

	for (size_t i = 0; i < bare->count; i++)
		count += (kind_of(&bare->ways[i]) & kinds) != 0;
	return count;
}

/* --- fields, by the names of their columns -------------------------------- */

static bool is(const char *name, const char *names)
{
	const char *at = strstr(names, name);
	size_t length = strlen(name);

	return at != NULL && at[length] == ' ' &&
	       (at == names || at[-1] == ' ');
}

static uint64_t number_field(
    const struct bare *bare, const struct way *way, const char *name)
{
	if (is(name, "number "))
		return way->number;
	if (is(name, "known expected "))
		return way->done;
	if (is(name, "version snapshot_version sequence "))
		return way->done + 1;
	if (is(name, "namespace_id format groups "))
		return 1;
	if (is(name, "specification request "))
		return UINT64_C(0x9dcd3a4b11223344);
	if (is(name, "launched_at changed_at enabled_at at "))
		return (uint64_t)bare->now;
	return 0;
}

static void text_field(const struct bare *bare, const struct way *way,
    const char *shape, const char *name, char text[80])
{
	unsigned long long number = way->number;
	/* The item that begins, or the one that ends. */
	unsigned task =
	    (unsigned)way->done + (strcmp(shape, "item_write") == 0 ? 1 : 0);

	text[0] = '\0';
	if (is(name, "command ") ||
	    (is(name, "id ") && strcmp(shape, "answer") == 0))
		snprintf(text, 80, "/%s/%llu", bare->node,
		    (unsigned long long)way->command);
	else if (is(name, "id "))
		snprintf(text, 80, "%llu:T%u", number, task);
	else if (is(name, "task "))
		snprintf(text, 80, "T%u", task);
	else if (is(name, "name "))
		snprintf(text, 80, "%llu", number);
	else if (is(name, "origin "))
		snprintf(text, 80, "bench");
}

static int bytes_field(const char *name)
{
	if (is(name, "events "))
		return EVENTS;
	if (is(name, "snapshot "))
		return SNAPSHOT;
	return is(name, "body ") ? ANSWER : -1;
}

/* --- parameters ----------------------------------------------------------- */

static void put(struct wf_buffer *data, uint64_t value, unsigned size)
{
	uint64_t bytes = htobe64(value << (64 - 8 * size));

	wf_buffer_append(data, &bytes, size);
}

static void begin(struct bare *bare)
{
	bare->offsets[bare->parameter_count] = bare->data.length;
}

static void end(struct bare *bare)
{
	bare->lengths[bare->parameter_count] =
	    (int)(bare->data.length - bare->offsets[bare->parameter_count]);
	bare->parameter_count++;
}

static void add_number(struct bare *bare, uint64_t number)
{
	begin(bare);
	put(&bare->data, number, 8);
	end(bare);
}

/* The head of an array; types are numbered in PostgreSQL's catalogue. */
static void begin_array(struct bare *bare, unsigned type, size_t count)
{
	begin(bare);
	put(&bare->data, count > 0, 4);
	put(&bare->data, 1, 4);
	put(&bare->data, type, 4);
	if (count > 0) {
		put(&bare->data, count, 4);
		put(&bare->data, 1, 4);
	}
}

static void put_field(struct bare *bare, const struct way *way,
    const char *shape, const struct wf_column *column)
{
	struct wf_buffer *data = &bare->data;
	uint64_t number = number_field(bare, way, column->name);
	static const char zeros[64];
	char text[80];
	int size;

	switch (column->type) {
	case WF_COLUMN_U64:
	case WF_COLUMN_I64:
		put(data, 8, 4);
		put(data, number, 8);
		break;
	case WF_COLUMN_U32:
		put(data, 4, 4);
		put(data, number, 4);
		break;
	case WF_COLUMN_BOOL:
		put(data, 1, 4);
		put(data, number, 1);
		break;
	case WF_COLUMN_TEXT:
		text_field(bare, way, shape, column->name, text);
		put(data, strlen(text), 4);
		wf_buffer_puts(data, text);
		break;
	case WF_COLUMN_BYTES:
		size = bytes_field(column->name);
		put(data, (uint64_t)size, 4);
		if (size > 0)
			wf_buffer_append(data, zeros, (size_t)size);
		break;
	}
}

static unsigned type_of(enum wf_column_type type)
{
	static const unsigned types[] = { [WF_COLUMN_U64] = 20,
		[WF_COLUMN_I64] = 20,
		[WF_COLUMN_U32] = 23,
		[WF_COLUMN_BOOL] = 16,
		[WF_COLUMN_TEXT] = 25,
		[WF_COLUMN_BYTES] = 17 };

	return types[type];
}

static void add_parts(struct bare *bare, unsigned kinds, size_t count)
{
	begin_array(bare, 21, count);
	for (size_t i = 0; i < bare->count; i++)
		if ((kind_of(&bare->ways[i]) & kinds) != 0) {
			put(&bare->data, 2, 4);
			put(&bare->data, wf_part(bare->ways[i].number), 2);
		}
	end(bare);
}

/* An array a column, as {shape[]} in the statement wants them. */
static void add_shape(struct bare *bare, const struct wf_shape *shape)
{
	unsigned kinds = kinds_of(shape->name);
	size_t count = count_rows(bare, kinds);

	if (strcmp(shape->columns[0].name, "number") == 0)
		add_parts(bare, kinds, count);
	for (size_t c = 0; c < shape->count; c++) {
		begin_array(bare, type_of(shape->columns[c].type), count);
		for (size_t i = 0; i < bare->count; i++)
			if ((kind_of(&bare->ways[i]) & kinds) != 0)
				put_field(bare, &bare->ways[i], shape->name,
				    &shape->columns[c]);
		end(bare);
	}
}

/* For all that is {shape[]} or {shape[#]} in the text. */
static void add_shapes(struct bare *bare, const char *text)
{
	while ((text = strchr(text, '{')) != NULL) {
		size_t length = strcspn(++text, "}:=?[");

		if (text[length] == '[')
			add_shape(bare, wf_pg_shape(text, length));
	}
}

/* --- statements ----------------------------------------------------------- */

/* Begins the parameters of a statement. */
static void clear(struct bare *bare)
{
	bare->parameter_count = 0;
	wf_buffer_reset(&bare->data);
}

static void send(
    struct bare *bare, const char *name, const struct pg_call *call, bool *done)
{
	const char *values[PARAMETERS];
	int formats[PARAMETERS];
	struct wf_buffer sql;

	wf_buffer_init(&sql, 1 << 20);
	if (!*done) {
		wf_pg_put_sql(call, &sql);
		if (PQsendPrepare(bare->connection, name, wf_buffer_text(&sql),
			0, NULL) != 1)
			die(bare, name);
		*done = true;
	}
	wf_buffer_free(&sql);
	for (int i = 0; i < bare->parameter_count; i++) {
		values[i] = bare->data.data + bare->offsets[i];
		formats[i] = 1;
	}
	if (PQsendQueryPrepared(bare->connection, name, bare->parameter_count,
		values, bare->lengths, formats, 1) != 1)
		die(bare, name);
}

static void send_statement(struct bare *bare, enum pg_statement which)
{
	struct pg_call call = { .text = texts[which] };
	char name[32];

	snprintf(name, sizeof name, "bare%d", (int)which);
	send(bare, name, &call, &bare->prepared[which]);
}

/* A statement whose parameters are those of its shapes. */
static void send_shapes(struct bare *bare, enum pg_statement which)
{
	clear(bare);
	add_shapes(bare, texts[which]);
	send_statement(bare, which);
}

/* A lock for each name that a case is given. */
static void send_lock(struct bare *bare, size_t names)
{
	clear(bare);
	begin_array(bare, 20, names);
	for (size_t i = 0; i < names; i++) {
		put(&bare->data, 8, 4);
		put(&bare->data,
		    (bare->last_number + i) * UINT64_C(0x9E3779B97F4A7C15), 8);
	}
	end(bare);
	send_statement(bare, SQL(LOCK));
}

/* All that is written, as one statement. */
static void send_writes(struct bare *bare)
{
	struct pg_call call = { .text = NULL };
	char name[32];

	clear(bare);
	add_number(bare, bare->position_base);
	for (unsigned i = 0; i < PG_WRITES; i++) {
		if (count_rows(bare, kinds_of(writes_known[i].shape)) == 0)
			continue;
		call.writes |= 1U << i;
		add_shapes(bare, writes_known[i].sql);
	}
	/* Each case is launched, changed or ended. */
	add_number(bare, bare->count);
	snprintf(name, sizeof name, "bare_w%x", call.writes);
	send(bare, name, &call, &bare->writes_prepared[call.writes]);
}

/* Ends the round trip: reads all answers. */
static void receive(struct bare *bare)
{
	ExecStatusType status = PGRES_COMMAND_OK;

	if (PQpipelineSync(bare->connection) != 1)
		die(bare, "sending");
	while (status != PGRES_PIPELINE_SYNC) {
		PGresult *result = PQgetResult(bare->connection);

		if (result == NULL)
			continue; /* the end of the answers to a statement */
		status = PQresultStatus(result);
		if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK &&
		    status != PGRES_PIPELINE_SYNC)
			die(bare, "a statement failed");
		PQclear(result);
	}
}

/* --- batches -------------------------------------------------------------- */

static uint64_t run_batch(struct bare *bare)
{
	size_t launches = count_rows(bare, LAUNCH);

	bare->now = (int64_t)time(NULL) * 1000;
	for (size_t i = 0; i < bare->count; i++)
		bare->ways[i].command = ++bare->last_command;
	clear(bare);
	send_statement(bare, SQL(BEGIN));
	if (launches < bare->count)
		send_shapes(bare, SQL(TAKE));
	if (launches > 0) {
		send_lock(bare, launches);
		send_shapes(bare, SQL(NAMES));
	}
	receive(bare);
	send_writes(bare);
	clear(bare);
	send_statement(bare, SQL(COMMIT));
	receive(bare);
	for (size_t i = 0; i < bare->count; i++)
		if (++bare->ways[i].done == STEPS)
			bare->ways[i] =
			    (struct way){ .number = ++bare->last_number };
	return bare->count - launches;
}

/* The cases set out one after the other, so they are at different places. */
static void set_out(struct bare *bare, size_t batch)
{
	for (size_t i = 0; i < batch; i++)
		bare->ways[i].number = ++bare->last_number;
	for (unsigned i = 1; i <= STEPS; i++) {
		bare->count = (batch * i + STEPS - 1) / STEPS;
		run_batch(bare);
	}
}

static void open_database(struct bare *bare, const char *url)
{
	struct wf_error err = { .rc = WF_OK };
	const struct pg_store *s;
	uint64_t first;

	if (wf_store_open(&bare->store, url, WF_STORE_CREATE, &err) != WF_OK ||
	    wf_store_reserve(bare->store, WF_COUNTER_CASE, 1U << 30, &first,
		&err) != WF_OK) {
		fprintf(stderr, "bare: %s\n", err.message);
		exit(1);
	}
	s = (const struct pg_store *)bare->store;
	bare->connection = s->connection;
	bare->position_base = s->position_base;
	bare->last_number = first;
	/* As long as the id of a node, and another one each time. */
	snprintf(bare->node, sizeof bare->node, "%032llx",
	    (unsigned long long)first);
}

int main(int argc, char **argv)
{
	static struct bare bare;
	size_t batch = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	double wanted = argc > 3 ? strtod(argv[3], NULL) : 0;
	unsigned long long items = 0;
	double start;
	double took;

	if (argc != 4 || batch < 1 || batch > BATCH_MAXIMUM || wanted <= 0) {
		fprintf(stderr, "usage: bare URL BATCH SECONDS\n");
		return 2;
	}
	wf_buffer_init(&bare.data, (size_t)64 << 20);
	open_database(&bare, argv[1]);
	set_out(&bare, batch);
	start = seconds();
	while ((took = seconds() - start) < wanted)
		items += run_batch(&bare);
	printf("items per second %.0f\n", (double)items / took);
	printf("items %llu seconds %.6f\n", items, took);
	wf_buffer_free(&bare.data);
	wf_store_close(&bare.store);
	return 0;
}
