/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data in requests: XML as it is, JSON converted by the types of the
 * specification (work/case_data.h).
 */
#ifndef WF_REST_REST_DATA_H
#define WF_REST_REST_DATA_H

#include "rest/rest.h"
#include "work/case_data.h"

/*
 * The body's data, or an object that stood in it, as XML for the engine; in
 * the arena.  *xml_out is NULL when there is none.  json: NULL to take the
 * body.  False: answered, or on its way to the pool, where the handler runs
 * anew.
 */
bool wf_rest_read_data(struct wf_rest *rest, const struct wf_data_place *place,
    json_t *json, const char **xml_out, size_t *length_out);

#endif
