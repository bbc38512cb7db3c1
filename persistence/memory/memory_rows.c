/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: its tables, their keys, and how rows are found. */
#include "persistence/memory/memory_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- keys ----------------------------------------------------------------- */

#define COMPARE_NUMBERS(a, b, type, first, second)                             \
	const struct type *x = a;                                              \
	const struct type *y = b;                                              \
	int order = WF_COMPARE(x->first, y->first);                            \
                                                                               \
	return order != 0 ? order : WF_COMPARE(x->second, y->second)

#define COMPARE_TEXT(a, b, type, first, second)                                \
	const struct type *x = a;                                              \
	const struct type *y = b;                                              \
	int order = WF_COMPARE(x->first, y->first);                            \
                                                                               \
	return order != 0 ? order : strcmp(x->second, y->second)

static int compare_cases(const void *a, const void *b)
{
	const struct wf_case_row *x = a;
	const struct wf_case_row *y = b;

	return WF_COMPARE(x->number, y->number);
}

static int compare_names(const void *a, const void *b)
{
	COMPARE_TEXT(a, b, memory_name, namespace_id, name);
}

static int compare_history(const void *a, const void *b)
{
	COMPARE_NUMBERS(a, b, wf_history_row, number, sequence);
}

static int compare_values(const void *a, const void *b)
{
	COMPARE_NUMBERS(a, b, wf_value_row, number, value);
}

static int compare_items(const void *a, const void *b)
{
	COMPARE_TEXT(a, b, wf_item_row, number, id);
}

static int compare_due(const void *a, const void *b)
{
	COMPARE_TEXT(a, b, wf_due_row, number, name);
}

static int compare_messages(const void *a, const void *b)
{
	COMPARE_NUMBERS(a, b, wf_message_row, number, message);
}

static int compare_answers(const void *a, const void *b)
{
	const struct wf_answer_row *x = a;
	const struct wf_answer_row *y = b;

	return strcmp(x->id, y->id);
}

static int compare_incidents(const void *a, const void *b)
{
	const struct wf_incident_row *x = a;
	const struct wf_incident_row *y = b;

	return WF_COMPARE(x->id, y->id);
}

static int compare_specifications(const void *a, const void *b)
{
	COMPARE_NUMBERS(a, b, wf_specification_row, namespace_id, key);
}

static int compare_records(const void *a, const void *b)
{
	const struct wf_record_row *x = a;
	const struct wf_record_row *y = b;
	int order = strcmp(x->kind, y->kind);

	if (order == 0)
		order = WF_COMPARE(x->namespace_id, y->namespace_id);
	return order != 0 ? order : strcmp(x->name, y->name);
}

static int compare_documents(const void *a, const void *b)
{
	COMPARE_NUMBERS(a, b, wf_document_row, id, version);
}

static int compare_document_blocks(const void *a, const void *b)
{
	const struct wf_document_block_row *x = a;
	const struct wf_document_block_row *y = b;
	int order = WF_COMPARE(x->id, y->id);

	if (order == 0)
		order = WF_COMPARE(x->version, y->version);
	return order != 0 ? order : WF_COMPARE(x->place, y->place);
}

static int compare_sessions(const void *a, const void *b)
{
	const struct wf_session_row *x = a;
	const struct wf_session_row *y = b;

	return strcmp(x->key, y->key);
}

static int compare_audit(const void *a, const void *b)
{
	const struct wf_audit_row *x = a;
	const struct wf_audit_row *y = b;

	return WF_COMPARE(x->id, y->id);
}

static int compare_outcomes(const void *a, const void *b)
{
	const struct wf_outcome_row *x = a;
	const struct wf_outcome_row *y = b;

	if (x->operation != y->operation)
		return x->operation < y->operation ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->subject, y->subject);
}

static int compare_migrated(const void *a, const void *b)
{
	COMPARE_NUMBERS(a, b, wf_migrated_row, number, sequence);
}

static int compare_involved(const void *a, const void *b)
{
	const struct wf_involved_row *x = a;
	const struct wf_involved_row *y = b;
	int order = WF_COMPARE(x->number, y->number);

	return order != 0 ? order : strcmp(x->participant, y->participant);
}

static int compare_comments(const void *a, const void *b)
{
	COMPARE_NUMBERS(a, b, wf_comment_row, number, id);
}

static int compare_terms(const void *a, const void *b)
{
	const struct wf_term_row *x = a;
	const struct wf_term_row *y = b;
	int order = WF_COMPARE(x->number, y->number);

	return order != 0 ? order : strcmp(x->field, y->field);
}

static int compare_statistics(const void *a, const void *b)
{
	const struct wf_statistic_row *x = a;
	const struct wf_statistic_row *y = b;
	int order = WF_COMPARE(x->namespace_id, y->namespace_id);

	if (order == 0)
		order = WF_COMPARE(x->specification, y->specification);
	if (order == 0)
		order = WF_COMPARE(x->measure, y->measure);
	if (order == 0)
		order = WF_COMPARE(x->hour, y->hour);
	if (order == 0)
		order = strcmp(x->net, y->net);
	if (order == 0)
		order = strcmp(x->element, y->element);
	return order != 0 ? order : strcmp(x->detail, y->detail);
}

static int compare_folds(const void *a, const void *b)
{
	const struct wf_fold_row *x = a;
	const struct wf_fold_row *y = b;

	return strcmp(x->name, y->name);
}

static int compare_erased(const void *a, const void *b)
{
	const struct wf_erased_row *x = a;
	const struct wf_erased_row *y = b;

	return WF_COMPARE(x->number, y->number);
}

/* --- tables --------------------------------------------------------------- */

static const struct wf_column name_columns[] = {
	WF_COLUMN_OF(memory_name, U32, namespace_id, KEY, namespace_id),
	WF_COLUMN_OF(memory_name, TEXT, name, KEY, name),
	WF_COLUMN_OF(memory_name, U64, number, ROW, number),
};

static const struct wf_row_layout name_layout = { "name",
	sizeof(struct memory_name), name_columns, 3 };

/* size: of the structs in the table, which begin with a row of that layout. */
static void init_table(struct wf_table *table,
    const struct wf_row_layout *layout, size_t size,
    int (*compare)(const void *a, const void *b))
{
	table->layout = layout;
	table->size = size;
	table->compare = compare;
}

#define INIT(table, row, compare)                                              \
	init_table(&m->table, &wf_layout_##row, wf_layout_##row.size, compare)
#define INIT_WIDE(table, row, structure, compare)                              \
	init_table(                                                            \
	    &m->table, &wf_layout_##row, sizeof(struct structure), compare)

void wf_memory_init_tables(struct memory *m)
{
	INIT_WIDE(cases, case, memory_case, compare_cases);
	INIT(snapshots, value, compare_values);
	init_table(&m->names, &name_layout, name_layout.size, compare_names);
	INIT(history, history, compare_history);
	INIT(values, value, compare_values);
	INIT(items, item, compare_items);
	INIT_WIDE(due, due, memory_due, compare_due);
	INIT_WIDE(messages, message, memory_message, compare_messages);
	INIT(answers, answer, compare_answers);
	INIT(incidents, incident, compare_incidents);
	INIT(specifications, specification, compare_specifications);
	INIT(records, record, compare_records);
	INIT(documents, document, compare_documents);
	INIT(document_blocks, document_block, compare_document_blocks);
	INIT(sessions, session, compare_sessions);
	INIT(audit, audit, compare_audit);
	INIT(involved, involved, compare_involved);
	INIT(migrated, migrated, compare_migrated);
	INIT(outcomes, outcome, compare_outcomes);
	INIT(comments, comment, compare_comments);
	INIT(terms, term, compare_terms);
	INIT(statistics, statistic, compare_statistics);
	INIT(folds, fold, compare_folds);
	INIT(erased, erased, compare_erased);
}

void wf_memory_free_tables(struct memory *m)
{
	struct wf_table *tables[] = { &m->cases, &m->snapshots, &m->names,
		&m->history, &m->values, &m->items, &m->due, &m->messages,
		&m->answers, &m->incidents, &m->specifications, &m->records,
		&m->documents, &m->document_blocks, &m->sessions, &m->audit,
		&m->involved, &m->migrated, &m->outcomes, &m->comments,
		&m->terms, &m->statistics, &m->folds, &m->erased };

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		wf_table_clear(tables[i]);
	wf_free(m->stream);
}

/* --- what all functions share --------------------------------------------- */

enum wf_rc wf_memory_enter(
    struct wf_store *store, struct memory **memory_out, struct wf_error *err)
{
	enum wf_rc rc = wf_statement(store, err);

	if (rc != WF_OK)
		return rc;
	*memory_out = ((struct memory_store *)store)->memory;
	pthread_mutex_lock(&(*memory_out)->lock);
	return WF_OK;
}

enum wf_rc wf_memory_leave(
    struct wf_store *store, bool wrote, enum wf_rc rc, struct wf_error *err)
{
	pthread_mutex_unlock(&((struct memory_store *)store)->memory->lock);
	return wf_statement_end(store, wrote, rc, err);
}

#define NUMBER_IS_FIRST(structure)                                             \
	static_assert(offsetof(struct structure, number) == 0,                 \
	    "wf_memory_first() reads the number of a row without its type")

NUMBER_IS_FIRST(wf_history_row);
NUMBER_IS_FIRST(wf_value_row);
NUMBER_IS_FIRST(wf_item_row);
NUMBER_IS_FIRST(wf_due_row);
NUMBER_IS_FIRST(wf_message_row);
NUMBER_IS_FIRST(wf_involved_row);
NUMBER_IS_FIRST(wf_migrated_row);
NUMBER_IS_FIRST(wf_comment_row);
NUMBER_IS_FIRST(wf_term_row);

size_t wf_memory_first(const struct wf_table *table, uint64_t number)
{
	size_t low = 0;
	size_t high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		/* It is the first member of all these rows. */
		if (*(const uint64_t *)table->rows[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void wf_memory_remove_all(struct wf_table *table, uint64_t number)
{
	size_t first = wf_memory_first(table, number);
	size_t end = wf_memory_first(table, number + 1);

	for (size_t i = first; i < end; i++)
		wf_free(table->rows[i]);
	if (end > first)
		memmove(&table->rows[first], &table->rows[end],
		    (table->count - end) * sizeof(void *));
	table->count -= end - first;
}

/* --- cases ---------------------------------------------------------------- */

struct memory_case *wf_memory_case(const struct memory *memory, uint64_t number)
{
	struct wf_case_row key = { .number = number };

	return wf_table_find(&memory->cases, &key);
}

void wf_memory_load(const struct memory *memory, const struct memory_case *row,
    bool state, struct wf_arena *arena, struct wf_stored_case *case_out)
{
	struct wf_history_row key = { .number = row->row.number,
		.sequence = row->row.snapshot_version + 1 };
	struct wf_value_row snapshot = { .number = row->row.number };
	const struct wf_value_row *found;
	size_t first;

	memset(case_out, 0, sizeof(*case_out));
	wf_row_copy_to(&wf_layout_case, &case_out->row, &row->row, arena);
	case_out->ended = row->ended;
	if (!state)
		return;
	found = wf_table_find(&memory->snapshots, &snapshot);
	if (found != NULL) {
		wf_row_copy_to(&wf_layout_value, &snapshot, found, arena);
		case_out->snapshot = snapshot.text;
	}
	first = wf_table_position(&memory->history, &key);
	case_out->tail_count =
	    wf_memory_first(&memory->history, key.number + 1) - first;
	case_out->tail = wf_arena_array(
	    arena, case_out->tail_count, sizeof(*case_out->tail));
	for (size_t i = 0; i < case_out->tail_count; i++)
		wf_row_copy_to(&wf_layout_history, &case_out->tail[i],
		    memory->history.rows[first + i], arena);
}

/* --- rows that a reader gets ---------------------------------------------- */

void wf_memory_add(struct memory_found *found, const void *row)
{
	if (found->count == found->capacity) {
		found->capacity = found->capacity * 2 + 16;
		found->rows = wf_realloc(
		    found->rows, found->capacity * sizeof(found->rows[0]));
	}
	found->rows[found->count++] = row;
}

void wf_memory_sort(struct memory_found *found,
    int (*compare)(const void *a, const void *b), size_t limit)
{
	if (found->count > 1)
		qsort(
		    found->rows, found->count, sizeof(found->rows[0]), compare);
	if (found->count > limit)
		found->count = limit;
}

void *wf_memory_give(struct memory_found *found,
    const struct wf_row_layout *layout, struct wf_arena *arena,
    size_t *count_out)
{
	char *rows = wf_arena_array(arena, found->count, layout->size);

	for (size_t i = 0; i < found->count; i++)
		wf_row_copy_to(
		    layout, rows + i * layout->size, found->rows[i], arena);
	*count_out = found->count;
	wf_free(found->rows);
	memset(found, 0, sizeof(*found));
	return rows;
}

void wf_memory_give_items(struct memory_found *found, struct wf_arena *arena,
    struct wf_item_list *list_out)
{
	list_out->rows =
	    wf_memory_give(found, &wf_layout_item, arena, &list_out->count);
	for (size_t i = 0; i < list_out->count; i++)
		list_out->rows[i].draft = (struct wf_bytes){ NULL, 0 };
}
