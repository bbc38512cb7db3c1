/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of XQuery: compiling, and one evaluation for each purpose. */
#include "data/query.h"

#include <string.h>

#include "base/panic.h"
#include "data/canonical.h"
#include "data/shortcut.h"
#include "xquery/analysis/analysis.h"
#include "xquery/atomic/atomic.h"
#include "xquery/eval/eval.h"
#include "xquery/pattern/regex.h"
#include "xquery/tree/document.h"
#include "xquery/tree/node.h"
#include "xquery/tree/slice.h"

#define QUERY_MAGIC 0x71756572U

/* The longest query, in bytes. */
#define TEXT_MAXIMUM ((size_t)1 << 20)

/* One evaluation. */
struct run {
	struct wf_dynamic dynamic;
	struct wf_eval_state state;
	struct wf_error own; /* when the caller passes none */
	struct wf_item context;
	struct wf_sequence result;
	uint64_t *budget;	    /* see struct wf_evaluation */
	struct wf_value_list *list; /* result under construction, or NULL */
	struct wf_cleanup cleanup;
};

/* ---- compiling ---- */

static void free_arena(void *arena)
{
	wf_arena_free(arena);
}

enum wf_rc wf_query_compile(struct wf_query **query_out, const char *text,
    const char *const *variables, size_t variable_count, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_query *query;
	size_t length = strlen(text);
	struct wf_cleanup cleanup;
	struct wf_error own;
	enum wf_rc rc;

	memset(&own, 0, sizeof(own));
	if (err == NULL)
		err = &own;
	wf_cleanup_push(&cleanup, free_arena, &arena);
	query = wf_arena_alloc(arena, sizeof(*query));
	query->magic = QUERY_MAGIC;
	query->arena = arena;
	*query_out = NULL;
	if (length > TEXT_MAXIMUM)
		rc = wf_fail_code(err, WF_LIMIT, "XPDY0130",
		    "the query is larger than %zu bytes", TEXT_MAXIMUM);
	else
		rc = wf_parse(query, text, length, err);
	if (rc == WF_OK)
		rc = wf_resolve(query, variables, variable_count, err);
	if (rc == WF_OK) {
		wf_analyse(query);
		wf_shortcut_find(query);
		*query_out = query;
	}
	wf_cleanup_pop(&cleanup);
	if (rc != WF_OK)
		wf_arena_free(&arena);
	return rc;
}

void wf_query_free(struct wf_query **query)
{
	struct wf_arena *arena;

	if (*query == NULL)
		return;
	wf_assert((*query)->magic == QUERY_MAGIC);
	if ((*query)->shortcut != NULL && (*query)->shortcut->constant != NULL)
		wf_value_free_permanent(&(*query)->shortcut->constant);
	arena = (*query)->arena;
	(*query)->magic = 0;
	wf_arena_free(&arena);
	*query = NULL;
}

bool wf_query_reads(const struct wf_query *query, const char *name)
{
	if (query->reads_all)
		return true;
	for (size_t i = 0; i < query->read_count; i++) {
		if (strcmp(query->reads[i].child, name) == 0)
			return true;
	}
	return false;
}

void wf_query_paths(const struct wf_query *query,
    void (*found)(void *argument, const char *root, const char *child, int line,
	int column),
    void *argument)
{
	for (size_t i = 0; i < query->read_count; i++) {
		const struct wf_read *read = &query->reads[i];
		struct wf_place place;

		wf_text_place(query->text, read->offset, &place);
		found(argument, read->root, read->child, place.line,
		    place.column);
	}
}

/* ---- the context ---- */

static bool is_read(const struct wf_query *query, const struct wf_value *value)
{
	if (query->reads_all)
		return true;
	for (size_t i = 0; i < query->read_count; i++) {
		const char *child = query->reads[i].child;
		const char *name = wf_value_name(value);
		const char *colon = memchr(name, ':', value->name_length);
		size_t length = value->name_length;

		if (colon != NULL) {
			length -= (size_t)(colon + 1 - name);
			name = colon + 1;
		}
		if (strlen(child) == length &&
		    strncmp(name, child, length) == 0)
			return true;
	}
	return false;
}

/* The tree of the values that the query reads. */
static xmlNode *build_document(struct wf_dynamic *dynamic,
    const struct wf_document *document, const struct wf_query *query)
{
	xmlNode *top = wf_node_new_document(dynamic);
	xmlNode *parent = top;

	if (document->root != NULL) {
		struct wf_qname name = { "", "", document->root };

		parent = wf_node_new_named(dynamic, XML_ELEMENT_NODE, &name);
		wf_node_append(top, parent);
	}
	for (size_t i = 0; i < document->count; i++) {
		if (document->values[i] != NULL &&
		    (document->root == NULL ||
			is_read(query, document->values[i])))
			wf_slice_build(dynamic, parent,
			    document->values[i]->text,
			    document->values[i]->length);
	}
	return top;
}

/* ---- evaluating ---- */

static void release(void *argument)
{
	struct run *run = argument;

	if (run->list != NULL)
		wf_value_list_free(run->list);
	wf_regex_free(&run->dynamic.regex);
	wf_buffer_free(&run->dynamic.text);
	wf_arena_free(&run->dynamic.arena);
}

static void begin(struct run *run, const struct wf_query *query,
    const struct wf_evaluation *how, struct wf_error *err)
{
	struct wf_dynamic *dynamic = &run->dynamic;
	struct wf_eval_state *state = &run->state;

	wf_assert(query->magic == QUERY_MAGIC);
	memset(run, 0, sizeof(*run));
	wf_cleanup_push(&run->cleanup, release, run);
	dynamic->arena = wf_arena_new();
	dynamic->now = how->now;
	dynamic->timezone = how->timezone;
	dynamic->steps_left = how->steps == 0 ? WF_EVAL_STEPS : how->steps;
	if (how->budget != NULL)
		dynamic->steps_left = *how->budget;
	run->budget = how->budget;
	dynamic->cancelled = how->cancelled;
	dynamic->memory_limit = how->memory == 0 ? WF_EVAL_MEMORY : how->memory;
	dynamic->err = err == NULL ? &run->own : err;
	dynamic->state = state;
	state->query = query;
	state->variables = how->variables;
	state->base_uri = query->base_uri;
	state->slots = wf_arena_array(
	    dynamic->arena, query->slots + 1, sizeof(struct wf_sequence));
	if (query->global_count == 0)
		return;
	state->globals = wf_arena_array(
	    dynamic->arena, query->global_count, sizeof(struct wf_sequence));
	state->global_status =
	    wf_arena_alloc(dynamic->arena, query->global_count);
}

static void end(struct run *run)
{
	if (run->budget != NULL)
		*run->budget = run->dynamic.steps_left;
	wf_cleanup_pop(&run->cleanup);
	release(run);
}

static void set_context(struct run *run, xmlNode *document)
{
	run->context.is_node = true;
	run->context.as.node = document;
	run->state.initial.item = &run->context;
	run->state.initial.position = 1;
	run->state.initial.size = 1;
}

static enum wf_rc evaluate_body(struct run *run)
{
	struct wf_sequence *slots = run->state.slots;

	WF_TRY(wf_eval_declared_context(&run->dynamic, &run->context));
	run->state.slots = slots;
	run->state.focus = run->state.initial;
	run->state.next_order = WF_ORDER_BODY;
	WF_TRY(wf_eval(&run->dynamic, run->state.query->body, &run->result));
	/*
	 * Steps were charged without a check, so the number may exceed the
	 * limit.
	 */
	return wf_spend(&run->dynamic, 0);
}

/* Evaluates over document; the caller calls end() in any case. */
static enum wf_rc evaluate(struct run *run, const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    struct wf_error *err)
{
	begin(run, query, how, err);
	if (document != NULL && query->uses_context)
		set_context(
		    run, build_document(&run->dynamic, document, query));
	return evaluate_body(run);
}

/* ---- results as values ---- */

static bool is_white(struct wf_string text)
{
	for (size_t i = 0; i < text.length; i++) {
		if (strchr(" \t\r\n", text.text[i]) == NULL)
			return false;
	}
	return true;
}

static enum wf_rc make_value(
    struct run *run, const xmlNode *element, struct wf_value **value_out)
{
	struct wf_buffer *text = wf_text_begin(&run->dynamic);

	text->maximum = WF_VALUE_BYTES;
	if (!wf_serialize_canonical(element, text) || text->full)
		return wf_fail(run->dynamic.err, WF_LIMIT,
		    "the result is too large or nested too deeply");
	/* A query can use any text as a namespace; in XML it must be a URI. */
	if (memchr(wf_buffer_text(text), '"', text->length) != NULL &&
	    wf_value_from_canonical(
		value_out, wf_buffer_text(text), text->length, NULL) != WF_OK)
		return wf_fail(run->dynamic.err, WF_DATA,
		    "the result has a namespace that is not a URI");
	if (*value_out == NULL)
		*value_out = wf_value_new_canonical(wf_buffer_text(text),
		    text->length, strcspn(wf_buffer_text(text) + 1, " />"));
	return WF_OK;
}

/* Reports an item that is not an element where only elements are allowed. */
static enum wf_rc add_result(struct run *run, const struct wf_item *item,
    struct wf_sequence *elements, bool *others_out)
{
	struct wf_dynamic *dynamic = &run->dynamic;
	struct wf_atomic value;

	if (item->is_node && item->as.node->type == XML_ELEMENT_NODE)
		return wf_sequence_add(dynamic, elements, *item);
	if (item->is_node && (item->as.node->type == XML_COMMENT_NODE ||
				 item->as.node->type == XML_PI_NODE))
		return WF_OK;
	value = wf_atomize(dynamic, item);
	if ((item->is_node && item->as.node->type != XML_TEXT_NODE) ||
	    !is_white(wf_atomic_text(dynamic, &value)))
		*others_out = true;
	return WF_OK;
}

/*
 * The elements of the result; others_out: there are items besides elements and
 * layout.
 */
static enum wf_rc result_elements(
    struct run *run, struct wf_sequence *elements, bool *others_out)
{
	for (size_t i = 0; i < run->result.count; i++) {
		const struct wf_item *item = &run->result.items[i];
		struct wf_item child = { .is_node = true };

		if (!item->is_node ||
		    item->as.node->type != XML_DOCUMENT_NODE) {
			WF_TRY(add_result(run, item, elements, others_out));
			continue;
		}
		child.as.node = item->as.node->children;
		for (; child.as.node != NULL;
		     child.as.node = child.as.node->next)
			WF_TRY(add_result(run, &child, elements, others_out));
	}
	return WF_OK;
}

/* Reports a result of the wrong kind. */
static enum wf_rc wrong_result(
    struct run *run, const char *expected, size_t elements, bool others)
{
	struct wf_buffer *text = wf_text_begin(&run->dynamic);
	struct wf_error *err = run->dynamic.err;
	struct wf_error none = { 0 };

	/*
	 * Items that cannot be serialised, such as attributes, are not shown.
	 */
	run->dynamic.err = &none;
	text->maximum = WF_VALUE_BYTES;
	if (wf_serialize(&run->dynamic, &run->result, text) != WF_OK)
		wf_buffer_reset(text);
	run->dynamic.err = err;
	return wf_fail(err, WF_DATA,
	    "the result must be %s; it has %zu element%s%s%s%.*s", expected,
	    elements, elements == 1 ? "" : "s",
	    others ? " and other things beside them" : "",
	    text->length == 0 ? "" : ": ",
	    WF_SHOWN(wf_buffer_text(text), text->length));
}

static enum wf_rc one_element(struct run *run, struct wf_value **value_out)
{
	struct wf_sequence elements = { NULL, 0, 0 };
	bool others = false;

	if (run->result.count == 0)
		return WF_OK;
	WF_TRY(result_elements(run, &elements, &others));
	if (others || elements.count != 1)
		return wrong_result(run, "one element", elements.count, others);
	return make_value(run, elements.items[0].as.node, value_out);
}

enum wf_rc wf_query_element(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    struct wf_value **value_out, struct wf_error *err)
{
	struct run run;
	enum wf_rc rc;

	*value_out = NULL;
	if (query->shortcut != NULL &&
	    query->shortcut->kind != WF_SHORTCUT_BOOLEAN &&
	    wf_shortcut_element(query->shortcut, document, value_out))
		return WF_OK;
	rc = evaluate(&run, query, document, how, err);
	if (rc == WF_OK)
		rc = one_element(&run, value_out);
	end(&run);
	return rc;
}

static enum wf_rc all_elements(
    struct run *run, size_t maximum, struct wf_value_list *list)
{
	struct wf_sequence elements = { NULL, 0, 0 };
	bool others = false;

	WF_TRY(result_elements(run, &elements, &others));
	if (others)
		return wrong_result(
		    run, "elements only", elements.count, others);
	if (elements.count > maximum)
		return wf_fail(run->dynamic.err, WF_LIMIT,
		    "the result has %zu elements, at most %zu are allowed",
		    elements.count, maximum);
	run->list = list;
	list->values = wf_calloc(elements.count, sizeof(struct wf_value *));
	for (size_t i = 0; i < elements.count; i++) {
		WF_TRY(make_value(
		    run, elements.items[i].as.node, &list->values[i]));
		list->count++;
	}
	run->list = NULL;
	return WF_OK;
}

enum wf_rc wf_query_elements(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    size_t maximum, struct wf_value_list *list_out, struct wf_error *err)
{
	struct run run;
	enum wf_rc rc;

	memset(list_out, 0, sizeof(*list_out));
	rc = evaluate(&run, query, document, how, err);
	if (rc == WF_OK)
		rc = all_elements(&run, maximum, list_out);
	end(&run);
	return rc;
}

enum wf_rc wf_query_boolean(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    bool *result_out, struct wf_error *err)
{
	struct run run;
	enum wf_rc rc;

	if (query->shortcut != NULL &&
	    query->shortcut->kind == WF_SHORTCUT_BOOLEAN) {
		*result_out = query->shortcut->boolean;
		return WF_OK;
	}
	rc = evaluate(&run, query, document, how, err);
	if (rc == WF_OK)
		rc = wf_sequence_boolean(&run.dynamic, &run.result, result_out);
	end(&run);
	return rc;
}

enum wf_rc wf_query_string(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    struct wf_buffer *text, struct wf_error *err)
{
	struct wf_string string;
	struct run run;
	enum wf_rc rc = evaluate(&run, query, document, how, err);

	if (rc == WF_OK)
		rc = wf_sequence_join(&run.dynamic, &run.result, &string);
	if (rc == WF_OK) {
		wf_buffer_append(text, string.text, string.length);
		if (text->full)
			rc = wf_fail(run.dynamic.err, WF_LIMIT,
			    "the result is larger than %zu bytes",
			    text->maximum);
	}
	end(&run);
	return rc;
}

enum wf_rc wf_query_text(const struct wf_query *query,
    const struct wf_document *document, const struct wf_evaluation *how,
    struct wf_buffer *text, struct wf_error *err)
{
	struct run run;
	enum wf_rc rc = evaluate(&run, query, document, how, err);

	if (rc == WF_OK)
		rc = wf_serialize(&run.dynamic, &run.result, text);
	end(&run);
	return rc;
}

enum wf_rc wf_query_run(const struct wf_query *query, const char *file,
    const struct wf_evaluation *how, struct wf_buffer *text,
    struct wf_error *err)
{
	xmlNode *document;
	enum wf_rc rc = WF_OK;
	struct run run;

	begin(&run, query, how, err);
	if (file != NULL) {
		rc = wf_document_read(&run.dynamic, file, &document);
		if (rc == WF_OK)
			set_context(&run, document);
	}
	if (rc == WF_OK)
		rc = evaluate_body(&run);
	if (rc == WF_OK)
		rc = wf_serialize(&run.dynamic, &run.result, text);
	end(&run);
	return rc;
}
