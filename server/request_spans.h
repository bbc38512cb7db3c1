/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spans of requests and of the batches of the engine that do them:
 *
 *   POST /v1/cases                 SERVER: from the head to the answer
 *     └── engine launch            INTERNAL: from the queue to the commit
 *           └── batch              of the first such request; the others
 *                                  link to it, and it links to them
 *
 * Without a tracer nothing is done.
 */
#ifndef WF_SERVER_REQUEST_SPANS_H
#define WF_SERVER_REQUEST_SPANS_H

#include "server/dispatch.h"

/* The head has come: the trace of the caller goes on, or one begins. */
void wf_request_span_begin(struct wf_invocation *call);
/* The answer was sent, or the connection is lost. */
void wf_request_span_end(struct wf_invocation *call);

/*
 * What a request to the engine has as its trace, in the scratch of the
 * exchange; "": none.
 */
const char *wf_invocation_trace(struct wf_invocation *call);

/* Makes the spans of requests that a batch did. */
void wf_server_trace_batch(
    struct wf_server *server, const struct wf_traced_batch *batch);

#endif
