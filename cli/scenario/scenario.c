/* SPDX-License-Identifier: Apache-2.0 */
/* Reads scenario files, and the specifications of their scenarios. */
#include "cli/scenario/scenario.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnostics.h"

#define CORPUS_WORD "$WEFT_CORPUS/"
#define CORPUS_DEFAULT "../shared/corpus"

static enum wf_rc read_title(struct wf_scenarios *scenarios,
    const struct wf_lines *lines, const struct wf_words *words,
    struct wf_error *err)
{
	struct wf_scenario *scenario;

	if (words->count != 2 || words->words[1][0] != '"')
		return wf_lines_fail(
		    lines, words->line, err, "expected: scenario \"TITLE\"");
	scenarios->list = wf_arena_grow(lines->arena, scenarios->list,
	    scenarios->count, &scenarios->capacity, sizeof(*scenarios->list));
	scenario = &scenarios->list[scenarios->count++];
	memset(scenario, 0, sizeof(*scenario));
	scenario->title = wf_word_unquote(lines->arena, words->words[1]);
	scenario->line = words->line;
	scenario->notation.arena = lines->arena;
	scenario->limits = wf_limits_default;
	return WF_OK;
}

static enum wf_rc read_limit(struct wf_scenario *scenario,
    const struct wf_lines *lines, const struct wf_words *words,
    struct wf_error *err)
{
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = {
#define WF_LIMIT_ROW(name, number, greatest, meaning)                          \
	{ #name, offsetof(struct wf_limits, name) },
#include "kernel/limits.def"
#undef WF_LIMIT_ROW
	};

	if (words->count != 3)
		return wf_lines_fail(
		    lines, words->line, err, "expected: limit NAME NUMBER");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t number;

		if (strcmp(rows[i].name, words->words[1]) != 0)
			continue;
		number = (uint32_t)strtoul(words->words[2], NULL, 10);
		memcpy((char *)&scenario->limits + rows[i].offset, &number,
		    sizeof(number));
		return WF_OK;
	}
	return wf_lines_fail(lines, words->line, err,
	    "there is no limit \"%s\"", words->words[1]);
}

/* A line with one text behind its first word. */
static enum wf_rc read_text(const struct wf_lines *lines,
    const struct wf_words *words, const char **text_out, int *line_out,
    struct wf_error *err)
{
	if (words->count != 2)
		return wf_lines_fail(lines, words->line, err,
		    "expected one word behind \"%s\"", words->words[0]);
	*text_out = wf_word_unquote(lines->arena, words->words[1]);
	*line_out = words->line;
	return WF_OK;
}

static enum wf_rc read_line(struct wf_scenario *scenario,
    struct wf_lines *lines, const struct wf_words *words, struct wf_error *err)
{
	const char *word = words->words[0];
	int ignored;

	if (strcmp(word, "net") == 0)
		return wf_notation_read_net(
		    &scenario->notation, lines, words, err);
	if (strcmp(word, "spec") == 0)
		return read_text(
		    lines, words, &scenario->path, &scenario->path_line, err);
	if (strcmp(word, "schema") == 0)
		return read_text(
		    lines, words, &scenario->notation.schema, &ignored, err);
	if (strcmp(word, "invalid") == 0)
		return read_text(lines, words, &scenario->invalid,
		    &scenario->invalid_line, err);
	if (strcmp(word, "limit") == 0)
		return read_limit(scenario, lines, words, err);
	if (wf_people_line_is(words))
		return wf_people_line_read(
		    &scenario->people, lines, words, err);
	return wf_script_add(&scenario->script, lines, words, err);
}

/* What a scenario must have when all its lines are read. */
static enum wf_rc check(const struct wf_scenario *scenario,
    const struct wf_lines *lines, struct wf_error *err)
{
	bool has_nets = scenario->notation.net_count > 0;

	if (has_nets == (scenario->path != NULL))
		return wf_lines_fail(lines, scenario->line, err,
		    has_nets ? "the scenario has nets and a path as well"
			     : "the scenario has no net");
	if (scenario->invalid != NULL && scenario->script.count > 0)
		return wf_lines_fail(lines, scenario->invalid_line, err,
		    "an invalid specification has no script");
	return WF_OK;
}

enum wf_rc wf_scenarios_parse(struct wf_scenarios *scenarios,
    struct wf_lines *lines, struct wf_error *err)
{
	struct wf_words words;
	enum wf_rc rc;

	for (;;) {
		rc = wf_lines_next(lines, &words, err);
		if (rc != WF_OK || words.count == 0)
			break;
		if (strcmp(words.words[0], "scenario") == 0)
			rc = read_title(scenarios, lines, &words, err);
		else if (scenarios->count == 0)
			rc = wf_lines_fail(lines, words.line, err,
			    "expected: scenario \"TITLE\"");
		else
			rc = read_line(&scenarios->list[scenarios->count - 1],
			    lines, &words, err);
		if (rc != WF_OK)
			break;
	}
	for (size_t i = 0; i < scenarios->count && rc == WF_OK; i++)
		rc = check(&scenarios->list[i], lines, err);
	return rc;
}

const char *wf_scenario_path(struct wf_arena *arena, const char *file,
    const struct wf_scenario *scenario)
{
	const char *corpus = getenv("WEFT_CORPUS");
	const char *slash = strrchr(file, '/');
	const char *path = scenario->path;

	if (strncmp(path, CORPUS_WORD, strlen(CORPUS_WORD)) == 0)
		path = wf_arena_printf(arena, "%s/%s",
		    corpus != NULL ? corpus : CORPUS_DEFAULT,
		    path + strlen(CORPUS_WORD));
	else if (path[0] != '/' && slash != NULL)
		path = wf_arena_printf(
		    arena, "%.*s/%s", (int)(slash - file), file, path);
	return access(path, R_OK) == 0 ? path : NULL;
}

static void list_problems(
    const struct wf_diagnostics *diagnostics, struct wf_buffer *problems)
{
	size_t count = wf_diagnostics_count(diagnostics);

	for (size_t i = 0; i < count; i++) {
		const struct wf_diagnostic *diagnostic =
		    wf_diagnostics_at(diagnostics, i);

		if (diagnostic->severity == WF_ERROR)
			wf_buffer_printf(problems, "%s%s%s%s",
			    problems->length > 0 ? "; " : "",
			    diagnostic->element,
			    diagnostic->element[0] != '\0' ? ": " : "",
			    diagnostic->message);
	}
}

enum wf_rc wf_scenario_source(struct wf_arena *arena, const char *file,
    const struct wf_scenario *scenario, struct wf_buffer *xml,
    struct wf_error *err)
{
	if (scenario->path != NULL)
		return wf_buffer_read_file(
		    xml, wf_scenario_path(arena, file, scenario), err);
	wf_notation_write(&scenario->notation, scenario->title, xml);
	return WF_OK;
}

enum wf_rc wf_scenario_read(const char *file, const struct wf_buffer *xml,
    struct wf_spec_file **file_out, struct wf_buffer *problems,
    struct wf_error *err)
{
	struct wf_diagnostics *diagnostics = wf_diagnostics_new(file);
	enum wf_rc rc = wf_spec_read(
	    file_out, wf_buffer_text(xml), xml->length, diagnostics);

	if (rc != WF_OK) {
		list_problems(diagnostics, problems);
		wf_fail(err, rc, "the specification is not valid: %.400s",
		    wf_buffer_text(problems));
	}
	wf_diagnostics_free(&diagnostics);
	return rc;
}
