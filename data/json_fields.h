/* SPDX-License-Identifier: Apache-2.0 */
/* Members of JSON objects that all answers and messages write the same way. */
#ifndef WF_DATA_JSON_FIELDS_H
#define WF_DATA_JSON_FIELDS_H

#include <jansson.h>
#include <stdint.h>

/* The text in lower case (ASCII), cut after 31 bytes; a new reference. */
json_t *wf_json_lower_case(const char *text);

/* Adds no member when the text is NULL or "". */
void wf_json_put_text(json_t *object, const char *name, const char *text);
/*
 * A time in milliseconds since 1970, UTC, as "2026-01-31T12:00:00.000Z".  Adds
 * no member when the time is 0, which means "no time".
 */
void wf_json_put_time(json_t *object, const char *name, int64_t milliseconds);
/* As a string: JSON readers may round numbers of more than 53 bits. */
void wf_json_put_number(json_t *object, const char *name, uint64_t number);
/* The key of a specification, as 16 hexadecimal digits. */
void wf_json_put_key(json_t *object, const char *name, uint64_t key);

#endif
