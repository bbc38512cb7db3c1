/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subscriptions that fail, in the record of the notifier: the server that
 * takes over counts on from there, so that restarts do not put off the time at
 * which a subscription is stopped.
 *
 *   {"failing": {id: {"attempts": 3, "since": milliseconds, "reason": ..}}}
 */
#include <stdio.h>

#include "data/json_fields.h"
#include "work/subscription/notifier_priv.h"

#define MEMBER "failing"

static json_t *describe(const struct wf_target *target)
{
	json_t *row = json_object();

	json_object_set_new(row, "attempts", json_integer(target->failures));
	json_object_set_new(row, "since", json_integer(target->failing_since));
	wf_json_put_text(row, "reason", target->reason);
	return row;
}

void wf_failing_write(const struct wf_notifier *notifier, json_t *record)
{
	json_t *failing = notifier->before == NULL
			      ? json_object()
			      : json_copy(notifier->before);

	for (const struct wf_target *target = notifier->first; target != NULL;
	     target = target->next) {
		const char *id = wf_event_queue_id(target->queue);

		if (id != NULL && target->failures > 0)
			json_object_set_new(failing, id, describe(target));
	}
	json_object_set_new(record, MEMBER, failing);
}

void wf_failing_read(struct wf_notifier *notifier, const json_t *record)
{
	json_decref(notifier->before);
	notifier->before = json_copy(json_object_get(record, MEMBER));
}

void wf_failing_take(struct wf_notifier *notifier, struct wf_target *target)
{
	const char *id = wf_event_queue_id(target->queue);
	const json_t *row =
	    id == NULL ? NULL : json_object_get(notifier->before, id);
	json_int_t attempts =
	    json_integer_value(json_object_get(row, "attempts"));
	json_int_t since = json_integer_value(json_object_get(row, "since"));
	const char *reason = json_string_value(json_object_get(row, "reason"));

	wf_assert(target->failures == 0);
	if (attempts <= 0 || attempts > UINT32_MAX || since <= 0 ||
	    reason == NULL)
		return;
	target->failures = (unsigned)attempts;
	target->failing_since = since;
	snprintf(target->reason, sizeof(target->reason), "%s", reason);
}

void wf_failing_drop(struct wf_notifier *notifier)
{
	json_decref(notifier->before);
	notifier->before = NULL;
}

enum wf_rc wf_notifier_failing(
    struct wf_store *store, json_t **failing_out, struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_row row;
	json_t *record = NULL;
	json_t *failing;
	const char *id;
	enum wf_rc rc = wf_store_record(store, 0, WF_NOTIFIER_RECORD_KIND,
	    WF_NOTIFIER_RECORD_NAME, arena, &row, &mine);

	if (rc == WF_OK)
		record = json_loadb(row.value.data, row.value.size, 0, NULL);
	*failing_out = json_incref(json_object_get(record, MEMBER));
	if (*failing_out == NULL)
		*failing_out = json_object();
	json_object_foreach(*failing_out, id, failing)
	{
		json_t *since = json_object_get(failing, "since");

		wf_json_put_time(failing, "since", json_integer_value(since));
	}
	json_decref(record);
	wf_arena_free(&arena);
	return rc == WF_OK || rc == WF_NOT_FOUND
		   ? WF_OK
		   : wf_fail(err, rc, "%s", mine.message);
}
