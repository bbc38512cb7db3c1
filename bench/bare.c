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

#include "persistence/postgresql/postgresql_priv.h"

#define TASKS 10U
#define STEPS (TASKS + 1) /* the launch, and the items */
#define BATCH_MAXIMUM 1024U
#define PARAMETERS 128U
#define COLUMNS 32U
#define DATA_MAXIMUM ((size_t)16 << 20)

/* What a case does next. */
enum kind { NONE = 0, LAUNCH = 1, ITEM = 2, LAST_ITEM = 4, ANY = 7 };

/* A case on its way. */
struct way {
	uint64_t number;
	unsigned done; /* steps */
	enum kind kind;
	char name[24];
	char command[64]; /* the id of the next */
	char item[40];	  /* that it completes */
	char next_item[40];
};

struct bare {
	struct wf_store *store; /* opened the database, and is not used else */
	PGconn *connection;
	uint64_t position_base;
	struct way ways[BATCH_MAXIMUM];
	size_t count;
	uint64_t last_number;
	unsigned long long last_command;
	int64_t now;
	char node[24];
	bool prepared[PG_STATEMENTS];
	bool writes_prepared[1U << PG_WRITES];
	/* The parameters of the next statement. */
	char *data;
	char *end;
	const char *values[PARAMETERS];
	int lengths[PARAMETERS];
	int formats[PARAMETERS];
	int parameter_count;
};

static const char *const texts[] = {
#define WF_SQL(name, sql) sql,
#include "persistence/postgresql/postgresql_statements.def"
#undef WF_SQL
};

static const struct {
	const char *shape;
	const char *sql;
} writes_known[] = {
#define WF_WRITE(name, shape, sql, fence) { #shape, sql },
#include "persistence/postgresql/postgresql_writes.def"
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

/* The content of a column; NOTHING is 0, "", false or NULL. */
enum field {
	NOTHING,
	NUMBER,
	DONE,
	NEXT,
	ONE,
	KEY,
	NOW,
	MONTH,
	NAME,
	ORIGIN,
	COMMAND,
	ITEM_DONE,
	NEXT_ITEM,
	NEXT_TASK,
	EVENTS,
	SNAPSHOT,
	ANSWER
};

/* Of which cases of a batch there is a row of a shape. */
static struct rows {
	const char *shape;
	unsigned kinds;
	const struct wf_row_layout *form; /* NULL: not found yet */
	enum field fields[COLUMNS];
} rows_known[] = {
	{ .shape = "take", .kinds = ITEM | LAST_ITEM },
	{ .shape = "claim", .kinds = LAUNCH },
	{ .shape = "launch", .kinds = LAUNCH },
	{ .shape = "change", .kinds = ITEM },
	{ .shape = "finish", .kinds = LAST_ITEM },
	{ .shape = "step", .kinds = ANY },
	{ .shape = "answer", .kinds = ANY },
	{ .shape = "new_item", .kinds = LAUNCH | ITEM },
	{ .shape = "item_key", .kinds = ITEM },
	{ .shape = "item_kernel" },
	{ .shape = "hand_over" },
	{ .shape = "quarantined" },
	{ .shape = "value" },
	{ .shape = "new_due" },
	{ .shape = "due_key" },
	{ .shape = "new_message" },
	{ .shape = "incident" },
	{ .shape = "incident_key" },
};

static size_t count_rows(const struct bare *bare, unsigned kinds)
{
	size_t count = 0;

	for (size_t i = 0; i < bare->count; i++)
		count += (bare->ways[i].kind & kinds) != 0;
	return count;
}

/* --- fields, by the names of their columns -------------------------------- */

static const struct {
	const char *column;
	enum field field;
} fields_known[] = {
	{ "number", NUMBER },
	{ "known", DONE },
	{ "expected", DONE },
	{ "version", NEXT },
	{ "snapshot_version", NEXT },
	{ "sequence", NEXT },
	{ "namespace_id", ONE },
	{ "format", ONE },
	{ "specification", KEY },
	{ "request", KEY },
	{ "at", NOW },
	{ "launched_at", NOW },
	{ "changed_at", NOW },
	{ "enabled_at", NOW },
	{ "month", MONTH },
	{ "name", NAME },
	{ "origin", ORIGIN },
	{ "command", COMMAND },
	{ "events", EVENTS },
	{ "snapshot", SNAPSHOT },
	{ "body", ANSWER },
};

static enum field field_of(const char *shape, const char *column)
{
	if (strcmp(column, "id") == 0 && strcmp(shape, "answer") == 0)
		return COMMAND;
	if (strcmp(shape, "new_item") == 0) {
		if (strcmp(column, "id") == 0)
			return NEXT_ITEM;
		if (strcmp(column, "task") == 0)
			return NEXT_TASK;
	}
	if (strcmp(column, "id") == 0)
		return ITEM_DONE;
	for (size_t i = 0; i < sizeof fields_known / sizeof fields_known[0];
	     i++)
		if (strcmp(fields_known[i].column, column) == 0)
			return fields_known[i].field;
	return NOTHING;
}

/* Finds the content of each column, once. */
static void look_up_form(struct rows *rows)
{
	rows->form = wf_pg_layout(rows->shape, strlen(rows->shape));
	if (rows->form == NULL || rows->form->count > COLUMNS)
		abort();
	for (size_t i = 0; i < rows->form->count; i++)
		rows->fields[i] =
		    field_of(rows->shape, rows->form->columns[i].name);
}

static const struct rows *rows_of(const char *shape, size_t length)
{
	for (size_t i = 0; i < sizeof rows_known / sizeof rows_known[0]; i++) {
		struct rows *rows = &rows_known[i];

		if (strlen(rows->shape) != length ||
		    memcmp(rows->shape, shape, length) != 0)
			continue;
		if (rows->form == NULL)
			look_up_form(rows);
		return rows;
	}
	fprintf(stderr, "bare: nothing is known of %.*s\n", (int)length, shape);
	exit(1);
}

static uint64_t number_field(
    const struct bare *bare, const struct way *way, enum field field)
{
	switch (field) {
	case NUMBER:
		return way->number;
	case DONE:
		return way->done;
	case NEXT:
		return way->done + 1;
	case ONE:
		return 1;
	case KEY:
		return UINT64_C(0x9dcd3a4b11223344);
	case NOW:
		return (uint64_t)bare->now;
	case MONTH:
		return wf_pg_month(bare->now);
	default:
		return 0;
	}
}

static const char *text_field(const struct way *way, enum field field)
{
	switch (field) {
	case NAME:
		return way->name;
	case ORIGIN:
		return "bench";
	case COMMAND:
		return way->command;
	case ITEM_DONE:
		return way->item;
	case NEXT_ITEM:
		return way->next_item;
	case NEXT_TASK:
		return strchr(way->next_item, 'T');
	default:
		return "";
	}
}

/* The texts of the next step. */
static void name_step(struct bare *bare, struct way *way)
{
	unsigned long long number = way->number;

	snprintf(way->name, sizeof way->name, "%llu", number);
	snprintf(way->command, sizeof way->command, "/%s/%llu", bare->node,
	    ++bare->last_command);
	snprintf(way->item, sizeof way->item, "%llu:T%u", number, way->done);
	snprintf(way->next_item, sizeof way->next_item, "%llu:T%u", number,
	    way->done + 1);
}

/* --- parameters ----------------------------------------------------------- */

static void put_bytes(struct bare *bare, const void *bytes, size_t size)
{
	if ((size_t)(bare->data + DATA_MAXIMUM - bare->end) < size)
		abort();
	memcpy(bare->end, bytes, size);
	bare->end += size;
}

static void put_16(struct bare *bare, uint32_t value)
{
	uint16_t bytes = htobe16((uint16_t)value);

	put_bytes(bare, &bytes, sizeof bytes);
}

static void put_32(struct bare *bare, uint32_t value)
{
	uint32_t bytes = htobe32(value);

	put_bytes(bare, &bytes, sizeof bytes);
}

static void put_64(struct bare *bare, uint64_t value)
{
	uint64_t bytes = htobe64(value);

	put_bytes(bare, &bytes, sizeof bytes);
}

static void begin(struct bare *bare)
{
	bare->values[bare->parameter_count] = bare->end;
}

static void end(struct bare *bare)
{
	bare->lengths[bare->parameter_count] =
	    (int)(bare->end - bare->values[bare->parameter_count]);
	bare->formats[bare->parameter_count] = 1;
	bare->parameter_count++;
}

static void add_number(struct bare *bare, uint64_t number)
{
	begin(bare);
	put_64(bare, number);
	end(bare);
}

/* The head of an array; types are numbered in PostgreSQL's catalogue. */
static void begin_array(struct bare *bare, unsigned type, size_t count)
{
	begin(bare);
	put_32(bare, count > 0);
	put_32(bare, 1);
	put_32(bare, type);
	if (count > 0) {
		put_32(bare, (uint32_t)count);
		put_32(bare, 1);
	}
}

static void put_sized(struct bare *bare, const void *bytes, size_t size)
{
	put_32(bare, (uint32_t)size);
	put_bytes(bare, bytes, size);
}

static void put_encoded(struct bare *bare, enum field field)
{
	/* As long as what the kernel encodes in such a case. */
	static const char zeros[64];

	if (field == EVENTS)
		put_sized(bare, zeros, 23);
	else if (field == SNAPSHOT)
		put_sized(bare, zeros, 53);
	else if (field == ANSWER)
		put_sized(bare, zeros, 5);
	else
		put_32(bare, UINT32_MAX); /* NULL */
}

static void put_field(struct bare *bare, const struct way *way,
    enum wf_column_type type, enum field field)
{
	const char *text;

	switch (type) {
	case WF_COLUMN_U64:
	case WF_COLUMN_I64:
		put_32(bare, 8);
		put_64(bare, number_field(bare, way, field));
		break;
	case WF_COLUMN_U32:
		put_32(bare, 4);
		put_32(bare, (uint32_t)number_field(bare, way, field));
		break;
	case WF_COLUMN_BOOL:
		put_sized(bare, "", 1); /* false */
		break;
	case WF_COLUMN_TEXT:
		text = text_field(way, field);
		put_sized(bare, text, strlen(text));
		break;
	case WF_COLUMN_BYTES:
		put_encoded(bare, field);
		break;
	}
}

static unsigned type_of(enum wf_column_type type)
{
	return wf_sql_types[type].oid;
}

static void add_parts(struct bare *bare, unsigned kinds, size_t count)
{
	begin_array(bare, 21, count);
	for (size_t i = 0; i < bare->count; i++)
		if ((bare->ways[i].kind & kinds) != 0) {
			put_32(bare, 2);
			put_16(bare, wf_part(bare->ways[i].number));
		}
	end(bare);
}

/* An array a column, as {shape[]} in the statement wants them. */
static void add_rows(struct bare *bare, const struct rows *rows)
{
	const struct wf_column *columns = rows->form->columns;
	size_t count = count_rows(bare, rows->kinds);

	if (strcmp(columns[0].name, "number") == 0)
		add_parts(bare, rows->kinds, count);
	for (size_t c = 0; c < rows->form->count; c++) {
		begin_array(bare, type_of(columns[c].type), count);
		for (size_t i = 0; i < bare->count; i++)
			if ((bare->ways[i].kind & rows->kinds) != 0)
				put_field(bare, &bare->ways[i], columns[c].type,
				    rows->fields[c]);
		end(bare);
	}
}

/* For all that is {shape[]} or {shape[#]} in the text. */
static void add_shapes(struct bare *bare, const char *text)
{
	while ((text = strchr(text, '{')) != NULL) {
		size_t length = strcspn(++text, ".|-+[}");

		if (text[length] == '[')
			add_rows(bare, rows_of(text, length));
	}
}

/* --- statements ----------------------------------------------------------- */

/* Begins the parameters of a statement. */
static void clear(struct bare *bare)
{
	bare->parameter_count = 0;
	bare->end = bare->data;
}

static void prepare(
    struct bare *bare, const char *name, const struct pg_call *call)
{
	struct wf_buffer sql;

	wf_buffer_init(&sql, 1 << 20);
	wf_pg_put_sql(call, &sql);
	if (PQsendPrepare(
		bare->connection, name, wf_buffer_text(&sql), 0, NULL) != 1)
		die(bare, name);
	wf_buffer_free(&sql);
}

static void send(
    struct bare *bare, const char *name, const struct pg_call *call, bool *done)
{
	if (!*done)
		prepare(bare, name, call);
	*done = true;
	if (PQsendQueryPrepared(bare->connection, name, bare->parameter_count,
		bare->values, bare->lengths, bare->formats, 1) != 1)
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
		put_32(bare, 8);
		put_64(bare,
		    (bare->last_number + i) * UINT64_C(0x9E3779B97F4A7C15));
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
		const char *shape = writes_known[i].shape;

		if (count_rows(bare, rows_of(shape, strlen(shape))->kinds) == 0)
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

static void plan(struct bare *bare)
{
	bare->now = (int64_t)time(NULL) * 1000;
	for (size_t i = 0; i < bare->count; i++) {
		struct way *way = &bare->ways[i];

		if (way->number == 0)
			way->number = ++bare->last_number;
		if (way->done == 0)
			way->kind = LAUNCH;
		else
			way->kind = way->done < TASKS ? ITEM : LAST_ITEM;
		name_step(bare, way);
	}
}

/* Gives the items that were done. */
static size_t run_batch(struct bare *bare)
{
	size_t launches;

	plan(bare);
	launches = count_rows(bare, LAUNCH);
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
			bare->ways[i] = (struct way){ .number = 0 };
	return bare->count - launches;
}

/* The cases set out one after the other, so they are at different places. */
static void set_out(struct bare *bare, size_t batch)
{
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
	/* Another one each time, and short as the engine's. */
	snprintf(bare->node, sizeof bare->node, "b%llu",
	    (unsigned long long)(first >> 30));
	bare->data = malloc(DATA_MAXIMUM);
	if (bare->data == NULL)
		abort();
}

int main(int argc, char **argv)
{
	static struct bare bare;
	size_t batch = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	double wanted = argc > 3 ? strtod(argv[3], NULL) : 0;
	size_t items = 0;
	double start;
	double took;

	if (argc != 4 || batch < 1 || batch > BATCH_MAXIMUM || wanted <= 0) {
		fprintf(stderr, "usage: bare URL BATCH SECONDS\n");
		return 2;
	}
	open_database(&bare, argv[1]);
	set_out(&bare, batch);
	start = seconds();
	while ((took = seconds() - start) < wanted)
		items += run_batch(&bare);
	printf("items per second %.0f\n", (double)items / took);
	printf("items %zu seconds %.6f\n", items, took);
	free(bare.data);
	wf_store_close(&bare.store);
	return 0;
}
