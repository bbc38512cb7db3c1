/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing atomic values.
 *
 * relate() computes the relation of two values once for all callers: value
 * comparisons, sorting, distinct-values.
 */
#include <math.h>
#include <string.h>

#include "xquery/atomic/atomic_priv.h"
#include "xquery/atomic/moment.h"

enum relation {
	BEFORE,
	EQUAL,
	AFTER,
	DIFFERENT, /* neither equal nor ordered: NaN, or an unordered type */
	INCOMPARABLE
};

static enum relation of_order(int order)
{
	return order < 0 ? BEFORE : order > 0 ? AFTER : EQUAL;
}

/* The type has equality only, no order. */
static enum relation equal_if(bool equal)
{
	return equal ? EQUAL : DIFFERENT;
}

static enum relation relate_numbers(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b)
{
	enum wf_atomic_type common = wf_atomic_common(a, b);
	double x;
	double y;

	if (wf_atomic_primitive(common) == WF_XS_DECIMAL)
		return of_order(
		    wf_decimal_compare(a->as.decimal, b->as.decimal));
	x = wf_atomic_promote(dynamic, a, common);
	y = wf_atomic_promote(dynamic, b, common);
	if (isnan(x) || isnan(y))
		return DIFFERENT;
	return x < y ? BEFORE : x > y ? AFTER : EQUAL;
}

static enum relation relate_durations(
    const struct wf_atomic *a, const struct wf_atomic *b)
{
	const struct wf_duration *x = &a->as.duration;
	const struct wf_duration *y = &b->as.duration;
	wf_int128 p = wf_duration_nanoseconds(x);
	wf_int128 q = wf_duration_nanoseconds(y);

	if (a->type != b->type || a->type == WF_XS_DURATION)
		return equal_if(x->months == y->months && p == q);
	if (a->type == WF_XS_YEAR_MONTH_DURATION)
		return of_order(
		    (x->months > y->months) - (x->months < y->months));
	return of_order((p > q) - (p < q));
}

static enum relation relate_moments(const struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b)
{
	int order =
	    wf_moment_compare(&a->as.moment, &b->as.moment, dynamic->timezone);

	if (a->type == WF_XS_DATE_TIME || a->type == WF_XS_DATE ||
	    a->type == WF_XS_TIME)
		return of_order(order);
	return equal_if(order == 0);
}

static int compare_text(
    struct wf_dynamic *dynamic, struct wf_string a, struct wf_string b)
{
	wf_charge_text(dynamic, a.length < b.length ? a.length : b.length);
	return wf_string_compare(a, b);
}

static enum relation relate(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b)
{
	enum wf_atomic_type type = wf_atomic_primitive(a->type);

	if (wf_atomic_is_string(a->type) && wf_atomic_is_string(b->type))
		return of_order(
		    compare_text(dynamic, a->as.string, b->as.string));
	if (wf_atomic_is_numeric(a->type) && wf_atomic_is_numeric(b->type))
		return relate_numbers(dynamic, a, b);
	if (type != wf_atomic_primitive(b->type))
		return INCOMPARABLE;
	switch ((int)type) {
	case WF_XS_BOOLEAN:
		return of_order(a->as.boolean - b->as.boolean);
	case WF_XS_DURATION:
		return relate_durations(a, b);
	case WF_XS_HEX_BINARY:
	case WF_XS_BASE64_BINARY:
		return of_order(
		    compare_text(dynamic, a->as.string, b->as.string));
	case WF_XS_QNAME:
	case WF_XS_NOTATION:
		return equal_if(
		    strcmp(a->as.qname.local, b->as.qname.local) == 0 &&
		    strcmp(a->as.qname.uri, b->as.qname.uri) == 0);
	default:
		return relate_moments(dynamic, a, b);
	}
}

/* Whether values of these types have an order, not only equality. */
static bool has_order(const struct wf_atomic *a, const struct wf_atomic *b)
{
	enum wf_atomic_type type = wf_atomic_primitive(a->type);

	switch ((int)type) {
	case WF_XS_DURATION:
		return a->type == b->type && a->type != WF_XS_DURATION;
	case WF_XS_QNAME:
	case WF_XS_NOTATION:
		return false;
	default:
		return type < WF_XS_G_YEAR_MONTH || type > WF_XS_G_MONTH;
	}
}

static enum wf_rc no_comparison(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b)
{
	return wf_atomic_fail(dynamic, "XPTY0004",
	    "xs:%s and xs:%s cannot be compared so",
	    wf_atomic_type_name(a->type), wf_atomic_type_name(b->type));
}

enum wf_rc wf_atomic_compare(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b,
    enum wf_comparison comparison, bool *result_out)
{
	enum relation relation = relate(dynamic, a, b);
	bool for_equality = comparison == WF_EQ || comparison == WF_NE;

	if (relation == INCOMPARABLE || (!for_equality && !has_order(a, b)))
		return no_comparison(dynamic, a, b);
	switch (comparison) {
	case WF_EQ:
		*result_out = relation == EQUAL;
		break;
	case WF_NE:
		*result_out = relation != EQUAL;
		break;
	case WF_LT:
		*result_out = relation == BEFORE;
		break;
	case WF_LE:
		*result_out = relation == BEFORE || relation == EQUAL;
		break;
	case WF_GT:
		*result_out = relation == AFTER;
		break;
	case WF_GE:
		*result_out = relation == AFTER || relation == EQUAL;
		break;
	}
	return WF_OK;
}

static bool is_nan(const struct wf_atomic *atomic)
{
	enum wf_atomic_type primitive = wf_atomic_primitive(atomic->type);

	return (primitive == WF_XS_FLOAT || primitive == WF_XS_DOUBLE) &&
	       isnan(atomic->as.number);
}

enum wf_rc wf_atomic_order(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, int *order_out)
{
	enum relation relation = relate(dynamic, a, b);

	if (relation == INCOMPARABLE || !has_order(a, b))
		return no_comparison(dynamic, a, b);
	if (relation == DIFFERENT)
		*order_out = (int)is_nan(b) - (int)is_nan(a);
	else
		*order_out = (int)relation - (int)EQUAL;
	return WF_OK;
}

bool wf_atomic_same(struct wf_dynamic *dynamic, const struct wf_atomic *a,
    const struct wf_atomic *b)
{
	return relate(dynamic, a, b) == EQUAL || (is_nan(a) && is_nan(b));
}
