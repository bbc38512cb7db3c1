/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/strict_store.h"

#include <CUnit/CUnit.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "persistence/backend.h"

struct key {
	uint64_t number;
	uint64_t second;
	const char *text;
};

static int compare(const void *a, const void *b)
{
	const struct key *x = a;
	const struct key *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return strcmp(x->text, y->text);
}

static bool is_each_once(struct key *keys, size_t count)
{
	bool once = true;

	qsort(keys, count, sizeof(keys[0]), compare);
	for (size_t i = 1; i < count; i++)
		once &= compare(&keys[i - 1], &keys[i]) != 0;
	return once;
}

/* Checks all rows of an array. */
#define CHECK(array, count, number, second, text)                              \
	do {                                                                   \
		struct key *keys = wf_malloc(((count) + 1) * sizeof(*keys));   \
                                                                               \
		for (size_t i = 0; i < (count); i++)                           \
			keys[i] =                                              \
			    (struct key){ (array)[i].number, second, text };   \
		if (!is_each_once(keys, count))                                \
			CU_FAIL("twice in one batch: " #array);                \
		wf_free(keys);                                                 \
	} while (0)

static void check(const struct wf_writes *w)
{
	CHECK(w->cases, w->case_count, row.number, 0, "");
	CHECK(w->items, w->item_count, row.number, 0, w->items[i].row.id);
	CHECK(w->renames, w->rename_count, number, 0, w->renames[i].id);
	CHECK(w->renames, w->rename_count, number, 0, w->renames[i].new_id);
	CHECK(w->values, w->value_count, number, w->values[i].value, "");
	CHECK(w->history, w->history_count, number, w->history[i].sequence, "");
	CHECK(w->due, w->due_count, row.number, 0, w->due[i].row.name);
	CHECK(
	    w->messages, w->message_count, number, w->messages[i].message, "");
	CHECK(w->answers, w->answer_count, number, 0, w->answers[i].id);
	CHECK(w->incidents, w->incident_count, row.id, 0, "");
}

/* --- replacements of the store's functions -------------------------------- */

/* One for each kind of store. */
static struct strict {
	const struct wf_store_ops *own;
	struct wf_store_ops ops;
} stricts[4];

static enum wf_rc commit(struct wf_store *store, const struct wf_writes *writes,
    uint64_t *cause_out, struct wf_error *err)
{
	const struct strict *strict =
	    (const void *)((const char *)store->ops -
			   offsetof(struct strict, ops));

	check(writes);
	return strict->own->commit(store, writes, cause_out, err);
}

void test_make_strict(struct wf_store *store)
{
	struct strict *strict = stricts;

	while (strict->own != NULL && strict->own != store->ops)
		strict++;
	strict->own = store->ops;
	strict->ops = *store->ops;
	strict->ops.commit = commit;
	store->ops = &strict->ops;
}
