/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items by words: each word that is asked for is the beginning of a word of the
 * title or the id of the case, of the task, or of the process.  The titles of
 * the cases of many items are read together.
 */
#include <stdlib.h>
#include <string.h>

#include "rest/worklist/worklist_priv.h"
#include "runtime/engine.h"

/* --- titles --------------------------------------------------------------- */

static int compare_cases(const void *one, const void *other)
{
	const struct wf_list_case *a = one;
	const struct wf_list_case *b = other;

	return a->number < b->number ? -1 : a->number > b->number;
}

/* Each number once, ascending. */
static uint64_t *list_numbers(
    struct wf_arena *arena, const struct wf_item_list *items, size_t *count_out)
{
	struct wf_list_case *sorted =
	    wf_arena_array(arena, items->count, sizeof(*sorted));
	uint64_t *numbers =
	    wf_arena_array(arena, items->count, sizeof(*numbers));

	*count_out = 0;
	for (size_t i = 0; i < items->count; i++)
		sorted[i].number = items->rows[i].number;
	if (items->count > 1)
		qsort(sorted, items->count, sizeof(*sorted), compare_cases);
	for (size_t i = 0; i < items->count; i++)
		if (*count_out == 0 ||
		    numbers[*count_out - 1] != sorted[i].number)
			numbers[(*count_out)++] = sorted[i].number;
	return numbers;
}

enum wf_rc wf_worklist_read_titles(void *context, struct wf_store *store,
    const struct wf_item_list *items, struct wf_error *err)
{
	struct wf_worklist *reading = context;
	struct wf_arena *arena = reading->rest->arena;
	struct wf_case_list list = { .count = 0 };
	size_t count;
	const uint64_t *numbers = list_numbers(arena, items, &count);
	enum wf_rc rc = WF_OK;

	if (count > 0)
		rc = wf_store_numbered_cases(
		    store, numbers, count, arena, &list, err);
	reading->case_count = 0;
	reading->cases =
	    wf_arena_array(arena, list.count, sizeof(*reading->cases));
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		reading->cases[reading->case_count++] =
		    (struct wf_list_case){ list.rows[i].row.number,
			    list.rows[i].row.title,
			    list.rows[i].row.status == WF_CASE_SUSPENDED };
	return rc;
}

const struct wf_list_case *wf_worklist_case(
    const struct wf_worklist *reading, uint64_t number)
{
	const struct wf_list_case wanted = { .number = number };

	return reading->case_count == 0
		   ? NULL
		   : bsearch(&wanted, reading->cases, reading->case_count,
			 sizeof(wanted), compare_cases);
}

const char *wf_worklist_title(
    const struct wf_worklist *reading, uint64_t number)
{
	const struct wf_list_case *found = wf_worklist_case(reading, number);

	return found == NULL ? "" : found->title;
}

/* --- words ---------------------------------------------------------------- */

bool wf_worklist_set_words(struct wf_worklist *reading, const char *text)
{
	wf_words_add(&reading->words, text);
	reading->query.prepare = wf_worklist_read_titles;
	reading->query.few_fit = true;
	return reading->words.count > 0;
}

bool wf_worklist_read_words(struct wf_worklist *reading)
{
	const char *text = wf_rest_argument(reading->rest, "q");

	if (text == NULL || (strlen(text) <= WF_REST_TEXT_BYTES &&
				wf_worklist_set_words(reading, text)))
		return true;
	wf_rest_refuse(reading->rest,
	    "q: expected words, of at most %u bytes in all",
	    WF_REST_TEXT_BYTES);
	return false;
}

static void find_in_process(void *context, const struct wf_spec *spec)
{
	struct wf_worklist *reading = context;
	const struct wf_word_set *words = &reading->words;
	struct wf_list_texts *last = &reading->last;
	uint32_t at = 0;
	const struct wf_task *task = wf_spec_next_task(spec, last->task, &at);

	last->found = wf_words_found(words, spec->uri) |
		      wf_words_found(words, spec->metadata.title);
	if (task != NULL)
		last->found |= wf_words_found(words, task->name);
}

/* Those in the texts of the process and the task, which many rows share. */
static uint32_t words_of_task(
    struct wf_worklist *reading, const struct wf_item_row *row)
{
	struct wf_rest *rest = reading->rest;
	struct wf_list_texts *last = &reading->last;

	if (last->task != NULL && last->specification == row->specification &&
	    strcmp(last->task, row->task) == 0)
		return last->found;
	*last = (struct wf_list_texts){ row->specification, row->task, 0 };
	(void)(wf_engine_inspect_spec(rest->server->engine,
		   rest->account.namespace_id, row->specification, false,
		   find_in_process, reading, NULL) == WF_OK);
	return last->found;
}

bool wf_worklist_has_words(
    struct wf_worklist *reading, const struct wf_item_row *row)
{
	const struct wf_word_set *words = &reading->words;
	uint32_t all = wf_words_all(words);
	uint32_t found =
	    wf_words_found(words, wf_worklist_title(reading, row->number)) |
	    wf_words_found(words, row->id); /* the case and the task */

	return found == all || (found | words_of_task(reading, row)) == all;
}
