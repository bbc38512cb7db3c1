/* SPDX-License-Identifier: Apache-2.0 */
/* What batches ask for and write, as columns: see columns.h. */
#include <string.h>

#include "persistence/postgresql/postgresql_priv.h"

#define FIELD(structure, type, name, field)                                    \
	{                                                                      \
#name, WF_COLUMN_##type, offsetof(struct structure, field)     \
	}

static const struct wf_column take_columns[] = {
	FIELD(wf_take, U64, number, number),
	FIELD(wf_take, U64, known, known),
};

static const struct wf_column claim_columns[] = {
	FIELD(wf_claim, U32, namespace_id, namespace_id),
	FIELD(wf_claim, TEXT, name, name),
};

static const struct wf_column command_columns[] = {
	FIELD(wf_look_up, TEXT, id, id),
};

static const struct wf_column tail_columns[] = {
	FIELD(pg_tail, U64, number, number),
	FIELD(pg_tail, U32, month, month),
	FIELD(pg_tail, U64, after, after),
};

static const struct wf_column launch_columns[] = {
	FIELD(wf_case_write, U64, number, row.number),
	FIELD(wf_case_write, U32, namespace_id, row.namespace_id),
	FIELD(wf_case_write, TEXT, name, row.name),
	FIELD(wf_case_write, U64, specification, row.specification),
	FIELD(wf_case_write, TEXT, title, row.title),
	FIELD(wf_case_write, TEXT, owner, row.owner),
	FIELD(wf_case_write, BYTES, extra, row.extra),
	FIELD(wf_case_write, I64, launched_at, row.launched_at),
	FIELD(wf_case_write, U64, version, row.version),
	FIELD(wf_case_write, U64, snapshot_version, row.snapshot_version),
	FIELD(wf_case_write, U64, messages, row.messages),
	FIELD(wf_case_write, U32, status, row.status),
	FIELD(wf_case_write, I64, changed_at, row.changed_at),
	FIELD(wf_case_write, BOOL, set_aside, row.set_aside),
	FIELD(wf_case_write, BYTES, snapshot, snapshot),
	FIELD(wf_case_write, U32, change, change),
};

static const struct wf_column change_columns[] = {
	FIELD(wf_case_write, U64, number, row.number),
	FIELD(wf_case_write, U64, expected, expected),
	FIELD(wf_case_write, U64, version, row.version),
	FIELD(wf_case_write, U64, messages, row.messages),
	FIELD(wf_case_write, U32, status, row.status),
	FIELD(wf_case_write, I64, changed_at, row.changed_at),
	FIELD(wf_case_write, BYTES, snapshot, snapshot),
};

static const struct wf_column quarantined_columns[] = {
	FIELD(wf_case_write, U64, number, row.number),
	FIELD(wf_case_write, U64, expected, expected),
	FIELD(wf_case_write, U32, change, change),
};

static const struct wf_column step_columns[] = {
	FIELD(pg_step, U64, number, row.number),
	FIELD(pg_step, U32, month, month),
	FIELD(pg_step, U64, sequence, row.sequence),
	FIELD(pg_step, I64, at, row.at),
	FIELD(pg_step, TEXT, actor, row.actor),
	FIELD(pg_step, TEXT, origin, row.origin),
	FIELD(pg_step, U32, format, row.format),
	FIELD(pg_step, TEXT, command, row.command),
	FIELD(pg_step, BYTES, events, row.events),
	FIELD(pg_step, U64, position, row.position),
	FIELD(pg_step, U32, namespace_id, row.namespace_id),
	FIELD(pg_step, U64, specification, row.specification),
};

static const struct wf_column item_kernel_columns[] = {
	FIELD(wf_item_write, U64, number, row.number),
	FIELD(wf_item_write, TEXT, id, row.id),
	FIELD(wf_item_write, U32, namespace_id, row.namespace_id),
	FIELD(wf_item_write, U64, specification, row.specification),
	FIELD(wf_item_write, TEXT, task, row.task),
	FIELD(wf_item_write, TEXT, service, row.service),
	FIELD(wf_item_write, U32, status, row.status),
	FIELD(wf_item_write, U32, choice, row.choice),
	FIELD(wf_item_write, I64, enabled_at, row.enabled_at),
	FIELD(wf_item_write, I64, fired_at, row.fired_at),
	FIELD(wf_item_write, I64, started_at, row.started_at),
};

static const struct wf_column hand_over_columns[] = {
	FIELD(wf_item_write, U64, number, row.number),
	FIELD(wf_item_write, TEXT, id, row.id),
	FIELD(wf_item_write, TEXT, lease_owner, row.lease_owner),
	FIELD(wf_item_write, I64, lease_until, row.lease_until),
	FIELD(wf_item_write, U64, fence, row.fence),
	FIELD(wf_item_write, U32, attempt, row.attempt),
	FIELD(wf_item_write, I64, not_before, row.not_before),
	FIELD(wf_item_write, TEXT, resource_status, row.resource_status),
	FIELD(wf_item_write, TEXT, participant, row.participant),
	FIELD(wf_item_write, U32, groups, groups),
};

static const struct wf_column new_due_columns[] = {
	FIELD(wf_due_write, U64, number, row.number),
	FIELD(wf_due_write, TEXT, name, row.name),
	FIELD(wf_due_write, U32, namespace_id, row.namespace_id),
	FIELD(wf_due_write, I64, at, row.at),
	FIELD(wf_due_write, U32, kind, row.kind),
	FIELD(wf_due_write, BYTES, payload, row.payload),
};

static const struct wf_column new_message_columns[] = {
	FIELD(wf_message_row, U64, number, number),
	FIELD(wf_message_row, U64, message, message),
	FIELD(wf_message_row, U32, namespace_id, namespace_id),
	FIELD(wf_message_row, TEXT, destination, destination),
	FIELD(wf_message_row, TEXT, subject, subject),
	FIELD(wf_message_row, U32, kind, kind),
	FIELD(wf_message_row, I64, at, at),
	FIELD(wf_message_row, BYTES, payload, payload),
};

static const struct wf_column message_key_columns[] = {
	FIELD(wf_message_key, U64, number, number),
	FIELD(wf_message_key, U64, message, message),
};

static const struct wf_column incident_key_columns[] = {
	FIELD(wf_incident_write, U64, id, row.id),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SHAPE(name, structure)                                                 \
	const struct wf_shape wf_pg_shape_##name = { #name,                    \
		sizeof(struct structure), name##_columns,                      \
		COUNT(name##_columns) }
#define BEGINNING(name, structure, columns, count)                             \
	const struct wf_shape wf_pg_shape_##name = { #name,                    \
		sizeof(struct structure), columns, count }

SHAPE(take, wf_take);
SHAPE(claim, wf_claim);
SHAPE(command, wf_look_up);
SHAPE(tail, pg_tail);
SHAPE(launch, wf_case_write);
SHAPE(change, wf_case_write);
BEGINNING(finish, wf_case_write, change_columns, COUNT(change_columns) - 1);
SHAPE(quarantined, wf_case_write);
SHAPE(step, pg_step);
SHAPE(item_kernel, wf_item_write);
BEGINNING(
    new_item, wf_item_write, item_kernel_columns, COUNT(item_kernel_columns));
BEGINNING(item_key, wf_item_write, item_kernel_columns, 2);
SHAPE(hand_over, wf_item_write);
SHAPE(new_due, wf_due_write);
BEGINNING(due_key, wf_due_write, new_due_columns, 2);
SHAPE(new_message, wf_message_row);
SHAPE(message_key, wf_message_key);
SHAPE(incident_key, wf_incident_write);

static const struct wf_shape *const shapes[] = {
	&wf_pg_shape_take,
	&wf_pg_shape_claim,
	&wf_pg_shape_command,
	&wf_pg_shape_tail,
	&wf_pg_shape_launch,
	&wf_pg_shape_change,
	&wf_pg_shape_finish,
	&wf_pg_shape_quarantined,
	&wf_pg_shape_step,
	&wf_pg_shape_item_kernel,
	&wf_pg_shape_new_item,
	&wf_pg_shape_item_key,
	&wf_pg_shape_hand_over,
	&wf_pg_shape_new_due,
	&wf_pg_shape_due_key,
	&wf_pg_shape_new_message,
	&wf_pg_shape_message_key,
	&wf_pg_shape_incident_key,
	NULL,
};

static const struct wf_shape *find(
    const struct wf_shape *const *list, const char *name, size_t length)
{
	for (; *list != NULL; list++)
		if (strlen((*list)->name) == length &&
		    memcmp((*list)->name, name, length) == 0)
			return *list;
	return NULL;
}

const struct wf_shape *wf_pg_shape(const char *name, size_t length)
{
	const struct wf_shape *found = find(shapes, name, length);

	return found != NULL ? found : find(wf_shapes, name, length);
}
