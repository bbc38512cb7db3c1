/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WF_HTTP_PROBE_H
#define WF_HTTP_PROBE_H

#include "http/address.h"

/*
 * Whether a URI (http or https) answers HEAD with a status below 300 within so
 * many seconds: NULL, or why not, in words.  Connects to allowed addresses
 * only, and to no proxy; waits for the answer.
 */
const char *wf_http_probe(
    const char *uri, const struct wf_address_ranges *allowed, unsigned seconds);

#endif
