/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the patterns and the long enumerations out of a schema, and makes of
 * the schema what pattern.c finds types with.
 */
#include <stdio.h>
#include <string.h>

#include "data/pattern_priv.h"
#include "xquery/atomic/atomic.h"
#include "xquery/text/unicode.h"

/* Over all patterns of a schema; twelve bytes each. */
#define STATES_MAXIMUM 1000000U
/* An enumeration of more values is a long one. */
#define FEW_VALUES 20U

/* ---- taking facets out of the schema ---- */

static struct wf_facets *facets_of(
    struct wf_patterns *patterns, xmlNode *restriction)
{
	struct wf_facets *facets = restriction->_private;

	if (facets == NULL) {
		facets = wf_arena_alloc(patterns->arena, sizeof(*facets));
		facets->next = patterns->facets;
		patterns->facets = facets;
		restriction->_private = facets;
	}
	return facets;
}

static enum wf_rc take_pattern(
    struct wf_patterns *patterns, xmlNode *node, struct wf_error *err)
{
	struct wf_rule *rule = wf_arena_alloc(patterns->arena, sizeof(*rule));
	const char *pattern = wf_schema_attribute(node, "value");
	struct wf_facets *facets = facets_of(patterns, node->parent);
	struct wf_error mine = { .rc = WF_OK };

	rule->pattern = wf_arena_strdup(patterns->arena, pattern);
	if (wf_automaton_new(&rule->automaton, pattern, &mine) != WF_OK)
		return wf_schema_fail(err, node,
		    "the pattern '%.100s' cannot be used: %s", pattern,
		    mine.message);
	patterns->states += 1 + wf_automaton_states(rule->automaton);
	if (patterns->states > STATES_MAXIMUM) {
		wf_automaton_free(&rule->automaton);
		return wf_schema_fail(err, node,
		    "the patterns of the schema have more than %u states, with "
		    "their repetitions written out",
		    STATES_MAXIMUM);
	}
	rule->next = patterns->rules;
	patterns->rules = rule;
	rule->more = facets->rules;
	facets->rules = rule;
	xmlUnlinkNode(node);
	xmlFreeNode(node);
	return WF_OK;
}

static enum wf_rc take_patterns(
    struct wf_patterns *patterns, xmlNode *root, struct wf_error *err)
{
	xmlNode *node = root;
	enum wf_rc rc = WF_OK;

	while (rc == WF_OK && node != NULL) {
		xmlNode *next = wf_schema_next(root, node);

		if (wf_schema_is(node, "pattern") &&
		    wf_schema_is(node->parent, "restriction")) {
			/* A facet has no content that matters. */
			while (next != NULL && next->parent == node)
				next = wf_schema_next(root, next);
			rc = take_pattern(patterns, node, err);
		}
		node = next;
	}
	return rc;
}

/* ---- the types ---- */

const char *const wf_simple_type[] = { "simpleType", NULL };
const char *const wf_type_contents[] = { "simpleContent", "complexContent",
	NULL };
static const char *const derivations[] = { "restriction", "extension", "list",
	"union", NULL };

const xmlNode *wf_pattern_derivation(const xmlNode *type)
{
	const xmlNode *content = wf_schema_child_of(type, wf_type_contents);

	return wf_schema_child_of(
	    content == NULL ? type : content, derivations);
}

const xmlNode *wf_pattern_type(const struct wf_patterns *patterns,
    const xmlNode *node, const char *attribute, const char *const *own)
{
	const char *name = wf_schema_attribute(node, attribute);

	return *name == '\0' ? wf_schema_child_of(node, own)
			     : wf_map_get(patterns->components.types, name);
}

bool wf_pattern_next_name(const char **next, size_t *length_out)
{
	*next += strspn(*next, " ");
	*length_out = strcspn(*next, " ");
	return *length_out > 0;
}

bool wf_pattern_has_facets(
    const struct wf_patterns *patterns, const xmlNode *type)
{
	const xmlNode *node = type == NULL ? NULL : wf_pattern_derivation(type);
	size_t length;

	if (node == NULL)
		return false;
	if (wf_schema_is(node, "list"))
		return wf_pattern_has_facets(
		    patterns, wf_pattern_type(
				  patterns, node, "itemType", wf_simple_type));
	if (!wf_schema_is(node, "union"))
		return node->_private != NULL ||
		       wf_pattern_has_facets(
			   patterns, wf_pattern_type(patterns, node, "base",
					 wf_simple_type));
	for (const char *next = wf_schema_attribute(node, "memberTypes");
	     wf_pattern_next_name(&next, &length); next += length)
		if (wf_pattern_has_facets(patterns,
			wf_map_get_n(patterns->components.types, next, length)))
			return true;
	return false;
}

/* Makes global types of the members of a union that have no name. */
static void name_members(xmlNode *root, xmlNode *node, unsigned *number)
{
	struct wf_buffer names;
	xmlNode *member;

	wf_buffer_init(&names, 2 * WF_SCHEMA_BYTES);
	wf_buffer_puts(&names, wf_schema_attribute(node, "memberTypes"));
	while ((member = wf_schema_child(node, "simpleType")) != NULL) {
		char name[32];

		snprintf(name, sizeof(name), "wf-member.%u", ++*number);
		xmlUnlinkNode(member);
		xmlSetProp(
		    member, (const xmlChar *)"name", (const xmlChar *)name);
		xmlAddChild(root, member);
		wf_buffer_printf(
		    &names, "%s%s", names.length > 0 ? " " : "", name);
	}
	xmlSetProp(node, (const xmlChar *)"memberTypes",
	    (const xmlChar *)wf_buffer_text(&names));
	wf_buffer_free(&names);
}

/* ---- white space ---- */

enum wf_space wf_pattern_space(
    const struct wf_patterns *patterns, const xmlNode *type)
{
	const xmlNode *node = wf_pattern_derivation(type);
	const xmlNode *facet;
	const char *name = "";

	if (node == NULL || wf_schema_is(node, "list") ||
	    wf_schema_is(node, "union"))
		return COLLAPSE;
	facet = wf_schema_child(node, "whiteSpace");
	if (facet != NULL) {
		name = wf_schema_attribute(facet, "value");
		return strcmp(name, "preserve") == 0  ? PRESERVE
		       : strcmp(name, "replace") == 0 ? REPLACE
						      : COLLAPSE;
	}
	type = wf_pattern_type(patterns, node, "base", wf_simple_type);
	if (type != NULL)
		return wf_pattern_space(patterns, type);
	name = wf_schema_attribute(node, "base");
	return strcmp(name, "wfxs:string") == 0		    ? PRESERVE
	       : strcmp(name, "wfxs:normalizedString") == 0 ? REPLACE
							    : COLLAPSE;
}

void wf_pattern_normalise(
    struct wf_buffer *out, const char *text, size_t length, enum wf_space mode)
{
	wf_buffer_init(out, WF_VALUE_BYTES);
	for (size_t i = 0; i < length; i++) {
		bool white = wf_is_xml_space(text[i]);

		if (mode == COLLAPSE && white) {
			while (i + 1 < length && wf_is_xml_space(text[i + 1]))
				i++;
			if (out->length == 0 || i + 1 == length)
				continue;
		}
		wf_buffer_putc(out, white && mode != PRESERVE ? ' ' : text[i]);
	}
}

/* ---- long enumerations ---- */

static size_t count_values(const xmlNode *restriction)
{
	size_t count = 0;

	for (const xmlNode *child = restriction->children; child != NULL;
	     child = child->next)
		count += wf_schema_is(child, "enumeration");
	return count;
}

/* Whether equal values of a type have equal texts. */
static bool is_text(const struct wf_patterns *patterns, const xmlNode *type)
{
	const xmlNode *node = wf_pattern_derivation(type);
	const char *name;
	enum wf_atomic_type atomic;

	if (node == NULL || wf_schema_is(node, "list") ||
	    wf_schema_is(node, "union"))
		return false;
	type = wf_pattern_type(patterns, node, "base", wf_simple_type);
	if (type != NULL)
		return is_text(patterns, type);
	name = wf_schema_attribute(node, "base");
	atomic = wf_atomic_type_by_name(
	    strncmp(name, "wfxs:", 5) == 0 ? name + 5 : name);
	return atomic == WF_XS_ANY_URI ||
	       (atomic != WF_ATOMIC_TYPE_COUNT &&
		   wf_atomic_derives(atomic, WF_XS_STRING));
}

static void take_values(
    struct wf_patterns *patterns, const xmlNode *type, xmlNode *restriction)
{
	struct wf_enumeration *values = wf_enumeration_new();
	enum wf_space space = wf_pattern_space(patterns, type);
	xmlNode *next;

	facets_of(patterns, restriction)->values = values;
	patterns->has_enumerations = true;
	for (xmlNode *child = restriction->children; child != NULL;
	     child = next) {
		const char *text;
		struct wf_buffer normal;

		next = child->next;
		if (!wf_schema_is(child, "enumeration"))
			continue;
		text = wf_schema_attribute(child, "value");
		wf_pattern_normalise(&normal, text, strlen(text), space);
		wf_enumeration_add(values, wf_buffer_text(&normal));
		wf_buffer_free(&normal);
		xmlUnlinkNode(child);
		xmlFreeNode(child);
	}
}

/* Takes the long enumerations of texts; the others make checks dearer. */
static void take_enumerations(struct wf_patterns *patterns, xmlNode *root)
{
	uint64_t total = 0;
	uint64_t most = 0;

	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node)) {
		size_t count =
		    wf_schema_is(node, "restriction") ? count_values(node) : 0;
		const xmlNode *type = node->parent;

		if (count <= FEW_VALUES)
			continue;
		if (wf_schema_is(type, "simpleContent"))
			type = type->parent;
		if (wf_pattern_derivation(type) == node &&
		    is_text(patterns, type)) {
			take_values(patterns, type, node);
			continue;
		}
		total += count;
		most = count > most ? count : most;
	}
	/* A comparison with each value, or their list in a message. */
	patterns->factor = 1 + total / 2 + most * most / 64;
}

/* ---- content models ---- */

static bool same_type(const xmlNode *a, const xmlNode *b)
{
	const char *type = wf_schema_attribute(a, "type");

	return a == b || (*type != '\0' &&
			     strcmp(type, wf_schema_attribute(b, "type")) == 0);
}

static void add_element(struct wf_patterns *patterns,
    struct wf_content *content, const xmlNode *node)
{
	const char *name = wf_schema_attribute(node, "ref");
	struct wf_declaration *known;

	if (*name != '\0')
		node = wf_map_get(patterns->components.elements, name);
	else
		name = wf_schema_attribute(node, "name");
	if (node == NULL)
		return;
	known = wf_map_get(content->elements, name);
	if (known == NULL) {
		known = wf_arena_alloc(patterns->arena, sizeof(*known));
		known->element = node;
		wf_map_add(content->elements, name, known);
	} else if (known->element != NULL && !same_type(known->element, node)) {
		/* libxml2 allows it, and does not say which one it took. */
		known->element = NULL;
	}
}

static void add_children(struct wf_patterns *patterns,
    struct wf_content *content, const xmlNode *node)
{
	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next) {
		const xmlNode *group = child;

		if (wf_schema_is(child, "element")) {
			add_element(patterns, content, child);
		} else if (wf_schema_is(child, "any")) {
			content->skips |= strcmp(wf_schema_attribute(
						     child, "processContents"),
					      "skip") == 0;
		} else if (child->type == XML_ELEMENT_NODE) {
			if (wf_schema_is(child, "group"))
				group = wf_map_get(patterns->components.groups,
				    wf_schema_attribute(child, "ref"));
			if (group != NULL)
				add_children(patterns, content, group);
		}
	}
}

static void add_content(struct wf_patterns *patterns, xmlNode *type)
{
	struct wf_content *content =
	    wf_arena_alloc(patterns->arena, sizeof(*content));

	content->elements = wf_map_new();
	content->model = type->_private;
	content->next = patterns->contents;
	patterns->contents = content;
	add_children(patterns, content, type);
	type->_private = content;
}

/* Whether something is to be taken out of a schema. */
static bool has_facets(xmlNode *root)
{
	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node))
		if (wf_schema_is(node, "pattern") ||
		    (wf_schema_is(node, "restriction") &&
			count_values(node) > FEW_VALUES))
			return true;
	return false;
}

enum wf_rc wf_patterns_new(struct wf_patterns **patterns_out, xmlDoc *document,
    bool has_models, struct wf_error *err)
{
	struct wf_patterns *patterns;
	xmlNode *root = xmlDocGetRootElement(document);
	unsigned members = 0;
	enum wf_rc rc;

	*patterns_out = NULL;
	if (!has_models && !has_facets(root))
		return WF_OK;
	patterns = wf_calloc(1, sizeof(*patterns));
	patterns->arena = wf_arena_new();
	rc = take_patterns(patterns, root, err);
	if (rc != WF_OK) {
		wf_patterns_free(&patterns);
		return rc;
	}
	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node))
		if (wf_schema_is(node, "union"))
			name_members(root, node, &members);
	wf_components_init(&patterns->components, document);
	take_enumerations(patterns, root);
	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node)) {
		if (wf_schema_is(node, "complexType"))
			add_content(patterns, node);
		else if (wf_schema_is(node, "union") &&
			 wf_pattern_has_facets(patterns, node->parent))
			node->_private = node;
	}
	*patterns_out = patterns;
	return WF_OK;
}

void wf_patterns_free(struct wf_patterns **patterns)
{
	struct wf_patterns *old = *patterns;

	*patterns = NULL;
	if (old == NULL)
		return;
	for (struct wf_rule *rule = old->rules; rule != NULL; rule = rule->next)
		wf_automaton_free(&rule->automaton);
	for (struct wf_facets *facets = old->facets; facets != NULL;
	     facets = facets->next)
		wf_enumeration_free(&facets->values);
	for (struct wf_content *content = old->contents; content != NULL;
	     content = content->next)
		wf_map_free(&content->elements);
	wf_components_free(&old->components);
	wf_arena_free(&old->arena);
	wf_free(old);
}

bool wf_patterns_have_enumerations(const struct wf_patterns *patterns)
{
	return patterns->has_enumerations;
}

uint64_t wf_patterns_factor(const struct wf_patterns *patterns)
{
	return patterns->factor;
}
