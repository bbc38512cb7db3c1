/* SPDX-License-Identifier: Apache-2.0 */
#include "form/hints.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TEXT_BYTES ((size_t)16 << 10)
#define PROBLEMS_MAXIMUM 20U
/* The name of a hint with a language behind it. */
#define NAME_BYTES 100U

/* The hints that say how something is displayed. */
static const char *const appearance[] = { "justify", "blackout",
	"background-color", "background-alt-color", "font-color", "font-family",
	"font-size", "font-style", "header-font-color", "header-font-family",
	"header-font-size", "header-font-style", "page-background-color",
	"page-background-image", "image-above", "image-above-align",
	"image-below", "image-below-align", "line-above", "line-below",
	"text-above", "text-below", "max-field-width", "hideBanner", NULL };
/* What a container hands down to its fields. */
static const char *const handed_down[] = { "readOnly", "hide", "hideIf",
	"showIf", "skipValidation", "blackout", "justify", "font-color",
	"font-family", "font-size", "font-style", "background-color", "alert",
	NULL };

static bool is_in(const char *name, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcasecmp(*list, name) == 0)
			return true;
	return false;
}

static const char *find_attribute(
    const struct wf_attribute *attributes, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		const char *colon = strchr(attributes[i].name, ':');

		if (strcasecmp(colon == NULL ? attributes[i].name : colon + 1,
			name) == 0)
			return attributes[i].value;
	}
	return NULL;
}

static const char *find_here(const struct wf_hints *hints, const char *name)
{
	const char *value =
	    find_attribute(hints->attributes, hints->attribute_count, name);

	if (value == NULL)
		value = find_attribute(hints->more, hints->more_count, name);
	for (size_t i = 0; value == NULL && i < hints->hint_count; i++)
		if (strcasecmp(hints->hints[i].name, name) == 0)
			value = hints->hints[i].value;
	return value;
}

/* In the language, "zh-TW"; else in the first part of it, "zh"; else as is. */
static const char *find_in_language(
    const struct wf_hints *hints, const char *name, const char *language)
{
	size_t length = language == NULL ? 0 : strlen(language);
	char longer[NAME_BYTES];

	while (length > 0) {
		int written = snprintf(longer, sizeof(longer), "%s-%.*s", name,
		    (int)length, language);
		const char *value = written < (int)sizeof(longer)
					? find_here(hints, longer)
					: NULL;

		if (value != NULL)
			return value;
		do
			length--;
		while (length > 0 && language[length] != '-');
	}
	return find_here(hints, name);
}

/*
 * The value as written, the nearest; NULL: none.  Names are compared without
 * prefix and case.  Only some are handed down.  language: or NULL.
 */
static const char *hint_of(
    const struct wf_hints *hints, const char *name, const char *language)
{
	bool goes_up = is_in(name, handed_down);
	const char *value = NULL;

	for (; hints != NULL && value == NULL;
	     hints = goes_up ? hints->above : NULL)
		value = find_in_language(hints, name, language);
	return value;
}

bool wf_hint_is_true(const struct wf_hints *hints, const char *name)
{
	const char *value = hint_of(hints, name, NULL);

	return value != NULL &&
	       (strcasecmp(value, "true") == 0 ||
		   strcasecmp(value, "yes") == 0 || strcmp(value, "1") == 0);
}

static void note(struct wf_form_text *text, const char *path, const char *query,
    const struct wf_error *err)
{
	if (json_array_size(text->problems) >= PROBLEMS_MAXIMUM)
		return;
	json_array_append_new(
	    text->problems, json_pack("{s:s, s:s, s:s}", "path", path, "query",
				query, "message", err->message));
}

bool wf_hint_holds(const struct wf_hints *hints, const char *name,
    struct wf_form_text *text, bool otherwise)
{
	const char *condition = hint_of(hints, name, NULL);
	struct wf_error err = { .rc = WF_OK };
	struct wf_query *query = NULL;
	bool holds = otherwise;

	if (condition == NULL || *condition == '\0')
		return otherwise;
	if (wf_query_compile(&query, condition, NULL, 0, &err) != WF_OK ||
	    wf_query_boolean(
		query, &text->document, &text->how, &holds, &err) != WF_OK) {
		note(text, hints->path, condition, &err);
		holds = otherwise;
	}
	wf_query_free(&query);
	return holds;
}

/* --- texts with places ---------------------------------------------------- */

/* The brace that ends a place; braces inside are paired. */
static const char *end_of_place(const char *at)
{
	size_t depth = 0;

	for (; *at != '\0'; at++) {
		if (*at == '{')
			depth++;
		else if (*at == '}' && depth-- == 0)
			return at;
	}
	return NULL;
}

static void put_encoded(struct wf_buffer *to, const struct wf_buffer *from)
{
	const char *text = wf_buffer_text(from);

	for (size_t i = 0; i < from->length; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		    (c >= 'a' && c <= 'z') || strchr("-._~", c) != NULL)
			wf_buffer_putc(to, (char)c);
		else
			wf_buffer_printf(to, "%%%02X", c);
	}
}

static void fill_place(struct wf_form_text *text, const char *path,
    const char *place, bool is_uri, struct wf_buffer *to)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_query *query = NULL;
	struct wf_buffer result;

	wf_buffer_init(&result, TEXT_BYTES);
	if (wf_query_compile(&query, place, NULL, 0, &err) != WF_OK ||
	    wf_query_string(
		query, &text->document, &text->how, &result, &err) != WF_OK) {
		note(text, path, place, &err);
		wf_buffer_reset(&result);
		wf_buffer_puts(&result, is_uri ? "" : "n/a");
	}
	if (is_uri)
		put_encoded(to, &result);
	else
		wf_buffer_append(to, wf_buffer_text(&result), result.length);
	wf_buffer_free(&result);
	wf_query_free(&query);
}

void wf_form_fill(struct wf_form_text *text, const char *path, const char *from,
    const char *opening, bool is_uri, struct wf_buffer *to)
{
	const char *start;
	const char *end;

	while ((start = strstr(from, opening)) != NULL &&
	       (end = end_of_place(start + strlen(opening))) != NULL) {
		const char *begin = start + strlen(opening);
		char *place = wf_strndup(begin, (size_t)(end - begin));

		wf_buffer_append(to, from, (size_t)(start - from));
		fill_place(text, path, place, is_uri, to);
		wf_free(place);
		from = end + 1;
	}
	wf_buffer_puts(to, from);
}

void wf_hint_put(const struct wf_hints *hints, const char *name,
    const char *member, struct wf_form_text *text, json_t *object)
{
	const char *value = hint_of(hints, name, text->language);
	struct wf_buffer filled;

	if (value == NULL)
		return;
	wf_buffer_init(&filled, TEXT_BYTES);
	wf_form_fill(text, hints->path, value, "${", false, &filled);
	json_object_set_new(object, member,
	    json_stringn(wf_buffer_text(&filled), filled.length));
	wf_buffer_free(&filled);
}

void wf_hint_put_appearance(
    const struct wf_hints *hints, struct wf_form_text *text, json_t *object)
{
	json_t *members = json_object();

	for (size_t i = 0; appearance[i] != NULL; i++)
		wf_hint_put(hints, appearance[i], appearance[i], text, members);
	if (json_object_size(members) > 0)
		json_object_set(object, "attributes", members);
	json_decref(members);
}
