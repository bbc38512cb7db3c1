/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of columns, made from rows.def; copies of rows; lists in SQL. */
#include "persistence/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

const struct wf_sql_type wf_sql_types[] = {
	[WF_COLUMN_U64] = { "INTEGER", "bigint", 20, false },
	[WF_COLUMN_U32] = { "INTEGER", "integer", 23, false },
	[WF_COLUMN_I64] = { "INTEGER", "bigint", 20, false },
	[WF_COLUMN_BOOL] = { "INTEGER", "boolean", 16, false },
	[WF_COLUMN_TEXT] = { "TEXT", "text", 25, false },
	[WF_COLUMN_BYTES] = { "BLOB", "bytea", 17, true },
};

static const struct wf_column case_columns[] = {
#define WF_CASE_COLUMN(type, name, group)                                      \
	WF_COLUMN_OF(wf_case_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column history_columns[] = {
#define WF_HISTORY_COLUMN(type, name, group)                                   \
	WF_COLUMN_OF(wf_history_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column value_columns[] = {
#define WF_VALUE_COLUMN(type, name, group)                                     \
	WF_COLUMN_OF(wf_value_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column item_columns[] = {
#define WF_ITEM_COLUMN(type, name, group)                                      \
	WF_COLUMN_OF(wf_item_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column due_columns[] = {
#define WF_DUE_COLUMN(type, name, group)                                       \
	WF_COLUMN_OF(wf_due_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column message_columns[] = {
#define WF_MESSAGE_COLUMN(type, name, group)                                   \
	WF_COLUMN_OF(wf_message_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column answer_columns[] = {
#define WF_ANSWER_COLUMN(type, name, group)                                    \
	WF_COLUMN_OF(wf_answer_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column incident_columns[] = {
#define WF_INCIDENT_COLUMN(type, name, group)                                  \
	WF_COLUMN_OF(wf_incident_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column specification_columns[] = {
#define WF_SPECIFICATION_COLUMN(type, name, group)                             \
	WF_COLUMN_OF(wf_specification_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column record_columns[] = {
#define WF_RECORD_COLUMN(type, name, group)                                    \
	WF_COLUMN_OF(wf_record_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column document_columns[] = {
#define WF_DOCUMENT_COLUMN(type, name, group)                                  \
	WF_COLUMN_OF(wf_document_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column document_block_columns[] = {
#define WF_DOCUMENT_BLOCK_COLUMN(type, name, group)                            \
	WF_COLUMN_OF(wf_document_block_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column session_columns[] = {
#define WF_SESSION_COLUMN(type, name, group)                                   \
	WF_COLUMN_OF(wf_session_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column audit_columns[] = {
#define WF_AUDIT_COLUMN(type, name, group)                                     \
	WF_COLUMN_OF(wf_audit_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column involved_columns[] = {
#define WF_INVOLVED_COLUMN(type, name, group)                                  \
	WF_COLUMN_OF(wf_involved_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column outcome_columns[] = {
#define WF_OUTCOME_COLUMN(type, name, group)                                   \
	WF_COLUMN_OF(wf_outcome_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column migrated_columns[] = {
#define WF_MIGRATED_COLUMN(type, name, group)                                  \
	WF_COLUMN_OF(wf_migrated_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column comment_columns[] = {
#define WF_COMMENT_COLUMN(type, name, group)                                   \
	WF_COLUMN_OF(wf_comment_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column term_columns[] = {
#define WF_TERM_COLUMN(type, name, group)                                      \
	WF_COLUMN_OF(wf_term_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column statistic_columns[] = {
#define WF_STATISTIC_COLUMN(type, name, group)                                 \
	WF_COLUMN_OF(wf_statistic_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column fold_columns[] = {
#define WF_FOLD_COLUMN(type, name, group)                                      \
	WF_COLUMN_OF(wf_fold_row, type, name, group, name),
#include "persistence/rows.def"
};

static const struct wf_column erased_columns[] = {
#define WF_ERASED_COLUMN(type, name, group)                                    \
	WF_COLUMN_OF(wf_erased_row, type, name, group, name),
#include "persistence/rows.def"
};

#define LAYOUT(row)                                                            \
	const struct wf_row_layout wf_layout_##row = { #row,                   \
		sizeof(struct wf_##row##_row), row##_columns,                  \
		sizeof row##_columns / sizeof row##_columns[0] }

LAYOUT(case);
LAYOUT(history);
LAYOUT(value);
LAYOUT(item);
LAYOUT(due);
LAYOUT(message);
LAYOUT(answer);
LAYOUT(incident);
LAYOUT(specification);
LAYOUT(record);
LAYOUT(document);
LAYOUT(document_block);
LAYOUT(session);
LAYOUT(audit);
LAYOUT(involved);
LAYOUT(migrated);
LAYOUT(outcome);
LAYOUT(comment);
LAYOUT(term);
LAYOUT(statistic);
LAYOUT(fold);
LAYOUT(erased);

const struct wf_row_layout *const wf_layouts[] = {
	&wf_layout_case,
	&wf_layout_history,
	&wf_layout_value,
	&wf_layout_item,
	&wf_layout_due,
	&wf_layout_message,
	&wf_layout_answer,
	&wf_layout_incident,
	&wf_layout_specification,
	&wf_layout_record,
	&wf_layout_document,
	&wf_layout_document_block,
	&wf_layout_session,
	&wf_layout_audit,
	&wf_layout_involved,
	&wf_layout_migrated,
	&wf_layout_outcome,
	&wf_layout_comment,
	&wf_layout_term,
	&wf_layout_statistic,
	&wf_layout_fold,
	&wf_layout_erased,
	NULL,
};

static bool is_called(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && memcmp(name, text, length) == 0;
}

const struct wf_row_layout *wf_find_layout(
    const struct wf_row_layout *const *layouts, const char *name, size_t length)
{
	while (*layouts != NULL && !is_called((*layouts)->name, name, length))
		layouts++;
	return *layouts;
}

/* --- copies --------------------------------------------------------------- */

static const char **text_at(void *row, const struct wf_column *column)
{
	return (const char **)((char *)row + column->offset);
}

static struct wf_bytes *bytes_at(void *row, const struct wf_column *column)
{
	return (struct wf_bytes *)((char *)row + column->offset);
}

/* The size of the texts and bytes of a row, each with a NUL behind it. */
static size_t payload(const struct wf_row_layout *layout, void *row)
{
	size_t size = 0;

	for (size_t i = 0; i < layout->count; i++) {
		const struct wf_column *column = &layout->columns[i];

		if (column->type == WF_COLUMN_TEXT)
			size += strlen(wf_text(*text_at(row, column))) + 1;
		else if (column->type == WF_COLUMN_BYTES)
			size += bytes_at(row, column)->size + 1;
	}
	return size;
}

/* Moves the texts and bytes of a row to next, which has room of that size. */
static void move_payload(
    const struct wf_row_layout *layout, void *row, char *next, size_t room)
{
	const char *end = next + room;

	for (size_t i = 0; i < layout->count; i++) {
		const struct wf_column *column = &layout->columns[i];

		if (column->type == WF_COLUMN_TEXT) {
			const char **text = text_at(row, column);
			size_t size = strlen(wf_text(*text)) + 1;

			*text = memcpy(next, wf_text(*text), size);
			next += size;
		} else if (column->type == WF_COLUMN_BYTES) {
			struct wf_bytes *bytes = bytes_at(row, column);

			if (bytes->data == NULL)
				continue;
			memcpy(next, bytes->data, bytes->size);
			bytes->data = next;
			next += bytes->size;
			*next++ = '\0';
		}
	}
	wf_assert(next <= end);
}

void *wf_row_copy(
    const struct wf_row_layout *layout, size_t size, const void *row)
{
	size_t room = payload(layout, (void *)(uintptr_t)row);
	char *copy = wf_malloc(size + room);

	wf_assert(size >= layout->size);
	memcpy(copy, row, size);
	move_payload(layout, copy, copy + size, room);
	return copy;
}

void wf_row_copy_to(const struct wf_row_layout *layout, void *row_out,
    const void *row, struct wf_arena *arena)
{
	size_t room = payload(layout, (void *)(uintptr_t)row);

	memmove(row_out, row, layout->size);
	move_payload(layout, row_out, wf_arena_alloc(arena, room), room);
}

/* --- SQL ------------------------------------------------------------------ */

static const struct {
	const char *name;
	unsigned groups;
} group_names[] = {
	{ "key", WF_GROUP_KEY },
	{ "row", WF_GROUP_ROW },
	{ "step", WF_GROUP_STEP },
	{ "lease", WF_GROUP_LEASE },
	{ "store", WF_GROUP_STORE },
	{ "given", WF_GROUP_ALL & ~(unsigned)WF_GROUP_STORE },
};

/* Whether a column is one of "group", in ".group.group"; all are in "". */
static bool is_selected(
    const struct wf_column *column, const char *groups, size_t length)
{
	const char *end = groups + length;
	bool selected = length == 0;

	while (groups < end && !selected) {
		size_t size = strcspn(++groups, ".|-+}");

		selected = is_called(column->name, groups, size);
		for (size_t i = 0;
		     i < sizeof group_names / sizeof group_names[0]; i++)
			selected |=
			    is_called(group_names[i].name, groups, size) &&
			    (column->group & group_names[i].groups) != 0;
		groups += size;
	}
	return selected;
}

static void put_parameter(struct wf_sql *sql, size_t column)
{
	wf_buffer_printf(sql->text, "%c%u", sql->mark,
	    sql->parameter == 0 ? (unsigned)column + 1 : sql->parameter++);
}

/* The text of a form for one column; without one, its name. */
static void put_column(struct wf_sql *sql, const struct wf_row_layout *layout,
    size_t column, const char *form)
{
	const char *given = form[0] == '-' ? form + 1 : form;
	const char *text = given[0] == '|' ? given + 1 : "#}";

	if (form[0] == '-' && layout->columns[column].type == WF_COLUMN_BYTES)
		text = "NULL}";
	for (; *text != '}'; text++)
		if (*text == '#')
			wf_buffer_puts(sql->text, layout->columns[column].name);
		else if (*text == '?')
			put_parameter(sql, column);
		else
			wf_buffer_putc(sql->text, *text);
}

void wf_sql_put_columns(
    struct wf_sql *sql, const struct wf_row_layout *layout, const char *form)
{
	size_t groups = strcspn(form, "|-+}");
	size_t selected = 0;

	if (form[groups] == '+') {
		put_parameter(sql,
		    layout->count - 1 + strtoul(form + groups + 1, NULL, 10));
		return;
	}
	for (size_t i = 0; i < layout->count; i++) {
		if (!is_selected(&layout->columns[i], form, groups))
			continue;
		if (selected++ > 0)
			wf_buffer_puts(sql->text, ", ");
		put_column(sql, layout, i, form + groups);
	}
	/* A misspelt group would leave a column unwritten. */
	wf_assert(selected > 0);
}
