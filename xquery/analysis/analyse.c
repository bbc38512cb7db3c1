/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a query reads of the document it is evaluated over.
 *
 * A path that begins /root/child with plain names reads that child only, as
 * long as no step in the query leaves the tree below it upwards or sideways.
 * Every other use of the context counts as reading everything.
 */
#include "xquery/analysis/analysis.h"

#include <string.h>

static bool plain_child(const struct wf_expr *step)
{
	return step->kind == WF_EXPR_STEP && step->op == WF_AXIS_CHILD &&
	       step->u.test->kind == WF_TEST_NAME && !step->u.test->any_uri &&
	       !step->u.test->any_local;
}

/* "/root/child..." or, where the document is the context, "root/child...". */
static bool reads_child(
    const struct wf_expr *path, bool outer, const struct wf_expr **steps_out)
{
	unsigned first = path->kids[0]->kind == WF_EXPR_ROOT ? 1 : 0;

	if (first == 0 && !outer)
		return false;
	if (path->count < first + 2 || !plain_child(path->kids[first]) ||
	    !plain_child(path->kids[first + 1]) ||
	    path->kids[first]->count > 0 ||
	    path->kids[first]->u.test->name.uri[0] != '\0')
		return false;
	steps_out[0] = path->kids[first];
	steps_out[1] = path->kids[first + 1];
	return true;
}

static void add_read(struct wf_query *query, const struct wf_expr *path,
    const struct wf_expr *const *steps)
{
	struct wf_read *read;

	query->reads = wf_arena_grow(query->arena, query->reads,
	    query->read_count, &query->read_capacity, sizeof(struct wf_read));
	read = &query->reads[query->read_count++];
	read->root = steps[0]->u.test->name.local;
	read->child = steps[1]->u.test->name.local;
	read->offset = path->offset;
}

static bool leaves_tree(const struct wf_expr *step)
{
	return step->op != WF_AXIS_CHILD && step->op != WF_AXIS_DESCENDANT &&
	       step->op != WF_AXIS_ATTRIBUTE && step->op != WF_AXIS_SELF &&
	       step->op != WF_AXIS_DESCENDANT_OR_SELF;
}

static bool reads_document(const struct wf_expr *call)
{
	static const char *const names[] = { "root", "id", "idref", "path",
		"element-with-id", "lang", "base-uri", "outermost" };
	const char *name = call->u.call->name.local;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* outer: the context item is the document. */
static void analyse(
    struct wf_query *query, const struct wf_expr *expr, bool outer);

static void analyse_path(
    struct wf_query *query, const struct wf_expr *expr, bool outer)
{
	const struct wf_expr *steps[2];
	bool reads = reads_child(expr, outer, steps);

	query->uses_context = true;
	if (reads)
		add_read(query, expr, steps);
	for (unsigned i = 0; i < expr->count; i++) {
		const struct wf_expr *kid = expr->kids[i];

		if (i == 0 && reads)
			continue;
		if (reads && (kid == steps[0] || kid == steps[1])) {
			for (unsigned k = 0; k < kid->count; k++)
				analyse(query, kid->kids[k], false);
			continue;
		}
		analyse(query, kid, outer && i == 0);
	}
}

static void analyse_call(
    struct wf_query *query, const struct wf_expr *expr, bool outer)
{
	if (reads_document(expr))
		query->reads_all = true;
	for (unsigned i = 0; i < expr->count; i++)
		analyse(query, expr->kids[i], outer);
}

static void analyse(
    struct wf_query *query, const struct wf_expr *expr, bool outer)
{
	switch (expr->kind) {
	case WF_EXPR_PATH:
		analyse_path(query, expr, outer);
		return;
	case WF_EXPR_CALL:
		analyse_call(query, expr, outer);
		return;
	case WF_EXPR_ROOT:
		query->uses_context = true;
		query->reads_all = true;
		break;
	case WF_EXPR_CONTEXT:
		query->uses_context = true;
		if (outer)
			query->reads_all = true;
		break;
	case WF_EXPR_STEP:
		query->uses_context = true;
		if (outer || leaves_tree(expr))
			query->reads_all = true;
		break;
	default:
		break;
	}
	for (unsigned i = 0; i < expr->count; i++) {
		/* The focus of predicates and of the right side of "!". */
		bool inner = expr->kind == WF_EXPR_STEP ||
			     (i > 0 && (expr->kind == WF_EXPR_FILTER ||
					   expr->kind == WF_EXPR_MAP));

		analyse(query, expr->kids[i], outer && !inner);
	}
}

void wf_analyse(struct wf_query *query)
{
	analyse(query, query->body, true);
	for (size_t i = 0; i < query->global_count; i++) {
		if (query->globals[i].value != NULL)
			analyse(query, query->globals[i].value, true);
	}
	if (query->context != NULL && query->context->value != NULL)
		query->reads_all = true;
	for (size_t i = 0; i < query->function_count; i++)
		analyse(query, query->functions[i]->body, false);
}
