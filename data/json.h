/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data as JSON, by its type: an element is a member of an object, one that may
 * occur more than once an array (of one, too).
 *
 *   numbers       a JSON number where it has at most 15 digits, so that every
 *                 reader sees it exactly; else its text, as a string
 *   booleans      true and false
 *   other simple  a string
 *   records       an object; also a string with the XML of its content, which
 *                 is what they become when they hold what JSON cannot express
 *   anything      a string with the XML of its content
 *   not there     no member; null is read as that
 */
#ifndef WF_DATA_JSON_H
#define WF_DATA_JSON_H

#include <jansson.h>

#include "base/buffer.h"
#include "base/error.h"
#include "data/type.h"
#include "data/value.h"

/*
 * As json_dumps(), but each double has as few digits as give the same double
 * again. The caller frees the text.
 */
char *wf_json_dump(const json_t *json, size_t flags);

/* A new reference. */
json_t *wf_json_of_value(
    const struct wf_type *type, const struct wf_value *value);

/*
 * Appends <name>..</name>; nothing for null.  WF_DATA: the message has the
 * place in the JSON and what was expected there.  Does not check that the value
 * is of its type.
 */
enum wf_rc wf_json_put_xml(const struct wf_type *type, const char *name,
    const json_t *json, struct wf_buffer *xml,
    struct wf_error *err) WF_MUSTCHECK;

#endif
