/* SPDX-License-Identifier: Apache-2.0 */
/* Where all requests come in: to REST or to YAWL's interfaces, and the log. */
#ifndef WF_SERVER_DISPATCH_H
#define WF_SERVER_DISPATCH_H

#include "http/http_server.h"
#include "server/context.h"

/* What a server has called for each exchange. */
void wf_entrance_calls(
    struct wf_server *server, struct wf_http_calls *calls_out);

#endif
