/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FLWOR and quantified expressions.
 *
 * for, window, let, where and count handle one tuple at a time: each clause
 * calls the next one for every tuple it makes. order by and group by need all
 * tuples: the values of the variables bound so far are saved, sorted or
 * grouped, and restored one tuple at a time for the clauses that follow.
 */
#include <math.h>
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/eval/keys.h"
#include "xquery/eval/sort.h"

/*
 * A saved tuple: the values of the variables, and the keys to sort or group by.
 */
struct tuple {
	struct wf_sequence *values; /* of all slots of the earlier clauses */
	struct wf_key *keys;
	bool joined; /* the first of a group: it owns its values */
};

struct flwor {
	struct wf_dynamic *dynamic;
	const struct wf_expr *expr;
	const struct wf_clause *clauses;
	size_t count;
	size_t stop; /* the next clause that needs all tuples, or count */
	int64_t *counters;
	struct tuple *tuples;
	size_t tuple_count;
	size_t tuple_capacity;
	/* The consumer of tuples: FLWOR ... */
	struct wf_sequence *result;
	/* ... or quantified: stops when a test gives this. */
	bool quantified;
	bool until;
	bool left;
};

static enum wf_rc run(struct flwor *flwor, size_t i);

static struct wf_sequence *slot(struct flwor *flwor, unsigned index)
{
	return &flwor->dynamic->state->slots[index];
}

/* Only this variable refers to its item, so keep() copies the item. */
static enum wf_rc bind_integer(
    struct flwor *flwor, unsigned index, int64_t number)
{
	struct wf_sequence *variable = slot(flwor, index);

	variable->count = 0;
	return wf_sequence_add_atomic(
	    flwor->dynamic, variable, wf_atomic_integer(number));
}

/* Binds $x (and $p) to the item at a position and calls the next clause. */
static enum wf_rc run_item(struct flwor *flwor, size_t i,
    const struct wf_sequence *value, size_t position)
{
	const struct wf_clause *clause = &flwor->clauses[i];

	*slot(flwor, clause->slot) = *value;
	WF_TRY(wf_type_check(
	    flwor->dynamic, clause->type, value, "the variable of \"for\""));
	if (clause->position.local != NULL)
		WF_TRY(bind_integer(
		    flwor, clause->position_slot, (int64_t)position));
	return run(flwor, i + 1);
}

static enum wf_rc run_for(struct flwor *flwor, size_t i)
{
	const struct wf_clause *clause = &flwor->clauses[i];
	const struct wf_sequence *input;
	struct wf_sequence one = { NULL, 0, 0 };
	struct wf_one own;

	WF_TRY(wf_eval_lent(
	    flwor->dynamic, flwor->expr->kids[clause->kid], &own, &input));
	if (input->count == 0 && clause->allowing_empty)
		return run_item(flwor, i, &one, 0);
	for (size_t k = 0; k < input->count && !flwor->left; k++) {
		one.items = &input->items[k];
		one.count = 1;
		one.capacity = 1;
		WF_TRY(run_item(flwor, i, &one, k + 1));
	}
	wf_one_release(flwor->dynamic, &own);
	return WF_OK;
}

/* The value of a variable, copied if a saved tuple may still refer to it. */
static void release(struct flwor *flwor, struct wf_one *own)
{
	if (flwor->stop == flwor->count)
		wf_one_release(flwor->dynamic, own);
}

static enum wf_rc run_let(struct flwor *flwor, size_t i)
{
	const struct wf_clause *clause = &flwor->clauses[i];
	struct wf_one own;
	struct wf_sequence *value = wf_one_init(&own);

	/* A variable that is not used is not evaluated, so it cannot fail. */
	if (!clause->used && clause->type == NULL)
		return run(flwor, i + 1);
	WF_TRY(wf_eval(flwor->dynamic, flwor->expr->kids[clause->kid], value));
	WF_TRY(wf_type_check(
	    flwor->dynamic, clause->type, value, "the variable of \"let\""));
	*slot(flwor, clause->slot) = *value;
	WF_TRY(run(flwor, i + 1));
	release(flwor, &own);
	return WF_OK;
}

/* ---- windows ---- */

struct found {
	struct flwor *flwor;
	size_t clause;
};

static enum wf_rc run_found(void *context, const struct wf_sequence *window)
{
	const struct found *found = context;
	struct flwor *flwor = found->flwor;
	const struct wf_clause *clause = &flwor->clauses[found->clause];

	if (flwor->left)
		return WF_OK;
	WF_TRY(wf_type_check(
	    flwor->dynamic, clause->type, window, "the variable of a window"));
	*slot(flwor, clause->slot) = *window;
	return run(flwor, found->clause + 1);
}

static enum wf_rc run_window(struct flwor *flwor, size_t i)
{
	const struct wf_clause *clause = &flwor->clauses[i];
	struct found found = { flwor, i };
	const struct wf_sequence *input;
	struct wf_one own;

	WF_TRY(wf_eval_lent(
	    flwor->dynamic, flwor->expr->kids[clause->kid], &own, &input));
	WF_TRY(wf_windows(flwor->dynamic, flwor->expr, clause->window, input,
	    run_found, &found));
	release(flwor, &own);
	return WF_OK;
}

static enum wf_rc run_where(struct flwor *flwor, size_t i)
{
	const struct wf_clause *clause = &flwor->clauses[i];
	bool holds;

	WF_TRY(wf_eval_boolean(
	    flwor->dynamic, flwor->expr->kids[clause->kid], &holds));
	return holds ? run(flwor, i + 1) : WF_OK;
}

/* ---- saving tuples ---- */

static struct wf_sequence keep(
    struct flwor *flwor, const struct wf_sequence *value)
{
	struct wf_sequence kept = *value;

	/* Items of "for" may lie in the frame of a caller that returns. */
	if (value->count == 1) {
		kept.items = wf_arena_alloc(
		    flwor->dynamic->arena, sizeof(struct wf_item));
		kept.items[0] = value->items[0];
		kept.capacity = 1;
	}
	return kept;
}

/* All slots that the clauses before "stop" bind. */
static size_t value_count(const struct flwor *flwor)
{
	size_t count = 0;

	for (size_t i = 0; i < flwor->stop; i++)
		count += flwor->clauses[i].slot_count;
	return count;
}

static void save_values(struct flwor *flwor, struct tuple *tuple)
{
	struct wf_sequence *value = wf_arena_array(flwor->dynamic->arena,
	    value_count(flwor) + 1, sizeof(struct wf_sequence));

	tuple->values = value;
	for (size_t i = 0; i < flwor->stop; i++) {
		const struct wf_clause *clause = &flwor->clauses[i];

		for (unsigned k = 0; k < clause->slot_count; k++)
			*value++ =
			    keep(flwor, slot(flwor, clause->first_slot + k));
	}
}

static void restore_values(struct flwor *flwor, const struct tuple *tuple)
{
	const struct wf_sequence *value = tuple->values;

	for (size_t i = 0; i < flwor->stop; i++) {
		const struct wf_clause *clause = &flwor->clauses[i];

		for (unsigned k = 0; k < clause->slot_count; k++)
			*slot(flwor, clause->first_slot + k) = *value++;
	}
}

/* The number of clauses in the order by or group by at "stop". */
static size_t key_count(const struct flwor *flwor)
{
	size_t i = flwor->stop + 1;

	while (i < flwor->count && flwor->clauses[i].follows)
		i++;
	return i - flwor->stop;
}

static enum wf_rc one_atomic(
    struct flwor *flwor, const struct wf_sequence *value, struct wf_key *key)
{
	if (value->count > 1)
		return wf_fail_code(flwor->dynamic->err, WF_DATA, "XPTY0004",
		    "a key of order by or group by is one value");
	key->present = value->count == 1;
	if (key->present)
		key->atomic = wf_atomize(flwor->dynamic, &value->items[0]);
	if (key->present && key->atomic.type == WF_XS_UNTYPED)
		key->atomic.type = WF_XS_STRING;
	return WF_OK;
}

static enum wf_rc save_keys(struct flwor *flwor, struct tuple *tuple)
{
	struct wf_dynamic *dynamic = flwor->dynamic;
	size_t keys = key_count(flwor);

	tuple->keys =
	    wf_arena_array(dynamic->arena, keys, sizeof(struct wf_key));
	for (size_t i = 0; i < keys; i++) {
		const struct wf_clause *clause =
		    &flwor->clauses[flwor->stop + i];
		const struct wf_sequence *value;
		struct wf_one own;

		if (clause->kid == UINT32_MAX)
			value = slot(flwor, clause->slot);
		else
			WF_TRY(wf_eval_lent(dynamic,
			    flwor->expr->kids[clause->kid], &own, &value));
		WF_TRY(wf_type_check(
		    dynamic, clause->type, value, "the variable of group by"));
		WF_TRY(one_atomic(flwor, value, &tuple->keys[i]));
		if (clause->kid != UINT32_MAX)
			wf_one_release(dynamic, &own);
	}
	return WF_OK;
}

static enum wf_rc save_tuple(struct flwor *flwor)
{
	struct tuple *tuple;

	WF_TRY(wf_spend(flwor->dynamic, 1));
	flwor->tuples = wf_arena_grow(flwor->dynamic->arena, flwor->tuples,
	    flwor->tuple_count, &flwor->tuple_capacity, sizeof(struct tuple));
	tuple = &flwor->tuples[flwor->tuple_count++];
	memset(tuple, 0, sizeof(*tuple));
	save_values(flwor, tuple);
	return save_keys(flwor, tuple);
}

/* ---- the end of a tuple ---- */

static enum wf_rc finish_tuple(struct flwor *flwor)
{
	const struct wf_expr *last = flwor->expr->kids[flwor->expr->count - 1];
	bool holds;

	if (!flwor->quantified)
		return wf_eval(flwor->dynamic, last, flwor->result);
	WF_TRY(wf_eval_boolean(flwor->dynamic, last, &holds));
	if (holds == flwor->until)
		flwor->left = true;
	return WF_OK;
}

static enum wf_rc run_clause(struct flwor *flwor, size_t i)
{
	switch (flwor->clauses[i].kind) {
	case WF_CLAUSE_FOR:
		return run_for(flwor, i);
	case WF_CLAUSE_LET:
		return run_let(flwor, i);
	case WF_CLAUSE_WHERE:
		return run_where(flwor, i);
	case WF_CLAUSE_WINDOW:
		return run_window(flwor, i);
	default:
		WF_TRY(bind_integer(
		    flwor, flwor->clauses[i].slot, ++flwor->counters[i]));
		return run(flwor, i + 1);
	}
}

static enum wf_rc run(struct flwor *flwor, size_t i)
{
	struct wf_dynamic *dynamic = flwor->dynamic;
	enum wf_rc rc;

	if (flwor->left)
		return WF_OK;
	if (i == flwor->count)
		return finish_tuple(flwor);
	if (i == flwor->stop)
		return save_tuple(flwor);
	WF_TRY(wf_enter(dynamic));
	rc = run_clause(flwor, i);
	dynamic->depth--;
	return rc;
}

/* ---- sorting ---- */

/* NaN is next to the empty sequence in the order. */
static bool is_nan(const struct wf_atomic *key)
{
	enum wf_atomic_type primitive = wf_atomic_primitive(key->type);

	return (primitive == WF_XS_DOUBLE || primitive == WF_XS_FLOAT) &&
	       isnan(key->as.number);
}

static enum wf_rc compare_key(struct flwor *flwor,
    const struct wf_clause *clause, const struct wf_key *a,
    const struct wf_key *b, int *order_out)
{
	int order = 0;

	if (a->present != b->present)
		order = a->present == clause->empty_greatest ? -1 : 1;
	else if (a->present && is_nan(&a->atomic) != is_nan(&b->atomic))
		order = is_nan(&b->atomic) == clause->empty_greatest ? -1 : 1;
	else if (a->present)
		WF_TRY(wf_atomic_order(
		    flwor->dynamic, &a->atomic, &b->atomic, &order));
	*order_out = clause->descending ? -order : order;
	return WF_OK;
}

static enum wf_rc compare_tuples(
    void *context, const void *left, const void *right, int *order_out)
{
	struct flwor *flwor = context;
	const struct tuple *a = left;
	const struct tuple *b = right;
	size_t keys = key_count(flwor);

	*order_out = 0;
	for (size_t i = 0; i < keys && *order_out == 0; i++)
		WF_TRY(compare_key(flwor, &flwor->clauses[flwor->stop + i],
		    &a->keys[i], &b->keys[i], order_out));
	return WF_OK;
}

static enum wf_rc sort_tuples(struct flwor *flwor)
{
	return wf_sort(flwor->dynamic, flwor->tuples, flwor->tuple_count,
	    sizeof(struct tuple), compare_tuples, flwor);
}

/* ---- grouping ---- */

static enum wf_rc join_group(
    struct flwor *flwor, struct tuple *first, const struct tuple *more)
{
	size_t count = value_count(flwor);

	for (size_t i = 0; i < count; i++) {
		struct wf_sequence own = { NULL, 0, 0 };

		if (!first->joined) {
			WF_TRY(wf_sequence_add_all(
			    flwor->dynamic, &own, &first->values[i]));
			first->values[i] = own;
		}
		WF_TRY(wf_sequence_add_all(
		    flwor->dynamic, &first->values[i], &more->values[i]));
	}
	first->joined = true;
	return WF_OK;
}

static enum wf_rc group_tuples(struct flwor *flwor)
{
	struct wf_keys keys = { .width = key_count(flwor) };

	for (size_t i = 0; i < flwor->tuple_count; i++) {
		struct tuple *tuple = &flwor->tuples[i];
		size_t group;
		bool added;

		WF_TRY(wf_keys_add(
		    flwor->dynamic, &keys, tuple->keys, &group, &added));
		if (added)
			flwor->tuples[group] = *tuple;
		else
			WF_TRY(join_group(flwor, &flwor->tuples[group], tuple));
	}
	flwor->tuple_count = keys.count;
	return WF_OK;
}

static enum wf_rc bind_keys(struct flwor *flwor, const struct tuple *tuple)
{
	size_t keys = key_count(flwor);

	for (size_t i = 0; i < keys; i++) {
		struct wf_sequence *variable =
		    slot(flwor, flwor->clauses[flwor->stop + i].slot);

		memset(variable, 0, sizeof(*variable));
		if (tuple->keys[i].present)
			WF_TRY(wf_sequence_add_atomic(
			    flwor->dynamic, variable, tuple->keys[i].atomic));
	}
	return WF_OK;
}

/* ---- segments between clauses that need all tuples ---- */

static size_t next_stop(const struct flwor *flwor, size_t from)
{
	while (from < flwor->count &&
	       flwor->clauses[from].kind != WF_CLAUSE_ORDER &&
	       flwor->clauses[from].kind != WF_CLAUSE_GROUP)
		from++;
	return from;
}

/* Passes the saved tuples to the clauses after "stop". */
static enum wf_rc run_tuples(struct flwor *flwor)
{
	bool group = flwor->clauses[flwor->stop].kind == WF_CLAUSE_GROUP;
	size_t before = flwor->stop;
	size_t start = flwor->stop + key_count(flwor);
	size_t stop = next_stop(flwor, start);
	struct tuple *tuples = flwor->tuples;
	size_t count = flwor->tuple_count;

	flwor->tuples = NULL;
	flwor->tuple_count = 0;
	flwor->tuple_capacity = 0;
	for (size_t i = 0; i < count; i++) {
		flwor->stop = before;
		restore_values(flwor, &tuples[i]);
		if (group)
			WF_TRY(bind_keys(flwor, &tuples[i]));
		flwor->stop = stop;
		WF_TRY(run(flwor, start));
	}
	flwor->stop = stop;
	return WF_OK;
}

static enum wf_rc run_all(struct flwor *flwor)
{
	flwor->stop = next_stop(flwor, 0);
	WF_TRY(run(flwor, 0));
	while (flwor->stop < flwor->count) {
		if (flwor->clauses[flwor->stop].kind == WF_CLAUSE_ORDER)
			WF_TRY(sort_tuples(flwor));
		else
			WF_TRY(group_tuples(flwor));
		WF_TRY(run_tuples(flwor));
	}
	return WF_OK;
}

static void init(struct flwor *flwor, struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	memset(flwor, 0, sizeof(*flwor));
	flwor->dynamic = dynamic;
	flwor->expr = expr;
	flwor->clauses = expr->u.flwor->clauses;
	flwor->count = expr->u.flwor->count;
	flwor->result = result;
}

enum wf_rc wf_eval_flwor(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	struct flwor flwor;

	init(&flwor, dynamic, expr, result);
	for (size_t i = 0; i < flwor.count && flwor.counters == NULL; i++) {
		if (flwor.clauses[i].kind == WF_CLAUSE_COUNT)
			flwor.counters = wf_arena_array(
			    dynamic->arena, flwor.count, sizeof(int64_t));
	}
	return run_all(&flwor);
}

enum wf_rc wf_eval_quantified(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	bool every = expr->u.flwor->every;
	struct flwor flwor;

	init(&flwor, dynamic, expr, NULL);
	flwor.quantified = true;
	flwor.until = !every;
	WF_TRY(run_all(&flwor));
	return wf_sequence_add_atomic(
	    dynamic, result, wf_atomic_boolean(flwor.left != every));
}
