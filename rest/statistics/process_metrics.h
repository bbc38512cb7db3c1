/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of processes and tasks, with labels, for rest_metrics.c. */
#ifndef WF_REST_STATISTICS_PROCESS_METRICS_H
#define WF_REST_STATISTICS_PROCESS_METRICS_H

#include "base/buffer.h"
#include "history/statistics/process_counts.h"

/* Each writes the samples of one metric; now: for ages. */
typedef void (*wf_process_metric_f)(struct wf_buffer *text, const char *name,
    struct wf_process_counts *counts, int64_t now);

void wf_put_case_events(struct wf_buffer *text, const char *name,
    struct wf_process_counts *counts, int64_t now);
void wf_put_case_times(struct wf_buffer *text, const char *name,
    struct wf_process_counts *counts, int64_t now);
void wf_put_item_events(struct wf_buffer *text, const char *name,
    struct wf_process_counts *counts, int64_t now);
void wf_put_item_waits(struct wf_buffer *text, const char *name,
    struct wf_process_counts *counts, int64_t now);
void wf_put_item_times(struct wf_buffer *text, const char *name,
    struct wf_process_counts *counts, int64_t now);
void wf_put_open_items(struct wf_buffer *text, const char *name,
    struct wf_process_counts *counts, int64_t now);
void wf_put_oldest_items(struct wf_buffer *text, const char *name,
    struct wf_process_counts *counts, int64_t now);

#endif
