/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases that go on as ones of another specification, in each store: what the
 * case, its items and each of its steps are of, and how long the specifications
 * of earlier steps are kept.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/store_fixture.h"

/* Two steps, from the second on as one of the target; or its end. */
static enum wf_rc migrate(struct store_fixture *f, uint64_t number,
    uint64_t specification, uint64_t target, bool ends)
{
	struct wf_take take;
	struct wf_case_write write;
	struct wf_history_row history[2];
	struct wf_migrated_row migrated;
	struct wf_item_write item = { .row = { .number = number,
					  .id = "T",
					  .namespace_id = 1,
					  .specification = target },
		.groups = WF_ITEM_KERNEL };
	struct wf_writes writes = { .cases = &write,
		.case_count = 1,
		.items = &item,
		.item_count = 1,
		.history = history,
		.history_count = 2,
		.migrated = &migrated,
		.migrated_count = 1 };

	CU_ASSERT_EQUAL(
	    store_take(f, f->store, number, 0, &take), WF_TAKE_TAKEN);
	CU_ASSERT_EQUAL(take.stored.row.specification, specification);
	write = (struct wf_case_write){ .row = take.stored.row,
		.expected = take.stored.row.version,
		.change = ends ? WF_CASE_END : WF_CASE_STEP };
	write.row.version += 2;
	write.row.changed_at = ends ? 50 : 10;
	history[0] = store_history_row(number, write.row.version - 1);
	history[1] = store_history_row(number, write.row.version);
	migrated = (struct wf_migrated_row){ number, write.row.version,
		specification, target };
	wf_error_clear(&f->err);
	return wf_store_commit(f->store, &writes, NULL, &f->err);
}

/* The specifications of the steps of a case, each behind a space. */
static const char *steps_of(struct store_fixture *f, uint64_t number)
{
	struct wf_history_list list;
	const char *text = "";

	OK(wf_store_case_history(
	    f->other, number, 0, 99, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++)
		text = wf_arena_printf(f->arena, "%s %llu", text,
		    (unsigned long long)list.rows[i].specification);
	return text;
}

/* The numbers and sequences of the stream of one specification. */
static const char *stream_of(struct store_fixture *f, uint64_t key)
{
	struct wf_history_filter filter = {
		.specifications = wf_one_specification(&key), .limit = 99
	};
	struct wf_history_list list;
	const char *text = "";

	OK(wf_store_history(f->other, &filter, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++)
		text = wf_arena_printf(f->arena, "%s %llu/%llu", text,
		    (unsigned long long)list.rows[i].number,
		    (unsigned long long)list.rows[i].sequence);
	return text;
}

static const char *cases_of(struct store_fixture *f, uint64_t key)
{
	struct wf_case_filter filter = {
		.specifications = wf_one_specification(&key), .limit = 99
	};
	struct wf_case_list list;
	const char *text = "";

	OK(wf_store_cases(f->other, &filter, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++)
		text = wf_arena_printf(f->arena, "%s %llu%s", text,
		    (unsigned long long)list.rows[i].row.number,
		    list.rows[i].ended ? "e" : "");
	return text;
}

static size_t items_of(struct store_fixture *f, uint64_t key)
{
	struct wf_item_filter filter = {
		.specifications = wf_one_specification(&key), .limit = 99
	};
	struct wf_item_list list;

	OK(wf_store_items(f->other, &filter, f->arena, &list, &f->err));
	return list.count;
}

static void put_specification(struct store_fixture *f, uint64_t key)
{
	const struct wf_specification_row row = {
		.namespace_id = 1, .key = key, .source = store_bytes
	};

	OK(wf_store_put_specification(f->store, &row, &f->err));
}

static bool has_specification(struct store_fixture *f, uint64_t key)
{
	struct wf_specification_row row;
	enum wf_rc rc =
	    wf_store_specification(f->other, 1, key, f->arena, &row, &f->err);

	wf_error_clear(&f->err);
	return rc == WF_OK;
}

static void check_migrated(struct store_fixture *f)
{
	uint64_t of;
	size_t count;

	OK(store_launch(f, 1, "a", NULL));
	OK(store_launch(f, 2, "b", NULL));
	of = store_new_case(1, "a").row.specification;
	for (uint64_t key = 77; key <= 79; key++)
		put_specification(f, key);
	OK(migrate(f, 1, of, 77, false));
	CU_ASSERT_STRING_EQUAL(cases_of(f, 77), " 1");
	CU_ASSERT_STRING_EQUAL(steps_of(f, 1),
	    wf_arena_printf(f->arena, " %llu %llu 77", (unsigned long long)of,
		(unsigned long long)of));
	CU_ASSERT_STRING_EQUAL(stream_of(f, 77), " 1/3");
	CU_ASSERT_EQUAL(items_of(f, 77), 1);
	OK(migrate(f, 1, 77, 78, false));
	OK(migrate(f, 1, 78, 79, true));
	CU_ASSERT_STRING_EQUAL(cases_of(f, 77), "");
	CU_ASSERT_STRING_EQUAL(cases_of(f, 79), " 1e");
	CU_ASSERT_STRING_EQUAL(steps_of(f, 1),
	    wf_arena_printf(f->arena, " %llu %llu 77 77 78 78 79",
		(unsigned long long)of, (unsigned long long)of));
	CU_ASSERT_STRING_EQUAL(stream_of(f, 78), " 1/5 1/6");
	/* What its steps are of is kept as long as they are. */
	for (uint64_t key = 77; key <= 79; key++)
		OK(wf_store_remove_specification(f->store, 1, key, &f->err));
	OK(wf_store_retire(f->store, 50, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 0);
	CU_ASSERT_TRUE(has_specification(f, 77));
	CU_ASSERT_TRUE(has_specification(f, 78));
	CU_ASSERT_TRUE(has_specification(f, 79));
	OK(wf_store_retire(f->store, 60, 9, &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_FALSE(has_specification(f, 77));
	CU_ASSERT_FALSE(has_specification(f, 79));
	CU_ASSERT_STRING_EQUAL(steps_of(f, 1), "");
}

static void test_migrated(void)
{
	store_on_each(check_migrated);
}

/* A case that the batch has not taken does not go on as another one. */
static void check_not_taken(struct store_fixture *f)
{
	struct wf_take take;
	const struct wf_migrated_row migrated = { 2, 2, 1, 77 };
	struct wf_writes writes = { .migrated = &migrated,
		.migrated_count = 1 };

	OK(store_launch(f, 1, "a", NULL));
	OK(store_launch(f, 2, "b", NULL));
	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 0, &take), WF_TAKE_TAKEN);
	REFUSED(
	    f, WF_CONFLICT, wf_store_commit(f->store, &writes, NULL, &f->err));
	CU_ASSERT_STRING_EQUAL(cases_of(f, 77), "");
}

static void test_not_taken(void)
{
	store_on_each(check_not_taken);
}

/* --- items with other ids ------------------------------------------------- */

static struct wf_item_write item_write(const char *id, uint64_t fence)
{
	return (struct wf_item_write){ .row = { .number = 1,
					   .id = id,
					   .namespace_id = 1,
					   .task = id,
					   .started_at = 5,
					   .lease_owner = "worker",
					   .lease_until = 90,
					   .fence = fence,
					   .attempt = (uint32_t)fence,
					   .draft = { id, strlen(id) } },
		.groups = WF_ITEM_ALL };
}

static void add_document(struct store_fixture *f, uint64_t id, const char *item)
{
	struct wf_document_row row = { .id = id,
		.version = 1,
		.number = 1,
		.namespace_id = 1,
		.item = item,
		.name = item };

	OK(wf_store_add_document(f->store, &row, 1000, &f->err));
}

static enum wf_rc commit_items(struct store_fixture *f,
    const struct wf_item_rename *renames, size_t rename_count,
    const struct wf_item_write *items, size_t item_count)
{
	const struct wf_writes writes = { .renames = renames,
		.rename_count = rename_count,
		.items = items,
		.item_count = item_count };
	struct wf_take take;

	CU_ASSERT_EQUAL(store_take(f, f->store, 1, 0, &take), WF_TAKE_TAKEN);
	wf_error_clear(&f->err);
	return wf_store_commit(f->store, &writes, NULL, &f->err);
}

/* What the item was called when its lease, draft and document were made. */
static const char *was(struct store_fixture *f, const char *id)
{
	const struct wf_item_filter filter = { .number = 1, .limit = 99 };
	struct wf_document_list documents;
	struct wf_item_list items;
	struct wf_item_row row;
	struct wf_bytes draft;
	const char *document = "";
	size_t at = 0;

	OK(wf_store_items(f->other, &filter, f->arena, &items, &f->err));
	while (at < items.count && strcmp(items.rows[at].id, id) != 0)
		at++;
	if (at == items.count)
		return "";
	row = items.rows[at];
	OK(wf_store_draft(f->other, 1, id, f->arena, &draft, &f->err));
	OK(wf_store_documents(f->other, 1, f->arena, &documents, &f->err));
	for (size_t i = 0; i < documents.count; i++)
		if (strcmp(documents.rows[i].item, id) == 0)
			document = documents.rows[i].name;
	return wf_arena_printf(f->arena, "%s %.*s %s %llu %u %lld %s", row.task,
	    (int)draft.size, (const char *)draft.data, row.lease_owner,
	    (unsigned long long)row.fence, row.attempt,
	    (long long)row.lease_until, document);
}

static void check_renamed(struct store_fixture *f)
{
	static const char *const ids[] = { "1.1:A", "1.2:B", "1:C", "1:D" };
	const struct wf_item_rename around[] = { { 1, "1.1:A", "1.2:B" },
		{ 1, "1.2:B", "1:C" }, { 1, "1:C", "1.1:A" } };
	const struct wf_item_rename over[] = { { 1, "1:C", "1:D" },
		{ 1, "1:D", "1:E" }, { 1, "1.1:A", "1.2:B" },
		{ 1, "1:X", "1:Y" } };
	struct wf_item_write items[4];
	struct wf_item_write kernel = { .row = { .number = 1,
					    .id = "1:E",
					    .namespace_id = 1,
					    .task = "E",
					    .started_at = 5 },
		.groups = WF_ITEM_KERNEL };

	OK(store_launch(f, 1, "a", NULL));
	for (size_t i = 0; i < 4; i++) {
		items[i] = item_write(ids[i], 1 + i);
		add_document(f, 10 + i, ids[i]);
	}
	OK(commit_items(f, NULL, 0, items, 4));
	OK(commit_items(f, around, 3, NULL, 0));
	CU_ASSERT_STRING_EQUAL(was(f, "1.1:A"), "1:C 1:C worker 3 3 90 1:C");
	CU_ASSERT_STRING_EQUAL(
	    was(f, "1.2:B"), "1.1:A 1.1:A worker 1 1 90 1.1:A");
	CU_ASSERT_STRING_EQUAL(
	    was(f, "1:C"), "1.2:B 1.2:B worker 2 2 90 1.2:B");
	CU_ASSERT_STRING_EQUAL(was(f, "1:D"), "1:D 1:D worker 4 4 90 1:D");
	/* What a step writes goes to the renamed row; one gives way. */
	OK(commit_items(f, over, 4, &kernel, 1));
	CU_ASSERT_STRING_EQUAL(was(f, "1.1:A"), "");
	CU_ASSERT_STRING_EQUAL(was(f, "1:C"), "");
	CU_ASSERT_STRING_EQUAL(was(f, "1:Y"), "");
	CU_ASSERT_STRING_EQUAL(
	    was(f, "1:D"), "1.2:B 1.2:B worker 2 2 90 1.2:B");
	CU_ASSERT_STRING_EQUAL(was(f, "1:E"), "E 1:D worker 4 4 90 1:D");
	CU_ASSERT_STRING_EQUAL(was(f, "1.2:B"), "1:C 1:C worker 3 3 90 1:C");
}

static void test_renamed(void)
{
	store_on_each(check_renamed);
}

CU_TestInfo wf_tests_store_migrated[] = {
	{ "cases that were migrated", test_migrated },
	{ "cases that were not taken", test_not_taken },
	{ "items with other ids", test_renamed },
	CU_TEST_INFO_NULL,
};
