/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans in the JSON of OTLP: ids are hexadecimal, numbers of 64 bits are texts,
 * enumerators are numbers.  What is empty is left out.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/panic.h"
#include "tracing/tracer_priv.h"

#define STATUS_ERROR 2
#define FLAG_SAMPLED 1

/* --- values --------------------------------------------------------------- */

/* A text of a client need not be UTF-8. */
static json_t *text_of(const char *text)
{
	json_t *json = json_string(text);

	return json == NULL ? json_string("?") : json;
}

static json_t *number_text(int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	return json_string(text);
}

static json_t *nanoseconds(const struct wf_span *span, int64_t at)
{
	return number_text((at + span->offset) * 1000);
}

static json_t *id_of(const unsigned char *bytes, size_t size)
{
	char text[2 * WF_TRACE_ID_BYTES + 1];

	wf_assert(size <= WF_TRACE_ID_BYTES);
	wf_trace_hex(bytes, size, text);
	return json_string(text);
}

static json_t *attribute_of(const char *key, const char *text, int64_t number)
{
	return json_pack("{s:s, s:{s:o}}", "key", key, "value",
	    text == NULL ? "intValue" : "stringValue",
	    text == NULL ? number_text(number) : text_of(text));
}

/* The lists of a span have the last one first. */
static void put_first(json_t *array, json_t *element)
{
	json_array_insert_new(array, 0, element);
}

static void put_count(json_t *object, const char *name, size_t count)
{
	if (count > 0)
		json_object_set_new(
		    object, name, json_integer((json_int_t)count));
}

static void put_list(json_t *object, const char *name, json_t *list)
{
	if (json_array_size(list) > 0)
		json_object_set(object, name, list);
	json_decref(list);
}

/* --- a span --------------------------------------------------------------- */

static void put_context(json_t *object, const struct wf_trace_context *context)
{
	json_object_set_new(
	    object, "traceId", id_of(context->trace, sizeof(context->trace)));
	json_object_set_new(
	    object, "spanId", id_of(context->span, sizeof(context->span)));
	if (context->state[0] != '\0')
		json_object_set_new(
		    object, "traceState", text_of(context->state));
	if (context->is_sampled)
		json_object_set_new(
		    object, "flags", json_integer(FLAG_SAMPLED));
}

static void put_attributes(json_t *object, const struct wf_span *span)
{
	json_t *list = json_array();

	for (const struct wf_span_attribute *attribute = span->attributes;
	     attribute != NULL; attribute = attribute->next)
		put_first(list, attribute_of(attribute->key, attribute->text,
				    attribute->number));
	put_list(object, "attributes", list);
	put_count(object, "droppedAttributesCount", span->attributes_dropped);
}

static void put_events(json_t *object, const struct wf_span *span)
{
	json_t *list = json_array();

	for (const struct wf_span_event *event = span->events; event != NULL;
	     event = event->next)
		put_first(list, json_pack("{s:o, s:o}", "timeUnixNano",
				    nanoseconds(span, event->at), "name",
				    text_of(event->name)));
	put_list(object, "events", list);
}

static void put_links(json_t *object, const struct wf_span *span)
{
	json_t *list = json_array();

	for (const struct wf_span_link *link = span->links; link != NULL;
	     link = link->next) {
		json_t *to = json_object();

		put_context(to, &link->to);
		put_first(list, to);
	}
	put_list(object, "links", list);
	put_count(object, "droppedLinksCount", span->links_dropped);
}

static void put_status(json_t *object, const struct wf_span *span)
{
	json_t *status;

	if (!span->has_failed)
		return;
	status = json_pack("{s:i}", "code", STATUS_ERROR);
	if (span->failure != NULL)
		json_object_set_new(status, "message", text_of(span->failure));
	json_object_set_new(object, "status", status);
}

static json_t *span_of(const struct wf_span *span)
{
	json_t *object = json_object();

	wf_assert(span->magic == WF_SPAN_MAGIC && span->ended >= span->began);
	put_context(object, &span->context);
	if (span->has_parent)
		json_object_set_new(object, "parentSpanId",
		    id_of(span->parent, sizeof(span->parent)));
	json_object_set_new(object, "name", text_of(span->name));
	json_object_set_new(object, "kind", json_integer(span->kind));
	json_object_set_new(
	    object, "startTimeUnixNano", nanoseconds(span, span->began));
	json_object_set_new(
	    object, "endTimeUnixNano", nanoseconds(span, span->ended));
	put_attributes(object, span);
	put_events(object, span);
	put_links(object, span);
	put_status(object, span);
	return object;
}

/* --- the request ---------------------------------------------------------- */

const char *wf_otlp_resource(const char *service, struct wf_arena *arena)
{
	char host[256] = "";
	json_t *list = json_array();
	json_t *resource;
	const char *copy;
	char *text;

	if (gethostname(host, sizeof(host) - 1) != 0)
		host[0] = '\0';
	json_array_append_new(list, attribute_of("service.name", service, 0));
	json_array_append_new(
	    list, attribute_of("service.version", PACKAGE_VERSION, 0));
	json_array_append_new(list, attribute_of("host.name", host, 0));
	json_array_append_new(
	    list, attribute_of("process.pid", NULL, getpid()));
	resource = json_pack("{s:o}", "attributes", list);
	text = json_dumps(resource, JSON_COMPACT);
	wf_assert(text != NULL);
	copy = wf_arena_strdup(arena, text);
	free(text);
	json_decref(resource);
	return copy;
}

static int append(const char *bytes, size_t size, void *body)
{
	wf_buffer_append(body, bytes, size);
	return 0;
}

void wf_otlp_write(
    struct wf_buffer *body, const char *resource, const struct wf_span *first)
{
	wf_buffer_printf(body,
	    "{\"resourceSpans\":[{\"resource\":%s,\"scopeSpans\":[{\"scope\":"
	    "{\"name\":\"weft\",\"version\":\"%s\"},\"spans\":[",
	    resource, PACKAGE_VERSION);
	for (const struct wf_span *span = first; span != NULL;
	     span = span->next) {
		json_t *object = span_of(span);

		if (span != first)
			wf_buffer_putc(body, ',');
		(void)json_dump_callback(object, append, body, JSON_COMPACT);
		json_decref(object);
	}
	wf_buffer_puts(body, "]}]}]}");
}

/* --- the answer ----------------------------------------------------------- */

size_t wf_otlp_rejected(const char *text, size_t length, size_t count)
{
	json_t *answer = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	const json_t *member = json_object_get(
	    json_object_get(answer, "partialSuccess"), "rejectedSpans");
	long long rejected = 0;

	if (json_is_integer(member))
		rejected = json_integer_value(member);
	else if (json_is_string(member))
		rejected = strtoll(json_string_value(member), NULL, 10);
	json_decref(answer);
	if (rejected < 0)
		return 0;
	return (unsigned long long)rejected < count ? (size_t)rejected : count;
}
