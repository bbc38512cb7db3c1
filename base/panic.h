/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assertions, and what happens when one fails or memory runs out.
 *
 * wf_assert() stays on in release builds.  When it fails inside a guarded
 * call (wf_guard_run(), one per kernel step), wf_guard_run() returns false at
 * once, with the reason in the guard.  Elsewhere the process aborts.
 */
#ifndef WF_BASE_PANIC_H
#define WF_BASE_PANIC_H

#include <setjmp.h>
#include <stdbool.h>

struct wf_guard {
	sigjmp_buf target;
	struct wf_guard *outer;
	struct wf_cleanup *cleanups; /* those that are not of this call */
	char reason[256];
};

#define wf_assert(condition)                                                   \
	((condition) ? (void)0 : wf_panic(__FILE__, __LINE__, #condition))

/* Leaves the innermost guarded call of this thread, or aborts. */
_Noreturn void wf_panic(const char *file, int line, const char *reason);

/*
 * Calls function(argument).  Returns true when it returned, false when it
 * was left by wf_panic(); guard->reason then says where and why.  The caller
 * must free what the call had allocated.
 */
bool wf_guard_run(
    struct wf_guard *guard, void (*function)(void *), void *argument);

/*
 * A clean-up that runs when wf_panic() leaves a guarded call, for functions
 * that hold memory of other libraries.  It lives in the frame of the function.
 */
struct wf_cleanup {
	void (*run)(void *argument);
	void *argument;
	struct wf_cleanup *outer;
};

/* Every push is followed by a pop on each way out that is not a panic. */
void wf_cleanup_push(
    struct wf_cleanup *cleanup, void (*run)(void *), void *argument);
/* Takes the newest off, without running it. */
void wf_cleanup_pop(struct wf_cleanup *cleanup);

#endif
