/* SPDX-License-Identifier: Apache-2.0 */
/* weft bench store and fill: how fast the running engine is on a store. */
#ifndef WF_BENCH_BENCH_STORE_H
#define WF_BENCH_BENCH_STORE_H

/* argv[0] is "store" or "fill". */
int wf_bench_store(int argc, char **argv);

#endif
