/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of cases, received and sent in blocks: of each transfer one block is in
 * memory, which the budgets of the HTTP server count.
 *
 *   wf_upload_begin() ──► part ──► block in the store ──► .. ──► done()
 *                          └── the connection is lost: removed
 *   wf_download_begin() ──► block of the store ──► sent ──► ..
 *
 * The store is read and written by threads of the pool, and read by that of the
 * connection only while the queue of the pool is full.  An upload of a server
 * that ends is removed by the engine after an hour.
 */
#ifndef WF_SERVER_DOCUMENTS_H
#define WF_SERVER_DOCUMENTS_H

#include "http/http_server.h"
#include "persistence/store.h"
#include "server/context.h"
#include "spec/document_limits.h"

/* A document with its case and item is the caller's; the rest is made. */
struct wf_upload {
	struct wf_server *server;
	struct wf_exchange *exchange;
	/*
	 * id 0: a new document; else a new version of it.  Set: number,
	 * namespace_id, item, name, type (as declared), author, size.
	 */
	struct wf_document_row row;
	struct wf_document_limits limits; /* beside those of the server */
	/*
	 * Called once by a thread of the pool, or while the server closes by
	 * that of the connection; answers.  row is the document that is stored.
	 * Not called when the connection is lost.
	 */
	void (*done)(void *context, enum wf_rc rc, struct wf_error *err);
	void *context;

	/* Private. */
	bool has_row;	   /* it is in the store */
	bool is_last;	   /* the part that is being written */
	uint64_t received; /* bytes written */
};

/* What an upload is judged with before its body is read. */
enum wf_rc wf_upload_check(
    const struct wf_upload *upload, struct wf_error *err) WF_MUSTCHECK;
/*
 * Reads the body.  The upload lives in the arena of the exchange.  first: bytes
 * of it that the caller has read, at most a part; is_last: nothing follows.
 * From a thread of the pool.
 */
void wf_upload_begin(
    struct wf_upload *upload, const void *first, size_t length, bool is_last);

struct wf_download {
	struct wf_server *server;
	uint64_t id;
	uint32_t version;
	uint64_t from; /* the first byte */
	uint64_t size; /* bytes to be sent, at least one */
	unsigned status;
	const char *type; /* copied */
};

/* WF_UNAVAILABLE: there is no room for a block; it is not answered. */
enum wf_rc wf_download_begin(struct wf_exchange *exchange,
    const struct wf_download *download, struct wf_error *err) WF_MUSTCHECK;

#endif
