/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes and the finished version are records, as text:
 *
 *   WF_NODE_KIND, the number   VERSION STARTED SEEN HOST PROGRAM
 *   WF_UPGRADE_KIND, finished  VERSION
 *
 * There is no record "finished" until a store is migrated for the first time:
 * then the migration writes it.
 */
#include "persistence/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "base/panic.h"
#include "persistence/migrations.h"

#define NODE_KIND "node"
#define NODE_BYTES 512U
/* Others write records all the time, so that one may be late some times. */
#define ATTEMPTS 100
/* Nodes that a message names. */
#define NAMED 3U

uint32_t wf_store_known_version(void)
{
	return wf_migration_count("postgresql");
}

/* --- the finished version ------------------------------------------------- */

static uint32_t finished_of(
    const struct wf_record_row *row, struct wf_arena *arena)
{
	return (uint32_t)strtoul(
	    wf_arena_strndup(arena, row->value.data, row->value.size), NULL,
	    10);
}

enum wf_rc wf_store_finished_version(
    struct wf_store *store, uint32_t *finished_out, struct wf_error *err)
{
	struct wf_error own = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_row row;
	enum wf_rc rc = wf_store_record(
	    store, 0, WF_UPGRADE_KIND, WF_FINISHED_NAME, arena, &row, &own);

	*finished_out = wf_store_version(store);
	if (rc == WF_OK) {
		*finished_out = finished_of(&row, arena);
		if (*finished_out == 0)
			rc = wf_fail(err, WF_CORRUPT,
			    "the finished version of the store is damaged");
	} else if (rc == WF_NOT_FOUND) {
		rc = WF_OK;
	} else {
		rc = wf_fail(err, rc, "%s", own.message);
	}
	wf_arena_free(&arena);
	return rc;
}

/* --- records of nodes ----------------------------------------------------- */

static int64_t take_number(const char **at)
{
	char *end;
	long long number = strtoll(*at, &end, 10);

	*at = end + (*end == ' ');
	return number;
}

/* What is damaged becomes zeros, so that the node is taken for gone. */
static struct wf_node read_node(
    const struct wf_record_row *row, struct wf_arena *arena)
{
	const char *at =
	    wf_arena_strndup(arena, row->value.data, row->value.size);
	struct wf_node node = { .number = strtoull(row->name, NULL, 10) };
	size_t length;

	node.version = (uint32_t)take_number(&at);
	node.started_at = take_number(&at);
	node.seen_at = take_number(&at);
	length = strcspn(at, " ");
	node.host = wf_arena_strndup(arena, at, length);
	node.program = at + length + (at[length] == ' ');
	return node;
}

static struct wf_record_row record_of(
    const struct wf_node *node, struct wf_arena *arena)
{
	const char *text = wf_arena_printf(arena, "%u %lld %lld %.255s %.100s",
	    node->version, (long long)node->started_at,
	    (long long)node->seen_at, node->host, node->program);

	wf_assert(strlen(text) < NODE_BYTES);
	return (struct wf_record_row){ .kind = NODE_KIND,
		.name = wf_arena_printf(
		    arena, "%llu", (unsigned long long)node->number),
		.value = { text, strlen(text) } };
}

/* Also when its clock, or that of the reader, is wrong by less than a lease. */
static bool is_gone(const struct wf_node *node, int64_t now)
{
	return now - node->seen_at > WF_NODE_LEASE_MS;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct wf_node *x = a;
	const struct wf_node *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* All that have a record. */
static enum wf_rc read_nodes(struct wf_store *store, struct wf_arena *arena,
    struct wf_node_list *list_out, struct wf_error *err)
{
	struct wf_record_list records;
	enum wf_rc rc =
	    wf_store_records(store, NODE_KIND, 0, arena, &records, err);

	*list_out = (struct wf_node_list){ NULL, 0 };
	if (rc != WF_OK)
		return rc;
	list_out->rows =
	    wf_arena_array(arena, records.count + 1, sizeof(*list_out->rows));
	for (size_t i = 0; i < records.count; i++)
		if (records.rows[i].value.data != NULL)
			list_out->rows[list_out->count++] =
			    read_node(&records.rows[i], arena);
	if (list_out->count > 1)
		qsort(list_out->rows, list_out->count, sizeof(*list_out->rows),
		    compare_nodes);
	return WF_OK;
}

enum wf_rc wf_store_nodes(struct wf_store *store, int64_t now,
    struct wf_arena *arena, struct wf_node_list *list_out, struct wf_error *err)
{
	enum wf_rc rc = read_nodes(store, arena, list_out, err);
	size_t kept = 0;

	for (size_t i = 0; i < list_out->count; i++)
		if (!is_gone(&list_out->rows[i], now))
			list_out->rows[kept++] = list_out->rows[i];
	list_out->count = kept;
	return rc;
}

/* --- changes of both ------------------------------------------------------ */

/* What a change is decided from; nothing is changed since. */
struct upgrade {
	struct wf_store *store;
	struct wf_arena *arena;
	int64_t now;
	uint64_t change;
	uint32_t finished;
	struct wf_node_list nodes;
	const struct wf_node *node; /* to be written; NULL: to finish */
};

static enum wf_rc read_upgrade(struct upgrade *u, struct wf_error *err)
{
	enum wf_rc rc = wf_store_change(u->store, &u->change, err);

	if (rc == WF_OK)
		rc = wf_store_finished_version(u->store, &u->finished, err);
	if (rc == WF_OK)
		rc = read_nodes(u->store, u->arena, &u->nodes, err);
	return rc;
}

/* The row, and the removal of nodes that are gone. */
static enum wf_rc write_upgrade(
    struct upgrade *u, const struct wf_record_row *row, struct wf_error *err)
{
	struct wf_record_row *rows =
	    wf_arena_array(u->arena, u->nodes.count + 1, sizeof(*rows));
	size_t count = 0;

	rows[count++] = *row;
	for (size_t i = 0; i < u->nodes.count; i++) {
		const struct wf_node *node = &u->nodes.rows[i];
		struct wf_record_row gone = record_of(node, u->arena);

		if (!is_gone(node, u->now) ||
		    (u->node != NULL && node->number == u->node->number))
			continue;
		gone.value = (struct wf_bytes){ NULL, 0 };
		rows[count++] = gone;
	}
	return wf_store_put_records(
	    u->store, rows, count, u->change, NULL, err);
}

static enum wf_rc judge_node(const struct upgrade *u, struct wf_error *err)
{
	if (u->finished <= u->node->version)
		return WF_OK;
	return wf_fail(err, WF_CONFLICT,
	    "a later Weft has finished its tables for version %u, this one "
	    "knows %u",
	    u->finished, u->node->version);
}

/* Names those that do not know the version. */
static enum wf_rc judge_finish(
    const struct upgrade *u, uint32_t version, struct wf_error *err)
{
	struct wf_buffer names;
	unsigned older = 0;
	enum wf_rc rc = WF_OK;

	if (version > wf_store_known_version())
		return wf_fail(err, WF_CONFLICT,
		    "a later Weft has brought its tables to version %u: only "
		    "that can finish it",
		    version);
	wf_buffer_init(&names, NAMED * NODE_BYTES);
	for (size_t i = 0; i < u->nodes.count; i++) {
		const struct wf_node *node = &u->nodes.rows[i];

		if (node->version >= version || is_gone(node, u->now))
			continue;
		if (++older <= NAMED)
			wf_buffer_printf(&names, "%s%llu (%s, Weft %s%s)",
			    older == 1 ? "" : ", ",
			    (unsigned long long)node->number, node->host,
			    node->program,
			    node->seen_at > u->now + WF_CLOCKS_MS
				? ", whose clock is ahead: if it has ended, "
				  "leave it out (--without)"
				: "");
	}
	if (older > 0)
		rc = wf_fail(err, WF_CONFLICT,
		    "%u nodes do not know version %u of the tables: %s%s; end "
		    "them, or replace their program, and try again",
		    older, version, wf_buffer_text(&names),
		    older > NAMED ? ", .." : "");
	wf_buffer_free(&names);
	return rc;
}

static enum wf_rc try_upgrade(
    struct upgrade *u, bool *again_out, struct wf_error *err)
{
	uint32_t version = wf_store_version(u->store);
	struct wf_record_row row = { .kind = WF_UPGRADE_KIND,
		.name = WF_FINISHED_NAME };
	enum wf_rc rc = read_upgrade(u, err);

	*again_out = false;
	if (rc == WF_OK && u->node == NULL && u->finished >= version)
		return rc;
	if (rc == WF_OK)
		rc = u->node != NULL ? judge_node(u, err)
				     : judge_finish(u, version, err);
	if (rc != WF_OK)
		return rc;
	if (u->node != NULL) {
		row = record_of(u->node, u->arena);
	} else {
		row.value.data = wf_arena_printf(u->arena, "%u", version);
		row.value.size = strlen(row.value.data);
		u->finished = version;
	}
	rc = write_upgrade(u, &row, err);
	*again_out = rc == WF_CONFLICT;
	return rc;
}

static enum wf_rc upgrade(struct wf_store *store, const struct wf_node *node,
    int64_t now, uint32_t *finished_out, struct wf_error *err)
{
	struct upgrade u = { .store = store, .now = now, .node = node };
	struct wf_error own = { .rc = WF_OK };
	bool again = true;
	enum wf_rc rc = WF_OK;

	for (unsigned i = 0; again && i < ATTEMPTS; i++) {
		u.arena = wf_arena_new();
		wf_error_clear(&own);
		rc = try_upgrade(&u, &again, &own);
		wf_arena_free(&u.arena);
	}
	*finished_out = u.finished;
	if (again)
		rc = WF_UNAVAILABLE;
	return rc == WF_OK ? rc : wf_fail(err, rc, "%s", own.message);
}

enum wf_rc wf_store_put_node(struct wf_store *store, const struct wf_node *node,
    uint32_t *finished_out, struct wf_error *err)
{
	return upgrade(store, node, node->seen_at, finished_out, err);
}

enum wf_rc wf_store_remove_node(
    struct wf_store *store, uint64_t number, struct wf_error *err)
{
	char name[24];
	const struct wf_record_row row = { .kind = NODE_KIND, .name = name };

	snprintf(name, sizeof name, "%llu", (unsigned long long)number);
	return wf_store_put_record(store, &row, err);
}

enum wf_rc wf_store_finish(
    struct wf_store *store, int64_t now, struct wf_error *err)
{
	uint32_t finished;

	return upgrade(store, NULL, now, &finished, err);
}
