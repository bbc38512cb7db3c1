/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the declarations of a schema together with the shape of the type: the
 * shape says what the JSON has, the declarations how often and within which
 * limits.
 */
#include "data/outline/outline.h"

#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "data/outline/outline_priv.h"
#include "data/shape.h"

#define GROUPS_DEPTH 64U

struct wf_outline *wf_outline_new(
    const char *schema, size_t length, struct wf_arena *arena)
{
	struct wf_outline *outline = wf_calloc(1, sizeof(*outline));

	outline->arena = arena;
	if (wf_schema_read(&outline->document, schema, length, NULL) != WF_OK)
		wf_assert(
		    wf_schema_read(&outline->document, NULL, 0, NULL) == WF_OK);
	wf_components_init(&outline->components, outline->document);
	return outline;
}

void wf_outline_free(struct wf_outline **outline)
{
	struct wf_outline *old = *outline;

	*outline = NULL;
	if (old == NULL)
		return;
	wf_components_free(&old->components);
	xmlFreeDoc(old->document);
	wf_free(old);
}

static struct wf_field *new_field(struct wf_outline *outline,
    struct wf_field *parent, enum wf_field_kind kind, const char *name)
{
	struct wf_field *field = wf_arena_alloc(outline->arena, sizeof(*field));
	const char *above = parent == NULL ? "" : parent->path;

	outline->fields++;
	field->kind = kind;
	field->parent = parent;
	field->name = wf_arena_strdup(outline->arena, name);
	field->type = "";
	field->path = *name == '\0'    ? above
		      : *above == '\0' ? field->name
				       : wf_arena_printf(outline->arena,
					     "%s/%s", above, name);
	field->minimum = 1;
	field->maximum = 1;
	if (parent != NULL) {
		parent->children = wf_arena_grow(outline->arena,
		    parent->children, parent->count, &parent->capacity,
		    sizeof(*parent->children));
		parent->children[parent->count++] = field;
	}
	return field;
}

/* Hints that the field has already are nearer. */
static void take_hints(
    struct wf_outline *outline, struct wf_field *field, const xmlNode *node)
{
	const xmlAttr *at = node == NULL ? NULL : node->properties;

	for (; at != NULL; at = at->next) {
		struct wf_hint *hint;
		bool known = false;

		if (at->ns == NULL || at->children == NULL ||
		    strcmp((const char *)at->ns->href, WF_HINT_SPACE) != 0)
			continue;
		for (size_t i = 0; i < field->hint_count; i++)
			known |= strcmp(field->hints[i].name,
				     (const char *)at->name) == 0;
		if (known)
			continue;
		field->hints = wf_arena_grow(outline->arena, field->hints,
		    field->hint_count, &field->hint_capacity,
		    sizeof(*field->hints));
		hint = &field->hints[field->hint_count++];
		hint->name =
		    wf_arena_strdup(outline->arena, (const char *)at->name);
		hint->value = wf_arena_strdup(
		    outline->arena, (const char *)at->children->content);
	}
}

/* minOccurs or maxOccurs. */
static uint32_t occurrence(const xmlNode *node, const char *attribute)
{
	const char *text = wf_schema_attribute(node, attribute);
	unsigned long long number;

	if (*text == '\0')
		return 1;
	if (strcmp(text, "unbounded") == 0)
		return UINT32_MAX;
	number = strtoull(text, NULL, 10);
	return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static uint32_t times(uint32_t a, uint32_t b)
{
	uint64_t product = (uint64_t)a * b;

	return product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
}

/* --- content -------------------------------------------------------------- */

/* What the groups around a particle say, and what they belong to. */
struct context {
	struct wf_field *field;
	const struct wf_shape *shape;
	uint32_t minimum;
	uint32_t maximum;
	unsigned depth; /* of groups */
};

static void fill(struct wf_outline *outline, struct wf_field *field,
    const struct wf_shape *shape, const xmlNode *declaration,
    const xmlNode *type, const char *name);

static void add_element(struct wf_outline *outline,
    const struct context *context, const xmlNode *node)
{
	const char *reference = wf_schema_attribute(node, "ref");
	const xmlNode *declared =
	    *reference == '\0'
		? node
		: wf_map_get(outline->components.elements, reference);
	const struct wf_member *member;
	struct wf_field *field;
	const char *name;

	if (declared == NULL || outline->fields >= WF_OUTLINE_FIELDS)
		return;
	name = wf_schema_attribute(declared, "name");
	member = wf_shape_find(context->shape, name);
	if (member == NULL)
		return;
	field = new_field(outline, context->field, WF_FIELD_SIMPLE, name);
	field->minimum = times(occurrence(node, "minOccurs"), context->minimum);
	field->maximum = times(occurrence(node, "maxOccurs"), context->maximum);
	take_hints(outline, field, node);
	take_hints(outline, field, declared);
	fill(outline, field, member->shape, declared, NULL,
	    wf_schema_attribute(declared, "type"));
}

static void add_particles(struct wf_outline *outline,
    const struct context *context, const xmlNode *node);

static void add_choice(struct wf_outline *outline,
    const struct context *context, const xmlNode *node)
{
	static const char *const particles[] = { "element", "sequence",
		"choice", "all", "group", NULL };
	struct wf_field *choice =
	    new_field(outline, context->field, WF_FIELD_CHOICE, "");
	struct context inner = { .shape = context->shape,
		.minimum = 1,
		.maximum = context->maximum,
		.depth = context->depth };

	choice->minimum = context->minimum;
	choice->maximum = context->maximum;
	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next) {
		if (!wf_schema_is_one_of(child, particles) ||
		    occurrence(child, "maxOccurs") == 0)
			continue;
		inner.field =
		    new_field(outline, choice, WF_FIELD_ALTERNATIVE, "");
		add_particles(outline, &inner, child);
	}
}

static void add_base(struct wf_outline *outline, const struct context *context,
    const xmlNode *extension)
{
	const xmlNode *base = wf_map_get(
	    outline->components.types, wf_schema_attribute(extension, "base"));

	if (base == NULL)
		return;
	take_hints(outline, context->field, base);
	add_particles(outline, context, base);
}

static void add_children(struct wf_outline *outline,
    const struct context *context, const xmlNode *node)
{
	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			add_particles(outline, context, child);
}

/* node: a particle, or what contains one; its shape is a record. */
static void add_particles(struct wf_outline *outline,
    const struct context *context, const xmlNode *node)
{
	static const char *const groups[] = { "sequence", "choice", "all",
		"group", NULL };
	static const char *const wrappers[] = { "complexType", "complexContent",
		"extension", "restriction", NULL };
	struct context inner = *context;
	const char *reference;

	if (++inner.depth > GROUPS_DEPTH ||
	    outline->fields >= WF_OUTLINE_FIELDS ||
	    occurrence(node, "maxOccurs") == 0)
		return;
	if (wf_schema_is(node, "element")) {
		add_element(outline, context, node);
		return;
	}
	if (wf_schema_is(node, "extension"))
		add_base(outline, &inner, node);
	if (wf_schema_is_one_of(node, wrappers)) {
		add_children(outline, &inner, node);
		return;
	}
	if (!wf_schema_is_one_of(node, groups))
		return;
	inner.minimum = times(occurrence(node, "minOccurs"), inner.minimum);
	inner.maximum = times(occurrence(node, "maxOccurs"), inner.maximum);
	reference = wf_schema_attribute(node, "ref");
	if (*reference != '\0')
		node = wf_map_get(outline->components.groups, reference);
	if (node != NULL && wf_schema_is(node, "choice"))
		add_choice(outline, &inner, node);
	else if (node != NULL)
		add_children(outline, &inner, node);
}

/* --- fields --------------------------------------------------------------- */

static unsigned depth_of(const struct wf_field *field)
{
	unsigned depth = 0;

	for (; field != NULL; field = field->parent)
		depth += field->kind == WF_FIELD_GROUP;
	return depth;
}

/* The field around this one that has the same type; NULL: none. */
static const struct wf_field *find_like(const struct wf_field *field)
{
	for (const struct wf_field *at = field->parent; at != NULL;
	     at = at->parent)
		if (*field->type != '\0' && at->kind == WF_FIELD_GROUP &&
		    strcmp(at->type, field->type) == 0)
			return at;
	return NULL;
}

static void fill_group(struct wf_outline *outline, struct wf_field *field,
    const struct wf_shape *shape, const xmlNode *type)
{
	struct context context = {
		.field = field, .shape = shape, .minimum = 1, .maximum = 1
	};

	field->kind = WF_FIELD_GROUP;
	field->like = find_like(field);
	if (field->like != NULL)
		return;
	if (depth_of(field) > WF_OUTLINE_DEPTH)
		field->kind = WF_FIELD_XML;
	else
		add_particles(outline, &context, type);
	/* Cut: the content can still be given, as XML. */
	if (outline->fields >= WF_OUTLINE_FIELDS) {
		field->kind = WF_FIELD_XML;
		field->count = 0;
	}
}

/* type: its node, where it is known; name: as declared. */
static void fill(struct wf_outline *outline, struct wf_field *field,
    const struct wf_shape *shape, const xmlNode *declaration,
    const xmlNode *type, const char *name)
{
	static const char *const types[] = { "complexType", "simpleType",
		NULL };
	const char *colon = strchr(name, ':');

	field->type =
	    wf_arena_strdup(outline->arena, colon == NULL ? name : colon + 1);
	if (type == NULL && colon == NULL && *name != '\0')
		type = wf_map_get(outline->components.types, name);
	else if (type == NULL && declaration != NULL)
		type = wf_schema_child_of(declaration, types);
	take_hints(outline, field, type);
	if (declaration != NULL) {
		const char *fixed = wf_schema_attribute(declaration, "fixed");
		const char *initial =
		    wf_schema_attribute(declaration, "default");

		field->is_fixed = *fixed != '\0';
		if (field->is_fixed || *initial != '\0')
			field->initial = wf_arena_strdup(
			    outline->arena, field->is_fixed ? fixed : initial);
	}
	if (shape->kind == WF_SHAPE_XML ||
	    (shape->kind == WF_SHAPE_RECORD && type == NULL))
		field->kind = WF_FIELD_XML;
	else if (shape->kind == WF_SHAPE_RECORD && shape->count == 0)
		field->kind = WF_FIELD_FLAG;
	else if (shape->kind == WF_SHAPE_RECORD)
		fill_group(outline, field, shape, type);
	else
		wf_outline_facets(
		    outline, declaration, type, name, &field->facets);
}

struct wf_field *wf_outline_add(struct wf_outline *outline, const char *name,
    const struct wf_type *type, bool by_element)
{
	struct wf_field *field =
	    new_field(outline, NULL, WF_FIELD_SIMPLE, name);
	const char *type_name = wf_type_name(type);
	const xmlNode *declaration = NULL;

	if (by_element)
		declaration =
		    wf_map_get(outline->components.elements, type_name);
	if (declaration != NULL) {
		take_hints(outline, field, declaration);
		type_name = wf_schema_attribute(declaration, "type");
	} else if (wf_type_is_builtin(type)) {
		type_name = wf_arena_printf(outline->arena, "xs:%s", type_name);
	}
	fill(outline, field, wf_type_shape(type), declaration, NULL, type_name);
	return field;
}
