/* SPDX-License-Identifier: Apache-2.0 */
/* Rights, accounts and tokens without a server. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "identity/account.h"
#include "identity/audit.h"
#include "identity/rights.h"
#include "identity/sha1.h"

/* --- rights --------------------------------------------------------------- */

/* Each case: grants, then what is asked, and the answer. */
struct question {
	const char *grants[4];
	uint32_t verbs;
	struct wf_object object;
	bool allowed;
};

static struct wf_rights rights_of(const char *const *grants, size_t count)
{
	struct wf_rights rights;
	struct wf_error err = { .rc = WF_OK };

	memset(&rights, 0, sizeof(rights));
	for (size_t i = 0; i < count && grants[i] != NULL; i++)
		CU_ASSERT_EQUAL(wf_rights_add(&rights, grants[i], &err), WF_OK);
	return rights;
}

#define HOME 1
#define OTHER 7

static void test_allow(void)
{
	static const struct question rows[] = {
		{ { "reader" }, WF_MAY(READ), { HOME, NULL, NULL }, true },
		{ { "reader" }, WF_MAY(READ), { OTHER, NULL, NULL }, false },
		{ { "reader" }, WF_MAY(WORK), { HOME, NULL, NULL }, false },
		{ { "participant" }, WF_MAY(READ), { HOME, "p", "s" }, false },
		{ { "operator" }, WF_MAY(LOAD), { HOME, NULL, NULL }, true },
		{ { "operator" }, WF_MAY(ADMINISTER), { HOME, NULL, NULL },
		    false },
		{ { "admin" }, WF_MAY(CANCEL), { HOME, "p", NULL }, true },
		{ { "admin everything" }, WF_MAY(CANCEL), { OTHER, "p", NULL },
		    true },
		/* start without cancel */
		{ { "start process:p" }, WF_MAY(START), { HOME, "p", NULL },
		    true },
		{ { "start process:p" }, WF_MAY(CANCEL), { HOME, "p", NULL },
		    false },
		{ { "start process:p" }, WF_MAY(START), { HOME, "q", NULL },
		    false },
		{ { "start process:p" }, WF_MAY(START), { HOME, NULL, NULL },
		    false },
		/* A name is that of the own namespace. */
		{ { "start process:p" }, WF_MAY(START), { OTHER, "p", NULL },
		    false },
		/* A process is no service. */
		{ { "work process:x" }, WF_MAY(WORK), { HOME, NULL, "x" },
		    false },
		/* claim from one service */
		{ { "work service:mailer" }, WF_MAY(WORK),
		    { HOME, NULL, "mailer" }, true },
		{ { "work service:mailer" }, WF_MAY(WORK),
		    { HOME, "p", "mailer" }, true },
		{ { "work service:mailer" }, WF_MAY(WORK),
		    { HOME, "p", "printer" }, false },
		/* load into one namespace */
		{ { "load namespace:7" }, WF_MAY(LOAD), { OTHER, NULL, NULL },
		    true },
		{ { "load namespace:7" }, WF_MAY(LOAD), { HOME, NULL, NULL },
		    false },
		/* grants add up, and one of several verbs is enough */
		{ { "reader", "start process:p", "cancel process:p" },
		    WF_MAY(CANCEL), { HOME, "p", NULL }, true },
		{ { "participant" }, WF_MAY(WORK) | WF_MAY(PARTICIPATE),
		    { HOME, NULL, NULL }, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_rights rights = rights_of(rows[i].grants, 4);

		CU_ASSERT_EQUAL(wf_rights_allow(&rights, HOME, rows[i].verbs,
				    &rows[i].object),
		    rows[i].allowed);
	}
}

static void test_some(void)
{
	const char *const grants[] = { "start process:p", "load namespace:7" };
	struct wf_rights rights = rights_of(grants, 2);

	CU_ASSERT_TRUE(
	    wf_rights_allow_some(&rights, HOME, WF_MAY(START), HOME));
	CU_ASSERT_FALSE(
	    wf_rights_allow_some(&rights, HOME, WF_MAY(START), OTHER));
	CU_ASSERT_TRUE(
	    wf_rights_allow_some(&rights, HOME, WF_MAY(LOAD), OTHER));
	CU_ASSERT_FALSE(
	    wf_rights_allow_some(&rights, HOME, WF_MAY(LOAD), HOME));
}

/* Nobody gives what he does not have. */
static void test_cover(void)
{
	static const struct {
		const char *mine;
		const char *theirs;
		uint32_t their_home;
		bool covered;
	} rows[] = {
		{ "admin", "operator", HOME, true },
		{ "admin", "operator", OTHER, false },
		{ "admin everything", "operator", OTHER, true },
		{ "admin", "reader everything", HOME, false },
		{ "operator", "admin", HOME, false },
		{ "admin", "start process:p", HOME, true },
		{ "admin", "start process:p", OTHER, false },
		{ "start process:p", "start process:p", HOME, true },
		{ "start process:p", "start process:q", HOME, false },
		{ "start process:p", "start", HOME, false },
		{ "start process:p", "operator process:p", HOME, false },
		{ "admin namespace:7", "operator", OTHER, true },
		{ "admin namespace:7", "load namespace:7", HOME, true },
		{ "admin", "load namespace:1", HOME, true },
		{ "admin", "load namespace:7", HOME, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_rights mine = rights_of(&rows[i].mine, 1);
		struct wf_rights theirs = rights_of(&rows[i].theirs, 1);

		CU_ASSERT_EQUAL(
		    wf_rights_cover(&mine, HOME, &theirs, rows[i].their_home),
		    rows[i].covered);
	}
}

static void test_grant_texts(void)
{
	static const char *const wrong[] = { "", " ", "king", "start ",
		"start  process:p", "start process:", "start process",
		"start Process:p", "start namespace:0", "start namespace:x",
		"start namespace:4294967296", "start namespace:-1",
		"start pool:p", "Start", "start,cancel", "admin Everything" };
	struct wf_rights rights;
	char text[40];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct wf_error err = { .rc = WF_OK };

		memset(&rights, 0, sizeof(rights));
		CU_ASSERT_EQUAL(
		    wf_rights_add(&rights, wrong[i], &err), WF_INVALID);
		CU_ASSERT_EQUAL(err.rc, WF_INVALID);
		CU_ASSERT_EQUAL(
		    rights.home | rights.everything | rights.count, 0);
	}
	memset(&rights, 0, sizeof(rights));
	for (unsigned i = 0; i <= WF_GRANTS; i++) {
		struct wf_error err = { .rc = WF_OK };

		snprintf(text, sizeof(text), "start process:%u", i);
		CU_ASSERT_EQUAL(wf_rights_add(&rights, text, &err),
		    i < WF_GRANTS ? WF_OK : WF_LIMIT);
		/* Another verb on the same object needs no room. */
		CU_ASSERT_EQUAL(
		    wf_rights_add(&rights, "cancel process:0", NULL), WF_OK);
	}
	CU_ASSERT_EQUAL(rights.count, WF_GRANTS);
	memset(&rights, 0, sizeof(rights));
	CU_ASSERT_STRING_EQUAL(wf_rights_role(&rights), "");
	CU_ASSERT_EQUAL(wf_rights_add(&rights, "operator", NULL), WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_rights_role(&rights), "operator");
	CU_ASSERT_EQUAL(wf_rights_add(&rights, "audit", NULL), WF_OK);
	CU_ASSERT_STRING_EQUAL(wf_rights_role(&rights), "");
}

/* --- accounts in a store -------------------------------------------------- */

static struct wf_store *open_store(const char *url)
{
	struct wf_error err = { .rc = WF_OK };
	struct wf_store *store = NULL;

	CU_ASSERT_EQUAL_FATAL(
	    wf_store_open(&store, url, WF_STORE_CREATE, &err), WF_OK);
	return store;
}

static enum wf_rc set_grants(struct wf_store *store, const char *name,
    const struct wf_grant_texts *grants)
{
	const struct wf_account_change wanted = { .grants = grants };
	const struct wf_account_guard anybody = { .by = NULL };

	return wf_account_change_as(store, name, &wanted, &anybody, NULL);
}

static enum wf_rc add(struct wf_store *store, const char *name,
    const char *grant, const char *password, const char *token)
{
	const char *grants[] = { grant };
	const struct wf_account_row row = {
		.name = name, .namespace_id = 1, .grants = { grants, 1 }
	};

	return wf_account_add(store, &row, password, token, NULL);
}

static enum wf_rc check(
    struct wf_accounts *accounts, const char *token, struct wf_account *account)
{
	char header[200];
	struct wf_credentials credentials = { .authorization = header,
		.address = "192.0.2.1" };

	snprintf(header, sizeof(header), "Bearer %s", token);
	return wf_accounts_check(accounts, &credentials, true, account, NULL);
}

static void test_tokens(void)
{
	struct wf_store *store = open_store("memory:");
	const char *scope[] = { "start process:p" };
	struct wf_token_row narrow = { .name = "narrow",
		.scope = { scope, 1 } };
	const struct wf_token_row same = { .name = "same",
		.scope = { scope, 1 } };
	const struct wf_token_row old = { .name = "old",
		.expires_at = wf_time_ms() - 1 };
	const struct wf_object p = { 1, "p", NULL };
	const struct wf_object q = { 1, "q", NULL };
	struct wf_accounts *accounts = NULL;
	struct wf_account account;
	struct wf_account before;
	const struct wf_account_guard guard = { .by = &account,
		.own_is_enough = true };

	CU_ASSERT_EQUAL(add(store, "anna", "operator", NULL, "t1"), WF_OK);
	CU_ASSERT_EQUAL(
	    add(store, "anna", "operator", NULL, "t1"), WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    wf_account_add_token(store, "anna", &narrow, "t2", NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_account_add_token(store, "anna", &narrow, "t3", NULL),
	    WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    wf_account_add_token(store, "anna", &old, "t4", NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_account_add_token(store, "anna", &same, "t7", NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_account_add_token(store, "bert", &old, "t5", NULL),
	    WF_NOT_FOUND);
	CU_ASSERT_EQUAL_FATAL(wf_accounts_open(&accounts, store, NULL), WF_OK);
	CU_ASSERT_EQUAL(check(accounts, "t1", &before), WF_OK);
	CU_ASSERT_TRUE(wf_account_may(&before, WF_MAY(CANCEL), &p));
	CU_ASSERT_EQUAL(check(accounts, "t2", &account), WF_OK);
	CU_ASSERT_TRUE(wf_account_may(&account, WF_MAY(START), &p));
	CU_ASSERT_FALSE(wf_account_may(&account, WF_MAY(START), &q));
	CU_ASSERT_FALSE(wf_account_may(&account, WF_MAY(CANCEL), &p));
	/* What it may not give, it does not take from others either. */
	CU_ASSERT_EQUAL(wf_account_remove_token_as(
			    store, "anna", WF_FIRST_TOKEN, &guard, NULL),
	    WF_DENIED);
	CU_ASSERT_EQUAL(
	    wf_account_remove_token_as(store, "anna", "same", &guard, NULL),
	    WF_OK);
	CU_ASSERT_EQUAL(check(accounts, "t4", &account), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(check(accounts, "t3", &account), WF_NOT_FOUND);

	/* A scope does not outlive the right of the account. */
	scope[0] = "reader";
	CU_ASSERT_EQUAL(set_grants(store, "anna", &narrow.scope), WF_OK);
	CU_ASSERT_TRUE(wf_accounts_has(accounts, &before));
	CU_ASSERT_EQUAL(wf_accounts_refresh(accounts, store, NULL), WF_OK);
	CU_ASSERT_FALSE(wf_accounts_has(accounts, &before));
	CU_ASSERT_EQUAL(check(accounts, "t2", &account), WF_OK);
	CU_ASSERT_FALSE(wf_account_may(&account, WF_MAY(START), &p));

	CU_ASSERT_EQUAL(
	    wf_account_remove_token(store, "anna", "narrow", NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_account_remove_token(store, "anna", "narrow", NULL),
	    WF_NOT_FOUND);
	CU_ASSERT_EQUAL(wf_accounts_refresh(accounts, store, NULL), WF_OK);
	CU_ASSERT_EQUAL(check(accounts, "t2", &account), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(check(accounts, "t1", &account), WF_OK);
	CU_ASSERT_EQUAL(
	    wf_account_reset(store, "anna", NULL, "t6", NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_accounts_refresh(accounts, store, NULL), WF_OK);
	CU_ASSERT_FALSE(wf_accounts_has(accounts, &account));
	CU_ASSERT_EQUAL(check(accounts, "t1", &account), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(check(accounts, "t6", &account), WF_OK);
	wf_accounts_close(&accounts);
	wf_store_close(&store);
}

/* A directory or provider decides, also about the last administrator. */
static void test_last_external(void)
{
	struct wf_store *store = open_store("memory:");
	const char *grants[] = { "admin" };
	struct wf_account_row anna = { .name = "anna",
		.namespace_id = 1,
		.grants = { grants, 1 },
		.source = WF_SOURCE_DIRECTORY,
		.subject = "uid=anna" };
	struct wf_accounts *accounts = NULL;
	struct wf_account account;

	CU_ASSERT_EQUAL(add(store, "root", "admin", NULL, "t1"), WF_OK);
	CU_ASSERT_EQUAL(wf_account_put_external(store, &anna, NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_account_remove(store, "root", NULL), WF_OK);
	CU_ASSERT_EQUAL(wf_account_remove(store, "anna", NULL), WF_CONFLICT);
	anna.is_gone = true;
	CU_ASSERT_EQUAL(wf_account_put_external(store, &anna, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(wf_accounts_open(&accounts, store, NULL), WF_OK);
	CU_ASSERT_FALSE(wf_accounts_begin_external(
	    accounts, "anna", WF_SOURCE_DIRECTORY, &account));
	/* Whoever has the store makes another one. */
	CU_ASSERT_EQUAL(add(store, "root", "admin", NULL, "t2"), WF_OK);
	wf_accounts_close(&accounts);
	wf_store_close(&store);
}

/* --- passwords of YAWL ---------------------------------------------------- */

static enum wf_rc sign_in(
    struct wf_accounts *accounts, const char *name, const char *password)
{
	struct wf_credentials credentials = {
		.name = name, .password = password, .address = "192.0.2.1"
	};
	struct wf_account account;

	return wf_accounts_check(accounts, &credentials, true, &account, NULL);
}

static void renew(
    void *context, const char *name, uint64_t epoch, const char *password)
{
	CU_ASSERT_EQUAL(
	    wf_account_renew_password(context, name, epoch, password, NULL),
	    WF_OK);
}

static bool is_legacy(struct wf_store *store)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_account_row row;
	bool legacy;

	CU_ASSERT_EQUAL_FATAL(
	    wf_account_find(store, "anna", arena, &row, NULL), WF_OK);
	legacy = row.is_legacy;
	wf_arena_free(&arena);
	return legacy;
}

/* YAWL's hash is replaced at the first sign-in; the password stays. */
static void test_legacy(void)
{
	struct wf_store *store = open_store("memory:");
	const char *grants[] = { "participant" };
	const struct wf_account_row row = { .name = "anna",
		.namespace_id = 1,
		.grants = { grants, 1 },
		.is_legacy = true };
	struct wf_accounts *accounts = NULL;
	char hash[WF_SHA1_TEXT];

	wf_sha1_text("apple", 5, hash);
	CU_ASSERT_EQUAL(wf_account_add(store, &row, hash, NULL, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(wf_accounts_open(&accounts, store, NULL), WF_OK);
	wf_accounts_on_legacy(accounts, renew, store);
	/* The hash itself is no password. */
	CU_ASSERT_EQUAL(sign_in(accounts, "anna", hash), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(sign_in(accounts, "anna", "pear"), WF_NOT_FOUND);
	CU_ASSERT_TRUE(is_legacy(store));
	CU_ASSERT_EQUAL(sign_in(accounts, "anna", "apple"), WF_OK);
	CU_ASSERT_FALSE(is_legacy(store));
	CU_ASSERT_EQUAL(wf_accounts_refresh(accounts, store, NULL), WF_OK);
	CU_ASSERT_EQUAL(sign_in(accounts, "anna", "apple"), WF_OK);
	wf_accounts_close(&accounts);
	/* Without what this process remembers. */
	CU_ASSERT_EQUAL_FATAL(wf_accounts_open(&accounts, store, NULL), WF_OK);
	CU_ASSERT_EQUAL(sign_in(accounts, "anna", hash), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(sign_in(accounts, "anna", "apple"), WF_OK);
	wf_accounts_close(&accounts);
	wf_store_close(&store);
}

/* --- the audit ------------------------------------------------------------ */

static struct wf_audit_row attempt(
    const char *account, const char *address, int64_t at)
{
	return (struct wf_audit_row){ .at = at,
		.account = account,
		.address = address,
		.kind = WF_AUDIT_SIGN_IN,
		.result = "refused",
		.detail = "password" };
}

static size_t count_rows(
    struct wf_store *store, const char *account, const char **detail_out)
{
	static char detail[100];
	const struct wf_audit_filter filter = { .account = account,
		.limit = 10000 };
	struct wf_arena *arena = wf_arena_new();
	struct wf_audit_list list = { NULL, 0 };
	size_t count;

	CU_ASSERT_EQUAL(
	    wf_store_audit(store, &filter, arena, &list, NULL), WF_OK);
	count = list.count;
	snprintf(detail, sizeof(detail), "%s",
	    count == 0 ? "" : list.rows[0].detail);
	*detail_out = detail;
	wf_arena_free(&arena);
	return count;
}

/* A flood of sign-ins does not fill the store. */
static void test_flood(void)
{
	struct wf_store *store = open_store("memory:");
	struct wf_audit *audit = wf_audit_new(1000000);
	struct wf_audit_row act = attempt("anna", "192.0.2.1", 1000);
	const char *detail;
	char address[40];

	for (int i = 0; i < 50; i++)
		wf_audit_sign_in(audit, &act);
	CU_ASSERT_EQUAL(wf_audit_write(audit, store, 2000, NULL), WF_OK);
	CU_ASSERT_EQUAL(count_rows(store, "anna", &detail), 1);
	CU_ASSERT_EQUAL(wf_audit_write(audit, store, 61000, NULL), WF_OK);
	CU_ASSERT_EQUAL(count_rows(store, "anna", &detail), 2);
	CU_ASSERT_STRING_EQUAL(detail, "49 more since the last row");
	for (int i = 0; i < 20000; i++) {
		snprintf(address, sizeof(address), "2001:db8::%x", i);
		act = attempt("", address, 62000);
		wf_audit_sign_in(audit, &act);
	}
	CU_ASSERT_EQUAL(wf_audit_write(audit, store, 63000, NULL), WF_OK);
	CU_ASSERT(count_rows(store, NULL, &detail) < 600);
	CU_ASSERT_EQUAL(wf_audit_write(audit, store, 130000, NULL), WF_OK);
	CU_ASSERT(count_rows(store, NULL, &detail) < 600);
	CU_ASSERT_PTR_NOT_NULL(strstr(detail, "of other names and addresses"));
	/* What comes from outside is text, whatever it was. */
	act = attempt("x\xff\n", "192.0.2.1", 130000);
	wf_audit_add(audit, &act);
	CU_ASSERT_EQUAL(wf_audit_write(audit, store, 130000, NULL), WF_OK);
	CU_ASSERT_EQUAL(count_rows(store, "x??", &detail), 1);
	/* After their time rows are removed. */
	CU_ASSERT_EQUAL(wf_audit_write(audit, store, 1002000, NULL), WF_OK);
	CU_ASSERT_EQUAL(count_rows(store, "anna", &detail), 1);
	wf_audit_free(&audit);
	wf_store_close(&store);
}

/* What each change makes of "participate", "start process:p". */
static void test_change_grants(void)
{
	static const struct {
		const char *added[3];
		const char *removed[3];
		enum wf_rc rc;
		const char *after;
	} rows[] = {
		{ { "start process:q" }, { NULL }, WF_OK,
		    "participate, start process:p, start process:q" },
		{ { "participate", "reader", "reader" }, { NULL }, WF_OK,
		    "participate, start process:p, reader" },
		{ { NULL }, { "participate" }, WF_OK, "start process:p" },
		{ { NULL }, { "start process:p", "participate" }, WF_OK, "" },
		{ { "participate" }, { "participate" }, WF_OK,
		    "start process:p, participate" },
		{ { "reader" }, { "start process:q" }, WF_CONFLICT,
		    "participate, start process:p" },
		{ { "fly process:p" }, { "participate" }, WF_INVALID,
		    "participate, start process:p" },
	};
	const char *first[] = { "participate", "start process:p" };
	const struct wf_grant_texts before = { first, 2 };
	const struct wf_account_guard anybody = { .by = NULL };
	struct wf_store *store = open_store("memory:");
	struct wf_arena *arena = wf_arena_new();

	CU_ASSERT_EQUAL(add(store, "anna", "reader", NULL, NULL), WF_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wf_grant_texts added = { (const char **)rows[i].added,
			0 };
		struct wf_grant_texts removed = {
			(const char **)rows[i].removed, 0
		};
		const struct wf_account_change wanted = { .added = &added,
			.removed = &removed };
		struct wf_account_row account;
		char after[200] = "";

		while (added.count < 3 && added.texts[added.count] != NULL)
			added.count++;
		while (
		    removed.count < 3 && removed.texts[removed.count] != NULL)
			removed.count++;
		CU_ASSERT_EQUAL(set_grants(store, "anna", &before), WF_OK);
		CU_ASSERT_EQUAL(wf_account_change_as(
				    store, "anna", &wanted, &anybody, NULL),
		    rows[i].rc);
		CU_ASSERT_EQUAL_FATAL(
		    wf_account_find(store, "anna", arena, &account, NULL),
		    WF_OK);
		for (size_t k = 0; k < account.grants.count; k++) {
			strcat(after, k == 0 ? "" : ", ");
			strcat(after, account.grants.texts[k]);
		}
		CU_ASSERT_STRING_EQUAL(after, rows[i].after);
	}
	wf_arena_free(&arena);
	wf_store_close(&store);
}

static void test_last_admin(void)
{
	struct wf_store *store = open_store("memory:");
	const char *reader[] = { "reader" };
	const struct wf_grant_texts less = { reader, 1 };

	CU_ASSERT_EQUAL(add(store, "anna", "admin", NULL, "t1"), WF_OK);
	CU_ASSERT_EQUAL(wf_account_remove(store, "anna", NULL), WF_CONFLICT);
	CU_ASSERT_EQUAL(set_grants(store, "anna", &less), WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    add(store, "bert", "administer everything", NULL, NULL), WF_OK);
	CU_ASSERT_EQUAL(set_grants(store, "anna", &less), WF_OK);
	CU_ASSERT_EQUAL(wf_account_remove(store, "bert", NULL), WF_CONFLICT);
	wf_store_close(&store);
}

static enum wf_rc put_external(struct wf_store *store, const char *name,
    const char *source, const char *subject, bool is_gone)
{
	const char *grants[] = { "participant", "operator" };
	const struct wf_account_row row = { .name = name,
		.namespace_id = 1,
		.grants = { grants, 2 },
		.source = source,
		.subject = subject,
		.is_gone = is_gone };

	return wf_account_put_external(store, &row, NULL);
}

/* Accounts whose proof a directory or a provider keeps. */
static void test_external(void)
{
	struct wf_store *store = open_store("memory:");
	const struct wf_token_row more = { .name = "more" };
	struct wf_accounts *accounts = NULL;
	struct wf_account account;
	uint64_t before;
	uint64_t after;

	CU_ASSERT_EQUAL(add(store, "admin", "admin", NULL, "t1"), WF_OK);
	CU_ASSERT_EQUAL(
	    put_external(store, "admin", WF_SOURCE_DIRECTORY, "d", false),
	    WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    put_external(store, "anna", WF_SOURCE_DIRECTORY, "d", false),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_store_change(store, &before, NULL), WF_OK);
	CU_ASSERT_EQUAL(
	    put_external(store, "anna", WF_SOURCE_DIRECTORY, "d", false),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_store_change(store, &after, NULL), WF_OK);
	CU_ASSERT_EQUAL(before, after);
	/* In a directory people move; a provider's subject is one person. */
	CU_ASSERT_EQUAL(
	    put_external(store, "anna", WF_SOURCE_DIRECTORY, "e", false),
	    WF_OK);
	CU_ASSERT_EQUAL(
	    put_external(store, "anna", WF_SOURCE_PROVIDER, "e", false),
	    WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    put_external(store, "olga", WF_SOURCE_PROVIDER, "1", false), WF_OK);
	CU_ASSERT_EQUAL(
	    put_external(store, "olga", WF_SOURCE_PROVIDER, "2", false),
	    WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    wf_account_set_password(store, "anna", "correct horse", NULL),
	    WF_CONFLICT);
	CU_ASSERT_EQUAL(
	    wf_account_add_token(store, "anna", &more, "t2", NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(wf_accounts_open(&accounts, store, NULL), WF_OK);
	CU_ASSERT_EQUAL(check(accounts, "t2", &account), WF_OK);
	CU_ASSERT_FALSE(wf_accounts_begin_external(
	    accounts, "admin", WF_SOURCE_DIRECTORY, &account));
	CU_ASSERT_TRUE(wf_accounts_begin_external(
	    accounts, "anna", WF_SOURCE_DIRECTORY, &account));

	/* Who is gone has nothing; who comes back proves it again. */
	CU_ASSERT_EQUAL(
	    put_external(store, "anna", WF_SOURCE_DIRECTORY, "e", true), WF_OK);
	CU_ASSERT_EQUAL(wf_accounts_refresh(accounts, store, NULL), WF_OK);
	CU_ASSERT_FALSE(wf_accounts_has(accounts, &account));
	CU_ASSERT_EQUAL(check(accounts, "t2", &account), WF_NOT_FOUND);
	CU_ASSERT_EQUAL(
	    put_external(store, "anna", WF_SOURCE_DIRECTORY, "e", false),
	    WF_OK);
	CU_ASSERT_EQUAL(wf_accounts_refresh(accounts, store, NULL), WF_OK);
	CU_ASSERT_FALSE(wf_accounts_has(accounts, &account));
	CU_ASSERT_EQUAL(check(accounts, "t2", &account), WF_OK);
	wf_accounts_close(&accounts);
	wf_store_close(&store);
}

/* A record of the format before grants: namespace 7, role operator. */
static void test_old_record(void)
{
	static const unsigned char head[] = { 1, 7, 2, 32 };
	unsigned char value[sizeof(head) + 32 + 1] = { 0 };
	struct wf_store *store = open_store("memory:");
	struct wf_arena *arena = wf_arena_new();
	struct wf_account_row account;
	const struct wf_record_row row = { .kind = "account",
		.name = "old",
		.value = { value, sizeof(value) } };

	memcpy(value, head, sizeof(head));
	CU_ASSERT_EQUAL(wf_store_put_record(store, &row, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(
	    wf_account_find(store, "old", arena, &account, NULL), WF_OK);
	CU_ASSERT_EQUAL(account.namespace_id, 7);
	CU_ASSERT_STRING_EQUAL(wf_rights_role(&account.rights), "operator");
	CU_ASSERT_EQUAL(account.token_count, 1);
	CU_ASSERT_EQUAL(account.grants.count, 1);
	wf_arena_free(&arena);
	wf_store_close(&store);
}

/* It keeps nobody from the others. */
static void test_damaged(void)
{
	static const struct wf_record_row bad = {
		.kind = "account", .name = "bad", .value = { "{", 1 }
	};
	struct wf_store *store = open_store("memory:");
	struct wf_arena *arena = wf_arena_new();
	struct wf_account_rows rows;

	CU_ASSERT_EQUAL(add(store, "anna", "admin", NULL, "t1"), WF_OK);
	CU_ASSERT_EQUAL(wf_store_put_record(store, &bad, NULL), WF_OK);
	CU_ASSERT_EQUAL(add(store, "zoe", "reader", NULL, "t2"), WF_OK);
	CU_ASSERT_EQUAL(wf_account_list(store, arena, &rows, NULL), WF_OK);
	CU_ASSERT_EQUAL_FATAL(rows.count, 2);
	CU_ASSERT_STRING_EQUAL(rows.rows[1].name, "zoe");
	CU_ASSERT_EQUAL_FATAL(rows.damaged_count, 1);
	CU_ASSERT_STRING_EQUAL(rows.damaged[0], "bad");
	wf_arena_free(&arena);
	wf_store_close(&store);
}

CU_TestInfo wf_tests_identity[] = {
	{ "rights allow verbs on objects", test_allow },
	{ "rights allow something", test_some },
	{ "rights are given by who has them", test_cover },
	{ "texts of grants", test_grant_texts },
	{ "tokens have scopes and expire", test_tokens },
	{ "the last administrator", test_last_external },
	{ "the last administrator stays", test_last_admin },
	{ "grants are added and removed", test_change_grants },
	{ "a password of YAWL is hashed anew", test_legacy },
	{ "a flood does not fill the audit", test_flood },
	{ "accounts of a directory or provider", test_external },
	{ "accounts from before grants", test_old_record },
	{ "an account that is damaged", test_damaged },
	CU_TEST_INFO_NULL,
};
