/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The people of a scenario, a line for each record:
 *
 *   role NAME [below NAME]
 *   group NAME [below NAME]
 *   position NAME [in GROUP] [below NAME]
 *   capability NAME
 *   participant NAME [role NAME].. [position NAME].. [capability NAME]..
 *               [administrator]
 *   rate NAME [participant NAME] [role NAME] [task ID] amount NUMBER
 *        [per hour|minute|day|item] [while busy|allocated|assigned]
 *
 * The id of a record is the prefix of its kind and its name: PA-anna.
 */
#ifndef WF_CLI_SCENARIO_PEOPLE_LINES_H
#define WF_CLI_SCENARIO_PEOPLE_LINES_H

#include "cli/scenario/words.h"
#include "people/organisation/backup.h"

/* Whether the line describes a record. */
bool wf_people_line_is(const struct wf_words *words);
/* Adds the record to the list, in the arena of the lines. */
enum wf_rc wf_people_line_read(struct wf_org_list *list,
    const struct wf_lines *lines, const struct wf_words *words,
    struct wf_error *err) WF_MUSTCHECK;
/* "PA-anna" for the name of a participant. */
const char *wf_people_line_id(
    struct wf_arena *arena, enum wf_org_kind kind, const char *name);

#endif
