/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share. */
#ifndef WF_BENCH_BENCH_H
#define WF_BENCH_BENCH_H

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
int wf_bench_take_kind(const char *name, enum wf_bench_kind *out);
/* Whether there are nets of that kind and size; the same. */
int wf_bench_check_size(enum wf_bench_kind kind, uint32_t size);
/* Seconds of a clock that only goes forward. */
double wf_bench_now(void);

#endif
