/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the type of each element of a value, as libxml2 does, matches the texts
 * of simple types with the patterns along their derivation, and has the content
 * models checked that libxml2 does not check.
 *
 * xmlNode._private of the nodes of the schema holds what is made of them:
 *   restriction   its patterns (struct rule); one of them must match
 *   union         not NULL: a member has patterns
 *   complexType   its child elements (struct content)
 * Data has no attributes, so neither xsi:type nor xsi:nil changes a type.
 */
#include "data/pattern.h"

#include <stdio.h>
#include <string.h>

#include <libxml/xmlschemas.h>

#include "base/memory.h"
#include "data/content_model.h"
#include "data/schema.h"
#include "xquery/atomic/atomic.h"
#include "xquery/pattern/automaton.h"
#include "xquery/text/unicode.h"

/* Over all patterns of a schema; twelve bytes each. */
#define STATES_MAXIMUM 1000000U
#define MESSAGE_BYTES 400U
/* Asking libxml2 for one text, without its length. */
#define MEMBER_STEPS 100U

struct rule {
	struct wf_automaton *automaton;
	const char *pattern;
	struct rule *more; /* of the same restriction */
	struct rule *next; /* of the schema */
};

struct declaration {
	const xmlNode *element; /* NULL: several of one name that differ */
};

struct content {
	const struct wf_content_model *model; /* NULL: libxml2 checks it */
	struct wf_map *elements;	      /* struct declaration by name */
	struct content *next;		      /* of the schema */
	bool skips; /* a wildcard skips what it matches */
};

struct wf_patterns {
	struct wf_arena *arena;
	struct wf_components components;
	struct rule *rules;
	size_t states; /* of all rules */
	struct content *contents;
};

/* ---- taking the patterns out of the schema ---- */

static enum wf_rc take_pattern(
    struct wf_patterns *patterns, xmlNode *node, struct wf_error *err)
{
	struct rule *rule = wf_arena_alloc(patterns->arena, sizeof(*rule));
	const char *pattern = wf_schema_attribute(node, "value");
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
	rule->more = node->parent->_private;
	node->parent->_private = rule;
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

static xmlNode *child_of(const xmlNode *node, const char *const *names)
{
	for (xmlNode *child = node->children; child != NULL;
	     child = child->next)
		for (size_t i = 0; names[i] != NULL; i++)
			if (wf_schema_is(child, names[i]))
				return child;
	return NULL;
}

static const char *const simple_type[] = { "simpleType", NULL };
static const char *const any_type[] = { "simpleType", "complexType", NULL };
static const char *const contents[] = { "simpleContent", "complexContent",
	NULL };
static const char *const derivations[] = { "restriction", "extension", "list",
	"union", NULL };

/* How a type is derived: restriction, extension, list or union; or NULL. */
static const xmlNode *derivation_of(const xmlNode *type)
{
	const xmlNode *content = child_of(type, contents);

	return child_of(content == NULL ? type : content, derivations);
}

/* The type that an attribute or a child names; NULL: of XML Schema itself. */
static const xmlNode *type_named(const struct wf_patterns *patterns,
    const xmlNode *node, const char *attribute, const char *const *own)
{
	const char *name = wf_schema_attribute(node, attribute);

	return *name == '\0' ? child_of(node, own)
			     : wf_map_get(patterns->components.types, name);
}

/* The next name in a list; false: there is none. */
static bool next_name(const char **next, size_t *length_out)
{
	*next += strspn(*next, " ");
	*length_out = strcspn(*next, " ");
	return *length_out > 0;
}

/* Whether a simple type has patterns, or what it derives from has. */
static bool has_patterns(
    const struct wf_patterns *patterns, const xmlNode *type)
{
	const xmlNode *node = type == NULL ? NULL : derivation_of(type);
	size_t length;

	if (node == NULL)
		return false;
	if (wf_schema_is(node, "list"))
		return has_patterns(patterns,
		    type_named(patterns, node, "itemType", simple_type));
	if (!wf_schema_is(node, "union"))
		return node->_private != NULL ||
		       has_patterns(patterns,
			   type_named(patterns, node, "base", simple_type));
	for (const char *next = wf_schema_attribute(node, "memberTypes");
	     next_name(&next, &length); next += length)
		if (has_patterns(patterns,
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
	while ((member = child_of(node, simple_type)) != NULL) {
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

/* ---- content models ---- */

static bool same_type(const xmlNode *a, const xmlNode *b)
{
	const char *type = wf_schema_attribute(a, "type");

	return a == b || (*type != '\0' &&
			     strcmp(type, wf_schema_attribute(b, "type")) == 0);
}

static void add_element(
    struct wf_patterns *patterns, struct content *content, const xmlNode *node)
{
	const char *name = wf_schema_attribute(node, "ref");
	struct declaration *known;

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

static void add_children(
    struct wf_patterns *patterns, struct content *content, const xmlNode *node)
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
	struct content *content =
	    wf_arena_alloc(patterns->arena, sizeof(*content));

	content->elements = wf_map_new();
	content->model = type->_private;
	content->next = patterns->contents;
	patterns->contents = content;
	add_children(patterns, content, type);
	type->_private = content;
}

enum wf_rc wf_patterns_new(struct wf_patterns **patterns_out, xmlDoc *document,
    bool has_models, struct wf_error *err)
{
	struct wf_patterns *patterns = wf_calloc(1, sizeof(*patterns));
	xmlNode *root = xmlDocGetRootElement(document);
	unsigned members = 0;
	enum wf_rc rc;

	patterns->arena = wf_arena_new();
	rc = take_patterns(patterns, root, err);
	if (rc != WF_OK || (patterns->rules == NULL && !has_models)) {
		wf_patterns_free(&patterns);
		*patterns_out = NULL;
		return rc;
	}
	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node))
		if (wf_schema_is(node, "union"))
			name_members(root, node, &members);
	wf_components_init(&patterns->components, document);
	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node)) {
		if (wf_schema_is(node, "complexType"))
			add_content(patterns, node);
		else if (wf_schema_is(node, "union") &&
			 has_patterns(patterns, node->parent))
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
	for (struct rule *rule = old->rules; rule != NULL; rule = rule->next)
		wf_automaton_free(&rule->automaton);
	for (struct content *content = old->contents; content != NULL;
	     content = content->next)
		wf_map_free(&content->elements);
	wf_components_free(&old->components);
	wf_arena_free(&old->arena);
	wf_free(old);
}

/* ---- texts ---- */

struct check {
	const struct wf_patterns *patterns;
	uint64_t *budget;
	wf_fits_f fits;
	const void *argument;
	struct wf_type_errors *errors;
	const struct rule *failed; /* the first pattern that did not match */
};

/* Takes steps from the budget; WF_LIMIT when they do not suffice. */
static enum wf_rc spend(struct check *check, uint64_t steps)
{
	if (*check->budget <= steps) {
		*check->budget = 0;
		return WF_LIMIT;
	}
	*check->budget -= steps;
	return WF_OK;
}

enum space { PRESERVE, REPLACE, COLLAPSE };

/* What is done with white space before a text is matched with a pattern. */
static enum space space_of(
    const struct wf_patterns *patterns, const xmlNode *type)
{
	static const char *const facet[] = { "whiteSpace", NULL };
	const xmlNode *node = derivation_of(type);
	const char *name = "";

	if (node == NULL || wf_schema_is(node, "list") ||
	    wf_schema_is(node, "union"))
		return COLLAPSE;
	if (child_of(node, facet) != NULL) {
		name = wf_schema_attribute(child_of(node, facet), "value");
		return strcmp(name, "preserve") == 0  ? PRESERVE
		       : strcmp(name, "replace") == 0 ? REPLACE
						      : COLLAPSE;
	}
	type = type_named(patterns, node, "base", simple_type);
	if (type != NULL)
		return space_of(patterns, type);
	name = wf_schema_attribute(node, "base");
	return strcmp(name, "wfxs:string") == 0		    ? PRESERVE
	       : strcmp(name, "wfxs:normalizedString") == 0 ? REPLACE
							    : COLLAPSE;
}

/* Text with its white space as mode says; the caller frees the buffer. */
static void normalise(
    struct wf_buffer *out, const char *text, size_t length, enum space mode)
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

/* Whether one of the patterns of a restriction matches. */
static enum wf_rc matches(struct check *check, const xmlNode *type,
    const struct rule *rules, const char *text, size_t length, bool *good)
{
	struct wf_buffer normal;
	enum wf_rc rc = spend(check, length / 8);

	if (rc != WF_OK)
		return rc;
	normalise(&normal, text, length, space_of(check->patterns, type));
	*good = false;
	for (const struct rule *rule = rules;
	     rc == WF_OK && rule != NULL && !*good; rule = rule->more)
		rc =
		    wf_automaton_match(rule->automaton, wf_buffer_text(&normal),
			normal.length, check->budget, good, NULL, NULL);
	wf_buffer_free(&normal);
	if (!*good && check->failed == NULL)
		check->failed = rules;
	return rc;
}

static enum wf_rc accepts(struct check *check, const xmlNode *type,
    const char *text, size_t length, bool *good);

static enum wf_rc list_accepts(struct check *check, const xmlNode *list,
    const char *text, size_t length, bool *good)
{
	const xmlNode *item =
	    type_named(check->patterns, list, "itemType", simple_type);
	const char *end = text + length;
	enum wf_rc rc = WF_OK;

	if (!has_patterns(check->patterns, item))
		return WF_OK;
	while (rc == WF_OK && *good && text < end) {
		const char *start = text;

		while (text < end && !wf_is_xml_space(*text))
			text++;
		if (text > start)
			rc = accepts(
			    check, item, start, (size_t)(text - start), good);
		else
			text++;
	}
	return rc;
}

/* Whether one of the members accepts text. */
static enum wf_rc union_accepts(struct check *check, const xmlNode *node,
    const char *text, size_t length, bool *good)
{
	const char *next = wf_schema_attribute(node, "memberTypes");
	enum wf_rc rc = WF_OK;
	size_t size;

	if (node->_private == NULL)
		return WF_OK;
	*good = false;
	for (; rc == WF_OK && !*good && next_name(&next, &size); next += size) {
		char name[256];

		if (size >= sizeof(name))
			continue;
		memcpy(name, next, size);
		name[size] = '\0';
		*good = true;
		rc = accepts(check,
		    wf_map_get(check->patterns->components.types, name), text,
		    length, good);
		if (rc == WF_OK && *good)
			rc = spend(check, MEMBER_STEPS + length);
		if (rc == WF_OK && *good)
			*good =
			    check->fits(check->argument, name, text, length);
	}
	return rc;
}

/*
 * Whether the patterns of a simple type, or of a complex one with simple
 * content, accept text, which is valid without them. *good is true before.
 */
static enum wf_rc accepts(struct check *check, const xmlNode *type,
    const char *text, size_t length, bool *good)
{
	const xmlNode *node = type == NULL ? NULL : derivation_of(type);
	enum wf_rc rc = spend(check, 1);

	if (rc != WF_OK || node == NULL)
		return rc;
	if (wf_schema_is(node, "list"))
		return list_accepts(check, node, text, length, good);
	if (wf_schema_is(node, "union"))
		return union_accepts(check, node, text, length, good);
	if (node->_private != NULL)
		rc = matches(check, type, node->_private, text, length, good);
	if (rc != WF_OK || !*good)
		return rc;
	rc = accepts(check,
	    wf_map_get(check->patterns->components.types,
		wf_schema_attribute(node, "base")),
	    text, length, good);
	/* Simple content may be restricted by a type of its own. */
	if (rc == WF_OK && *good && child_of(node, simple_type) != NULL)
		rc = accepts(
		    check, child_of(node, simple_type), text, length, good);
	return rc;
}

/* ---- elements ---- */

static void report(struct check *check, enum wf_rc rc, const xmlNode *element,
    const char *text, const char *type)
{
	char message[MESSAGE_BYTES];
	xmlError error = { .level = XML_ERR_ERROR,
		.code = XML_SCHEMAV_CVC_PATTERN_VALID,
		.node = (void *)(uintptr_t)element,
		.message = message };

	if (rc == WF_OK && check->failed != NULL) {
		snprintf(message, sizeof(message),
		    "The value '%.60s' is not accepted by the pattern '%.200s'",
		    text, check->failed->pattern);
	} else if (rc == WF_OK) {
		error.code = XML_SCHEMAV_CVC_DATATYPE_VALID_1_2_3;
		snprintf(message, sizeof(message),
		    "'' is not a valid value of the type '%.60s'",
		    *type == '\0' ? "value" : type);
	} else {
		wf_fail(&check->errors->err, rc,
		    "element <%.60s>: its pattern takes more steps to match "
		    "than a step of a case has left (limit query_steps)",
		    element->parent == (const xmlNode *)element->doc
			? check->errors->name
			: (const char *)element->name);
		return;
	}
	wf_type_on_error(check->errors, &error);
}

static void check_text(
    struct check *check, const xmlNode *type, const xmlNode *element)
{
	xmlChar *content;
	bool good = true;
	enum wf_rc rc;

	if (derivation_of(type) == NULL)
		return;
	content = xmlNodeGetContent(element);
	check->failed = NULL;
	rc = accepts(check, type, (const char *)content,
	    strlen((const char *)content), &good);
	if (rc != WF_OK || !good)
		report(check, rc, element, (const char *)content,
		    wf_schema_attribute(type, "name"));
	xmlFree(content);
}

/* The type of a declaration, or of the head of its substitution group. */
static const xmlNode *type_of(
    const struct wf_patterns *patterns, const xmlNode *declaration)
{
	/* More than a schema's chain of references can have. */
	for (unsigned depth = 0; declaration != NULL && depth < 200; depth++) {
		if (*wf_schema_attribute(declaration, "type") != '\0' ||
		    child_of(declaration, any_type) != NULL)
			return type_named(
			    patterns, declaration, "type", any_type);
		declaration = wf_map_get(patterns->components.elements,
		    wf_schema_attribute(declaration, "substitutionGroup"));
	}
	return NULL;
}

/*
 * The declaration of a child of an element of that type: in the type or in one
 * that it extends, else the global one of that name, which stands for a
 * wildcard or in a substitution group.
 */
static const xmlNode *find_child(
    const struct wf_patterns *patterns, const xmlNode *type, const char *name)
{
	bool skips = false;

	while (type != NULL && wf_schema_is(type, "complexType")) {
		const struct content *content = type->_private;
		const struct declaration *found =
		    wf_map_get(content->elements, name);
		const xmlNode *node = derivation_of(type);

		if (found != NULL)
			return found->element;
		skips |= content->skips;
		type = node != NULL && wf_schema_is(node, "extension")
			   ? wf_map_get(patterns->components.types,
				 wf_schema_attribute(node, "base"))
			   : NULL;
	}
	return skips ? NULL : wf_map_get(patterns->components.elements, name);
}

static void check_element(
    struct check *check, const xmlNode *type, const xmlNode *element);

/* An empty element has the default value of its declaration, if any. */
static void check_declared(
    struct check *check, const xmlNode *declaration, const xmlNode *element)
{
	if (element->children == NULL &&
	    (xmlHasProp(declaration, (const xmlChar *)"default") != NULL ||
		xmlHasProp(declaration, (const xmlChar *)"fixed") != NULL))
		return;
	check_element(check, type_of(check->patterns, declaration), element);
}

/* An element and its descendants, to the depth of a value at most. */
static void check_element(
    struct check *check, const xmlNode *type, const xmlNode *element)
{
	bool is_complex = type == NULL || wf_schema_is(type, "complexType");

	if (spend(check, 1) != WF_OK) {
		report(check, WF_LIMIT, element, "", "");
		return;
	}
	if (type != NULL && (!is_complex || child_of(type, contents) != NULL))
		check_text(check, type, element);
	if (type != NULL && is_complex) {
		const struct content *content = type->_private;

		if (content->model != NULL)
			wf_content_model_check(content->model, element,
			    check->budget, check->errors);
	}
	for (const xmlNode *child = is_complex ? element->children : NULL;
	     child != NULL && check->errors->err.rc == WF_OK;
	     child = child->next) {
		const xmlNode *declaration;

		if (child->type != XML_ELEMENT_NODE)
			continue;
		declaration = find_child(
		    check->patterns, type, (const char *)child->name);
		if (declaration != NULL)
			check_declared(check, declaration, child);
	}
}

void wf_patterns_check(const struct wf_patterns *patterns,
    const xmlNode *component, const xmlNode *element, uint64_t *budget,
    wf_fits_f fits, const void *argument, struct wf_type_errors *errors)
{
	struct check check = { .patterns = patterns,
		.budget = budget,
		.fits = fits,
		.argument = argument,
		.errors = errors };

	if (wf_schema_is(component, "element"))
		check_declared(&check, component, element);
	else
		check_element(&check, component, element);
}
