/* SPDX-License-Identifier: Apache-2.0 */
/* Finding built-in functions, and reading their signatures. */
#ifndef WF_XQUERY_FUNCTIONS_FUNCTIONS_H
#define WF_XQUERY_FUNCTIONS_FUNCTIONS_H

#include "xquery/parse/expr.h"

/* Functions on sequences (xquery/functions/functions_sequence.c). */
extern const struct wf_function wf_sequence_functions[];
extern const size_t wf_sequence_function_count;
/* Functions on nodes and on the focus (xquery/functions/functions_node.c). */
extern const struct wf_function wf_node_functions[];
extern const size_t wf_node_function_count;

/* The function with that name and number of parameters, or NULL. */
const struct wf_function *wf_function_find(
    const char *uri, const char *local, unsigned arity);

/* The types of the arguments, from the signature. */
struct wf_sequence_type *wf_function_parameters(
    struct wf_arena *arena, const struct wf_function *function, unsigned arity);

#endif
