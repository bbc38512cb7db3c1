/* SPDX-License-Identifier: Apache-2.0 */
/* What the answers about the nets of a specification share. */
#ifndef WF_REST_PICTURE_REST_PICTURE_H
#define WF_REST_PICTURE_REST_PICTURE_H

#include <jansson.h>

#include "base/buffer.h"
#include "rest/rest.h"
#include "verify/verify.h"

/* The largest answer that is derived from a specification. */
#define WF_DERIVED_BYTES ((size_t)64 << 20)

/* Appends the object; takes the reference. */
void wf_answer_put(struct wf_buffer *text, json_t *json);
/* Appends its beginning, which members and a brace must follow; likewise. */
void wf_answer_open(struct wf_buffer *text, json_t *json);
/* Whether the text fits.  WF_LIMIT. */
enum wf_rc wf_answer_check(
    const struct wf_buffer *text, struct wf_error *err) WF_MUSTCHECK;

/*
 * Answers with what depends on nothing but the specification, the program and
 * number.  The client may have it already: then make is not called.  make
 * appends to text; what does not fit is answered as WF_LIMIT.
 */
struct wf_derived_answer {
	struct wf_rest *rest;
	uint64_t key;
	uint64_t number;
	struct wf_buffer text;
	struct wf_error err;
	void (*make)(
	    struct wf_derived_answer *answer, const struct wf_spec *spec);
};
void wf_rest_derive(struct wf_derived_answer *answer);

/* The members of the answer before those that are its own; to be closed. */
void wf_rest_put_specification(struct wf_buffer *text, uint64_t key,
    const struct wf_spec *spec, json_t *more);

/* --- report_json.c -------------------------------------------------------- */

/* Appends the report as an object (Check in openapi.yaml). */
void wf_report_put(const struct wf_report *report, struct wf_buffer *text);

#endif
