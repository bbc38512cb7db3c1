/* SPDX-License-Identifier: Apache-2.0 */
/* Names and ids of records, as lists, XML and JSON; parts of categories. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "data/json.h"
#include "data/xml_writer.h"
#include "yawl/resource/org_find.h"
#include "yawl/resource/org_record.h"

/* --- names ---------------------------------------------------------------- */

static bool read_names(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	enum wf_org_kind kind = call->action->kind;
	struct wf_buffer *out = &call->yawl.out;
	bool is_xml = kind == WF_ORG_THING;
	size_t count;
	const struct wf_org_record **rows = wf_gateway_records(
	    organisation, kind, NULL, &count, call->yawl.arena);

	if (is_xml)
		wf_buffer_puts(out, "<nonHumanResourceNames>");
	for (size_t i = 0; i < count; i++) {
		const char *name =
		    wf_gateway_record_name(rows[i], call->yawl.arena);

		if (is_xml) {
			wf_xml_put_element(out, "name", name);
		} else {
			wf_buffer_puts(out, i == 0 ? "" : ",");
			wf_xml_put_text(out, name);
		}
	}
	if (is_xml)
		wf_buffer_puts(out, "</nonHumanResourceNames>");
	return true;
}

void wf_gateway_get_names(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_names);
}

/* --- ids with names ------------------------------------------------------- */

/* How a participant is called: by the parameter "id". */
static const char *identify(
    struct wf_gateway_call *call, const struct wf_org_record *record)
{
	const char *how = wf_gateway_text(call, "id");
	const struct wf_participant *p = (const struct wf_participant *)record;

	if (record->kind != WF_ORG_PARTICIPANT || how[1] != '\0')
		return wf_gateway_record_name(record, call->yawl.arena);
	switch (how[0]) {
	case '1':
		return wf_arena_printf(
		    call->yawl.arena, "%s, %s", p->last_name, p->first_name);
	case '2':
		return p->last_name;
	case '3':
		return p->user;
	default:
		return wf_gateway_record_name(record, call->yawl.arena);
	}
}

/* Pairs of an id and a text, in the format that the request asks for. */
struct pairs {
	struct wf_gateway_call *call;
	const char *callback;
	json_t *object; /* NULL: they are written as XML */
};

static void begin_pairs(struct pairs *pairs, struct wf_gateway_call *call)
{
	*pairs = (struct pairs){ .call = call,
		.callback = wf_gateway_parameter(call, "callback") };
	if (strcasecmp(wf_gateway_text(call, "format"), "JSON") == 0)
		pairs->object = json_object();
}

/* Only a name of a function may stand in front of JSON. */
static bool is_function(const char *text)
{
	return text != NULL && *text != '\0' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
			    "XYZ0123456789_.$") == strlen(text);
}

static void put_json(const struct pairs *pairs)
{
	struct wf_buffer *out = &pairs->call->yawl.out;
	char *text = wf_json_dump(pairs->object, JSON_COMPACT);
	bool is_called = is_function(pairs->callback);

	wf_buffer_reset(out);
	if (is_called)
		wf_buffer_printf(out, "%s(", pairs->callback);
	wf_buffer_puts(out, text);
	if (is_called)
		wf_buffer_putc(out, ')');
	free(text);
}

static bool read_identifiers(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	struct wf_buffer *out = &call->yawl.out;
	size_t count;
	const struct wf_org_record **rows = wf_gateway_records(
	    organisation, call->action->kind, NULL, &count, call->yawl.arena);
	struct pairs pairs;

	begin_pairs(&pairs, call);
	wf_buffer_puts(out, "<map>");
	for (size_t i = 0; i < count; i++) {
		const char *name = identify(call, rows[i]);

		wf_buffer_puts(out, "<item");
		wf_xml_put_attribute(out, "id", rows[i]->id);
		wf_buffer_putc(out, '>');
		wf_xml_put_text(out, name);
		wf_buffer_puts(out, "</item>");
		if (pairs.object != NULL)
			json_object_set_new(
			    pairs.object, rows[i]->id, json_string(name));
	}
	wf_buffer_puts(out, "</map>");
	if (pairs.object != NULL)
		put_json(&pairs);
	json_decref(pairs.object);
	return true;
}

void wf_gateway_get_identifiers(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_identifiers);
}

/* --- categories ----------------------------------------------------------- */

/* By id, or by name; NULL: the call is answered. */
static const struct wf_category *find_category(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const char *id = wf_gateway_parameter(call, "id");
	const char *name = wf_gateway_text(call, "category");
	uint32_t number =
	    id != NULL ? wf_org_find(organisation, WF_ORG_CATEGORY, id)
		       : wf_org_find_name(organisation, WF_ORG_CATEGORY, name);

	if (number == WF_ORG_NOBODY) {
		wf_gateway_fail(call, "Unknown category %s: %s",
		    id != NULL ? "id" : "name", id != NULL ? id : name);
		return NULL;
	}
	return (const struct wf_category *)wf_org_at(
	    organisation, WF_ORG_CATEGORY, number);
}

static bool read_parts(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const struct wf_category *category = find_category(call, organisation);
	const char *id = wf_gateway_parameter(call, "id");
	struct wf_buffer *out = &call->yawl.out;
	struct pairs pairs;

	if (category == NULL)
		return false;
	begin_pairs(&pairs, call);
	wf_buffer_puts(out, "<nonHumanSubCategories");
	wf_xml_put_attribute(out, "category", id != NULL ? id : category->name);
	wf_buffer_putc(out, '>');
	for (size_t i = 0; i < category->parts.count; i++) {
		const char *part = category->parts.rows[i];

		wf_xml_put_element(out, "subcategory", part);
		if (pairs.object != NULL)
			json_object_set_new(
			    pairs.object, part, json_string(part));
	}
	wf_buffer_puts(out, "</nonHumanSubCategories>");
	if (pairs.object != NULL)
		put_json(&pairs);
	json_decref(pairs.object);
	return true;
}

void wf_gateway_get_parts(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_parts);
}

static bool read_things(
    struct wf_gateway_call *call, const struct wf_organisation *organisation)
{
	const char *part = wf_gateway_parameter(call, "subcategory");
	struct wf_buffer *out = &call->yawl.out;
	const struct wf_category *category = find_category(call, organisation);

	if (category == NULL)
		return false;
	wf_buffer_puts(out, "<members>");
	for (size_t i = 0; i < wf_org_count(organisation, WF_ORG_THING); i++) {
		const struct wf_thing *thing =
		    (const struct wf_thing *)wf_org_at(
			organisation, WF_ORG_THING, (uint32_t)i);

		if (strcmp(thing->category, category->record.id) == 0 &&
		    (part == NULL || strcmp(thing->part, part) == 0))
			wf_gateway_put_record(
			    out, organisation, &thing->record);
	}
	wf_buffer_puts(out, "</members>");
	return true;
}

void wf_gateway_get_things(struct wf_gateway_call *call)
{
	wf_gateway_read(call, read_things);
}
