/* SPDX-License-Identifier: Apache-2.0 */
#include "work/state/attempts.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"
#include "data/json_fields.h"

#define KEPT 256U
#define REASON_BYTES 300U
#define BODY_BYTES 16384U
/* Attempts of one message that are shown, with the last one. */
#define SHOWN 8U

struct attempt {
	uint64_t number;
	uint64_t message;
	uint32_t attempt;
	unsigned status;
	int64_t at;
	int64_t took_us;
	char reason[REASON_BYTES];
};

struct wf_attempts {
	struct attempt rows[KEPT];
	size_t next; /* so many were added */
};

struct wf_attempts *wf_attempts_new(void)
{
	return wf_calloc(1, sizeof(struct wf_attempts));
}

void wf_attempts_free(struct wf_attempts **attempts)
{
	wf_free(*attempts);
	*attempts = NULL;
}

/*
 * The place of that attempt: a message that is postponed can be tried again
 * under the same number.  Otherwise the next place.
 */
static struct attempt *place_of(
    struct wf_attempts *attempts, const struct wf_message_row *message)
{
	for (size_t i = 0; i < KEPT; i++) {
		struct attempt *row = &attempts->rows[i];

		if (row->number == message->number &&
		    row->message == message->message &&
		    row->attempt == message->attempts)
			return row;
	}
	return &attempts->rows[attempts->next++ % KEPT];
}

void wf_attempts_add(struct wf_attempts *attempts,
    const struct wf_message *message, int64_t took_us)
{
	struct attempt *row = place_of(attempts, &message->row);

	wf_assert(message->row.number != 0 || message->row.message != 0);
	*row = (struct attempt){ .number = message->row.number,
		.message = message->row.message,
		.attempt = message->row.attempts,
		.status = message->status,
		.at = message->now,
		.took_us = took_us };
	snprintf(row->reason, sizeof(row->reason), "%s",
	    message->reason == NULL ? "" : message->reason);
}

/* --- as JSON -------------------------------------------------------------- */

/* The beginning, if it is a text. */
static void put_body(
    json_t *object, const char *name, const struct wf_buffer *body)
{
	size_t length = body->length < BODY_BYTES ? body->length : BODY_BYTES;
	json_t *text = NULL;

	if (body->length == 0)
		return;
	/* A character may have been cut. */
	for (size_t less = 0; text == NULL && less < 4 && less < length; less++)
		text = json_stringn(body->data, length - less);
	if (text != NULL)
		json_object_set_new(object, name, text);
	json_object_set_new(
	    object, "bytes", json_integer((json_int_t)body->length));
}

/* Without what may be secret in it. */
static void put_url(json_t *object, const char *url)
{
	static const CURLUPart secret[] = { CURLUPART_USER, CURLUPART_PASSWORD,
		CURLUPART_QUERY, CURLUPART_FRAGMENT };
	CURLU *parts = curl_url();
	char *shown = NULL;

	if (parts != NULL && curl_url_set(parts, CURLUPART_URL, url,
				 CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK) {
		for (size_t i = 0; i < sizeof(secret) / sizeof(*secret); i++)
			(void)curl_url_set(parts, secret[i], NULL, 0);
		(void)curl_url_get(parts, CURLUPART_URL, &shown, 0);
	}
	wf_json_put_text(object, "url", shown);
	curl_free(shown);
	curl_url_cleanup(parts);
}

static json_t *describe_attempt(uint32_t attempt, int64_t at, int64_t took_us,
    unsigned status, const char *reason)
{
	json_t *object = json_object();

	json_object_set_new(object, "attempt", json_integer(attempt));
	json_object_set_new(object, "at", json_integer(at));
	json_object_set_new(
	    object, "milliseconds", json_integer(took_us / 1000));
	if (status != 0)
		json_object_set_new(object, "status", json_integer(status));
	json_object_set_new(object, "reason",
	    json_string_nocheck(reason == NULL ? "" : reason));
	return object;
}

static json_t *describe_request(const struct wf_message *message, bool has_body)
{
	json_t *object = json_object();
	bool is_mail = message->mail_to != NULL;

	wf_json_put_text(object, "method",
	    is_mail		      ? "MAIL"
	    : message->method == NULL ? "POST"
				      : message->method);
	put_url(object,
	    message->url == NULL ? message->row.destination : message->url);
	if (has_body && !is_mail)
		put_body(object, "body", &message->body);
	return object;
}

static json_t *describe_answer(const struct wf_message *message)
{
	json_t *object = json_object();

	json_object_set_new(object, "status", json_integer(message->status));
	wf_json_put_text(object, "type", message->type);
	put_body(object, "body", &message->answer);
	return object;
}

json_t *wf_attempt_describe(
    const struct wf_message *message, int64_t took_us, bool has_body)
{
	json_t *object = describe_attempt(message->row.attempts, message->now,
	    took_us, message->status, message->reason);

	json_object_set_new(
	    object, "request", describe_request(message, has_body));
	if (message->status != 0)
		json_object_set_new(object, "answer", describe_answer(message));
	return object;
}

const char *wf_attempts_describe(struct wf_attempts *attempts,
    struct wf_message *message, int64_t took_us, bool has_body)
{
	json_t *array = json_array();
	const char *copy;
	char *text;

	for (size_t i = 0; i < KEPT; i++) {
		const struct attempt *row =
		    &attempts->rows[(attempts->next + i) % KEPT];

		if (row->number == message->row.number &&
		    row->message == message->row.message &&
		    row->attempt < message->row.attempts &&
		    row->attempt + SHOWN > message->row.attempts)
			json_array_append_new(
			    array, describe_attempt(row->attempt, row->at,
				       row->took_us, row->status, row->reason));
	}
	json_array_append_new(
	    array, wf_attempt_describe(message, took_us, has_body));
	wf_assert(json_array_size(array) <= SHOWN);
	text = json_dumps(array, JSON_COMPACT);
	json_decref(array);
	copy = text == NULL ? "" : wf_arena_strdup(message->arena, text);
	free(text);
	return copy;
}
