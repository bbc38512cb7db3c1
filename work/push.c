/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Push: each item in a signed request; the answer holds its output.
 *
 *   2xx but 202   done: the body is the output, an empty body no output
 *   202           the service completes the item later, over REST
 *   408, 425, 429, 5xx, no answer   tried again
 *   any other     refused
 *
 * Requests are signed (work/subscription/signature.h).  An item is started and
 * completed in one command; the data of the request comes from a start in a
 * copy of the case.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "data/json.h"
#include "data/json_fields.h"
#include "work/handler.h"
#include "work/item_data.h"
#include "work/subscription/signature.h"

static bool hears(enum wf_announcement_kind kind)
{
	return wf_message_hands_over(kind) || kind == WF_ANNOUNCE_ITEM_ENDED ||
	       kind == WF_ANNOUNCE_TIMER_EXPIRED;
}

/* --- the request ---------------------------------------------------------- */

static void sign(struct wf_message *message)
{
	char text[WF_SIGNATURE_SIZE];
	char time[WF_SIGNATURE_TIME_SIZE];

	wf_sign(message->service->secret, message->now,
	    wf_buffer_text(&message->body), message->body.length, time, text);
	wf_message_add_header(message, "Weft-Timestamp", time);
	wf_message_add_header(message, "Weft-Signature", text);
}

static json_t *describe(const struct wf_message *message, const char *event)
{
	const struct wf_message_row *row = &message->row;
	json_t *object = json_object();

	json_object_set_new(object, "id", json_string(message->key));
	json_object_set_new(object, "event", json_string(event));
	json_object_set_new(
	    object, "service", json_string(message->service->name));
	json_object_set_new(object, "item", json_string(row->subject));
	json_object_set_new(
	    object, "case", json_string(message->announced.name));
	json_object_set_new(
	    object, "task", json_string(message->announced.task));
	wf_json_put_key(
	    object, "specification", message->announced.specification);
	json_object_set_new(object, "attempt", json_integer(row->attempts));
	return object;
}

static enum wf_verdict finish_request(
    struct wf_message *message, json_t *object)
{
	char *text = wf_json_dump(object, JSON_COMPACT);

	json_decref(object);
	if (text == NULL)
		return wf_message_fail(message, WF_VERDICT_REFUSED,
		    "the event cannot be written as JSON");
	wf_buffer_puts(&message->body, text);
	free(text);
	message->url = wf_service_address(message->service);
	wf_message_add_header(message, "Content-Type", "application/json");
	wf_message_add_header(message, "Accept", "application/json");
	wf_message_add_header(message, "Idempotency-Key", message->key);
	sign(message);
	return WF_VERDICT_CALL;
}

static enum wf_verdict render_item(struct wf_message *message)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *object = describe(message, "item");

	if (wf_item_data_describe(message, object, &err) == WF_OK)
		return finish_request(message, object);
	json_decref(object);
	return wf_item_data_verdict(message, &err);
}

static enum wf_verdict render_event(
    struct wf_message *message, const char *event)
{
	json_t *object = describe(message, event);

	json_object_set_new(object, "status",
	    wf_json_lower_case(wf_item_status_name(
		(enum wf_item_status)message->announced.status)));
	return finish_request(message, object);
}

static enum wf_verdict render(struct wf_message *message)
{
	switch (message->row.kind) {
	case WF_ANNOUNCE_ITEM_ENABLED:
	case WF_ANNOUNCE_ITEM_CREATED:
	case WF_ANNOUNCE_ITEM_ROLLED_BACK:
		return render_item(message);
	case WF_ANNOUNCE_ITEM_ENDED:
		return render_event(message, "item_ended");
	case WF_ANNOUNCE_TIMER_EXPIRED:
		return render_event(message, "timer_expired");
	default:
		return WF_VERDICT_DONE;
	}
}

static enum wf_verdict render_test(struct wf_message *message)
{
	json_t *object = json_object();

	json_object_set_new(object, "id", json_string(message->key));
	json_object_set_new(object, "event", json_string("test"));
	json_object_set_new(
	    object, "service", json_string(message->service->name));
	return finish_request(message, object);
}

/* --- the answer ----------------------------------------------------------- */

/* COMPLETE with the output of the answer. */
static enum wf_verdict take_output(struct wf_message *message)
{
	struct wf_error err = { .rc = WF_OK };
	const char *text = wf_buffer_text(&message->answer);
	json_t *json = NULL;
	json_error_t error = { .text = "" };

	if (message->answer.length == 0) {
		json = json_object();
	} else if (strcasestr(message->type, "xml") != NULL) {
		message->output = text;
		message->output_length = message->answer.length;
		return WF_VERDICT_COMPLETE;
	} else {
		json = json_loadb(text, message->answer.length,
		    JSON_REJECT_DUPLICATES, &error);
	}
	if (json_is_object(json) &&
	    wf_item_data_output(message, json, &err) == WF_OK) {
		json_decref(json);
		return WF_VERDICT_COMPLETE;
	}
	json_decref(json);
	if (err.rc == WF_UNAVAILABLE || err.rc == WF_IO)
		return wf_message_fail(
		    message, WF_VERDICT_AGAIN, "%s", err.message);
	if (err.rc != WF_OK)
		return wf_message_fail(
		    message, WF_VERDICT_REFUSED, "its output: %s", err.message);
	return wf_message_fail(message, WF_VERDICT_REFUSED,
	    "its output: expected a JSON object%s%s",
	    error.text[0] == '\0' ? "" : ": ", error.text);
}

static enum wf_verdict judge(struct wf_message *message)
{
	bool is_item = wf_message_hands_over(message->row.kind);

	if (message->status < 200 || message->status >= 300)
		return wf_message_fail_with_answer(message);
	if (is_item && message->status != 202)
		return take_output(message);
	return WF_VERDICT_DONE;
}

const struct wf_service_handler wf_push_handler = {
	.number = 1,
	.name = "push",
	.url = WF_SERVICE_URL_IS_ADDRESS,
	.signs = true,
	.hears = hears,
	.render = render,
	.render_test = render_test,
	.judge = judge,
};
