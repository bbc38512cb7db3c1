/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes: the structure of the content of elements of a type, as far as the
 * conversion to JSON needs it. Private to data/.
 *
 * A type whose elements can come in an order that JSON does not keep (a
 * repeated choice, wildcards, mixed content) has the shape XML.
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

/* A child element. */
struct wf_member {
	const char *name;
	const struct wf_shape *shape;
	bool is_many;
};

struct wf_shape {
	enum wf_shape_kind kind;
	/* Of a record, in the order of the type. */
	struct wf_member *members;
	size_t count;
	size_t capacity;
	bool is_open; /* while it is filled */
};

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

#endif
