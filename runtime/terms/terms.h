/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terms of a case, from its variables and its name: what a step has
 * changed, or all.  One struct wf_terms belongs to one thread.
 */
#ifndef WF_RUNTIME_TERMS_TERMS_H
#define WF_RUNTIME_TERMS_TERMS_H

#include "kernel/case.h"
#include "persistence/indexes.h"
#include "spec/spec.h"

struct wf_terms; /* opaque */

/* indexes must outlive it.  only_ready: without those that are being filled. */
struct wf_terms *wf_terms_new(struct wf_indexes *indexes, bool only_ready);
void wf_terms_free(struct wf_terms **terms);
/* Takes changes of the indexes over; no plan is used any more. */
void wf_terms_refresh(struct wf_terms *terms);

/*
 * How the values at a path of a variable of the root net compare, by its type.
 * WF_INVALID: there is no such variable or element, or not one simple value.
 */
enum wf_rc wf_terms_type(const struct wf_spec *spec, const char *path,
    enum wf_term_type *type_out, struct wf_error *err) WF_MUSTCHECK;

/* The variables of a specification that are indexed; valid until a refresh. */
struct wf_term_plan; /* opaque */
/* NULL: none are. */
const struct wf_term_plan *wf_terms_plan(
    struct wf_terms *terms, uint32_t namespace_id, const struct wf_spec *spec);

/* The values of a case at one moment, with references to them. */
struct wf_term_values {
	struct wf_value *values[WF_CASE_INDEXES];
};
void wf_term_values_note(struct wf_term_values *values,
    const struct wf_term_plan *plan, const struct wf_case *instance);
void wf_term_values_drop(struct wf_term_values *values);

/* Room for the terms of a case. */
#define WF_TERM_ROWS (WF_WORDS + WF_CASE_INDEXES)

/*
 * Writes the terms of variables that are others than before (NULL: all) to
 * rows; their texts are the arena's, or live as long as the plan.  Those of
 * indexes that are being filled are written in any case.
 */
size_t wf_terms_of_variables(const struct wf_term_plan *plan,
    const struct wf_term_values *before, const struct wf_case *instance,
    const struct wf_term_row *row, struct wf_term_row *rows,
    struct wf_arena *arena);
/*
 * The terms that a case has no more when it goes on as one of another
 * specification: those of one plan, without those of the other (each may be
 * NULL); the same.
 */
size_t wf_terms_left(const struct wf_term_plan *before,
    const struct wf_term_plan *after, const struct wf_term_row *row,
    struct wf_term_row *rows);
/* The same for the words of a case. */
size_t wf_terms_of_words(const struct wf_case_row *instance,
    struct wf_term_row *rows, struct wf_arena *arena);

#endif
