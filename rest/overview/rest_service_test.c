/* SPDX-License-Identifier: Apache-2.0 */
/* A test call of a service: what it was asked, and what it answered. */
#include "rest/rest.h"
#include "server/context.h"

static enum wf_rc test(
    struct wf_rest *rest, json_t **answer_out, struct wf_error *err)
{
	struct wf_sender *sender = atomic_load(&rest->server->sender);
	struct wf_services *services = rest->server->services;
	const struct wf_service_set *set;
	const struct wf_service *service;
	enum wf_rc rc;

	if (sender == NULL)
		return wf_fail(
		    err, WF_UNAVAILABLE, "the server starts: try again later");
	set = wf_services_hold(services);
	rc = wf_rest_find_service(rest, set, &service, err);
	if (rc == WF_OK)
		rc = wf_sender_test(sender, service, answer_out, err);
	wf_services_let_go(services, set);
	return rc;
}

void wf_rest_test_service(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	json_t *answer = NULL;

	if (!wf_rest_may(rest, NULL, rest->parts[0]))
		return;
	if (test(rest, &answer, &err) != WF_OK) {
		wf_rest_fail(rest, &err);
		return;
	}
	wf_rest_time_of_call(json_object_get(answer, "call"));
	wf_rest_answer(rest, 200, answer);
}
