/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files fit a parameter of YDocumentType, or an element of that type in
 * it, by attributes: documentTypes="application/pdf image/..",
 * documentSize="5M" (bytes, with K, M or G).
 */
#ifndef WF_SPEC_DOCUMENT_LIMITS_H
#define WF_SPEC_DOCUMENT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "data/outline/document_walk.h"
#include "spec/spec.h"

struct wf_document_limits {
	const char *types; /* separated by blanks or commas; "": any */
	uint64_t bytes;	   /* at most; UINT64_MAX: not limited */
};

/* A size that cannot be read allows nothing. */
void wf_document_limits_of(const struct wf_document_hints *hints,
    struct wf_document_limits *limits_out);
/* wf_type_visit_documents() of a value of the variable. */
enum wf_rc wf_variable_visit_documents(const struct wf_variable *variable,
    const struct wf_value *value, wf_document_visit_f *visit, void *context,
    struct wf_error *err) WF_MUSTCHECK;
/*
 * Whether the element on a path, which begins with the name of the variable
 * ("order/line/file"), refers to a document; limits_out: which.
 */
bool wf_variable_find_document(const struct wf_variable *variable,
    const char *path, struct wf_document_limits *limits_out);

/* The next word of a list of types, which is moved on; NULL: no more. */
const char *wf_document_types_next(const char **list, size_t *length_out);
/*
 * Whether a type is one of such a list: a type, one that ends with a slash and
 * a star, or both stars.  "": any is.
 */
bool wf_document_type_is_in(const char *type, const char *list);

/* WF_UNSUPPORTED: another type; WF_LIMIT: too large. */
enum wf_rc wf_document_limits_check(const struct wf_document_limits *limits,
    const char *type, uint64_t size, struct wf_error *err) WF_MUSTCHECK;

#endif
