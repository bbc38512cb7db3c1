/* SPDX-License-Identifier: Apache-2.0 */
/* Prints answers for people: tables, and lines of names and values. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/panic.h"
#include "cli/remote/remote.h"
#include "data/json.h"

/* The widest column; longer texts are cut in a table, but in the last one. */
#define WIDTH_MAXIMUM 60

void wf_remote_print_json(const json_t *json)
{
	char *text = wf_json_dump(json, JSON_INDENT(2) | JSON_ENCODE_ANY);

	puts(text == NULL ? "" : text);
	free(text);
}

/*
 * Newlines and tabs stay.  Other control characters (of ASCII, and U+0080 to
 * U+009F) are shown as escapes of JSON: a terminal would obey them.
 */
static void put_visible(struct wf_buffer *text, const char *from)
{
	for (; *from != '\0'; from++) {
		unsigned next = (unsigned char)from[1];
		unsigned code = (unsigned char)*from;

		if (code == 0xc2 && next >= 0x80 && next <= 0x9f) {
			code = next;
			from++;
		} else if ((code >= 0x20 && code != 0x7f) || code == '\t' ||
			   code == '\n') {
			wf_buffer_putc(text, *from);
			continue;
		}
		wf_buffer_printf(text, "\\u%04x", code);
	}
}

/* That something is paused: since when, by whom, and why. */
static void put_pause(struct wf_buffer *text, const json_t *pause)
{
	static const struct {
		const char *word;
		const char *member;
	} parts[] = { { " ", "service" }, { " since ", "since" },
		{ " by ", "by" }, { ": ", "reason" } };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *value =
		    json_string_value(json_object_get(pause, parts[i].member));

		if (value == NULL)
			continue;
		wf_buffer_puts(text, parts[i].word + (text->length == 0));
		put_visible(text, value);
	}
}

/* A value as text of one line; the caller frees it. */
static char *text_of(const json_t *value)
{
	struct wf_buffer text;
	char *dumped;

	wf_buffer_init(&text, (size_t)64 << 20);
	if (json_is_string(value)) {
		put_visible(&text, json_string_value(value));
	} else if (json_is_string(json_array_get(value, 0))) {
		for (size_t i = 0; i < json_array_size(value); i++) {
			if (i > 0)
				wf_buffer_putc(&text, ' ');
			put_visible(
			    &text, json_string_value(json_array_get(value, i)));
		}
	} else if (json_object_get(value, "since") != NULL) {
		put_pause(&text, value);
	} else if (value != NULL) {
		dumped = wf_json_dump(value, JSON_COMPACT | JSON_ENCODE_ANY);
		put_visible(&text, dumped == NULL ? "" : dumped);
		free(dumped);
	}
	return wf_buffer_take(&text);
}

void wf_remote_print_line(const char *text)
{
	struct wf_buffer visible;

	wf_buffer_init(&visible, (size_t)64 << 20);
	put_visible(&visible, text);
	puts(wf_buffer_text(&visible));
	wf_buffer_free(&visible);
}

/* The width of a character: wide ones of East Asia and emoji take two. */
static size_t columns_of(char first)
{
	unsigned char lead = (unsigned char)first;

	if ((lead & 0xc0) == 0x80)
		return 0;
	return (lead >= 0xe3 && lead <= 0xed) || lead >= 0xf0 ? 2 : 1;
}

/* The width of a line on a screen. */
static size_t width_of(char *text)
{
	size_t width = 0;

	for (char *at = text; *at != '\0'; at++) {
		if ((unsigned char)*at < 0x20)
			*at = ' ';
		width += columns_of(*at);
	}
	return width;
}

/* What stands for the rest of a text that was cut. */
#define REST ".."
#define REST_WIDTH (sizeof(REST) - 1)

/* Cuts a text that is wider than that; returns its width now. */
static size_t cut(char *text, size_t width)
{
	size_t count = 0;
	char *at = text;

	wf_assert(width >= REST_WIDTH);
	while (count + columns_of(*at) + REST_WIDTH <= width)
		count += columns_of(*at++);
	/* What is left is wider than that, so it has as many bytes. */
	memcpy(at, REST, sizeof(REST));
	return count + REST_WIDTH;
}

struct column {
	char *name;
	size_t width;
	bool used;
};

static void print_cell(char *text, const struct column *column, bool last)
{
	size_t width = width_of(text);

	if (width > column->width && !last)
		width = cut(text, column->width);
	fputs(text, stdout);
	for (; !last && width < column->width + 2; width++)
		putchar(' ');
}

static size_t split(const char *columns, struct column *out, size_t maximum)
{
	size_t count = 0;

	while (*columns != '\0' && count < maximum) {
		size_t length = strcspn(columns, " ");

		out[count].name = wf_strndup(columns, length);
		out[count].width = length;
		out[count++].used = false;
		columns += length;
		columns += strspn(columns, " ");
	}
	return count;
}

/* A column is a member of the row, or "member.member". */
static const json_t *cell_of(const json_t *row, const char *column)
{
	size_t length = strcspn(column, ".");
	const json_t *value = json_object_getn(row, column, length);

	return column[length] == '.' ? cell_of(value, column + length + 1)
				     : value;
}

static void measure(const json_t *rows, struct column *columns, size_t count)
{
	for (size_t i = 0; i < json_array_size(rows); i++)
		for (size_t k = 0; k < count; k++) {
			char *text = text_of(
			    cell_of(json_array_get(rows, i), columns[k].name));
			size_t width = width_of(text);

			if (width > columns[k].width)
				columns[k].width = width;
			if (columns[k].width > WIDTH_MAXIMUM)
				columns[k].width = WIDTH_MAXIMUM;
			columns[k].used |= width > 0;
			wf_free(text);
		}
}

static void print_head(const struct column *column, bool last)
{
	char *name = wf_strdup(column->name);

	for (char *at = name; *at != '\0'; at++)
		*at = (char)toupper((unsigned char)*at);
	print_cell(name, column, last);
	wf_free(name);
}

static void print_rows(const json_t *rows, const struct column *columns,
    const size_t *shown, size_t count)
{
	for (size_t k = 0; k < count; k++)
		print_head(&columns[shown[k]], k + 1 == count);
	putchar('\n');
	for (size_t i = 0; i < json_array_size(rows); i++) {
		for (size_t k = 0; k < count; k++) {
			char *text = text_of(cell_of(
			    json_array_get(rows, i), columns[shown[k]].name));

			print_cell(text, &columns[shown[k]], k + 1 == count);
			wf_free(text);
		}
		putchar('\n');
	}
}

/* Empty columns are left out. */
void wf_remote_print_list(const json_t *rows, const char *columns)
{
	struct column all[16];
	size_t shown[16];
	size_t count = split(columns, all, 16);
	size_t used = 0;

	measure(rows, all, count);
	for (size_t k = 0; k < count; k++)
		if (all[k].used || json_array_size(rows) == 0)
			shown[used++] = k;
	print_rows(rows, all, shown, used);
	for (size_t k = 0; k < count; k++)
		wf_free(all[k].name);
}

static void print_indented(const json_t *json, int depth);

static void print_member(const char *name, const json_t *value, int depth)
{
	bool nests = json_is_object(value) || json_is_array(value);
	bool empty = json_object_size(value) + json_array_size(value) == 0;
	char *text;

	printf("%*s%s", depth * 2, "", name);
	if (nests && !empty) {
		putchar('\n');
		print_indented(value, depth + 1);
		return;
	}
	text = nests ? wf_strdup("none") : text_of(value);
	printf("%*s%s\n",
	    depth == 0 && strlen(name) < 16 ? (int)(16 - strlen(name)) : 2, "",
	    text);
	wf_free(text);
}

static void print_indented(const json_t *json, int depth)
{
	const char *name;
	json_t *value;
	char *text;
	size_t i;

	if (json_is_object(json)) {
		json_object_foreach((json_t *)(uintptr_t)json, name, value)
		    print_member(name, value, depth);
		return;
	}
	if (!json_is_array(json)) {
		text = text_of(json);
		printf("%*s%s\n", depth * 2, "", text);
		wf_free(text);
		return;
	}
	json_array_foreach(json, i, value)
	{
		print_indented(value, depth);
		if (json_is_object(value) && i + 1 < json_array_size(json))
			printf("%*s-\n", depth * 2, "");
	}
}

void wf_remote_print_object(const json_t *object)
{
	print_indented(object, 0);
}
