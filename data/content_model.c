/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A content model becomes a pattern: each name of an element is a letter, a
 * wildcard is ".", and xquery/pattern/automaton.h matches the names of the
 * children with it. The names that could stand where matching ends are found by
 * trying each of them.
 */
#include "data/content_model.h"

#include <libxml/xmlschemas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/panic.h"
#include "data/schema.h"
#include "xquery/pattern/automaton.h"
#include "xquery/text/unicode.h"

/* Over all models of a schema. */
#define STATES_MAXIMUM 1000000U
/* Nodes that are copied into models, which may share groups and base types. */
#define COPIES_MAXIMUM 300000U
/* Of a chain of substitution groups; chains of types are shorter, checked. */
#define DEPTH_MAXIMUM 100U
#define PATTERN_BYTES ((size_t)16 << 20)
/* The letter of the first name; the letter of a name that the model lacks. */
#define FIRST_LETTER 0x10000U
#define OTHER_LETTER 0x10FFFDU
#define LETTERS_MAXIMUM 100000U
/* Bounds of the list of expected names: names, and steps for all. */
#define EXPECTED_MAXIMUM 10U
#define EXPECTED_STEPS 200000U
#define MESSAGE_BYTES 400U

/* A name of a model. */
struct name {
	const char *name;
	const xmlNode *element; /* the particle; NULL: substitutes another */
	uint32_t letter;
	struct name *next;
};

struct wf_content_model {
	struct wf_automaton *automaton;
	struct wf_map *by_name; /* struct name */
	struct name *names;	/* in the order of the model */
	struct wf_content_model *next;
};

struct wf_content_models {
	struct wf_arena *arena;
	struct wf_content_model *models;
	xmlDoc *original;		 /* before models are replaced */
	struct wf_components components; /* of the original */
	size_t states;
	size_t copies;
};

/* A model that is being read. */
struct reading {
	struct wf_content_models *models;
	struct wf_content_model *model;
	struct name **last;
	struct wf_buffer pattern;
	const xmlNode *wildcard;
	const xmlNode *differs; /* an element with two types */
	unsigned repetitions;	/* groups that are open and repeated */
	bool is_hard;		/* for libxml2 */
	bool is_unusable;	/* libxml2 will say why the schema is wrong */
	bool has_all;		/* has a part that no pattern expresses */
};

/* ---- from a type to a pattern ---- */

static const xmlNode *child_of(const xmlNode *node, const char *name)
{
	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next)
		if (wf_schema_is(child, name))
			return child;
	return NULL;
}

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
    struct reading *reading, const xmlNode *node)
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
    struct reading *reading, const struct occurrence *occurs)
{
	wf_buffer_printf(
	    &reading->pattern, "{%s,%s}", occurs->least, occurs->most);
}

static void put_letter(struct wf_buffer *text, uint32_t letter)
{
	char bytes[4];

	wf_buffer_append(text, bytes, wf_utf8_put(letter, bytes));
}

/* Types without name are never the same, as XML Schema says. */
static bool same_type(const xmlNode *a, const xmlNode *b)
{
	return a == b ||
	       (a != NULL && b != NULL && child_of(a, "simpleType") == NULL &&
		   child_of(a, "complexType") == NULL &&
		   child_of(b, "simpleType") == NULL &&
		   child_of(b, "complexType") == NULL &&
		   strcmp(wf_schema_attribute(a, "type"),
		       wf_schema_attribute(b, "type")) == 0);
}

static const xmlNode *declaration_of(
    const struct reading *reading, const xmlNode *element)
{
	const char *reference = wf_schema_attribute(element, "ref");

	return *reference == '\0'
		   ? element
		   : wf_map_get(
			 reading->models->components.elements, reference);
}

/* element: NULL for an element that substitutes another. */
static void put_name(
    struct reading *reading, const char *text, const xmlNode *element)
{
	struct wf_content_model *model = reading->model;
	struct name *name = wf_map_get(model->by_name, text);

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
	put_letter(&reading->pattern, name->letter);
}

/* The elements that may stand for a global one. */
static void put_substitutes(
    struct reading *reading, const char *head, unsigned depth)
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

static void put_element(struct reading *reading, const xmlNode *node)
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
static void put_wildcard(struct reading *reading, const xmlNode *node,
    const struct occurrence *occurs)
{
	reading->is_hard |= reading->wildcard != NULL ||
			    reading->repetitions > 0 || !occurs->is_open;
	reading->wildcard = node;
	wf_buffer_putc(&reading->pattern, '.');
}

/* Whether a particle can be left out. */
static bool is_nullable(const struct reading *reading, const xmlNode *node)
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
    struct reading *reading, const xmlNode *node, bool loops);

/* loops: the last child can be followed by the first, in a repetition. */
static void put_children(
    struct reading *reading, const xmlNode *node, bool loops)
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

static void put_group(struct reading *reading, const xmlNode *node, bool loops,
    const struct occurrence *occurs)
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
    struct reading *reading, const xmlNode *node, bool loops)
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

static void put_type(struct reading *reading, const xmlNode *type)
{
	const xmlNode *content = child_of(type, "complexContent");
	const xmlNode *extension =
	    content == NULL ? NULL : child_of(content, "extension");
	const char *base;

	if (content != NULL)
		type = extension != NULL ? extension
					 : child_of(content, "restriction");
	if (type == NULL) {
		reading->is_unusable = true;
		return;
	}
	base = wf_schema_attribute(type, "base");
	if (extension != NULL &&
	    wf_map_get(reading->models->components.types, base) != NULL)
		put_type(reading,
		    wf_map_get(reading->models->components.types, base));
	else if (extension != NULL)
		reading->has_all = true;
	put_children(reading, type, false);
}

/* ---- replacing a model ---- */

static size_t count_nodes(const xmlNode *root)
{
	size_t count = 0;

	for (xmlNode *node = (xmlNode *)(uintptr_t)root; node != NULL;
	     node = wf_schema_next(root, node))
		count++;
	return count;
}

static void set(xmlNode *node, const char *name, const char *value)
{
	xmlSetProp(node, (const xmlChar *)name, (const xmlChar *)value);
}

/* A copy of a particle, once; false: too many nodes. */
static bool add_copy(
    struct reading *reading, xmlNode *choice, const xmlNode *particle)
{
	xmlNode *copy;

	reading->models->copies += count_nodes(particle);
	if (reading->models->copies > COPIES_MAXIMUM)
		return false;
	copy = xmlDocCopyNode((xmlNode *)(uintptr_t)particle, choice->doc, 1);
	if (copy == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	xmlUnsetProp(copy, (const xmlChar *)"minOccurs");
	xmlUnsetProp(copy, (const xmlChar *)"maxOccurs");
	xmlAddChild(choice, copy);
	return true;
}

static bool is_mixed(const xmlNode *node)
{
	const char *mixed = wf_schema_attribute(node, "mixed");
	const xmlNode *content = child_of(node, "complexContent");

	return strcmp(mixed, "true") == 0 || strcmp(mixed, "1") == 0 ||
	       (content != NULL && is_mixed(content));
}

/* Any number of the elements, in any order, instead of the model. */
static bool replace(struct reading *reading, xmlNode *type)
{
	xmlNode *choice =
	    xmlNewDocNode(type->doc, type->ns, (const xmlChar *)"choice", NULL);
	bool good = true;

	if (choice == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	set(choice, "minOccurs", "0");
	set(choice, "maxOccurs", "unbounded");
	for (const struct name *name = reading->model->names;
	     good && name != NULL; name = name->next)
		if (name->element != NULL)
			good = add_copy(reading, choice, name->element);
	if (good && reading->wildcard != NULL)
		good = add_copy(reading, choice, reading->wildcard);
	if (is_mixed(type))
		set(type, "mixed", "true");
	while (type->children != NULL) {
		xmlNode *child = type->children;

		xmlUnlinkNode(child);
		xmlFreeNode(child);
	}
	xmlAddChild(type, choice);
	return good;
}

/* ---- all types of a schema ---- */

/* For messages: the name of a type, or of the element that it belongs to. */
static const char *name_of(const xmlNode *type)
{
	const char *name = wf_schema_attribute(type, "name");

	return *name == '\0' && type->parent != NULL &&
		       type->parent->type == XML_ELEMENT_NODE
		   ? wf_schema_attribute(type->parent, "name")
		   : name;
}

static enum wf_rc fail(
    struct wf_error *err, const xmlNode *type, const char *problem)
{
	return wf_schema_fail(err, type,
	    "the content model of the type '%.60s' cannot be checked: %s",
	    name_of(type), problem);
}

static enum wf_rc use(
    struct reading *reading, xmlNode *type, struct wf_error *err)
{
	struct wf_content_models *models = reading->models;
	struct wf_content_model *model = reading->model;
	struct wf_error mine = { .rc = WF_OK };

	if (reading->differs != NULL)
		return wf_schema_fail(err, type,
		    "the type '%.60s' has several elements <%.60s> of "
		    "different types; XML Schema requires one type of them",
		    name_of(type),
		    wf_schema_attribute(reading->differs, "name"));
	if (reading->has_all)
		return fail(err, type,
		    "a name occurs twice, in xs:all or beside xs:anyType");
	if (reading->pattern.full ||
	    wf_map_count(model->by_name) > LETTERS_MAXIMUM)
		return fail(err, type, "it is too large");
	if (wf_automaton_new(&model->automaton,
		wf_buffer_text(&reading->pattern), &mine) != WF_OK)
		return fail(err, type, mine.message);
	models->states += wf_automaton_states(model->automaton);
	if (models->states > STATES_MAXIMUM || !replace(reading, type))
		return fail(err, type, "the schema is too large");
	type->_private = model;
	return WF_OK;
}

static void free_model(struct wf_content_model *model)
{
	wf_automaton_free(&model->automaton);
	wf_map_free(&model->by_name);
}

static enum wf_rc read_type(
    struct wf_content_models *models, xmlNode *type, struct wf_error *err)
{
	struct wf_content_model *model =
	    wf_arena_alloc(models->arena, sizeof(*model));
	struct reading reading = {
		.models = models, .model = model, .last = &model->names
	};
	enum wf_rc rc = WF_OK;

	model->by_name = wf_map_new();
	wf_buffer_init(&reading.pattern, PATTERN_BYTES);
	put_type(&reading, type);
	if (reading.is_hard && !reading.is_unusable)
		rc = use(&reading, type, err);
	wf_buffer_free(&reading.pattern);
	if (type->_private != model) {
		free_model(model);
		return rc;
	}
	model->next = models->models;
	models->models = model;
	return rc;
}

enum wf_rc wf_content_models_new(struct wf_content_models **models_out,
    xmlDoc *document, struct wf_error *err)
{
	struct wf_content_models *models = wf_calloc(1, sizeof(*models));
	xmlNode *root = xmlDocGetRootElement(document);
	enum wf_rc rc = WF_OK;

	models->arena = wf_arena_new();
	models->original = xmlCopyDoc(document, 1);
	if (models->original == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	wf_components_init(&models->components, models->original);
	for (xmlNode *node = root; rc == WF_OK && node != NULL;
	     node = wf_schema_next(root, node))
		if (wf_schema_is(node, "complexType") &&
		    child_of(node, "simpleContent") == NULL)
			rc = read_type(models, node, err);
	wf_components_free(&models->components);
	xmlFreeDoc(models->original);
	models->original = NULL;
	if (rc != WF_OK || models->models == NULL)
		wf_content_models_free(&models);
	*models_out = models;
	return rc;
}

void wf_content_models_free(struct wf_content_models **models)
{
	struct wf_content_models *old = *models;

	*models = NULL;
	if (old == NULL)
		return;
	for (struct wf_content_model *model = old->models; model != NULL;
	     model = model->next)
		free_model(model);
	wf_arena_free(&old->arena);
	wf_free(old);
}

/* ---- the children of an element ---- */

static uint32_t letter_of(
    const struct wf_content_model *model, const xmlNode *child)
{
	const struct name *name =
	    wf_map_get(model->by_name, (const char *)child->name);

	return name == NULL ? OTHER_LETTER : name->letter;
}

static void put_letters(const struct wf_content_model *model,
    const xmlNode *element, struct wf_buffer *text)
{
	wf_buffer_init(text, WF_VALUE_BYTES);
	for (const xmlNode *child = element->children; child != NULL;
	     child = child->next)
		if (child->type == XML_ELEMENT_NODE)
			put_letter(text, letter_of(model, child));
}

/* The names that could follow the first length bytes of text. */
static unsigned put_expected(const struct wf_content_model *model,
    const char *text, size_t length, struct wf_buffer *out)
{
	uint64_t budget = EXPECTED_STEPS;
	struct wf_buffer tried;
	unsigned count = 0;

	wf_buffer_init(&tried, length + 8);
	for (const struct name *name = model->names;
	     name != NULL && count < EXPECTED_MAXIMUM; name = name->next) {
		bool matches;
		size_t read;

		wf_buffer_reset(&tried);
		wf_buffer_append(&tried, text, length);
		put_letter(&tried, name->letter);
		if (wf_automaton_match(model->automaton, wf_buffer_text(&tried),
			tried.length, &budget, &matches, &read, NULL) != WF_OK)
			break;
		if (read == tried.length)
			wf_buffer_printf(out, "%s%.60s",
			    count++ == 0 ? "" : ", ", name->name);
	}
	wf_buffer_free(&tried);
	return count;
}

/* As libxml2 would say; read: the bytes of text that could be matched. */
static void report(const struct wf_content_model *model, const xmlNode *element,
    const struct wf_buffer *text, size_t read, struct wf_type_errors *errors)
{
	const char *next = wf_buffer_text(text);
	const char *end = next + read;
	const xmlNode *child = element->children;
	struct wf_buffer message;
	struct wf_buffer names;
	unsigned count;
	xmlError error = { .level = XML_ERR_ERROR,
		.code = XML_SCHEMAV_ELEMENT_CONTENT };

	for (;; child = child->next) {
		while (child != NULL && child->type != XML_ELEMENT_NODE)
			child = child->next;
		if (child == NULL || next == end)
			break;
		wf_utf8_next(&next, next + 4);
	}
	wf_buffer_init(&message, MESSAGE_BYTES);
	wf_buffer_init(&names, MESSAGE_BYTES);
	wf_buffer_puts(&message, child == NULL
				     ? "Missing child element(s)"
				     : "This element is not expected");
	count = put_expected(model, wf_buffer_text(text), read, &names);
	if (count > 0)
		wf_buffer_printf(&message, ". Expected is %s( %s )",
		    count > 1 ? "one of " : "", wf_buffer_text(&names));
	error.node = (void *)(uintptr_t)(child == NULL ? element : child);
	error.message = (char *)(uintptr_t)wf_buffer_text(&message);
	wf_type_on_error(errors, &error);
	wf_buffer_free(&names);
	wf_buffer_free(&message);
}

void wf_content_model_check(const struct wf_content_model *model,
    const xmlNode *element, uint64_t *budget, struct wf_type_errors *errors)
{
	struct wf_buffer text;
	bool matches;
	size_t read;

	put_letters(model, element, &text);
	if (wf_automaton_match(model->automaton, wf_buffer_text(&text),
		text.length, budget, &matches, &read, NULL) != WF_OK)
		wf_fail(&errors->err, WF_LIMIT,
		    "element <%.60s>: the order of its elements takes more "
		    "steps to check than a step of a case has left (limit "
		    "query_steps)",
		    element->parent == (const xmlNode *)element->doc
			? errors->name
			: (const char *)element->name);
	else if (!matches)
		report(model, element, &text, read, errors);
	wf_buffer_free(&text);
}
