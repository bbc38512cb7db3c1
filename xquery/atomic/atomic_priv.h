/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of atomic/ and functions/ share. */
#ifndef WF_XQUERY_ATOMIC_ATOMIC_PRIV_H
#define WF_XQUERY_ATOMIC_ATOMIC_PRIV_H

#include "xquery/atomic/atomic.h"
#include "xquery/atomic/decimal.h"

/*
 * Room for size bytes; NULL, and WF_LIMIT, if the evaluation's memory is used
 * up.
 */
char *wf_atomic_room(struct wf_dynamic *dynamic, size_t size);

/* Sets an error with a code of the standard; returns WF_DATA. */
enum wf_rc wf_atomic_fail(struct wf_dynamic *dynamic, const char *code,
    const char *format, ...) WF_PRINTF(3, 4);

struct wf_atomic wf_atomic_decimal(
    enum wf_atomic_type type, struct wf_decimal decimal);
/* float or double; a float is rounded to single precision. */
struct wf_atomic wf_atomic_number(enum wf_atomic_type type, double number);
struct wf_atomic wf_atomic_duration(
    enum wf_atomic_type type, struct wf_duration duration);
struct wf_atomic wf_atomic_moment(
    enum wf_atomic_type type, struct wf_moment moment);

/* The value of any numeric atomic as a double. */
double wf_atomic_to_double(
    struct wf_dynamic *dynamic, const struct wf_atomic *atomic);
/* The same for type WF_XS_FLOAT or WF_XS_DOUBLE, rounded once. */
double wf_atomic_promote(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, enum wf_atomic_type type);

/* What it takes to convert a decimal with a fraction and a double. */
#define WF_STEPS_TO_CONVERT 12U

/* The type that both are promoted to: integer, decimal, float, or double. */
enum wf_atomic_type wf_atomic_common(
    const struct wf_atomic *a, const struct wf_atomic *b);

/* Whether the range of a derived integer type has number. */
bool wf_integer_in_range(enum wf_atomic_type type, struct wf_decimal number);

/* -1, 0, 1 by code points. */
int wf_string_compare(struct wf_string a, struct wf_string b);

static inline bool wf_atomic_is_string(enum wf_atomic_type type)
{
	enum wf_atomic_type primitive = wf_atomic_primitive(type);

	return primitive == WF_XS_STRING || primitive == WF_XS_UNTYPED ||
	       primitive == WF_XS_ANY_URI;
}

static inline bool wf_atomic_is_duration(enum wf_atomic_type type)
{
	return wf_atomic_primitive(type) == WF_XS_DURATION;
}

static inline bool wf_atomic_is_moment(enum wf_atomic_type type)
{
	return type >= WF_XS_DATE_TIME && type <= WF_XS_G_MONTH;
}

#endif
