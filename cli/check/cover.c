/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft cover: answers questions of coverability from a file, one JSON object
 * a line.
 *
 * A file that begins with "{" holds cases of OR-joins; each is decided within
 * the budget of a step and, if that is not enough, within a long one.  A file
 * that begins with "<" is PNML, any other is in mist's format.
 */
#include <stdio.h>
#include <string.h>

#include "cli/check/cover_net.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "kernel/or_join/or_join.h"
#include "petri/cover.h"
#include "petri/problem.h"

#define EXIT_UNDECIDED 6
#define FILE_MAXIMUM (256U << 20)
/* Elementary steps at most: about half a minute. */
#define WORK_MAXIMUM UINT64_C(3000000000)

/* --- OR-joins --- */

static json_t *make_step(
    const struct wf_net *net, const struct wf_or_step *step)
{
	json_t *json = json_array();
	json_t *conditions = json_array();

	for (uint32_t i = 0; i < step->count; i++)
		json_array_append_new(conditions,
		    wf_json_text(net->conditions[step->conditions[i]].id));
	json_array_append_new(json, json_string(step->ends ? "end" : "start"));
	json_array_append_new(json, wf_json_text(net->tasks[step->task].id));
	json_array_append_new(json, conditions);
	return json;
}

static json_t *make_witness(
    const struct wf_or_join *join, const struct wf_cover_case *c)
{
	struct wf_or_witness witness;
	json_t *json;

	if (!wf_or_join_witness(
		join, c->tokens, c->busy, &wf_or_budget_long, &witness))
		return json_null();
	json = json_array();
	for (uint32_t i = 0; i < witness.count; i++)
		json_array_append_new(
		    json, make_step(c->net, &witness.steps[i]));
	wf_or_witness_free(&witness);
	return json;
}

static void print_line(json_t *json)
{
	wf_json_print(json, JSON_COMPACT);
	putchar('\n');
}

static json_t *make_verdict(bool yes, bool no)
{
	return yes || no ? json_boolean(yes) : json_null();
}

static enum wf_or_verdict answer_case(const struct wf_cover_case *c)
{
	struct wf_or_join *join = wf_or_join_compile(c->net, c->task);
	struct wf_or_reason reason;
	enum wf_or_verdict verdict = wf_or_join_decide(
	    join, c->tokens, c->busy, NULL, &wf_or_budget_step, &reason);
	json_t *json = json_object();

	if (verdict == WF_OR_UNDECIDED)
		verdict = wf_or_join_decide(join, c->tokens, c->busy, NULL,
		    &wf_or_budget_long, &reason);
	json_object_set_new(json, "id", wf_json_text(c->id));
	json_object_set_new(json, "enabled",
	    make_verdict(verdict == WF_OR_ENABLED, verdict == WF_OR_WAIT));
	json_object_set_new(
	    json, "by", json_string(wf_or_stage_name(reason.stage)));
	json_object_set_new(json, "witness",
	    verdict == WF_OR_WAIT ? make_witness(join, c) : json_null());
	print_line(json);
	wf_or_join_free(&join);
	return verdict;
}

static enum wf_rc answer_cases(
    const json_t *cases, int *exit_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	enum wf_rc rc = WF_OK;
	const json_t *json;
	size_t i;

	json_array_foreach(cases, i, json)
	{
		struct wf_cover_case c;

		wf_arena_reset(arena);
		rc = wf_cover_read_case(&c, arena, json, err);
		if (rc != WF_OK)
			break;
		if (answer_case(&c) == WF_OR_UNDECIDED)
			*exit_out = EXIT_UNDECIDED;
	}
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc answer_json(
    const char *text, size_t length, int *exit_out, struct wf_error *err)
{
	json_error_t error;
	json_t *json = json_loadb(text, length, 0, &error);
	const char *format = json_string_value(json_object_get(json, "format"));
	const json_t *cases = json_object_get(json, "cases");
	enum wf_rc rc;

	if (json == NULL) {
		rc = wf_fail(err, WF_INVALID, "no JSON: %s", error.text);
		err->place.line = error.line;
	} else if (format == NULL || strcmp(format, "orjoin-cases/1") != 0 ||
		   !json_is_array(cases)) {
		rc = wf_fail(err, WF_INVALID,
		    "expected \"format\": \"orjoin-cases/1\" and \"cases\", "
		    "an array");
	} else {
		rc = answer_cases(cases, exit_out, err);
	}
	json_decref(json);
	return rc;
}

/* --- Petri nets --- */

static json_t *make_firings(
    const struct wf_problem *problem, const struct wf_firings *firings)
{
	json_t *json = json_array();

	for (uint32_t i = 0; i < firings->count; i++)
		json_array_append_new(
		    json, wf_json_text(
			      problem->transitions[firings->transitions[i]]));
	return json;
}

static enum wf_cover answer_problem(const struct wf_problem *problem)
{
	struct wf_cover_result result;
	json_t *json = json_object();

	wf_cover_decide(problem->net, problem->initial, problem->targets,
	    problem->target_count, WORK_MAXIMUM, &result);
	json_object_set_new(json, "coverable",
	    make_verdict(result.verdict == WF_COVERABLE,
		result.verdict == WF_NOT_COVERABLE));
	json_object_set_new(json, "by",
	    json_string(result.verdict == WF_COVER_UNKNOWN ? "undecided"
			: result.ahead			   ? "forward"
							   : "backward"));
	json_object_set_new(json, "witness",
	    result.verdict == WF_COVERABLE
		? make_firings(problem, &result.firings)
		: json_null());
	print_line(json);
	wf_firings_free(&result.firings);
	return result.verdict;
}

static enum wf_rc answer_net(const char *text, size_t length, bool pnml,
    int *exit_out, struct wf_error *err)
{
	struct wf_problem problem;
	enum wf_rc rc = pnml
			    ? wf_problem_read_pnml(&problem, text, length, err)
			    : wf_problem_read_mist(&problem, text, length, err);

	if (rc != WF_OK)
		return rc;
	if (answer_problem(&problem) == WF_COVER_UNKNOWN)
		*exit_out = EXIT_UNDECIDED;
	wf_problem_free(&problem);
	return WF_OK;
}

/* --- The command --- */

static enum wf_rc answer(const char *path, int *exit_out, struct wf_error *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of the byte order */
	struct wf_buffer file;
	const char *text;
	size_t length;
	enum wf_rc rc;
	char first;

	wf_buffer_init(&file, FILE_MAXIMUM);
	rc = wf_buffer_read_file(&file, path, err);
	text = wf_buffer_text(&file);
	if (strncmp(text, mark, strlen(mark)) == 0)
		text += strlen(mark);
	length = file.length - (size_t)(text - wf_buffer_text(&file));
	first = text[strspn(text, " \t\r\n")];
	if (rc == WF_OK && first == '{')
		rc = answer_json(text, length, exit_out, err);
	else if (rc == WF_OK)
		rc = answer_net(text, length, first == '<', exit_out, err);
	wf_buffer_free(&file);
	if (rc != WF_OK && err->place.file[0] == '\0')
		snprintf(err->place.file, sizeof(err->place.file), "%s", path);
	return rc;
}

int wf_cli_cover(int argc, char **argv)
{
	struct wf_error err = { .rc = WF_OK };
	int exit_code = WF_EXIT_DONE;

	if (argc != 2)
		return wf_cli_usage("cover", "expected one file");
	if (argv[1][0] == '-' && argv[1][1] != '\0')
		return wf_cli_usage("cover", "unknown option %s", argv[1]);
	if (answer(argv[1], &exit_code, &err) != WF_OK)
		return wf_cli_report(&err);
	return exit_code;
}
