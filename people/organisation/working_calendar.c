/* SPDX-License-Identifier: Apache-2.0 */
#include "people/organisation/working_calendar.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void put_texts(
    json_t *object, const char *member, const struct wf_texts *texts)
{
	json_t *array;

	if (texts->count == 0)
		return;
	array = json_array();
	for (size_t i = 0; i < texts->count; i++)
		json_array_append_new(array, json_string(texts->rows[i]));
	json_object_set_new(object, member, array);
}

static void put_object(json_t *object, const char *member, const char *text)
{
	json_t *value = text[0] == '\0' ? NULL : json_loads(text, 0, NULL);

	if (value != NULL)
		json_object_set_new(object, member, value);
}

enum wf_rc wf_org_calendar_read(const struct wf_working_calendar *record,
    struct wf_arena *arena, wf_calendar_find_f find, void *context,
    const struct wf_calendar **calendar_out, struct wf_error *err)
{
	json_t *object = json_object();
	char *text;
	enum wf_rc rc;

	if (record->timezone[0] != '\0')
		json_object_set_new(
		    object, "timezone", json_string(record->timezone));
	put_object(object, "hours", record->hours);
	put_texts(object, "daysOff", &record->days_off);
	put_object(object, "exceptions", record->exceptions);
	put_texts(object, "includes", &record->includes);
	text = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	rc = wf_calendar_read(
	    arena, text, strlen(text), find, context, calendar_out, err);
	free(text);
	if (rc != WF_OK)
		wf_error_prefix(err, "calendar '%.60s'", record->record.id);
	return rc;
}

static const struct wf_calendar *find_any(void *context, const char *name)
{
	(void)context;
	(void)name;
	return wf_calendar_weekdays();
}

enum wf_rc wf_org_calendar_check(
    const struct wf_working_calendar *record, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	const struct wf_calendar *calendar;
	enum wf_rc rc =
	    wf_org_calendar_read(record, arena, find_any, NULL, &calendar, err);

	wf_arena_free(&arena);
	return rc;
}
