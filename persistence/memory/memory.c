/* SPDX-License-Identifier: Apache-2.0 */
/* The store in memory: opening, closing, and the keys of its tables. */
#include "persistence/memory/memory_priv.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Between two looks of who waits to be told, milliseconds. */
#define LOOK 10

/* All that have a name, so that a second handle finds them. */
static struct wf_lock all_lock = { ATOMIC_FLAG_INIT };
static struct memory *all;

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

/* --- tables --------------------------------------------------------------- */

static const struct wf_column name_columns[] = {
	{ "namespace_id", WF_COLUMN_U32,
	    offsetof(struct memory_name, namespace_id) },
	{ "name", WF_COLUMN_TEXT, offsetof(struct memory_name, name) },
	{ "number", WF_COLUMN_U64, offsetof(struct memory_name, number) },
};

static const struct wf_shape name_shape = { "name", sizeof(struct memory_name),
	name_columns, 3 };

/* Shapes for rows with something behind them; made once. */
static struct wf_shape case_shape, due_shape, message_shape;

static void widen(
    struct wf_shape *wide, const struct wf_shape *shape, size_t size)
{
	*wide = *shape;
	wide->size = size;
}

static void init_shapes(void)
{
	if (case_shape.size != 0)
		return;
	widen(&case_shape, &wf_shape_case, sizeof(struct memory_case));
	widen(&due_shape, &wf_shape_due, sizeof(struct memory_due));
	widen(&message_shape, &wf_shape_message, sizeof(struct memory_message));
}

static void init_table(struct wf_table *table, const struct wf_shape *shape,
    int (*compare)(const void *a, const void *b))
{
	table->shape = shape;
	table->compare = compare;
}

static void init_tables(struct memory *m)
{
	init_table(&m->cases, &case_shape, compare_cases);
	init_table(&m->snapshots, &wf_shape_value, compare_values);
	init_table(&m->names, &name_shape, compare_names);
	init_table(&m->history, &wf_shape_history, compare_history);
	init_table(&m->values, &wf_shape_value, compare_values);
	init_table(&m->items, &wf_shape_item, compare_items);
	init_table(&m->due, &due_shape, compare_due);
	init_table(&m->messages, &message_shape, compare_messages);
	init_table(&m->answers, &wf_shape_answer, compare_answers);
	init_table(&m->incidents, &wf_shape_incident, compare_incidents);
	init_table(&m->specifications, &wf_shape_specification,
	    compare_specifications);
	init_table(&m->records, &wf_shape_record, compare_records);
}

static void free_memory(struct memory *m)
{
	struct wf_table *tables[] = { &m->cases, &m->snapshots, &m->names,
		&m->history, &m->values, &m->items, &m->due, &m->messages,
		&m->answers, &m->incidents, &m->specifications, &m->records };

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		wf_table_clear(tables[i]);
	wf_free(m->stream);
	wf_latches_free(&m->latches);
	wf_free(m->name);
	wf_free(m);
}

/* --- opening and closing -------------------------------------------------- */

static struct memory *new_memory(const char *name)
{
	struct memory *m = wf_calloc(1, sizeof(*m));

	m->name = wf_strdup(name);
	m->latches = wf_latches_new();
	init_tables(m);
	/* Always the same, so that simulations reproduce. */
	memset(m->identity, '0', sizeof m->identity - 1);
	return m;
}

static struct memory *find_memory(const char *name)
{
	struct memory *m = all;

	while (m != NULL && (name[0] == '\0' || strcmp(m->name, name) != 0))
		m = m->next;
	if (m == NULL) {
		m = new_memory(name);
		m->next = all;
		all = m;
	}
	m->handles++;
	return m;
}

static void release_memory(struct memory *m)
{
	struct memory **link = &all;

	if (--m->handles > 0)
		return;
	while (*link != m)
		link = &(*link)->next;
	*link = m->next;
	free_memory(m);
}

static void memory_close(struct wf_store *store)
{
	wf_lock(&all_lock);
	release_memory(((struct memory_store *)store)->memory);
	wf_unlock(&all_lock);
	wf_free(store);
}

static const struct wf_store_ops memory_ops = {
	.close = memory_close,
	.abort = wf_memory_abort,
	.reserve = wf_memory_reserve,
	.reserve_above = wf_memory_reserve_above,
	.begin = wf_memory_begin,
	.commit = wf_memory_commit,
	.value = wf_memory_value,
	.forget_answers = wf_memory_forget_answers,
	.find = wf_memory_find,
	.stored_case = wf_memory_stored_case,
	.cases = wf_memory_cases,
	.items = wf_memory_items,
	.claim_items = wf_memory_claim_items,
	.heartbeat = wf_memory_heartbeat,
	.release = wf_memory_release,
	.expired_items = wf_memory_expired_items,
	.claim_due = wf_memory_claim_due,
	.next_due = wf_memory_next_due,
	.due_of = wf_memory_due_of,
	.claim_messages = wf_memory_claim_messages,
	.acknowledge = wf_memory_acknowledge,
	.postpone = wf_memory_postpone,
	.redirect = wf_memory_redirect,
	.history = wf_memory_history,
	.history_end = wf_memory_history_end,
	.case_history = wf_memory_case_history,
	.retire = wf_memory_retire,
	.incidents = wf_memory_incidents,
	.incident = wf_memory_incident,
	.change = wf_memory_change,
	.put_specification = wf_memory_put_specification,
	.specification = wf_memory_specification,
	.remove_specification = wf_memory_remove_specification,
	.specifications = wf_memory_specifications,
	.put_record = wf_memory_put_record,
	.record = wf_memory_record,
	.records = wf_memory_records,
	.notify = wf_memory_notify,
	.wait = wf_memory_wait,
	.backlog = wf_memory_backlog,
	.facts = wf_memory_facts,
	.verify = wf_memory_verify,
	.exports = wf_collect_case_exports,
};

/* Whether something was told since the last time. */
static bool hear(struct memory_store *handle)
{
	struct memory *m = handle->memory;
	bool told;

	wf_lock(&m->lock);
	told = handle->heard != m->told;
	handle->heard = m->told;
	wf_unlock(&m->lock);
	return told;
}

enum wf_rc wf_memory_open(struct wf_store **store_out, const char *url,
    const char *rest, unsigned flags, struct wf_error *err)
{
	struct memory_store *handle = wf_calloc(1, sizeof(*handle));

	(void)flags; /* there is nothing that could be missing or old */
	(void)err;
	wf_store_init(&handle->store, &memory_ops, url, true);
	wf_lock(&all_lock);
	init_shapes();
	handle->memory = find_memory(rest);
	handle->store.version_found = handle->memory->handles > 1;
	wf_unlock(&all_lock);
	(void)hear(handle);
	handle->store.version = 1;
	memcpy(handle->store.identity, handle->memory->identity,
	    sizeof handle->store.identity);
	*store_out = &handle->store;
	return WF_OK;
}

/* --- what all functions share --------------------------------------------- */

enum wf_rc wf_memory_enter(
    struct wf_store *store, struct memory **memory_out, struct wf_error *err)
{
	enum wf_rc rc = wf_statement(store, err);

	if (rc != WF_OK)
		return rc;
	*memory_out = ((struct memory_store *)store)->memory;
	wf_lock(&(*memory_out)->lock);
	return WF_OK;
}

enum wf_rc wf_memory_leave(
    struct wf_store *store, bool wrote, enum wf_rc rc, struct wf_error *err)
{
	wf_unlock(&((struct memory_store *)store)->memory->lock);
	return wf_statement_end(store, wrote, rc, err);
}

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

/* --- counters ------------------------------------------------------------- */

enum wf_rc wf_memory_reserve(struct wf_store *store, enum wf_counter counter,
    uint64_t count, uint64_t *first_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	*first_out = m->counters[counter] + 1;
	m->counters[counter] += count;
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_reserve_above(struct wf_store *store,
    enum wf_counter counter, uint64_t least, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	if (m->counters[counter] < least)
		m->counters[counter] = least;
	return wf_memory_leave(store, true, WF_OK, err);
}

enum wf_rc wf_memory_change(
    struct wf_store *store, uint64_t *change_out, struct wf_error *err)
{
	struct memory *m;
	enum wf_rc rc = wf_memory_enter(store, &m, err);

	if (rc != WF_OK)
		return rc;
	*change_out = m->change;
	return wf_memory_leave(store, false, WF_OK, err);
}

/* --- between nodes, which are engines of this process ----------------------
 */

enum wf_rc wf_memory_notify(struct wf_store *store, struct wf_error *err)
{
	struct memory *m = ((struct memory_store *)store)->memory;

	(void)err;
	wf_lock(&m->lock);
	m->told++;
	wf_unlock(&m->lock);
	return WF_OK;
}

/* Nobody wakes who waits, so it looks every few milliseconds. */
enum wf_rc wf_memory_wait(struct wf_store *store, int milliseconds,
    bool *told_out, struct wf_error *err)
{
	struct memory_store *handle = (struct memory_store *)store;
	const struct timespec pause = { 0, LOOK * 1000000L };

	(void)err;
	*told_out = hear(handle);
	for (; !*told_out && milliseconds > 0; milliseconds -= LOOK) {
		nanosleep(&pause, NULL);
		*told_out = hear(handle);
	}
	return WF_OK;
}
