/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards form a stack per thread.  wf_panic() runs the clean-ups that were
 * pushed inside the innermost guard and then leaves it.
 */
#include "base/panic.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local struct wf_guard *innermost;
static _Thread_local struct wf_cleanup *cleanups; /* the newest first */

void wf_cleanup_push(
    struct wf_cleanup *cleanup, void (*run)(void *), void *argument)
{
	cleanup->run = run;
	cleanup->argument = argument;
	cleanup->outer = cleanups;
	cleanups = cleanup;
}

void wf_cleanup_pop(struct wf_cleanup *cleanup)
{
	wf_assert(cleanups == cleanup);
	cleanups = cleanup->outer;
}

/* Frames between here and the guard still stand, so their memory does. */
static void clean_up(const struct wf_guard *guard)
{
	while (cleanups != guard->cleanups) {
		struct wf_cleanup *one = cleanups;

		cleanups = one->outer;
		one->run(one->argument);
	}
}

void wf_panic(const char *file, int line, const char *reason)
{
	struct wf_guard *guard = innermost;

	if (guard == NULL) {
		fprintf(stderr, "weft: %s:%d: %s\n", file, line, reason);
		abort();
	}
	snprintf(guard->reason, sizeof(guard->reason), "%s:%d: %s", file, line,
	    reason);
	clean_up(guard);
	siglongjmp(guard->target, 1);
}

bool wf_guard_run(
    struct wf_guard *guard, void (*function)(void *), void *argument)
{
	guard->outer = innermost;
	guard->cleanups = cleanups;
	guard->reason[0] = '\0';
	if (sigsetjmp(guard->target, 0) != 0) {
		innermost = guard->outer;
		return false;
	}
	innermost = guard;
	function(argument);
	innermost = guard->outer;
	return true;
}
