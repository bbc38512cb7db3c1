/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XML as it stood in a file: a plain tree in an arena.
 *
 * The reader of specifications works on such a tree; the parts of it that
 * have no meaning at run time (resourcing, layout, configuration, the user's
 * schema) are kept as copies and written back.  Comments, processing
 * instructions and white space between elements are dropped.  No node is
 * changed once its tree is complete.
 */
#ifndef WF_SPEC_MARKUP_H
#define WF_SPEC_MARKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/diagnostics.h"
#include "base/memory.h"

/* The maximum depth of nested elements. */
#define WF_MARKUP_DEPTH 128

struct wf_markup_attribute {
	const char *prefix; /* "" when there is none */
	const char *name;   /* local */
	const char *space;  /* namespace URI; "" when there is none */
	const char *value;
};

/* A namespace declaration. */
struct wf_markup_namespace {
	const char *prefix; /* "" for the default namespace */
	const char *uri;    /* "" undeclares the default namespace */
};

/* An element, or a piece of text. */
struct wf_markup {
	const char *name;   /* local name; NULL: a piece of text */
	const char *prefix; /* "" when there is none */
	const char *space;  /* namespace URI; "" when there is none */
	const char *text;   /* of a piece of text; NULL for an element */
	struct wf_markup_attribute *attributes;
	size_t attribute_count;
	struct wf_markup_namespace *namespaces; /* declared at this element */
	size_t namespace_count;
	struct wf_markup *parent; /* NULL at the top */
	struct wf_markup *first;  /* the children, text included */
	struct wf_markup *next;	  /* of the same parent */
	int line;		  /* in the source file */
};

/*
 * The root element of an XML text.  A document type declaration is refused,
 * so there are no entities but the five of XML; nothing is fetched.  NULL,
 * with a diagnostic, when it is not well-formed, is nested too deeply, or
 * declares a document type.
 */
struct wf_markup *wf_markup_parse(struct wf_arena *arena, const char *text,
    size_t length, struct wf_diagnostics *diagnostics);

/*
 * A copy that does not depend on its surroundings: prefixes that ancestors
 * declare are declared at the root of the copy.  (The default namespace is not:
 * in YAWL, names without a prefix in attribute values do not use it.)
 */
struct wf_markup *wf_markup_copy(
    struct wf_arena *arena, const struct wf_markup *node);

/* The value of an attribute without a prefix; NULL when there is none. */
const char *wf_markup_attribute(const struct wf_markup *node, const char *name);
/* The same for an attribute in a namespace. */
const char *wf_markup_attribute_in(
    const struct wf_markup *node, const char *space, const char *name);

/*
 * The first child element with that local name in the parent's namespace
 * (NULL as name: any child element), and the next one after it.  A parent
 * that is NULL has no children.
 */
struct wf_markup *wf_markup_child(
    const struct wf_markup *parent, const char *name);
struct wf_markup *wf_markup_next(
    const struct wf_markup *child, const char *name);
bool wf_markup_is(const struct wf_markup *node, const char *name);

/* The text directly in an element, in the arena; "" for a NULL element. */
const char *wf_markup_text(
    struct wf_arena *arena, const struct wf_markup *node);
bool wf_markup_has_elements(const struct wf_markup *node);

/* The URI that a prefix stands for at node; NULL when it is not declared. */
const char *wf_markup_space_of(
    const struct wf_markup *node, const char *prefix, size_t length);

/*
 * Writes the element, indented by two blanks per level from the level given;
 * with a negative level, without white space between elements. Namespaces
 * listed in known (ended by prefix NULL; may be NULL) count as declared.
 */
void wf_markup_write(const struct wf_markup *node, int level,
    const struct wf_markup_namespace *known, struct wf_buffer *buffer);
/* The same for the children only (a value: any mix of text and elements). */
void wf_markup_write_content(
    const struct wf_markup *node, struct wf_buffer *buffer);

#endif
