/* SPDX-License-Identifier: Apache-2.0 */
/* Nets for the tests of OR-joins; see the header. */
#include "tests/unit/or_join_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/memory.h"

/* --- Nets --- */

static uint32_t find_id(const struct model *m, const char *id, size_t length)
{
	uint32_t count = m->net.condition_count + m->net.task_count;

	for (uint32_t i = 0; i < count; i++) {
		const char *other =
		    i < m->net.condition_count
			? m->conditions[i].id
			: m->tasks[i - m->net.condition_count].id;

		if (strlen(other) == length && memcmp(other, id, length) == 0)
			return i;
	}
	fprintf(stderr, "no element %.*s\n", (int)length, id);
	abort();
}

/* The next word of a list, as the number of an element; false at the end. */
static bool next_element(
    const struct model *m, const char **at, uint32_t *number_out)
{
	size_t length;

	*at += strspn(*at, " ");
	length = strcspn(*at, " ");
	if (length == 0)
		return false;
	*number_out = find_id(m, *at, length);
	*at += length;
	return true;
}

static int by_number(const void *a, const void *b)
{
	return (int)*(const uint32_t *)a - (int)*(const uint32_t *)b;
}

static uint32_t read_conditions(
    const struct model *m, const char *list, uint32_t *numbers)
{
	uint32_t count = 0;

	while (next_element(m, &list, &numbers[count]))
		count++;
	qsort(numbers, count, sizeof(*numbers), by_number);
	return count;
}

static void start_model(struct model *m)
{
	memset(m, 0, sizeof(*m));
	m->net.conditions = m->conditions;
	m->net.tasks = m->tasks;
}

static struct wf_task *add_task(struct model *m, const char *id)
{
	uint32_t number = m->net.task_count++;
	struct wf_task *task = &m->tasks[number];

	task->kind = WF_ATOMIC_TASK;
	task->net = &m->net;
	task->id = id;
	task->number = number;
	task->preset = m->inputs[number];
	task->postset = m->outputs[number];
	task->cancelled_conditions = m->cancelled_conditions[number];
	task->cancelled_tasks = m->cancelled_tasks[number];
	return task;
}

static void add_condition(struct model *m, const char *id)
{
	uint32_t number = m->net.condition_count++;

	m->conditions[number].id = id;
	m->conditions[number].number = number;
}

static void cancel_element(
    struct model *m, struct wf_task *task, uint32_t element)
{
	uint32_t task_number = task->number;

	if (element < m->net.condition_count)
		m->cancelled_conditions[task_number]
				       [task->cancelled_condition_count++] =
		    element;
	else
		m->cancelled_tasks[task_number][task->cancelled_task_count++] =
		    element - m->net.condition_count;
}

void model_make(struct model *m, const char *conditions,
    const struct task_row *rows, uint32_t count)
{
	start_model(m);
	for (const char *at = conditions; *at != '\0';) {
		size_t length = strcspn(at, " ");
		char *id = m->ids[m->net.condition_count];

		memcpy(id, at, length);
		add_condition(m, id);
		at += length + (at[length] != '\0');
	}
	for (uint32_t i = 0; i < count; i++)
		add_task(m, rows[i].id);
	for (uint32_t i = 0; i < count; i++) {
		struct wf_task *task = &m->tasks[i];
		const char *cancels =
		    rows[i].cancels == NULL ? "" : rows[i].cancels;
		uint32_t element;

		task->join = rows[i].join;
		task->split = rows[i].split;
		task->preset_count =
		    read_conditions(m, rows[i].inputs, m->inputs[i]);
		task->postset_count =
		    read_conditions(m, rows[i].outputs, m->outputs[i]);
		while (next_element(m, &cancels, &element))
			cancel_element(m, task, element);
	}
}

void model_mark(struct model *m, const char *join, const char *marking)
{
	uint32_t element;

	memset(m->tokens, 0, sizeof(m->tokens));
	m->busy[0] = 0;
	m->join = find_id(m, join, strlen(join)) - m->net.condition_count;
	while (next_element(m, &marking, &element)) {
		if (element < m->net.condition_count)
			m->tokens[element]++;
		else
			wf_bitset_add(
			    m->busy, element - m->net.condition_count);
	}
}

/* --- Random nets --- */

static uint32_t pick(struct wf_random *random, uint32_t low, uint32_t high)
{
	return low + wf_random_below(random, high - low + 1);
}

/* Up to count different numbers from low to high, ascending. */
static uint32_t pick_some(struct wf_random *random, uint32_t count,
    uint32_t low, uint32_t high, uint32_t *numbers)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = pick(random, low, high);
		bool known = false;

		for (uint32_t k = 0; k < found; k++)
			known = known || numbers[k] == number;
		if (!known)
			numbers[found++] = number;
	}
	qsort(numbers, found, sizeof(*numbers), by_number);
	return found;
}

static enum wf_control pick_control(struct wf_random *random)
{
	return (enum wf_control)wf_random_below(random, 3);
}

/* Conditions are in the order of the flow, so that without loops it ends. */
static void make_task(struct model *m, struct wf_random *random,
    struct wf_task *task, unsigned flavour)
{
	uint32_t last = m->net.condition_count - 1;
	uint32_t middle = pick(random, 1, last);
	uint32_t n = task->number;
	bool back =
	    (flavour & WITH_LOOPS) != 0 && wf_random_below(random, 3) == 0;

	task->join = pick_control(random);
	task->split = pick_control(random);
	task->preset_count =
	    pick_some(random, pick(random, 1, 3), 0, middle - 1, m->inputs[n]);
	task->postset_count = pick_some(
	    random, pick(random, 1, 3), back ? 1 : middle, last, m->outputs[n]);
	if ((flavour & WITH_CANCELLATION) == 0 ||
	    wf_random_below(random, 2) == 0)
		return;
	task->cancelled_condition_count = pick_some(
	    random, pick(random, 0, 3), 0, last, m->cancelled_conditions[n]);
	task->cancelled_task_count = pick_some(random, pick(random, 0, 2), 0,
	    m->net.task_count - 1, m->cancelled_tasks[n]);
}

static void make_join(
    struct model *m, struct wf_random *random, struct wf_task *task)
{
	uint32_t last = m->net.condition_count - 1;
	uint32_t low = pick(random, 0, last / 2);

	do {
		task->preset_count = pick_some(random, pick(random, 2, 4), low,
		    last - 1, m->inputs[task->number]);
	} while (task->preset_count < 2);
	task->join = WF_OR;
}

bool model_random(struct model *m, struct wf_random *random, unsigned flavour)
{
	uint32_t tasks = pick(random, 4, 12);
	uint32_t conditions =
	    pick(random, tasks > 5 ? tasks - 2 : 4, tasks + 4);

	start_model(m);
	for (uint32_t i = 0; i < conditions; i++) {
		snprintf(m->ids[i], sizeof(m->ids[i]), "c%02u", i);
		add_condition(m, m->ids[i]);
	}
	m->net.output_condition = conditions - 1;
	for (uint32_t i = 0; i < tasks; i++) {
		char *id = m->ids[CONDITIONS + i];

		snprintf(id, sizeof(m->ids[0]), "t%02u", i);
		add_task(m, id);
	}
	for (uint32_t i = 0; i < tasks; i++)
		make_task(m, random, &m->tasks[i], flavour);
	m->join = wf_random_below(random, tasks);
	make_join(m, random, &m->tasks[m->join]);
	if ((flavour & WITH_TWO_JOINS) != 0)
		make_join(m, random, &m->tasks[(m->join + 1) % tasks]);
	return model_remark(m, random);
}

bool model_remark(struct model *m, struct wf_random *random)
{
	const struct wf_task *task = &m->tasks[m->join];
	uint32_t marked = 0;

	memset(m->tokens, 0, sizeof(m->tokens));
	m->busy[0] = 0;
	for (uint32_t i = pick(random, 1, 4); i > 0; i--)
		m->tokens[wf_random_below(random, m->net.condition_count)]++;
	for (uint32_t i = wf_random_below(random, 3); i > 0; i--)
		wf_bitset_add(
		    m->busy, wf_random_below(random, m->net.task_count));
	wf_bitset_remove(m->busy, m->join);
	m->tokens[task->preset[wf_random_below(random, task->preset_count)]]++;
	for (uint32_t i = 0; i < task->preset_count; i++)
		marked += m->tokens[task->preset[i]] != 0;
	return marked < task->preset_count;
}

/* --- The meaning of an OR-join -------------------------------------------- */

/* A marking of the simplified net: conditions, then tasks. */
struct state {
	uint8_t count[PLACES];
};

static struct state state_of(const struct model *m)
{
	struct state s = { { 0 } };

	for (uint32_t i = 0; i < m->net.condition_count; i++)
		s.count[i] = (uint8_t)m->tokens[i];
	for (uint32_t i = 0; i < m->net.task_count; i++)
		s.count[CONDITIONS + i] = wf_bitset_has(m->busy, i);
	return s;
}

/* What a step does: how many tokens it takes, empties and puts. */
struct effect {
	uint8_t takes[PLACES];
	bool empties[PLACES];
	uint8_t puts[PLACES];
};

/*
 * The step-th way in which a task can start or end; false when there are no
 * more.  An OR-split has one for each set of outputs.
 */
static bool start_effect(
    const struct wf_task *task, uint32_t step, struct effect *e)
{
	memset(e, 0, sizeof(*e));
	if (step >= (task->join == WF_AND ? 1 : task->preset_count))
		return false;
	for (uint32_t i = 0; i < task->preset_count; i++)
		e->takes[task->preset[i]] = task->join == WF_AND || i == step;
	e->puts[CONDITIONS + task->number] = 1;
	return true;
}

static bool end_effect(
    const struct wf_task *task, uint32_t step, struct effect *e)
{
	uint32_t sets = (1U << task->postset_count) - 1;

	memset(e, 0, sizeof(*e));
	if (step >= (task->split == WF_AND	? 1
			: task->split == WF_XOR ? task->postset_count
						: sets))
		return false;
	for (uint32_t i = 0; i < task->postset_count; i++)
		e->puts[task->postset[i]] =
		    task->split == WF_AND ||
		    (task->split == WF_XOR ? i == step : (step + 1) >> i & 1);
	for (uint32_t i = 0; i < task->cancelled_condition_count; i++)
		e->empties[task->cancelled_conditions[i]] = true;
	for (uint32_t i = 0; i < task->cancelled_task_count; i++)
		e->empties[CONDITIONS + task->cancelled_tasks[i]] = true;
	e->takes[CONDITIONS + task->number] = 1;
	return true;
}

/* All steps of all tasks but the join, one after the other. */
struct steps {
	uint32_t task;
	uint32_t step;
	bool ends;
};

static bool next_effect(
    const struct model *m, struct steps *at, struct effect *e)
{
	while (at->task < m->net.task_count) {
		const struct wf_task *task = &m->tasks[at->task];

		if (at->task != m->join &&
		    (at->ends ? end_effect(task, at->step, e)
			      : start_effect(task, at->step, e))) {
			at->step++;
			return true;
		}
		at->step = 0;
		if (at->ends)
			at->task++;
		at->ends = !at->ends;
	}
	return false;
}

static bool apply(const struct state *from, const struct effect *e,
    struct state *to, uint8_t maximum)
{
	bool small = true;

	for (uint32_t i = 0; i < PLACES; i++) {
		if (from->count[i] < e->takes[i])
			return false;
		to->count[i] =
		    e->empties[i] ? 0 : (uint8_t)(from->count[i] - e->takes[i]);
		to->count[i] = (uint8_t)(to->count[i] + e->puts[i]);
		small = small && to->count[i] <= maximum;
	}
	return small;
}

static bool has_more_inputs(
    const struct model *m, const struct state *start, const struct state *s)
{
	const struct wf_task *task = &m->tasks[m->join];
	bool more = false;

	for (uint32_t i = 0; i < task->preset_count; i++) {
		uint32_t c = task->preset[i];

		if (start->count[c] != 0 && s->count[c] == 0)
			return false;
		more = more || (start->count[c] == 0 && s->count[c] != 0);
	}
	return more;
}

struct seen {
	struct state *states;
	uint32_t count;
	uint32_t *table; /* number + 1 */
	uint32_t mask;
};

static bool see(struct seen *seen, const struct state *s)
{
	uint64_t hash = 0;
	uint32_t slot;

	for (uint32_t i = 0; i < PLACES; i++)
		hash = (hash ^ s->count[i]) * UINT64_C(1099511628211);
	slot = (uint32_t)(hash >> 20) & seen->mask;
	while (seen->table[slot] != 0) {
		if (memcmp(&seen->states[seen->table[slot] - 1], s,
			sizeof(*s)) == 0)
			return false;
		slot = (slot + 1) & seen->mask;
	}
	seen->states[seen->count] = *s;
	seen->table[slot] = ++seen->count;
	return true;
}

enum truth model_forward(const struct model *m, uint32_t limit)
{
	struct state start = state_of(m);
	struct seen seen = { .mask = 1 };
	enum truth truth = TRUTH_ENABLED;

	while (seen.mask < 2 * limit)
		seen.mask = seen.mask * 2 + 1;
	seen.table = wf_calloc(seen.mask + 1, sizeof(*seen.table));
	seen.states = wf_calloc(limit + 1, sizeof(*seen.states));
	see(&seen, &start);
	for (uint32_t i = 0; i < seen.count && truth != TRUTH_WAIT; i++) {
		struct steps at = { 0, 0, false };
		struct effect e;

		if (has_more_inputs(m, &start, &seen.states[i]))
			truth = TRUTH_WAIT;
		while (truth != TRUTH_WAIT && next_effect(m, &at, &e)) {
			const struct state from = seen.states[i];
			struct state to;

			for (uint32_t p = 0; p < PLACES; p++)
				if (from.count[p] > 100)
					truth = TRUTH_UNKNOWN;
			if (!apply(&from, &e, &to, 101))
				continue;
			if (seen.count == limit)
				truth = TRUTH_UNKNOWN;
			else
				see(&seen, &to);
		}
	}
	wf_free(seen.table);
	wf_free(seen.states);
	return truth;
}

/* --- Backward search ------------------------------------------------------ */

static bool at_most(const struct state *a, const struct state *b)
{
	for (uint32_t i = 0; i < PLACES; i++)
		if (a->count[i] > b->count[i])
			return false;
	return true;
}

static bool undo(
    const struct state *after, const struct effect *e, struct state *before)
{
	for (uint32_t i = 0; i < PLACES; i++) {
		uint8_t rest = after->count[i] > e->puts[i]
				   ? (uint8_t)(after->count[i] - e->puts[i])
				   : 0;

		if (e->empties[i] && rest > 0)
			return false;
		before->count[i] = (uint8_t)(rest + e->takes[i]);
		if (before->count[i] > 100)
			return false;
	}
	return true;
}

struct basis {
	struct state *states;
	uint32_t count;
	uint32_t limit;
};

static bool basis_add(struct basis *basis, const struct state *s)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < basis->count; i++)
		if (at_most(&basis->states[i], s))
			return false;
	for (uint32_t i = 0; i < basis->count; i++)
		if (!at_most(s, &basis->states[i]))
			basis->states[kept++] = basis->states[i];
	basis->count = kept;
	if (basis->count < basis->limit)
		basis->states[basis->count++] = *s;
	return true;
}

static void basis_start(
    const struct model *m, const struct state *start, struct basis *basis)
{
	const struct wf_task *task = &m->tasks[m->join];

	for (uint32_t i = 0; i < task->preset_count; i++) {
		struct state s = { { 0 } };

		if (start->count[task->preset[i]] != 0)
			continue;
		for (uint32_t k = 0; k < task->preset_count; k++)
			s.count[task->preset[k]] =
			    k == i || start->count[task->preset[k]] != 0;
		basis_add(basis, &s);
	}
}

enum truth model_backward(const struct model *m, uint32_t limit)
{
	struct state start = state_of(m);
	struct basis basis = { .limit = limit };
	enum truth truth = TRUTH_ENABLED;
	bool again = true;

	basis.states = wf_calloc(limit, sizeof(*basis.states));
	basis_start(m, &start, &basis);
	while (again && basis.count < limit) {
		struct steps at = { 0, 0, false };
		struct effect e;

		again = false;
		while (next_effect(m, &at, &e))
			for (uint32_t i = 0; i < basis.count; i++) {
				struct state before;

				if (undo(&basis.states[i], &e, &before) &&
				    basis_add(&basis, &before))
					again = true;
			}
	}
	if (basis.count == limit)
		truth = TRUTH_UNKNOWN;
	for (uint32_t i = 0; i < basis.count; i++)
		if (at_most(&basis.states[i], &start))
			truth = TRUTH_WAIT;
	wf_free(basis.states);
	return truth;
}

/* --- Steps --- */

static bool same_step(const struct model *m, const struct wf_or_step *step,
    const struct steps *at, const struct effect *e)
{
	uint8_t wanted[CONDITIONS] = { 0 };
	const uint8_t *there = step->ends ? e->puts : e->takes;

	if (at->task != step->task || at->ends != step->ends)
		return false;
	for (uint32_t i = 0; i < step->count; i++)
		wanted[step->conditions[i]] = 1;
	return memcmp(wanted, there, m->net.condition_count) == 0;
}

static bool replay_step(
    const struct model *m, const struct wf_or_step *step, struct state *s)
{
	struct steps at = { 0, 0, false };
	struct effect e;
	struct state to;

	while (next_effect(m, &at, &e))
		if (same_step(m, step, &at, &e) && apply(s, &e, &to, 255)) {
			*s = to;
			return true;
		}
	return false;
}

bool model_replays(const struct model *m, const struct wf_or_witness *w)
{
	struct state start = state_of(m);
	struct state s = start;

	for (uint32_t i = 0; i < w->count; i++)
		if (!replay_step(m, &w->steps[i], &s))
			return false;
	return has_more_inputs(m, &start, &s) && s.count[w->input] != 0 &&
	       start.count[w->input] == 0;
}

bool model_step(struct model *m, struct wf_random *random)
{
	struct state s = state_of(m);
	struct steps at = { 0, 0, false };
	struct state chosen;
	struct state to;
	struct effect e;
	uint32_t ways = 0;

	while (next_effect(m, &at, &e)) {
		bool once = apply(&s, &e, &to, 50);

		/* In a model a task is busy or not. */
		for (uint32_t i = 0; i < m->net.task_count; i++)
			once = once && to.count[CONDITIONS + i] <= 1;
		if (once && wf_random_below(random, ++ways) == 0)
			chosen = to;
	}
	if (ways == 0)
		return false;
	m->busy[0] = 0;
	for (uint32_t i = 0; i < m->net.condition_count; i++)
		m->tokens[i] = chosen.count[i];
	for (uint32_t i = 0; i < m->net.task_count; i++)
		wf_bitset_put(m->busy, i, chosen.count[CONDITIONS + i] != 0);
	return true;
}
