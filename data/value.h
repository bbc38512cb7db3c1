/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values: immutable XML elements, shared by reference.
 *
 * The value of the variable x is the element <x>...</x>, held as canonical
 * text: UTF-8, no XML declaration, no attributes, no comments or processing
 * instructions, no white space between elements of element content, an empty
 * element as <x/>, the five predefined entities where they are needed.
 * Namespace declarations are kept where a name needs them. A tree is built from
 * the text only when a query needs one.
 *
 * A value belongs to one thread at a time. A permanent value (a constant of a
 * specification) is not counted and may be read by all threads.
 */
#ifndef WF_DATA_VALUE_H
#define WF_DATA_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"

struct wf_value {
	uint32_t references; /* UINT32_MAX: permanent, not counted */
	uint32_t number;     /* given by the case to a large value; else 0 */
	uint32_t length;     /* of the text */
	uint32_t name_length;
	char text[]; /* "<name...", NUL-terminated */
};

/* The text, NUL-terminated, of value->length bytes. */
static inline const char *wf_value_text(const struct wf_value *value)
{
	return value->text;
}

/* The qualified name of the element: value->name_length bytes, no NUL. */
static inline const char *wf_value_name(const struct wf_value *value)
{
	return value->text + 1;
}

bool wf_value_is_named(const struct wf_value *value, const char *name);
/*
 * Whether a default namespace is declared for the element itself; a path with
 * its name then does not find the element.
 */
bool wf_value_is_in_namespace(const struct wf_value *value);
/* No content at all: neither text nor elements. */
bool wf_value_is_empty(const struct wf_value *value);
bool wf_value_equal(const struct wf_value *a, const struct wf_value *b);
/*
 * The content between the tags: a slice of the text, still escaped.
 * *markup_out (may be NULL) says whether it contains elements.
 */
const char *wf_value_content(
    const struct wf_value *value, size_t *length_out, bool *markup_out);

/* Another reference to the same value; NULL gives NULL. */
struct wf_value *wf_value_ref(struct wf_value *value);
/* Drops one reference and sets *value to NULL; NULL is allowed. */
void wf_value_unref(struct wf_value **value);
/* Makes a value permanent; it is freed by wf_value_free_permanent() only. */
void wf_value_make_permanent(struct wf_value *value);
void wf_value_free_permanent(struct wf_value **value);

/*
 * <name>text</name>, with text (not yet escaped) as its content; NULL: it would
 * have more than WF_VALUE_BYTES.
 */
struct wf_value *wf_value_new_text(
    const char *name, const char *text, size_t length);
/* <name/> */
struct wf_value *wf_value_new_empty(const char *name);
/* A copy with the same text and without a number. */
struct wf_value *wf_value_copy(const struct wf_value *value);
/* Makes a value of text that should be canonical: WF_CORRUPT when it is not. */
enum wf_rc wf_value_from_canonical(struct wf_value **value_out,
    const char *text, size_t length, struct wf_error *err) WF_MUSTCHECK;

/*
 * From any XML text: one element.  No DTD, no external entity, no network;
 * attributes (but xmlns), comments, processing instructions are dropped, white
 * space between elements is dropped.  WF_INVALID with line and column when it
 * is not well-formed, WF_LIMIT when it is too large or nested too deeply.
 */
enum wf_rc wf_value_parse(struct wf_value **value_out, const char *xml,
    size_t length, struct wf_error *err) WF_MUSTCHECK;

/*
 * <name>content</name> where content is any well-formed mix of text and
 * elements (an initialValue of a specification).
 */
enum wf_rc wf_value_parse_content(struct wf_value **value_out, const char *name,
    const char *content, size_t length, struct wf_error *err) WF_MUSTCHECK;

/* Several elements, and the name of the element around them. */
struct wf_value_list {
	char *root; /* owned; the local name of the root */
	struct wf_value **values;
	size_t count;
};

/*
 * The line of the element in an XML text that has that many elements before it
 * in document order; 0 when the text has too few elements or is no XML.
 */
int wf_value_line(const char *xml, size_t length, size_t before);

/*
 * The children of the root element of an XML text, as values.  Text directly
 * in the root (other than white space) is an error.
 */
enum wf_rc wf_value_list_parse(struct wf_value_list *list_out, const char *xml,
    size_t length, struct wf_error *err) WF_MUSTCHECK;
void wf_value_list_free(struct wf_value_list *list);

#endif
