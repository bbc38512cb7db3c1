/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics, counted by a plain reading of all histories. */
#ifndef WF_TESTS_STATISTIC_RECOUNT_H
#define WF_TESTS_STATISTIC_RECOUNT_H

#include "tests/unit/engine_fixture.h"

/* What is counted, as a line; and its times. */
struct statistic_line {
	char *key;
	uint64_t count;
	uint64_t timed;
	uint64_t sum;
};

struct statistic_lines {
	struct statistic_line *rows;
	size_t count;
	size_t capacity;
};

/* The line of what the row counts; made if there is none. */
struct statistic_line *statistic_line_of(struct wf_fixture *f,
    struct statistic_lines *lines, const struct wf_statistic_row *row);
/* Counts launches, in the order of the stream, and the case of each. */
void statistic_recount(struct wf_fixture *f, struct statistic_lines *lines);

#endif
