/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "cast as" between atomic types (XQuery 1.0 and XPath 2.0 Functions and
 * Operators, section 17).
 *
 * A cast first makes a value of the primitive type of the target (integer
 * counts as primitive), then checks it against the range of the target.
 */
#include <math.h>
#include <string.h>

#include "xquery/atomic/atomic_priv.h"
#include "xquery/atomic/moment.h"

/* bench/query_costs */
#define STEPS_OF_CAST 6U

static enum wf_rc no_cast(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, enum wf_atomic_type type)
{
	return wf_atomic_fail(dynamic, "XPTY0004",
	    "an xs:%s cannot be cast to xs:%s",
	    wf_atomic_type_name(atomic->type), wf_atomic_type_name(type));
}

static enum wf_rc cast_boolean(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, struct wf_atomic *out)
{
	switch ((int)wf_atomic_primitive(atomic->type)) {
	case WF_XS_DECIMAL:
		out->as.boolean = atomic->as.decimal.coefficient != 0;
		return WF_OK;
	case WF_XS_FLOAT:
	case WF_XS_DOUBLE:
		out->as.boolean =
		    atomic->as.number != 0 && !isnan(atomic->as.number);
		return WF_OK;
	default:
		return no_cast(dynamic, atomic, out->type);
	}
}

static enum wf_rc cast_number(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, struct wf_atomic *out)
{
	if (atomic->type == WF_XS_BOOLEAN)
		out->as.number = atomic->as.boolean ? 1 : 0;
	else if (wf_atomic_is_numeric(atomic->type))
		out->as.number = wf_atomic_promote(dynamic, atomic, out->type);
	else
		return no_cast(dynamic, atomic, out->type);
	return WF_OK;
}

static enum wf_rc number_to_decimal(struct wf_dynamic *dynamic, double number,
    bool integer, struct wf_decimal *out)
{
	if (!isfinite(number))
		return wf_atomic_fail(dynamic, "FOCA0002",
		    "%s cannot be cast to xs:%s",
		    isnan(number) ? "NaN"
		    : number < 0  ? "-INF"
				  : "INF",
		    integer ? "integer" : "decimal");
	wf_charge(dynamic, WF_STEPS_TO_CONVERT);
	if (!wf_decimal_from_double(integer ? trunc(number) : number, out))
		return wf_atomic_fail(dynamic,
		    integer ? "FOCA0003" : "FOCA0001",
		    "%g is too large for xs:%s", number,
		    integer ? "integer" : "decimal");
	return WF_OK;
}

static enum wf_rc cast_decimal(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, struct wf_atomic *out)
{
	bool integer = out->type != WF_XS_DECIMAL;
	enum wf_rc rc = WF_OK;

	switch ((int)wf_atomic_primitive(atomic->type)) {
	case WF_XS_BOOLEAN:
		out->as.decimal = wf_decimal_from_int(atomic->as.boolean);
		break;
	case WF_XS_DECIMAL:
		out->as.decimal = integer
				      ? wf_decimal_truncate(atomic->as.decimal)
				      : atomic->as.decimal;
		break;
	case WF_XS_FLOAT:
	case WF_XS_DOUBLE:
		rc = number_to_decimal(
		    dynamic, atomic->as.number, integer, &out->as.decimal);
		break;
	default:
		return no_cast(dynamic, atomic, out->type);
	}
	if (rc == WF_OK && !wf_integer_in_range(out->type, out->as.decimal))
		return wf_atomic_fail(dynamic, "FORG0001",
		    "%.*s is not within the range of xs:%s",
		    (int)wf_atomic_text(dynamic, atomic).length,
		    wf_atomic_text(dynamic, atomic).text,
		    wf_atomic_type_name(out->type));
	return rc;
}

static enum wf_rc cast_duration(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, struct wf_atomic *out)
{
	if (!wf_atomic_is_duration(atomic->type))
		return no_cast(dynamic, atomic, out->type);
	out->as.duration = atomic->as.duration;
	if (out->type == WF_XS_YEAR_MONTH_DURATION) {
		out->as.duration.seconds = 0;
		out->as.duration.nanoseconds = 0;
	} else if (out->type == WF_XS_DAY_TIME_DURATION) {
		out->as.duration.months = 0;
	}
	return WF_OK;
}

static enum wf_rc cast_moment(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, struct wf_atomic *out)
{
	enum wf_atomic_type from = atomic->type;
	bool allowed = from == out->type ||
		       (from == WF_XS_DATE && out->type != WF_XS_TIME) ||
		       from == WF_XS_DATE_TIME;

	if (!allowed)
		return no_cast(dynamic, atomic, out->type);
	out->as.moment = wf_moment_as(out->type, &atomic->as.moment);
	return WF_OK;
}

static bool is_binary(enum wf_atomic_type type)
{
	return type == WF_XS_HEX_BINARY || type == WF_XS_BASE64_BINARY;
}

static enum wf_rc cast_same(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, struct wf_atomic *out)
{
	if (wf_atomic_primitive(atomic->type) != out->type &&
	    !(is_binary(atomic->type) && is_binary(out->type)))
		return no_cast(dynamic, atomic, out->type);
	out->as = atomic->as;
	return WF_OK;
}

/* To a string, or from one: by the lexical form. */
static enum wf_rc cast_text(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, enum wf_atomic_type type,
    struct wf_atomic *atomic_out)
{
	struct wf_string text = wf_atomic_text(dynamic, atomic);

	return wf_atomic_parse(
	    dynamic, type, text.text, text.length, atomic_out);
}

enum wf_rc wf_atomic_cast(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, enum wf_atomic_type type,
    struct wf_atomic *atomic_out)
{
	enum wf_atomic_type from = wf_atomic_primitive(atomic->type);
	enum wf_atomic_type to = wf_atomic_primitive(type);
	struct wf_atomic result = { .type = type };
	enum wf_rc rc;

	if (atomic->type == type) {
		*atomic_out = *atomic;
		return WF_OK;
	}
	wf_charge(dynamic, STEPS_OF_CAST);
	if (to == WF_XS_STRING || to == WF_XS_UNTYPED ||
	    ((from == WF_XS_STRING || from == WF_XS_UNTYPED) &&
		to != WF_XS_QNAME && to != WF_XS_NOTATION))
		return cast_text(dynamic, atomic, type, atomic_out);
	switch ((int)to) {
	case WF_XS_BOOLEAN:
		rc = cast_boolean(dynamic, atomic, &result);
		break;
	case WF_XS_DECIMAL:
		rc = cast_decimal(dynamic, atomic, &result);
		break;
	case WF_XS_FLOAT:
	case WF_XS_DOUBLE:
		rc = cast_number(dynamic, atomic, &result);
		break;
	case WF_XS_DURATION:
		rc = cast_duration(dynamic, atomic, &result);
		break;
	case WF_XS_ANY_URI:
	case WF_XS_HEX_BINARY:
	case WF_XS_BASE64_BINARY:
	case WF_XS_QNAME:
	case WF_XS_NOTATION:
	case WF_XS_ANY_ATOMIC:
		rc = cast_same(dynamic, atomic, &result);
		break;
	default:
		rc = cast_moment(dynamic, atomic, &result);
	}
	if (rc == WF_OK)
		*atomic_out = result;
	return rc;
}
