/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes: the structure of the content of elements of a type, as far as the
 * conversion to JSON and the search for documents need it. Private to data/.
 *
 * A type whose elements can come in an order that JSON does not keep (a
 * repeated choice, wildcards, mixed content) has the shape XML. It has members,
 * too, but not all of them: others are those of its base, and global elements.
 */
#ifndef WF_DATA_SHAPE_H
#define WF_DATA_SHAPE_H

#include "base/memory.h"
#include "data/schema.h"
#include "data/type.h"

enum wf_shape_kind {
	WF_SHAPE_TEXT,
	WF_SHAPE_BOOLEAN,
	WF_SHAPE_DECIMAL, /* and integers */
	WF_SHAPE_DOUBLE,
	WF_SHAPE_RECORD,
	WF_SHAPE_XML
};

struct wf_shape;
struct wf_shape_use;

/* A child element. */
struct wf_member {
	const char *name;
	const struct wf_shape *shape;
	const xmlNode *node;	 /* where it stands in the type */
	const xmlNode *declared; /* the element that it refers to; else node */
	bool is_many;
};

struct wf_shape {
	enum wf_shape_kind kind;
	/* In the order of the type; each name once. */
	struct wf_member *members;
	size_t count;
	size_t capacity;
	const xmlNode *node;	      /* of the type; NULL: a built-in one */
	const struct wf_shape *base;  /* that it extends; NULL: none */
	const struct wf_shape *wider; /* any of its members, too; or NULL */
	bool is_document;   /* YDocumentType, or a type derived from it */
	bool has_documents; /* it is, or something in it can be a document */
	/* Only while shapes are made; users: whose member or base it is. */
	bool is_filled;
	struct wf_shape_use *users;
	struct wf_shape *next_unfilled;
	struct wf_shape *next_marked;
};

/* Of the members, those of the base, and the wider ones; NULL: none. */
const struct wf_member *wf_shape_find(
    const struct wf_shape *shape, const char *name);

/* By the local name of a built-in type. */
const struct wf_shape *wf_shape_of_builtin(const char *name);

struct wf_shapes; /* the shapes of one schema */

/* From a prepared schema; its nodes and the arena must outlive the shapes. */
struct wf_shapes *wf_shapes_new(xmlDoc *document, struct wf_arena *arena);
void wf_shapes_free(struct wf_shapes **shapes); /* does not free the shapes */
/* The shape of a global type or element. */
const struct wf_shape *wf_shape_of_node(
    struct wf_shapes *shapes, const xmlNode *node);

/* type.c */
const struct wf_shape *wf_type_shape(const struct wf_type *type);
/* Its declaration in the schema; NULL: it is built in. */
const xmlNode *wf_type_component(const struct wf_type *type);

#endif
