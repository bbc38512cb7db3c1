/* SPDX-License-Identifier: Apache-2.0 */
#include "data/json_fields.h"

#include <stdio.h>

#include "base/time_text.h"

/* RFC 3339 has years of four digits: its first and last instant. */
#define TIME_FIRST INT64_C(-62167219200000)
#define TIME_LAST INT64_C(253402300799999)

json_t *wf_json_lower_case(const char *text)
{
	char lower[32];
	size_t i;

	for (i = 0; text[i] != '\0' && i + 1 < sizeof(lower); i++)
		lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z'
				      ? text[i] - 'A' + 'a'
				      : text[i]);
	lower[i] = '\0';
	return json_string(lower);
}

void wf_json_put_text(json_t *object, const char *name, const char *text)
{
	if (text != NULL && text[0] != '\0')
		json_object_set_new(object, name, json_string(text));
}

void wf_json_put_time(json_t *object, const char *name, int64_t milliseconds)
{
	int64_t at = milliseconds < TIME_FIRST	? TIME_FIRST
		     : milliseconds > TIME_LAST ? TIME_LAST
						: milliseconds;
	char text[WF_TIME_TEXT_BYTES];

	if (milliseconds == 0)
		return;
	wf_time_text(at, text);
	json_object_set_new(object, name, json_string(text));
}

void wf_json_put_number(json_t *object, const char *name, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	json_object_set_new(object, name, json_string(text));
}

void wf_json_put_key(json_t *object, const char *name, uint64_t key)
{
	char text[24];

	snprintf(text, sizeof(text), "%016llx", (unsigned long long)key);
	json_object_set_new(object, name, json_string(text));
}
