/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test call: the request to a service that its kind makes when there is no
 * work to do, outside of the queue of its destination and of its breaker.
 */
#include <poll.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "http/fetch.h"
#include "work/delivery_priv.h"

#define TYPE_BYTES 200U
#define ANSWER_BYTES ((size_t)1 << 20)
#define PAUSE_MS 50

/* LATER until the token of the service has come. */
static enum wf_verdict render(
    struct wf_sender *sender, struct wf_message *message, int64_t until_us)
{
	enum wf_verdict verdict;

	while ((verdict = message->service->kind->render_test(message)) ==
		   WF_VERDICT_LATER &&
	       wf_monotonic_us() < until_us && !atomic_load(&sender->tests_end))
		(void)poll(NULL, 0, PAUSE_MS);
	return verdict == WF_VERDICT_LATER
		   ? wf_message_fail(message, WF_VERDICT_AGAIN,
			 "the authorization server has not answered yet")
		   : verdict;
}

static enum wf_verdict judge(struct wf_message *message)
{
	if (message->mail_to != NULL ||
	    (message->status >= 200 && message->status < 300))
		return WF_VERDICT_DONE;
	return wf_message_fail_with_answer(message);
}

static enum wf_verdict call(
    struct wf_sender *sender, struct wf_message *message, int64_t until_us)
{
	struct wf_error err = { .rc = WF_OK };
	char type[TYPE_BYTES] = "";
	int64_t left_ms = (until_us - wf_monotonic_us()) / 1000;
	struct wf_fetch fetch = { .url = message->url,
		.method = message->method == NULL ? "POST" : message->method,
		.user = message->user,
		.is_mail = message->mail_to != NULL,
		.allowed = &sender->settings.allowed,
		.timeout_ms = left_ms > 0 ? left_ms : 1,
		.answer_type = type,
		.answer_type_size = sizeof(type),
		.stop = &sender->tests_end };

	/* The list of a fetch ends with NULL. */
	message->headers = wf_arena_grow(message->arena, message->headers,
	    message->header_count, &message->header_capacity,
	    sizeof(*message->headers));
	message->headers[message->header_count] = NULL;
	fetch.headers = message->headers;
	if (message->body.length > 0)
		fetch.body = wf_buffer_text(&message->body);
	if (wf_http_fetch(&fetch, &message->answer, &message->status, &err) !=
	    WF_OK) {
		message->status = 0;
		return wf_message_fail(
		    message, WF_VERDICT_AGAIN, "%s", err.message);
	}
	message->type = wf_arena_strdup(message->arena, type);
	return judge(message);
}

static enum wf_rc make(struct wf_sender *sender, struct wf_message *message,
    json_t **answer_out, struct wf_error *err)
{
	int64_t began_us = wf_monotonic_us();
	int64_t wait_ms = message->policy.timeout_ms < WF_TEST_CALL_MS
			      ? message->policy.timeout_ms
			      : WF_TEST_CALL_MS;
	int64_t until_us = began_us + wait_ms * 1000;
	enum wf_verdict verdict = render(sender, message, until_us);

	if (verdict == WF_VERDICT_REFUSED)
		return wf_fail(err, WF_CONFLICT, "%.100s is not called: %s",
		    message->service->name, message->reason);
	if (verdict == WF_VERDICT_CALL)
		verdict = call(sender, message, until_us);
	*answer_out = json_object();
	json_object_set_new(
	    *answer_out, "passed", json_boolean(verdict == WF_VERDICT_DONE));
	json_object_set_new(*answer_out, "call",
	    wf_attempt_describe(message, wf_monotonic_us() - began_us, true));
	return WF_OK;
}

enum wf_rc wf_sender_test(struct wf_sender *sender,
    const struct wf_service *service, json_t **answer_out, struct wf_error *err)
{
	struct wf_arena *arena;
	struct wf_message message = { .engine = sender->engine,
		.service = service,
		.policy = service->policy,
		.row = { .namespace_id = service->namespace_id,
		    .destination = service->uri,
		    .attempts = 1 },
		.now = wf_engine_now(sender->engine),
		.tokens = sender->tokens,
		.type = "" };
	enum wf_rc rc;

	*answer_out = NULL;
	if (wf_service_uncalled(service) != NULL)
		return wf_fail(err, WF_CONFLICT, "%.100s is not called: %s",
		    service->name, wf_service_uncalled(service));
	if (atomic_exchange(&sender->tests, true))
		return wf_fail(err, WF_UNAVAILABLE,
		    "another test call is made: try again later");
	arena = wf_arena_new();
	message.arena = arena;
	message.key = wf_arena_printf(
	    arena, "%s-test-%lld", sender->identity, (long long)message.now);
	wf_buffer_init(&message.body, ANSWER_BYTES);
	wf_buffer_init(&message.answer, ANSWER_BYTES);
	rc = make(sender, &message, answer_out, err);
	wf_buffer_free(&message.body);
	wf_buffer_free(&message.answer);
	wf_arena_free(&arena);
	atomic_store(&sender->tests, false);
	return rc;
}

void wf_sender_end_tests(struct wf_sender *sender)
{
	if (sender != NULL)
		atomic_store(&sender->tests_end, true);
}
