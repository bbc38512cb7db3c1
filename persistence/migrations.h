/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SQL of schemas/sql/, which is part of the program: it makes the tables
 * and brings those of an earlier version forward.
 */
#ifndef WF_PERSISTENCE_MIGRATIONS_H
#define WF_PERSISTENCE_MIGRATIONS_H

#include <stdint.h>

#include "base/error.h"

struct wf_migration {
	const char *store; /* "sqlite", "postgresql" */
	uint32_t number;   /* from 1, without a gap */
	const char *sql;
};

/* The one that leads to that number; NULL behind the last. */
const struct wf_migration *wf_migration(const char *store, uint32_t number);
/* How many there are: the version of the tables that this program knows. */
uint32_t wf_migration_count(const char *store);

/*
 * Whether tables of that version (0: none) may be opened with these flags
 * (WF_STORE_..); finished: the version that all may write (nodes.h).
 * WF_CONFLICT.
 */
enum wf_rc wf_migration_judge(const char *store, uint64_t version,
    uint64_t finished, unsigned flags, struct wf_error *err) WF_MUSTCHECK;

/* The record of the finished version; nodes.c. */
#define WF_UPGRADE_KIND "upgrade"
#define WF_FINISHED_NAME "finished"

#endif
