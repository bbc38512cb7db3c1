/* SPDX-License-Identifier: Apache-2.0 */
/* A span from inside; private to tracing/. */
#ifndef WF_TRACING_SPAN_PRIV_H
#define WF_TRACING_SPAN_PRIV_H

#include "tracing/span.h"

#define WF_SPAN_MAGIC UINT32_C(0x5350414e)

struct wf_span_attribute {
	struct wf_span_attribute *next;
	const char *key;
	const char *text; /* NULL: it is a number */
	int64_t number;
};

struct wf_span_event {
	struct wf_span_event *next;
	const char *name;
	int64_t at;
};

struct wf_span_link {
	struct wf_span_link *next;
	struct wf_trace_context to;
};

/* In an arena of its own, with all that it points to. */
struct wf_span {
	uint32_t magic;
	struct wf_arena *arena;
	struct wf_span *next; /* in the queue */
	struct wf_tracer *tracer;
	struct wf_trace_context context;
	unsigned char parent[WF_SPAN_ID_BYTES];
	bool has_parent;
	enum wf_span_kind kind;
	const char *name;
	int64_t began;
	int64_t ended;	/* 0: it has not */
	int64_t offset; /* of the clock, to microseconds since 1970 */
	bool has_failed;
	const char *failure;		      /* NULL: nothing is said */
	struct wf_span_attribute *attributes; /* the last one first */
	size_t attribute_count;
	size_t attributes_dropped;
	struct wf_span_event *events; /* likewise, as the links */
	struct wf_span_link *links;
	size_t link_count;
	size_t links_dropped;
};

void wf_span_free(struct wf_span **span);

#endif
