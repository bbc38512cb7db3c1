/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page that is being done, in the record: what was done of it before a
 * crash may not be selected again.  A subject is an array: number, name,
 * subject, specification (a key), version, earlier, tries.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operation/operation_priv.h"

static json_t *encode(const struct subject *subject)
{
	json_t *row = json_pack("[I,s,s]", (json_int_t)subject->number,
	    subject->name, subject->subject);
	char key[24];

	snprintf(key, sizeof(key), "%016llx",
	    (unsigned long long)subject->specification);
	json_array_append_new(row, json_string(key));
	json_array_append_new(row, json_integer((json_int_t)subject->version));
	json_array_append_new(row, json_string(subject->earlier));
	json_array_append_new(row, json_integer(subject->tries));
	return row;
}

void wf_operation_put_page(
    json_t *json, const struct subjects *subjects, bool is_settled)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < subjects->count; i++)
		json_array_append_new(rows, encode(&subjects->rows[i]));
	json_object_set_new(json, "page",
	    json_pack("{s:o,s:I,s:b,s:b}", "subjects", rows, "examined",
		(json_int_t)subjects->examined, "last", subjects->is_last,
		"settled", is_settled));
}

void wf_operation_put_place(json_t *json, const struct subjects *subjects)
{
	json_object_set_new(
	    json, "after", json_integer((json_int_t)subjects->after));
	json_object_set_new(json, "after_subject",
	    json_string(subjects->after_subject == NULL
			    ? ""
			    : subjects->after_subject));
}

bool wf_operation_is_active(const struct operation *operation)
{
	json_t *page = json_object_get(operation->json, "page");

	return wf_operation_is(operation, "running") ||
	       (page != NULL &&
		   !json_is_true(json_object_get(page, "settled")));
}

static const char *text_at(json_t *row, size_t at)
{
	const char *text = json_string_value(json_array_get(row, at));

	return text == NULL ? "" : text;
}

static uint64_t number_at(json_t *row, size_t at)
{
	return (uint64_t)json_integer_value(json_array_get(row, at));
}

bool wf_operation_page(const struct operation *operation,
    struct wf_arena *arena, struct subjects *subjects_out)
{
	json_t *page = json_object_get(operation->json, "page");
	json_t *rows = json_object_get(page, "subjects");
	size_t i;
	json_t *row;

	memset(subjects_out, 0, sizeof(*subjects_out));
	if (!json_is_array(rows))
		return false;
	subjects_out->count = json_array_size(rows);
	subjects_out->rows = wf_arena_array(
	    arena, subjects_out->count + 1, sizeof(subjects_out->rows[0]));
	json_array_foreach(rows, i, row) subjects_out->rows[i] =
	    (struct subject){
		    .number = number_at(row, 0),
		    .name = text_at(row, 1),
		    .subject = text_at(row, 2),
		    .specification = strtoull(text_at(row, 3), NULL, 16),
		    .version = number_at(row, 4),
		    .earlier = text_at(row, 5),
		    .tries = (unsigned)number_at(row, 6),
	    };
	subjects_out->examined =
	    (size_t)json_integer_value(json_object_get(page, "examined"));
	subjects_out->is_last = json_is_true(json_object_get(page, "last"));
	return true;
}
