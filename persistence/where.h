/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on the variables that cases are found by, in a part of XQuery:
 *
 *   amount > 100 and (customer = "Miller" or not(due < xs:date("2026-01-31")))
 *
 *   condition  = and-part ("or" and-part)*
 *   and-part   = part ("and" part)*
 *   part       = "(" condition ")" | "not" "(" condition ")" | comparison
 *   comparison = path ("=" | "!=" | "<" | "<=" | ">" | ">=") literal
 *   path       = name ("/" name)*
 *   literal    = number | text in quotes | xs:date(text) | xs:dateTime(text)
 *              | true() | false()
 *
 * A comparison with a variable that a case has no value of does not hold.
 */
#ifndef WF_PERSISTENCE_WHERE_H
#define WF_PERSISTENCE_WHERE_H

#include "base/error.h"
#include "base/memory.h"
#include "persistence/term.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A condition: its bytes, its comparisons, and how deep it nests. */
#define WF_WHERE_BYTES 2000U
#define WF_WHERE_COMPARISONS 16U
#define WF_WHERE_DEPTH 16U

enum wf_where_kind {
	WF_WHERE_AND,
	WF_WHERE_OR,
	WF_WHERE_NOT, /* of left */
	WF_WHERE_COMPARISON
};

enum wf_comparison {
	WF_COMPARISON_EQUAL,
	WF_COMPARISON_UNEQUAL,
	WF_COMPARISON_LESS,
	WF_COMPARISON_AT_MOST,
	WF_COMPARISON_GREATER,
	WF_COMPARISON_AT_LEAST
};

struct wf_where_node {
	enum wf_where_kind kind;
	const struct wf_where_node *left;
	const struct wf_where_node *right;
	/* COMPARISON: */
	enum wf_comparison comparison;
	const char *field;
	const char *text; /* the literal, as wf_term_write() writes it */
};

/* A variable that may be named; one with values of several types is listed
 * several times. */
struct wf_where_variable {
	const char *path;
	enum wf_term_type type;
};

/*
 * Parses a condition into the arena.  WF_INVALID says at which character what
 * was expected, or which variables there are.
 */
enum wf_rc wf_where_parse(const struct wf_where_node **where_out,
    const char *text, const struct wf_where_variable *variables, size_t count,
    struct wf_arena *arena, struct wf_error *err) WF_MUSTCHECK;

/* Whether it holds for a case with these terms, which are by field. */
bool wf_where_holds(const struct wf_where_node *where,
    const struct wf_term_row *terms, size_t count);

#ifdef __cplusplus
}
#endif

#endif
