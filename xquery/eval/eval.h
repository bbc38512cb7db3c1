/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The evaluator: its state, and what its files share.
 *
 * wf_eval() appends the value of an expression to a sequence of the caller,
 * so most values are never copied.  Recursion is bounded by dynamic->depth,
 * time by steps_left, memory by memory_limit; all are WF_LIMIT.
 */
#ifndef WF_XQUERY_EVAL_EVAL_H
#define WF_XQUERY_EVAL_EVAL_H

#include "xquery/atomic/atomic.h"
#include "xquery/item/evaluation.h"
#include "xquery/parse/expr.h"

enum wf_rc wf_eval(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result) WF_MUSTCHECK;
/*
 * The same, but the value of a variable is lent, not copied. The caller
 * releases own when it no longer needs the result.
 */
enum wf_rc wf_eval_lent(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_one *own, const struct wf_sequence **result_out) WF_MUSTCHECK;
/* The effective boolean value. */
enum wf_rc wf_eval_boolean(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, bool *result_out) WF_MUSTCHECK;
/* At most one atomic value; *present_out is false when there is none. */
enum wf_rc wf_eval_atomic(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_atomic *atomic_out,
    bool *present_out) WF_MUSTCHECK;
/* The value of a global variable. */
enum wf_rc wf_eval_global(struct wf_dynamic *dynamic, unsigned index,
    const struct wf_sequence **value_out) WF_MUSTCHECK;
/* Sets the context item that the prolog declares, if any. */
enum wf_rc wf_eval_declared_context(
    struct wf_dynamic *dynamic, struct wf_item *item_out) WF_MUSTCHECK;

enum wf_rc wf_sequence_boolean(struct wf_dynamic *dynamic,
    const struct wf_sequence *sequence, bool *result_out) WF_MUSTCHECK;
/* The typed value of an item. */
struct wf_atomic wf_atomize(
    struct wf_dynamic *dynamic, const struct wf_item *item);
/* Casts a value in its place. */
enum wf_rc wf_convert(struct wf_dynamic *dynamic, struct wf_atomic *atomic,
    enum wf_atomic_type type) WF_MUSTCHECK;
enum wf_rc wf_sequence_atomize(struct wf_dynamic *dynamic,
    const struct wf_sequence *items, struct wf_sequence *result) WF_MUSTCHECK;
/* The typed values joined by blanks, as in constructors. */
enum wf_rc wf_sequence_join(struct wf_dynamic *dynamic,
    const struct wf_sequence *items, struct wf_string *text_out) WF_MUSTCHECK;

/* eval_path.c */
bool wf_test_matches(const struct wf_node_test *test, const xmlNode *node);

/*
 * eval_window.c: calls found for each window of input, with its variables set.
 */
enum wf_rc wf_windows(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    const struct wf_window *window, const struct wf_sequence *input,
    enum wf_rc (*found)(void *context, const struct wf_sequence *items),
    void *context) WF_MUSTCHECK;

/* sequence_type.c */
bool wf_type_matches(struct wf_dynamic *dynamic,
    const struct wf_sequence_type *type, const struct wf_sequence *sequence);
/* The function conversion rules; items is changed in place. */
enum wf_rc wf_type_convert(struct wf_dynamic *dynamic,
    const struct wf_sequence_type *type, struct wf_sequence *items,
    const char *what) WF_MUSTCHECK;
/*
 * For let, for and similar clauses: no conversion; XPTY0004 when a value does
 * not match.
 */
enum wf_rc wf_type_check(struct wf_dynamic *dynamic,
    const struct wf_sequence_type *type, const struct wf_sequence *items,
    const char *what) WF_MUSTCHECK;
/* "cast as", QNames included. */
enum wf_rc wf_cast(struct wf_dynamic *dynamic, const struct wf_atomic *atomic,
    enum wf_atomic_type type, const struct wf_namespaces *namespaces,
    struct wf_atomic *result_out) WF_MUSTCHECK;
/* "Q{uri}local"; false when the text does not have this form. */
bool wf_parse_expanded_name(struct wf_dynamic *dynamic, struct wf_string text,
    struct wf_qname *name_out);
/* A lexical QName; FORG0001 or FONS0004. */
enum wf_rc wf_parse_qname(struct wf_dynamic *dynamic,
    const struct wf_namespaces *namespaces, struct wf_string text,
    const char *default_uri, struct wf_qname *name_out) WF_MUSTCHECK;

/* deep_equal.c */
enum wf_rc wf_deep_equal(struct wf_dynamic *dynamic,
    const struct wf_sequence *a, const struct wf_sequence *b,
    bool *same_out) WF_MUSTCHECK;

#endif
