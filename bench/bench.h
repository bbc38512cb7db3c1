/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share. */
#ifndef WF_BENCH_BENCH_H
#define WF_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "bench/bench_net.h"
#include "cli/options.h"

/*
 * Gives the options of the benchmark argv[0] to take, and reports arguments:
 * there are none.  Returns 0, or the exit code of wrong usage.
 */
int wf_bench_options(
    int argc, char **argv, wf_take_option *take, void *context);
/*
 * Take what was given for an option: a whole number from 1 to maximum, the
 * name of a kind of nets.  Return 0, or the exit code of wrong usage.
 */
int wf_bench_take_count(const char *text, uint32_t maximum, uint32_t *out);

/* An option that is a number; its place in the struct of the options. */
struct wf_bench_number {
	enum wf_option option;
	size_t offset; /* of a uint32_t */
};
/* The same, for the option among those of a table. */
int wf_bench_take_number(const struct wf_bench_number *numbers, size_t count,
    enum wf_option option, const char *text, void *options);
int wf_bench_take_kind(const char *name, enum wf_bench_kind *out);
/* Whether there are nets of that kind and size; the same. */
int wf_bench_check_size(enum wf_bench_kind kind, uint32_t size);
/* Seconds of a clock that only goes forward. */
double wf_bench_now(void);

#endif
