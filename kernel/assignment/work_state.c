/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of a case that is done: of each task and participant how many items
 * have ended, and the time from their starts to their ends.
 *
 * Only cases of specifications with predicates about costs keep it.
 */
#include "kernel/assignment/assignment_state.h"

/* In the place of the number of assignments, which is smaller. */
#define WORK_FOLLOWS (UINT64_C(1) << 32)

static size_t net_number(const struct wf_task *task)
{
	const struct wf_decomposition *decomposition = task->net->decomposition;

	return (size_t)(decomposition - task->net->spec->decompositions);
}

/* The order of the rows, and of their bytes. */
static int compare(const struct work_row *row, const struct wf_task *task,
    const char *participant)
{
	size_t a = net_number(row->task);
	size_t b = net_number(task);

	if (a != b)
		return a < b ? -1 : 1;
	if (row->task->number != task->number)
		return row->task->number < task->number ? -1 : 1;
	return strcmp(row->participant, participant);
}

/* Of the row, or where it belongs. */
static uint32_t position_of(const struct case_work *work,
    const struct wf_task *task, const char *participant, bool *found_out)
{
	uint32_t low = 0;
	uint32_t high = work == NULL ? 0 : work->count;

	*found_out = false;
	while (low < high && !*found_out) {
		uint32_t middle = low + (high - low) / 2;
		int order = compare(work->rows[middle], task, participant);

		*found_out = order == 0;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return high;
}

static size_t size_of(uint32_t capacity)
{
	return sizeof(struct case_work) + capacity * sizeof(struct work_row *);
}

/* Makes room for twice as many rows. */
static void grow(struct wf_case *c)
{
	struct case_work *before = c->work;
	uint32_t capacity = before == NULL ? 2 : before->capacity * 2;
	struct case_work *larger = wf_state_alloc(c, size_of(capacity));

	larger->capacity = capacity;
	if (before != NULL) {
		wf_assert(before->count == before->capacity);
		wf_assert(capacity > before->capacity);
		larger->count = before->count;
		memcpy(larger->rows, before->rows,
		    before->count * sizeof(before->rows[0]));
		wf_state_free(c, before, size_of(before->capacity));
	}
	wf_undo_room(c->undo, 1);
	WF_CHANGE(c, c->work, larger);
}

/* Makes room for a row at that position, and a row for it. */
static struct work_row *add_row(struct wf_case *c, uint32_t at,
    const struct wf_task *task, const char *participant)
{
	size_t size = sizeof(struct work_row) + strlen(participant) + 1;
	struct work_row *row = wf_state_alloc(c, size);
	struct case_work *work;
	uint32_t behind;

	row->task = task;
	row->size = size;
	memcpy(row->participant, participant, strlen(participant) + 1);
	if (c->work == NULL || c->work->count == c->work->capacity)
		grow(c);
	work = c->work;
	/* The rows stay in their order, and each is there once. */
	wf_assert(at <= work->count);
	wf_assert(
	    at == 0 || compare(work->rows[at - 1], task, participant) < 0);
	wf_assert(at == work->count ||
		  compare(work->rows[at], task, participant) > 0);
	behind = work->count - at;
	wf_undo_words(c->undo, &work->rows[at], behind + 1);
	memmove(&work->rows[at + 1], &work->rows[at], behind * sizeof(row));
	work->rows[at] = row;
	wf_undo_room(c->undo, 1);
	WF_CHANGE(c, work->count, work->count + 1);
	return row;
}

void wf_work_add(struct wf_case *c, const struct wf_task *task,
    const char *participant, uint64_t items, int64_t ms)
{
	bool found;
	uint32_t at = position_of(c->work, task, participant, &found);
	struct work_row *row =
	    found ? c->work->rows[at] : add_row(c, at, task, participant);

	wf_assert(items > 0 && ms >= 0);
	wf_assert(row->task == task && task->kind == WF_ATOMIC_TASK);
	wf_undo_room(c->undo, 2);
	WF_CHANGE(c, row->items, row->items + items);
	WF_CHANGE(
	    c, row->ms, ms > INT64_MAX - row->ms ? INT64_MAX : row->ms + ms);
}

void wf_work_drop(struct wf_case *c)
{
	struct case_work *work = c->work;

	if (work == NULL)
		return;
	/* Not within a step, which could not bring it back. */
	wf_assert(c->undo == NULL);
	for (uint32_t i = 0; i < work->count; i++)
		wf_state_free(c, work->rows[i], work->rows[i]->size);
	wf_state_free(c, work, size_of(work->capacity));
	c->work = NULL;
}

bool wf_work_is_of(const struct wf_task *task, const struct instance *instance)
{
	return task->kind == WF_ATOMIC_TASK &&
	       (instance->status == WF_ITEM_EXECUTING ||
		   (instance->status == WF_ITEM_SUSPENDED &&
		       instance->suspended_from == WF_ITEM_EXECUTING));
}

int64_t wf_work_ms(const struct wf_case *c, const struct instance *instance)
{
	int64_t ms;

	if (__builtin_sub_overflow(c->now, instance->started_at, &ms))
		return INT64_MAX;
	return ms < 0 ? 0 : ms;
}

const char *wf_work_participant(const struct instance *instance)
{
	return instance->assignment == NULL ? ""
					    : instance->assignment->seen.holder;
}

/* --- bytes ---------------------------------------------------------------- */

void wf_work_encode(struct wf_buffer *bytes, const struct wf_case *c)
{
	if (c->work == NULL)
		return;
	wf_assert(c->work->count > 0);
	wf_put_number(bytes, WORK_FOLLOWS);
	wf_put_number(bytes, c->work->count);
	for (uint32_t i = 0; i < c->work->count; i++) {
		const struct work_row *row = c->work->rows[i];

		wf_put_number(bytes, net_number(row->task));
		wf_put_number(bytes, row->task->number);
		wf_put_string(bytes, row->participant);
		wf_put_number(bytes, row->items);
		wf_put_signed(bytes, row->ms);
	}
}

/* Of a row; NULL: there is no such task. */
static const struct wf_task *get_task(
    struct wf_reader *reader, const struct wf_spec *spec)
{
	uint32_t number = wf_get_bounded(reader, spec->decomposition_count - 1);
	uint32_t task = wf_get_bounded(reader, UINT32_MAX);
	const struct wf_net *net =
	    reader->bad ? NULL : spec->decompositions[number].net;

	return net == NULL || task >= net->task_count ||
		       net->tasks[task].kind != WF_ATOMIC_TASK
		   ? NULL
		   : &net->tasks[task];
}

/* The rows come in their order. */
static bool get_row(struct wf_reader *reader, struct wf_case *c)
{
	const struct wf_task *task = get_task(reader, c->spec);
	size_t length;
	const char *bytes = wf_get_bytes(reader, &length);
	uint64_t items = wf_get_number(reader);
	int64_t ms = wf_get_signed(reader);
	char *participant;
	bool fits = !reader->bad && task != NULL && items > 0 && ms >= 0 &&
		    memchr(bytes, '\0', length) == NULL;

	if (!fits)
		return false;
	participant = wf_strndup(bytes, length);
	fits = c->work == NULL || compare(c->work->rows[c->work->count - 1],
				      task, participant) < 0;
	if (fits)
		wf_work_add(c, task, participant, items, ms);
	wf_free(participant);
	return fits;
}

bool wf_work_decode(struct wf_reader *reader, struct wf_case *c)
{
	struct wf_reader ahead = *reader;
	uint32_t count;
	bool fits;

	if ((c->spec->asks & WF_ASKS_COSTS) == 0 || reader->next == reader->end)
		return true;
	/* A case that has no work yet, but something about people. */
	if (wf_get_number(&ahead) != WORK_FOLLOWS)
		return true;
	*reader = ahead;
	count = wf_get_bounded(reader, UINT32_MAX);
	fits = !reader->bad && count > 0;
	while (fits && count-- > 0)
		fits = get_row(reader, c);
	return fits;
}
