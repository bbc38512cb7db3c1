/* SPDX-License-Identifier: Apache-2.0 */
/* What the search asks of the files that list one kind of thing. */
#ifndef WF_REST_SEARCH_REST_SEARCH_H
#define WF_REST_SEARCH_REST_SEARCH_H

#include "rest/rest.h"

/*
 * Items of the participant's own list with these words, an array; a new
 * reference.  False: answered.
 */
bool wf_rest_search_worklist(struct wf_rest *rest, const char *participant,
    const char *words, size_t limit, json_t **items_out);
/* Rows of listCases, without their incidents; a new reference. */
json_t *wf_rest_describe_case(const struct wf_stored_case *stored);
/* A row of listIncidents; a new reference.  NULL: it is gone, or cannot be
 * read. */
json_t *wf_rest_describe_incident(struct wf_rest *rest, struct wf_store *store,
    const struct wf_incident_row *row);
/* Participants whose texts have this text, as listPeople has them. */
json_t *wf_rest_search_people(
    struct wf_rest *rest, const char *text, size_t limit);

#endif
