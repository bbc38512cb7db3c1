/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the content model of a type as a pattern: each name of an element is a
 * letter, a wildcard is ".".
 */
#include <stdio.h>
#include <string.h>

#include "data/content_model_priv.h"
#include "xquery/text/unicode.h"

/* Of a chain of substitution groups; chains of types are shorter, checked. */
#define DEPTH_MAXIMUM 100U
/* The letter of the first name. */
#define FIRST_LETTER 0x10000U

/* How often a particle occurs; most "": without bound. */
struct occurrence {
	const char *least;
	const char *most;
	bool is_never;
	bool is_repeated;
	bool is_open; /* 1 or unbounded at most: no counter is needed */
};

static bool is_number(const char *text)
{
	return text[strspn(text, "0123456789")] == '\0';
}

static struct occurrence occurrence_of(
    struct wf_model_reading *reading, const xmlNode *node)
{
	const char *least = wf_schema_attribute(node, "minOccurs");
	const char *most = wf_schema_attribute(node, "maxOccurs");
	struct occurrence occurs = { .least = *least == '\0' ? "1" : least,
		.most = *most == '\0' ? "1" : most };

	if (strcmp(occurs.most, "unbounded") == 0)
		occurs.most = "";
	reading->is_unusable |=
	    !is_number(occurs.least) || !is_number(occurs.most);
	occurs.is_never = strcmp(occurs.most, "0") == 0;
	occurs.is_open = *occurs.most == '\0' || strcmp(occurs.most, "1") == 0;
	occurs.is_repeated = !occurs.is_never && strcmp(occurs.most, "1") != 0;
	return occurs;
}

static void put_occurrence(
    struct wf_model_reading *reading, const struct occurrence *occurs)
{
	wf_buffer_printf(
	    &reading->pattern, "{%s,%s}", occurs->least, occurs->most);
}

void wf_model_put_letter(struct wf_buffer *text, uint32_t letter)
{
	char bytes[4];

	wf_buffer_append(text, bytes, wf_utf8_put(letter, bytes));
}

/* Types without name are never the same, as XML Schema says. */
static bool same_type(const xmlNode *a, const xmlNode *b)
{
	return a == b || (a != NULL && b != NULL &&
			     wf_schema_child(a, "simpleType") == NULL &&
			     wf_schema_child(a, "complexType") == NULL &&
			     wf_schema_child(b, "simpleType") == NULL &&
			     wf_schema_child(b, "complexType") == NULL &&
			     strcmp(wf_schema_attribute(a, "type"),
				 wf_schema_attribute(b, "type")) == 0);
}

static const xmlNode *declaration_of(
    const struct wf_model_reading *reading, const xmlNode *element)
{
	const char *reference = wf_schema_attribute(element, "ref");

	return *reference == '\0'
		   ? element
		   : wf_map_get(
			 reading->models->components.elements, reference);
}

/* element: NULL for an element that substitutes another. */
static void put_name(
    struct wf_model_reading *reading, const char *text, const xmlNode *element)
{
	struct wf_content_model *model = reading->model;
	struct wf_model_name *name = wf_map_get(model->by_name, text);

	if (name != NULL) {
		reading->is_hard = true;
		if (name->element != NULL && element != NULL &&
		    !same_type(declaration_of(reading, name->element),
			declaration_of(reading, element)))
			reading->differs = element;
		if (element == NULL)
			name->element = NULL;
	} else {
		name = wf_arena_alloc(reading->models->arena, sizeof(*name));
		name->name = wf_arena_strdup(reading->models->arena, text);
		name->element = element;
		name->letter =
		    FIRST_LETTER + (uint32_t)wf_map_count(model->by_name);
		wf_map_add(model->by_name, text, name);
		*reading->last = name;
		reading->last = &name->next;
	}
	wf_model_put_letter(&reading->pattern, name->letter);
}

/* The elements that may stand for a global one. */
static void put_substitutes(
    struct wf_model_reading *reading, const char *head, unsigned depth)
{
	const xmlNode *root = xmlDocGetRootElement(reading->models->original);

	reading->is_unusable |= depth > DEPTH_MAXIMUM;
	for (const xmlNode *node = root->children;
	     node != NULL && !reading->is_unusable; node = node->next) {
		const char *name;

		if (!wf_schema_is(node, "element") ||
		    strcmp(wf_schema_attribute(node, "substitutionGroup"),
			head) != 0)
			continue;
		name = wf_schema_attribute(node, "name");
		wf_buffer_putc(&reading->pattern, '|');
		put_name(reading, name, NULL);
		put_substitutes(reading, name, depth + 1);
	}
}

static void put_element(struct wf_model_reading *reading, const xmlNode *node)
{
	const char *reference = wf_schema_attribute(node, "ref");

	reading->is_unusable |= declaration_of(reading, node) == NULL;
	wf_buffer_putc(&reading->pattern, '(');
	put_name(reading,
	    *reference != '\0' ? reference : wf_schema_attribute(node, "name"),
	    node);
	if (*reference != '\0')
		put_substitutes(reading, reference, 0);
	wf_buffer_putc(&reading->pattern, ')');
}

/*
 * A wildcard matches elements that the model names, too; only one at the end,
 * which then takes all the rest, leaves libxml2 few ways.
 */
static void put_wildcard(struct wf_model_reading *reading, const xmlNode *node,
    const struct occurrence *occurs)
{
	reading->is_hard |= reading->wildcard != NULL ||
			    reading->repetitions > 0 || !occurs->is_open;
	reading->wildcard = node;
	wf_buffer_putc(&reading->pattern, '.');
}

/* Whether a particle can be left out. */
static bool is_nullable(
    const struct wf_model_reading *reading, const xmlNode *node)
{
	bool is_choice = wf_schema_is(node, "choice");
	bool all = true;
	bool any = false;

	if (node->type != XML_ELEMENT_NODE ||
	    strcmp(wf_schema_attribute(node, "minOccurs"), "0") == 0 ||
	    strcmp(wf_schema_attribute(node, "maxOccurs"), "0") == 0)
		return true;
	if (wf_schema_is(node, "element") || wf_schema_is(node, "any"))
		return false;
	if (wf_schema_is(node, "group"))
		node = wf_map_get(reading->models->components.groups,
		    wf_schema_attribute(node, "ref"));
	if (node == NULL)
		return true;
	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next)
		if (child->type == XML_ELEMENT_NODE &&
		    is_nullable(reading, child))
			any = true;
		else if (child->type == XML_ELEMENT_NODE)
			all = false;
	return is_choice ? any : all;
}

static void put_particle(
    struct wf_model_reading *reading, const xmlNode *node, bool loops);

/* loops: the last child can be followed by the first, in a repetition. */
static void put_children(
    struct wf_model_reading *reading, const xmlNode *node, bool loops)
{
	bool is_choice = wf_schema_is(node, "choice");
	const char *separator = "";
	const xmlNode *required = NULL;
	unsigned count = 0;

	for (const xmlNode *child = node->children;
	     loops && !is_choice && child != NULL; child = child->next)
		if (!is_nullable(reading, child)) {
			required = child;
			count++;
		}
	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next) {
		if (child->type != XML_ELEMENT_NODE ||
		    strcmp(wf_schema_attribute(child, "maxOccurs"), "0") == 0)
			continue;
		wf_buffer_puts(&reading->pattern, separator);
		put_particle(reading, child,
		    loops && (count == 0 || (count == 1 && child == required)));
		if (is_choice)
			separator = "|";
	}
}

static void put_group(struct wf_model_reading *reading, const xmlNode *node,
    bool loops, const struct occurrence *occurs)
{
	reading->repetitions += occurs->is_repeated;
	reading->has_all |= wf_schema_is(node, "all");
	if (wf_schema_is(node, "group"))
		node = wf_map_get(reading->models->components.groups,
		    wf_schema_attribute(node, "ref"));
	reading->is_unusable |= node == NULL;
	wf_buffer_putc(&reading->pattern, '(');
	if (node != NULL)
		put_children(reading, node, loops || occurs->is_repeated);
	wf_buffer_putc(&reading->pattern, ')');
	reading->repetitions -= occurs->is_repeated;
}

/*
 * loops: the particle can follow itself through a repetition around it, with
 * nothing between. When it is itself repeated there are many ways to count.
 */
static void put_particle(
    struct wf_model_reading *reading, const xmlNode *node, bool loops)
{
	struct occurrence occurs = occurrence_of(reading, node);

	if (occurs.is_never || reading->is_unusable)
		return;
	reading->is_hard |= loops && occurs.is_repeated;
	/* What follows a wildcard may be matched by it. */
	reading->is_hard |= reading->wildcard != NULL;
	if (wf_schema_is(node, "element"))
		put_element(reading, node);
	else if (wf_schema_is(node, "any"))
		put_wildcard(reading, node, &occurs);
	else
		put_group(reading, node, loops, &occurs);
	put_occurrence(reading, &occurs);
}

void wf_model_read(struct wf_model_reading *reading, const xmlNode *type)
{
	const xmlNode *content = wf_schema_child(type, "complexContent");
	const xmlNode *extension =
	    content == NULL ? NULL : wf_schema_child(content, "extension");
	const char *base;

	if (content != NULL)
		type = extension != NULL
			   ? extension
			   : wf_schema_child(content, "restriction");
	if (type == NULL) {
		reading->is_unusable = true;
		return;
	}
	base = wf_schema_attribute(type, "base");
	if (extension != NULL &&
	    wf_map_get(reading->models->components.types, base) != NULL)
		wf_model_read(reading,
		    wf_map_get(reading->models->components.types, base));
	else if (extension != NULL)
		reading->has_all = true;
	put_children(reading, type, false);
}
