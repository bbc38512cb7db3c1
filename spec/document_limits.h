/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files fit a parameter of YDocumentType, by its attributes:
 * documentTypes="application/pdf image/..", documentSize="5M" (bytes, with K, M
 * or G).
 */
#ifndef WF_SPEC_DOCUMENT_LIMITS_H
#define WF_SPEC_DOCUMENT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "spec/spec.h"

struct wf_document_limits {
	const char *types; /* separated by blanks or commas; "": any */
	uint64_t bytes;	   /* at most; UINT64_MAX: not limited */
};

/* Whether a variable refers to a document. */
bool wf_variable_is_document(const struct wf_variable *variable);
/*
 * The document that a valid value of YDocumentType refers to; 0: none.
 * WF_DATA: its elements are in a namespace, or the number is none of a
 * document.
 */
enum wf_rc wf_document_reference(const struct wf_value *value,
    uint64_t *document_out, struct wf_error *err) WF_MUSTCHECK;
/* A size that cannot be read allows nothing. */
void wf_document_limits_of(
    const struct wf_variable *variable, struct wf_document_limits *limits_out);

/*
 * Whether a type is one of such a list: a type, one that ends with a slash and
 * a star, or both stars.  "": any is.
 */
bool wf_document_type_is_in(const char *type, const char *list);

/* WF_UNSUPPORTED: another type; WF_LIMIT: too large. */
enum wf_rc wf_document_limits_check(const struct wf_document_limits *limits,
    const char *type, uint64_t size, struct wf_error *err) WF_MUSTCHECK;

#endif
