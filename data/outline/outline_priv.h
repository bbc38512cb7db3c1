/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of an outline; private to data/outline/. */
#ifndef WF_DATA_OUTLINE_OUTLINE_PRIV_H
#define WF_DATA_OUTLINE_OUTLINE_PRIV_H

#include "data/outline/outline.h"
#include "data/schema.h"

struct wf_outline {
	struct wf_arena *arena;
	xmlDoc *document;
	struct wf_components components;
	size_t fields; /* made so far */
	size_t texts;  /* of facets, likewise */
};

/*
 * The facets of a simple type: of type, its node; else of the type of that
 * name, which without a colon may be one of the schema; else of the type that
 * stands in declaration.
 */
void wf_outline_facets(struct wf_outline *outline, const xmlNode *declaration,
    const xmlNode *type, const char *name, struct wf_facets *facets);

#endif
