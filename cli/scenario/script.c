/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The script language: parses and executes a line.  Commands are in the
 * kernel's own table, expectations in cli/scenario/expect.c.
 */
#include "cli/scenario/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "cli/scenario/expect.h"
#include "cli/scenario/people_lines.h"
#include "kernel/change/repair.h"

struct command_row {
	enum wf_command_kind kind;
	const char *word;
	bool has_item;
};

static const struct command_row commands[] = {
#define WF_COMMAND(name, word, item, since, meaning)                           \
	{ WF_COMMAND_##name, word, item },
#include "kernel/commands.def"
#undef WF_COMMAND
};

/* The words of a line that are not read yet. */
struct parser {
	const struct wf_lines *lines;
	int line;
	char **words;
	size_t count;
	struct wf_error *err;
};

#define FAIL(parser, ...)                                                      \
	wf_lines_fail(                                                         \
	    (parser)->lines, (parser)->line, (parser)->err, __VA_ARGS__)

static const char *peek(const struct parser *parser)
{
	return parser->count > 0 ? parser->words[0] : "";
}

static const char *take(struct parser *parser)
{
	parser->count--;
	return *parser->words++;
}

static bool is_command(const char *word)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].word, word) == 0)
			return true;
	return false;
}

static const struct command_row *find_command(const char *word, bool has_item)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].has_item == has_item &&
		    strcmp(commands[i].word, word) == 0)
			return &commands[i];
	return NULL;
}

/* to NAME..; redirect: to "URI" */
static enum wf_rc parse_targets(
    struct parser *parser, struct wf_script_line *line)
{
	if (strcmp(peek(parser), "to") != 0)
		return WF_OK;
	take(parser);
	if (parser->count == 0)
		return FAIL(parser, "a participant is missing behind \"to\"");
	if (line->command == WF_COMMAND_REDIRECT) {
		line->people.targets =
		    wf_word_unquote(parser->lines->arena, take(parser));
		return WF_OK;
	}
	while (parser->count > 0) {
		const char *id = wf_people_line_id(
		    parser->lines->arena, WF_ORG_PARTICIPANT, take(parser));

		line->people.targets =
		    line->people.targets == NULL
			? id
			: wf_arena_printf(parser->lines->arena, "%s,%s",
			      line->people.targets, id);
	}
	return WF_OK;
}

/* What a change of a repair has behind its word. */
static enum wf_rc parse_change(
    struct parser *parser, struct wf_repair_change *change)
{
	const char *word = parser->count > 0 ? take(parser) : "";

	*change = (struct wf_repair_change){ .number = 1 };
	change->kind = wf_repair_kind(word);
	if (change->kind == 0)
		return FAIL(parser,
		    "\"%s\" is no change; such are add, remove, cancel, empty, "
		    "enter and set",
		    word);
	if (change->kind == WF_REPAIR_SET) {
		change->data = parser->count > 0 ? take(parser) : "";
		change->length = strlen(change->data);
	} else if (change->kind != WF_REPAIR_EMPTY &&
		   change->kind != WF_REPAIR_FINISH) {
		change->name = parser->count > 0 ? take(parser) : "";
	}
	if (peek(parser)[0] >= '0' && peek(parser)[0] <= '9')
		change->number = (uint32_t)strtoul(take(parser), NULL, 10);
	if (strcmp(peek(parser), "in") == 0) {
		take(parser);
		change->net = parser->count > 0 ? take(parser) : "";
	}
	return WF_OK;
}

/*
 * repair CHANGE [and CHANGE]..: add|remove CONDITION [NUMBER], cancel|enter
 * TASK, empty, set <data>; each may end with "in NET".
 */
static enum wf_rc parse_repair(
    struct parser *parser, struct wf_script_line *line)
{
	struct wf_repair_change change;
	struct wf_buffer data;
	enum wf_rc rc;

	take(parser);
	line->kind = WF_SCRIPT_COMMAND;
	line->command = WF_COMMAND_REPAIR;
	wf_buffer_init(&data, (size_t)1 << 20);
	for (;;) {
		rc = parse_change(parser, &change);
		if (rc != WF_OK)
			break;
		wf_repair_put(&data, &change);
		if (strcmp(peek(parser), "and") != 0)
			break;
		take(parser);
	}
	line->data = wf_arena_strndup(
	    parser->lines->arena, wf_buffer_text(&data), data.length);
	line->length = data.length;
	wf_buffer_free(&data);
	return rc;
}

static enum wf_rc parse_command(
    struct parser *parser, struct wf_script_line *line)
{
	const char *word;
	bool has_item;
	const struct command_row *row;

	if (parser->count == 0)
		return FAIL(parser, "a command is missing");
	if (strcmp(peek(parser), "repair") == 0)
		return parse_repair(parser, line);
	word = take(parser);
	has_item = parser->count > 0 && peek(parser)[0] != '<';
	row = find_command(word, has_item);
	if (row == NULL && !is_command(word))
		return FAIL(parser, "there is no command \"%s\"", word);
	if (row == NULL)
		return has_item
			   ? FAIL(parser, "\"%s\" takes no work item", word)
			   : FAIL(parser, "\"%s\" needs a work item", word);
	line->kind = WF_SCRIPT_COMMAND;
	line->command = row->kind;
	if (has_item)
		line->item = take(parser);
	if (peek(parser)[0] == '<')
		line->data = take(parser);
	else if (peek(parser)[0] == '"')
		line->data =
		    wf_word_unquote(parser->lines->arena, take(parser));
	if (line->data != NULL)
		line->length = strlen(line->data);
	return parse_targets(parser, line);
}

/* as NAME [by DEPUTY] [forced] COMMAND */
static enum wf_rc parse_person(
    struct parser *parser, struct wf_script_line *line)
{
	take(parser);
	if (parser->count == 0)
		return FAIL(parser, "a participant is missing behind \"as\"");
	line->people.participant = wf_people_line_id(
	    parser->lines->arena, WF_ORG_PARTICIPANT, take(parser));
	if (strcmp(peek(parser), "by") == 0) {
		take(parser);
		if (parser->count == 0)
			return FAIL(
			    parser, "a participant is missing behind \"by\"");
		line->people.deputy = wf_people_line_id(
		    parser->lines->arena, WF_ORG_PARTICIPANT, take(parser));
	}
	line->people.is_forced = strcmp(peek(parser), "forced") == 0;
	if (line->people.is_forced)
		take(parser);
	return parse_command(parser, line);
}

/* A command, of a participant or of nobody. */
static enum wf_rc parse_any_command(
    struct parser *parser, struct wf_script_line *line)
{
	return strcmp(peek(parser), "as") == 0 ? parse_person(parser, line)
					       : parse_command(parser, line);
}

static enum wf_rc parse_refusal(
    struct parser *parser, struct wf_script_line *line)
{
	const char *code;

	if (parser->count == 0)
		return FAIL(parser, "the code of the refusal is missing");
	code = take(parser);
	line->refusal = wf_rc_by_name(code);
	if (line->refusal == WF_OK || line->refusal == WF_BUG)
		return FAIL(parser,
		    "\"%s\" is no code of a refusal; such are INVALID, "
		    "NOT_FOUND, CONFLICT, DATA and LIMIT",
		    code);
	return parse_any_command(parser, line);
}

static enum wf_rc parse_time(struct parser *parser, struct wf_script_line *line)
{
	const char *text = parser->count > 0 ? take(parser) : "";
	struct tm when;
	const char *rest;

	memset(&when, 0, sizeof(when));
	rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &when);
	if (rest == NULL || strcmp(rest, "Z") != 0)
		return FAIL(parser,
		    "\"%s\" is no time like 2026-01-01T00:00:00Z", text);
	line->kind = WF_SCRIPT_AT;
	line->now = (int64_t)timegm(&when) * 1000;
	return WF_OK;
}

static enum wf_rc parse_holidays(
    struct parser *parser, struct wf_script_line *line)
{
	size_t count = parser->count;
	int32_t *days =
	    wf_arena_array(parser->lines->arena, count + 1, sizeof(*days));

	line->kind = WF_SCRIPT_HOLIDAYS;
	for (size_t i = 0; i < count; i++) {
		const char *day = take(parser);

		if (!wf_calendar_day(day, strlen(day), &days[i]))
			return FAIL(
			    parser, "\"%s\" is no day like 2026-12-25", day);
	}
	line->calendar =
	    wf_calendar_of_days(parser->lines->arena, days, count, 0);
	return WF_OK;
}

static enum wf_rc parse_choice(
    struct parser *parser, struct wf_script_line *line)
{
	if (parser->count < 2)
		return FAIL(
		    parser, "expected a task and the elements that it goes to");
	line->kind = WF_SCRIPT_GOES;
	line->choice.task = take(parser);
	line->choice.targets = (const char *const *)parser->words;
	line->choice.target_count = parser->count;
	parser->count = 0;
	return WF_OK;
}

static enum wf_rc parse_expectation(
    struct parser *parser, struct wf_script_line *line)
{
	const char *word = parser->count > 0 ? take(parser) : "";
	char problem[160];

	line->kind = WF_SCRIPT_EXPECT;
	line->about = wf_expect_find(word);
	if (line->about == WF_EXPECT_NOTHING)
		return FAIL(
		    parser, "\"%s\" is nothing that can be expected", word);
	line->words = parser->words;
	line->word_count = parser->count;
	parser->count = 0;
	if (!wf_expect_check_words(line->about, line->words, line->word_count,
		problem, sizeof(problem)))
		return FAIL(parser, "%s", problem);
	return WF_OK;
}

static enum wf_rc parse_line(struct parser *parser, struct wf_script_line *line)
{
	enum wf_rc rc;

	if (strcmp(peek(parser), "expect") == 0) {
		take(parser);
		rc = parse_expectation(parser, line);
	} else if (strcmp(peek(parser), "at") == 0) {
		take(parser);
		rc = parse_time(parser, line);
	} else if (strcmp(peek(parser), "holidays") == 0) {
		take(parser);
		rc = parse_holidays(parser, line);
	} else if (strcmp(peek(parser), "goes") == 0) {
		take(parser);
		rc = parse_choice(parser, line);
	} else if (strcmp(peek(parser), "refuse") == 0) {
		take(parser);
		rc = parse_refusal(parser, line);
	} else {
		rc = parse_any_command(parser, line);
	}
	if (rc == WF_OK && parser->count > 0)
		return FAIL(
		    parser, "\"%s\" is not expected here", peek(parser));
	return rc;
}

enum wf_rc wf_script_add(struct wf_script *script, const struct wf_lines *lines,
    const struct wf_words *words, struct wf_error *err)
{
	struct parser parser = { lines, words->line, words->words, words->count,
		err };
	struct wf_script_line *line;

	script->lines = wf_arena_grow(lines->arena, script->lines,
	    script->count, &script->capacity, sizeof(*script->lines));
	line = &script->lines[script->count++];
	memset(line, 0, sizeof(*line));
	line->line = words->line;
	return parse_line(&parser, line);
}

enum wf_rc wf_script_parse(
    struct wf_script *script, struct wf_lines *lines, struct wf_error *err)
{
	struct wf_words words;
	enum wf_rc rc;

	for (;;) {
		rc = wf_lines_next(lines, &words, err);
		if (rc != WF_OK || words.count == 0)
			return rc;
		rc = wf_script_add(script, lines, &words, err);
		if (rc != WF_OK)
			return rc;
	}
}

static const char *command_word(enum wf_command_kind kind)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].kind == kind)
			return commands[i].word;
	return "?";
}

/* "start 1:D", for messages. */
static void describe(const struct wf_script_line *line, char *text, size_t size)
{
	snprintf(text, size, "%s%s%.100s", command_word(line->command),
	    line->item != NULL ? " " : "",
	    line->item != NULL ? line->item : "");
}

static enum wf_rc execute_command(const struct wf_script_line *line,
    struct wf_session *session, struct wf_error *err)
{
	struct wf_error *refusal = &session->refusal;
	char what[160];
	enum wf_rc rc;

	wf_error_clear(refusal);
	rc = wf_session_command_of(session, &line->people, line->command,
	    line->item, line->data, line->length, refusal);
	describe(line, what, sizeof(what));
	if (rc == line->refusal)
		return WF_OK;
	if (line->refusal == WF_OK)
		return wf_fail(err, rc, "\"%s\" was refused (%s): %s", what,
		    wf_rc_name(rc), refusal->message);
	if (rc == WF_OK)
		return wf_fail(err, WF_CONFLICT,
		    "\"%s\" was accepted, but %s was expected", what,
		    wf_rc_name(line->refusal));
	return wf_fail(err, rc,
	    "\"%s\" was refused with %s (%s), but %s was expected", what,
	    wf_rc_name(rc), refusal->message, wf_rc_name(line->refusal));
}

enum wf_rc wf_script_execute(const struct wf_script_line *line,
    struct wf_session *session, struct wf_error *err)
{
	switch (line->kind) {
	case WF_SCRIPT_COMMAND:
		return execute_command(line, session, err);
	case WF_SCRIPT_AT:
		return wf_session_advance(session, line->now, err);
	case WF_SCRIPT_HOLIDAYS:
		session->calendar = line->calendar;
		return WF_OK;
	case WF_SCRIPT_GOES:
		return wf_session_choose(session, &line->choice, err);
	case WF_SCRIPT_EXPECT:
		return wf_expect_holds(
		    line->about, line->words, line->word_count, session, err);
	}
	return WF_OK;
}
