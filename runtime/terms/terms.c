/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/terms/terms.h"

#include <string.h>

#include "base/map.h"
#include "base/panic.h"
#include "data/query.h"
#include "kernel/step.h"
#include "kernel/view.h"

/* A value that takes more steps is not indexed. */
#define VALUE_STEPS 100000U
#define VALUE_BYTES ((size_t)1 << 20)

struct planned {
	uint32_t variable; /* its number in the root net */
	const char *path;
	enum wf_term_type type;
	bool is_filling;
	struct wf_query *query; /* of the text */
};

struct wf_term_plan {
	struct wf_term_plan *next;
	uint32_t namespace_id;
	uint64_t key; /* of the specification */
	size_t count;
	struct planned rows[WF_CASE_INDEXES];
};

struct wf_terms {
	struct wf_indexes *indexes;
	bool only_ready;
	uint64_t version;
	struct wf_arena *arena;
	struct wf_index_list list; /* without those that are being removed */
	struct wf_term_plan *plans;
};

static void free_plans(struct wf_terms *terms)
{
	while (terms->plans != NULL) {
		struct wf_term_plan *plan = terms->plans;

		terms->plans = plan->next;
		for (size_t i = 0; i < plan->count; i++)
			wf_query_free(&plan->rows[i].query);
		wf_free(plan);
	}
}

struct wf_terms *wf_terms_new(struct wf_indexes *indexes, bool only_ready)
{
	struct wf_terms *terms = wf_calloc(1, sizeof(*terms));

	terms->indexes = indexes;
	terms->only_ready = only_ready;
	terms->arena = wf_arena_new();
	return terms;
}

void wf_terms_free(struct wf_terms **terms)
{
	struct wf_terms *old = *terms;

	*terms = NULL;
	if (old == NULL)
		return;
	free_plans(old);
	wf_arena_free(&old->arena);
	wf_free(old);
}

void wf_terms_refresh(struct wf_terms *terms)
{
	uint64_t version = wf_indexes_version(terms->indexes);
	struct wf_index_list *list = &terms->list;
	size_t count = 0;

	if (version == terms->version)
		return;
	free_plans(terms);
	wf_arena_reset(terms->arena);
	terms->version = version;
	*list = wf_indexes_of(terms->indexes, 0, terms->arena);
	for (size_t i = 0; i < list->count; i++)
		if (list->rows[i].state == WF_INDEX_READY ||
		    (list->rows[i].state == WF_INDEX_FILLING &&
			!terms->only_ready))
			list->rows[count++] = list->rows[i];
	list->count = count;
}

/* --- plans ---------------------------------------------------------------- */

/*
 * The path is below the element of the net, whose name does not matter.  Of an
 * element that is missing, not even "=" is the result.
 */
static void add_planned(struct wf_term_plan *plan, const struct wf_net *net,
    const struct wf_index *index, struct wf_arena *arena)
{
	size_t length = strcspn(index->variable, "/");
	const char *name = wf_arena_strndup(arena, index->variable, length);
	uintptr_t number = (uintptr_t)wf_map_get(net->variable_numbers, name);
	struct planned *row = &plan->rows[plan->count];
	struct wf_query *query;

	if (number == 0 || plan->count == WF_CASE_INDEXES ||
	    wf_query_compile(&query,
		wf_arena_printf(
		    arena, "(/*/%s)[1]/concat('=', .)", index->variable),
		NULL, 0, NULL) != WF_OK)
		return;
	*row = (struct planned){ .variable = (uint32_t)(number - 1),
		.path = index->variable,
		.type = index->type,
		.is_filling = index->state == WF_INDEX_FILLING,
		.query = query };
	plan->count++;
}

const struct wf_term_plan *wf_terms_plan(
    struct wf_terms *terms, uint32_t namespace_id, const struct wf_spec *spec)
{
	struct wf_term_plan *plan = terms->plans;

	if (terms->list.count == 0)
		return NULL;
	while (plan != NULL &&
	       (plan->namespace_id != namespace_id || plan->key != spec->key))
		plan = plan->next;
	if (plan == NULL) {
		plan = wf_calloc(1, sizeof(*plan));
		plan->namespace_id = namespace_id;
		plan->key = spec->key;
		plan->next = terms->plans;
		terms->plans = plan;
		for (size_t i = 0; i < terms->list.count; i++) {
			const struct wf_index *index = &terms->list.rows[i];

			if (index->namespace_id == namespace_id &&
			    wf_index_is_of(index, spec->uri))
				add_planned(
				    plan, spec->root, index, terms->arena);
		}
	}
	return plan->count == 0 ? NULL : plan;
}

/* --- values --------------------------------------------------------------- */

void wf_term_values_note(struct wf_term_values *values,
    const struct wf_term_plan *plan, const struct wf_case *instance)
{
	memset(values, 0, sizeof(*values));
	for (size_t i = 0; i < plan->count; i++)
		values->values[i] = wf_value_ref(
		    wf_case_variable(instance, plan->rows[i].variable));
}

void wf_term_values_drop(struct wf_term_values *values)
{
	for (size_t i = 0; i < WF_CASE_INDEXES; i++)
		wf_value_unref(&values->values[i]);
}

/* "" when the case is not found by it. */
static void write_text(
    const struct planned *row, struct wf_value *value, char out[WF_TERM_SIZE])
{
	struct wf_value *const values[] = { value };
	const struct wf_document document = { "case", values, 1 };
	const struct wf_evaluation how = { .steps = VALUE_STEPS };
	struct wf_buffer text;

	out[0] = '\0';
	if (value == NULL)
		return;
	wf_buffer_init(&text, VALUE_BYTES);
	if (wf_query_string(row->query, &document, &how, &text, NULL) !=
		WF_OK ||
	    text.length == 0 ||
	    !wf_term_write(
		row->type, wf_buffer_text(&text) + 1, text.length - 1, out))
		out[0] = '\0';
	wf_buffer_free(&text);
}

size_t wf_terms_of_variables(const struct wf_term_plan *plan,
    const struct wf_term_values *before, const struct wf_case *instance,
    const struct wf_term_row *row, struct wf_term_row *rows,
    struct wf_arena *arena)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->count; i++) {
		const struct planned *planned = &plan->rows[i];
		struct wf_value *value =
		    wf_case_variable(instance, planned->variable);
		bool always = before == NULL || planned->is_filling;
		char old[WF_TERM_SIZE];
		char text[WF_TERM_SIZE];

		if (!always && before->values[i] == value)
			continue;
		write_text(planned, value, text);
		if (!always) {
			write_text(planned, before->values[i], old);
			if (strcmp(old, text) == 0)
				continue;
		}
		rows[count] = *row;
		rows[count].field = planned->path;
		rows[count++].text = wf_arena_strdup(arena, text);
	}
	return count;
}

static bool has_path(const struct wf_term_plan *plan, const char *path)
{
	for (size_t i = 0; plan != NULL && i < plan->count; i++)
		if (strcmp(plan->rows[i].path, path) == 0)
			return true;
	return false;
}

size_t wf_terms_left(const struct wf_term_plan *before,
    const struct wf_term_plan *after, const struct wf_term_row *row,
    struct wf_term_row *rows)
{
	size_t count = 0;

	for (size_t i = 0; before != NULL && i < before->count; i++) {
		if (has_path(after, before->rows[i].path))
			continue;
		rows[count] = *row;
		rows[count].field = before->rows[i].path;
		rows[count++].text = "";
	}
	wf_assert(count <= WF_CASE_INDEXES);
	return count;
}

size_t wf_terms_of_words(const struct wf_case_row *instance,
    struct wf_term_row *rows, struct wf_arena *arena)
{
	struct wf_word_set words;

	wf_words_of_case(&words, instance);
	for (size_t i = 0; i < words.count; i++)
		rows[i] = (struct wf_term_row){ .number = instance->number,
			.namespace_id = instance->namespace_id,
			.field = wf_arena_printf(
			    arena, "%c%s", WF_WORD_MARK, words.rows[i]),
			.text = "" };
	return words.count;
}
