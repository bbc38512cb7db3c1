/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dispatch of the evaluator, and expressions that only choose or pass on.
 */
#include "xquery/eval/eval.h"

#include <math.h>
#include <string.h>

#include "xquery/tree/node.h"

/* What an error costs that is caught: its message, its variables. */
#define STEPS_OF_CATCH 28U

typedef enum wf_rc (*eval_f)(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result);

#define WF_EXPR(name, function)                                                \
	enum wf_rc wf_eval_##function(struct wf_dynamic *dynamic,              \
	    const struct wf_expr *expr, struct wf_sequence *result);
#include "xquery/parse/expr_kinds.def"
#undef WF_EXPR

static const eval_f evaluators[WF_EXPR_KIND_COUNT] = {
#define WF_EXPR(name, function) [WF_EXPR_##name] = wf_eval_##function,
#include "xquery/parse/expr_kinds.def"
#undef WF_EXPR
};

enum wf_rc wf_eval(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	enum wf_rc rc = wf_spend(dynamic, 1);

	if (rc == WF_OK)
		rc = wf_enter(dynamic);
	if (rc == WF_OK) {
		rc = evaluators[expr->kind](dynamic, expr, result);
		dynamic->depth--;
	}
	if (rc != WF_OK && dynamic->err->place.line == 0)
		wf_text_place(dynamic->state->query->text, expr->offset,
		    &dynamic->err->place);
	return rc;
}

/* ---- evaluation for a purpose ---- */

enum wf_rc wf_eval_lent(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_one *own, const struct wf_sequence **result_out)
{
	struct wf_sequence *sequence;

	if (expr->kind == WF_EXPR_VARIABLE) {
		if (own != NULL)
			own->sequence.capacity = 0;
		if (expr->u.variable.global)
			return wf_eval_global(
			    dynamic, expr->u.variable.slot, result_out);
		*result_out = &dynamic->state->slots[expr->u.variable.slot];
		return WF_OK;
	}
	sequence = wf_one_init(own);
	*result_out = sequence;
	return wf_eval(dynamic, expr, sequence);
}

enum wf_rc wf_eval_boolean(
    struct wf_dynamic *dynamic, const struct wf_expr *expr, bool *result_out)
{
	const struct wf_sequence *value;
	struct wf_one own;

	WF_TRY(wf_eval_lent(dynamic, expr, &own, &value));
	WF_TRY(wf_sequence_boolean(dynamic, value, result_out));
	wf_one_release(dynamic, &own);
	return WF_OK;
}

enum wf_rc wf_eval_atomic(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_atomic *atomic_out, bool *present_out)
{
	const struct wf_sequence *value;
	struct wf_one own;

	WF_TRY(wf_eval_lent(dynamic, expr, &own, &value));
	*present_out = value->count > 0;
	if (value->count > 1)
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
		    "one value is expected, there are %zu", value->count);
	if (value->count == 1)
		*atomic_out = wf_atomize(dynamic, &value->items[0]);
	wf_one_release(dynamic, &own);
	return WF_OK;
}

/* ---- primaries ---- */

enum wf_rc wf_eval_literal(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	return wf_sequence_add_atomic(dynamic, result, expr->u.literal);
}

enum wf_rc wf_eval_sequence(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	for (unsigned i = 0; i < expr->count; i++)
		WF_TRY(wf_eval(dynamic, expr->kids[i], result));
	return WF_OK;
}

enum wf_rc wf_eval_variable(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	const struct wf_sequence *value;

	WF_TRY(wf_eval_lent(dynamic, expr, NULL, &value));
	return wf_sequence_add_all(dynamic, result, value);
}

enum wf_rc wf_eval_context(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	(void)expr;
	if (dynamic->state->focus.item == NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "XPDY0002",
		    "there is no context item");
	return wf_sequence_add(dynamic, result, *dynamic->state->focus.item);
}

enum wf_rc wf_eval_root(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	const struct wf_item *item = dynamic->state->focus.item;
	xmlNode *root;

	(void)expr;
	if (item == NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "XPDY0002",
		    "there is no context item");
	if (!item->is_node)
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0020",
		    "the context item is not a node");
	root = wf_node_root(item->as.node);
	if (root->type != XML_DOCUMENT_NODE)
		return wf_fail_code(dynamic->err, WF_DATA, "XPDY0050",
		    "the tree of the context item is not a document");
	return wf_sequence_add_node(dynamic, result, root);
}

/* ---- choices ---- */

enum wf_rc wf_eval_if(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	bool condition;

	WF_TRY(wf_eval_boolean(dynamic, expr->kids[0], &condition));
	return wf_eval(dynamic, expr->kids[condition ? 1 : 2], result);
}

enum wf_rc wf_eval_logical(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	bool decides = expr->kind == WF_EXPR_OR;
	bool value = !decides;

	for (unsigned i = 0; i < expr->count && value != decides; i++)
		WF_TRY(wf_eval_boolean(dynamic, expr->kids[i], &value));
	return wf_sequence_add_atomic(
	    dynamic, result, wf_atomic_boolean(value));
}

enum wf_rc wf_eval_typeswitch(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	const struct wf_cases *cases = expr->u.cases;
	const struct wf_sequence *value;
	const struct wf_case *one = cases->list;
	struct wf_one own;

	WF_TRY(wf_eval_lent(dynamic, expr->kids[0], &own, &value));
	while (one->type != NULL && !wf_type_matches(dynamic, one->type, value))
		one++;
	if (one->name.local != NULL)
		dynamic->state->slots[one->slot] = *value;
	return wf_eval(dynamic, expr->kids[one->result_kid], result);
}

enum wf_rc wf_eval_switch(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	const struct wf_case *one = expr->u.cases->list;
	struct wf_atomic value;
	struct wf_atomic test;
	bool present;
	bool has;

	WF_TRY(wf_eval_atomic(dynamic, expr->kids[0], &value, &present));
	for (; one->test_kid != UINT32_MAX; one++) {
		WF_TRY(wf_eval_atomic(
		    dynamic, expr->kids[one->test_kid], &test, &has));
		if (has != present)
			continue;
		if (!has || wf_atomic_same(dynamic, &value, &test))
			break;
	}
	return wf_eval(dynamic, expr->kids[one->result_kid], result);
}

static bool catches(const struct wf_case *one, const struct wf_qname *code)
{
	for (size_t i = 0; i < one->test_count; i++) {
		const struct wf_node_test *test = &one->tests[i];

		if ((test->any_local ||
			strcmp(test->name.local, code->local) == 0) &&
		    (test->any_uri || strcmp(test->name.uri, code->uri) == 0))
			return true;
	}
	return false;
}

/* The variables of a catch clause, in the order of resolve_try(). */
static enum wf_rc bind_error(struct wf_dynamic *dynamic,
    const struct wf_case *one, const struct wf_qname *code,
    const struct wf_error *error)
{
	struct wf_sequence *slots = &dynamic->state->slots[one->slot];
	struct wf_atomic atomic;
	const char *message;

	memset(slots, 0, WF_CATCH_VARIABLES * sizeof(*slots));
	memset(&atomic, 0, sizeof(atomic));
	atomic.type = WF_XS_QNAME;
	atomic.as.qname = *code;
	WF_TRY(wf_sequence_add_atomic(dynamic, &slots[0], atomic));
	message = wf_arena_strdup(dynamic->arena, error->message);
	atomic = wf_atomic_string(WF_XS_STRING, message, strlen(message));
	WF_TRY(wf_sequence_add_atomic(dynamic, &slots[1], atomic));
	slots[2] = dynamic->state->error_value;
	WF_TRY(wf_sequence_add_atomic(
	    dynamic, &slots[3], wf_atomic_integer(error->place.line)));
	return wf_sequence_add_atomic(
	    dynamic, &slots[4], wf_atomic_integer(error->place.column));
}

static enum wf_rc eval_catch(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, const struct wf_error *error,
    struct wf_sequence *result)
{
	struct wf_qname code = { "err", WF_NS_ERR, "" };

	code.local = wf_arena_strdup(dynamic->arena, error->code);
	if (dynamic->state->error_name.local != NULL)
		code = dynamic->state->error_name;
	for (size_t i = 0; i < expr->u.cases->count; i++) {
		const struct wf_case *one = &expr->u.cases->list[i];

		if (!catches(one, &code))
			continue;
		WF_TRY(bind_error(dynamic, one, &code, error));
		/* The error is handled: a later error is a new one. */
		memset(&dynamic->state->error_name, 0,
		    sizeof(dynamic->state->error_name));
		memset(&dynamic->state->error_value, 0,
		    sizeof(dynamic->state->error_value));
		return wf_eval(dynamic, expr->kids[one->result_kid], result);
	}
	*dynamic->err = *error;
	return error->rc;
}

enum wf_rc wf_eval_try(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	struct wf_error *outer = dynamic->err;
	struct wf_error *error =
	    wf_arena_alloc(dynamic->arena, sizeof(struct wf_error));
	struct wf_eval_state *state = dynamic->state;
	struct wf_focus focus = state->focus;
	struct wf_sequence *slots = state->slots;
	unsigned depth = dynamic->depth;
	size_t count = result->count;
	enum wf_rc rc;

	memset(&state->error_name, 0, sizeof(state->error_name));
	memset(&state->error_value, 0, sizeof(state->error_value));
	dynamic->err = error;
	rc = wf_eval(dynamic, expr->kids[0], result);
	dynamic->err = outer;
	if (rc == WF_OK)
		return WF_OK;
	if (rc != WF_DATA || state->global_failed) {
		*outer = *error;
		return rc;
	}
	wf_charge(dynamic, STEPS_OF_CATCH);
	dynamic->depth = depth;
	state->focus = focus;
	state->slots = slots;
	result->count = count;
	return eval_catch(dynamic, expr, error, result);
}

/* ---- types ---- */

enum wf_rc wf_eval_instance(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	const struct wf_sequence *value;
	struct wf_one own;
	bool matches;

	WF_TRY(wf_eval_lent(dynamic, expr->kids[0], &own, &value));
	matches = wf_type_matches(dynamic, expr->u.type, value);
	wf_one_release(dynamic, &own);
	return wf_sequence_add_atomic(
	    dynamic, result, wf_atomic_boolean(matches));
}

enum wf_rc wf_eval_treat(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	const struct wf_sequence *value;
	struct wf_one own;

	WF_TRY(wf_eval_lent(dynamic, expr->kids[0], &own, &value));
	if (!wf_type_matches(dynamic, expr->u.type, value))
		return wf_fail_code(dynamic->err, WF_DATA, "XPDY0050",
		    "the value does not have the type of \"treat as\"");
	WF_TRY(wf_sequence_add_all(dynamic, result, value));
	wf_one_release(dynamic, &own);
	return WF_OK;
}

static enum wf_rc cast_value(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_atomic *result_out, bool *present_out)
{
	const struct wf_sequence_type *type = expr->u.type;
	struct wf_atomic atomic;

	WF_TRY(wf_eval_atomic(dynamic, expr->kids[0], &atomic, present_out));
	if (!*present_out) {
		if (type->occurrence == '?')
			return WF_OK;
		return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
		    "the empty sequence cannot be cast");
	}
	return wf_cast(
	    dynamic, &atomic, type->atomic, expr->namespaces, result_out);
}

enum wf_rc wf_eval_cast(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	struct wf_atomic value;
	bool present;

	WF_TRY(cast_value(dynamic, expr, &value, &present));
	if (!present)
		return WF_OK;
	return wf_sequence_add_atomic(dynamic, result, value);
}

/* A failing cast gives false; a failing operand is an error. */
static enum wf_rc castable(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, const struct wf_atomic *atomic, bool *can_out)
{
	struct wf_error *outer = dynamic->err;
	struct wf_error error;
	struct wf_atomic value;
	enum wf_rc rc;

	error.rc = WF_OK;
	error.place.line = 0;
	dynamic->err = &error;
	rc = wf_cast(
	    dynamic, atomic, expr->u.type->atomic, expr->namespaces, &value);
	dynamic->err = outer;
	*can_out = rc == WF_OK;
	if (rc != WF_OK && rc != WF_DATA) {
		*outer = error;
		return rc;
	}
	return WF_OK;
}

enum wf_rc wf_eval_castable(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	const struct wf_sequence *value;
	struct wf_atomic atomic;
	struct wf_one own;
	bool can = false;

	WF_TRY(wf_eval_lent(dynamic, expr->kids[0], &own, &value));
	if (value->count == 0) {
		can = expr->u.type->occurrence == '?';
	} else if (value->count == 1) {
		atomic = wf_atomize(dynamic, &value->items[0]);
		WF_TRY(castable(dynamic, expr, &atomic, &can));
	}
	wf_one_release(dynamic, &own);
	return wf_sequence_add_atomic(dynamic, result, wf_atomic_boolean(can));
}
