/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pauses: who has suspended a specification or paused a service, and why; and
 * suspending specifications.  rest_service.c pauses services.
 */
#include <inttypes.h>
#include <string.h>

#include "rest/rest.h"
#include "server/context.h"

void wf_rest_put_pause(
    json_t *object, const char *name, const struct wf_pause *pause)
{
	json_t *member;

	if (pause->since == 0)
		return;
	member = json_object();
	wf_json_put_time(member, "since", pause->since);
	wf_json_put_text(member, "by", pause->by);
	wf_json_put_text(member, "reason", pause->reason);
	json_object_set_new(object, name, member);
}

bool wf_rest_read_pause(struct wf_rest *rest, struct wf_pause *pause_out)
{
	*pause_out =
	    (struct wf_pause){ .since = wf_engine_now(rest->server->engine),
		    .by = rest->account.name };
	if (!wf_rest_reason(rest, false, &pause_out->reason))
		return false;
	wf_rest_note_act(rest, pause_out->reason);
	return true;
}

/* --- specifications ------------------------------------------------------- */

static void answer_specification(struct wf_rest *rest, uint64_t key)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return;
	rc = wf_store_specification(
	    store, rest->account.namespace_id, key, rest->arena, &row, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		wf_rest_answer(
		    rest, 200, wf_rest_describe_specification(rest, &row));
}

/* For the audit: a URI alone does not say which version. */
static bool note_subject(struct wf_rest *rest, uint64_t key)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_specification_row row;
	struct wf_store *store;
	enum wf_rc rc;

	if (!wf_rest_borrow(rest, &store))
		return false;
	rc = wf_store_specification(
	    store, rest->account.namespace_id, key, rest->arena, &row, &err);
	if (!wf_rest_give_back(rest, store, rc, &err))
		return false;
	rest->subject = wf_arena_printf(wf_exchange_arena(rest->exchange),
	    "%s %s %016" PRIx64, row.uri, row.version, key);
	return true;
}

/* suspends: else the specification is resumed. */
static void change(struct wf_rest *rest, bool suspends)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_pause pause;
	uint64_t key;

	if (!wf_rest_version(rest, rest->parts[0],
		wf_rest_argument(rest, "version"), &key) ||
	    !note_subject(rest, key) || !wf_rest_may_process(rest, key) ||
	    !wf_rest_read_pause(rest, &pause))
		return;
	if (wf_engine_may_write(
		rest->server->engine, WF_OPERATIONS_TABLES, &err) == WF_OK &&
	    wf_engine_suspend(rest->server->engine, rest->account.namespace_id,
		key, suspends ? &pause : NULL, &err) == WF_OK)
		answer_specification(rest, key);
	else
		wf_rest_fail(rest, &err);
}

void wf_rest_suspend_specification(struct wf_rest *rest)
{
	change(rest, true);
}

void wf_rest_resume_specification(struct wf_rest *rest)
{
	change(rest, false);
}
