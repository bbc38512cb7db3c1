/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WF_REST_CASE_REST_WAITING_H
#define WF_REST_CASE_REST_WAITING_H

#include "rest/rest.h"

/*
 * What an enabled item of this service waits for: adds a line to the text, and
 * returns the same as an object, owned.  NULL: it is for no service.
 */
json_t *wf_rest_explain_service(struct wf_rest *rest, const char *item,
    const char *uri, struct wf_buffer *text);

#endif
