/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases that a participant has started or worked on: the engine notes them
 * in rows of the store.  Their participant sees them without a right to read.
 */
#include <string.h>

#include "kernel/event.h"
#include "rest/rest.h"

/* --- who ------------------------------------------------------------------ */

const char *wf_rest_participant(struct wf_rest *rest)
{
	struct wf_organisation *organisation;
	const char *id;

	if (!rest->server->settings.people)
		return NULL;
	organisation = wf_org_cache_get(rest->server->organisation);
	id = wf_rest_own_participant(rest, organisation);
	if (id != NULL)
		id = wf_arena_strdup(rest->arena, id);
	wf_organisation_unref(&organisation);
	return id;
}

bool wf_rest_taking_part(
    struct wf_rest *rest, uint64_t specification, const char **participant_out)
{
	bool may;

	*participant_out = NULL;
	if (!wf_rest_has_right_for(
		rest, WF_MAY(PARTICIPATE), specification, &may))
		return false;
	if (may)
		*participant_out = wf_rest_participant(rest);
	return true;
}

/* False: answered. */
static bool read_own(
    struct wf_rest *rest, const struct wf_known_case *known, bool *is_own_out)
{
	const char *participant;
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	*is_own_out = false;
	if (!wf_rest_taking_part(rest, known->specification, &participant))
		return false;
	if (participant == NULL)
		return true;
	if (!wf_rest_borrow(rest, &store))
		return false;
	rc = wf_store_is_involved(
	    store, participant, known->number, is_own_out, &err);
	return wf_rest_give_back(rest, store, rc, &err);
}

bool wf_rest_visible_case(struct wf_rest *rest, const char *id,
    struct wf_known_case *known_out, bool *is_own_out)
{
	bool reads = wf_rest_manages_cases(rest);

	*is_own_out = false;
	if (!wf_rest_find_case(rest, id, known_out) ||
	    (!reads && !wf_rest_has_right(
			   rest, WF_MAY(READ), "", known_out, &reads)) ||
	    (!reads && !read_own(rest, known_out, is_own_out)))
		return false;
	if (!reads && !*is_own_out) {
		wf_rest_refuse_right(rest, WF_MAY(READ),
		    " for this process, or a participant who has started or "
		    "worked on the case");
		return false;
	}
	rest->is_allowed = true;
	return true;
}

/* --- what is hidden ------------------------------------------------------- */

void wf_rest_hide_services(json_t *items)
{
	static const char *const hidden[] = { "service", "until", "attempt",
		"next_try", "last_answer", "unserved", "paused" };
	json_t *item;
	size_t i;

	json_array_foreach(items, i, item)
	{
		for (size_t k = 0; k < sizeof(hidden) / sizeof(*hidden); k++)
			json_object_del(item, hidden[k]);
	}
}

static bool is_shown(const char *member)
{
	static const char *const shown[] = { "event", "net", "condition",
		"conditions", "task", "item", "status", "number", "time",
		"participant", "action" };

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		if (strcmp(member, shown[i]) == 0)
			return true;
	return false;
}

/* The reason of whoever withdrew the case stays. */
static void hide_of_event(json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "event"));
	bool is_stated =
	    strcmp(name, wf_event_name(WF_EVENT_REASON_STATED)) == 0;
	const char *member;
	json_t *value;
	void *next;

	json_object_foreach_safe(event, next, member, value)
	{
		if (!is_shown(member) &&
		    !(is_stated && strcmp(member, "reason") == 0))
			json_object_del(event, member);
	}
}

void wf_rest_hide_data(json_t *steps)
{
	json_t *step;
	json_t *event;
	json_t *reason;
	size_t i;
	size_t k;

	json_array_foreach(steps, i, step)
	{
		json_object_del(step, "error");
		json_object_del(step, "reason");
		json_array_foreach(json_object_get(step, "events"), k, event)
		{
			hide_of_event(event);
			reason = json_object_get(event, "reason");
			if (reason != NULL)
				json_object_set(step, "reason", reason);
		}
	}
}
