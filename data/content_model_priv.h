/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of content_model share; private to them.
 */
#ifndef WF_DATA_CONTENT_MODEL_PRIV_H
#define WF_DATA_CONTENT_MODEL_PRIV_H

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "data/content_model.h"
#include "data/schema.h"
#include "xquery/pattern/automaton.h"

/* A name of a model. */
struct wf_model_name {
	const char *name;
	const xmlNode *element; /* the particle; NULL: substitutes another */
	uint32_t letter;
	struct wf_model_name *next;
};

struct wf_content_model {
	struct wf_automaton *automaton;
	struct wf_map *by_name;	     /* struct wf_model_name */
	struct wf_model_name *names; /* in the order of the model */
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
struct wf_model_reading {
	struct wf_content_models *models;
	struct wf_content_model *model;
	struct wf_model_name **last;
	struct wf_buffer pattern;
	const xmlNode *wildcard;
	const xmlNode *differs; /* an element with two types */
	unsigned repetitions;	/* groups that are open and repeated */
	bool is_hard;		/* for libxml2 */
	bool is_unusable;	/* libxml2 will say why the schema is wrong */
	bool has_all;		/* has a part that no pattern expresses */
};

/* Appends a letter of a pattern, in UTF-8. */
void wf_model_put_letter(struct wf_buffer *text, uint32_t letter);

/* Appends the content model of a complex type as a pattern, with its names. */
void wf_model_read(struct wf_model_reading *reading, const xmlNode *type);

#endif
