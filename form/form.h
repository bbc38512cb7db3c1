/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of a work item, or of the start of a case: which fields a person
 * fills in, as JSON that docs/PEOPLE.md and schemas/openapi.yaml describe.
 *
 * It is made of the parameters, their types and their attributes; conditions
 * and texts are evaluated over the values that are given.  It does not judge
 * values: the completion does (struct wf_mistakes).
 */
#ifndef WF_FORM_FORM_H
#define WF_FORM_FORM_H

#include <jansson.h>

#include "data/type.h"
#include "spec/spec.h"

/* What a form is about. */
struct wf_form {
	const struct wf_spec *spec;
	const struct wf_task *task; /* NULL: the start of a case */
	/* Of a running case, without a task: all variables of its root net. */
	bool is_case;
	/* The parameters as they are now; an entry may be NULL. */
	struct wf_value *const *values;
	size_t value_count;
	/* The data of the root net, for the URI of a custom form; or NULL. */
	const struct wf_value_list *root;
	/* Of the reader, such as "zh" or "zh-TW": texts that are given in it
	 * are taken; NULL: texts as they are without a language. */
	const char *language;
	int64_t now;
	int32_t timezone;
	uint64_t work; /* at most, of all queries; what is left */
};

/*
 * An object with the members title, read_only, attributes, custom_form,
 * fields, problems; a new reference.
 */
json_t *wf_form_make(struct wf_form *form);

/*
 * The parameters that a form can change: of a task its output, of a start the
 * input of the root net.
 */
const struct wf_variable *wf_form_parameters(
    const struct wf_spec *spec, const struct wf_task *task, size_t *count_out);

/*
 * The same for a running case: the variables of its root net, in the arena.
 */
const struct wf_variable *wf_form_variables(
    const struct wf_spec *spec, struct wf_arena *arena, size_t *count_out);

/*
 * An array of mistakes with the path, rule and message of each, and the text of
 * the attribute "alert" of its field; a new reference.  form: as
 * wf_form_make() gave it.
 */
json_t *wf_form_mistakes(
    const struct wf_mistakes *mistakes, const json_t *form);

#endif
