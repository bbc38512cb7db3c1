/* SPDX-License-Identifier: Apache-2.0 */
#include "tracing/span.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clip.h"
#include "base/clock.h"
#include "base/panic.h"
#include "tracing/span_priv.h"
#include "tracing/tracer_priv.h"

#define NAME_BYTES 256U

/* --- begin and end -------------------------------------------------------- */

/*
 * What is to be added to the monotonic clock.  Not wf_time_ms(), which test
 * mode moves: a span has the length that it took.
 */
static int64_t clock_offset(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 -
	       wf_monotonic_us();
}

static struct wf_span *make_span(struct wf_tracer *tracer,
    const struct wf_trace_context *parent, enum wf_span_kind kind,
    const struct wf_trace_context *context)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_span *span = wf_arena_alloc(arena, sizeof(*span));

	span->magic = WF_SPAN_MAGIC;
	span->arena = arena;
	span->tracer = tracer;
	span->context = *context;
	span->context.state = wf_arena_strdup(arena, context->state);
	span->kind = kind;
	span->name = "";
	span->began = wf_monotonic_us();
	if (parent != NULL) {
		span->has_parent = true;
		memcpy(span->parent, parent->span, sizeof(span->parent));
	}
	return span;
}

struct wf_span *wf_span_begin(struct wf_tracer *tracer,
    const struct wf_trace_context *parent, enum wf_span_kind kind,
    struct wf_trace_context *context_out)
{
	unsigned char random[WF_TRACE_ID_BYTES + WF_SPAN_ID_BYTES];

	if (tracer == NULL)
		return NULL;
	wf_assert(tracer->magic == WF_TRACER_MAGIC);
	randombytes_buf(random, sizeof(random));
	/* Zeros would be no id. */
	random[WF_TRACE_ID_BYTES - 1] |= random[0] == 0;
	random[sizeof(random) - 1] |= random[WF_TRACE_ID_BYTES] == 0;
	if (parent == NULL)
		*context_out = (struct wf_trace_context){ .state = "" };
	else
		*context_out = *parent;
	memcpy(context_out->span, random + WF_TRACE_ID_BYTES, WF_SPAN_ID_BYTES);
	if (parent == NULL) {
		memcpy(context_out->trace, random, WF_TRACE_ID_BYTES);
		context_out->is_sampled =
		    wf_tracer_samples(tracer, context_out->trace);
	}
	return context_out->is_sampled
		   ? make_span(tracer, parent, kind, context_out)
		   : NULL;
}

void wf_span_end(struct wf_span **span)
{
	struct wf_span *old = *span;

	*span = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == WF_SPAN_MAGIC);
	if (old->ended == 0)
		old->ended = wf_monotonic_us();
	old->offset = clock_offset();
	wf_tracer_add(old->tracer, old);
}

void wf_span_free(struct wf_span **span)
{
	struct wf_span *old = *span;
	struct wf_arena *arena;

	*span = NULL;
	if (old == NULL)
		return;
	wf_assert(old->magic == WF_SPAN_MAGIC);
	old->magic = 0;
	arena = old->arena;
	wf_arena_free(&arena);
}

/* --- what is known of it -------------------------------------------------- */

/* At most so many bytes of a text, without a part of a character. */
static const char *copy(struct wf_span *span, const char *text)
{
	return wf_arena_strndup(
	    span->arena, text, wf_clipped_length(text, WF_SPAN_TEXT_BYTES));
}

void wf_span_name(struct wf_span *span, const char *format, ...)
{
	char text[NAME_BYTES];
	va_list arguments;

	if (span == NULL)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	span->name = copy(span, text);
}

static struct wf_span_attribute *add_attribute(
    struct wf_span *span, const char *key)
{
	struct wf_span_attribute *attribute;

	if (span == NULL)
		return NULL;
	wf_assert(span->magic == WF_SPAN_MAGIC);
	if (span->attribute_count == WF_SPAN_ATTRIBUTES) {
		span->attributes_dropped++;
		return NULL;
	}
	attribute = wf_arena_alloc(span->arena, sizeof(*attribute));
	attribute->key = key;
	attribute->next = span->attributes;
	span->attributes = attribute;
	span->attribute_count++;
	return attribute;
}

void wf_span_text(struct wf_span *span, const char *key, const char *value)
{
	struct wf_span_attribute *attribute;

	if (value == NULL || value[0] == '\0')
		return;
	attribute = add_attribute(span, key);
	if (attribute != NULL)
		attribute->text = copy(span, value);
}

void wf_span_number(struct wf_span *span, const char *key, int64_t value)
{
	struct wf_span_attribute *attribute = add_attribute(span, key);

	if (attribute != NULL)
		attribute->number = value;
}

void wf_span_fail(struct wf_span *span, const char *text)
{
	if (span == NULL)
		return;
	span->has_failed = true;
	if (text != NULL)
		span->failure = copy(span, text);
}

void wf_span_event(struct wf_span *span, const char *name, int64_t at)
{
	struct wf_span_event *event;

	if (span == NULL)
		return;
	event = wf_arena_alloc(span->arena, sizeof(*event));
	event->name = copy(span, name);
	event->at = at;
	event->next = span->events;
	span->events = event;
}

void wf_span_link(struct wf_span *span, const struct wf_trace_context *to)
{
	struct wf_span_link *link;

	if (span == NULL)
		return;
	if (span->link_count == WF_SPAN_LINKS) {
		span->links_dropped++;
		return;
	}
	link = wf_arena_alloc(span->arena, sizeof(*link));
	link->to = *to;
	link->to.state = wf_arena_strdup(span->arena, to->state);
	link->next = span->links;
	span->links = link;
	span->link_count++;
}

void wf_span_times(struct wf_span *span, int64_t began, int64_t ended)
{
	if (span == NULL)
		return;
	wf_assert(began <= ended);
	span->began = began;
	span->ended = ended;
}
