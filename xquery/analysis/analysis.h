/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The static analysis of a parsed query: binding its names, and finding out
 * what it reads.
 */
#ifndef WF_XQUERY_ANALYSIS_ANALYSIS_H
#define WF_XQUERY_ANALYSIS_ANALYSIS_H

#include "xquery/parse/expr.h"

/*
 * Binds names, variables and functions (wf_query_compile: the second half).
 * variables: the names of the caller's variables, which the query sees as
 * external ones.  WF_DATA with the code and the place of the first mistake.
 */
enum wf_rc wf_resolve(struct wf_query *query, const char *const *variables,
    size_t variable_count, struct wf_error *err) WF_MUSTCHECK;
/* Fills what is known about the use of the context (struct wf_query). */
void wf_analyse(struct wf_query *query);

#endif
