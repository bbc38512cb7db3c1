/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first line names the columns: "id", and members of the records in JSON.
 * Several values in a cell are separated by ";".
 */
#include "people/organisation/org_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/panic.h"
#include "people/organisation/record_json.h"
#include "xquery/text/unicode.h"

#define COLUMNS 64U
#define CELL_MAXIMUM_BYTES ((size_t)1 << 20)

/* --- characters ----------------------------------------------------------- */

/* Spreadsheets also write other encodings; none of them is guessed. */
static enum wf_rc check_encoding(
    const char *text, size_t length, struct wf_error *err)
{
	const char *end = text + length;
	const char *line = text;
	int number = 1;

	if (wf_is_utf8(text, length))
		return WF_OK;
	for (const char *at = text; at < end;) {
		const char *next = at;

		(void)wf_utf8_next(&next, end);
		if (!wf_is_utf8(at, (size_t)(next - at))) {
			if (err != NULL)
				err->place.line = number;
			return wf_fail(err, WF_INVALID,
			    "byte %zu of the line (0x%02X) is not UTF-8: "
			    "expected a table that was saved as UTF-8",
			    (size_t)(at - line) + 1, (unsigned char)*at);
		}
		at = next;
		if (at[-1] == '\n') {
			line = at;
			number++;
		}
	}
	wf_panic(__FILE__, __LINE__, "a text is not UTF-8, but nothing in it");
}

/* --- cells ---------------------------------------------------------------- */

struct table {
	const char *at;
	const char *end;
	size_t line; /* of at, from 1 */
	struct wf_buffer cell;
};

/* Reads one cell; *is_last_out: the line ends behind it. */
static enum wf_rc next_cell(
    struct table *table, bool *is_last_out, struct wf_error *err)
{
	bool quoted = table->at < table->end && *table->at == '"';

	wf_buffer_reset(&table->cell);
	if (quoted)
		table->at++;
	while (table->at < table->end) {
		char byte = *table->at;

		if (quoted && byte == '"') {
			table->at++;
			if (table->at == table->end || *table->at != '"')
				break;
		} else if (!quoted && strchr(",\r\n", byte) != NULL) {
			break;
		}
		table->line += byte == '\n';
		wf_buffer_putc(&table->cell, byte);
		table->at++;
		if (quoted && table->at == table->end)
			return wf_fail(
			    err, WF_INVALID, "a \" at the end is missing");
	}
	*is_last_out = true;
	if (table->at < table->end && *table->at == '\r')
		table->at++;
	if (table->at == table->end)
		return WF_OK;
	if (*table->at == ',')
		*is_last_out = false;
	else if (*table->at == '\n')
		table->line++;
	else
		return wf_fail(err, WF_INVALID,
		    "expected a comma or the end of the line behind a \"");
	table->at++;
	return WF_OK;
}

static bool is_yes(const char *text)
{
	return strcasecmp(text, "yes") == 0 || strcasecmp(text, "true") == 0 ||
	       strcmp(text, "1") == 0;
}

static json_t *split(const char *text)
{
	json_t *array = json_array();

	while (*text != '\0') {
		size_t length = strcspn(text, ";");
		size_t blanks = strspn(text, " ");
		size_t end = length;

		while (end > blanks && text[end - 1] == ' ')
			end--;
		if (end > blanks)
			json_array_append_new(
			    array, json_stringn(text + blanks, end - blanks));
		text += length + (text[length] == ';');
	}
	return array;
}

json_t *wf_org_table_value(const struct wf_org_field *field, const char *text)
{
	char *end;
	double amount;

	switch (field == NULL ? WF_ORG_TEXT : field->type) {
	case WF_ORG_TEXT:
	case WF_ORG_LINK:
		return json_string(text);
	case WF_ORG_OBJECT:
		return json_loads(text, 0, NULL);
	case WF_ORG_FLAG:
		return is_yes(text) || strcasecmp(text, "no") == 0 ||
			       strcasecmp(text, "false") == 0 ||
			       strcmp(text, "0") == 0
			   ? json_boolean(is_yes(text))
			   : NULL;
	case WF_ORG_LINKS:
	case WF_ORG_TEXTS:
	case WF_ORG_BITS:
		return split(text);
	case WF_ORG_AMOUNT:
		amount = strtod(text, &end);
		return *end == '\0' ? json_real(amount) : NULL;
	}
	wf_panic(__FILE__, __LINE__, "no type of a field");
}

/* --- lines ---------------------------------------------------------------- */

struct column {
	const char *name;
	const struct wf_org_field *field; /* NULL: the id */
};

static enum wf_rc read_columns(struct table *table, struct wf_arena *arena,
    enum wf_org_kind kind, struct column columns[COLUMNS], size_t *count_out,
    struct wf_error *err)
{
	bool is_last = false;
	size_t count = 0;

	while (!is_last) {
		enum wf_rc rc = next_cell(table, &is_last, err);
		const char *name = wf_buffer_text(&table->cell);

		if (rc != WF_OK)
			return rc;
		if (count == COLUMNS)
			return wf_fail(err, WF_INVALID,
			    "expected at most %u columns", COLUMNS);
		columns[count].name = wf_arena_strdup(arena, name);
		columns[count].field =
		    name[0] == '\0' ? NULL : wf_org_field_find(kind, name);
		if (columns[count].field == NULL && strcmp(name, "id") != 0)
			return wf_fail(err, WF_INVALID,
			    "there is no column \"%s\" for %s%s",
			    wf_org_shown(arena, name),
			    wf_org_layouts[kind].words,
			    strchr(name, ';') == NULL
				? ""
				: "; expected commas between columns");
		for (size_t i = 0; i < count; i++)
			if (strcmp(columns[i].name, name) == 0)
				return wf_fail(err, WF_INVALID,
				    "the column \"%s\" is there twice",
				    wf_org_shown(arena, name));
		count++;
	}
	*count_out = count;
	return WF_OK;
}

/* A line with empty cells only is an empty record, which is passed over. */
static enum wf_rc read_line(struct table *table, struct wf_arena *arena,
    const struct column *columns, size_t count, json_t *record,
    struct wf_error *err)
{
	bool is_last = false;
	bool is_empty = true;
	size_t i = 0;

	while (!is_last) {
		enum wf_rc rc = next_cell(table, &is_last, err);
		const char *text = wf_buffer_text(&table->cell);
		json_t *value;

		if (rc != WF_OK)
			return rc;
		if (i == count)
			return wf_fail(err, WF_INVALID,
			    "expected %zu values, as there are columns", count);
		if (strlen(text) != table->cell.length)
			return wf_fail(err, WF_INVALID, "this is no text");
		if (text[0] != '\0') {
			value = wf_org_table_value(columns[i].field, text);
			if (value == NULL)
				return wf_fail(err, WF_INVALID,
				    "%s: \"%s\" is not %s", columns[i].name,
				    wf_org_shown(arena, text),
				    columns[i].field->type == WF_ORG_FLAG
					? "yes or no"
				    : columns[i].field->type == WF_ORG_OBJECT
					? "an object in JSON"
					: "a number");
			json_object_set_new(record, columns[i].name, value);
		} else if (columns[i].field != NULL) {
			json_object_set_new(
			    record, columns[i].name, json_null());
		}
		is_empty &= text[0] == '\0';
		i++;
	}
	if (is_empty)
		json_object_clear(record);
	return i == count || json_object_size(record) == 0
		   ? WF_OK
		   : wf_fail(err, WF_INVALID,
			 "expected %zu values, as there are columns, not %zu",
			 count, i);
}

static enum wf_rc read_lines(struct table *table, struct wf_arena *arena,
    const struct column *columns, size_t count, json_t *records,
    size_t **lines_out, struct wf_error *err)
{
	size_t capacity = 0;
	size_t *lines = NULL;

	while (table->at < table->end) {
		size_t number = json_array_size(records);
		size_t line = table->line;
		json_t *record = json_object();
		enum wf_rc rc =
		    read_line(table, arena, columns, count, record, err);

		if (rc != WF_OK || json_object_size(record) == 0) {
			json_decref(record);
			if (rc == WF_OK)
				continue; /* an empty line */
			if (err != NULL)
				err->place.line = (int)line;
			return rc;
		}
		json_array_append_new(records, record);
		lines = wf_arena_grow(
		    arena, lines, number, &capacity, sizeof(*lines));
		lines[number] = line;
	}
	*lines_out = lines;
	return WF_OK;
}

enum wf_rc wf_org_table_read(struct wf_arena *arena, enum wf_org_kind kind,
    const char *text, size_t length, json_t **records_out, size_t **lines_out,
    struct wf_error *err)
{
	struct table table = { text, text + length, 1, { 0 } };
	struct column columns[COLUMNS];
	size_t count = 0;
	enum wf_rc rc;

	wf_assert(kind < WF_ORG_KINDS);
	*lines_out = NULL;
	*records_out = NULL;
	rc = check_encoding(text, length, err);
	if (rc != WF_OK)
		return rc;
	*records_out = json_array();
	wf_buffer_init(&table.cell, length + 1);
	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		table.at += 3; /* a byte order mark */
	rc = read_columns(&table, arena, kind, columns, &count, err);
	if (rc == WF_OK)
		rc = read_lines(&table, arena, columns, count, *records_out,
		    lines_out, err);
	else if (err != NULL)
		err->place.line = 1;
	wf_buffer_free(&table.cell);
	if (rc != WF_OK) {
		json_decref(*records_out);
		*records_out = NULL;
	}
	return rc;
}

/* --- writing -------------------------------------------------------------- */

static void put_cell(struct wf_buffer *text, const char *value)
{
	if (strpbrk(value, ",\"\r\n") == NULL) {
		wf_buffer_puts(text, value);
		return;
	}
	wf_buffer_putc(text, '"');
	for (; *value != '\0'; value++) {
		if (*value == '"')
			wf_buffer_putc(text, '"');
		wf_buffer_putc(text, *value);
	}
	wf_buffer_putc(text, '"');
}

/* The name of what a link leads to; its id, if the name would not be read so.
 */
static const char *name_of(const struct wf_organisation *organisation,
    const struct wf_org_field *field, const char *text)
{
	uint32_t number;
	const char *name;

	if (field->type != WF_ORG_LINK && field->type != WF_ORG_LINKS)
		return text;
	number = wf_org_find(organisation, field->target, text);
	if (number == WF_ORG_NOBODY)
		return text;
	name = wf_org_name(wf_org_at(organisation, field->target, number));
	return strchr(name, ';') != NULL || name[0] == ' ' ||
		       name[strlen(name) - 1] == ' ' ||
		       wf_org_find_any(organisation, field->target, name) !=
			   number
		   ? text
		   : name;
}

/* Without zeros at the end. */
static void put_amount(struct wf_buffer *cell, double amount)
{
	char text[64];
	size_t length = (size_t)snprintf(text, sizeof(text), "%.6f", amount);

	while (length > 0 && text[length - 1] == '0')
		text[--length] = '\0';
	if (length > 0 && text[length - 1] == '.')
		text[--length] = '\0';
	wf_buffer_puts(cell, text);
}

static void put_object(const json_t *value, struct wf_buffer *cell)
{
	char *text = json_dumps(value, JSON_COMPACT);

	wf_buffer_puts(cell, text);
	free(text);
}

static void put_value(const struct wf_organisation *organisation,
    const struct wf_org_field *field, const json_t *value,
    struct wf_buffer *text)
{
	struct wf_buffer cell;

	wf_buffer_init(&cell, CELL_MAXIMUM_BYTES);
	if (json_is_boolean(value))
		wf_buffer_puts(&cell, json_is_true(value) ? "yes" : "no");
	else if (json_is_number(value))
		put_amount(&cell, json_number_value(value));
	else if (json_is_string(value))
		wf_buffer_puts(&cell,
		    name_of(organisation, field, json_string_value(value)));
	else if (json_is_object(value))
		put_object(value, &cell);
	for (size_t i = 0; i < json_array_size(value); i++)
		wf_buffer_printf(&cell, "%s%s", i > 0 ? "; " : "",
		    name_of(organisation, field,
			json_string_value(json_array_get(value, i))));
	put_cell(text, wf_buffer_text(&cell));
	wf_buffer_free(&cell);
}

void wf_org_table_write(const struct wf_organisation *organisation,
    enum wf_org_kind kind, struct wf_buffer *text)
{
	const struct wf_org_layout *layout = &wf_org_layouts[kind];
	size_t count = wf_org_count(organisation, kind);

	wf_buffer_puts(text, "id");
	for (size_t k = 0; k < layout->field_count; k++)
		if (layout->fields[k].json[0] != '\0')
			wf_buffer_printf(text, ",%s", layout->fields[k].json);
	wf_buffer_puts(text, "\r\n");
	for (uint32_t i = 0; i < count; i++) {
		const struct wf_org_record *record =
		    wf_org_at(organisation, kind, i);
		json_t *json = wf_org_record_json(record);

		put_cell(text, record->id);
		for (size_t k = 0; k < layout->field_count; k++) {
			const struct wf_org_field *field = &layout->fields[k];

			if (field->json[0] == '\0')
				continue;
			wf_buffer_putc(text, ',');
			put_value(organisation, field,
			    json_object_get(json, field->json), text);
		}
		wf_buffer_puts(text, "\r\n");
		json_decref(json);
	}
}
