/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAWL's document store, below the path of YAWL's interfaces: /documentStore.
 *
 * A request is the output of Java's DataOutputStream:
 *
 *   action handle                      checkConnection, disconnect
 *   "connect" handle user hash         hash: of the password
 *   action handle case document bytes  get, put, remove, clearcase, addcaseid,
 *                                      completecase
 *
 * Texts are preceded by their length in two bytes; the document is a number of
 * eight bytes, negative: a new one.
 */
#ifndef WF_YAWL_DOCUMENT_STORE_H
#define WF_YAWL_DOCUMENT_STORE_H

#include "server/dispatch.h"

/* For wf_dispatch_add(), with a struct wf_yawl, before its own interface. */
extern const struct wf_interface wf_document_store_interface;

/* The head of a request. */
struct wf_document_request {
	const char *action;
	const char *handle;
	const char *user; /* of connect; else NULL */
	const char *password;
	const char *case_id;
	int64_t document;
	size_t size; /* of the head */
};

/*
 * Reads it; texts are in the arena.  False: the bytes end before the head does,
 * or a text has a NUL or is no UTF-8.
 */
bool wf_document_request_read(struct wf_document_request *request_out,
    const void *bytes, size_t size, struct wf_arena *arena);

#endif
