/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the verbs that talk to a server, and refusals that name them.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "cli/duration.h"
#include "cli/options.h"
#include "cli/remote/remote.h"
#include "xquery/text/unicode.h"

/* --- options -------------------------------------------------------------- */

struct place {
	const char *name;
	size_t offset;
	bool has_value;
};

#define TEXT(name, field)                                                      \
	{                                                                      \
		name, offsetof(struct wf_remote, field), true                  \
	}
#define FLAG(name, field)                                                      \
	{                                                                      \
		name, offsetof(struct wf_remote, field), false                 \
	}

static const struct place places[] = {
	FLAG("json", json),
	FLAG("quiet", quiet),
	TEXT("each", each),
	TEXT("id", id),
	TEXT("title", title),
	TEXT("version", version),
	TEXT("at", at),
	TEXT("delay", delay),
	FLAG("wait", wait),
	FLAG("all", all),
	FLAG("data", data),
	FLAG("oldest", oldest),
	FLAG("mine", mine),
	FLAG("quarantined", quarantined),
	TEXT("status", status),
	TEXT("specification", specification),
	TEXT("case", case_id),
	TEXT("task", task),
	TEXT("limit", limit),
	TEXT("code", code),
	TEXT("fence", fence),
	FLAG("override", override),
	TEXT("reason", reason),
	FLAG("cancel", cancel),
	FLAG("replace", replace),
	TEXT("key", key),
	TEXT("remove", remove),
	TEXT("output", output),
	TEXT("name", name),
	TEXT("type", type),
	TEXT("parameter", parameter),
	TEXT("view", view),
	TEXT("state", state),
	TEXT("data", input),
	TEXT("for", user),
	TEXT("priority", priority),
	TEXT("older", older),
	TEXT("due", due),
	TEXT("newer", newer),
	TEXT("unchanged", unchanged),
	TEXT("incident", incident),
	TEXT("where", where),
	TEXT("order", order),
	FLAG("descending", descending),
	FLAG("without-data", without_data),
	TEXT("find", find),
	TEXT("format", format),
	TEXT("kind", kind),
	FLAG("update", update),
	FLAG("dry-run", dry_run),
	TEXT("net", net),
	TEXT("plan", plan),
	TEXT("steps", steps),
	FLAG("force", force),
	TEXT("into", into),
	TEXT("rate", rate),
	TEXT("result", result),
	TEXT("from", from),
	TEXT("to", to),
	TEXT("workload", workload),
	TEXT("process", process),
	TEXT("comment", comment),
	TEXT("account", account),
	TEXT("events", events),
	TEXT("window", window),
	TEXT("observer", observer),
	TEXT("per", per),
};

#define PLACE_COUNT (sizeof(places) / sizeof(places[0]))

/* A short duration is sent in its ISO form, which lives as long as argv. */
static const char *read_value(
    const struct wf_cli_row *option, size_t place, const char *value)
{
	static char durations[PLACE_COUNT][WF_CLI_DURATION_SIZE];
	bool is_time = option->argument != NULL &&
		       (strcmp(option->argument, "TIME") == 0 ||
			   strcmp(option->argument, "DURATION") == 0);

	wf_assert(place < PLACE_COUNT);
	return is_time && wf_cli_short_duration(value, durations[place])
		   ? durations[place]
		   : value;
}

static void set(
    struct wf_remote *remote, const struct place *place, const char *value)
{
	char *field = (char *)remote + place->offset;

	if (place->has_value)
		memcpy(field, &value, sizeof(value));
	else
		*(bool *)(void *)field = true;
}

int wf_remote_take_option(
    void *context, const struct wf_cli_row *option, const char *value)
{
	struct wf_remote *remote = context;

	if (strcmp(option->name, "server") == 0) {
		remote->server = value;
		return WF_EXIT_DONE;
	}
	if (strcmp(option->name, "ca") == 0) {
		remote->ca = value;
		return WF_EXIT_DONE;
	}
	if (value != NULL && !wf_is_utf8(value, strlen(value)))
		return wf_cli_usage(
		    remote->verb->noun, "--%s: expected UTF-8", option->name);
	for (size_t i = 0; i < PLACE_COUNT; i++)
		if (strcmp(places[i].name, option->name) == 0 &&
		    places[i].has_value == (value != NULL)) {
			set(remote, &places[i], read_value(option, i, value));
			return WF_EXIT_DONE;
		}
	wf_assert(!"an option of remote.def that has no place");
	return WF_EXIT_USAGE;
}

/* --- refusals ------------------------------------------------------------- */

/* The option that the message begins with, as in "delay: expected .."; NULL. */
static const char *named_option(
    const struct wf_remote *remote, const char *message)
{
	size_t length = strcspn(message, ":");

	if (message[length] == '\0')
		return NULL;
	for (size_t i = 0; i < PLACE_COUNT; i++)
		if (strlen(places[i].name) == length &&
		    strncmp(places[i].name, message, length) == 0 &&
		    wf_cli_takes(remote->row, places[i].name))
			return places[i].name;
	return NULL;
}

int wf_remote_report(const struct wf_remote *remote, struct wf_error *err)
{
	char text[sizeof(err->message)];
	const char *token = getenv("WEFT_TOKEN");

	memcpy(text, err->message, sizeof(text));
	if (remote->client != NULL && wf_client_is_unauthorized(remote->client))
		snprintf(err->message, sizeof(err->message),
		    "%s does not accept the token of %s", remote->server,
		    token == NULL || token[0] == '\0' ? "the file weft.token"
						      : "WEFT_TOKEN");
	else if (named_option(remote, text) != NULL)
		snprintf(err->message, sizeof(err->message), "--%.*s",
		    (int)sizeof(text) - 3, text);
	return wf_cli_report(err);
}
