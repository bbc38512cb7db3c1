/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Push: an item in a signed request, its output in the answer.
 *
 *   2xx but 202   done: the body is the output, none is an empty one
 *   202           it will be completed later, over REST
 *   408, 425, 429, 5xx, no answer   tried again
 *   anything else   refused
 *
 * The signature is the HMAC-SHA256, by the service's secret, of the time in the
 * header, a point, and the body.  An item is not started before it is
 * completed; what its data would be is found by starting it in a copy.
 */
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "data/json.h"
#include "data/json_fields.h"
#include "work/item_data.h"

/* --- packing -------------------------------------------------------------- */

static void sign(struct wf_parcel *parcel)
{
	crypto_auth_hmacsha256_state state;
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	char hex[2 * sizeof(mac) + 1];
	char text[2 * sizeof(mac) + 16];
	const char *secret = parcel->service->secret;
	char time[24];

	snprintf(time, sizeof(time), "%lld", (long long)(parcel->now / 1000));
	crypto_auth_hmacsha256_init(
	    &state, (const unsigned char *)secret, strlen(secret));
	crypto_auth_hmacsha256_update(
	    &state, (const unsigned char *)time, strlen(time));
	crypto_auth_hmacsha256_update(&state, (const unsigned char *)".", 1);
	crypto_auth_hmacsha256_update(&state,
	    (const unsigned char *)wf_buffer_text(&parcel->body),
	    parcel->body.length);
	crypto_auth_hmacsha256_final(&state, mac);
	sodium_bin2hex(hex, sizeof(hex), mac, sizeof(mac));
	snprintf(text, sizeof(text), "sha256=%s", hex);
	wf_parcel_add_header(parcel, "Weft-Timestamp", time);
	wf_parcel_add_header(parcel, "Weft-Signature", text);
}

static json_t *describe(const struct wf_parcel *parcel, const char *event)
{
	const struct wf_message_row *row = &parcel->message;
	json_t *object = json_object();

	json_object_set_new(object, "id", json_string(parcel->key));
	json_object_set_new(object, "event", json_string(event));
	json_object_set_new(
	    object, "service", json_string(parcel->service->name));
	json_object_set_new(object, "item", json_string(row->subject));
	json_object_set_new(
	    object, "case", json_string(parcel->announced.name));
	json_object_set_new(
	    object, "task", json_string(parcel->announced.task));
	wf_json_put_key(
	    object, "specification", parcel->announced.specification);
	json_object_set_new(object, "attempt", json_integer(row->attempts));
	return object;
}

static enum wf_verdict pack(struct wf_parcel *parcel, json_t *object)
{
	char *text = json_dumps(object, WF_JSON_FLAGS);

	json_decref(object);
	if (text == NULL)
		return wf_parcel_fail(parcel, WF_PARCEL_REFUSED,
		    "what it is about cannot be told as JSON");
	wf_buffer_puts(&parcel->body, text);
	free(text);
	parcel->url = wf_service_address(parcel->service);
	wf_parcel_add_header(parcel, "Content-Type", "application/json");
	wf_parcel_add_header(parcel, "Accept", "application/json");
	wf_parcel_add_header(parcel, "Idempotency-Key", parcel->key);
	sign(parcel);
	return WF_PARCEL_CALL;
}

static enum wf_verdict pack_item(struct wf_parcel *parcel)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *object = describe(parcel, "item");

	if (wf_item_data_peek(parcel, object, &err) == WF_OK)
		return pack(parcel, object);
	json_decref(object);
	return wf_item_data_verdict(parcel, &err);
}

static enum wf_verdict pack_news(struct wf_parcel *parcel, const char *event)
{
	json_t *object = describe(parcel, event);

	json_object_set_new(object, "status",
	    wf_json_lower_case(wf_item_status_name(
		(enum wf_item_status)parcel->announced.status)));
	return pack(parcel, object);
}

enum wf_verdict wf_push_render(struct wf_parcel *parcel)
{
	switch (parcel->message.kind) {
	case WF_ANNOUNCE_ITEM_ENABLED:
	case WF_ANNOUNCE_ITEM_CREATED:
	case WF_ANNOUNCE_ITEM_ROLLED_BACK:
		return pack_item(parcel);
	case WF_ANNOUNCE_ITEM_ENDED:
		return pack_news(parcel, "item_ended");
	case WF_ANNOUNCE_TIMER_EXPIRED:
		return pack_news(parcel, "timer_expired");
	default:
		return WF_PARCEL_DONE;
	}
}

/* --- judging -------------------------------------------------------------- */

static enum wf_verdict take_output(struct wf_parcel *parcel)
{
	struct wf_error err = { .rc = WF_OK };
	const char *text = wf_buffer_text(&parcel->answer);
	json_t *json = NULL;
	json_error_t error = { .text = "" };

	if (parcel->answer.length == 0) {
		json = json_object();
	} else if (strcasestr(parcel->type, "xml") != NULL) {
		parcel->output = text;
		parcel->output_length = parcel->answer.length;
		return WF_PARCEL_COMPLETE;
	} else {
		json = json_loadb(text, parcel->answer.length,
		    JSON_REJECT_DUPLICATES, &error);
	}
	if (json_is_object(json) &&
	    wf_item_data_output(parcel, json, &err) == WF_OK) {
		json_decref(json);
		return WF_PARCEL_COMPLETE;
	}
	json_decref(json);
	if (err.rc == WF_UNAVAILABLE || err.rc == WF_IO)
		return wf_parcel_fail(
		    parcel, WF_PARCEL_AGAIN, "%s", err.message);
	if (err.rc != WF_OK)
		return wf_parcel_fail(
		    parcel, WF_PARCEL_REFUSED, "its output: %s", err.message);
	return wf_parcel_fail(parcel, WF_PARCEL_REFUSED,
	    "its output: expected a JSON object%s%s",
	    error.text[0] == '\0' ? "" : ": ", error.text);
}

enum wf_verdict wf_push_judge(struct wf_parcel *parcel)
{
	bool is_item = wf_parcel_hands_over(parcel->message.kind);

	if (parcel->status < 200 || parcel->status >= 300)
		return wf_parcel_fail_with_answer(parcel);
	if (is_item && parcel->status != 202)
		return take_output(parcel);
	return WF_PARCEL_DONE;
}
