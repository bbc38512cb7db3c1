/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions on every store, and on two nodes that share it; the audit as the
 * store keeps it; cookies.
 */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "http/cookie.h"
#include "identity/session.h"
#include "tests/unit/store_fixture.h"

#define MINUTE INT64_C(60000)

/* --- the store ------------------------------------------------------------ */

static enum wf_rc add(struct store_fixture *f, const char *key,
    const char *account, int64_t used_at, size_t maximum)
{
	const struct wf_session_row row = { .key = key,
		.account = account,
		.epoch = UINT64_MAX,
		.token = "",
		.method = "password",
		.address = "192.0.2.1",
		.opened_at = used_at,
		.used_at = used_at,
		.ends_at = used_at + 100 };

	wf_error_clear(&f->err);
	return wf_store_add_session(f->store, &row, maximum, &f->err);
}

static bool is_there(struct store_fixture *f, const char *key)
{
	struct wf_session_row row;

	wf_error_clear(&f->err);
	return wf_store_session(f->other, key, f->arena, &row, &f->err) ==
	       WF_OK;
}

static void check_rows(struct store_fixture *f)
{
	const char *keys[] = { "a", "none", "b" };
	struct wf_session_row row;
	size_t count = 9;
	bool live[3];

	OK(add(f, "a", "anna", 10, 2));
	OK(add(f, "b", "anna", 20, 2));
	OK(add(f, "c", "bert", 5, 2));
	CU_ASSERT_EQUAL(add(f, "c", "bert", 5, 2), WF_CONFLICT);
	OK(wf_store_session(f->other, "a", f->arena, &row, &f->err));
	CU_ASSERT_STRING_EQUAL(row.account, "anna");
	CU_ASSERT_EQUAL(row.epoch, UINT64_MAX);
	CU_ASSERT_EQUAL(row.ends_at, 110);
	OK(wf_store_use_session(f->store, "a", 30, 130, &f->err));
	OK(wf_store_use_session(f->store, "none", 30, 130, &f->err));
	OK(wf_store_live_sessions(f->other, keys, 3, 125, live, &f->err));
	CU_ASSERT(live[0] && !live[1] && !live[2]);
	/* The one that was used least recently makes room. */
	OK(add(f, "d", "anna", 25, 2));
	CU_ASSERT(is_there(f, "a") && !is_there(f, "b") && is_there(f, "d"));
	CU_ASSERT(is_there(f, "c"));
	OK(wf_store_sweep_sessions(f->store, 105, 9, &f->err));
	CU_ASSERT(is_there(f, "c"));
	OK(wf_store_sweep_sessions(f->store, 200, 1, &f->err));
	CU_ASSERT_EQUAL(
	    is_there(f, "a") + is_there(f, "c") + is_there(f, "d"), 2);
	OK(add(f, "g", "carl", 1, 9));
	OK(wf_store_remove_session(f->store, "g", &count, &f->err));
	CU_ASSERT_EQUAL(count, 1);
	OK(wf_store_remove_session(f->other, "g", &count, &f->err));
	CU_ASSERT_EQUAL(count, 0);
	CU_ASSERT(!is_there(f, "g"));
	OK(add(f, "e", "carl", 1, 9));
	OK(add(f, "f", "carl", 1, 9));
	OK(wf_store_remove_sessions(f->store, "carl", &count, &f->err));
	CU_ASSERT_EQUAL(count, 2);
	CU_ASSERT(!is_there(f, "e") && !is_there(f, "f"));
}

static struct wf_audit_row act(
    uint64_t id, int64_t at, const char *account, const char *kind)
{
	return (struct wf_audit_row){ .id = id,
		.at = at,
		.namespace_id = id % 2 == 0 ? 7 : 0,
		.account = account,
		.address = "192.0.2.1",
		.kind = kind,
		.subject = "x",
		.result = "done",
		.detail = "" };
}

/* The ids that are found, in a text. */
static const char *found(
    struct store_fixture *f, const struct wf_audit_filter *filter)
{
	static char text[100];
	struct wf_audit_list list;

	text[0] = '\0';
	wf_error_clear(&f->err);
	OK(wf_store_audit(f->other, filter, f->arena, &list, &f->err));
	for (size_t i = 0; i < list.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		    "%s%d", i == 0 ? "" : " ", (int)list.rows[i].id);
	return text;
}

static void check_audit(struct store_fixture *f)
{
	const struct wf_audit_row rows[] = { act(1, 10, "anna", "sign-in"),
		act(2, 20, "bert", "sign-in"), act(3, 30, "anna", "account"),
		act(4, 40, "anna", "sign-in") };
	struct wf_audit_filter filter = { .limit = 9 };
	struct wf_audit_row more[] = { act(5, 50, "x", "y"), rows[3] };
	uint64_t first;

	OK(wf_store_reserve(f->store, WF_COUNTER_AUDIT, 4, &first, &f->err));
	CU_ASSERT_EQUAL(first, 1);
	OK(wf_store_add_audit(f->store, rows, 4, &f->err));
	CU_ASSERT_EQUAL(
	    wf_store_add_audit(f->store, more, 2, &f->err), WF_CONFLICT);
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "4 3 2 1");
	filter.limit = 2;
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "4 3");
	filter.after = 3;
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "2 1");
	filter = (struct wf_audit_filter){ .account = "anna", .limit = 9 };
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "4 3 1");
	filter.kind = "sign-in";
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "4 1");
	filter.account = NULL;
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "4 2 1");
	filter = (struct wf_audit_filter){ .from = 20, .to = 40, .limit = 9 };
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "3 2");
	filter = (struct wf_audit_filter){ .namespace_id = 8, .limit = 9 };
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "3 1");
	filter.namespace_id = 7;
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "4 3 2 1");
	OK(wf_store_sweep_audit(f->store, 40, 2, &f->err));
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "4 3");
	OK(wf_store_sweep_audit(f->store, 40, 2, &f->err));
	CU_ASSERT_STRING_EQUAL(found(f, &filter), "4");
}

/* --- two nodes ------------------------------------------------------------ */

/* A node, and the account anna that has signed in with her token. */
struct node {
	struct wf_store *store;
	struct wf_accounts *accounts;
};

static void add_account(struct store_fixture *f)
{
	const char *grants[] = { "participant" };
	const struct wf_account_row row = {
		.name = "anna", .namespace_id = 1, .grants = { grants, 1 }
	};
	const struct wf_token_row second = { .name = "second" };

	OK(wf_account_add(f->store, &row, NULL, "t1", &f->err));
	OK(wf_account_add_token(f->store, "anna", &second, "t2", &f->err));
}

static enum wf_rc begin(struct node *node, const char *token, bool of_token,
    int64_t now, char id[WF_SESSION_ID_SIZE])
{
	char header[40];
	struct wf_credentials credentials = { .authorization = header,
		.address = "192.0.2.1" };
	struct wf_account account;
	const struct wf_session_start start = { &account, "token",
		"192.0.2.1" };

	snprintf(header, sizeof(header), "Bearer %s", token);
	CU_ASSERT_EQUAL(wf_accounts_check(
			    node->accounts, &credentials, true, &account, NULL),
	    WF_OK);
	if (!of_token)
		account.proof = WF_PROOF_PASSWORD;
	return wf_session_begin(
	    node->accounts, node->store, &start, now, id, NULL);
}

/* As a request does it. */
static enum wf_rc ask(
    struct node *node, const char *id, int64_t now, struct wf_account *account)
{
	enum wf_rc rc =
	    wf_session_check(node->accounts, id, now, account, NULL);

	if (rc != WF_UNAVAILABLE)
		return rc;
	rc = wf_session_read(node->accounts, node->store, id, now, NULL);
	if (rc == WF_OK)
		rc = wf_session_check(node->accounts, id, now, account, NULL);
	CU_ASSERT(rc != WF_UNAVAILABLE);
	return rc;
}

static void open_nodes(struct store_fixture *f, struct node nodes[2])
{
	static const struct wf_session_settings settings = { 5 * MINUTE,
		12 * MINUTE };

	add_account(f);
	nodes[0] = (struct node){ f->store, NULL };
	nodes[1] = (struct node){ f->other, NULL };
	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL_FATAL(
		    wf_accounts_open(&nodes[i].accounts, nodes[i].store, NULL),
		    WF_OK);
		wf_accounts_limit_sessions(nodes[i].accounts, &settings);
	}
}

static void close_nodes(struct node nodes[2])
{
	wf_accounts_close(&nodes[0].accounts);
	wf_accounts_close(&nodes[1].accounts);
}

static void refresh(struct node *node, int64_t now)
{
	OK(wf_accounts_refresh(node->accounts, node->store, NULL));
	OK(wf_sessions_refresh(node->accounts, node->store, now, NULL));
}

static void check_times(struct store_fixture *f)
{
	struct node nodes[2];
	struct wf_account account;
	char id[WF_SESSION_ID_SIZE];
	int64_t t = wf_time_ms();

	open_nodes(f, nodes);
	OK(begin(&nodes[0], "t1", false, t, id));
	CU_ASSERT_EQUAL(strlen(id), WF_SESSION_ID_SIZE - 1);
	OK(ask(&nodes[0], id, t, &account));
	CU_ASSERT_STRING_EQUAL(account.name, "anna");
	CU_ASSERT_EQUAL(account.proof, WF_PROOF_SESSION);
	OK(ask(&nodes[1], id, t + 1, &account));
	/* Used on one node, it stays on the other. */
	OK(ask(&nodes[1], id, t + 4 * MINUTE, &account));
	OK(ask(&nodes[0], id, t + 8 * MINUTE, &account));
	/* Its whole time is over, though it is used. */
	OK(ask(&nodes[0], id, t + 12 * MINUTE - 1, &account));
	CU_ASSERT_EQUAL(
	    ask(&nodes[0], id, t + 12 * MINUTE, &account), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(
	    ask(&nodes[1], id, t + 12 * MINUTE, &account), WF_NOT_FOUND);
	/* Idle. */
	OK(begin(&nodes[0], "t1", false, t, id));
	CU_ASSERT_EQUAL(
	    ask(&nodes[0], id, t + 5 * MINUTE, &account), WF_NOT_FOUND);
	/* Another id is none; neither is one that was cut. */
	OK(begin(&nodes[0], "t1", false, t, id));
	id[5] = id[5] == 'A' ? 'B' : 'A';
	CU_ASSERT_EQUAL(ask(&nodes[0], id, t, &account), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(ask(&nodes[0], "", t, &account), WF_NOT_FOUND);
	close_nodes(nodes);
}

/* The statements of one request. */
static uint64_t cost(
    struct store_fixture *f, struct node *node, const char *id, int64_t now)
{
	struct wf_account account;
	uint64_t before = wf_store_statements(f->store);

	OK(ask(node, id, now, &account));
	return wf_store_statements(f->store) - before;
}

/* The store knows the hash of an id only; a use is written once a minute. */
static void check_writes(struct store_fixture *f)
{
	struct node nodes[2];
	char id[WF_SESSION_ID_SIZE];
	int64_t t = wf_time_ms();
	uint64_t one;

	open_nodes(f, nodes);
	OK(begin(&nodes[0], "t1", false, t, id));
	CU_ASSERT(!is_there(f, id));
	for (int64_t i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(cost(f, &nodes[0], id, t + i), 0);
	one = cost(f, &nodes[0], id, t + 1000);
	CU_ASSERT(one > 0);
	CU_ASSERT_EQUAL(cost(f, &nodes[0], id, t + MINUTE - 1), one);
	CU_ASSERT(cost(f, &nodes[0], id, t + MINUTE + 1000) > one);
	CU_ASSERT_EQUAL(cost(f, &nodes[0], id, t + 2 * MINUTE - 1), one);
	close_nodes(nodes);
}

static void check_ends(struct store_fixture *f)
{
	struct node nodes[2];
	struct wf_account account, second;
	char ids[3][WF_SESSION_ID_SIZE];
	int64_t t = wf_time_ms();
	size_t count;

	open_nodes(f, nodes);
	for (size_t i = 0; i < 3; i++)
		OK(begin(&nodes[0], "t1", false, t, ids[i]));
	for (size_t i = 0; i < 3; i++)
		OK(ask(&nodes[1], ids[i], t, &second));
	/* One is ended on one node; on the other within a second. */
	OK(wf_session_end(nodes[0].accounts, nodes[0].store, ids[2], NULL));
	CU_ASSERT_EQUAL(ask(&nodes[0], ids[2], t, &account), WF_NOT_FOUND);
	CU_ASSERT_TRUE(wf_accounts_has(nodes[1].accounts, &second));
	CU_ASSERT_EQUAL(
	    ask(&nodes[1], ids[2], t + 1000, &account), WF_NOT_FOUND);
	OK(ask(&nodes[1], ids[0], t + 1000, &account));
	/* What lasts, such as a stream, ends without a request. */
	CU_ASSERT_TRUE(wf_accounts_has(nodes[1].accounts, &account));
	OK(wf_sessions_end(
	    nodes[0].accounts, nodes[0].store, "anna", &count, NULL));
	CU_ASSERT_EQUAL(count, 2);
	CU_ASSERT_TRUE(wf_accounts_has(nodes[1].accounts, &account));
	refresh(&nodes[1], t + 2000);
	CU_ASSERT_FALSE(wf_accounts_has(nodes[1].accounts, &account));
	CU_ASSERT_EQUAL(ask(&nodes[0], ids[1], t, &account), WF_NOT_FOUND);
	close_nodes(nodes);
}

/* A session does not outlive what it was opened with. */
static void check_proofs(struct store_fixture *f)
{
	struct node nodes[2];
	struct wf_account account;
	char of_token[WF_SESSION_ID_SIZE];
	char of_password[WF_SESSION_ID_SIZE];
	int64_t t = wf_time_ms();

	open_nodes(f, nodes);
	OK(begin(&nodes[0], "t2", true, t, of_token));
	OK(begin(&nodes[0], "t1", false, t, of_password));
	OK(ask(&nodes[1], of_token, t, &account));
	CU_ASSERT_TRUE(wf_accounts_has(nodes[1].accounts, &account));
	OK(wf_account_remove_token(f->store, "anna", "second", NULL));
	refresh(&nodes[1], t);
	CU_ASSERT_FALSE(wf_accounts_has(nodes[1].accounts, &account));
	CU_ASSERT_EQUAL(ask(&nodes[1], of_token, t, &account), WF_NOT_FOUND);
	OK(ask(&nodes[1], of_password, t, &account));
	OK(wf_account_set_password(f->store, "anna", "correct horse", &f->err));
	refresh(&nodes[1], t);
	CU_ASSERT_FALSE(wf_accounts_has(nodes[1].accounts, &account));
	CU_ASSERT_EQUAL(ask(&nodes[1], of_password, t, &account), WF_NOT_FOUND);
	OK(begin(&nodes[1], "t1", false, t, of_password));
	OK(wf_account_remove(f->store, "anna", &f->err));
	refresh(&nodes[1], t);
	CU_ASSERT_EQUAL(ask(&nodes[1], of_password, t, &account), WF_NOT_FOUND);
	/* Another account of that name is another one. */
	add_account(f);
	refresh(&nodes[1], t);
	CU_ASSERT_EQUAL(ask(&nodes[1], of_password, t, &account), WF_NOT_FOUND);
	close_nodes(nodes);
}

static void test_rows(void)
{
	store_on_each(check_rows);
}

static void test_audit(void)
{
	store_on_each(check_audit);
}

static void test_nodes(void)
{
	store_on_each(check_times);
	store_on_each(check_writes);
	store_on_each(check_ends);
	store_on_each(check_proofs);
}

static void test_forgery(void)
{
	char value[WF_SESSION_ID_SIZE];

	wf_session_forgery_value("one", value);
	CU_ASSERT_TRUE(wf_session_is_answered("one", value));
	CU_ASSERT_FALSE(wf_session_is_answered("two", value));
	CU_ASSERT_FALSE(wf_session_is_answered("one", NULL));
	CU_ASSERT_FALSE(wf_session_is_answered("one", ""));
	value[WF_SESSION_ID_SIZE - 2] ^= 1;
	CU_ASSERT_FALSE(wf_session_is_answered("one", value));
}

/* --- cookies -------------------------------------------------------------- */

static void test_cookies(void)
{
	static const struct {
		const char *header;
		const char *value; /* NULL: none */
	} rows[] = {
		{ "id=abc", "abc" },
		{ "a=1; id=abc; b=2", "abc" },
		{ "a=1;id=\"abc\"", "abc" },
		{ "id=abc; id=abc", "abc" },
		{ "id=", "" },
		{ "a=id=abc", NULL },
		{ NULL, NULL },
		{ "", NULL },
		{ "id", NULL },
		{ "ID=abc", NULL },
		{ "xid=abc; idx=abc", NULL },
		{ "id=abc; id=abd", NULL }, /* which of them is ours? */
		{ "id=a b", NULL },
		{ "id=a,b", NULL },
		{ "id=\"abc", NULL },
		{ "id=a\\b", NULL },
		{ "id=\xc3\xa4", NULL },
		{ "id=12345678", NULL }, /* too long */
		{ ";;;=;id=abc;", "abc" },
	};
	char value[8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool good =
		    wf_cookie_find(rows[i].header, "id", value, sizeof(value));

		CU_ASSERT_EQUAL(good, rows[i].value != NULL);
		CU_ASSERT_STRING_EQUAL(value, good ? rows[i].value : "");
	}
}

CU_TestInfo wf_tests_sessions[] = {
	{ "rows of sessions", test_rows },
	{ "rows of the audit", test_audit },
	{ "sessions on two nodes", test_nodes },
	{ "the value against forged requests", test_forgery },
	{ "cookies", test_cookies },
	CU_TEST_INFO_NULL,
};
