/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share. */
#ifndef WF_CLI_BENCH_H
#define WF_CLI_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number from 1 to maximum; false when text is none. */
bool wf_bench_count(const char *text, uint32_t maximum, uint32_t *out);
/* Seconds of a clock that only goes forward. */
double wf_bench_now(void);

#endif
