/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store in memory: history, incidents, specifications and records.
 */
#include "persistence/memory/memory_priv.h"

#include <stdlib.h>
#include <string.h>

/* --- history -------------------------------------------------------------- */

static size_t stream_first(const struct memory *m, uint64_t after)
{
	size_t low = 0;
	size_t high = m->stream_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->stream[middle]->position <= after)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct wf_cursor cursor_of(const struct wf_history_row *row)
{
	return (struct wf_cursor){ .position = row->position,
		.number = row->number,
		.sequence = row->sequence };
}

/* Rows behind the last one that is kept may have been retired. */
static struct wf_cursor end_of(const struct memory *m)
{
	struct wf_cursor end = m->retired;

	if (m->stream_count > 0)
		end = cursor_of(m->stream[m->stream_count - 1]);
	if (wf_cursor_is_before(&end, &m->retired))
		end = m->retired;
	end.retirements = m->retired.retirements;
	return end;
}

static bool is_wanted(
    const struct wf_history_filter *filter, const struct wf_history_row *row)
{
	return (filter->namespace_id == 0 ||
		   row->namespace_id == filter->namespace_id) &&
	       wf_is_specification(&filter->specifications, row->specification);
}

static void read_stream(const struct memory *m,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out)
{
	struct memory_found found = { 0 };
	size_t at = stream_first(m, filter->after.position);
	size_t bytes = 0;

	list_out->next = filter->after;
	for (; at < m->stream_count && found.count < filter->limit &&
	       bytes < WF_HISTORY_BYTES;
	     at++) {
		list_out->next = cursor_of(m->stream[at]);
		if (!is_wanted(filter, m->stream[at]))
			continue;
		wf_memory_add(&found, m->stream[at]);
		bytes += m->stream[at]->events.size;
	}
	if (found.count < filter->limit && bytes < WF_HISTORY_BYTES &&
	    wf_cursor_is_before(&list_out->next, &m->retired))
		list_out->next = m->retired;
	list_out->next.retirements = m->retired.retirements;
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_history, arena, &list_out->count);
}

enum wf_rc wf_memory_history(struct wf_store *store,
    const struct wf_history_filter *filter, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_check_cursor(&filter->after, &m->retired, err);
	if (rc == WF_OK)
		read_stream(m, filter, arena, list_out);
	return wf_memory_leave(store, false, rc, err);
}

enum wf_rc wf_memory_history_end(
    struct wf_store *store, struct wf_cursor *cursor_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	*cursor_out = end_of(m);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_case_history(struct wf_store *store, uint64_t number,
    uint64_t after, size_t limit, struct wf_arena *arena,
    struct wf_history_list *list_out, struct wf_error *err)
{
	struct wf_history_row key = { .number = number, .sequence = after + 1 };
	struct memory_found found = { 0 };
	struct memory *m;
	size_t bytes = 0;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	memset(&list_out->next, 0, sizeof(list_out->next));
	for (size_t i = wf_table_position(&m->history, &key);
	     i < wf_memory_first(&m->history, number + 1) &&
	     found.count < limit && bytes < WF_HISTORY_BYTES;
	     i++) {
		const struct wf_history_row *row = m->history.rows[i];

		wf_memory_add(&found, row);
		list_out->next = cursor_of(row);
		bytes += row->events.size;
	}
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_history, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

/* --- retiring ------------------------------------------------------------- */

static void retire_stream(struct memory *m, uint64_t number)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->stream_count; i++) {
		struct wf_history_row *row = m->stream[i];

		if (row->number != number)
			m->stream[kept++] = row;
		else if (row->position > m->retired.position)
			m->retired.position = row->position;
	}
	m->stream_count = kept;
}

/* The steps are gone, and no reader learns it. */
static uint64_t forget_stream(struct memory *m, uint64_t number)
{
	uint64_t position = 0;
	size_t kept = 0;

	for (size_t i = 0; i < m->stream_count; i++) {
		struct wf_history_row *row = m->stream[i];

		if (row->number != number)
			m->stream[kept++] = row;
		else
			position = row->position;
	}
	m->stream_count = kept;
	return position;
}

/* Those of a case; number 0: of none, that were dropped before. */
static void retire_incidents(struct memory *m, uint64_t number, int64_t before)
{
	for (size_t i = m->incidents.count; i-- > 0;) {
		const struct wf_incident_row *row = m->incidents.rows[i];

		if (row->number == number &&
		    (number != 0 ||
			(row->dropped_at > 0 && row->dropped_at < before)))
			wf_table_remove(&m->incidents, row);
	}
}

static void retire_case(struct memory *m, uint64_t number)
{
	struct wf_case_row key = { .number = number };
	const struct memory_case *row = wf_table_find(&m->cases, &key);
	struct wf_specification_row used = {
		.namespace_id = row->row.namespace_id,
		.key = row->row.specification,
	};
	struct wf_specification_row *specification =
	    wf_table_find(&m->specifications, &used);

	if (specification != NULL)
		specification->has_retired = true;
	retire_incidents(m, number, 0);
	wf_memory_remove_all(&m->history, number);
	wf_memory_remove_all(&m->values, number);
	wf_memory_retire_documents(m, number);
	wf_memory_remove_all(&m->involved, number);
	wf_memory_remove_all(&m->migrated, number);
	wf_memory_remove_all(&m->comments, number);
	wf_memory_remove_all(&m->terms, number);
	wf_table_remove(&m->cases, &key);
}

static bool is_needed(
    const struct memory *m, const struct wf_specification_row *specification)
{
	for (size_t i = 0; i < m->cases.count; i++) {
		const struct memory_case *row = m->cases.rows[i];

		if (row->row.specification == specification->key &&
		    row->row.namespace_id == specification->namespace_id)
			return true;
	}
	for (size_t i = 0; i < m->migrated.count; i++) {
		const struct wf_migrated_row *row = m->migrated.rows[i];

		if (row->specification == specification->key)
			return true;
	}
	return false;
}

static void retire_specifications(struct memory *m)
{
	for (size_t i = m->specifications.count; i-- > 0;) {
		const struct wf_specification_row *row =
		    m->specifications.rows[i];

		if (row->removed && !is_needed(m, row))
			wf_table_remove(&m->specifications, row);
	}
}

enum wf_rc wf_memory_retire(struct wf_store *store, int64_t before,
    size_t limit, size_t *count_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	*count_out = 0;
	for (size_t i = 0; i < m->cases.count && *count_out < limit;) {
		const struct memory_case *row = m->cases.rows[i];

		if (row->ended && row->row.changed_at < before) {
			retire_stream(m, row->row.number);
			retire_case(m, row->row.number);
			(*count_out)++;
		} else {
			i++;
		}
	}
	m->retired.retirements += *count_out > 0;
	retire_incidents(m, 0, before);
	retire_specifications(m);
	return wf_memory_leave(store, true, WF_OK, err);
}

/* --- ended cases ---------------------------------------------------------- */

static int compare_ends(const void *a, const void *b)
{
	const struct wf_stored_case *x = a;
	const struct wf_stored_case *y = b;
	int order = WF_COMPARE(x->row.changed_at, y->row.changed_at);

	return order != 0 ? order : WF_COMPARE(x->row.number, y->row.number);
}

enum wf_rc wf_memory_ended(struct wf_store *store,
    const struct wf_ended_filter *filter, struct wf_arena *arena,
    struct wf_case_list *list_out, struct wf_error *err)
{
	size_t capacity = 0;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->cases.count; i++) {
		const struct memory_case *row = m->cases.rows[i];

		if (!row->ended || row->row.changed_at >= filter->before ||
		    row->row.namespace_id != filter->namespace_id ||
		    row->row.specification != filter->specification ||
		    row->row.changed_at < filter->after ||
		    (row->row.changed_at == filter->after &&
			row->row.number <= filter->after_number))
			continue;
		list_out->rows = wf_arena_grow(arena, list_out->rows,
		    list_out->count, &capacity, sizeof(*list_out->rows));
		wf_memory_load(
		    m, row, false, arena, &list_out->rows[list_out->count++]);
	}
	if (list_out->count > 0)
		qsort(list_out->rows, list_out->count, sizeof(*list_out->rows),
		    compare_ends);
	if (list_out->count > filter->limit)
		list_out->count = filter->limit;
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_retire_cases(struct wf_store *store,
    const uint64_t *numbers, size_t count, size_t *count_out,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		const struct memory_case *row = wf_memory_case(m, numbers[i]);

		if (row == NULL || !row->ended)
			continue;
		retire_stream(m, numbers[i]);
		retire_case(m, numbers[i]);
		(*count_out)++;
	}
	m->retired.retirements += *count_out > 0;
	return wf_memory_leave(store, true, WF_OK, err);
}

static void erase(struct memory *m, const struct wf_erased_row *row)
{
	const struct wf_case_row *old = &wf_memory_case(m, row->number)->row;
	struct wf_erased_row erased = *row;

	erased.namespace_id = old->namespace_id;
	erased.name = old->name;
	erased.specification = old->specification;
	erased.position = forget_stream(m, row->number);
	wf_table_put(&m->erased, &erased);
	for (size_t i = m->incidents.count; i-- > 0;) {
		const struct wf_incident_row *incident = m->incidents.rows[i];

		if (incident->number == row->number)
			wf_table_remove(&m->incidents, incident);
	}
	wf_memory_remove_all(&m->messages, row->number);
	for (size_t i = 0; i < m->outcomes.count; i++) {
		struct wf_outcome_row outcome =
		    *(const struct wf_outcome_row *)m->outcomes.rows[i];

		if (outcome.number != row->number)
			continue;
		outcome.text = "";
		wf_table_put(&m->outcomes, &outcome);
	}
	retire_case(m, row->number);
}

enum wf_rc wf_memory_erase(struct wf_store *store,
    const struct wf_erased_row *row, struct wf_error *err)
{
	const struct memory_case *old;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	old = wf_memory_case(m, row->number);
	if (old == NULL || !old->ended)
		rc = wf_fail_erase(err, row->number, old != NULL);
	else
		erase(m, row);
	return wf_memory_leave(store, true, rc, err);
}

enum wf_rc wf_memory_erased(struct wf_store *store, uint64_t number,
    struct wf_arena *arena, struct wf_erased_row *row_out, struct wf_error *err)
{
	const struct wf_erased_row key = { .number = number };
	const struct wf_erased_row *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = wf_table_find(&m->erased, &key);
	if (row == NULL)
		rc = wf_missing(err, "erased case", number);
	else
		wf_row_copy_to(&wf_layout_erased, row_out, row, arena);
	return wf_memory_leave(store, false, rc, err);
}

/* --- incidents ------------------------------------------------------------ */

static bool is_open(const struct wf_incident_row *row, const char *code)
{
	return row->dropped_at == 0 &&
	       (code == NULL || strcmp(row->code, code) == 0);
}

/* The first of a case; NULL: none. */
static const struct wf_incident_row *find_open(
    const struct memory *m, uint64_t number, const char *code)
{
	for (size_t i = 0; i < m->incidents.count; i++) {
		const struct wf_incident_row *row = m->incidents.rows[i];

		if (row->number == number && is_open(row, code))
			return row;
	}
	return NULL;
}

bool wf_memory_has_incident(
    const struct memory *m, uint64_t number, const char *code)
{
	return find_open(m, number, code) != NULL;
}

/* The table is by id; each next case is searched for. */
enum wf_rc wf_memory_incident_cases(struct wf_store *store, const char *code,
    uint64_t after, bool descending, size_t limit, uint64_t *numbers_out,
    size_t *count_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	while (*count_out < limit) {
		uint64_t next = 0;

		for (size_t i = 0; i < m->incidents.count; i++) {
			const struct wf_incident_row *row =
			    m->incidents.rows[i];
			uint64_t number = row->number;

			if (number != 0 && is_open(row, code) &&
			    (after == 0 || (descending ? number < after
						       : number > after)) &&
			    (next == 0 ||
				(descending ? number > next : number < next)))
				next = number;
		}
		if (next == 0)
			break;
		numbers_out[(*count_out)++] = after = next;
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_ended_since(struct wf_store *store, int64_t from,
    size_t limit, uint64_t *numbers_out, size_t *count_out,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->cases.count && *count_out < limit; i++) {
		const struct memory_case *row = m->cases.rows[i];

		if (row->ended && row->row.changed_at >= from)
			numbers_out[(*count_out)++] = row->row.number;
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_open_incidents(struct wf_store *store,
    const uint64_t *numbers, size_t count, const char *code,
    struct wf_arena *arena, struct wf_open_incident *open_out,
    struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < count; i++) {
		const struct wf_incident_row *row =
		    find_open(m, numbers[i], code);

		open_out[i] = (struct wf_open_incident){ .code = "" };
		if (row != NULL) {
			open_out[i].id = row->id;
			open_out[i].code = wf_arena_strdup(arena, row->code);
		}
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_incidents(struct wf_store *store,
    const struct wf_incident_filter *filter, struct wf_arena *arena,
    struct wf_incident_list *list_out, struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0;
	     i < m->incidents.count && found.count < filter->limit; i++) {
		const struct wf_incident_row *row = m->incidents.rows[i];

		if (row->id > filter->after &&
		    (filter->which == WF_INCIDENTS_ALL ||
			(row->dropped_at > 0) ==
			    (filter->which == WF_INCIDENTS_DROPPED)) &&
		    (filter->namespace_id == 0 ||
			row->namespace_id == filter->namespace_id) &&
		    (filter->number == 0 || row->number == filter->number) &&
		    (filter->code == NULL ||
			strcmp(row->code, filter->code) == 0))
			wf_memory_add(&found, row);
	}
	list_out->rows = wf_memory_give(
	    &found, &wf_layout_incident, arena, &list_out->count);
	for (size_t i = 0; i < list_out->count; i++) {
		list_out->rows[i].detail = (struct wf_bytes){ NULL, 0 };
		if (filter->light)
			list_out->rows[i].payload =
			    (struct wf_bytes){ NULL, 0 };
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

static uint64_t count_open(const struct memory *m)
{
	uint64_t count = 0;

	for (size_t i = 0; i < m->incidents.count; i++) {
		const struct wf_incident_row *row = m->incidents.rows[i];

		count += row->dropped_at == 0;
	}
	return count;
}

enum wf_rc wf_memory_incident(struct wf_store *store, uint64_t id,
    struct wf_arena *arena, struct wf_incident_row *row_out,
    struct wf_error *err)
{
	struct wf_incident_row key = { .id = id };
	const struct wf_incident_row *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = wf_table_find(&m->incidents, &key);
	if (row == NULL)
		rc = wf_missing(err, "incident", id);
	else
		wf_row_copy_to(&wf_layout_incident, row_out, row, arena);
	return wf_memory_leave(store, false, rc, err);
}

/* --- specifications ------------------------------------------------------- */

static enum wf_rc put_specification(struct memory *m,
    const struct wf_specification_row *from, struct wf_error *err)
{
	const struct wf_specification_row *old =
	    wf_table_find(&m->specifications, from);
	struct wf_specification_row row = *from;
	enum wf_rc rc = wf_judge_change(from->change, m->change + 1, err);

	if (rc != WF_OK)
		return rc;
	if (old != NULL && (old->source.size != from->source.size ||
			       memcmp(old->source.data, from->source.data,
				   from->source.size) != 0))
		return wf_fail_specification(err, from->key);
	row.removed = false;
	row.has_retired = old != NULL && old->has_retired;
	row.change = ++m->change;
	wf_table_put(&m->specifications, &row);
	return WF_OK;
}

enum wf_rc wf_memory_put_specification(struct wf_store *store,
    const struct wf_specification_row *row, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	rc = put_specification(m, row, err);
	return wf_memory_leave(store, true, rc, err);
}

enum wf_rc wf_memory_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_arena *arena,
    struct wf_specification_row *row_out, struct wf_error *err)
{
	struct wf_specification_row wanted = { .namespace_id = namespace_id,
		.key = key };
	const struct wf_specification_row *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = wf_table_find(&m->specifications, &wanted);
	if (row == NULL)
		rc = wf_missing_specification(err, key);
	else
		wf_row_copy_to(&wf_layout_specification, row_out, row, arena);
	return wf_memory_leave(store, false, rc, err);
}

static enum wf_rc remove_specification(struct memory *m,
    const struct wf_specification_row *key, struct wf_error *err)
{
	struct wf_specification_row *row =
	    wf_table_find(&m->specifications, key);

	for (size_t i = 0; i < m->cases.count; i++) {
		const struct memory_case *instance = m->cases.rows[i];

		if (!instance->ended &&
		    instance->row.specification == key->key &&
		    instance->row.namespace_id == key->namespace_id)
			return wf_fail_in_use(err, key->key);
	}
	if (row == NULL || row->removed)
		return wf_missing_specification(err, key->key);
	row->removed = true;
	row->change = ++m->change;
	return WF_OK;
}

enum wf_rc wf_memory_remove_specification(struct wf_store *store,
    uint32_t namespace_id, uint64_t key, struct wf_error *err)
{
	struct wf_specification_row row = { .namespace_id = namespace_id,
		.key = key };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	rc = remove_specification(m, &row, err);
	return wf_memory_leave(store, true, rc, err);
}

static int compare_changes(const void *a, const void *b)
{
	const struct wf_specification_row *x =
	    *(const struct wf_specification_row *const *)a;
	const struct wf_specification_row *y =
	    *(const struct wf_specification_row *const *)b;

	return WF_COMPARE(x->change, y->change);
}

enum wf_rc wf_memory_specifications(struct wf_store *store,
    const struct wf_specification_filter *filter, struct wf_arena *arena,
    struct wf_specification_list *list_out, struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->specifications.count; i++) {
		const struct wf_specification_row *row =
		    m->specifications.rows[i];

		if ((filter->namespace_id == 0 ||
			row->namespace_id == filter->namespace_id) &&
		    row->change > filter->changed_after &&
		    (filter->removed || !row->removed))
			wf_memory_add(&found, row);
	}
	wf_memory_sort(&found, compare_changes, SIZE_MAX);
	list_out->rows = wf_memory_give(
	    &found, &wf_layout_specification, arena, &list_out->count);
	for (size_t i = 0; i < list_out->count; i++) {
		list_out->rows[i].source = (struct wf_bytes){ NULL, 0 };
		list_out->rows[i].numbering = (struct wf_bytes){ NULL, 0 };
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

/* --- records -------------------------------------------------------------- */

/* NULL: there is none, or it was removed. */
static const struct wf_record_row *find_record(
    const struct memory *m, const struct wf_record_row *key)
{
	const struct wf_record_row *row = wf_table_find(&m->records, key);

	return row == NULL || row->value.data == NULL ? NULL : row;
}

static enum wf_rc judge_records(const struct memory *m,
    const struct wf_record_row *rows, size_t count, struct wf_error *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct wf_record_row *old = find_record(m, &rows[i]);

		if (rows[i].change != 0 &&
		    rows[i].change !=
			(old == NULL ? WF_RECORD_NEW : old->change))
			return wf_fail_changed(err, &rows[i]);
	}
	return WF_OK;
}

static void put_record(struct memory *m, const struct wf_record_row *from)
{
	struct wf_record_row row = *from;

	row.change = m->change;
	if (row.value.data != NULL || find_record(m, from) != NULL)
		wf_table_put(&m->records, &row);
}

static void forget_removed(struct memory *m)
{
	uint64_t last = wf_forgotten_change(m->change);

	for (size_t i = m->records.count; i-- > 0;) {
		const struct wf_record_row *row = m->records.rows[i];

		if (row->value.data == NULL && row->change <= last)
			wf_table_remove(&m->records, row);
	}
}

enum wf_rc wf_memory_put_records(struct wf_store *store,
    const struct wf_record_row *rows, size_t count, uint64_t seen,
    uint64_t *change_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_judge_change(seen, m->change + 1, err);
	if (rc == WF_OK)
		rc = judge_records(m, rows, count, err);
	if (rc != WF_OK)
		return wf_memory_leave(store, false, rc, err);
	*change_out = ++m->change;
	for (size_t i = 0; i < count; i++)
		put_record(m, &rows[i]);
	forget_removed(m);
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_record(struct wf_store *store, uint32_t namespace_id,
    const char *kind, const char *name, struct wf_arena *arena,
    struct wf_record_row *row_out, struct wf_error *err)
{
	struct wf_record_row key = {
		.namespace_id = namespace_id, .kind = kind, .name = name
	};
	const struct wf_record_row *row;
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	row = find_record(m, &key);
	if (row == NULL)
		rc = wf_fail_record(err, kind, name);
	else
		wf_row_copy_to(&wf_layout_record, row_out, row, arena);
	return wf_memory_leave(store, false, rc, err);
}

static int compare_record_changes(const void *a, const void *b)
{
	const struct wf_record_row *x = *(const struct wf_record_row *const *)a;
	const struct wf_record_row *y = *(const struct wf_record_row *const *)b;
	int order = WF_COMPARE(x->change, y->change);

	if (order == 0)
		order = WF_COMPARE(x->namespace_id, y->namespace_id);
	return order != 0 ? order : strcmp(x->name, y->name);
}

enum wf_rc wf_memory_records(struct wf_store *store, const char *kind,
    uint64_t after, struct wf_arena *arena, struct wf_record_list *list_out,
    struct wf_error *err)
{
	struct memory_found found = { 0 };
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	list_out->change = m->change;
	list_out->whole = wf_is_far_behind(after, m->change);
	for (size_t i = 0; i < m->records.count; i++) {
		const struct wf_record_row *row = m->records.rows[i];

		if (strcmp(row->kind, kind) == 0 &&
		    (list_out->whole ? row->value.data != NULL
				     : row->change > after))
			wf_memory_add(&found, row);
	}
	if (!list_out->whole)
		wf_memory_sort(&found, compare_record_changes, SIZE_MAX);
	list_out->rows =
	    wf_memory_give(&found, &wf_layout_record, arena, &list_out->count);
	return wf_memory_leave(store, false, WF_OK, err);
}

/* --- keeping -------------------------------------------------------------- */

static void lower(uint64_t *count, uint64_t maximum)
{
	if (*count > maximum)
		*count = maximum;
}

enum wf_rc wf_memory_backlog(struct wf_store *store, uint64_t maximum,
    struct wf_store_backlog *backlog_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	*backlog_out = (struct wf_store_backlog){ .next_due = INT64_MAX,
		.oldest_message = INT64_MAX };
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->cases.count; i++) {
		const struct memory_case *row = m->cases.rows[i];

		backlog_out->live += !row->ended;
	}
	backlog_out->incidents = count_open(m);
	backlog_out->due = m->due.count;
	for (size_t i = 0; i < m->due.count; i++) {
		const struct memory_due *row = m->due.rows[i];

		if (row->visible_at < backlog_out->next_due)
			backlog_out->next_due = row->visible_at;
	}
	backlog_out->messages = m->messages.count;
	for (size_t i = 0; i < m->messages.count; i++) {
		const struct memory_message *row = m->messages.rows[i];

		if (row->row.at < backlog_out->oldest_message)
			backlog_out->oldest_message = row->row.at;
	}
	lower(&backlog_out->live, maximum);
	lower(&backlog_out->incidents, maximum);
	lower(&backlog_out->due, maximum);
	lower(&backlog_out->messages, maximum);
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_facts(struct wf_store *store,
    struct wf_store_facts *facts_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	memset(facts_out, 0, sizeof(*facts_out));
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < m->cases.count; i++) {
		const struct memory_case *row = m->cases.rows[i];

		facts_out->live += !row->ended;
		facts_out->ended += row->ended;
		facts_out->set_aside += row->row.set_aside;
	}
	facts_out->incidents = count_open(m);
	for (size_t i = 0; i < m->specifications.count; i++) {
		const struct wf_specification_row *row =
		    m->specifications.rows[i];

		facts_out->specifications += !row->removed;
	}
	return wf_memory_leave(store, false, WF_OK, err);
}

enum wf_rc wf_memory_verify(struct wf_store *store, wf_report_f report,
    void *context, struct wf_error *err)
{
	(void)store; /* only this process can have changed it */
	(void)report;
	(void)context;
	(void)err;
	return WF_OK;
}
