/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of each kind of row (rows.def) as tables: copying rows, binding
 * them to statements, reading them and the lists of columns in SQL go through
 * these tables, so that no column is named twice.
 */
#ifndef WF_PERSISTENCE_COLUMNS_H
#define WF_PERSISTENCE_COLUMNS_H

#include "base/buffer.h"
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

/* A type as the databases know it. */
struct wf_sql_type {
	const char *sqlite;
	const char *postgresql;
	uint32_t oid; /* the number of the type in PostgreSQL */
	bool null;    /* the column may be NULL */
};

/* By enum wf_column_type. */
extern const struct wf_sql_type wf_sql_types[];

/* The groups of rows.def. */
enum wf_column_group {
	WF_GROUP_KEY = 1,
	WF_GROUP_ROW = 2,
	WF_GROUP_STEP = 4,
	WF_GROUP_LEASE = 8,
	WF_GROUP_STORE = 16,
	WF_GROUP_DRAFT = 32,
	WF_GROUP_DETAIL = 64,
	WF_GROUP_ALL = 127
};

struct wf_column {
	const char *name; /* in SQL as well */
	enum wf_column_type type;
	unsigned group; /* one of enum wf_column_group */
	size_t offset;
};

/* One entry of an array of columns; member: of struct structure. */
#define WF_COLUMN_OF(structure, type, name, group, member)                     \
	{                                                                      \
#name, WF_COLUMN_##type, WF_GROUP_##group,                     \
		    offsetof(struct structure, member)                         \
	}

/* How a struct lies in memory. */
struct wf_row_layout {
	const char *name; /* of the rows */
	size_t size;	  /* of the struct */
	const struct wf_column *columns;
	size_t count;
};

extern const struct wf_row_layout wf_layout_case;
extern const struct wf_row_layout wf_layout_history;
extern const struct wf_row_layout wf_layout_value;
extern const struct wf_row_layout wf_layout_item;
extern const struct wf_row_layout wf_layout_due;
extern const struct wf_row_layout wf_layout_message;
extern const struct wf_row_layout wf_layout_answer;
extern const struct wf_row_layout wf_layout_incident;
extern const struct wf_row_layout wf_layout_specification;
extern const struct wf_row_layout wf_layout_record;
extern const struct wf_row_layout wf_layout_document;
extern const struct wf_row_layout wf_layout_document_block;
extern const struct wf_row_layout wf_layout_session;
extern const struct wf_row_layout wf_layout_audit;
extern const struct wf_row_layout wf_layout_involved;
extern const struct wf_row_layout wf_layout_migrated;
extern const struct wf_row_layout wf_layout_outcome;
extern const struct wf_row_layout wf_layout_comment;
extern const struct wf_row_layout wf_layout_term;
extern const struct wf_row_layout wf_layout_statistic;
extern const struct wf_row_layout wf_layout_fold;
extern const struct wf_row_layout wf_layout_erased;

/* All of them; NULL behind the last. */
extern const struct wf_row_layout *const wf_layouts[];

/* The layout of that name in a list that ends with NULL; NULL: none. */
const struct wf_row_layout *wf_find_layout(
    const struct wf_row_layout *const *layouts, const char *name,
    size_t length);

/*
 * Copies a struct of that size, which begins with a row, into one block for
 * wf_free(); texts that are NULL become "".
 */
void *wf_row_copy(
    const struct wf_row_layout *layout, size_t size, const void *row);
/* Copies a row into a struct of the caller's. */
void wf_row_copy_to(const struct wf_row_layout *layout, void *row_out,
    const void *row, struct wf_arena *arena);

/*
 * SQL in which braces stand for columns:
 *
 *   {item}           the names of all columns, with ", " between them
 *   {item.key.step}  those of these groups only; "given": all but STORE; or
 *                    the column of that name
 *   {item|i.# = ?}   this text for each column; # is its name, ? its
 *                    parameter
 *   {item-}          the names, but NULL for columns of bytes; so {item-|i.#}
 *   {item+1}         the first parameter behind those of all columns
 */
struct wf_sql {
	struct wf_buffer *text;
	char mark; /* what parameters begin with, '?' or '$' */
	/*
	 * The number of the next parameter.  0: a parameter has the number of
	 * its column in the layout, counted from 1.
	 */
	unsigned parameter;
};

/*
 * Writes what stands for the columns of layout; form: the text behind the name
 * of the layout, up to its closing brace.
 */
void wf_sql_put_columns(
    struct wf_sql *sql, const struct wf_row_layout *layout, const char *form);

/* A text that may be NULL. */
static inline const char *wf_text(const char *text)
{
	return text == NULL ? "" : text;
}

#endif
