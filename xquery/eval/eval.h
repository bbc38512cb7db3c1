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
#include "xquery/parse/expr.h"

/* Leaves the function when a call fails. */
#define WF_TRY(call)                                                           \
	do {                                                                   \
		enum wf_rc rc_ = (call);                                       \
		if (rc_ != WF_OK)                                              \
			return rc_;                                            \
	} while (0)

#define WF_EVAL_DEPTH 6000U
#define WF_EVAL_STEPS UINT64_C(50000000)
#define WF_EVAL_MEMORY ((size_t)256 << 20)

/* Numbers of nodes: below 1 << 36 the context, then a range per global. */
#define WF_ORDER_SHIFT 36
#define WF_ORDER_BODY ((uintptr_t)1 << 60)

struct wf_focus {
	const struct wf_item *item; /* NULL: there is no context item */
	size_t position;
	size_t size;
};

enum wf_global_status { WF_GLOBAL_UNKNOWN, WF_GLOBAL_BUSY, WF_GLOBAL_KNOWN };

#define WF_FREE_CLASSES 40

struct wf_eval_state {
	const struct wf_query *query;
	const char *const *variables; /* the caller's */
	struct wf_sequence *slots;
	struct wf_sequence *globals;
	unsigned char *global_status;
	struct wf_focus focus;
	struct wf_focus initial; /* of the whole query */
	uintptr_t next_order;
	const char *base_uri; /* of the query */
	/* Arrays of items that are free again, by the logarithm of the size. */
	struct wf_item *free_items[WF_FREE_CLASSES];
	/* A global variable's value failed: no "try" is around that. */
	bool global_failed;
	/* What fn:error() was last called with, for catch; local NULL: not. */
	struct wf_qname error_name;
	struct wf_sequence error_value;
};

/* A sequence whose first item needs no arena. */
struct wf_one {
	struct wf_sequence sequence;
	struct wf_item item;
};

static inline struct wf_sequence *wf_one_init(struct wf_one *one)
{
	one->sequence.items = &one->item;
	one->sequence.count = 0;
	one->sequence.capacity = 1;
	return &one->sequence;
}

/* Makes room for so many more items at once. */
enum wf_rc wf_sequence_reserve(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, size_t more) WF_MUSTCHECK;
/* The items are not needed any more: their memory can be used again. */
void wf_sequence_release(
    struct wf_dynamic *dynamic, struct wf_sequence *sequence);
static inline void wf_one_release(
    struct wf_dynamic *dynamic, struct wf_one *one)
{
	if (one->sequence.capacity > 1)
		wf_sequence_release(dynamic, &one->sequence);
}

enum wf_rc wf_eval(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result) WF_MUSTCHECK;
/*
 * The same, but a variable's value is lent and not copied.  own is released
 * by the caller when it is done.
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
/* A global variable's value. */
enum wf_rc wf_eval_global(struct wf_dynamic *dynamic, unsigned index,
    const struct wf_sequence **value_out) WF_MUSTCHECK;
/* Sets the context item that the prolog declares, if it does. */
enum wf_rc wf_eval_declared_context(
    struct wf_dynamic *dynamic, struct wf_item *item_out) WF_MUSTCHECK;
/* Keeps of nodes what the predicates kids[first...] let through. */
enum wf_rc wf_eval_predicates(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, unsigned first,
    struct wf_sequence *items) WF_MUSTCHECK;

enum wf_rc wf_sequence_boolean(struct wf_dynamic *dynamic,
    const struct wf_sequence *sequence, bool *result_out) WF_MUSTCHECK;
enum wf_rc wf_sequence_add_node(struct wf_dynamic *dynamic,
    struct wf_sequence *sequence, xmlNode *node) WF_MUSTCHECK;
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
/* Goes one level deeper; the caller takes it back (dynamic->depth--). */
enum wf_rc wf_enter(struct wf_dynamic *dynamic) WF_MUSTCHECK;

/* General comparison (=, <, ...) of two sequences. */
enum wf_rc wf_compare_general(struct wf_dynamic *dynamic,
    const struct wf_sequence *a, const struct wf_sequence *b,
    enum wf_comparison comparison, bool *result_out) WF_MUSTCHECK;

/* eval_path.c */
bool wf_test_matches(const struct wf_node_test *test, const xmlNode *node);

/* eval_window.c: calls found for each window of input, its variables set. */
enum wf_rc wf_windows(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    const struct wf_window *window, const struct wf_sequence *input,
    enum wf_rc (*found)(void *context, const struct wf_sequence *items),
    void *context) WF_MUSTCHECK;

/* construct.c */
enum wf_rc wf_construct_element(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, xmlNode *parent,
    xmlNode **node_out) WF_MUSTCHECK;

/* sequence_type.c */
bool wf_type_matches(
    const struct wf_sequence_type *type, const struct wf_sequence *sequence);
/* The function conversion rules; items is changed in place. */
enum wf_rc wf_type_convert(struct wf_dynamic *dynamic,
    const struct wf_sequence_type *type, struct wf_sequence *items,
    const char *what) WF_MUSTCHECK;
/* For let, for and the like: no conversion; XPTY0004 when it does not fit. */
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

/* The document that text is; FODC0006.  A fragment is its content only. */
enum wf_rc wf_document_parse(struct wf_dynamic *dynamic, struct wf_string text,
    bool fragment, xmlNode **document_out) WF_MUSTCHECK;

/* serialize.c */
void wf_serialize_node(
    struct wf_dynamic *dynamic, const xmlNode *node, struct wf_buffer *text);
enum wf_rc wf_serialize(struct wf_dynamic *dynamic,
    const struct wf_sequence *items, struct wf_buffer *text) WF_MUSTCHECK;
/* Canonical text (data/value.h says what that is); false: too large or too
 * deep. */
bool wf_serialize_canonical(const xmlNode *element, struct wf_buffer *text);

/* document.c */
/* A whole file, by libxml2. */
enum wf_rc wf_document_read(struct wf_dynamic *dynamic, const char *file,
    xmlNode **document_out) WF_MUSTCHECK;

/* deep_equal.c */
enum wf_rc wf_deep_equal(struct wf_dynamic *dynamic,
    const struct wf_sequence *a, const struct wf_sequence *b,
    bool *same_out) WF_MUSTCHECK;

#endif
