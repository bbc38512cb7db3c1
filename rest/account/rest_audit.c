/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit: what requests add to it when they are over, and its list.
 *
 * Added are sign-ins and attempts; whatever changes what people or processes
 * may do (accounts, the organisation, services, specifications), done or
 * refused; operations, repairs and migrations; and what is done in the place
 * of others, by "override" or "for".
 * Of the body of a request only the reason of such an act goes into it, and no
 * header.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "data/deadline.h"
#include "identity/audit.h"
#include "rest/account/rest_session.h"

/* --- what is added -------------------------------------------------------- */

/*
 * Also what accounts do with themselves, but sign in, and keep what their pages
 * show.
 */
static bool is_administrative(const struct wf_rest *rest)
{
	const struct wf_operation *operation = rest->invocation.operation;
	uint32_t verbs = WF_MAY(ADMINISTER) | WF_MAY(ORGANISE) | WF_MAY(LOAD);

	return (operation->verbs == 0 &&
		   rest->route->handle != wf_rest_sign_in &&
		   rest->route->handle != wf_rest_put_preferences) ||
	       (operation->verbs & verbs) != 0 || rest->detail != NULL;
}

/* Whether it does what others have, or for others. */
static bool is_for_others(const struct wf_rest *rest)
{
	const char *override = wf_rest_argument(rest, "override");

	return wf_rest_argument(rest, "for") != NULL ||
	       (override != NULL && strcmp(override, "true") == 0);
}

/* The code of the answer, or that it succeeded. */
static const char *result_of(const struct wf_rest *rest)
{
	if (wf_exchange_status(rest->exchange) < 400)
		return WF_AUDIT_DONE;
	return rest->problem == NULL ? "failed" : rest->problem;
}

static void add_act(struct wf_rest *rest)
{
	struct wf_arena *arena = wf_exchange_arena(rest->exchange);
	const char *other = wf_rest_argument(rest, "for");
	const char *more = rest->parts[1];
	struct wf_audit_row act = { .at = wf_time_ms(),
		.namespace_id = rest->account.namespace_id,
		.account = rest->account.name,
		.address = wf_exchange_peer(rest->exchange),
		.kind = rest->invocation.operation->name,
		.subject =
		    rest->subject != NULL ? rest->subject : rest->parts[0],
		.result = result_of(rest),
		.detail = other != NULL
			      ? wf_arena_printf(arena, "for %s", other)
			  : is_for_others(rest)	 ? "override"
			  : rest->detail != NULL ? rest->detail
						 : "" };

	if (rest->subject == NULL && more != NULL)
		act.subject =
		    wf_arena_printf(arena, "%s %s", rest->parts[0], more);
	wf_audit_add(rest->server->audit, &act);
}

static void add_sign_in(struct wf_rest *rest)
{
	const struct wf_audit_row act = { .at = wf_time_ms(),
		.namespace_id = rest->account.namespace_id,
		.account = rest->sign_in.account,
		.address = wf_exchange_peer(rest->exchange),
		.kind = WF_AUDIT_SIGN_IN,
		.subject = "",
		.result = rest->sign_in.result,
		.detail = rest->sign_in.method };

	wf_audit_sign_in(rest->server->audit, &act);
}

void wf_rest_note_act(struct wf_rest *rest, const char *reason)
{
	/* The audit outlives the arena of the handler. */
	rest->detail = wf_arena_strdup(
	    wf_exchange_arena(rest->exchange), reason == NULL ? "" : reason);
}

void wf_rest_audit(struct wf_rest *rest)
{
	const struct wf_operation *operation = rest->invocation.operation;

	if (rest->sign_in.result != NULL)
		add_sign_in(rest);
	if (operation == NULL || rest->account.name[0] == '\0' ||
	    !wf_rest_is_change(rest))
		return;
	if (is_administrative(rest) || is_for_others(rest))
		add_act(rest);
}

/* --- the list ------------------------------------------------------------- */

static json_t *row_json(const struct wf_audit_row *row)
{
	json_t *object = json_object();

	wf_json_put_number(object, "id", row->id);
	wf_json_put_time(object, "at", row->at);
	json_object_set_new(object, "account", json_string(row->account));
	json_object_set_new(object, "address", json_string(row->address));
	json_object_set_new(object, "kind", json_string(row->kind));
	json_object_set_new(object, "subject", json_string(row->subject));
	json_object_set_new(object, "result", json_string(row->result));
	json_object_set_new(object, "detail", json_string(row->detail));
	return object;
}

/* A time, or a duration before now; *time_out stays if it is missing. */
static bool read_time(struct wf_rest *rest, const char *name, int64_t *time_out)
{
	const char *text = wf_rest_argument(rest, name);
	int32_t zone = rest->server->settings.engine.timezone;
	int64_t now = wf_time_ms();
	struct wf_deadline deadline;

	if (text == NULL)
		return true;
	if (wf_deadline_parse(text, strlen(text), zone, &deadline)) {
		deadline.months = -deadline.months;
		deadline.milliseconds = -deadline.milliseconds;
		if (wf_deadline_at(&deadline, now, zone, NULL, time_out) &&
		    *time_out >= 0)
			return true;
	}
	wf_rest_refuse(rest,
	    "%s: expected a time such as 2026-01-31T12:00:00Z, or a duration "
	    "before now such as P7D",
	    name);
	return false;
}

static bool read_filter(struct wf_rest *rest, struct wf_audit_filter *filter)
{
	const char *after = wf_rest_argument(rest, "after");

	filter->namespace_id = rest->account.namespace_id;
	filter->account = wf_rest_argument(rest, "account");
	filter->kind = wf_rest_argument(rest, "kind");
	return read_time(rest, "from", &filter->from) &&
	       read_time(rest, "to", &filter->to) &&
	       (after == NULL ||
		   wf_rest_number(rest, "after", after, &filter->after)) &&
	       wf_rest_limit(rest, &filter->limit);
}

static void answer_page(
    struct wf_rest *rest, const struct wf_audit_list *list, bool is_full)
{
	json_t *page = json_object();
	json_t *rows = json_array();
	char next[24];

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(rows, row_json(&list->rows[i]));
	json_object_set_new(page, "audit", rows);
	if (is_full && list->count > 0) {
		snprintf(next, sizeof(next), "%llu",
		    (unsigned long long)list->rows[list->count - 1].id);
		json_object_set_new(page, "next", json_string(next));
	}
	wf_rest_answer(rest, 200, page);
}

void wf_rest_list_audit(struct wf_rest *rest)
{
	struct wf_audit_filter filter = { .limit = 1 };
	struct wf_error err = { .rc = WF_OK };
	struct wf_audit_list list;
	struct wf_store *store;
	enum wf_rc rc;

	if (!read_filter(rest, &filter) || !wf_rest_borrow(rest, &store))
		return;
	/* What has been done before is in the list. */
	rc = wf_audit_write(rest->server->audit, store, wf_time_ms(), &err);
	if (rc == WF_OK)
		rc = wf_store_audit(store, &filter, rest->arena, &list, &err);
	if (wf_rest_give_back(rest, store, rc, &err))
		answer_page(rest, &list, list.count == filter.limit);
}
