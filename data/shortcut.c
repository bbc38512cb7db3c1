/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings that need no tree.
 *
 * Most mappings of real specifications only pass a value on: a path to one
 * variable, or one constructor around such a path. They are recognised when the
 * query is compiled, and evaluated by copying text. When the value is not as
 * simple as the mapping (mixed content, namespaces) the query is evaluated in
 * the ordinary way.
 */
#include "data/shortcut.h"

#include <string.h>

#include "base/panic.h"
#include "data/canonical.h"
#include "xquery/eval/eval.h"

/* ---- recognising ---- */

static bool plain_step(const struct wf_expr *step)
{
	return step->kind == WF_EXPR_STEP && step->op == WF_AXIS_CHILD &&
	       step->count == 0 && step->u.test->kind == WF_TEST_NAME &&
	       !step->u.test->any_uri && !step->u.test->any_local &&
	       step->u.test->name.uri[0] == '\0';
}

/* "/root/child" and count further steps. */
static bool plain_path(const struct wf_expr *path, unsigned further)
{
	return path->kind == WF_EXPR_PATH && path->count == 3 + further &&
	       path->kids[0]->kind == WF_EXPR_ROOT &&
	       plain_step(path->kids[1]) && plain_step(path->kids[2]);
}

static enum wf_shortcut_kind last_step(const struct wf_expr *path)
{
	const struct wf_expr *step = path->kids[3];

	if (step->kind != WF_EXPR_STEP || step->op != WF_AXIS_CHILD ||
	    step->count > 0)
		return WF_SHORTCUT_NONE;
	if (step->u.test->kind == WF_TEST_TEXT)
		return WF_SHORTCUT_TEXT;
	if (step->u.test->kind == WF_TEST_NAME && step->u.test->any_uri &&
	    step->u.test->any_local)
		return WF_SHORTCUT_ELEMENTS;
	return WF_SHORTCUT_NONE;
}

static void set_path(struct wf_shortcut *shortcut, const struct wf_expr *path)
{
	shortcut->root = path->kids[1]->u.test->name.local;
	shortcut->child = path->kids[2]->u.test->name.local;
	shortcut->child_length = strlen(shortcut->child);
}

/* <name> without attributes, namespaces and prefix. */
static bool plain_element(const struct wf_expr *expr)
{
	return expr->kind == WF_EXPR_ELEMENT && expr->u.constructor->direct &&
	       expr->u.constructor->attributes == 0 &&
	       expr->u.constructor->name.uri[0] == '\0' &&
	       expr->namespaces->list == NULL;
}

static bool is_constant(const struct wf_expr *expr)
{
	if (expr->kind != WF_EXPR_ELEMENT && expr->kind != WF_EXPR_CONTENT &&
	    expr->kind != WF_EXPR_LITERAL)
		return false;
	if (expr->kind == WF_EXPR_ELEMENT && !plain_element(expr))
		return false;
	for (unsigned i = 0; i < expr->count; i++) {
		if (!is_constant(expr->kids[i]))
			return false;
	}
	return true;
}

static void find_element(
    struct wf_shortcut *shortcut, const struct wf_expr *expr)
{
	if (expr->count != 1 || !plain_path(expr->kids[0], 1))
		return;
	shortcut->kind = last_step(expr->kids[0]);
	shortcut->name = expr->u.constructor->name.local;
	shortcut->name_length = strlen(shortcut->name);
	set_path(shortcut, expr->kids[0]);
}

/*
 * A constant result, which depends on neither document nor limits, is made
 * once.
 */
static void find_constant(
    const struct wf_query *query, struct wf_shortcut *shortcut)
{
	struct wf_evaluation how = { .now = 0 };
	struct wf_value *constant = NULL;

	if (wf_query_element(query, NULL, &how, &constant, NULL) != WF_OK ||
	    constant == NULL)
		return;
	wf_value_make_permanent(constant);
	shortcut->constant = constant;
	shortcut->kind = WF_SHORTCUT_CONSTANT;
}

void wf_shortcut_find(struct wf_query *query)
{
	const struct wf_expr *body = query->body;
	struct wf_shortcut *shortcut =
	    wf_arena_alloc(query->arena, sizeof(*shortcut));

	if (body->kind == WF_EXPR_ELEMENT && is_constant(body)) {
		find_constant(query, shortcut);
	} else if (body->kind == WF_EXPR_ELEMENT && plain_element(body)) {
		find_element(shortcut, body);
	} else if (plain_path(body, 0)) {
		shortcut->kind = WF_SHORTCUT_COPY;
		set_path(shortcut, body);
	} else if (body->kind == WF_EXPR_CALL && body->count == 0 &&
		   strcmp(body->u.call->builtin->space, "fn") == 0) {
		shortcut->boolean =
		    strcmp(body->u.call->builtin->name, "true") == 0;
		if (shortcut->boolean ||
		    strcmp(body->u.call->builtin->name, "false") == 0)
			shortcut->kind = WF_SHORTCUT_BOOLEAN;
	}
	if (shortcut->kind != WF_SHORTCUT_NONE)
		query->shortcut = shortcut;
}

/* ---- doing ---- */

/* The only child of that name, or NULL; false: there are several. */
static bool find_child(const struct wf_shortcut *shortcut,
    const struct wf_document *document, struct wf_value **child_out)
{
	size_t length = shortcut->child_length;

	*child_out = NULL;
	if (strcmp(document->root, shortcut->root) != 0)
		return true;
	for (size_t i = 0; i < document->count; i++) {
		struct wf_value *value = document->values[i];

		if (value == NULL || value->name_length != length ||
		    memcmp(value->text + 1, shortcut->child, length) != 0)
			continue;
		if (*child_out != NULL)
			return false;
		*child_out = value;
	}
	return true;
}

/* Whether there is no text between the elements. */
static bool only_elements(const char *text, size_t length)
{
	const char *end = text + length;
	size_t depth = 0;

	while (text < end) {
		const char *close;

		if (*text != '<') {
			if (depth == 0)
				return false;
			text = memchr(text, '<', (size_t)(end - text));
			if (text == NULL)
				return false;
		}
		close = memchr(text, '>', (size_t)(end - text));
		if (close == NULL)
			return false;
		if (text[1] == '/')
			depth--;
		else if (close[-1] != '/')
			depth++;
		text = close + 1;
	}
	return true;
}

static void wrap(const struct wf_shortcut *shortcut, const char *content,
    size_t length, struct wf_value **value_out)
{
	size_t name = shortcut->name_length;
	size_t total = 2 * name + length + 5;
	char small[512];
	char *text = total < sizeof(small) ? small : wf_malloc(total + 1);
	char *to = text;

	*to++ = '<';
	to = mempcpy(to, shortcut->name, name);
	if (length > 0) {
		*to++ = '>';
		to = mempcpy(to, content, length);
		to = mempcpy(to, "</", 2);
		to = mempcpy(to, shortcut->name, name);
	} else {
		*to++ = '/';
	}
	*to++ = '>';
	*to = '\0';
	wf_assert((size_t)(to - text) <= total);
	*value_out = wf_value_new_canonical(text, (size_t)(to - text), name);
	if (text != small)
		wf_free(text);
}

bool wf_shortcut_element(const struct wf_shortcut *shortcut,
    const struct wf_document *document, struct wf_value **value_out)
{
	const char *content = "";
	size_t length = 0;
	struct wf_value *child;
	bool markup;
	char behind;

	if (shortcut->kind == WF_SHORTCUT_CONSTANT) {
		*value_out = wf_value_ref(shortcut->constant);
		return true;
	}
	if (document == NULL || document->root == NULL ||
	    !find_child(shortcut, document, &child))
		return false;
	if (child != NULL) {
		behind = child->text[1 + child->name_length];
		if (behind != '>' && behind != '/')
			return false;
	}
	if (shortcut->kind == WF_SHORTCUT_COPY) {
		*value_out = wf_value_ref(child);
		return true;
	}
	if (child != NULL) {
		content = wf_value_content(child, &length, &markup);
		if (shortcut->kind == WF_SHORTCUT_TEXT ? markup
		    : markup ? !only_elements(content, length)
			     : false)
			return false;
		if (shortcut->kind == WF_SHORTCUT_ELEMENTS && !markup)
			length = 0;
	}
	if (length > WF_VALUE_BYTES - 2 * shortcut->name_length - 5)
		return false;
	wrap(shortcut, content, length, value_out);
	return true;
}
