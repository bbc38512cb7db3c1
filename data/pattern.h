/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The patterns (xs:pattern) of the types of one schema; private to data/.
 *
 * libxml2 matches patterns by trying all ways, which can take exponential time,
 * so the patterns are taken out of the schema before it is compiled, and a
 * value that is valid without them is checked here, within a budget. The same
 * walk over a value checks the long enumerations (enumeration.h) and the
 * content models that libxml2 does not check.
 */
#ifndef WF_DATA_PATTERN_H
#define WF_DATA_PATTERN_H

#include <libxml/tree.h>
#include <stdint.h>

#include "base/error.h"
#include "data/type_error.h"

struct wf_patterns; /* opaque; any thread can use it */

/*
 * Takes the patterns and the long enumerations of texts out of a prepared
 * schema; members of unions that have no name get one. has_models: complex
 * types have a struct wf_content_model, which must outlive the patterns.
 * *patterns_out is NULL when there is nothing. The document must outlive the
 * patterns. WF_DATA: a pattern is not valid or too large; err->place.line is
 * its line.
 */
enum wf_rc wf_patterns_new(struct wf_patterns **patterns_out, xmlDoc *document,
    bool has_models, struct wf_error *err) WF_MUSTCHECK;
void wf_patterns_free(struct wf_patterns **patterns);

/* Whether enumerations were taken. */
bool wf_patterns_have_enumerations(const struct wf_patterns *patterns);

/*
 * How many times dearer the checks of libxml2 are by the long enumerations that
 * were not taken: those of numbers, dates, lists and unions.
 */
uint64_t wf_patterns_factor(const struct wf_patterns *patterns);

/* Whether text is valid, without patterns, for a global simple type. */
typedef bool (*wf_fits_f)(
    const void *argument, const char *type, const char *text, size_t length);

/*
 * Checks an element that libxml2 accepts. component: the node of
 * its type, or of its declaration, in the schema. Failures go to errors; the
 * work is taken from *budget, and too little is WF_LIMIT.
 */
void wf_patterns_check(const struct wf_patterns *patterns,
    const xmlNode *component, const xmlNode *element, uint64_t *budget,
    wf_fits_f fits, const void *argument, struct wf_type_errors *errors);

#endif
