/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft cover: answers questions of coverability from a file, one JSON object
 * a line.
 *
 * A file that begins with "{" holds cases of OR-joins; each is asked within
 * the budget of a step, and then, if that was not enough, within a long one.
 * One that begins with "<" is PNML, any other is in mist's format.
 */
#include <stdio.h>
#include <string.h>

#include "cli/check/cover_net.h"
#include "cli/commands.h"
#include "kernel/or_join/or_join.h"
#include "petri/cover.h"
#include "petri/problem.h"

#define EXIT_UNDECIDED 6
#define FILE_MAXIMUM (256U << 20)
/* Elementary steps of the last turn: half a minute or so. */
#define WORK_MAXIMUM UINT64_C(3000000000)

/* --- OR-joins --- */

static void put_step(struct wf_buffer *out, const struct wf_net *net,
    const struct wf_or_step *step)
{
	wf_buffer_puts(out, step->ends ? "[\"end\"," : "[\"start\",");
	wf_json_put_string(out, net->tasks[step->task].id);
	wf_buffer_puts(out, ",[");
	for (uint32_t i = 0; i < step->count; i++) {
		if (i > 0)
			wf_buffer_putc(out, ',');
		wf_json_put_string(
		    out, net->conditions[step->conditions[i]].id);
	}
	wf_buffer_puts(out, "]]");
}

static void put_witness(struct wf_buffer *out, const struct wf_or_join *join,
    const struct wf_cover_case *c)
{
	struct wf_or_witness witness;

	if (!wf_or_join_witness(
		join, c->tokens, c->busy, &wf_or_budget_long, &witness)) {
		wf_buffer_puts(out, "null");
		return;
	}
	wf_buffer_putc(out, '[');
	for (uint32_t i = 0; i < witness.count; i++) {
		if (i > 0)
			wf_buffer_putc(out, ',');
		put_step(out, c->net, &witness.steps[i]);
	}
	wf_buffer_putc(out, ']');
	wf_or_witness_free(&witness);
}

static enum wf_or_verdict answer_case(
    const struct wf_cover_case *c, struct wf_buffer *out)
{
	static const char *const words[] = { "true", "false", "null" };
	struct wf_or_join *join = wf_or_join_compile(c->net, c->task);
	struct wf_or_reason reason;
	enum wf_or_verdict verdict = wf_or_join_decide(
	    join, c->tokens, c->busy, NULL, &wf_or_budget_step, &reason);

	if (verdict == WF_OR_UNDECIDED)
		verdict = wf_or_join_decide(join, c->tokens, c->busy, NULL,
		    &wf_or_budget_long, &reason);
	wf_buffer_puts(out, "{\"id\":");
	wf_json_put_string(out, c->id);
	wf_buffer_printf(out,
	    ",\"enabled\":%s,\"by\":\"%s\",\"witness\":", words[verdict],
	    wf_or_stage_name(reason.stage));
	if (verdict == WF_OR_WAIT)
		put_witness(out, join, c);
	else
		wf_buffer_puts(out, "null");
	wf_buffer_puts(out, "}\n");
	wf_or_join_free(&join);
	return verdict;
}

static enum wf_rc answer_cases(
    const struct wf_json *cases, int *exit_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_buffer out;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&out, FILE_MAXIMUM);
	for (size_t i = 0; i < cases->count && rc == WF_OK; i++) {
		struct wf_cover_case c;

		wf_arena_reset(arena);
		wf_buffer_reset(&out);
		rc = wf_cover_read_case(&c, arena, &cases->items[i], err);
		if (rc != WF_OK)
			break;
		if (answer_case(&c, &out) == WF_OR_UNDECIDED)
			*exit_out = EXIT_UNDECIDED;
		fputs(wf_buffer_text(&out), stdout);
	}
	wf_buffer_free(&out);
	wf_arena_free(&arena);
	return rc;
}

static enum wf_rc answer_json(
    const struct wf_buffer *text, int *exit_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	const struct wf_json *format;
	const struct wf_json *cases;
	struct wf_json json;
	enum wf_rc rc =
	    wf_json_read(&json, arena, wf_buffer_text(text), text->length, err);

	format = wf_json_member(&json, "format");
	cases = wf_json_member(&json, "cases");
	if (rc == WF_OK && (format == NULL || format->kind != WF_JSON_STRING ||
			       strcmp(format->text, "orjoin-cases/1") != 0 ||
			       cases == NULL || cases->kind != WF_JSON_ARRAY))
		rc = wf_fail(err, WF_INVALID,
		    "expected \"format\": \"orjoin-cases/1\" and \"cases\", "
		    "an array");
	if (rc == WF_OK)
		rc = answer_cases(cases, exit_out, err);
	wf_arena_free(&arena);
	return rc;
}

/* --- Petri nets --- */

static void put_firings(struct wf_buffer *out, const struct wf_problem *problem,
    const struct wf_firings *firings)
{
	wf_buffer_putc(out, '[');
	for (uint32_t i = 0; i < firings->count; i++) {
		if (i > 0)
			wf_buffer_putc(out, ',');
		wf_json_put_string(
		    out, problem->transitions[firings->transitions[i]]);
	}
	wf_buffer_putc(out, ']');
}

static enum wf_cover answer_problem(
    const struct wf_problem *problem, struct wf_buffer *out)
{
	static const char *const words[] = { "true", "false", "null" };
	struct wf_cover_result result;

	wf_cover_decide(problem->net, problem->initial, problem->targets,
	    problem->target_count, WORK_MAXIMUM, &result);
	wf_buffer_printf(out, "{\"coverable\":%s,\"by\":\"%s\",\"witness\":",
	    words[result.verdict],
	    result.verdict == WF_COVER_UNKNOWN ? "undecided"
	    : result.ahead		       ? "forward"
					       : "backward");
	if (result.verdict == WF_COVERABLE)
		put_firings(out, problem, &result.firings);
	else
		wf_buffer_puts(out, "null");
	wf_buffer_puts(out, "}\n");
	wf_firings_free(&result.firings);
	return result.verdict;
}

static enum wf_rc answer_net(const struct wf_buffer *text, bool pnml,
    int *exit_out, struct wf_error *err)
{
	struct wf_problem problem;
	struct wf_buffer out;
	enum wf_rc rc;

	if (pnml)
		rc = wf_problem_read_pnml(
		    &problem, wf_buffer_text(text), text->length, err);
	else
		rc = wf_problem_read_mist(
		    &problem, wf_buffer_text(text), text->length, err);
	if (rc != WF_OK)
		return rc;
	wf_buffer_init(&out, FILE_MAXIMUM);
	if (answer_problem(&problem, &out) == WF_COVER_UNKNOWN)
		*exit_out = EXIT_UNDECIDED;
	fputs(wf_buffer_text(&out), stdout);
	wf_buffer_free(&out);
	wf_problem_free(&problem);
	return WF_OK;
}

/* --- The command --- */

static enum wf_rc answer(const char *path, int *exit_out, struct wf_error *err)
{
	struct wf_buffer text;
	const char *start;
	enum wf_rc rc;

	wf_buffer_init(&text, FILE_MAXIMUM);
	rc = wf_buffer_read_file(&text, path, err);
	start = wf_buffer_text(&text);
	start += strspn(start, " \t\r\n\xef\xbb\xbf");
	if (rc == WF_OK && *start == '{')
		rc = answer_json(&text, exit_out, err);
	else if (rc == WF_OK)
		rc = answer_net(&text, *start == '<', exit_out, err);
	wf_buffer_free(&text);
	if (rc != WF_OK && err->place.file[0] == '\0')
		snprintf(err->place.file, sizeof(err->place.file), "%s", path);
	return rc;
}

int wf_cli_cover(int argc, char **argv)
{
	struct wf_error err = { .rc = WF_OK };
	int exit_code = WF_EXIT_DONE;

	if (argc != 2)
		return wf_cli_usage(
		    "cover", argc < 2 ? "which file?" : "one file at a time");
	if (argv[1][0] == '-' && argv[1][1] != '\0')
		return wf_cli_usage("cover", "unknown option %s", argv[1]);
	if (answer(argv[1], &exit_code, &err) != WF_OK)
		return wf_cli_report(&err);
	return exit_code;
}
