/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share. */
#ifndef WF_BENCH_BENCH_H
#define WF_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "bench/bench_net.h"
#include "cli/options.h"

/* What is given for an option, and the member that it is written to. */
enum wf_bench_type {
	WF_BENCH_NUMBER, /* from 1; a uint32_t */
	WF_BENCH_TEXT,	 /* a const char * */
	WF_BENCH_FLAG,	 /* nothing; a bool */
	WF_BENCH_NET	 /* the name of a kind of nets; its enum */
};

/* An option, and its place in the struct of the options. */
struct wf_bench_place {
	enum wf_option option;
	enum wf_bench_type type;
	size_t offset;
};

/*
 * Writes the options of the benchmark argv[0] to their places, and reports
 * arguments: there are none.  Returns 0, or the exit code of wrong usage.
 */
int wf_bench_read(int argc, char **argv, const struct wf_bench_place *places,
    size_t count, void *options);
/* The same, for options that are read in another way: gives them to take. */
int wf_bench_options(
    int argc, char **argv, wf_take_option *take, void *context);
/* Takes a whole number from 1 to maximum; the same. */
int wf_bench_take_count(const char *text, uint32_t maximum, uint32_t *out);
/* Whether there are nets of that kind and size; the same. */
int wf_bench_check_size(enum wf_bench_kind kind, uint32_t size);
/* Seconds of a clock that only goes forward. */
double wf_bench_now(void);

#endif
