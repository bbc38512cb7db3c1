/* SPDX-License-Identifier: Apache-2.0 */
/* The store in PostgreSQL: migrations, opening, its table of functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "persistence/migrations.h"
#include "persistence/postgresql/postgresql_priv.h"

/* --- migrations ----------------------------------------------------------- */

/* The version of the tables, 0 when there are none. */
static enum wf_rc read_version(
    struct pg_store *s, uint64_t *version_out, struct wf_error *err)
{
	char text[32];
	enum wf_rc rc = wf_pg_ask(s,
	    "SELECT CASE WHEN to_regclass('store') IS NULL THEN ''"
	    " WHEN to_regprocedure('check_written(bigint, bigint)') IS NULL"
	    " THEN 'foreign' ELSE 'weft' END",
	    text, sizeof text, err);

	*version_out = 0;
	if (rc != WF_OK || text[0] == '\0')
		return rc;
	if (strcmp(text, "foreign") == 0)
		return wf_fail(err, WF_CONFLICT,
		    "there is a table called \"store\", but not one of Weft's: "
		    "?options=-csearch_path%%3Dweft gives it a schema of its "
		    "own");
	rc = wf_pg_ask(s, "SELECT value FROM store WHERE name = 'version'",
	    text, sizeof text, err);
	*version_out = strtoull(text, NULL, 10);
	if (rc == WF_OK && *version_out == 0)
		return wf_fail(err, WF_CORRUPT, "the store has no version");
	return rc;
}

/*
 * Whether tables of that version may be opened.  The version that is finished
 * matters only where a later Weft has migrated them.
 */
static enum wf_rc judge(
    struct pg_store *s, uint64_t version, unsigned flags, struct wf_error *err)
{
	char text[32] = "";
	uint64_t finished;
	enum wf_rc rc = WF_OK;

	if (version > wf_migration_count("postgresql"))
		rc = wf_pg_ask(s,
		    "SELECT convert_from(value, 'UTF8') FROM record"
		    " WHERE kind = '" WF_UPGRADE_KIND "' AND namespace_id = 0"
		    " AND name = '" WF_FINISHED_NAME "'",
		    text, sizeof text, err);
	if (rc != WF_OK)
		return rc;
	finished = strtoull(text, NULL, 10);
	return wf_migration_judge("postgresql", version,
	    finished == 0 ? version : finished, flags, err);
}

/* The version before a migration stays the one that all nodes may write. */
static enum wf_rc keep_finished(
    struct pg_store *s, uint64_t version, struct wf_error *err)
{
	return wf_pg_executef(s, err,
	    "UPDATE counter SET last = last + 1 WHERE name = 'change';"
	    "INSERT INTO record (namespace_id, kind, name, value, change)"
	    " SELECT 0, '" WF_UPGRADE_KIND "', '" WF_FINISHED_NAME "',"
	    " convert_to('%llu', 'UTF8'), last"
	    " FROM counter WHERE name = 'change'"
	    " ON CONFLICT DO NOTHING",
	    (unsigned long long)version);
}

/* The first schema of search_path, when the URL names one that is not there. */
static const char make_schema[] =
    "DO $$ BEGIN IF current_schema() IS NULL THEN"
    " EXECUTE format('CREATE SCHEMA %I',"
    " trim(split_part(current_setting('search_path'), ',', 1)));"
    " END IF; END $$";

/* Brings the tables from version number - 1 to number. */
static enum wf_rc migrate_to(
    struct pg_store *s, uint32_t number, struct wf_error *err)
{
	const struct wf_migration *migration =
	    wf_migration("postgresql", number);
	char identity[33] = "";
	enum wf_rc rc;

	wf_assert(migration != NULL);
	rc = wf_pg_execute(s, migration->sql, NULL, err);

	if (rc == WF_OK && number == 1)
		rc = wf_make_identity(identity, err);
	if (rc == WF_OK && number == 1)
		rc = wf_pg_executef(s, err,
		    "INSERT INTO store (name, value) VALUES"
		    " ('identity', '%s'), ('version', '0')",
		    identity);
	if (rc != WF_OK)
		return rc;
	return wf_pg_executef(s, err,
	    "UPDATE store SET value = '%u' WHERE name = 'version'", number);
}

static enum wf_rc migrate_all(
    struct pg_store *s, unsigned flags, struct wf_error *err)
{
	uint32_t known = wf_migration_count("postgresql");
	uint64_t version = 0;
	enum wf_rc rc = read_version(s, &version, err);

	if (rc == WF_OK)
		rc = judge(s, version, flags, err);
	if (rc == WF_OK && version == 0)
		rc = wf_pg_execute(s, make_schema, NULL, err);
	else if (rc == WF_OK && version < known)
		rc = keep_finished(s, version, err);
	while (rc == WF_OK && version < known)
		rc = migrate_to(s, (uint32_t)++version, err);
	return rc;
}

#define NO_HURRY                                                               \
	"BEGIN;"                                                               \
	"SET LOCAL statement_timeout = 0;"                                     \
	"SET LOCAL lock_timeout = 0;"
#define MIGRATING "(hashtext('weft ' || current_setting('search_path')))"

/*
 * All missing migrations in one transaction.  Nodes that start together wait
 * for each other before it begins, since it may see the schemas as of its
 * start.
 */
static enum wf_rc migrate(
    struct pg_store *s, unsigned flags, struct wf_error *err)
{
	enum wf_rc rc = wf_pg_execute(s,
	    NO_HURRY "SELECT pg_advisory_lock" MIGRATING "; COMMIT;" NO_HURRY,
	    NULL, err);

	if (rc == WF_OK)
		rc = migrate_all(s, flags, err);
	if (rc == WF_OK)
		rc = wf_pg_execute(s, "COMMIT", NULL, err);
	if (rc == WF_OK)
		return wf_pg_execute(
		    s, "SELECT pg_advisory_unlock" MIGRATING, NULL, err);
	wf_pg_disconnect(s);
	return rc;
}

/* --- opening -------------------------------------------------------------- */

/* The first version with ids of transactions of 64 bits. */
#define OLDEST 130000

/* Settings of the server with which committed data can be lost. */
static const struct {
	const char *name;
	const char *value;
} unsafe[] = {
	{ "fsync", "off" },
	{ "full_page_writes", "off" },
	{ "synchronous_commit", "off" },
};

static enum wf_rc check_settings(
    struct pg_store *s, unsigned flags, struct wf_error *err)
{
	char sql[64];
	char value[32];
	enum wf_rc rc =
	    wf_pg_ask(s, "SHOW server_encoding", value, sizeof value, err);

	if (rc == WF_OK && strcmp(value, "UTF8") != 0)
		return wf_fail(err, WF_CONFLICT,
		    "the database has the encoding %s: UTF8 is needed", value);
	if (rc == WF_OK && PQserverVersion(s->connection) < OLDEST)
		return wf_fail(err, WF_CONFLICT,
		    "the server is PostgreSQL %d: %d or later is needed",
		    PQserverVersion(s->connection) / 10000, OLDEST / 10000);
	if ((flags & WF_STORE_UNSAFE) != 0)
		return rc;
	for (size_t i = 0; rc == WF_OK && i < sizeof unsafe / sizeof unsafe[0];
	     i++) {
		snprintf(sql, sizeof sql, "SHOW %s", unsafe[i].name);
		rc = wf_pg_ask(s, sql, value, sizeof value, err);
		if (rc == WF_OK && strcmp(value, unsafe[i].value) == 0)
			return wf_fail(err, WF_CONFLICT,
			    "PostgreSQL runs with %s=%s, which can lose what "
			    "was committed; --unsafe takes it all the same",
			    unsafe[i].name, value);
	}
	return rc;
}

static enum wf_rc open_database(
    struct pg_store *s, unsigned flags, struct wf_error *err)
{
	uint32_t known = wf_migration_count("postgresql");
	uint64_t version = 0;
	enum wf_rc rc = wf_pg_dial(s, err);

	if (rc == WF_OK)
		rc = check_settings(s, flags, err);
	if (rc == WF_OK)
		rc = read_version(s, &version, err);
	if (rc == WF_OK)
		rc = judge(s, version, flags, err);
	if (rc == WF_OK && version < known)
		rc = migrate(s, flags, err);
	if (rc == WF_OK)
		rc = wf_pg_ask(s,
		    "SELECT value FROM store WHERE name = 'identity'",
		    s->store.identity, sizeof s->store.identity, err);
	if (rc == WF_OK && strlen(s->store.identity) != 32)
		rc = wf_fail(err, WF_CORRUPT, "the store has no identity");
	s->store.version = version > known ? (uint32_t)version : known;
	s->store.version_found = (uint32_t)version;
	return rc == WF_OK ? wf_pg_prepare_session(s, err) : rc;
}

static void pg_close(struct wf_store *store)
{
	struct pg_store *s = (struct pg_store *)store;

	wf_pg_disconnect(s);
	wf_pg_forget_calls(s);
	wf_buffer_free(&s->data);
	wf_free(s->parameters);
	wf_arena_free(&s->arena);
	wf_free(s->conninfo);
	wf_free(s);
}

static const struct wf_store_ops pg_ops = {
	.close = pg_close,
	.abort = wf_pg_abort,
#define WF_CONTRACT(name, arguments) .name = wf_pg_##name,
#include "persistence/contract.def"
#undef WF_CONTRACT
	.case_exports = wf_pg_case_exports,
};

enum wf_rc wf_postgresql_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err)
{
	struct pg_store *s = wf_calloc(1, sizeof(*s));
	char *shown = wf_store_url_shown(url);
	enum wf_rc rc;

	(void)rest;
	wf_store_init(&s->store, &pg_ops, shown, true);
	wf_free(shown);
	s->conninfo = wf_strdup(url);
	s->arena = wf_arena_new();
	wf_buffer_init(&s->data, (size_t)1 << 30);
	rc = open_database(s, flags, err);
	*store_out = &s->store;
	if (rc != WF_OK) {
		wf_error_prefix(err, "%.200s", s->store.url);
		wf_store_discard(store_out);
	}
	return rc;
}
