/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/scenario/expect_people.h"

#include <stdlib.h>
#include <string.h>

#include "people/needs.h"

#define TEXT_MAXIMUM ((size_t)64 << 20)

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of those who may do the item, or do it, sorted. */
static void put_names(const struct wf_session *session,
    const struct wf_assignment *assignment, struct wf_buffer *text)
{
	const struct wf_organisation *o = session->organisation;
	const char *sign = "=";
	struct wf_arena *arena = wf_arena_new();
	struct wf_audience audience = { .all = false };

	if (assignment->audience[0] != '\0' &&
	    wf_audience_read(assignment->audience, arena, &audience, NULL) !=
		WF_OK)
		wf_buffer_puts(text, "?");
	for (uint32_t i = 0;
	     o != NULL && i < wf_org_count(o, WF_ORG_PARTICIPANT); i++) {
		const struct wf_participant *participant =
		    wf_participant_at(o, i);
		const char *id = participant->record.id;

		if (strcmp(assignment->holder, id) != 0 &&
		    !wf_audience_has(o, NULL, &audience, id))
			continue;
		wf_buffer_printf(text, "%s%s", sign, participant->user);
		sign = ",";
	}
	wf_arena_free(&arena);
}

/* Who and what is busy with the item, in the order in which it got them. */
static void put_busy(const struct wf_session *session,
    const struct wf_assignment *assignment, struct wf_buffer *text)
{
	static const enum wf_org_kind kinds[] = { WF_ORG_PARTICIPANT,
		WF_ORG_THING };
	const struct wf_organisation *o = session->organisation;
	struct wf_arena *arena = wf_arena_new();
	const struct wf_texts ids = wf_busy_read(assignment->busy, arena);

	for (size_t i = 0; o != NULL && i < 2 * ids.count; i++) {
		uint32_t number = wf_org_find(o, kinds[i % 2], ids.rows[i / 2]);

		if (number != WF_ORG_NOBODY)
			wf_buffer_printf(text, "+%s",
			    wf_org_name(wf_org_at(o, kinds[i % 2], number)));
	}
	wf_arena_free(&arena);
}

static char *describe(
    const struct wf_session *session, const struct wf_item *item, bool in_full)
{
	char id[WF_ITEM_ID_SIZE];
	struct wf_buffer text;

	wf_item_id(item, id);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_buffer_printf(&text, "%s:%s", in_full ? id : item->task->id,
	    wf_resource_status_name(item->assignment->status));
	put_names(session, item->assignment, &text);
	put_busy(session, item->assignment, &text);
	return wf_buffer_take(&text);
}

/* The word with its names sorted; for wf_free(). */
static char *sorted_word(const char *word)
{
	const char *names = strchr(word, '=');
	char *copy = wf_strdup(word);
	const char **parts;
	struct wf_buffer text;
	size_t count = 0;

	if (names == NULL)
		return copy;
	parts = wf_calloc(strlen(word) + 1, sizeof(*parts));
	for (char *part = strtok(copy + (names - word) + 1, ","); part != NULL;
	     part = strtok(NULL, ","))
		parts[count++] = part;
	qsort(parts, count, sizeof(*parts), compare_texts);
	wf_buffer_init(&text, TEXT_MAXIMUM);
	wf_buffer_append(&text, word, (size_t)(names - word));
	for (size_t i = 0; i < count; i++)
		wf_buffer_printf(&text, "%s%s", i == 0 ? "=" : ",", parts[i]);
	wf_free(parts);
	wf_free(copy);
	return wf_buffer_take(&text);
}

/* Removes an expected word that describes the item. */
static bool take_word(char **expected, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (expected[i] != NULL && strcmp(expected[i], text) == 0) {
			wf_free(expected[i]);
			expected[i] = NULL;
			return true;
		}
	return false;
}

enum wf_rc wf_expect_people(char *const *words, size_t count,
    const struct wf_session *session, struct wf_error *err)
{
	struct wf_item *items;
	size_t item_count = wf_case_items(session->instance, &items);
	char **expected = wf_calloc(count + 1, sizeof(*expected));
	struct wf_buffer found;
	bool holds = true;
	enum wf_rc rc = WF_OK;

	wf_buffer_init(&found, TEXT_MAXIMUM);
	for (size_t i = 0; i < count; i++)
		expected[i] = sorted_word(words[i]);
	for (size_t i = 0; i < item_count; i++) {
		char *brief;
		char *full;

		if (items[i].assignment == NULL)
			continue;
		brief = describe(session, &items[i], false);
		full = describe(session, &items[i], true);
		holds &= take_word(expected, count, brief) ||
			 take_word(expected, count, full);
		wf_buffer_printf(&found, " %s", full);
		wf_free(brief);
		wf_free(full);
	}
	for (size_t i = 0; i < count; i++) {
		holds &= expected[i] == NULL;
		wf_free(expected[i]);
	}
	if (!holds)
		rc = wf_fail(err, WF_CONFLICT,
		    "the items that are for people are others:%.400s",
		    found.length == 0 ? " none" : wf_buffer_text(&found));
	wf_buffer_free(&found);
	wf_free(expected);
	wf_free(items);
	return rc;
}
