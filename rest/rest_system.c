/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the server is up, and whether it can serve. */
#include "rest/rest.h"

static json_t *healthy(void)
{
	json_t *answer = json_object();

	json_object_set_new(answer, "status", json_string("ok"));
	json_object_set_new(answer, "version", json_string(PACKAGE_VERSION));
	return answer;
}

void wf_rest_health(struct wf_rest *rest)
{
	wf_rest_answer(rest, 200, healthy());
}

void wf_rest_ready(struct wf_rest *rest)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	uint64_t change;
	enum wf_rc rc = wf_engine_borrow(rest->server->engine, &store, &err);

	if (rc == WF_OK) {
		rc = wf_store_change(store, &change, &err);
		wf_engine_give_back(rest->server->engine, store);
	}
	if (rc == WF_OK && !wf_gate_is_closed(&rest->server->gate)) {
		wf_rest_answer(rest, 200, healthy());
		return;
	}
	wf_rest_problem(rest, 503, "unavailable", "Not now, try again",
	    rc == WF_OK ? "the server is ending" : err.message);
}
