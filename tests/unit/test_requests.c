/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests as they are stored: the bytes, what is read from them, and the hash
 * that makes two requests with the same key the same.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/request.h"

/* Bytes and hashes are in stores: they never change. */
static const struct {
	const char *bytes; /* in hexadecimal */
	uint64_t content;
	struct wf_request request;
} rows[] = {
	{ "010101ac02020001043c642f3e000005313a41736b0004646f6e6503616e6e047265"
	  "7374",
	    0xa52f6d6f7ff0f1e7,
	    { .kind = WF_REQUEST_COMMAND,
		.namespace_id = 1,
		.number = 300,
		.actor = "ann",
		.origin = "rest",
		.command = { .kind = WF_COMMAND_COMPLETE,
		    .item = "1:Ask",
		    .data = "<d/>",
		    .length = 4,
		    .reason = "done" } } },
	{ "01020200004d0000010378007900056f72646572056c617465720000",
	    0xd1057c4ecce21ea2,
	    { .kind = WF_REQUEST_SCHEDULE,
		.namespace_id = 2,
		.command = { .kind = WF_COMMAND_LAUNCH },
		.launch = { .specification = 77,
		    .name = "order",
		    .title = "later",
		    .extra = { "x\0y", 3 } },
		.at = 5000 } },
	{ "010201091000010000000000000000", 0x4344554e6879693,
	    { .kind = WF_REQUEST_SCHEDULE,
		.namespace_id = 1,
		.number = 9,
		.command = { .kind = WF_COMMAND_CANCEL_CASE, .data = "" },
		.at = 5000,
		.delay = "PT5S" } },
	{ "01010100004d000000000000000000", 0xfcd9963e4e6e8d6c,
	    { .kind = WF_REQUEST_COMMAND,
		.namespace_id = 1,
		.command = { .kind = WF_COMMAND_LAUNCH, .described = true },
		.launch = { .specification = 77 } } },
	{ "010301090000000000000000000000", 0x826ccc057f43948e,
	    { .kind = WF_REQUEST_RETRY, .namespace_id = 1, .number = 9 } },
	{ "010401000000000000000000036f6c6403616e6e00", 0xaec3a6486e34707b,
	    { .kind = WF_REQUEST_DROP,
		.namespace_id = 1,
		.actor = "ann",
		.incident = { .id = 5, .reason = "old" } } },
	{ "0105010900000000000005313a41736b00026e6f0000", 0xea30f9967b406d0a,
	    { .kind = WF_REQUEST_ANNOUNCE,
		.namespace_id = 1,
		.number = 9,
		.announce = { .item = "1:Ask", .reason = "no" } } },
	{ "0106010900000000000005313a41736b08617474656d707473066661696c6564000"
	  "0",
	    0xb89d8f163caa2bcb,
	    { .kind = WF_REQUEST_REPORT,
		.namespace_id = 1,
		.number = 9,
		.report = { .item = "1:Ask",
		    .code = "attempts",
		    .text = "failed",
		    .attempts = 3 } } },
	{ "0107010900000000000000000003616e6e00", 0xc78a9a97e321d704,
	    { .kind = WF_REQUEST_WITHDRAW,
		.namespace_id = 1,
		.actor = "ann",
		.start = 9 } },
};

static void to_hexadecimal(struct wf_bytes bytes, char *text, size_t size)
{
	const unsigned char *from = bytes.data;

	CU_ASSERT_FATAL(2 * bytes.size < size);
	for (size_t i = 0; i < bytes.size; i++)
		snprintf(text + 2 * i, 3, "%02x", from[i]);
}

static void test_stored_form(void)
{
	struct wf_arena *arena = wf_arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[200] = "";
		struct wf_request read;
		struct wf_bytes bytes =
		    wf_request_encode(&rows[i].request, arena);

		to_hexadecimal(bytes, text, sizeof(text));
		CU_ASSERT_STRING_EQUAL(text, rows[i].bytes);
		CU_ASSERT_EQUAL_FATAL(
		    wf_request_decode(&read, bytes, arena, NULL), WF_OK);
		CU_ASSERT_EQUAL(read.kind, rows[i].request.kind);
		to_hexadecimal(
		    wf_request_encode(&read, arena), text, sizeof(text));
		CU_ASSERT_STRING_EQUAL(text, rows[i].bytes);
	}
	wf_arena_free(&arena);
}

static void test_content(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pending *pending =
		    wf_pending_new(&rows[i].request, 1, 1, NULL);

		CU_ASSERT_EQUAL(pending->content, rows[i].content);
		wf_pending_free(&pending);
	}
}

/* A stored request of which any part is missing is damaged. */
static void test_damaged(void)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_request read;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_bytes bytes =
		    wf_request_encode(&rows[i].request, arena);

		while (bytes.size-- > 0)
			CU_ASSERT_EQUAL(
			    wf_request_decode(&read, bytes, arena, NULL),
			    WF_CORRUPT);
	}
	wf_arena_free(&arena);
}

CU_TestInfo wf_tests_requests[] = {
	{ "requests have the stored form that they always had",
	    test_stored_form },
	{ "what makes two requests the same never changes", test_content },
	{ "a part of a stored request is damaged", test_damaged },
	CU_TEST_INFO_NULL,
};
