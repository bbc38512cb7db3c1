/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents that a value refers to: those of its elements whose type is
 * YDocumentType, or derived from it, however deep they lie.  Value and shape
 * are walked together.  Elements of anyType are not searched.
 */
#ifndef WF_DATA_OUTLINE_DOCUMENT_WALK_H
#define WF_DATA_OUTLINE_DOCUMENT_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "data/type.h"

/* References of one value, at most. */
#define WF_DOCUMENT_REFERENCES 1000U

/*
 * Which files an element takes, as written; NULL: nothing is said.  The nearest
 * counts: of the element, of its type, of the element around it, and so on.
 */
struct wf_document_hints {
	const char *types; /* documentTypes */
	const char *bytes; /* documentSize */
};

/* An element that refers to a document. */
struct wf_document_reference {
	uint64_t document;
	const char *wrong; /* why it refers to none that can be; or NULL */
	struct wf_document_hints hints;
	const void *element; /* for wf_document_place() */
};

/* Something other than WF_OK ends the walk, which returns it. */
typedef enum wf_rc wf_document_visit_f(void *context,
    const struct wf_document_reference *reference, struct wf_error *err);

/*
 * Visits each reference, in the order of the value, which need not be valid.
 * own: what is said of the variable, which counts before what its type says.
 * WF_LIMIT: there are more than WF_DOCUMENT_REFERENCES.
 */
enum wf_rc wf_type_visit_documents(const struct wf_type *type,
    const struct wf_value *value, const struct wf_document_hints *own,
    wf_document_visit_f *visit, void *context,
    struct wf_error *err) WF_MUSTCHECK;

/*
 * Appends the path of the element during its visit: "order/line[2]/file".
 * Returns the number of elements of the value that begin before it.
 */
unsigned wf_document_place(
    const struct wf_document_reference *reference, struct wf_buffer *path);

/*
 * Whether the element on a path below the root ("line/file"; "": the root)
 * refers to a document; hints_out: what is said of it.
 */
bool wf_type_find_document(const struct wf_type *type, const char *path,
    const struct wf_document_hints *own, struct wf_document_hints *hints_out);

#endif
