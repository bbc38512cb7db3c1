/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of cases in each store: blocks, versions, limits, removal. */
#include <CUnit/CUnit.h>
#include <string.h>

#include "tests/unit/store_fixture.h"

static enum wf_rc add(struct store_fixture *f, uint64_t id, uint32_t version,
    uint64_t size, struct wf_document_row *row_out)
{
	*row_out = (struct wf_document_row){ .id = id,
		.version = version,
		.number = 1,
		.namespace_id = 1,
		.item = "1:T",
		.name = "a.txt",
		.type = "text/plain",
		.author = "me",
		.size = size,
		.at = 10 };
	wf_error_clear(&f->err);
	return wf_store_add_document(f->store, row_out, 100, &f->err);
}

static enum wf_rc put(struct store_fixture *f,
    const struct wf_document_row *row, uint64_t place, const char *text,
    int64_t now)
{
	struct wf_document_block_row block = { .id = row->id,
		.version = row->version,
		.place = place,
		.bytes = { text, strlen(text) } };

	wf_error_clear(&f->err);
	return wf_store_put_document_block(f->other, &block, now, &f->err);
}

/* The bytes from place on in one block; "": there is none. */
static const char *block_at(
    struct store_fixture *f, const struct wf_document_row *row, uint64_t place)
{
	struct wf_document_block_row block;

	wf_error_clear(&f->err);
	if (wf_store_document_block(f->store, row->id, row->version, place,
		f->arena, &block, &f->err) != WF_OK)
		return "";
	return wf_arena_strndup(f->arena,
	    (const char *)block.bytes.data + (place - block.place),
	    block.bytes.size - (place - block.place));
}

static size_t count_all(struct store_fixture *f)
{
	struct wf_document_list list = { NULL, 0 };

	OK(wf_store_documents(f->store, 1, f->arena, &list, &f->err));
	return list.count;
}

static void check_blocks(struct store_fixture *f)
{
	struct wf_document_row row, seen;

	CU_ASSERT_EQUAL(add(f, 1, 1, 5, &row), WF_NOT_FOUND); /* the case */
	OK(store_launch(f, 1, "one", NULL));
	CU_ASSERT_EQUAL(add(f, 1, 0, 5, &row), WF_NOT_FOUND); /* version 1 */
	OK(add(f, 1, 1, 5, &row));
	OK(put(f, &row, 0, "abc", 20));
	/* It is there with its last block. */
	CU_ASSERT_EQUAL(count_all(f), 0);
	CU_ASSERT_EQUAL(
	    wf_store_document(f->store, 1, 0, f->arena, &seen, &f->err),
	    WF_NOT_FOUND);
	OK(wf_store_document(f->store, 1, 1, f->arena, &seen, &f->err));
	CU_ASSERT_EQUAL(seen.received, 3);
	CU_ASSERT_EQUAL(seen.at, 20);
	CU_ASSERT_EQUAL(put(f, &row, 0, "abc", 30), WF_CONFLICT);
	CU_ASSERT_EQUAL(put(f, &row, 4, "d", 30), WF_CONFLICT);
	CU_ASSERT_EQUAL(put(f, &row, 3, "def", 30), WF_CONFLICT);
	OK(put(f, &row, 3, "de", 30));
	CU_ASSERT_EQUAL(put(f, &row, 5, "f", 30), WF_CONFLICT);
	CU_ASSERT_EQUAL(count_all(f), 1);
	OK(wf_store_document(f->store, 1, 0, f->arena, &seen, &f->err));
	CU_ASSERT_EQUAL(seen.version, 1);
	CU_ASSERT_STRING_EQUAL(seen.name, "a.txt");
	CU_ASSERT_STRING_EQUAL(seen.item, "1:T");
	CU_ASSERT_STRING_EQUAL(block_at(f, &row, 0), "abc");
	CU_ASSERT_STRING_EQUAL(block_at(f, &row, 2), "c");
	CU_ASSERT_STRING_EQUAL(block_at(f, &row, 3), "de");
	row.id = 2;
	CU_ASSERT_STRING_EQUAL(block_at(f, &row, 0), "");
	CU_ASSERT_EQUAL(put(f, &row, 0, "x", 30), WF_NOT_FOUND);
	/* Nothing is missing of an empty one. */
	OK(add(f, 3, 1, 0, &row));
	CU_ASSERT_EQUAL(count_all(f), 2);
}

static void check_versions(struct store_fixture *f)
{
	struct wf_document_row row, seen;

	OK(store_launch(f, 1, "one", NULL));
	OK(add(f, 1, 1, 1, &row));
	OK(put(f, &row, 0, "a", 20));
	OK(add(f, 1, 0, 1, &row));
	CU_ASSERT_EQUAL(row.version, 2);
	OK(wf_store_document(f->store, 1, 0, f->arena, &seen, &f->err));
	CU_ASSERT_EQUAL(seen.version, 1);
	OK(put(f, &row, 0, "b", 20));
	OK(wf_store_document(f->store, 1, 0, f->arena, &seen, &f->err));
	CU_ASSERT_EQUAL(seen.version, 2);
	CU_ASSERT_STRING_EQUAL(block_at(f, &row, 0), "b");
	/* All bytes of the case count, those of unfinished ones too. */
	OK(add(f, 2, 1, 90, &row));
	CU_ASSERT_EQUAL(add(f, 3, 1, 9, &row), WF_LIMIT);
	CU_ASSERT_EQUAL(add(f, 3, 1, UINT64_MAX, &row), WF_LIMIT);
	OK(wf_store_sweep_documents(f->store, 10, 0, 9, &f->err));
	CU_ASSERT_EQUAL(add(f, 3, 1, 9, &row), WF_LIMIT);
	OK(wf_store_sweep_documents(f->store, 11, 0, 9, &f->err));
	OK(add(f, 3, 1, 9, &row));
	CU_ASSERT_EQUAL(count_all(f), 2);
	OK(wf_store_remove_document(f->store, 1, 2, &f->err));
	OK(wf_store_document(f->store, 1, 0, f->arena, &seen, &f->err));
	CU_ASSERT_EQUAL(seen.version, 1);
	OK(add(f, 1, 0, 1, &row));
	OK(put(f, &row, 0, "c", 20));
	OK(wf_store_remove_document(f->store, 1, 0, &f->err));
	CU_ASSERT_EQUAL(count_all(f), 0);
	CU_ASSERT_STRING_EQUAL(block_at(f, &row, 0), "");
	CU_ASSERT_EQUAL(
	    wf_store_remove_document(f->store, 1, 0, &f->err), WF_NOT_FOUND);
}

static enum wf_rc adopt_one(
    struct store_fixture *f, uint64_t id, uint64_t number, uint64_t maximum)
{
	wf_error_clear(&f->err);
	return wf_store_adopt_document(f->store, id, number, maximum, &f->err);
}

static enum wf_rc adopt(
    struct store_fixture *f, uint64_t number, uint64_t maximum)
{
	return adopt_one(f, 8, number, maximum);
}

/* Added before its case is started. */
static void check_adoption(struct store_fixture *f)
{
	struct wf_document_row row, seen;

	OK(store_launch(f, 1, "one", NULL));
	OK(add(f, 1, 1, 2, &row));
	OK(add(f, 7, 1, 1, &row));
	row.number = WF_NO_CASE;
	row.id = 8;
	row.version = 1;
	row.size = 2;
	CU_ASSERT_EQUAL(adopt(f, 1, 100), WF_NOT_FOUND);
	OK(wf_store_add_document(f->store, &row, 100, &f->err));
	CU_ASSERT_EQUAL(adopt(f, 1, 100), WF_NOT_FOUND); /* not whole */
	OK(put(f, &row, 0, "xy", 20));
	CU_ASSERT_EQUAL(adopt(f, 5, 100), WF_NOT_FOUND); /* the case */
	CU_ASSERT_EQUAL(adopt(f, 1, 4), WF_LIMIT);
	OK(adopt(f, 1, 100));
	CU_ASSERT_EQUAL(adopt(f, 1, 100), WF_CONFLICT);
	OK(wf_store_document(f->store, 8, 0, f->arena, &seen, &f->err));
	CU_ASSERT_EQUAL(seen.number, 1);
	CU_ASSERT_EQUAL(count_all(f), 1);
	/* All its versions count, as bytes and as rows. */
	row.id = 10;
	row.version = 1;
	row.size = 4;
	OK(wf_store_add_document(f->store, &row, 100, &f->err));
	OK(put(f, &row, 0, "four", 20));
	row.version = 0;
	row.size = 1;
	OK(wf_store_add_document(f->store, &row, 100, &f->err));
	OK(put(f, &row, 0, "z", 20));
	CU_ASSERT_EQUAL(adopt_one(f, 10, 1, 9), WF_LIMIT);
	OK(adopt_one(f, 10, 1, 10));
	row.version = 0;
	CU_ASSERT_EQUAL(wf_store_add_document(f->store, &row, 100, &f->err),
	    WF_NOT_FOUND); /* it is of a case */
	wf_error_clear(&f->err);
	/* One that nobody takes is kept for a time. */
	row.size = 2;
	row.id = 9;
	row.version = 1;
	OK(wf_store_add_document(f->store, &row, 100, &f->err));
	OK(put(f, &row, 0, "xy", 20));
	OK(wf_store_sweep_documents(f->store, 0, 20, 9, &f->err));
	OK(wf_store_document(f->store, 9, 0, f->arena, &seen, &f->err));
	OK(wf_store_sweep_documents(f->store, 0, 21, 9, &f->err));
	CU_ASSERT_EQUAL(
	    wf_store_document(f->store, 9, 0, f->arena, &seen, &f->err),
	    WF_NOT_FOUND);
	wf_error_clear(&f->err);
	OK(wf_store_document(f->store, 8, 0, f->arena, &seen, &f->err));
}

static void test_blocks(void)
{
	store_on_each(check_blocks);
}

static void test_adoption(void)
{
	store_on_each(check_adoption);
}

static void test_versions(void)
{
	store_on_each(check_versions);
}

CU_TestInfo wf_tests_documents[] = {
	{ "blocks", test_blocks },
	{ "versions, limits, removal", test_versions },
	{ "of no case yet", test_adoption },
	CU_TEST_INFO_NULL,
};
