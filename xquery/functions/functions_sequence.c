/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in functions on sequences, aggregates included. */
#include <math.h>
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/eval/keys.h"
#include "xquery/eval/sort.h"
#include "xquery/functions/functions.h"
#include "xquery/functions/functions_priv.h"
#include "xquery/tree/node.h"

#define FUNCTION(name)                                                         \
	static enum wf_rc name(struct wf_dynamic *dynamic,                     \
	    const struct wf_sequence *arguments, size_t count,                 \
	    struct wf_sequence *result)

FUNCTION(fn_boolean)
{
	bool value;

	(void)count;
	WF_TRY(wf_sequence_boolean(dynamic, &arguments[0], &value));
	return wf_return_boolean(dynamic, result, value);
}

FUNCTION(fn_string)
{
	struct wf_atomic value;
	struct wf_string text;

	(void)count;
	if (arguments[0].count == 0)
		return wf_return_string(dynamic, result, "", 0);
	value = wf_atomize(dynamic, &arguments[0].items[0]);
	text = wf_atomic_text(dynamic, &value);
	return wf_return_string(dynamic, result, text.text, text.length);
}

FUNCTION(fn_data)
{
	(void)count;
	return wf_sequence_atomize(dynamic, &arguments[0], result);
}

FUNCTION(fn_number)
{
	struct wf_error *outer = dynamic->err;
	struct wf_atomic number = wf_atomic_double((double)NAN);
	struct wf_atomic value;
	struct wf_error error;

	(void)count;
	if (arguments[0].count == 1) {
		error.rc = WF_OK;
		error.place.line = 0;
		dynamic->err = &error;
		if (wf_atomic_cast(dynamic, &arguments[0].items[0].as.atomic,
			WF_XS_DOUBLE, &value) == WF_OK)
			number = value;
		dynamic->err = outer;
	}
	return wf_return_atomic(dynamic, result, number);
}

FUNCTION(fn_empty)
{
	(void)count;
	return wf_return_boolean(dynamic, result, arguments[0].count == 0);
}

FUNCTION(fn_exists)
{
	(void)count;
	return wf_return_boolean(dynamic, result, arguments[0].count > 0);
}

FUNCTION(fn_count)
{
	(void)count;
	return wf_return_integer(dynamic, result, (int64_t)arguments[0].count);
}

FUNCTION(fn_zero_or_one)
{
	(void)count;
	if (arguments[0].count > 1)
		return wf_fail_code(dynamic->err, WF_DATA, "FORG0003",
		    "zero-or-one() got %zu items", arguments[0].count);
	return wf_sequence_add_all(dynamic, result, &arguments[0]);
}

FUNCTION(fn_one_or_more)
{
	(void)count;
	if (arguments[0].count == 0)
		return wf_fail_code(dynamic->err, WF_DATA, "FORG0004",
		    "one-or-more() got no item");
	return wf_sequence_add_all(dynamic, result, &arguments[0]);
}

FUNCTION(fn_exactly_one)
{
	(void)count;
	if (arguments[0].count != 1)
		return wf_fail_code(dynamic->err, WF_DATA, "FORG0005",
		    "exactly-one() got %zu items", arguments[0].count);
	return wf_sequence_add_all(dynamic, result, &arguments[0]);
}

/* unordered() and trace() */
FUNCTION(fn_same)
{
	(void)count;
	return wf_sequence_add_all(dynamic, result, &arguments[0]);
}

FUNCTION(fn_head)
{
	(void)count;
	if (arguments[0].count == 0)
		return WF_OK;
	return wf_sequence_add(dynamic, result, arguments[0].items[0]);
}

FUNCTION(fn_tail)
{
	(void)count;
	for (size_t i = 1; i < arguments[0].count; i++)
		WF_TRY(wf_sequence_add(dynamic, result, arguments[0].items[i]));
	return WF_OK;
}

FUNCTION(fn_reverse)
{
	(void)count;
	for (size_t i = arguments[0].count; i > 0; i--)
		WF_TRY(wf_sequence_add(
		    dynamic, result, arguments[0].items[i - 1]));
	return WF_OK;
}

/*
 * An integer argument as a position; a position outside every sequence stays
 * outside.
 */
static size_t position_argument(const struct wf_sequence *argument)
{
	wf_int128 value = argument->items[0].as.atomic.as.decimal.coefficient;

	if (value < 0)
		return 0;
	return value > (wf_int128)SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)value;
}

FUNCTION(fn_insert_before)
{
	const struct wf_sequence *items = &arguments[0];
	size_t position = position_argument(&arguments[1]);
	size_t at = position == 0 ? 0 : position - 1;

	(void)count;
	if (at > items->count)
		at = items->count;
	for (size_t i = 0; i < at; i++)
		WF_TRY(wf_sequence_add(dynamic, result, items->items[i]));
	WF_TRY(wf_sequence_add_all(dynamic, result, &arguments[2]));
	for (size_t i = at; i < items->count; i++)
		WF_TRY(wf_sequence_add(dynamic, result, items->items[i]));
	return WF_OK;
}

FUNCTION(fn_remove)
{
	size_t position = position_argument(&arguments[1]);

	(void)count;
	for (size_t i = 0; i < arguments[0].count; i++) {
		if (i + 1 != position)
			WF_TRY(wf_sequence_add(
			    dynamic, result, arguments[0].items[i]));
	}
	return WF_OK;
}

/* fn:round() of a double: halves go up. */
static double rounded(const struct wf_sequence *argument)
{
	return floor(argument->items[0].as.atomic.as.number + 0.5);
}

FUNCTION(fn_subsequence)
{
	double first = rounded(&arguments[1]);
	double end = (double)INFINITY;

	if (count > 2)
		end = first + rounded(&arguments[2]);
	for (size_t i = 0; i < arguments[0].count; i++) {
		double position = (double)(i + 1);

		if (position >= first && position < end)
			WF_TRY(wf_sequence_add(
			    dynamic, result, arguments[0].items[i]));
	}
	return WF_OK;
}

static bool is_nan(const struct wf_atomic *value)
{
	enum wf_atomic_type primitive = wf_atomic_primitive(value->type);

	return (primitive == WF_XS_DOUBLE || primitive == WF_XS_FLOAT) &&
	       isnan(value->as.number);
}

FUNCTION(fn_index_of)
{
	const struct wf_atomic *wanted = wf_argument(arguments, 1);

	WF_TRY(wf_argument_collation(dynamic, arguments, count, 2));
	for (size_t i = 0; i < arguments[0].count; i++) {
		const struct wf_atomic *value =
		    &arguments[0].items[i].as.atomic;

		WF_TRY(wf_spend(dynamic, 1));
		if (!is_nan(value) && wf_atomic_same(dynamic, value, wanted))
			WF_TRY(wf_return_integer(
			    dynamic, result, (int64_t)(i + 1)));
	}
	return WF_OK;
}

FUNCTION(fn_distinct_values)
{
	struct wf_keys keys = { .width = 1 };
	struct wf_key *key = NULL;
	bool added = true;
	size_t place;

	WF_TRY(wf_argument_collation(dynamic, arguments, count, 1));
	for (size_t i = 0; i < arguments[0].count; i++) {
		/* Only the items that are kept need memory. */
		if (added)
			key = wf_arena_alloc(dynamic->arena, sizeof(*key));
		key->present = true;
		key->atomic = arguments[0].items[i].as.atomic;
		WF_TRY(wf_keys_add(dynamic, &keys, key, &place, &added));
		if (added)
			WF_TRY(wf_return_atomic(dynamic, result, key->atomic));
	}
	return WF_OK;
}

FUNCTION(fn_deep_equal)
{
	bool same;

	WF_TRY(wf_argument_collation(dynamic, arguments, count, 2));
	WF_TRY(wf_deep_equal(dynamic, &arguments[0], &arguments[1], &same));
	return wf_return_boolean(dynamic, result, same);
}

static enum wf_rc order_items(
    void *context, const void *a, const void *b, int *order_out)
{
	const struct wf_item *x = a;
	const struct wf_item *y = b;

	return wf_atomic_order(
	    context, &x->as.atomic, &y->as.atomic, order_out);
}

FUNCTION(fn_sort)
{
	struct wf_sequence keys = { NULL, 0, 0 };

	WF_TRY(wf_argument_collation(dynamic, arguments, count, 1));
	WF_TRY(wf_sequence_add_all(dynamic, &keys, &arguments[0]));
	WF_TRY(wf_sort(dynamic, keys.items, keys.count, sizeof(struct wf_item),
	    order_items, dynamic));
	return wf_sequence_add_all(dynamic, result, &keys);
}

/* ---- sum, avg, max, min ---- */

static enum wf_rc no_aggregate(struct wf_dynamic *dynamic)
{
	return wf_fail_code(dynamic->err, WF_DATA, "FORG0006",
	    "values of these types cannot be taken together");
}

/* Values that can be summed up: numbers, or durations of one kind. */
static enum wf_atomic_type sum_kind(enum wf_atomic_type type)
{
	if (wf_atomic_is_numeric(type))
		return WF_XS_DOUBLE;
	if (wf_atomic_derives(type, WF_XS_DAY_TIME_DURATION))
		return WF_XS_DAY_TIME_DURATION;
	if (wf_atomic_derives(type, WF_XS_YEAR_MONTH_DURATION))
		return WF_XS_YEAR_MONTH_DURATION;
	return WF_ATOMIC_TYPE_COUNT;
}

static enum wf_rc typed_value(struct wf_dynamic *dynamic,
    const struct wf_item *item, struct wf_atomic *value_out)
{
	*value_out = item->as.atomic;
	if (value_out->type == WF_XS_UNTYPED)
		return wf_convert(dynamic, value_out, WF_XS_DOUBLE);
	return WF_OK;
}

static enum wf_rc add_up(struct wf_dynamic *dynamic,
    const struct wf_sequence *items, struct wf_atomic *total_out)
{
	enum wf_atomic_type kind = WF_ATOMIC_TYPE_COUNT;
	struct wf_atomic value;
	struct wf_atomic sum;

	for (size_t i = 0; i < items->count; i++) {
		WF_TRY(wf_spend(dynamic, 1));
		WF_TRY(typed_value(dynamic, &items->items[i], &value));
		if (i == 0)
			kind = sum_kind(value.type);
		if (kind == WF_ATOMIC_TYPE_COUNT ||
		    sum_kind(value.type) != kind)
			return no_aggregate(dynamic);
		if (i > 0)
			WF_TRY(wf_atomic_arithmetic(
			    dynamic, total_out, &value, WF_ADD, &sum));
		*total_out = i == 0 ? value : sum;
	}
	return WF_OK;
}

FUNCTION(fn_sum)
{
	struct wf_atomic total;

	if (arguments[0].count == 0) {
		if (count > 1)
			return wf_sequence_add_all(
			    dynamic, result, &arguments[1]);
		return wf_return_integer(dynamic, result, 0);
	}
	WF_TRY(add_up(dynamic, &arguments[0], &total));
	if (arguments[0].count == 1 && wf_atomic_is_numeric(total.type) &&
	    wf_atomic_derives(total.type, WF_XS_INTEGER))
		total.type = WF_XS_INTEGER;
	return wf_return_atomic(dynamic, result, total);
}

FUNCTION(fn_avg)
{
	struct wf_atomic number =
	    wf_atomic_integer((int64_t)arguments[0].count);
	struct wf_atomic total;
	struct wf_atomic mean;

	(void)count;
	if (arguments[0].count == 0)
		return WF_OK;
	WF_TRY(add_up(dynamic, &arguments[0], &total));
	WF_TRY(
	    wf_atomic_arithmetic(dynamic, &total, &number, WF_DIVIDE, &mean));
	return wf_return_atomic(dynamic, result, mean);
}

/* Types with an order, by the type in which they are compared. */
static enum wf_atomic_type order_kind(enum wf_atomic_type type)
{
	enum wf_atomic_type primitive = wf_atomic_primitive(type);

	switch (primitive) {
	case WF_XS_ANY_URI:
		return WF_XS_STRING;
	case WF_XS_STRING:
	case WF_XS_BOOLEAN:
	case WF_XS_DATE:
	case WF_XS_TIME:
	case WF_XS_DATE_TIME:
	case WF_XS_HEX_BINARY:
	case WF_XS_BASE64_BINARY:
		return primitive;
	default:
		return sum_kind(type);
	}
}

/* The type that all numbers are promoted to. */
static enum wf_atomic_type widest(enum wf_atomic_type a, enum wf_atomic_type b)
{
	if (a == WF_XS_DOUBLE || b == WF_XS_DOUBLE)
		return WF_XS_DOUBLE;
	if (a == WF_XS_FLOAT || b == WF_XS_FLOAT)
		return WF_XS_FLOAT;
	return WF_XS_DECIMAL;
}

static enum wf_rc extreme(struct wf_dynamic *dynamic,
    const struct wf_sequence *items, enum wf_comparison better,
    struct wf_atomic *best)
{
	enum wf_atomic_type wide = WF_XS_DECIMAL;
	struct wf_atomic value;
	bool is_better;

	for (size_t i = 0; i < items->count; i++) {
		WF_TRY(wf_spend(dynamic, 1));
		WF_TRY(typed_value(dynamic, &items->items[i], &value));
		if (i == 0)
			*best = value;
		if (order_kind(value.type) == WF_ATOMIC_TYPE_COUNT ||
		    order_kind(value.type) != order_kind(best->type))
			return no_aggregate(dynamic);
		wide = widest(wide, wf_atomic_primitive(value.type));
		if (i == 0 || is_nan(best))
			continue;
		is_better = is_nan(&value);
		if (!is_better)
			WF_TRY(wf_atomic_compare(
			    dynamic, &value, best, better, &is_better));
		if (is_better)
			*best = value;
	}
	if (wf_atomic_is_numeric(best->type) && wide != WF_XS_DECIMAL)
		return wf_convert(dynamic, best, wide);
	if (wf_atomic_primitive(best->type) == WF_XS_ANY_URI)
		best->type = WF_XS_STRING;
	return WF_OK;
}

FUNCTION(fn_max)
{
	struct wf_atomic best;

	WF_TRY(wf_argument_collation(dynamic, arguments, count, 1));
	if (arguments[0].count == 0)
		return WF_OK;
	WF_TRY(extreme(dynamic, &arguments[0], WF_GT, &best));
	return wf_return_atomic(dynamic, result, best);
}

FUNCTION(fn_min)
{
	struct wf_atomic best;

	WF_TRY(wf_argument_collation(dynamic, arguments, count, 1));
	if (arguments[0].count == 0)
		return WF_OK;
	WF_TRY(extreme(dynamic, &arguments[0], WF_LT, &best));
	return wf_return_atomic(dynamic, result, best);
}

/* ---- errors ---- */

FUNCTION(fn_error)
{
	struct wf_qname name = { "err", WF_NS_ERR, "FOER0000" };
	struct wf_string text = { "fn:error() was called", 21 };

	if (count == 1 && arguments[0].count == 0)
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
		    "the code of fn:error() is missing");
	if (count > 0 && arguments[0].count == 1)
		name = arguments[0].items[0].as.atomic.as.qname;
	if (count > 1)
		text = arguments[1].items[0].as.atomic.as.string;
	memset(&dynamic->state->error_value, 0, sizeof(*result));
	if (count > 2)
		WF_TRY(wf_sequence_add_all(
		    dynamic, &dynamic->state->error_value, &arguments[2]));
	dynamic->state->error_name = name;
	return wf_fail_code(dynamic->err, WF_DATA, name.local, "%.*s",
	    (int)(text.length < 400 ? text.length : 400), text.text);
}

/* clang-format off */
const struct wf_function wf_sequence_functions[] = {
	{ "fn", "boolean", 1, 1, "item()* -> xs:boolean", fn_boolean },
	{ "fn", "string", 1, 1, "item()? -> xs:string", fn_string },
	{ "fn", "data", 1, 1, "item()* -> xs:anyAtomicType*", fn_data },
	{ "fn", "number", 1, 1, "xs:anyAtomicType? -> xs:double", fn_number },
	{ "fn", "empty", 1, 1, "item()* -> xs:boolean", fn_empty },
	{ "fn", "exists", 1, 1, "item()* -> xs:boolean", fn_exists },
	{ "fn", "count", 1, 1, "item()* -> xs:integer", fn_count },
	{ "fn", "zero-or-one", 1, 1, "item()* -> item()?", fn_zero_or_one },
	{ "fn", "one-or-more", 1, 1, "item()* -> item()+", fn_one_or_more },
	{ "fn", "exactly-one", 1, 1, "item()* -> item()", fn_exactly_one },
	{ "fn", "unordered", 1, 1, "item()* -> item()*", fn_same },
	{ "fn", "trace", 1, 2, "item()*, xs:string -> item()*", fn_same },
	{ "fn", "head", 1, 1, "item()* -> item()?", fn_head },
	{ "fn", "tail", 1, 1, "item()* -> item()*", fn_tail },
	{ "fn", "reverse", 1, 1, "item()* -> item()*", fn_reverse },
	{ "fn", "insert-before", 3, 3, "item()*, xs:integer, item()* -> item()*", fn_insert_before },
	{ "fn", "remove", 2, 2, "item()*, xs:integer -> item()*", fn_remove },
	{ "fn", "subsequence", 2, 3, "item()*, xs:double, xs:double -> item()*", fn_subsequence },
	{ "fn", "index-of", 2, 3, "xs:anyAtomicType*, xs:anyAtomicType, xs:string -> xs:integer*", fn_index_of },
	{ "fn", "distinct-values", 1, 2, "xs:anyAtomicType*, xs:string -> xs:anyAtomicType*", fn_distinct_values },
	{ "fn", "sort", 1, 2, "xs:anyAtomicType*, xs:string? -> xs:anyAtomicType*", fn_sort },
	{ "fn", "deep-equal", 2, 3, "item()*, item()*, xs:string -> xs:boolean", fn_deep_equal },
	{ "fn", "sum", 1, 2, "xs:anyAtomicType*, xs:anyAtomicType? -> xs:anyAtomicType?", fn_sum },
	{ "fn", "avg", 1, 1, "xs:anyAtomicType* -> xs:anyAtomicType?", fn_avg },
	{ "fn", "max", 1, 2, "xs:anyAtomicType*, xs:string -> xs:anyAtomicType?", fn_max },
	{ "fn", "min", 1, 2, "xs:anyAtomicType*, xs:string -> xs:anyAtomicType?", fn_min },
	{ "fn", "error", 0, 3, "xs:QName?, xs:string, item()* -> item()*", fn_error },
};
/* clang-format on */

const size_t wf_sequence_function_count =
    sizeof(wf_sequence_functions) / sizeof(wf_sequence_functions[0]);
