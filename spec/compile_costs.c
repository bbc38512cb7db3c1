/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicates that ask for what work has cost:
 *
 *   cost( [case()] [task(NAME, ..)] [resource(NAME, ..)] )
 *
 * Each such call becomes a number, $cost-1 and so on, in the query that the
 * predicate is compiled to.
 */
#include <string.h>

#include "base/buffer.h"
#include "base/panic.h"
#include "spec/reader.h"

/* Calls in one predicate, and names in one list. */
#define COSTS_MOST 16U
#define NAMES_MOST 256U

static const char word[] = "cost(";

struct costs {
	struct wf_spec_reader *reader;
	const char *at; /* the next character */
	struct wf_cost *rows;
	size_t count;
	const char *failure; /* NULL: none */
};

static bool is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
	       (unsigned char)c >= 0x80;
}

/* --- finding them --------------------------------------------------------- */

/* The last character of the comment "(: .. :)", which may have others in it. */
static const char *comment_end(const char *at)
{
	size_t depth = 0;

	for (; *at != '\0'; at++) {
		if (at[0] == '(' && at[1] == ':') {
			depth++;
			at++;
		} else if (at[0] == ':' && at[1] == ')') {
			at++;
			if (--depth == 0)
				return at;
		}
	}
	return NULL;
}

/* The next call, outside of texts and comments; NULL: there is none. */
static const char *find_call(const char *text)
{
	char before = ' ';
	const char *at = text;

	while (*at != '\0') {
		bool is_comment = at[0] == '(' && at[1] == ':';

		if (is_comment || *at == '\'' || *at == '"') {
			at = is_comment ? comment_end(at) : strchr(at + 1, *at);
			if (at == NULL)
				return NULL;
		} else if (!is_name_character(before) && before != ':' &&
			   before != '$' &&
			   strncmp(at, word, strlen(word)) == 0) {
			return at;
		}
		before = *at++;
	}
	return NULL;
}

/* --- parsing one ---------------------------------------------------------- */

static void fail(struct costs *costs, const char *expected)
{
	if (costs->failure == NULL)
		costs->failure = wf_arena_printf(costs->reader->arena,
		    "asks for costs in a way that is not understood: at "
		    "\"%.40s\": expected %s",
		    costs->at, expected);
}

/* Blanks, and a comma between blanks. */
static void skip(struct costs *costs, bool comma)
{
	costs->at += strspn(costs->at, " \t\r\n");
	if (!comma || *costs->at != ',')
		return;
	costs->at++;
	costs->at += strspn(costs->at, " \t\r\n");
}

/* A word, or any text in quotes; NULL: neither is there. */
static const char *read_name(struct costs *costs)
{
	const char *from = costs->at;
	size_t length = 0;

	if (*from == '\'' || *from == '"') {
		const char *close = strchr(from + 1, *from);

		if (close == NULL)
			return NULL;
		costs->at = close + 1;
		return wf_spec_token(
		    costs->reader, wf_arena_strndup(costs->reader->scratch,
				       from + 1, (size_t)(close - from) - 1));
	}
	while (is_name_character(from[length]))
		length++;
	costs->at += length;
	return length == 0
		   ? NULL
		   : wf_arena_strndup(costs->reader->arena, from, length);
}

/* NAME, ..) behind the parenthesis: at least one. */
static const char **read_names(struct costs *costs, size_t *count_out)
{
	const char **names = NULL;
	size_t capacity = 0;
	size_t count = 0;

	skip(costs, false);
	while (*costs->at != ')' && costs->failure == NULL) {
		const char *name = read_name(costs);

		if (name == NULL || count == NAMES_MOST) {
			fail(costs, "a name, of 256 at most");
			break;
		}
		names = wf_arena_grow(costs->reader->arena, names, count,
		    &capacity, sizeof(*names));
		names[count++] = name;
		skip(costs, true);
	}
	if (count == 0)
		fail(costs, "a name");
	else if (costs->failure == NULL)
		costs->at++;
	*count_out = count;
	return names;
}

/* The ids and names of all tasks; made once for a specification. */
static struct wf_map *known_tasks(struct wf_spec_reader *reader)
{
	const struct wf_spec *spec = reader->spec;

	if (reader->task_names != NULL)
		return reader->task_names;
	reader->task_names = wf_map_new();
	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		const struct wf_net *net = spec->decompositions[i].net;

		for (uint32_t t = 0; net != NULL && t < net->task_count; t++) {
			struct wf_task *task = &net->tasks[t];

			wf_map_add(reader->task_names, task->id, task);
			if (task->name != NULL)
				wf_map_add(
				    reader->task_names, task->name, task);
		}
	}
	return reader->task_names;
}

static void read_tasks(struct costs *costs, struct wf_cost *cost)
{
	cost->tasks = read_names(costs, &cost->task_count);
	for (size_t i = 0; i < cost->task_count && costs->failure == NULL; i++)
		if (wf_map_get(known_tasks(costs->reader), cost->tasks[i]) ==
		    NULL)
			costs->failure = wf_arena_printf(costs->reader->arena,
			    "asks for the costs of \"%.100s\": no task has "
			    "that id or name",
			    cost->tasks[i]);
}

static bool accept(struct costs *costs, const char *text)
{
	if (strncmp(costs->at, text, strlen(text)) != 0)
		return false;
	costs->at += strlen(text);
	return true;
}

/* One of the three parts, each at most once. */
static void read_part(struct costs *costs, struct wf_cost *cost, bool *has_case)
{
	if (!*has_case && accept(costs, "case(")) {
		*has_case = true;
		skip(costs, false);
		if (!accept(costs, ")"))
			fail(costs,
			    "case(), because only costs of the case itself "
			    "are known");
	} else if (cost->tasks == NULL && accept(costs, "task(")) {
		read_tasks(costs, cost);
	} else if (cost->resources == NULL && accept(costs, "resource(")) {
		cost->resources = read_names(costs, &cost->resource_count);
	} else {
		fail(costs, "case(), task(..) or resource(..), each once");
	}
}

/* Behind "cost(", up to the parenthesis that ends it. */
static void read_cost(struct costs *costs, struct wf_cost *cost)
{
	bool has_case = false;

	skip(costs, false);
	while (costs->failure == NULL && *costs->at != ')') {
		read_part(costs, cost, &has_case);
		skip(costs, true);
	}
	if (costs->failure == NULL)
		costs->at++;
}

/* --- the predicate -------------------------------------------------------- */

/* The text with a variable in the place of each call. */
static const char *replace_calls(struct costs *costs, const char *text)
{
	const char *call;
	const char *copy;
	struct wf_buffer made;

	wf_buffer_init(
	    &made, strlen(text) + COSTS_MOST * sizeof("xs:decimal($cost-16)"));
	costs->rows = wf_arena_alloc(
	    costs->reader->arena, COSTS_MOST * sizeof(*costs->rows));
	while (costs->failure == NULL && (call = find_call(text)) != NULL) {
		struct wf_cost *cost = &costs->rows[costs->count];

		costs->at = call;
		if (costs->count == COSTS_MOST) {
			fail(costs, "16 calls of cost() at most");
			break;
		}
		costs->at += strlen(word);
		read_cost(costs, cost);
		cost->text = wf_arena_strndup(
		    costs->reader->arena, call, (size_t)(costs->at - call));
		wf_buffer_append(&made, text, (size_t)(call - text));
		wf_buffer_printf(
		    &made, "xs:decimal($cost-%zu)", ++costs->count);
		text = costs->at;
	}
	wf_buffer_puts(&made, text);
	wf_assert(!made.full);
	copy = wf_arena_strdup(costs->reader->scratch, wf_buffer_text(&made));
	wf_buffer_free(&made);
	return copy;
}

bool wf_spec_compile_costs(struct wf_spec_reader *reader, const char *label,
    const struct wf_flow *flow, const char **query_text_out)
{
	struct wf_predicate *predicate = flow->predicate;
	struct costs costs = { .reader = reader };
	const char *names[COSTS_MOST];
	const char *text;

	*query_text_out = NULL;
	if (find_call(predicate->text) == NULL)
		return false;
	text = replace_calls(&costs, predicate->text);
	for (size_t i = 0; i < costs.count; i++)
		names[i] = wf_arena_printf(reader->scratch, "cost-%zu", i + 1);
	if (costs.failure == NULL)
		predicate->query = wf_spec_compile_with(
		    reader, text, names, costs.count, &costs.failure);
	if (predicate->query == NULL) {
		predicate->failure = costs.failure;
		WF_SPEC_WARN(reader, flow->line, label,
		    "its predicate: %s (the step that needs it will fail)",
		    predicate->failure);
		return true;
	}
	predicate->costs = costs.rows;
	predicate->cost_count = costs.count;
	reader->spec->asks |= WF_ASKS_COSTS;
	*query_text_out = text;
	return true;
}
