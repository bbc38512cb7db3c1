/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body is read in parts: the head of a request is in the first one, and a
 * document that is put goes on from there into the store.
 *
 * Differences to YAWL, on purpose: putting a document that is there makes a new
 * version of it; a document of a case cannot be given to another case; a case
 * keeps its documents when it completes, as YAWL's store does when it is
 * configured so.
 */
#include "yawl/document_store.h"

#include <inttypes.h>
#include <string.h>

#include "xquery/text/unicode.h"
#include "data/xml_writer.h"
#include "server/documents.h"
#include "yawl/yawl.h"

#define PATH "/documentStore"
#define NO_HANDLE "Invalid or disconnected session handle"
#define WELCOME "Welcome to the YAWL Document Store Service"

struct store_call {
	struct wf_yawl_call yawl; /* first */
	struct wf_document_request request;
	struct wf_upload upload;
	bool is_last; /* the first part is the last one */
};

/* --- the head ------------------------------------------------------------- */

struct cursor {
	const unsigned char *at;
	size_t left;
	struct wf_arena *arena;
	bool bad;
};

static uint64_t take_number(struct cursor *cursor, size_t bytes)
{
	uint64_t number = 0;

	cursor->bad |= cursor->left < bytes;
	for (; bytes > 0 && !cursor->bad; bytes--) {
		number = number << 8 | *cursor->at++;
		cursor->left--;
	}
	return number;
}

static const char *take_text(struct cursor *cursor)
{
	size_t length = (size_t)take_number(cursor, 2);
	const char *text = "";

	cursor->bad |= cursor->left < length;
	if (cursor->bad)
		return text;
	text =
	    wf_arena_strndup(cursor->arena, (const char *)cursor->at, length);
	cursor->bad = strlen(text) != length || !wf_is_utf8(text, length);
	cursor->at += length;
	cursor->left -= length;
	return text;
}

static bool is_about_session(const char *action)
{
	return strcmp(action, "connect") == 0 ||
	       strcmp(action, "checkConnection") == 0 ||
	       strcmp(action, "disconnect") == 0;
}

bool wf_document_request_read(struct wf_document_request *request_out,
    const void *bytes, size_t size, struct wf_arena *arena)
{
	struct cursor cursor = { bytes, size, arena, false };
	struct wf_document_request *r = request_out;

	*r = (struct wf_document_request){ .case_id = "" };
	r->action = take_text(&cursor);
	r->handle = take_text(&cursor);
	if (!cursor.bad && strcmp(r->action, "connect") == 0) {
		r->user = take_text(&cursor);
		r->password = take_text(&cursor);
	} else if (!cursor.bad && !is_about_session(r->action)) {
		r->case_id = take_text(&cursor);
		r->document = (int64_t)take_number(&cursor, 8);
	}
	r->size = size - cursor.left;
	return !cursor.bad;
}

/* --- answers -------------------------------------------------------------- */

static void answer(struct store_call *call, const char *text)
{
	wf_buffer_reset(&call->yawl.out);
	wf_xml_put_text(&call->yawl.out, text);
	wf_yawl_answer(&call->yawl);
}

static void fail_with(struct store_call *call, const char *text)
{
	call->yawl.around = "failure";
	answer(call, text);
}

static const char *missing(struct store_call *call)
{
	return wf_arena_printf(call->yawl.arena,
	    "No stored document found with id: %" PRId64,
	    call->request.document);
}

/* --- documents ------------------------------------------------------------ */

static enum wf_rc read_row(struct store_call *call, struct wf_store *store,
    struct wf_document_row *row, struct wf_error *err)
{
	if (call->request.document <= 0)
		return wf_fail(err, WF_NOT_FOUND, "%s", missing(call));
	if (wf_store_document(store, (uint64_t)call->request.document, 0,
		wf_exchange_arena(call->yawl.exchange), row, err) != WF_OK)
		return err->rc;
	/* Those of other namespaces are not there. */
	return row->namespace_id == WF_NAMESPACE_DEFAULT
		   ? WF_OK
		   : wf_fail(err, WF_NOT_FOUND, "%s", missing(call));
}

/* Of a document that is not there it is said in YAWL's words. */
static void fail(struct store_call *call, const struct wf_error *err)
{
	fail_with(call, err->rc == WF_NOT_FOUND ? missing(call) : err->message);
}

static void get(struct store_call *call, struct wf_store *store)
{
	struct wf_download download = { .server = call->yawl.server,
		.status = 200,
		.type = "multipart/form-data" };
	struct wf_exchange *exchange = call->yawl.exchange;
	struct wf_error err = { .rc = WF_OK };
	struct wf_document_row row;

	if (read_row(call, store, &row, &err) != WF_OK) {
		fail(call, &err);
		return;
	}
	download.id = row.id;
	download.version = row.version;
	download.size = row.size;
	wf_exchange_add_header(exchange, "X-Content-Type-Options", "nosniff");
	if (row.size == 0)
		wf_exchange_answer(exchange, 200, download.type, "", 0);
	else if (wf_download_begin(exchange, &download, &err) != WF_OK)
		fail(call, &err);
}

static void end_put(void *context, enum wf_rc rc, struct wf_error *err)
{
	struct store_call *call = context;

	if (rc != WF_OK)
		fail(call, err);
	else
		answer(call, wf_arena_printf(call->yawl.arena, "%" PRIu64,
				 call->upload.row.id));
}

/* The case that the request names; none yet: that of documents without. */
static bool find_case(struct store_call *call, uint64_t *number_out)
{
	const char *id = call->request.case_id;

	*number_out = WF_NO_CASE;
	if (*id == '\0')
		return true;
	id = wf_arena_strndup(call->yawl.arena, id, strcspn(id, ".:"));
	if (!wf_yawl_find_case(&call->yawl, id))
		return false;
	*number_out = call->yawl.known.number;
	return true;
}

/* What is known of a new version, or of a new document. */
static enum wf_rc fill_row(struct store_call *call, struct wf_store *store,
    struct wf_document_row *row, struct wf_error *err)
{
	struct wf_document_row old;

	row->namespace_id = WF_NAMESPACE_DEFAULT;
	row->item = "";
	row->name = "document";
	row->type = "application/octet-stream";
	row->author = call->yawl.user;
	if (call->request.document < 0)
		return find_case(call, &row->number)
			   ? WF_OK
			   : wf_fail(err, WF_INVALID, "No case with id: %s",
				 call->request.case_id);
	if (read_row(call, store, &old, err) != WF_OK)
		return err->rc;
	row->id = old.id;
	row->number = old.number;
	row->item = old.item;
	row->name = old.name;
	row->type = old.type;
	return WF_OK;
}

static void put(struct store_call *call, struct wf_store *store)
{
	struct wf_upload *upload = &call->upload;
	struct wf_error err = { .rc = WF_OK };
	const char *body;
	size_t length;

	*upload = (struct wf_upload){ .server = call->yawl.server,
		.exchange = call->yawl.exchange,
		.limits = { "", UINT64_MAX },
		.done = end_put,
		.context = call };
	body = wf_exchange_body(call->yawl.exchange, &length);
	if (!wf_exchange_body_size(call->yawl.exchange, &upload->row.size) ||
	    upload->row.size <= call->request.size) {
		fail_with(call, "Could not read document from request stream");
		return;
	}
	upload->row.size -= call->request.size;
	if (fill_row(call, store, &upload->row, &err) != WF_OK ||
	    wf_upload_check(upload, &err) != WF_OK)
		fail(call, &err);
	else
		wf_upload_begin(upload, body + call->request.size,
		    length - call->request.size, call->is_last);
}

static void remove_document(struct store_call *call, struct wf_store *store)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_document_row row;
	enum wf_rc rc = read_row(call, store, &row, &err);

	if (rc == WF_OK)
		rc = wf_store_remove_document(store, row.id, 0, &err);
	if (rc == WF_OK || rc == WF_NOT_FOUND)
		answer(call, rc == WF_OK ? "true" : "false");
	else
		fail(call, &err);
}

/* Documents of no case are of many cases to be: they stay. */
static void clear_case(struct store_call *call, struct wf_store *store)
{
	struct wf_document_list list = { NULL, 0 };
	struct wf_error err = { .rc = WF_OK };
	size_t removed = 0;
	uint64_t number;

	if (!find_case(call, &number))
		number = WF_NO_CASE;
	if (number != WF_NO_CASE &&
	    wf_store_documents(store, number, call->yawl.arena, &list, &err) !=
		WF_OK) {
		fail(call, &err);
		return;
	}
	for (size_t i = 0; i < list.count; i++) {
		if (i > 0 && list.rows[i - 1].id == list.rows[i].id)
			continue; /* another version */
		if (wf_store_remove_document(store, list.rows[i].id, 0, NULL) ==
		    WF_OK)
			removed++;
	}
	answer(call, wf_arena_printf(call->yawl.arena,
			 "%zu document%sremoved for case: %s", removed,
			 removed > 1 ? "s " : " ", call->request.case_id));
}

static void add_case(struct store_call *call, struct wf_store *store)
{
	size_t maximum = call->yawl.server->settings.case_documents_bytes;
	struct wf_error err = { .rc = WF_OK };
	struct wf_document_row row;
	uint64_t number;
	enum wf_rc rc;

	if (!find_case(call, &number) || number == WF_NO_CASE) {
		fail_with(
		    call, wf_arena_printf(call->yawl.arena,
			      "No case with id: %s", call->request.case_id));
		return;
	}
	rc = read_row(call, store, &row, &err);
	if (rc == WF_OK && row.number != number)
		rc = wf_store_adopt_document(
		    store, row.id, number, maximum, &err);
	if (rc == WF_NOT_FOUND)
		fail_with(call, wf_arena_printf(call->yawl.arena,
				    "No document found with id: %" PRId64,
				    call->request.document));
	else if (rc != WF_OK)
		fail(call, &err);
	else
		answer(call, "Case ID successfully updated");
}

static void complete_case(struct store_call *call, struct wf_store *store)
{
	(void)store;
	fail_with(call, "Documents not cleared: configured to retain on case "
			"completion");
}

static const struct action {
	const char *name;
	void (*handle)(struct store_call *call, struct wf_store *store);
} actions[] = {
	{ "get", get },
	{ "put", put },
	{ "remove", remove_document },
	{ "clearcase", clear_case },
	{ "addcaseid", add_case },
	{ "completecase", complete_case },
};

/* Of an action that is not known YAWL says nothing. */
static void act(struct store_call *call)
{
	struct wf_engine *engine = call->yawl.server->engine;
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	size_t i = 0;

	while (i < sizeof(actions) / sizeof(actions[0]) &&
	       strcmp(actions[i].name, call->request.action) != 0)
		i++;
	if (i == sizeof(actions) / sizeof(actions[0])) {
		wf_exchange_answer(call->yawl.exchange, 200, NULL, "", 0);
	} else if (wf_engine_borrow(engine, &store, &err) != WF_OK) {
		fail_with(call, err.message);
	} else {
		/* The call may be over when it returns. */
		actions[i].handle(call, store);
		wf_engine_give_back(engine, store);
	}
}

/* --- sessions ------------------------------------------------------------- */

static void set(struct store_call *call, const char *name, const char *value)
{
	struct wf_target *target = &call->yawl.invocation.target;

	target->arguments[target->argument_count++] =
	    (struct wf_argument){ name, value };
}

static bool use_session(struct store_call *call)
{
	call->yawl.user = wf_yawl_session_use(call->yawl.yawl->sessions,
	    call->request.handle, wf_exchange_arena(call->yawl.exchange));
	call->yawl.invocation.user = call->yawl.user;
	return call->yawl.user != NULL;
}

static void handle(struct store_call *call)
{
	const struct wf_document_request *request = &call->request;

	if (strcmp(request->action, "connect") == 0) {
		call->yawl.interface = WF_YAWL_IB;
		set(call, "userid", request->user);
		set(call, "password", request->password);
		wf_yawl_connect(&call->yawl);
	} else if (strcmp(request->action, "checkConnection") == 0) {
		answer(call, use_session(call) ? "true" : "false");
	} else if (strcmp(request->action, "disconnect") == 0) {
		bool was_there = use_session(call);

		wf_yawl_session_close(
		    call->yawl.yawl->sessions, request->handle);
		answer(call, was_there ? "true" : "false");
	} else if (use_session(call)) {
		act(call);
	} else {
		fail_with(call, NO_HANDLE);
	}
}

/* --- the way of a request ------------------------------------------------- */

static void read_head(struct wf_invocation *invocation)
{
	struct store_call *call = (struct store_call *)invocation;
	size_t length;
	const char *body = wf_exchange_body(call->yawl.exchange, &length);

	if (wf_document_request_read(&call->request, body, length,
		wf_exchange_arena(call->yawl.exchange)))
		handle(call);
	else
		answer(call, WELCOME);
}

static void fail_call(
    struct wf_invocation *invocation, const struct wf_error *err)
{
	fail_with((struct store_call *)invocation, err->message);
}

/* In the connection's thread. */
static void take_first(void *context, bool is_last)
{
	struct store_call *call = context;
	struct wf_invocation *invocation = &call->yawl.invocation;

	call->is_last = is_last;
	invocation->in_pool = false;
	if (wf_server_enter(invocation->server))
		wf_invocation_go_to_pool(invocation, read_head);
	else
		fail_with(call, "the server is ending");
	wf_server_leave(invocation->server);
}

static void cut(void *context)
{
	(void)context; /* nothing was done yet */
}

static void run(struct wf_invocation *invocation)
{
	const struct wf_http_reader reader = { take_first, cut, invocation };

	if (!wf_exchange_read(invocation->exchange, &reader))
		fail_with(
		    (struct store_call *)invocation, "too many large requests");
}

static const struct wf_operation operation = { "documentStore", WF_ACCESS_OPEN,
	0, false, WF_READING };

static bool takes(const void *context, const char *target)
{
	size_t length;
	const char *path = wf_yawl_path(context, target, &length);

	return path != NULL && length >= sizeof(PATH) - 1 &&
	       memcmp(path, PATH, sizeof(PATH) - 1) == 0 &&
	       (length == sizeof(PATH) - 1 ||
		   (length == sizeof(PATH) && path[length - 1] == '/'));
}

static bool admit(struct wf_invocation *invocation)
{
	invocation->operation = &operation;
	return wf_yawl_begin(
	    (struct wf_yawl_call *)invocation, invocation->context);
}

/* The handle is in the body. */
static enum wf_authorization authorize(
    struct wf_invocation *invocation, bool slowly)
{
	(void)invocation;
	(void)slowly;
	return WF_GRANTED;
}

static bool prepare(struct wf_invocation *invocation)
{
	(void)invocation;
	return true;
}

const struct wf_interface wf_document_store_interface = {
	.invocation_size = sizeof(struct store_call),
	.takes = takes,
	.admit = admit,
	.authorize = authorize,
	.prepare = prepare,
	.run = run,
	.fail = fail_call,
};
