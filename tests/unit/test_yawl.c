/* SPDX-License-Identifier: Apache-2.0 */
/* Unit tests of yawl/: sessions. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "yawl/client.h"
#include "yawl/session.h"

#define HOUR INT64_C(3600000)

static void test_sessions(void)
{
	struct wf_yawl_sessions *sessions = wf_yawl_sessions_new(HOUR, 2);
	struct wf_arena *arena = wf_arena_new();
	char first[WF_HANDLE_SIZE];
	char second[WF_HANDLE_SIZE];
	char third[WF_HANDLE_SIZE];

	wf_yawl_session_open(sessions, "ann", first);
	wf_yawl_session_open(sessions, "bob", second);
	CU_ASSERT_STRING_EQUAL(
	    wf_yawl_session_use(sessions, first, arena), "ann");
	/* There is room for two: the least recently used one is dropped. */
	wf_yawl_session_open(sessions, "cid", third);
	CU_ASSERT_PTR_NULL(wf_yawl_session_use(sessions, second, arena));
	CU_ASSERT_PTR_NOT_NULL(wf_yawl_session_use(sessions, first, arena));
	wf_yawl_sessions_drop(sessions, "ann");
	CU_ASSERT_PTR_NULL(wf_yawl_session_use(sessions, first, arena));
	wf_yawl_session_close(sessions, third);
	CU_ASSERT_PTR_NULL(wf_yawl_session_use(sessions, third, arena));
	CU_ASSERT_PTR_NULL(wf_yawl_session_use(sessions, NULL, arena));
	wf_arena_free(&arena);
	wf_yawl_sessions_free(&sessions);
}

/* --- threads -------------------------------------------------------------- */

#define THREADS 8
#define USES 100000

struct user {
	struct wf_yawl_sessions *sessions;
	char handle[WF_HANDLE_SIZE];
	unsigned lost;
};

static void *use(void *context)
{
	struct user *user = context;
	struct wf_arena *arena = wf_arena_new();

	for (unsigned i = 0; i < USES; i++) {
		wf_arena_reset(arena);
		if (wf_yawl_session_use(user->sessions, user->handle, arena) ==
		    NULL)
			user->lost++;
	}
	wf_arena_free(&arena);
	return NULL;
}

/* The list of sessions must stay sorted by last use. */
static void test_session_threads(void)
{
	struct wf_yawl_sessions *sessions = wf_yawl_sessions_new(HOUR, THREADS);
	struct user users[THREADS];
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++) {
		users[i] = (struct user){ .sessions = sessions };
		wf_yawl_session_open(sessions, "ann", users[i].handle);
	}
	for (size_t i = 0; i < THREADS; i++)
		CU_ASSERT_EQUAL(
		    pthread_create(&threads[i], NULL, use, &users[i]), 0);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CU_ASSERT_EQUAL(users[i].lost, 0);
	}
	wf_yawl_sessions_free(&sessions);
}

/* --- clients -------------------------------------------------------------- */

/* One that is damaged is left out, and is a client all the same. */
static void test_damaged_client(void)
{
	static const struct wf_record_row bad = { .namespace_id =
						      WF_NAMESPACE_DEFAULT,
		.kind = WF_YAWL_CLIENT_KIND,
		.name = WF_YAWL_ADMIN,
		.value = { "?", 1 } };
	const struct wf_yawl_client editor = { "editor", "hash", "" };
	struct wf_arena *arena = wf_arena_new();
	struct wf_yawl_clients clients;
	struct wf_store *store;

	CU_ASSERT_EQUAL_FATAL(
	    wf_store_open(&store, "memory:", WF_STORE_CREATE, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_store_put_record(store, &bad, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_yawl_clients_begin(store, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_yawl_client_list(store, arena, &clients, NULL), WF_OK);
	CU_ASSERT_EQUAL(clients.count, 0);
	CU_ASSERT_EQUAL(clients.damaged_count, 1);
	CU_ASSERT_EQUAL(wf_yawl_client_put(store, &editor, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_yawl_client_list(store, arena, &clients, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(clients.count, 1);
	CU_ASSERT_STRING_EQUAL(clients.rows[0].name, "editor");
	CU_ASSERT_EQUAL_FATAL(clients.damaged_count, 1);
	CU_ASSERT_STRING_EQUAL(clients.damaged[0], WF_YAWL_ADMIN);
	wf_store_close(&store);
	wf_arena_free(&arena);
}

CU_TestInfo wf_tests_yawl[] = {
	{ "sessions", test_sessions },
	{ "sessions that threads use at once", test_session_threads },
	{ "a client that is damaged", test_damaged_client },
	CU_TEST_INFO_NULL,
};
