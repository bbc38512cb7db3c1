/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes each event as it arrives.  The last event stays open, because a
 * DataValueChange of the same instance adds its values to it:
 *
 *   none open ──wf_xes_event()──► one open ──wf_xes_event()──► one open
 *       ▲                             │
 *       └──────────end_event()────────┘
 */
#include "history/xes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "base/time_text.h"
#include "data/xml_writer.h"

#define UNKNOWN "unknown"

void wf_xes_begin(struct wf_xes *xes, const char *uri, const char *version)
{
	wf_buffer_puts(xes->out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<log xes.version=\"1.0\" xes.features=\"arbitrary-depth\" "
	    "openxes.version=\"1.5\">\n"
	    "  <!-- ");
	/* XML allows no two hyphens in a comment. */
	for (; *uri != '\0'; uri++)
		wf_buffer_putc(xes->out, *uri == '-' ? '_' : *uri);
	wf_buffer_printf(xes->out,
	    ", version %s -->\n"
	    "  <extension name=\"Lifecycle\" prefix=\"lifecycle\" "
	    "uri=\"http://www.xes-standard.org/lifecycle.xesext\"/>\n"
	    "  <extension name=\"Time\" prefix=\"time\" "
	    "uri=\"http://www.xes-standard.org/time.xesext\"/>\n"
	    "  <extension name=\"Concept\" prefix=\"concept\" "
	    "uri=\"http://www.xes-standard.org/concept.xesext\"/>\n"
	    "  <extension name=\"Semantic\" prefix=\"semantic\" "
	    "uri=\"http://www.xes-standard.org/semantic.xesext\"/>\n"
	    "  <extension name=\"Organizational\" prefix=\"org\" "
	    "uri=\"http://www.xes-standard.org/org.xesext\"/>\n"
	    "  <global scope=\"trace\">\n"
	    "    <string key=\"concept:name\" value=\"UNKNOWN\"/>\n"
	    "  </global>\n"
	    "  <global scope=\"event\">\n"
	    "    <date key=\"time:timestamp\" "
	    "value=\"1970-01-01T00:00:00.000Z\"/>\n"
	    "    <string key=\"concept:name\" value=\"UNKNOWN\"/>\n"
	    "    <string key=\"lifecycle:transition\" value=\"UNKNOWN\"/>\n"
	    "    <string key=\"concept:instance\" value=\"UNKNOWN\"/>\n"
	    "    <string key=\"org:resource\" value=\"UNKNOWN\"/>\n"
	    "  </global>\n"
	    "  <classifier name=\"Event Name\" keys=\"concept:name\"/>\n"
	    "  <classifier name=\"Lifecycle transition\" "
	    "keys=\"lifecycle:transition\"/>\n"
	    "  <classifier name=\"Resource\" keys=\"org:resource\"/>\n",
	    version);
}

static void put_attribute(
    struct wf_xes *xes, const char *type, const char *key, const char *value)
{
	wf_buffer_printf(xes->out, "      <%s", type);
	wf_xml_put_attribute(xes->out, "key", key);
	wf_xml_put_attribute(xes->out, "value", value);
	wf_buffer_puts(xes->out, "/>\n");
}

void wf_xes_begin_trace(struct wf_xes *xes, const char *case_id)
{
	wf_buffer_puts(xes->out, "  <trace>\n    <string");
	wf_xml_put_attribute(xes->out, "key", "concept:name");
	wf_xml_put_attribute(xes->out, "value", case_id);
	wf_buffer_puts(xes->out, "/>\n");
}

/* --- events --------------------------------------------------------------- */

/* YAWL's engine has no transition for the resumption of an item. */
static const char *transition_of(const struct wf_case_log_event *event)
{
	const char *descriptor = event->descriptor;
	static const char *const transitions[][2] = {
		{ "Enabled", "schedule" },
		{ "Executing", "start" },
		{ "Complete", "complete" },
		{ "ForcedComplete", "complete" },
		{ "CaseCancel", "pi_abort" },
		{ "CancelledByCase", "pi_abort" },
		{ "NetStart", "schedule" },
		{ "NetComplete", "complete" },
		{ "NetCancel", "ate_abort" },
		{ "Cancelled", "ate_abort" },
		{ "Failed", "ate_abort" },
		{ "Suspended", "suspend" },
		{ "Allocated", "assign" },
		{ "Deallocated", "withdraw" },
		{ "Reassigned", "reassign" },
		{ "Redirected", "reassign" },
		{ "Skipped", "manualskip" },
	};

	for (size_t i = 0; i < sizeof(transitions) / sizeof(transitions[0]);
	     i++)
		if (strcmp(transitions[i][0], descriptor) == 0)
			return transitions[i][1];
	return event->participant != NULL && strcmp(descriptor, "resume") == 0
		   ? "resume"
		   : UNKNOWN;
}

static bool is_integer(const char *text)
{
	char *end;

	errno = 0;
	(void)strtoll(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' &&
	       strchr("-0123456789", *text) != NULL;
}

static bool is_number(const char *text)
{
	char *end;

	(void)strtod(text, &end);
	return end != text && *end == '\0' &&
	       text[strspn(text, "+-.0123456789eE")] == '\0';
}

static bool is_boolean(const char *text)
{
	return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 ||
	       strcmp(text, "1") == 0 || strcmp(text, "0") == 0;
}

static bool is_instant(const char *text)
{
	return strlen(text) >= 19 && text[10] == 'T';
}

/* The element of XES for a value; "string" when its text does not fit. */
static const char *element_for(const struct wf_case_log_data *data)
{
	static const struct {
		const char *type;
		const char *element;
		bool (*fits)(const char *text);
	} rows[] = {
		{ "integer", "int", is_integer },
		{ "int", "int", is_integer },
		{ "long", "int", is_integer },
		{ "short", "int", is_integer },
		{ "byte", "int", is_integer },
		{ "nonNegativeInteger", "int", is_integer },
		{ "nonPositiveInteger", "int", is_integer },
		{ "positiveInteger", "int", is_integer },
		{ "negativeInteger", "int", is_integer },
		{ "unsignedLong", "int", is_integer },
		{ "unsignedInt", "int", is_integer },
		{ "unsignedShort", "int", is_integer },
		{ "unsignedByte", "int", is_integer },
		{ "decimal", "float", is_number },
		{ "double", "float", is_number },
		{ "float", "float", is_number },
		{ "boolean", "boolean", is_boolean },
		{ "dateTime", "date", is_instant },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].type, data->type) == 0 &&
		    rows[i].fits(data->value))
			return rows[i].element;
	return "string";
}

static void put_data(struct wf_xes *xes, const struct wf_case_log_event *event)
{
	for (size_t i = 0; i < event->data_count; i++) {
		const struct wf_case_log_data *data = &event->data[i];

		put_attribute(xes, element_for(data), data->name, data->value);
	}
}

static void put_time(struct wf_xes *xes, int64_t at)
{
	char text[WF_TIME_TEXT_BYTES];

	wf_time_text(at, text);
	put_attribute(xes, "date", "time:timestamp", text);
}

static void end_event(struct wf_xes *xes)
{
	if (xes->open != 0)
		wf_buffer_puts(xes->out, "    </event>\n");
	xes->open = 0;
}

void wf_xes_event(void *context, const struct wf_case_log_event *event)
{
	struct wf_xes *xes = context;
	const char *transition = transition_of(event);
	bool values = strcmp(event->descriptor, "DataValueChange") == 0;

	/* The values belong to the event before them. */
	if (values && xes->open == event->instance->number && xes->data)
		put_data(xes, event);
	if (values)
		return;
	end_event(xes);
	wf_assert(event->instance->number != 0);
	if ((event->instance->is_net && event->instance->outer == 0) ||
	    (!xes->all && strcmp(transition, UNKNOWN) == 0))
		return;
	wf_buffer_puts(xes->out, "    <event>\n");
	put_time(xes, event->time);
	put_attribute(xes, "string", "concept:name", event->instance->name);
	put_attribute(xes, "string", "lifecycle:transition", transition);
	put_attribute(
	    xes, "string", "concept:instance", event->instance->case_id);
	if (event->participant != NULL || event->actor != NULL)
		put_attribute(xes, "string", "org:resource",
		    event->participant != NULL ? event->participant
					       : event->actor);
	if (event->deputy != NULL)
		put_attribute(xes, "string", "weft:deputy", event->deputy);
	if (xes->data)
		put_data(xes, event);
	xes->open = event->instance->number;
}

void wf_xes_end_trace(struct wf_xes *xes)
{
	end_event(xes);
	wf_buffer_puts(xes->out, "  </trace>\n");
}

void wf_xes_end(struct wf_xes *xes)
{
	wf_buffer_puts(xes->out, "</log>\n");
}
