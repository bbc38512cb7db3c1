/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/crash/faults.h"

#include <signal.h>
#include <stdatomic.h>

#include "persistence/backend.h"

static atomic_ullong begun;
static atomic_ullong ended;
static atomic_ullong failures;
static uint64_t kill_before;
static uint64_t kill_after;
static uint64_t fail_from;
static uint64_t fail_count;
static uint64_t lose;
static atomic_ullong commits;
static uint64_t kill_commit;

enum wf_rc __real_wf_statement(struct wf_store *store, struct wf_error *err);
enum wf_rc __wrap_wf_statement(struct wf_store *store, struct wf_error *err);
enum wf_rc __real_wf_statement_end(
    struct wf_store *store, bool wrote, enum wf_rc rc, struct wf_error *err);
enum wf_rc __wrap_wf_statement_end(
    struct wf_store *store, bool wrote, enum wf_rc rc, struct wf_error *err);
enum wf_rc __real_wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err);
enum wf_rc __wrap_wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err);

void crash_kill_at_statement(uint64_t n, bool after)
{
	if (after)
		kill_after = atomic_load(&ended) + n;
	else
		kill_before = atomic_load(&begun) + n;
}

void crash_kill_at_commit(uint64_t n)
{
	kill_commit = atomic_load(&commits) + n;
}

void crash_fail_statements(uint64_t n, uint64_t count)
{
	fail_from = atomic_load(&begun) + n;
	fail_count = count;
}

void crash_lose_statement(uint64_t n)
{
	lose = atomic_load(&begun) + n;
}

uint64_t crash_statements(void)
{
	return atomic_load(&begun);
}

uint64_t crash_failures(void)
{
	return atomic_load(&failures);
}

enum wf_rc __wrap_wf_statement(struct wf_store *store, struct wf_error *err)
{
	uint64_t n = atomic_fetch_add(&begun, 1) + 1;

	if (n == kill_before)
		raise(SIGKILL);
	if (n - fail_from < fail_count) {
		atomic_fetch_add(&failures, 1);
		return wf_fail(
		    err, WF_IO, "statement %llu fails", (unsigned long long)n);
	}
	if (n == lose)
		wf_store_fail_after(store, 1, WF_FAULT_AFTER);
	return __real_wf_statement(store, err);
}

enum wf_rc __wrap_wf_statement_end(
    struct wf_store *store, bool wrote, enum wf_rc rc, struct wf_error *err)
{
	uint64_t n = atomic_fetch_add(&ended, 1) + 1;
	uint64_t faults = wf_store_faults(store);
	enum wf_rc result;

	if (n == kill_after)
		raise(SIGKILL);
	result = __real_wf_statement_end(store, wrote, rc, err);
	atomic_fetch_add(&failures, wf_store_faults(store) - faults);
	return result;
}

void crash_commit(void)
{
	if (atomic_fetch_add(&commits, 1) + 1 == kill_commit)
		raise(SIGKILL);
}

/* Weak: a build that is broken on purpose has its own. */
__attribute__((weak)) enum wf_rc __wrap_wf_store_commit(struct wf_store *store,
    const struct wf_writes *writes, uint64_t *cause_out, struct wf_error *err)
{
	crash_commit();
	return __real_wf_store_commit(store, writes, cause_out, err);
}
