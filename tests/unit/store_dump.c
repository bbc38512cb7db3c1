/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, answers and whole stores as text. */
#include "tests/message_queues.h"
#include "tests/unit/store_dump.h"

#include <string.h>

#define MANY 100000

void dump_result(
    struct wf_buffer *text, enum wf_rc rc, const struct wf_error *err)
{
	wf_buffer_printf(
	    text, "%s %s\n", wf_rc_name(rc), rc == WF_OK ? "" : err->message);
}

static void dump_column(
    struct wf_buffer *text, const struct wf_column *column, const void *field)
{
	const struct wf_bytes *bytes = field;

	switch (column->type) {
	case WF_COLUMN_U64:
		wf_buffer_printf(
		    text, "%llu", (unsigned long long)*(const uint64_t *)field);
		break;
	case WF_COLUMN_U32:
		wf_buffer_printf(text, "%u", *(const uint32_t *)field);
		break;
	case WF_COLUMN_I64:
		wf_buffer_printf(
		    text, "%lld", (long long)*(const int64_t *)field);
		break;
	case WF_COLUMN_BOOL:
		wf_buffer_puts(text, *(const bool *)field ? "yes" : "no");
		break;
	case WF_COLUMN_TEXT:
		wf_buffer_printf(text, "\"%s\"", *(const char *const *)field);
		break;
	case WF_COLUMN_BYTES:
		if (bytes->data == NULL)
			wf_buffer_puts(text, "none");
		else
			wf_buffer_printf(text, "%zu:%.*s", bytes->size,
			    (int)(bytes->size < 40 ? bytes->size : 40),
			    (const char *)bytes->data);
		break;
	}
}

void dump_row(
    struct wf_buffer *text, const struct wf_row_layout *shape, const void *row)
{
	wf_buffer_puts(text, shape->name);
	for (size_t i = 0; i < shape->count; i++) {
		if (strcmp(shape->columns[i].name, "position") == 0)
			continue;
		wf_buffer_printf(text, " %s=", shape->columns[i].name);
		dump_column(text, &shape->columns[i],
		    (const char *)row + shape->columns[i].offset);
	}
	wf_buffer_putc(text, '\n');
}

static void dump_rows(struct wf_buffer *text, const struct wf_row_layout *shape,
    const void *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		dump_row(text, shape, (const char *)rows + i * shape->size);
}

void dump_case(struct wf_buffer *text, const struct wf_stored_case *stored)
{
	dump_row(text, &wf_layout_case, &stored->row);
	wf_buffer_printf(text, " ended %d snapshot %zu %.*s\n", stored->ended,
	    stored->snapshot.size, (int)stored->snapshot.size,
	    stored->snapshot.data == NULL
		? ""
		: (const char *)stored->snapshot.data);
	dump_rows(text, &wf_layout_history, stored->tail, stored->tail_count);
}

void dump_batch(struct wf_buffer *text, const struct wf_batch *batch)
{
	for (size_t i = 0; i < batch->take_count; i++) {
		const struct wf_take *take = &batch->takes[i];

		wf_buffer_printf(text, "take %llu: %d\n",
		    (unsigned long long)take->number, take->state);
		if (take->state == WF_TAKE_TAKEN ||
		    take->state == WF_TAKE_QUARANTINED)
			dump_case(text, &take->stored);
	}
	for (size_t i = 0; i < batch->claim_count; i++)
		wf_buffer_printf(text, "claim %s: %d %llu\n",
		    batch->claims[i].name, batch->claims[i].state,
		    (unsigned long long)batch->claims[i].number);
	for (size_t i = 0; i < batch->command_count; i++) {
		wf_buffer_printf(text, "command %s: %d\n",
		    batch->commands[i].id, batch->commands[i].state);
		if (batch->commands[i].state == WF_COMMAND_DONE)
			dump_row(text, &wf_layout_answer,
			    &batch->commands[i].answer);
	}
}

/* --- a whole store -------------------------------------------------------- */

static void dump_cases(
    struct wf_buffer *text, struct wf_store *store, struct wf_arena *arena)
{
	struct wf_case_filter filter = { .limit = MANY };
	struct wf_error err = { 0 };
	struct wf_case_list list;
	enum wf_rc rc = wf_store_cases(store, &filter, arena, &list, &err);

	dump_result(text, rc, &err);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		uint64_t number = list.rows[i].row.number;
		struct wf_stored_case stored;
		struct wf_due_list due;

		rc = wf_store_case(store, number, true, arena, &stored, &err);
		dump_result(text, rc, &err);
		if (rc == WF_OK)
			dump_case(text, &stored);
		rc = wf_store_due_of(
		    store, number, "", SIZE_MAX, arena, &due, &err);
		if (rc == WF_OK)
			dump_rows(text, &wf_layout_due, due.rows, due.count);
	}
}

/* Read in pages of three. */
static void dump_case_exports(
    struct wf_buffer *text, struct wf_store *store, struct wf_arena *arena)
{
	struct wf_case_export_list list = { NULL, 1 };
	struct wf_error err = { 0 };
	uint64_t after = 0;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && list.count > 0) {
		rc = wf_store_case_exports(store, after, 3, arena, &list, &err);
		dump_result(text, rc, &err);
		for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
			const struct wf_case_export *d = &list.rows[i];

			dump_case(text, &d->stored);
			dump_rows(text, &wf_layout_history, d->history.rows,
			    d->history.count);
			dump_rows(text, &wf_layout_item, d->items.rows,
			    d->items.count);
			dump_rows(
			    text, &wf_layout_due, d->due.rows, d->due.count);
			after = d->stored.row.number;
		}
	}
}

static void dump_lists(
    struct wf_buffer *text, struct wf_store *store, struct wf_arena *arena)
{
	struct wf_item_filter items = { .limit = MANY };
	struct wf_history_filter history = { .limit = MANY };
	struct wf_incident_filter incidents = { .which = WF_INCIDENTS_ALL,
		.limit = MANY };
	struct wf_specification_filter specifications = { 0 };
	struct wf_item_list item_list = { 0 };
	struct wf_history_list history_list = { 0 };
	struct wf_incident_list incident_list = { 0 };
	struct wf_specification_list specification_list = { 0 };
	struct wf_record_list record_list = { 0 };
	struct wf_error err = { 0 };

	dump_result(
	    text, wf_store_items(store, &items, arena, &item_list, &err), &err);
	dump_rows(text, &wf_layout_item, item_list.rows, item_list.count);
	dump_result(text,
	    wf_store_history(store, &history, arena, &history_list, &err),
	    &err);
	dump_rows(
	    text, &wf_layout_history, history_list.rows, history_list.count);
	dump_result(text,
	    wf_store_incidents(store, &incidents, arena, &incident_list, &err),
	    &err);
	dump_rows(
	    text, &wf_layout_incident, incident_list.rows, incident_list.count);
	dump_result(text,
	    wf_store_specifications(
		store, &specifications, arena, &specification_list, &err),
	    &err);
	dump_rows(text, &wf_layout_specification, specification_list.rows,
	    specification_list.count);
	dump_result(text,
	    wf_store_records(store, "setting", 0, arena, &record_list, &err),
	    &err);
	dump_rows(text, &wf_layout_record, record_list.rows, record_list.count);
}

static void dump_backlog(struct wf_buffer *text, struct wf_store *store)
{
	struct wf_store_backlog backlog;
	struct wf_error err = { 0 };

	dump_result(text, wf_store_backlog(store, 100, &backlog, &err), &err);
	wf_buffer_printf(text, "%llu live, %llu incidents, ",
	    (unsigned long long)backlog.live,
	    (unsigned long long)backlog.incidents);
	wf_buffer_printf(text, "%llu due from %lld, %llu messages from %lld\n",
	    (unsigned long long)backlog.due, (long long)backlog.next_due,
	    (unsigned long long)backlog.messages,
	    (long long)backlog.oldest_message);
}

static void dump_facts(struct wf_buffer *text, struct wf_store *store)
{
	struct wf_store_facts facts;
	struct wf_error err = { 0 };

	dump_result(text, wf_store_facts(store, &facts, &err), &err);
	wf_buffer_printf(text, "%llu live, %llu ended, %llu quarantined, ",
	    (unsigned long long)facts.live, (unsigned long long)facts.ended,
	    (unsigned long long)facts.set_aside);
	wf_buffer_printf(text, "%llu incidents, %llu specifications\n",
	    (unsigned long long)facts.incidents,
	    (unsigned long long)facts.specifications);
}

static void dump_queues(
    struct wf_buffer *text, struct wf_store *store, struct wf_arena *arena)
{
	int64_t far = INT64_MAX / 2;
	struct wf_error err = { 0 };
	struct wf_due_list due = { 0 };
	struct wf_message_list messages = { 0 };
	enum wf_rc rc =
	    wf_store_claim_due(store, far, far, MANY, arena, &due, &err);

	dump_result(text, rc, &err);
	dump_rows(text, &wf_layout_due, due.rows, due.count);
	for (;;) {
		struct wf_message_key key;

		rc = claim_messages(
		    store, NULL, far, far, 1, arena, &messages, &err);
		dump_result(text, rc, &err);
		if (rc != WF_OK || messages.count == 0)
			break;
		dump_row(text, &wf_layout_message, &messages.rows[0]);
		key.number = messages.rows[0].number;
		key.message = messages.rows[0].message;
		rc = wf_store_acknowledge(store, &key, 1, &err);
		if (rc != WF_OK)
			break;
	}
}

/* What is left of erased cases, of those with low numbers. */
static void dump_erased(
    struct wf_buffer *text, struct wf_store *store, struct wf_arena *arena)
{
	for (uint64_t number = 1; number < 10; number++) {
		struct wf_erased_row row;

		if (wf_store_erased(store, number, arena, &row, NULL) != WF_OK)
			continue;
		row.position = 0; /* stores count in other ways */
		dump_row(text, &wf_layout_erased, &row);
	}
}

void dump_store(struct wf_buffer *text, struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();

	dump_backlog(text, store);
	dump_facts(text, store);
	dump_cases(text, store, arena);
	dump_case_exports(text, store, arena);
	dump_lists(text, store, arena);
	dump_queues(text, store, arena);
	dump_erased(text, store, arena);
	wf_arena_free(&arena);
}
