/* SPDX-License-Identifier: Apache-2.0 */
#include "people/organisation/org_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/map.h"
#include "people/organisation/org_table.h"
#include "people/organisation/record_json.h"

#define KEY_MAXIMUM_BYTES ((size_t)1 << 30)

enum wf_org_format wf_org_format_find(const char *name)
{
	static const char *const names[WF_ORG_FORMATS] = { "ybkp", "json",
		"csv" };
	unsigned format = 0;

	while (format < WF_ORG_FORMATS && strcmp(names[format], name) != 0)
		format++;
	return format;
}

enum wf_org_format wf_org_format_of(const char *text, size_t length)
{
	size_t at = 0;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		at = 3; /* a byte order mark */
	while (at < length && strchr(" \t\r\n", text[at]) != NULL)
		at++;
	if (at == length)
		return WF_ORG_JSON;
	return text[at] == '<'			    ? WF_ORG_YBKP
	       : text[at] == '{' || text[at] == '[' ? WF_ORG_JSON
						    : WF_ORG_CSV;
}

/* --- ids ------------------------------------------------------------------ */

struct file_reading {
	struct wf_arena *arena;
	const struct wf_organisation *organisation;
	struct wf_org_list *list;
	struct wf_map *ids;   /* "kind/id" -> record */
	struct wf_map *names; /* "kind/name", as names are compared -> record */
};

static const char *key_of(struct wf_arena *arena, enum wf_org_kind kind,
    const char *text, bool is_name)
{
	struct wf_buffer key;
	const char *copy;

	wf_buffer_init(&key, KEY_MAXIMUM_BYTES);
	wf_buffer_printf(&key, "%u/", kind);
	if (is_name)
		wf_org_key(kind, text, &key);
	else
		wf_buffer_puts(&key, text);
	copy = wf_arena_strdup(arena, wf_buffer_text(&key));
	wf_buffer_free(&key);
	return copy;
}

/* The id of a record that the file gives none. */
static const char *find_id(
    const struct file_reading *reading, const struct wf_org_record *record)
{
	const struct wf_organisation *o = reading->organisation;
	const char *name = wf_org_name(record);
	uint32_t number = wf_org_find_name(o, record->kind, name);
	const char *key = key_of(reading->arena, record->kind, name, true);

	if (number != WF_ORG_NOBODY)
		return wf_arena_strdup(
		    reading->arena, wf_org_at(o, record->kind, number)->id);
	return wf_arena_printf(reading->arena, "%s-%016llx",
	    wf_org_layouts[record->kind].prefix,
	    (unsigned long long)wf_hash(1, key, strlen(key)));
}

static const char *resolve(
    const struct file_reading *reading, enum wf_org_kind kind, const char *text)
{
	const struct wf_organisation *o = reading->organisation;
	const struct wf_org_record *record;
	uint32_t number;

	if (text[0] == '\0' ||
	    wf_map_get(reading->ids,
		key_of(reading->arena, kind, text, false)) != NULL ||
	    wf_org_find(o, kind, text) != WF_ORG_NOBODY)
		return text;
	record = wf_map_get(
	    reading->names, key_of(reading->arena, kind, text, true));
	if (record != NULL)
		return record->id;
	number = wf_org_find_name(o, kind, text);
	return number == WF_ORG_NOBODY ? text
				       : wf_arena_strdup(reading->arena,
					     wf_org_at(o, kind, number)->id);
}

static void resolve_links(
    const struct file_reading *reading, struct wf_org_record *record)
{
	const struct wf_org_layout *layout = &wf_org_layouts[record->kind];

	for (size_t i = 0; i < layout->field_count; i++) {
		const struct wf_org_field *field = &layout->fields[i];

		if (field->type == WF_ORG_LINK) {
			const char **id = wf_org_text(record, field);

			*id = resolve(reading, field->target, *id);
		} else if (field->type == WF_ORG_LINKS) {
			struct wf_texts *ids = wf_org_texts(record, field);

			for (size_t k = 0; k < ids->count; k++)
				ids->rows[k] = resolve(
				    reading, field->target, ids->rows[k]);
		}
	}
}

/* --- records -------------------------------------------------------------- */

static enum wf_rc read_id(const json_t *json, struct wf_org_record *record,
    struct wf_arena *arena, struct wf_error *err)
{
	const json_t *id = json_object_get(json, "id");

	if (id == NULL)
		return WF_OK;
	if (!json_is_string(id) || json_string_length(id) == 0 ||
	    json_string_length(id) > WF_ORG_NAME_BYTES ||
	    strlen(json_string_value(id)) != json_string_length(id))
		return wf_fail(err, WF_INVALID,
		    "\"id\": expected 1 to %u bytes", WF_ORG_NAME_BYTES);
	record->id = wf_arena_strdup(arena, json_string_value(id));
	return WF_OK;
}

/* The record of the organisation that this one is about; WF_ORG_NOBODY. */
static uint32_t find_known(const struct file_reading *reading,
    const struct wf_org_record *record, const json_t *json)
{
	const struct wf_organisation *o = reading->organisation;
	const char *name = json_string_value(
	    json_object_get(json, wf_org_layouts[record->kind].fields[0].json));

	if (record->id[0] != '\0')
		return wf_org_find(o, record->kind, record->id);
	return name == NULL ? WF_ORG_NOBODY
			    : wf_org_find_name(o, record->kind, name);
}

/* What the file does not say of a known record stays as it is. */
static enum wf_rc read_members(struct file_reading *reading, json_t *json,
    struct wf_org_record *record, struct wf_error *err)
{
	uint32_t known = find_known(reading, record, json);

	if (known != WF_ORG_NOBODY) {
		json_t *before = wf_org_record_json(
		    wf_org_at(reading->organisation, record->kind, known));

		json_object_del(before, "id");
		json_object_update_missing(json, before);
		json_decref(before);
	}
	return wf_org_record_read_json(reading->arena, json, true, record, err);
}

static enum wf_rc add_record(struct file_reading *reading,
    enum wf_org_kind kind, json_t *json, struct wf_error *err)
{
	struct wf_org_record *record =
	    wf_org_record_new(reading->arena, kind, "");
	enum wf_rc rc;

	if (!json_is_object(json))
		return wf_fail(err, WF_INVALID, "expected an object");
	rc = read_id(json, record, reading->arena, err);
	json_object_del(json, "id");
	if (rc == WF_OK)
		rc = read_members(reading, json, record, err);
	if (rc == WF_OK && wf_org_name(record)[0] == '\0')
		rc = wf_fail(err, WF_INVALID, "\"%s\": expected a name",
		    wf_org_layouts[kind].fields[0].json);
	if (rc != WF_OK)
		return rc;
	if (record->id[0] == '\0')
		record->id = find_id(reading, record);
	wf_org_list_add(reading->arena, reading->list, record);
	(void)wf_map_add(reading->ids,
	    key_of(reading->arena, kind, record->id, false), record);
	(void)wf_map_add(reading->names,
	    key_of(reading->arena, kind, wf_org_name(record), true), record);
	return WF_OK;
}

static enum wf_rc add_records(struct file_reading *reading,
    enum wf_org_kind kind, json_t *records, const size_t *lines,
    struct wf_error *err)
{
	enum wf_rc rc = WF_OK;

	reading->list->has[kind] = true;
	for (size_t i = 0; rc == WF_OK && i < json_array_size(records); i++) {
		rc = add_record(reading, kind, json_array_get(records, i), err);
		if (rc == WF_OK)
			continue;
		if (lines != NULL && err != NULL)
			err->place.line = (int)lines[i];
		else
			wf_error_prefix(err, "%s, record %zu",
			    wf_org_layouts[kind].words, i + 1);
	}
	return rc;
}

/* A member of the file: all records of one kind. */
static enum wf_rc read_section(struct file_reading *reading,
    enum wf_org_kind only, const char *word, json_t *records,
    struct wf_error *err)
{
	enum wf_org_kind kind = wf_org_kind_find(word);

	if (kind == WF_ORG_NONE)
		return wf_fail(err, WF_INVALID,
		    "\"%.60s\": expected people, roles, positions, groups, "
		    "capabilities, categories, things, rates or calendars",
		    word);
	if (only != WF_ORG_NONE && kind != only)
		return wf_fail(err, WF_INVALID, "\"%.60s\": expected %s only",
		    word, wf_org_layouts[only].words);
	if (!json_is_array(records))
		return wf_fail(err, WF_INVALID,
		    "\"%.60s\": expected an array of records", word);
	return add_records(reading, kind, records, NULL, err);
}

static enum wf_rc read_sections(struct file_reading *reading,
    enum wf_org_kind only, json_t *json, struct wf_error *err)
{
	const char *word;
	json_t *records;
	enum wf_rc rc = WF_OK;

	if (json_is_array(json) && only != WF_ORG_NONE)
		return add_records(reading, only, json, NULL, err);
	if (!json_is_object(json))
		return wf_fail(err, WF_INVALID,
		    "expected an object such as {\"people\": [..]}");
	json_object_foreach(json, word, records)
	{
		rc = read_section(reading, only, word, records, err);
		if (rc != WF_OK)
			break;
	}
	return rc;
}

static enum wf_rc read_json(struct file_reading *reading, enum wf_org_kind only,
    const char *text, size_t length, struct wf_error *err)
{
	json_error_t error;
	json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	enum wf_rc rc;

	if (length == 0) {
		rc = wf_fail(err, WF_INVALID, "the file is empty");
	} else if (json == NULL) {
		rc = wf_fail(
		    err, WF_INVALID, "this is no JSON: %.200s", error.text);
		if (err != NULL)
			err->place.line = error.line;
		return rc;
	}
	rc = read_sections(reading, only, json, err);
	json_decref(json);
	return rc;
}

static enum wf_rc read_csv(struct file_reading *reading, enum wf_org_kind kind,
    const char *text, size_t length, struct wf_error *err)
{
	json_t *records;
	size_t *lines;
	enum wf_rc rc = wf_org_table_read(
	    reading->arena, kind, text, length, &records, &lines, err);

	if (rc != WF_OK)
		return rc;
	rc = add_records(reading, kind, records, lines, err);
	json_decref(records);
	return rc;
}

enum wf_rc wf_org_file_read(struct wf_arena *arena,
    const struct wf_organisation *organisation, enum wf_org_format format,
    enum wf_org_kind kind, const char *text, size_t length,
    struct wf_org_list *list_out, struct wf_error *err)
{
	struct file_reading reading = {
		.arena = arena, .organisation = organisation, .list = list_out
	};
	enum wf_rc rc;

	*list_out = (struct wf_org_list){ .count = 0 };
	if (format == WF_ORG_YBKP)
		return wf_backup_read(arena, text, length, list_out, err);
	reading.ids = wf_map_new();
	reading.names = wf_map_new();
	rc = format == WF_ORG_CSV
		 ? read_csv(&reading, kind, text, length, err)
		 : read_json(&reading, kind, text, length, err);
	for (size_t i = 0; rc == WF_OK && i < list_out->count; i++)
		resolve_links(&reading, list_out->rows[i]);
	wf_map_free(&reading.ids);
	wf_map_free(&reading.names);
	return rc;
}

/* --- writing -------------------------------------------------------------- */

static void write_json(const struct wf_organisation *organisation,
    enum wf_org_kind only, struct wf_buffer *text)
{
	json_t *all = json_object();
	char *dump;

	for (unsigned kind = 0; kind < WF_ORG_KINDS; kind++) {
		size_t count = wf_org_count(organisation, kind);
		json_t *records;

		if (only != WF_ORG_NONE && kind != only)
			continue;
		records = json_array();
		for (uint32_t i = 0; i < count; i++)
			json_array_append_new(
			    records, wf_org_record_json(
					 wf_org_at(organisation, kind, i)));
		json_object_set_new(all, wf_org_layouts[kind].words, records);
	}
	/* An amount has 15 digits. */
	dump = json_dumps(all, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	json_decref(all);
	wf_buffer_puts(text, dump);
	wf_buffer_putc(text, '\n');
	free(dump);
}

void wf_org_file_write(const struct wf_organisation *organisation,
    enum wf_org_format format, enum wf_org_kind kind, struct wf_buffer *text)
{
	switch (format) {
	case WF_ORG_YBKP:
		wf_backup_write(organisation, text);
		return;
	case WF_ORG_CSV:
		wf_org_table_write(organisation, kind, text);
		return;
	default:
		write_json(organisation, kind, text);
		return;
	}
}
