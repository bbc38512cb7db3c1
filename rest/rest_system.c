/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the server is up, and whether it can serve; the clock of a server in
 * test mode.
 */
#include <string.h>

#include "data/deadline.h"
#include "rest/rest.h"
#include "server/test_clock.h"

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

/* --- test mode ------------------------------------------------------------ */

/* The end of the year 9999. */
#define TIME_MAXIMUM INT64_C(253402300799999)
/* How long a call waits for what becomes due. */
#define WAIT_MS 10000
#define WAIT_MAXIMUM_MS 60000

/* False: answered. */
static bool is_in_test_mode(struct wf_rest *rest)
{
	if (rest->server->settings.test)
		return true;
	wf_rest_problem(rest, 404, "not_found", "Not in test mode",
	    "the clock of this server cannot be moved: weft serve --test "
	    "begins one whose clock can");
	return false;
}

static json_t *describe(struct wf_rest *rest)
{
	json_t *object = json_object();

	wf_json_put_time(object, "now", wf_engine_now(rest->server->engine));
	return object;
}

void wf_rest_show_test_clock(struct wf_rest *rest)
{
	if (is_in_test_mode(rest))
		wf_rest_answer(rest, 200, describe(rest));
}

/* "to", or "advance", which is counted from now. */
static bool read_end(struct wf_rest *rest, json_t *body, int64_t *end_out)
{
	int64_t now = wf_engine_now(rest->server->engine);
	int32_t zone = rest->server->settings.engine.timezone;
	struct wf_deadline deadline;
	const char *advance;
	const char *to;

	if (!wf_rest_text(
		rest, body, "advance", WF_REST_WORD_BYTES, &advance) ||
	    !wf_rest_text(rest, body, "to", WF_REST_WORD_BYTES, &to))
		return false;
	if ((advance == NULL) == (to == NULL)) {
		wf_rest_refuse(rest, "expected either advance or to");
		return false;
	}
	if (to == NULL)
		to = advance;
	if (!wf_deadline_parse(to, strlen(to), zone, &deadline) ||
	    deadline.is_instant == (advance != NULL) ||
	    !wf_deadline_at(&deadline, now, zone, NULL, end_out)) {
		wf_rest_refuse(rest,
		    advance != NULL
			? "advance: expected a duration such as P3D"
			: "to: expected a time such as 2026-01-31T12:00:00Z");
		return false;
	}
	if (*end_out >= now && *end_out <= TIME_MAXIMUM)
		return true;
	wf_rest_refuse(rest,
	    *end_out < now ? "the clock is moved forward only, and it is later"
			   : "the clock ends with the year 9999");
	return false;
}

static bool read_move(struct wf_rest *rest, int64_t *end_out, int64_t *wait_out)
{
	json_t *body;
	bool good = wf_rest_body(rest, &body);

	*wait_out = WAIT_MS;
	good = good && read_end(rest, body, end_out) &&
	       wf_rest_duration(rest, body, "wait", wait_out);
	if (good && *wait_out > WAIT_MAXIMUM_MS) {
		wf_rest_refuse(
		    rest, "wait: at most %d seconds", WAIT_MAXIMUM_MS / 1000);
		good = false;
	}
	json_decref(body);
	return good;
}

void wf_rest_move_test_clock(struct wf_rest *rest)
{
	int64_t end;
	int64_t wait;
	json_t *answer;
	bool settled;

	if (!is_in_test_mode(rest) || !read_move(rest, &end, &wait))
		return;
	settled = wf_test_clock_move(rest->server, end, wait);
	answer = describe(rest);
	json_object_set_new(answer, "settled", json_boolean(settled));
	wf_rest_answer(rest, 200, answer);
}
