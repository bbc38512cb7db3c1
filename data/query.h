/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XQuery, as the rest of Weft sees it.
 *
 * A query is compiled once and evaluated often, by any thread: a compiled
 * query is never changed.  The context item is a document node; see struct
 * wf_document.  The meaning of the results follows YAWL: they are what one
 * would get by serialising the result and parsing it again.
 */
#ifndef WF_DATA_QUERY_H
#define WF_DATA_QUERY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "data/value.h"

struct wf_query; /* opaque */

/*
 * The context of a query: a document whose root element is named root and has
 * the values as its children; with root NULL the one value is itself the root
 * element.  Entries that are NULL are left out.
 */
struct wf_document {
	const char *root;
	struct wf_value *const *values;
	size_t count;
};

/* The environment and the limits of an evaluation. */
struct wf_evaluation {
	int64_t now;	  /* milliseconds since 1970, UTC */
	int32_t timezone; /* the implicit time zone, in minutes east */
	/*
	 * External variables, as untyped atomic values, in the order of
	 * compilation.
	 */
	const char *const *variables;
	/*
	 * The maximum number of evaluation steps; 0: the default. Several
	 * evaluations can share a budget: the rest is written back.
	 */
	uint64_t steps;
	uint64_t *budget; /* shared budget, used instead of steps; or NULL */
	/* When it becomes true, the evaluation ends with WF_LIMIT; or NULL. */
	const atomic_bool *cancelled;
	size_t memory; /* the maximum memory in bytes; 0: the default */
};

/*
 * Compiles text.  variables: the names of the external variables ($name) it
 * may use.  On failure WF_DATA with the standard's code in err->code, and
 * line and column (from 1) of the place in err->place.
 */
enum wf_rc wf_query_compile(struct wf_query **query_out, const char *text,
    const char *const *variables, size_t variable_count,
    struct wf_error *err) WF_MUSTCHECK;
void wf_query_free(struct wf_query **query);

/*
 * A mapping: the result must be exactly one element.  When it is empty,
 * *value_out is NULL and WF_OK is returned; anything else is WF_DATA.
 */
enum wf_rc wf_query_element(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    struct wf_value **value_out, struct wf_error *err) WF_MUSTCHECK;

/*
 * A splitter: all elements of the result, in order; at most maximum
 * (more is WF_LIMIT).  The caller frees the list; list->root is NULL.
 */
enum wf_rc wf_query_elements(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    size_t maximum, struct wf_value_list *list_out,
    struct wf_error *err) WF_MUSTCHECK;

/* A predicate: the effective boolean value. */
enum wf_rc wf_query_boolean(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    bool *result_out, struct wf_error *err) WF_MUSTCHECK;

/* The result as text: the string values of its items, separated by blanks. */
enum wf_rc wf_query_string(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    struct wf_buffer *text, struct wf_error *err) WF_MUSTCHECK;

/* The result, serialised. */
enum wf_rc wf_query_text(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    struct wf_buffer *text, struct wf_error *err) WF_MUSTCHECK;

/*
 * Evaluates over a whole XML file (its attributes, comments and white space
 * included) or, with file NULL, without a context item, and appends the
 * serialised result.
 */
enum wf_rc wf_query_run(const struct wf_query *query, const char *file,
    const struct wf_evaluation *how, struct wf_buffer *text,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Whether the query may read the child "name" of the root element of the
 * document; true when that is unknown. Callers use it to leave values out, and
 * to check at load time that the variables of a mapping exist.
 */
bool wf_query_reads(const struct wf_query *query, const char *name);

/*
 * Calls found(argument, root, child, line, column) for each absolute path of
 * the query that begins /root/child with plain names.
 */
void wf_query_paths(const struct wf_query *query,
    void (*found)(void *argument, const char *root, const char *child, int line,
	int column),
    void *argument);

#endif
