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
 * Reads the data of the body (json NULL), or converts a JSON object of it, as
 * XML for the engine, in the arena.  *xml_out is NULL: there is no data. False:
 * the request was answered, or sent to the pool, where the handler runs again.
 */
bool wf_rest_read_data(struct wf_rest *rest, const struct wf_data_place *place,
    json_t *json, const char **xml_out, size_t *length_out);

#endif
