/* SPDX-License-Identifier: Apache-2.0 */
/* weft bench orjoin: what deciding an OR-join costs, and how that grows. */
#ifndef WF_BENCH_BENCH_OR_JOIN_H
#define WF_BENCH_BENCH_OR_JOIN_H

int wf_bench_or_join(int argc, char **argv);

#endif
