/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The context that a trace hands from caller to called: W3C Trace Context
 * (level 1), the headers traceparent and tracestate.
 *
 *   traceparent: 00-<trace, 32 digits>-<span, 16 digits>-<flags, 2 digits>
 *
 * In memory of other layers and in the store it is one text, which they do not
 * interpret: the traceparent and, behind a blank, the tracestate if there is
 * one.
 */
#ifndef WF_TRACING_TRACE_CONTEXT_H
#define WF_TRACING_TRACE_CONTEXT_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"

#define WF_TRACE_ID_BYTES 16U
#define WF_SPAN_ID_BYTES 8U
#define WF_TRACEPARENT_SIZE 56U /* with the NUL */
/* A longer list is not passed on. */
#define WF_TRACESTATE_BYTES 512U
/* Of the one text, with the NUL. */
#define WF_TRACE_SIZE (WF_TRACEPARENT_SIZE + 1U + WF_TRACESTATE_BYTES)
static_assert(WF_TRACE_SIZE - 1 <= WF_REQUEST_TRACE_BYTES,
    "a request can carry any trace");

struct wf_trace_context {
	unsigned char trace[WF_TRACE_ID_BYTES];
	unsigned char span[WF_SPAN_ID_BYTES];
	bool is_sampled;
	const char *state; /* tracestate, not owned; "": none */
};

/*
 * False: the header is not valid, and a new trace is to be begun.  Of a later
 * version, what version 00 defines is read.  The state becomes "".
 */
bool wf_traceparent_read(
    struct wf_trace_context *context_out, const char *text);
/* In version 00. */
void wf_traceparent_write(
    const struct wf_trace_context *context, char text_out[WF_TRACEPARENT_SIZE]);
/* Whether a tracestate is well formed, and short enough to be passed on. */
bool wf_tracestate_is_valid(const char *text);

/* The one text.  False: it is none; the state points into it. */
bool wf_trace_read(struct wf_trace_context *context_out, const char *text);
void wf_trace_write(
    const struct wf_trace_context *context, char text_out[WF_TRACE_SIZE]);

/* Bytes as hexadecimal digits; text_out has 2 * size + 1 characters. */
void wf_trace_hex(const unsigned char *bytes, size_t size, char *text_out);

#endif
