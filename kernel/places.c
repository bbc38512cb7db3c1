/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills in the placeholders of a text ("${task:name}").  Most words stand for a
 * text or a time in a struct, so they are rows of a table: the word, the
 * struct, the offset.  Each of the others has a function.
 */
#include "kernel/places.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/panic.h"

#define PLACE_BYTES ((size_t)1 << 20) /* of one placeholder, filled in */

enum object { OF_SPEC, OF_TASK, OF_DECOMPOSITION, OF_PARAMETER, OF_ITEM };

struct row {
	const char *word;
	size_t offset;
	enum object object;
	bool is_time;
};

#define TEXT(word, object, type, member)                                       \
	{                                                                      \
		word, offsetof(struct type, member), object, false             \
	}
#define TIME(word, member)                                                     \
	{                                                                      \
		word, offsetof(struct wf_item, member), OF_ITEM, true          \
	}

static const struct row rows[] = {
	TEXT("spec:name", OF_SPEC, wf_spec, uri),
	TEXT("spec:version", OF_SPEC, wf_spec, metadata.version),
	TEXT("spec:key", OF_SPEC, wf_spec, metadata.identifier),
	TEXT("decomp:spec:name", OF_SPEC, wf_spec, name),
	TEXT("task:id", OF_TASK, wf_task, id),
	TEXT("task:name", OF_TASK, wf_task, name),
	TEXT("task:doco", OF_TASK, wf_task, documentation),
	TEXT("item:customform", OF_TASK, wf_task, custom_form),
	TEXT("item:codelet", OF_DECOMPOSITION, wf_decomposition, codelet),
	TEXT("item:handlingservice:uri", OF_DECOMPOSITION, wf_decomposition,
	    service_uri),
	TEXT("task:decomposition:name", OF_DECOMPOSITION, wf_decomposition, id),
	TEXT("decomp:name", OF_DECOMPOSITION, wf_decomposition, id),
	TEXT("decomp:doco", OF_DECOMPOSITION, wf_decomposition, documentation),
	TEXT("parameter:decomposition", OF_DECOMPOSITION, wf_decomposition, id),
	TEXT("parameter:name", OF_PARAMETER, wf_variable, name),
	TEXT("parameter:datatype", OF_PARAMETER, wf_variable, type_name),
	TEXT("parameter:namespace", OF_PARAMETER, wf_variable, type_namespace),
	TEXT("parameter:doco", OF_PARAMETER, wf_variable, documentation),
	TEXT("parameter:initialvalue", OF_PARAMETER, wf_variable, initial_text),
	TEXT("parameter:defaultvalue", OF_PARAMETER, wf_variable, default_text),
	TIME("item:enabledtime", enabled_at),
	TIME("item:firedtime", fired_at),
	TIME("item:startedtime", started_at),
};

static const void *object_of(const struct wf_known *known, enum object object)
{
	switch (object) {
	case OF_SPEC:
		return known->spec;
	case OF_TASK:
		return known->item == NULL ? NULL : known->item->task;
	case OF_DECOMPOSITION:
		return known->decomposition;
	case OF_PARAMETER:
		return known->parameter;
	case OF_ITEM:
		return known->item;
	}
	return NULL;
}

/* length bytes from start on of "2026-01-31 09:30:00.000". */
static bool put_time(struct wf_buffer *text, const struct wf_known *known,
    int64_t time, size_t start, size_t length)
{
	int64_t local = time + (int64_t)known->how->timezone * 60000;
	int64_t rest = (local % 1000 + 1000) % 1000;
	time_t seconds = (time_t)((local - rest) / 1000);
	struct tm when;
	char whole[64];
	size_t end;

	if (time == 0 || gmtime_r(&seconds, &when) == NULL)
		return false;
	end = strftime(whole, sizeof(whole), "%Y-%m-%d %H:%M:%S", &when);
	wf_assert(start < end && end < sizeof(whole));
	snprintf(whole + end, sizeof(whole) - end, ".%03d", (int)rest);
	wf_buffer_printf(text, "%.*s", (int)length, whole + start);
	return true;
}

static bool put_row(
    struct wf_buffer *text, const struct wf_known *known, const struct row *row)
{
	const char *object = object_of(known, row->object);
	const char *const *string;

	if (object == NULL)
		return false;
	if (row->is_time)
		return put_time(text, known,
		    *(const int64_t *)(const void *)(object + row->offset), 0,
		    23);
	string = (const char *const *)(const void *)(object + row->offset);
	if (*string == NULL)
		return false;
	wf_buffer_puts(text, *string);
	return true;
}

static bool put_now(struct wf_buffer *text, const struct wf_known *known)
{
	return put_time(text, known, known->how->now, 0, 23);
}

static bool put_date(struct wf_buffer *text, const struct wf_known *known)
{
	return put_time(text, known, known->how->now, 0, 10);
}

static bool put_time_of_day(
    struct wf_buffer *text, const struct wf_known *known)
{
	return put_time(text, known, known->how->now, 11, 12);
}

static bool put_item(struct wf_buffer *text, const struct wf_known *known)
{
	char id[WF_ITEM_ID_SIZE];

	if (known->item == NULL)
		return false;
	wf_item_id(known->item, id);
	wf_buffer_puts(text, id);
	return true;
}

static bool put_status(struct wf_buffer *text, const struct wf_known *known)
{
	if (known->item == NULL)
		return false;
	wf_buffer_puts(text, wf_item_status_name(known->item->status));
	return true;
}

static bool put_timer(struct wf_buffer *text, const struct wf_known *known)
{
	wf_buffer_puts(text, known->timer == NULL ? "Nil" : known->timer);
	return known->item != NULL;
}

static bool put_expiry(struct wf_buffer *text, const struct wf_known *known)
{
	if (known->item == NULL)
		return false;
	if (!put_time(text, known, known->item->timer_at, 0, 23))
		wf_buffer_puts(text, "Nil");
	return true;
}

static bool put_names(
    struct wf_buffer *text, const struct wf_variable *variables, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wf_buffer_printf(
		    text, "%s%s", i > 0 ? ", " : "", variables[i].name);
	return true;
}

static bool put_inputs(struct wf_buffer *text, const struct wf_known *known)
{
	const struct wf_decomposition *d = known->decomposition;

	return d != NULL && put_names(text, d->inputs, d->input_count);
}

static bool put_outputs(struct wf_buffer *text, const struct wf_known *known)
{
	const struct wf_decomposition *d = known->decomposition;

	return d != NULL && put_names(text, d->outputs, d->output_count);
}

static bool put_usage(struct wf_buffer *text, const struct wf_known *known)
{
	if (known->parameter == NULL)
		return false;
	wf_buffer_puts(text, known->parameter->usage == WF_OUTPUT
				 ? "outputParam"
				 : "inputParam");
	return true;
}

static bool put_ordering(struct wf_buffer *text, const struct wf_known *known)
{
	if (known->parameter == NULL || known->parameter->index < 0)
		return false;
	wf_buffer_printf(text, "%d", known->parameter->index);
	return true;
}

static const struct {
	const char *word;
	bool (*put)(struct wf_buffer *text, const struct wf_known *known);
} words[] = {
	{ "now", put_now },
	{ "date", put_date },
	{ "time", put_time_of_day },
	{ "item:id", put_item },
	{ "item:status", put_status },
	{ "item:timer:status", put_timer },
	{ "item:timer:expiry", put_expiry },
	{ "decomp:inputs", put_inputs },
	{ "decomp:outputs", put_outputs },
	{ "parameter:usage", put_usage },
	{ "parameter:ordering", put_ordering },
};

/* "item:attribute:NAME" and similar words. */
static bool put_attribute(struct wf_buffer *text, const char *place,
    const char *prefix, const struct wf_attribute *attributes, size_t count)
{
	size_t length = strlen(prefix);

	if (strncmp(place, prefix, length) != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(attributes[i].name, place + length) == 0) {
			wf_buffer_puts(text, attributes[i].value);
			return true;
		}
	return false;
}

static bool put_attributes(
    struct wf_buffer *text, const char *place, const struct wf_known *known)
{
	const struct wf_decomposition *d = known->decomposition;
	const struct wf_variable *parameter = known->parameter;

	if (parameter != NULL &&
	    put_attribute(text, place, "parameter:attribute:",
		parameter->attributes, parameter->attribute_count))
		return true;
	return d != NULL &&
	       (put_attribute(text, place, "item:attribute:", d->attributes,
		    d->attribute_count) ||
		   put_attribute(text, place,
		       "decomp:attribute:", d->attributes, d->attribute_count));
}

static bool put_word(
    struct wf_buffer *text, const char *place, const struct wf_known *known)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, place) == 0)
			return words[i].put(text, known);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].word, place) == 0)
			return put_row(text, known, &rows[i]);
	return put_attributes(text, place, known);
}

static void put_place(struct wf_buffer *text, const struct wf_piece *piece,
    const struct wf_known *known)
{
	struct wf_error unseen = { .rc = WF_OK };
	struct wf_buffer filled;
	bool good;

	wf_buffer_init(&filled, PLACE_BYTES);
	if (piece->query == NULL)
		good = put_word(&filled, piece->text, known);
	else
		good = wf_query_text(piece->query, &known->document, known->how,
			   &filled, &unseen) == WF_OK;
	if (good && !filled.full)
		wf_buffer_append(text, wf_buffer_text(&filled), filled.length);
	else
		wf_buffer_puts(text, "n/a");
	wf_buffer_free(&filled);
}

void wf_fill_in(const struct wf_pattern *pattern, const struct wf_known *known,
    struct wf_buffer *text)
{
	if (pattern->pieces == NULL && pattern->text != NULL)
		wf_buffer_puts(text, pattern->text);
	for (uint32_t i = 0; i < pattern->piece_count; i++) {
		if (pattern->pieces[i].is_place)
			put_place(text, &pattern->pieces[i], known);
		else
			wf_buffer_puts(text, pattern->pieces[i].text);
	}
}
