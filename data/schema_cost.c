/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of compiling a schema.
 *
 * libxml2 turns each content model into an automaton. It does not unroll
 * maxOccurs, but it expands group references and base types; its work grows
 * with the cube of the number of optional elements, and faster with the depth
 * of repetition. Unions of unions are expanded. So a short schema could keep a
 * machine busy for years. The expanded sizes are estimated first by walking
 * what libxml2 would expand; the walk stops at the bounds, which are far above
 * those of written schemas. Patterns are not compiled by libxml2 (pattern.h).
 */
#include <stdlib.h>
#include <string.h>

#include "data/schema.h"

/* Total of nodes visited by all walks. */
#define VISITS_MAXIMUM 1000000U
/* Over all content models: elements times their weight squared. */
#define MODELS_MAXIMUM 1e9
/* Repeated groups, nested. */
#define REPEATS_MAXIMUM 12U
/* Length of a chain of references between global components. */
#define DEPTH_MAXIMUM 100U
/* Members of a union, with the members of nested unions. */
#define MEMBERS_MAXIMUM 1000U

struct cost {
	const struct wf_components *components;
	struct wf_error *err;
	const xmlNode *root;
	struct wf_map *heads; /* elements that others may substitute */
	size_t substitutes;   /* their total, over all heads */
	unsigned visits;
	double models;
	/* The model or union of the current walk: */
	double elements;
	double weight;
	unsigned members;
};

static enum wf_rc too_large(struct cost *cost, const xmlNode *node)
{
	return wf_schema_fail(
	    cost->err, node, "the schema is too large or too complicated");
}

static enum wf_rc visit(struct cost *cost, const xmlNode *node, unsigned depth)
{
	if (depth > DEPTH_MAXIMUM)
		return wf_schema_fail(cost->err, node,
		    "the types or groups refer to each other in a circle, or "
		    "too deeply");
	if (++cost->visits > VISITS_MAXIMUM)
		return too_large(cost, node);
	return WF_OK;
}

static bool repeats(const xmlNode *node)
{
	const char *maximum = wf_schema_attribute(node, "maxOccurs");

	return *maximum != '\0' && strcmp(maximum, "0") != 0 &&
	       strcmp(maximum, "1") != 0;
}

static enum wf_rc walk_children(
    struct cost *cost, const xmlNode *node, unsigned repeated, unsigned depth);

/* An element or a wildcard of a content model. */
static void add_element(
    struct cost *cost, const xmlNode *node, unsigned repeated)
{
	double count = 1;
	double weight = 1 + (double)repeated + (repeats(node) ? 1 : 0);

	if (wf_map_get(cost->heads, wf_schema_attribute(node, "ref")) != NULL)
		count += (double)cost->substitutes;
	cost->elements += count;
	cost->weight += count * weight * weight;
}

/* The type that node derives from or the group it refers to, expanded. */
static enum wf_rc walk_reference(struct cost *cost, const struct wf_map *map,
    const xmlNode *node, const char *attribute, unsigned repeated,
    unsigned depth)
{
	const xmlNode *target =
	    wf_map_get(map, wf_schema_attribute(node, attribute));

	if (target == NULL || wf_schema_is(target, "simpleType"))
		return WF_OK;
	return walk_children(cost, target, repeated, depth + 1);
}

static enum wf_rc walk_particle(
    struct cost *cost, const xmlNode *node, unsigned repeated, unsigned depth)
{
	enum wf_rc rc = visit(cost, node, depth);

	if (rc != WF_OK)
		return rc;
	if (wf_schema_is(node, "element") || wf_schema_is(node, "any")) {
		add_element(cost, node, repeated);
		return WF_OK;
	}
	if (repeats(node) && ++repeated > REPEATS_MAXIMUM)
		return too_large(cost, node);
	if (wf_schema_is(node, "group"))
		return walk_reference(cost, cost->components->groups, node,
		    "ref", repeated, depth);
	if (wf_schema_is(node, "extension"))
		rc = walk_reference(cost, cost->components->types, node, "base",
		    repeated, depth);
	if (rc != WF_OK)
		return rc;
	return walk_children(cost, node, repeated, depth);
}

static enum wf_rc walk_children(
    struct cost *cost, const xmlNode *node, unsigned repeated, unsigned depth)
{
	enum wf_rc rc = WF_OK;

	for (const xmlNode *child = node->children;
	     rc == WF_OK && child != NULL; child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			rc = walk_particle(cost, child, repeated, depth);
	return rc;
}

/* A complex type, or a group. */
static enum wf_rc check_model(struct cost *cost, const xmlNode *node)
{
	enum wf_rc rc;

	cost->elements = 0;
	cost->weight = 0;
	rc = walk_children(cost, node, 0, 0);
	if (rc != WF_OK)
		return rc;
	cost->models += cost->elements * cost->weight * cost->weight;
	return cost->models > MODELS_MAXIMUM ? too_large(cost, node) : WF_OK;
}

static enum wf_rc walk_simple(
    struct cost *cost, const xmlNode *node, unsigned depth);

/* The simple types that an attribute names. */
static enum wf_rc walk_named(struct cost *cost, const xmlNode *node,
    const char *attribute, unsigned depth)
{
	const char *next = wf_schema_attribute(node, attribute);
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && *(next += strspn(next, " ")) != '\0') {
		size_t length = strcspn(next, " ");
		const xmlNode *target =
		    wf_map_get_n(cost->components->types, next, length);

		next += length;
		if (++cost->members > MEMBERS_MAXIMUM)
			return too_large(cost, node);
		if (target != NULL)
			rc = walk_simple(cost, target, depth + 1);
	}
	return rc;
}

/* The elements of a simple type that may refer to other types; no facets. */
static bool derives(const xmlNode *node)
{
	static const char *const names[] = { "simpleType", "restriction",
		"list", "union", NULL };

	return wf_schema_is_one_of(node, names);
}

/* A simple type or a part of one: the expanded members of unions. */
static enum wf_rc walk_simple(
    struct cost *cost, const xmlNode *node, unsigned depth)
{
	enum wf_rc rc = visit(cost, node, depth);

	if (rc == WF_OK)
		rc = walk_named(cost, node, "memberTypes", depth);
	if (rc == WF_OK)
		rc = walk_named(cost, node, "base", depth);
	if (rc == WF_OK)
		rc = walk_named(cost, node, "itemType", depth);
	for (const xmlNode *child = node->children;
	     rc == WF_OK && child != NULL; child = child->next)
		if (derives(child))
			rc = walk_simple(cost, child, depth);
	return rc;
}

/* The number of base types of a type: libxml2 recurses that deep. */
static enum wf_rc check_bases(struct cost *cost, const xmlNode *type)
{
	const xmlNode *node = type;

	for (unsigned depth = 0; node != NULL; depth++) {
		const xmlNode *content = node->children;
		enum wf_rc rc = visit(cost, node, depth);

		if (rc != WF_OK)
			return rc;
		/* restriction or extension, or in simple- or complexContent */
		while (content != NULL &&
		       (content->type != XML_ELEMENT_NODE ||
			   *wf_schema_attribute(content, "base") == '\0'))
			content =
			    wf_schema_is(content, "simpleContent") ||
				    wf_schema_is(content, "complexContent")
				? content->children
				: content->next;
		node = content == NULL
			   ? NULL
			   : wf_map_get(cost->components->types,
				 wf_schema_attribute(content, "base"));
	}
	return WF_OK;
}

static enum wf_rc check_node(struct cost *cost, const xmlNode *node)
{
	enum wf_rc rc = WF_OK;

	if (node->type != XML_ELEMENT_NODE)
		return WF_OK;
	if (wf_schema_is(node, "simpleType")) {
		cost->members = 0;
		return walk_simple(cost, node, 0);
	}
	if (wf_schema_is(node, "complexType"))
		rc = check_bases(cost, node);
	if (rc == WF_OK &&
	    (wf_schema_is(node, "complexType") ||
		(wf_schema_is(node, "group") && node->parent == cost->root)))
		rc = check_model(cost, node);
	return rc;
}

static void find_heads(struct cost *cost)
{
	cost->heads = wf_map_new();
	for (xmlNode *node = cost->root->children; node != NULL;
	     node = node->next) {
		const char *head = "";

		if (node->type == XML_ELEMENT_NODE)
			head = wf_schema_attribute(node, "substitutionGroup");
		if (*head == '\0')
			continue;
		wf_map_add(cost->heads, head, node);
		cost->substitutes++;
	}
}

enum wf_rc wf_schema_check_cost(const xmlDoc *document,
    const struct wf_components *components, struct wf_error *err)
{
	xmlNode *root = xmlDocGetRootElement(document);
	struct cost cost = {
		.components = components, .err = err, .root = root
	};
	enum wf_rc rc = WF_OK;

	find_heads(&cost);
	for (xmlNode *node = root; rc == WF_OK && node != NULL;
	     node = wf_schema_next(root, node))
		rc = check_node(&cost, node);
	wf_map_free(&cost.heads);
	return rc;
}
