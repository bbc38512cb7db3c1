/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic, ranges, comparisons and "||". */
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/tree/node.h"

/*
 * Evaluates two single values.  If the left one is empty, the right one is not
 * evaluated, so that it cannot fail.
 */
static enum wf_rc eval_operands(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_atomic *left, struct wf_atomic *right,
    bool *both_out)
{
	WF_TRY(wf_eval_atomic(dynamic, expr->kids[0], left, both_out));
	if (!*both_out)
		return WF_OK;
	return wf_eval_atomic(dynamic, expr->kids[1], right, both_out);
}

enum wf_rc wf_eval_arithmetic(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	struct wf_atomic left;
	struct wf_atomic right;
	struct wf_atomic value;
	bool both;

	WF_TRY(eval_operands(dynamic, expr, &left, &right, &both));
	if (!both)
		return WF_OK;
	WF_TRY(wf_atomic_arithmetic(
	    dynamic, &left, &right, (enum wf_operator)expr->op, &value));
	return wf_sequence_add_atomic(dynamic, result, value);
}

enum wf_rc wf_eval_sign(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	struct wf_atomic value;
	struct wf_atomic negative;
	bool present;

	WF_TRY(wf_eval_atomic(dynamic, expr->kids[0], &value, &present));
	if (!present)
		return WF_OK;
	if (value.type == WF_XS_UNTYPED)
		WF_TRY(wf_convert(dynamic, &value, WF_XS_DOUBLE));
	if (!wf_atomic_is_numeric(value.type))
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
		    "a sign stands before numbers only");
	if (expr->op != '-')
		return wf_sequence_add_atomic(dynamic, result, value);
	WF_TRY(wf_atomic_negate(dynamic, &value, &negative));
	return wf_sequence_add_atomic(dynamic, result, negative);
}

static enum wf_rc eval_bound(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, wf_int128 *bound_out, bool *present_out)
{
	struct wf_atomic value;

	WF_TRY(wf_eval_atomic(dynamic, expr, &value, present_out));
	if (!*present_out)
		return WF_OK;
	if (value.type == WF_XS_UNTYPED)
		WF_TRY(wf_convert(dynamic, &value, WF_XS_INTEGER));
	if (!wf_atomic_derives(value.type, WF_XS_INTEGER))
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
		    "the bounds of \"to\" are integers");
	*bound_out = value.as.decimal.coefficient;
	return WF_OK;
}

enum wf_rc wf_eval_range(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	struct wf_atomic value = wf_atomic_integer(0);
	wf_int128 first = 0;
	wf_int128 last = 0;
	bool has;

	WF_TRY(eval_bound(dynamic, expr->kids[0], &first, &has));
	if (has)
		WF_TRY(eval_bound(dynamic, expr->kids[1], &last, &has));
	if (!has || first > last)
		return WF_OK;
	if (last - first > (wf_int128)(dynamic->memory_limit / 64))
		return wf_fail_code(dynamic->err, WF_LIMIT, "XPDY0130",
		    "the range of \"to\" is too large");
	WF_TRY(wf_spend(dynamic, (uint64_t)(last - first)));
	WF_TRY(
	    wf_sequence_reserve(dynamic, result, (size_t)(last - first) + 1));
	for (; first <= last; first++) {
		value.as.decimal.coefficient = first;
		WF_TRY(wf_sequence_add_atomic(dynamic, result, value));
	}
	return WF_OK;
}

enum wf_rc wf_eval_concat(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	struct wf_string parts[2] = { { "", 0 }, { "", 0 } };
	char *text;

	for (unsigned i = 0; i < 2; i++) {
		struct wf_atomic value;
		bool present;

		WF_TRY(
		    wf_eval_atomic(dynamic, expr->kids[i], &value, &present));
		if (present)
			parts[i] = wf_atomic_text(dynamic, &value);
	}
	wf_charge_text(dynamic, parts[0].length + parts[1].length);
	text = wf_arena_alloc(
	    dynamic->arena, parts[0].length + parts[1].length + 1);
	memcpy(text, parts[0].text, parts[0].length);
	memcpy(text + parts[0].length, parts[1].text, parts[1].length);
	return wf_sequence_add_atomic(dynamic, result,
	    wf_atomic_string(
		WF_XS_STRING, text, parts[0].length + parts[1].length));
}

/* ---- comparisons ---- */

enum wf_rc wf_eval_value_compare(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	struct wf_atomic left;
	struct wf_atomic right;
	bool both;
	bool holds;

	WF_TRY(eval_operands(dynamic, expr, &left, &right, &both));
	if (!both)
		return WF_OK;
	WF_TRY(wf_atomic_compare(
	    dynamic, &left, &right, (enum wf_comparison)expr->op, &holds));
	return wf_sequence_add_atomic(
	    dynamic, result, wf_atomic_boolean(holds));
}

/*
 * The type to which untyped text is cast in a comparison with a value of type.
 */
static enum wf_atomic_type untyped_as(enum wf_atomic_type type)
{
	if (wf_atomic_is_numeric(type))
		return WF_XS_DOUBLE;
	if (type == WF_XS_UNTYPED || wf_atomic_primitive(type) == WF_XS_STRING)
		return WF_XS_STRING;
	if (wf_atomic_derives(type, WF_XS_DAY_TIME_DURATION))
		return WF_XS_DAY_TIME_DURATION;
	if (wf_atomic_derives(type, WF_XS_YEAR_MONTH_DURATION))
		return WF_XS_YEAR_MONTH_DURATION;
	return wf_atomic_primitive(type);
}

static enum wf_rc compare_pair(struct wf_dynamic *dynamic, struct wf_atomic a,
    struct wf_atomic b, enum wf_comparison comparison, bool *holds_out)
{
	enum wf_atomic_type type;

	if (a.type == WF_XS_UNTYPED) {
		type = untyped_as(b.type);
		if (type == WF_XS_STRING)
			a.type = WF_XS_STRING;
		else
			WF_TRY(wf_convert(dynamic, &a, type));
	}
	if (b.type == WF_XS_UNTYPED) {
		type = untyped_as(a.type);
		if (type == WF_XS_STRING)
			b.type = WF_XS_STRING;
		else
			WF_TRY(wf_convert(dynamic, &b, type));
	}
	return wf_atomic_compare(dynamic, &a, &b, comparison, holds_out);
}

/* General comparison (=, <, ...) of two sequences. */
static enum wf_rc compare_general(struct wf_dynamic *dynamic,
    const struct wf_sequence *a, const struct wf_sequence *b,
    enum wf_comparison comparison, bool *result_out)
{
	*result_out = false;
	for (size_t i = 0; i < a->count; i++) {
		struct wf_atomic left = wf_atomize(dynamic, &a->items[i]);

		for (size_t k = 0; k < b->count; k++) {
			WF_TRY(wf_spend(dynamic, 1));
			WF_TRY(compare_pair(dynamic, left,
			    wf_atomize(dynamic, &b->items[k]), comparison,
			    result_out));
			if (*result_out)
				return WF_OK;
		}
	}
	return WF_OK;
}

enum wf_rc wf_eval_general_compare(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	const struct wf_sequence *left;
	const struct wf_sequence *right;
	struct wf_one own[2];
	bool holds;

	WF_TRY(wf_eval_lent(dynamic, expr->kids[0], &own[0], &left));
	WF_TRY(wf_eval_lent(dynamic, expr->kids[1], &own[1], &right));
	WF_TRY(compare_general(
	    dynamic, left, right, (enum wf_comparison)expr->op, &holds));
	wf_one_release(dynamic, &own[0]);
	wf_one_release(dynamic, &own[1]);
	return wf_sequence_add_atomic(
	    dynamic, result, wf_atomic_boolean(holds));
}

/* One node or none. */
static enum wf_rc eval_node(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, const xmlNode **node_out)
{
	const struct wf_sequence *value;
	struct wf_one own;

	*node_out = NULL;
	WF_TRY(wf_eval_lent(dynamic, expr, &own, &value));
	if (value->count > 1 || (value->count == 1 && !value->items[0].is_node))
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
		    "is, << and >> compare single nodes");
	if (value->count == 1)
		*node_out = value->items[0].as.node;
	wf_one_release(dynamic, &own);
	return WF_OK;
}

enum wf_rc wf_eval_node_compare(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	const xmlNode *left;
	const xmlNode *right;
	bool holds;

	WF_TRY(eval_node(dynamic, expr->kids[0], &left));
	WF_TRY(eval_node(dynamic, expr->kids[1], &right));
	if (left == NULL || right == NULL)
		return WF_OK;
	if (expr->op == WF_NODE_IS)
		holds = left == right;
	else if (expr->op == WF_NODE_BEFORE)
		holds = wf_node_order(left) < wf_node_order(right);
	else
		holds = wf_node_order(left) > wf_node_order(right);
	return wf_sequence_add_atomic(
	    dynamic, result, wf_atomic_boolean(holds));
}
