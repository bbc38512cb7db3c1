/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of rows.def: the tables of schemas/sql/ have them, with their
 * types, and no others but those listed here; SQL made from them.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "persistence/columns.h"
#include "persistence/migrations.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum database { SQLITE, POSTGRESQL };

static const char *const databases[] = { "sqlite", "postgresql" };

/* The rows that a table keeps; NULL: none of the contract's. */
static const struct {
	const char *table;
	const struct wf_row_layout *layout;
} tables[] = {
	{ "store", NULL },
	{ "counter", NULL },
	{ "retired", NULL },
	{ "name", NULL },
	{ "snapshot", NULL },
	{ "cases", &wf_layout_case },
	{ "ended", &wf_layout_case },
	{ "history", &wf_layout_history },
	{ "value", &wf_layout_value },
	{ "item", &wf_layout_item },
	{ "due", &wf_layout_due },
	{ "message", &wf_layout_message },
	{ "answer", &wf_layout_answer },
	{ "incident", &wf_layout_incident },
	{ "specification", &wf_layout_specification },
	{ "record", &wf_layout_record },
	{ "document", &wf_layout_document },
	{ "document_block", &wf_layout_document_block },
	{ "session", &wf_layout_session },
	{ "audit", &wf_layout_audit },
	{ "involved", &wf_layout_involved },
	{ "migrated", &wf_layout_migrated },
	{ "outcome", &wf_layout_outcome },
	{ "comment", &wf_layout_comment },
	{ "term", &wf_layout_term },
	{ "statistic", &wf_layout_statistic },
	{ "fold", &wf_layout_fold },
	{ "erased", &wf_layout_erased },
};

/* Columns that only one database has, beside "part" in PostgreSQL. */
static const struct {
	enum database database;
	const char *table;
	const char *definition;
} own_columns[] = {
	{ SQLITE, "due", "visible_at INTEGER NOT NULL" },
	{ SQLITE, "message", "visible_at INTEGER NOT NULL" },
	{ SQLITE, "message", "head INTEGER NOT NULL DEFAULT 0" },
	{ POSTGRESQL, "cases", "position bigint NOT NULL" },
	{ POSTGRESQL, "cases", "snapshot bytea" },
	{ POSTGRESQL, "history", "month smallint NOT NULL" },
	{ POSTGRESQL, "due", "visible_at bigint NOT NULL" },
	{ POSTGRESQL, "message", "visible_at bigint NOT NULL" },
	{ POSTGRESQL, "message", "head boolean NOT NULL DEFAULT false" },
};

/* Columns that a database finds in another table: the view "steps". */
static bool is_elsewhere(
    enum database database, const char *table, const char *column)
{
	return database == SQLITE && strcmp(table, "history") == 0 &&
	       (strcmp(column, "namespace_id") == 0 ||
		   strcmp(column, "specification") == 0);
}

/* --- the tables of a migration -------------------------------------------- */

/*
 * Calls with each line of "CREATE TABLE table (" up to the line that begins
 * with ')', without the leading tab and the trailing comma. False: the table
 * does not exist.
 */
static bool each_line(const char *sql, const char *table,
    void (*function)(void *context, const char *line), void *context)
{
	char head[80];
	char line[200];

	snprintf(head, sizeof head, "\nCREATE TABLE %s (\n", table);
	sql = strstr(sql, head);
	if (sql == NULL)
		return false;
	for (sql += strlen(head); *sql == '\t'; sql = strchr(sql, '\n') + 1) {
		size_t length = strcspn(++sql, "\n");

		length -= length > 0 && sql[length - 1] == ',';
		snprintf(line, sizeof line, "%.*s", (int)length, sql);
		function(context, line);
	}
	CU_ASSERT_EQUAL(*sql, ')');
	return true;
}

/*
 * Calls with the definition of each column that a later migration adds to the
 * table, in a line "ALTER TABLE table ADD COLUMN definition;".
 */
static void each_added(const char *sql, const char *table,
    void (*function)(void *context, const char *line), void *context)
{
	char head[80];
	char line[200];

	snprintf(head, sizeof head, "\nALTER TABLE %s ADD COLUMN ", table);
	while ((sql = strstr(sql, head)) != NULL) {
		size_t length = strcspn(sql += strlen(head), ";");

		snprintf(line, sizeof line, "%.*s", (int)length, sql);
		function(context, line);
	}
}

struct comparison {
	enum database database;
	const char *table;
	const struct wf_row_layout *layout;
	unsigned found[64]; /* how often each column was */
	char keys[200];	    /* in the order of the table, each behind a space */
};

static void report(const struct comparison *c, const char *what)
{
	printf("%s, table %s: %s\n", databases[c->database], c->table, what);
	CU_FAIL("a table and rows.def differ");
}

/* Adds the columns of "PRIMARY KEY (part, number, id)" but part and month. */
static void add_keys(struct comparison *c, const char *list)
{
	while (*list != ')' && *list != '\0') {
		size_t length = strcspn(list, ",) ");

		if (length > 0 && strncmp(list, "part,", 5) != 0 &&
		    strncmp(list, "month,", 6) != 0)
			snprintf(c->keys + strlen(c->keys),
			    sizeof c->keys - strlen(c->keys), " %.*s",
			    (int)length, list);
		list += length;
		list += strspn(list, ", ");
	}
}

static bool is_own(const struct comparison *c, const char *line)
{
	if (c->database == POSTGRESQL &&
	    strcmp(line, "part smallint NOT NULL") == 0)
		return true;
	for (size_t i = 0; i < COUNT(own_columns); i++)
		if (own_columns[i].database == c->database &&
		    strcmp(own_columns[i].table, c->table) == 0 &&
		    strcmp(own_columns[i].definition, line) == 0)
			return true;
	return false;
}

/* The text after the name of the column; a DEFAULT may follow. */
static void expect_definition(const struct comparison *c,
    const struct wf_column *column, const char *definition, bool is_key)
{
	const struct wf_sql_type *type = &wf_sql_types[column->type];
	const char *collation =
	    c->database == POSTGRESQL && column->type == WF_COLUMN_TEXT
		? " COLLATE \"C\""
		: "";
	char expected[80];
	size_t length;

	snprintf(expected, sizeof expected, "%s%s%s",
	    c->database == SQLITE ? type->sqlite : type->postgresql, collation,
	    is_key	 ? " PRIMARY KEY"
	    : type->null ? ""
			 : " NOT NULL");
	length = strlen(expected);
	if (strncmp(definition, expected, length) != 0 ||
	    (definition[length] != '\0' &&
		strncmp(definition + length, " DEFAULT ", 9) != 0))
		report(c, definition);
}

/*
 * The name that a later migration gives to the column, in a line "ALTER TABLE
 * table RENAME COLUMN name TO ..;", or its own.
 */
static void find_name(
    const struct comparison *c, const char *line, char *name_out, size_t size)
{
	const char *database = databases[c->database];
	char head[120];

	snprintf(name_out, size, "%.*s", (int)strcspn(line, " "), line);
	snprintf(head, sizeof head, "\nALTER TABLE %s RENAME COLUMN %s TO ",
	    c->table, name_out);
	for (uint32_t i = 2; i <= wf_migration_count(database); i++) {
		const char *found =
		    strstr(wf_migration(database, i)->sql, head);

		if (found == NULL)
			continue;
		found += strlen(head);
		snprintf(
		    name_out, size, "%.*s", (int)strcspn(found, ";"), found);
	}
}

static void compare_line(void *context, const char *line)
{
	struct comparison *c = context;
	size_t length = strcspn(line, " ");
	bool is_key = strstr(line, " PRIMARY KEY") != NULL;
	char name[80];

	if (strncmp(line, "PRIMARY KEY (", 13) == 0) {
		add_keys(c, line + 13);
		return;
	}
	find_name(c, line, name, sizeof name);
	if (is_key)
		snprintf(c->keys, sizeof c->keys, " %s", name);
	for (size_t i = 0; i < c->layout->count; i++) {
		const struct wf_column *column = &c->layout->columns[i];

		if (strcmp(column->name, name) != 0)
			continue;
		c->found[i]++;
		expect_definition(c, column, line + length + 1, is_key);
		return;
	}
	if (!is_own(c, line))
		report(c, line);
}

/* The key of the table consists of the columns of the group KEY. */
static void compare_keys(struct comparison *c)
{
	size_t length = strlen(c->keys);

	snprintf(c->keys + length, sizeof c->keys - length, " ");
	for (size_t i = 0; i < c->layout->count; i++) {
		const struct wf_column *column = &c->layout->columns[i];
		char name[80];

		if (column->group != WF_GROUP_KEY)
			continue;
		snprintf(name, sizeof name, " %s ", column->name);
		length -= strlen(name) - 1;
		if (strstr(c->keys, name) == NULL)
			report(c, name);
	}
	if (length != 0)
		report(c, c->keys);
}

static void compare_table(enum database database, size_t at)
{
	struct comparison c = { .database = database,
		.table = tables[at].table,
		.layout = tables[at].layout };

	bool is_there = false;

	CU_ASSERT_FATAL(c.layout->count <= COUNT(c.found));
	for (uint32_t i = 1; i <= wf_migration_count(databases[database]);
	     i++) {
		const char *sql = wf_migration(databases[database], i)->sql;

		is_there |= each_line(sql, c.table, compare_line, &c);
		each_added(sql, c.table, compare_line, &c);
	}
	if (!is_there) {
		report(&c, "it is missing");
		return;
	}
	for (size_t i = 0; i < c.layout->count; i++)
		if (c.found[i] != 1 &&
		    !is_elsewhere(database, c.table, c.layout->columns[i].name))
			report(&c, c.layout->columns[i].name);
	/* SQLite finds history by position; an index has the key. */
	if (database == POSTGRESQL || c.layout != &wf_layout_history)
		compare_keys(&c);
}

static void test_tables(void)
{
	for (size_t i = 0; i < COUNT(tables); i++)
		if (tables[i].layout != NULL) {
			compare_table(SQLITE, i);
			compare_table(POSTGRESQL, i);
		}
}

/* Every table of a migration is in the list above. */
static void test_no_other_table(void)
{
	static const char create[] = "\nCREATE TABLE ";

	for (size_t d = 0; d < COUNT(databases); d++) {
		const char *sql = wf_migration(databases[d], 1)->sql;

		while ((sql = strstr(sql, create)) != NULL) {
			size_t length = strcspn(sql += strlen(create), " ");
			bool known = strncmp(sql, "history_", 8) == 0;

			for (size_t i = 0; i < COUNT(tables); i++)
				known |=
				    strlen(tables[i].table) == length &&
				    strncmp(tables[i].table, sql, length) == 0;
			if (!known)
				printf("%s: %.*s\n", databases[d], (int)length,
				    sql);
			CU_ASSERT(known);
		}
	}
}

/* Code that binds parameters by number relies on it. */
static void test_keys_first(void)
{
	for (size_t i = 0; wf_layouts[i] != NULL; i++) {
		const struct wf_row_layout *layout = wf_layouts[i];

		CU_ASSERT_EQUAL(layout->columns[0].group, WF_GROUP_KEY);
		for (size_t j = 1; j < layout->count; j++)
			CU_ASSERT(layout->columns[j].group != WF_GROUP_KEY ||
				  layout->columns[j - 1].group == WF_GROUP_KEY);
	}
}

/* --- SQL ------------------------------------------------------------------ */

static void expect_sql(
    char mark, unsigned parameter, const char *form, const char *expected)
{
	struct wf_buffer text;
	struct wf_sql sql = { &text, mark, parameter };

	wf_buffer_init(&text, 1U << 16);
	wf_sql_put_columns(&sql, &wf_layout_due, form);
	CU_ASSERT_STRING_EQUAL(wf_buffer_text(&text), expected);
	wf_buffer_free(&text);
}

static void test_sql(void)
{
	expect_sql('?', 0, "}",
	    "number, name, namespace_id, at, kind, payload, attempts");
	expect_sql('?', 0, ".key}", "number, name");
	expect_sql('?', 0, ".key.store}", "number, name, attempts");
	expect_sql('?', 0, ".given|?}", "?1, ?2, ?3, ?4, ?5, ?6");
	expect_sql('?', 0, ".at|?}", "?4");
	expect_sql('?', 0, ".store|# = ?}", "attempts = ?7");
	expect_sql('?', 0, "+1}", "?8");
	expect_sql('$', 3, ".key|d.# = ?}", "d.number = $3, d.name = $4");
	expect_sql('?', 0, "-}",
	    "number, name, namespace_id, at, kind, NULL, attempts");
}

CU_TestInfo wf_tests_columns[] = {
	{ "the tables of the databases", test_tables },
	{ "no table is unknown", test_no_other_table },
	{ "the columns of a key come first", test_keys_first },
	{ "SQL", test_sql },
	CU_TEST_INFO_NULL,
};
