/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the author of a specification says about how a field is shown: the
 * attributes of a parameter, the hints of its type (xs:appinfo), and those that
 * the containers around it hand down.  Private to form/.
 */
#ifndef WF_FORM_HINTS_H
#define WF_FORM_HINTS_H

#include <jansson.h>

#include "data/outline/outline.h"
#include "data/query.h"
#include "spec/spec.h"

/* The texts and conditions of one form are evaluated over one document. */
struct wf_form_text {
	struct wf_document document;
	struct wf_evaluation how;
	const char *language; /* as in struct wf_form */
	json_t *problems;     /* an array; what failed, and where */
};

/* The sources of one field, and those of the container around it. */
struct wf_hints {
	const struct wf_hints *above; /* NULL: none */
	const char *path;	      /* of the field; "": the form */
	const struct wf_attribute *attributes;
	size_t attribute_count;
	const struct wf_attribute *more; /* count for less than the others */
	size_t more_count;
	const struct wf_hint *hints;
	size_t hint_count;
};

/*
 * The value of a hint is the nearest that there is.  Names are compared without
 * prefix and case.  Only some are handed down (hints.c).
 */

/* Whether it is "true" (or "yes" or "1"). */
bool wf_hint_is_true(const struct wf_hints *hints, const char *name);

/*
 * Whether the query is true; otherwise, when it fails, which is a problem of
 * the form.  otherwise: also when there is no such hint.
 */
bool wf_hint_holds(const struct wf_hints *hints, const char *name,
    struct wf_form_text *text, bool otherwise);

/*
 * Adds the hint, its ${queries} evaluated, as a member; nothing: there is none.
 * One with the language behind its name ("label-zh") comes before one without.
 */
void wf_hint_put(const struct wf_hints *hints, const char *name,
    const char *member, struct wf_form_text *text, json_t *object);
/* Adds those that only say how it is displayed, as the member "attributes". */
void wf_hint_put_appearance(
    const struct wf_hints *hints, struct wf_form_text *text, json_t *object);

/*
 * Appends text with each place, from opening ("${" or "{") to "}", replaced by
 * the result of its query.  is_uri: results are percent-encoded.
 */
void wf_form_fill(struct wf_form_text *text, const char *path, const char *from,
    const char *opening, bool is_uri, struct wf_buffer *to);

#endif
