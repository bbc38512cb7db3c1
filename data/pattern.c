/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the type of each element of a value, as libxml2 does, matches the texts
 * of simple types with the patterns and the long enumerations along their
 * derivation, and has the content models checked that libxml2 does not check.
 * Data has no attributes, so neither xsi:type nor xsi:nil changes a type.
 */
#include <libxml/xmlschemas.h>
#include <stdio.h>
#include <string.h>

#include "data/pattern_priv.h"
#include "xquery/text/unicode.h"

#define MESSAGE_BYTES 400U
/* Asking libxml2 for one text, without its length. */
#define MEMBER_STEPS 100U

static const char *const any_type[] = { "simpleType", "complexType", NULL };

/* ---- texts ---- */

struct check {
	const struct wf_patterns *patterns;
	uint64_t *budget;
	wf_fits_f fits;
	const void *argument;
	struct wf_type_errors *errors;
	const struct wf_facets *failed; /* the first that did not match */
	bool is_missing;		/* their patterns match */
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

/* Whether the facets of a restriction accept text. */
static enum wf_rc matches(struct check *check, const xmlNode *type,
    const struct wf_facets *facets, const char *text, size_t length, bool *good)
{
	struct wf_buffer normal;
	bool is_missing = false;
	enum wf_rc rc = spend(check, length / 8);

	if (rc != WF_OK)
		return rc;
	wf_pattern_normalise(
	    &normal, text, length, wf_pattern_space(check->patterns, type));
	*good = facets->rules == NULL;
	for (const struct wf_rule *rule = facets->rules;
	     rc == WF_OK && rule != NULL && !*good; rule = rule->more)
		rc =
		    wf_automaton_match(rule->automaton, wf_buffer_text(&normal),
			normal.length, check->budget, good, NULL, NULL);
	if (rc == WF_OK && *good && facets->values != NULL) {
		*good =
		    wf_enumeration_has(facets->values, wf_buffer_text(&normal));
		is_missing = !*good;
	}
	wf_buffer_free(&normal);
	if (!*good && check->failed == NULL) {
		check->failed = facets;
		check->is_missing = is_missing;
	}
	return rc;
}

static enum wf_rc accepts(struct check *check, const xmlNode *type,
    const char *text, size_t length, bool *good);

static enum wf_rc list_accepts(struct check *check, const xmlNode *list,
    const char *text, size_t length, bool *good)
{
	const xmlNode *item =
	    wf_pattern_type(check->patterns, list, "itemType", wf_simple_type);
	const char *end = text + length;
	enum wf_rc rc = WF_OK;

	if (!wf_pattern_has_facets(check->patterns, item))
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
	for (; rc == WF_OK && !*good && wf_pattern_next_name(&next, &size);
	     next += size) {
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
			rc = spend(
			    check, MEMBER_STEPS +
				       (1 + length) * check->patterns->factor);
		if (rc == WF_OK && *good)
			*good =
			    check->fits(check->argument, name, text, length);
	}
	return rc;
}

/*
 * Whether the facets of a simple type, or of a complex one with simple
 * content, accept text, which is valid without them. *good is true before.
 */
static enum wf_rc accepts(struct check *check, const xmlNode *type,
    const char *text, size_t length, bool *good)
{
	const xmlNode *node = type == NULL ? NULL : wf_pattern_derivation(type);
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
	if (rc == WF_OK && *good && wf_schema_child(node, "simpleType") != NULL)
		rc = accepts(check, wf_schema_child(node, "simpleType"), text,
		    length, good);
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

	if (rc == WF_OK && check->failed != NULL && check->is_missing) {
		error.code = XML_SCHEMAV_CVC_ENUMERATION_VALID;
		snprintf(message, sizeof(message),
		    "The value '%.60s' is not an element of the set {%s}", text,
		    wf_enumeration_shown(check->failed->values));
	} else if (rc == WF_OK && check->failed != NULL) {
		snprintf(message, sizeof(message),
		    "The value '%.60s' is not accepted by the pattern '%.200s'",
		    text, check->failed->rules->pattern);
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

	if (wf_pattern_derivation(type) == NULL)
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
		    wf_schema_child_of(declaration, any_type) != NULL)
			return wf_pattern_type(
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
		const struct wf_content *content = type->_private;
		const struct wf_declaration *found =
		    wf_map_get(content->elements, name);
		const xmlNode *node = wf_pattern_derivation(type);

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
	if (type != NULL &&
	    (!is_complex || wf_schema_child_of(type, wf_type_contents) != NULL))
		check_text(check, type, element);
	if (type != NULL && is_complex) {
		const struct wf_content *content = type->_private;

		if (content->model != NULL)
			wf_content_model_check(content->model, element,
			    check->budget, check->errors);
	}
	for (const xmlNode *child = is_complex ? element->children : NULL;
	     child != NULL && wf_type_errors_wanted(check->errors);
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
