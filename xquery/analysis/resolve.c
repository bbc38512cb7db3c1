/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binds the names of a parsed query: prefixes to namespaces, variables to
 * slots of their frame, calls to functions, type names to types.
 *
 * A frame holds the variables of one function body, of one global variable's
 * value, or of the query's body; every binding has a slot of its own in it.
 * The first mistake leaves the resolver by longjmp.
 */
#include "xquery/analysis/analysis.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "xquery/atomic/atomic.h"
#include "xquery/functions/functions.h"

struct binding {
	const struct wf_qname *name;
	unsigned slot;
	bool *used; /* set by a reference; or NULL */
	const struct binding *outer;
};

struct resolver {
	struct wf_query *query;
	struct wf_arena *arena;
	const struct binding *scope;
	unsigned slots;
	struct wf_error *err;
	jmp_buf failed;
};

_Noreturn static void fail(struct resolver *resolver, const char *code,
    uint32_t offset, const char *format, ...) WF_PRINTF(4, 5);

static void fail(struct resolver *resolver, const char *code, uint32_t offset,
    const char *format, ...)
{
	char message[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	wf_text_place(resolver->query->text, offset, &resolver->err->place);
	(void)wf_fail_code(resolver->err, WF_DATA, code, "%s", message);
	longjmp(resolver->failed, 1);
}

/* default_uri: the namespace of a name without prefix. */
static void bind_name(struct resolver *resolver, struct wf_qname *name,
    const struct wf_namespaces *namespaces, const char *default_uri,
    uint32_t offset)
{
	if (name->uri != NULL)
		return;
	if (name->prefix[0] == '\0') {
		name->uri = default_uri;
		return;
	}
	name->uri = wf_namespaces_find(namespaces, name->prefix);
	if (name->uri == NULL)
		fail(resolver, "XPST0081", offset,
		    "the prefix %s is not declared", name->prefix);
}

static const char *default_element(const struct wf_namespaces *namespaces)
{
	const char *uri = wf_namespaces_find(namespaces, "");

	return uri == NULL ? "" : uri;
}

/* ---- types ---- */

static bool is_xs(const struct wf_qname *name, const char *local)
{
	return strcmp(name->uri, WF_NS_XS) == 0 &&
	       strcmp(name->local, local) == 0;
}

static enum wf_test_type test_type(
    struct resolver *resolver, const struct wf_node_test *test)
{
	const struct wf_qname *name = &test->type_name;

	if (is_xs(name, "anyType"))
		return WF_TEST_TYPE_ANY;
	if (is_xs(name, "untyped"))
		return test->kind == WF_TEST_ELEMENT ? WF_TEST_TYPE_UNTYPED
						     : WF_TEST_TYPE_NONE;
	if (is_xs(name, "anySimpleType") || is_xs(name, "anyAtomicType") ||
	    is_xs(name, "untypedAtomic"))
		return test->kind == WF_TEST_ATTRIBUTE ? WF_TEST_TYPE_ANY
						       : WF_TEST_TYPE_NONE;
	if (strcmp(name->uri, WF_NS_XS) != 0 ||
	    (wf_atomic_type_by_name(name->local) == WF_ATOMIC_TYPE_COUNT &&
		strcmp(name->local, "IDREFS") != 0 &&
		strcmp(name->local, "NMTOKENS") != 0 &&
		strcmp(name->local, "ENTITIES") != 0))
		fail(resolver, "XPST0008", test->offset,
		    "the type %s is not known", name->local);
	return WF_TEST_TYPE_NONE;
}

static void bind_test(struct resolver *resolver, struct wf_node_test *test,
    const struct wf_namespaces *namespaces, const char *default_uri)
{
	if (!test->any_uri && test->name.prefix != NULL)
		bind_name(resolver, &test->name, namespaces, default_uri,
		    test->offset);
	if (test->has_type) {
		bind_name(resolver, &test->type_name, namespaces,
		    default_element(namespaces), test->offset);
		test->type = test_type(resolver, test);
	}
	if (test->kind == WF_TEST_SCHEMA)
		fail(resolver, "XPST0008", test->offset,
		    "there is no schema that declares %s", test->name.local);
	if (test->inner != NULL)
		bind_test(resolver, test->inner, namespaces,
		    default_element(namespaces));
}

static void bind_kind_test(struct resolver *resolver, struct wf_node_test *test,
    const struct wf_namespaces *namespaces)
{
	bind_test(resolver, test, namespaces,
	    test->kind == WF_TEST_ATTRIBUTE ? "" : default_element(namespaces));
}

/* unknown: the error code for an unknown type. */
static void bind_atomic(struct resolver *resolver,
    struct wf_sequence_type *type, const struct wf_namespaces *namespaces,
    const char *unknown)
{
	bind_name(resolver, &type->name, namespaces,
	    default_element(namespaces), type->offset);
	type->atomic = WF_ATOMIC_TYPE_COUNT;
	if (strcmp(type->name.uri, WF_NS_XS) == 0)
		type->atomic = wf_atomic_type_by_name(type->name.local);
	if (type->atomic == WF_ATOMIC_TYPE_COUNT)
		fail(resolver, unknown, type->offset,
		    "%s is not an atomic type that is known", type->name.local);
}

/* const: clauses share types as const; the type is bound once, here. */
static void bind_type(struct resolver *resolver,
    const struct wf_sequence_type *constant,
    const struct wf_namespaces *namespaces)
{
	struct wf_sequence_type *type = (struct wf_sequence_type *)constant;

	if (type == NULL)
		return;
	if (type->or_else != NULL)
		bind_type(resolver, type->or_else, namespaces);
	if (type->test != NULL)
		bind_kind_test(resolver, type->test, namespaces);
	if (type->kind == WF_SEQUENCE_ATOMIC)
		bind_atomic(resolver, type, namespaces, "XPST0051");
}

static void bind_cast_type(struct resolver *resolver,
    struct wf_sequence_type *type, const struct wf_namespaces *namespaces)
{
	bind_name(resolver, &type->name, namespaces,
	    default_element(namespaces), type->offset);
	if (is_xs(&type->name, "anySimpleType") ||
	    is_xs(&type->name, "anyAtomicType") ||
	    is_xs(&type->name, "NOTATION"))
		fail(resolver, "XPST0080", type->offset,
		    "nothing can be cast to xs:%s", type->name.local);
	bind_atomic(resolver, type, namespaces, "XQST0052");
}

/* ---- variables ---- */

static unsigned bind_used(struct resolver *resolver, struct wf_qname *name,
    const struct wf_namespaces *namespaces, uint32_t offset, bool *used)
{
	struct binding *binding =
	    wf_arena_alloc(resolver->arena, sizeof(struct binding));

	bind_name(resolver, name, namespaces, "", offset);
	binding->name = name;
	binding->slot = resolver->slots++;
	binding->used = used;
	binding->outer = resolver->scope;
	resolver->scope = binding;
	return binding->slot;
}

static unsigned bind_variable(struct resolver *resolver, struct wf_qname *name,
    const struct wf_namespaces *namespaces, uint32_t offset)
{
	return bind_used(resolver, name, namespaces, offset, NULL);
}

static bool same_name(const struct wf_qname *a, const struct wf_qname *b)
{
	return strcmp(a->local, b->local) == 0 && strcmp(a->uri, b->uri) == 0;
}

static const struct binding *find_binding(
    const struct resolver *resolver, const struct wf_qname *name)
{
	const struct binding *binding = resolver->scope;

	while (binding != NULL && !same_name(binding->name, name))
		binding = binding->outer;
	if (binding != NULL && binding->used != NULL)
		*binding->used = true;
	return binding;
}

static void resolve_variable(struct resolver *resolver, struct wf_expr *expr)
{
	struct wf_qname *name = &expr->u.variable.name;
	const struct wf_query *query = resolver->query;
	const struct binding *binding;

	bind_name(resolver, name, expr->namespaces, "", expr->offset);
	binding = find_binding(resolver, name);
	if (binding != NULL) {
		expr->u.variable.slot = binding->slot;
		return;
	}
	for (size_t i = 0; i < query->global_count; i++) {
		if (!same_name(&query->globals[i].name, name))
			continue;
		expr->u.variable.slot = (unsigned)i;
		expr->u.variable.global = true;
		return;
	}
	fail(resolver, "XPST0008", expr->offset,
	    "the variable $%s is not declared", name->local);
}

/* ---- calls ---- */

static void add_context(struct resolver *resolver, struct wf_expr *call)
{
	struct wf_expr *context =
	    wf_arena_alloc(resolver->arena, sizeof(struct wf_expr));

	context->kind = WF_EXPR_CONTEXT;
	context->offset = call->offset;
	context->height = 1;
	context->namespaces = call->namespaces;
	call->kids = wf_arena_grow(resolver->arena, call->kids, call->count,
	    &call->capacity, sizeof(struct wf_expr *));
	call->kids[call->count++] = context;
	if (call->height < 2)
		call->height = 2;
}

/* Functions whose context item argument may be omitted. */
static void complete_call(struct resolver *resolver, struct wf_expr *expr)
{
	static const char *const none[] = { "string", "string-length",
		"normalize-space", "number", "name", "local-name",
		"namespace-uri", "root", "base-uri", "document-uri",
		"node-name", "nilled", "data", "generate-id", "has-children",
		"path" };
	static const char *const one[] = { "lang", "id", "idref",
		"element-with-id" };
	const char *const *names = expr->count == 0 ? none : one;
	size_t count = expr->count == 0 ? sizeof(none) / sizeof(none[0])
					: sizeof(one) / sizeof(one[0]);

	if (expr->count > 1)
		return;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], expr->u.call->name.local) == 0) {
			add_context(resolver, expr);
			return;
		}
	}
}

/* string-length() and normalize-space() take the string of the item. */
static void complete_string(struct resolver *resolver, struct wf_expr *expr)
{
	struct wf_expr *string;
	const char *local = expr->u.call->name.local;

	if (strcmp(local, "string-length") != 0 &&
	    strcmp(local, "normalize-space") != 0)
		return;
	string = wf_arena_alloc(resolver->arena, sizeof(struct wf_expr));
	*string = *expr;
	string->u.call =
	    wf_arena_alloc(resolver->arena, sizeof(struct wf_call));
	string->u.call->name = expr->u.call->name;
	string->u.call->name.local = "string";
	string->u.call->builtin = wf_function_find(WF_NS_FN, "string", 1);
	string->u.call->parameters =
	    wf_function_parameters(resolver->arena, string->u.call->builtin, 1);
	expr->kids =
	    wf_arena_array(resolver->arena, 1, sizeof(struct wf_expr *));
	expr->capacity = 1;
	expr->kids[0] = string;
	expr->height++;
}

/* xs:TYPE(value) is a cast. */
static bool resolve_constructor(struct resolver *resolver, struct wf_expr *expr)
{
	const struct wf_qname *name = &expr->u.call->name;
	struct wf_sequence_type *type;
	enum wf_atomic_type atomic;

	if (strcmp(name->uri, WF_NS_XS) != 0 || expr->count != 1)
		return false;
	atomic = wf_atomic_type_by_name(name->local);
	if (atomic == WF_ATOMIC_TYPE_COUNT || atomic == WF_XS_ANY_ATOMIC ||
	    atomic == WF_XS_NOTATION)
		return false;
	type = wf_arena_alloc(resolver->arena, sizeof(*type));
	type->kind = WF_SEQUENCE_ATOMIC;
	type->atomic = atomic;
	type->occurrence = '?';
	type->name = *name;
	expr->kind = WF_EXPR_CAST;
	expr->u.type = type;
	return true;
}

static const struct wf_user_function *find_user(
    const struct wf_query *query, const struct wf_qname *name, unsigned arity)
{
	for (size_t i = 0; i < query->function_count; i++) {
		if (query->functions[i]->count == arity &&
		    same_name(&query->functions[i]->name, name))
			return query->functions[i];
	}
	return NULL;
}

static void resolve_call(struct resolver *resolver, struct wf_expr *expr)
{
	struct wf_call *call = expr->u.call;
	unsigned arity = expr->count;

	bind_name(resolver, &call->name, expr->namespaces,
	    resolver->query->default_function, expr->offset);
	call->user = find_user(resolver->query, &call->name, arity);
	if (call->user != NULL) {
		expr->kind = WF_EXPR_CALL_USER;
		return;
	}
	if (resolve_constructor(resolver, expr))
		return;
	if (strcmp(call->name.uri, WF_NS_FN) == 0) {
		complete_call(resolver, expr);
		if (arity == 0 && expr->count == 1)
			complete_string(resolver, expr);
	}
	call->builtin =
	    wf_function_find(call->name.uri, call->name.local, expr->count);
	if (call->builtin == NULL)
		fail(resolver, "XPST0017", expr->offset,
		    "there is no function %s%s%s with %u argument%s",
		    call->name.prefix, call->name.prefix[0] == '\0' ? "" : ":",
		    call->name.local, arity, arity == 1 ? "" : "s");
	call->parameters =
	    wf_function_parameters(resolver->arena, call->builtin, expr->count);
}

/* ---- expressions ---- */

static void resolve(struct resolver *resolver, struct wf_expr *expr);

static void resolve_kids(struct resolver *resolver, struct wf_expr *expr)
{
	for (unsigned i = 0; i < expr->count; i++)
		resolve(resolver, expr->kids[i]);
}

static void resolve_for(struct resolver *resolver, struct wf_clause *clause)
{
	clause->slot = bind_variable(
	    resolver, &clause->name, clause->namespaces, clause->offset);
	if (clause->position.local == NULL)
		return;
	clause->position_slot = bind_variable(
	    resolver, &clause->position, clause->namespaces, clause->offset);
	if (same_name(&clause->name, &clause->position))
		fail(resolver, "XQST0089", clause->offset,
		    "both variables are called $%s", clause->name.local);
}

static void resolve_group(struct resolver *resolver, struct wf_clause *clause)
{
	const struct binding *binding;

	if (clause->kid != UINT32_MAX) {
		clause->slot = bind_variable(resolver, &clause->name,
		    clause->namespaces, clause->offset);
		return;
	}
	bind_name(
	    resolver, &clause->name, clause->namespaces, "", clause->offset);
	binding = find_binding(resolver, &clause->name);
	if (binding == NULL)
		fail(resolver, "XQST0094", clause->offset,
		    "the variable $%s is not bound in this expression",
		    clause->name.local);
	clause->slot = binding->slot;
}

/* Binds the variables of an edge; all of a window have different names. */
static void resolve_edge(struct resolver *resolver, struct wf_expr *expr,
    struct wf_clause *clause, struct wf_window_edge *edge,
    const struct binding *outer)
{
	for (size_t i = 0; i < 4; i++) {
		const struct binding *one;

		if (edge->names[i].local == NULL)
			continue;
		bind_name(resolver, &edge->names[i], clause->namespaces, "",
		    clause->offset);
		one = resolver->scope;
		while (one != outer && !same_name(one->name, &edge->names[i]))
			one = one->outer;
		if (one != outer || same_name(&clause->name, &edge->names[i]))
			fail(resolver, "XQST0103", clause->offset,
			    "two variables of the window are called $%s",
			    edge->names[i].local);
		edge->slots[i] = bind_variable(resolver, &edge->names[i],
		    clause->namespaces, clause->offset);
	}
	resolve(resolver, expr->kids[edge->kid]);
}

static void resolve_window(
    struct resolver *resolver, struct wf_expr *expr, struct wf_clause *clause)
{
	struct wf_window *window = clause->window;
	const struct binding *outer = resolver->scope;

	bind_name(
	    resolver, &clause->name, clause->namespaces, "", clause->offset);
	resolve_edge(resolver, expr, clause, &window->start, outer);
	if (window->has_end)
		resolve_edge(resolver, expr, clause, &window->end, outer);
	clause->slot = bind_variable(
	    resolver, &clause->name, clause->namespaces, clause->offset);
}

static void resolve_clause(
    struct resolver *resolver, struct wf_expr *expr, struct wf_clause *clause)
{
	bind_type(resolver, clause->type, clause->namespaces);
	if (clause->kid != UINT32_MAX)
		resolve(resolver, expr->kids[clause->kid]);
	clause->first_slot = resolver->slots;
	switch (clause->kind) {
	case WF_CLAUSE_FOR:
		resolve_for(resolver, clause);
		break;
	case WF_CLAUSE_WINDOW:
		resolve_window(resolver, expr, clause);
		break;
	case WF_CLAUSE_GROUP:
		resolve_group(resolver, clause);
		break;
	case WF_CLAUSE_LET:
	case WF_CLAUSE_COUNT:
		clause->slot = bind_used(resolver, &clause->name,
		    clause->namespaces, clause->offset, &clause->used);
		break;
	default:
		break;
	}
	clause->slot_count = resolver->slots - clause->first_slot;
}

static void resolve_flwor(struct resolver *resolver, struct wf_expr *expr)
{
	struct wf_flwor *flwor = expr->u.flwor;
	const struct binding *scope = resolver->scope;

	for (size_t i = 0; i < flwor->count; i++)
		resolve_clause(resolver, expr, &flwor->clauses[i]);
	resolve(resolver, expr->kids[expr->count - 1]);
	resolver->scope = scope;
}

static void resolve_typeswitch(struct resolver *resolver, struct wf_expr *expr)
{
	resolve(resolver, expr->kids[0]);
	for (size_t i = 0; i < expr->u.cases->count; i++) {
		struct wf_case *one = &expr->u.cases->list[i];
		const struct binding *scope = resolver->scope;

		bind_type(resolver, one->type, expr->namespaces);
		if (one->name.local != NULL)
			one->slot = bind_variable(resolver, &one->name,
			    expr->namespaces, expr->offset);
		resolve(resolver, expr->kids[one->result_kid]);
		resolver->scope = scope;
	}
}

static void resolve_try(struct resolver *resolver, struct wf_expr *expr)
{
	static struct wf_qname names[WF_CATCH_VARIABLES] = { { "err", WF_NS_ERR,
								 "code" },
		{ "err", WF_NS_ERR, "description" },
		{ "err", WF_NS_ERR, "value" },
		{ "err", WF_NS_ERR, "line-number" },
		{ "err", WF_NS_ERR, "column-number" },
		{ "err", WF_NS_ERR, "module" },
		{ "err", WF_NS_ERR, "additional" } };

	resolve(resolver, expr->kids[0]);
	for (size_t i = 0; i < expr->u.cases->count; i++) {
		struct wf_case *one = &expr->u.cases->list[i];
		const struct binding *scope = resolver->scope;

		for (size_t k = 0; k < one->test_count; k++)
			bind_test(
			    resolver, &one->tests[k], expr->namespaces, "");
		one->slot = bind_variable(
		    resolver, &names[0], expr->namespaces, expr->offset);
		for (size_t k = 1; k < WF_CATCH_VARIABLES; k++)
			(void)bind_variable(resolver, &names[k],
			    expr->namespaces, expr->offset);
		resolve(resolver, expr->kids[one->result_kid]);
		resolver->scope = scope;
	}
}

/* Refuses two attributes of one tag with the same expanded name. */
static void check_attributes(
    struct resolver *resolver, const struct wf_expr *expr)
{
	for (unsigned i = 1; i < expr->u.constructor->attributes; i++) {
		const struct wf_expr *one = expr->kids[i];

		for (unsigned k = 0; k < i; k++) {
			const struct wf_expr *other = expr->kids[k];

			if (same_name(&one->u.constructor->name,
				&other->u.constructor->name))
				fail(resolver, "XQST0040", one->offset,
				    "there are two attributes %s",
				    one->u.constructor->name.local);
		}
	}
}

static void resolve_element(struct resolver *resolver, struct wf_expr *expr)
{
	const char *uri = expr->kind == WF_EXPR_ELEMENT
			      ? default_element(expr->namespaces)
			      : "";

	if (expr->u.constructor->name.local != NULL)
		bind_name(resolver, &expr->u.constructor->name,
		    expr->namespaces, uri, expr->offset);
	resolve_kids(resolver, expr);
	check_attributes(resolver, expr);
}

static void resolve_step(struct resolver *resolver, struct wf_expr *expr)
{
	struct wf_node_test *test = expr->u.test;

	if (test->kind == WF_TEST_NAME)
		bind_test(resolver, test, expr->namespaces,
		    expr->op == WF_AXIS_ATTRIBUTE
			? ""
			: default_element(expr->namespaces));
	else
		bind_kind_test(resolver, test, expr->namespaces);
	resolve_kids(resolver, expr);
}

static void resolve(struct resolver *resolver, struct wf_expr *expr)
{
	switch (expr->kind) {
	case WF_EXPR_VARIABLE:
		resolve_variable(resolver, expr);
		return;
	case WF_EXPR_CALL:
		resolve_kids(resolver, expr);
		resolve_call(resolver, expr);
		return;
	case WF_EXPR_FLWOR:
	case WF_EXPR_QUANTIFIED:
		resolve_flwor(resolver, expr);
		return;
	case WF_EXPR_TYPESWITCH:
		resolve_typeswitch(resolver, expr);
		return;
	case WF_EXPR_TRY:
		resolve_try(resolver, expr);
		return;
	case WF_EXPR_STEP:
		resolve_step(resolver, expr);
		return;
	case WF_EXPR_ELEMENT:
	case WF_EXPR_ATTRIBUTE:
		resolve_element(resolver, expr);
		return;
	case WF_EXPR_INSTANCE:
	case WF_EXPR_TREAT:
		bind_type(resolver, expr->u.type, expr->namespaces);
		break;
	case WF_EXPR_CAST:
	case WF_EXPR_CASTABLE:
		bind_cast_type(resolver, expr->u.type, expr->namespaces);
		break;
	default:
		break;
	}
	resolve_kids(resolver, expr);
}

/* ---- the prolog ---- */

static void check_function(
    struct resolver *resolver, struct wf_user_function *function, size_t n)
{
	static const char *const taken[] = { WF_NS_XML, WF_NS_XS, WF_NS_XSI,
		WF_NS_FN };
	const struct wf_query *query = resolver->query;

	if (function->name.uri[0] == '\0')
		fail(resolver, "XQST0060", function->offset,
		    "the function %s needs a namespace", function->name.local);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		if (strcmp(function->name.uri, taken[i]) == 0)
			fail(resolver, "XQST0045", function->offset,
			    "the namespace of the function %s is reserved",
			    function->name.local);
	}
	for (size_t i = 0; i < n; i++) {
		if (query->functions[i]->count == function->count &&
		    same_name(&query->functions[i]->name, &function->name))
			fail(resolver, "XQST0034", function->offset,
			    "the function %s is declared twice",
			    function->name.local);
	}
	if (function->body == NULL)
		fail(resolver, "XPST0017", function->offset,
		    "there is no external function %s", function->name.local);
}

static void declare_functions(struct resolver *resolver)
{
	const struct wf_query *query = resolver->query;

	for (size_t i = 0; i < query->function_count; i++) {
		struct wf_user_function *function = query->functions[i];

		bind_name(resolver, &function->name, function->namespaces,
		    query->default_function, function->offset);
		check_function(resolver, function, i);
		for (size_t k = 0; k < function->count; k++)
			bind_type(
			    resolver, function->types[k], function->namespaces);
		bind_type(resolver, function->result, function->namespaces);
	}
}

static void resolve_function(
    struct resolver *resolver, struct wf_user_function *function)
{
	resolver->scope = NULL;
	resolver->slots = 0;
	for (size_t i = 0; i < function->count; i++) {
		struct wf_qname *name = &function->parameters[i];

		bind_name(
		    resolver, name, function->namespaces, "", function->offset);
		if (find_binding(resolver, name) != NULL)
			fail(resolver, "XQST0039", function->offset,
			    "two parameters are called $%s", name->local);
		(void)bind_variable(
		    resolver, name, function->namespaces, function->offset);
	}
	resolve(resolver, function->body);
	function->slots = resolver->slots;
}

static void declare_globals(struct resolver *resolver)
{
	struct wf_query *query = resolver->query;

	for (size_t i = 0; i < query->global_count; i++) {
		struct wf_global *global = &query->globals[i];

		bind_name(resolver, &global->name, global->namespaces, "",
		    global->offset);
		bind_type(resolver, global->type, global->namespaces);
		for (size_t k = 0; k < i; k++) {
			if (same_name(&query->globals[k].name, &global->name))
				fail(resolver, "XQST0049", global->offset,
				    "the variable $%s is declared twice",
				    global->name.local);
		}
	}
}

static void declare_formats(struct resolver *resolver)
{
	struct wf_decimal_format *first = resolver->query->formats;

	for (struct wf_decimal_format *one = first->next; one != NULL;
	     one = one->next)
		bind_name(
		    resolver, &one->name, one->namespaces, "", one->offset);
	for (const struct wf_decimal_format *one = first->next; one != NULL;
	     one = one->next) {
		for (const struct wf_decimal_format *other = one->next;
		     other != NULL; other = other->next) {
			if (same_name(&one->name, &other->name))
				fail(resolver, "XQST0111", one->offset,
				    "the decimal format %s is declared twice",
				    one->name.local);
		}
	}
}

/* The caller's variables: those that the prolog declares, and the others. */
static void declare_external(
    struct resolver *resolver, const char *const *variables, size_t count)
{
	struct wf_query *query = resolver->query;
	size_t declared = query->global_count;

	for (size_t i = 0; i < count; i++) {
		struct wf_global *global = NULL;

		for (size_t k = 0; k < declared; k++) {
			if (strcmp(query->globals[k].name.local,
				variables[i]) == 0 &&
			    query->globals[k].name.uri[0] == '\0')
				global = &query->globals[k];
		}
		if (global != NULL) {
			if (global->is_external)
				global->external = (int)i;
			continue;
		}
		query->globals = wf_arena_grow(resolver->arena, query->globals,
		    query->global_count, &query->global_capacity,
		    sizeof(struct wf_global));
		global = &query->globals[query->global_count++];
		memset(global, 0, sizeof(*global));
		global->name.prefix = "";
		global->name.uri = "";
		global->name.local =
		    wf_arena_strdup(resolver->arena, variables[i]);
		global->is_external = true;
		global->external = (int)i;
	}
}

static void resolve_globals(struct resolver *resolver)
{
	struct wf_query *query = resolver->query;

	for (size_t i = 0; i < query->global_count; i++) {
		struct wf_global *global = &query->globals[i];

		resolver->scope = NULL;
		resolver->slots = 0;
		if (global->value != NULL)
			resolve(resolver, global->value);
		global->slots = resolver->slots;
	}
}

static void resolve_context(struct resolver *resolver)
{
	struct wf_global *global = resolver->query->context;

	if (global == NULL)
		return;
	bind_type(resolver, global->type, global->namespaces);
	resolver->scope = NULL;
	resolver->slots = 0;
	if (global->value != NULL)
		resolve(resolver, global->value);
	global->slots = resolver->slots;
}

static void resolve_query(
    struct resolver *resolver, const char *const *variables, size_t count)
{
	struct wf_query *query = resolver->query;

	declare_formats(resolver);
	declare_globals(resolver);
	declare_external(resolver, variables, count);
	declare_functions(resolver);
	resolve_globals(resolver);
	resolve_context(resolver);
	for (size_t i = 0; i < query->function_count; i++)
		resolve_function(resolver, query->functions[i]);
	resolver->scope = NULL;
	resolver->slots = 0;
	resolve(resolver, query->body);
	query->slots = resolver->slots;
}

enum wf_rc wf_resolve(struct wf_query *query, const char *const *variables,
    size_t variable_count, struct wf_error *err)
{
	struct resolver resolver;

	memset(&resolver, 0, sizeof(resolver));
	resolver.query = query;
	resolver.arena = query->arena;
	resolver.err = err;
	if (setjmp(resolver.failed) != 0)
		return err->rc;
	resolve_query(&resolver, variables, variable_count);
	return WF_OK;
}
