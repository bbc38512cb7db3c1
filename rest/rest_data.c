/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the data of a request: XML is taken as it is, JSON is converted. */
#include "rest/rest_data.h"

#include "server/context.h"

/* False: the request was answered or sent to the pool. */
static bool check(struct wf_rest *rest, enum wf_rc rc, struct wf_error *err)
{
	if (rc == WF_UNAVAILABLE && !rest->invocation.in_pool)
		wf_rest_go_to_pool(rest);
	else if (rc != WF_OK)
		wf_rest_fail_known(rest, err);
	return rc == WF_OK;
}

static bool judge_xml(struct wf_rest *rest, const struct wf_data_place *place,
    const char *xml, size_t length)
{
	struct wf_error err = { .rc = WF_OK };
	enum wf_rc rc =
	    wf_data_judge_xml(rest->server->engine, rest->account.namespace_id,
		place, !rest->invocation.in_pool, xml, length, &err);

	return check(rest, rc, &err);
}

static bool convert_json(struct wf_rest *rest,
    const struct wf_data_place *place, json_t *json, const char **xml_out,
    size_t *length_out)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_buffer xml;
	enum wf_rc rc;

	wf_buffer_init(&xml, WF_DATA_MAXIMUM_BYTES);
	rc = wf_data_to_xml(rest->server->engine, rest->account.namespace_id,
	    place, !rest->invocation.in_pool, json, &xml, &err);
	if (rc == WF_OK) {
		*xml_out = wf_arena_strndup(
		    rest->arena, wf_buffer_text(&xml), xml.length);
		*length_out = xml.length;
	}
	wf_buffer_free(&xml);
	return check(rest, rc, &err);
}

bool wf_rest_read_data(struct wf_rest *rest, const struct wf_data_place *place,
    json_t *json, const char **xml_out, size_t *length_out)
{
	json_t *body = NULL;
	bool good;

	*xml_out = NULL;
	*length_out = 0;
	if (json == NULL && wf_rest_sends_xml(rest)) {
		*xml_out = wf_exchange_body(rest->exchange, length_out);
		return !place->is_judged ||
		       judge_xml(rest, place, *xml_out, *length_out);
	}
	if (json != NULL)
		return convert_json(rest, place, json, xml_out, length_out);
	if (!wf_rest_body(rest, &body))
		return false;
	/* An empty body is an empty output, not a missing one. */
	if (body == NULL && place->of != WF_DATA_OUTPUT)
		return true;
	if (body == NULL)
		body = json_object();
	good = convert_json(rest, place, body, xml_out, length_out);
	json_decref(body);
	return good;
}
