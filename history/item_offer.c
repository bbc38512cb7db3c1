/* SPDX-License-Identifier: Apache-2.0 */
#include "history/item_offer.h"

#include "history/case_reader.h"

/* Steps that are read, and in a page. */
#define STEPS 1000U
#define PAGE 100U

struct search {
	const struct wf_offered_item *item;
	struct wf_arena *arena;
	const char *audience;
};

static void note_offer(void *context, const struct wf_event *event)
{
	struct search *search = context;

	if (event->kind == WF_EVENT_ITEM_OFFERED &&
	    event->net == search->item->net &&
	    event->task == search->item->task)
		search->audience = wf_arena_strndup(
		    search->arena, event->text, event->text_length);
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
