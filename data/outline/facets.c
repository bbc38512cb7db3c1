/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks from a simple type to the built-in type that it comes from.  The
 * nearest facet of a name counts, and all patterns.
 */
#include "data/outline/facets.h"

#include <string.h>

#include "data/outline/outline_priv.h"

/* Types between a type and its built-in type, and members of unions. */
#define STEPS_MAXIMUM 200U
#define PATTERN_BYTES ((size_t)64 << 10)

static const struct {
	const char *rule;
	const char *element;
} names[] = {
#define F(name, rule, element) { rule, element },
	WF_FACETS(F)
#undef F
};

const char *wf_facet_rule(enum wf_facet facet)
{
	return names[facet].rule;
}

struct walk {
	struct wf_outline *outline;
	struct wf_facets *facets;
	unsigned steps;
	bool has_values; /* the enumeration is known */
};

static void add_text(
    const struct walk *walk, struct wf_texts *texts, const char *text)
{
	if (walk->outline->texts == WF_OUTLINE_TEXTS) {
		walk->facets->is_open = true;
		return;
	}
	walk->outline->texts++;
	texts->rows = wf_arena_grow(walk->outline->arena, texts->rows,
	    texts->count, &texts->capacity, sizeof(*texts->rows));
	texts->rows[texts->count++] =
	    wf_arena_strdup(walk->outline->arena, text);
}

/* The facets of one derivation; its patterns are alternatives. */
static void take_facets(struct walk *walk, const xmlNode *restriction)
{
	struct wf_facets *facets = walk->facets;
	struct wf_buffer patterns;
	bool has_values = false;

	wf_buffer_init(&patterns, PATTERN_BYTES);
	for (const xmlNode *node = restriction->children; node != NULL;
	     node = node->next) {
		const char *value;

		if (node->type != XML_ELEMENT_NODE)
			continue;
		value = wf_schema_attribute(node, "value");
		for (size_t i = 0; i < WF_FACET_COUNT; i++)
			if (facets->values[i] == NULL &&
			    wf_schema_is(node, names[i].element))
				facets->values[i] = wf_arena_strdup(
				    walk->outline->arena, value);
		if (wf_schema_is(node, "pattern"))
			wf_buffer_printf(&patterns, "%s%s",
			    patterns.length == 0 ? "" : "|", value);
		if (!walk->has_values && wf_schema_is(node, "enumeration")) {
			add_text(walk, &facets->enumeration, value);
			has_values = true;
		}
	}
	walk->has_values |= has_values;
	if (patterns.length > 0 && !patterns.full)
		add_text(walk, &facets->patterns, wf_buffer_text(&patterns));
	wf_buffer_free(&patterns);
}

static void walk_type(struct walk *walk, const xmlNode *type);

static void walk_name(struct walk *walk, const char *name)
{
	const char *colon = strchr(name, ':');
	const xmlNode *type = NULL;

	if (colon == NULL)
		type = wf_map_get(walk->outline->components.types, name);
	if (type != NULL)
		walk_type(walk, type);
	else if (walk->facets->base == NULL)
		walk->facets->base = wf_arena_strdup(
		    walk->outline->arena, colon == NULL ? name : colon + 1);
}

/* A type that is named by an attribute, or stands in node. */
static void walk_inner(
    struct walk *walk, const xmlNode *node, const char *attribute)
{
	const char *name = wf_schema_attribute(node, attribute);
	const xmlNode *own = wf_schema_child(node, "simpleType");

	if (*name != '\0')
		walk_name(walk, name);
	else if (own != NULL)
		walk_type(walk, own);
}

/*
 * The values of a union are those of its members; it is open if one of them has
 * no enumeration.
 */
static void walk_member(struct walk *walk, const xmlNode *own, const char *name)
{
	struct wf_facets facets = { .base = NULL };
	struct walk member = { walk->outline, &facets, walk->steps, false };

	if (own != NULL)
		walk_type(&member, own);
	else
		walk_name(&member, name);
	walk->steps = member.steps;
	if (facets.enumeration.count == 0)
		walk->facets->is_open = true;
	for (size_t i = 0; i < facets.enumeration.count && !walk->has_values;
	     i++)
		add_text(walk, &walk->facets->enumeration,
		    facets.enumeration.rows[i]);
}

static void walk_union(struct walk *walk, const xmlNode *node)
{
	const char *next = wf_schema_attribute(node, "memberTypes");

	while (*(next += strspn(next, " ")) != '\0') {
		size_t length = strcspn(next, " ");

		walk_member(walk, NULL,
		    wf_arena_strndup(walk->outline->arena, next, length));
		next += length;
	}
	for (const xmlNode *own = node->children; own != NULL; own = own->next)
		if (wf_schema_is(own, "simpleType"))
			walk_member(walk, own, NULL);
	walk->facets->base = "string";
}

static void walk_type(struct walk *walk, const xmlNode *type)
{
	static const char *const derivations[] = { "restriction", "extension",
		"list", "union", NULL };
	const xmlNode *node = wf_schema_child(type, "simpleContent");

	node = wf_schema_child_of(node == NULL ? type : node, derivations);
	if (node == NULL || ++walk->steps > STEPS_MAXIMUM)
		return;
	if (wf_schema_is(node, "list")) {
		walk->facets->is_list = true;
		walk_inner(walk, node, "itemType");
	} else if (wf_schema_is(node, "union")) {
		walk_union(walk, node);
	} else {
		take_facets(walk, node);
		walk_inner(walk, node, "base");
	}
}

void wf_outline_facets(struct wf_outline *outline, const xmlNode *declaration,
    const xmlNode *type, const char *name, struct wf_facets *facets)
{
	struct walk walk = { outline, facets, 0, false };

	if (type != NULL)
		walk_type(&walk, type);
	else if (*name != '\0')
		walk_name(&walk, name);
	else if (declaration != NULL)
		walk_inner(&walk, declaration, "type");
	if (facets->base == NULL)
		facets->base = "string";
}
