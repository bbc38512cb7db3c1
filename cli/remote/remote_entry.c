/* SPDX-License-Identifier: Apache-2.0 */
/* weft work absent|present|deputy|dismiss: entries about people. */
#include <string.h>

#include "cli/commands.h"
#include "cli/remote/remote.h"

#define PATH_MAXIMUM 65536U

static void put_text(json_t *object, const char *name, const char *value)
{
	if (value != NULL)
		json_object_set_new(object, name, json_string(value));
}

/* "a,b": an array of texts. */
static json_t *split(const char *list)
{
	json_t *array = json_array();

	for (const char *at = list; *at != '\0';) {
		size_t length = strcspn(at, ",");

		json_array_append_new(array, json_stringn(at, length));
		at += length + (at[length] == ',');
	}
	return array;
}

/* The body; NULL, after a message: an option is wrong. */
static json_t *make_body(const struct wf_remote *remote)
{
	json_t *body = json_object();
	uint64_t workload;

	put_text(body, "from", remote->from);
	put_text(body, "to", remote->to);
	put_text(body, "comment", remote->comment);
	if (strcmp(remote->verb->name, "deputy") == 0)
		put_text(body, "deputy", remote->words[1]);
	if (remote->process != NULL)
		json_object_set_new(body, "processes", split(remote->process));
	if (remote->workload == NULL)
		return body;
	if (wf_cli_number(remote->workload, 100, &workload)) {
		json_object_set_new(
		    body, "workload", json_integer((json_int_t)workload));
		return body;
	}
	json_decref(body);
	(void)wf_cli_usage(remote->verb->noun,
	    "--workload is percent, 1 to 100, not \"%s\"", remote->workload);
	return NULL;
}

int wf_remote_enter(struct wf_remote *remote)
{
	bool adds = strcmp(remote->verb->method, "POST") == 0;
	json_t *body = adds ? make_body(remote) : NULL;
	struct wf_buffer path;
	int code;

	if (adds && body == NULL)
		return WF_EXIT_USAGE;
	wf_buffer_init(&path, PATH_MAXIMUM);
	wf_remote_put_path(remote, &path);
	code = wf_remote_ask(remote, remote->verb->method, &path, body);
	json_decref(body);
	return code;
}
