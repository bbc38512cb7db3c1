/* SPDX-License-Identifier: Apache-2.0 */
/* Tables in memory: copies of rows, sorted by their key. */
#ifndef WF_PERSISTENCE_MEMORY_MEMORY_TABLE_H
#define WF_PERSISTENCE_MEMORY_MEMORY_TABLE_H

#include "persistence/columns.h"

struct wf_table {
	const struct wf_row_layout *layout;
	size_t size; /* of the structs, which begin with a row */
	/* By the key of two rows; nothing else in them is read. */
	int (*compare)(const void *a, const void *b);
	void **rows;
	size_t count;
	size_t capacity;
};

/* The first row whose key is not less; table->count when there is none. */
size_t wf_table_position(const struct wf_table *table, const void *key);
/* NULL when there is none. */
void *wf_table_find(const struct wf_table *table, const void *key);
/* Adds a copy, or puts it in the place of the one with its key. */
void *wf_table_put(struct wf_table *table, const void *row);
void wf_table_remove(struct wf_table *table, const void *key);
void wf_table_clear(struct wf_table *table);

/* -1, 0, 1. */
#define WF_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

#endif
