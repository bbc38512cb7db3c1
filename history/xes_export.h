/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log of a specification as XES, sent while it is read.  A thread of
 * the pool reads one page of a case's history after the other, so the memory
 * used does not grow with the log.
 */
#ifndef WF_HISTORY_XES_EXPORT_H
#define WF_HISTORY_XES_EXPORT_H

#include "http/gate.h"
#include "http/http_server.h"
#include "http/thread_pool.h"
#include "runtime/engine.h"

struct wf_xes_export {
	/*
	 * The gate outlives the exchange; the pool lives as long as threads
	 * are inside the gate; the engine outlives the jobs of the pool.
	 */
	struct wf_engine *engine;
	struct wf_pool *pool;
	struct wf_gate *gate;
	uint32_t namespace_id;
	uint64_t specification;
	const char *uri;     /* of the specification */
	const char *version; /* of the specification */
	const char *type;    /* of the content; a constant */
	bool data;	     /* with values */
	bool all;	     /* also events whose transition is unknown */
};

/*
 * Answers the exchange with the log; uri and version are copied.
 * WF_UNAVAILABLE: there is no room for its memory; it is not answered.
 */
enum wf_rc wf_xes_export_begin(struct wf_exchange *exchange,
    const struct wf_xes_export *what, struct wf_error *err) WF_MUSTCHECK;

#endif
