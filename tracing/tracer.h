/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracer: which traces are sampled, the queue of spans that have ended, and
 * the thread that sends them to a collector.
 *
 *   span ends ──► queue ──► batch ──► POST (OTLP/HTTP, JSON) ──► exported
 *                   │ full    │           │ 429, 502, 503, 504, no answer:
 *                   ▼         │           │ again, later and later
 *                dropped ◄────┴───────────┘ refused, or too late
 *
 * Nobody but that thread waits for the collector.  What was dropped is counted.
 */
#ifndef WF_TRACING_TRACER_H
#define WF_TRACING_TRACER_H

#include <stdint.h>

#include "base/error.h"
#include "tracing/span.h"

struct wf_tracer_settings {
	/* "http://127.0.0.1:4318/v1/traces"; "": no traces. */
	const char *endpoint;
	/* Of the traces that begin here, which share is sampled: 0 to 1. */
	double sample;
	const char *service;	  /* service.name */
	const char *headers_file; /* a header in each line; "": none */
	/* Certificates that the collector's must be signed by; "": system's. */
	const char *ca;
	/*
	 * Called by the thread when the collector takes no spans, for that
	 * reason, and when it takes them again (NULL).  May be NULL.
	 */
	void (*report)(void *context, const char *failure);
	void *context;
	/* For tests; 0: as usual. */
	size_t queue;		  /* spans that wait, at most */
	int64_t interval_ms;	  /* between batches that are not full */
	int64_t batch_timeout_ms; /* for one batch */
};

void wf_tracer_settings_init(struct wf_tracer_settings *settings);

/*
 * *tracer_out NULL: there are no traces.  The texts must outlive the tracer.
 * WF_INVALID with the name of the setting; WF_IO: a file.
 */
enum wf_rc wf_tracer_open(struct wf_tracer **tracer_out,
    const struct wf_tracer_settings *settings,
    struct wf_error *err) WF_MUSTCHECK;
/* Sends what waits, for some seconds at most.  No span is open any more. */
void wf_tracer_close(struct wf_tracer **tracer);

struct wf_tracer_counts {
	uint64_t exported;
	uint64_t dropped; /* the queue was full, or they were not taken */
};
/* tracer NULL: nothing was counted. */
void wf_tracer_read_counts(
    struct wf_tracer *tracer, struct wf_tracer_counts *counts_out);

#endif
