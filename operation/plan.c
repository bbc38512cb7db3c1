/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/plan.h"

#include <string.h>

#include "kernel/change/migrate.h"

static const struct {
	const char *member;
	enum wf_migration_kind kind;
} kinds[] = {
	{ "tasks", WF_MIGRATION_TASK },
	{ "conditions", WF_MIGRATION_CONDITION },
	{ "variables", WF_MIGRATION_VARIABLE },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct reading {
	struct wf_buffer *data;
	struct wf_error *err;
};

static enum wf_rc expected(
    struct reading *r, const char *where, const char *what)
{
	return wf_fail(
	    r->err, WF_INVALID, "plan: %.200s: expected %s", where, what);
}

/* One member with names: { "A": "B", "C": null }. */
static enum wf_rc read_names(struct reading *r, const char *net,
    enum wf_migration_kind kind, const char *member, json_t *names)
{
	struct wf_migration_row row = { .kind = kind, .net = net };
	const char *from;
	json_t *to;

	if (!json_is_object(names))
		return expected(r, member,
		    "an object of ids, or null for one "
		    "that is left behind");
	json_object_foreach(names, from, to)
	{
		if (!json_is_string(to) && !json_is_null(to))
			return expected(r, from, "an id, or null");
		row.from = from;
		row.to = json_string_value(to);
		wf_migration_put(r->data, &row);
	}
	return WF_OK;
}

static bool is_kind(const char *member, size_t *at_out)
{
	for (*at_out = 0; *at_out < KINDS; ++*at_out)
		if (strcmp(kinds[*at_out].member, member) == 0)
			return true;
	return false;
}

static enum wf_rc read_net(struct reading *r, const char *net, json_t *json)
{
	struct wf_migration_row row = { .kind = WF_MIGRATION_NET, .from = net };
	const char *member;
	json_t *value;
	enum wf_rc rc = WF_OK;
	size_t at;

	if (json_is_null(json)) {
		wf_migration_put(r->data, &row);
		return WF_OK;
	}
	if (!json_is_object(json))
		return expected(r, net, "an object, or null");
	json_object_foreach(json, member, value)
	{
		if (rc != WF_OK)
			break;
		if (is_kind(member, &at)) {
			rc = read_names(r, net, kinds[at].kind, member, value);
		} else if (strcmp(member, "to") != 0) {
			rc = expected(
			    r, member, "to, tasks, conditions or variables");
		} else if (!json_is_string(value)) {
			rc = expected(r, "to", "the id of a net");
		} else {
			row.to = json_string_value(value);
			wf_migration_put(r->data, &row);
		}
	}
	return rc;
}

static enum wf_rc read_nets(
    struct reading *r, const struct wf_spec *from, json_t *nets)
{
	const char *net;
	json_t *json;
	enum wf_rc rc = WF_OK;

	if (!json_is_object(nets))
		return expected(r, "nets", "an object of nets");
	json_object_foreach(nets, net, json)
	{
		const struct wf_decomposition *d =
		    from == NULL ? NULL
				 : wf_map_get(from->decomposition_ids, net);

		if (rc != WF_OK)
			break;
		rc = from != NULL && (d == NULL || d->net == NULL)
			 ? expected(r, net, "the id of a net of the case")
			 : read_net(r, net, json);
	}
	return rc;
}

enum wf_rc wf_plan_read(const struct wf_spec *from, uint64_t target,
    json_t *json, struct wf_buffer *data, struct wf_error *err)
{
	struct reading r = { data, err };
	json_t *reoffer = json_object_get(json, "reoffer");
	const char *member;
	json_t *value;
	enum wf_rc rc = WF_OK;
	size_t at;

	if (json != NULL && !json_is_object(json))
		return wf_fail(err, WF_INVALID, "plan: expected an object");
	if (reoffer != NULL && !json_is_boolean(reoffer))
		return expected(&r, "reoffer", "true or false");
	wf_migration_begin(data, target, json_is_true(reoffer));
	json_object_foreach(json, member, value)
	{
		if (rc != WF_OK)
			break;
		if (is_kind(member, &at))
			rc = read_names(&r,
			    from == NULL ? "" : from->root->decomposition->id,
			    kinds[at].kind, member, value);
		else if (strcmp(member, "nets") == 0)
			rc = read_nets(&r, from, value);
		else if (strcmp(member, "reoffer") != 0)
			rc = expected(&r, member,
			    "tasks, conditions, variables, nets or reoffer");
	}
	return rc;
}

/* --- the way back --------------------------------------------------------- */

/* The names the other way round; NULL: that is not possible. */
static json_t *turn_names(json_t *names)
{
	json_t *turned = json_object();
	const char *from;
	json_t *to;

	json_object_foreach(names, from, to)
	{
		const char *id = json_string_value(to);

		if (id == NULL || json_object_get(turned, id) != NULL) {
			json_decref(turned);
			return NULL;
		}
		json_object_set_new(turned, id, json_string(from));
	}
	return turned;
}

/* Adds the members with names; false: one cannot be turned. */
static bool turn_kinds(json_t *from, json_t *turned)
{
	for (size_t i = 0; i < KINDS; i++) {
		json_t *names = json_object_get(from, kinds[i].member);
		json_t *back = names == NULL ? NULL : turn_names(names);

		if (names == NULL)
			continue;
		if (back == NULL)
			return false;
		json_object_set_new(turned, kinds[i].member, back);
	}
	return true;
}

static bool turn_nets(json_t *nets, json_t *turned)
{
	json_t *back = json_object();
	const char *from;
	json_t *json;
	bool fits = true;

	json_object_foreach(nets, from, json)
	{
		json_t *net = json_object();
		const char *to = json_string_value(json_object_get(json, "to"));

		fits = fits && json_is_object(json) && turn_kinds(json, net) &&
		       json_object_get(back, to == NULL ? from : to) == NULL;
		if (to != NULL)
			json_object_set_new(net, "to", json_string(from));
		json_object_set_new(back, to == NULL ? from : to, net);
	}
	json_object_set_new(turned, "nets", back);
	return fits;
}

json_t *wf_plan_back(json_t *plan)
{
	json_t *turned = json_object();
	json_t *nets = json_object_get(plan, "nets");

	if (turn_kinds(plan, turned) &&
	    (nets == NULL || turn_nets(nets, turned)))
		return turned;
	json_decref(turned);
	return NULL;
}
