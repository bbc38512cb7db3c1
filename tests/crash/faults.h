/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the statements of all stores of this process: the process is killed at
 * one of them, or some of them fail. The test programs are linked so that
 * wf_statement(), wf_statement_end() and wf_store_commit() come here (see
 * local.mk).
 */
#ifndef WF_TESTS_CRASH_FAULTS_H
#define WF_TESTS_CRASH_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

/* SIGKILL before, or after, the n-th statement from now on. */
void crash_kill_at_statement(uint64_t n, bool after);
/* SIGKILL when the n-th batch from now on is to be committed. */
void crash_kill_at_commit(uint64_t n);
/* A batch is to be committed: called by every replacement of a commit. */
void crash_commit(void);
/* count statements fail, from the n-th on. */
void crash_fail_statements(uint64_t n, uint64_t count);
/* The n-th statement is done, but its answer is lost. */
void crash_lose_statement(uint64_t n);
/* The number of statements that have begun. */
uint64_t crash_statements(void);
/* The number of them that failed, or lost their answer. */
uint64_t crash_failures(void);

#endif
