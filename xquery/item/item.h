/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic values, items, sequences, and the part of an evaluation that every
 * file of xquery/ needs.
 *
 * Everything lives in the arena of the evaluation (nodes in documents that it
 * frees) and is never freed singly, so functions need no clean-up path. Items
 * are small and copied; sequences are arrays of items.
 */
#ifndef WF_XQUERY_ITEM_ITEM_H
#define WF_XQUERY_ITEM_ITEM_H

#include <libxml/tree.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

/* The atomic types, each with its base type: xquery/item/atomic_types.def. */
enum wf_atomic_type {
#define WF_ATOMIC_TYPE(name, local, base, primitive) WF_XS_##name,
#include "xquery/item/atomic_types.def"
#undef WF_ATOMIC_TYPE
	WF_ATOMIC_TYPE_COUNT
};

__extension__ typedef __int128 wf_int128;

/* coefficient / 10^scale; up to 38 digits, scale at most 18. */
struct wf_decimal {
	wf_int128 coefficient;
	uint8_t scale;
};

/*
 * A point in time, or a part of one. Fields that a type does not have are those
 * of 1972-12-31T00:00:00, so that one function compares all eight types.
 */
struct wf_moment {
	int32_t year;
	uint8_t month;
	uint8_t day;
	uint8_t hour;
	uint8_t minute;
	uint8_t second;
	bool has_timezone;
	int16_t timezone; /* minutes east */
	uint32_t nanosecond;
};

/* Both parts have the same sign. */
struct wf_duration {
	int64_t months;
	int64_t seconds;
	int32_t nanoseconds;
};

struct wf_string {
	const char *text; /* UTF-8, not always NUL-terminated */
	size_t length;	  /* in bytes */
};

struct wf_qname {
	const char *prefix; /* "" when there is none */
	const char *uri;    /* "" when there is none */
	const char *local;
};

/* The primitive type decides which member is set. */
struct wf_atomic {
	enum wf_atomic_type type;
	union {
		bool boolean;
		double number;		   /* float and double */
		struct wf_decimal decimal; /* decimal, integer and derived */
		struct wf_string
		    string; /* string, untyped, anyURI; binaries as bytes */
		struct wf_moment moment;
		struct wf_duration duration;
		struct wf_qname qname; /* QName and NOTATION */
	} as;
};

struct wf_item {
	bool is_node;
	union {
		struct wf_atomic atomic;
		xmlNode *node; /* attributes too; see xmlNode.type */
	} as;
};

struct wf_sequence {
	struct wf_item *items;
	size_t count;
	size_t capacity;
};

/* One evaluation of one query. */
struct wf_dynamic {
	struct wf_arena *arena;
	int64_t now;
	int32_t timezone;
	uint64_t steps_left;
	const atomic_bool *cancelled; /* or NULL */
	size_t memory_limit;
	unsigned depth; /* of nested expressions and function calls */
	struct wf_error *err;
	struct wf_buffer text;	/* the text that a function is writing */
	struct wf_regex *regex; /* the regular expression used last */
	/* Focus, variables and the like: xquery/item/evaluation.h. */
	struct wf_eval_state *state;
};

/*
 * Counts steps in a function that cannot fail; the next expression checks the
 * limit.
 */
static inline void wf_charge(struct wf_dynamic *dynamic, uint64_t steps)
{
	if (dynamic->steps_left > steps)
		dynamic->steps_left -= steps;
	else
		dynamic->steps_left = 0;
}

/* Counts the steps of reading length bytes of text once. */
static inline void wf_charge_text(struct wf_dynamic *dynamic, size_t length)
{
	wf_charge(dynamic, length / 32);
}

/* Counts the steps of handling each character in length bytes of text. */
static inline void wf_charge_characters(
    struct wf_dynamic *dynamic, size_t length)
{
	wf_charge(dynamic, length / 4);
}

/*
 * A built-in function.  The arguments were converted to the parameter types
 * of its signature before (function conversion rules), so a function checks
 * only what the signature cannot say.  Failures go to dynamic->err with the
 * standard's code: wf_fail_code(dynamic->err, WF_DATA, "FORG0001", ...).
 */
typedef enum wf_rc (*wf_function_f)(struct wf_dynamic *dynamic,
    const struct wf_sequence *arguments, size_t count,
    struct wf_sequence *result);

/*
 * name: local name in the namespace given by "space" ("fn", "xs", "math",
 * ...); minimum and maximum number of arguments; signature: the parameter
 * types and the result in XQuery syntax, "numeric?, xs:string -> xs:string?",
 * the last parameter repeated for variadic functions.
 */
struct wf_function {
	const char *space;
	const char *name;
	unsigned minimum;
	unsigned maximum;
	const char *signature;
	wf_function_f call;
};

#endif
