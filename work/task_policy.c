/* SPDX-License-Identifier: Apache-2.0 */
#include "work/task_policy.h"

#include <string.h>

#include "data/deadline.h"
#include "data/query.h"

#define TEXT_BYTES 100U

void wf_hand_over_policy(
    const struct wf_hand_over *hand_over, struct wf_service_policy *policy)
{
	if (hand_over == NULL)
		return;
	if (hand_over->attempts != 0)
		policy->attempts = hand_over->attempts;
	if (hand_over->backoff != 0)
		policy->backoff = hand_over->backoff;
	if (hand_over->delay_ms >= 0)
		policy->delay_ms = hand_over->delay_ms;
	if (hand_over->cap_ms >= 0)
		policy->cap_ms = hand_over->cap_ms;
	if (hand_over->timeout_ms > 0)
		policy->timeout_ms = hand_over->timeout_ms;
}

static enum wf_rc holds(const struct wf_expression *condition,
    const struct wf_document *document, const struct wf_evaluation *how,
    bool *holds_out, struct wf_error *err)
{
	*holds_out = true;
	if (condition->text == NULL)
		return WF_OK;
	return wf_query_boolean(
	    condition->query, document, how, holds_out, err);
}

static enum wf_rc start_at(const struct wf_hand_over *hand_over,
    const struct wf_document *document, const struct wf_evaluation *how,
    int64_t since, int64_t *at_out, struct wf_error *err)
{
	struct wf_deadline deadline;
	struct wf_buffer text;
	enum wf_rc rc;

	*at_out = since;
	if (hand_over->start_delay.text == NULL)
		return WF_OK;
	wf_buffer_init(&text, TEXT_BYTES);
	rc = wf_query_string(
	    hand_over->start_delay.query, document, how, &text, err);
	if (rc == WF_OK && text.length > 0 &&
	    (!wf_deadline_parse(
		 wf_buffer_text(&text), text.length, 0, &deadline) ||
		!wf_deadline_at(&deadline, since, 0, NULL, at_out)))
		rc = wf_fail(err, WF_DATA,
		    "startDelay gives \"%s\": expected a duration or an "
		    "instant",
		    wf_buffer_text(&text));
	wf_buffer_free(&text);
	return rc;
}

bool wf_hand_over_may_wait(const struct wf_hand_over *hand_over)
{
	return hand_over != NULL && (hand_over->start_delay.text != NULL ||
					hand_over->precondition.text != NULL);
}

enum wf_rc wf_hand_over_check(const struct wf_hand_over *hand_over,
    const char *xml, size_t length, int64_t since, int64_t now, int64_t again,
    uint64_t steps, int64_t *at_out, bool *may_out, struct wf_error *err)
{
	struct wf_evaluation how = { .now = now, .steps = steps };
	struct wf_document document;
	struct wf_value_list list;
	enum wf_rc rc;

	*may_out = true;
	if (!wf_hand_over_may_wait(hand_over))
		return WF_OK;
	rc = wf_value_list_parse(&list, xml, length, err);
	if (rc != WF_OK)
		return rc;
	document = (struct wf_document){ list.root, list.values, list.count };
	rc = start_at(hand_over, &document, &how, since, at_out, err);
	if (rc == WF_OK && *at_out > now) {
		*may_out = false;
	} else if (rc == WF_OK) {
		rc = holds(
		    &hand_over->precondition, &document, &how, may_out, err);
		*at_out = again;
	}
	wf_value_list_free(&list);
	return rc;
}

enum wf_rc wf_hand_over_accept(const struct wf_hand_over *hand_over,
    const char *xml, size_t length, int64_t now, struct wf_error *err)
{
	struct wf_evaluation how = { .now = now, .steps = WF_INSPECTION_WORK };
	struct wf_document document;
	struct wf_value_list list;
	bool good;
	enum wf_rc rc;

	if (hand_over == NULL || hand_over->postcondition.text == NULL)
		return WF_OK;
	rc = wf_value_list_parse(&list, xml, length, err);
	if (rc != WF_OK)
		return rc;
	document = (struct wf_document){ list.root, list.values, list.count };
	rc = holds(&hand_over->postcondition, &document, &how, &good, err);
	if (rc == WF_OK && !good)
		rc = wf_fail(err, WF_DATA, "its postcondition does not hold");
	wf_value_list_free(&list);
	return rc;
}
