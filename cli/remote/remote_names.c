/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces keys of specifications by their URIs and versions. */
#include <string.h>

#include "cli/remote/remote.h"

static const json_t *find(const json_t *specifications, const char *key)
{
	json_t *one;
	size_t i;

	json_array_foreach(specifications, i, one)
	{
		if (strcmp(json_string_value(json_object_get(one, "key")),
			key) == 0)
			return one;
	}
	return NULL;
}

static void name_one(const json_t *specifications, json_t *row)
{
	const char *key =
	    json_string_value(json_object_get(row, "specification"));
	const json_t *one = key == NULL ? NULL : find(specifications, key);

	if (one != NULL)
		json_object_set_new(row, "specification",
		    json_sprintf("%s %s",
			json_string_value(json_object_get(one, "uri")),
			json_string_value(json_object_get(one, "version"))));
}

void wf_remote_name_specifications(struct wf_remote *remote, json_t *rows)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *answer;
	json_t *row;
	size_t i;

	if (json_is_array(rows)
		? json_array_size(rows) == 0
		: json_object_get(rows, "specification") == NULL)
		return;
	if (wf_client_json(remote->client, "GET", "/v1/specifications", NULL,
		&answer, &err) != WF_OK)
		return;
	if (json_is_array(rows)) {
		json_array_foreach(rows, i, row)
		    name_one(json_object_get(answer, "specifications"), row);
	} else {
		name_one(json_object_get(answer, "specifications"), rows);
	}
	json_decref(answer);
}
