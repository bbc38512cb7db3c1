/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions of XPath 2.0 (those of XML Schema, with anchors,
 * reluctant quantifiers and back-references), on top of PCRE2.
 *
 * A match that costs too much ends in an error.
 */
#ifndef WF_XQUERY_PATTERN_REGEX_H
#define WF_XQUERY_PATTERN_REGEX_H

#include "xquery/item/item.h"

struct wf_regex; /* opaque */

/*
 * flags: any of s, m, i, x, q. FORX0001: other flags, FORX0002: not a regular
 * expression. The evaluation owns the result and keeps the last one, because
 * the same pattern is usually needed again; the next other pattern replaces it.
 */
enum wf_rc wf_regex_find(struct wf_dynamic *dynamic, struct wf_string pattern,
    struct wf_string flags, struct wf_regex **regex_out) WF_MUSTCHECK;
void wf_regex_free(struct wf_regex **regex);

/* Finds the first match at or after byte start. */
enum wf_rc wf_regex_match(struct wf_dynamic *dynamic, struct wf_regex *regex,
    struct wf_string text, size_t start, bool *found_out) WF_MUSTCHECK;

/* The number of capturing groups. */
unsigned wf_regex_groups(const struct wf_regex *regex);
/* The group around a group (from 1); 0: none. */
unsigned wf_regex_parent(const struct wf_regex *regex, unsigned group);
/*
 * The start and end of a group (0: the whole) of the last match; false: the
 * group took no part in it.
 */
bool wf_regex_group(const struct wf_regex *regex, unsigned group,
    size_t *start_out, size_t *end_out);

#endif
