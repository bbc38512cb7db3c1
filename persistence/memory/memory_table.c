/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted arrays of rows: the simplest thing that finds by key. */
#include "persistence/memory/memory_table.h"

#include <string.h>

#include "base/panic.h"

size_t wf_table_position(const struct wf_table *table, const void *key)
{
	size_t low = 0;
	size_t high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->compare(table->rows[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct wf_table *table, size_t at, const void *key)
{
	return at < table->count && table->compare(table->rows[at], key) == 0;
}

void *wf_table_find(const struct wf_table *table, const void *key)
{
	size_t at = wf_table_position(table, key);

	return is_at(table, at, key) ? table->rows[at] : NULL;
}

void *wf_table_put(struct wf_table *table, const void *row)
{
	size_t at = wf_table_position(table, row);
	void *copy = wf_row_copy(table->layout, table->size, row);

	if (is_at(table, at, row)) {
		wf_free(table->rows[at]);
		return table->rows[at] = copy;
	}
	if (table->count == table->capacity) {
		table->capacity = table->capacity * 2 + 16;
		table->rows =
		    wf_realloc(table->rows, table->capacity * sizeof(void *));
	}
	memmove(&table->rows[at + 1], &table->rows[at],
	    (table->count - at) * sizeof(void *));
	table->count++;
	wf_assert(at == 0 || table->compare(table->rows[at - 1], copy) < 0);
	return table->rows[at] = copy;
}

void wf_table_remove(struct wf_table *table, const void *key)
{
	size_t at = wf_table_position(table, key);

	if (!is_at(table, at, key))
		return;
	wf_free(table->rows[at]);
	table->count--;
	memmove(&table->rows[at], &table->rows[at + 1],
	    (table->count - at) * sizeof(void *));
}

void wf_table_clear(struct wf_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		wf_free(table->rows[i]);
	wf_free(table->rows);
	table->rows = NULL;
	table->count = table->capacity = 0;
}
