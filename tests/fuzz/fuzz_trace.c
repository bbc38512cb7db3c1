/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as the headers of a trace, as the one text that other layers keep,
 * and as what a collector answers.  What was read is written as it was read.
 */
#include <stdint.h>
#include <string.h>

#include "base/panic.h"
#include "tracing/tracer_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_parent(const char *text)
{
	struct wf_trace_context context;
	char written[WF_TRACEPARENT_SIZE];

	if (!wf_traceparent_read(&context, text))
		return;
	wf_traceparent_write(&context, written);
	wf_assert(strlen(written) == WF_TRACEPARENT_SIZE - 1);
	/* All but the version and the flags that are not known. */
	wf_assert(memcmp(written + 3, text + 3, 50) == 0);
	wf_assert(context.state[0] == '\0');
}

static void read_text(const char *text)
{
	struct wf_trace_context context;
	struct wf_trace_context again;
	char written[WF_TRACE_SIZE];

	if (!wf_trace_read(&context, text))
		return;
	wf_assert(wf_tracestate_is_valid(context.state));
	wf_trace_write(&context, written);
	wf_assert(wf_trace_read(&again, written));
	wf_assert(strcmp(again.state, context.state) == 0);
	wf_assert(again.is_sampled == context.is_sampled);
	wf_assert(memcmp(again.span, context.span, sizeof(again.span)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wf_arena *arena = wf_arena_new();
	const char *text = wf_arena_strndup(arena, (const char *)data, size);

	read_parent(text);
	read_text(text);
	if (wf_tracestate_is_valid(text))
		wf_assert(strlen(text) <= WF_TRACESTATE_BYTES &&
			  strpbrk(text, "\r\n") == NULL);
	wf_assert(wf_otlp_rejected((const char *)data, size, 10) <= 10);
	wf_arena_free(&arena);
	return 0;
}
