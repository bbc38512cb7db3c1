/* SPDX-License-Identifier: Apache-2.0 */
/* A tracer from inside; private to tracing/. */
#ifndef WF_TRACING_TRACER_PRIV_H
#define WF_TRACING_TRACER_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buffer.h"
#include "tracing/span_priv.h"
#include "tracing/tracer.h"

#define WF_TRACER_MAGIC UINT32_C(0x54524143)

struct wf_tracer {
	uint32_t magic;
	struct wf_tracer_settings settings;
	uint64_t threshold; /* trace ids below it are sampled */
	bool samples_all;
	struct wf_arena *arena;
	const char **headers; /* ends with NULL */
	const char *resource; /* what is traced, as JSON */
	atomic_ullong exported;
	atomic_ullong dropped;
	/* Of the thread. */
	bool fails;    /* the collector takes nothing */
	int64_t pause; /* before the next call, if this one fails */

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	struct wf_span *first;
	struct wf_span **last;
	size_t count;
	bool stopping;

	pthread_t thread;
	bool has_thread;
};

/* Whether a new trace with that id is sampled. */
bool wf_tracer_samples(const struct wf_tracer *tracer,
    const unsigned char trace[WF_TRACE_ID_BYTES]);
/* Takes an ended span; does not wait. */
void wf_tracer_add(struct wf_tracer *tracer, struct wf_span *span);

/* --- exporter.c ----------------------------------------------------------- */

/* Body of the thread. */
void *wf_tracer_export(void *tracer);

/* --- otlp.c --------------------------------------------------------------- */

/* What is traced: the resource, as JSON, in the arena. */
const char *wf_otlp_resource(const char *service, struct wf_arena *arena);
/* The request that exports the spans of a list. */
void wf_otlp_write(
    struct wf_buffer *body, const char *resource, const struct wf_span *first);
/*
 * How many spans the collector has not taken, by the body of its answer; their
 * number at most.
 */
size_t wf_otlp_rejected(const char *text, size_t length, size_t count);

#endif
