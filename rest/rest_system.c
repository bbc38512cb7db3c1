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

/* A turn of a shard that runs longer stands still. */
#define STALL_MS 5000

static enum wf_rc check_shards(struct wf_engine *engine, struct wf_error *err)
{
	unsigned shard;
	int64_t busy = wf_engine_busy_ms(engine, &shard);

	if (busy < STALL_MS)
		return WF_OK;
	return wf_fail(err, WF_UNAVAILABLE,
	    "shard %u has not finished its batch for %lld seconds", shard,
	    (long long)busy / 1000);
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
	if (rc == WF_OK)
		rc = check_shards(rest->server->engine, &err);
	if (rc == WF_OK && !wf_gate_is_closed(&rest->server->gate)) {
		wf_rest_answer(rest, 200, healthy());
		return;
	}
	wf_rest_problem(rest, 503, "unavailable", "Not now, try again",
	    rc == WF_OK ? "the server is ending" : err.message);
}
