/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/change.h"

#include <string.h>

#include "base/limits.h"
#include "base/panic.h"
#include "kernel/change/repair.h"
#include "kernel/view.h"
#include "work/case_data.h"

#define XML_BYTES ((size_t)64 << 20)
/* Changes of one repair. */
#define CHANGES_MOST 1000U

struct reading {
	struct wf_engine *engine;
	uint64_t number;
	struct wf_buffer *data;
	struct wf_error *err;
	size_t at; /* of the change, from 1 */
};

static enum wf_rc expected(struct reading *r, const char *what)
{
	return wf_fail(r->err, WF_INVALID, "changes: number %zu: expected %s",
	    r->at, what);
}

/* --- variables of any net of the case ------------------------------------- */

struct writing {
	const char *net;
	json_t *values;
	struct wf_buffer *xml;
	struct wf_error *err;
	enum wf_rc rc;
};

static void write_xml(void *argument, const struct wf_net_view *view)
{
	struct writing *w = argument;

	if (w->rc != WF_NOT_FOUND ||
	    (w->net != NULL ? strcmp(view->case_id, w->net) != 0
			    : view->serial != WF_ROOT_NET))
		return;
	w->rc = wf_data_net_xml(view->net, w->values, w->xml, w->err);
}

static void write_with_case(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	(void)stored;
	wf_case_nets(instance, write_xml, context);
}

static enum wf_rc values_to_xml(
    struct reading *r, const char *net, json_t *values, struct wf_buffer *xml)
{
	struct writing w = { net, values, xml, r->err, WF_NOT_FOUND };
	enum wf_rc rc = wf_engine_inspect(
	    r->engine, r->number, write_with_case, &w, r->err);

	if (rc != WF_OK)
		return rc;
	if (w.rc == WF_NOT_FOUND)
		return wf_fail(r->err, WF_NOT_FOUND,
		    "there is no net '%.100s' in the case",
		    net == NULL ? "" : net);
	return w.rc;
}

static enum wf_rc read_set(
    struct reading *r, json_t *json, struct wf_repair_change *change)
{
	json_t *values = json_object_get(json, "data");
	const char *given = json_string_value(json_object_get(json, "xml"));
	struct wf_buffer xml;
	enum wf_rc rc = WF_OK;

	if ((given == NULL) == (values == NULL))
		return expected(r, "data, an object of variables, or xml");
	if (r->number == 0)
		return given != NULL || json_is_object(values)
			   ? WF_OK
			   : expected(r, "data: an object of variables");
	wf_buffer_init(&xml, XML_BYTES);
	if (given != NULL)
		wf_buffer_puts(&xml, given);
	else
		rc = values_to_xml(r, change->net, values, &xml);
	change->kind = WF_REPAIR_SET;
	change->data = wf_buffer_text(&xml);
	change->length = xml.length;
	if (rc == WF_OK)
		wf_repair_put(r->data, change);
	wf_buffer_free(&xml);
	return rc;
}

/* --- the other changes ---------------------------------------------------- */

static enum wf_rc read_tokens(
    struct reading *r, json_t *json, struct wf_repair_change *change)
{
	json_t *tokens = json_object_get(json, "tokens");

	change->number = 1;
	if (tokens == NULL)
		return WF_OK;
	if (!json_is_integer(tokens) || json_integer_value(tokens) < 1 ||
	    json_integer_value(tokens) > INT32_MAX)
		return expected(r, "tokens: a number of at least 1");
	change->number = (uint32_t)json_integer_value(tokens);
	return WF_OK;
}

static enum wf_rc read_name(struct reading *r, json_t *json, const char *member,
    struct wf_repair_change *change)
{
	change->name = json_string_value(json_object_get(json, member));
	if (change->name != NULL)
		return WF_OK;
	return wf_fail(r->err, WF_INVALID,
	    "changes: number %zu: expected %s: an id", r->at, member);
}

static enum wf_rc read_move(
    struct reading *r, json_t *json, struct wf_repair_change *change)
{
	enum wf_rc rc = read_tokens(r, json, change);

	if (rc == WF_OK)
		rc = read_name(r, json, "from", change);
	if (rc != WF_OK)
		return rc;
	change->kind = WF_REPAIR_REMOVE;
	wf_repair_put(r->data, change);
	rc = read_name(r, json, "to", change);
	change->kind = WF_REPAIR_ADD;
	if (rc == WF_OK)
		wf_repair_put(r->data, change);
	return rc;
}

static enum wf_rc read_skip(
    struct reading *r, json_t *json, struct wf_repair_change *change)
{
	enum wf_rc rc = read_name(r, json, "task", change);

	if (rc != WF_OK)
		return rc;
	change->kind = WF_REPAIR_EMPTY;
	wf_repair_put(r->data, change);
	change->kind = WF_REPAIR_ENTER;
	wf_repair_put(r->data, change);
	return WF_OK;
}

static enum wf_rc read_plain(
    struct reading *r, json_t *json, struct wf_repair_change *change)
{
	enum wf_rc rc = WF_OK;

	if (change->kind == WF_REPAIR_ADD || change->kind == WF_REPAIR_REMOVE) {
		rc = read_tokens(r, json, change);
		if (rc == WF_OK)
			rc = read_name(r, json, "condition", change);
	} else if (change->kind != WF_REPAIR_EMPTY &&
		   change->kind != WF_REPAIR_FINISH) {
		rc = read_name(r, json, "task", change);
	}
	if (rc == WF_OK)
		wf_repair_put(r->data, change);
	return rc;
}

/* What a change has beside "change" and "net". */
static const struct {
	const char *word;
	const char *members[4];
} forms[] = {
	{ "add", { "condition", "tokens" } },
	{ "remove", { "condition", "tokens" } },
	{ "move", { "from", "to", "tokens" } },
	{ "cancel", { "task" } },
	{ "empty", { NULL } },
	{ "enter", { "task" } },
	{ "skip_to", { "task" } },
	{ "finish", { NULL } },
	{ "set", { "data", "xml" } },
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))
#define WORDS "add, remove, move, cancel, empty, enter, skip_to, finish or set"

static enum wf_rc check_members(
    struct reading *r, json_t *json, const char *const *members)
{
	const char *member;
	json_t *value;

	json_object_foreach(json, member, value)
	{
		size_t i = 0;

		(void)value;
		while (members[i] != NULL && strcmp(members[i], member) != 0)
			i++;
		if (members[i] == NULL && strcmp(member, "change") != 0 &&
		    strcmp(member, "net") != 0)
			return wf_fail(r->err, WF_INVALID,
			    "changes: number %zu: this change has no member "
			    "%.100s",
			    r->at, member);
	}
	return WF_OK;
}

static enum wf_rc check_change(struct reading *r, json_t *json)
{
	const char *word = json_string_value(json_object_get(json, "change"));

	if (word == NULL)
		return expected(r, "an object with change: " WORDS);
	for (size_t i = 0; i < FORMS; i++)
		if (strcmp(forms[i].word, word) == 0)
			return check_members(r, json, forms[i].members);
	return expected(r, "change: " WORDS);
}

static enum wf_rc read_change(struct reading *r, json_t *json)
{
	struct wf_repair_change change = { .kind = 0 };
	const char *word = json_string_value(json_object_get(json, "change"));
	json_t *net = json_object_get(json, "net");
	enum wf_rc rc = check_change(r, json);

	if (rc != WF_OK)
		return rc;
	if (net != NULL && !json_is_string(net))
		return expected(r, "net: the id of a net of the case");
	change.net = json_string_value(net);
	if (strcmp(word, "move") == 0)
		return read_move(r, json, &change);
	if (strcmp(word, "skip_to") == 0)
		return read_skip(r, json, &change);
	change.kind = wf_repair_kind(word);
	wf_assert(change.kind != 0);
	return change.kind == WF_REPAIR_SET ? read_set(r, json, &change)
					    : read_plain(r, json, &change);
}

enum wf_rc wf_changes_read(struct wf_engine *engine, uint64_t number,
    json_t *changes, struct wf_buffer *data, struct wf_error *err)
{
	struct reading r = { engine, number, data, err, 0 };
	enum wf_rc rc = WF_OK;

	if (!json_is_array(changes) || json_array_size(changes) == 0 ||
	    json_array_size(changes) > CHANGES_MOST)
		return wf_fail(err, WF_INVALID,
		    "changes: expected a list of 1 to %u changes",
		    CHANGES_MOST);
	while (rc == WF_OK && r.at < json_array_size(changes))
		rc = read_change(&r, json_array_get(changes, r.at++));
	return rc;
}
