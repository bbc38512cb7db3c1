/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts in the store.  The value of an account's record:
 *
 *   format, namespace, role, hash of the token (32 bytes), argon2id's text
 *   for the password (empty: none)
 */
#include "server/account_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/codec.h"
#include "base/panic.h"

#define FORMAT 1
#define VALUE_BYTES 4096U
/* Others may change the store meanwhile. */
#define ATTEMPTS 100U

/* As OWASP recommends for argon2id in one thread; 20 to 50 milliseconds. */
#define PASSWORD_ROUNDS 2U
#define PASSWORD_MEMORY_BYTES ((size_t)19 << 20)

static const char *const role_names[] = {
	[WF_READER] = "reader",
	[WF_WORKER] = "worker",
	[WF_OPERATOR] = "operator",
	[WF_ADMIN] = "admin",
};

#define ROLE_COUNT (sizeof(role_names) / sizeof(role_names[0]))

const char *wf_role_name(enum wf_role role)
{
	wf_assert((size_t)role < ROLE_COUNT);
	return role_names[role];
}

bool wf_role_find(const char *name, enum wf_role *role_out)
{
	for (size_t i = 0; i < ROLE_COUNT; i++)
		if (strcmp(role_names[i], name) == 0) {
			*role_out = (enum wf_role)i;
			return true;
		}
	return false;
}

void wf_hash_token(
    const char *token, size_t length, unsigned char hash[WF_TOKEN_HASH])
{
	crypto_generichash(
	    hash, WF_TOKEN_HASH, (const unsigned char *)token, length, NULL, 0);
}

static enum wf_rc check_sodium(struct wf_error *err)
{
	if (sodium_init() < 0)
		return wf_fail(err, WF_IO, "there are no random numbers");
	return WF_OK;
}

static void put_prefix(
    const struct wf_store *store, char prefix[WF_TOKEN_PREFIX_BYTES + 1])
{
	snprintf(prefix, WF_TOKEN_PREFIX_BYTES + 1, "weft_%.8s_",
	    wf_store_identity(store));
}

bool wf_token_is_of(const char *text, const struct wf_store *store)
{
	char prefix[WF_TOKEN_PREFIX_BYTES + 1];

	put_prefix(store, prefix);
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

enum wf_rc wf_token_make(const struct wf_store *store,
    char token_out[WF_TOKEN_SIZE], struct wf_error *err)
{
	unsigned char bytes[32];
	enum wf_rc rc = check_sodium(err);

	if (rc != WF_OK)
		return rc;
	randombytes_buf(bytes, sizeof(bytes));
	put_prefix(store, token_out);
	sodium_bin2base64(token_out + WF_TOKEN_PREFIX_BYTES,
	    WF_TOKEN_SIZE - WF_TOKEN_PREFIX_BYTES, bytes, sizeof(bytes),
	    sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(bytes, sizeof(bytes));
	wf_assert(strlen(token_out) == WF_TOKEN_SIZE - 1);
	return WF_OK;
}

static enum wf_rc check_name(const char *name, struct wf_error *err)
{
	size_t length =
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			 "0123456789_.@-");

	if (length >= 1 && length <= WF_ACCOUNT_NAME_BYTES &&
	    name[length] == '\0')
		return WF_OK;
	return wf_fail(err, WF_INVALID,
	    "'%.100s' is no name of an account: expected 1 to 64 of A-Z a-z "
	    "0-9 _ . @ -",
	    name);
}

/* --- encoding ------------------------------------------------------------- */

static void encode(
    const struct wf_stored_account *account, struct wf_buffer *bytes)
{
	wf_assert((size_t)account->account.role < ROLE_COUNT);
	wf_assert(
	    memchr(account->password, 0, sizeof(account->password)) != NULL);
	wf_put_number(bytes, FORMAT);
	wf_put_number(bytes, account->account.namespace_id);
	wf_put_number(bytes, account->account.role);
	wf_put_bytes(bytes, account->token, sizeof(account->token));
	wf_put_string(bytes, account->password);
}

enum wf_rc wf_account_decode(const struct wf_record_row *row,
    struct wf_stored_account *account_out, struct wf_error *err)
{
	struct wf_reader reader;
	const char *token;
	const char *password;
	size_t token_length;
	size_t password_length;

	memset(account_out, 0, sizeof(*account_out));
	wf_reader_init(&reader, row->value.data, row->value.size);
	if (wf_get_number(&reader) != FORMAT)
		reader.bad = true;
	account_out->account.namespace_id = wf_get_bounded(&reader, UINT32_MAX);
	account_out->account.role =
	    (enum wf_role)wf_get_bounded(&reader, WF_ADMIN);
	token = wf_get_bytes(&reader, &token_length);
	password = wf_get_bytes(&reader, &password_length);
	if (reader.bad || token_length != WF_TOKEN_HASH ||
	    password_length >= sizeof(account_out->password) ||
	    strlen(row->name) > WF_ACCOUNT_NAME_BYTES)
		return wf_fail(err, WF_CORRUPT,
		    "the stored account %.64s is damaged", row->name);
	memcpy(account_out->token, token, token_length);
	memcpy(account_out->password, password, password_length);
	strcpy(account_out->account.name, row->name);
	memcpy(&account_out->account.stamp, token,
	    sizeof(account_out->account.stamp));
	return WF_OK;
}

/* --- changing accounts ---------------------------------------------------- */

static enum wf_rc set_password(struct wf_stored_account *account,
    const char *password, struct wf_error *err)
{
	account->password[0] = '\0';
	if (password == NULL)
		return WF_OK;
	if (strlen(password) < WF_PASSWORD_MINIMUM_BYTES)
		return wf_fail(err, WF_INVALID,
		    "a password has at least %u bytes",
		    WF_PASSWORD_MINIMUM_BYTES);
	if (strlen(password) > WF_PASSWORD_BYTES)
		return wf_fail(err, WF_INVALID,
		    "a password has at most %u bytes", WF_PASSWORD_BYTES);
	if (crypto_pwhash_str_alg(account->password, password, strlen(password),
		PASSWORD_ROUNDS, PASSWORD_MEMORY_BYTES,
		crypto_pwhash_ALG_ARGON2ID13) != 0)
		return wf_fail(err, WF_IO, "no memory to hash a password");
	return WF_OK;
}

static enum wf_rc find(struct wf_store *store, const char *name,
    struct wf_stored_account *account_out, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_error mine = { .rc = WF_OK };
	struct wf_record_row row;
	enum wf_rc rc = wf_store_record(
	    store, 0, WF_ACCOUNT_KIND, name, arena, &row, &mine);

	if (rc == WF_OK)
		rc = wf_account_decode(&row, account_out, err);
	else if (rc == WF_NOT_FOUND)
		wf_fail(err, rc, "there is no account %.64s", name);
	else
		wf_fail(err, rc, "%s", mine.message);
	wf_arena_free(&arena);
	return rc;
}

/* Whether an account may be added or removed, as the others are now. */
typedef enum wf_rc (*judge_f)(
    struct wf_store *store, const char *name, struct wf_error *err);

/*
 * Judges and writes; when something else was changed in between, it judges
 * again.
 */
static enum wf_rc change(struct wf_store *store, struct wf_record_row *row,
    judge_f judge, struct wf_error *err)
{
	enum wf_rc rc = WF_CONFLICT;

	for (unsigned i = 0; rc == WF_CONFLICT && i < ATTEMPTS; i++) {
		struct wf_error mine = { .rc = WF_OK };

		rc = wf_store_change(store, &row->change, err);
		if (rc == WF_OK)
			rc = judge(store, row->name, err);
		if (rc != WF_OK)
			return rc;
		rc = wf_store_put_record(store, row, &mine);
		if (rc != WF_OK && rc != WF_CONFLICT)
			wf_fail(err, rc, "%s", mine.message);
	}
	if (rc == WF_CONFLICT)
		rc = wf_fail(err, WF_UNAVAILABLE,
		    "too many others change the store: try again");
	return rc;
}

static enum wf_rc put(struct wf_store *store, struct wf_stored_account *account,
    const char *password, const char *token, judge_f judge,
    struct wf_error *err)
{
	struct wf_record_row row = { .kind = WF_ACCOUNT_KIND,
		.name = account->account.name };
	struct wf_buffer bytes;
	enum wf_rc rc = set_password(account, password, err);

	if (rc != WF_OK)
		return rc;
	wf_hash_token(token, strlen(token), account->token);
	wf_buffer_init(&bytes, VALUE_BYTES);
	encode(account, &bytes);
	wf_assert(!bytes.full);
	row.value.data = bytes.data;
	row.value.size = bytes.length;
	rc = change(store, &row, judge, err);
	wf_buffer_free(&bytes);
	return rc;
}

static enum wf_rc judge_new(
    struct wf_store *store, const char *name, struct wf_error *err)
{
	struct wf_stored_account old;
	struct wf_error mine = { .rc = WF_OK };
	enum wf_rc rc = find(store, name, &old, &mine);

	if (rc == WF_NOT_FOUND)
		return WF_OK;
	if (rc == WF_OK)
		return wf_fail(
		    err, WF_CONFLICT, "there is an account %s already", name);
	return wf_fail(err, rc, "%s", mine.message);
}

static enum wf_rc judge_old(
    struct wf_store *store, const char *name, struct wf_error *err)
{
	struct wf_stored_account old;

	return find(store, name, &old, err);
}

/* Accounts that are damaged count for nothing. */
static enum wf_rc judge_removal(
    struct wf_store *store, const char *name, struct wf_error *err)
{
	struct wf_arena *arena = wf_arena_new();
	struct wf_record_list list = { .count = 0 };
	struct wf_stored_account account;
	bool has_other = false;
	enum wf_rc rc = find(store, name, &account, err);
	bool is_admin = rc == WF_OK && account.account.role == WF_ADMIN;

	if (is_admin)
		rc =
		    wf_store_records(store, WF_ACCOUNT_KIND, arena, &list, err);
	for (size_t i = 0; rc == WF_OK && i < list.count; i++)
		has_other |=
		    strcmp(list.rows[i].name, name) != 0 &&
		    wf_account_decode(&list.rows[i], &account, NULL) == WF_OK &&
		    account.account.role == WF_ADMIN;
	wf_arena_free(&arena);
	if (rc == WF_OK && is_admin && !has_other)
		rc = wf_fail(err, WF_CONFLICT,
		    "%s is the last account with the role admin: add another "
		    "one first",
		    name);
	return rc;
}

enum wf_rc wf_account_add(struct wf_store *store,
    const struct wf_account *account, const char *password, const char *token,
    struct wf_error *err)
{
	struct wf_stored_account stored = { .account = *account };
	enum wf_rc rc = check_sodium(err);

	if (rc == WF_OK)
		rc = check_name(account->name, err);
	/* Before its password is hashed. */
	if (rc == WF_OK)
		rc = judge_new(store, account->name, err);
	return rc != WF_OK
		   ? rc
		   : put(store, &stored, password, token, judge_new, err);
}

enum wf_rc wf_account_reset(struct wf_store *store, const char *name,
    const char *password, const char *token, struct wf_error *err)
{
	struct wf_stored_account account;
	enum wf_rc rc = check_sodium(err);

	if (rc == WF_OK)
		rc = find(store, name, &account, err);
	return rc != WF_OK
		   ? rc
		   : put(store, &account, password, token, judge_old, err);
}

enum wf_rc wf_account_remove(
    struct wf_store *store, const char *name, struct wf_error *err)
{
	struct wf_record_row row = { .kind = WF_ACCOUNT_KIND, .name = name };

	return change(store, &row, judge_removal, err);
}

enum wf_rc wf_account_list(struct wf_store *store, struct wf_arena *arena,
    struct wf_account **accounts_out, size_t *count_out, struct wf_error *err)
{
	struct wf_record_list list;
	enum wf_rc rc =
	    wf_store_records(store, WF_ACCOUNT_KIND, arena, &list, err);

	*accounts_out = NULL;
	*count_out = 0;
	if (rc != WF_OK)
		return rc;
	*accounts_out =
	    wf_arena_array(arena, list.count, sizeof(**accounts_out));
	for (size_t i = 0; i < list.count && rc == WF_OK; i++) {
		struct wf_stored_account account;

		rc = wf_account_decode(&list.rows[i], &account, err);
		(*accounts_out)[(*count_out)++] = account.account;
	}
	return rc;
}
