/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentences about values that do not fit their types; private to data/.
 *
 * libxml2 reports by calling a function for each mistake; these are the
 * functions, for schemas and for values.  The first mistake is kept, and all of
 * them where a list is given.
 */
#ifndef WF_DATA_TYPE_ERROR_H
#define WF_DATA_TYPE_ERROR_H

#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "data/type.h"

/* WF_DATA: "element <name>: ..."; before: for struct wf_place. */
enum wf_rc wf_type_fail(struct wf_error *err, const char *name,
    size_t name_length, unsigned before, const char *format, ...)
    WF_PRINTF(5, 6);

/* WF_DATA: "element <name>: 'text' is not a valid type" */
enum wf_rc wf_type_fail_value(struct wf_error *err, const char *name,
    size_t name_length, unsigned before, const char *text, size_t length,
    const char *type);

/* A handler of xmlSchemaSetParserStructuredErrors(); a struct wf_error. */
void wf_schema_error(void *argument, xmlError *error);

/* The arguments and the result of the handler for values. */
struct wf_type_errors {
	struct wf_error err;
	const char *name; /* of the root, which has another name in the tree */
	size_t name_length;
	const char *type;	      /* name of its type */
	bool gave_up;		      /* libxml2 could not decide */
	struct wf_mistakes *mistakes; /* all; NULL: the first suffices */
};

/* Whether further mistakes are wanted. */
bool wf_type_errors_wanted(const struct wf_type_errors *errors);
/* Adds the error, if it is one of data, as a mistake at that path. */
void wf_type_note(struct wf_mistakes *mistakes, const char *path,
    const char *rule, const struct wf_error *err);

/*
 * Appends the path of a node, or of the element around it, as in the mistakes;
 * root: the name of the root.
 */
void wf_type_put_path(const char *root, size_t length, const xmlNode *node,
    struct wf_buffer *path);
/* The number of elements of its document that begin before the node. */
unsigned wf_type_elements_before(const xmlNode *node);

/* A handler of xmlSchemaSetValidStructuredErrors(). */
void wf_type_on_error(void *argument, xmlError *error);

#endif
