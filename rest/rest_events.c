/* SPDX-License-Identifier: Apache-2.0 */
/* The live stream of steps: its first event and its filter. */
#include <string.h>

#include "history/steps.h"
#include "rest/rest.h"

static bool read_filter(struct wf_rest *rest, struct wf_stream_filter *filter)
{
	const char *id = wf_rest_argument(rest, "case");
	struct wf_known_case known = { .number = 0 };

	if (id != NULL && !wf_rest_known_case(rest, id, &known))
		return false;
	*filter = (struct wf_stream_filter){ .account = rest->account,
		.namespace_id = rest->account.namespace_id,
		.number = known.number };
	return wf_rest_specifications(rest, &filter->specifications) &&
	       wf_rest_is_allowed(rest);
}

/* Whether all later steps are still stored, and the cursor is of this store. */
static enum wf_rc check_place(struct wf_store *store, struct wf_arena *arena,
    const struct wf_cursor *after, const struct wf_cursor *end,
    struct wf_error *err)
{
	struct wf_history_filter filter = { .after = *after, .limit = 1 };
	struct wf_history_list list;

	if (wf_cursor_is_before(end, after))
		return wf_fail(err, WF_GONE,
		    "the history does not go so far: was an older store put "
		    "in its place?");
	return wf_store_history(store, &filter, arena, &list, err);
}

static enum wf_rc find_place(struct wf_rest *rest, const char *text,
    struct wf_cursor *after, struct wf_error *err)
{
	struct wf_cursor end;
	struct wf_store *store;
	enum wf_rc rc = wf_engine_borrow(rest->server->engine, &store, err);

	if (rc != WF_OK)
		return rc;
	rc = wf_store_history_end(store, &end, err);
	if (rc == WF_OK && text == NULL)
		*after = end;
	else if (rc == WF_OK)
		rc = check_place(store, rest->arena, after, &end, err);
	wf_engine_give_back(rest->server->engine, store);
	return rc;
}

/*
 * The events of one's own worklist.  They begin with all of it, unless the
 * reader sends the id of an event after which nothing has changed.
 */
void wf_rest_stream_worklist(struct wf_rest *rest)
{
	struct wf_server *server = rest->server;
	const struct wf_live_list_parts parts = { server->engine,
		server->organisation, server->audiences, server->deputies };
	struct wf_stream_filter filter = { .account = rest->account,
		.namespace_id = rest->account.namespace_id,
		.known = wf_exchange_header(rest->exchange, "Last-Event-ID"),
		.parts = &parts };
	struct wf_error err = { .rc = WF_OK };
	struct wf_organisation *organisation;
	struct wf_cursor after;
	const char *own;

	if (filter.known == NULL)
		filter.known = wf_rest_argument(rest, "after");
	if (!wf_rest_is_allowed(rest))
		return;
	organisation = wf_org_cache_get(server->organisation);
	own = wf_rest_own_participant(rest, organisation);
	if (own != NULL)
		filter.participant = wf_arena_strdup(rest->arena, own);
	wf_organisation_unref(&organisation);
	if (!server->settings.people || filter.participant == NULL)
		wf_fail(&err, WF_DENIED,
		    "the account %s is no participant, and has no worklist",
		    rest->account.name);
	if (err.rc != WF_OK || find_place(rest, NULL, &after, &err) != WF_OK ||
	    wf_streams_begin(server->streams, rest->exchange, &filter, &after,
		true, &err) != WF_OK)
		wf_rest_fail(rest, &err);
}

void wf_rest_stream_events(struct wf_rest *rest)
{
	const char *text = wf_exchange_header(rest->exchange, "Last-Event-ID");
	struct wf_error err = { .rc = WF_OK };
	struct wf_stream_filter filter;
	struct wf_cursor after;

	if (text == NULL)
		text = wf_rest_argument(rest, "after");
	if (text != NULL && !wf_cursor_parse(text, &after)) {
		wf_rest_refuse(rest, "expected the id of an event, or 0");
		return;
	}
	if (!read_filter(rest, &filter))
		return;
	if (find_place(rest, text, &after, &err) != WF_OK ||
	    wf_streams_begin(rest->server->streams, rest->exchange, &filter,
		&after, text == NULL, &err) != WF_OK)
		wf_rest_fail(rest, &err);
}
