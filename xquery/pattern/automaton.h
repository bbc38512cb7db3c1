/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The patterns of XML Schema (the facet "pattern"), which are regular: a text
 * is decided in time proportional to its length times the number of states,
 * whatever the pattern, and each state that is visited is counted.
 */
#ifndef WF_XQUERY_PATTERN_AUTOMATON_H
#define WF_XQUERY_PATTERN_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct wf_automaton; /* opaque; any thread can use it */

/*
 * WF_DATA: pattern is not a regular expression of XML Schema; WF_LIMIT: its
 * repetitions make it too large. err->message is the reason, to follow a colon.
 */
enum wf_rc wf_automaton_new(struct wf_automaton **automaton_out,
    const char *pattern, struct wf_error *err) WF_MUSTCHECK;
void wf_automaton_free(struct wf_automaton **automaton);
/* The number of its states, for budgets. */
size_t wf_automaton_states(const struct wf_automaton *automaton);

/*
 * Whether the pattern matches the whole text (UTF-8). *read_out, unless
 * read_out is NULL: the bytes of the longest prefix that some text which
 * matches begins with. Takes what it visits from *budget; WF_LIMIT when the
 * budget does not suffice, which is then 0.
 */
enum wf_rc wf_automaton_match(const struct wf_automaton *automaton,
    const char *text, size_t length, uint64_t *budget, bool *matches_out,
    size_t *read_out, struct wf_error *err) WF_MUSTCHECK;

#endif
