/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The content models of complex types that libxml2 cannot check in linear time;
 * private to data/.
 *
 * libxml2 tries all ways to match elements with a model in which a name occurs
 * twice, or a repetition directly in a repetition: (a*|b)* takes exponential
 * time, a second for each element until libxml2 gives up. Such a model is
 * replaced in the schema by "any of these elements, in any order", and the
 * order is checked here, by an automaton, within a budget.
 */
#ifndef WF_DATA_CONTENT_MODEL_H
#define WF_DATA_CONTENT_MODEL_H

#include <libxml/tree.h>
#include <stdint.h>

#include "base/error.h"
#include "data/type_error.h"

struct wf_content_models; /* of one schema; opaque */
struct wf_content_model;  /* of one type; opaque; any thread can use it */

/*
 * Replaces the models in a prepared schema whose cost was checked.
 * xmlNode._private of each xs:complexType becomes its struct wf_content_model,
 * or stays NULL. *models_out is NULL when there are none. WF_DATA: a model is
 * too large, or gives elements of one name different types; err->place.line is
 * its line.
 */
enum wf_rc wf_content_models_new(struct wf_content_models **models_out,
    xmlDoc *document, struct wf_error *err) WF_MUSTCHECK;
void wf_content_models_free(struct wf_content_models **models);

/*
 * Checks the order and number of the children of element, whose names libxml2
 * accepted. Failures go to errors; the work is taken from *budget, and too
 * little is WF_LIMIT.
 */
void wf_content_model_check(const struct wf_content_model *model,
    const xmlNode *element, uint64_t *budget, struct wf_type_errors *errors);

#endif
