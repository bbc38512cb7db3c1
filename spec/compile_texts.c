/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts with places, "${...}": the documentation of tasks, where a place is a
 * query over the net's data, and log predicates, where a place is a word, or
 * "expression:" and a query.  A query that does not compile is a warning: the
 * text is shown all the same.
 */
#include "spec/reader.h"

#include <string.h>

#define EXPRESSION "expression:"

/* The brace that ends a placeholder; braces inside are paired. */
static const char *end_of_place(const char *at)
{
	size_t depth = 0;

	for (; *at != '\0'; at++) {
		if (*at == '{')
			depth++;
		else if (*at == '}' && depth-- == 0)
			return at;
	}
	return NULL;
}

static const char *find_place(const char *at, const char **end_out)
{
	const char *start = strstr(at, "${");

	*end_out = start == NULL ? NULL : end_of_place(start + 2);
	return *end_out == NULL ? NULL : start;
}

static void add_piece(struct wf_spec_reader *reader, struct wf_pattern *pattern,
    const char *start, const char *end, bool is_place)
{
	struct wf_piece *piece = &pattern->pieces[pattern->piece_count];

	if (start == end && !is_place)
		return;
	piece->text =
	    wf_arena_strndup(reader->arena, start, (size_t)(end - start));
	piece->is_place = is_place;
	pattern->piece_count++;
}

static void divide(struct wf_spec_reader *reader, struct wf_pattern *pattern)
{
	const char *at = pattern->text;
	const char *start;
	const char *end;
	size_t places = 0;

	while ((start = find_place(at, &end)) != NULL) {
		places++;
		at = end + 1;
	}
	if (places == 0)
		return;
	pattern->pieces = wf_arena_array(
	    reader->arena, places * 2 + 1, sizeof(*pattern->pieces));
	at = pattern->text;
	while ((start = find_place(at, &end)) != NULL) {
		add_piece(reader, pattern, at, start, false);
		add_piece(reader, pattern, start + 2, end, true);
		at = end + 1;
	}
	add_piece(reader, pattern, at, at + strlen(at), false);
}

/* The query of a placeholder; NULL: the placeholder has none. */
static const char *query_of(const struct wf_piece *piece, bool is_log)
{
	size_t length = strlen(EXPRESSION);

	if (!piece->is_place)
		return NULL;
	if (strncmp(piece->text, EXPRESSION, length) == 0)
		return piece->text + length;
	return is_log ? NULL : piece->text;
}

static void compile_pattern(struct wf_spec_reader *reader,
    struct wf_pattern *pattern, const char *label, const char *what,
    bool is_log, int line)
{
	if (pattern->text == NULL)
		return;
	divide(reader, pattern);
	for (uint32_t i = 0; i < pattern->piece_count; i++) {
		struct wf_piece *piece = &pattern->pieces[i];
		const char *query = query_of(piece, is_log);
		const char *failure;

		if (query == NULL)
			continue;
		piece->query = wf_spec_compile(reader, query, &failure);
		if (piece->query == NULL)
			WF_SPEC_WARN(reader, line, label,
			    "%s: ${%.100s}: %s (it will be shown as n/a)", what,
			    piece->text, failure);
	}
}

static void compile_log(struct wf_spec_reader *reader,
    struct wf_log_predicate *log, const char *label, int line)
{
	if (log->start.text == NULL && log->completion.text == NULL)
		return;
	reader->spec->asks |= WF_ASKS_LOGS;
	compile_pattern(reader, &log->start, label,
	    "its log predicate of the start", true, line);
	compile_pattern(reader, &log->completion, label,
	    "its log predicate of the completion", true, line);
}

static void compile_logs_of_variables(
    struct wf_spec_reader *reader, struct wf_variable *variables, size_t count)
{
	for (size_t i = 0; i < count; i++)
		compile_log(reader, &variables[i].log,
		    wf_arena_printf(reader->scratch, "parameter %s",
			variables[i].name == NULL ? "" : variables[i].name),
		    variables[i].line);
}

static void compile_documentation(
    struct wf_spec_reader *reader, struct wf_net *net)
{
	for (uint32_t i = 0; i < net->task_count; i++) {
		struct wf_task *task = &net->tasks[i];

		task->described.text = task->documentation;
		compile_pattern(reader, &task->described,
		    wf_spec_label_task(reader, task), "its documentation",
		    false, task->line);
	}
}

void wf_spec_compile_texts(struct wf_spec_reader *reader)
{
	struct wf_spec *spec = reader->spec;

	for (uint32_t i = 0; i < spec->decomposition_count; i++) {
		struct wf_decomposition *d = &spec->decompositions[i];

		compile_log(reader, &d->log,
		    wf_spec_label_decomposition(reader, d), d->line);
		compile_logs_of_variables(reader, d->inputs, d->input_count);
		compile_logs_of_variables(reader, d->outputs, d->output_count);
		if (d->net != NULL)
			compile_documentation(reader, d->net);
	}
}
