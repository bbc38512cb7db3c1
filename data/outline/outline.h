/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outline of a type: a tree of fields, for forms.
 *
 * The tree follows the JSON of the data (data/json.h): each group is an object
 * of its fields; a choice, which adds no object, has alternatives.  What JSON
 * cannot express is one field of kind XML.  A type that contains itself is
 * outlined once: the inner field says which field it is like.
 */
#ifndef WF_DATA_OUTLINE_OUTLINE_H
#define WF_DATA_OUTLINE_OUTLINE_H

#include "data/outline/facets.h"
#include "data/type.h"

enum wf_field_kind {
	WF_FIELD_SIMPLE,
	WF_FIELD_FLAG, /* an element without content: there or not */
	WF_FIELD_GROUP,
	WF_FIELD_CHOICE,      /* its children are alternatives */
	WF_FIELD_ALTERNATIVE, /* its children are fields, all or none */
	WF_FIELD_XML
};

/* What xs:appinfo says. */
struct wf_hint {
	const char *name;
	const char *value;
};

struct wf_field {
	enum wf_field_kind kind;
	const char *name;	 /* "": of a choice or alternative */
	const char *type;	 /* as declared; "": it has no name */
	const char *path;	 /* "order/line" */
	uint32_t minimum;	 /* occurrences */
	uint32_t maximum;	 /* UINT32_MAX: unbounded */
	struct wf_facets facets; /* SIMPLE */
	const char *initial;	 /* default or fixed value; NULL: none */
	bool is_fixed;
	const struct wf_field *like; /* GROUP: has its children again */
	struct wf_hint *hints;
	size_t hint_count;
	size_t hint_capacity;
	struct wf_field **children;
	size_t count;
	size_t capacity;
	const struct wf_field *parent;
};

/* At most so many fields; what is behind becomes XML. */
#define WF_OUTLINE_FIELDS 2000U
#define WF_OUTLINE_DEPTH 32U
/* At most so many values and patterns; with more, the values are open. */
#define WF_OUTLINE_TEXTS 20000U

struct wf_outline; /* of one schema; opaque */

/*
 * schema: the text of the specification's schema, which has been accepted, or
 * NULL.  What it makes is in the arena.
 */
struct wf_outline *wf_outline_new(
    const char *schema, size_t length, struct wf_arena *arena);
void wf_outline_free(struct wf_outline **outline);

/*
 * The field of a variable.  by_element: its type is that of a global element.
 */
struct wf_field *wf_outline_add(struct wf_outline *outline, const char *name,
    const struct wf_type *type, bool by_element);

#endif
