/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subvariants by elimination (Farkas).
 *
 * A row is a weighted sum of places with its change by each transition.  It
 * starts with one row per place.  For each transition, rows that it increases
 * are replaced by their combinations with rows that it decreases, so that no
 * transition increases the remaining rows.  Dropping rows when there are too
 * many loses bounds, but the bounds that remain are correct.
 */
#include "petri/invariant.h"

#include <string.h>

#include "petri/relax.h"

#define ROWS_MAXIMUM 600U
#define CELLS_MAXIMUM (UINT64_C(1) << 23)
#define VALUE_MAXIMUM (INT64_C(1) << 24)
#define WORK_MAXIMUM 20000000U

struct row {
	int64_t *change; /* per relevant transition */
	int64_t *weight; /* per relevant place */
	uint32_t support;
};

struct table {
	struct wf_arena *arena;
	const uint32_t *places; /* the relevant places */
	uint32_t place_count;
	uint32_t transition_count;
	struct row *rows;
	uint32_t row_count;
	struct row *free_rows;
	uint32_t free_count;
	bool *done;    /* per transition: no row increases by it */
	uint64_t work; /* cells read */
};

static int64_t greatest_divisor(int64_t a, int64_t b)
{
	while (b != 0) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

static struct row take_row(struct table *table)
{
	struct row row = { NULL, NULL, 0 };

	if (table->free_count > 0)
		return table->free_rows[--table->free_count];
	row.change = wf_arena_array(
	    table->arena, table->transition_count + 1, sizeof(int64_t));
	row.weight = wf_arena_array(
	    table->arena, table->place_count + 1, sizeof(int64_t));
	return row;
}

static void give_row(struct table *table, struct row row)
{
	table->free_rows[table->free_count++] = row;
}

static int64_t scale_cells(int64_t *cells, const int64_t *a, int64_t by_a,
    const int64_t *b, int64_t by_b, uint32_t count, int64_t divisor)
{
	for (uint32_t i = 0; i < count; i++) {
		cells[i] = a[i] * by_a + b[i] * by_b;
		divisor = greatest_divisor(divisor, cells[i]);
	}
	return divisor;
}

static bool divide_cells(int64_t *cells, uint32_t count, int64_t divisor)
{
	bool small = true;

	for (uint32_t i = 0; i < count; i++) {
		cells[i] /= divisor;
		small &= cells[i] < VALUE_MAXIMUM && cells[i] > -VALUE_MAXIMUM;
	}
	return small;
}

/* The sum of two rows that transition t does not change; false: too large. */
static bool combine(struct table *table, struct row *sum, const struct row *up,
    const struct row *down, uint32_t t)
{
	int64_t by_up = -down->change[t];
	int64_t by_down = up->change[t];
	int64_t divisor;

	table->work += 2 * (table->place_count + table->transition_count);
	divisor = scale_cells(sum->weight, up->weight, by_up, down->weight,
	    by_down, table->place_count, 0);
	divisor = scale_cells(sum->change, up->change, by_up, down->change,
	    by_down, table->transition_count, divisor);
	sum->support = 0;
	for (uint32_t i = 0; i < table->place_count; i++)
		sum->support += sum->weight[i] != 0;
	if (divisor == 0)
		return false;
	return divide_cells(sum->weight, table->place_count, divisor) &
	       divide_cells(sum->change, table->transition_count, divisor);
}

/*
 * Whether another row uses a subset of the places of this row, and of its
 * eliminated transitions that decrease it.
 */
static bool is_redundant(struct table *table, const struct row *row)
{
	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct row *other = &table->rows[i];
		bool within = other->support <= row->support;

		table->work += 1;
		if (!within)
			continue;
		table->work += table->place_count;
		for (uint32_t p = 0; within && p < table->place_count; p++)
			within = other->weight[p] == 0 || row->weight[p] != 0;
		for (uint32_t t = 0; within && t < table->transition_count; t++)
			within = !table->done[t] || other->change[t] == 0 ||
				 row->change[t] != 0;
		if (within)
			return true;
	}
	return false;
}

static void eliminate(struct table *table, uint32_t t)
{
	struct row up[ROWS_MAXIMUM];
	uint32_t up_count = 0;
	uint32_t kept = 0;
	uint32_t old;

	for (uint32_t i = 0; i < table->row_count; i++) {
		if (table->rows[i].change[t] > 0)
			up[up_count++] = table->rows[i];
		else
			table->rows[kept++] = table->rows[i];
	}
	table->row_count = kept;
	old = kept;
	for (uint32_t i = 0; i < up_count; i++)
		for (uint32_t k = 0; k < old; k++) {
			struct row sum;

			if (table->rows[k].change[t] >= 0 ||
			    table->row_count + up_count >= ROWS_MAXIMUM)
				continue;
			sum = take_row(table);
			if (combine(table, &sum, &up[i], &table->rows[k], t) &&
			    !is_redundant(table, &sum))
				table->rows[table->row_count++] = sum;
			else
				give_row(table, sum);
		}
	for (uint32_t i = 0; i < up_count; i++)
		give_row(table, up[i]);
}

/* The transition whose elimination makes the fewest rows, or WF_NONE. */
static uint32_t next_transition(struct table *table)
{
	uint64_t best = UINT64_MAX;
	uint32_t found = WF_NONE;

	for (uint32_t t = 0; t < table->transition_count; t++) {
		uint64_t up = 0;
		uint64_t down = 0;

		table->work += table->done[t] ? 1 : table->row_count;

		for (uint32_t i = 0; !table->done[t] && i < table->row_count;
		     i++) {
			up += table->rows[i].change[t] > 0;
			down += table->rows[i].change[t] < 0;
		}
		if (!table->done[t] && up * down < best) {
			best = up * down;
			found = t;
		}
	}
	return found;
}

static void eliminate_all(struct table *table)
{
	uint32_t t;

	table->done = wf_arena_array(
	    table->arena, table->transition_count + 1, sizeof(bool));
	while (table->work < WORK_MAXIMUM &&
	       (t = next_transition(table)) != WF_NONE) {
		table->done[t] = true;
		eliminate(table, t);
	}
}

/* One row per place; columns are the transitions that may ever fire. */
static void fill_table(
    struct table *table, const struct wf_petri *net, const uint32_t *columns)
{
	uint32_t *rows =
	    wf_arena_array(table->arena, net->place_count + 1, sizeof(*rows));

	for (uint32_t i = 0; i < table->place_count; i++) {
		struct row *row = &table->rows[table->row_count++];

		*row = take_row(table);
		row->weight[i] = 1;
		row->support = 1;
		rows[table->places[i]] = i + 1;
	}
	for (uint32_t i = 0; i < table->transition_count; i++) {
		const struct wf_transition *t = &net->transitions[columns[i]];

		for (uint32_t k = 0; k < t->input_count; k++) {
			uint32_t row = rows[t->inputs[k].place];

			if (row != 0)
				table->rows[row - 1].change[i] -=
				    t->inputs[k].weight;
		}
		for (uint32_t k = 0; k < t->output_count; k++) {
			uint32_t row = rows[t->outputs[k].place];

			if (row != 0)
				table->rows[row - 1].change[i] +=
				    t->outputs[k].weight;
		}
	}
}

/* Elimination may have been abandoned; then some rows are no subvariants. */
static bool is_subvariant(const struct table *table, const struct row *row)
{
	for (uint32_t t = 0; t < table->transition_count; t++)
		if (row->change[t] > 0)
			return false;
	return true;
}

static void make_subvariants(struct wf_pruning *pruning,
    const struct table *table, const uint32_t *tokens)
{
	struct wf_subvariant *all =
	    wf_arena_array(pruning->arena, table->row_count + 1, sizeof(*all));
	uint32_t count = 0;

	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct row *row = &table->rows[i];
		struct wf_subvariant *y = &all[count];

		if (!is_subvariant(table, row))
			continue;
		count++;
		y->arcs = wf_arena_array(
		    pruning->arena, row->support + 1, sizeof(*y->arcs));
		for (uint32_t p = 0; p < table->place_count; p++) {
			if (row->weight[p] == 0)
				continue;
			y->arcs[y->count++] = (struct wf_arc){ table->places[p],
				(uint32_t)row->weight[p] };
			y->bound +=
			    (uint64_t)row->weight[p] * tokens[table->places[p]];
		}
	}
	pruning->from.subvariants = all;
	pruning->from.subvariant_count = count;
}

static bool may_fire(const struct wf_transition *t, const uint32_t *ceilings)
{
	return wf_arcs_below(t->inputs, t->input_count, ceilings);
}

static void find_subvariants(struct wf_pruning *pruning,
    const struct wf_petri *net, const uint32_t *tokens,
    const uint32_t *ceilings)
{
	struct table table = { .arena = wf_arena_new() };
	uint32_t *places =
	    wf_arena_array(table.arena, net->place_count + 1, sizeof(uint32_t));
	uint32_t *columns = wf_arena_array(
	    table.arena, net->transition_count + 1, sizeof(uint32_t));

	/* A sum over a place with arbitrarily many tokens gives no bound. */
	for (uint32_t i = 0; i < net->place_count; i++)
		if (tokens[i] != WF_MANY && ceilings[i] != 0)
			places[table.place_count++] = i;
	for (uint32_t i = 0; i < net->transition_count; i++)
		if (may_fire(&net->transitions[i], ceilings))
			columns[table.transition_count++] = i;
	table.places = places;
	if (table.place_count <= ROWS_MAXIMUM &&
	    (uint64_t)ROWS_MAXIMUM *
		    (table.place_count + table.transition_count) <
		CELLS_MAXIMUM) {
		table.rows = wf_arena_array(
		    table.arena, ROWS_MAXIMUM, sizeof(*table.rows));
		table.free_rows = wf_arena_array(
		    table.arena, 2 * ROWS_MAXIMUM, sizeof(*table.free_rows));
		fill_table(&table, net, columns);
		eliminate_all(&table);
		make_subvariants(pruning, &table, tokens);
	}
	wf_arena_free(&table.arena);
}

void wf_pruning_init(struct wf_pruning *pruning, const struct wf_petri *net,
    const uint32_t *tokens)
{
	struct wf_adjacency adjacency;
	struct wf_relax relax;
	uint32_t *ceilings;

	*pruning = (struct wf_pruning){ .arena = wf_arena_new() };
	ceilings = wf_arena_array(
	    pruning->arena, net->place_count + 1, sizeof(*ceilings));
	wf_adjacency_init(&adjacency, net);
	wf_relax_init(&relax, net, &adjacency);
	wf_relax_run(&relax, tokens);
	for (uint32_t i = 0; i < net->place_count; i++)
		ceilings[i] =
		    relax.cost[i] == WF_UNREACHABLE ? tokens[i] : WF_MANY;
	wf_relax_free(&relax);
	wf_adjacency_free(&adjacency);
	pruning->from.tokens = tokens;
	pruning->from.ceilings = ceilings;
	find_subvariants(pruning, net, tokens, ceilings);
}

void wf_pruning_free(struct wf_pruning *pruning)
{
	wf_arena_free(&pruning->arena);
}
