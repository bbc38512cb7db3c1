/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of each kind of row, in the order in which SQL lists them. */
#include "persistence/columns.h"

#include <string.h>

#define AT(row, name) offsetof(struct wf_##row##_row, name)
#define COLUMN(row, type, name)                                                \
	{                                                                      \
#name, WF_COLUMN_##type, AT(row, name)                         \
	}

static const struct wf_column case_columns[] = {
	COLUMN(case, U64, number),
	COLUMN(case, U32, namespace_id),
	COLUMN(case, TEXT, name),
	COLUMN(case, U64, specification),
	COLUMN(case, TEXT, title),
	COLUMN(case, TEXT, owner),
	COLUMN(case, BYTES, extra),
	COLUMN(case, I64, launched_at),
	COLUMN(case, U64, version),
	COLUMN(case, U64, snapshot_version),
	COLUMN(case, U64, messages),
	COLUMN(case, U32, status),
	COLUMN(case, I64, changed_at),
	COLUMN(case, BOOL, set_aside),
};

static const struct wf_column history_columns[] = {
	COLUMN(history, U64, number),
	COLUMN(history, U64, sequence),
	COLUMN(history, I64, at),
	COLUMN(history, TEXT, actor),
	COLUMN(history, TEXT, origin),
	COLUMN(history, U32, format),
	COLUMN(history, TEXT, command),
	COLUMN(history, BYTES, events),
	COLUMN(history, U64, position),
	COLUMN(history, U32, namespace_id),
	COLUMN(history, U64, specification),
};

static const struct wf_column value_columns[] = {
	COLUMN(value, U64, number),
	COLUMN(value, U32, value),
	COLUMN(value, BYTES, text),
};

static const struct wf_column item_columns[] = {
	COLUMN(item, U64, number),
	COLUMN(item, TEXT, id),
	COLUMN(item, U32, namespace_id),
	COLUMN(item, U64, specification),
	COLUMN(item, TEXT, task),
	COLUMN(item, TEXT, service),
	COLUMN(item, U32, status),
	COLUMN(item, U32, choice),
	COLUMN(item, I64, enabled_at),
	COLUMN(item, I64, fired_at),
	COLUMN(item, I64, started_at),
	COLUMN(item, TEXT, lease_owner),
	COLUMN(item, I64, lease_until),
	COLUMN(item, U64, fence),
	COLUMN(item, U32, attempt),
	COLUMN(item, I64, not_before),
	COLUMN(item, TEXT, resource_status),
	COLUMN(item, TEXT, participant),
};

static const struct wf_column due_columns[] = {
	COLUMN(due, U64, number),
	COLUMN(due, TEXT, name),
	COLUMN(due, U32, namespace_id),
	COLUMN(due, I64, at),
	COLUMN(due, U32, kind),
	COLUMN(due, BYTES, payload),
	COLUMN(due, U32, attempts),
};

static const struct wf_column message_columns[] = {
	COLUMN(message, U64, number),
	COLUMN(message, U64, message),
	COLUMN(message, U32, namespace_id),
	COLUMN(message, TEXT, destination),
	COLUMN(message, TEXT, subject),
	COLUMN(message, U32, kind),
	COLUMN(message, I64, at),
	COLUMN(message, BYTES, payload),
	COLUMN(message, U32, attempts),
};

static const struct wf_column answer_columns[] = {
	COLUMN(answer, TEXT, id),
	COLUMN(answer, U64, request),
	COLUMN(answer, U64, number),
	COLUMN(answer, U64, sequence),
	COLUMN(answer, I64, at),
	COLUMN(answer, U32, code),
	COLUMN(answer, BYTES, body),
};

static const struct wf_column incident_columns[] = {
	COLUMN(incident, U64, id),
	COLUMN(incident, U32, namespace_id),
	COLUMN(incident, U64, number),
	COLUMN(incident, TEXT, item),
	COLUMN(incident, TEXT, code),
	COLUMN(incident, TEXT, text),
	COLUMN(incident, U32, attempts),
	COLUMN(incident, I64, first_at),
	COLUMN(incident, I64, last_at),
	COLUMN(incident, U32, kind),
	COLUMN(incident, BYTES, payload),
	COLUMN(incident, I64, dropped_at),
	COLUMN(incident, TEXT, dropped_by),
	COLUMN(incident, TEXT, reason),
};

static const struct wf_column specification_columns[] = {
	COLUMN(specification, U32, namespace_id),
	COLUMN(specification, U64, key),
	COLUMN(specification, TEXT, identifier),
	COLUMN(specification, TEXT, version),
	COLUMN(specification, TEXT, uri),
	COLUMN(specification, TEXT, title),
	COLUMN(specification, I64, loaded_at),
	COLUMN(specification, BYTES, source),
	COLUMN(specification, BYTES, numbering),
	COLUMN(specification, BOOL, removed),
	COLUMN(specification, U64, change),
};

static const struct wf_column record_columns[] = {
	COLUMN(record, U32, namespace_id),
	COLUMN(record, TEXT, kind),
	COLUMN(record, TEXT, name),
	COLUMN(record, BYTES, value),
	COLUMN(record, U64, change),
};

#define SHAPE(row)                                                             \
	const struct wf_shape wf_shape_##row = { #row,                         \
		sizeof(struct wf_##row##_row), row##_columns,                  \
		sizeof row##_columns / sizeof row##_columns[0] }

SHAPE(case);
SHAPE(history);
SHAPE(value);
SHAPE(item);
SHAPE(due);
SHAPE(message);
SHAPE(answer);
SHAPE(incident);
SHAPE(specification);
SHAPE(record);

const struct wf_shape *const wf_shapes[] = {
	&wf_shape_case,
	&wf_shape_history,
	&wf_shape_value,
	&wf_shape_item,
	&wf_shape_due,
	&wf_shape_message,
	&wf_shape_answer,
	&wf_shape_incident,
	&wf_shape_specification,
	&wf_shape_record,
	NULL,
};

static const char **text_at(void *row, const struct wf_column *column)
{
	return (const char **)((char *)row + column->offset);
}

static struct wf_bytes *bytes_at(void *row, const struct wf_column *column)
{
	return (struct wf_bytes *)((char *)row + column->offset);
}

/* What the texts and bytes of a row take, each with a NUL behind it. */
static size_t payload(const struct wf_shape *shape, void *row)
{
	size_t size = 0;

	for (size_t i = 0; i < shape->count; i++) {
		const struct wf_column *column = &shape->columns[i];

		if (column->type == WF_COLUMN_TEXT)
			size += strlen(wf_text(*text_at(row, column))) + 1;
		else if (column->type == WF_COLUMN_BYTES)
			size += bytes_at(row, column)->size + 1;
	}
	return size;
}

/* Moves the texts and bytes of a row to where next points. */
static void settle(const struct wf_shape *shape, void *row, char *next)
{
	for (size_t i = 0; i < shape->count; i++) {
		const struct wf_column *column = &shape->columns[i];

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
}

void *wf_row_copy(const struct wf_shape *shape, const void *row)
{
	char *copy;

	copy = wf_malloc(shape->size + payload(shape, (void *)(uintptr_t)row));
	memcpy(copy, row, shape->size);
	settle(shape, copy, copy + shape->size);
	return copy;
}

void wf_row_copy_to(const struct wf_shape *shape, void *row_out,
    const void *row, struct wf_arena *arena)
{
	size_t size = payload(shape, (void *)(uintptr_t)row);

	memmove(row_out, row, shape->size);
	settle(shape, row_out, wf_arena_alloc(arena, size));
}
