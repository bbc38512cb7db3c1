/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents: files of cases.  A document belongs to a case, and perhaps to an
 * item of it; each upload to it makes a version.  Content is sent as an
 * attachment, of a type that no browser runs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rest/document/rest_document.h"
#include "server/document_type.h"
#include "server/documents.h"

#define HEADER_BYTES 2048U
#define TAG_BYTES 64U

/* One request about documents. */
struct documenting {
	struct wf_upload upload; /* of POST */
	struct wf_rest *rest;
	struct wf_rest_sight sight;
	const char *case_id;
	const char *item; /* that the request names, or "" */
	uint32_t version; /* that the request names; 0: none */
	struct wf_document_row row;
};

/* --- finding -------------------------------------------------------------- */

static struct documenting *begin(struct wf_rest *rest)
{
	struct documenting *d =
	    wf_arena_alloc(wf_exchange_arena(rest->exchange), sizeof(*d));

	d->rest = rest;
	d->item = "";
	d->upload.limits = (struct wf_document_limits){ "", UINT64_MAX };
	return d;
}

/* The case that the path names.  False: answered. */
static bool find_case(struct documenting *d)
{
	struct wf_known_case known;

	d->case_id = d->rest->parts[0];
	return wf_rest_known_case(d->rest, d->case_id, &known) &&
	       wf_rest_read_sight(d->rest, "", &known, &d->sight);
}

static void refuse_item(struct documenting *d)
{
	struct wf_error err = { .rc = WF_OK };

	wf_fail(&err, WF_NOT_FOUND,
	    "no work item %.200s is on a worklist of %s", d->item,
	    d->rest->account.name);
	wf_rest_fail(d->rest, &err);
}

/* The case of the item that the path names. */
static bool find_item(struct documenting *d)
{
	struct wf_rest *rest = d->rest;
	struct wf_known_case known;

	d->item = rest->parts[0];
	d->case_id = wf_arena_strndup(
	    wf_exchange_arena(rest->exchange), d->item, strcspn(d->item, ".:"));
	if (!wf_rest_known_case_of_item(rest, d->item, &known) ||
	    !wf_rest_read_sight(rest, d->item, &known, &d->sight))
		return false;
	if (d->sight.reads || d->sight.changes ||
	    wf_rest_find_seen(&d->sight, d->item) != NULL)
		return true;
	refuse_item(d);
	return false;
}

static enum wf_rc read_document(struct documenting *d, struct wf_store *store,
    uint64_t id, struct wf_error *err)
{
	struct wf_arena *arena = wf_exchange_arena(d->rest->exchange);
	struct wf_stored_case stored;
	enum wf_rc rc =
	    wf_store_document(store, id, d->version, arena, &d->row, err);

	if (rc == WF_OK && d->row.received != d->row.size)
		rc = wf_fail(err, WF_NOT_FOUND,
		    "this version of the document is still being received");
	if (rc == WF_OK && d->row.namespace_id != d->rest->account.namespace_id)
		rc = wf_fail(
		    err, WF_NOT_FOUND, "there is no document %" PRIu64, id);
	if (rc == WF_OK)
		rc = wf_store_case(
		    store, d->row.number, false, arena, &stored, err);
	if (rc != WF_OK)
		return rc;
	d->case_id = stored.row.name;
	d->sight.known =
	    (struct wf_known_case){ d->row.number, stored.row.specification };
	return WF_OK;
}

/* The argument "version". */
static bool read_version(struct documenting *d)
{
	const char *text = wf_rest_argument(d->rest, "version");
	uint64_t version = 0;

	if (text == NULL)
		return true;
	if (!wf_rest_number(d->rest, "version", text, &version))
		return false;
	if (version == 0 || version > UINT32_MAX) {
		wf_rest_refuse(d->rest, "version: expected a number from 1 on");
		return false;
	}
	d->version = (uint32_t)version;
	return true;
}

/* The document that the path names, if the account sees it. */
static bool find_document(struct documenting *d, bool changes)
{
	struct wf_rest *rest = d->rest;
	struct wf_error err = { .rc = WF_OK };
	struct wf_known_case known;
	struct wf_store *store;
	uint64_t id;
	enum wf_rc rc;

	if (!wf_rest_number(rest, "document", rest->parts[0], &id) ||
	    !read_version(d) || !wf_rest_borrow(rest, &store))
		return false;
	rc = read_document(d, store, id, &err);
	wf_engine_give_back(rest->server->engine, store);
	known = d->sight.known;
	if (rc == WF_OK &&
	    !wf_rest_read_sight(rest, d->row.item, &known, &d->sight))
		return false;
	if (rc == WF_OK && !wf_rest_sees_document(&d->sight, &d->row) &&
	    !d->sight.changes)
		rc = wf_fail(
		    &err, WF_NOT_FOUND, "there is no document %" PRIu64, id);
	if (rc == WF_OK && changes &&
	    !wf_rest_changes_document(&d->sight, &d->row))
		rc = wf_fail(&err, WF_DENIED,
		    "the document belongs to no item that %s has; changing it "
		    "needs the right to work or to operate",
		    rest->account.name);
	if (rc != WF_OK)
		wf_rest_fail(rest, &err);
	return rc == WF_OK;
}

/* --- answers -------------------------------------------------------------- */

static const char *tag_of(
    const struct wf_document_row *row, char tag[TAG_BYTES])
{
	snprintf(tag, TAG_BYTES, "\"%" PRIu64 "-%u-%" PRIu64 "\"", row->id,
	    (unsigned)row->version, row->size);
	return tag;
}

static json_t *describe_version(const struct wf_document_row *row)
{
	json_t *object = json_object();

	json_object_set_new(object, "version", json_integer(row->version));
	wf_json_put_text(object, "name", row->name);
	wf_json_put_text(object, "type", row->type);
	json_object_set_new(
	    object, "size", json_integer((json_int_t)row->size));
	wf_json_put_text(object, "author", row->author);
	wf_json_put_time(object, "added", row->at);
	return object;
}

static json_t *describe(const char *case_id, const struct wf_document_row *row)
{
	json_t *object = describe_version(row);

	json_object_set_new(
	    object, "document", json_integer((json_int_t)row->id));
	json_object_set_new(object, "case", json_string(case_id));
	wf_json_put_text(object, "item", row->item);
	return object;
}

/* --- lists ---------------------------------------------------------------- */

/* False: answered. */
static bool read_list(struct documenting *d, struct wf_document_list *list)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_borrow(d->rest, &store))
		return false;
	rc = wf_store_documents(
	    store, d->sight.known.number, d->rest->arena, list, &err);
	return wf_rest_give_back(d->rest, store, rc, &err);
}

/* Of an item: what was added for it, and what it refers to. */
static bool is_of_item(
    const struct documenting *d, const struct wf_document_row *row)
{
	const struct wf_rest_seen_item *seen =
	    wf_rest_find_seen(&d->sight, d->item);

	return strcmp(row->item, d->item) == 0 ||
	       (seen != NULL && wf_rest_is_of_item(seen, row));
}

static void answer_list(struct documenting *d)
{
	struct wf_document_list list;
	json_t *rows;

	if (!read_list(d, &list))
		return;
	rows = json_array();
	for (size_t i = 0; i < list.count; i++) {
		const struct wf_document_row *row = &list.rows[i];

		/* Of each document the newest version, which is the last. */
		if ((i + 1 < list.count && row[1].id == row->id) ||
		    (d->item[0] != '\0' && !is_of_item(d, row)) ||
		    !wf_rest_sees_document(&d->sight, row))
			continue;
		json_array_append_new(rows, describe(d->case_id, row));
	}
	wf_rest_answer_page(d->rest, "documents", rows, 0);
}

void wf_rest_list_case_documents(struct wf_rest *rest)
{
	struct documenting *d = begin(rest);

	if (find_case(d))
		answer_list(d);
}

void wf_rest_list_item_documents(struct wf_rest *rest)
{
	struct documenting *d = begin(rest);

	if (find_item(d))
		answer_list(d);
}

void wf_rest_show_document(struct wf_rest *rest)
{
	struct documenting *d = begin(rest);
	struct wf_document_list list;
	char tag[TAG_BYTES];
	json_t *versions;
	json_t *object;

	if (!find_document(d, false) || !read_list(d, &list))
		return;
	object = describe(d->case_id, &d->row);
	versions = json_array();
	for (size_t i = 0; i < list.count; i++)
		if (list.rows[i].id == d->row.id)
			json_array_append_new(
			    versions, describe_version(&list.rows[i]));
	json_object_set_new(object, "versions", versions);
	wf_exchange_add_header(rest->exchange, "ETag", tag_of(&d->row, tag));
	wf_rest_answer(rest, 200, object);
}

/* --- content -------------------------------------------------------------- */

/* Headers that keep a browser from showing or running it. */
static void add_headers(struct documenting *d, const char *tag)
{
	struct wf_exchange *exchange = d->rest->exchange;
	struct wf_buffer text;

	wf_buffer_init(&text, HEADER_BYTES);
	wf_document_put_disposition(&text, d->row.name);
	wf_exchange_add_header(
	    exchange, "Content-Disposition", wf_buffer_text(&text));
	wf_buffer_free(&text);
	wf_exchange_add_header(exchange, "X-Content-Type-Options", "nosniff");
	wf_exchange_add_header(
	    exchange, "Content-Security-Policy", "default-src 'none'; sandbox");
	wf_exchange_add_header(exchange, "Cache-Control", "private, no-cache");
	wf_exchange_add_header(exchange, "Accept-Ranges", "bytes");
	wf_exchange_add_header(exchange, "ETag", tag);
}

/* A digit must follow: strtoull() takes signs and blanks. */
static bool read_place(const char **at, uint64_t *place_out)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*place_out = strtoull(*at, &end, 10);
	*at = end;
	return true;
}

/*
 * "bytes=5-9", "bytes=5-", "bytes=-5".  False: there is none, another kind, or
 * none of the document's bytes are in it: RFC 9110 lets a server ignore it.
 */
static bool read_range(
    const char *text, uint64_t size, uint64_t *from_out, uint64_t *count_out)
{
	uint64_t first = 0;
	uint64_t last = UINT64_MAX;
	bool has_first;

	if (text == NULL || strncmp(text, "bytes=", 6) != 0)
		return false;
	text += 6;
	has_first = read_place(&text, &first);
	if (*text++ != '-')
		return false;
	if (!read_place(&text, &last) && !has_first)
		return false;
	if (*text != '\0' || (has_first && last < first))
		return false;
	if (!has_first) {
		if (last == 0)
			return false;
		first = last < size ? size - last : 0;
		last = size;
	}
	if (first >= size)
		return false;
	*from_out = first;
	*count_out = last >= size ? size - first : last - first + 1;
	return true;
}

/* The range of the request, if it may be used; else all. */
static void choose_range(
    struct documenting *d, const char *tag, struct wf_download *download)
{
	struct wf_exchange *exchange = d->rest->exchange;
	const char *condition = wf_exchange_header(exchange, "If-Range");
	char text[80];

	download->size = d->row.size;
	download->status = 200;
	if ((condition != NULL && strcmp(condition, tag) != 0) ||
	    !read_range(wf_exchange_header(exchange, "Range"), d->row.size,
		&download->from, &download->size))
		return;
	snprintf(text, sizeof(text), "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64,
	    download->from, download->from + download->size - 1, d->row.size);
	wf_exchange_add_header(exchange, "Content-Range", text);
	download->status = 206;
}

void wf_rest_read_document(struct wf_rest *rest)
{
	struct documenting *d = begin(rest);
	struct wf_error err = { .rc = WF_OK };
	struct wf_download download = { .server = rest->server };
	char tag[TAG_BYTES];
	const char *type;

	if (!find_document(d, false))
		return;
	tag_of(&d->row, tag);
	type = wf_document_safe_type(d->row.type);
	download.id = d->row.id;
	download.version = d->row.version;
	download.type = type;
	if (wf_rest_has_tag(rest, tag)) {
		wf_exchange_add_header(rest->exchange, "ETag", tag);
		wf_exchange_answer(rest->exchange, 304, NULL, "", 0);
		return;
	}
	choose_range(d, tag, &download);
	add_headers(d, tag);
	if (download.size == 0)
		wf_exchange_answer(rest->exchange, 200, type, "", 0);
	else if (wf_download_begin(rest->exchange, &download, &err) != WF_OK)
		wf_rest_fail(rest, &err);
}

/* --- adding --------------------------------------------------------------- */

static void fail_upload(struct wf_rest *rest, const struct wf_error *err)
{
	if (err->rc == WF_LIMIT)
		wf_rest_problem(rest, 413, "too_large", "The file is too large",
		    err->message);
	else if (err->rc == WF_UNSUPPORTED)
		wf_rest_problem(rest, 415, "media_type",
		    "Files of this type are not taken", err->message);
	else
		wf_rest_fail(rest, err);
}

static void end_upload(void *context, enum wf_rc rc, struct wf_error *err)
{
	struct documenting *d = context;
	struct wf_rest *rest = d->rest;
	const struct wf_document_row *row = &d->upload.row;
	char text[TAG_BYTES];

	if (rc != WF_OK) {
		fail_upload(rest, err);
		return;
	}
	wf_exchange_add_header(rest->exchange, "ETag", tag_of(row, text));
	snprintf(text, sizeof(text), "/v1/documents/%" PRIu64, row->id);
	wf_exchange_add_header(rest->exchange, "Location", text);
	wf_rest_answer(rest, 201, describe(d->case_id, row));
}

/* The name of the file; a new version has that of the old one. */
static bool read_name(struct documenting *d, const char *old)
{
	struct wf_rest *rest = d->rest;
	const char *name = wf_rest_argument(rest, "name");
	struct wf_error err = { .rc = WF_OK };

	if (name == NULL)
		name = old == NULL ? "" : old;
	if (wf_document_name(name, wf_exchange_arena(rest->exchange),
		&d->upload.row.name, &err) == WF_OK)
		return true;
	wf_rest_fail(rest, &err);
	return false;
}

static bool read_size(struct documenting *d)
{
	if (wf_exchange_body_size(d->rest->exchange, &d->upload.row.size))
		return true;
	wf_rest_refuse(
	    d->rest, "expected Content-Length, the size of the file");
	return false;
}

/* d->item and the case are known, and the account may.  old: of a document. */
static void receive(struct documenting *d, const struct wf_document_row *old)
{
	struct wf_rest *rest = d->rest;
	struct wf_arena *arena = wf_exchange_arena(rest->exchange);
	struct wf_upload *upload = &d->upload;
	struct wf_error err = { .rc = WF_OK };

	upload->server = rest->server;
	upload->exchange = rest->exchange;
	upload->done = end_upload;
	upload->context = d;
	upload->row.id = old == NULL ? 0 : old->id;
	upload->row.number = d->sight.known.number;
	upload->row.namespace_id = rest->account.namespace_id;
	upload->row.item = wf_arena_strdup(arena, d->item);
	upload->row.author = wf_arena_strdup(arena, rest->account.name);
	if (!read_name(d, old == NULL ? NULL : old->name) || !read_size(d))
		return;
	if (wf_document_type(wf_exchange_header(rest->exchange, "Content-Type"),
		arena, &upload->row.type, &err) != WF_OK ||
	    wf_upload_check(upload, &err) != WF_OK)
		fail_upload(rest, &err);
	else
		wf_upload_begin(upload, NULL, 0, false);
}

void wf_rest_add_case_document(struct wf_rest *rest)
{
	struct documenting *d = begin(rest);

	if (!find_case(d))
		return;
	if (d->sight.changes)
		receive(d, NULL);
	else
		wf_rest_refuse_right(rest, WF_MAY(WORK) | WF_MAY(OPERATE),
		    " for this case; whoever has an item of it adds files to "
		    "that item");
}

/* --- of items ------------------------------------------------------------- */

struct limiting {
	struct documenting *d;
	const char *parameter;
	bool has_item;
	bool found;
};

static void find_parameter(
    struct limiting *limiting, const struct wf_variable *list, size_t count)
{
	for (size_t i = 0; i < count && !limiting->found; i++) {
		if (!wf_variable_find_document(&list[i], limiting->parameter,
			&limiting->d->upload.limits))
			continue;
		limiting->found = true;
		limiting->d->upload.limits.types = wf_arena_strdup(
		    wf_exchange_arena(limiting->d->rest->exchange),
		    limiting->d->upload.limits.types);
	}
}

static void read_limits(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct limiting *limiting = context;
	const struct wf_decomposition *work;
	struct wf_item item;

	(void)stored;
	if (wf_case_item(instance, limiting->d->item, &item, NULL) != WF_OK)
		return;
	limiting->has_item = true;
	work = item.task->decomposition;
	if (limiting->parameter == NULL || work == NULL)
		return;
	find_parameter(limiting, work->outputs, work->output_count);
	find_parameter(limiting, work->inputs, work->input_count);
}

/* The limits of the parameter that the request names.  False: answered. */
static bool find_limits(struct documenting *d)
{
	struct wf_rest *rest = d->rest;
	struct wf_error err = { .rc = WF_OK };
	struct limiting limiting = { .d = d,
		.parameter = wf_rest_argument(rest, "parameter") };

	(void)(wf_engine_inspect(rest->server->engine, d->sight.known.number,
		   read_limits, &limiting, &err) == WF_OK);
	if (!limiting.has_item) {
		wf_error_clear(&err);
		wf_fail(&err, WF_NOT_FOUND, "there is no work item %.200s",
		    d->item);
		wf_rest_fail(rest, &err);
	} else if (limiting.parameter != NULL && !limiting.found) {
		wf_rest_refuse(rest,
		    "parameter: the item has no parameter %.100s, and no "
		    "element on such a path, of type YDocumentType",
		    limiting.parameter);
		return false;
	}
	return limiting.has_item;
}

void wf_rest_add_item_document(struct wf_rest *rest)
{
	struct documenting *d = begin(rest);
	const struct wf_rest_seen_item *seen;

	if (!find_item(d))
		return;
	seen = wf_rest_find_seen(&d->sight, d->item);
	if (!d->sight.changes && (seen == NULL || !seen->is_held))
		wf_rest_refuse_right(rest, WF_MAY(WORK) | WF_MAY(OPERATE),
		    " for this work item, or a participant who has it");
	else if (find_limits(d))
		receive(d, NULL);
}

void wf_rest_add_version(struct wf_rest *rest)
{
	struct documenting *d = begin(rest);

	if (!find_document(d, true))
		return;
	d->item = d->row.item;
	receive(d, &d->row);
}

/* --- removing ------------------------------------------------------------- */

void wf_rest_remove_document(struct wf_rest *rest)
{
	struct documenting *d = begin(rest);
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!find_document(d, true) || !wf_rest_borrow(rest, &store))
		return;
	rc = wf_store_remove_document(store, d->row.id, d->version, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
}
