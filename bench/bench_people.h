/* SPDX-License-Identifier: Apache-2.0 */
/* weft bench people: offers to roles, and lists of people. */
#ifndef WF_BENCH_BENCH_PEOPLE_H
#define WF_BENCH_BENCH_PEOPLE_H

/* Returns the exit code. */
int wf_bench_people(int argc, char **argv);

#endif
