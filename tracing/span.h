/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A span: what one request, batch or call did, and for how long; exported as
 * OTLP (OpenTelemetry) if its trace is sampled.
 *
 *   wf_span_begin() ──► open ──wf_span_end()──► queue of the tracer ──► sent
 *         │                                        └─ full: dropped
 *         └─ NULL: no tracer, or the trace is not sampled
 *
 * A span belongs to one thread at a time.  All functions take NULL and do
 * nothing then, so that nothing is spent on what is not sampled.  Times are
 * those of wf_monotonic_us().
 */
#ifndef WF_TRACING_SPAN_H
#define WF_TRACING_SPAN_H

#include <stdint.h>

#include "base/memory.h"
#include "tracing/trace_context.h"

struct wf_tracer; /* in tracing/tracer.h */
struct wf_span;	  /* opaque */

/* The numbers are those of OTLP. */
enum wf_span_kind {
	WF_SPAN_INTERNAL = 1,
	WF_SPAN_SERVER = 2,
	WF_SPAN_CLIENT = 3
};

/* More attributes and links of a span are counted, not kept. */
#define WF_SPAN_ATTRIBUTES 32U
#define WF_SPAN_LINKS 128U
/* A text of an attribute is cut off behind so many bytes. */
#define WF_SPAN_TEXT_BYTES 256U

/*
 * Begins a span now: in the trace of the parent, sampled if that is; without a
 * parent (NULL) in a new trace, sampled by the ratio of the tracer.
 * context_out: what is handed on to others in either case, of which the state
 * is the parent's.  Without a tracer (NULL) it is not set.
 */
struct wf_span *wf_span_begin(struct wf_tracer *tracer,
    const struct wf_trace_context *parent, enum wf_span_kind kind,
    struct wf_trace_context *context_out);
/* Ends it now, unless its end was set; *span becomes NULL. */
void wf_span_end(struct wf_span **span);

/* Copies the texts.  The keys of attributes must be constants. */
void wf_span_name(struct wf_span *span, const char *format, ...)
    WF_PRINTF(2, 3);
/* value NULL or "": left out. */
void wf_span_text(struct wf_span *span, const char *key, const char *value);
void wf_span_number(struct wf_span *span, const char *key, int64_t value);
/* The span failed; text: why, for people, or NULL. */
void wf_span_fail(struct wf_span *span, const char *text);
/* Something that happened at that time. */
void wf_span_event(struct wf_span *span, const char *name, int64_t at);
/* Another span that this one has to do with. */
void wf_span_link(struct wf_span *span, const struct wf_trace_context *to);
/* When it began and ended, if not when these functions were called. */
void wf_span_times(struct wf_span *span, int64_t began, int64_t ended);

#endif
