/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of variables, and the validation of values against them.
 *
 * A type is an XML Schema built-in, one of YAWL's internal types (YTimerType
 * and its like), or a type of the specification's own schema.  libxml2
 * checks structure; built-in simple types are checked by our own code.
 * Compiled once per specification; then read by any thread.
 */
#ifndef WF_DATA_TYPE_H
#define WF_DATA_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/value.h"

struct wf_types; /* all the types that one specification uses; opaque */
struct wf_type;	 /* one of them; opaque, owned by its struct wf_types */

/*
 * schema: the text of the specification's own xs:schema element, or NULL.
 * WF_DATA when it does not compile (place: line within that text), or when
 * it names another file by include, import or redefine.
 */
enum wf_rc wf_types_new(struct wf_types **types_out, const char *schema,
    size_t length, struct wf_error *err) WF_MUSTCHECK;
void wf_types_free(struct wf_types **types);

/*
 * Finds a type by the local name that a variable declares.  is_builtin: the
 * namespace is that of XML Schema, or absent; without a built-in of that name,
 * a type of the user's schema is found. NULL: there is no such type.  Types are
 * made on first use, so call this at load time, not in steps.
 */
const struct wf_type *wf_types_find(
    struct wf_types *types, const char *name, bool is_builtin);
/* A global element declaration of the user's schema (variables by element). */
const struct wf_type *wf_types_find_element(
    struct wf_types *types, const char *name);
/* The type that every value fits: for untyped variables. */
const struct wf_type *wf_types_any(struct wf_types *types);
/* Compiles the types that were found; WF_DATA when that is impossible. */
enum wf_rc wf_types_compile(
    struct wf_types *types, struct wf_error *err) WF_MUSTCHECK;

const char *wf_type_name(const struct wf_type *type);
/* Whether it is a type of XML Schema, not of YAWL or of the user. */
bool wf_type_is_builtin(const struct wf_type *type);
/* Whether it is xs:string or derived from it by the standard. */
bool wf_type_is_string(const struct wf_type *type);
bool wf_type_is_boolean(const struct wf_type *type);
/* Whether it is a complex type without children and text: a flag. */
bool wf_type_is_flag(const struct wf_type *type);

/* Whether it is a complex type that an empty element fits. */
bool wf_type_may_be_empty(const struct wf_type *type);

/*
 * Checks the content of value; the name of the element does not matter. WF_DATA
 * with a sentence that names element, expected type and value; err->place.line
 * is the line within the text of the value.  WF_LIMIT when there are more than
 * a million elements in it, or when the check takes more steps than *budget,
 * from which they are taken (NULL: the default of a query).
 */
enum wf_rc wf_type_validate(const struct wf_type *type,
    const struct wf_value *value, uint64_t *budget,
    struct wf_error *err) WF_MUSTCHECK;

/* One mistake in a value. */
struct wf_mistake {
	/*
	 * The element, from that of the value on: "order/line[2]/price"; the
	 * number is there when there are several of that name.
	 */
	const char *path;
	/* What it breaks: a facet ("max_length"), "type", "content", .. */
	const char *rule;
	const char *message; /* a sentence without the name of the element */
};

/* At most WF_MISTAKES_COUNT of them, one for each path, the first. */
#define WF_MISTAKES_COUNT 100U
struct wf_mistakes {
	struct wf_arena *arena; /* of the texts */
	struct wf_mistake rows[WF_MISTAKES_COUNT];
	size_t count;
};

/* Copies the texts. */
void wf_mistakes_add(struct wf_mistakes *mistakes, const char *path,
    const char *rule, const char *message);

/*
 * wf_type_validate(), which also adds each mistake; the error is of the first
 * one.  mistakes may be NULL.
 */
enum wf_rc wf_type_find_mistakes(const struct wf_type *type,
    const struct wf_value *value, uint64_t *budget,
    struct wf_mistakes *mistakes, struct wf_error *err) WF_MUSTCHECK;

/* The version of libxml2, in the arena. */
const char *wf_xml_version(struct wf_arena *arena);

#endif
