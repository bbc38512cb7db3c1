/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in PostgreSQL: what batches ask for and write, as layouts.  Most
 * are a group or two of the columns of rows.def, in a struct that has the row
 * as a member.
 */
#include <string.h>

#include "persistence/postgresql/postgresql_priv.h"

/* A column that only a statement knows; its group is of no use. */
#define FIELD(structure, type, name, member)                                   \
	WF_COLUMN_OF(structure, type, name, ROW, member)

static const struct wf_column take_columns[] = {
	FIELD(wf_take, U64, number, number),
	FIELD(wf_take, U64, known, known),
};

static const struct wf_column claim_columns[] = {
	FIELD(wf_claim, U32, namespace_id, namespace_id),
	FIELD(wf_claim, TEXT, name, name),
};

static const struct wf_column command_columns[] = {
	FIELD(wf_lookup, TEXT, id, id),
};

static const struct wf_column tail_columns[] = {
	FIELD(pg_tail, U64, number, number),
	FIELD(pg_tail, U32, month, month),
	FIELD(pg_tail, U64, after, after),
};

/* All columns of a case, and what else a launch writes. */
static const struct wf_column launch_columns[] = {
#define WF_CASE_COLUMN(type, name, group)                                      \
	WF_COLUMN_OF(wf_case_write, type, name, group, row.name),
#include "persistence/rows.def"
	FIELD(wf_case_write, BYTES, snapshot, snapshot),
	FIELD(wf_case_write, U32, change, change),
};

/* The snapshot comes last: the layout "finish" ends before it. */
static const struct wf_column change_columns[] = {
	FIELD(wf_case_write, U64, number, row.number),
	FIELD(wf_case_write, U64, expected, expected),
#define CHANGE_KEY(type, name)
#define CHANGE_ROW(type, name)
#define CHANGE_STEP(type, name) FIELD(wf_case_write, type, name, row.name),
#define CHANGE_STORE(type, name)
#define WF_CASE_COLUMN(type, name, group) CHANGE_##group(type, name)
#include "persistence/rows.def"
	FIELD(wf_case_write, BYTES, snapshot, snapshot),
};

static const struct wf_column quarantined_columns[] = {
	FIELD(wf_case_write, U64, number, row.number),
	FIELD(wf_case_write, U64, expected, expected),
	FIELD(wf_case_write, U32, change, change),
	FIELD(wf_case_write, U64, messages, row.messages),
};

static const struct wf_column step_columns[] = {
#define WF_HISTORY_COLUMN(type, name, group)                                   \
	WF_COLUMN_OF(pg_step, type, name, group, row.name),
#include "persistence/rows.def"
	FIELD(pg_step, U32, month, month),
};

static const struct wf_column item_kernel_columns[] = {
#define KERNEL_KEY(type, name) FIELD(wf_item_write, type, name, row.name),
#define KERNEL_STEP(type, name) FIELD(wf_item_write, type, name, row.name),
#define KERNEL_LEASE(type, name)
#define KERNEL_DRAFT(type, name)
#define WF_ITEM_COLUMN(type, name, group) KERNEL_##group(type, name)
#include "persistence/rows.def"
};

static const struct wf_column hand_over_columns[] = {
#define HAND_OVER_KEY(type, name) FIELD(wf_item_write, type, name, row.name),
#define HAND_OVER_STEP(type, name)
#define HAND_OVER_DRAFT(type, name)
#define HAND_OVER_LEASE(type, name) FIELD(wf_item_write, type, name, row.name),
#define WF_ITEM_COLUMN(type, name, group) HAND_OVER_##group(type, name)
#include "persistence/rows.def"
};

static const struct wf_column item_rename_columns[] = {
	FIELD(wf_item_rename, U64, number, number),
	FIELD(wf_item_rename, TEXT, id, id),
	FIELD(wf_item_rename, TEXT, new_id, new_id),
};

static const struct wf_column item_draft_columns[] = {
	FIELD(wf_item_write, U64, number, row.number),
	FIELD(wf_item_write, TEXT, id, row.id),
	FIELD(wf_item_write, BYTES, draft, row.draft),
};

static const struct wf_column new_due_columns[] = {
#define DUE_KEY(type, name) FIELD(wf_due_write, type, name, row.name),
#define DUE_ROW(type, name) FIELD(wf_due_write, type, name, row.name),
#define DUE_STORE(type, name)
#define WF_DUE_COLUMN(type, name, group) DUE_##group(type, name)
#include "persistence/rows.def"
};

static const struct wf_column new_message_columns[] = {
#define MESSAGE_KEY(type, name) FIELD(wf_message_row, type, name, name),
#define MESSAGE_ROW(type, name) FIELD(wf_message_row, type, name, name),
#define MESSAGE_STORE(type, name)
#define WF_MESSAGE_COLUMN(type, name, group) MESSAGE_##group(type, name)
#include "persistence/rows.def"
};

static const struct wf_column message_key_columns[] = {
	FIELD(wf_message_key, U64, number, number),
	FIELD(wf_message_key, U64, message, message),
};

static const struct wf_column attempt_columns[] = {
	FIELD(wf_item_row, U64, number, number),
	FIELD(wf_item_row, TEXT, id, id),
	FIELD(wf_item_row, U32, attempt, attempt),
	FIELD(wf_item_row, I64, not_before, not_before),
	FIELD(wf_item_row, TEXT, last_answer, last_answer),
};

static const struct wf_column message_queue_columns[] = {
	FIELD(wf_message_queue, U32, namespace_id, namespace_id),
	FIELD(wf_message_queue, TEXT, destination, destination),
	FIELD(wf_message_queue, I64, at, at),
	FIELD(wf_message_queue, U64, most, most),
};

static const struct wf_column record_key_columns[] = {
	FIELD(wf_record_row, U32, namespace_id, namespace_id),
	FIELD(wf_record_row, TEXT, kind, kind),
	FIELD(wf_record_row, TEXT, name, name),
	FIELD(wf_record_row, U64, change, change),
};

static const struct wf_column statistic_key_columns[] = {
	FIELD(wf_statistic_row, U32, namespace_id, namespace_id),
	FIELD(wf_statistic_row, U64, specification, specification),
	FIELD(wf_statistic_row, I64, hour, hour),
	FIELD(wf_statistic_row, U32, measure, measure),
	FIELD(wf_statistic_row, TEXT, net, net),
	FIELD(wf_statistic_row, TEXT, element, element),
	FIELD(wf_statistic_row, TEXT, detail, detail),
};

static const struct wf_column migrating_columns[] = {
	FIELD(wf_migrated_row, U64, number, number),
	FIELD(wf_migrated_row, U64, target, target),
};

static const struct wf_column wanted_columns[] = {
	FIELD(pg_wanted, U64, number, number),
};

static const struct wf_column incident_key_columns[] = {
	FIELD(wf_incident_write, U64, id, row.id),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BEGINNING(name, structure, columns, count)                             \
	{                                                                      \
#name, sizeof(struct structure), columns, count                \
	}
#define LAYOUT(name, structure)                                                \
	BEGINNING(name, structure, name##_columns, COUNT(name##_columns))

const struct wf_row_layout wf_pg_layout_take = LAYOUT(take, wf_take);
const struct wf_row_layout wf_pg_layout_claim = LAYOUT(claim, wf_claim);
const struct wf_row_layout wf_pg_layout_command = LAYOUT(command, wf_lookup);
const struct wf_row_layout wf_pg_layout_tail = LAYOUT(tail, pg_tail);
const struct wf_row_layout wf_pg_layout_wanted = LAYOUT(wanted, pg_wanted);
const struct wf_row_layout wf_pg_layout_attempt = LAYOUT(attempt, wf_item_row);
const struct wf_row_layout wf_pg_layout_message_key =
    LAYOUT(message_key, wf_message_key);
const struct wf_row_layout wf_pg_layout_message_queue =
    LAYOUT(message_queue, wf_message_queue);
const struct wf_row_layout wf_pg_layout_item_rename =
    LAYOUT(item_rename, wf_item_rename);
const struct wf_row_layout wf_pg_layout_record_key =
    LAYOUT(record_key, wf_record_row);
const struct wf_row_layout wf_pg_layout_statistic_key =
    LAYOUT(statistic_key, wf_statistic_row);

/* Only SQL names these. */
static const struct wf_row_layout launch_layout = LAYOUT(launch, wf_case_write);
static const struct wf_row_layout change_layout = LAYOUT(change, wf_case_write);
static const struct wf_row_layout finish_layout =
    BEGINNING(finish, wf_case_write, change_columns, COUNT(change_columns) - 1);
static const struct wf_row_layout quarantined_layout =
    LAYOUT(quarantined, wf_case_write);
static const struct wf_row_layout step_layout = LAYOUT(step, pg_step);
static const struct wf_row_layout item_kernel_layout =
    LAYOUT(item_kernel, wf_item_write);
static const struct wf_row_layout new_item_layout = BEGINNING(
    new_item, wf_item_write, item_kernel_columns, COUNT(item_kernel_columns));
static const struct wf_row_layout item_key_layout =
    BEGINNING(item_key, wf_item_write, item_kernel_columns, 2);
static const struct wf_row_layout hand_over_layout =
    LAYOUT(hand_over, wf_item_write);
static const struct wf_row_layout item_draft_layout =
    LAYOUT(item_draft, wf_item_write);
static const struct wf_row_layout new_due_layout =
    LAYOUT(new_due, wf_due_write);
static const struct wf_row_layout due_key_layout =
    BEGINNING(due_key, wf_due_write, new_due_columns, 2);
static const struct wf_row_layout new_message_layout =
    LAYOUT(new_message, wf_message_row);
static const struct wf_row_layout migrating_layout =
    LAYOUT(migrating, wf_migrated_row);
static const struct wf_row_layout incident_key_layout =
    LAYOUT(incident_key, wf_incident_write);

static const struct wf_row_layout *const layouts[] = {
	&wf_pg_layout_take,
	&wf_pg_layout_claim,
	&wf_pg_layout_command,
	&wf_pg_layout_tail,
	&launch_layout,
	&change_layout,
	&finish_layout,
	&quarantined_layout,
	&step_layout,
	&item_kernel_layout,
	&new_item_layout,
	&item_key_layout,
	&hand_over_layout,
	&item_draft_layout,
	&new_due_layout,
	&due_key_layout,
	&new_message_layout,
	&wf_pg_layout_wanted,
	&wf_pg_layout_attempt,
	&wf_pg_layout_message_key,
	&wf_pg_layout_message_queue,
	&wf_pg_layout_item_rename,
	&wf_pg_layout_record_key,
	&wf_pg_layout_statistic_key,
	&migrating_layout,
	&incident_key_layout,
	NULL,
};

const struct wf_row_layout *wf_pg_layout(const char *name, size_t length)
{
	const struct wf_row_layout *found =
	    wf_find_layout(layouts, name, length);

	return found != NULL ? found : wf_find_layout(wf_layouts, name, length);
}
