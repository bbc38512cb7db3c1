/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The organisation: its records, one by one and as files.
 *
 * All kinds have the same routes; the word of the kind is the second part of
 * the path.  The version of a record is in the header ETag; a change with
 * If-Match is refused when another one came before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "people/org_file.h"
#include "people/record_json.h"
#include "rest/rest.h"
#include "worklist/org_edit.h"

#define FILE_MAXIMUM_BYTES ((size_t)256 << 20)

/* "/v1/people/{}" is about participants. */
static enum wf_org_kind kind_of(const struct wf_rest *rest)
{
	const char *word = rest->route->path + strlen("/v1/");
	enum wf_org_kind kind = wf_org_kind_find(
	    wf_arena_strndup(rest->arena, word, strcspn(word, "/")));

	return kind;
}

/* A record by its id or its name; NULL: there is none. */
static const struct wf_org_record *find(
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    const char *name)
{
	uint32_t number = wf_org_find_any(organisation, kind, name);

	return number == WF_ORG_NOBODY ? NULL
				       : wf_org_at(organisation, kind, number);
}

static void answer_record(
    struct wf_rest *rest, unsigned status, const struct wf_org_record *record)
{
	char version[32];

	snprintf(version, sizeof(version), "\"%llu\"",
	    (unsigned long long)record->change);
	wf_exchange_add_header(rest->exchange, "ETag", version);
	wf_rest_answer(rest, status, wf_org_record_json(record));
}

static void fail_unknown(struct wf_rest *rest, enum wf_org_kind kind)
{
	struct wf_error err = { .rc = WF_OK };

	wf_fail(&err, WF_NOT_FOUND, "there is no %s \"%.100s\"",
	    wf_org_layouts[kind].word, rest->parts[0]);
	wf_rest_fail(rest, &err);
}

/* --- reading -------------------------------------------------------------- */

/* Whether a text of the record has the words, whatever their case. */
static bool has_words(const struct wf_org_record *record, const char *words)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];

	if (words == NULL || strcasestr(record->id, words) != NULL)
		return true;
	for (size_t i = 0; i < layout->field_count; i++)
		if (layout->fields[i].type == WF_ORG_TEXT &&
		    layout->fields[i].json[0] != '\0' &&
		    strcasestr(*wf_org_text(record, &layout->fields[i]),
			words) != NULL)
			return true;
	return false;
}

static json_t *list(struct wf_rest *rest,
    const struct wf_organisation *organisation, enum wf_org_kind kind,
    size_t limit)
{
	const char *after = wf_rest_argument(rest, "after");
	const char *words = wf_rest_argument(rest, "q");
	size_t count = wf_org_count(organisation, kind);
	json_t *answer = json_object();
	json_t *rows = json_array();
	const struct wf_org_record *last = NULL;

	for (uint32_t i = 0; i < count; i++) {
		const struct wf_org_record *record =
		    wf_org_at(organisation, kind, i);

		if ((after != NULL && strcmp(record->id, after) <= 0) ||
		    !has_words(record, words))
			continue;
		if (json_array_size(rows) == limit) {
			json_object_set_new(
			    answer, "next", json_string(last->id));
			break;
		}
		json_array_append_new(rows, wf_org_record_json(record));
		last = record;
	}
	json_object_set_new(answer, wf_org_layouts[kind].words, rows);
	return answer;
}

void wf_rest_list_records(struct wf_rest *rest)
{
	struct wf_organisation *organisation;
	size_t limit;

	if (!wf_rest_limit(rest, &limit))
		return;
	organisation = wf_org_cache_get(rest->server->organisation);
	wf_rest_answer(
	    rest, 200, list(rest, organisation, kind_of(rest), limit));
	wf_organisation_unref(&organisation);
}

void wf_rest_show_record(struct wf_rest *rest)
{
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);
	enum wf_org_kind kind = kind_of(rest);
	const struct wf_org_record *record =
	    find(organisation, kind, rest->parts[0]);

	if (record == NULL)
		fail_unknown(rest, kind);
	else
		answer_record(rest, 200, record);
	wf_organisation_unref(&organisation);
}

/* --- changing ------------------------------------------------------------- */

/* The version in If-Match; 0: any.  False: answered. */
static bool read_version(struct wf_rest *rest, uint64_t *version_out)
{
	const char *text = wf_exchange_header(rest->exchange, "If-Match");
	const char *none = wf_exchange_header(rest->exchange, "If-None-Match");
	char *end;

	*version_out = 0;
	if (none != NULL && strcmp(none, "*") == 0) {
		*version_out = WF_ORG_NEW;
		return true;
	}
	if (text == NULL || strcmp(text, "*") == 0)
		return true;
	errno = 0;
	if (*text == '"' && text[1] >= '0' && text[1] <= '9') {
		*version_out = strtoull(text + 1, &end, 10);
		if (errno == 0 && strcmp(end, "\"") == 0 && *version_out > 0)
			return true;
	}
	wf_rest_refuse(rest, "If-Match: expected the ETag of the record");
	return false;
}

static enum wf_rc read_record(void *context, struct wf_arena *arena,
    struct wf_org_record *record, struct wf_error *err)
{
	return wf_org_record_read_json(arena, context, true, record, err);
}

static enum wf_rc edit(
    struct wf_rest *rest, struct wf_org_one *one, struct wf_error *err)
{
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(rest->server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_org_edit_one(rest->server->organisation, store, one, err);
	wf_engine_give_back(rest->server->engine, store);
	return rc;
}

static void answer_edited(struct wf_rest *rest, const struct wf_org_one *one)
{
	struct wf_organisation *organisation =
	    wf_org_cache_get(rest->server->organisation);
	const struct wf_org_record *record =
	    find(organisation, one->kind, one->id_out);

	/* Another one may have removed it already. */
	if (record == NULL)
		fail_unknown(rest, one->kind);
	else
		answer_record(rest, one->added ? 201 : 200, record);
	wf_organisation_unref(&organisation);
}

/* POST makes a record, PUT replaces or makes one, PATCH changes members. */
void wf_rest_put_record(struct wf_rest *rest)
{
	const char *method = rest->route->method;
	struct wf_org_one one = { .kind = kind_of(rest),
		.id = rest->parts[0],
		.must_exist = strcmp(method, "PATCH") == 0,
		.from_empty = strcmp(method, "PUT") == 0,
		.read = read_record,
		.arena = rest->arena };
	struct wf_error err = { .rc = WF_OK };
	json_t *body;

	if (!read_version(rest, &one.expected) || !wf_rest_body(rest, &body))
		return;
	if (body == NULL) {
		wf_rest_refuse(rest, "expected a record as JSON");
		return;
	}
	/* As it is answered, so that it can be sent back. */
	json_object_del(body, "id");
	one.context = body;
	if (edit(rest, &one, &err) == WF_OK)
		answer_edited(rest, &one);
	else
		wf_rest_fail(rest, &err);
	json_decref(body);
}

void wf_rest_remove_record(struct wf_rest *rest)
{
	struct wf_org_one one = { .kind = kind_of(rest),
		.id = rest->parts[0],
		.must_exist = true,
		.arena = rest->arena };
	struct wf_error err = { .rc = WF_OK };

	if (!read_version(rest, &one.expected))
		return;
	if (edit(rest, &one, &err) == WF_OK)
		wf_exchange_answer(rest->exchange, 204, NULL, "", 0);
	else
		wf_rest_fail(rest, &err);
}

/* --- files ---------------------------------------------------------------- */

/* The arguments "format" and "kind".  False: answered. */
static bool read_format(struct wf_rest *rest, enum wf_org_format *format_out,
    enum wf_org_kind *kind_out)
{
	const char *format = wf_rest_argument(rest, "format");
	const char *kind = wf_rest_argument(rest, "kind");

	*format_out = wf_org_format_find(format == NULL ? "json" : format);
	*kind_out = kind == NULL ? WF_ORG_NONE : wf_org_kind_find(kind);
	if (*format_out == WF_ORG_FORMATS)
		wf_rest_refuse(rest, "format: expected json, csv or ybkp");
	else if ((*format_out == WF_ORG_CSV || kind != NULL) &&
		 *kind_out == WF_ORG_NONE)
		wf_rest_refuse(rest,
		    "kind: expected people, roles, positions, groups, "
		    "capabilities, categories, things or rates; a table has "
		    "records of one kind");
	else
		return true;
	return false;
}

void wf_rest_export_organisation(struct wf_rest *rest)
{
	static const char *const types[] = { "application/xml",
		"application/json", "text/csv; charset=utf-8" };
	struct wf_organisation *organisation;
	struct wf_buffer text;
	enum wf_org_format format;
	enum wf_org_kind kind;

	if (!read_format(rest, &format, &kind))
		return;
	wf_buffer_init(&text, FILE_MAXIMUM_BYTES);
	organisation = wf_org_cache_get(rest->server->organisation);
	wf_org_file_write(organisation, format, kind, &text);
	wf_organisation_unref(&organisation);
	if (text.full)
		wf_rest_problem(rest, 422, "limit", "A limit was reached",
		    "the file is larger than 256 MiB");
	else
		wf_exchange_answer(rest->exchange, 200, types[format],
		    wf_buffer_text(&text), text.length);
	wf_buffer_free(&text);
}

struct importing {
	struct wf_rest *rest;
	enum wf_org_format format;
	enum wf_org_kind kind;
	bool updates;
	bool is_dry;
	json_t *report;
};

static const char *const fates[] = { "added", "changed", "unchanged",
	"skipped" };

static void report_note(json_t *records, const struct wf_org_note *note)
{
	json_t *row;

	if (note->fate == WF_ORG_UNCHANGED && note->text[0] == '\0')
		return;
	row = json_object();
	json_object_set_new(
	    row, "kind", json_string(wf_org_layouts[note->record->kind].word));
	json_object_set_new(row, "id", json_string(note->record->id));
	wf_json_put_text(row, "name", wf_org_name(note->record));
	json_object_set_new(row, "result", json_string(fates[note->fate]));
	wf_json_put_text(row, "why", note->text);
	json_array_append_new(records, row);
}

static json_t *report_import(const struct wf_org_import *import, bool is_dry)
{
	json_t *report = json_object();
	json_t *records = json_array();

	json_object_set_new(report, "dry_run", json_boolean(is_dry));
	for (unsigned fate = 0; fate < WF_ORG_FATES; fate++) {
		size_t count = 0;

		for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++)
			count += import->counts[kind][fate];
		json_object_set_new(
		    report, fates[fate], json_integer((json_int_t)count));
	}
	for (size_t i = 0; i < import->note_count; i++)
		report_note(records, &import->notes[i]);
	json_object_set_new(report, "records", records);
	return report;
}

/* Decides what becomes of the file's records; may be asked again. */
static enum wf_rc decide_import(void *context,
    const struct wf_organisation *organisation, struct wf_arena *arena,
    struct wf_org_changes *changes_out, struct wf_error *err)
{
	struct importing *importing = context;
	size_t length;
	const char *text = wf_exchange_body(importing->rest->exchange, &length);
	struct wf_org_list records;
	struct wf_org_import import;
	enum wf_rc rc = wf_org_file_read(arena, organisation, importing->format,
	    importing->kind, text, length, &records, err);

	if (rc != WF_OK)
		return rc;
	wf_org_import(
	    organisation, &records, importing->updates, arena, &import);
	json_decref(importing->report);
	importing->report = report_import(&import, importing->is_dry);
	*changes_out = (struct wf_org_changes){ import.changes,
		importing->is_dry ? 0 : import.change_count };
	wf_organisation_unref(&import.after);
	return WF_OK;
}

static void fail_import(struct wf_rest *rest, struct wf_error *err)
{
	if (err->place.line > 0)
		wf_error_prefix(err, "line %d", err->place.line);
	wf_rest_fail(rest, err);
}

void wf_rest_import_organisation(struct wf_rest *rest)
{
	struct importing importing = { .rest = rest };
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	if (!read_format(rest, &importing.format, &importing.kind) ||
	    !wf_rest_switch(rest, "update", &importing.updates) ||
	    !wf_rest_switch(rest, "dry_run", &importing.is_dry))
		return;
	rc = wf_engine_borrow(rest->server->engine, &store, &err);
	if (rc == WF_OK) {
		rc = wf_org_edit(rest->server->organisation, store,
		    decide_import, &importing, NULL, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc == WF_OK)
		wf_rest_answer(rest, 200, importing.report);
	else {
		json_decref(importing.report);
		fail_import(rest, &err);
	}
}
