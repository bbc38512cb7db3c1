/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the types whose content models libxml2 cannot check, and replaces the
 * models in the schema. content_model_pattern.c writes a model as a pattern,
 * content_model_check.c matches it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "data/content_model_priv.h"

/* Over all models of a schema. */
#define STATES_MAXIMUM 1000000U
/* Nodes that are copied into models, which may share groups and base types. */
#define COPIES_MAXIMUM 300000U
#define PATTERN_BYTES ((size_t)16 << 20)
#define LETTERS_MAXIMUM 100000U

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
    struct wf_model_reading *reading, xmlNode *choice, const xmlNode *particle)
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
	const xmlNode *content = wf_schema_child(node, "complexContent");

	return strcmp(mixed, "true") == 0 || strcmp(mixed, "1") == 0 ||
	       (content != NULL && is_mixed(content));
}

/* Any number of the elements, in any order, instead of the model. */
static bool replace(struct wf_model_reading *reading, xmlNode *type)
{
	xmlNode *choice =
	    xmlNewDocNode(type->doc, type->ns, (const xmlChar *)"choice", NULL);
	bool good = true;

	if (choice == NULL)
		wf_panic(__FILE__, __LINE__, "out of memory");
	set(choice, "minOccurs", "0");
	set(choice, "maxOccurs", "unbounded");
	for (const struct wf_model_name *name = reading->model->names;
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
    struct wf_model_reading *reading, xmlNode *type, struct wf_error *err)
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
	struct wf_model_reading reading = {
		.models = models, .model = model, .last = &model->names
	};
	enum wf_rc rc = WF_OK;

	model->by_name = wf_map_new();
	wf_buffer_init(&reading.pattern, PATTERN_BYTES);
	wf_model_read(&reading, type);
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
		    wf_schema_child(node, "simpleContent") == NULL)
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
