/* SPDX-License-Identifier: Apache-2.0 */
/* Guards form a stack per thread; a panic leaves the innermost one. */
#include "base/panic.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local struct wf_guard *innermost;

void wf_panic(const char *file, int line, const char *reason)
{
	struct wf_guard *guard = innermost;

	if (guard == NULL) {
		fprintf(stderr, "weft: %s:%d: %s\n", file, line, reason);
		abort();
	}
	snprintf(guard->reason, sizeof(guard->reason), "%s:%d: %s", file, line,
	    reason);
	siglongjmp(guard->target, 1);
}

bool wf_guard_run(
    struct wf_guard *guard, void (*function)(void *), void *argument)
{
	guard->outer = innermost;
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
