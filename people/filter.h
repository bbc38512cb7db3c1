/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expressions of filters:
 *
 *   expression:  operand { ("&" | "|") operand }
 *   operand:     a name | "${" variable of the net "}" | nothing
 *
 * "&" intersects and "|" unites, from left to right without precedence.
 * Names are trimmed; an unknown name, a variable without a value and an operand
 * that is nothing are the empty set, but an operator at the end is ignored. The
 * value of a variable is one name.  Where a name with "&" or "|" in it is
 * known, it is meant.
 */
#ifndef WF_PEOPLE_FILTER_H
#define WF_PEOPLE_FILTER_H

#include "people/distribution.h"

/* Intersects the set with what the filter selects. */
void wf_filter_apply(const struct wf_organisation *organisation,
    const struct wf_resource_filter *filter,
    const struct wf_resource_case *about, uint64_t *set,
    struct wf_arena *arena);

/* A name without the blanks around it, in the arena. */
const char *wf_filter_trimmed(
    struct wf_arena *arena, const char *text, size_t length);

#endif
