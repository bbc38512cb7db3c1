/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log of a specification as XES, sent while it is read: a page of a
 * case's history at a time, in the pool, so that its size does not matter.
 */
#ifndef WF_HISTORY_XES_EXPORT_H
#define WF_HISTORY_XES_EXPORT_H

#include "http/http_server.h"
#include "server/context.h"

struct wf_export {
	uint32_t namespace_id;
	uint64_t specification;
	const char *uri;
	const char *version;
	const char *type; /* of the content */
	bool data;	  /* with values */
	bool all;	  /* also events whose transition is unknown */
};

/* Answers with the log; texts are copied. */
void wf_export_begin(struct wf_server *server, struct wf_exchange *exchange,
    const struct wf_export *what);

#endif
