/* SPDX-License-Identifier: Apache-2.0 */
/* Counts incidents by their cause; and choices from JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/map.h"
#include "operation/incidents_priv.h"
#include "server/case_filter.h"
#include "server/catalogue.h"

#define HOUR_MS INT64_C(3600000)
/* Of the text of an example. */
#define TEXT_BYTES 2000U

struct grouping {
	struct wf_map *by_key; /* to their places + 1 */
	struct wf_arena *arena;
	struct wf_incident_groups *out;
	size_t capacity;
	struct wf_specification_list processes;
	int64_t now;
};

/* --- groups --------------------------------------------------------------- */

static void key_text(uint64_t group, char text[17])
{
	snprintf(text, 17, "%016llx", (unsigned long long)group);
}

static struct wf_incident_group *find_group(
    struct grouping *g, const struct wf_chosen_incident *chosen)
{
	struct wf_incident_groups *out = g->out;
	struct wf_incident_group *group;
	char key[17];
	size_t place;

	key_text(chosen->group, key);
	place = (size_t)(uintptr_t)wf_map_get(g->by_key, key);
	if (place > 0)
		return &out->rows[place - 1];
	out->rows = wf_arena_grow(
	    g->arena, out->rows, out->count, &g->capacity, sizeof(*out->rows));
	group = &out->rows[out->count++];
	*group = (struct wf_incident_group){ .group = chosen->group,
		.process = wf_arena_strdup(g->arena, chosen->process),
		.task = wf_arena_strdup(g->arena, chosen->task),
		.code = wf_arena_strdup(g->arena, chosen->row.code),
		.service = wf_arena_strdup(g->arena, chosen->service),
		.reason = wf_arena_strdup(g->arena, chosen->reason),
		.first = chosen->row.first_at };
	wf_map_add(g->by_key, key, (void *)(uintptr_t)out->count);
	return group;
}

/* Hours ended an hour or more before it was opened do not count it. */
static void count_hours(
    struct grouping *g, const struct wf_chosen_incident *chosen)
{
	for (unsigned i = 0; i < WF_INCIDENT_HOURS; i++) {
		int64_t end =
		    g->now - (WF_INCIDENT_HOURS - 1 - (int64_t)i) * HOUR_MS;

		g->out->hours[i] += chosen->row.first_at <= end;
	}
}

static void add(struct grouping *g, const struct wf_chosen_incident *chosen)
{
	struct wf_incident_group *group = find_group(g, chosen);
	const struct wf_incident_row *row = &chosen->row;

	group->count++;
	group->retryable += row->kind != 0 || chosen->set_aside;
	if (row->first_at < group->first)
		group->first = row->first_at;
	if (row->last_at >= group->last) {
		group->last = row->last_at;
		group->example = row->id;
		group->name = wf_arena_strdup(g->arena, chosen->name);
		group->text = wf_arena_strndup(
		    g->arena, row->text, strnlen(row->text, TEXT_BYTES));
		group->specification = chosen->specification;
	}
	g->out->incidents++;
	count_hours(g, chosen);
}

static int compare_groups(const void *a, const void *b)
{
	const struct wf_incident_group *x = a;
	const struct wf_incident_group *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->last != y->last)
		return x->last < y->last ? 1 : -1;
	return (x->group > y->group) - (x->group < y->group);
}

/* In pages, so that what is read is freed. */
static enum wf_rc add_all(struct grouping *g, struct wf_store *store,
    const struct wf_incident_choice *choice, struct wf_error *err)
{
	struct wf_incident_choice page = *choice;
	struct wf_arena *arena = wf_arena_new();
	struct wf_chosen_incidents chosen;
	size_t examined = 0;
	enum wf_rc rc;

	page.limit = 1000;
	do {
		wf_arena_reset(arena);
		rc = wf_incidents_choose_named(
		    store, &page, &g->processes, arena, &chosen, err);
		for (size_t i = 0; rc == WF_OK && i < chosen.count; i++)
			add(g, &chosen.rows[i]);
		page.after = chosen.next;
		examined += chosen.examined;
	} while (rc == WF_OK && chosen.next != 0 &&
		 examined < WF_INCIDENTS_EXAMINED);
	g->out->more = chosen.next != 0;
	wf_arena_free(&arena);
	return rc;
}

enum wf_rc wf_incidents_group(struct wf_store *store,
    const struct wf_incident_choice *choice, int64_t now,
    struct wf_arena *arena, struct wf_incident_groups *groups_out,
    struct wf_error *err)
{
	struct grouping g = { .by_key = wf_map_new(),
		.arena = arena,
		.out = groups_out,
		.now = now };
	struct wf_arena *processes = wf_arena_new();
	enum wf_rc rc;

	memset(groups_out, 0, sizeof(*groups_out));
	rc = wf_incident_processes(
	    store, choice->namespace_id, processes, &g.processes, err);
	if (rc == WF_OK)
		rc = add_all(&g, store, choice, err);
	if (groups_out->count > 1)
		qsort(groups_out->rows, groups_out->count,
		    sizeof(*groups_out->rows), compare_groups);
	wf_map_free(&g.by_key);
	wf_arena_free(&processes);
	return rc;
}

/* --- choices -------------------------------------------------------------- */

struct decoding {
	struct wf_store *store;
	json_t *object;
	struct wf_arena *arena;
	struct wf_incident_choice *choice;
	struct wf_error *err;
};

static enum wf_rc check_members(const struct decoding *d)
{
	static const char *const members[] = { "specification", "version",
		"task", "code", "service", "text", "group", "case" };
	const char *name;
	json_t *value;

	if (!json_is_object(d->object))
		return wf_fail(
		    d->err, WF_INVALID, "incidents: expected an object");
	json_object_foreach(d->object, name, value)
	{
		const char *text = json_string_value(value);
		bool known = false;

		for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
			known = known || strcmp(name, members[i]) == 0;
		if (!known)
			return wf_fail(d->err, WF_INVALID,
			    "incidents: there is no member %.60s", name);
		if (text == NULL || strlen(text) != json_string_length(value) ||
		    strlen(text) > WF_REST_TEXT_BYTES)
			return wf_fail(d->err, WF_INVALID,
			    "incidents: %s: expected a text", name);
	}
	return WF_OK;
}

static const char *member(const struct decoding *d, const char *name)
{
	const char *text = json_string_value(json_object_get(d->object, name));

	return text == NULL ? NULL : wf_arena_strdup(d->arena, text);
}

/* It is written like that of a specification. */
bool wf_incident_group_key(const char *text, uint64_t *group_out)
{
	return wf_specification_key(text, group_out);
}

static enum wf_rc read_group(const struct decoding *d)
{
	const char *text = member(d, "group");

	if (text == NULL)
		return WF_OK;
	return wf_incident_group_key(text, &d->choice->group)
		   ? WF_OK
		   : wf_fail(d->err, WF_INVALID,
			 "group: expected the key of a group, 16 hexadecimal "
			 "digits");
}

static enum wf_rc read_case(const struct decoding *d)
{
	const char *name = member(d, "case");
	enum wf_rc rc;

	if (name == NULL)
		return WF_OK;
	rc = wf_store_find(d->store, d->choice->namespace_id, &name, 1,
	    &d->choice->number, d->err);
	if (rc == WF_OK && d->choice->number == 0)
		rc = wf_fail(
		    d->err, WF_NOT_FOUND, "there is no case '%.100s'", name);
	return rc;
}

enum wf_rc wf_incident_choice_decode(struct wf_engine *engine,
    struct wf_store *store, uint32_t namespace_id, json_t *object,
    struct wf_arena *arena, struct wf_incident_choice *choice_out,
    struct wf_error *err)
{
	const struct decoding d = { store, object, arena, choice_out, err };
	const char *code;
	enum wf_rc rc = check_members(&d);

	*choice_out = (struct wf_incident_choice){ .which = WF_INCIDENTS_OPEN,
		.namespace_id = namespace_id };
	if (rc != WF_OK)
		return rc;
	code = member(&d, "code");
	choice_out->task = member(&d, "task");
	choice_out->service = member(&d, "service");
	choice_out->text = member(&d, "text");
	choice_out->code = code == NULL ? NULL : wf_incident_code(code, arena);
	rc = read_group(&d);
	if (rc == WF_OK)
		rc = wf_catalogue_choose(engine, namespace_id,
		    member(&d, "specification"), member(&d, "version"), arena,
		    &choice_out->specifications, err);
	return rc == WF_OK ? read_case(&d) : rc;
}
