/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases that a participant has started or worked on: the engine notes them
 * in rows of the store.  Their participant sees them without a right to read.
 */
#include "rest/rest.h"
#include "worklist/list.h"

const char *wf_rest_taking_part(struct wf_rest *rest)
{
	struct wf_organisation *organisation;
	const char *id;

	if (!rest->server->settings.people ||
	    !wf_rest_may_everywhere(rest, WF_MAY(PARTICIPATE)))
		return NULL;
	organisation = wf_org_cache_get(rest->server->organisation);
	id = wf_rest_own_participant(rest, organisation);
	if (id != NULL)
		id = wf_arena_strdup(rest->arena, id);
	wf_organisation_unref(&organisation);
	return id;
}

/* False: answered. */
static bool read_own(struct wf_rest *rest, uint64_t number, bool *is_own_out)
{
	const char *participant = wf_rest_taking_part(rest);
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store;
	enum wf_rc rc;

	*is_own_out = false;
	if (participant == NULL)
		return true;
	if (!wf_rest_borrow(rest, &store))
		return false;
	rc = wf_store_is_involved(store, participant, number, is_own_out, &err);
	return wf_rest_give_back(rest, store, rc, &err);
}

bool wf_rest_visible_case(struct wf_rest *rest, const char *id,
    struct wf_known_case *known_out, bool *is_own_out)
{
	bool reads = wf_rest_manages_cases(rest);

	*is_own_out = false;
	if (!wf_rest_find_case(rest, id, known_out) ||
	    (!reads && !wf_rest_has_right(
			   rest, WF_MAY(READ), "", known_out, &reads)) ||
	    (!reads && !read_own(rest, known_out->number, is_own_out)))
		return false;
	if (!reads && !*is_own_out) {
		wf_rest_refuse_right(rest, WF_MAY(READ),
		    " for this process, or a participant who has started or "
		    "worked on the case");
		return false;
	}
	rest->is_allowed = true;
	return true;
}

static bool fits(
    const struct wf_case_filter *filter, const struct wf_case_row *row)
{
	return row->namespace_id == filter->namespace_id &&
	       wf_is_specification(
		   &filter->specifications, row->specification) &&
	       (filter->statuses == 0 ||
		   (filter->statuses >> row->status & 1) != 0) &&
	       (!filter->set_aside || row->set_aside);
}

enum wf_rc wf_rest_read_own_cases(struct wf_store *store,
    const struct wf_case_filter *filter, const char *participant,
    struct wf_arena *arena, struct wf_case_list *list_out, uint64_t *next_out,
    struct wf_error *err)
{
	struct wf_involved_filter page = { .participant = participant,
		.ascending = !filter->descending,
		.after = filter->after,
		.limit = filter->limit };
	struct wf_case_list found;
	size_t visits = 0;
	bool more = true;

	list_out->count = 0;
	list_out->rows =
	    wf_arena_array(arena, filter->limit, sizeof(*list_out->rows));
	while (more && list_out->count < filter->limit &&
	       visits < WF_LIST_VISITS) {
		size_t i = 0;
		enum wf_rc rc =
		    wf_store_involved_cases(store, &page, arena, &found, err);

		if (rc != WF_OK)
			return rc;
		for (; i < found.count && list_out->count < filter->limit;
		     i++) {
			page.after = found.rows[i].row.number;
			if (fits(filter, &found.rows[i].row))
				list_out->rows[list_out->count++] =
				    found.rows[i];
		}
		more = i < found.count || found.count == page.limit;
		visits += found.count;
		page.limit = WF_REST_PAGE_ROWS;
	}
	*next_out = more ? page.after : 0;
	return WF_OK;
}
