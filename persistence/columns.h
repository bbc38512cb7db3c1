/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of each kind of row as a table: what copies rows, binds them to
 * statements and reads them back goes through it, so that a column is named
 * once.
 */
#ifndef WF_PERSISTENCE_COLUMNS_H
#define WF_PERSISTENCE_COLUMNS_H

#include "base/memory.h"
#include "persistence/rows.h"

enum wf_column_type {
	WF_COLUMN_U64,
	WF_COLUMN_U32,
	WF_COLUMN_I64,
	WF_COLUMN_BOOL,
	WF_COLUMN_TEXT,
	WF_COLUMN_BYTES
};

struct wf_column {
	const char *name; /* in SQL as well */
	enum wf_column_type type;
	size_t offset;
};

struct wf_shape {
	const char *name; /* of the rows */
	size_t size;	  /* of the struct */
	const struct wf_column *columns;
	size_t count;
};

extern const struct wf_shape wf_shape_case;
extern const struct wf_shape wf_shape_history;
extern const struct wf_shape wf_shape_value;
extern const struct wf_shape wf_shape_item;
extern const struct wf_shape wf_shape_due;
extern const struct wf_shape wf_shape_message;
extern const struct wf_shape wf_shape_answer;
extern const struct wf_shape wf_shape_incident;
extern const struct wf_shape wf_shape_specification;
extern const struct wf_shape wf_shape_record;

/* All of them; NULL behind the last. */
extern const struct wf_shape *const wf_shapes[];

/* A copy in one block, for wf_free(); texts that are NULL become "". */
void *wf_row_copy(const struct wf_shape *shape, const void *row);
/* The same into a struct of the caller's. */
void wf_row_copy_to(const struct wf_shape *shape, void *row_out,
    const void *row, struct wf_arena *arena);

/* A text that may be NULL. */
static inline const char *wf_text(const char *text)
{
	return text == NULL ? "" : text;
}

#endif
