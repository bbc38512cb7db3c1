/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the text of the schema of a specification to a tree that libxml2 can
 * compile safely; private to the files of data/ that make types.
 *
 * The tree differs from the text. Data in Weft has no attributes, and variables
 * have names, not namespaces, so these are removed: attribute declarations, the
 * target namespace and the prefixes that refer to it, the forms of local
 * elements, and annotations, of which the hints for forms become attributes in
 * a namespace of their own. The internal types of YAWL are added.
 */
#ifndef WF_DATA_SCHEMA_H
#define WF_DATA_SCHEMA_H

#include <libxml/tree.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"

#define WF_XML_SCHEMA "http://www.w3.org/2001/XMLSchema"
/* Of the attributes that hold what xs:appinfo of an element says. */
#define WF_HINT_SPACE "urn:weft:hint"
/* The type of YAWL whose values refer to documents. */
#define WF_DOCUMENT_TYPE "YDocumentType"
/* The names of the elements that are added, one for each global type. */
#define WF_TYPE_ROOT "wf-root."

/* The global components by name; each entry is the xmlNode. */
struct wf_components {
	struct wf_map *types;
	struct wf_map *groups;
	struct wf_map *elements;
};

/*
 * Parses and prepares.  WF_DATA when it is not a schema or refers to another
 * file; err->place.line is the line.  text may be NULL: no types of its own.
 */
enum wf_rc wf_schema_read(xmlDoc **document_out, const char *text,
    size_t length, struct wf_error *err) WF_MUSTCHECK;

/* Removes the patterns of all types. */
void wf_schema_remove_patterns(xmlDoc *document);

/* Lists the global components of a prepared schema. */
void wf_components_init(struct wf_components *components, xmlDoc *document);
void wf_components_free(struct wf_components *components);

/*
 * WF_DATA when compiling the prepared schema could take more time or memory
 * than is reasonable (data/schema_cost.c).
 */
enum wf_rc wf_schema_check_cost(const xmlDoc *document,
    const struct wf_components *components, struct wf_error *err) WF_MUSTCHECK;

/* Whether XML Schema itself defines a type with that local name. */
bool wf_schema_defines(const char *local);

/* Whether node is the element of XML Schema with that local name. */
bool wf_schema_is(const xmlNode *node, const char *local);
/* The same for several local names, with NULL at the end. */
bool wf_schema_is_one_of(const xmlNode *node, const char *const *locals);
/* The first child that is that element, or one of those; NULL: none. */
xmlNode *wf_schema_child(const xmlNode *node, const char *local);
xmlNode *wf_schema_child_of(const xmlNode *node, const char *const *locals);
/* The next node in document order within root; NULL at the end. */
xmlNode *wf_schema_next(const xmlNode *root, xmlNode *node);
/* The value of an attribute in memory that the tree owns; "": no attribute. */
const char *wf_schema_attribute(const xmlNode *node, const char *name);
/* What xs:appinfo of node says, in any case of name; NULL: nothing. */
const char *wf_schema_hint(const xmlNode *node, const char *name);
/* Returns WF_DATA with the line of node. */
enum wf_rc wf_schema_fail(struct wf_error *err, const xmlNode *node,
    const char *format, ...) WF_PRINTF(3, 4);

/* The text of a schema that declares YAWL's internal types. */
extern const char wf_internal_types[];

#endif
