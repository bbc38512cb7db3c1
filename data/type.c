/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of one specification, and checking values against them.
 *
 * A built-in simple type is checked on the text by xquery/atomic/atomic.h. All
 * other types are in one compiled schema of libxml2: for each global type the
 * schema has an added element with a name that no user would choose; a value is
 * checked as a tree whose root gets that name. So a variable of any name is
 * checked without another schema.
 *
 * libxml2 refuses numbers of more than 24 digits. When it rejects a value of a
 * built-in type that our own check accepts, our check decides; for types that
 * users derive from those libxml2 decides.
 */
#include "data/type.h"

#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <libxml/xmlschemastypes.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/panic.h"
#include "data/content_model.h"
#include "data/pattern.h"
#include "data/schema.h"
#include "data/shape.h"
#include "data/tree.h"
#include "data/type_error.h"
#include "xquery/atomic/atomic.h"
#include "xquery/item/evaluation.h"
#include "xquery/tree/quiet.h"

/* The maximum number of elements in a value of a complex type. */
#define ELEMENTS_MAXIMUM 1000000U
/* Bytes of a value that are checked in one step of the budget. */
#define BYTES_PER_STEP 4U

enum kind {
	ANYTHING,  /* untyped, and xs:anyType */
	SIMPLE,	   /* a built-in simple type */
	BY_SCHEMA, /* of the user or of YAWL */
};

struct wf_type {
	enum kind kind;
	const struct wf_types *types;
	const char *name;
	const char *root; /* BY_SCHEMA: the name of the root for validation */
	const xmlNode *component; /* BY_SCHEMA: in the schema */
	const struct wf_shape *shape;
	bool is_flag;
};

struct wf_types {
	struct wf_arena *arena;
	xmlDoc *document; /* the schema refers to its nodes */
	xmlSchema *schema;
	struct wf_content_models *models; /* NULL: there are none */
	struct wf_patterns *patterns;	  /* NULL: there are none */
	struct wf_map *builtins;	  /* made on first use */
	struct wf_map *declared;	  /* types of the schema */
	struct wf_map *elements; /* global elements of the user's schema */
	struct wf_type any;
};

static struct wf_type *add_type(struct wf_types *types, struct wf_map *map,
    enum kind kind, const char *name)
{
	struct wf_type *type = wf_arena_alloc(types->arena, sizeof(*type));

	type->kind = kind;
	type->types = types;
	type->name = wf_arena_strdup(types->arena, name);
	type->shape = wf_shape_of_builtin(name);
	wf_map_add(map, name, type);
	return type;
}

/* Whether node allows no element, wildcard or text: only empty groups. */
static bool has_no_content(const xmlNode *node)
{
	static const char *const groups[] = { "sequence", "choice", "all" };

	for (const xmlNode *child = node->children; child != NULL;
	     child = child->next) {
		bool is_group = false;

		if (child->type != XML_ELEMENT_NODE)
			continue;
		for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
			is_group |= wf_schema_is(child, groups[i]);
		if (!is_group || !has_no_content(child))
			return false;
	}
	return true;
}

static bool is_flag(const xmlNode *node)
{
	const char *mixed = wf_schema_attribute(node, "mixed");

	return wf_schema_is(node, "complexType") &&
	       strcmp(mixed, "true") != 0 && strcmp(mixed, "1") != 0 &&
	       has_no_content(node);
}

/* The global element that is added for a global type. */
static void add_root(xmlNode *schema, const char *root, const char *type_name)
{
	xmlNode *element =
	    xmlNewChild(schema, schema->ns, (const xmlChar *)"element", NULL);

	if (element == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	xmlSetProp(element, (const xmlChar *)"name", (const xmlChar *)root);
	xmlSetProp(
	    element, (const xmlChar *)"type", (const xmlChar *)type_name);
}

/* Makes the types of all global components. */
static void add_components(struct wf_types *types)
{
	xmlNode *schema = xmlDocGetRootElement(types->document);
	xmlNode *last = schema->last;
	xmlNode *node = schema->children;

	for (unsigned i = 0; node != NULL; i++, node = node->next) {
		const char *name = wf_schema_attribute(node, "name");
		struct wf_type *type = NULL;

		if (wf_schema_is(node, "element") &&
		    wf_map_get(types->elements, name) == NULL) {
			type =
			    add_type(types, types->elements, BY_SCHEMA, name);
			type->root = type->name;
		} else if ((wf_schema_is(node, "complexType") ||
			       wf_schema_is(node, "simpleType")) &&
			   wf_map_get(types->declared, name) == NULL) {
			type =
			    add_type(types, types->declared, BY_SCHEMA, name);
			type->root =
			    wf_arena_printf(types->arena, WF_TYPE_ROOT "%u", i);
			type->is_flag = is_flag(node);
			add_root(schema, type->root, name);
		}
		if (type != NULL)
			type->component = node;
		if (node == last)
			break;
	}
}

/* Only a compiled schema has them. */
static void add_shapes(struct wf_types *types)
{
	struct wf_shapes *shapes = wf_shapes_new(types->document, types->arena);

	for (const xmlNode *node =
		 xmlDocGetRootElement(types->document)->children;
	     node != NULL; node = node->next) {
		const char *name = wf_schema_attribute(node, "name");
		struct wf_type *type =
		    wf_map_get(wf_schema_is(node, "element") ? types->elements
							     : types->declared,
			name);

		if (type != NULL)
			type->shape = wf_shape_of_node(shapes, node);
	}
	wf_shapes_free(&shapes);
}

static enum wf_rc compile(
    xmlSchema **schema_out, xmlDoc *document, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	xmlSchemaParserCtxt *context = xmlSchemaNewDocParserCtxt(document);
	struct wf_quiet before;

	if (context == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	xmlSchemaSetParserStructuredErrors(context, wf_schema_error, &mine);
	wf_quiet_begin(&before);
	*schema_out = xmlSchemaParse(context);
	wf_quiet_end(&before);
	xmlSchemaFreeParserCtxt(context);
	if (*schema_out != NULL && mine.rc == WF_OK)
		return WF_OK;
	wf_fail(&mine, WF_DATA, "the schema does not compile");
	if (err != NULL && err->rc == WF_OK)
		*err = mine;
	return WF_DATA;
}

/*
 * Whether libxml2 accepts a schema of which it will not check content models or
 * enumerations: the rules of XML Schema hold for these, too.
 */
static enum wf_rc check_as_written(
    const char *text, size_t length, struct wf_error *err)
{
	xmlSchema *schema = NULL;
	xmlDoc *document;
	enum wf_rc rc = wf_schema_read(&document, text, length, err);

	if (rc != WF_OK)
		return rc;
	wf_schema_remove_patterns(document);
	rc = compile(&schema, document, err);
	if (schema != NULL)
		xmlSchemaFree(schema);
	xmlFreeDoc(document);
	return rc;
}

enum wf_rc wf_types_new(struct wf_types **types_out, const char *schema,
    size_t length, struct wf_error *err)
{
	struct wf_components components;
	struct wf_types *types;
	xmlDoc *document;
	enum wf_rc rc;

	*types_out = NULL;
	rc = wf_schema_read(&document, schema, length, err);
	if (rc != WF_OK)
		return rc;
	wf_components_init(&components, document);
	rc = wf_schema_check_cost(document, &components, err);
	wf_components_free(&components);
	types = wf_calloc(1, sizeof(*types));
	types->document = document;
	types->arena = wf_arena_new();
	types->builtins = wf_map_new();
	types->declared = wf_map_new();
	types->elements = wf_map_new();
	types->any.types = types;
	types->any.name = "anyType";
	types->any.shape = wf_shape_of_builtin("anyType");
	if (rc == WF_OK)
		rc = wf_content_models_new(&types->models, document, err);
	if (rc == WF_OK)
		rc = wf_patterns_new(
		    &types->patterns, document, types->models != NULL, err);
	if (rc == WF_OK &&
	    (types->models != NULL ||
		(types->patterns != NULL &&
		    wf_patterns_have_enumerations(types->patterns))))
		rc = check_as_written(schema, length, err);
	if (rc == WF_OK) {
		add_components(types);
		rc = compile(&types->schema, document, err);
		if (rc == WF_OK)
			add_shapes(types);
	}
	if (rc != WF_OK)
		wf_types_free(&types);
	*types_out = types;
	return rc;
}

void wf_types_free(struct wf_types **types)
{
	struct wf_types *old = *types;

	*types = NULL;
	if (old == NULL)
		return;
	if (old->schema != NULL)
		xmlSchemaFree(old->schema);
	wf_patterns_free(&old->patterns);
	wf_content_models_free(&old->models);
	xmlFreeDoc(old->document);
	wf_map_free(&old->builtins);
	wf_map_free(&old->declared);
	wf_map_free(&old->elements);
	wf_arena_free(&old->arena);
	wf_free(old);
}

static const struct wf_type *find_builtin(
    struct wf_types *types, const char *name)
{
	struct wf_type *type = wf_map_get(types->builtins, name);

	if (type != NULL)
		return type;
	if (strcmp(name, "anyType") == 0)
		return &types->any;
	/* YAWL also writes the name with a small letter. */
	if (strcmp(name, "notation") == 0)
		name = "NOTATION";
	if (!wf_schema_defines(name))
		return NULL;
	return add_type(types, types->builtins, SIMPLE, name);
}

const struct wf_type *wf_types_find(
    struct wf_types *types, const char *name, bool is_builtin)
{
	const char *colon = strchr(name, ':');
	const struct wf_type *type = NULL;

	if (colon != NULL)
		name = colon + 1;
	if (is_builtin)
		type = find_builtin(types, name);
	if (type == NULL)
		type = wf_map_get(types->declared, name);
	if (type == NULL)
		type = find_builtin(types, name);
	return type;
}

const struct wf_type *wf_types_find_element(
    struct wf_types *types, const char *name)
{
	const char *colon = strchr(name, ':');

	return wf_map_get(types->elements, colon == NULL ? name : colon + 1);
}

const struct wf_type *wf_types_any(struct wf_types *types)
{
	return &types->any;
}

enum wf_rc wf_types_compile(struct wf_types *types, struct wf_error *err)
{
	/* wf_types_new() has compiled all types, used or not. */
	(void)err;
	wf_assert(types->schema != NULL);
	return WF_OK;
}

const char *wf_type_name(const struct wf_type *type)
{
	return type->name;
}

bool wf_type_is_builtin(const struct wf_type *type)
{
	return type->kind != BY_SCHEMA;
}

bool wf_type_is_string(const struct wf_type *type)
{
	enum wf_atomic_type atomic = wf_atomic_type_by_name(type->name);

	return type->kind == SIMPLE && atomic != WF_ATOMIC_TYPE_COUNT &&
	       wf_atomic_derives(atomic, WF_XS_STRING);
}

bool wf_type_is_boolean(const struct wf_type *type)
{
	return type->kind == SIMPLE && strcmp(type->name, "boolean") == 0;
}

const struct wf_shape *wf_type_shape(const struct wf_type *type)
{
	return type->shape;
}

const xmlNode *wf_type_component(const struct wf_type *type)
{
	return type->component;
}

bool wf_type_is_flag(const struct wf_type *type)
{
	return type->is_flag;
}

/* A built-in type: validates the characters between the tags. */
static enum wf_rc validate_simple(const struct wf_type *type,
    const struct wf_value *value, struct wf_error *err)
{
	enum wf_rc rc = WF_OK;
	xmlChar *unescaped = NULL;
	size_t length;
	bool markup;
	const char *text = wf_value_content(value, &length, &markup);

	if (markup)
		return wf_type_fail(err, wf_value_name(value),
		    value->name_length, 0,
		    "there are elements in it, but its type is %s", type->name);
	if (memchr(text, '&', length) != NULL) {
		struct wf_value *one = (struct wf_value *)(uintptr_t)value;
		xmlDoc *tree = wf_tree_build(&one, 1, NULL);

		unescaped = xmlNodeGetContent((xmlNode *)tree);
		xmlFreeDoc(tree);
		text = (const char *)unescaped;
		length = strlen(text);
	}
	if (wf_atomic_check(type->name, text, length, NULL) != WF_OK)
		rc = wf_type_fail_value(err, wf_value_name(value),
		    value->name_length, 0, text, length, type->name);
	xmlFree(unescaped);
	return rc;
}

/* Only the names of types and elements count. */
static void drop_namespaces(xmlDoc *tree)
{
	xmlNode *root = xmlDocGetRootElement(tree);

	for (xmlNode *node = root; node != NULL;
	     node = wf_schema_next(root, node))
		node->ns = NULL;
}

static bool validate(
    const struct wf_types *types, xmlDoc *tree, struct wf_type_errors *errors)
{
	xmlSchemaValidCtxt *context = xmlSchemaNewValidCtxt(types->schema);
	struct wf_quiet before;
	int result;

	if (context == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	xmlSchemaSetValidStructuredErrors(context, wf_type_on_error, errors);
	wf_quiet_begin(&before);
	result = xmlSchemaValidateDoc(context, tree);
	wf_quiet_end(&before);
	xmlSchemaFreeValidCtxt(context);
	return result >= 0 && !errors->gave_up;
}

/* Whether text is valid for the simple type of that name, without patterns. */
static bool fits_without_patterns(
    const void *argument, const char *name, const char *text, size_t length)
{
	const struct wf_types *types = argument;
	struct wf_type_errors errors = { .err = { .rc = WF_OK },
		.name = name,
		.name_length = strlen(name),
		.type = name };
	const struct wf_type *type = wf_map_get(types->declared, name);
	const char *colon = strchr(name, ':');
	struct wf_value *value;
	xmlDoc *tree;
	bool good;

	if (type == NULL)
		return wf_atomic_check(colon == NULL ? name : colon + 1, text,
			   length, NULL) == WF_OK;
	value = wf_value_new_text(type->root, text, length);
	if (value == NULL)
		return false;
	tree = wf_tree_build(&value, 1, NULL);
	good = validate(types, tree, &errors) && errors.err.rc == WF_OK;
	xmlFreeDoc(tree);
	wf_value_unref(&value);
	return good;
}

static enum wf_rc validate_tree(const struct wf_type *type, xmlDoc *tree,
    const struct wf_value *value, uint64_t *budget,
    struct wf_mistakes *mistakes, struct wf_error *err)
{
	const struct wf_types *types = type->types;
	struct wf_type_errors errors = { .err = { .rc = WF_OK },
		.name = wf_value_name(value),
		.name_length = value->name_length,
		.type = type->name,
		.mistakes = mistakes };

	if (!validate(types, tree, &errors) && errors.err.rc == WF_OK)
		wf_type_fail(&errors.err, errors.name, errors.name_length, 0,
		    "it cannot be checked: its type %s is too complicated",
		    type->name);
	if (wf_type_errors_wanted(&errors) && types->patterns != NULL)
		wf_patterns_check(types->patterns, type->component,
		    xmlDocGetRootElement(tree), budget, fits_without_patterns,
		    types, &errors);
	if (errors.err.rc != WF_OK && err != NULL && err->rc == WF_OK)
		*err = errors.err;
	return errors.err.rc;
}

/* Charges what the check costs without patterns. */
static enum wf_rc spend(const struct wf_type *type,
    const struct wf_value *value, uint64_t *budget, struct wf_error *err)
{
	uint64_t steps = 1 + value->length / BYTES_PER_STEP;

	if (type->kind == BY_SCHEMA && type->types->patterns != NULL)
		steps *= wf_patterns_factor(type->types->patterns);

	if (*budget <= steps) {
		*budget = 0;
		return wf_fail(err, WF_LIMIT,
		    "element <%.*s>: checking its type takes more steps than "
		    "a step of a case has left (limit query_steps)",
		    (int)(value->name_length < 60 ? value->name_length : 60),
		    wf_value_name(value));
	}
	*budget -= steps;
	return WF_OK;
}

/*
 * Checked before a tree is built, which takes some hundred bytes per element.
 */
static enum wf_rc check_size(const struct wf_value *value, struct wf_error *err)
{
	const char *end = value->text + value->length;
	const char *tag = value->text;
	unsigned count = 0;

	while ((tag = memchr(tag, '<', (size_t)(end - tag))) != NULL)
		if (*++tag != '/' && ++count > ELEMENTS_MAXIMUM)
			return wf_fail(err, WF_LIMIT,
			    "element <%.*s>: there are more than %u elements "
			    "in it",
			    (int)(value->name_length < 60 ? value->name_length
							  : 60),
			    wf_value_name(value), ELEMENTS_MAXIMUM);
	return WF_OK;
}

/* Its name, without NUL in the value, as the path of a mistake. */
static void note(struct wf_mistakes *mistakes, const struct wf_value *value,
    const struct wf_error *err)
{
	char *name;

	if (mistakes == NULL)
		return;
	name = wf_strndup(wf_value_name(value), value->name_length);
	wf_type_note(mistakes, name, "type", err);
	wf_free(name);
}

enum wf_rc wf_type_find_mistakes(const struct wf_type *type,
    const struct wf_value *value, uint64_t *budget,
    struct wf_mistakes *mistakes, struct wf_error *err)
{
	struct wf_error simple = { .rc = WF_OK };
	struct wf_value *one = (struct wf_value *)(uintptr_t)value;
	uint64_t own = WF_EVAL_STEPS;
	enum wf_rc rc;
	xmlDoc *tree;

	if (budget == NULL)
		budget = &own;
	if (type->kind == ANYTHING)
		return WF_OK;
	rc = spend(type, value, budget, err);
	if (rc != WF_OK)
		return rc;
	if (type->kind == SIMPLE) {
		rc = validate_simple(type, value, &simple);
		if (rc != WF_OK)
			note(mistakes, value, &simple);
		if (rc != WF_OK && err != NULL && err->rc == WF_OK)
			*err = simple;
		return rc;
	}
	rc = check_size(value, err);
	if (rc != WF_OK)
		return rc;
	tree = wf_tree_build(&one, 1, NULL);
	drop_namespaces(tree);
	xmlNodeSetName(xmlDocGetRootElement(tree), (const xmlChar *)type->root);
	rc = validate_tree(type, tree, value, budget, mistakes, err);
	if (rc != WF_OK && mistakes != NULL && mistakes->count == 0)
		note(mistakes, value, err);
	xmlFreeDoc(tree);
	return rc;
}

enum wf_rc wf_type_validate(const struct wf_type *type,
    const struct wf_value *value, uint64_t *budget, struct wf_error *err)
{
	return wf_type_find_mistakes(type, value, budget, NULL, err);
}

bool wf_type_may_be_empty(const struct wf_type *type)
{
	struct wf_value *empty;
	bool fits;

	if (type->component == NULL ||
	    !wf_schema_is(type->component, "complexType"))
		return false;
	empty = wf_value_new_empty("empty");
	fits = wf_type_validate(type, empty, NULL, NULL) == WF_OK;
	wf_value_unref(&empty);
	return fits;
}

const char *wf_xml_version(struct wf_arena *arena)
{
	int number = atoi(xmlParserVersion); /* 20914: 2.9.14 */

	return wf_arena_printf(arena, "%d.%d.%d", number / 10000,
	    number / 100 % 100, number % 100);
}
