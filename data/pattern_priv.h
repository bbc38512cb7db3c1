/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of pattern share; private to them.
 *
 * xmlNode._private of the nodes of the schema holds what is made of them:
 *   restriction   its facets (struct wf_facets)
 *   union         not NULL: a member has facets
 *   complexType   its child elements (struct wf_content)
 */
#ifndef WF_DATA_PATTERN_PRIV_H
#define WF_DATA_PATTERN_PRIV_H

#include "base/buffer.h"
#include "base/map.h"
#include "base/memory.h"
#include "data/content_model.h"
#include "data/enumeration.h"
#include "data/pattern.h"
#include "data/schema.h"
#include "xquery/pattern/automaton.h"

struct wf_rule {
	struct wf_automaton *automaton;
	const char *pattern;
	struct wf_rule *more; /* of the same restriction */
	struct wf_rule *next; /* of the schema */
};

/* What libxml2 does not check of a restriction. */
struct wf_facets {
	struct wf_rule *rules;	       /* one of them must match */
	struct wf_enumeration *values; /* NULL: not a long one */
	struct wf_facets *next;	       /* of the schema */
};

struct wf_declaration {
	const xmlNode *element; /* NULL: several of one name that differ */
};

struct wf_content {
	const struct wf_content_model *model; /* NULL: libxml2 checks it */
	struct wf_map *elements; /* struct wf_declaration by name */
	struct wf_content *next; /* of the schema */
	bool skips;		 /* a wildcard skips what it matches */
};

struct wf_patterns {
	struct wf_arena *arena;
	struct wf_components components;
	struct wf_rule *rules;
	size_t states; /* of all rules */
	struct wf_facets *facets;
	bool has_enumerations; /* facets have */
	uint64_t factor;       /* see wf_patterns_factor() */
	struct wf_content *contents;
};

/* Names of elements of XML Schema, for wf_schema_child_of(). */
extern const char *const wf_simple_type[];
extern const char *const wf_type_contents[];

/* How a type is derived: restriction, extension, list or union; or NULL. */
const xmlNode *wf_pattern_derivation(const xmlNode *type);

/* The type that an attribute or a child names; NULL: of XML Schema itself. */
const xmlNode *wf_pattern_type(const struct wf_patterns *patterns,
    const xmlNode *node, const char *attribute, const char *const *own);

/* The next name in a list; false: there is none. */
bool wf_pattern_next_name(const char **next, size_t *length_out);

/* Whether a simple type has facets, or what it derives from has. */
bool wf_pattern_has_facets(
    const struct wf_patterns *patterns, const xmlNode *type);

enum wf_space { PRESERVE, REPLACE, COLLAPSE };

/* What is done with white space before a text is matched. */
enum wf_space wf_pattern_space(
    const struct wf_patterns *patterns, const xmlNode *type);

/* Text with its white space as mode says; the caller frees the buffer. */
void wf_pattern_normalise(
    struct wf_buffer *out, const char *text, size_t length, enum wf_space mode);

#endif
