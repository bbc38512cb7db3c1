/* SPDX-License-Identifier: Apache-2.0 */
/* Paths: axes, steps, predicates, and the operators on sets of nodes. */
#include <string.h>

#include "xquery/eval/eval.h"
#include "xquery/tree/node.h"

/* ---- axes: the first node, and the one after it, in the axis' order ---- */

static bool is_ancestor(const xmlNode *node, const xmlNode *of)
{
	for (of = of->parent; of != NULL; of = of->parent) {
		if (of == node)
			return true;
	}
	return false;
}

static xmlNode *last_descendant(xmlNode *node)
{
	while (wf_node_children(node) != NULL)
		node = node->last;
	return node;
}

static xmlNode *preceding(xmlNode *at, const xmlNode *origin)
{
	for (;;) {
		if (at->type != XML_ATTRIBUTE_NODE && at->prev != NULL)
			return last_descendant(at->prev);
		at = at->parent;
		if (at == NULL || !is_ancestor(at, origin))
			return at;
	}
}

/* The next node in document order that is not a descendant of node. */
static xmlNode *following(xmlNode *node)
{
	while (node != NULL && node->next == NULL)
		node = node->parent;
	return node == NULL ? NULL : node->next;
}

static xmlNode *axis_first(enum wf_axis axis, xmlNode *node)
{
	bool attribute = node->type == XML_ATTRIBUTE_NODE ||
			 node->type == XML_NAMESPACE_DECL;

	switch (axis) {
	case WF_AXIS_CHILD:
	case WF_AXIS_DESCENDANT:
		return wf_node_children(node);
	case WF_AXIS_ATTRIBUTE:
		return node->type == XML_ELEMENT_NODE
			   ? (xmlNode *)node->properties
			   : NULL;
	case WF_AXIS_SELF:
	case WF_AXIS_DESCENDANT_OR_SELF:
	case WF_AXIS_ANCESTOR_OR_SELF:
		return node;
	case WF_AXIS_FOLLOWING_SIBLING:
		return attribute ? NULL : node->next;
	case WF_AXIS_PRECEDING_SIBLING:
		return attribute ? NULL : node->prev;
	case WF_AXIS_PARENT:
	case WF_AXIS_ANCESTOR:
		return node->parent;
	case WF_AXIS_FOLLOWING:
		if (!attribute)
			return following(node);
		return node->parent == NULL ? NULL
					    : wf_node_next(node->parent, NULL);
	default:
		return preceding(node, node);
	}
}

static xmlNode *axis_next(enum wf_axis axis, xmlNode *at, const xmlNode *origin)
{
	switch (axis) {
	case WF_AXIS_CHILD:
	case WF_AXIS_ATTRIBUTE:
	case WF_AXIS_FOLLOWING_SIBLING:
		return at->next;
	case WF_AXIS_DESCENDANT:
	case WF_AXIS_DESCENDANT_OR_SELF:
		return wf_node_next(at, origin);
	case WF_AXIS_PRECEDING_SIBLING:
		return at->prev;
	case WF_AXIS_ANCESTOR:
	case WF_AXIS_ANCESTOR_OR_SELF:
		return at->parent;
	case WF_AXIS_FOLLOWING:
		return wf_node_next(at, NULL);
	case WF_AXIS_PRECEDING:
		return preceding(at, origin);
	default:
		return NULL;
	}
}

static bool is_reverse(enum wf_axis axis)
{
	return axis == WF_AXIS_ANCESTOR || axis == WF_AXIS_ANCESTOR_OR_SELF ||
	       axis == WF_AXIS_PRECEDING || axis == WF_AXIS_PRECEDING_SIBLING;
}

/* ---- predicates ---- */

static bool equals_position(const struct wf_atomic *atomic, size_t position)
{
	switch (wf_atomic_primitive(atomic->type)) {
	case WF_XS_DECIMAL:
		return atomic->as.decimal.scale == 0
			   ? atomic->as.decimal.coefficient ==
				 (wf_int128)position
			   : false;
	default:
		return !(atomic->as.number < (double)position) &&
		       !(atomic->as.number > (double)position) &&
		       atomic->as.number > 0;
	}
}

static enum wf_rc test_predicate(
    struct wf_dynamic *dynamic, const struct wf_expr *predicate, bool *keep_out)
{
	const struct wf_sequence *value;
	struct wf_one own;

	WF_TRY(wf_eval_lent(dynamic, predicate, &own, &value));
	if (value->count == 1 && !value->items[0].is_node &&
	    wf_atomic_is_numeric(value->items[0].as.atomic.type)) {
		*keep_out = equals_position(
		    &value->items[0].as.atomic, dynamic->state->focus.position);
		return WF_OK;
	}
	WF_TRY(wf_sequence_boolean(dynamic, value, keep_out));
	wf_one_release(dynamic, &own);
	return WF_OK;
}

static enum wf_rc apply_predicate(struct wf_dynamic *dynamic,
    const struct wf_expr *predicate, struct wf_sequence *items)
{
	struct wf_focus outer = dynamic->state->focus;
	struct wf_focus *focus = &dynamic->state->focus;
	enum wf_rc rc = WF_OK;
	size_t kept = 0;
	struct wf_item item;
	bool keep;

	for (size_t i = 0; i < items->count && rc == WF_OK; i++) {
		item = items->items[i];
		focus->item = &item;
		focus->position = i + 1;
		focus->size = items->count;
		rc = test_predicate(dynamic, predicate, &keep);
		if (rc == WF_OK && keep)
			items->items[kept++] = item;
	}
	items->count = kept;
	*focus = outer;
	return rc;
}

/* A literal number needs no evaluation per item. */
static bool literal_position(
    const struct wf_expr *predicate, struct wf_sequence *items)
{
	size_t kept = 0;

	if (predicate->kind != WF_EXPR_LITERAL ||
	    !wf_atomic_is_numeric(predicate->u.literal.type))
		return false;
	for (size_t i = 0; i < items->count; i++) {
		if (equals_position(&predicate->u.literal, i + 1))
			items->items[kept++] = items->items[i];
	}
	items->count = kept;
	return true;
}

/* Removes from items those that the predicates kids[first...] reject. */
static enum wf_rc eval_predicates(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, unsigned first, struct wf_sequence *items)
{
	for (unsigned i = first; i < expr->count; i++) {
		if (!literal_position(expr->kids[i], items))
			WF_TRY(apply_predicate(dynamic, expr->kids[i], items));
	}
	return WF_OK;
}

enum wf_rc wf_eval_filter(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	struct wf_one own;
	struct wf_sequence *items = wf_one_init(&own);

	WF_TRY(wf_eval(dynamic, expr->kids[0], items));
	WF_TRY(eval_predicates(dynamic, expr, 1, items));
	WF_TRY(wf_sequence_add_all(dynamic, result, items));
	wf_one_release(dynamic, &own);
	return WF_OK;
}

/* ---- steps ---- */

static bool step_matches(const struct wf_expr *step, const xmlNode *node)
{
	const struct wf_node_test *test = step->u.test;

	if (test->kind == WF_TEST_NAME &&
	    node->type != (step->op == WF_AXIS_ATTRIBUTE ? XML_ATTRIBUTE_NODE
							 : XML_ELEMENT_NODE))
		return false;
	return wf_test_matches(test, node);
}

/*
 * The number of nodes of the axis that are needed: if the first predicate is a
 * constant number, later nodes are not.
 */
static enum wf_rc needed_nodes(
    struct wf_dynamic *dynamic, const struct wf_expr *step, size_t *needed_out)
{
	const struct wf_expr *first = step->count > 0 ? step->kids[0] : NULL;
	const struct wf_sequence *value;
	const struct wf_atomic *number;
	struct wf_one own;

	*needed_out = SIZE_MAX;
	if (first == NULL ||
	    (first->kind != WF_EXPR_LITERAL && first->kind != WF_EXPR_VARIABLE))
		return WF_OK;
	WF_TRY(wf_eval_lent(dynamic, first, &own, &value));
	if (value->count != 1 || value->items[0].is_node)
		return WF_OK;
	number = &value->items[0].as.atomic;
	if (wf_atomic_derives(number->type, WF_XS_INTEGER) &&
	    number->as.decimal.coefficient >= 0 &&
	    number->as.decimal.coefficient < (wf_int128)SIZE_MAX)
		*needed_out = (size_t)number->as.decimal.coefficient;
	return WF_OK;
}

static enum wf_rc collect(struct wf_dynamic *dynamic,
    const struct wf_expr *step, xmlNode *origin, size_t needed,
    struct wf_sequence *result)
{
	enum wf_axis axis = (enum wf_axis)step->op;
	size_t before = result->count;

	for (xmlNode *node = axis_first(axis, origin); node != NULL;
	     node = axis_next(axis, node, origin)) {
		if (result->count - before == needed)
			break;
		WF_TRY(wf_spend(dynamic, 1));
		if (step_matches(step, node))
			WF_TRY(wf_sequence_add_node(dynamic, result, node));
	}
	return WF_OK;
}

enum wf_rc wf_eval_step(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	const struct wf_item *item = dynamic->state->focus.item;
	bool reverse = is_reverse((enum wf_axis)expr->op);
	struct wf_sequence *items;
	struct wf_one own;
	size_t needed;

	if (item == NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "XPDY0002",
		    "there is no context item for this step");
	if (!item->is_node)
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0020",
		    "the context item of this step is not a node");
	if (expr->count == 0 && !reverse)
		return collect(dynamic, expr, item->as.node, SIZE_MAX, result);
	items = wf_one_init(&own);
	WF_TRY(needed_nodes(dynamic, expr, &needed));
	WF_TRY(collect(dynamic, expr, item->as.node, needed, items));
	WF_TRY(eval_predicates(dynamic, expr, 0, items));
	if (!reverse)
		WF_TRY(wf_sequence_add_all(dynamic, result, items));
	for (size_t i = items->count; i > 0 && reverse; i--)
		WF_TRY(wf_sequence_add(dynamic, result, items->items[i - 1]));
	wf_one_release(dynamic, &own);
	return WF_OK;
}

/* Evaluates kid with each item of input as the context item. */
static enum wf_rc for_each(struct wf_dynamic *dynamic,
    const struct wf_sequence *input, const struct wf_expr *kid,
    struct wf_sequence *result)
{
	struct wf_focus outer = dynamic->state->focus;
	struct wf_focus *focus = &dynamic->state->focus;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; i < input->count && rc == WF_OK; i++) {
		focus->item = &input->items[i];
		focus->position = i + 1;
		focus->size = input->count;
		rc = wf_eval(dynamic, kid, result);
	}
	*focus = outer;
	return rc;
}

static enum wf_rc require_nodes(
    struct wf_dynamic *dynamic, const struct wf_sequence *input)
{
	for (size_t i = 0; i < input->count; i++) {
		if (!input->items[i].is_node)
			return wf_fail_code(dynamic->err, WF_DATA, "XPTY0019",
			    "a step of the path does not give nodes");
	}
	return WF_OK;
}

/* Nodes are put in order; a mixture of nodes and values is an error. */
static enum wf_rc finish_step(
    struct wf_dynamic *dynamic, struct wf_sequence *items)
{
	size_t nodes = 0;

	for (size_t i = 0; i < items->count; i++)
		nodes += items->items[i].is_node ? 1 : 0;
	if (nodes == items->count)
		wf_nodes_sort(dynamic, items);
	else if (nodes > 0)
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0018",
		    "the path gives both nodes and values");
	return WF_OK;
}

enum wf_rc wf_eval_path(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	struct wf_one buffers[2];
	struct wf_sequence *next;
	const struct wf_sequence *input;

	WF_TRY(wf_eval_lent(dynamic, expr->kids[0], &buffers[0], &input));
	for (unsigned i = 1; i < expr->count; i++) {
		WF_TRY(require_nodes(dynamic, input));
		if (i + 1 == expr->count && result->count == 0) {
			WF_TRY(for_each(dynamic, input, expr->kids[i], result));
			wf_one_release(dynamic, &buffers[(i - 1) % 2]);
			return finish_step(dynamic, result);
		}
		next = wf_one_init(&buffers[i % 2]);
		WF_TRY(for_each(dynamic, input, expr->kids[i], next));
		WF_TRY(finish_step(dynamic, next));
		wf_one_release(dynamic, &buffers[(i - 1) % 2]);
		input = next;
	}
	WF_TRY(wf_sequence_add_all(dynamic, result, input));
	wf_one_release(dynamic, &buffers[(expr->count - 1) % 2]);
	return WF_OK;
}

enum wf_rc wf_eval_map(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	const struct wf_sequence *input;
	struct wf_one own;

	WF_TRY(wf_eval_lent(dynamic, expr->kids[0], &own, &input));
	WF_TRY(for_each(dynamic, input, expr->kids[1], result));
	wf_one_release(dynamic, &own);
	return WF_OK;
}

/* ---- union, intersect, except ---- */

static enum wf_rc eval_nodes(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *nodes)
{
	WF_TRY(wf_eval(dynamic, expr, nodes));
	for (size_t i = 0; i < nodes->count; i++) {
		if (!nodes->items[i].is_node)
			return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
			    "union, intersect and except work on nodes only");
	}
	wf_nodes_sort(dynamic, nodes);
	return WF_OK;
}

/* Both are sorted, so one pass suffices. */
static enum wf_rc select_nodes(struct wf_dynamic *dynamic,
    const struct wf_sequence *left, const struct wf_sequence *right,
    bool common, struct wf_sequence *result)
{
	size_t k = 0;

	for (size_t i = 0; i < left->count; i++) {
		const xmlNode *node = left->items[i].as.node;

		while (
		    k < right->count && wf_node_order(right->items[k].as.node) <
					    wf_node_order(node))
			k++;
		if ((k < right->count && right->items[k].as.node == node) ==
		    common)
			WF_TRY(
			    wf_sequence_add(dynamic, result, left->items[i]));
	}
	return WF_OK;
}

enum wf_rc wf_eval_combine(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	struct wf_one own[2];
	struct wf_sequence *left = wf_one_init(&own[0]);
	struct wf_sequence *right = wf_one_init(&own[1]);

	WF_TRY(eval_nodes(dynamic, expr->kids[0], left));
	WF_TRY(eval_nodes(dynamic, expr->kids[1], right));
	if (expr->op == WF_UNION) {
		WF_TRY(wf_sequence_add_all(dynamic, left, right));
		wf_nodes_sort(dynamic, left);
		WF_TRY(wf_sequence_add_all(dynamic, result, left));
	} else {
		WF_TRY(select_nodes(
		    dynamic, left, right, expr->op == WF_INTERSECT, result));
	}
	wf_one_release(dynamic, &own[0]);
	wf_one_release(dynamic, &own[1]);
	return WF_OK;
}
