/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of functions, and global variables. */
#include <string.h>

#include "base/panic.h"
#include "xquery/eval/eval.h"

/* Only concat() has more arguments than this. */
#define FEW_ARGUMENTS 4

static enum wf_rc eval_argument(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, unsigned i, struct wf_sequence *argument)
{
	const struct wf_sequence_type *type = &expr->u.call->parameters[i];
	const struct wf_sequence *lent;
	struct wf_one own;

	/*
	 * Functions only read their arguments, so a matching value needs no
	 * copy.
	 */
	if (expr->kids[i]->kind == WF_EXPR_VARIABLE) {
		WF_TRY(wf_eval_lent(dynamic, expr->kids[i], &own, &lent));
		if (wf_type_matches(dynamic, type, lent)) {
			wf_charge(dynamic, lent->count / 2);
			*argument = *lent;
			argument->capacity = argument->count;
			return WF_OK;
		}
	}
	WF_TRY(wf_eval(dynamic, expr->kids[i], argument));
	WF_TRY(wf_type_convert(dynamic, type, argument, "an argument"));
	/*
	 * Functions count steps for the text they read, but not for the items.
	 */
	wf_charge(dynamic, argument->count / 2);
	return WF_OK;
}

enum wf_rc wf_eval_call(struct wf_dynamic *dynamic, const struct wf_expr *expr,
    struct wf_sequence *result)
{
	struct wf_one few[FEW_ARGUMENTS];
	struct wf_sequence list[FEW_ARGUMENTS] = { { NULL, 0, 0 } };
	struct wf_sequence *arguments = list;
	unsigned count = expr->count;

	wf_assert(count >= expr->u.call->builtin->minimum &&
		  count <= expr->u.call->builtin->maximum);
	if (count > FEW_ARGUMENTS)
		arguments = wf_arena_array(
		    dynamic->arena, count, sizeof(struct wf_sequence));
	wf_charge(dynamic, 1); /* beside the expression */
	for (unsigned i = 0; i < count; i++) {
		if (count <= FEW_ARGUMENTS)
			arguments[i] = *wf_one_init(&few[i]);
		WF_TRY(eval_argument(dynamic, expr, i, &arguments[i]));
	}
	WF_TRY(expr->u.call->builtin->call(dynamic, arguments, count, result));
	for (unsigned i = 0; i < count; i++) {
		if (expr->kids[i]->kind != WF_EXPR_VARIABLE)
			wf_sequence_release(dynamic, &arguments[i]);
	}
	return WF_OK;
}

/* The body of a function has no context item, and only its own variables. */
static enum wf_rc eval_body(struct wf_dynamic *dynamic,
    const struct wf_expr *body, struct wf_sequence *slots,
    struct wf_sequence *result)
{
	struct wf_eval_state *state = dynamic->state;
	struct wf_sequence *outer_slots = state->slots;
	struct wf_focus outer_focus = state->focus;
	enum wf_rc rc;

	state->slots = slots;
	memset(&state->focus, 0, sizeof(state->focus));
	rc = wf_eval(dynamic, body, result);
	state->slots = outer_slots;
	state->focus = outer_focus;
	return rc;
}

enum wf_rc wf_eval_call_user(struct wf_dynamic *dynamic,
    const struct wf_expr *expr, struct wf_sequence *result)
{
	const struct wf_user_function *function = expr->u.call->user;
	struct wf_sequence *slots = wf_arena_array(
	    dynamic->arena, function->slots + 1, sizeof(struct wf_sequence));
	struct wf_item *room = wf_arena_array(
	    dynamic->arena, expr->count + 1, sizeof(struct wf_item));

	wf_assert(expr->count == function->count &&
		  function->slots >= function->count);
	for (unsigned i = 0; i < expr->count; i++) {
		slots[i].items = &room[i];
		slots[i].capacity = 1;
		WF_TRY(wf_eval(dynamic, expr->kids[i], &slots[i]));
		WF_TRY(wf_type_convert(
		    dynamic, function->types[i], &slots[i], "an argument"));
	}
	if (function->result == NULL) {
		WF_TRY(eval_body(dynamic, function->body, slots, result));
	} else {
		struct wf_one own;
		struct wf_sequence *value = wf_one_init(&own);

		WF_TRY(eval_body(dynamic, function->body, slots, value));
		WF_TRY(wf_type_convert(dynamic, function->result, value,
		    "the result of a function"));
		WF_TRY(wf_sequence_add_all(dynamic, result, value));
		wf_one_release(dynamic, &own);
	}
	for (unsigned i = 0; i < expr->count; i++)
		wf_sequence_release(dynamic, &slots[i]);
	return WF_OK;
}

/* ---- global variables: evaluated when first needed ---- */

static enum wf_rc external_value(struct wf_dynamic *dynamic,
    const struct wf_global *global, struct wf_sequence *value)
{
	const char *text = NULL;

	if (dynamic->state->variables != NULL)
		text = dynamic->state->variables[global->external];
	if (text == NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "XPDY0002",
		    "the external variable $%s has no value",
		    global->name.local);
	WF_TRY(wf_sequence_add_atomic(dynamic, value,
	    wf_atomic_string(WF_XS_UNTYPED, text, strlen(text))));
	return wf_type_convert(
	    dynamic, global->type, value, "an external variable");
}

static enum wf_rc global_value(struct wf_dynamic *dynamic,
    const struct wf_global *global, struct wf_sequence *value)
{
	struct wf_eval_state *state = dynamic->state;
	struct wf_sequence *outer = state->slots;
	struct wf_focus focus = state->focus;
	uintptr_t order = state->next_order;
	enum wf_rc rc;

	if (global->external >= 0)
		return external_value(dynamic, global, value);
	if (global->value == NULL)
		return wf_fail_code(dynamic->err, WF_DATA, "XPDY0002",
		    "the external variable $%s has no value",
		    global->name.local);
	/*
	 * Nodes made here must not be numbered among those of an unfinished
	 * tree.
	 */
	state->next_order = (uintptr_t)(global - state->query->globals + 1)
			    << WF_ORDER_SHIFT;
	state->focus = state->initial;
	state->slots = wf_arena_array(
	    dynamic->arena, global->slots + 1, sizeof(struct wf_sequence));
	rc = wf_eval(dynamic, global->value, value);
	state->slots = outer;
	state->focus = focus;
	state->next_order = order;
	if (rc != WF_OK)
		return rc;
	return wf_type_check(dynamic, global->type, value, "a global variable");
}

/* The context item of the caller takes precedence over the prolog. */
enum wf_rc wf_eval_declared_context(
    struct wf_dynamic *dynamic, struct wf_item *item_out)
{
	struct wf_focus *focus = &dynamic->state->initial;
	const struct wf_global *global = dynamic->state->query->context;
	struct wf_sequence value = { NULL, 0, 0 };

	if (global == NULL)
		return WF_OK;
	if (focus->item == NULL && global->value != NULL) {
		dynamic->state->slots = wf_arena_array(dynamic->arena,
		    global->slots + 1, sizeof(struct wf_sequence));
		WF_TRY(wf_eval(dynamic, global->value, &value));
		if (value.count != 1)
			return wf_fail_code(dynamic->err, WF_DATA, "XPTY0004",
			    "the context item is one item, not %zu",
			    value.count);
		*item_out = value.items[0];
		focus->item = item_out;
		focus->position = 1;
		focus->size = 1;
	}
	if (focus->item == NULL)
		return WF_OK;
	value.items = (struct wf_item *)focus->item;
	value.count = 1;
	return wf_type_check(dynamic, global->type, &value, "the context item");
}

enum wf_rc wf_eval_global(struct wf_dynamic *dynamic, unsigned index,
    const struct wf_sequence **value_out)
{
	struct wf_eval_state *state = dynamic->state;
	const struct wf_global *global = &state->query->globals[index];
	enum wf_rc rc;

	wf_assert(index < state->query->global_count);
	*value_out = &state->globals[index];
	if (state->global_status[index] == WF_GLOBAL_KNOWN)
		return WF_OK;
	if (state->global_status[index] == WF_GLOBAL_BUSY)
		return wf_fail_code(dynamic->err, WF_DATA, "XQDY0054",
		    "the value of $%s depends on itself", global->name.local);
	state->global_status[index] = WF_GLOBAL_BUSY;
	rc = global_value(dynamic, global, &state->globals[index]);
	if (rc != WF_OK) {
		state->global_failed = true;
		return rc;
	}
	state->global_status[index] = WF_GLOBAL_KNOWN;
	return WF_OK;
}
