/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts: lines with commands for one case and expectations about it.
 * docs/SCENARIOS.md describes the language.
 */
#ifndef WF_CLI_SCENARIO_SCRIPT_H
#define WF_CLI_SCENARIO_SCRIPT_H

#include "cli/scenario/session.h"
#include "cli/scenario/words.h"

enum wf_script_kind {
	WF_SCRIPT_COMMAND,
	WF_SCRIPT_AT,
	WF_SCRIPT_HOLIDAYS,
	WF_SCRIPT_GOES,
	WF_SCRIPT_EXPECT
};

struct wf_script_line {
	enum wf_script_kind kind;
	int line;
	/* A command. */
	enum wf_command_kind command;
	const char *item; /* NULL: none */
	const char *data; /* XML, or the changes of a repair; NULL: none */
	size_t length;	  /* of data */
	struct wf_session_people people;
	enum wf_rc refusal; /* what it must be refused with; WF_OK: accepted */
	/* A choice for the next command: a task, and where its split goes. */
	struct wf_choice choice;
	/* A time. */
	int64_t now;
	const struct wf_calendar *calendar; /* holidays */
	/* An expectation: what it is about (cli/scenario/expect.h), and its
	 * words. */
	size_t about;
	char **words;
	size_t word_count;
};

struct wf_script {
	struct wf_script_line *lines;
	size_t count;
	size_t capacity;
};

/* Parses the words as a line and adds it; lines has its place in the file. */
enum wf_rc wf_script_add(struct wf_script *script, const struct wf_lines *lines,
    const struct wf_words *words, struct wf_error *err) WF_MUSTCHECK;
/* All lines of a text. */
enum wf_rc wf_script_parse(struct wf_script *script, struct wf_lines *lines,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Executes the line.  A command that is refused though it should be accepted
 * (or the other way round), and an expectation that does not hold, are errors.
 */
enum wf_rc wf_script_execute(const struct wf_script_line *line,
    struct wf_session *session, struct wf_error *err) WF_MUSTCHECK;

#endif
