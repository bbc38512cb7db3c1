/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/ticket.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/panic.h"
#include "identity/session_priv.h"

/* Before the text that is hashed, which is longer than any id of a session. */
#define MARK "weft: a ticket that signs in once: "
#define METHOD "ticket"

static_assert(
    WF_TICKET_SIZE == WF_SESSION_ID_SIZE, "a ticket is made as an id is");

static void key_of(const char *ticket, char key[WF_HASH_TEXT])
{
	char text[sizeof(MARK) + WF_TICKET_SIZE];
	unsigned char hash[WF_TOKEN_HASH];

	wf_assert(strlen(ticket) == WF_TICKET_SIZE - 1);
	snprintf(text, sizeof(text), "%s%s", MARK, ticket);
	wf_hash_token(text, strlen(text), hash);
	wf_hash_text(hash, key);
	sodium_memzero(text, sizeof(text));
}

/* --- making --------------------------------------------------------------- */

static enum wf_rc add(struct wf_store *store,
    const struct wf_account_row *account, int64_t now,
    char ticket[WF_TICKET_SIZE], struct wf_error *err)
{
	char key[WF_HASH_TEXT];
	const struct wf_session_row row = { .key = key,
		.account = account->name,
		.epoch = account->epoch,
		.token = "",
		.method = METHOD,
		.address = "",
		.opened_at = now,
		.used_at = now,
		.ends_at = now + WF_TICKET_MS };

	wf_session_make_id(ticket);
	key_of(ticket, key);
	return wf_store_add_session(store, &row, WF_SESSIONS_OF_ACCOUNT, err);
}

enum wf_rc wf_ticket_make(struct wf_store *store, const char *account,
    int64_t now, char ticket_out[WF_TICKET_SIZE], struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_account_row row;
	enum wf_rc rc = wf_secrets_begin(err);

	if (rc == WF_OK)
		rc = wf_account_find(store, account, arena, &row, err);
	if (rc == WF_OK && (row.is_disabled || row.is_gone))
		rc = wf_fail(
		    err, WF_CONFLICT, "the account %s is disabled", account);
	if (rc == WF_OK)
		rc = add(store, &row, now, ticket_out, err);
	wf_arena_free(&arena);
	return rc;
}

/* --- using ---------------------------------------------------------------- */

static bool begin_account(struct wf_accounts *accounts,
    const struct wf_session_row *ticket, struct wf_account *account)
{
	bool good;

	pthread_mutex_lock(&accounts->lock);
	good = wf_accounts_begin_epoch(
	    accounts, ticket->account, ticket->epoch, account);
	pthread_mutex_unlock(&accounts->lock);
	return good;
}

/* Removes it last: until then it is as good as before. */
static enum wf_rc use(struct wf_accounts *accounts, struct wf_store *store,
    const char *key, int64_t now, struct wf_arena *arena,
    struct wf_account *account_out, struct wf_error *err)
{
	struct wf_account account;
	struct wf_session_row row;
	size_t count = 0;
	enum wf_rc rc = wf_store_session(store, key, arena, &row, err);

	if (rc != WF_OK)
		return rc;
	if (strcmp(row.method, METHOD) != 0 || now >= row.ends_at ||
	    !begin_account(accounts, &row, &account))
		return WF_NOT_FOUND;
	rc = wf_store_remove_session(store, key, &count, err);
	wf_assert(count <= 1);
	if (rc != WF_OK || count == 0)
		return rc == WF_OK ? WF_NOT_FOUND : rc;
	account.proof = WF_PROOF_TICKET;
	*account_out = account;
	return WF_OK;
}

enum wf_rc wf_ticket_use(struct wf_accounts *accounts, struct wf_store *store,
    const char *ticket, int64_t now, struct wf_account *account_out,
    struct wf_error *err)
{
	struct wf_error mine = { .rc = WF_OK };
	struct wf_arena *arena = wf_arena_new();
	char key[WF_HASH_TEXT];
	enum wf_rc rc = WF_NOT_FOUND;

	if (strlen(ticket) == WF_TICKET_SIZE - 1) {
		key_of(ticket, key);
		rc = use(accounts, store, key, now, arena, account_out, &mine);
	}
	wf_arena_free(&arena);
	if (rc == WF_NOT_FOUND)
		return wf_fail(err, rc,
		    "the ticket was used, or is older than an hour: make "
		    "another one with weft account ticket");
	return rc == WF_OK ? rc : wf_fail(err, rc, "%s", mine.message);
}
