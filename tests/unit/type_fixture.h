/* SPDX-License-Identifier: Apache-2.0 */
/* Types of schemas that stand in the tests. */
#ifndef WF_TESTS_TYPE_FIXTURE_H
#define WF_TESTS_TYPE_FIXTURE_H

#include "data/type.h"

#define XS "xmlns:xs='http://www.w3.org/2001/XMLSchema'"
#define SCHEMA "<xs:schema " XS ">"
#define END "</xs:schema>"

/* A value, and what checking it says. */
struct type_row {
	const char *type;
	const char *xml;
	const char *message; /* NULL: it fits */
	unsigned before;
};

/* The types of a schema that is right; NULL: no own types. */
struct wf_types *wf_test_types(const char *schema);

/* *err is filled when the value does not fit. */
enum wf_rc wf_test_type(
    const struct wf_type *type, const char *xml, struct wf_error *err);

/* builtin: the types are those of XML Schema itself. */
void wf_test_type_rows(struct wf_types *types, const struct type_row *rows,
    size_t count, bool builtin);
#define CHECK_TYPE_ROWS(types, rows, builtin)                                  \
	wf_test_type_rows(                                                     \
	    types, rows, sizeof(rows) / sizeof((rows)[0]), builtin)

#endif
