/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of a case between steps, checked with full scans; for tests.
 */
#include "kernel/state.h"

static enum wf_rc wrong(struct wf_error *err, const struct net_instance *n,
    const char *what, const char *id)
{
	return wf_fail(
	    err, WF_BUG, "net %s: %s: %s", n->net->decomposition->id, id, what);
}

static uint32_t count_missing(
    const struct net_instance *n, const struct wf_task *task)
{
	uint32_t missing = 0;

	for (uint32_t i = 0; i < task->preset_count; i++)
		missing += n->tokens[task->preset[i]] == 0;
	return missing;
}

static enum wf_rc check_activity(const struct net_instance *n,
    const struct activity *activity, struct wf_error *err)
{
	const char *id = wf_task_of(n, activity->task)->id;
	uint32_t active = 0;

	for (uint32_t i = 0; i < activity->instance_count; i++) {
		const struct instance *instance = &activity->instances[i];

		active += instance->status <= WF_ITEM_SUSPENDED;
		if (i > 0 && instance->number <= instance[-1].number)
			return wrong(err, n, "instances out of order", id);
		if (instance->number > n->last_child)
			return wrong(err, n, "an instance not counted", id);
	}
	if (active != activity->active_count)
		return wrong(err, n, "wrong count of active instances", id);
	if (activity->busy && active == 0)
		return wrong(err, n, "busy with nothing", id);
	return WF_OK;
}

static enum wf_rc check_task(const struct wf_case *c,
    const struct net_instance *n, uint32_t number, struct wf_error *err)
{
	const struct wf_task *task = wf_task_of(n, number);
	const struct activity *activity = n->activities[number];
	bool dirty = wf_bitset_has(n->dirty, number);

	if (count_missing(n, task) != n->missing[number])
		return wrong(err, n, "wrong count of missing inputs", task->id);
	if (activity != NULL) {
		enum wf_rc rc = check_activity(n, activity, err);

		if (rc != WF_OK)
			return rc;
	}
	if (c->status != WF_CASE_RUNNING)
		return WF_OK;
	if (activity != NULL && !activity->busy &&
	    !wf_task_is_enabled(n, number))
		return wrong(err, n, "offered, but not enabled", task->id);
	if (activity == NULL && wf_task_is_enabled(n, number) && !dirty)
		return wrong(err, n, "enabled, but forgotten", task->id);
	return WF_OK;
}

enum wf_rc wf_case_check(const struct wf_case *instance, struct wf_error *err)
{
	for (uint32_t i = 0; i < instance->net_count; i++) {
		const struct net_instance *n = instance->nets[i];
		uint32_t busy = 0;
		uint32_t offered = 0;
		enum wf_rc rc = WF_OK;

		for (uint32_t t = 0; t < n->net->task_count && rc == WF_OK;
		     t++) {
			rc = check_task(instance, n, t, err);
			if (n->activities[t] == NULL)
				continue;
			busy += n->activities[t]->busy;
			offered += !n->activities[t]->busy;
		}
		if (rc == WF_OK &&
		    (busy != n->busy_count || offered != n->offered_count))
			rc = wrong(err, n, "wrong count of activities", "net");
		if (rc != WF_OK)
			return rc;
	}
	return WF_OK;
}
