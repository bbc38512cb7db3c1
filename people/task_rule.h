/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the tasks of a net, read once and shared by all threads. */
#ifndef WF_PEOPLE_TASK_RULE_H
#define WF_PEOPLE_TASK_RULE_H

#include "people/resourcing.h"
#include "spec/spec.h"

struct wf_task_rule {
	const struct wf_resourcing *resourcing; /* NULL: the task has none */
	const char *problem;			/* "": it has no error */
	int line;				/* of the problem */
};

/* Lives as long as the net. */
const struct wf_task_rule *wf_task_rule(const struct wf_task *task);

#endif
