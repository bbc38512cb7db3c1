/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of what is stored, and the check of a whole store. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/seal.h"

/* --- checksums ------------------------------------------------------------ */

static const struct wf_history_row step = { .number = 7,
	.sequence = 3,
	.at = 1000,
	.actor = "ann",
	.origin = "rest",
	.format = 1,
	.command = "ann/k1",
	.events = { "events", 6 } };

static enum wf_rc unseal_step(const struct wf_history_row *row)
{
	struct wf_bytes events;
	enum wf_rc rc = wf_unseal_history(row, &events, NULL);

	if (rc == WF_OK) {
		CU_ASSERT_EQUAL(events.size, 6);
		CU_ASSERT_EQUAL(memcmp(events.data, "events", 6), 0);
	}
	return rc;
}

#define CHANGED(row, member, to)                                               \
	do {                                                                   \
		struct wf_history_row changed = row;                           \
                                                                               \
		changed.member = to;                                           \
		CU_ASSERT_EQUAL(unseal_step(&changed), WF_CORRUPT);            \
	} while (0)

static void test_sealed_steps(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_history_row row = step;
	unsigned char *bytes;

	wf_seal_history(&row, arena);
	CU_ASSERT_EQUAL(unseal_step(&row), WF_OK);
	CHANGED(row, number, 8);
	CHANGED(row, sequence, 4);
	CHANGED(row, at, 1001);
	CHANGED(row, actor, "an");
	CHANGED(row, origin, "nrest");
	CHANGED(row, format, 2);
	CHANGED(row, command, "");
	CHANGED(row, events.size, 3);
	CHANGED(row, events.data, NULL);
	bytes = (unsigned char *)(uintptr_t)row.events.data;
	for (size_t i = 0; i < row.events.size; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes[i] = (unsigned char)(bytes[i] ^ 1U << bit);
			CU_ASSERT_EQUAL(unseal_step(&row), WF_CORRUPT);
			bytes[i] = (unsigned char)(bytes[i] ^ 1U << bit);
		}
	CU_ASSERT_EQUAL(unseal_step(&row), WF_OK);
	wf_arena_free(&arena);
}

static void test_sealed_values(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_value_row row = { 7, 1, { "<x/>", 4 } };
	struct wf_bytes text;

	wf_seal_value(&row, arena);
	CU_ASSERT_EQUAL(wf_unseal_value(&row, &text, NULL), WF_OK);
	CU_ASSERT_EQUAL(text.size, 4);
	row.value = 2;
	CU_ASSERT_EQUAL(wf_unseal_value(&row, &text, NULL), WF_CORRUPT);
	row.value = 1;
	row.number = 8;
	CU_ASSERT_EQUAL(wf_unseal_value(&row, &text, NULL), WF_CORRUPT);
	wf_arena_free(&arena);
}

CU_TestInfo wf_tests_integrity[] = {
	{ "steps with a checksum", test_sealed_steps },
	{ "values with a checksum", test_sealed_values },
	CU_TEST_INFO_NULL,
};
