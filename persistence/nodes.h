/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nodes that work on a store, and which version they may write.
 *
 *   tables:    n ──────── migrate ──────► n + 1   only adds to them
 *   finished:  n ─────────────────────────────── finish ──► n + 1
 *              programs that know n work here │            │ they are refused
 *
 * What is new in a version of the tables (commands, events, encodings, columns)
 * is written only when that version is finished.  Until then programs that know
 * the version before work on the store as well, so that nodes can be replaced
 * one after the other.  A store that is made is finished; so is one that only
 * one process can open, when it is migrated.
 *
 * Each node of a shared store writes a record of itself again and again.  It is
 * gone when it removes the record, or has not written it for the time of a
 * lease.  Records and the finished version are written only if nothing was
 * changed since they were read, so no node comes while a version is finished.
 */
#ifndef WF_PERSISTENCE_NODES_H
#define WF_PERSISTENCE_NODES_H

#include "persistence/store.h"

/* A node that has not written its record for so long is gone. */
#define WF_NODE_LEASE_MS 90000

/* A program that works on a store. */
struct wf_node {
	uint64_t number;  /* from WF_COUNTER_ENGINE */
	uint32_t version; /* of the tables, that it knows */
	int64_t started_at;
	int64_t seen_at;
	const char *host;    /* no blank is in it */
	const char *program; /* its version */
};

struct wf_node_list {
	struct wf_node *rows; /* by number */
	size_t count;
};

/* The version of the tables that this program knows. */
uint32_t wf_store_known_version(void);
/* The version that all nodes may write. */
enum wf_rc wf_store_finished_version(struct wf_store *store,
    uint32_t *finished_out, struct wf_error *err) WF_MUSTCHECK;
/*
 * Writes the record of a node, and removes those of nodes that are gone.
 * WF_CONFLICT: a later version than the node knows is finished.
 */
enum wf_rc wf_store_put_node(struct wf_store *store, const struct wf_node *node,
    uint32_t *finished_out, struct wf_error *err) WF_MUSTCHECK;
enum wf_rc wf_store_remove_node(
    struct wf_store *store, uint64_t number, struct wf_error *err) WF_MUSTCHECK;
/* The nodes that are not gone. */
enum wf_rc wf_store_nodes(struct wf_store *store, int64_t now,
    struct wf_arena *arena, struct wf_node_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Finishes the version of the tables.  WF_CONFLICT: this program does not know
 * that version, or a node does not, which the message names.
 */
enum wf_rc wf_store_finish(
    struct wf_store *store, int64_t now, struct wf_error *err) WF_MUSTCHECK;

#endif
