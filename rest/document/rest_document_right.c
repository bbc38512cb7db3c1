/* SPDX-License-Identifier: Apache-2.0 */
#include "rest/document/rest_document.h"

#include <string.h>

#include "kernel/step.h"
#include "rest/rest_item.h"
#include "rest/rest_people.h"
#include "spec/document_limits.h"
#include "work/case_data.h"

/* A page of steps, and the steps of a case that are read, at most. */
#define PAGE_STEPS 200U
#define MOST_STEPS 20000U

/* --- what items refer to -------------------------------------------------- */

struct adding {
	struct wf_rest_seen_item *seen;
	struct wf_arena *arena;
};

static enum wf_rc add_reference(void *context,
    const struct wf_document_reference *reference, struct wf_error *err)
{
	const struct adding *adding = context;
	struct wf_rest_seen_item *seen = adding->seen;

	(void)err;
	if (reference->wrong != NULL)
		return WF_OK;
	seen->documents = wf_arena_grow(adding->arena, seen->documents,
	    seen->count, &seen->capacity, sizeof(*seen->documents));
	seen->documents[seen->count++] = reference->document;
	return WF_OK;
}

/* The input of an item that is enabled is not known before it is started. */
static void add_references(struct wf_rest_sight *sight,
    struct wf_rest_seen_item *seen, const struct wf_case *instance,
    const struct wf_item *item)
{
	const struct wf_decomposition *work = item->task->decomposition;
	struct adding adding = { seen, sight->rest->arena };
	struct wf_value_list list = { NULL, NULL, 0 };
	struct wf_buffer xml;

	if (work == NULL)
		return;
	wf_buffer_init(&xml, WF_REST_ITEM_DATA_BYTES);
	if (wf_case_item_input(instance, seen->id, &xml, NULL) == WF_OK &&
	    xml.length > 0 &&
	    wf_value_list_parse(
		&list, wf_buffer_text(&xml), xml.length, NULL) == WF_OK)
		for (size_t i = 0; i < list.count; i++)
			for (size_t j = 0; j < work->input_count; j++)
				if (wf_value_is_named(
					list.values[i], work->inputs[j].name))
					/* Too many: the first are seen. */
					(void)(wf_variable_visit_documents(
						   &work->inputs[j],
						   list.values[i],
						   add_reference, &adding,
						   NULL) == WF_OK);
	wf_value_list_free(&list);
	wf_buffer_free(&xml);
}

static void see_item(struct wf_rest_sight *sight,
    const struct wf_case *instance, const struct wf_item *item,
    const struct wf_organisation *organisation)
{
	enum wf_rest_view view = wf_rest_view_item(
	    sight->rest, organisation, instance, item->assignment);
	struct wf_rest_seen_item *seen;
	char id[WF_ITEM_ID_SIZE];

	if (view == WF_REST_UNSEEN)
		return;
	wf_item_id(item, id);
	seen = wf_arena_alloc(sight->rest->arena, sizeof(*seen));
	seen->id = wf_arena_strdup(sight->rest->arena, id);
	seen->is_held = view == WF_REST_HELD;
	seen->next = sight->items;
	sight->items = seen;
	add_references(sight, seen, instance, item);
}

static void see_items(void *context, const struct wf_case *instance,
    const struct wf_stored_case *stored)
{
	struct wf_rest_sight *sight = context;
	struct wf_organisation *organisation =
	    wf_org_cache_get(sight->rest->server->organisation);
	struct wf_item *items;
	size_t count = wf_case_items(instance, &items);

	(void)stored;
	for (size_t i = 0; i < count; i++)
		see_item(sight, instance, &items[i], organisation);
	wf_free(items);
	wf_organisation_unref(&organisation);
}

/* --- what one has done ---------------------------------------------------- */

/* Whether a step of the page is the account's; *after becomes its last one. */
static bool is_in_page(const struct wf_rest *rest,
    const struct wf_history_list *list, uint64_t *after)
{
	bool found = false;

	for (size_t i = 0; i < list->count; i++) {
		found |= list->rows[i].actor != NULL &&
			 strcmp(list->rows[i].actor, rest->account.name) == 0;
		*after = list->rows[i].sequence;
	}
	return found;
}

/* Whether the account gave a command to the case. */
static bool has_acted(const struct wf_rest_sight *sight, struct wf_store *store)
{
	struct wf_history_list list = { .count = PAGE_STEPS };
	uint64_t after = 0;
	bool found = false;

	for (size_t seen = 0;
	     !found && list.count == PAGE_STEPS && seen < MOST_STEPS;
	     seen += PAGE_STEPS) {
		struct wf_arena *arena = wf_arena_new();

		if (wf_store_case_history(store, sight->known.number, after,
			PAGE_STEPS, arena, &list, NULL) != WF_OK)
			list.count = 0;
		found = is_in_page(sight->rest, &list, &after);
		wf_arena_free(&arena);
	}
	return found;
}

static void read_past(struct wf_rest_sight *sight)
{
	struct wf_engine *engine = sight->rest->server->engine;
	struct wf_store *store;

	if (wf_engine_borrow(engine, &store, NULL) != WF_OK)
		return;
	if (wf_store_is_involved(store, sight->participant, sight->known.number,
		&sight->reads, NULL) != WF_OK ||
	    !sight->reads)
		sight->reads = has_acted(sight, store);
	wf_engine_give_back(engine, store);
}

/* --- the sight ------------------------------------------------------------ */

bool wf_rest_read_sight(struct wf_rest *rest, const char *item,
    const struct wf_known_case *known, struct wf_rest_sight *sight_out)
{
	*sight_out = (struct wf_rest_sight){ .rest = rest, .known = *known };
	if (!wf_rest_has_right(
		rest, WF_MAY(READ), item, known, &sight_out->reads) ||
	    !wf_rest_has_right(rest, WF_MAY(WORK) | WF_MAY(OPERATE), item,
		known, &sight_out->changes))
		return false;
	rest->is_allowed = true; /* what is seen is judged one by one */
	if (!wf_rest_taking_part(
		rest, known->specification, &sight_out->participant))
		return false;
	if (sight_out->participant == NULL ||
	    (sight_out->reads && sight_out->changes))
		return true;
	/* A case that has ended has no items. */
	(void)(wf_engine_inspect(rest->server->engine, known->number, see_items,
		   sight_out, NULL) == WF_OK);
	if (!sight_out->reads)
		read_past(sight_out);
	return true;
}

const struct wf_rest_seen_item *wf_rest_find_seen(
    const struct wf_rest_sight *sight, const char *item)
{
	const struct wf_rest_seen_item *seen = sight->items;

	while (seen != NULL && strcmp(seen->id, item) != 0)
		seen = seen->next;
	return seen;
}

bool wf_rest_is_of_item(
    const struct wf_rest_seen_item *seen, const struct wf_document_row *row)
{
	if (strcmp(seen->id, row->item) == 0)
		return true;
	for (size_t i = 0; i < seen->count; i++)
		if (seen->documents[i] == row->id)
			return true;
	return false;
}

bool wf_rest_sees_document(
    const struct wf_rest_sight *sight, const struct wf_document_row *row)
{
	const struct wf_rest_seen_item *seen = sight->items;

	if (sight->reads ||
	    (sight->participant != NULL &&
		strcmp(row->author, sight->rest->account.name) == 0))
		return true;
	while (seen != NULL && !wf_rest_is_of_item(seen, row))
		seen = seen->next;
	return seen != NULL;
}

bool wf_rest_changes_document(
    const struct wf_rest_sight *sight, const struct wf_document_row *row)
{
	const struct wf_rest_seen_item *seen = sight->items;

	while (!sight->changes && seen != NULL &&
	       !(seen->is_held && wf_rest_is_of_item(seen, row)))
		seen = seen->next;
	return sight->changes || seen != NULL;
}
