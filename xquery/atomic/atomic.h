/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on single atomic values: lexical forms, casting, comparison,
 * arithmetic (XQuery 1.0 and XPath 2.0 Functions and Operators).
 *
 * Failures go to dynamic->err with the code of the standard.
 */
#ifndef WF_XQUERY_ATOMIC_ATOMIC_H
#define WF_XQUERY_ATOMIC_ATOMIC_H

#include "base/buffer.h"
#include "xquery/item/item.h"

bool wf_atomic_derives(enum wf_atomic_type type, enum wf_atomic_type base);
enum wf_atomic_type wf_atomic_primitive(enum wf_atomic_type type);
const char *wf_atomic_type_name(enum wf_atomic_type type);
/* By local name in the XML Schema namespace; WF_ATOMIC_TYPE_COUNT: none. */
enum wf_atomic_type wf_atomic_type_by_name(const char *local);
bool wf_atomic_is_numeric(enum wf_atomic_type type);

struct wf_atomic wf_atomic_boolean(bool boolean);
struct wf_atomic wf_atomic_integer(int64_t integer);
struct wf_atomic wf_atomic_double(double number);
/* The text is not copied. */
struct wf_atomic wf_atomic_string(
    enum wf_atomic_type type, const char *text, size_t length);

/* The canonical lexical form ("cast as xs:string"), in the arena. */
struct wf_string wf_atomic_text(
    struct wf_dynamic *dynamic, const struct wf_atomic *atomic);

/*
 * From a lexical form (white space as the type requires).  FORG0001 when it is
 * none; FOCA..., FODT... for overflow.  Not for QName, which needs namespaces.
 */
enum wf_rc wf_atomic_parse(struct wf_dynamic *dynamic, enum wf_atomic_type type,
    const char *text, size_t length, struct wf_atomic *atomic_out) WF_MUSTCHECK;

/* "cast as" between atomic types; XPTY0004, FORG0001 and similar codes. */
enum wf_rc wf_atomic_cast(struct wf_dynamic *dynamic,
    const struct wf_atomic *atomic, enum wf_atomic_type type,
    struct wf_atomic *atomic_out) WF_MUSTCHECK;

enum wf_comparison { WF_EQ, WF_NE, WF_LT, WF_LE, WF_GT, WF_GE };

/*
 * A value comparison (eq, lt, ...) of two typed values; untypedAtomic counts as
 * string.  XPTY0004 when the types cannot be compared.
 */
enum wf_rc wf_atomic_compare(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b,
    enum wf_comparison comparison, bool *result_out) WF_MUSTCHECK;

/*
 * For order by, min, max, sort: -1, 0, 1; NaN is equal to itself and less
 * than any number.
 */
enum wf_rc wf_atomic_order(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b,
    int *order_out) WF_MUSTCHECK;

/* Equal in the sense of distinct-values and deep-equal: no error, NaN = NaN. */
bool wf_atomic_same(struct wf_dynamic *dynamic, const struct wf_atomic *a,
    const struct wf_atomic *b);

enum wf_operator {
	WF_ADD,
	WF_SUBTRACT,
	WF_MULTIPLY,
	WF_DIVIDE,
	WF_INTEGER_DIVIDE,
	WF_MODULO
};

/*
 * Arithmetic with numeric promotion, and on dates, times and durations;
 * untypedAtomic operands count as xs:double.  FOAR0001, FOAR0002, XPTY0004.
 * The result may be one of the operands.
 */
enum wf_rc wf_atomic_arithmetic(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, const struct wf_atomic *b, enum wf_operator op,
    struct wf_atomic *result_out) WF_MUSTCHECK;

enum wf_rc wf_atomic_negate(struct wf_dynamic *dynamic,
    const struct wf_atomic *a, struct wf_atomic *result_out) WF_MUSTCHECK;

/* At most 60 bytes of a value, for messages. */
#define WF_SHOWN(text, length) ((length) > 60 ? 60 : (int)(length)), (text)

/* The size of a buffer for any float or double as text. */
#define WF_NUMBER_TEXT 40

/* The canonical form of XQuery; returns its length. */
size_t wf_number_text(
    double number, bool is_float, char text[static WF_NUMBER_TEXT]);

/* Text without white space at both ends. */
struct wf_string wf_atomic_trim(const char *text, size_t length);

/*
 * The built-in functions on atomic values
 * (xquery/functions/functions_atomic.def).
 */
extern const struct wf_function wf_atomic_functions[];
extern const size_t wf_atomic_function_count;

/*
 * For validation of values: whether text is a valid lexical form of the
 * XML Schema type with that local name.  WF_DATA with a sentence otherwise;
 * WF_NOT_FOUND when it is not a built-in simple type.
 */
enum wf_rc wf_atomic_check(const char *type, const char *text, size_t length,
    struct wf_error *err) WF_MUSTCHECK;

#endif
