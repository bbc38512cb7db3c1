/* SPDX-License-Identifier: Apache-2.0 */
/* The organisation as files: export, and import as one change. */
#include <string.h>

#include "people/organisation/org_file.h"
#include "rest/rest.h"
#include "worklist/org_edit.h"

#define FILE_MAXIMUM_BYTES ((size_t)256 << 20)

/*
 * The arguments "format", which without one is guessed, and "kind".  False:
 * answered.
 */
static bool read_format(struct wf_rest *rest, enum wf_org_format guessed,
    enum wf_org_format *format_out, enum wf_org_kind *kind_out)
{
	const char *format = wf_rest_argument(rest, "format");
	const char *kind = wf_rest_argument(rest, "kind");

	*format_out = format == NULL ? guessed : wf_org_format_find(format);
	*kind_out = kind == NULL ? WF_ORG_NONE : wf_org_kind_find(kind);
	if (*format_out == WF_ORG_FORMATS)
		wf_rest_refuse(rest, "format: expected json, csv or ybkp");
	else if ((*format_out == WF_ORG_CSV || kind != NULL) &&
		 *kind_out == WF_ORG_NONE)
		wf_rest_refuse(rest,
		    "kind: expected people, roles, positions, groups, "
		    "capabilities, categories, things, rates or calendars; a "
		    "table has "
		    "records of one kind");
	else if (*format_out == WF_ORG_YBKP && kind != NULL)
		wf_rest_refuse(
		    rest, "kind: a backup file has records of all kinds");
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

	if (!read_format(rest, WF_ORG_JSON, &format, &kind))
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

/* What is skipped may be so because a text is too long. */
static void report_note(
    struct wf_arena *arena, json_t *records, const struct wf_org_note *note)
{
	json_t *row;

	if (note->fate == WF_ORG_UNCHANGED && note->text[0] == '\0')
		return;
	row = json_object();
	json_object_set_new(
	    row, "kind", json_string(wf_org_layouts[note->record->kind].word));
	json_object_set_new(row, "id",
	    json_string(note->fate == WF_ORG_SKIPPED
			    ? wf_org_shown(arena, note->record->id)
			    : note->record->id));
	wf_json_put_text(
	    row, "name", wf_org_shown(arena, wf_org_name(note->record)));
	json_object_set_new(row, "result", json_string(fates[note->fate]));
	wf_json_put_text(row, "why", note->text);
	json_array_append_new(records, row);
}

/* {"roles": {"added": 2, "skipped": 1}, ..}: what is not 0. */
static json_t *report_counts(const struct wf_org_import *import)
{
	json_t *kinds = json_object();

	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++) {
		json_t *counts = json_object();

		for (unsigned fate = 0; fate < WF_ORG_FATES; fate++)
			if (import->counts[kind][fate] > 0)
				json_object_set_new(counts, fates[fate],
				    json_integer((
					json_int_t)import->counts[kind][fate]));
		if (json_object_size(counts) > 0)
			json_object_set(
			    kinds, wf_org_layouts[kind].words, counts);
		json_decref(counts);
	}
	return kinds;
}

static json_t *report_import(
    struct wf_arena *arena, const struct wf_org_import *import, bool is_dry)
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
	json_object_set_new(report, "kinds", report_counts(import));
	for (size_t i = 0; i < import->note_count; i++)
		report_note(arena, records, &import->notes[i]);
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
	importing->report = report_import(arena, &import, importing->is_dry);
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
	size_t length;
	const char *text = wf_exchange_body(rest->exchange, &length);

	if (!read_format(rest, wf_org_format_of(text, length),
		&importing.format, &importing.kind) ||
	    !wf_rest_switch(rest, "update", &importing.updates) ||
	    !wf_rest_switch(rest, "dry_run", &importing.is_dry))
		return;
	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_org_edit(rest->server->organisation, store, decide_import,
	    &importing, NULL, &err);
	wf_engine_give_back(rest->server->engine, store);
	if (rc == WF_OK)
		wf_rest_answer(rest, 200, importing.report);
	else {
		json_decref(importing.report);
		fail_import(rest, &err);
	}
}
