/* SPDX-License-Identifier: Apache-2.0 */
/* weft bench http: how fast a server is, as its clients see it. */
#ifndef WF_BENCH_BENCH_HTTP_H
#define WF_BENCH_BENCH_HTTP_H

/* argv[0] is "http". */
int wf_bench_http(int argc, char **argv);

#endif
