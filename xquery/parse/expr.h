/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled query: its expressions and its static context.
 *
 * The parser makes the tree with names as they are written; the resolver
 * (xquery/analysis/resolve.c) binds names, variables and functions once. After
 * that nothing in it changes, so any thread may evaluate it. Everything lives
 * in the arena of the query.
 */
#ifndef WF_XQUERY_PARSE_EXPR_H
#define WF_XQUERY_PARSE_EXPR_H

#include "xquery/item/item.h"

#define WF_NS_XML "http://www.w3.org/XML/1998/namespace"
#define WF_NS_XMLNS "http://www.w3.org/2000/xmlns/"
#define WF_NS_XS "http://www.w3.org/2001/XMLSchema"
#define WF_NS_XSI "http://www.w3.org/2001/XMLSchema-instance"
#define WF_NS_FN "http://www.w3.org/2005/xpath-functions"
#define WF_NS_MATH "http://www.w3.org/2005/xpath-functions/math"
#define WF_NS_MAP "http://www.w3.org/2005/xpath-functions/map"
#define WF_NS_ARRAY "http://www.w3.org/2005/xpath-functions/array"
#define WF_NS_XQUERY "http://www.w3.org/2012/xquery"
#define WF_NS_OUTPUT "http://www.w3.org/2010/xslt-xquery-serialization"
#define WF_NS_LOCAL "http://www.w3.org/2005/xquery-local-functions"
#define WF_NS_ERR "http://www.w3.org/2005/xqt-errors"
#define WF_COLLATION_CODEPOINT                                                 \
	"http://www.w3.org/2005/xpath-functions/collation/codepoint"

/* The maximum height of the tree; bounds every recursion over it. */
#define WF_EXPR_HEIGHT 1000

enum wf_expr_kind {
#define WF_EXPR(name, function) WF_EXPR_##name,
#include "xquery/parse/expr_kinds.def"
#undef WF_EXPR
	WF_EXPR_KIND_COUNT
};

/* A namespace declaration in scope at one place of the text. */
struct wf_namespace {
	const char *prefix; /* "" for the default element namespace */
	const char *uri;    /* "" undeclares the prefix */
	struct wf_namespace *next;
};

struct wf_namespaces {
	const struct wf_namespaces *outer;
	struct wf_namespace *list;
	/* of a direct element constructor, not of the prolog */
	bool is_constructor;
};

enum wf_axis {
	WF_AXIS_CHILD,
	WF_AXIS_DESCENDANT,
	WF_AXIS_ATTRIBUTE,
	WF_AXIS_SELF,
	WF_AXIS_DESCENDANT_OR_SELF,
	WF_AXIS_FOLLOWING_SIBLING,
	WF_AXIS_FOLLOWING,
	WF_AXIS_PARENT,
	WF_AXIS_ANCESTOR,
	WF_AXIS_PRECEDING_SIBLING,
	WF_AXIS_PRECEDING,
	WF_AXIS_ANCESTOR_OR_SELF
};

enum wf_test_kind {
	WF_TEST_NODE,
	WF_TEST_NAME, /* of the principal node kind of the axis */
	WF_TEST_TEXT,
	WF_TEST_COMMENT,
	WF_TEST_INSTRUCTION,
	WF_TEST_ELEMENT,
	WF_TEST_ATTRIBUTE,
	WF_TEST_DOCUMENT,
	WF_TEST_NAMESPACE,
	WF_TEST_SCHEMA
};

/* The types that T matches in element(n, T) and attribute(n, T). */
enum wf_test_type {
	WF_TEST_TYPE_ANY,
	WF_TEST_TYPE_UNTYPED, /* elements constructed or read without types */
	WF_TEST_TYPE_NONE
};

struct wf_node_test {
	enum wf_test_kind kind;
	bool any_uri;
	bool any_local;
	bool has_type;
	struct wf_qname name;
	struct wf_qname type_name;
	enum wf_test_type type;
	struct wf_node_test *inner; /* of document-node(...), or NULL */
	uint32_t offset;
};

enum wf_sequence_kind {
	WF_SEQUENCE_EMPTY,
	WF_SEQUENCE_ITEM,
	WF_SEQUENCE_NODE,
	WF_SEQUENCE_ATOMIC,
	WF_SEQUENCE_NUMERIC /* only in signatures of built-in functions */
};

struct wf_sequence_type {
	enum wf_sequence_kind kind;
	enum wf_atomic_type atomic;
	struct wf_node_test *test;
	char occurrence; /* '\0', '?', '*' or '+' */
	const struct wf_sequence_type
	    *or_else; /* the rest of "T | U", or NULL */
	struct wf_qname name;
	uint32_t offset;
};

enum wf_clause_kind {
	WF_CLAUSE_FOR,
	WF_CLAUSE_LET,
	WF_CLAUSE_WHERE,
	WF_CLAUSE_ORDER,
	WF_CLAUSE_GROUP,
	WF_CLAUSE_COUNT,
	WF_CLAUSE_WINDOW
};

/* The variables of a window's start or end; local NULL: not named. */
enum { WF_EDGE_CURRENT, WF_EDGE_POSITION, WF_EDGE_PREVIOUS, WF_EDGE_NEXT };

struct wf_window_edge {
	struct wf_qname names[4];
	unsigned slots[4];
	unsigned kid; /* the condition */
};

struct wf_window {
	bool sliding;
	bool has_end;
	bool only; /* windows without an end are dropped */
	struct wf_window_edge start;
	struct wf_window_edge end;
};

/* One "for $x in", "let $x :=", "where", one key of "order by", ... */
struct wf_clause {
	enum wf_clause_kind kind;
	struct wf_qname name;
	unsigned slot;
	struct wf_qname position; /* "at $p"; local NULL when there is none */
	unsigned position_slot;
	const struct wf_sequence_type *type; /* or NULL */
	const struct wf_namespaces *namespaces;
	unsigned kid; /* index of the expression; UINT32_MAX: none */
	uint32_t offset;
	bool used;		  /* the variable of "let" is referenced */
	struct wf_window *window; /* or NULL */
	/* The variables of the clause are in consecutive slots. */
	unsigned first_slot;
	unsigned slot_count;
	bool allowing_empty;
	bool follows; /* a further key of the same order by or group by */
	bool descending;
	bool empty_greatest;
};

struct wf_flwor {
	struct wf_clause *clauses;
	size_t count;
	size_t capacity;
	bool every; /* of a quantified expression */
};

/* A case of typeswitch, switch or try; the kid with its result. */
/* $err:code and the others; resolve_try() names them. */
#define WF_CATCH_VARIABLES 7U

struct wf_case {
	const struct wf_sequence_type *type; /* NULL: default */
	struct wf_qname name;		     /* local NULL: no variable */
	unsigned slot;		    /* catch: the first of WF_CATCH_VARIABLES */
	struct wf_node_test *tests; /* catch */
	size_t test_count;
	unsigned test_kid; /* switch; UINT32_MAX: default */
	unsigned result_kid;
};

struct wf_cases {
	struct wf_case *list;
	size_t count;
	size_t capacity;
};

struct wf_user_function {
	struct wf_qname name;
	struct wf_qname *parameters;
	const struct wf_sequence_type **types; /* NULL where not declared */
	size_t count;
	size_t capacity;
	size_t type_capacity;
	const struct wf_sequence_type *result; /* or NULL */
	struct wf_expr *body;		       /* NULL: external */
	const struct wf_namespaces *namespaces;
	unsigned slots;
	uint32_t offset;
};

struct wf_call {
	struct wf_qname name;
	bool default_namespace; /* written without a prefix */
	const struct wf_function *builtin;
	const struct wf_user_function *user;
	struct wf_sequence_type *parameters; /* of the built-in, per argument */
};

struct wf_constructor {
	struct wf_qname name; /* local NULL: computed, kid 0 */
	bool direct;
	unsigned attributes; /* kids (after the name) that are attributes */
};

struct wf_expr {
	enum wf_expr_kind kind;
	unsigned op; /* operator, axis, comparison or sign */
	uint32_t offset;
	unsigned height;
	unsigned count;
	size_t capacity;
	struct wf_expr **kids;
	const struct wf_namespaces *namespaces;
	union {
		struct wf_atomic literal;
		struct {
			struct wf_qname name;
			unsigned slot;
			bool global;
		} variable;
		struct wf_node_test *test;
		struct wf_sequence_type *type;
		struct wf_flwor *flwor;
		struct wf_cases *cases;
		struct wf_call *call;
		struct wf_constructor *constructor;
	} u;
};

enum wf_combine { WF_UNION, WF_INTERSECT, WF_EXCEPT };
enum wf_node_order { WF_NODE_IS, WF_NODE_BEFORE, WF_NODE_AFTER };

struct wf_global {
	struct wf_qname name;
	const struct wf_sequence_type *type;
	struct wf_expr *value; /* NULL: external without default */
	const struct wf_namespaces *namespaces;
	int external; /* index into the caller's variables, or -1 */
	bool is_external;
	unsigned slots; /* of the frame of its value */
	uint32_t offset;
};

/* The characters of pictures of numbers (xquery/parse/parse_format.c). */
struct wf_decimal_format {
	struct wf_qname name; /* local "": the default one, which is first */
	uint32_t decimal;
	uint32_t grouping;
	uint32_t minus;
	uint32_t percent;
	uint32_t per_mille;
	uint32_t zero;
	uint32_t digit;
	uint32_t pattern; /* separates pictures */
	uint32_t exponent;
	const char *infinity;
	const char *nan;
	const struct wf_namespaces *namespaces;
	uint32_t offset; /* 0: not declared */
	struct wf_decimal_format *next;
};

/* A path that begins /root/child with plain names. */
struct wf_read {
	const char *root;
	const char *child;
	uint32_t offset;
};

struct wf_query {
	uint32_t magic;
	struct wf_arena *arena;
	const char *text;
	struct wf_expr *body;
	unsigned slots;
	struct wf_global *globals;
	size_t global_count;
	size_t global_capacity;
	struct wf_global *context; /* "declare context item", or NULL */
	struct wf_user_function **functions;
	size_t function_count;
	size_t function_capacity;
	/* The static context. */
	const char *base_uri; /* or NULL */
	const char *default_function;
	const char *default_collation;
	const struct wf_namespaces *namespaces; /* of the prolog */
	struct wf_decimal_format *formats;
	bool preserve_construction;
	bool empty_greatest;
	bool no_preserve; /* copy-namespaces */
	bool no_inherit;
	/* The use of the context, found by wf_analyse(). */
	bool reads_all;
	bool uses_context;
	struct wf_read *reads;
	size_t read_count;
	size_t read_capacity;
	struct wf_shortcut *shortcut; /* NULL: none; data/shortcut.h */
};

/* The URI that a prefix stands for, or NULL. */
const char *wf_namespaces_find(
    const struct wf_namespaces *namespaces, const char *prefix);

/* Line and column, from 1, of an offset into the text. */
void wf_text_place(const char *text, uint32_t offset, struct wf_place *place);

/* Parses text (wf_query_compile: the first half). */
enum wf_rc wf_parse(struct wf_query *query, const char *text, size_t length,
    struct wf_error *err) WF_MUSTCHECK;

#endif
