/* SPDX-License-Identifier: Apache-2.0 */
/* Priority and due time of an item, changed by hand. */
#include <string.h>

#include "data/json.h"
#include "rest/rest.h"
#include "rest/rest_people.h"
#include "server/context.h"
#include "spec/timing.h"

/* A number, or "-" when there is none: it stays. */
static bool read_priority(
    struct wf_rest *rest, const json_t *value, const char **text_out)
{
	json_int_t priority = json_integer_value(value);

	*text_out = "-";
	if (value == NULL)
		return true;
	if (!json_is_integer(value) || priority < 0 ||
	    priority > WF_PRIORITY_MOST) {
		wf_rest_refuse(rest, "priority: expected a number from 0 to %u",
		    WF_PRIORITY_MOST);
		return false;
	}
	*text_out = wf_arena_printf(rest->arena, "%d", (int)priority);
	return true;
}

/* A time, or a duration from now on; null: it is not due any more. */
static bool read_due(
    struct wf_rest *rest, const json_t *value, const char **text_out)
{
	const char *text = json_string_value(value);
	int64_t at;

	*text_out = json_is_null(value) ? "0" : "-";
	if (value == NULL || json_is_null(value))
		return true;
	if (text == NULL || strlen(text) > WF_REST_WORD_BYTES ||
	    !wf_rest_read_instant(rest, text, &at) || at <= 0) {
		wf_rest_refuse(rest,
		    "due: expected a time such as 2026-01-31T12:00:00Z, a "
		    "duration such as PT4H, or null");
		return false;
	}
	*text_out = wf_arena_printf(rest->arena, "%lld", (long long)at);
	return true;
}

/* The data of the command: see kernel/assignment/urgency_step.c. */
static bool read_change(
    struct wf_rest *rest, const json_t *body, struct wf_command *command)
{
	const json_t *priority = json_object_get(body, "priority");
	const json_t *due = json_object_get(body, "due");
	const char *priority_text;
	const char *due_text;

	if (priority == NULL && due == NULL) {
		wf_rest_refuse(rest, "expected priority, due, or both");
		return false;
	}
	if (!read_priority(rest, priority, &priority_text) ||
	    !read_due(rest, due, &due_text))
		return false;
	command->data =
	    wf_arena_printf(rest->arena, "%s %s", priority_text, due_text);
	command->length = strlen(command->data);
	return true;
}

void wf_rest_reschedule_item(struct wf_rest *rest)
{
	struct wf_request request = { .kind = rest->route->request,
		.command = { .kind = rest->route->command } };
	struct wf_known_case known;
	json_t *body;
	bool good;

	if (!wf_rest_read_item(rest, &request, &known) ||
	    !wf_rest_body(rest, &body))
		return;
	/* Whoever operates may, also if the item is another's. */
	request.command.is_administrator |= rest->serves;
	good = read_change(rest, body, &request.command);
	json_decref(body);
	if (good)
		wf_rest_submit(rest, &request, 200);
}
