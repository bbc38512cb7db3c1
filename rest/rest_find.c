/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what a request names: cases by their ids, the case of a work item,
 * specifications by key or URI.
 *
 * A case that the server does not know yet is read from the store, which only
 * the pool may do; the handler then runs again there.
 */
#include <string.h>

#include "rest/rest.h"
#include "server/catalogue.h"

/* --- cases ---------------------------------------------------------------- */

bool wf_rest_known_case(
    struct wf_rest *rest, const char *id, struct wf_known_case *known)
{
	struct wf_error err = { .rc = WF_OK };

	rest->invocation.case_id =
	    wf_arena_strdup(wf_exchange_arena(rest->exchange), id);
	if (wf_server_known_case(
		rest->server, rest->account.namespace_id, id, known))
		return true;
	if (!rest->invocation.in_pool) {
		wf_rest_go_to_pool(rest);
		return false;
	}
	if (wf_server_find_case(rest->server, rest->account.namespace_id, id,
		known, &err) == WF_OK)
		return true;
	wf_rest_fail(rest, &err);
	return false;
}

bool wf_rest_known_case_of_item(
    struct wf_rest *rest, const char *item, struct wf_known_case *known)
{
	size_t length = strcspn(item, ".:");
	char id[WF_CASE_NAME_BYTES + 1];

	if (length == 0 || length >= sizeof(id) || strchr(item, ':') == NULL) {
		wf_rest_problem(rest, 404, "not_found",
		    "There is no such thing",
		    "no work item has this id: expected one like 7.1:Task");
		return false;
	}
	memcpy(id, item, length);
	id[length] = '\0';
	return wf_rest_known_case(rest, id, known);
}

/* --- specifications ------------------------------------------------------- */

enum wf_rc wf_rest_find_specification(struct wf_rest *rest, const char *uri,
    const char *version, uint64_t *key_out, struct wf_error *err)
{
	struct wf_specification_list list;
	enum wf_rc rc = wf_catalogue_list(rest->server->engine,
	    rest->account.namespace_id, rest->arena, &list, err);
	bool found = false;

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		if (strcmp(list.rows[i].uri, uri) == 0 &&
		    (version == NULL ||
			strcmp(list.rows[i].version, version) == 0)) {
			*key_out = list.rows[i].key;
			found = true;
		}
	if (rc == WF_OK && !found)
		rc = wf_fail(err, WF_NOT_FOUND,
		    "no specification has the URI %.200s%s%.20s", uri,
		    version == NULL ? "" : " and the version ",
		    version == NULL ? "" : version);
	return rc;
}

bool wf_rest_specification(
    struct wf_rest *rest, const char *text, uint64_t *key_out)
{
	struct wf_error err = { .rc = WF_OK };

	if (strspn(text, "0123456789abcdef") == 16 && text[16] == '\0')
		return wf_rest_key(rest, text, key_out);
	if (wf_rest_find_specification(rest, text, NULL, key_out, &err) ==
	    WF_OK)
		return true;
	wf_rest_fail(rest, &err);
	return false;
}
