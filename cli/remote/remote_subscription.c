/* SPDX-License-Identifier: Apache-2.0 */
/* Adding subscriptions: who is notified of which events. */
#include <string.h>
#include <strings.h>

#include "cli/commands.h"
#include "cli/remote/remote.h"

#define PATH_MAXIMUM 65536U

/* "incident_opened,worker_lost" */
static json_t *list_events(const char *text)
{
	json_t *array = json_array();

	while (*text != '\0') {
		size_t length = strcspn(text, ",");

		json_array_append_new(array, json_stringn(text, length));
		text += length;
		text += *text == ',';
	}
	return array;
}

/* A URL, or "service:NAME", "mail:ADDRESS", "participant:ID". */
static bool put_subscriber(json_t *body, const char *to)
{
	static const char *const members[] = { "service", "mail",
		"participant" };

	if (strncasecmp(to, "http://", 7) == 0 ||
	    strncasecmp(to, "https://", 8) == 0) {
		json_object_set_new(body, "url", json_string(to));
		return true;
	}
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		size_t length = strlen(members[i]);

		if (strncmp(to, members[i], length) != 0 || to[length] != ':')
			continue;
		json_object_set_new(
		    body, members[i], json_string(to + length + 1));
		return true;
	}
	return false;
}

int wf_remote_subscribe(struct wf_remote *remote)
{
	json_t *body = json_object();
	struct wf_buffer path;
	int code;

	if (!put_subscriber(body, remote->words[1])) {
		json_decref(body);
		return wf_cli_usage(remote->verb->noun,
		    "TO: expected a URL of http or https, service:NAME, "
		    "mail:ADDRESS or participant:ID");
	}
	if (remote->events != NULL)
		json_object_set_new(
		    body, "events", list_events(remote->events));
	if (remote->specification != NULL)
		json_object_set_new(
		    body, "specification", json_string(remote->specification));
	if (remote->window != NULL)
		json_object_set_new(
		    body, "window", json_string(remote->window));
	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	code = wf_remote_ask(remote, "PUT", &path, body);
	json_decref(body);
	return code;
}
