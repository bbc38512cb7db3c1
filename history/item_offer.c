/* SPDX-License-Identifier: Apache-2.0 */
#include "history/item_offer.h"

#include "history/case_reader.h"
#include "kernel/assignment/assignment.h"

/* Steps that are read, and in a page. */
#define STEPS 200U
#define PAGE 50U

struct search {
	const struct wf_offered_item *item;
	struct wf_arena *arena;
	const char *audience;
};

/* Whether whoever has the item now has chosen to. */
static bool is_taking(const struct wf_event *event)
{
	return event->number != WF_CAUSE_SYSTEM &&
	       event->number != WF_CAUSE_ADMINISTRATOR &&
	       event->number != WF_CAUSE_CHAINED &&
	       event->number != WF_CAUSE_PILED;
}

static void note_offer(void *context, const struct wf_event *event)
{
	struct search *search = context;
	const struct wf_offered_item *item = search->item;

	if (event->net != item->net || event->task != item->task ||
	    (event->instance != 0 && event->instance != item->instance))
		return;
	if (event->kind == WF_EVENT_ITEM_OFFERED)
		search->audience = wf_arena_strndup(
		    search->arena, event->text, event->text_length);
	else if (event->kind == WF_EVENT_ITEM_UNOFFERED ||
		 ((event->kind == WF_EVENT_ITEM_ALLOCATED ||
		      event->kind == WF_EVENT_ITEM_TAKEN) &&
		     !is_taking(event)))
		search->audience = NULL;
}

const char *wf_item_last_offer(struct wf_store *store,
    const struct wf_offered_item *item, struct wf_arena *arena)
{
	struct search search = { .item = item, .arena = arena };
	struct wf_history_list list = { .count = PAGE };
	uint64_t after = item->version > STEPS ? item->version - STEPS : 0;

	while (list.count > 0 && after < item->version) {
		struct wf_arena *page = wf_arena_new();

		if (wf_store_case_history(store, item->number, after, PAGE,
			page, &list, NULL) != WF_OK)
			list.count = 0;
		for (size_t i = 0; i < list.count; i++) {
			/* What is damaged is passed over. */
			(void)(wf_history_decode(&list.rows[i], NULL,
				   note_offer, &search, NULL) == WF_OK);
			after = list.rows[i].sequence;
		}
		wf_arena_free(&page);
	}
	return search.audience;
}
