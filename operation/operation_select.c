/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation is done to, page by page, each page behind a key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operation/incidents.h"
#include "operation/operation_priv.h"
#include "server/case_filter.h"

/* Incidents of one case that are retried. */
#define INCIDENTS_MOST 100U

struct selecting {
	struct wf_engine *engine;
	struct wf_store *store;
	struct operation *operation;
	size_t limit;
	struct wf_arena *arena;
	struct subjects *out;
	struct wf_error *err;
};

static struct subject *add(struct selecting *s, const struct wf_case_row *row)
{
	struct subjects *out = s->out;
	struct subject *subject;

	out->rows = wf_arena_grow(s->arena, out->rows, out->count,
	    &out->capacity, sizeof(out->rows[0]));
	subject = &out->rows[out->count++];
	*subject = (struct subject){ .number = row->number,
		.name = row->name,
		.subject = "",
		.earlier = "",
		.specification = row->specification };
	return subject;
}

static enum wf_rc read_filter(
    struct selecting *s, struct wf_case_filter *filter)
{
	int64_t created = (int64_t)wf_operation_number(s->operation, "created");
	enum wf_rc rc =
	    wf_case_filter_decode(s->engine, s->operation->namespace_id,
		json_object_get(s->operation->json, "filter"), s->arena, filter,
		s->err);

	filter->after = wf_operation_number(s->operation, "after");
	filter->limit = s->limit;
	/* What begins later is not meant. */
	if (created != 0 &&
	    (filter->launched_before == 0 || filter->launched_before > created))
		filter->launched_before = created + 1;
	/* Nothing can be done to a case that has ended. */
	filter->live = true;
	filter->ended = false;
	filter->descending = false;
	return rc;
}

/* Without a command to retry, only what quarantined a case can be retried. */
static bool is_wanted(
    const struct selecting *s, bool has_command, bool set_aside)
{
	return s->operation->kind == WF_OPERATION_DROP || has_command ||
	       set_aside;
}

/* The open incidents of a case, and itself if it is quarantined. */
static enum wf_rc add_incidents(
    struct selecting *s, const struct wf_case_row *row)
{
	struct wf_incident_filter filter = { .which = WF_INCIDENTS_OPEN,
		.namespace_id = row->namespace_id,
		.number = row->number,
		.light = true,
		.limit = INCIDENTS_MOST };
	struct wf_incident_list list;
	enum wf_rc rc =
	    wf_store_incidents(s->store, &filter, s->arena, &list, s->err);

	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		if (is_wanted(s, list.rows[i].kind != 0, row->set_aside))
			add(s, row)->subject = wf_arena_printf(s->arena, "%llu",
			    (unsigned long long)list.rows[i].id);
	return rc;
}

static enum wf_rc add_cases(
    struct selecting *s, const struct wf_case_list *list)
{
	bool of_incidents =
	    wf_operation_of(s->operation->kind) == WF_OPERATION_OF_INCIDENTS;
	enum wf_rc rc = WF_OK;

	for (size_t i = 0; rc == WF_OK && i < list->count; i++) {
		const struct wf_case_row *row = &list->rows[i].row;

		s->out->examined++;
		if (of_incidents)
			rc = add_incidents(s, row);
		else
			add(s, row);
	}
	return rc;
}

static enum wf_rc select_cases(struct selecting *s)
{
	struct wf_case_filter filter;
	struct wf_case_list list;
	enum wf_rc rc = read_filter(s, &filter);

	if (rc == WF_OK)
		rc = wf_store_cases(s->store, &filter, s->arena, &list, s->err);
	if (rc != WF_OK)
		return rc;
	s->out->is_last = list.next == 0;
	s->out->after = list.next;
	return add_cases(s, &list);
}

/* Incidents that were open, and have not failed since, at the beginning. */
static enum wf_rc select_incidents(struct selecting *s)
{
	int64_t created = (int64_t)wf_operation_number(s->operation, "created");
	struct wf_incident_choice choice;
	struct wf_chosen_incidents chosen;
	enum wf_rc rc = wf_incident_choice_decode(s->engine, s->store,
	    s->operation->namespace_id,
	    json_object_get(s->operation->json, "incidents"), s->arena, &choice,
	    s->err);

	choice.after = wf_operation_number(s->operation, "after");
	choice.limit = s->limit;
	choice.failed_before = created == 0 ? 0 : created + 1;
	if (rc == WF_OK)
		rc = wf_incidents_choose(
		    s->store, &choice, s->arena, &chosen, s->err);
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < chosen.count; i++) {
		const struct wf_chosen_incident *one = &chosen.rows[i];
		struct wf_case_row of = { .number = one->row.number,
			.name = one->name,
			.specification = one->specification };

		s->out->examined++;
		if (is_wanted(s, one->row.kind != 0, one->set_aside))
			add(s, &of)->subject = wf_arena_printf(
			    s->arena, "%llu", (unsigned long long)one->row.id);
	}
	s->out->after = chosen.next;
	s->out->is_last = chosen.next == 0;
	return WF_OK;
}

/* "7" of "7.2:Pack" and "7:Pack". */
static const char *case_of(struct wf_arena *arena, const char *item)
{
	return wf_arena_strndup(arena, item, strcspn(item, ".:"));
}

static enum wf_rc select_items(struct selecting *s)
{
	int64_t created = (int64_t)wf_operation_number(s->operation, "created");
	struct wf_case_filter cases;
	struct wf_item_filter items = { .namespace_id =
					    s->operation->namespace_id,
		.task = wf_operation_text(s->operation, "task"),
		.enabled_before = created == 0 ? 0 : created + 1,
		.after_number = wf_operation_number(s->operation, "after"),
		.after_id = wf_operation_text(s->operation, "after_subject"),
		.limit = s->limit };
	struct wf_found_items found;
	enum wf_rc rc = read_filter(s, &cases);

	if (rc == WF_OK)
		rc = wf_store_find_items(
		    s->store, &items, &cases, s->arena, &found, s->err);
	if (rc != WF_OK)
		return rc;
	for (size_t i = 0; i < found.items.count; i++) {
		const struct wf_item_row *row = &found.items.rows[i];
		struct wf_case_row of = { .number = row->number,
			.name = case_of(s->arena, row->id),
			.specification = row->specification };

		s->out->examined++;
		add(s, &of)->subject = row->id;
	}
	s->out->is_last = found.next_id == NULL;
	s->out->after = found.next_number;
	s->out->after_subject = found.next_id;
	return WF_OK;
}

/* Cases by their names; "after" is the place in the list. */
static enum wf_rc select_named(struct selecting *s)
{
	enum wf_rc rc = wf_operation_read_cases(s->store, s->operation, s->err);
	json_t *names = s->operation->cases;
	size_t at = wf_operation_number(s->operation, "after");
	size_t count = json_array_size(names);

	for (size_t n = 0; rc == WF_OK && n < s->limit && at < count;
	     n++, at++) {
		const char *name = json_string_value(json_array_get(names, at));
		struct wf_stored_case stored;
		uint64_t number;

		rc = wf_store_find(s->store, s->operation->namespace_id, &name,
		    1, &number, s->err);
		if (rc == WF_OK && number != 0)
			rc = wf_store_case(
			    s->store, number, false, s->arena, &stored, s->err);
		if (rc == WF_NOT_FOUND || (rc == WF_OK && number == 0)) {
			struct wf_case_row none = { .name = name };

			wf_error_clear(s->err);
			rc = WF_OK;
			s->out->examined++;
			add(s, &none)->subject = name;
		} else if (rc == WF_OK) {
			struct wf_case_list one = { &stored, 1, 0 };

			rc = add_cases(s, &one);
		}
	}
	s->out->after = at;
	s->out->is_last = at >= count;
	return rc;
}

/* What another operation has done. */
static enum wf_rc select_done(struct selecting *s, uint64_t undoes)
{
	struct wf_outcome_filter filter = { .operation = undoes,
		.done = true,
		.after_number = wf_operation_number(s->operation, "after"),
		.after_subject =
		    wf_operation_text(s->operation, "after_subject"),
		.limit = s->limit };
	struct wf_outcome_list list = { .count = 0 };
	struct operation undone;
	enum wf_rc rc = wf_operation_read(
	    s->store, s->operation->namespace_id, undoes, &undone, s->err);

	if (rc != WF_OK)
		return rc;
	/* Its last page may not have all outcomes yet. */
	if (wf_operation_is_active(&undone))
		rc = wf_fail(s->err, WF_UNAVAILABLE,
		    "operation %llu is not over yet",
		    (unsigned long long)undoes);
	else
		rc = wf_store_outcomes(
		    s->store, &filter, s->arena, &list, s->err);
	wf_operation_drop(&undone);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++) {
		const struct wf_outcome_row *row = &list.rows[i];
		struct wf_case_row of = { .number = row->number, .name = "" };
		struct subject *subject = add(s, &of);

		s->out->examined++;
		subject->subject = row->subject;
		/* A case may have several items, each with a step. */
		if (wf_operation_of(s->operation->kind) !=
		    WF_OPERATION_OF_ITEMS)
			subject->version = row->version;
		subject->earlier = row->text;
		s->out->after = row->number;
		s->out->after_subject = row->subject;
	}
	s->out->is_last = rc == WF_OK && list.count < s->limit;
	return rc;
}

enum wf_rc wf_operation_select(struct wf_engine *engine, struct wf_store *store,
    struct operation *operation, size_t limit, struct wf_arena *arena,
    struct subjects *subjects_out, struct wf_error *err)
{
	struct selecting s = { engine, store, operation, limit, arena,
		subjects_out, err };
	uint64_t undoes = wf_operation_number(operation, "undoes");

	memset(subjects_out, 0, sizeof(*subjects_out));
	subjects_out->after = wf_operation_number(operation, "after");
	subjects_out->after_subject = "";
	if (undoes != 0)
		return select_done(&s, undoes);
	if (wf_operation_of(operation->kind) == WF_OPERATION_OF_ITEMS)
		return select_items(&s);
	if (json_object_get(operation->json, "incidents") != NULL)
		return select_incidents(&s);
	return json_object_get(operation->json, "named") != NULL
		   ? select_named(&s)
		   : select_cases(&s);
}
