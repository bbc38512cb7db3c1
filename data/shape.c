/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the content models of a schema.  Types may contain themselves, and
 * chains of them are long: the shape of each is made first, and filled when
 * none is being filled but those that derive from it.
 */
#include "data/shape.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "xquery/atomic/atomic.h"

/*
 * A record with more members becomes XML: the search for duplicates would take
 * too long.
 */
#define MEMBERS_MAXIMUM 4096U

static const struct wf_shape text = { .kind = WF_SHAPE_TEXT };
static const struct wf_shape boolean = { .kind = WF_SHAPE_BOOLEAN };
static const struct wf_shape decimal = { .kind = WF_SHAPE_DECIMAL };
static const struct wf_shape real = { .kind = WF_SHAPE_DOUBLE };
static const struct wf_shape xml = { .kind = WF_SHAPE_XML };

/* That a shape is a member or the base of another one. */
struct wf_shape_use {
	struct wf_shape *user;
	struct wf_shape_use *next;
};

struct wf_shapes {
	struct wf_arena *arena;
	xmlNode *root;
	struct wf_components components;
	struct wf_map *by_node; /* of types; the keys are addresses */
	struct wf_shape *unfilled;
	struct wf_map *heads;	  /* of substitution groups */
	struct wf_shape *globals; /* has all global elements; NULL: not made */
};

const struct wf_shape *wf_shape_of_builtin(const char *name)
{
	enum wf_atomic_type type = wf_atomic_type_by_name(name);

	if (strcmp(name, "anyType") == 0)
		return &xml;
	if (type == WF_ATOMIC_TYPE_COUNT)
		return &text;
	switch ((int)wf_atomic_primitive(type)) {
	case WF_XS_BOOLEAN:
		return &boolean;
	case WF_XS_DECIMAL:
		return &decimal;
	case WF_XS_FLOAT:
	case WF_XS_DOUBLE:
		return &real;
	default:
		return &text;
	}
}

struct wf_shapes *wf_shapes_new(xmlDoc *document, struct wf_arena *arena)
{
	struct wf_shapes *shapes = wf_calloc(1, sizeof(*shapes));
	xmlNode *root = xmlDocGetRootElement(document);

	shapes->arena = arena;
	shapes->root = root;
	shapes->by_node = wf_map_new();
	shapes->heads = wf_map_new();
	wf_components_init(&shapes->components, document);
	for (xmlNode *node = root->children; node != NULL; node = node->next) {
		const char *head =
		    wf_schema_attribute(node, "substitutionGroup");

		if (*head != '\0')
			wf_map_add(shapes->heads, head, node);
	}
	return shapes;
}

void wf_shapes_free(struct wf_shapes **shapes)
{
	if (*shapes == NULL)
		return;
	wf_components_free(&(*shapes)->components);
	wf_map_free(&(*shapes)->by_node);
	wf_map_free(&(*shapes)->heads);
	wf_free(*shapes);
	*shapes = NULL;
}

/* The first child element of XML Schema with the name. */
static const xmlNode *child_of(const xmlNode *node, const char *name)
{
	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next)
		if (wf_schema_is(child, name))
			return child;
	return NULL;
}

/* Each type has one; it is filled later. */
static struct wf_shape *shape_of_type(
    struct wf_shapes *shapes, const xmlNode *node)
{
	char key[32];
	struct wf_shape *shape;

	snprintf(key, sizeof(key), "%p", (const void *)node);
	shape = wf_map_get(shapes->by_node, key);
	if (shape != NULL)
		return shape;
	shape = wf_arena_alloc(shapes->arena, sizeof(*shape));
	shape->node = node;
	shape->next_unfilled = shapes->unfilled;
	shapes->unfilled = shape;
	wf_map_add(shapes->by_node, key, shape);
	return shape;
}

/* The shape of a named type; built-in ones have a prefix. */
static const struct wf_shape *find_type(
    struct wf_shapes *shapes, const char *name)
{
	const xmlNode *node;

	if (strchr(name, ':') != NULL)
		return wf_shape_of_builtin(strchr(name, ':') + 1);
	node = wf_map_get(shapes->components.types, name);
	return node == NULL ? &xml : shape_of_type(shapes, node);
}

static void fill(struct wf_shapes *shapes, struct wf_shape *shape);

/* For types that derive from it; chains of these are short: schema_cost.c. */
static const struct wf_shape *find_base(
    struct wf_shapes *shapes, const char *name)
{
	const struct wf_shape *base = find_type(shapes, name);

	if (base->node != NULL)
		fill(shapes, (struct wf_shape *)(uintptr_t)base);
	return base;
}

/* --- which have documents ------------------------------------------------- */

/* The shape and all that use it, directly or not. */
static void mark(struct wf_shape *shape)
{
	struct wf_shape *last = shape;

	if (shape->has_documents)
		return;
	shape->has_documents = true;
	for (; shape != NULL; shape = shape->next_marked)
		for (const struct wf_shape_use *use = shape->users; use != NULL;
		     use = use->next) {
			if (use->user->has_documents)
				continue;
			use->user->has_documents = true;
			last->next_marked = use->user;
			last = use->user;
		}
}

static void add_use(struct wf_shapes *shapes, struct wf_shape *user,
    const struct wf_shape *used)
{
	struct wf_shape *changed = (struct wf_shape *)(uintptr_t)used;
	struct wf_shape_use *use;

	if (used->node == NULL)
		return; /* a built-in type, which is constant */
	use = wf_arena_alloc(shapes->arena, sizeof(*use));
	use->user = user;
	use->next = used->users;
	changed->users = use;
	if (used->has_documents)
		mark(user);
}

const struct wf_member *wf_shape_find(
    const struct wf_shape *shape, const char *name)
{
	const struct wf_shape *wider = NULL;

	for (; shape != NULL; shape = shape->base) {
		for (size_t i = 0; i < shape->count; i++)
			if (strcmp(shape->members[i].name, name) == 0)
				return &shape->members[i];
		if (shape->wider != NULL)
			wider = shape->wider;
	}
	return wider == NULL ? NULL : wf_shape_find(wider, name);
}

/* --- content models ------------------------------------------------------- */

/*
 * Adds the members of a particle to shape; false when JSON cannot represent it.
 */
static bool collect(struct wf_shapes *shapes, struct wf_shape *shape,
    const xmlNode *node, bool is_many);

static bool collect_children(struct wf_shapes *shapes, struct wf_shape *shape,
    const xmlNode *node, bool is_many)
{
	bool good = true;

	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			good &= collect(shapes, shape, child, is_many);
	return good;
}

static const struct wf_shape *shape_of_element(
    struct wf_shapes *shapes, const xmlNode *node)
{
	const char *type = wf_schema_attribute(node, "type");
	const xmlNode *own = child_of(node, "complexType");

	if (*type != '\0')
		return find_type(shapes, type);
	if (own == NULL)
		own = child_of(node, "simpleType");
	return own == NULL ? &xml : shape_of_type(shapes, own);
}

static void append(struct wf_shapes *shapes, struct wf_shape *shape,
    const struct wf_member *member)
{
	shape->members = wf_arena_grow(shapes->arena, shape->members,
	    shape->count, &shape->capacity, sizeof(*shape->members));
	shape->members[shape->count++] = *member;
	add_use(shapes, shape, member->shape);
}

static bool add_member(struct wf_shapes *shapes, struct wf_shape *shape,
    const xmlNode *node, bool is_many)
{
	const char *reference = wf_schema_attribute(node, "ref");
	struct wf_member member = {
		.node = node, .declared = node, .is_many = is_many
	};

	if (*reference != '\0')
		member.declared =
		    wf_map_get(shapes->components.elements, reference);
	if (member.declared == NULL || shape->count > MEMBERS_MAXIMUM)
		return false;
	member.name = wf_schema_attribute(member.declared, "name");
	for (size_t i = 0; i < shape->count; i++)
		if (strcmp(shape->members[i].name, member.name) == 0)
			return false; /* of the same type, in a valid schema */
	member.shape = shape_of_element(shapes, member.declared);
	append(shapes, shape, &member);
	return shape->count <= MEMBERS_MAXIMUM;
}

/* Other elements may stand for members of the shape, or beside them. */
static void widen(struct wf_shapes *shapes, struct wf_shape *shape)
{
	if (shapes->globals == NULL) {
		shapes->globals =
		    wf_arena_alloc(shapes->arena, sizeof(*shapes->globals));
		shapes->globals->kind = WF_SHAPE_XML;
		shapes->globals->node = shapes->root;
		for (const xmlNode *node = shapes->root->children; node != NULL;
		     node = node->next)
			if (wf_schema_is(node, "element") &&
			    strncmp(wf_schema_attribute(node, "name"),
				WF_TYPE_ROOT, strlen(WF_TYPE_ROOT)) != 0)
				(void)add_member(
				    shapes, shapes->globals, node, true);
	}
	shape->wider = shapes->globals;
	add_use(shapes, shape, shapes->globals);
}

static bool occurs_often(const xmlNode *node)
{
	const char *maximum = wf_schema_attribute(node, "maxOccurs");

	return *maximum != '\0' && strcmp(maximum, "1") != 0 &&
	       strcmp(maximum, "0") != 0;
}

static bool collect_group(struct wf_shapes *shapes, struct wf_shape *shape,
    const xmlNode *node, bool is_many)
{
	size_t before = shape->count;
	const char *reference = wf_schema_attribute(node, "ref");
	const xmlNode *group = node;

	is_many = is_many || occurs_often(node);
	if (*reference != '\0')
		group = wf_map_get(shapes->components.groups, reference);
	/* The order of alternating elements would be lost. */
	return group != NULL &&
	       collect_children(shapes, shape, group, is_many) &&
	       (!is_many || shape->count - before <= 1);
}

static bool collect_extended(
    struct wf_shapes *shapes, struct wf_shape *shape, const xmlNode *node)
{
	const struct wf_shape *base =
	    find_base(shapes, wf_schema_attribute(node, "base"));
	bool good = base->kind == WF_SHAPE_RECORD;

	shape->base = base;
	shape->is_document |= base->is_document;
	add_use(shapes, shape, base);
	for (size_t i = 0; i < base->count && good; i++)
		append(shapes, shape, &base->members[i]);
	return collect_children(shapes, shape, node, false) && good;
}

static bool collect_restricted(
    struct wf_shapes *shapes, struct wf_shape *shape, const xmlNode *node)
{
	const char *base = wf_schema_attribute(node, "base");

	shape->is_document |= find_base(shapes, base)->is_document;
	return collect_children(shapes, shape, node, false);
}

static bool collect(struct wf_shapes *shapes, struct wf_shape *shape,
    const xmlNode *node, bool is_many)
{
	static const char *const groups[] = { "sequence", "choice", "all",
		"group" };

	if (strcmp(wf_schema_attribute(node, "maxOccurs"), "0") == 0)
		return true;
	if (wf_schema_is(node, "element")) {
		const char *reference = wf_schema_attribute(node, "ref");
		bool is_head = *reference != '\0' &&
			       wf_map_get(shapes->heads, reference) != NULL;

		if (is_head)
			widen(shapes, shape);
		return add_member(shapes, shape, node,
			   is_many || occurs_often(node)) &&
		       !is_head;
	}
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (wf_schema_is(node, groups[i]))
			return collect_group(shapes, shape, node, is_many);
	if (wf_schema_is(node, "complexContent"))
		return collect_children(shapes, shape, node, false);
	if (wf_schema_is(node, "extension"))
		return collect_extended(shapes, shape, node);
	if (wf_schema_is(node, "restriction"))
		return collect_restricted(shapes, shape, node);
	/* Identity constraints have no effect; a wildcard allows anything. */
	if (!wf_schema_is(node, "any"))
		return true;
	widen(shapes, shape);
	return false;
}

/* --- types ---------------------------------------------------------------- */

/* A simple type, or the content of a complex one: the type it derives from. */
static enum wf_shape_kind kind_of_simple(
    struct wf_shapes *shapes, const xmlNode *node)
{
	const xmlNode *derivation = child_of(node, "restriction");
	const xmlNode *own;
	const char *base;

	if (derivation == NULL)
		derivation = child_of(node, "extension");
	if (derivation == NULL) /* a list or a union */
		return WF_SHAPE_TEXT;
	base = wf_schema_attribute(derivation, "base");
	own = child_of(derivation, "simpleType");
	if (*base != '\0')
		return find_base(shapes, base)->kind;
	return own == NULL ? WF_SHAPE_TEXT : kind_of_simple(shapes, own);
}

static bool is_mixed(const xmlNode *node)
{
	const xmlNode *content = child_of(node, "complexContent");
	const char *mixed = wf_schema_attribute(node, "mixed");

	return strcmp(mixed, "true") == 0 || strcmp(mixed, "1") == 0 ||
	       (content != NULL && is_mixed(content));
}

static void fill(struct wf_shapes *shapes, struct wf_shape *shape)
{
	const xmlNode *node = shape->node;
	const xmlNode *simple = wf_schema_is(node, "simpleType")
				    ? node
				    : child_of(node, "simpleContent");

	if (shape->is_filled)
		return;
	shape->is_filled = true;
	if (simple != NULL) {
		shape->kind = kind_of_simple(shapes, simple);
		return;
	}
	shape->kind = WF_SHAPE_RECORD;
	shape->is_document =
	    strcmp(wf_schema_attribute(node, "name"), WF_DOCUMENT_TYPE) == 0;
	if (!collect_children(shapes, shape, node, false) || is_mixed(node))
		shape->kind = WF_SHAPE_XML;
	if (shape->is_document)
		mark(shape);
}

const struct wf_shape *wf_shape_of_node(
    struct wf_shapes *shapes, const xmlNode *node)
{
	const struct wf_shape *made = wf_schema_is(node, "element")
					  ? shape_of_element(shapes, node)
					  : shape_of_type(shapes, node);

	while (shapes->unfilled != NULL) {
		struct wf_shape *shape = shapes->unfilled;

		shapes->unfilled = shape->next_unfilled;
		fill(shapes, shape);
	}
	return made;
}
