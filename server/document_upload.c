/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads: each part of the body becomes a block of the document. */
#include <string.h>

#include "base/panic.h"
#include "server/document_type.h"
#include "server/documents.h"
#include "spec/document_limits.h"

/* --- removing what is not whole ------------------------------------------- */

struct removal {
	struct wf_server *server;
	uint64_t id;
	uint32_t version;
};

static void remove_version(
    struct wf_server *server, uint64_t id, uint32_t version)
{
	struct wf_store *store;

	if (wf_engine_borrow(server->engine, &store, NULL) != WF_OK)
		return; /* the engine does it later */
	(void)(wf_store_remove_document(store, id, version, NULL) == WF_OK);
	wf_engine_give_back(server->engine, store);
}

static void remove_in_pool(void *argument)
{
	struct removal *removal = argument;

	remove_version(removal->server, removal->id, removal->version);
	wf_free(removal);
}

/* The connection is lost, and the exchange with the upload will be freed. */
static void cut(void *context)
{
	const struct wf_upload *upload = context;
	struct wf_server *server = upload->server;
	struct removal *removal;

	if (!upload->has_row)
		return;
	removal = wf_calloc(1, sizeof(*removal));
	*removal =
	    (struct removal){ server, upload->row.id, upload->row.version };
	if (!wf_server_enter(server) ||
	    !wf_pool_do(server->pool, remove_in_pool, removal))
		wf_free(removal); /* the engine does it later */
	wf_server_leave(server);
}

/* --- writing -------------------------------------------------------------- */

static enum wf_rc check_type(struct wf_upload *upload, const void *bytes,
    size_t size, struct wf_error *err)
{
	enum wf_rc rc = wf_document_sniff(
	    upload->row.type, bytes, size, &upload->row.type, err);
	const struct wf_document_limits own = {
		upload->server->settings.document_types, UINT64_MAX
	};

	if (rc == WF_OK)
		rc = wf_document_limits_check(
		    &own, upload->row.type, upload->row.size, err);
	if (rc == WF_OK)
		rc = wf_document_limits_check(
		    &upload->limits, upload->row.type, upload->row.size, err);
	return rc;
}

static enum wf_rc add_row(struct wf_upload *upload, struct wf_store *store,
    const void *bytes, size_t size, struct wf_error *err)
{
	const struct wf_server_settings *settings = &upload->server->settings;
	enum wf_rc rc = check_type(upload, bytes, size, err);

	upload->row.at = wf_engine_now(upload->server->engine);
	upload->row.version = upload->row.id == 0;
	if (rc == WF_OK && upload->row.id == 0)
		rc = wf_store_reserve(
		    store, WF_COUNTER_DOCUMENT, 1, &upload->row.id, err);
	if (rc == WF_OK)
		rc = wf_store_add_document(
		    store, &upload->row, settings->case_documents_bytes, err);
	upload->has_row = rc == WF_OK;
	return rc;
}

static enum wf_rc add_block(struct wf_upload *upload, struct wf_store *store,
    const void *bytes, size_t size, struct wf_error *err)
{
	struct wf_document_block_row block = { .id = upload->row.id,
		.version = upload->row.version,
		.place = upload->received,
		.bytes = { bytes, size } };
	enum wf_rc rc;

	if (size == 0)
		return WF_OK;
	rc = wf_store_put_document_block(
	    store, &block, wf_engine_now(upload->server->engine), err);
	if (rc == WF_OK)
		upload->received += size;
	return rc;
}

static enum wf_rc write_part(struct wf_upload *upload, const void *bytes,
    size_t size, struct wf_error *err)
{
	struct wf_engine *engine = upload->server->engine;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(engine, &store, err);

	if (rc != WF_OK)
		return rc;
	if (!upload->has_row)
		rc = add_row(upload, store, bytes, size, err);
	if (rc == WF_OK)
		rc = add_block(upload, store, bytes, size, err);
	wf_engine_give_back(engine, store);
	if (rc == WF_OK && upload->is_last &&
	    upload->received != upload->row.size)
		rc = wf_fail(err, WF_INVALID,
		    "the body has %llu bytes, %llu were announced",
		    (unsigned long long)upload->received,
		    (unsigned long long)upload->row.size);
	return rc;
}

static void end(struct wf_upload *upload, enum wf_rc rc, struct wf_error *err)
{
	if (rc != WF_OK && upload->has_row)
		remove_version(
		    upload->server, upload->row.id, upload->row.version);
	upload->done(upload->context, rc, err);
}

static void read_on(struct wf_upload *upload);

static void take(struct wf_upload *upload, const void *bytes, size_t size)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc;

	rc = write_part(upload, bytes, size, &err);
	if (rc == WF_OK && !upload->is_last)
		read_on(upload);
	else
		end(upload, rc, &err);
}

static void take_in_pool(void *argument)
{
	struct wf_upload *upload = argument;
	size_t size;
	const char *bytes = wf_exchange_body(upload->exchange, &size);

	take(upload, bytes, size);
}

/* --- reading -------------------------------------------------------------- */

static void fail(struct wf_upload *upload, const char *what)
{
	struct wf_error err = { .rc = WF_OK };

	/* Here nothing may wait: the engine removes what is there. */
	upload->done(
	    upload->context, wf_fail(&err, WF_UNAVAILABLE, "%s", what), &err);
}

/* In the connection's thread. */
static void take_part(void *context, bool is_last)
{
	struct wf_upload *upload = context;
	struct wf_server *server = upload->server;

	upload->is_last = is_last;
	if (!wf_server_enter(server))
		fail(upload, "the server is ending");
	else if (!wf_pool_do(server->pool, take_in_pool, upload))
		fail(upload, "too many requests wait");
	wf_server_leave(server);
}

static void read_on(struct wf_upload *upload)
{
	const struct wf_http_reader reader = { take_part, cut, upload };
	struct wf_error err = { .rc = WF_OK };

	if (!wf_exchange_read(upload->exchange, &reader))
		end(upload,
		    wf_fail(&err, WF_UNAVAILABLE, "too many large requests"),
		    &err);
}

enum wf_rc wf_upload_check(const struct wf_upload *upload, struct wf_error *err)
{
	const struct wf_server_settings *settings = &upload->server->settings;

	if (upload->row.size > settings->document_bytes)
		return wf_fail(err, WF_LIMIT,
		    "the file has %llu bytes; a document has at most %llu "
		    "(setting document)",
		    (unsigned long long)upload->row.size,
		    (unsigned long long)settings->document_bytes);
	if (upload->row.size > upload->limits.bytes)
		return wf_fail(err, WF_LIMIT,
		    "the file has %llu bytes; the parameter allows %llu",
		    (unsigned long long)upload->row.size,
		    (unsigned long long)upload->limits.bytes);
	return WF_OK;
}

void wf_upload_begin(
    struct wf_upload *upload, const void *first, size_t length, bool is_last)
{
	wf_assert(!upload->has_row && upload->received == 0);
	wf_assert(upload->done != NULL);
	upload->is_last = is_last;
	if (length > 0 || is_last)
		take(upload, first, length);
	else
		read_on(upload);
}
