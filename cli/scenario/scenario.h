/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenario files: several scenarios, each a specification (nets in the short
 * notation, or the path of a file) and a script.  See docs/SCENARIOS.md.
 */
#ifndef WF_CLI_SCENARIO_SCENARIO_H
#define WF_CLI_SCENARIO_SCENARIO_H

#include "cli/scenario/notation.h"
#include "cli/scenario/people_lines.h"
#include "cli/scenario/script.h"

struct wf_scenario {
	const char *title;
	int line;
	struct wf_notation notation; /* its nets, when path is NULL */
	const char *path; /* of a specification, as written; or NULL */
	int path_line;
	const char *invalid; /* what a diagnostic must say; NULL: none */
	int invalid_line;
	struct wf_limits limits;
	struct wf_org_list people;
	struct wf_script script;
};

struct wf_scenarios {
	struct wf_scenario *list;
	size_t count;
	size_t capacity;
};

/* Reads the whole text; everything is made in lines->arena. */
enum wf_rc wf_scenarios_parse(struct wf_scenarios *scenarios,
    struct wf_lines *lines, struct wf_error *err) WF_MUSTCHECK;

/*
 * Where the specification of a "spec" line is: relative to the scenario
 * file, or in the corpus when it begins with "$WEFT_CORPUS/".  NULL when
 * there is no such file.
 */
const char *wf_scenario_path(struct wf_arena *arena, const char *file,
    const struct wf_scenario *scenario);

/* Appends the specification of a scenario, as XML. */
enum wf_rc wf_scenario_source(struct wf_arena *arena, const char *file,
    const struct wf_scenario *scenario, struct wf_buffer *xml,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Reads it.  WF_INVALID, with the diagnostics as text in problems, when it is
 * not accepted.
 */
enum wf_rc wf_scenario_read(const char *file, const struct wf_buffer *xml,
    struct wf_spec_file **file_out, struct wf_buffer *problems,
    struct wf_error *err) WF_MUSTCHECK;

#endif
