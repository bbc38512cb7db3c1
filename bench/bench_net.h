/* SPDX-License-Identifier: Apache-2.0 */
/* The nets that the kernel is measured with, and the work in them. */
#ifndef WF_BENCH_BENCH_NET_H
#define WF_BENCH_BENCH_NET_H

#include "kernel/step.h"

/* The id of every case that is measured. */
#define WF_BENCH_CASE "1"

enum wf_bench_kind {
	WF_BENCH_SEQ,	    /* a sequence of tasks */
	WF_BENCH_AND,	    /* an AND-split, as many tasks, an AND-join */
	WF_BENCH_OR,	    /* the same with OR, all branches taken */
	WF_BENCH_COMPOSITE, /* a sequence of composite tasks of one task each */
	WF_BENCH_MI,	    /* one task with as many instances */
	WF_BENCH_DATA,	    /* a sequence; a string goes through every task */
	WF_BENCH_KINDS
};

/* "seq" and its like; WF_BENCH_KINDS when there is no such kind. */
enum wf_bench_kind wf_bench_kind(const char *name);
/* The largest net of that kind. */
uint32_t wf_bench_maximum(enum wf_bench_kind kind);

/*
 * Appends a YAWL specification of that size, with a name of its own such as
 * bench-seq-10.  ballast: a case is launched with a string WF_BENCH_BALLAST
 * that nothing uses.
 */
#define WF_BENCH_BALLAST "stowed"
void wf_bench_write(enum wf_bench_kind kind, uint32_t size, bool ballast,
    struct wf_buffer *text);

/* The commands that complete a case, one per work item. */
struct wf_bench_work {
	struct wf_arena *arena;
	struct wf_command *commands;
	size_t count;
};

void wf_bench_work_init(
    struct wf_bench_work *work, enum wf_bench_kind kind, uint32_t size);
void wf_bench_work_free(struct wf_bench_work *work);

#endif
