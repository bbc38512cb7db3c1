/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of "weft people". */
#ifndef WF_CLI_PEOPLE_PEOPLE_H
#define WF_CLI_PEOPLE_PEOPLE_H

/*
 * Answers the questions in a file, a JSON object a line: who gets an item
 * ("distribution"), whom an allocator chooses ("allocation").  Returns the exit
 * code.
 */
int wf_people_answer(const char *path);

#endif
